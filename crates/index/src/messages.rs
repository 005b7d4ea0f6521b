//! Where the ends of MPI meet: the n-th message that a process sends to another one with a
//! communicator and a tag is the n-th that the other one receives, and the n-th collective
//! operation of a process on a communicator is the n-th of all its members. The ends of all
//! processes are taken in the order of time, so only messages on their way are in memory. A clock
//! error may put a receive before its send.

use std::collections::{HashSet, VecDeque};

use pompeii_model::{Id, LocationId, ProcessId};
use pompeii_otf2::enums::CollectiveOp;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::hash::Table;

use crate::ends::{Collective, End, Message, Packed};
use crate::links::{Link, LinkKind, LinkStore};
use crate::meeting::InOrder;

/// Communicator, sender, receiver, tag.
type Channel = (u32, ProcessId, ProcessId, u32);

/// Operations of one communicator that are open at most: further ones are those of a trace in which
/// a process is missing.
const OPEN_MAX: u64 = 100_000;

/// A location, and a time there.
type Moment = (usize, u64);

/// A send that has not been received.
#[derive(Debug)]
struct Sent {
    at: Moment,
    bytes: u64,
    /// The request, if the send may be cancelled.
    request: u64,
}

/// A process in a collective operation.
#[derive(Clone, Copy, Debug)]
struct Part {
    location: usize,
    begin: u64,
    end: u64,
    rank: Option<usize>,
    what: Collective,
}

/// Links messages and collective operations of all processes.
pub(crate) fn link(definitions: &Definitions, ends: &[(usize, Packed)], links: &mut LinkStore) {
    let mut messages = Messages::new(definitions, links);
    for (time, location, end) in InOrder::new(ends) {
        messages.take((location, time), end);
    }
    messages.link_operations();
}

struct Messages<'a> {
    definitions: &'a Definitions,
    links: &'a mut LinkStore,
    sends: Table<Channel, VecDeque<Sent>>,
    receives: Table<Channel, VecDeque<Moment>>,
    /// When the operation began that a location is in.
    begins: Table<usize, u64>,
    /// Number of operations of a process on a communicator.
    numbers: Table<(u32, ProcessId), u64>,
    open: Table<(u32, u64), Vec<Part>>,
    /// When a non-blocking operation of a location began, by its request.
    requests: Table<(usize, u64), u64>,
    /// Non-blocking operations, by communicator and process.
    operations: Table<u32, Table<ProcessId, Vec<Part>>>,
    /// Processes that were not recorded all the time: a message may have one end only.
    gapped: HashSet<ProcessId>,
    /// Processes with missing records: it is not known which message is which.
    lost: HashSet<ProcessId>,
}

impl<'a> Messages<'a> {
    fn new(definitions: &'a Definitions, links: &'a mut LinkStore) -> Messages<'a> {
        Messages {
            definitions,
            links,
            sends: Table::default(),
            receives: Table::default(),
            begins: Table::default(),
            numbers: Table::default(),
            open: Table::default(),
            requests: Table::default(),
            operations: Table::default(),
            gapped: HashSet::new(),
            lost: HashSet::new(),
        }
    }

    fn take(&mut self, here: Moment, end: End) {
        let (location, time) = here;
        let location = LocationId::from_index(location);
        let process = self.definitions.system.locations[location].process;
        let peer = |message: Message| self.definitions.peer(location, message.comm, message.peer);
        match end {
            End::Send(message) => {
                let Some(to) = peer(message) else { return };
                self.send((message.comm, process, to, message.tag), here, message);
            }
            End::Receive(message) => {
                let Some(from) = peer(message) else { return };
                self.receive((message.comm, from, process, message.tag), here);
            }
            End::Cancel(request) => self.cancel(process, request),
            End::Enters => drop(self.begins.insert(here.0, time)),
            End::Leaves(what) => {
                let begin = self.begins.remove(&here.0);
                self.collective(process, begin, here, what);
            }
            End::Posts(request) => drop(self.requests.insert((here.0, request), time)),
            End::Completes(request, what) => {
                let Some(begin) = self.requests.remove(&(here.0, request)) else { return };
                let part = Part { location: here.0, begin, end: time, rank: None, what };
                let of_comm = self.operations.entry(what.comm).or_default();
                of_comm.entry(process).or_default().push(part);
            }
            End::Off => drop(self.gapped.insert(process)),
            End::Lost => drop(self.lost.insert(process)),
            _ => {}
        }
    }

    fn is_lost(&self, (_, from, to, _): Channel) -> bool {
        self.lost.contains(&from) || self.lost.contains(&to)
    }

    fn send(&mut self, channel: Channel, at: Moment, message: Message) {
        if self.is_lost(channel) {
            return;
        }
        let Message { bytes, request, .. } = message;
        let sent = Sent { at, bytes, request };
        match self.receives.get_mut(&channel).and_then(VecDeque::pop_front) {
            Some(to) => self.message(sent, to),
            None => self.sends.entry(channel).or_default().push_back(sent),
        }
    }

    fn receive(&mut self, channel: Channel, at: Moment) {
        if self.is_lost(channel) {
            return;
        }
        if let Some(sent) = self.sends.get_mut(&channel).and_then(VecDeque::pop_front) {
            return self.message(sent, at);
        }
        let (_, from, to, _) = channel;
        // Without a gap, the send comes later: the clocks differ.
        if !self.gapped.contains(&from) && !self.gapped.contains(&to) {
            self.receives.entry(channel).or_default().push_back(at);
        }
    }

    fn message(&mut self, sent: Sent, to: Moment) {
        let (kind, from, detail) = (LinkKind::Message, sent.at, sent.bytes);
        self.links.push(Link { kind, from, to, detail });
    }

    /// A request has no message. Those of receives have none here anyway.
    fn cancel(&mut self, process: ProcessId, request: u64) {
        let of_process = self.sends.iter_mut().filter(|((_, from, ..), _)| *from == process);
        for (_, sends) in of_process {
            sends.retain(|sent| sent.request != request);
        }
    }

    /// A process ends its part of a blocking operation.
    fn collective(
        &mut self,
        process: ProcessId,
        begin: Option<u64>,
        (location, end): Moment,
        what: Collective,
    ) {
        let Some(size) = self.size(what.comm) else { return };
        let number = self.numbers.entry((what.comm, process)).or_default();
        *number += 1;
        let key = (what.comm, *number);
        if self.lost.contains(&process) {
            return;
        }
        let Some(begin) = begin else { return };
        let rank = self.rank(what.comm, process);
        let parts = self.open.entry(key).or_default();
        parts.push(Part { location, begin, end, rank, what });
        if parts.len() == size {
            let parts = self.open.remove(&key).unwrap_or_default();
            self.operation(&parts);
        } else if let Some(oldest) = key.1.checked_sub(OPEN_MAX) {
            self.open.remove(&(key.0, oldest));
        }
    }

    /// Number of members of a communicator, if several processes meet there.
    fn size(&self, comm: u32) -> Option<usize> {
        let comm = self.definitions.comms.get(&comm).filter(|comm| !comm.is_self)?;
        Some(comm.members.len() + comm.remote.len()).filter(|size| *size > 1)
    }

    fn rank(&self, comm: u32, process: ProcessId) -> Option<usize> {
        self.definitions.rank(self.definitions.comms.get(&comm)?, process)
    }

    /// The non-blocking operations of a communicator are begun in the same order by all members.
    fn link_operations(&mut self) {
        let mut all: Vec<_> = std::mem::take(&mut self.operations).into_iter().collect();
        all.sort_unstable_by_key(|(comm, _)| *comm);
        for (comm, of_processes) in all {
            let Some(size) = self.size(comm) else { continue };
            let number = of_processes.values().map(Vec::len).max().unwrap_or_default();
            let is_whole = of_processes.values().all(|parts| parts.len() == number);
            if !is_whole || of_processes.len() != size {
                continue;
            }
            let mut members: Vec<(ProcessId, Vec<Part>)> = of_processes.into_iter().collect();
            members.sort_unstable_by_key(|(process, _)| *process);
            for (process, parts) in &mut members {
                let rank = self.rank(comm, *process);
                parts.sort_by_key(|part| part.begin);
                parts.iter_mut().for_each(|part| part.rank = rank);
            }
            for operation in 0..number {
                let parts = members.iter().filter_map(|(_, parts)| parts.get(operation).copied());
                self.operation(&parts.collect::<Vec<_>>());
            }
        }
    }

    /// All members have ended an operation: who waits for whom follows from its kind.
    fn operation(&mut self, parts: &[Part]) {
        let Some(what) = parts.first().map(|part| part.what) else { return };
        let root = parts.iter().find(|part| part.rank == usize::try_from(what.root).ok());
        let last = parts.iter().max_by_key(|part| (part.begin, part.location));
        let (source, sink) = match CollectiveOp(what.op) {
            CollectiveOp::BCAST | CollectiveOp::SCATTER | CollectiveOp::SCATTERV => {
                (root.or(last), None)
            }
            CollectiveOp::REDUCE | CollectiveOp::GATHER | CollectiveOp::GATHERV
                if root.is_some() =>
            {
                (None, root)
            }
            _ => (last, None),
        };
        for part in parts {
            let (from, to) = (source.unwrap_or(part), sink.unwrap_or(part));
            if from.location != to.location {
                let (from, to) = ((from.location, from.begin), (to.location, to.end));
                let (kind, detail) = (LinkKind::Collective, part.what.bytes);
                self.links.push(Link { kind, from, to, detail });
            }
        }
    }
}
