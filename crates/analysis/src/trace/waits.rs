//! The instances of waiting that a compound has: which metric of `mod.rs`, when, and for whom.

use pompeii_replay::Compound;
use pompeii_replay::compound::{
    CollectiveVisit, MessageVisit, Pattern, WindowPattern, WindowVisit,
};
use pompeii_replay::place::Place;

use crate::trace::instances::Instance;
use crate::trace::measured::Measured;

/// Calls `found` with the metric and the instance.
pub(crate) fn of(compound: &Compound, found: &mut dyn FnMut(Measured, &Instance)) {
    let mut note = |metric, at: Place, (enter, leave): (u64, u64), ticks, by: Option<Place>| {
        // A location does not wait for itself.
        if by.is_none_or(|by| by.location != at.location) {
            found(metric, &Instance { at, enter, leave, ticks, by });
        }
    };
    let mut message = |metric, visit: &MessageVisit| {
        let (times, by) = ((visit.enter, visit.leave), Some(visit.partner.at));
        note(metric, visit.at, times, visit.wait_ticks(), by);
    };
    match compound {
        Compound::LateSender(visit) => message(Measured::LateSender, visit),
        Compound::LateReceiver(visit) => message(Measured::LateReceiver, visit),
        Compound::WrongOrder { visit, .. } => message(Measured::WrongOrder, visit),
        Compound::Icollective(visit) => message(Measured::NonBlocking, visit),
        Compound::Part(part) => {
            note(Measured::Fork, part.at, (part.forked, part.enter), part.fork_ticks(), None);
        }
        Compound::Barrier(visit) => {
            let times = (visit.enter, visit.leave);
            note(Measured::ImplicitWait, visit.at, times, visit.wait_ticks(), Some(visit.last));
            note(Measured::Starvation, visit.at, times, visit.starvation_ticks(), None);
        }
        Compound::Lock(visit) => {
            let by = visit.before.map(|(_, holder)| holder);
            note(Measured::Lock, visit.at, (visit.since, visit.acquired), visit.wait_ticks(), by);
        }
        Compound::Turn(visit) => {
            let by = visit.before.map(|(_, last)| last);
            note(Measured::Turn, visit.at, (visit.since, visit.begun), visit.wait_ticks(), by);
        }
        Compound::Collective(visit) => {
            if let Some(metric) = collective(visit) {
                let times = (visit.begin, visit.end);
                note(metric, visit.at, times, visit.wait_ticks(), Some(visit.causer));
            }
        }
        Compound::Window(visit) => {
            let times = (visit.enter, visit.leave);
            note(window(visit), visit.at, times, visit.wait_ticks(), Some(visit.causer));
        }
        _ => {}
    }
}

/// The metric of waiting for another process of a window.
pub(crate) fn window(visit: &WindowVisit) -> Measured {
    match (visit.pattern, visit.is_transfer) {
        (WindowPattern::LatePost, false) => Measured::LatePost,
        (WindowPattern::LatePost, true) => Measured::LatePostOfData,
        (WindowPattern::EarlyWait, _) => Measured::EarlyWait,
        (WindowPattern::LateComplete, _) => Measured::LateComplete,
        (WindowPattern::EarlyFence, _) => Measured::EarlyFence,
        (WindowPattern::Lock, false) => Measured::WindowLock,
        (WindowPattern::Lock, true) => Measured::WindowLockOfData,
        (WindowPattern::Progress, false) => Measured::Progress,
        (WindowPattern::Progress, true) => Measured::ProgressOfData,
    }
}

fn collective(visit: &CollectiveVisit) -> Option<Measured> {
    Some(match visit.pattern {
        Pattern::Barrier => Measured::MpiBarrier,
        Pattern::AllToAll => Measured::AllToAll,
        Pattern::OneToAll => Measured::LateBroadcast,
        Pattern::AllToOne => Measured::EarlyReduce,
        Pattern::Scan => Measured::EarlyScan,
        Pattern::Finalize => Measured::Finalize,
        Pattern::Fence => Measured::Fence,
        Pattern::File => Measured::File,
        Pattern::WindowCreate => Measured::WindowCreate,
        Pattern::WindowFree => Measured::WindowFree,
        Pattern::Init => return None,
    })
}
