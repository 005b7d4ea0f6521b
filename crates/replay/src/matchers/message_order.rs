//! Messages in the wrong order: a process waited for a late sender, and receives later a message
//! that was sent before the one that it waited for. If it had received them in the order in which
//! they were sent, it would have waited less.
//!
//! Received messages are looked at in the order of the receives in their process. The turn of a
//! message comes when its send is known and the call that received it is judged. Late senders are
//! remembered until a message that was sent before is found, the last hundred of a process at most.

use std::collections::VecDeque;

use pompeii_model::ProcessId;

use crate::compound::{Compound, MessageEnd, MessageVisit};
use crate::engine::matcher::Found;
use crate::matchers::call::{CallId, Calls, Kind};

/// Late senders that a process remembers.
const REMEMBERED: usize = 100;

/// What is known of a message when its send is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// Time of the send's record.
    pub(crate) sent: u64,
    /// The process that sends.
    pub(crate) source: ProcessId,
    /// The sending call.
    pub(crate) end: MessageEnd,
}

/// A message that its receiver waited for.
#[derive(Clone, Copy, Debug)]
struct Late {
    received: Received,
    visit: MessageVisit,
}

/// A message in the order of receives.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// Its send is not known yet.
    Awaited,
    /// Its send will not be known.
    Unknown,
    /// Its send is known.
    Matched(Received),
}

/// The received messages of a process.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Messages whose turn has not come, by the call that receives them.
    queue: VecDeque<(CallId, Turn)>,
    /// Number of the first one in the queue.
    first: u64,
    late: VecDeque<Late>,
    /// No late message was sent after this time, so most messages need no look at all of them.
    late_sent_max: u64,
    /// The last one of a call that completes several messages: they all are received at its end.
    of_call: Option<(u64, Late)>,
    has_ended: bool,
}

impl Order {
    /// A message is received; its number.
    pub(crate) fn receive(&mut self, call: CallId) -> u64 {
        self.queue.push_back((call, Turn::Awaited));
        self.first + self.queue.len() as u64 - 1
    }

    /// The send of a message is known.
    pub(crate) fn matched(&mut self, number: u64, received: Received) {
        self.set(number, Turn::Matched(received));
    }

    /// The send of a message will not be known.
    pub(crate) fn unknown(&mut self, number: u64) {
        self.set(number, Turn::Unknown);
    }

    fn set(&mut self, number: u64, turn: Turn) {
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        if let Some((_, message)) = place.and_then(|place| self.queue.get_mut(place)) {
            *message = turn;
        }
    }

    /// No more messages are matched.
    pub(crate) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Looks at the messages whose turn has come.
    pub(crate) fn look(&mut self, calls: &mut Calls, found: Found<'_>) {
        while let Some(&(call, turn)) = self.queue.front() {
            let is_judged = calls.get(call).is_some_and(|call| call.late_sender.is_some());
            if !self.has_ended && (matches!(turn, Turn::Awaited) || !is_judged) {
                break;
            }
            self.queue.pop_front();
            self.first += 1;
            if let (Turn::Matched(received), true) = (turn, is_judged) {
                self.take(calls, (call, received), found);
            }
            calls.ordered(call);
        }
    }

    fn remember(&mut self, late: Late) {
        self.late_sent_max = self.late_sent_max.max(late.received.sent);
        self.late.push_back(late);
    }

    fn take(&mut self, calls: &Calls, (id, received): (CallId, Received), found: Found<'_>) {
        let Some(call) = calls.get(id) else { return };
        let (Some(leave), Some(late_sender)) = (call.leave, call.late_sender) else { return };
        if call.kind != Kind::Test {
            if let Some((_, late)) = self.of_call.take_if(|(serial, _)| *serial != call.serial) {
                self.remember(late);
            }
            let ticks = call.ticks_until(received.end.enter);
            if ticks > 0 && ticks == late_sender {
                let partner = received.end;
                let visit = MessageVisit { at: call.at, enter: call.enter, leave, partner };
                let late = Late { received, visit };
                match call.kind {
                    Kind::Several => self.of_call = Some((call.serial, late)),
                    _ => self.remember(late),
                }
            }
            let forgotten = self.late.len().saturating_sub(REMEMBERED);
            self.late.drain(..forgotten);
        }
        if received.sent >= self.late_sent_max {
            return;
        }
        self.late_sent_max = received.sent;
        self.late.retain(|late| {
            let is_overtaken = late.received.sent > received.sent;
            if is_overtaken {
                let same_source = late.received.source == received.source;
                found(Compound::WrongOrder { visit: late.visit, same_source });
            }
            !is_overtaken
        });
    }
}
