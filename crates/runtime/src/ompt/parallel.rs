//! Parallel regions and the parts of their threads.
//!
//! The final barrier of a worker is over when the runtime wakes the worker for the next region,
//! which may be long after the join. So nothing is taken from that end: the core closes the barrier
//! with the time of the master's join.

use std::ffi::{c_int, c_uint};

use super::calls;
use super::interface::{Address, Data, Implicit, Region, endpoint, parallel_flag, task_flag};
use super::open::{self, Family};
use crate::clock::{self, Tsc};
use crate::descriptor::{Given, Handle, Named, Slot, Words};
use crate::entry::on_thread;
use crate::fast::kit::gate;
use crate::fast::teams;
use crate::tls::{self, Thread};
use crate::unmodified::{self, Code, Directive};
use crate::ways::constructs;
use crate::{parts, team, ways};

/// `ompt_callback_parallel_begin`: a master meets a parallel region, or a league of teams.
pub extern "C" fn begin(
    _task: Option<&Data>,
    _frame: Address,
    parallel: Option<&Data>,
    requested: c_uint,
    flags: c_int,
    address: Address,
) {
    let body = calls::take_region_body();
    let Some(parallel) = parallel else { return };
    parallel.set(0);
    let is_league = flags & parallel_flag::LEAGUE != 0;
    let directive = if is_league { Directive::Teams } else { Directive::Parallel };
    let found = find(directive, (body, address as usize), flags);
    if is_league {
        return begin_league(found);
    }
    match found {
        Found::Construct(construct) => begin_region(construct, parallel, requested, address),
        Found::Instrumented => {
            open::push(Family::Part, None, 0);
            parallel.set(Region::INSTRUMENTED.word());
        }
        // Without an address it is the region of a thread of a league, which goes on as it is.
        Found::Runtime if address.is_null() => {}
        Found::Runtime => parallel.set(Region::RUNTIME.word()),
    }
}

/// What a region is.
enum Found {
    /// A construct that is observed.
    Construct(Given),
    /// One of a file that is instrumented.
    Instrumented,
    /// None of the program: the runtime has threads for itself, for example for target regions that
    /// nothing waits for.
    Runtime,
}

/// The construct with this body, or, where that is not known, this address.
fn find(directive: Directive, (body, address): (usize, usize), flags: c_int) -> Found {
    let code = if body == 0 { Code::Call(address) } else { Code::Function(body) };
    let Some(construct) = unmodified::construct(directive, code, words) else {
        return Found::Instrumented;
    };
    if !unmodified::is_elsewhere(construct) {
        return Found::Construct(construct);
    }
    // The call of a region at the end of a function has an address of the runtime, too.
    let is_told = cfg!(target_arch = "x86_64") && flags & parallel_flag::INVOKED_BY_PROGRAM == 0;
    if body != 0 || is_told {
        return Found::Runtime;
    }
    Found::Construct(open::around(directive, &words).unwrap_or(construct))
}

fn begin_league(found: Found) {
    let construct = match found {
        Found::Construct(construct) => Some(construct),
        Found::Instrumented | Found::Runtime => None,
    };
    if let Some(construct) = construct {
        constructs::teams_enter(construct);
    }
    open::push(Family::Teams, construct, 0);
}

fn begin_region(construct: Given, parallel: &Data, requested: u32, address: Address) {
    let number = unmodified::number(construct);
    if number == 0 {
        return open::note_unpaired();
    }
    let team = fork(construct, requested);
    open::push(Family::Part, Some(construct), address as i64);
    parallel.set(Region { construct: number, team }.word());
}

/// The word tells the report how the program was observed.
fn words() -> Words {
    Words { clauses: "ompt".to_owned(), ..Words::default() }
}

/// The master forks a team. Returns it if it is observed.
#[inline(always)]
fn fork(construct: Given, requested: u32) -> Option<u32> {
    let regions = construct.known_handle().and_then(Handle::known_parallel);
    let forked =
        gate::open_thread().zip(regions).and_then(|(thread, regions)| match thread.tracing {
            true => teams::fork::<true>(thread, regions, || requested, Tsc),
            false => teams::fork::<false>(thread, regions, || requested, Tsc),
        });
    forked.or_else(|| fork_general(construct, requested))
}

#[cold]
#[inline(never)]
fn fork_general(construct: Given, requested: u32) -> Option<u32> {
    let mut team = None;
    on_thread!(|thread| {
        let region = construct.handle().region(thread.process, Slot::Parallel);
        team = team::fork(thread, region, requested, clock::now());
    });
    team
}

/// `ompt_callback_parallel_end`: the master is after the region.
pub extern "C" fn end(
    parallel: Option<&Data>,
    _task: Option<&Data>,
    flags: c_int,
    _address: Address,
) {
    if flags & parallel_flag::LEAGUE != 0 {
        if let Some(teams) = open::pop(Family::Teams).and_then(|entry| entry.construct) {
            constructs::teams_exit(teams);
        }
        return;
    }
    let Some(region) = parallel.map(|parallel| Region::of(parallel.get())) else { return };
    let construct = unmodified::numbered(region.construct);
    if construct.is_some() || region == Region::INSTRUMENTED {
        open::pop(Family::Part);
    }
    if let Some(construct) = construct {
        ways::teams::join(construct, team_argument(region));
    }
}

/// What the calls of instrumented programs say of a team.
fn team_argument(region: Region) -> i64 {
    region.team.map_or(-1, i64::from)
}

/// `ompt_callback_implicit_task`: a thread begins its part of a region, or is after it.
pub extern "C" fn implicit_task(
    endpoint: c_int,
    parallel: Option<&Data>,
    task: Option<&Data>,
    size: c_uint,
    index: c_uint,
    flags: c_int,
) {
    let Some(task) = task else { return };
    // An initial task is outside of all teams.
    if flags & task_flag::INITIAL != 0 {
        return task.set(0);
    }
    match endpoint {
        endpoint::BEGIN => {
            let region = parallel.map_or(Region::of(0), |parallel| Region::of(parallel.get()));
            begin_part(region, task, (index, size));
        }
        endpoint::END => end_part_late(task),
        _ => {}
    }
}

/// The thread with this number, in a team of this size, begins its part.
fn begin_part(region: Region, task: &Data, (number, size): (u32, u32)) {
    task.set(0);
    let Some(construct) = unmodified::numbered(region.construct) else {
        return begin_unobserved(region, number);
    };
    if begin_fast(region.team, (number, size)).is_none() {
        parts::begin_as(construct, |_| region.team, || (number, size));
    }
    let is_master = number == 0;
    if !is_master {
        open::begin_part(Some(construct));
    }
    task.set(Implicit { region, is_master, has_ended: false }.word());
}

/// The same in a region that is not observed.
#[cold]
fn begin_unobserved(region: Region, number: u32) {
    if region == Region::INSTRUMENTED {
        // Its own calls make the thread's location known. What was open at the last one is over.
        if number != 0 && tls::location().is_some() {
            open::begin_part(None);
        }
        return;
    }
    let is_unknown = number != 0 || region == Region::RUNTIME;
    if is_unknown && matches!(tls::thread(), Thread::Open(_) | Thread::New) {
        tls::mute();
    }
}

/// The fast ways of the begin.
#[inline(always)]
fn begin_fast(team: Option<u32>, part: (u32, u32)) -> Option<()> {
    let (team, thread) = (team?, gate::open_thread()?);
    match (thread.contexts.has_forked(i64::from(team)), thread.tracing) {
        (true, true) => teams::begin::<true>(thread, part.1, Tsc),
        (true, false) => teams::begin::<false>(thread, part.1, Tsc),
        (false, _) if !teams::is_same_part(thread, part) => None,
        (false, tracing) => {
            let next = (team, thread.process.named_team(i64::from(team))?);
            match tracing {
                true => teams::begin_next::<true>(thread, next, Tsc)
                    .or_else(|| teams::begin_next_after_barrier::<true>(thread, next, Tsc)),
                false => teams::begin_next::<false>(thread, next, Tsc)
                    .or_else(|| teams::begin_next_after_barrier::<false>(thread, next, Tsc)),
            }
        }
    }
}

/// A thread comes to the final barrier of its part.
pub fn end_part(task: &Data) {
    let Some(implicit) = Implicit::of(task.get()) else { return };
    if implicit.has_ended {
        return open::note_unpaired();
    }
    task.set(Implicit { has_ended: true, ..implicit }.word());
    let region = implicit.region;
    if let (Some(construct), Some(_)) = (unmodified::numbered(region.construct), region.team) {
        ways::teams::end(construct, team_argument(region));
    }
}

/// The implicit task is over. A thread that is alone has no final barrier, so its part ends here.
/// That of a worker has ended; what the runtime says now is about the next region.
fn end_part_late(task: &Data) {
    let implicit = Implicit::of(task.get());
    if implicit.is_some_and(|implicit| implicit.is_master && !implicit.has_ended) {
        end_part(task);
    }
    task.set(0);
}
