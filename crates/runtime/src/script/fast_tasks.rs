//! The fast ways of task events for scripts, in the order in which the POMP functions try them.

use crate::clock::Clock;
use crate::descriptor::{Construct, Defined, Slot, TaskRegions};
use crate::fast::{tasks, untimed_tasks};
use crate::location::{Location, gate};
use crate::task::UNTIMED;
use crate::task::instance::Task;

impl Construct for TaskRegions {
    fn place(self, slot: Slot) -> *mut Defined {
        let region = if slot == Slot::TaskCreate { self.create } else { self.task };
        std::ptr::from_ref(region).cast_mut()
    }

    fn is_conditional(self) -> bool {
        self.conditional
    }

    fn is_tied(self) -> bool {
        self.tied
    }
}

/// A fast way without records, or with them.
macro_rules! way {
    ($thread:ident, $event:ident $([$($more_types:tt)*])? ($($more:expr),*)) => {{
        let $thread: *mut Location = &raw mut *$thread;
        // SAFETY: the one thread of the script, its regions, and instances of this test.
        unsafe {
            match (*$thread).tracing {
                false => tasks::$event::<false $(, $($more_types)*)?>($thread, $($more),*),
                true => tasks::$event::<true $(, $($more_types)*)?>($thread, $($more),*),
            }
        }
    }};
}

pub fn create_begin(
    thread: &mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<usize> {
    way!(thread, create_begin(regions, clock)).or_else(|| {
        // SAFETY: as above.
        unsafe { untimed_tasks::create_begin_included(thread, regions.place(Slot::TaskCreate)) }
    })
}

pub fn create_end(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock + Copy,
) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above, and a handle of this test.
        return unsafe {
            untimed_tasks::create_end(thread, handle)
                .or_else(|| untimed_tasks::create_end_included(thread, handle))
        };
    }
    let task = handle as *mut Task;
    match thread.gate {
        gate::CREATION => way!(thread, create_end(task, clock)),
        _ => way!(thread, create_end_at_once[_](task, || Some(regions), clock)),
    }
}

pub fn begin(
    thread: &mut Location,
    handle: usize,
    regions: TaskRegions,
    clock: impl Clock + Copy,
) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above.
        return unsafe { untimed_tasks::begin(thread, handle) };
    }
    let task = handle as *mut Task;
    way!(thread, begin[false, _](task, || Some(regions), clock)).or_else(|| match thread.gate {
        gate::CREATION => way!(thread, begin_at_once[false, _](task, || Some(regions), clock))
            .or_else(|| way!(thread, begin_at_once[true, _](task, || Some(regions), clock))),
        _ => way!(thread, begin[true, _](task, || Some(regions), clock)),
    })
}

pub fn end(thread: &mut Location, handle: usize, clock: impl Clock + Copy) -> Option<()> {
    if handle & UNTIMED != 0 {
        // SAFETY: as above.
        return unsafe { untimed_tasks::end(thread, handle) };
    }
    let task = handle as *mut Task;
    way!(thread, end(task, clock))
}

/// A taskwait as a construct.
fn taskwait(region: &'static Defined) -> TaskRegions {
    TaskRegions { create: region, task: region, conditional: false, tied: true }
}

pub fn wait_enter(
    thread: &mut Location,
    region: &'static Defined,
    clock: impl Clock,
) -> Option<()> {
    way!(thread, wait_enter(taskwait(region), clock))
}

pub fn wait_exit(thread: &mut Location, region: &'static Defined, clock: impl Clock) -> Option<()> {
    way!(thread, wait_exit[_](|| Some(taskwait(region)), clock))
}
