//! Which process each call of MPI waits for, and since when: the begin of its call, or of its part in
//! an operation.

use pompeii_otf2::enums::{CollectiveOp, RegionRole};
use pompeii_otf2::event::*;

use super::Trace;
use super::collectives::{Of, Part, begins_part, came_together};
use super::messages::Message;
use super::operations::Operation;

/// A wait in a call of MPI.
#[derive(Clone, Debug)]
pub struct CallWait {
    pub visit: usize,
    /// When the call, or its part in the operation, began, and until when it waited.
    pub begin: u64,
    pub until: u64,
    /// The event with which the other process began.
    pub causer: usize,
    /// In an operation in which all wait for all.
    pub is_of_all: bool,
}

impl Trace {
    /// All waits in calls of MPI, that of MPI_Init included.
    pub fn call_waits(&self) -> Vec<CallWait> {
        let (messages, operations) = (self.matched(), self.operations());
        let mut waits = Vec::new();
        for visit in 0..self.visits.len() {
            let begin = self.visits[visit].enter;
            let other = self.waits_for_call(&messages, &operations, visit);
            let causer = other.and_then(|other| self.enter_of(other));
            waits.extend(causer.map(|causer| self.call_wait(visit, begin, causer, false)));
        }
        for parts in self.instances() {
            let Some(pairs) = self.who_waits(&parts) else { continue };
            let is_of_all = self.is_of_all(&parts);
            for (one, other) in pairs.into_iter().map(|(one, other)| (&parts[one], &parts[other])) {
                let begins = |(_, seen): &(usize, &super::Seen)| {
                    seen.time == other.begin
                        && begins_part(&seen.event)
                        && seen.visit == Some(other.visit)
                };
                let causer = self.on(other.location).find(begins).map(|(place, _)| place);
                let wait = |causer| self.call_wait(one.visit, one.begin, causer, is_of_all);
                waits.extend(causer.map(wait));
            }
        }
        for names in [&["MPI_Init", "MPI_Init_thread"][..], &["MPI_Finalize"][..]] {
            let named = (0..self.visits.len()).filter(|&visit| names.contains(&self.name(visit)));
            let calls: Vec<usize> = named.collect();
            let last = calls.iter().max_by_key(|&&call| self.visits[call].enter);
            let last = last.and_then(|&last| self.enter_of(last));
            let begin = |call: usize| self.visits[call].enter;
            let wait = |call: usize| last.map(|last| self.call_wait(call, begin(call), last, true));
            waits.extend(calls.iter().filter_map(|&call| wait(call)));
        }
        waits.retain(|wait| wait.until > wait.begin);
        waits
    }

    fn call_wait(&self, visit: usize, begin: u64, causer: usize, is_of_all: bool) -> CallWait {
        let until = self.events[causer].time.min(self.visits[visit].leave);
        CallWait { visit, begin, until, causer, is_of_all }
    }

    /// The event with which a visit begins.
    pub(super) fn enter_of(&self, visit: usize) -> Option<usize> {
        let is_enter =
            |seen: &super::Seen| matches!(seen.event, Event::Enter(_)) && seen.visit == Some(visit);
        self.events.iter().position(is_enter)
    }

    /// The call that a call waits for because of messages or non-blocking operations.
    fn waits_for_call(
        &self,
        messages: &[Message],
        operations: &[Operation],
        visit: usize,
    ) -> Option<usize> {
        let late_sender = self.late_sender(messages, visit);
        let late_operation = self.waits_for_operations(operations, visit);
        let enter = |call: &usize| self.visits[*call].enter;
        if late_operation > late_sender.max(0) {
            let completed = operations.iter().filter(|one| one.completed == visit);
            let needed = completed.filter_map(|one| self.needed_begin(operations, one));
            return needed.max_by_key(enter);
        }
        if late_sender > 0 {
            let is_probe = matches!(self.name(visit), "MPI_Probe" | "MPI_Mprobe");
            let next = self.probed_message(messages, visit).filter(|_| is_probe);
            let received = messages.iter().filter(|message| message.completed == visit);
            let sends = next.into_iter().chain(received.filter(|_| !is_probe));
            return sends.filter_map(|message| self.events[message.send].visit).max_by_key(enter);
        }
        if self.late_receiver(messages, visit) > 0 {
            let sent = messages.iter().filter(|message| message.sent == Some(visit));
            let posts = sent.map(|message| message.posted);
            return posts.filter(|post| enter(post) < self.visits[visit].leave).max_by_key(enter);
        }
        None
    }

    /// Operations in which all wait for all: the locations, and when the last one began.
    pub(super) fn operations_of_all(&self) -> Vec<(Vec<u64>, u64)> {
        let operation = |parts: Vec<Part>| {
            let last = parts.iter().map(|part| part.begin).max().unwrap_or(0);
            (parts.iter().map(|part| part.location).collect(), last)
        };
        let mut all: Vec<(Vec<u64>, u64)> =
            self.instances().into_iter().filter(|it| self.is_of_all(it)).map(operation).collect();
        for name in ["MPI_Init", "MPI_Finalize"] {
            let calls = self.visits.iter().enumerate();
            let calls = calls.filter(|(visit, _)| self.name(*visit).starts_with(name));
            let calls: Vec<(u64, u64)> = calls.map(|(_, it)| (it.location, it.enter)).collect();
            let last = calls.iter().map(|(_, enter)| *enter).max().unwrap_or(0);
            all.push((calls.into_iter().map(|(location, _)| location).collect(), last));
        }
        all
    }

    /// Whether all wait for all in an operation.
    fn is_of_all(&self, parts: &[Part]) -> bool {
        if !matches!(parts[0].of, Of::Comm(_)) {
            return came_together(parts);
        }
        let role = self.role(parts[0].visit).1;
        matches!(role, RegionRole::BARRIER | RegionRole::COLL_ALL2ALL)
            || self.name(parts[0].visit).starts_with("MPI_Reduce_scatter")
    }

    /// Pairs of parts of a collective operation: the first one waits for the second one.
    fn who_waits(&self, parts: &[Part]) -> Option<Vec<(usize, usize)>> {
        let record = &parts[0].record;
        let members = self.members(record.communicator);
        let rank = |part: &Part| members.iter().position(|&one| one == part.location);
        let root = members.get(record.root as usize).copied();
        let root = parts.iter().position(|part| Some(part.location) == root);
        let last = |of: &dyn Fn(&Part) -> bool| {
            let those = (0..parts.len()).filter(|&one| of(&parts[one]));
            those.max_by_key(|&one| parts[one].begin)
        };
        let sends = |part: &Part| part.record.size_sent > 0;
        let all = |other: usize| (0..parts.len()).map(|one| (one, other)).collect();
        Some(match (record.collective_op, root) {
            (CollectiveOp::BARRIER, _) if !came_together(parts) => return None,
            (CollectiveOp::BARRIER, _) => all(last(&|_| true)?),
            (CollectiveOp::BCAST | CollectiveOp::SCATTER | CollectiveOp::SCATTERV, Some(root)) => {
                all(root)
            }
            (CollectiveOp::REDUCE | CollectiveOp::GATHER | CollectiveOp::GATHERV, Some(root)) => {
                vec![(root, last(&sends)?)]
            }
            (CollectiveOp::SCAN | CollectiveOp::EXSCAN, _) => {
                let lower =
                    |one: usize| last(&|part| sends(part) && rank(part) <= rank(&parts[one]));
                (0..parts.len()).filter_map(|one| Some((one, lower(one)?))).collect()
            }
            _ => all(last(&sends)?),
        })
    }
}
