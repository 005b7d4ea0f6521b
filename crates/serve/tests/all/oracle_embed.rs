//! The timeline inside an offline page: its pictures are those of the server, it keeps its budget,
//! and a real browser shows it. The browser runs where `POMPEII_ORACLES` is set.

use std::fs;

use pompeii_report::RunInfo;
use pompeii_serve::{Session, embedded};
use serde_json::Value;

use crate::common::{sample, traced};
use crate::oracle_page::in_browser;

fn timeline(budget: usize) -> Option<String> {
    let folder = sample("hybrid");
    embedded(&Session::open(traced(folder.path())), budget)
}

#[test]
fn the_page_has_pictures_and_sums_of_all_threads() {
    let timeline: Value = serde_json::from_str(&timeline(1_000_000).unwrap()).unwrap();
    assert_eq!(timeline["open"]["locations"].as_array().unwrap().len(), 4);
    assert_eq!(timeline["open"]["has"]["messages"], false, "there is no server to ask for them");
    // Innermost regions, processes, and call stacks.
    assert_eq!(timeline["pictures"].as_array().unwrap().len(), 3);
    let ticks = |row: &Value| row[2].as_u64().unwrap();
    let sums = timeline["sums"].as_array().unwrap();
    assert!(sums.iter().map(ticks).sum::<u64>() > 0);
    assert!(sums.iter().any(|row| row[0] == 3), "also of the last location");
}

#[test]
fn what_does_not_fit_is_left_out() {
    let whole = timeline(1_000_000).unwrap();
    assert_eq!(timeline(10), None);
    // Call stacks are left out first.
    let smaller = timeline(whole.len() - 100).unwrap();
    assert!(smaller.len() <= whole.len() - 100);
    let smaller: Value = serde_json::from_str(&smaller).unwrap();
    assert_eq!(smaller["pictures"].as_array().unwrap().len(), 2);
}

#[test]
fn an_experiment_without_a_trace_has_no_timeline() {
    assert_eq!(embedded(&Session::open(crate::common::reported()), 1_000_000), None);
}

#[test]
fn a_browser_shows_it() {
    let text = "wall=10 locations=2\n main  *  time=4\n main/work@a.c:3  *  time=6";
    let cube = pompeii_analysis::derive(&pompeii_analysis::notation::cube(text).unwrap());
    let mut page = Vec::new();
    let timeline = timeline(1_000_000).unwrap();
    let run = RunInfo::default();
    pompeii_report::write_html(&cube, &run, Some(&timeline), &mut page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page).unwrap();
    in_browser("embedded.browser.mjs", ("PAGE_TRACED", &format!("file://{}", file.display())));
}
