//! Messages: late senders, late receivers, and messages that are received in the wrong order.
//!
//! The n-th message that a process sends to another one with a communicator and a tag is the n-th
//! that the other one receives. Both ends of a message tell what they know to the *call* that can
//! wait for the other end: the function of MPI that completes the receive, or the send. A call that
//! completes several messages waits for the last of them. Therefore it is judged as a whole, when
//! it has ended and the other ends of its messages are known. This needs no order between
//! processes: a clock error may put a receive before its send.

use std::collections::HashSet;
use std::sync::Arc;

use pompeii_model::{Id, LocationId, ProcessId, RegionId};

use crate::compound::{Compound, Delivery, MessageEnd, MessageVisit};
use crate::definitions::Definitions;
use crate::engine::mail::{Letters, Mail, Notice};
use crate::engine::matcher::{Found, FoundAt, Matcher};
use crate::engine::open::Open;
use crate::engine::record::{CollectiveEnd, ForeignCancel, LAST, Message, Moment, Rec, What};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::matchers::call::{Call, CallId, Calls, Kind};
use crate::matchers::icollective::{Answer, Operations};
use crate::matchers::message_order::Received;
use crate::matchers::queues::Queues;
use crate::matchers::side::{By, Key, Side};
use crate::place::Place;
use crate::table;
use crate::transport::dealt::Dealt;

/// A send that has not been received.
#[derive(Debug)]
struct Sent {
    end: MessageEnd,
    time: u64,
    /// Which send of its process it is.
    number: u64,
}

impl Sent {
    /// Its record.
    fn moment(&self) -> Moment {
        (self.time, self.end.at.location)
    }
}

/// A receive whose send is not known.
#[derive(Debug)]
struct Waiting {
    /// `None` if the trace does not have the post of its request.
    post: Option<MessageEnd>,
    call: CallId,
    /// Which receive of its process it is.
    number: u64,
    /// The probe that has found it.
    probe: Option<CallId>,
    /// The call that completes it, and the time of its record.
    at: (Place, u64),
}

/// Messages that are on their way, and calls that wait for what is known of them.
#[derive(Debug, Default)]
pub struct Messages {
    kinds: Vec<Option<Kind>>,
    calls: Calls,
    /// By process.
    sides: Vec<Side>,
    sends: Queues<Key, Sent>,
    receives: Queues<Key, Waiting>,
    operations: Operations,
    /// Messages whose other end is in no location of the trace, or not known.
    lost: u64,
    gaps: Gapped,
    away: Option<Away>,
}

/// Messages between processes of this rank of the analysis and those of others. Their ends meet on
/// the rank of the receiver.
#[derive(Debug)]
struct Away {
    dealt: Arc<Dealt>,
    /// Sends of a process to another one, where only one of them is of this rank.
    serials: Table<(ProcessId, ProcessId), u64>,
    /// Sends of this rank that have not been received, by their serials, with their calls.
    sent: Table<(ProcessId, ProcessId, u64), (u64, MessageEnd)>,
    notices: Vec<(usize, Notice)>,
}

impl Away {
    fn serial(&mut self, from: ProcessId, to: ProcessId) -> u64 {
        let serial = self.serials.entry((from, to)).or_default();
        *serial += 1;
        *serial
    }
}

/// Processes that were not recorded all the time.
#[derive(Debug, Default)]
struct Gapped {
    /// Recording was off: messages of that time may have one end only.
    off: HashSet<ProcessId>,
    /// Records were dropped, so it is not known which message is which.
    dropped: HashSet<ProcessId>,
}

impl Gapped {
    fn is_known(&self, one: ProcessId, other: ProcessId) -> bool {
        !self.dropped.contains(&one) && !self.dropped.contains(&other)
    }

    /// Whether a send may be that of a receive whose call ended then. If both processes were
    /// recorded all the time, it is, whatever the clocks say.
    fn may_fit(&self, key: &Key, sent: &Sent, receive: &Waiting, calls: &Calls) -> bool {
        let (_, from, to, _) = key;
        let leave = calls.get(receive.call).and_then(|call| call.leave);
        let is_too_late = leave.is_some_and(|leave| leave < sent.end.enter);
        !is_too_late || !self.off.contains(from) && !self.off.contains(to)
    }
}

impl Matcher for Messages {
    const TOPICS: Topics = Topics::CALLS.with(Topics::MESSAGES).with(Topics::GAPS);
    const TABLES: &'static [table::Kind] = &[table::Kind::Messages, table::Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        let process = definitions.system.locations[record.location].process;
        match record.what {
            What::Off => drop(self.gaps.off.insert(process)),
            What::Dropped => drop(self.gaps.dropped.insert(process)),
            What::MpiEnter { region } => {
                let kind = self.kind(definitions, region);
                self.calls.enter(record, kind);
            }
            What::MpiLeave { since, .. } => {
                if let Some(call) = self.calls.leave(record, since) {
                    self.end_probe(process, call, found);
                    self.judge(call, found);
                    self.look_at_order(process, found);
                }
            }
            What::Send(message) => self.send(definitions, (record, process), message, None, found),
            What::Isend(message) => {
                let request = Some(message.request);
                self.send(definitions, (record, process), message, request, found);
            }
            What::IsendComplete(request) => self.complete_send((record, process), request),
            What::IrecvRequest(request) => {
                if let Some(post) = self.current_end(record.location, 0) {
                    self.side(process).post(request, post);
                }
            }
            What::Recv(message) => {
                let post = self.current_end(record.location, message.bytes);
                self.receive(definitions, (record, process), (message, post), found);
            }
            What::Irecv(message) => {
                let post = self.side(process).take_post(message.request);
                self.receive(definitions, (record, process), (message, post), found);
            }
            What::RequestCancelled(request) => self.cancel(process, request),
            What::ForeignSend { message, enter } => {
                self.foreign_send(definitions, (record, process), (message, enter), found);
            }
            What::ForeignCancel(ForeignCancel { receiver, comm, tag, serial }) => {
                let key = (comm, process, receiver, tag);
                self.sends.retain(key, |sent| sent.number != serial);
            }
            What::IcollectiveRequest(request) => {
                let call = self.calls.current(record.location);
                if let Some(call) = call.and_then(|call| self.calls.get(call)) {
                    let begin = (call.end(0), call.kind != Kind::Neighbours);
                    self.operations.begin(process, request, begin);
                }
            }
            What::Icollective { request, end } => {
                self.complete_operation(definitions, (record, process), (request, end), found);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, found: Found<'_>) -> u64 {
        let unpaired = (self.sends.len() + self.receives.len()) as u64;
        // A call is judged by what is known of it: another end that the trace does not have can
        // only add to its waiting.
        for call in self.calls.unjudged() {
            if let Some(open) = self.calls.get_mut(call) {
                (open.receives_open, open.sends_open, open.operations_open) = (0, 0, 0);
            }
            self.judge(call, found);
        }
        for side in &mut self.sides {
            side.order.end();
            side.order.look(&mut self.calls, found);
        }
        unpaired + self.lost + self.operations.incomplete()
    }

    fn share(&mut self, dealt: &Arc<Dealt>) {
        let (serials, sent, notices) = (Table::default(), Table::default(), Vec::new());
        self.away = Some(Away { dealt: dealt.clone(), serials, sent, notices });
        self.operations.share(dealt);
    }

    fn send(&mut self, mail: &mut Mail) {
        if let Some(away) = &mut self.away {
            away.notices.drain(..).for_each(|(rank, notice)| mail[rank].notices.push(notice));
        }
        self.operations.send(mail);
    }

    fn receive(&mut self, definitions: &Definitions, letters: &Letters, found: FoundAt<'_>) {
        for notice in &letters.notices {
            let Notice { sender, receiver, serial, post, known } = *notice;
            let away = self.away.as_mut();
            let number = away.and_then(|away| away.sent.remove(&(sender, receiver, serial)));
            if let Some((number, _)) = number {
                self.received(sender, (number, post, known), found);
            }
        }
        let mut answers: Vec<Answer> = letters.answered.iter().copied().map(Answer::of).collect();
        for asked in &letters.asked {
            self.operations.ask(definitions, *asked, &mut answers);
        }
        self.answer(definitions, answers, found);
    }

    fn open(&self, open: &mut Open) {
        for call in self.calls.kept().filter(|call| !call.is_judged()) {
            open.waiting(call.at.location, call.enter);
            call.others().for_each(|end| open.causing(end.at.location, end.enter));
        }
        let sends = self.sends.values().map(|sent| &sent.end);
        let receives = self.receives.values().filter_map(|receive| receive.post.as_ref());
        let sides = self.sides.iter().flat_map(Side::ends);
        let away = self.away.iter().flat_map(|away| {
            let posts = away.notices.iter().filter_map(|(_, notice)| notice.post.as_ref());
            away.sent.values().map(|(_, end)| end).chain(posts)
        });
        let ends = sends.chain(receives).chain(sides).chain(away).chain(self.operations.begins());
        ends.for_each(|end| open.causing(end.at.location, end.enter));
    }
}

impl Messages {
    fn kind(&mut self, definitions: &Definitions, region: RegionId) -> Kind {
        let place = region.index();
        if place >= self.kinds.len() {
            self.kinds.resize(place + 1, None);
        }
        *self.kinds[place].get_or_insert_with(|| Kind::of(&definitions.regions[region].name))
    }

    fn side(&mut self, process: ProcessId) -> &mut Side {
        let place = process.0 as usize;
        if place >= self.sides.len() {
            self.sides.resize_with(place + 1, Side::default);
        }
        &mut self.sides[place]
    }

    /// The current call of a location as one end of a message.
    fn current_end(&self, location: LocationId, bytes: u64) -> Option<MessageEnd> {
        let call = self.calls.get(self.calls.current(location)?)?;
        Some(call.end(bytes))
    }

    fn send(
        &mut self,
        definitions: &Definitions,
        (record, process): (&Rec, ProcessId),
        message: Message,
        request: Option<u64>,
        found: Found<'_>,
    ) {
        let Some(call) = self.calls.current(record.location) else { return };
        let Some(end) = self.current_end(record.location, message.bytes) else { return };
        let to = definitions.peer(record.location, message.comm, message.peer);
        let away = self.away.as_mut().filter(|away| to.is_some_and(|to| !away.dealt.has(to)));
        let serial = away.zip(to).map(|(away, to)| away.serial(process, to));
        let Some(to) = to.filter(|to| self.gaps.is_known(process, *to)) else {
            self.lost += 1;
            return;
        };
        let key = (message.comm, process, to, message.tag);
        let by = request.map_or(By::Call(call), By::Request);
        let number = self.side(process).begin_send(key, by);
        if let (None, Some(call)) = (request, self.calls.get_mut(call)) {
            call.sends_open += 1;
        }
        if let (Some(serial), Some(away)) = (serial, &mut self.away) {
            away.sent.insert((process, to, serial), (number, end));
            return;
        }
        self.meet(key, Sent { end, time: record.time, number }, found);
    }

    /// A process of another rank sends to one of this rank.
    fn foreign_send(
        &mut self,
        definitions: &Definitions,
        (record, process): (&Rec, ProcessId),
        (message, enter): (Message, u64),
        found: Found<'_>,
    ) {
        let to = definitions.peer(record.location, message.comm, message.peer);
        let (Some(to), Some(away)) = (to, &mut self.away) else { return };
        let number = away.serial(process, to);
        // The rank of the sender counts it as lost.
        if self.gaps.is_known(process, to) {
            let end = MessageEnd { at: record.place(), enter, bytes: message.bytes };
            let key = (message.comm, process, to, message.tag);
            self.meet(key, Sent { end, time: record.time, number }, found);
        }
    }

    /// A send meets its receive, or waits for it.
    fn meet(&mut self, key: Key, sent: Sent, found: Found<'_>) {
        match self.next_receive(&key, &sent, found) {
            Some(receive) => self.pair(key, sent, receive, found),
            None => self.sends.push(key, sent),
        }
    }

    /// The receive of a message. Those that cannot be its receive have a send without a record.
    fn next_receive(&mut self, key: &Key, sent: &Sent, found: Found<'_>) -> Option<Waiting> {
        let to = key.2;
        loop {
            let receive = self.receives.pop(*key)?;
            if self.gaps.may_fit(key, sent, &receive, &self.calls) {
                return Some(receive);
            }
            self.lost += 1;
            if let Some(call) = self.calls.get_mut(receive.call) {
                call.receives_open -= 1;
                call.know_receive(sent.moment());
            }
            self.side(to).order.unknown(receive.number);
            self.judge(receive.call, found);
            if let Some(probe) = receive.probe {
                self.answer_probe(probe, None, found);
            }
            self.look_at_order(to, found);
        }
    }

    fn complete_send(&mut self, (record, process): (&Rec, ProcessId), request: u64) {
        let Some(call) = self.calls.current(record.location) else { return };
        let known = self.side(process).complete_send(request, call);
        let (Some(known), Some(call)) = (known, self.calls.get_mut(call)) else { return };
        match known {
            Some(post) => call.posts.extend(post),
            None => call.sends_open += 1,
        }
    }

    fn receive(
        &mut self,
        definitions: &Definitions,
        (record, process): (&Rec, ProcessId),
        (message, post): (Message, Option<MessageEnd>),
        found: Found<'_>,
    ) {
        let Some(call) = self.calls.current(record.location) else { return };
        let from = definitions.peer(record.location, message.comm, message.peer);
        let Some(from) = from.filter(|from| self.gaps.is_known(process, *from)) else {
            self.lost += 1;
            return;
        };
        if let Some(call) = self.calls.get_mut(call) {
            call.receives_open += 1;
            call.in_order += 1;
        }
        let post = post.map(|post| MessageEnd { bytes: message.bytes, ..post });
        let probe = self.probe_of(process, post);
        let number = self.side(process).order.receive(call);
        let key = (message.comm, from, process, message.tag);
        let receive = Waiting { post, call, number, probe, at: (record.place(), record.time) };
        match self.sends.pop(key) {
            Some(sent) => self.pair(key, sent, receive, found),
            None => self.receives.push(key, receive),
        }
    }

    /// The probe that has found a message, if its receive was posted after a probe.
    fn probe_of(&mut self, process: ProcessId, post: Option<MessageEnd>) -> Option<CallId> {
        let probe = self.side(process).probe?;
        let call = self.calls.get(probe)?;
        let is_after = post.is_some_and(|post| Some(post.enter) >= call.leave);
        self.side(process).probe.take_if(|_| is_after)
    }

    /// Both ends of a message are known.
    fn pair(&mut self, key: Key, sent: Sent, receive: Waiting, found: Found<'_>) {
        let (comm, from, to, tag) = key;
        let (send, sent_at, (at, received)) = (sent.end, sent.time, receive.at);
        let (post, known) = (receive.post, sent.moment().max((received, at.location)));
        found(Compound::Delivery(Delivery { comm, tag, send, sent: sent_at, post, at, received }));
        if let Some(call) = self.calls.get_mut(receive.call) {
            call.receives_open -= 1;
            call.know_receive(known);
            if call.latest_send.is_none_or(|latest| latest.enter < sent.end.enter) {
                call.latest_send = Some(sent.end);
            }
        }
        let received = Received { sent: sent.time, source: from, end: sent.end };
        self.side(to).order.matched(receive.number, received);
        self.judge(receive.call, found);
        if let Some(probe) = receive.probe {
            self.answer_probe(probe, Some(sent.end), found);
        }
        self.look_at_order(to, found);
        match self.away.as_mut().filter(|away| !away.dealt.has(from)) {
            Some(away) => {
                let (sender, receiver, serial) = (from, to, sent.number);
                let notice = Notice { sender, receiver, serial, post, known };
                away.notices.push((away.dealt.of(from), notice));
            }
            None => self.received(from, (sent.number, post, known), &mut |_, it| found(it)),
        }
    }

    /// A process learns where a message was received that it has sent.
    fn received(
        &mut self,
        from: ProcessId,
        (number, post, known): (u64, Option<MessageEnd>, Moment),
        found: FoundAt<'_>,
    ) {
        let Some(id) = self.side(from).received(number, post) else { return };
        if let Some(call) = self.calls.get_mut(id) {
            call.sends_open -= 1;
            call.posts.extend(post);
            call.know_send(known);
        }
        self.judge_at(id, from, found);
    }

    /// More is known of the other ends of a call. Another rank may have found it before.
    fn judge_at(&mut self, id: CallId, process: ProcessId, found: FoundAt<'_>) {
        let [senders, receivers] = self.calls.get(id).map_or([LAST; 2], Call::known);
        let mut found = |compound: Compound| {
            let is_receiver = matches!(compound, Compound::LateReceiver(_));
            found(if is_receiver { receivers } else { senders }, compound);
        };
        self.judge(id, &mut found);
        self.look_at_order(process, &mut found);
    }

    /// A call completes a non-blocking collective operation.
    fn complete_operation(
        &mut self,
        definitions: &Definitions,
        (record, process): (&Rec, ProcessId),
        operation: (u64, CollectiveEnd),
        found: Found<'_>,
    ) {
        let Some(call) = self.calls.current(record.location) else { return };
        let mut answers: Vec<Answer> = Vec::new();
        let completes = (process, call, record.moment());
        if !self.operations.complete(definitions, completes, operation, &mut answers) {
            return;
        }
        if let Some(call) = self.calls.get_mut(call) {
            call.operations_open += 1;
        }
        self.answer(definitions, answers, &mut |_, compound| found(compound));
    }

    /// It is known whom calls have needed in non-blocking collective operations.
    fn answer(&mut self, definitions: &Definitions, answers: Vec<Answer>, found: FoundAt<'_>) {
        for Answer { call: id, needed, known } in answers {
            let Some(call) = self.calls.get_mut(id) else { continue };
            call.operations_open -= 1;
            call.know_receive(known);
            if call.latest_operation.map(|it| it.rank()) < needed.map(|it| it.rank()) {
                call.latest_operation = needed;
            }
            let location = call.at.location;
            self.judge_at(id, definitions.system.locations[location].process, found);
        }
    }

    fn cancel(&mut self, process: ProcessId, request: u64) {
        // No receive gets a message that was cancelled.
        if let Some((key, number)) = self.side(process).cancel(request) {
            self.sends.retain(key, |sent| sent.number != number);
        }
    }

    /// A probe has ended: it has waited for the message that its process receives next, if that
    /// message was sent meanwhile.
    fn end_probe(&mut self, process: ProcessId, id: CallId, found: Found<'_>) {
        let Some(call) = self.calls.get_mut(id).filter(|call| call.kind == Kind::Probe) else {
            return;
        };
        call.receives_open += 1;
        if let Some(before) = self.side(process).probe.replace(id) {
            self.answer_probe(before, None, found);
        }
    }

    /// The message is known that a probe has found, or that it cannot be known.
    fn answer_probe(&mut self, id: CallId, sent: Option<MessageEnd>, found: Found<'_>) {
        let Some(call) = self.calls.get_mut(id) else { return };
        call.receives_open -= 1;
        let leave = call.leave.unwrap_or(0);
        call.latest_send = sent.filter(|sent| sent.enter < leave);
        self.judge(id, found);
    }

    /// A call has ended, or more is known of its messages.
    fn judge(&mut self, id: CallId, found: Found<'_>) {
        let Some(call) = self.calls.get_mut(id) else { return };
        if call.leave.is_none() {
            return;
        }
        if call.late_sender.is_none() && call.receives_open + call.operations_open == 0 {
            wait_for_senders(call, found);
        }
        if call.late_sender.is_some() && call.sends_open == 0 {
            wait_for_receivers(call, found);
            self.calls.judged(id);
        }
    }

    fn look_at_order(&mut self, process: ProcessId, found: Found<'_>) {
        let place = process.0 as usize;
        if let Some(side) = self.sides.get_mut(place) {
            side.order.look(&mut self.calls, found);
        }
    }
}

/// All processes are known that a call may have waited for, but receivers.
fn wait_for_senders(call: &mut Call, found: Found<'_>) {
    let is_test = call.kind == Kind::Test;
    let (sender, operation) = (call.latest_send, call.latest_operation);
    let ticks = |end: Option<MessageEnd>| match end {
        Some(end) if !is_test => call.ticks_until(end.enter),
        _ => 0,
    };
    let (for_sender, for_operation) = (ticks(sender), ticks(operation));
    // The call has waited for the last of all.
    let in_operation = for_operation > for_sender;
    match (sender, operation) {
        (_, Some(operation)) if in_operation => {
            found(Compound::Icollective(visit(call, operation)));
        }
        (Some(sender), _) if for_sender > 0 => found(Compound::LateSender(visit(call, sender))),
        _ => {}
    }
    call.waits_in_operation = in_operation;
    call.late_sender = Some(if in_operation { 0 } else { for_sender });
}

/// All receives are known of the sends that a call completes.
fn wait_for_receivers(call: &Call, found: Found<'_>) {
    let waits_for_others = call.late_sender != Some(0) || call.waits_in_operation;
    match call.kind {
        Kind::Test | Kind::Sendrecv => return,
        Kind::Several | Kind::Neighbours | Kind::Other if waits_for_others => return,
        _ => {}
    }
    // A receive that is posted after the call has ended cannot have kept it.
    let is_late = |post: &&MessageEnd| {
        post.enter > call.enter && call.leave.is_some_and(|leave| post.enter < leave)
    };
    let mut latest: Option<MessageEnd> = None;
    for post in call.posts.iter().filter(is_late) {
        if latest.is_none_or(|latest| latest.rank() < post.rank()) {
            latest = Some(*post);
        }
    }
    if let Some(latest) = latest {
        found(Compound::LateReceiver(visit(call, latest)));
    }
}

fn visit(call: &Call, partner: MessageEnd) -> MessageVisit {
    // Only calls that have ended are judged.
    let leave = call.leave.unwrap_or(call.enter);
    MessageVisit { at: call.at, enter: call.enter, leave, partner }
}
