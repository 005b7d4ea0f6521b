//! Late senders, late receivers, messages in the wrong order.

use pompeii_otf2::event::*;

use super::{Seen, Trace};
use crate::generate::world::Waits;

/// A message: places in the list of events, and visits.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub send: usize,
    receive: usize,
    /// The visits that posted the receive, completed it, and completed the send.
    pub posted: usize,
    pub completed: usize,
    pub sent: Option<usize>,
}

/// Communicator, sender, receiver, tag.
type Key = (u32, u64, u64, u32);

impl Trace {
    pub(super) fn messages(&self, waits: &mut Waits) {
        let (messages, operations) = (self.matched(), self.operations());
        let mut in_operations = Vec::new();
        for visit in 0..self.visits.len() {
            let late_sender = self.late_sender(&messages, visit);
            let late_operation = self.waits_for_operations(&operations, visit);
            // A call that completes both has waited for the last of them.
            let in_operation = late_operation > late_sender.max(0);
            let property = if in_operation { "mpi_icollective_wait" } else { "mpi_latesender" };
            self.wait(waits, property, visit, late_sender.max(late_operation));
            if in_operation {
                in_operations.push(visit);
            } else if late_sender > 0 {
                self.count_late_sender(waits, &messages, visit);
            }
            let blocking = matches!(self.name(visit), "MPI_Send" | "MPI_Ssend");
            if blocking || late_sender.max(late_operation) <= 0 {
                let ticks = self.late_receiver(&messages, visit);
                self.wait(waits, "mpi_latereceiver", visit, ticks);
                if ticks > 0 {
                    self.count_late_receiver(waits, &messages, visit);
                }
            }
        }
        for location in self.locations() {
            self.wrong_order(waits, (&messages, &in_operations), location);
        }
    }

    fn send_key(&self, seen: &Seen) -> Option<Key> {
        let (comm, to, tag) = match &seen.event {
            Event::MpiSend(send) => (send.communicator, send.receiver, send.msg_tag),
            Event::MpiIsend(send) => (send.communicator, send.receiver, send.msg_tag),
            _ => return None,
        };
        Some((comm.0, seen.location, self.rank(comm, to, seen.location), tag))
    }

    fn receive_key(&self, seen: &Seen) -> Option<Key> {
        let (comm, from, tag) = match &seen.event {
            Event::MpiRecv(receive) => (receive.communicator, receive.sender, receive.msg_tag),
            Event::MpiIrecv(receive) => (receive.communicator, receive.sender, receive.msg_tag),
            _ => return None,
        };
        Some((comm.0, self.rank(comm, from, seen.location), seen.location, tag))
    }

    /// The n-th send of a key belongs to its n-th receive. In the order of the receives' events.
    pub(super) fn matched(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        for (receive, seen) in self.events.iter().enumerate() {
            let Some(key) = self.receive_key(seen) else { continue };
            let same = |other: &&Seen| self.receive_key(other) == Some(key);
            let before = self.events[..receive].iter().filter(same).count();
            let mut sends = (0..self.events.len())
                .filter(|&number| self.send_key(&self.events[number]) == Some(key));
            let (Some(send), Some(completed)) = (sends.nth(before), seen.visit) else { continue };
            let posted = match &seen.event {
                Event::MpiIrecv(done) => self.request(seen.location, receive, done.request_id),
                _ => Some(completed),
            };
            let sent = match &self.events[send].event {
                Event::MpiIsend(isend) => self.completion(send, isend.request_id),
                _ => self.events[send].visit,
            };
            messages.extend(posted.map(|posted| Message {
                send,
                receive,
                posted,
                completed,
                sent,
            }));
        }
        messages
    }

    /// Length of a message, which its sender tells.
    fn bytes(&self, message: &Message) -> u64 {
        match &self.events[message.send].event {
            Event::MpiSend(send) => send.msg_length,
            Event::MpiIsend(send) => send.msg_length,
            _ => 0,
        }
    }

    /// A late sender counts by the length of the message that was sent last.
    fn count_late_sender(&self, waits: &mut Waits, messages: &[Message], visit: usize) {
        let is_probe = matches!(self.name(visit), "MPI_Probe" | "MPI_Mprobe");
        let next = self.probed_message(messages, visit).filter(|_| is_probe);
        let received = messages.iter().filter(|message| message.completed == visit);
        let begin = |message: &Message| {
            self.events[message.send].visit.map_or(0, |send| self.visits[send].enter)
        };
        // Of several that were sent at the same time it is the first one received.
        let last = received.rev().max_by_key(|message| begin(message));
        if let Some(message) = next.or(last) {
            let count = if self.bytes(message) > 0 { "mpi_cls_count" } else { "mpi_sls_count" };
            self.wait(waits, count, visit, 1);
        }
    }

    /// A late receiver counts by the length of the message that was posted last.
    fn count_late_receiver(&self, waits: &mut Waits, messages: &[Message], visit: usize) {
        let call = &self.visits[visit];
        let posted = |message: &Message| self.visits[message.posted].enter;
        let overlap = |message: &&Message| {
            message.sent == Some(visit) && (call.enter + 1..call.leave).contains(&posted(message))
        };
        // Of several that were posted at the same time any may count: all must be alike.
        let last = messages.iter().filter(overlap).max_by_key(|message| posted(message));
        if let Some(message) = last {
            let count = if self.bytes(message) > 0 { "mpi_clr_count" } else { "mpi_slr_count" };
            self.wait(waits, count, visit, 1);
        }
    }

    /// The visit in which a request was posted: the last one before the receive.
    fn request(&self, location: u64, receive: usize, id: u64) -> Option<usize> {
        let posts = self.on(location).filter(|&(number, seen)| {
            number < receive
                && matches!(&seen.event, Event::MpiIrecvRequest(post) if post.request_id == id)
        });
        posts.last().and_then(|(_, seen)| seen.visit)
    }

    /// The visit in which a send was completed.
    fn completion(&self, send: usize, id: u64) -> Option<usize> {
        let mut ends = self.on(self.events[send].location).filter(|&(number, seen)| {
            number > send
                && matches!(&seen.event, Event::MpiIsendComplete(done) if done.request_id == id)
        });
        ends.next().and_then(|(_, seen)| seen.visit)
    }

    /// Begin of the send - begin of the receive, at most until the receive ends.
    fn lateness(&self, message: &Message) -> i128 {
        let Some(send) = self.events[message.send].visit else { return 0 };
        let receive = &self.visits[message.completed];
        i128::from(self.visits[send].enter.min(receive.leave)) - i128::from(receive.enter)
    }

    /// The most of all messages that a visit receives.
    pub(super) fn late_sender(&self, messages: &[Message], visit: usize) -> i128 {
        if self.name(visit).starts_with("MPI_Test") {
            return 0;
        }
        if matches!(self.name(visit), "MPI_Probe" | "MPI_Mprobe") {
            return self.probed(messages, visit);
        }
        let received = messages.iter().filter(|message| message.completed == visit);
        received.map(|message| self.lateness(message)).max().unwrap_or(0)
    }

    /// How long a probe waits until the message is sent that is received next, if it was sent during
    /// the probe.
    fn probed(&self, messages: &[Message], probe: usize) -> i128 {
        let (enter, leave) = (self.visits[probe].enter, self.visits[probe].leave);
        let next = self.probed_message(messages, probe);
        let sent = next.and_then(|message| self.events[message.send].visit);
        let sent = sent.map_or(0, |sent| self.visits[sent].enter);
        if sent < leave { i128::from(sent) - i128::from(enter) } else { 0 }
    }

    /// The message that is received next after a probe. Another probe may find it again.
    pub(super) fn probed_message<'m>(
        &self,
        messages: &'m [Message],
        probe: usize,
    ) -> Option<&'m Message> {
        let (location, leave) = (self.visits[probe].location, self.visits[probe].leave);
        let ends = self.on(location).filter(|(_, seen)| {
            let is_leave = matches!(&seen.event, Event::Leave(_));
            let is_probe = |visit| matches!(self.name(visit), "MPI_Probe" | "MPI_Mprobe");
            is_leave && seen.visit.is_some_and(|visit| visit == probe || is_probe(visit))
        });
        let mut ends = ends.skip_while(|(_, seen)| seen.visit != Some(probe));
        let (begin, _) = ends.next()?;
        let end = ends.next().map_or(usize::MAX, |(number, _)| number);
        messages.iter().find(|message| {
            self.events[message.receive].location == location
                && (begin..end).contains(&message.receive)
                && self.visits[message.posted].enter >= leave
        })
    }

    /// The most of all messages whose sends a visit completes.
    pub(super) fn late_receiver(&self, messages: &[Message], visit: usize) -> i128 {
        if self.name(visit).starts_with("MPI_Test") || self.name(visit) == "MPI_Sendrecv" {
            return 0;
        }
        let call = &self.visits[visit];
        let posted = |message: &Message| self.visits[message.posted].enter;
        let sent = messages.iter().filter(|message| message.sent == Some(visit));
        let overlaps = sent.filter(|message| call.leave > posted(message));
        let late = overlaps.map(|one| i128::from(posted(one)) - i128::from(call.enter));
        late.max().unwrap_or(0)
    }

    /// A late sender counts if a later receive takes a message that was sent before it. Only the
    /// last hundred late senders of a receiver are remembered.
    fn wrong_order(
        &self,
        waits: &mut Waits,
        (messages, in_operations): (&[Message], &[usize]),
        location: u64,
    ) {
        let here = |message: &&Message| self.events[message.receive].location == location;
        let mut kept: Vec<Message> = Vec::new();
        let mut last_of_call: Option<Message> = None;
        for message in messages.iter().filter(here) {
            let name = self.name(message.completed);
            if !name.starts_with("MPI_Test") {
                if last_of_call.as_ref().is_some_and(|one| one.completed != message.completed) {
                    kept.extend(last_of_call.take());
                }
                let lateness = self.lateness(message);
                let counts = !in_operations.contains(&message.completed);
                let most = self.late_sender(messages, message.completed);
                if counts && lateness > 0 && lateness == most {
                    match name {
                        "MPI_Waitall" | "MPI_Waitsome" | "MPI_Waitany" => {
                            last_of_call = Some(message.clone());
                        }
                        _ => kept.push(message.clone()),
                    }
                }
                kept.drain(..kept.len().saturating_sub(100));
            }
            let sent = self.events[message.send].time;
            let is_older = |one: &Message| self.events[one.send].time > sent;
            for late in kept.iter().filter(|one| is_older(one)) {
                let ticks = self.lateness(late);
                let same = self.events[late.send].location == self.events[message.send].location;
                let part = if same { "mpi_lswo_same" } else { "mpi_lswo_different" };
                self.wait(waits, "mpi_latesender_wo", late.completed, ticks);
                self.wait(waits, part, late.completed, ticks);
                let has_data = self.bytes(late) > 0;
                let count = if has_data { "mpi_clswo_count" } else { "mpi_slswo_count" };
                self.wait(waits, count, late.completed, 1);
            }
            kept.retain(|one| !is_older(one));
        }
    }
}
