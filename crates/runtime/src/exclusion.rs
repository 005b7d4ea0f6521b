//! Functions that are not measured any more, because measuring them takes longer than they do.
//!
//! After 100,000 visits of a function, and whenever that number has doubled, the thread that
//! completes it compares what the visits have taken with what two events of each have cost. Where
//! the events cost more, the function is excluded from then on, as if a filter did so: its time
//! goes to its caller, and the definitions say since when. A function with constructs or calls of
//! MPI below it stays, because their call paths would change in the middle of the run.
//!
//! An event must not become slower for that. Therefore each 1,024th visit of a call path counts for
//! all ([`is_due`]), and [`judge`] is a call that an event makes after its end.

mod trial;

use std::sync::atomic::Ordering;

use pompeii_live::{CLOCK_READINGS, Definition, Key, NodeOffset, RegionKind, node_offset};

use crate::descriptor::{Handle, Slot};
use crate::location::Location;
use crate::ready;

pub use trial::Trial;

/// Visits of a call path between two that are counted; a power of two.
const BLOCK: u64 = 1 << 10;
/// Number of blocks after which the function is judged: 100,352 visits.
const BLOCKS: u64 = 100_000_u64.div_ceil(BLOCK);
/// A search over the call paths of a thread needs this many visits for each of them, so that it
/// takes no noticeable time.
const VISITS_PER_NODE: u64 = 64;

/// What the visits of a function have taken on a thread, with everything below.
#[derive(Default)]
struct Taken {
    visits: u64,
    ticks: u64,
    /// Events of the measurement in these ticks.
    events: u64,
    /// There are only functions and user regions below.
    is_plain: bool,
}

/// Whether a call path has completed a block with its `visits`.
#[inline(always)]
pub fn is_due(visits: u64) -> bool {
    visits.is_multiple_of(BLOCK)
}

/// The function has completed a block of visits of the current call path: excludes it if it has
/// enough of them, and their measuring takes longer than the function.
pub fn judge(thread: &mut Location, handle: &Handle) {
    let Some(trial) = &handle.trial else { return };
    let blocks = trial.blocks.fetch_add(1, Ordering::Relaxed) + 1;
    let is_time = blocks.is_multiple_of(BLOCKS) && (blocks / BLOCKS).is_power_of_two();
    let visits = blocks * BLOCK;
    let nodes = u64::from(thread.node_count());
    if thread.process.options.guard.is_none() || !is_time || visits / VISITS_PER_NODE < nodes {
        return;
    }
    let Some(region) = handle.defined(Slot::User).filter(|region| region.window.is_none()) else {
        return;
    };
    let reading = thread.process.header().clock_readings_ticks as f64 / CLOCK_READINGS as f64;
    let on_cpu = ready::share_on_cpu(thread);
    if costs_more(&taken(thread, region.node_key), reading, on_cpu) && handle.exclude(Slot::User) {
        let (region, at) = (region.id, thread.header.last_ticks);
        thread.process.define(&Definition::Excluded { region, visits, at });
    }
}

/// Whether measuring the visits takes longer than they do. An event costs a reading of the clock
/// and a little more, which does not count here, in favour of the function. Of the time of visits,
/// so much counts as the thread's share `on_cpu`: otherwise a busy machine makes functions long.
fn costs_more(taken: &Taken, reading_ticks: f64, on_cpu: f64) -> bool {
    let own = taken.ticks as f64 * on_cpu - taken.events as f64 * reading_ticks;
    taken.is_plain && 2.0 * taken.visits as f64 * reading_ticks > own
}

/// What visits of the call paths with this key have taken, on this thread.
fn taken(thread: &mut Location, key: u64) -> Taken {
    let mut taken = Taken { is_plain: true, ..Taken::default() };
    for at in (1..thread.node_count()).map(node_offset) {
        if !is_below(thread, at, key) {
            continue;
        }
        let node = *thread.node(at);
        taken.ticks += node.ticks;
        // Both events of a visit lie in the time of visits, except those of a visit that is in no
        // other: one of the two lies around it.
        let is_outermost = !is_below(thread, node.parent, key);
        taken.events += node.visits * if is_outermost { 1 } else { 2 };
        taken.visits += if node.key == key { node.visits } else { 0 };
        taken.is_plain &= is_function(thread, node.key);
    }
    taken
}

/// Whether the call path is one of this key, or below one.
fn is_below(thread: &mut Location, mut at: NodeOffset, key: u64) -> bool {
    while at != 0 && thread.node(at).key != key {
        at = thread.node(at).parent;
    }
    at != 0
}

fn is_function(thread: &Location, key: u64) -> bool {
    let Key::Region(region) = Key::decode(key) else { return false };
    matches!(thread.process.region_kind(region), Some(RegionKind::Function | RegionKind::User))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A visit takes `ticks`, with one event of 20 ticks in it.
    fn check(visits: u64, ticks: u64, expected: bool) {
        let taken = Taken { visits, ticks: visits * ticks, events: visits, is_plain: true };
        assert_eq!(costs_more(&taken, 20.0, 1.0), expected);
        let slowed = Taken { ticks: 4 * taken.ticks, ..taken };
        assert_eq!(costs_more(&slowed, 20.0, 0.25), expected, "with a CPU for a quarter of it");
        assert!(!costs_more(&Taken { is_plain: false, ..taken }, 20.0, 1.0));
    }

    #[test]
    fn two_events_cost_more_than_the_function_takes() {
        check(100_000, 25, true);
        check(100_000, 59, true);
        check(100_000, 60, false);
        check(100_000, 1_000, false);
    }
}
