//! Non-blocking collective operations. The call that completes one may wait until the processes
//! whose data it needs have begun the operation.
//!
//! The k-th such operation that a process begins on a communicator is the k-th of all its members.
//! The communicator is known only when the operation is complete, and operations may be completed
//! in another order than they were begun. Therefore an operation gets its number when all of its
//! process that were begun before it are complete.

use std::collections::VecDeque;
use std::sync::Arc;

use pompeii_model::ProcessId;

use crate::compound::MessageEnd;
use crate::definitions::Definitions;
use crate::engine::mail::{Answered, Asked, Mail};
use crate::engine::record::{CollectiveEnd, LAST, Moment};
use crate::hash::Table;
use crate::matchers::call::CallId;
use crate::matchers::collective::{Kind, kind};
use crate::transport::dealt::Dealt;

/// An operation that a process has begun.
#[derive(Debug)]
struct Begun {
    request: u64,
    begin: MessageEnd,
    /// All members of the communicator take part with each other.
    is_of_all: bool,
    /// The call that completes it, and what is known then.
    done: Option<(CallId, CollectiveEnd)>,
}

/// What is known of the waiting of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub(crate) call: CallId,
    /// `None` if it waits for no other process.
    pub(crate) needed: Option<MessageEnd>,
    /// The record at which it became known.
    pub(crate) known: Moment,
}

impl Answer {
    pub(crate) fn of(answered: Answered) -> Answer {
        let Answered { call, needed, known } = answered;
        Answer { call: CallId::of(call), needed, known }
    }
}

/// Operations of this number of a process are looked at: a request may be freed, and is then never
/// complete.
const BEGUN_MAX: usize = 10_000;

/// Operations that are not complete in all processes.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    begun: Table<ProcessId, VecDeque<Begun>>,
    numbers: Table<(u32, ProcessId), u64>,
    open: Table<(u32, u64), Vec<Asked>>,
    away: Option<Away>,
}

/// Other ranks of the analysis, and what they must know.
#[derive(Debug)]
struct Away {
    dealt: Arc<Dealt>,
    asked: Vec<(usize, Asked)>,
    answered: Vec<(usize, Answered)>,
}

impl Operations {
    /// A process begins an operation; the flag is false if it is one of neighbours only.
    pub(crate) fn begin(
        &mut self,
        process: ProcessId,
        request: u64,
        (begin, is_of_all): (MessageEnd, bool),
    ) {
        let begun = self.begun.entry(process).or_default();
        begun.push_back(Begun { request, begin, is_of_all, done: None });
        if begun.len() > BEGUN_MAX
            && let Some(freed) = begun.iter().position(|one| one.done.is_none())
        {
            begun.remove(freed);
        }
    }

    /// A call completes the operation of a request; false if the trace does not have its begin.
    pub(crate) fn complete(
        &mut self,
        definitions: &Definitions,
        (process, call, known): (ProcessId, CallId, Moment),
        (request, end): (u64, CollectiveEnd),
        answers: &mut Vec<Answer>,
    ) -> bool {
        let begun = self.begun.entry(process).or_default();
        let is_it = |one: &&mut Begun| one.request == request && one.done.is_none();
        let Some(one) = begun.iter_mut().find(is_it) else { return false };
        one.done = Some((call, end));
        let home = self.away.as_ref().map_or(0, |away| away.dealt.rank) as u32;
        let mut all: Vec<Asked> = Vec::new();
        while let Some(&Begun { begin, is_of_all, done: Some((call, end)), .. }) = begun.front() {
            begun.pop_front();
            let number = self.numbers.entry((end.comm, process)).or_default();
            *number += 1;
            let comm = definitions.comms.get(&end.comm);
            let rank = comm.and_then(|comm| definitions.rank(comm, process));
            let size = comm.map_or(0, |comm| comm.members.len() + comm.remote.len());
            let (Some(rank), 2.., true) = (rank, size, is_of_all) else {
                answers.push(Answer { call, needed: None, known });
                continue;
            };
            let (key, call, rank) = ((end.comm, *number), call.number(), rank as u32);
            all.push(Asked { key, begin, call, end, rank, home, known });
        }
        for asked in all {
            let comm = asked.key.0;
            match &mut self.away {
                Some(away) if away.dealt.of_number(comm) != away.dealt.rank => {
                    away.asked.push((away.dealt.of_number(comm), asked));
                }
                _ => self.ask(definitions, asked, answers),
            }
        }
        true
    }

    /// A process has completed an operation. If it is the last one, all calls get their answers.
    pub(crate) fn ask(
        &mut self,
        definitions: &Definitions,
        asked: Asked,
        answers: &mut Vec<Answer>,
    ) {
        let comm = definitions.comms.get(&asked.key.0);
        let size = comm.map_or(0, |comm| comm.members.len() + comm.remote.len());
        let parts = self.open.entry(asked.key).or_default();
        parts.push(asked);
        if parts.len() < size {
            return;
        }
        for (home, answer) in resolve(self.open.remove(&asked.key).unwrap_or_default()) {
            match &mut self.away {
                Some(away) if away.dealt.rank != home as usize => {
                    away.answered.push((home as usize, answer));
                }
                _ => answers.push(Answer::of(answer)),
            }
        }
    }

    /// Several ranks of the analysis work on the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        let (asked, answered) = (Vec::new(), Vec::new());
        self.away = Some(Away { dealt: dealt.clone(), asked, answered });
    }

    /// What other ranks must know.
    pub(crate) fn send(&mut self, mail: &mut Mail) {
        let Some(away) = &mut self.away else { return };
        away.asked.drain(..).for_each(|(rank, asked)| mail[rank].asked.push(asked));
        away.answered.drain(..).for_each(|(rank, answer)| mail[rank].answered.push(answer));
    }

    /// The calls that have begun the operations which are not complete, or of which other ranks do
    /// not know yet that they are.
    pub(crate) fn begins(&self) -> impl Iterator<Item = &MessageEnd> {
        let begun = self.begun.values().flatten().map(|one| &one.begin);
        let away = self.away.iter().flat_map(|away| {
            let answered = away.answered.iter().filter_map(|(_, answer)| answer.needed.as_ref());
            away.asked.iter().map(|(_, asked)| &asked.begin).chain(answered)
        });
        begun.chain(self.open.values().flatten().map(|part| &part.begin)).chain(away)
    }

    /// The trace ends: the number of operations that are not complete.
    pub(crate) fn incomplete(&self) -> u64 {
        let begun: usize = self.begun.values().map(VecDeque::len).sum();
        (begun + self.open.len()) as u64
    }
}

/// All members have completed an operation: who waited for whom? The answers with the ranks that
/// have asked.
fn resolve(mut parts: Vec<Asked>) -> Vec<(u32, Answered)> {
    parts.sort_by_key(|part| part.rank);
    let sends = |part: &&Asked| part.end.sent > 0;
    let known = parts.iter().map(|part| part.known).max().unwrap_or(LAST);
    let (last, last_sender) = (latest(parts.iter()), latest(parts.iter().filter(sends)));
    let mut last_before: Option<&Asked> = None;
    let mut answers = Vec::with_capacity(parts.len());
    for part in &parts {
        last_before = latest(last_before.into_iter().chain(Some(part).filter(sends)));
        let root = parts.binary_search_by_key(&part.end.root, |other| other.rank);
        let root = root.ok().map(|place| &parts[place]);
        let is_root = root.is_some_and(|root| root.rank == part.rank);
        let receives = part.end.received > 0;
        let needed = match kind(part.end.op) {
            Kind::Barrier => last,
            Kind::AllToAll if receives => last_sender,
            Kind::OneToAll if receives && !is_root => root.filter(sends),
            Kind::AllToOne if is_root => last_sender,
            Kind::Scan => last_before,
            _ => None,
        };
        let needed = needed.map(|needed| needed.begin);
        answers.push((part.home, Answered { call: part.call, needed, known }));
    }
    answers
}

/// The part that begins last; of equal ones that of the lowest rank.
fn latest<'p>(parts: impl Iterator<Item = &'p Asked>) -> Option<&'p Asked> {
    parts.fold(None, |latest: Option<&Asked>, part| {
        latest.filter(|latest| latest.begin.enter >= part.begin.enter).or(Some(part))
    })
}
