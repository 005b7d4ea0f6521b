//! `pompeii convert`: where the result goes, and what is refused. Readers of the formats are in
//! `oracle_convert.rs`.

use std::fs;
use std::path::PathBuf;

use crate::common::{LOOP, Sandbox};

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let ended = sandbox.pompeii("run -q --trace -o exp -- ./loop");
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    sandbox
}

#[test]
fn a_file_and_standard_output_have_the_same_bytes() {
    let sandbox = traced();
    let ended = sandbox.succeeds("convert exp --to perfetto -o exp.pftrace");
    ended.says("exp.pftrace is written: open it at https://ui.perfetto.dev");
    let file = fs::read(sandbox.path("exp.pftrace")).unwrap();
    // The first field of a file: a packet.
    assert_eq!(file[0], 0x0a);
    let label = b"for main loop.c:4";
    assert!(file.windows(label.len()).any(|bytes| bytes == label));
    let output = sandbox.command("convert exp/traces.otf2 --to perfetto -o -").output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == file, "{} bytes, then {}", file.len(), output.stdout.len());
}

#[test]
fn what_exists_is_kept() {
    let sandbox = traced();
    sandbox.file("mine", "mine");
    for (output, of) in [("mine", "mine"), ("exp", "exp"), ("exp/traces.otf2", "exp/traces.otf2")] {
        let ended = sandbox.pompeii(&format!("convert exp --to perfetto -o {output}"));
        assert_eq!(ended.code, Some(2), "{}", ended.messages);
        ended.says(&format!("{of} exists already; expected the name of a new file"));
    }
    assert_eq!(fs::read_to_string(sandbox.path("mine")).unwrap(), "mine");
    sandbox.succeeds("convert exp --to perfetto -o /dev/null");
}

#[test]
fn a_full_disk_and_a_missing_trace_are_told() {
    let sandbox = traced();
    let ended = sandbox.pompeii("convert exp --to perfetto -o /dev/full");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("cannot convert to /dev/full: No space left on device");
    sandbox.pompeii("run -q -o profiled -- ./loop");
    let ended = sandbox.pompeii("convert profiled --to perfetto -o profiled.pftrace");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("`pompeii run --trace` records one");
    assert!(!sandbox.exists("profiled.pftrace"));
    let ended = sandbox.pompeii("convert exp --to nosuch -o x");
    assert_eq!(ended.code, Some(2));
    ended.says("perfetto");
}

#[test]
fn tables_are_files_in_a_new_folder() {
    let sandbox = traced();
    let ended = sandbox.succeeds("convert exp --to csv -o tables");
    ended.says("tables is written: a file for each table");
    let regions = fs::read_to_string(sandbox.path("tables/regions.csv")).unwrap();
    assert!(regions.contains("for main loop.c:4,loop,openmp,"), "{regions}");
    // Two threads come to the end of the loop.
    let barriers = fs::read_to_string(sandbox.path("tables/barriers.csv")).unwrap();
    assert!(barriers.lines().count() >= 3, "{barriers}");
    let ended = sandbox.pompeii("convert exp --to csv -o tables");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("tables exists already; expected the name of a new folder");
    let ended = sandbox.pompeii("convert exp --to csv -o -");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("the result is several files; name a folder: -o FOLDER");
}

#[test]
fn parquet_has_the_tables_of_csv() {
    let sandbox = traced();
    sandbox.succeeds("convert exp --to parquet -o binary");
    sandbox.succeeds("convert exp --to csv -o text");
    let paths = |folder: &str| {
        let entries = fs::read_dir(sandbox.path(folder)).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
        paths.sort_unstable();
        paths
    };
    let names = |folder: &str| -> Vec<String> {
        let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        paths(folder).iter().map(name).collect()
    };
    assert_eq!(names("binary"), names("text"));
    for path in paths("binary") {
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{}", path.display());
    }
}

#[test]
fn a_profile_needs_no_trace() {
    let sandbox = traced();
    sandbox.pompeii("run -q -o profiled -- ./loop");
    let ended = sandbox.succeeds("convert profiled --to tau -o tau");
    ended.says("tau is written: call pprof or paraprof in this folder");
    for thread in 0..2 {
        let file = sandbox.path(&format!("tau/profile.0.0.{thread}"));
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains("templated_functions_MULTI_TIME\n# Name Calls Subrs"), "{text}");
        assert!(text.contains("\"parallel [OpenMP location: file:loop.c <4, "), "{text}");
    }
    sandbox.succeeds("convert profiled/profile.cubex --to tau --by construct -o constructs");
    let text = fs::read_to_string(sandbox.path("constructs/profile.0.0.0")).unwrap();
    assert!(text.contains("\"parallel begin/end [OpenMP]\" 1 "), "{text}");
    profiles_of_tau_are_experiments(&sandbox);
}

/// Visits, visits of callees and names of a flat profile. Formats round times, so their last digits
/// may differ after a conversion.
fn counts(sandbox: &Sandbox, name: &str) -> String {
    let text = sandbox.succeeds(&format!("report {name} --flat --sort name")).output;
    let line = |line: &str| {
        let columns: Vec<char> = line.chars().collect();
        columns[27..51].iter().chain(&columns[61..]).collect::<String>()
    };
    text.lines().skip(1).map(line).collect::<Vec<_>>().join("\n")
}

/// The folder `tau` has the profile of the experiment `profiled`. Names of TAU lack the function
/// around a construct.
fn profiles_of_tau_are_experiments(sandbox: &Sandbox) {
    let flat = |name: &str| counts(sandbox, name).replace(" main ", " ");
    assert_eq!(flat("tau"), flat("profiled"));
    assert!(flat("tau").contains("parallel loop.c:4"), "{}", flat("tau"));
    let report = sandbox.succeeds("report tau").output;
    assert!(report.contains("Parallel efficiency"), "{report}");
    sandbox.succeeds("diff profiled tau");
    sandbox.succeeds("convert tau --to tau -o again");
    let names = |file: &str| {
        let text = fs::read_to_string(sandbox.path(file)).unwrap();
        let name = |line: &str| line.split('"').nth(1).map(str::to_owned);
        text.lines().filter_map(name).collect::<Vec<_>>()
    };
    assert_eq!(names("again/profile.0.0.1"), names("tau/profile.0.0.1"));
}

/// A folder with a trace alone, as Score-P writes it without a profile. The times of a trace of one
/// process are those of its profile.
#[test]
fn traces_of_score_p_are_experiments() {
    let sandbox = traced();
    fs::create_dir(sandbox.path("scorep")).unwrap();
    for name in ["traces", "traces.def", "traces.otf2"] {
        fs::rename(sandbox.path("exp").join(name), sandbox.path("scorep").join(name)).unwrap();
    }
    sandbox.file("scorep/scorep.cfg", "SCOREP_ENABLE_TRACING=true");
    let flat = |name: &str| sandbox.succeeds(&format!("report {name} --flat")).output;
    assert_eq!(flat("scorep"), flat("exp"));
    let before = sandbox.succeeds("report scorep").output;
    assert!(before.contains("Parallel efficiency"), "{before}");
    let analysis = sandbox.succeeds("analyze scorep").output;
    assert!(analysis.ends_with("Next: pompeii report scorep\n"), "{analysis}");
    assert!(sandbox.exists("scorep/trace.cubex"));
    assert_eq!(flat("scorep"), flat("exp"));
    sandbox.succeeds("diff exp scorep");
    sandbox.succeeds("convert scorep --to folded -o scorep.folded");
    // To EPILOG and back.
    sandbox.succeeds("convert scorep --to epilog -o trace.elg").says("those of EPILOG 1.9");
    sandbox.succeeds("convert trace.elg --to otf2 -o back").says("its anchor is traces.otf2");
    assert_eq!(counts(&sandbox, "back"), counts(&sandbox, "exp"));
}

/// An event file that was cut is converted as far as it goes.
#[test]
fn damage_is_told_and_the_rest_converted() {
    let sandbox = traced();
    let folder = fs::read_dir(sandbox.path("exp/traces")).unwrap();
    let mut events = folder.map(|entry| entry.unwrap().path());
    let file = events.find(|path| path.extension().is_some_and(|it| it == "evt")).unwrap();
    let bytes = fs::read(&file).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::write(&file, &bytes[..used / 2]).unwrap();
    let ended = sandbox.pompeii("convert exp --to perfetto -o exp.pftrace");
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    ended.says("without its end mark; what stands before was read");
    assert!(sandbox.path("exp.pftrace").metadata().unwrap().len() > 0);
}
