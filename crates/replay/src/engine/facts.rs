//! Which records of a rank other ranks need, when each of them matches those of its own locations:
//!
//! * A send to a process of another rank, and its cancellation, go to that rank.
//! * The part of a process in a collective operation goes to the rank of its communicator.
//! * The begin and the end of MPI go to the first rank.
//! * A call that has to do with a window goes to the rank of the window, and to that of the process
//!   whose memory it accesses.
//! * What counters count for several locations goes to the rank of its scope.
//! * Times without records go to all, because they end what is known of numbers.
//!
//! They are found before anything is matched, and go to the others in the same exchange as the
//! window. So each rank has all records that it needs in the order (time, location), and matches
//! them as a single rank does.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pompeii_model::{Id, LocationId, ProcessId, RegionId};

use crate::definitions::Definitions;
use crate::engine::record::{
    Access, EVERY_RANK, ForeignCancel, Message, NONE, Rec, What, WindowCall,
};
use crate::matchers::collective::is_management;
use crate::transport::dealt::Dealt;

/// Calls inside of calls: more are those of a damaged trace, which are never left.
const DEEPEST: usize = 64;

/// Requests of sends that are remembered: those of a program that frees them are never complete.
const REQUESTS_MAX: usize = 100_000;

/// What a function of MPI is, as far as facts depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Management,
    Neighbours,
    Other,
}

/// What is open on the locations of this rank.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    functions: Vec<Option<Function>>,
    /// The open calls of MPI, with their begins.
    calls: HashMap<LocationId, Vec<Rec>>,
    begins: HashMap<LocationId, u64>,
    with_neighbours: HashSet<LocationId>,
    /// Sends of a process to another one of another rank.
    serials: HashMap<(ProcessId, ProcessId), u64>,
    /// Those that are not complete.
    requests: BTreeMap<(ProcessId, u64), ForeignCancel>,
}

/// The ranks that need a call, each of them once.
fn ranks_of(
    definitions: &Definitions,
    dealt: &Dealt,
    location: LocationId,
    WindowCall { window, access, .. }: WindowCall,
) -> BTreeSet<usize> {
    let mut ranks = BTreeSet::from([dealt.of_number(window)]);
    match access {
        Access::Lock { target: EVERY_RANK, .. } | Access::Unlock(EVERY_RANK) => {
            ranks.extend(definitions.processes(window).map(|process| dealt.of(process)));
        }
        Access::Lock { target, .. }
        | Access::Unlock(target)
        | Access::Flush(target)
        | Access::Transfer(target) => {
            let process = definitions.peer(location, window, target);
            ranks.extend(process.map(|process| dealt.of(process)));
        }
        Access::Post(_) | Access::Start(_) | Access::Complete | Access::Wait | Access::Tested => {}
    }
    ranks
}

impl Facts {
    /// Takes the next record of this rank; `to` gets what another rank needs, with its number.
    pub(crate) fn record(
        &mut self,
        (definitions, dealt): (&Definitions, &Dealt),
        record: &Rec,
        to: &mut dyn FnMut(usize, Rec),
    ) {
        let process = definitions.system.locations[record.location].process;
        let all = (0..dealt.ranks).filter(|rank| *rank != dealt.rank);
        match record.what {
            What::Off | What::Dropped => all.for_each(|rank| to(rank, *record)),
            What::Level(level) => to(dealt.of_number(level.scope), *record),
            What::MpiEnter { region } => self.enter(definitions, record, region, to),
            What::MpiLeave { region, since } => {
                self.with_neighbours.remove(&record.location);
                self.leave(record, since);
                if self.function(definitions, region) == Function::Management {
                    to(0, *record);
                }
            }
            What::WindowCall(call) => {
                let ranks = ranks_of(definitions, dealt, record.location, call);
                ranks.into_iter().for_each(|rank| to(rank, *record));
            }
            What::CollectiveBegin => drop(self.begins.insert(record.location, record.time)),
            What::CollectiveEnd(end) => {
                let begin = self.begins.remove(&record.location);
                let is_known = !self.with_neighbours.contains(&record.location);
                let begin = begin.filter(|_| is_known).unwrap_or(NONE);
                let what = What::ForeignEnd { begin, end };
                to(dealt.of_number(end.comm), Rec { what, ..*record });
            }
            What::Send(message) | What::Isend(message) => {
                let receiver = definitions.peer(record.location, message.comm, message.peer);
                if let Some(receiver) = receiver.filter(|receiver| !dealt.has(*receiver)) {
                    self.send(record, (process, receiver), message, |rec| {
                        to(dealt.of(receiver), rec);
                    });
                }
            }
            What::IsendComplete(request) if self.call(record.location).is_some() => {
                self.requests.remove(&(process, request));
            }
            What::RequestCancelled(request) => {
                if let Some(cancel) = self.requests.remove(&(process, request)) {
                    let what = What::ForeignCancel(cancel);
                    to(dealt.of(cancel.receiver), Rec { what, ..*record });
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, definitions: &Definitions, region: RegionId) -> Function {
        let place = region.index();
        if place >= self.functions.len() {
            self.functions.resize(place + 1, None);
        }
        *self.functions[place].get_or_insert_with(|| {
            let name = definitions.regions[region].name.as_str();
            match name.starts_with("MPI_Neighbor") {
                true => Function::Neighbours,
                false if is_management(name) => Function::Management,
                false => Function::Other,
            }
        })
    }

    fn enter(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        region: RegionId,
        to: &mut dyn FnMut(usize, Rec),
    ) {
        let calls = self.calls.entry(record.location).or_default();
        calls.push(*record);
        if calls.len() > DEEPEST {
            calls.remove(0);
        }
        match self.function(definitions, region) {
            Function::Neighbours => drop(self.with_neighbours.insert(record.location)),
            Function::Management => to(0, *record),
            Function::Other => {}
        }
    }

    fn leave(&mut self, record: &Rec, since: u64) {
        let Some(calls) = self.calls.get_mut(&record.location) else { return };
        let is_it = |call: &Rec| call.node == record.node && call.time == since;
        if let Some(place) = calls.iter().rposition(is_it) {
            calls.truncate(place);
        }
    }

    /// The innermost call of a location.
    fn call(&self, location: LocationId) -> Option<&Rec> {
        self.calls.get(&location)?.last()
    }

    fn send(
        &mut self,
        record: &Rec,
        (sender, receiver): (ProcessId, ProcessId),
        message: Message,
        to: impl FnOnce(Rec),
    ) {
        let Some(call) = self.call(record.location).copied() else { return };
        let serial = self.serials.entry((sender, receiver)).or_default();
        *serial += 1;
        if let What::Isend(_) = record.what {
            let Message { comm, tag, .. } = message;
            let cancel = ForeignCancel { receiver, comm, tag, serial: *serial };
            self.requests.insert((sender, message.request), cancel);
            if self.requests.len() > REQUESTS_MAX {
                self.requests.pop_first();
            }
        }
        let what = What::ForeignSend { message, enter: call.time };
        to(Rec { time: record.time, location: record.location, profile: (0, 0), what, ..call });
    }
}
