//! Snapshots of instrumented C and C++: text in, text out, one file per family. What is shown is
//! the output between prelude and undo record, then the regions. Each check also restores the input.

mod combined;
mod errors;
mod forms;
mod functions;
mod options;
mod parallel;

mod passed;
mod pomp2;
mod prelude;
mod preprocessed;
mod preprocessor;
mod properties;
mod statements;
mod synchronisation;
mod tasks;
mod traps;
mod user;
mod worksharing;

use expect_test::Expect;
use pompeii_instrument::{Language, Options, Outcome, instrument, undo};
use std::fmt::Write;

/// Instruments `input` as C and compares body, regions, counts and diagnostics.
fn check(input: &str, expected: &Expect) {
    check_with(input, &Options::new("t.c", Language::C), expected);
}

/// The same as C++.
fn check_cxx(input: &str, expected: &Expect) {
    check_with(input, &Options::new("t.cpp", Language::Cxx), expected);
}

fn check_with(input: &str, options: &Options, expected: &Expect) {
    let outcome = instrument(input.as_bytes(), options).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    expected.assert_eq(&show(&outcome));
}

fn show(outcome: &Outcome) -> String {
    let text = String::from_utf8(outcome.text.clone()).unwrap();
    let prelude = text.split_once("#line 1 \"t.").or_else(|| text.split_once("# 1 \"t."));
    let body = prelude.map_or(text.as_str(), |(_, rest)| rest);
    let body =
        body.split_once("\"\n").filter(|_| body.len() < text.len()).map_or(body, |(_, rest)| rest);
    let body = body.split("/* pompeii undo").next().unwrap_or_default();
    let mut output = body.to_owned();
    for (index, region) in outcome.regions.iter().enumerate() {
        let name = [region.name.as_str(), region.sub_name.as_str()].join(" ");
        let (begin, end) = (region.begin, region.end);
        let sections =
            if region.sections > 0 { format!(" x{}", region.sections) } else { String::new() };
        let name = name.trim();
        let _ = writeln!(output, "== {}: {name}{sections} {begin:?} {end:?}", index + 1);
    }
    let (found, done) = (outcome.directives_found, outcome.directives_instrumented);
    if found != done {
        let _ = writeln!(output, "== {done} of {found}");
    }
    for diagnostic in &outcome.diagnostics {
        let _ = writeln!(
            output,
            "== {:?} {}: {}",
            diagnostic.severity, diagnostic.line, diagnostic.message
        );
    }
    output
}

/// Instruments a text that cannot be instrumented.
fn check_error(input: &str, expected: &Expect) {
    let error = instrument(input.as_bytes(), &Options::new("t.c", Language::C)).unwrap_err();
    expected.assert_eq(&error.to_string());
}
