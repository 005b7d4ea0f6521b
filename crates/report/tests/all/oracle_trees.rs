//! The trees of the page in a browser: their values are those of the report for programs, and large
//! call trees have few elements.

use std::fmt::Write;

use pompeii_analysis as analysis;
use pompeii_report::{RunInfo, html, json};
use pompeii_testing::oracles;

use crate::oracle_web::in_browser;

/// 96 functions that call 93 others each: with `main`, 9,025 call paths.
fn big() -> String {
    let mut text = "wall=100000 locations=2\n".to_owned();
    for outer in 0..96 {
        for inner in 0..93 {
            let _ = writeln!(text, "main/outer_{outer}/inner_{inner}  *  time=10 visits=1");
        }
    }
    text
}

#[test]
fn trees_in_a_browser() {
    if !oracles() {
        return;
    }
    let cube = |text: &str| analysis::derive(&analysis::notation::cube(text).unwrap());
    let (ocean, run) = (cube(include_str!("ocean.txt")), RunInfo::default());
    let pages = [
        ("OCEAN", html(&ocean, &run)),
        ("REPORT", json(&ocean, &run)),
        ("BIG", html(&cube(&big()), &run)),
    ];
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, text)| (*name, &**text)).collect();
    in_browser("trees.browser.mjs", &pages);
}
