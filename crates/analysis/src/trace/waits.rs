//! The instances of waiting that a compound has: which metric of `mod.rs`, when, and for whom.

use pompeii_replay::Compound;
use pompeii_replay::compound::{CollectiveVisit, MessageVisit, Pattern, Place};

use crate::trace::instances::Instance;
use crate::trace::*;

/// Calls `found` with the number of the metric and the instance.
pub(crate) fn of(compound: &Compound, found: &mut dyn FnMut(usize, &Instance)) {
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
        Compound::LateSender(visit) => message(LATE_SENDER, visit),
        Compound::LateReceiver(visit) => message(LATE_RECEIVER, visit),
        Compound::WrongOrder { visit, .. } => message(WRONG_ORDER, visit),
        Compound::Icollective(visit) => message(NON_BLOCKING, visit),
        Compound::Part(part) => {
            note(FORK, part.at, (part.forked, part.enter), part.fork_ticks(), None);
        }
        Compound::Barrier(visit) => {
            let times = (visit.enter, visit.leave);
            note(IMPLICIT_WAIT, visit.at, times, visit.wait_ticks(), Some(visit.last));
            note(STARVATION, visit.at, times, visit.starvation_ticks(), None);
        }
        Compound::Lock(visit) => {
            let by = visit.before.map(|(_, holder)| holder);
            note(LOCK, visit.at, (visit.since, visit.acquired), visit.wait_ticks(), by);
        }
        Compound::Turn(visit) => {
            let by = visit.before.map(|(_, last)| last);
            note(TURN, visit.at, (visit.since, visit.begun), visit.wait_ticks(), by);
        }
        Compound::Collective(visit) => {
            if let Some(metric) = collective(visit) {
                let times = (visit.begin, visit.end);
                note(metric, visit.at, times, visit.wait_ticks(), Some(visit.causer));
            }
        }
        _ => {}
    }
}

fn collective(visit: &CollectiveVisit) -> Option<usize> {
    Some(match visit.pattern {
        Pattern::Barrier => MPI_BARRIER,
        Pattern::AllToAll => ALL_TO_ALL,
        Pattern::OneToAll => LATE_BROADCAST,
        Pattern::AllToOne => EARLY_REDUCE,
        Pattern::Scan => EARLY_SCAN,
        Pattern::Finalize => FINALIZE,
        Pattern::Init => return None,
    })
}
