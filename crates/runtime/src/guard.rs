//! The guard: sums in place of single records where a trace would drown in them (decision 21).
//!
//! Whenever a chunk of the trace is full, a location looks which of its call paths are leaves that
//! are entered often and stay short: flush, atomic, lock routine, critical, ordered, single without
//! a barrier, master, section, tiny function. From
//! then on a visit of such a call path is written only if it is not short or if anything else
//! happens in it; else it is added to sums, which are written as one metric event (visits, ticks,
//! shortest, longest) directly before the Leave of the region around. So visits in the trace and in
//! the sums are those of the profile, which is exact in any case: the guard saves
//! records, not clock reads.
//!
//! How: the records of a visit are deferred until its end. Nothing else is written meanwhile: what
//! would be comes through [`flush`] (by [`Location::flush_gate`]) and finds them written first.
//! While a location has guarded call paths, all of its events take the long way.

use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_live::{Definition, Key, NodeOffset, RegionKind, encode, node_offset};

use crate::clock;
use crate::location::{Location, ROOT, gate};
use crate::sync::{self, Lock};
use crate::task;

/// When a call path is guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From so many visits on.
    pub visits: u64,
    /// Where a visit takes less than this.
    pub time_ns: u64,
}

/// A sum is written at each Leave of the region around: that pays from so many visits in it on.
const VISITS_PER_SUM: u64 = 8;
/// After so many visits it is looked whether they are still short.
const RECENT: u32 = 1024;
/// Guarded call paths of one location: more are not looked for.
const GUARDED_MAX: usize = 64;
/// A critical section is two regions, and two records of its lock.
const LEVELS: usize = 2;
const DEFERRED_MAX: usize = 2 * LEVELS + 2;

/// What a location knows about its guarded call paths.
#[derive(Default)]
pub struct Guard {
    sums: Vec<Sums>,
    /// The bound of time in ticks.
    bound_ticks: u64,
    /// Visits that are under way, or over while the one around is under way.
    visits: [Visit; LEVELS],
    met: usize,
    depth: usize,
    /// The call path that was met last, and its sums: what the short way knows.
    last: (NodeOffset, usize),
    /// The only record is the Enter of the first visit, and it is not even among the deferred ones.
    is_bare: bool,
    /// Their records.
    deferred: [Deferred; DEFERRED_MAX],
    waiting: usize,
}

/// A call path, and its visits that are not written yet.
struct Sums {
    node: NodeOffset,
    region: u32,
    /// Metric class of the region's sums.
    class: u32,
    /// The region around that has records: here sums are written when it is left.
    enclosing: NodeOffset,
    active: bool,
    visits: u64,
    ticks: u64,
    shortest: u64,
    longest: u64,
    /// Visits since it was looked at last, and those that were not short.
    recent: u32,
    long: u32,
    /// The node's visits and ticks when it was no longer guarded.
    before: (u64, u64),
}

#[derive(Clone, Copy, Default)]
struct Visit {
    sums: usize,
    enter: u64,
    ticks: u64,
}

/// A record that is not written yet.
#[derive(Clone, Copy, Default)]
enum Deferred {
    #[default]
    None,
    Enter(u32, u64),
    Leave(u32, u64),
    Acquire(*const Lock, u32, u64),
    /// Whether the acquisition was summed, too.
    Release(*const Lock, u32, u64, bool),
}

impl Guard {
    /// Whether records are deferred.
    fn is_open(&self) -> bool {
        self.depth > 0
    }

    fn defer(&mut self, record: Deferred) {
        self.dress();
        if let Some(place) = self.deferred.get_mut(self.waiting) {
            *place = record;
            self.waiting += 1;
        }
    }

    /// Makes a record of a begin that was met on the short way.
    fn dress(&mut self) {
        if std::mem::take(&mut self.is_bare) {
            let visit = self.visits[0];
            self.deferred[0] = Deferred::Enter(self.sums[visit.sums].region, visit.enter);
            self.waiting = 1;
        }
    }

    /// Whether another visit and its records have room.
    fn has_room(&self) -> bool {
        self.met < LEVELS && self.waiting + 2 <= DEFERRED_MAX
    }

    fn of(&self, node: NodeOffset) -> Option<usize> {
        self.sums.iter().position(|sums| sums.node == node && sums.active)
    }
}

/// Looks for call paths to guard; called when a chunk is full.
#[cold]
pub fn look(thread: &mut Location) {
    let Some(bounds) = thread.process.options.guard else { return };
    thread.guard.bound_ticks = ticks_of(thread, bounds.time_ns);
    let kinds = thread.process.region_kinds();
    for index in 3..thread.node_count() {
        let at = node_offset(index);
        if let Some(enclosing) = leaf(thread, at, &kinds)
            && is_frequent(thread, at, enclosing, bounds)
        {
            begin(thread, at, enclosing);
            let body = thread.node(at).first_child;
            if body != 0 {
                begin(thread, body, enclosing);
            }
        }
    }
}

/// So many nanoseconds in ticks, by what both clocks have done since the start.
fn ticks_of(thread: &Location, time_ns: u64) -> u64 {
    if !thread.process.options.tsc {
        return time_ns;
    }
    let (start, now) = (thread.process.options.start, clock::calibrate());
    let ticks = u128::from(now.ticks.saturating_sub(start.ticks));
    let ns = u128::from(now.monotonic_ns.saturating_sub(start.monotonic_ns)).max(1);
    u64::try_from(u128::from(time_ns) * ticks / ns).unwrap_or(u64::MAX)
}

/// Whether the guard knows what a visit of this call path is: returns the region around it then.
fn leaf(thread: &mut Location, at: NodeOffset, kinds: &[RegionKind]) -> Option<NodeOffset> {
    use RegionKind as Kind;
    let node = *thread.node(at);
    let Key::Region(region) = Key::decode(node.key) else { return None };
    let kind = *kinds.get(region as usize)?;
    let has_body = match kind {
        Kind::User | Kind::Function | Kind::Lock | Kind::Atomic | Kind::Flush => false,
        Kind::Master | Kind::Masked | Kind::Section => false,
        Kind::Critical | Kind::Single | Kind::Ordered => true,
        _ => return None,
    };
    let child = node.first_child;
    let is_leaf = match (has_body, child) {
        // A thread need not execute the body of a single.
        (_, 0) => kind != Kind::Critical,
        (false, _) => false,
        (true, child) => {
            let body = *thread.node(child);
            let Key::Region(inner) = Key::decode(body.key) else { return None };
            let is_body = kinds.get(inner as usize).is_some_and(|&kind| kind.is_body());
            is_body && body.sibling == 0 && body.first_child == 0
        }
    };
    is_leaf.then_some(node.parent)
}

fn is_frequent(
    thread: &mut Location,
    at: NodeOffset,
    enclosing: NodeOffset,
    bounds: Bounds,
) -> bool {
    let known = thread.guard.sums.iter().find(|sums| sums.node == at);
    if known.is_some_and(|known| known.active) || thread.guard.sums.len() + LEVELS > GUARDED_MAX {
        return false;
    }
    let before = known.map_or((0, 0), |known| known.before);
    let (visits, ticks) = visits_and_ticks(thread, at);
    let (visits, ticks) = (visits - before.0, ticks - before.1);
    let around = thread.node(enclosing).visits.max(1);
    // What takes no time was only counted.
    visits >= bounds.visits.max(1)
        && ticks > 0
        && ticks / visits < thread.guard.bound_ticks
        && visits / around >= VISITS_PER_SUM
}

/// A leaf's visits and their time, a critical's body included.
fn visits_and_ticks(thread: &mut Location, at: NodeOffset) -> (u64, u64) {
    let node = *thread.node(at);
    let body = if node.first_child == 0 { 0 } else { thread.node(node.first_child).ticks };
    (node.visits, node.ticks + body)
}

fn begin(thread: &mut Location, node: NodeOffset, enclosing: NodeOffset) {
    let Key::Region(region) = Key::decode(thread.node(node).key) else { return };
    let fresh = Sums {
        node,
        region,
        class: thread.process.guard_class(region),
        enclosing,
        active: true,
        visits: 0,
        ticks: 0,
        shortest: u64::MAX,
        longest: 0,
        recent: 0,
        long: 0,
        before: (0, 0),
    };
    match thread.guard.sums.iter().position(|sums| sums.node == node) {
        Some(known) => thread.guard.sums[known] = fresh,
        None => thread.guard.sums.push(fresh),
    }
    thread.gate |= gate::GUARDED;
    tell(thread, node, region, true);
}

/// The call path's visits are written again.
fn end(thread: &mut Location, index: usize, now: u64) {
    let (node, region) = (thread.guard.sums[index].node, thread.guard.sums[index].region);
    write(thread, index, now);
    let before = visits_and_ticks(thread, node);
    let sums = &mut thread.guard.sums[index];
    (sums.active, sums.before) = (false, before);
    if !thread.guard.sums.iter().any(|sums| sums.active) {
        thread.gate &= !gate::GUARDED;
    }
    tell(thread, node, region, false);
}

/// Notes in the definitions where and since when visits are summed, or no longer.
fn tell(thread: &Location, node: NodeOffset, region: u32, begins: bool) {
    let (location, at) = (thread.index(), thread.header.last_ticks);
    let (node, class) = (pompeii_live::node_index(node), thread.process.guard_class(region));
    thread.process.define(&Definition::Guarded { region, class, location, node, at, begins });
}

/// A visit of a region begins; true where its records are deferred.
pub fn enter(thread: &mut Location, region: u32, now: u64) -> bool {
    let guard = &thread.guard;
    let at = thread.header.current;
    let is_inside = guard.is_open() && guard.sums[guard.visits[guard.met - 1].sums].node == at;
    if !guard.has_room() || guard.is_open() != is_inside || thread.contexts.top().has_ended() {
        return false;
    }
    let node = thread.child(at, Key::Region(region).encode());
    let Some(sums) = thread.guard.of(node) else { return false };
    // The body of a critical section is summed with that.
    if !is_inside && thread.guard.sums[sums].enclosing != at {
        return false;
    }
    if !is_inside {
        task::flush_due(thread, now);
    }
    let now = thread.account(now);
    thread.node(node).visits += 1;
    thread.header.current = node;
    let guard = &mut thread.guard;
    guard.visits[guard.met] = Visit { sums, enter: now, ticks: 0 };
    if guard.met == 0 {
        guard.last = (node, sums);
    }
    guard.met += 1;
    guard.depth += 1;
    guard.defer(Deferred::Enter(region, now));
    true
}

/// A visit of a region ends; true where its records were deferred.
pub fn exit(thread: &mut Location, region: u32, now: u64) -> bool {
    let Some(depth) = thread.guard.depth.checked_sub(1) else { return false };
    let visit = thread.guard.visits[depth];
    let (node, of) = {
        let sums = &thread.guard.sums[visit.sums];
        (sums.node, sums.region)
    };
    if of != region || thread.header.current != node {
        return false;
    }
    let now = thread.account(now);
    thread.header.current = thread.current().parent;
    let guard = &mut thread.guard;
    guard.visits[depth].ticks = now - visit.enter;
    guard.depth = depth;
    guard.defer(Deferred::Leave(region, now));
    if depth == 0 {
        complete(thread, now);
    }
    true
}

/// A visit is over, and with it all that were deferred.
fn complete(thread: &mut Location, now: u64) {
    let outer = thread.guard.visits[0];
    let short = outer.ticks < thread.guard.bound_ticks && is_balanced(&thread.guard);
    if short {
        add(&mut thread.guard);
    } else {
        write_deferred(thread);
    }
    let sums = &mut thread.guard.sums[outer.sums];
    sums.recent += 1;
    sums.long += u32::from(!short);
    // The short way only counts.
    if sums.recent >= RECENT {
        let changed = sums.long > sums.recent / 2;
        (sums.recent, sums.long) = (0, 0);
        if changed {
            for visit in 0..thread.guard.met {
                end(thread, thread.guard.visits[visit].sums, now);
            }
        }
    }
    (thread.guard.met, thread.guard.waiting) = (0, 0);
}

/// The short way of a visit's begin, as in [`crate::fast`]; false where nothing was done.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn enter_short(thread: *mut Location, key: u64) -> bool {
    // SAFETY: the caller's promise: this is the thread's own location.
    let thread = unsafe { &mut *thread };
    let (node, sums) = thread.guard.last;
    let (at, last) = (thread.header.current, thread.header.last_ticks);
    if thread.gate != gate::GUARDED
        || thread.guard.met != 0
        || node != thread.node(at).hint
        || node == 0
        || thread.node(node).key != key
        || !thread.guard.sums[sums].active
        || thread.contexts.top().has_ended()
    {
        return false;
    }
    set_gate(thread, gate::GUARDED | gate::BUSY);
    let now = clock::tsc();
    let goes_on = now > last;
    if goes_on {
        thread.node(at).ticks += now - last;
        thread.header.last_ticks = now;
        thread.node(node).visits += 1;
        thread.header.current = node;
        let guard = &mut thread.guard;
        guard.visits[0] = Visit { sums, enter: now, ticks: 0 };
        (guard.met, guard.depth, guard.is_bare) = (1, 1, true);
    }
    set_gate(thread, gate::GUARDED);
    goes_on
}

/// The short way of a visit's end; false where nothing was done: it is not short, or no leaf.
///
/// # Safety
/// As for all of [`crate::pomp`].
#[inline(always)]
pub unsafe fn exit_short(thread: *mut Location, key: u64) -> bool {
    // SAFETY: the caller's promise: this is the thread's own location.
    let thread = unsafe { &mut *thread };
    let (at, last) = (thread.header.current, thread.header.last_ticks);
    if thread.gate != gate::GUARDED || !thread.guard.is_bare || thread.node(at).key != key {
        return false;
    }
    set_gate(thread, gate::GUARDED | gate::BUSY);
    let now = clock::tsc();
    let visit = thread.guard.visits[0];
    let ticks = now.wrapping_sub(visit.enter);
    let is_short = now > last && at == thread.guard.last.0 && ticks < thread.guard.bound_ticks;
    if is_short {
        let node = thread.node(at);
        node.ticks += now - last;
        let parent = node.parent;
        thread.header.last_ticks = now;
        thread.header.current = parent;
        let guard = &mut thread.guard;
        guard.sums[visit.sums].add(ticks);
        guard.sums[visit.sums].recent += 1;
        (guard.met, guard.depth, guard.is_bare) = (0, 0, false);
    }
    set_gate(thread, gate::GUARDED);
    is_short
}

/// Signal handlers must not find half an event: while the gate is busy, theirs are passed over.
#[inline(always)]
fn set_gate(thread: &mut Location, gate: u32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: a field of this thread's own location.
    unsafe { (&raw mut thread.gate).write_volatile(gate) };
    compiler_fence(Ordering::SeqCst);
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, ticks: u64) {
        self.visits += 1;
        self.ticks += ticks;
        self.shortest = self.shortest.min(ticks);
        self.longest = self.longest.max(ticks);
    }
}

/// Whether the trace has what is given back in the visit: then that has to be written, too.
fn is_balanced(guard: &Guard) -> bool {
    let mut acquired = false;
    guard.deferred[..guard.waiting].iter().all(|record| match record {
        Deferred::Acquire(..) => {
            acquired = true;
            true
        }
        Deferred::Release(.., summed) => *summed || acquired,
        _ => true,
    })
}

/// Adds the visits to their sums. A lock that is kept is silent: its release needs no record.
fn add(guard: &mut Guard) {
    for visit in &guard.visits[..guard.met] {
        guard.sums[visit.sums].add(visit.ticks);
    }
    let mut kept: Option<*const Lock> = None;
    for record in &guard.deferred[..guard.waiting] {
        match record {
            Deferred::Acquire(lock, ..) => kept = Some(*lock),
            Deferred::Release(..) => kept = None,
            _ => {}
        }
    }
    if let Some(lock) = kept {
        // SAFETY: locks are never freed, and this thread has it.
        unsafe { (*lock).set_silent() };
    }
}

/// The thread has a lock; true where the record is deferred.
pub fn defer_acquisition(thread: &mut Location, lock: &Lock, now: u64) -> bool {
    let guard = &mut thread.guard;
    if !guard.is_open() || guard.waiting >= DEFERRED_MAX {
        return false;
    }
    guard.defer(Deferred::Acquire(lock, lock.order(), now));
    true
}

/// The thread gives a lock back; true where the record is deferred, or not wanted because that of
/// the acquisition was summed.
pub fn defer_release(thread: &mut Location, lock: &Lock, now: u64) -> bool {
    let summed = lock.take_silent();
    let guard = &mut thread.guard;
    if !guard.is_open() || guard.waiting >= DEFERRED_MAX {
        return summed;
    }
    guard.defer(Deferred::Release(lock, lock.order(), now, summed));
    true
}

/// Something else happens inside of a visit: it is written after all.
#[inline]
pub fn flush(thread: &mut Location) {
    if thread.guard.is_open() {
        thread.guard.dress();
        write_deferred(thread);
        (thread.guard.depth, thread.guard.met, thread.guard.waiting) = (0, 0, 0);
    }
}

fn write_deferred(thread: &mut Location) {
    let records = thread.guard.deferred;
    let waiting = std::mem::take(&mut thread.guard.waiting);
    for record in &records[..waiting] {
        match *record {
            Deferred::Enter(region, now) => {
                thread.event(|room, last| encode::enter(room, last, now, region));
            }
            Deferred::Leave(region, now) => {
                thread.event(|room, last| encode::leave(room, last, now, region));
            }
            // SAFETY: locks are never freed.
            Deferred::Acquire(lock, order, now) => unsafe {
                sync::write_acquisition(thread, &*lock, order, now);
            },
            // SAFETY: as above.
            Deferred::Release(lock, order, now, false) => unsafe {
                sync::write_release(thread, &*lock, order, now);
            },
            Deferred::Release(..) | Deferred::None => {}
        }
    }
}

/// The region around is left at `now`: writes the sums of the call paths in it.
#[cold]
pub fn write_sums(thread: &mut Location, enclosing: NodeOffset, now: u64) {
    for index in 0..thread.guard.sums.len() {
        if thread.guard.sums[index].enclosing == enclosing {
            write(thread, index, now);
        }
    }
}

/// The thread ends: nothing is around its outermost call paths that would be left.
pub fn write_outermost(thread: &mut Location) {
    if thread.tracing {
        write_sums(thread, ROOT, thread.header.last_ticks);
    }
}

fn write(thread: &mut Location, index: usize, now: u64) {
    let sums = &mut thread.guard.sums[index];
    if sums.visits == 0 {
        return;
    }
    let values = [sums.visits, sums.ticks, sums.shortest, sums.longest];
    (sums.visits, sums.ticks, sums.shortest, sums.longest) = (0, 0, u64::MAX, 0);
    let class = sums.class;
    thread.header.summed_visits += values[0];
    thread.event(|room, last| encode::metric_of_four(room, last, now, class, values));
}
