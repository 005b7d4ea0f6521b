//! The rules for records of MPI.

use super::definitions::{Known, KnownRegion};
use super::location::Location;
use super::tasks::Process;
use super::{Found, Rule};
use crate::event::{Event, ROOT_THIS_GROUP};
use crate::reference::CommRef;

/// What of MPI is under way on a location.
#[derive(Debug, Default)]
pub(super) struct Calls {
    is_collective: bool,
    /// A communicator has come into being or ended outside of a collective operation.
    changes_alone: bool,
}

impl Calls {
    /// A function of MPI is left.
    pub fn leave(&mut self, name: &str, process: &Process, found: &mut Found<'_>) {
        if process.is_known_in_part {
            return;
        }
        if self.is_collective {
            found.add(Rule::Mpi, format!("{name} is left inside of its collective operation"));
        }
        let is_for_all = matches!(name, "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize");
        if is_for_all && self.changes_alone {
            let text = format!("{name} makes or frees communicators outside of a collective one");
            found.add(Rule::Mpi, text);
        }
        *self = Calls::default();
    }
}

/// Checks a record, if it is one of MPI's; `region` is the one that it lies in.
pub(super) fn event(
    event: &Event,
    (location, region): (&mut Location, Option<&KnownRegion>),
    known: &Known,
    process: &mut Process,
    found: &mut Found<'_>,
) {
    let Some((communicator, rank)) = takes_part(event) else { return };
    if !process.is_known_in_part && region.is_none_or(|region| !region.is_mpi) {
        found.add(Rule::Mpi, format!("{} outside of the functions of MPI", event.name()));
    }
    match event {
        Event::MpiCollectiveBegin(_)
            if std::mem::replace(&mut location.mpi.is_collective, true) =>
        {
            found.add(Rule::Mpi, "a collective operation begins inside of another one");
        }
        Event::MpiCollectiveEnd(_)
            if !std::mem::take(&mut location.mpi.is_collective) && !process.is_known_in_part =>
        {
            found.add(Rule::Mpi, "a collective operation ends that has not begun");
        }
        Event::CommCreate(_) | Event::CommDestroy(_) => {
            location.mpi.changes_alone |= !location.mpi.is_collective;
        }
        _ => {}
    }
    if let Some(communicator) = communicator {
        members(event, (communicator, rank), (location, known), found);
        is_there(event, communicator, known, process, found);
    }
}

/// The communicator and the rank that a record of MPI names; `None` for other records.
fn takes_part(event: &Event) -> Option<(Option<CommRef>, Option<u32>)> {
    let root = |root: u32| (root < ROOT_THIS_GROUP).then_some(root);
    Some(match event {
        Event::MpiSend(of) => (Some(of.communicator), Some(of.receiver)),
        Event::MpiIsend(of) => (Some(of.communicator), Some(of.receiver)),
        Event::MpiRecv(of) => (Some(of.communicator), Some(of.sender)),
        Event::MpiIrecv(of) => (Some(of.communicator), Some(of.sender)),
        Event::MpiCollectiveEnd(of) => (Some(of.communicator), root(of.root)),
        Event::NonBlockingCollectiveComplete(of) => (Some(of.communicator), root(of.root)),
        Event::CommCreate(of) => (Some(of.communicator), None),
        Event::CommDestroy(of) => (Some(of.communicator), None),
        Event::MpiCollectiveBegin(_) | Event::MpiIsendComplete(_) | Event::MpiIrecvRequest(_) => {
            (None, None)
        }
        _ => return None,
    })
}

fn members(
    event: &Event,
    (id, rank): (CommRef, Option<u32>),
    (location, known): (&Location, &Known),
    found: &mut Found<'_>,
) {
    let Some(comm) = known.comm(id) else {
        let text = format!("{} names communicator {id}, which is not defined", event.name());
        return found.add(Rule::Members, text);
    };
    if !known.is_member(comm, location.id) {
        found.add(Rule::Members, format!("this process is no member of communicator {id}"));
    }
    if let Some(rank) = rank.filter(|&rank| u64::from(rank) >= comm.size()) {
        let (name, size) = (event.name(), comm.size());
        let text = format!("{name} names rank {rank} of communicator {id}, which has {size}");
        found.add(Rule::Members, text);
    }
}

/// A communicator with events of its own is used between its creation and its end.
fn is_there(
    event: &Event,
    id: CommRef,
    known: &Known,
    process: &mut Process,
    found: &mut Found<'_>,
) {
    if process.is_known_in_part || !known.comm(id).is_some_and(|comm| comm.has_events) {
        return;
    }
    let was_there = process.comms.get(&id).copied();
    let text = match (event, was_there) {
        (Event::CommCreate(_), Some(true)) => "comes into being a second time",
        (Event::CommDestroy(_), None | Some(false)) => "ends and is not there",
        (Event::CommCreate(_) | Event::CommDestroy(_), _) | (_, Some(true)) => "",
        // Whoever frees one says afterwards that all have done so.
        (Event::MpiCollectiveEnd(end), Some(false)) if end.collective_op.0 == 18 => "",
        // What has begun before may be complete afterwards.
        (Event::MpiIrecv(_) | Event::NonBlockingCollectiveComplete(_), Some(false)) => "",
        (_, Some(false)) => "is used after its end",
        (_, None) => "is used before it has come into being",
    };
    if !text.is_empty() {
        found.add(Rule::Mpi, format!("communicator {id} {text}"));
    }
    match event {
        Event::CommCreate(_) => process.comms.insert(id, true),
        Event::CommDestroy(_) => process.comms.insert(id, false),
        _ => None,
    };
}
