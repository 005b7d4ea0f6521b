//! `pompeii diff`: sets of real runs. Their times are not known, so that only what does not depend
//! on times is compared: `analysis` and `report` have tests with known times.

use crate::common::{LOOP, Sandbox};
use serde_json::Value;

fn json(sandbox: &Sandbox, words: &str) -> Value {
    serde_json::from_str(&sandbox.succeeds(words).output).unwrap()
}

#[test]
fn sets_of_runs_are_compared() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    for name in ["a", "b"] {
        assert_eq!(sandbox.pompeii(&format!("run -q -o {name} -- ./loop")).code, Some(3));
    }
    let text = sandbox.succeeds("diff a b --html changes.html").output;
    assert!(text.contains("from a to b") && text.contains("noise is not known"), "{text}");
    let page = std::fs::read_to_string(sandbox.path("changes.html")).unwrap();
    assert!(page.contains("From a to b") && page.contains("noise is not known"), "{page}");
    let one = json(&sandbox, "diff a b --json");
    assert_eq!((&one["schema"], &one["noise"]), (&"pompeii-diff-1".into(), &"unknown".into()));
    // A run is equal to itself, whatever noise there is.
    let equal = json(&sandbox, "diff a,a,a,a a,a,a,a --json");
    assert_eq!((&equal["noise"], &equal["runs"][1]), (&"known".into(), &4.into()));
    assert_eq!(equal["wall_s"]["is_real"], false);
    assert_eq!(equal["call_paths"].as_array().map(Vec::len), Some(0), "{equal}");
    let swapped = json(&sandbox, "diff b a --json");
    assert_eq!(
        (&one["wall_s"]["a"], &one["wall_s"]["b"]),
        (&swapped["wall_s"]["b"], &swapped["wall_s"]["a"])
    );
    let refused = sandbox.pompeii("diff a nosuch");
    assert_eq!(refused.code, Some(2));
    refused.says("nosuch: no such experiment");
}
