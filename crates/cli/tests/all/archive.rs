//! `pompeii archive`: the folder comes back as it was, and commands read the file like the folder.

use std::path::Path;
use std::process::Command;

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
