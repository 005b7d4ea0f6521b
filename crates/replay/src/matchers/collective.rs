//! Collective operations of MPI, and the begin and end of MPI in all processes of a job.
//!
//! The k-th operation of a process on a communicator is the k-th of all its members. An operation
//! is complete when all members have ended it. Who waits for whom depends on the kind of the
//! operation and on the bytes sent and received: no process waits for one that sends nothing.
//! Fences of a window and operations on a file are counted for each window and each file.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use pompeii_model::{Id, LocationId, ProcessId, RegionId};
use pompeii_otf2::enums::CollectiveOp;

use crate::compound::{CollectiveVisit, Compound, Operation, Pattern};
use crate::definitions::{Comm, Definitions, Resource};
use crate::engine::mail::{Letters, Mail};
use crate::engine::matcher::{Found, FoundAt, Matcher};
use crate::engine::open::Open;
use crate::engine::record::{CollectiveEnd, NONE, Rec, What};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table;
use crate::transport::dealt::Dealt;

/// Whether all processes begin or end MPI together with this function.
pub(crate) fn is_management(name: &str) -> bool {
    matches!(name, "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize")
}

/// The part of a process in an operation.
#[derive(Clone, Copy, Debug)]
struct Part {
    at: Place,
    begin: u64,
    end: u64,
    sent: u64,
    received: u64,
    /// Rank of the process in the communicator.
    rank: usize,
    op: CollectiveOp,
    root: u32,
}

/// Who waits for whom in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Barrier,
    AllToAll,
    OneToAll,
    AllToOne,
    Scan,
    /// Managing communicators, windows and files.
    Other,
}

/// The kind of an operation.
pub(crate) fn kind(operation: CollectiveOp) -> Kind {
    match operation {
        CollectiveOp::BARRIER => Kind::Barrier,
        CollectiveOp::ALLGATHER
        | CollectiveOp::ALLGATHERV
        | CollectiveOp::ALLTOALL
        | CollectiveOp::ALLTOALLV
        | CollectiveOp::ALLTOALLW
        | CollectiveOp::ALLREDUCE
        | CollectiveOp::REDUCE_SCATTER
        | CollectiveOp::REDUCE_SCATTER_BLOCK => Kind::AllToAll,
        CollectiveOp::BCAST | CollectiveOp::SCATTER | CollectiveOp::SCATTERV => Kind::OneToAll,
        CollectiveOp::REDUCE | CollectiveOp::GATHER | CollectiveOp::GATHERV => Kind::AllToOne,
        CollectiveOp::SCAN | CollectiveOp::EXSCAN => Kind::Scan,
        _ => Kind::Other,
    }
}

/// Which operation: communicator and number.
type Key = (u32, u64);

/// Operations of one communicator that are open at most: further ones are those of a trace in which
/// a process is missing.
const OPEN_MAX: u64 = 100_000;

/// What a function of MPI is, as far as operations of all processes depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    /// An operation with neighbours: the trace does not have who they are.
    Neighbours,
    /// The begin of MPI.
    Init,
    /// The end of MPI.
    Finalize,
    Other,
}

impl Function {
    fn of(name: &str) -> Function {
        match name {
            "MPI_Finalize" => Function::Finalize,
            _ if is_management(name) => Function::Init,
            _ if name.starts_with("MPI_Neighbor") => Function::Neighbours,
            _ => Function::Other,
        }
    }
}

/// Operations that not all processes have ended.
#[derive(Debug, Default)]
pub struct Collectives {
    /// What each region is, as soon as one of its records has come: names are long.
    functions: Vec<Option<Function>>,
    /// When the operation began that a location is in. Operations do not nest. If the trace does
    /// not have the end of one, the next begin replaces it.
    begins: Table<LocationId, u64>,
    /// Locations that are in an operation with neighbours.
    with_neighbours: HashSet<LocationId>,
    members: Table<(u32, ProcessId), Member>,
    open: Table<Key, Vec<Part>>,
    /// Other ranks of the analysis have the operations of some communicators.
    dealt: Option<Arc<Dealt>>,
    /// Parts of this rank in operations of others that may have waited: location and begin.
    pending: HashSet<(LocationId, u64)>,
    /// Parts of other ranks in operations of this one that are over.
    settled: Vec<(LocationId, u64)>,
    /// Begin and end of MPI, by the MPI job.
    init: BTreeMap<u32, Management>,
    finalize: BTreeMap<u32, Management>,
    given_up: u64,
    /// Processes with dropped records: it is not known which operation is which.
    lost: HashSet<ProcessId>,
}

/// A process in a communicator.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Operations that it has ended.
    number: u64,
    /// `None` if it is no member, in a damaged trace.
    rank: Option<usize>,
}

/// MPI_Init or MPI_Finalize, which all processes of a job call once.
#[derive(Debug, Default)]
struct Management {
    calls: Vec<Part>,
    /// The first call of each process.
    of_process: Table<ProcessId, usize>,
    left: usize,
    is_done: bool,
}

impl Matcher for Collectives {
    const TOPICS: Topics = Topics::CALLS.with(Topics::COLLECTIVES).with(Topics::GAPS);
    const TABLES: &'static [table::Kind] = &[table::Kind::Collectives, table::Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        match record.what {
            What::CollectiveBegin => {
                self.begins.insert(record.location, record.time);
            }
            What::Dropped => {
                self.lost.insert(definitions.system.locations[record.location].process);
            }
            What::CollectiveEnd(end) => {
                let begin = self.begins.remove(&record.location);
                let is_known = !self.with_neighbours.contains(&record.location);
                let begin = begin.filter(|_| is_known);
                match self.has(end.comm) {
                    true => self.end_part(definitions, record, (begin, end), found),
                    false => self.expect(definitions, record, begin, end.comm),
                }
            }
            What::ForeignEnd { begin, end } => {
                let begin = (begin != NONE).then_some(begin);
                self.end_part(definitions, record, (begin, end), found);
            }
            What::MpiEnter { region } => match self.function(definitions, region) {
                Function::Other => {}
                Function::Neighbours => drop(self.with_neighbours.insert(record.location)),
                Function::Init | Function::Finalize if self.is_elsewhere() => {
                    self.pending.insert((record.location, record.time));
                }
                Function::Init => enter(&mut self.init, definitions, record),
                Function::Finalize => enter(&mut self.finalize, definitions, record),
            },
            What::MpiLeave { region, .. } => {
                // Most programs have none, and this comes with each call.
                if !self.with_neighbours.is_empty() {
                    self.with_neighbours.remove(&record.location);
                }
                match self.function(definitions, region) {
                    Function::Init => self.leave(definitions, (record, Pattern::Init), found),
                    Function::Finalize => {
                        self.leave(definitions, (record, Pattern::Finalize), found);
                    }
                    Function::Neighbours | Function::Other => {}
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, definitions: &Definitions, found: Found<'_>) -> u64 {
        let mut incomplete = self.given_up + self.open.len() as u64;
        // A process that is in no communicator with others did not take part in MPI. Another one
        // that has no call has lost it, and so nothing is known about the waiting of all.
        let jobs = self.init.keys().chain(self.finalize.keys()).copied();
        for job in jobs.collect::<BTreeSet<u32>>() {
            let begun = self.init.get(&job).map_or(0, |init| init.calls.len());
            let expected = begun.max(definitions.connected_in_job(job));
            let calls = [(&mut self.init, Pattern::Init), (&mut self.finalize, Pattern::Finalize)];
            for (calls, pattern) in calls {
                let Some(call) = calls.get_mut(&job) else { continue };
                if call.left == expected {
                    call.finish((pattern, job), found);
                } else {
                    incomplete += 1;
                }
            }
        }
        incomplete
    }

    fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }

    fn send(&mut self, mail: &mut Mail) {
        let Some(dealt) = &self.dealt else { return };
        for (location, begin) in self.settled.drain(..) {
            mail[dealt.of_location(location)].settled.push((location, begin));
        }
    }

    fn receive(&mut self, _: &Definitions, letters: &Letters, _: FoundAt<'_>) {
        for part in &letters.settled {
            self.pending.remove(part);
        }
    }

    fn open(&self, open: &mut Open) {
        self.pending.iter().for_each(|(location, begin)| open.waiting(*location, *begin));
        self.begins.iter().for_each(|(location, begin)| open.causing(*location, *begin));
        let management = self.init.values().chain(self.finalize.values());
        let management = management.filter(|call| !call.is_done);
        let calls = management.flat_map(|call| &call.calls);
        for part in self.open.values().flatten().chain(calls) {
            open.waiting(part.at.location, part.begin);
            open.causing(part.at.location, part.begin);
        }
    }
}

impl Collectives {
    fn function(&mut self, definitions: &Definitions, region: RegionId) -> Function {
        let place = region.index();
        if place >= self.functions.len() {
            self.functions.resize(place + 1, None);
        }
        let name = &definitions.regions[region].name;
        *self.functions[place].get_or_insert_with(|| Function::of(name))
    }

    /// A process leaves the begin or the end of MPI.
    fn leave(
        &mut self,
        definitions: &Definitions,
        (record, pattern): (&Rec, Pattern),
        found: Found<'_>,
    ) {
        if self.is_elsewhere() {
            return;
        }
        let calls = match pattern {
            Pattern::Finalize => &mut self.finalize,
            _ => &mut self.init,
        };
        let job = definitions.job(definitions.system.locations[record.location].process);
        let Some(call) = calls.get_mut(&job) else { return };
        call.leave(definitions, record);
        if call.left == definitions.job_size(job) {
            call.finish((pattern, job), found);
            let over = call.parts();
            self.settle(over);
        }
    }

    /// Whether another rank matches the begin and the end of MPI.
    fn is_elsewhere(&self) -> bool {
        self.dealt.as_ref().is_some_and(|dealt| dealt.rank > 0)
    }

    /// A process has ended its part in an operation that another rank matches. Whether it has
    /// waited is known when that rank has settled the part.
    fn expect(&mut self, definitions: &Definitions, record: &Rec, begin: Option<u64>, comm: u32) {
        let process = definitions.system.locations[record.location].process;
        let has_causes = self.dealt.as_ref().is_some_and(|dealt| dealt.has_causes);
        let Some(comm) = definitions.comms.get(&comm).filter(|_| has_causes) else { return };
        let is_alone = comm.is_self || comm.members.len() + comm.remote.len() < 2;
        if is_alone || self.lost.contains(&process) || definitions.rank(comm, process).is_none() {
            return;
        }
        self.pending.extend(begin.map(|begin| (record.location, begin)));
    }

    /// An operation is over.
    fn settle(&mut self, parts: Vec<(LocationId, u64)>) {
        let Some(dealt) = self.dealt.as_ref().filter(|dealt| dealt.has_causes) else { return };
        let is_other =
            |(location, _): &(LocationId, u64)| dealt.of_location(*location) != dealt.rank;
        self.settled.extend(parts.into_iter().filter(is_other));
    }

    /// Whether the operations of a communicator are matched here.
    fn has(&self, comm: u32) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.of_number(comm) == dealt.rank)
    }

    /// A process ends its part of an operation.
    fn end_part(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (begin, operation): (Option<u64>, CollectiveEnd),
        found: Found<'_>,
    ) {
        let process = definitions.system.locations[record.location].process;
        let Some(comm) = definitions.comms.get(&operation.comm) else { return };
        let size = comm.members.len() + comm.remote.len();
        if comm.is_self || size < 2 {
            return;
        }
        let unknown = || Member { number: 0, rank: definitions.rank(comm, process) };
        let member = self.members.entry((operation.comm, process)).or_insert_with(unknown);
        member.number += 1;
        let key = (operation.comm, member.number);
        if self.lost.contains(&process) {
            self.given_up += 1;
            return;
        }
        let (Some(begin), Some(rank)) = (begin, member.rank) else { return };
        let part = Part {
            at: record.place(),
            begin,
            end: record.time,
            sent: operation.sent,
            received: operation.received,
            rank,
            op: operation.op,
            root: operation.root,
        };
        let parts = self.open.entry(key).or_default();
        parts.push(part);
        if parts.len() == size {
            let parts = self.open.remove(&key).unwrap_or_default();
            self.settle(parts.iter().map(Part::key).collect());
            finish((comm, key), parts, found);
        } else if let Some(oldest) = key.1.checked_sub(OPEN_MAX)
            && let Some(parts) = self.open.remove(&(key.0, oldest))
        {
            self.settle(parts.iter().map(Part::key).collect());
            self.given_up += 1;
        }
    }
}

impl Part {
    /// Location and begin.
    fn key(&self) -> (LocationId, u64) {
        (self.at.location, self.begin)
    }
}

/// A process begins or ends MPI.
fn enter(calls: &mut BTreeMap<u32, Management>, definitions: &Definitions, record: &Rec) {
    let process = definitions.system.locations[record.location].process;
    calls.entry(definitions.job(process)).or_default().enter(definitions, record);
}

impl Management {
    /// Locations and begins of all parts.
    fn parts(&self) -> Vec<(LocationId, u64)> {
        self.calls.iter().map(Part::key).collect()
    }

    fn enter(&mut self, definitions: &Definitions, record: &Rec) {
        let process = definitions.system.locations[record.location].process;
        let at = record.place();
        let (begin, end, rank) = (record.time, record.time, process.0 as usize);
        let (sent, received, op, root) = (0, 0, CollectiveOp::BARRIER, u32::MAX);
        self.of_process.entry(process).or_insert(self.calls.len());
        self.calls.push(Part { at, begin, end, sent, received, rank, op, root });
    }

    fn leave(&mut self, definitions: &Definitions, record: &Rec) {
        let process = definitions.system.locations[record.location].process;
        let place = self.of_process.get(&process).copied();
        if let Some(call) = place.and_then(|place| self.calls.get_mut(place)) {
            call.end = record.time;
            self.left += 1;
        }
    }

    fn finish(&mut self, (pattern, job): (Pattern, u32), found: Found<'_>) {
        if self.is_done {
            return;
        }
        self.is_done = true;
        let mut calls = self.calls.clone();
        calls.sort_by_key(|part| part.rank);
        if calls.len() > 1 {
            let number = 2 * u64::from(job) + u64::from(pattern == Pattern::Finalize);
            all((pattern, Operation { comm: u32::MAX, number }), &calls, found);
        }
    }
}

/// All members have ended an operation.
fn finish((comm, (id, number)): (&Comm, Key), mut parts: Vec<Part>, found: Found<'_>) {
    let operation = Operation { comm: id, number };
    parts.sort_by_key(|part| part.rank);
    // All processes say the same, but in a damaged trace.
    let Some(Part { op, root, .. }) = parts.first().copied() else { return };
    let root = parts.iter().find(|part| part.rank == root as usize).copied();
    match (kind(op), root) {
        (Kind::Barrier, _) => match comm.resource {
            Resource::Communicator => all((Pattern::Barrier, operation), &parts, found),
            Resource::Window => all((Pattern::Fence, operation), &parts, found),
            Resource::File => if_together((Pattern::File, operation), &parts, found),
        },
        (Kind::AllToAll, _) => all_to_all(operation, &parts, found),
        (Kind::Other, _) if comm.resource == Resource::Window => {
            if let Some(pattern) = of_window(op) {
                if_together((pattern, operation), &parts, found);
            }
        }
        // In an operation between two groups each side has a root of its own.
        _ if !comm.remote.is_empty() => {}
        (Kind::OneToAll, Some(root)) => from_root(operation, &parts, &root, found),
        (Kind::AllToOne, Some(root)) => {
            if let (Some(latest), 1..) = (latest(parts.iter().filter(sends)), root.received) {
                found(visit((Pattern::AllToOne, operation), &root, latest));
            }
        }
        (Kind::Scan, _) => {
            let mut before: Option<&Part> = None;
            for part in &parts {
                before = latest(before.into_iter().chain(Some(part).filter(sends)));
                if let Some(latest) = before {
                    found(visit((Pattern::Scan, operation), part, latest));
                }
            }
        }
        _ => {}
    }
}

fn sends(part: &&Part) -> bool {
    part.sent > 0
}

/// The part that begins last; of equal ones that of the lowest rank.
fn latest<'p>(parts: impl Iterator<Item = &'p Part>) -> Option<&'p Part> {
    parts.fold(None, |latest: Option<&Part>, part| {
        latest.filter(|latest| latest.begin >= part.begin).or(Some(part))
    })
}

fn visit((pattern, operation): (Pattern, Operation), part: &Part, waits_for: &Part) -> Compound {
    Compound::Collective(CollectiveVisit {
        at: part.at,
        pattern,
        operation,
        begin: part.begin,
        end: part.end,
        causer: waits_for.at,
        until: waits_for.begin,
        complete: part.end,
    })
}

/// All wait for the last one, and the first that leaves shows when the operation was complete.
fn all(of: (Pattern, Operation), parts: &[Part], found: Found<'_>) {
    let Some(latest) = latest(parts.iter()) else { return };
    let first = parts.iter().map(|part| part.end).min().unwrap_or(0);
    for part in parts {
        let Compound::Collective(mut own) = visit(of, part, latest) else { continue };
        own.complete = first.max(latest.begin.min(part.end));
        found(Compound::Collective(own));
    }
}

/// An operation on a file, or one that creates or frees a window, need not bring the processes
/// together. If it has, each of them has ended its part after the last one began.
fn if_together(of: (Pattern, Operation), parts: &[Part], found: Found<'_>) {
    let last_begin = parts.iter().map(|part| part.begin).max();
    if parts.iter().map(|part| part.end).min() > last_begin {
        all(of, parts, found);
    }
}

/// What an operation that manages a window does.
fn of_window(operation: CollectiveOp) -> Option<Pattern> {
    match operation {
        CollectiveOp::CREATE_HANDLE | CollectiveOp::CREATE_HANDLE_AND_ALLOCATE => {
            Some(Pattern::WindowCreate)
        }
        CollectiveOp::DESTROY_HANDLE | CollectiveOp::DESTROY_HANDLE_AND_DEALLOCATE => {
            Some(Pattern::WindowFree)
        }
        _ => None,
    }
}

fn all_to_all(operation: Operation, parts: &[Part], found: Found<'_>) {
    if parts.iter().all(|part| part.sent + part.received == 0) {
        return;
    }
    let last_begin = parts.iter().map(|part| part.begin).max();
    if parts.iter().map(|part| part.end).min() > last_begin {
        all((Pattern::AllToAll, operation), parts, found);
        return;
    }
    // Some had left before others came. Only processes that send kept the others, and only those
    // that receive waited.
    let Some(last) = latest(parts.iter().filter(sends)) else { return };
    let is_last = |part: &Part| part.rank == last.rank;
    let waits = |part: &Part| part.received > 0 && part.begin < last.begin;
    let some: Vec<Part> =
        parts.iter().filter(|part| is_last(part) || waits(part)).copied().collect();
    all((Pattern::AllToAll, operation), &some, found);
}

fn from_root(operation: Operation, parts: &[Part], root: &Part, found: Found<'_>) {
    if root.sent == 0 {
        return;
    }
    let receivers = parts.iter().filter(|part| part.rank != root.rank && part.received > 0);
    for part in receivers {
        found(visit((Pattern::OneToAll, operation), part, root));
    }
}
