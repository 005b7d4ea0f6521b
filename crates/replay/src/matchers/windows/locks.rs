//! Locks of windows: a call waits while another process has the lock, or until the process whose
//! memory is accessed calls MPI and makes progress.
//!
//! MPI libraries get a lock when MPI_Win_lock is called, or later with the first operation, or with
//! MPI_Win_unlock. Therefore a call of an epoch waits for another process if that process, which
//! has a lock that excludes this one, begins to give it back while the call lasts.

use std::collections::VecDeque;
use std::sync::Arc;

use pompeii_model::ProcessId;

use super::Call;
use crate::compound::WindowPattern;
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Access, EVERY_RANK, Rec, What, WindowCall};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table::Kind;
use crate::transport::dealt::Dealt;

/// The number of calls that wait for others, and of epochs that are over, which are remembered for
/// each lock. If as many later calls have ended, an earlier call has not waited for an epoch that
/// is still open.
const KEPT: usize = 64;

/// Times outside of MPI that are remembered for each process.
const GAPS_KEPT: usize = 256;

/// An epoch of a process in which it has a lock.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    origin: ProcessId,
    is_exclusive: bool,
    /// When MPI_Win_lock ended.
    locked: u64,
}

impl Epoch {
    fn excludes(&self, other: &Epoch) -> bool {
        self.origin != other.origin && (self.is_exclusive || other.is_exclusive)
    }
}

/// A call of an epoch.
#[derive(Clone, Copy, Debug)]
struct InEpoch {
    epoch: Epoch,
    call: Call,
    is_lock: bool,
}

impl InEpoch {
    /// Whether it may have waited for the end of another epoch. A process that has got a lock while
    /// a later call of this epoch lasted may have got it from this one.
    fn may_wait_for(&self, other: &Epoch) -> bool {
        let is_before = if self.is_lock { self.call.leave } else { self.call.enter };
        self.epoch.excludes(other) && other.locked <= is_before
    }
}

/// Epochs of one lock, or those of all locks of a window.
#[derive(Debug, Default)]
struct Held {
    open: Vec<Epoch>,
    /// The last ones that are over: when the process began to give the lock back, and where.
    over: VecDeque<(Epoch, u64, Place)>,
    /// Calls that may have waited for an open epoch.
    waiting: VecDeque<InEpoch>,
}

impl Held {
    fn give_back(&mut self, origin: ProcessId, call: &Call) -> Option<Epoch> {
        let place = self.open.iter().position(|epoch| epoch.origin == origin)?;
        let epoch = self.open.remove(place);
        self.over.push_back((epoch, call.enter, call.at));
        if self.over.len() > KEPT {
            self.over.pop_front();
        }
        Some(epoch)
    }

    fn epoch_of(&self, origin: ProcessId) -> Option<Epoch> {
        self.open.iter().copied().find(|epoch| epoch.origin == origin)
    }
}

/// When a process was outside of MPI, as far as it is remembered.
#[derive(Debug, Default)]
struct Presence {
    calls: u32,
    outside_since: u64,
    /// Begin, end, and the call that ended it.
    gaps: VecDeque<(u64, u64, Place)>,
}

impl Presence {
    /// The longest time outside of MPI that ended with a call between two times. The process may
    /// have been in MPI at the first one: it left before it made progress for others.
    fn longest_gap(&self, from: u64, to: u64) -> Option<(u64, u64, Place)> {
        let next = self.gaps.partition_point(|(_, end, _)| *end <= from);
        let ended = self.gaps.range(next..).take_while(|(_, end, _)| *end < to);
        let inside = ended.map(|&(begin, end, at)| (begin.max(from), end, at));
        inside.filter(|(begin, end, _)| begin < end).max_by_key(|(begin, end, _)| end - begin)
    }
}

/// A window and the process whose memory is accessed.
type Lock = (u32, ProcessId);

/// All locks of windows.
#[derive(Debug, Default)]
pub struct WindowLocks {
    has_windows: Option<bool>,
    dealt: Option<Arc<Dealt>>,
    locks: Table<Lock, Held>,
    /// Epochs with the locks of all processes of a window.
    of_all: Table<u32, Held>,
    presence: Table<ProcessId, Presence>,
}

impl Matcher for WindowLocks {
    const TOPICS: Topics = Topics::CALLS.with(Topics::WINDOWS);
    const TABLES: &'static [Kind] = &[Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        if !*self.has_windows.get_or_insert_with(|| definitions.has_windows()) {
            return;
        }
        let process = definitions.system.locations[record.location].process;
        match record.what {
            What::MpiEnter { .. } if self.has(process) => {
                let presence = self.presence.entry(process).or_default();
                if presence.calls == 0 {
                    let gap = (presence.outside_since, record.time, record.place());
                    presence.gaps.push_back(gap);
                    if presence.gaps.len() > GAPS_KEPT {
                        presence.gaps.pop_front();
                    }
                }
                presence.calls += 1;
            }
            What::MpiLeave { .. } if self.has(process) => {
                let presence = self.presence.entry(process).or_default();
                presence.calls = presence.calls.saturating_sub(1);
                presence.outside_since = record.time;
            }
            What::WindowCall(call) => self.call(definitions, record, (process, call), found),
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, found: Found<'_>) -> u64 {
        // What they may have waited for has no end.
        let mut locks: Vec<Lock> = self.locks.keys().copied().collect();
        locks.sort_unstable();
        for lock in locks {
            let held = self.locks.entry(lock).or_default();
            let waiting = std::mem::take(&mut held.waiting);
            waiting.iter().for_each(|call| self.finish(lock, call, found));
        }
        0
    }

    fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }
}

impl WindowLocks {
    /// Whether the locks of a process are matched here.
    fn has(&self, process: ProcessId) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.has(process))
    }

    fn call(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (origin, call): (ProcessId, WindowCall),
        found: Found<'_>,
    ) {
        let WindowCall { window, since, access } = call;
        let call = Call::of(record, since);
        let target = match access {
            Access::Lock { target: EVERY_RANK, is_exclusive } => {
                let epoch = Epoch { origin, is_exclusive, locked: call.leave };
                return self.of_all.entry(window).or_default().open.push(epoch);
            }
            Access::Unlock(EVERY_RANK) => return self.unlock_all(window, origin, &call, found),
            Access::Lock { target, .. }
            | Access::Unlock(target)
            | Access::Flush(target)
            | Access::Transfer(target) => target,
            _ => return,
        };
        let target = definitions.peer(record.location, window, target);
        let Some(lock) = target.filter(|it| self.has(*it)).map(|target| (window, target)) else {
            return;
        };
        self.call_on(lock, (origin, access), call, found);
    }

    /// A call that accesses the memory of one process.
    fn call_on(
        &mut self,
        lock: Lock,
        (origin, access): (ProcessId, Access),
        call: Call,
        found: Found<'_>,
    ) {
        let held = self.locks.entry(lock).or_default();
        let own = held.epoch_of(origin);
        let epoch = match access {
            Access::Lock { is_exclusive, .. } => {
                let epoch = Epoch { origin, is_exclusive, locked: call.leave };
                held.open.push(epoch);
                Some(epoch)
            }
            Access::Unlock(_) => held.give_back(origin, &call),
            _ => own.or_else(|| self.of_all.get(&lock.0)?.epoch_of(origin)),
        };
        if let Access::Unlock(_) = access {
            self.settle(lock, found);
        }
        let Some(epoch) = epoch else { return };
        let is_lock = matches!(access, Access::Lock { .. });
        let call = Call { is_transfer: matches!(access, Access::Transfer(_)), ..call };
        let call = InEpoch { epoch, call, is_lock };
        if !self.is_open(lock, &call) {
            return self.finish(lock, &call, found);
        }
        let waiting = &mut self.locks.entry(lock).or_default().waiting;
        waiting.push_back(call);
        if waiting.len() > KEPT
            && let Some(oldest) = waiting.pop_front()
        {
            self.finish(lock, &oldest, found);
        }
    }

    fn unlock_all(&mut self, window: u32, origin: ProcessId, call: &Call, found: Found<'_>) {
        self.of_all.entry(window).or_default().give_back(origin, call);
        let mut locks: Vec<Lock> =
            self.locks.keys().copied().filter(|(of, _)| *of == window).collect();
        locks.sort_unstable();
        locks.into_iter().for_each(|lock| self.settle(lock, found));
    }

    /// Whether a call may have waited for an epoch that is not over.
    fn is_open(&self, lock: Lock, call: &InEpoch) -> bool {
        let held = [self.locks.get(&lock), self.of_all.get(&lock.0)];
        let mut open = held.into_iter().flatten().flat_map(|held| &held.open);
        open.any(|epoch| call.may_wait_for(epoch))
    }

    /// An epoch is over: calls that have waited for no other one are known.
    fn settle(&mut self, lock: Lock, found: Found<'_>) {
        let held = self.locks.entry(lock).or_default();
        for call in std::mem::take(&mut held.waiting) {
            match self.is_open(lock, &call) {
                true => self.locks.entry(lock).or_default().waiting.push_back(call),
                false => self.finish(lock, &call, found),
            }
        }
    }

    /// All epochs are known that a call may have waited for.
    fn finish(&self, lock: Lock, of: &InEpoch, found: Found<'_>) {
        let held = [self.locks.get(&lock), self.of_all.get(&lock.0)];
        let over = held.into_iter().flatten().flat_map(|held| &held.over);
        let waited = over.filter(|(epoch, time, _)| of.may_wait_for(epoch) && of.call.spans(*time));
        let last = waited.max_by_key(|(_, time, at)| (*time, at.location));
        let mut since = of.call.enter;
        if let Some((_, time, at)) = last {
            found(of.call.waits(WindowPattern::Lock, (*time, *at)));
            since = *time;
        }
        let presence = self.presence.get(&lock.1).filter(|_| lock.1 != of.epoch.origin);
        if let Some((begin, end, at)) = presence.and_then(|it| it.longest_gap(since, of.call.leave))
        {
            let rest = Call { enter: begin, ..of.call };
            found(rest.waits(WindowPattern::Progress, (end, at)));
        }
    }
}
