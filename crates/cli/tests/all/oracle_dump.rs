//! What `pompeii dump` prints, against `otf2-print`, byte for byte, but for what that tool of
//! version 3.0 does not know: values of OTF2 3.1, events of 3.2, a single clock offset, and
//! thumbnails, whose heads it does not find.
//!
//! Run with `POMPEII_ORACLES=1`; without it the tests say so and return.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{LOOP, Sandbox};
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::*;
use pompeii_otf2::reference::*;
use pompeii_otf2::value::Value;
use pompeii_otf2::write::{ArchiveWriter, Options};
use pompeii_testing::oracles;

const OPTIONS: [&str; 17] = [
    "",
    "-A",
    "-A -M -C",
    "-G",
    "-I",
    "-T",
    "-M",
    "-C",
    "-M -C",
    "--time 1000500 1000700",
    "--silent",
    "--timestamps=offset",
    "--unwind-calling-context",
    "--no-snapshots",
    "--no-local-defs",
    "--system-tree",
    "-G --system-tree",
];

/// What a program prints; ENTER is pressed often enough.
fn printed(program: &str, words: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(words).env("TZ", "Europe/Berlin");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut keys = child.stdin.take().unwrap();
    let _ = keys.write_all(&[b'\n'; 100]);
    drop(keys);
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn assert_same(anchor: &Path, options: &str) {
    let anchor_text = anchor.display().to_string();
    let mut words: Vec<&str> = options.split_whitespace().collect();
    words.push(&anchor_text);
    let theirs = printed("otf2-print", &words);
    words.insert(0, "dump");
    let ours = printed(env!("CARGO_BIN_EXE_pompeii"), &words);
    let ours: Vec<&str> = ours.lines().filter(|line| !line.starts_with("THUMBNAIL_")).collect();
    let theirs: Vec<&str> = theirs.lines().collect();
    for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let known = theirs.replace("Role: INVALID <39>", "Role: CANCEL");
        let known = known.replace("Role: INVALID <40>", "Role: KERNEL");
        if theirs.starts_with("UNKNOWN") {
            // Location and time stand in the same columns, but such a line has no offset.
            let columns = if options.contains("offset") { 33..48 } else { 33..69 };
            let theirs = theirs.get(columns.clone());
            assert_eq!(ours.get(columns), theirs, "line {number} of {anchor_text}");
            assert!(ours.starts_with("MPI_"), "{ours}");
        } else {
            assert_eq!(*ours, known, "line {number} of {anchor_text} with `{options}`");
        }
    }
    assert_eq!(ours.len(), theirs.len(), "{anchor_text} with `{options}`");
}

/// The graphs of the system tree that both sides write beside the anchor.
fn assert_same_graph(anchor: &Path) {
    let (dot, anchor) = (anchor.with_extension("SystemTree.dot"), anchor.display().to_string());
    let graph = |program: &str, words: &[&str]| {
        let _ = fs::remove_file(&dot);
        printed(program, words);
        fs::read_to_string(&dot).unwrap()
    };
    let theirs = graph("otf2-print", &["--system-tree", &anchor]);
    let ours = graph(env!("CARGO_BIN_EXE_pompeii"), &["dump", "--system-tree", &anchor]);
    let ours = ours.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    assert_eq!(ours, theirs, "{anchor}");
}

/// A sample; `allrecords` without its local definitions, which have a single clock offset.
fn sample(sandbox: &Sandbox, name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples");
    let (folder, anchor) = name.split_once('/').unwrap();
    let copy = sandbox.path(folder);
    let mut cp = Command::new("cp");
    assert!(cp.arg("-r").arg(samples.join(folder)).arg(&copy).status().unwrap().success());
    if folder.starts_with("allrecords") {
        fs::remove_file(copy.join("traces/0.def")).unwrap();
    }
    copy.join(anchor).with_extension("otf2")
}

#[test]
fn samples() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let names = ["minimal", "hybrid", "hybrid_be", "allrecords", "allrecords_be", "v32"];
    let names = names.iter().map(|name| format!("{name}/traces"));
    for name in names.chain(["multichunk/mc".to_owned()]) {
        let anchor = sample(&sandbox, &name);
        for options in OPTIONS {
            assert_same(&anchor, options);
        }
        assert_same_graph(&anchor);
        let location = if name.starts_with("multi") { "-L 3" } else { "-L 0" };
        assert_same(&anchor, location);
    }
    let hybrid = sandbox.path("hybrid/traces.otf2");
    for options in ["-s 50", "-s 94", "--step 1000", "-L 4294967297 --time 1002000 1003000"] {
        assert_same(&hybrid, options);
    }
}

#[test]
fn system_trees() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut archive = ArchiveWriter::create(folder.path(), "traces", Options::default()).unwrap();
    let empty = archive.string("").unwrap();
    let name = archive.string("a<b> & \"c\" \\d\u{e4}").unwrap();
    let [outer, inner] = [5, 7].map(SystemTreeNodeRef);
    let [process, device, lost] = [3, 4, 6].map(LocationGroupRef);
    let (undefined, none) = (SystemTreeNodeRef::UNDEFINED, LocationGroupRef::UNDEFINED);
    let node = |id, name, parent| def::SystemTreeNode { id, name, class_name: name, parent };
    archive.define(node(outer, name, undefined)).unwrap();
    archive.define(node(inner, empty, outer)).unwrap();
    let groups = [
        (process, LocationGroupType::PROCESS, outer, none),
        (device, LocationGroupType::ACCELERATOR, inner, process),
        (lost, LocationGroupType(99), undefined, process),
    ];
    for (id, location_group_type, system_tree_parent, creating_location_group) in groups {
        let group = def::LocationGroup {
            id,
            name,
            location_group_type,
            system_tree_parent,
            creating_location_group,
        };
        archive.define(group).unwrap();
    }
    for (id, location_group) in [(LocationRef(0), device), (LocationRef(1), none)] {
        let location_type = LocationType::CPU_THREAD;
        let location =
            def::Location { id, name, location_type, number_of_events: 0, location_group };
        archive.define(location).unwrap();
    }
    let (system_tree_node, location_group, location) = (inner, device, LocationRef(1));
    let values = [Value::String(name), Value::F64(0.1), Value::Location(location), Value::I8(-3)];
    for value in values {
        let string_value = name;
        let it = def::SystemTreeNodeProperty { system_tree_node, name, string_value, value };
        archive.define(it).unwrap();
        let it = def::LocationGroupProperty { location_group, name: empty, string_value, value };
        archive.define(it).unwrap();
        archive.define(def::LocationProperty { location, name, string_value, value }).unwrap();
    }
    for system_tree_domain in [SystemTreeDomain::SOCKET, SystemTreeDomain(88)] {
        archive.define(def::SystemTreeNodeDomain { system_tree_node, system_tree_domain }).unwrap();
    }
    assert_same_graph(&archive.finish(Anchor::default()).unwrap());
}

#[test]
fn our_own_traces() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.pompeii("run --trace -o traced -- ./loop");
    for options in OPTIONS {
        assert_same(&sandbox.path("traced/traces.otf2"), options);
    }
}

/// Parts of a trace: of one of ours, and of a trace of Score-P with messages in flight.
#[test]
fn cuts() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.pompeii("run --trace -o traced -- ./loop");
    sandbox.succeeds("convert traced --to otf2 --locations 0.1 -o second");
    sample(&sandbox, "hybrid/traces");
    sandbox.succeeds("convert hybrid/traces.otf2 --to otf2 --window 0.0000015:0.000003 -o part");
    for folder in ["second", "part"] {
        for options in OPTIONS {
            assert_same(&sandbox.path(folder).join("traces.otf2"), options);
        }
    }
}
