//! Text in, text out for Fortran: what each directive family becomes, one file per family. The
//! appended procedures are cut off (`appended` shows them) and the hash in their names is written
//! `H`.

mod appended;
mod blanks;
mod closed;
mod devices;
mod forms;
mod metadirectives;
mod parallel;
mod preprocessor;
mod synchronisation;
mod tasks;
mod user;
mod worksharing;

use expect_test::Expect;
use pompeii_instrument::{ConstructSet, Language, Options, instrument, undo};

fn output(path: &str, source: &str, disabled: &str) -> String {
    output_with(path, source, |options| {
        options.disabled = ConstructSet::disabled(disabled).expect("known names");
    })
}

fn output_with(path: &str, source: &str, change: impl Fn(&mut Options)) -> String {
    let language = Language::from_path(path).expect("a Fortran suffix");
    let mut options = Options::new(path, language);
    change(&mut options);
    let outcome = match instrument(source.as_bytes(), &options) {
        Ok(outcome) => outcome,
        Err(error) => return format!("{error}\n"),
    };
    assert_eq!(undo(&outcome.text).expect("a whole record"), source.as_bytes(), "undo");
    let mut text = String::from_utf8(outcome.text).expect("text");
    if let Some(at) = text.find("_at(") {
        let hash = text[at - 8..at].to_owned();
        text = text.replace(&hash, "H");
    }
    for diagnostic in &outcome.diagnostics {
        text.insert_str(0, &format!("{}: {}\n", diagnostic.line, diagnostic.message));
    }
    text
}

/// The output without what is appended.
fn check_file(path: &str, source: &str, expect: Expect) {
    check_with(path, source, |_| (), expect);
}

fn check_with(path: &str, source: &str, change: impl Fn(&mut Options), expect: Expect) {
    let text = output_with(path, source, change);
    let end = text.find("# 1 \"<pompeii>\"").or_else(|| text.find("subroutine pomp_H_"));
    expect.assert_eq(&text[..end.unwrap_or(text.len())]);
}

fn check(source: &str, expect: Expect) {
    check_file("f.f90", source, expect);
}

fn check_fixed(source: &str, expect: Expect) {
    check_file("f.f", source, expect);
}
