//! Tables of random programs: their rows agree with the other results of the same analysis, links
//! lead to rows, and threads and windows make no difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pompeii_model::{CallId, LocationId};
use pompeii_otf2::read::Archive;
use pompeii_replay::compound::MpiWait;
use pompeii_replay::engine::record::VisitId;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::table::{Batch, Column, Content};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Compound, Options, Outcome, Sinks, replay_on, trace};

use crate::generate::{Shape, program};

/// An analysis with its tables.
struct Analysis {
    outcome: Outcome,
    compounds: Vec<Compound>,
    batches: Vec<Batch>,
}

fn analyse(anchor: &Path, options: Options) -> Analysis {
    let archive = Archive::open(anchor).unwrap();
    let (mut compounds, mut batches) = (Vec::new(), Vec::new());
    let mut found = |compound| compounds.push(compound);
    let mut take = |batch| batches.push(batch);
    let sinks = Sinks { found: &mut found, tables: Some(&mut take), scenarios: None };
    let Ok(outcome) = replay_on(&mut Local, trace(&archive).unwrap(), options, sinks);
    Analysis { outcome, compounds, batches }
}

/// Rows of a table and a location: their columns, with the final numbers of call paths.
type Rows = BTreeMap<(&'static str, LocationId), Vec<Vec<u64>>>;

fn rows(analysis: &Analysis) -> Rows {
    let mut all = Rows::new();
    for Batch { location, content } in &analysis.batches {
        let Some(location) = location else { continue };
        let columns = all.entry((content.table(), *location)).or_default();
        columns.resize(content.columns().len(), Vec::new());
        for (to, (_, column)) in columns.iter_mut().zip(content.columns()) {
            match column {
                Column::U64(cells) => to.extend(cells),
                Column::I64(cells) => to.extend(cells.iter().map(|cell| cell.cast_unsigned())),
                Column::Calls(cells) => {
                    let call = |cell: u32| analysis.outcome.call(NodeId(cell)).0;
                    to.extend(cells.iter().map(|cell| u64::from(call(*cell))));
                }
                Column::U32(cells) => to.extend(cells.iter().map(|cell| u64::from(*cell))),
            }
        }
    }
    all
}

#[test]
fn tables_do_not_depend_on_threads_and_windows() {
    for seed in 0..20 {
        let mut world = program(Shape::of(seed), seed);
        if seed % 2 == 0 {
            world.disturb_clocks(3 * world.shape.work);
        }
        let folder = tempfile::tempdir().unwrap();
        let anchor = world.write(folder.path());
        let options =
            |threads, window_events| Options { threads, window_events, ..Options::default() };
        let first = rows(&analyse(&anchor, options(1, 1_000_000)));
        for (threads, window_events) in [(1, 20), (2, 1_000), (5, 50_000)] {
            let got = rows(&analyse(&anchor, options(threads, window_events)));
            assert!(first == got, "seed {seed}: {threads} threads, {window_events} events");
        }
    }
}

/// What the visits of a trace are.
#[derive(Default)]
struct Visits {
    calls: BTreeMap<VisitId, CallId>,
    /// Visits by call path and the location that began them.
    counts: BTreeMap<(CallId, LocationId), u64>,
}

impl Visits {
    fn of(analysis: &Analysis) -> Visits {
        let mut visits = Visits::default();
        for Batch { content, .. } in &analysis.batches {
            let Content::Visits(rows) = content else { continue };
            for (visit, node) in rows.visit.iter().zip(&rows.call) {
                let call = analysis.outcome.call(*node);
                assert_eq!(visits.calls.insert(*visit, call), None, "{visit:?} ends twice");
                // A task may end on another location than it began on.
                let (location, _) = visit.parts().unwrap();
                *visits.counts.entry((call, location)).or_default() += 1;
            }
        }
        visits
    }

    fn check(&self, outcome: &Outcome, visit: VisitId, node: NodeId) {
        assert_eq!(self.calls.get(&visit), Some(&outcome.call(node)), "{visit:?}");
    }
}

/// The rows of tables name visits that are there, with the same call path.
fn check_links(analysis: &Analysis, visits: &Visits) {
    let all = |these: &[VisitId], nodes: &[NodeId]| {
        for (visit, node) in these.iter().zip(nodes) {
            visits.check(&analysis.outcome, *visit, *node);
        }
    };
    let known = |these: &[VisitId]| {
        let mut these = these.iter().filter(|visit| **visit != VisitId::NONE);
        assert!(these.all(|visit| visits.calls.contains_key(visit)));
    };
    for Batch { content, .. } in &analysis.batches {
        match content {
            Content::Calls(_) => {}
            Content::Visits(rows) => {
                known(&rows.parent);
                known(&rows.task);
            }
            Content::Fragments(rows) => {
                known(&rows.task);
                known(&rows.scheduling);
            }
            Content::Forks(rows) => all(&rows.visit, &rows.call),
            Content::Barriers(rows) => {
                all(&rows.visit, &rows.call);
                known(&rows.last);
            }
            Content::Locks(rows) => {
                all(&rows.visit, &rows.call);
                known(&rows.holder);
            }
            Content::Messages(rows) => {
                all(&rows.visit, &rows.call);
                known(&rows.send);
                known(&rows.post);
            }
            Content::Collectives(rows) => {
                all(&rows.visit, &rows.call);
                known(&rows.last);
            }
            Content::Tasks(rows) => {
                all(&rows.visit, &rows.call);
                known(&rows.creation);
            }
            Content::Waits(rows) => {
                all(&rows.visit, &rows.call);
                all(&rows.causer, &rows.causer_call);
            }
        }
    }
}

#[test]
fn rows_agree_with_the_other_results() {
    let mut tables: BTreeSet<&'static str> = BTreeSet::new();
    for seed in 0..60 {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let analysis = analyse(&world.write(folder.path()), Options::default());
        let visits = Visits::of(&analysis);
        check_links(&analysis, &visits);
        for entry in &analysis.outcome.entries {
            let is_root = analysis.outcome.calls.parent(entry.call).is_none();
            let counted = visits.counts.get(&(entry.call, entry.location)).copied().unwrap_or(0);
            let path = analysis.outcome.path(entry.call);
            assert!(is_root || counted == entry.values.visits, "seed {seed}: visits of {path}");
        }
        let waited: i64 = analysis.compounds.iter().map(waited).sum();
        let in_tables = analysis.batches.iter().map(|batch| match &batch.content {
            Content::Waits(rows) => rows.ticks.iter().sum::<i64>(),
            _ => 0,
        });
        assert_eq!(waited, in_tables.sum::<i64>(), "seed {seed}");
        tables.extend(analysis.batches.iter().map(|batch| batch.content.table()));
    }
    assert_eq!(tables.len(), 10, "random programs have rows of all tables: {tables:?}");
}

/// The waiting of a compound for another location.
fn waited(compound: &Compound) -> i64 {
    match compound {
        Compound::Barrier(visit) => visit.wait_ticks(),
        Compound::Lock(visit) => visit.wait_ticks(),
        Compound::Turn(visit) if visit.before.is_some() => visit.wait_ticks(),
        Compound::TaskWait(visit) => visit.wait_ticks(),
        _ => MpiWait::of(compound).map_or(0, |wait| wait.ticks()),
    }
}
