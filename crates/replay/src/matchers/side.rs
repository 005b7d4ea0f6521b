//! What is open in a process that sends and receives messages: requests, sends that are not
//! complete, the order of receives.

use std::collections::BTreeMap;

use pompeii_model::ProcessId;

use crate::compound::MessageEnd;
use crate::hash::Table;
use crate::matchers::call::CallId;
use crate::matchers::message_order::Order;

/// What tells messages apart that are matched in their order: communicator, sender, receiver, tag.
pub(crate) type Key = (u32, ProcessId, ProcessId, u32);

/// How a send is completed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    /// By the call that sends.
    Call(CallId),
    /// By a later call with this request.
    Request(u64),
}

/// The side of the sender, until the send is complete and its receive is known.
#[derive(Debug)]
struct Sending {
    key: Key,
    by: By,
    /// The other end; `Some(None)` if it is known that the trace does not have it.
    post: Option<Option<MessageEnd>>,
}

/// Requests of a process of which no completion is known. A program may free requests, and they are
/// never complete then; the oldest ones are given up.
const REQUESTS_MAX: usize = 100_000;

/// What is open in a process.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// Where the receives of requests were posted.
    posts: BTreeMap<u64, MessageEnd>,
    /// The sends of requests.
    requests: Table<u64, u64>,
    sends: u64,
    sending: BTreeMap<u64, Sending>,
    /// The order of receives.
    pub(crate) order: Order,
    /// A probe that found the message that is received next.
    pub(crate) probe: Option<CallId>,
}

impl Side {
    /// The calls of which another process may turn out to have waited for one.
    pub(crate) fn ends(&self) -> impl Iterator<Item = &MessageEnd> {
        let known = self.sending.values().filter_map(|sending| sending.post.as_ref()?.as_ref());
        self.posts.values().chain(known)
    }

    /// A receive is posted.
    pub(crate) fn post(&mut self, request: u64, end: MessageEnd) {
        self.posts.insert(request, end);
        if self.posts.len() > REQUESTS_MAX {
            self.posts.pop_first();
        }
    }

    /// Where a receive was posted that is complete.
    pub(crate) fn take_post(&mut self, request: u64) -> Option<MessageEnd> {
        self.posts.remove(&request)
    }

    /// A send begins; its number.
    pub(crate) fn begin_send(&mut self, key: Key, by: By) -> u64 {
        let number = self.sends;
        self.sends += 1;
        self.sending.insert(number, Sending { key, by, post: None });
        if let By::Request(request) = by {
            // A request of the same number that was never completed is not completed any more.
            if let Some(before) = self.requests.insert(request, number) {
                self.sending.remove(&before);
            }
            if self.requests.len() > REQUESTS_MAX {
                self.give_up();
            }
        }
        number
    }

    fn give_up(&mut self) {
        let request = |(number, sending): (&u64, &Sending)| match sending.by {
            By::Request(request) => Some((*number, request)),
            By::Call(_) => None,
        };
        if let Some((number, request)) = self.sending.iter().find_map(request) {
            self.sending.remove(&number);
            self.requests.remove(&request);
        }
    }

    /// A call completes the send of a request. Returns the other end as far as it is known; `None`
    /// if the trace does not have the send.
    pub(crate) fn complete_send(
        &mut self,
        request: u64,
        call: CallId,
    ) -> Option<Option<Option<MessageEnd>>> {
        let number = self.requests.remove(&request)?;
        let sending = self.sending.get_mut(&number)?;
        sending.by = By::Call(call);
        let post = sending.post;
        if post.is_some() {
            self.sending.remove(&number);
        }
        Some(post)
    }

    /// The other end of a send is known. Returns the call that completes the send, if the trace has
    /// it already.
    pub(crate) fn received(&mut self, number: u64, post: Option<MessageEnd>) -> Option<CallId> {
        let sending = self.sending.get_mut(&number)?;
        match sending.by {
            By::Request(_) => {
                sending.post = Some(post);
                None
            }
            By::Call(call) => {
                self.sending.remove(&number);
                Some(call)
            }
        }
    }

    /// A request is cancelled. Returns its send, if it is one.
    pub(crate) fn cancel(&mut self, request: u64) -> Option<(Key, u64)> {
        self.posts.remove(&request);
        let number = self.requests.remove(&request)?;
        let sending = self.sending.remove(&number)?;
        Some((sending.key, number))
    }
}
