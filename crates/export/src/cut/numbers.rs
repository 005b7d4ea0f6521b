//! Which records belong together follows from their numbers: the n-th message of a channel that is
//! received is the n-th that was sent, and the n-th operation of a process on a communicator is the
//! n-th of all its members. If one side of a message or an operation is before the begin of the
//! cut, the record of the other side is left out, because it would have the number of another one.
//! The communicator of a non-blocking collective operation is known only when it is complete.
//! Therefore the cut has none of them if one is under way at its begin.

use std::collections::{HashMap, HashSet};

use pompeii_model::{LocationId, ProcessId};
use pompeii_otf2::enums::IoOperationFlag;
use pompeii_otf2::event::Event;
use pompeii_replay::definitions::{Definitions, Resource};
use pompeii_replay::hash::Table;

/// Messages with a number of their own: communicator, sender, receiver, tag.
type Channel = (u32, ProcessId, ProcessId, u32);

/// Records of a channel before the begin of the cut.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    sends: u64,
    receives: u64,
}

/// Numbers of records.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    channels: Table<Channel, Ends>,
    /// Operations that a process has ended before the begin of the cut; since then those that
    /// others have ended there, and it has not.
    operations: Table<(u32, ProcessId), u64>,
    non_blocking: NonBlocking,
}

/// Non-blocking collective operations before the begin of the cut.
#[derive(Debug, Default)]
struct NonBlocking {
    /// Requests that are not complete.
    open: HashSet<(ProcessId, u64)>,
    /// Operations that a process has completed.
    complete: HashMap<(u32, ProcessId), u64>,
    are_left_out: bool,
}

impl NonBlocking {
    fn count(&mut self, process: ProcessId, event: &Event) {
        match event {
            Event::NonBlockingCollectiveRequest(it) => {
                self.open.insert((process, it.request_id));
            }
            Event::NonBlockingCollectiveComplete(it) => {
                self.open.remove(&(process, it.request_id));
                *self.complete.entry((it.communicator.0, process)).or_default() += 1;
            }
            _ => {}
        }
    }

    fn begin(&mut self, definitions: &Definitions) {
        let mut of_comms: HashMap<u32, Vec<u64>> = HashMap::new();
        for (&(comm, _), &number) in &self.complete {
            of_comms.entry(comm).or_default().push(number);
        }
        let is_under_way = |(comm, numbers): (&u32, &Vec<u64>)| {
            let comm = definitions.comms.get(comm).filter(|comm| !comm.is_self);
            let size = comm.map_or(numbers.len(), |it| it.members.len() + it.remote.len());
            numbers.len() != size || numbers.windows(2).any(|pair| pair[0] != pair[1])
        };
        self.are_left_out = !self.open.is_empty() || of_comms.iter().any(is_under_way);
    }
}

impl Numbers {
    /// An event before the begin of the cut; `begun` is the collective operation that the location
    /// is in.
    pub fn count(
        &mut self,
        definitions: &Definitions,
        (location, begun): (LocationId, Option<&Event>),
        event: &Event,
    ) {
        let process = definitions.system.locations[location].process;
        self.non_blocking.count(process, event);
        if let Some((channel, is_send)) = channel(definitions, location, event) {
            let ends = self.channels.entry(channel).or_default();
            let end = if is_send { &mut ends.sends } else { &mut ends.receives };
            *end += 1;
        } else if let Some(CollectiveEnd(Some(comm))) = ends(definitions, begun, event) {
            if definitions.comms.get(&comm).is_none_or(|comm| comm.is_self) {
                return;
            }
            *self.operations.entry((comm, process)).or_default() += 1;
        }
    }

    /// The cut begins. From now on there is only what is to be left out.
    pub fn begin(&mut self, definitions: &Definitions) {
        self.non_blocking.begin(definitions);
        self.operations = late_operations(definitions, &self.operations);
        self.channels.retain(|_, ends| {
            let both = ends.sends.min(ends.receives);
            // What one side has more is missing on the other one.
            *ends = Ends { sends: ends.receives - both, receives: ends.sends - both };
            ends.sends + ends.receives > 0
        });
    }

    /// Whether the other side of all further records is in the cut, too, but for non-blocking
    /// collective operations.
    #[inline]
    pub fn leave_nothing_out(&self) -> bool {
        self.channels.is_empty() && self.operations.is_empty()
    }

    /// Whether the other side of a record in the cut is before its begin.
    pub fn is_late(
        &mut self,
        definitions: &Definitions,
        (location, begun): (LocationId, Option<&Event>),
        event: &Event,
    ) -> bool {
        if is_non_blocking(event) {
            return self.non_blocking.are_left_out;
        }
        if self.leave_nothing_out() {
            return false;
        }
        if let Some((channel, is_send)) = channel(definitions, location, event) {
            let Some(ends) = self.channels.get_mut(&channel) else { return false };
            let end = if is_send { &mut ends.sends } else { &mut ends.receives };
            let is_late = *end > 0;
            *end = end.saturating_sub(1);
            if ends.sends + ends.receives == 0 {
                self.channels.remove(&channel);
            }
            return is_late;
        }
        let Some(CollectiveEnd(Some(comm))) = ends(definitions, begun, event) else { return false };
        let key = (comm, definitions.system.locations[location].process);
        let Some(number) = self.operations.get_mut(&key) else { return false };
        *number -= 1;
        if *number == 0 {
            self.operations.remove(&key);
        }
        true
    }
}

/// How many operations each process has not ended that another member of the communicator has.
fn late_operations(
    definitions: &Definitions,
    ended: &Table<(u32, ProcessId), u64>,
) -> Table<(u32, ProcessId), u64> {
    let mut most: Table<u32, u64> = Table::default();
    for (&(comm, _), &number) in ended {
        let of_comm = most.entry(comm).or_default();
        *of_comm = (*of_comm).max(number);
    }
    let mut late = Table::default();
    for (id, most) in most {
        let Some(comm) = definitions.comms.get(&id) else { continue };
        let members = comm.members.iter().chain(&comm.remote);
        for location in members.filter_map(|member| definitions.system.locations.get(*member)) {
            let process = location.process;
            let number = most - ended.get(&(id, process)).copied().unwrap_or(0);
            if number > 0 {
                late.insert((id, process), number);
            }
        }
    }
    late
}

/// Whether a non-blocking collective operation begins or is complete.
fn is_non_blocking(event: &Event) -> bool {
    matches!(
        event,
        Event::NonBlockingCollectiveRequest(_) | Event::NonBlockingCollectiveComplete(_)
    )
}

/// The channel of a send or a receive, and whether it is a send.
fn channel(
    definitions: &Definitions,
    location: LocationId,
    event: &Event,
) -> Option<(Channel, bool)> {
    let (comm, peer, tag, is_send) = match event {
        Event::MpiSend(it) => (it.communicator, it.receiver, it.msg_tag, true),
        Event::MpiIsend(it) => (it.communicator, it.receiver, it.msg_tag, true),
        Event::MpiRecv(it) => (it.communicator, it.sender, it.msg_tag, false),
        Event::MpiIrecv(it) => (it.communicator, it.sender, it.msg_tag, false),
        _ => return None,
    };
    let own = definitions.system.locations[location].process;
    let peer = definitions.peer(location, comm.0, peer)?;
    let (from, to) = if is_send { (own, peer) } else { (peer, own) };
    Some(((comm.0, from, to, tag), is_send))
}

/// Whether a collective operation begins, on a communicator, a window or a file.
pub(super) fn begins(event: &Event) -> bool {
    match event {
        Event::MpiCollectiveBegin(_) | Event::RmaCollectiveBegin(_) => true,
        // Of a non-blocking operation, the process goes on without the others.
        Event::IoOperationBegin(it) => it.operation_flags.0 == IoOperationFlag::COLLECTIVE.0,
        _ => false,
    }
}

/// The end of a collective operation, with its communicator.
pub(super) struct CollectiveEnd(Option<u32>);

/// Whether an event is the end of a collective operation. `begun` is the begin of the one that the
/// location is in: operations on files that are not collective have the same records.
pub(super) fn ends(
    definitions: &Definitions,
    begun: Option<&Event>,
    event: &Event,
) -> Option<CollectiveEnd> {
    match (event, begun) {
        (Event::MpiCollectiveEnd(it), _) => Some(CollectiveEnd(Some(it.communicator.0))),
        (Event::RmaCollectiveEnd(it), _) => {
            Some(CollectiveEnd(definitions.resource(Resource::Window, it.win.0)))
        }
        (Event::IoOperationComplete(it), Some(Event::IoOperationBegin(begun))) => {
            let is_it = (begun.handle, begun.matching_id) == (it.handle, it.matching_id);
            is_it.then(|| CollectiveEnd(definitions.resource(Resource::File, it.handle.0)))
        }
        _ => None,
    }
}
