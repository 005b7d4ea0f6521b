//! The guard: sums in place of single records where a trace would drown in them.
//!
//! Whenever a chunk of the trace is full, a location looks which of its call paths are leaves that
//! are entered often and stay short: flush, atomic, lock routine, critical, ordered, single without
//! a barrier, master, section, tiny function, a call of MPI that finds nothing. From
//! then on a visit of such a call path is written only if it is not short or if anything else
//! happens in it; else it is added to sums, which are written as one metric event (visits, ticks,
//! shortest, longest) directly before the Leave of the region around. So visits in the trace and in
//! the sums are those of the profile, which is exact in any case: the guard saves
//! records, not clock reads.
//!
//! How: the records of a visit are deferred until its end. Nothing else is written meanwhile: what
//! would be comes through [`flush`] (by [`Location::flush_gate`]) and finds them written first.
//! Visits in which nothing happens have a short way ([`crate::guard_short`]). While a location has
//! guarded call paths, its gate says so, and other events ask here whether they concern it before
//! they take their short way ([`crate::fast`]).

use pompeii_live::{Definition, Key, Node, NodeOffset, RegionKind, encode, node_offset};

use crate::clock;
use crate::guard_short::{Part, Short};
use crate::location::{Location, ROOT, gate};
use crate::sync::{self, Lock};
use crate::task;

/// When a call path is guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From so many visits on.
    pub visits: u64,
    /// Where a visit takes less than this; a call of MPI, less than [`MPI_TIMES`] as long.
    pub time_ns: u64,
}

/// A call of MPI that finds nothing moves other messages on, and gives its core to others.
const MPI_TIMES: u64 = 10;

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
    /// What is under way without a record.
    pub short: Short,
    /// A bit for each region around a guarded one, by its node: see [`Guard::concerns`].
    around: u64,
    /// Visits that are under way, or over while the one around is under way.
    visits: [Visit; LEVELS],
    met: usize,
    depth: usize,
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
    /// A visit is short that takes less.
    bound_ticks: u64,
    active: bool,
    /// Since when, and whether the definitions say so: they do from the first summed visit on.
    since: u64,
    is_told: bool,
    total: Totals,
    /// Visits since it was looked at last, and those that were written.
    recent: u32,
    long: u32,
    /// The node's visits and ticks when it was no longer guarded.
    before: (u64, u64),
}

/// What visits sum to.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Totals {
    /// How many.
    pub visits: u64,
    // Not beside the number: two additions in memory are cheaper than one of a vector.
    shortest: u64,
    ticks: u64,
    longest: u64,
}

impl Totals {
    /// No visits.
    pub const NONE: Totals = Totals { visits: 0, ticks: 0, shortest: u64::MAX, longest: 0 };

    /// One more.
    #[inline(always)]
    pub fn add(&mut self, ticks: u64) {
        self.visits += 1;
        self.ticks += ticks;
        // Branches, since both are rare.
        if ticks < self.shortest {
            self.shortest = ticks;
        }
        if ticks > self.longest {
            self.longest = ticks;
        }
    }

    fn add_all(&mut self, more: &Totals) {
        self.visits += more.visits;
        self.ticks += more.ticks;
        self.shortest = self.shortest.min(more.shortest);
        self.longest = self.longest.max(more.longest);
    }
}

/// A visit that is not written yet.
#[derive(Clone, Copy, Default)]
pub struct Visit {
    /// What it is added to.
    pub sums: usize,
    /// When it began.
    pub enter: u64,
    /// How long it took.
    pub ticks: u64,
}

/// A record that is not written yet.
#[derive(Clone, Copy, Default)]
pub enum Deferred {
    /// None.
    #[default]
    None,
    /// Of entering this region at this time.
    Enter(u32, u64),
    /// Of leaving it.
    Leave(u32, u64),
    /// Of having a lock: which one, the acquisition's number, and when.
    Acquire(*const Lock, u32, u64),
    /// Whether the acquisition was summed, too.
    Release(*const Lock, u32, u64, bool),
}

impl Guard {
    /// Whether a visit is under way.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.depth > 0 || self.short.is_open()
    }

    /// Whether sums may have to be written when the region of this node is left.
    #[inline(always)]
    pub fn concerns(&self, node: NodeOffset) -> bool {
        self.around & around_bit(node) != 0
    }

    /// Defers a record.
    pub fn defer(&mut self, record: Deferred) {
        if let Some(place) = self.deferred.get_mut(self.waiting) {
            *place = record;
            self.waiting += 1;
        }
    }

    /// Begins a visit, whose record is deferred.
    pub fn open(&mut self, visit: Visit) {
        self.visits[self.met] = visit;
        self.met += 1;
        self.depth += 1;
        self.defer(Deferred::Enter(self.sums[visit.sums].region, visit.enter));
    }

    /// Ends the innermost visit at `now`, which has begun; its record is deferred.
    pub fn close(&mut self, now: u64) {
        self.depth -= 1;
        let visit = &mut self.visits[self.depth];
        visit.ticks = now - visit.enter;
        let sums = visit.sums;
        self.defer(Deferred::Leave(self.sums[sums].region, now));
    }

    /// Takes over what short ways have summed.
    fn settle(&mut self) {
        let sums = &mut self.sums;
        self.short.take_totals(|of, totals| {
            sums[of].total.add_all(totals);
            sums[of].recent += u32::try_from(totals.visits).unwrap_or(u32::MAX);
        });
    }

    /// Whether another visit and its records have room.
    fn has_room(&self) -> bool {
        self.met < LEVELS && self.waiting + 2 <= DEFERRED_MAX
    }

    fn of(&self, node: NodeOffset) -> Option<usize> {
        self.sums.iter().position(|sums| sums.node == node && sums.active)
    }
}

/// One of 64 bits for a node.
fn around_bit(node: NodeOffset) -> u64 {
    1 << (node / size_of::<Node>() as u32 % 64)
}

/// Looks for call paths to guard; called when a chunk is full.
#[cold]
pub fn look(thread: &mut Location) {
    let Some(bounds) = thread.process.options.guard else { return };
    let bound_ticks = ticks_of(thread, bounds.time_ns);
    let kinds = thread.process.region_kinds();
    for index in 3..thread.node_count() {
        let at = node_offset(index);
        if let Some(leaf) = leaf(thread, at, &kinds, bound_ticks)
            && is_frequent(thread, at, leaf, bounds.visits)
        {
            begin(thread, at, leaf);
            let body = thread.node(at).first_child;
            if body != 0 {
                begin(thread, body, leaf);
            }
        }
    }
}

/// A call path that the guard knows what a visit of is: the region around it, and its bound.
#[derive(Clone, Copy)]
struct Leaf {
    enclosing: NodeOffset,
    bound_ticks: u64,
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

/// What is known of this call path, where visits are short within so many ticks.
fn leaf(
    thread: &mut Location,
    at: NodeOffset,
    kinds: &[RegionKind],
    mut bound_ticks: u64,
) -> Option<Leaf> {
    use RegionKind as Kind;
    let node = *thread.node(at);
    let Key::Region(region) = Key::decode(node.key) else { return None };
    let kind = *kinds.get(region as usize)?;
    let has_body = match kind {
        Kind::User | Kind::Function | Kind::Lock | Kind::Atomic | Kind::Flush => false,
        Kind::Master | Kind::Masked | Kind::Section => false,
        Kind::Critical | Kind::Single | Kind::Ordered => true,
        _ if thread.process.is_quiet(region) => {
            bound_ticks = bound_ticks.saturating_mul(MPI_TIMES);
            false
        }
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
    is_leaf.then_some(Leaf { enclosing: node.parent, bound_ticks })
}

/// Whether that has been visited often, at least so many times, and shortly.
fn is_frequent(thread: &mut Location, at: NodeOffset, leaf: Leaf, visits_min: u64) -> bool {
    let known = thread.guard.sums.iter().find(|sums| sums.node == at);
    if known.is_some_and(|known| known.active) || thread.guard.sums.len() + LEVELS > GUARDED_MAX {
        return false;
    }
    let before = known.map_or((0, 0), |known| known.before);
    let (visits, ticks) = visits_and_ticks(thread, at);
    let (visits, ticks) = (visits - before.0, ticks - before.1);
    let around = thread.node(leaf.enclosing).visits.max(1);
    // What takes no time was only counted.
    visits >= visits_min.max(1)
        && ticks > 0
        && ticks / visits < leaf.bound_ticks
        && visits / around >= VISITS_PER_SUM
}

/// A leaf's visits and their time, a critical's body included.
fn visits_and_ticks(thread: &mut Location, at: NodeOffset) -> (u64, u64) {
    let node = *thread.node(at);
    let body = if node.first_child == 0 { 0 } else { thread.node(node.first_child).ticks };
    (node.visits, node.ticks + body)
}

fn begin(thread: &mut Location, node: NodeOffset, Leaf { enclosing, bound_ticks }: Leaf) {
    let Key::Region(region) = Key::decode(thread.node(node).key) else { return };
    let fresh = Sums {
        node,
        region,
        class: thread.process.guard_class(region),
        enclosing,
        bound_ticks,
        active: true,
        since: thread.header.last_ticks,
        is_told: false,
        total: Totals::NONE,
        recent: 0,
        long: 0,
        before: (0, 0),
    };
    match thread.guard.sums.iter().position(|sums| sums.node == node) {
        Some(known) => thread.guard.sums[known] = fresh,
        None => thread.guard.sums.push(fresh),
    }
    thread.guard.around |= around_bit(enclosing);
    let parent = thread.node(node).parent;
    if thread.node(parent).hint == node {
        // Short ways of others must not find it.
        thread.node(parent).hint = 0;
    }
    thread.gate |= gate::GUARDED;
}

/// The call path's visits are written again.
fn end(thread: &mut Location, index: usize, now: u64) {
    thread.guard.settle();
    thread.guard.short.forget();
    write(thread, index, now);
    let before = visits_and_ticks(thread, thread.guard.sums[index].node);
    let sums = &mut thread.guard.sums[index];
    (sums.active, sums.before) = (false, before);
    if !thread.guard.sums.iter().any(|sums| sums.active) {
        thread.gate &= !gate::GUARDED;
        thread.guard.around = 0;
    }
    if thread.guard.sums[index].is_told {
        tell(thread, index, thread.header.last_ticks, false);
    }
}

/// Notes in the definitions where and since when visits are summed, or no longer.
fn tell(thread: &Location, index: usize, at: u64, begins: bool) {
    let Sums { node, region, class, .. } = thread.guard.sums[index];
    let (location, node) = (thread.index(), pompeii_live::node_index(node));
    thread.process.define(&Definition::Guarded { region, class, location, node, at, begins });
}

/// A visit of a region begins; true where its records are deferred.
pub fn enter(thread: &mut Location, region: u32, now: u64) -> bool {
    Short::dress(&mut thread.guard);
    let guard = &thread.guard;
    let at = thread.header.current;
    let is_inside = guard.is_open() && guard.sums[guard.visits[guard.met - 1].sums].node == at;
    if !guard.has_room() || guard.is_open() != is_inside || thread.contexts.top().has_ended() {
        return false;
    }
    let node = thread.search_child(at, Key::Region(region).encode());
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
    thread.guard.open(Visit { sums, enter: now, ticks: 0 });
    true
}

/// The next visit of this call path may take the short way.
fn know(thread: &mut Location, sums: usize) {
    let Sums { node, enclosing, bound_ticks, .. } = thread.guard.sums[sums];
    let part = Part { node, key: thread.node(node).key, sums };
    let inner = thread.node(node).first_child;
    let body = match thread.guard.of(inner) {
        Some(sums) => Part { node: inner, key: thread.node(inner).key, sums },
        None => Part::NONE,
    };
    thread.guard.short.know(enclosing, bound_ticks, part, body);
}

/// A visit of a region ends; true where its records were deferred.
pub fn exit(thread: &mut Location, region: u32, now: u64) -> bool {
    Short::dress(&mut thread.guard);
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
    thread.guard.close(now);
    if depth == 0 {
        complete(thread, now);
    }
    true
}

/// A visit is over, and with it all that were deferred.
fn complete(thread: &mut Location, now: u64) {
    let outer = thread.guard.visits[0];
    let bound_ticks = thread.guard.sums[outer.sums].bound_ticks;
    let short = outer.ticks < bound_ticks && is_balanced(&thread.guard);
    if short {
        add(thread);
    } else {
        write_deferred(thread);
    }
    thread.guard.settle();
    if short {
        know(thread, outer.sums);
    }
    follow(thread, short, now);
    (thread.guard.met, thread.guard.waiting) = (0, 0);
}

/// The outermost visit is summed or written; where most of them are written, all are from now on.
fn follow(thread: &mut Location, is_summed: bool, now: u64) {
    let sums = &mut thread.guard.sums[thread.guard.visits[0].sums];
    sums.recent += 1;
    sums.long += u32::from(!is_summed);
    // The short way only counts.
    if sums.recent < RECENT {
        return;
    }
    let changed = sums.long > sums.recent / 2;
    (sums.recent, sums.long) = (0, 0);
    if changed {
        for visit in 0..thread.guard.met {
            end(thread, thread.guard.visits[visit].sums, now);
        }
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
fn add(thread: &mut Location) {
    for visit in 0..thread.guard.met {
        let Visit { sums: index, ticks, .. } = thread.guard.visits[visit];
        let sums = &mut thread.guard.sums[index];
        sums.total.add(ticks);
        let (since, is_told) = (sums.since, std::mem::replace(&mut sums.is_told, true));
        if !is_told {
            tell(thread, index, since, true);
        }
    }
    let guard = &thread.guard;
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
    Short::dress(&mut thread.guard);
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
    Short::dress(&mut thread.guard);
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
        Short::dress(&mut thread.guard);
        thread.guard.settle();
        follow(thread, false, thread.guard.visits[0].enter);
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
    thread.guard.settle();
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
    if sums.total.visits == 0 {
        return;
    }
    let total = std::mem::replace(&mut sums.total, Totals::NONE);
    let values = [total.visits, total.ticks, total.shortest, total.longest];
    let class = sums.class;
    thread.header.summed_visits += values[0];
    thread.event(|room, last| encode::metric_of_four(room, last, now, class, values));
}
