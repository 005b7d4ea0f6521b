//! The short ways of task events for scripts, in the order in which the POMP functions try them.

use crate::clock::Clock;
use crate::descriptor::Defined;
use crate::instance::Task;
use crate::location::{Location, gate};
use crate::task::{TaskRegions, UNTIMED};
use crate::{task_short, task_timed};

fn place(region: &'static Defined) -> *mut Defined {
    std::ptr::from_ref(region).cast_mut()
}

/// A short way where the gate is as it wants it, without records and with them.
macro_rules! timed {
    ($thread:ident, $gate:ident is $open:expr, $event:ident $([$on_top:ident])? ($($more:expr),*)) => {{
        let ($thread, $gate): (*mut Location, u32) = (&raw mut *$thread, $thread.gate);
        // SAFETY: the one thread of the script, its regions, and instances of this test.
        unsafe {
            match (*$thread).tracing {
                _ if !$open => None,
                false => task_timed::$event::<false $(, { $on_top })?>($thread, $($more),*),
                true => task_timed::$event::<true $(, { $on_top })?>($thread, $($more),*),
            }
        }
    }};
}

pub fn create_begin(
    thread: &mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<usize> {
    let create = regions.create;
    // SAFETY: the one thread of the script, and its regions.
    let predicted =
        unsafe { task_short::create_begin_predicted(thread, place(create), regions.conditional) };
    predicted.or_else(
        || timed!(thread, gate is gate & !gate::SWITCH == 0, create_begin(place(create), clock)),
    )
}

pub fn create_end(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above, and a handle of this test.
        return unsafe { task_short::create_end_untimed(thread, handle) };
    }
    let (task, place) = (handle as *mut Task, place(regions.create));
    if thread.gate == gate::CREATION {
        return timed!(thread, gate is gate == gate::CREATION, create_end(task, clock));
    }
    timed!(thread, gate is gate & !gate::SWITCH == 0, create_end_at_once(task, place, clock))
}

pub fn begin(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above.
        return unsafe { task_short::begin_untimed(thread, handle) };
    }
    let (task, place) = (handle as *mut Task, (place(regions.task), regions.tied));
    match (thread.gate == gate::CREATION, thread.tasks.current().is_null()) {
        (true, _) if regions.conditional => None,
        (true, true) => timed!(thread, _gate is true, begin_at_once[false](task, place, clock)),
        (true, false) => timed!(thread, _gate is true, begin_at_once[true](task, place, clock)),
        (false, true) => {
            timed!(thread, gate is gate & !gate::SWITCH == 0, begin[false](task, place, clock))
        }
        (false, false) => {
            timed!(thread, gate is gate & !gate::SWITCH == 0, begin[true](task, place, clock))
        }
    }
}

pub fn end(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above.
        return unsafe { task_short::end_untimed(thread, handle) };
    }
    let place = || Some(place(regions.task));
    timed!(thread, gate is gate == 0, end(handle as *mut Task, place, clock))
}

pub fn wait_enter(
    thread: &mut Location,
    region: &'static Defined,
    clock: impl Clock,
) -> Option<()> {
    // SAFETY: as above.
    let counted = unsafe { task_short::wait_enter_counted(thread, || Some(place(region))) };
    counted.or_else(
        || timed!(thread, gate is gate & !gate::SWITCH == 0, wait_enter(place(region), clock)),
    )
}

pub fn wait_exit(thread: &mut Location, region: &'static Defined, clock: impl Clock) -> Option<()> {
    // SAFETY: as above.
    let counted = unsafe { task_short::wait_exit_counted(thread) };
    counted.or_else(
        || timed!(thread, gate is gate & !gate::SWITCH == 0, wait_exit(place(region), clock)),
    )
}
