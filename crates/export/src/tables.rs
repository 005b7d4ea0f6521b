//! The trace as tables, for formats of tables: those of the engine (`pompeii_replay::table`), and
//! small ones with the definitions that they name by numbers. All of them exist, also without rows.
//!
//! | table | a row for each |
//! |---|---|
//! | `trace` | trace: program, ticks per second, begin and end |
//! | `processes`, `locations`, `regions` | definition |
//! | `calls` | call path: its parent and its region |
//! | `visits` | visit of a region |
//! | `fragments`, `tasks` | fragment of a task instance, task instance |
//! | `forks`, `barriers`, `locks`, `messages`, `collectives` | participant |
//! | `waits` | waiting, with the visit that it waits for |
//! | `severities` | call path and location: visits and time without callees |
//!
//! Times are ticks. Numbers of visits, call paths and locations lead from one table to another one.

use std::io;

use pompeii_model::{Id, LocationId, ProcessId, Region, RegionId};
use pompeii_replay::compound::Compound;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::table::{Batch, Column, Content, TABLES};
use pompeii_replay::transport::local::Local;
use pompeii_replay::{Options, Outcome, Sinks, replay_on};

use crate::source::{ERRORS_KEPT, Error, Open, Read};

/// The values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Numbers.
    Numbers(Column),
    /// Names.
    Texts(Vec<String>),
}

impl Values {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(Column::U64(values)) => values.len(),
            Values::Numbers(Column::I64(values)) => values.len(),
            Values::Numbers(Column::U32(values) | Column::Calls(values)) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }
}

/// A column with its name.
pub type Named = (&'static str, Values);

/// Takes the rows.
pub trait Sink: Send {
    /// Further rows of a table. The first call for a table defines its columns, all others have the
    /// same. All columns have the same number of values, perhaps none.
    ///
    /// # Errors
    /// The rows cannot be written.
    fn add(&mut self, table: &'static str, columns: &[Named]) -> io::Result<()>;

    /// There are no further rows.
    ///
    /// # Errors
    /// The end of a table cannot be written.
    fn end(&mut self) -> io::Result<()>;
}

/// Gives all tables of a trace to a sink, while it is read.
///
/// # Errors
/// The trace cannot be opened, or the sink fails.
pub fn write(open: Open<'_>, threads: usize, sink: &mut impl Sink) -> Result<Read, Error> {
    let trace = open()?;
    definitions(&trace.definitions, sink)?;
    let mut nodes = 0;
    let mut result = no_rows().try_for_each(|batch| add(sink, &batch));
    let mut take = |batch: Batch| {
        if let Content::Calls(rows) = &batch.content {
            nodes += rows.len();
        }
        if result.is_ok() {
            result = add(sink, &batch);
        }
    };
    let options = Options { threads, compounds: false, ..Options::default() };
    let sinks = Sinks { found: &mut |_: Compound| {}, tables: Some(&mut take), scenarios: None };
    let Ok(outcome) = replay_on(&mut Local, trace, options, sinks);
    result?;
    severities(&outcome, nodes, sink)?;
    sink.end()?;
    let texts = outcome.errors.into_iter().take(ERRORS_KEPT).collect();
    Ok(Read { errors: outcome.gaps.errors, texts })
}

/// No rows of each table: so a table that stays empty has its columns. Rows of all tables but that
/// of call paths belong to a location.
fn no_rows() -> impl Iterator<Item = Batch> {
    TABLES.iter().filter_map(|table| {
        let content = Content::empty(table)?;
        let is_of_location = !matches!(content, Content::Calls(_));
        Some(Batch { location: is_of_location.then_some(LocationId(0)), content })
    })
}

/// The rows of a batch belong to its location, which becomes their first column.
fn add(sink: &mut impl Sink, batch: &Batch) -> io::Result<()> {
    let numbers = |(name, column)| (name, Values::Numbers(column));
    let location = batch.location.map(|LocationId(id)| u32s(vec![id; batch.content.len()]));
    let location = location.map(|column| ("location", column));
    let columns = batch.content.columns().into_iter().map(numbers);
    let columns: Vec<Named> = location.into_iter().chain(columns).collect();
    sink.add(batch.content.table(), &columns)
}

fn u32s(values: Vec<u32>) -> Values {
    Values::Numbers(Column::U32(values))
}

fn u64s(values: Vec<u64>) -> Values {
    Values::Numbers(Column::U64(values))
}

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> Values {
    Values::Texts(values.map(str::to_owned).collect())
}

/// The tables of definitions.
fn definitions(of: &Definitions, sink: &mut impl Sink) -> io::Result<()> {
    sink.add(
        "trace",
        &[
            ("program", texts(std::iter::once(of.program.as_str()))),
            ("ticks_per_second", u64s(vec![of.ticks_per_second])),
            ("begin", u64s(vec![of.begin])),
            ("end", u64s(vec![of.end])),
        ],
    )?;
    let processes = &of.system.processes;
    sink.add(
        "processes",
        &[
            ("process", u32s(processes.ids().map(|ProcessId(id)| id).collect())),
            ("name", texts(processes.iter().map(|it| it.name.as_str()))),
            ("node", texts(processes.iter().map(|it| it.node.as_str()))),
            ("master", u32s(processes.iter().map(|it| it.master.0).collect())),
        ],
    )?;
    let locations = &of.system.locations;
    sink.add(
        "locations",
        &[
            ("location", u32s(locations.ids().map(|LocationId(id)| id).collect())),
            ("id", u64s(of.location_ids.iter().copied().collect())),
            ("name", texts(locations.iter().map(|it| it.name.as_str()))),
            ("process", u32s(locations.iter().map(|it| it.process.0).collect())),
        ],
    )?;
    regions(of, sink)
}

fn regions(of: &Definitions, sink: &mut impl Sink) -> io::Result<()> {
    let regions = &of.regions;
    let labels: Vec<String> = regions.iter().map(Region::label).collect();
    sink.add(
        "regions",
        &[
            ("region", u32s(regions.ids().map(|RegionId(id)| id).collect())),
            ("name", texts(regions.iter().map(|it| it.name.as_str()))),
            ("label", Values::Texts(labels)),
            ("role", texts(regions.iter().map(|it| it.role.as_str()))),
            ("paradigm", texts(regions.iter().map(|it| it.paradigm.as_str()))),
            ("file", texts(regions.iter().map(|it| it.file.as_str()))),
            ("begin_line", u32s(regions.iter().map(|it| it.begin_line).collect())),
            ("end_line", u32s(regions.iter().map(|it| it.end_line).collect())),
        ],
    )
}

/// Visits and times by call path and location. The outcome has call paths in their final order;
/// here they have the numbers of the table `calls`, of which there are `nodes`.
fn severities(outcome: &Outcome, nodes: usize, sink: &mut impl Sink) -> io::Result<()> {
    let mut node_of = vec![0; outcome.calls.len()];
    // A root that is not in the outcome stands for its first call path; the true one comes later.
    for node in (0..nodes as u32).rev() {
        let call = outcome.call(NodeId(node));
        if let Some(of) = node_of.get_mut(call.index()) {
            *of = node;
        }
    }
    let entries = &outcome.entries;
    let call = entries.iter().map(|it| node_of.get(it.call.index()).copied().unwrap_or(0));
    sink.add(
        "severities",
        &[
            ("call", u32s(call.collect())),
            ("location", u32s(entries.iter().map(|it| it.location.0).collect())),
            ("visits", u64s(entries.iter().map(|it| it.values.visits).collect())),
            (
                "ticks",
                Values::Numbers(Column::I64(entries.iter().map(|it| it.values.ticks).collect())),
            ),
        ],
    )
}
