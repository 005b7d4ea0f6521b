//! Tables as texts, for tests: the rows of all batches, by table and location. Call paths have
//! their names, and a visit is shown as its location with its number there.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::TextTrace;
use super::show::combinations;
use crate::engine::options::Options;
use crate::engine::record::VisitId;
use crate::engine::tree::NodeId;
use crate::engine::window::{Sinks, replay_on};
use crate::outcome::Outcome;
use crate::table::{BATCH_ROWS, Batch, Column, Content, Wanted};
use crate::transport::Transport;
use crate::transport::channels::Channels;

/// The columns that name visits.
const VISITS: [&str; 10] = [
    "visit",
    "parent",
    "task",
    "scheduling",
    "last",
    "holder",
    "post",
    "send",
    "creation",
    "causer",
];

/// The rows of a table and a location.
type Texts = BTreeMap<(&'static str, String), String>;

/// Analyses a trace with all combinations of ranks, threads and windows that tests use, and shows
/// the rows of these tables. An error says for which combination they are others.
pub fn analyse_tables(trace: &TextTrace, tables: &[&str]) -> Result<String, String> {
    let mut first: Option<String> = None;
    for (number, (ranks, threads, window_events)) in combinations().enumerate() {
        // Without the others, tables have the same rows.
        let is_all = number % 2 == 0;
        let wanted = if is_all { Wanted::ALL } else { Wanted::of(tables) };
        let options = Options {
            threads,
            window_events,
            tables: wanted,
            compounds: is_all,
            ..Options::default()
        };
        let of_ranks = Channels::run(ranks, &|rank| rows(trace, rank, options));
        let mut all = Texts::new();
        for rows in of_ranks {
            for (of, rows) in rows.ok_or("a rank has ended too early")?? {
                all.entry(of).or_default().push_str(&rows);
            }
        }
        let shown = shown(&all, tables);
        match &first {
            // Two ranks may have rows of the same table and location.
            Some(first) if ranks > 1 && sorted(first) == sorted(&shown) => {}
            Some(first) if *first != shown => {
                return Err(format!(
                    "{ranks} ranks, {threads} threads, windows of {window_events} events:\n{shown}"
                ));
            }
            _ => first = Some(shown),
        }
    }
    first.ok_or_else(|| "no combination".to_owned())
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn shown(all: &Texts, tables: &[&str]) -> String {
    let mut text = String::new();
    for table in tables {
        for ((_, location), rows) in all.iter().filter(|((of, _), _)| of == table) {
            let _ = write!(text, "{table} of {location}\n{rows}");
        }
    }
    text
}

/// The rows that one rank gets.
fn rows(trace: &TextTrace, mut rank: Channels, options: Options) -> Result<Texts, String> {
    let part = trace.part(rank.ranks(), rank.rank());
    let mut batches: Vec<Batch> = Vec::new();
    let mut take = |batch| batches.push(batch);
    let sinks = Sinks { found: &mut |_| {}, tables: Some(&mut take), scenarios: None };
    let outcome = replay_on(&mut rank, part, options, sinks);
    let outcome = outcome.map_err(|gone| format!("{gone:?}"))?;
    check_calls(&batches)?;
    let mut texts = Texts::new();
    for Batch { location, content } in &batches {
        let Some(location) = location else { continue };
        let location = outcome.definitions.system.locations[*location].name.clone();
        let text = texts.entry((content.table(), location)).or_default();
        text.push_str(&lines(&outcome, content));
    }
    Ok(texts)
}

/// Batches are small enough, and call paths are defined before they are used.
fn check_calls(batches: &[Batch]) -> Result<(), String> {
    let mut known: HashSet<u32> = HashSet::new();
    for Batch { content, .. } in batches {
        if content.is_empty() || content.len() > BATCH_ROWS {
            return Err(format!("a batch of {} rows", content.len()));
        }
        if let Content::Calls(rows) = content {
            known.extend(rows.call.iter().map(|call| call.0));
        }
        for (_, column) in content.columns() {
            let Column::Calls(calls) = column else { continue };
            if let Some(new) = calls.iter().find(|call| !known.contains(call)) {
                return Err(format!("call path {new} is used before it is defined"));
            }
        }
    }
    Ok(())
}

fn lines(outcome: &Outcome, content: &Content) -> String {
    let mut lines: Vec<String> = vec![String::new(); content.len()];
    for (name, column) in content.columns() {
        let cells: Vec<String> = match &column {
            Column::U64(cells) if VISITS.contains(&name) => {
                cells.iter().map(|cell| visit(outcome, VisitId(*cell))).collect()
            }
            Column::Calls(cells) => {
                cells.iter().map(|cell| outcome.path(outcome.call(NodeId(*cell)))).collect()
            }
            Column::U64(cells) => cells.iter().map(u64::to_string).collect(),
            Column::I64(cells) => cells.iter().map(i64::to_string).collect(),
            Column::U32(cells) => cells.iter().map(u32::to_string).collect(),
        };
        for (line, cell) in lines.iter_mut().zip(cells) {
            let _ = write!(line, "  {name} {cell}");
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn visit(outcome: &Outcome, visit: VisitId) -> String {
    match visit.parts() {
        Some((location, number)) => {
            format!("{}#{number}", outcome.definitions.system.locations[location].name)
        }
        None => "none".to_owned(),
    }
}
