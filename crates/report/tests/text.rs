//! The reports of one made-up run as text: what a reader sees, kept as snapshots.
#![allow(clippy::unwrap_used)] // helpers of tests, like tests

use expect_test::{Expect, expect};
use pompeii_analysis as analysis;
use pompeii_model::Cube;
use pompeii_report::{Options, RunInfo, TreeOptions, json_report, summary, trees};

/// Eight threads of an ocean model: imbalance, serial parts, and a critical section.
fn ocean() -> Cube {
    let measured = analysis::notation::cube(include_str!("ocean.txt")).unwrap();
    analysis::derive(&measured)
}

fn run() -> RunInfo {
    RunInfo {
        experiment: "ocean-20261120_1132_ab12cd34".into(),
        observed_by: "source".into(),
        trace_bytes: Some(12_345_678),
        notes: Vec::new(),
    }
}

fn check(text: &str, width: usize, expect: Expect) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "too wide: {line}");
    }
    expect.assert_eq(text);
}

#[test]
fn the_first_answer() {
    check(&summary(&ocean(), &run(), &Options::default()), 80, expect![[""]]);
}

#[test]
fn bars_on_a_terminal() {
    let options = Options { bars: true, top: 1, ..Options::default() };
    check(&summary(&ocean(), &run(), &options), 80, expect![[""]]);
}

#[test]
fn a_wide_terminal_needs_fewer_lines() {
    let options = Options { width: 120, ..Options::default() };
    let text = summary(&ocean(), &run(), &options);
    assert!(text.contains("load balance 73 %  x  serial parts 88 %  x  OpenMP overhead 95 %"));
    assert!(text.contains("12 call paths; trace 12 MB"));
}

#[test]
fn colours_change_no_character() {
    let plain = summary(&ocean(), &run(), &Options::default());
    let coloured = summary(&ocean(), &run(), &Options { color: true, ..Options::default() });
    assert_ne!(plain, coloured);
    let mut stripped = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        stripped += if index == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_eq!(plain, stripped);
}

#[test]
fn nothing_lost_and_sums_that_do_not_hold() {
    let show = |text: &str| {
        let cube = analysis::derive(&analysis::notation::cube(text).unwrap());
        summary(&cube, &RunInfo::default(), &Options::default())
    };
    check(&show("wall=1000 locations=1\n serial  0  time=1000 visits=1"), 80, expect![[""]]);
    check(&show("wall=1000 locations=1\n serial  0  time=900 visits=1"), 80, expect![[""]]);
}

#[test]
fn three_trees_with_both_values() {
    check(&trees(&ocean(), &TreeOptions::default()), 80, expect![[""]]);
}

#[test]
fn trees_of_another_metric() {
    let options = TreeOptions { metric: "omp_ibarrier_wait".into(), ..TreeOptions::default() };
    let text = trees(&ocean(), &options);
    let from = text.find(" Call paths").unwrap();
    check(&text[from..], 80, expect![[""]]);
}

#[test]
fn regions_of_the_machine_readable_report() {
    let report = json_report(&ocean());
    let mut shown = String::new();
    for region in &report.regions {
        let metrics: Vec<String> =
            region.metrics.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let kept = metrics.iter().filter(|m| !m.starts_with("time") && !m.starts_with("exec"));
        let kept: Vec<&str> = kept.map(String::as_str).filter(|m| m.contains("wait")).collect();
        shown += &format!(
            "{} {}:{} visits={} time={} self={} {}\n",
            region.kind,
            region.file,
            region.line,
            region.visits,
            region.time_s,
            region.self_s,
            kept.join(" ")
        );
    }
    expect![[""]].assert_eq(&shown);
    let json = pompeii_report::json(&ocean());
    assert!(json.contains("\"schema\": \"pompeii-report-1\""));
}
