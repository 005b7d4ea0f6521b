//! The timeline inside an offline page: its pictures are those of the server, it keeps its budget,
//! and a real browser shows it. The browser runs where `POMPEII_ORACLES` is set.

use std::fs;
use std::sync::Arc;

use pompeii_report::RunInfo;
use pompeii_serve::{Session, embedded};
use serde_json::{Value, json};

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

/// The same with moments: results of an analysis that name some of the trace.
fn with_moments(budget: usize) -> Option<Value> {
    let folder = sample("hybrid");
    let mut viewed = traced(folder.path());
    let session = Session::open(traced(folder.path()));
    embedded(&session, 1_000_000)?;
    let length = session_length(&session);
    // Eight tenths of the run, each as a moment of a place of its own.
    let instances: Vec<Value> = (1..9)
        .map(|tenth| {
            let (enter, leave) = (length * f64::from(tenth) / 10.0, length * f64::from(tenth + 1) / 10.0);
            let severe = json!({ "seconds": 1.0 / f64::from(tenth), "enter_s": enter, "leave_s": leave,
                "location": "rank 0 thread 0", "by": null, "by_location": null });
            json!({ "property": "omp_ibarrier_wait", "at": format!("a{tenth}"), "severe": [severe] })
        })
        .collect();
    let results = folder.path().join("analysis.json");
    fs::write(&results, json!({ "instances": instances }).to_string()).unwrap();
    viewed.analysis = Some(results);
    let text = embedded(&Session::open(viewed), budget)?;
    assert!(text.len() <= budget);
    Some(serde_json::from_str(&text).unwrap())
}

/// The length of the trace in seconds.
fn session_length(session: &Arc<Session>) -> f64 {
    let timeline: Value = serde_json::from_str(&embedded(session, 1_000_000).unwrap()).unwrap();
    let open = &timeline["open"];
    open["length"].as_f64().unwrap() / open["ticks_per_second"].as_f64().unwrap()
}

#[test]
fn moments_have_lines_tasks_and_curves() {
    let timeline = with_moments(1_000_000).unwrap();
    let moments = timeline["moments"].as_array().unwrap();
    // The whole run has curves only.
    assert_eq!(moments.len(), 1 + 8);
    assert!(moments[0]["links"].is_null() && moments[0]["curves"]["waiting.1"]["max"].is_array());
    assert!(moments[1..].iter().all(|it| it["tasks"]["fragments"].is_array()));
    let links = |it: &Value| it["links"]["links"].as_array().map_or(0, Vec::len);
    assert!(moments.iter().map(links).sum::<usize>() > 0);
    let has = &timeline["open"]["has"];
    assert_eq!((&has["messages"], &has["curves"]), (&true.into(), &true.into()));
}

#[test]
fn a_small_page_still_has_moments() {
    let whole = with_moments(1_000_000).unwrap();
    let pictures = |of: &Value| of["pictures"].as_array().unwrap().len();
    assert_eq!(pictures(&whole), 3 * 9);
    let of_size = |part: usize| with_moments(whole.to_string().len() / part).unwrap();
    // Curves are left out before lines and tasks.
    let smaller = of_size(8);
    let moments = smaller["moments"].as_array().unwrap();
    assert_eq!((pictures(&smaller), moments.len()), (3 * 9, 1 + 8));
    assert!(moments.iter().any(|it| it["curves"].as_object().unwrap().is_empty()));
    assert!(moments[1..].iter().all(|it| it["tasks"]["fragments"].is_array()));
    // Rows of threads and processes at least, of the run and of five moments.
    let smallest = of_size(32);
    assert!((2 * 6..3 * 9).contains(&pictures(&smallest)), "{}", pictures(&smallest));
}

#[test]
fn what_does_not_fit_is_left_out() {
    // The smallest budget with a timeline.
    let (mut least, mut too_small) = (timeline(1_000_000).unwrap().len(), 10);
    assert_eq!(timeline(too_small), None);
    while least - too_small > 1 {
        let budget = too_small.midpoint(least);
        match timeline(budget) {
            Some(_) => least = budget,
            None => too_small = budget,
        }
    }
    // Call stacks are left out first; without the rows of threads there is no timeline.
    let mut seen = Vec::new();
    for budget in (least..least * 2).rev().step_by(least / 40) {
        let smaller = timeline(budget).unwrap();
        assert!(smaller.len() <= budget);
        let smaller: Value = serde_json::from_str(&smaller).unwrap();
        seen.push(smaller["pictures"].as_array().unwrap().len());
    }
    seen.dedup();
    assert_eq!(seen, [3, 2]);
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
    pompeii_report::write_html((&cube, &cube), &run, Some(&timeline), &mut page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    fs::write(&file, page).unwrap();
    in_browser("embedded.browser.mjs", ("PAGE_TRACED", &format!("file://{}", file.display())));
}
