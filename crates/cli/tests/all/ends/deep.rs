//! Calls of any depth, through the runtime and all that reads its data.

use super::measured::measure;
use crate::common::Sandbox;

/// `programs/deep.c` with so many calls in each other, twice.
pub fn check(levels: u64) {
    let sandbox = Sandbox::new();
    sandbox.file("deep.c", include_str!("programs/deep.c"));
    sandbox.succeeds("compile -q --functions -- gcc -g -fopenmp deep.c -o calls");
    let measured = measure(&sandbox, "exp", "", &format!("./calls {levels}"));
    assert_eq!(measured.ended.output, format!("{}\n", 2 * levels));
    assert_eq!(measured.visits("deep"), 2 * levels);
    assert_eq!(measured.manifest["lost"]["events"], 0);
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("deeper than 100 not shown; --json has them"));
    assert!(report.len() < 100_000, "{} bytes", report.len());
    sandbox.succeeds("html exp -o deep.html");
}
