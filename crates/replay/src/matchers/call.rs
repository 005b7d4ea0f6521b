//! Calls of MPI functions, as far as messages need them: a call is kept until all is known of the
//! messages that it completes.

use pompeii_model::{Id, LocationId};

use crate::compound::MessageEnd;
use crate::engine::record::{Moment, Rec};
use crate::place::Place;

/// What the name of a function tells about waiting in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It returns at once, whether the request is complete or not.
    Test,
    /// A blocking send.
    Send,
    /// It waits until a message is there, which is received later.
    Probe,
    /// It sends and receives, and waits for both.
    Sendrecv,
    /// It waits for one or several of many requests, which are complete when it returns.
    Several,
    /// A collective operation with neighbours: the trace does not have who they are.
    Neighbours,
    /// Any other function.
    Other,
}

impl Kind {
    /// The kind of a function.
    pub(crate) fn of(name: &str) -> Kind {
        match name {
            "MPI_Send" | "MPI_Ssend" => Kind::Send,
            "MPI_Probe" | "MPI_Mprobe" => Kind::Probe,
            "MPI_Waitall" | "MPI_Waitsome" | "MPI_Waitany" => Kind::Several,
            _ if name.starts_with("MPI_Sendrecv") => Kind::Sendrecv,
            _ if name.starts_with("MPI_Test") => Kind::Test,
            _ if name.starts_with("MPI_Neighbor") => Kind::Neighbours,
            _ if name.starts_with("MPI_Ineighbor") => Kind::Neighbours,
            _ => Kind::Other,
        }
    }
}

/// The number of a call. It is used again when the call is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(usize);

impl CallId {
    /// As a plain number.
    pub(crate) fn number(self) -> u64 {
        self.0 as u64
    }

    /// The call of a number.
    pub(crate) fn of(number: u64) -> CallId {
        CallId(usize::try_from(number).unwrap_or(usize::MAX))
    }
}

/// A visit of an MPI function.
#[derive(Debug)]
pub(crate) struct Call {
    /// Counts all calls.
    pub(crate) serial: u64,
    pub(crate) at: Place,
    pub(crate) enter: u64,
    pub(crate) leave: Option<u64>,
    pub(crate) kind: Kind,
    /// Receives that it completes whose sends are not known.
    pub(crate) receives_open: u32,
    /// Sends that it completes whose receives are not known.
    pub(crate) sends_open: u32,
    /// Non-blocking collective operations that it completes and others have not.
    pub(crate) operations_open: u32,
    /// Of the processes that these operations need, the one that began last.
    pub(crate) latest_operation: Option<MessageEnd>,
    /// Of the messages received, the send that began last.
    pub(crate) latest_send: Option<MessageEnd>,
    /// Where the sends that it completes are received.
    pub(crate) posts: Vec<MessageEnd>,
    /// Ticks of waiting for a late sender, when this is known.
    pub(crate) late_sender: Option<u64>,
    /// It waited for other processes in a collective operation.
    pub(crate) waits_in_operation: bool,
    /// Received messages whose order has not been looked at.
    pub(crate) in_order: u32,
    /// The latest records at which something became known of what it receives, and of its sends.
    receives_known: Moment,
    sends_known: Moment,
    is_done: bool,
}

impl Call {
    /// Something of what it receives became known at a record.
    pub(crate) fn know_receive(&mut self, at: Moment) {
        self.receives_known = self.receives_known.max(at);
    }

    /// The other end of a send became known at a record.
    pub(crate) fn know_send(&mut self, at: Moment) {
        self.sends_known = self.sends_known.max(at);
    }

    /// The records at which its waiting for senders was known, and that for receivers, which is
    /// judged after it.
    pub(crate) fn known(&self) -> [Moment; 2] {
        [self.receives_known, self.receives_known.max(self.sends_known)]
    }

    /// Whether all is known of its waiting.
    pub(crate) fn is_judged(&self) -> bool {
        self.is_done
    }

    /// The calls of other processes for which it may have waited, as far as they are known.
    pub(crate) fn others(&self) -> impl Iterator<Item = &MessageEnd> {
        self.latest_send.iter().chain(&self.latest_operation).chain(&self.posts)
    }

    /// How long the call waits until `time`, if it has ended.
    pub(crate) fn ticks_until(&self, time: u64) -> u64 {
        self.leave.map_or(0, |leave| time.min(leave).saturating_sub(self.enter))
    }

    /// The call as one end of a message.
    pub(crate) fn end(&self, bytes: u64) -> MessageEnd {
        MessageEnd { at: self.at, enter: self.enter, bytes }
    }
}

/// All calls that are open, or not judged.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    entered: u64,
    calls: Vec<Option<Call>>,
    free: Vec<usize>,
    /// By location.
    open: Vec<Vec<CallId>>,
}

/// Calls inside of calls: more are those of a damaged trace, which are never left.
const DEEPEST: usize = 64;

impl Calls {
    /// A location enters a function.
    pub(crate) fn enter(&mut self, record: &Rec, kind: Kind) {
        self.entered += 1;
        let call = Call {
            serial: self.entered,
            at: record.place(),
            enter: record.time,
            leave: None,
            kind,
            receives_open: 0,
            sends_open: 0,
            operations_open: 0,
            latest_operation: None,
            latest_send: None,
            posts: Vec::new(),
            late_sender: None,
            waits_in_operation: false,
            in_order: 0,
            receives_known: (0, LocationId(0)),
            sends_known: (0, LocationId(0)),
            is_done: false,
        };
        let place = self.free.pop().unwrap_or_else(|| {
            self.calls.push(None);
            self.calls.len() - 1
        });
        self.calls[place] = Some(call);
        let location = record.location.index();
        if location >= self.open.len() {
            self.open.resize_with(location + 1, Vec::new);
        }
        let open = &mut self.open[location];
        open.push(CallId(place));
        if open.len() > DEEPEST {
            let outermost = open.remove(0);
            self.abandon(outermost);
        }
    }

    /// A location leaves a function; `None` if it has not entered it.
    pub(crate) fn leave(&mut self, record: &Rec, since: u64) -> Option<CallId> {
        let calls = &mut self.calls;
        let open = self.open.get_mut(record.location.index())?;
        let place = open.iter().rposition(|id| {
            let call = calls.get(id.0).and_then(Option::as_ref);
            call.is_some_and(|call| call.at.node == record.node && call.enter == since)
        })?;
        let inside = open.split_off(place + 1);
        let left = open.pop()?;
        if let Some(call) = &mut calls[left.0] {
            call.leave = Some(record.time);
        }
        inside.into_iter().for_each(|id| self.abandon(id));
        Some(left)
    }

    /// The innermost call of a location.
    pub(crate) fn current(&self, location: LocationId) -> Option<CallId> {
        self.open.get(location.index())?.last().copied()
    }

    /// A call that is kept.
    pub(crate) fn get(&self, id: CallId) -> Option<&Call> {
        self.calls.get(id.0)?.as_ref()
    }

    /// A call that is kept, to be changed.
    pub(crate) fn get_mut(&mut self, id: CallId) -> Option<&mut Call> {
        self.calls.get_mut(id.0)?.as_mut()
    }

    /// All is said about the call but the order of its messages.
    pub(crate) fn judged(&mut self, id: CallId) {
        if let Some(call) = self.get_mut(id) {
            call.is_done = true;
        }
        self.forget_if_unused(id);
    }

    /// The order of a message that the call has received is known.
    pub(crate) fn ordered(&mut self, id: CallId) {
        if let Some(call) = self.get_mut(id) {
            call.in_order -= 1;
        }
        self.forget_if_unused(id);
    }

    /// A call is never left: nothing is known of its waiting.
    fn abandon(&mut self, id: CallId) {
        if let Some(call) = self.get_mut(id) {
            call.late_sender = Some(0);
        }
        self.forget_if_unused(id);
    }

    fn forget_if_unused(&mut self, id: CallId) {
        let is_used = |call: &Call| {
            let is_open = call.leave.is_some() && !call.is_done;
            let open = call.receives_open + call.sends_open + call.operations_open;
            is_open || call.in_order + open > 0
        };
        if self.get(id).is_some_and(|call| !is_used(call)) {
            self.calls[id.0] = None;
            self.free.push(id.0);
        }
    }

    /// All calls that are kept.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().flatten()
    }

    /// Calls that have ended and are not judged, by their begin and location.
    pub(crate) fn unjudged(&self) -> Vec<CallId> {
        let calls = self.calls.iter().enumerate();
        let open = calls.filter_map(|(place, call)| {
            let call = call.as_ref().filter(|call| call.leave.is_some() && !call.is_done)?;
            Some((call.enter, call.at.location, CallId(place)))
        });
        let mut open: Vec<_> = open.collect();
        open.sort_unstable();
        open.into_iter().map(|(.., id)| id).collect()
    }
}
