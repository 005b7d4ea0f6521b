//! Critical sections and locks: who held them while somebody waited.
//!
//! A lock remembers when it was given back last. Whoever acquires it next has waited for its holder
//! from the request to then, if that is later. The fields are written only by the holder, so they
//! need no atomic operation but their publication, which the lock itself provides.

pub mod lock;
pub mod records;

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{Key, NodeOffset};

use crate::cause::{self, Delay, Place};
use crate::doacross;
use crate::guard;
use crate::location::Location;

pub use lock::{Lock, LockTable, Turn};
pub use records::{record_acquisition, record_release};

/// Whether the lock was given back after somebody has asked for it at `asked`.
#[inline(always)]
pub fn is_contended(lock: &Lock, asked: u64) -> bool {
    lock.released_ticks.load(Relaxed) > asked
}

/// Who has asked at `place` has the lock.
#[inline(always)]
pub fn take(lock: &Lock, place: Place) {
    lock.order.store(lock.next(), Relaxed);
    lock.holder.store(place.word(), Relaxed);
}

/// The thread has asked for the lock at `asked`, at `node`, and has it since `now`, but has not
/// taken it yet: what another thread had it meanwhile was waiting.
#[cold]
pub fn waited(thread: &mut Location, lock: &Lock, node: NodeOffset, (asked, now): (u64, u64)) {
    let holder = holder(lock);
    let wait = lock.released_ticks.load(Relaxed).min(now).saturating_sub(asked);
    if wait > 0 && !holder.is_of(thread.index()) {
        waited_for(thread, node, holder, wait);
    }
}

/// The lock is given back.
#[inline(always)]
pub fn give_back(lock: &Lock, now: u64) {
    lock.released_ticks.store(now, Relaxed);
}

/// The thread has the lock since `now`; it asked for it at the location's last event. The time is
/// accounted to the current node, the one of the request. Whoever waits for a thread whose events
/// are passed over still has to know it.
pub fn acquired(thread: &mut Location, lock: &Lock, now: u64) {
    let asked = thread.header.last_ticks;
    let at = if thread.is_passing() { 0 } else { thread.header.current };
    if at == 0 {
        return take(lock, thread.own);
    }
    let now = thread.account(now);
    if is_contended(lock, asked) {
        waited(thread, lock, at, (asked, now));
    }
    take(lock, thread.own.at(at));
    if thread.tracing && !guard::defer_acquisition(thread, lock, now) {
        record_acquisition(thread, lock, now);
    }
}

/// The thread has waited at `node` for the holder of a lock, or for its turn.
pub fn waited_for(thread: &mut Location, node: NodeOffset, holder: Place, wait: u64) {
    thread.node(node).wait_ticks += wait;
    cause::add(thread, node, holder, Delay { wait, starvation: 0 });
}

/// The thread gives the lock back at `now`.
pub fn released(thread: &mut Location, lock: &Lock, now: u64) {
    // Still with the lock: what is noted in it is this holder's.
    let recorded = thread.tracing && !thread.is_passing();
    let deferred = recorded && guard::defer_release(thread, lock, now);
    give_back(lock, now);
    if recorded && !deferred {
        record_release(thread, lock, now);
    }
}

/// A lock routine has acquired the lock, as [`acquired`].
pub fn locked(thread: &mut Location, lock: &Lock, now: u64) {
    acquired(thread, lock, now);
    lock.taken_ticks.store(thread.header.last_ticks.max(now), Relaxed);
}

/// The thread has acquired at `now` a lock that it has found free, and that it has asked for at
/// `node`. It is not in the trace.
#[inline(always)]
pub fn found_free(thread: &Location, lock: &Lock, node: NodeOffset, now: u64) {
    take(lock, thread.own.at(node));
    lock.taken_ticks.store(now, Relaxed);
}

/// The thread has the lock again that it gave back to wait for a condition. What it has waited for
/// is the condition.
pub fn regained(thread: &mut Location, lock: &Lock, now: u64) {
    found_free(thread, lock, thread.own_place().node(), now);
    if thread.tracing && !thread.is_passing() {
        record_acquisition(thread, lock, now);
    }
}

/// A thread that has found the lock taken so often, and asks for it again, does nothing but that.
const AGAIN: u64 = 2;

/// A test has found the lock at `address` with another thread. Its call path keeps since when it
/// has asked for this lock, and how often.
pub fn refused(thread: &mut Location, lock: &Lock, address: usize) {
    if !thread.is_passing() {
        let (at, asked) = (thread.header.current, thread.header.last_ticks);
        refused_at(thread, (at, asked), lock, address);
    }
}

/// The same of a test at this node that has begun at `asked`.
pub fn refused_at(
    thread: &mut Location,
    (at, asked): (NodeOffset, u64),
    lock: &Lock,
    address: usize,
) {
    let holder = holder(lock);
    if holder.is_of(thread.index()) {
        return;
    }
    let node = thread.node(at);
    if node.created != address as u64 {
        (node.created, node.undeferred, node.last_arrivals) = (address as u64, 0, asked);
    }
    node.undeferred += 1;
}

/// A test has acquired the lock at `address`, and the thread has not taken it yet. If its call path
/// has asked for the same lock several times before, it has waited from the first time on until
/// another thread gave the lock back.
pub fn tested(thread: &mut Location, lock: &Lock, address: usize, now: u64) {
    if !thread.is_passing() {
        let at = thread.header.current;
        tested_at(thread, at, lock, (address, now));
    }
}

/// The same of a test at this node.
pub fn tested_at(thread: &mut Location, at: NodeOffset, lock: &Lock, (address, now): (usize, u64)) {
    let released = lock.released_ticks.load(Relaxed).min(now);
    let node = thread.node(at);
    let (of, times, since) = (node.created, node.undeferred, node.last_arrivals);
    (node.created, node.undeferred, node.last_arrivals) = (0, 0, 0);
    if of == address as u64 && times >= AGAIN {
        node.task_ticks += released.saturating_sub(since);
    }
}

/// A lock routine gives the lock back, as [`released`]. The call path that has asked for it gets
/// the time for which it was held: unlike critical regions, locks have no region of their own for
/// it. A task that goes on in another thread holds its lock, but has its call path no more.
pub fn unlocked(thread: &mut Location, lock: &Lock, now: u64) {
    count_held(thread, lock, now);
    released(thread, lock, now);
}

/// The first part of [`unlocked`]: the lock was held until now.
#[inline(always)]
pub fn count_held(thread: &mut Location, lock: &Lock, now: u64) {
    let holder = holder(lock);
    if holder.is_of(thread.index()) && holder.node() != 0 {
        thread.node(holder.node()).delay_ticks += held(lock, now);
    }
}

/// For how long a lock was held until now.
#[inline(always)]
pub fn held(lock: &Lock, now: u64) -> u64 {
    now.saturating_sub(lock.taken_ticks.load(Relaxed))
}

/// Where the thread asked for the lock that has it or had it last.
#[inline(always)]
pub fn holder(lock: &Lock) -> Place {
    Place::from_word(lock.holder.load(Relaxed))
}

/// Whether the thread has the lock alone. Of locks that threads can share.
pub fn is_exclusive(thread: &Location, lock: &Lock) -> bool {
    let holder = holder(lock);
    holder.is_of(thread.index()) && lock.depth.load(Relaxed) > 0
}

/// What a thread keeps of a lock that it shares with others.
#[derive(Clone, Copy)]
pub struct Shared {
    /// Where it asked for the lock.
    pub place: Place,
    /// Since when it has the lock.
    pub taken_ticks: u64,
    /// Number of the acquisition; 0 if the trace does not have it.
    pub order: u32,
}

/// The thread shares the lock since `now`: the trace gets the acquisition. Returns its number.
pub fn shared(thread: &mut Location, lock: &Lock, now: u64) -> u32 {
    let order = lock.next_shared();
    records::write_acquisition(thread, lock, order, now);
    order
}

/// The thread gives a lock back. Other threads may still share it: whoever waits for all of them
/// waits for the last one.
pub fn shared_released(thread: &mut Location, lock: &Lock, shared: Shared, now: u64) {
    let Shared { place, taken_ticks, order } = shared;
    if place.node() != 0 {
        thread.node(place.node()).delay_ticks += now.saturating_sub(taken_ticks);
    }
    lock.holder.store(place.word(), Relaxed);
    give_back(lock, now);
    if order != 0 && thread.tracing && !thread.is_passing() {
        records::write_release(thread, lock, order, now);
    }
}

/// It is the iteration's turn in the ordered construct of this region, where the thread is in it:
/// the time since the location's last event, the enter, was waiting for `before`.
pub fn had_turn(thread: &mut Location, region: u32, before: Place, now: u64) {
    if thread.is_passing() || thread.current().key != Key::Region(region).encode() {
        return;
    }
    let asked = thread.header.last_ticks;
    let now = thread.account(now);
    let node = thread.header.current;
    waited_for(thread, node, before, now - asked);
}

/// The thread comes to the `source` of a doacross loop at `now`.
pub fn posts(thread: &Location, now: u64) {
    if let Some(record) = thread.contexts.top().team_record() {
        doacross::post(record, now, thread.own_place().word());
    }
}

/// Who made a `sink` wait that was met at `asked`.
#[inline(always)]
pub fn posted_since(thread: &Location, asked: u64) -> Place {
    let record = thread.contexts.top().team_record();
    let posted = record.and_then(|record| doacross::posted_since(record, asked));
    posted.map_or(Place::NONE, Place::from_word)
}

/// An ordered construct of this region is left; one without a body was nothing but waiting.
pub fn passed(thread: &mut Location, region: u32, now: u64) {
    if thread.current().first_child == 0 {
        let by = posted_since(thread, thread.header.last_ticks);
        had_turn(thread, region, by, now);
    }
}

/// One more level of a nestable lock; true for the first.
#[inline]
pub fn nested_acquired(thread: &Location, lock: &Lock) -> bool {
    let level = level_acquired(thread, lock);
    lock.depth.store(level, Relaxed);
    level == 1
}

/// The level of a nestable lock that the thread has got, which is not noted yet.
#[inline(always)]
pub fn level_acquired(thread: &Location, lock: &Lock) -> u32 {
    let holder = holder(lock);
    let (is_own, depth) = (holder.is_of(thread.index()), lock.depth.load(Relaxed));
    if is_own { depth + 1 } else { 1 }
}

/// One level less of a nestable lock; true for the last.
pub fn nested_released(lock: &Lock) -> bool {
    let level = level_released(lock);
    lock.depth.store(level, Relaxed);
    level == 0
}

/// How often the holder of a nestable lock has it, or the one that had it last.
#[inline(always)]
pub fn level(lock: &Lock) -> u32 {
    lock.depth.load(Relaxed)
}

/// The level of a nestable lock that is left when one is given back, which is not noted yet.
#[inline(always)]
pub fn level_released(lock: &Lock) -> u32 {
    lock.depth.load(Relaxed).saturating_sub(1)
}

/// A nestable lock has this level now.
#[inline(always)]
pub fn set_level(lock: &Lock, level: u32) {
    lock.depth.store(level, Relaxed);
}
