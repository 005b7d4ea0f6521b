//! The trees of the page in a browser: their values are those of the report for programs, and large
//! call trees have few elements.

use std::fmt::Write;

use pompeii_analysis as analysis;
use pompeii_model::{Cube, LocationId, Role, Wait};
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

/// 800 parallel regions of two threads, of which one comes late to the barrier: much later in twenty
/// of them.
fn wide() -> Cube {
    let mut text = "wall=2100000 locations=2\nmain@a.c:1  0  time=1000 visits=1\n".to_owned();
    for line in (10..8010).step_by(10) {
        let region = format!("main@a.c:1/parallel@a.c:{line}");
        let wait = if line <= 200 { 60_000 - line } else { 900 };
        let barrier = format!("{region}/implicit barrier@a.c:{}", line + 3);
        let _ = write!(
            text,
            "{region}  0  time=100 visits=90\n{region}  1  time={time} visits=90\n\
             {barrier}  0  time={wait} visits=90 omp_ibarrier_wait={wait} omp_barrier_last=0\n\
             {barrier}  1  time=9 visits=90 omp_ibarrier_wait=0 omp_barrier_last=90 \
             omp_barrier_delay={wait}\n",
            time = wait + 91,
        );
    }
    let mut cube = analysis::notation::cube(&text).unwrap();
    let waits = cube.calls.ids().filter_map(|call| {
        let is_barrier = cube.regions[cube.calls.region(call)].role == Role::ImplicitBarrier;
        let by = is_barrier.then_some((call, LocationId(1)));
        let (location, visits) = (LocationId(0), 90);
        let wait_ticks = cube.get(cube.metric("omp_ibarrier_wait")?, call, location);
        by.map(|_| Wait { call, location, by, visits, wait_ticks, starvation_ticks: 0 })
    });
    cube.waits = waits.collect();
    analysis::derive(&cube)
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
        ("MANY", html(&wide(), &run)),
    ];
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, text)| (*name, &**text)).collect();
    in_browser("trees.browser.mjs", &pages);
}
