//! `pompeii archive`: the folder comes back as it was, and commands read the file like the folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::common::{LOOP, Sandbox};

/// A run with a trace that was analyzed, in `first.dir`, and the same in `first.zst`. Both names are
/// equally long, so that lines of reports break at the same words.
fn archived() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    assert_eq!(sandbox.pompeii("run -q --trace -o first.dir -- ./loop").code, Some(3));
    sandbox.succeeds("analyze first.dir");
    sandbox.succeeds("archive first.dir -o first.zst").says("first.zst is written: ");
    sandbox
}

/// Whether two folders have the same files.
fn is_same(one: &Path, other: &Path) -> bool {
    Command::new("diff").arg("-r").args([one, other]).status().unwrap().success()
}

#[test]
fn the_folder_comes_back_as_it_was() {
    let sandbox = archived();
    sandbox.succeeds("archive --unpack first.zst -o again").says("again is unpacked");
    assert!(is_same(&sandbox.path("first.dir"), &sandbox.path("again")));
    let refused = sandbox.pompeii("archive --unpack first.zst");
    assert_eq!(refused.code, Some(2));
    refused.says("first.dir exists already; name another folder: -o DIR");
    // Nothing else is left.
    let left = std::fs::read_dir(sandbox.path("")).unwrap().map(|it| it.unwrap().file_name());
    let mut left: Vec<_> = left.collect();
    left.retain(|name| name != ".cache");
    left.sort();
    assert_eq!(left, ["again", "first.dir", "first.zst", "loop", "loop.c"]);
}

#[test]
fn commands_read_the_file_like_the_folder() {
    let sandbox = archived();
    for words in [
        "report EXP",
        "report --json EXP",
        "explain omp_barrier EXP",
        "dump EXP",
        "dump --json EXP",
        "tasks EXP",
        "cube info EXP",
        "cube calltree EXP -m time",
        "check EXP --max visits<1000000 --json",
        "diff EXP EXP --json",
        "scaling EXP EXP --json",
    ] {
        let of = |name: &str| sandbox.pompeii(&words.replace("EXP", name));
        let (folder, file) = (of("first.dir"), of("first.zst"));
        assert_eq!(file.code, folder.code, "{words}: {}", file.messages);
        let output = file.output.replace("first.zst", "first.dir");
        assert!(output == folder.output, "{words}:\n{}\n{}", folder.output, file.output);
    }
}

#[test]
fn pages_have_the_timeline_of_the_file() {
    let sandbox = archived();
    let made = sandbox.succeeds("html first.zst -o page.html");
    assert!(!made.messages.contains("no timeline"), "{}", made.messages);
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    assert!(page.contains("first.zst") && !page.contains("first.dir"));
}

#[test]
fn copies_are_removed() {
    let sandbox = archived();
    std::fs::create_dir(sandbox.path("tmp")).unwrap();
    for words in ["report first.zst", "dump first.zst", "cube info first.zst"] {
        let mut command = sandbox.command(words);
        let ended = command.env("TMPDIR", sandbox.path("tmp")).output().unwrap();
        assert!(ended.status.success(), "{words}");
        assert_eq!(std::fs::read_dir(sandbox.path("tmp")).unwrap().count(), 0, "{words}");
    }
}

#[test]
fn a_trace_in_a_file_is_analyzed_into_a_folder() {
    let sandbox = archived();
    assert_eq!(sandbox.pompeii("analyze first.zst").code, Some(2));
    sandbox.succeeds("analyze first.zst -o results");
    let read = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert!(read("results/trace.cubex") == read("first.dir/trace.cubex"));
}

#[test]
fn a_file_that_was_cut_off_is_an_error() {
    let sandbox = archived();
    let bytes = std::fs::read(sandbox.path("first.zst")).unwrap();
    std::fs::write(sandbox.path("cut.zst"), &bytes[..bytes.len() / 2]).unwrap();
    let refused = sandbox.pompeii("report cut.zst");
    assert_eq!(refused.code, Some(2));
    refused.says("cannot read cut.zst: the table at its end is missing");
}

/// Archives a copy of the experiment in which `spoil` has damaged something: returns the warnings.
/// The file has the damaged folder.
fn warnings(sandbox: &Sandbox, spoil: impl FnOnce(&Path)) -> String {
    let (whole, bad) = (sandbox.path("first.dir"), sandbox.path("bad"));
    let copied = Command::new("cp").arg("-a").args([&whole, &bad]).status().unwrap();
    assert!(copied.success());
    spoil(&bad);
    let ended = sandbox.pompeii("archive bad -o bad.zst");
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    ended.says("bad.zst is written: ");
    let last = "pompeii: bad.zst is as damaged as bad: the warnings above name its files\n";
    assert!(ended.messages.ends_with(last), "{}", ended.messages);
    sandbox.succeeds("archive --unpack bad.zst -o again");
    assert!(is_same(&bad, &sandbox.path("again")));
    for folder in ["bad", "again"] {
        fs::remove_dir_all(sandbox.path(folder)).unwrap();
    }
    let warnings = ended.messages.lines().filter_map(|it| it.strip_prefix("pompeii: warning: "));
    warnings.map(|it| format!("{it}\n")).collect()
}

#[test]
fn a_damaged_experiment_is_packed_with_warnings() {
    let sandbox = archived();
    let gone = |name: &str| warnings(&sandbox, |at| fs::remove_file(at.join(name)).unwrap());
    let other =
        |name: &str, text: &str| warnings(&sandbox, |at| fs::write(at.join(name), text).unwrap());
    let found = [
        gone("manifest.json"),
        gone("profile.cubex"),
        gone("traces.otf2"),
        gone("traces.def"),
        gone("traces/0.evt"),
        other("manifest.json", "{"),
        other("profile.cubex", "text"),
        other("trace.cubex", "text"),
        other("analysis.json", "{"),
        other("traces.otf2", "\u{3}B\u{2}"),
        other("traces/0.evt", "\u{3}B"),
    ];
    expect![[r#"
        bad/manifest.json: the description of the run is missing
        bad/profile.cubex: the profile is missing
        bad/traces.otf2: the trace is missing
        bad/traces.def: No such file or directory (os error 2)
        bad/traces/0.evt: No such file or directory (os error 2)
        bad/manifest.json: EOF while parsing an object at line 1 column 1
        cannot read bad/profile.cubex: the container: expected a member `anchor.xml`, found no members: this is no Cube report, or only its first bytes
        cannot read bad/trace.cubex: the container: expected a member `anchor.xml`, found no members: this is no Cube report, or only its first bytes
        bad/analysis.json: EOF while parsing an object at line 1 column 1
        bad/traces.otf2, byte 2: record anchor: expected a text that ends with a zero byte
        bad/traces/0.evt: the file ends at byte 0, in chunk 0, without its end mark; what stands before was read
    "#]]
    .assert_eq(&found.concat());
}

#[test]
fn events_are_missed_in_a_file_that_is_sound() {
    let sandbox = archived();
    // Without a chunk, the file has its begin and its end.
    let found = warnings(&sandbox, |folder| {
        let file = folder.join("traces/0.evt");
        let mut bytes = fs::read(&file).unwrap();
        let header = 18;
        bytes.drain(header..bytes.len() - 2);
        fs::write(&file, bytes).unwrap();
    });
    let [start, end] = ["bad/traces/0.evt: 0 of ", " events are there\n"];
    assert!(found.starts_with(start) && found.ends_with(end), "{found}");
}

#[test]
fn each_of_several_runs_is_read() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    sandbox.pompeii("run -q --repeat 2 -o first.dir -- ./loop");
    assert_eq!(sandbox.pompeii("archive first.dir -o first.zst").code, Some(0));
    let found = warnings(&sandbox, |folder| {
        fs::remove_file(folder.join("2/profile.cubex")).unwrap();
        fs::write(folder.join("repeat.json"), "{").unwrap();
    });
    expect![[r#"
        bad/repeat.json: it names no run in this folder
        bad/2/profile.cubex: the profile is missing
    "#]]
    .assert_eq(&found);
}
