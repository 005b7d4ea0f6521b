//! Analyses of traces that texts describe, and checks of single metrics, for the tests of their
//! properties.

use expect_test::Expect;
use pompeii_replay::text::{self, TextTrace};
use pompeii_replay::transport::{Transport, channels::Channels};
use pompeii_replay::{Compound, Options, Outcome, Sinks, replay_on};

use crate::trace::Severities;

/// Shows some metrics of a trace by call path and location, where they are not 0.
pub(crate) fn check_metrics(names: &[&str], trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let (severities, outcome) = analysed(&trace, 1, Options { path: true, ..Options::default() });
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

/// The severities of a trace that this number of ranks has analysed.
pub(crate) fn analysed(trace: &TextTrace, ranks: usize, options: Options) -> (Severities, Outcome) {
    let all = Channels::run(ranks, &|mut rank: Channels| {
        let mut severities = Severities::default();
        let part = trace.part(rank.ranks(), rank.rank());
        let mut note = |compound: Compound| severities.note(&compound);
        let sinks = Sinks { found: &mut note, tables: None, scenarios: None };
        let mut outcome = replay_on(&mut rank, part, options, sinks).unwrap();
        severities.gather(&mut rank, &mut outcome).unwrap();
        (severities, outcome)
    });
    all.into_iter().next().flatten().unwrap()
}

fn show_metric(name: &str, severities: &Severities, outcome: &Outcome) -> String {
    let cube = severities.cube(outcome);
    let metric = cube.metric(name).unwrap();
    let mut shown = String::new();
    for call in cube.calls.ids().filter(|&call| cube.own(metric, call) != 0) {
        shown += &format!("{}  {:?}\n", outcome.path(call), cube.row(metric, call));
    }
    for of in cube.statistics.iter().filter(|of| of.metric == name) {
        let at = of.call.map_or("all".to_owned(), |call| outcome.path(call));
        let (count, quartiles) = (of.count, of.quartiles);
        let (min, max, variance) = (of.min, of.max, of.variance);
        shown += &format!(
            "{at}: {count} of {min} to {max}, sum {}, quartiles {quartiles:?}, variance {variance}\n",
            of.sum
        );
        for severe in &of.severe {
            let by = severe.by.map(|(call, location)| (outcome.path(call), location.0));
            let location = severe.location.0;
            shown += &format!(
                "  {} on {location} from {} to {} by {by:?}\n",
                severe.ticks, severe.enter, severe.leave
            );
        }
    }
    shown
}

/// Shows the severities of a metric of the trace that a text describes, and its statistics. They
/// are the same for all numbers of ranks.
pub(crate) fn check(name: &str, trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let [alone, two, four] = [1, 2, 4].map(|ranks| shown_by_ranks(name, &trace, ranks));
    assert_eq!(two, alone, "two ranks");
    assert_eq!(four, alone, "four ranks");
    expect.assert_eq(&alone);
}

fn shown_by_ranks(name: &str, trace: &TextTrace, ranks: usize) -> String {
    let (severities, outcome) = analysed(trace, ranks, Options::default());
    show_metric(name, &severities, &outcome)
}
