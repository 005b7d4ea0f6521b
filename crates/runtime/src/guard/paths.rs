//! Which call paths are guarded: from when on, and until when.
//!
//! A call path that is entered often is tried first: all of its next visits are recorded, but it is
//! counted how many of them are short. It is not asked how long visits take on average: on a busy
//! machine, a thread that loses its core in one visit of ten thousand makes the others look long.
//! Beginning asks for more than going on does, so that what is short half of the time does not
//! change all the time.

use pompeii_live::{Definition, Key, NodeOffset, RegionKind, Summable, node_offset};

use super::sums::{GUARDED_MAX, LEVELS, State, Sums, bit_of};
use super::write;
use crate::clock;
use crate::location::{Location, gate};

/// A call of MPI that finds nothing moves other messages on, and gives its core to others.
const MPI_TIMES: u64 = 10;

/// A sum is written at each Leave of the region around: that pays from so many visits in it on.
const VISITS_PER_SUM: u64 = 8;
/// So many visits are tried, of which at most so many may be long.
const TRIED: u32 = 256;
const TRIED_LONG_MAX: u32 = TRIED / 4;
/// After so many visits it is looked whether most of them were still short.
const RECENT: u32 = 1024;

/// Looks for call paths to try; called when a chunk is full.
#[cold]
pub fn look(thread: &mut Location) {
    let Some(bounds) = thread.process.options.guard else { return };
    give_up(thread);
    let bound_ticks = ticks_of(thread, bounds.time_ns);
    let kinds = thread.process.region_kinds();
    for index in 3..thread.node_count() {
        let at = node_offset(index);
        if let Some(leaf) = leaf(thread, at, &kinds, bound_ticks)
            && is_frequent(thread, at, leaf, bounds.visits)
        {
            begin(thread, at, leaf);
            let mut child = thread.node(at).first_child;
            while child != 0 {
                if is_body(thread, child, &kinds) || is_poll(thread, child) {
                    begin(thread, child, leaf);
                }
                child = thread.node(child).sibling;
            }
        }
    }
}

/// Call paths on trial that were not visited since the last look: while there are guarded ones,
/// other events have to ask.
fn give_up(thread: &mut Location) {
    let under_way = thread.guard.outermost().map(|sums| thread.guard.sums[sums].whole);
    for index in 0..thread.guard.sums.len() {
        let sums = &mut thread.guard.sums[index];
        let is_outermost = sums.state == State::Tried && sums.node == sums.whole;
        if is_outermost && Some(sums.whole) != under_way {
            let recent = std::mem::replace(&mut sums.looked_at, sums.recent);
            if recent == sums.recent {
                let now = thread.header.last_ticks;
                end(thread, index, now);
            }
        }
    }
}

/// A call path that the guard knows what a visit of is: the region around it, and its bound.
#[derive(Clone, Copy)]
struct Leaf {
    /// The construct's node, for its body as well; that of the region that polls, for its polls.
    whole: NodeOffset,
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
    let has_body = match kind.summable() {
        Summable::Alone => false,
        Summable::WithBody => true,
        Summable::Never if matches!(kind, Kind::User | Kind::Function) => false,
        Summable::Never if thread.process.is_quiet(region) => {
            bound_ticks = bound_ticks.saturating_mul(MPI_TIMES);
            false
        }
        Summable::Never => return None,
    };
    let is_leaf = match (has_body, node.first_child) {
        // A thread need not execute the body of a single.
        (_, 0) => kind != Kind::Critical,
        (true, child) => thread.node(child).sibling == 0 && is_body(thread, child, kinds),
        (false, _) if matches!(kind, Kind::User | Kind::Function) => {
            let polls = polls_per_visit(thread, at)?;
            bound_ticks = bound_ticks.saturating_mul(MPI_TIMES).saturating_mul(polls);
            true
        }
        (false, _) => false,
    };
    is_leaf.then_some(Leaf { whole: at, enclosing: node.parent, bound_ticks })
}

/// Whether that is the body of a construct, with nothing in it.
fn is_body(thread: &mut Location, at: NodeOffset, kinds: &[RegionKind]) -> bool {
    let node = *thread.node(at);
    let Key::Region(region) = Key::decode(node.key) else { return false };
    node.first_child == 0 && kinds.get(region as usize).is_some_and(|kind| kind.is_body())
}

/// Whether that is a call of MPI that may find nothing.
fn is_poll(thread: &mut Location, at: NodeOffset) -> bool {
    let node = *thread.node(at);
    let Key::Region(region) = Key::decode(node.key) else { return false };
    node.first_child == 0 && thread.process.is_quiet(region)
}

/// How often, rounded up, a visit of this region of the user's polls, where that is so seldom that
/// the polls cannot be summed in it. What else it may have in it is not asked: the trial says how
/// often it has.
fn polls_per_visit(thread: &mut Location, at: NodeOffset) -> Option<u64> {
    let visits = thread.node(at).visits.max(1);
    let (mut polls, mut child) = (0, thread.node(at).first_child);
    while child != 0 {
        if is_poll(thread, child) {
            // Its sums would have no Leave to stand before.
            if thread.guard.of(child).is_some() {
                return None;
            }
            polls += thread.node(child).visits;
        }
        child = thread.node(child).sibling;
    }
    (polls > 0 && polls / visits < VISITS_PER_SUM).then(|| polls.div_ceil(visits))
}

/// Whether that has been visited often, at least so many times since it was tried or guarded.
fn is_frequent(thread: &mut Location, at: NodeOffset, leaf: Leaf, visits_min: u64) -> bool {
    let sums = &thread.guard.sums;
    let known = sums.iter().find(|sums| sums.node == at);
    let guarded = sums.iter().filter(|sums| sums.is_guarded()).count();
    if known.is_some_and(Sums::is_guarded) || guarded + LEVELS > GUARDED_MAX {
        return false;
    }
    let before = known.map_or(0, |known| known.before);
    let Leaf { enclosing, .. } = leaf;
    let visits = thread.node(at).visits - before;
    let around = thread.node(enclosing).visits.max(1);
    // What takes no time was only counted.
    visits >= visits_min.max(1) && visits / around >= VISITS_PER_SUM && takes_time(thread, at)
}

/// Whether a leaf's visits have taken time, or those of its body.
fn takes_time(thread: &mut Location, at: NodeOffset) -> bool {
    let node = *thread.node(at);
    node.ticks > 0 || (node.first_child != 0 && thread.node(node.first_child).ticks > 0)
}

/// The call path is tried from now on.
fn begin(thread: &mut Location, node: NodeOffset, leaf: Leaf) {
    let Key::Region(region) = Key::decode(thread.node(node).key) else { return };
    let class = thread.process.guard_class(region);
    let Leaf { whole, enclosing, bound_ticks } = leaf;
    let state = State::Tried;
    let fresh =
        Sums { node, whole, region, class, enclosing, bound_ticks, state, ..Sums::default() };
    let sums = &mut thread.guard.sums;
    // In place of what it was before, or of another one that is over: that has no sums any more.
    let place = (sums.iter().position(|sums| sums.node == node))
        .or_else(|| sums.iter().position(|sums| !sums.is_guarded()));
    match place {
        Some(known) => sums[known] = fresh,
        None => sums.push(fresh),
    }
    thread.guard.around |= bit_of(enclosing);
    thread.guard.inner |= bit_of(node);
    thread.gate |= gate::GUARDED;
}

/// The outermost visit is over, which was short or not: after some it is seen whether visits of its
/// call path are summed, as before or from now on, or recorded.
pub fn follow(thread: &mut Location, is_short: bool, now: u64) {
    let Some(index) = thread.guard.outermost() else { return };
    let sums = &mut thread.guard.sums[index];
    sums.recent += 1;
    sums.long += u32::from(!is_short);
    let long_max = match sums.state {
        State::Tried if sums.recent >= TRIED => TRIED_LONG_MAX,
        // The fast way only counts.
        State::Summed if sums.recent >= RECENT => sums.recent / 2,
        _ => return,
    };
    let stays = sums.long <= long_max;
    (sums.recent, sums.long) = (0, 0);
    match (stays, sums.state) {
        (true, State::Tried) => sum(thread, index, now),
        (true, _) => {}
        (false, _) => end(thread, index, now),
    }
}

/// The call path's visits are summed from now on, and those of its body.
fn sum(thread: &mut Location, index: usize, now: u64) {
    let whole = thread.guard.sums[index].whole;
    for part in thread.guard.sums.iter_mut().filter(|sums| sums.is_part(whole)) {
        (part.state, part.since) = (State::Summed, now);
    }
}

/// The call path's visits are written again, and those of its body.
fn end(thread: &mut Location, index: usize, now: u64) {
    thread.guard.settle();
    thread.guard.short.forget();
    let whole = thread.guard.sums[index].whole;
    for index in 0..thread.guard.sums.len() {
        if thread.guard.sums[index].is_part(whole) {
            write(thread, index, now);
            let before = thread.node(thread.guard.sums[index].node).visits;
            let sums = &mut thread.guard.sums[index];
            (sums.state, sums.before) = (State::Recorded, before);
            if sums.is_told {
                tell(thread, index, thread.header.last_ticks, false);
            }
        }
    }
    (thread.guard.around, thread.guard.inner) = (0, 0);
    for sums in thread.guard.sums.iter().filter(|sums| sums.is_guarded()) {
        thread.guard.around |= bit_of(sums.enclosing);
        thread.guard.inner |= bit_of(sums.node);
    }
    if thread.guard.around == 0 {
        thread.gate &= !gate::GUARDED;
    }
}

/// Notes in the definitions where and since when visits are summed, or no longer.
pub fn tell(thread: &Location, index: usize, at: u64, begins: bool) {
    let Sums { node, region, class, .. } = thread.guard.sums[index];
    let (location, node) = (thread.index(), pompeii_live::node_index(node));
    thread.process.define(&Definition::Guarded { region, class, location, node, at, begins });
}
