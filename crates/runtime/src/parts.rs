//! How a thread begins its part of a parallel region on the general way: an adapter knows only the
//! construct, and which team it is. From that follows which location the thread is from here on.

use std::sync::atomic::Ordering;

use crate::descriptor::{Handle, Named};
use crate::location::Location;
use crate::tls::{self, Thread};
use crate::{clock, openmp, start, team};

/// The team that the thread is in, unless it is in a region that is not observed.
pub fn team_around(thread: &Location) -> Option<u32> {
    let context = thread.contexts.top();
    (!context.is_unobserved()).then_some(context.team)
}

/// A thread begins its part in the team that the construct's handle leads to.
pub fn begin(construct: impl Named, team: impl FnOnce(&Handle) -> Option<u32>) {
    begin_as(construct, team, openmp::thread_of_team);
}

/// The same for the thread whose number and team size `part` has.
pub fn begin_as(
    construct: impl Named,
    team: impl FnOnce(&Handle) -> Option<u32>,
    part: impl Fn() -> (u32, u32),
) {
    let before = tls::thread();
    let in_event = match before {
        // A worker is in no event, but another thread may be the location that it was, and in one.
        // SAFETY: locations are never freed, and the gate is asked for only.
        Thread::Open(location) => unsafe { (*location).is_busy() && part().0 == 0 },
        Thread::Closed => true,
        Thread::New | Thread::Muted => false,
    };
    if in_event {
        return;
    }
    // From here on events of signal handlers are passed over.
    tls::close();
    tls::restore(begin_part(construct, team, part(), before));
}

/// The location with this thread's number begins; returns what the thread's events go to now.
fn begin_part(
    construct: impl Named,
    team: impl FnOnce(&Handle) -> Option<u32>,
    (number, size): (u32, u32),
    before: Thread,
) -> Thread {
    let Some(process) = start::process() else { return Thread::Muted };
    let handle = construct.handle();
    let team = team(handle);
    let Some(team) = team.filter(|&team| process.has_team(team)) else {
        return if number == 0 { before } else { Thread::Muted };
    };
    let record = process.team(team);
    let (master, level) =
        (record.master.load(Ordering::Relaxed), record.level.load(Ordering::Relaxed));
    let location = match (number, before) {
        (0, Thread::Open(location)) => Some(location),
        (0, _) => None,
        _ => process.worker(master, level, number),
    };
    let Some(location) = location else {
        return if number == 0 { before } else { Thread::Muted };
    };
    // SAFETY: locations are never freed, and this thread is the only one that plays this one.
    let thread = unsafe { &mut *location };
    // In foreign code two threads may have met the construct: then this is the other one's team.
    if number != 0 || thread.index() == master {
        team::begin(thread, (team, number, size), handle.parallel(process), clock::now());
    }
    Thread::Open(location)
}
