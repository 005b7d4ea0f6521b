//! A property in a run: how much of it there is, where, and, if a trace was analyzed, what the
//! waiting goes back to.

use std::collections::BTreeMap;

use pompeii_analysis::{Lens, format};
use pompeii_model::{CallId, Cube, LocationId, MetricId, Ticks, Unit};

use crate::layout::wrap;
use crate::shown;

/// Call paths that are shown.
const SHOWN: usize = 3;

/// A smaller share of the waiting at a call path is not worth a line.
const SMALL_SHARE: f64 = 0.1;

/// The values of the property `name` in a run; empty if it is no metric.
pub fn explain_in(cube: &Cube, name: &str, columns: usize) -> String {
    let Some(metric) = cube.metric(name) else { return String::new() };
    let mut text = String::from("In this run\n");
    text += &line(&total(cube, metric), columns, 2);
    let mut calls: Vec<CallId> = cube.calls.ids().collect();
    calls.retain(|&call| cube.own(metric, call) > 0);
    calls.sort_by(|&a, &b| {
        cube.shown_own(metric, b).total_cmp(&cube.shown_own(metric, a)).then(a.cmp(&b))
    });
    for call in calls.into_iter().take(SHOWN) {
        let own = shown::value(cube, cube.metrics()[metric].unit, cube.shown_own(metric, call));
        let place = format::name_with_place(cube, call);
        text += &line(&format!("{own} at {place}"), columns, 4);
        let is_time = cube.metrics()[metric].unit == Unit::Ticks;
        for cause in if is_time { causes(cube, call) } else { Vec::new() } {
            text += &line(&cause, columns, 6);
        }
    }
    text
}

/// A metric of a run that is no property of Pompeii: a counter, or a property of the user's own.
/// What is known of it is in the report. `None` if the run has no such metric.
pub fn explain_other(cube: &Cube, name: &str, columns: usize) -> Option<String> {
    let metric = &cube.metrics()[cube.metric(name)?];
    let mut text = line(&format!("{}: {}", metric.name, metric.title), columns, 0);
    if !metric.description.is_empty() {
        text += &line(&metric.description, columns, 2);
    }
    if let Some(whole) = metric.parent {
        let whole = &cube.metrics()[whole].name;
        text += &line(&format!("It is a part of {whole}."), columns, 2);
    }
    let words = metric.display.words();
    if !words.is_empty() {
        text += &line(&format!("It is displayed as: {words}."), columns, 2);
    }
    Some(text + "\n" + &explain_in(cube, name, columns))
}

fn line(text: &str, columns: usize, indent: usize) -> String {
    wrap(text, columns, &" ".repeat(indent), &" ".repeat(indent + 2))
}

/// The value over everything and its share of what the metric's percentages refer to.
fn total(cube: &Cube, metric: MetricId) -> String {
    let (unit, display) = (cube.metrics()[metric].unit, cube.display(metric));
    let total = cube.shown_total(metric);
    let (hundred_percent, name) = match (cube.shown_whole(metric), &display.percent_of) {
        (Some(whole), Some(name)) => (whole, name.as_str()),
        _ if unit == Unit::Ticks && display.is_sum() => {
            (cube.allocation_ticks() as f64, "the CPU allocation time")
        }
        _ => return shown::value(cube, unit, total),
    };
    let share = if hundred_percent == 0.0 { 0.0 } else { total / hundred_percent };
    format!("{}, {} of {name}", shown::value(cube, unit, total), format::percent(share))
}

/// What the waiting at a call path goes back to.
fn causes(cube: &Cube, call: CallId) -> Vec<String> {
    let mut sums: BTreeMap<(CallId, LocationId), Ticks> = BTreeMap::new();
    for root in cube.roots.iter().filter(|root| root.call == call) {
        *sums.entry(root.by).or_default() += root.ticks();
    }
    let all: Ticks = sums.values().sum();
    let mut sums: Vec<((CallId, LocationId), Ticks)> = sums.into_iter().collect();
    sums.retain(|(_, ticks)| *ticks as f64 >= SMALL_SHARE * all.max(1) as f64);
    sums.sort_by_key(|(by, ticks)| (-ticks, *by));
    let lens = Lens::new(cube);
    let cause = |((by, location), ticks): ((CallId, LocationId), Ticks)| {
        let percent = format::percent(ticks as f64 / all as f64);
        let (code, who) = (format::name_with_place(cube, by), lens.thread_name(location));
        format!("{percent} of the waiting goes back to {code} on {who}")
    };
    sums.into_iter().take(SHOWN).map(cause).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_model::{Combine, Display, Metric, Root};

    use super::*;

    fn cube() -> Cube {
        let mut cube = pompeii_analysis::notation::cube(
            "wall=500 locations=2
             a/parallel@a.c:30                    *  visits=1
             a/parallel@a.c:30/assemble@b.c:9     0  time=400 visits=40
             a/parallel@a.c:30/assemble@b.c:9     1  time=100 visits=40
             a/parallel@a.c:30/solve@b.c:20       *  time=100 visits=40
             a/parallel@a.c:30/barrier@a.c:33     0  visits=40 omp_barrier_last=40
             a/parallel@a.c:30/barrier@a.c:33     1  time=300 visits=40 omp_ebarrier_wait=300",
        )
        .unwrap();
        let find = |line| {
            let is = |call: &CallId| cube.regions[cube.calls.region(*call)].begin_line == line;
            cube.calls.ids().find(is).unwrap()
        };
        let (barrier, assemble, solve) = (find(33), find(9), find(20));
        let root = |by, direct_ticks| Root {
            call: barrier,
            by: (by, LocationId(0)),
            direct_ticks,
            indirect_ticks: 0,
        };
        cube.roots = vec![root(solve, 60), root(assemble, 240)];
        pompeii_analysis::derive(&cube)
    }

    #[test]
    fn a_property_has_its_places_and_their_causes() {
        expect![[r#"
            In this run
              0.30 s, 30 % of the CPU allocation time
                0.30 s at barrier a.c:33
                  80 % of the waiting goes back to assemble on thread 0
                  20 % of the waiting goes back to solve on thread 0
        "#]]
        .assert_eq(&explain_in(&cube(), "omp_ebarrier_wait", 80));
    }

    #[test]
    fn a_property_of_the_users_own_is_explained_by_the_report() {
        let mut measured = pompeii_analysis::notation::cube(
            "wall=500 locations=1
             a/parallel@a.c:30/barrier@a.c:33     0  time=500 visits=1 omp_ebarrier_wait=300",
        )
        .unwrap();
        let [name, title, description] = ["late", "Late", "Waiting of mine."].map(str::to_owned);
        measured.parts = vec![(name.clone(), "omp_ebarrier_wait".to_owned())];
        let unit = Unit::Ticks;
        let display = Display::default();
        let metric = Metric { name, title, description, unit, parent: None, display };
        let metric = measured.add_metric(metric);
        let barrier = measured.calls.ids().next_back().unwrap();
        measured.add(metric, barrier, LocationId(0), 100);
        expect![[r#"
            late: Late
              Waiting of mine.
              It is a part of omp_ebarrier_wait.

            In this run
              0.10 s, 20 % of the CPU allocation time
                0.10 s at barrier a.c:33
        "#]]
        .assert_eq(&explain_other(&pompeii_analysis::derive(&measured), "late", 80).unwrap());
        assert_eq!(explain_other(&cube(), "late", 80), None);
    }

    /// The wait of thread 1 is 100 ticks of 500 that each thread has.
    #[test]
    fn a_property_says_how_it_is_displayed() {
        let mut measured = pompeii_analysis::notation::cube(
            "wall=500 locations=2
             a/parallel@a.c:30/solve@a.c:31       *  time=400 visits=1
             a/parallel@a.c:30/barrier@a.c:33     *  time=100 visits=1",
        )
        .unwrap();
        let display = Display {
            over_calls: Combine::Maximum,
            over_locations: Combine::Maximum,
            percent_of: Some("time".to_owned()),
        };
        let [name, title, description] = ["longest", "Longest", "A wait."].map(str::to_owned);
        let unit = Unit::Ticks;
        let metric = Metric { name, title, description, unit, parent: None, display };
        let metric = measured.add_metric(metric);
        let barrier = measured.calls.ids().next_back().unwrap();
        let solve = measured.calls.ids().nth_back(1).unwrap();
        measured.add(metric, solve, LocationId(0), 40);
        measured.add(metric, barrier, LocationId(1), 100);
        expect![[r#"
            longest: Longest
              A wait.
              It is displayed as: maximum over call paths and locations; percent of time.

            In this run
              0.10 s, 20 % of time
                0.10 s at barrier a.c:33
                40 ms at solve
        "#]]
        .assert_eq(&explain_other(&pompeii_analysis::derive(&measured), "longest", 80).unwrap());
    }

    #[test]
    fn a_count_has_no_share_and_a_diagnosis_no_value() {
        expect![[r#"
            In this run
              40
                40 at barrier a.c:33
        "#]]
        .assert_eq(&explain_in(&cube(), "omp_barrier_last", 80));
        assert_eq!(explain_in(&cube(), "tasks_too_few", 80), "");
    }
}
