//! `pompeii instrument`: the rewriting alone, and what steers it.

use crate::common::{Ended, Sandbox};

const SOURCE: &str = "void f(int *x) {\n#pragma omp parallel\n#pragma omp critical\n  *x = 1;\n}\n";

/// A source in a folder below one with settings.
fn tree(settings: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("src")).unwrap();
    sandbox.file("pompeii.toml", settings);
    sandbox.file("src/f.c", SOURCE);
    sandbox
}

fn with_variable(sandbox: &Sandbox, words: &str, variable: &str) -> Ended {
    Ended::of(sandbox.command(words).env("POMPEII_INSTRUMENT", variable).output().unwrap())
}

#[test]
fn the_settings_of_the_tree_hold() {
    let sandbox = tree("[instrument]\npomp-disable = \"critical\"\nstrict = true\n");
    let output = sandbox.succeeds("instrument src/f.c").output;
    assert!(output.contains("POMP_Parallel_fork(") && !output.contains("POMP_Critical_enter(p"));
    let output = sandbox.succeeds("instrument --no-config src/f.c").output;
    assert!(output.contains("POMP_Critical_enter(p"));
    let output = sandbox.succeeds("instrument --pomp-disable=flush src/f.c").output;
    assert!(output.contains("POMP_Critical_enter(p"), "the command line counts");
}

#[test]
fn the_variable_overrides_the_file() {
    let sandbox = tree("[instrument]\nabi = \"pomp\"\n");
    let ended = with_variable(&sandbox, "instrument src/f.c", "--quiet --abi pomp2 --strict");
    assert!(ended.output.contains("POMP2_Parallel_fork("), "{}", ended.messages);
    let undone = with_variable(&sandbox, "instrument --undo src/f.c", "--abi pomp2");
    assert_eq!(undone.output, SOURCE);
}

#[test]
fn what_is_not_known_is_said_with_its_place() {
    let sandbox = tree("[instrument]\npomp-disabel = \"critical\"\n");
    let ended = sandbox.pompeii("instrument src/f.c");
    assert_eq!((ended.code, ended.output.as_str()), (Some(2), ""));
    ended.says("pompeii.toml: `pomp-disabel` in [instrument] is not known");
    std::fs::remove_file(sandbox.path("pompeii.toml")).unwrap();
    let ended = with_variable(&sandbox, "instrument src/f.c", "--no-such-option");
    assert_eq!(ended.code, Some(2));
    ended.says("POMPEII_INSTRUMENT");
}

#[test]
fn a_pipe_is_named_by_a_hyphen() {
    let sandbox = tree("");
    let mut command = sandbox.command("instrument --language c - -o -");
    command.stdin(std::fs::File::open(sandbox.path("src/f.c")).unwrap());
    let rewritten = Ended::of(command.output().unwrap());
    assert_eq!(rewritten.code, Some(0), "{}", rewritten.messages);
    rewritten.says("<stdin>: instrumented 2 of 2 directives");
    sandbox.file("g.c", &rewritten.output);
    assert_eq!(sandbox.succeeds("instrument --undo g.c -o -").output, SOURCE);
    assert!(!sandbox.exists("-"));
}
