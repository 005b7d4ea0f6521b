//! What lasts from one iteration to the next: chunks of loops, and the tasks of a taskloop. Only
//! the iteration that does not follow says that they are over, so the end of an iteration is kept
//! until the thread's next event: the next iteration takes it back, everything else makes it good,
//! with the time of then.
//!
//! The same serves constructs whose end comes before their barrier: [`end`] keeps the end of their
//! region, and the barrier takes it back by [`take_back_end`].

pub mod ending;
pub mod kept;

use pompeii_live::{Key, Node, NodeOffset, node_index};

use crate::clock::Clock;
use crate::descriptor::TaskRegions;
use crate::events::kind;
use crate::fast::taskloops;
use crate::location::{Location, ROOT, gate};
use crate::openmp;
use crate::parameters::{self, Value};
use crate::task;
use crate::task::instance::{Task, state};

use ending::Ending;
pub use kept::{end_last, take_back_end};
use kept::{keep, put_back, take_back};

/// An iteration of a loop begins. Iterations of one thread that follow each other with this step
/// are a chunk; with step 0 none do, nor where each is to be a call path.
pub fn begin(thread: &mut Location, region: u32, (number, step): (i64, i64), clock: impl Clock) {
    let step = if thread.process.options.iterations { 0 } else { step };
    let next = number.wrapping_add(step) as u64;
    if thread.gate & gate::ENDING != 0 {
        let is_open = matches!(thread.ending, Ending::Chunk(open) if open == region);
        if is_open && step != 0 && thread.current().private == number as u64 {
            thread.current().private = next;
            return take_back(thread);
        }
        end_last(thread);
    }
    thread.enter(region, clock.now());
    if thread.process.options.iterations {
        parameters::set(thread, b"iteration", Value::Int(number), thread.header.last_ticks);
    } else if !thread.is_passing() {
        thread.current().private = next;
    }
}

/// An iteration of a loop ends.
pub fn end(thread: &mut Location, region: u32, clock: impl Clock) {
    let is_here = thread.current().key == Key::Region(region).encode();
    if is_here && !thread.is_passing() {
        keep(thread, Ending::Chunk(region), clock.now());
    } else {
        thread.exit(region, clock.now());
    }
}

/// What the iterations of a generated task carry that is not timed: its tasks are included ones.
const INCLUDED: i64 = 1;
/// The same of one that is passed over.
const SKIPPED: i64 = 2;

/// A taskloop as its iterations know it: where its tasks are created.
struct Place {
    location: u32,
    node: NodeOffset,
    /// It was met in a final task.
    included: bool,
}

impl Place {
    /// Nodes begin at multiples of their size.
    const INCLUDED: i64 = 1;

    fn encode(&self) -> i64 {
        i64::from(self.location + 1) << 32 | i64::from(self.node) | i64::from(self.included)
    }

    fn decode(id: i64) -> Option<Self> {
        let location = u32::try_from((id >> 32).checked_sub(1)?).ok()?;
        let node = id as u32 & !(Self::INCLUDED as u32);
        Some(Self { location, node, included: id & Self::INCLUDED != 0 })
    }

    /// This thread's node for the construct, which may be another location's.
    fn node<'a>(&self, thread: &'a mut Location) -> Option<&'a mut Node> {
        let node = match self.location == thread.index() {
            true => self.node,
            false => {
                let (location, node) = (self.location, node_index(self.node));
                thread.child(ROOT, Key::Attach { location, node }.encode())
            }
        };
        (node != 0).then(|| thread.node(node))
    }
}

/// A thread meets a taskloop. Returns its id, 0 where it goes unobserved.
pub fn taskloop_enter(thread: &mut Location, region: u32, nogroup: bool, now: u64) -> i64 {
    thread.enter(region, now);
    if thread.is_passing() {
        return 0;
    }
    task::expect_tasks(thread);
    if nogroup {
        task::expect_children(thread);
    }
    let (location, node) = (thread.index(), thread.header.current);
    Place { location, node, included: openmp::in_final() }.encode()
}

/// An iteration of a taskloop begins. `task` is what its generated task has carried so far, 0 at
/// its first iteration; returns what it carries from here. A new instance is one of this thread's:
/// their number is not known earlier. Inlined, as its end: a call is a twentieth of an iteration.
#[inline(always)]
pub fn taskloop_begin(
    thread: &mut Location,
    (id, task): (i64, i64),
    regions: TaskRegions,
    clock: impl Clock + Copy,
) -> i64 {
    if thread.gate & gate::ENDING != 0 {
        if matches!(thread.ending, Ending::Task(open, _) if open as i64 == task) {
            take_back(thread);
            return task;
        }
        if end_task_shortly(thread).is_none() {
            end_last(thread);
        }
    }
    let Some(place) = Place::decode(id) else { return 0 };
    if thread.is_passing() {
        thread.skip();
        return SKIPPED;
    }
    if task == INCLUDED {
        return INCLUDED;
    }
    let Some(node) = place.node(thread) else { return 0 };
    if place.included {
        node.undeferred += 1;
        return INCLUDED;
    }
    node.created += 1;
    match begin_shortly(thread, regions, clock) {
        Some(task) => task as i64,
        None => begin_task(thread, regions, clock) as i64,
    }
}

/// The fast way of the creation and begin of a task.
#[inline(always)]
fn begin_shortly(
    thread: &mut Location,
    regions: TaskRegions,
    clock: impl Clock,
) -> Option<*mut Task> {
    let thread: *mut Location = thread;
    // SAFETY: this thread's location, and regions of a handle.
    unsafe {
        match (*thread).tracing {
            true => taskloops::begin::<true>(thread, regions, clock),
            false => taskloops::begin::<false>(thread, regions, clock),
        }
    }
}

/// The fast way of the kept end of a task.
#[inline(always)]
fn end_task_shortly(thread: &mut Location) -> Option<()> {
    let Ending::Task(task, regions) = thread.ending else { return None };
    take_back(thread);
    let location: *mut Location = thread;
    // SAFETY: this thread's location, and an instance whose end was kept, so it is alive.
    let done = unsafe {
        match (*location).tracing {
            true => taskloops::end::<true>(location, task),
            false => taskloops::end::<false>(location, task),
        }
    };
    if done.is_none() {
        put_back(thread, Ending::Task(task, regions));
    }
    done
}

/// The general way.
#[inline(never)]
fn begin_task(thread: &mut Location, regions: TaskRegions, clock: impl Clock) -> *mut Task {
    let now = clock.now();
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    let task = task::new_instance(thread);
    thread.note(task, state::CREATED);
    if thread.tracing {
        let now = thread.account(now);
        let name = task::name_of(task);
        thread.records(now, |records| records.fields(kind::TASK_CREATE, &name));
    }
    task::begin(thread, task as usize, regions, clock);
    task
}

/// An iteration of a taskloop ends.
#[inline(always)]
pub fn taskloop_end(thread: &mut Location, task: i64, regions: TaskRegions, clock: impl Clock) {
    match task {
        0 | INCLUDED => {}
        SKIPPED => drop(thread.unskip()),
        task => {
            let (task, now) = (task as *mut Task, clock.now());
            if thread.tasks.current() != task {
                return task::complete(thread, task, regions, now);
            }
            if !thread.is_open(regions.task.key) {
                return;
            }
            if !thread.is_passing() {
                thread.unwind_to(regions.task.id, now);
            }
            keep(thread, Ending::Task(task, regions), now);
        }
    }
}
