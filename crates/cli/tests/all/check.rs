//! `pompeii check`: rules for real runs, their exit codes, and the files that it writes.

use crate::common::{LOOP, Sandbox};
use serde_json::Value;

/// A run of a loop, whose values are not known but for the number of its visits: two threads visit
/// the parallel region once.
fn measured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    assert_eq!(sandbox.pompeii("run -q -o exp -- ./loop").code, Some(3));
    sandbox
}

/// `pompeii check` with these words, which may have blanks in them.
fn check(sandbox: &Sandbox, words: &[&str]) -> crate::common::Ended {
    crate::common::Ended::of(sandbox.command("check").args(words).output().unwrap())
}

#[test]
fn the_exit_code_says_whether_rules_hold() {
    let sandbox = measured();
    let holds = check(&sandbox, &["exp", "--max", "visits@parallel*<3", "--min", "wall_time>0 s"]);
    assert_eq!(holds.code, Some(0), "{}", holds.messages);
    assert!(holds.output.contains("exp: all 2 rules hold"), "{}", holds.output);
    let broken = check(&sandbox, &["exp", "--max", "visits@parallel*<2"]);
    assert_eq!(broken.code, Some(1), "{}", broken.messages);
    assert!(broken.output.contains("visits at parallel* is 2, expected less than 2."));
    assert!(broken.output.contains("main loop.c:4"), "{}", broken.output);
    let unknown = check(&sandbox, &["exp", "--max", "omp_nosuch<5%"]);
    assert_eq!((unknown.code, unknown.output.as_str()), (Some(2), ""));
    unknown.says("--max: unknown metric `omp_nosuch`");
}

#[test]
fn rules_of_a_file_have_scopes_and_wholes() {
    let sandbox = measured();
    sandbox.file(
        "rules.toml",
        "[[rule]]\nmetric = \"visits\"\ncall = \"parallel*\"\nscope = \"thread\"\nmax = 1\n\n\
         [[rule]]\nmetric = \"time\"\nmin = \"100%\"\nmax-of = 3\n",
    );
    let unknown = check(&sandbox, &["exp", "--rules", "rules.toml"]);
    assert_eq!(unknown.code, Some(2));
    unknown.says("max-of");
    sandbox.file(
        "rules.toml",
        "[[rule]]\nmetric = \"visits\"\ncall = \"parallel*\"\nscope = \"thread\"\nmax = 1\n\n\
         [[rule]]\nmetric = \"time\"\nmin = \"100%\"\n\n\
         [[rule]]\nmetric = \"visits\"\nmax = \"100%\"\nrelative-to = \"base\"\n",
    );
    let ended = check(&sandbox, &["exp", "--rules", "rules.toml", "--against", "exp,exp"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.output, ended.messages);
    let without = check(&sandbox, &["exp", "--rules", "rules.toml"]);
    assert_eq!(without.code, Some(2));
    without.says("the rule for `visits` is relative to a base; name one with --against");
}

#[test]
fn results_are_files_and_annotations() {
    let sandbox = measured();
    let words = ["exp", "--max", "visits@parallel*<2", "--junit", "out.xml", "--github"];
    let ended = check(&sandbox, &words);
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    let annotation = "::error file=loop.c,line=4,title=pompeii check::visits at parallel* is 2";
    assert!(ended.output.contains(annotation), "{}", ended.output);
    let xml = std::fs::read_to_string(sandbox.path("out.xml")).unwrap();
    assert!(xml.contains("<testsuites tests=\"1\" failures=\"1\">"), "{xml}");
    assert!(xml.contains("name=\"visits@parallel*&lt;2\""), "{xml}");
    let json = check(&sandbox, &["exp", "--max", "visits@parallel*<2", "--json"]);
    let json: Value = serde_json::from_str(&json.output).unwrap();
    assert_eq!((&json["schema"], &json["holds"]), (&"pompeii-check-1".into(), &false.into()));
    assert_eq!(json["rules"][0]["value"], 2.0);
}

#[test]
fn a_history_grows_and_is_drawn() {
    let sandbox = measured();
    for (limit, code) in [("visits@parallel*<3", 0), ("visits@parallel*<2", 1)] {
        let ended = check(&sandbox, &["exp", "--max", limit, "--history", "past.jsonl"]);
        assert_eq!(ended.code, Some(code), "{}", ended.messages);
    }
    let lines = std::fs::read_to_string(sandbox.path("past.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let page = std::fs::read_to_string(sandbox.path("past.html")).unwrap();
    assert_eq!(page.matches("<circle").count(), 2, "{page}");
    let badge = std::fs::read_to_string(sandbox.path("past.svg")).unwrap();
    assert!(badge.contains("the rule is broken"), "{badge}");
    // A file that is no history is not touched.
    sandbox.file("notes.txt", "my notes\n");
    let refused = check(&sandbox, &["exp", "--max", "visits<3", "--history", "notes.txt"]);
    assert_eq!(refused.code, Some(2));
    refused.says("notes.txt: line 1 is not one of a history of `pompeii check`");
    assert_eq!(std::fs::read_to_string(sandbox.path("notes.txt")).unwrap(), "my notes\n");
    assert!(!sandbox.exists("notes.html"));
}
