//! What processes wait for in calls of MPI: messages, and the other processes of collective
//! operations. A receive depends on the begin of the send, also if it did not wait for it.
//!
//! Messages are matched by their order here, as in `matchers/`; those of a trace with wrong clocks
//! may be received before they are sent, and such a receive depends on nothing. Waits of other
//! kinds come from the matchers: those of sends for receives, and for non-blocking operations.

use std::collections::{HashMap, VecDeque};

use pompeii_model::{Id, LocationId, ProcessId, RegionId};

use super::clocks::{Clocks, join};
use super::{Location, Scenarios};
use crate::compound::MpiWait;
use crate::definitions::Definitions;
use crate::engine::open::Open;
use crate::engine::record::{CollectiveEnd, Message, Rec, What};
use crate::engine::tree::SharedTree;
use crate::hash::Table;
use crate::matchers::collective::{Kind, is_management, kind};

/// A call that a location is in.
#[derive(Debug)]
pub(super) struct Call {
    entered: u64,
    /// When it began, or its part in a collective operation.
    begin: Clocks,
    /// What it waits for.
    needs: Option<Clocks>,
    region: RegionId,
    /// When all processes are in it, in scenarios in which they arrive at the mean of their times.
    met: Option<Clocks>,
}

/// Messages of a sender and a receiver with one tag that were sent and not received.
#[derive(Debug, Default)]
struct Channel {
    sent: VecDeque<Clocks>,
    /// How many more were received than sent.
    early: u64,
}

/// Collective operations that a process has ended before others: these are those of a damaged
/// trace.
const OPEN_MAX: u64 = 10_000;

/// Messages and operations that are open.
#[derive(Debug, Default)]
pub(super) struct Mpi {
    channels: Table<(u32, ProcessId, ProcessId, u32), Channel>,
    /// Operations that each process has ended on a communicator.
    numbers: Table<(u32, ProcessId), u64>,
    /// When processes began operations that others have not ended.
    parts: Table<(u32, u64), Vec<(ProcessId, Clocks)>>,
    /// The last process of an MPI job that began MPI, and the last one that ended it.
    management: HashMap<(u32, bool), Option<Clocks>>,
    /// Calls that are open on all locations.
    open: usize,
}

impl Scenarios {
    pub(super) fn mpi_record(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        record: &Rec,
        waits: &[MpiWait],
    ) {
        let process = definitions.system.locations[record.location].process;
        let peer =
            |message: &Message| definitions.peer(record.location, message.comm, message.peer);
        match record.what {
            What::MpiEnter { region } => {
                let name = &definitions.regions[region].name;
                let is_end = name == "MPI_Finalize";
                let all = is_management(name).then(|| (definitions.job(process), is_end));
                self.enter(record, region, all);
            }
            What::MpiLeave { region, .. } => {
                let name = &definitions.regions[region].name;
                let is_end = name == "MPI_Finalize";
                let all = is_management(name).then(|| (definitions.job(process), is_end));
                self.leave_call(tree, record, (waits, all));
            }
            What::CollectiveBegin => {
                let location = &mut self.locations[record.location.index()];
                if let Some(call) = location.calls.last_mut() {
                    call.begin.time = record.time;
                    location.note_begin(self.mpi.open);
                }
            }
            What::CollectiveEnd(end) => self.end_collective(definitions, (record, process), end),
            What::Send(message) | What::Isend(message) => {
                let Some(peer) = peer(&message) else { return };
                let location = &self.locations[record.location.index()];
                let begin = location.calls.last().map_or(&location.clocks, |call| &call.begin);
                let channel = (message.comm, process, peer, message.tag);
                let channel = self.mpi.channels.entry(channel).or_default();
                match channel.early {
                    0 => channel.sent.push_back(begin.clone()),
                    _ => channel.early -= 1,
                }
            }
            What::Recv(message) | What::Irecv(message) => {
                let Some(peer) = peer(&message) else { return };
                let channel = (message.comm, peer, process, message.tag);
                let channel = self.mpi.channels.entry(channel).or_default();
                match channel.sent.pop_front() {
                    Some(sent) => self.needs(record, &sent),
                    None => channel.early += 1,
                }
            }
            _ => {}
        }
    }

    /// The call in which a location is depends on a moment.
    fn needs(&mut self, record: &Rec, moment: &Clocks) {
        let location = &mut self.locations[record.location.index()];
        if let Some(call) = location.calls.last_mut() {
            join(&mut call.needs, moment);
        }
    }

    /// A call begins; `all` says whether all processes of a job begin or end MPI with it.
    fn enter(&mut self, record: &Rec, region: RegionId, all: Option<(u32, bool)>) {
        self.mpi.open += 1;
        let location = &mut self.locations[record.location.index()];
        let mut begin = location.clocks.clone();
        begin.time = record.time;
        if let Some(all) = all {
            join(self.mpi.management.entry(all).or_default(), &begin);
        }
        location.calls.push(Call { entered: record.time, begin, needs: None, region, met: None });
        location.note_begin(self.mpi.open);
    }

    fn leave_call(
        &mut self,
        tree: &SharedTree,
        record: &Rec,
        (waits, all): (&[MpiWait], Option<(u32, bool)>),
    ) {
        let place = record.location.index();
        let Some(call) = self.locations[place].calls.pop() else { return };
        let Call { begin, mut needs, region, met, .. } = call;
        self.mpi.open -= 1;
        for wait in waits {
            if wait.ticks() > 0
                && let Some(causer) = self.locations.get(wait.causer.location.index())
                && let Some(moment) = causer.begins.iter().find(|it| it.time == wait.until)
            {
                join(&mut needs, moment);
            }
        }
        let all = all.and_then(|all| self.mpi.management.get(&all)?.as_ref());
        all.into_iter().for_each(|all| join(&mut needs, all));
        let is_management = all.is_some();
        let location = &mut self.locations[place];
        if let Some(around) = location.calls.last_mut() {
            needs.iter().for_each(|needs| join(&mut around.needs, needs));
            return;
        }
        location.clocks = begin;
        if let Some(needs) = needs {
            self.rules.wait(tree, (record.node, &mut location.clocks), &needs);
        }
        if let Some(met) = met {
            location.clocks.take(&met, self.rules.even(region));
        }
        if !is_management {
            self.rules.transfer(&mut location.clocks, record.time);
        }
        location.clocks.time = record.time;
    }

    /// A process ends its part of an operation, which depends on the begins of other parts.
    fn end_collective(
        &mut self,
        definitions: &Definitions,
        (record, process): (&Rec, ProcessId),
        end: CollectiveEnd,
    ) {
        let Some(comm) = definitions.comms.get(&end.comm).filter(|comm| !comm.is_self) else {
            return;
        };
        let Some(call) = self.locations[record.location.index()].calls.last() else { return };
        let (begin, region) = (call.begin.clone(), call.region);
        let number = self.mpi.numbers.entry((end.comm, process)).or_default();
        *number += 1;
        let key = (end.comm, *number);
        self.mpi.parts.remove(&(end.comm, number.wrapping_sub(OPEN_MAX)));
        let own = definitions.rank(comm, process);
        let members = comm.members.iter().chain(&comm.remote).enumerate();
        let needed = members.filter(|(rank, _)| match kind(end.op) {
            Kind::Barrier | Kind::AllToAll => true,
            Kind::OneToAll => *rank as u64 == u64::from(end.root),
            Kind::AllToOne => own.is_some_and(|own| own as u64 == u64::from(end.root)),
            Kind::Scan => own.is_some_and(|own| *rank < own),
            Kind::Other => false,
        });
        let needed: Vec<LocationId> = needed.map(|(_, member)| *member).collect();
        let needed = needed.into_iter().filter_map(|member| self.part(definitions, key, member));
        let needed: Vec<Clocks> = needed.collect();
        needed.iter().for_each(|begin| self.needs(record, begin));
        if matches!(kind(end.op), Kind::Barrier | Kind::AllToAll) {
            self.meet((record, region), &begin, &needed);
        }
        let parts = self.mpi.parts.entry(key).or_default();
        parts.push((process, begin));
        if parts.len() >= comm.members.len() + comm.remote.len() {
            self.mpi.parts.remove(&key);
        }
    }

    /// All processes meet in a function.
    fn meet(&mut self, (record, region): (&Rec, RegionId), own: &Clocks, others: &[Clocks]) {
        let even = self.rules.even(region);
        if even.is_empty() {
            return;
        }
        let others: Vec<&Clocks> = others.iter().collect();
        let met = Clocks::meeting(own, &others, even);
        if let Some(call) = self.locations[record.location.index()].calls.last_mut() {
            call.met = Some(met);
        }
    }

    /// When a process began its part of an operation; `None` if it has not.
    fn part(
        &self,
        definitions: &Definitions,
        key: (u32, u64),
        member: LocationId,
    ) -> Option<Clocks> {
        let location = self.locations.get(member.index())?;
        let process = definitions.system.locations[member].process;
        let ended = self.mpi.parts.get(&key);
        let ended = ended.and_then(|all| all.iter().find(|(other, _)| *other == process));
        let is_in_it = self.mpi.numbers.get(&(key.0, process)).copied().unwrap_or(0) + 1 == key.1;
        match ended {
            Some((_, begin)) => Some(begin.clone()),
            None => location.calls.last().filter(|_| is_in_it).map(|call| call.begin.clone()),
        }
    }

    /// Forgets the begins of calls to which no later wait can refer.
    pub(crate) fn forget_begins(&mut self, needed: &Open) {
        for (number, location) in self.locations.iter_mut().enumerate() {
            if location.begins.is_empty() {
                continue;
            }
            let open = location.calls.first().map_or(u64::MAX, |call| call.entered);
            let causing = needed.causing_of(LocationId(number as u32));
            location.begins.retain(|begin| begin.time >= open || causing.has(begin.time));
        }
    }
}

impl Location {
    /// A call has begun. If a location waits for that, it is in a call at the time.
    fn note_begin(&mut self, open: usize) {
        let Some(call) = self.calls.last().filter(|_| open > self.calls.len()) else { return };
        if self.begins.back().is_none_or(|last| last.time != call.begin.time) {
            self.begins.push_back(call.begin.clone());
        }
    }
}
