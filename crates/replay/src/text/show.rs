//! Results of an analysis as texts, for tests: each trace is analysed with several numbers of
//! ranks and threads and sizes of windows, and all of them must show the same.

use std::fmt::Write as _;

use pompeii_model::Root;

use super::TextTrace;
use crate::blame::Delay;
use crate::blame::classes;
use crate::compound::{
    BarrierVisit, CollectiveVisit, Compound, Delivery, LockVisit, MessageVisit, PairSyncs,
    PartVisit, TurnVisit, WindowVisit,
};
use crate::counter::Amount;
use crate::engine::options::Options;
use crate::engine::window::Trace;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::task;
use crate::transport::channels;

/// Analyses a trace with all combinations of ranks, threads and windows that tests use, and shows
/// what is found. An error says for which combination the result is another one.
pub fn analyse(trace: &TextTrace) -> Result<String, String> {
    let alone = matched_at_home(&|ranks, rank| trace.part(ranks, rank), 1, 1_000_000)?;
    for (ranks, window_events) in [(2, 1), (2, 1_000_000), (3, 3), (4, 1)] {
        let part = |ranks, rank| trace.part(ranks, rank);
        let shown = matched_at_home(&part, ranks, window_events)?;
        if shown != alone {
            let what = format!("{ranks} ranks, windows of {window_events} events");
            return Err(format!("{what}:\n{shown}\none rank:\n{alone}"));
        }
    }
    let mut first: Option<String> = None;
    for (ranks, threads, window_events) in combinations().filter(|(ranks, ..)| *ranks == 1) {
        let options = Options { threads, window_events, path: true, ..Options::default() };
        let all = channels::replay(ranks, options, &|ranks, rank| trace.part(ranks, rank));
        let all = all.ok_or("a rank has ended too early")?;
        let (outcome, compounds) = all.first().ok_or("no rank")?;
        let shown = show(outcome, compounds);
        let first = first.get_or_insert_with(|| shown.clone());
        if *first != shown {
            return Err(format!("{threads} threads, windows of {window_events} events:\n{shown}"));
        }
    }
    first.ok_or_else(|| "no combination".to_owned())
}

/// What all ranks find together without the critical path and the causes of waiting.
///
/// # Errors
/// A rank has ended too early.
pub fn matched_at_home(
    part: &(dyn Fn(usize, usize) -> Trace + Sync),
    ranks: usize,
    window_events: usize,
) -> Result<String, String> {
    let options = Options { threads: 1 + ranks % 2, window_events, ..Options::default() };
    let all = channels::replay(ranks, options, part).ok_or("a rank has ended too early")?;
    Ok(show_all(&all))
}

/// What all ranks find together: the compounds in the order of their texts, because each rank has
/// an order of its own.
pub fn show_all(all: &[(Outcome, Vec<Compound>)]) -> String {
    all_by(all, &|outcome, compounds| {
        let shown = compounds.iter().filter(|it| !matches!(it, Compound::Awaited(_)));
        let lines = shown.map(|compound| compound_line(outcome, compound) + "\n");
        let whole = if compounds.is_empty() { show(outcome, &[]) } else { String::new() };
        whole + &lines.collect::<String>()
    })
}

/// The text without compounds of the first rank, and the lines of the compounds of all, sorted.
fn all_by(
    all: &[(Outcome, Vec<Compound>)],
    show: &dyn Fn(&Outcome, &[Compound]) -> String,
) -> String {
    let mut text = all.first().map(|(outcome, _)| show(outcome, &[])).unwrap_or_default();
    let lines = all.iter().flat_map(|(outcome, compounds)| {
        compounds.iter().map(|compound| show(outcome, std::slice::from_ref(compound)))
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort_unstable();
    text.extend(lines);
    text
}

/// As [`analyse`], but shows who is to blame for waiting.
pub fn analyse_blame(trace: &TextTrace) -> Result<String, String> {
    analyse_with(trace, &show_blame)
}

/// As [`analyse`], but shows at which places was waited for whom in the end.
pub fn analyse_roots(trace: &TextTrace) -> Result<String, String> {
    analyse_with(trace, &show_roots)
}

/// As [`analyse`], but shows the classes of waiting.
pub fn analyse_classes(trace: &TextTrace) -> Result<String, String> {
    analyse_with(trace, &classes::show)
}

/// As [`analyse`], but shows facts about tasks, the critical path, and who is to blame.
pub fn analyse_tasks(trace: &TextTrace) -> Result<String, String> {
    analyse_by(
        trace,
        &|outcome, compounds| {
            let lines = compounds.iter().filter_map(|it| task::show::line(outcome, it));
            lines.map(|line| line + "\n").collect()
        },
        &|outcome| {
            let incomplete = match outcome.incomplete {
                0 => String::new(),
                incomplete => format!("incomplete {incomplete}\n"),
            };
            incomplete + &show_path(outcome) + &show_blame(outcome)
        },
    )
}

/// As [`analyse`], but shows the critical path.
pub fn analyse_path(trace: &TextTrace) -> Result<String, String> {
    analyse_with(trace, &show_path)
}

fn analyse_with(trace: &TextTrace, show: &dyn Fn(&Outcome) -> String) -> Result<String, String> {
    analyse_by(trace, &|_, _| String::new(), show)
}

/// Shows what is found: the lines of compounds and the rest. One rank finds compounds always in the
/// same order, and several ranks find the same ones.
fn analyse_by(
    trace: &TextTrace,
    lines: &dyn Fn(&Outcome, &[Compound]) -> String,
    rest: &dyn Fn(&Outcome) -> String,
) -> Result<String, String> {
    let mut first: Option<(String, String)> = None;
    for (ranks, threads, window_events) in combinations() {
        let options = Options { threads, window_events, path: true, ..Options::default() };
        let all = channels::replay(ranks, options, &|ranks, rank| trace.part(ranks, rank));
        let all = all.ok_or("a rank has ended too early")?;
        let (outcome, compounds) = all.first().ok_or("no rank")?;
        let rest = rest(outcome);
        let shown = (lines(outcome, compounds) + &rest, all_by(&all, lines) + &rest);
        let (in_order, sorted) = first.get_or_insert_with(|| shown.clone());
        if *sorted != shown.1 || ranks == 1 && *in_order != shown.0 {
            let what =
                format!("{ranks} ranks, {threads} threads, windows of {window_events} events");
            return Err(format!("{what}:\n{}\none rank:\n{sorted}", shown.1));
        }
    }
    first.map(|(in_order, _)| in_order).ok_or_else(|| "no combination".to_owned())
}

/// Numbers of ranks and threads, and events in a window.
pub(super) fn combinations() -> impl Iterator<Item = (usize, usize, usize)> {
    let of_one_rank = [1, 2, 5].into_iter().flat_map(|threads| {
        [1, 3, 1_000, 1_000_000].into_iter().map(move |window_events| (1, threads, window_events))
    });
    let of_more = [2, 4].into_iter().flat_map(|ranks| {
        [(1, 1), (2, 3), (1, 1_000_000)]
            .into_iter()
            .map(move |(threads, window_events)| (ranks, threads, window_events))
    });
    of_one_rank.chain(of_more)
}

/// The critical path, by call path and location, and its length.
pub fn show_path(outcome: &Outcome) -> String {
    let mut text = String::new();
    for &(call, location, ticks) in &outcome.critical_path {
        let location = &outcome.definitions.system.locations[location].name;
        let _ = writeln!(text, "{} on {location}: {ticks}", outcome.path(call));
    }
    let length: i64 = outcome.critical_path.iter().map(|(.., ticks)| ticks).sum();
    text + &format!("length {length}\n")
}

/// How long others waited because of each call path and location: directly, and through others.
pub fn show_blame(outcome: &Outcome) -> String {
    let mut text = String::new();
    for &(call, location, Delay { direct, indirect }) in &outcome.delays {
        let location = &outcome.definitions.system.locations[location].name;
        let path = outcome.path(call);
        let _ = writeln!(text, "{path} on {location}: {direct} direct, {indirect} indirect");
    }
    text
}

/// Where locations waited because of each call path and location.
pub fn show_roots(outcome: &Outcome) -> String {
    let mut text = String::new();
    for root in &outcome.roots {
        let (call, location) = root.by;
        let location = &outcome.definitions.system.locations[location].name;
        let (at, by) = (outcome.path(root.call), outcome.path(call));
        let Root { direct_ticks, indirect_ticks, .. } = root;
        let delay = format!("{direct_ticks} direct, {indirect_ticks} indirect");
        let _ = writeln!(text, "{at} for {by} on {location}: {delay}");
    }
    text
}

/// Times and visits by call path, compounds, and problems of the trace, as a text.
pub fn show(outcome: &Outcome, compounds: &[Compound]) -> String {
    let mut text = String::new();
    for call in outcome.calls.ids() {
        let row = outcome.row(call);
        text += &outcome.path(call);
        let ticks: Vec<i64> = row.iter().map(|values| values.ticks).collect();
        let visits: Vec<u64> = row.iter().map(|values| values.visits).collect();
        let _ = write!(text, "  time={ticks:?}  visits={visits:?}");
        if row.iter().any(|values| values.fragments != 0) {
            let ticks: Vec<i64> = row.iter().map(|values| values.task_ticks).collect();
            let fragments: Vec<u64> = row.iter().map(|values| values.fragments).collect();
            let _ = write!(text, "  task_time={ticks:?}  fragments={fragments:?}");
        }
        text.push('\n');
    }
    for &(counter, call, location, amount) in &outcome.counted {
        let counter = &outcome.definitions.counters[counter].name;
        let location = &outcome.definitions.system.locations[location].name;
        let amount = match amount {
            Amount::Whole(amount) => amount.to_string(),
            Amount::Real(amount) => format!("{amount:?}"),
        };
        let _ = writeln!(text, "{counter} {location} {} = {amount}", outcome.path(call));
    }
    let is_shown = |it: &&Compound| !matches!(it, Compound::Awaited(_) | Compound::Delivery(_));
    for compound in compounds.iter().filter(is_shown) {
        text += &compound_line(outcome, compound);
        text.push('\n');
    }
    if outcome.gaps != Default::default() {
        let _ = writeln!(text, "{:?}", outcome.gaps);
    }
    if outcome.forks_without_team != 0 {
        let _ = writeln!(text, "forks without team {}", outcome.forks_without_team);
    }
    if outcome.incomplete != 0 {
        let _ = writeln!(text, "incomplete {}", outcome.incomplete);
    }
    text
}

pub(crate) fn place(outcome: &Outcome, place: Place) -> String {
    let location = &outcome.definitions.system.locations[place.location].name;
    format!("{location} {}", outcome.path(outcome.call(place.node)))
}

fn message_line(outcome: &Outcome, kind: &str, visit: &MessageVisit) -> String {
    let MessageVisit { at, enter, leave, partner } = *visit;
    let (at, other) = (place(outcome, at), place(outcome, partner.at));
    let (wait, bytes) = (visit.wait_ticks(), partner.bytes);
    format!("{kind} {at} {enter}..{leave}: wait {wait} for {other}, {bytes} bytes")
}

/// What happens at a window of one-sided communication.
fn window_line(outcome: &Outcome, compound: &Compound) -> String {
    match compound {
        Compound::Window(visit) => {
            let WindowVisit { at, pattern, enter, leave, causer, .. } = *visit;
            let (at, causer) = (place(outcome, at), place(outcome, causer));
            format!("{pattern:?} {at} {enter}..{leave}: wait {} for {causer}", visit.wait_ticks())
        }
        Compound::PairSyncs(it) => {
            let PairSyncs { at, partners, unneeded, .. } = *it;
            format!("synchronised {} with {partners}, {unneeded} unneeded", place(outcome, at))
        }
        _ => String::new(),
    }
}

fn compound_line(outcome: &Outcome, compound: &Compound) -> String {
    let before = |before: Option<(u64, Place)>| {
        before.map_or("none".to_owned(), |(time, at)| format!("{time} {}", place(outcome, at)))
    };
    match compound {
        Compound::Part(part) => {
            let PartVisit { at, forked, enter, leave, joined, .. } = *part;
            let at = place(outcome, at);
            let (fork, join) = (part.fork_ticks(), part.join_ticks());
            format!("part {at} {forked} {enter}..{leave} {joined}: fork {fork}, join {join}")
        }
        Compound::LateSender(visit) => message_line(outcome, "late sender", visit),
        Compound::LateReceiver(visit) => message_line(outcome, "late receiver", visit),
        Compound::Icollective(visit) => message_line(outcome, "operation", visit),
        Compound::WrongOrder { visit, same_source: true } => {
            message_line(outcome, "wrong order, same source", visit)
        }
        Compound::WrongOrder { visit, same_source: false } => {
            message_line(outcome, "wrong order, other source", visit)
        }
        Compound::Collective(visit) => {
            let CollectiveVisit { at, pattern, begin, end, causer, .. } = *visit;
            let (at, causer) = (place(outcome, at), place(outcome, causer));
            let (wait, completion) = (visit.wait_ticks(), visit.completion_ticks());
            format!(
                "{pattern:?} {at} {begin}..{end}: wait {wait} for {causer}, completion {completion}"
            )
        }
        Compound::Window(_) | Compound::PairSyncs(_) => window_line(outcome, compound),
        Compound::Barrier(visit) => {
            let BarrierVisit { at, enter, leave, latest, last, .. } = *visit;
            let (at, last) = (place(outcome, at), place(outcome, last));
            let (wait, starvation) = (visit.wait_ticks(), visit.starvation_ticks());
            let join = visit.join_ticks();
            format!(
                "barrier {at} {enter}..{leave}, latest {latest} {last}: wait {wait}, starvation \
                 {starvation}, join {join}"
            )
        }
        Compound::Lock(visit) => {
            let LockVisit { at, lock, order, since, acquired, .. } = *visit;
            let (at, wait) = (place(outcome, at), visit.wait_ticks());
            let before = before(visit.before);
            let kind = if visit.is_shared { "reads" } else { "lock" };
            format!("{kind} {lock} #{order} {at} {since}..{acquired}, after {before}: wait {wait}")
        }
        Compound::Task(_)
        | Compound::Tasks(_)
        | Compound::TaskWait(_)
        | Compound::Awaited(_)
        | Compound::Step(_) => task::show::line(outcome, compound).unwrap_or_default(),
        Compound::Delivery(it) => {
            let Delivery { send, post, sent, received, .. } = it;
            let (at, from) = (place(outcome, it.at), place(outcome, send.at));
            let post = post.map_or("none".to_owned(), |post| place(outcome, post.at));
            let bytes = send.bytes;
            format!("message {at} {sent}..{received}, {bytes} bytes from {from}, post {post}")
        }
        Compound::Turn(visit) => {
            let TurnVisit { at, since, begun, .. } = *visit;
            let (at, wait, before) = (place(outcome, at), visit.wait_ticks(), before(visit.before));
            format!("turn {at} {since}..{begun}, after {before}: wait {wait}")
        }
    }
}
