//! Checks of single metrics of a trace, for the tests of their properties.

use expect_test::Expect;
use pompeii_replay::{Compound, Options, replay, text};

use crate::trace::Severities;

/// Shows some metrics of a trace by call path and location, where they are not 0.
pub(crate) fn check_metrics(names: &[&str], trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let mut severities = Severities::default();
    let note = &mut |compound: Compound| severities.note(&compound);
    let outcome = replay(trace.trace(), Options { path: true, ..Options::default() }, note);
    let cube = severities.cube(&outcome);
    let mut shown = String::new();
    for name in names {
        let Some(metric) = cube.metric(name) else { continue };
        for call in cube.calls.ids() {
            let row = cube.row(metric, call);
            if row.iter().any(|value| *value != 0) {
                shown += &format!("{name}  {}  {row:?}\n", outcome.path(call));
            }
        }
    }
    expect.assert_eq(&shown);
}
