//! Fences of windows: how long a process waits at a fence although operations on its memory have
//! not begun, and with whom it synchronises without exchanging data. That the processes wait for
//! the last one is found with the other collective operations (`collective.rs`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use pompeii_model::{LocationId, ProcessId};
use pompeii_otf2::enums::CollectiveOp;

use super::Call;
use crate::compound::{Compound, PairSyncs, WindowPattern};
use crate::definitions::{Definitions, Resource};
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Access, CollectiveEnd, EVERY_RANK, NONE, Rec, What, WindowCall};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table::Kind;
use crate::transport::dealt::Dealt;

/// Fences of a window that are open at most: further ones are those of a trace in which a process
/// is missing.
const OPEN_MAX: u64 = 10_000;

/// The last operation of a process on the memory of each other one: when its call ended, and where.
type Last = BTreeMap<ProcessId, (u64, Place)>;

/// The part of a process in a fence.
#[derive(Debug)]
struct Part {
    process: ProcessId,
    call: Call,
    last: Last,
}

/// Fences that not all processes have ended.
#[derive(Debug, Default)]
pub struct Fences {
    dealt: Option<Arc<Dealt>>,
    begins: Table<LocationId, u64>,
    /// Operations of a process since its fence before.
    since_fence: Table<(u32, ProcessId), Last>,
    /// Fences that a process has ended.
    numbers: Table<(u32, ProcessId), u64>,
    open: Table<(u32, u64), Vec<Part>>,
    /// Processes with dropped records: it is not known which fence is which.
    lost: HashSet<ProcessId>,
    given_up: u64,
}

impl Matcher for Fences {
    const TOPICS: Topics = Topics::COLLECTIVES.with(Topics::WINDOWS).with(Topics::GAPS);
    const TABLES: &'static [Kind] = &[Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        match record.what {
            What::CollectiveBegin => drop(self.begins.insert(record.location, record.time)),
            What::CollectiveEnd(end) => {
                let begin = self.begins.remove(&record.location);
                if self.has(end.comm) {
                    self.end_part(definitions, record, (begin.unwrap_or(NONE), end), found);
                }
            }
            What::ForeignEnd { begin, end } => {
                self.end_part(definitions, record, (begin, end), found);
            }
            What::WindowCall(call) if self.has(call.window) => {
                self.call(definitions, record, call);
            }
            What::Dropped => {
                self.lost.insert(definitions.system.locations[record.location].process);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        // Fences that are open are counted with the other collective operations.
        self.given_up
    }

    fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }
}

impl Fences {
    /// Whether the fences of a window are matched here.
    fn has(&self, window: u32) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.of_number(window) == dealt.rank)
    }

    fn call(&mut self, definitions: &Definitions, record: &Rec, call: WindowCall) {
        let origin = definitions.system.locations[record.location].process;
        let own = self.since_fence.entry((call.window, origin)).or_default();
        let process = |rank| definitions.peer(record.location, call.window, rank);
        match call.access {
            Access::Transfer(target) => {
                if let Some(target) = process(target).filter(|target| *target != origin) {
                    own.insert(target, (record.time, record.place()));
                }
            }
            // Operations with locks, or in epochs of some processes, belong to no fence.
            Access::Unlock(EVERY_RANK) | Access::Complete => own.clear(),
            Access::Unlock(target) => drop(process(target).map(|target| own.remove(&target))),
            _ => {}
        }
    }

    /// A process ends its part of a fence.
    fn end_part(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (begin, end): (u64, CollectiveEnd),
        found: Found<'_>,
    ) {
        let process = definitions.system.locations[record.location].process;
        let of_window = definitions.comms.get(&end.comm);
        let of_window = of_window.filter(|comm| comm.resource == Resource::Window);
        let Some(size) = of_window.map(|comm| comm.members.len()).filter(|size| *size > 1) else {
            return;
        };
        if end.op != CollectiveOp::BARRIER || self.lost.contains(&process) {
            return;
        }
        let number = self.numbers.entry((end.comm, process)).or_default();
        *number += 1;
        let key = (end.comm, *number);
        let last = self.since_fence.remove(&(end.comm, process)).unwrap_or_default();
        let call = Call::of(record, begin.min(record.time));
        let parts = self.open.entry(key).or_default();
        parts.push(Part { process, call, last });
        if parts.len() == size {
            finish(&self.open.remove(&key).unwrap_or_default(), found);
        } else if let Some(oldest) = key.1.checked_sub(OPEN_MAX) {
            self.given_up += u64::from(self.open.remove(&(key.0, oldest)).is_some());
        }
    }
}

/// All processes have ended a fence.
fn finish(parts: &[Part], found: Found<'_>) {
    let latest = parts.iter().map(|part| part.call.enter).max().unwrap_or(0);
    let mut pairs: BTreeSet<(ProcessId, ProcessId)> = BTreeSet::new();
    let mut last = Last::new();
    for part in parts {
        for (target, operation) in &part.last {
            pairs.extend([(part.process, *target), (*target, part.process)]);
            let known = last.entry(*target).or_insert(*operation);
            *known = later(*known, *operation);
        }
    }
    for Part { process, call, .. } in parts {
        // No operation of the epoch ends after the last process has come, but by a wrong clock.
        if let Some((time, causer)) = last.get(process)
            && *time > call.enter
        {
            found(call.waits(WindowPattern::EarlyFence, ((*time).min(latest), *causer)));
        }
        let partners = parts.len() as u64 - 1;
        let first = (*process, ProcessId(0));
        let needed = pairs.range(first..=(*process, ProcessId(u32::MAX))).count() as u64;
        let unneeded = partners.saturating_sub(needed);
        found(Compound::PairSyncs(PairSyncs { at: call.at, time: call.leave, partners, unneeded }));
    }
}

/// The later one of two operations.
fn later(one: (u64, Place), other: (u64, Place)) -> (u64, Place) {
    let key = |(time, at): (u64, Place)| (time, at.location);
    if key(other) > key(one) { other } else { one }
}
