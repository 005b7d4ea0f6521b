//! Tasks that threads execute in barriers: a fragment of a task is no waiting.

use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{NodeOffset, Team};

use super::phase::{Barrier, Phase};
use crate::arrivals;
use crate::cause::Place;
use crate::context::Context;
use crate::location::Location;

/// The thread's team has tasks, which other barriers than a lone thread's know about.
#[inline(always)]
pub fn expect_tasks(thread: &mut Location) {
    if std::mem::replace(&mut thread.alone, false) {
        let context = thread.context();
        context.alone = false;
        context.barrier.phase.set(Phase::SERVES);
    }
}

/// The latest arrival at the barrier that the thread is in, if it is known already: when, and
/// where.
#[inline(always)]
pub(super) fn latest_arrival(context: &Context, record: &Team) -> Option<(u64, Place)> {
    if context.size == 1 {
        return Some((context.barrier.enter, Place::NONE));
    }
    let latest = arrivals::latest(record, context.barrier.generation);
    latest.map(|(ticks, place)| (ticks, Place::from_word(place)))
}

/// The barrier's part of a task fragment `[start, end]` whose stub is `stub`: what lies before the
/// latest arrival counts as not waiting, and what ends after it is what others may starve for.
///
/// All threads of the team note that in one word, whose cache line would move to another CPU for
/// each task. Therefore a thread notes it again only if some time has passed since its last note.
#[inline(always)]
pub fn add_fragment(thread: &mut Location, stub: NodeOffset, (start, end): (u64, u64)) {
    let own = thread.own;
    let interval = thread.process.options.task_note_ticks;
    let context = thread.context();
    if !context.barrier.phase.is_within() {
        return;
    }
    let latest = known_latest(context);
    let barrier = &mut context.barrier;
    barrier.early_task_ticks += end.min(latest.unwrap_or(u64::MAX)).saturating_sub(start);
    let passed = end.saturating_sub(barrier.noted);
    if latest.is_some_and(|latest| end > latest) && passed >= interval {
        barrier.noted = end;
        context.record().last_task_place.store(own.at(stub).word(), Relaxed);
    }
}

/// When the latest arrival was, if it is known already. The team's record is read until then.
#[inline(always)]
fn known_latest(context: &mut Context) -> Option<u64> {
    let Barrier { latest, enter, .. } = context.barrier;
    if latest > enter {
        return Some(latest);
    }
    let (latest, _) = latest_arrival(context, context.record())?;
    context.barrier.latest = latest;
    Some(latest)
}
