//! Explicit tasks: creation, execution, and going back to what was suspended.
//!
//! A task instance executes on top of what its thread was doing at a scheduling point, so the
//! thread's tasks form a stack: begin pushes, end pops (instrumentation rules, section 4). Its
//! time lives only in its task tree, below [`TASKS`]; the scheduling point gets a stub that says
//! how much there was (decisions 13 and 14).
//!
//! An undeferred task (`if` false, included) is counted and not timed (decision 12): its creation
//! is written down only when something else than its own begin comes next.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pompeii_live::{Key, NodeIndex, encode};

use crate::clock::Clock;
use crate::location::{Location, TASKS, gate};
use crate::team;

/// Between creation and its end, as its creator sees it.
mod state {
    pub const CREATING: u32 = 0;
    pub const UNDEFERRED: u32 = 1;
    pub const DEFERRED: u32 = 2;
}

/// Name of a task instance in the trace: (communicator, creating thread, generation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TaskId {
    communicator: u32,
    thread: u32,
    generation: u32,
}

/// A task instance. Its memory belongs to the location that created it and is used again.
pub struct Task {
    next: *mut Task,
    home: *const Tasks,
    creator: u32,
    state: AtomicU32,
    id: TaskId,
    /// The task that it was begun on top of, null for the implicit task.
    below: *mut Task,
    /// Where it is while another task runs on top of it.
    node: NodeIndex,
    /// The stub for its time on the executing location.
    stub: NodeIndex,
    /// It has created tasks since its last taskwait.
    children: bool,
    /// An untied task that was resumed here: the instance that it stands for.
    original: *mut Task,
}

/// Regions of a task construct.
#[derive(Clone, Copy)]
pub struct TaskRegions {
    /// Creating it.
    pub create: u32,
    /// Executing it.
    pub task: u32,
}

/// A creation that is not in the trace yet.
#[derive(Clone, Copy)]
struct Due {
    region: u32,
    task: *mut Task,
}

/// A location's tasks.
pub struct Tasks {
    current: *mut Task,
    free: *mut Task,
    /// Instances that other locations have completed.
    returned: AtomicPtr<Task>,
    generation: u32,
    due: Option<Due>,
    /// Undeferred tasks that are being executed, innermost last: how many.
    undeferred_depth: u32,
    /// Team records that this location allocated.
    pub teams: Vec<u32>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            current: null_mut(),
            free: null_mut(),
            returned: AtomicPtr::default(),
            generation: 0,
            due: None,
            undeferred_depth: 0,
            teams: Vec::new(),
        }
    }
}

impl Tasks {
    /// The running explicit task, null for the implicit one.
    #[inline(always)]
    pub fn current(&self) -> *mut Task {
        self.current
    }

    /// The stub that stands for the running explicit task, 0 for the implicit one.
    pub fn current_stub(&self) -> NodeIndex {
        // SAFETY: current tasks are alive; only this thread changes the field.
        if self.current.is_null() { 0 } else { unsafe { (*self.current).stub } }
    }

    /// The new team's implicit task runs now. Returns what did.
    pub fn suspend_for_team(&mut self) -> *mut Task {
        std::mem::replace(&mut self.current, null_mut())
    }

    /// Undoes [`Tasks::suspend_for_team`].
    pub fn resume_from_team(&mut self, outer: *mut Task) {
        self.current = outer;
    }

    fn allocate(&mut self) -> *mut Task {
        if self.free.is_null() {
            self.free = self.returned.swap(null_mut(), Ordering::Acquire);
        }
        if self.free.is_null() {
            return self.new_task();
        }
        let task = self.free;
        // SAFETY: instances in the free list belong to this location alone.
        self.free = unsafe { (*task).next };
        task
    }

    #[cold]
    fn new_task(&mut self) -> *mut Task {
        Box::into_raw(Box::new(Task {
            next: null_mut(),
            home: self,
            creator: 0,
            state: AtomicU32::new(state::CREATING),
            id: TaskId::default(),
            below: null_mut(),
            node: 0,
            stub: 0,
            children: false,
            original: null_mut(),
        }))
    }

    /// Gives a completed instance back to where it came from.
    fn release(&mut self, task: *mut Task) {
        // SAFETY: a completed instance is named by nobody else; homes live as long as the process.
        unsafe {
            if std::ptr::eq((*task).home, self) {
                (*task).next = self.free;
                self.free = task;
                return;
            }
            let returned = &(*(*task).home).returned;
            let mut head = returned.load(Ordering::Relaxed);
            loop {
                (*task).next = head;
                match returned.compare_exchange_weak(
                    head,
                    task,
                    Ordering::Release,
                    Ordering::Relaxed,
                ) {
                    Ok(_) => return,
                    Err(now) => head = now,
                }
            }
        }
    }
}

/// Marks a handle whose creation was predicted to be undeferred and took no time.
const UNTIMED: usize = 1;

fn untag(handle: usize) -> *mut Task {
    (handle & !UNTIMED) as *mut Task
}

/// A thread meets a task construct. Returns the handle of the new instance.
pub fn create_begin(thread: &mut Location, regions: TaskRegions, clock: impl Clock) -> usize {
    let task = thread.tasks.allocate();
    thread.tasks.generation += 1;
    let (generation, creator) = (thread.tasks.generation, thread.index());
    let context = *thread.context();
    // SAFETY: `allocate` hands out an instance that nobody else knows.
    unsafe {
        (*task).creator = creator;
        (*task).state.store(state::CREATING, Ordering::Relaxed);
        (*task).children = false;
        (*task).original = null_mut();
        let (communicator, thread) = (context.communicator, context.thread);
        (*task).id = TaskId { communicator, thread, generation };
    }
    let node = thread.count(regions.create);
    if node == 0 || thread.gate & gate::SKIPPING != 0 {
        return task as usize | UNTIMED;
    }
    let timed_undeferred = thread.process.options.timed_undeferred;
    if thread.node(node).predicted_undeferred != 0 && !timed_undeferred {
        return task as usize | UNTIMED;
    }
    let now = clock.now();
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    thread.account(now);
    thread.header.current = node;
    thread.tasks.due = Some(Due { region: regions.create, task });
    thread.gate |= gate::CREATION;
    if timed_undeferred {
        thread.flush_gate(now);
    }
    task as usize
}

/// Writes the records of a creation that turned out to be real, with the time of its beginning.
pub fn flush_creation(thread: &mut Location) {
    let Some(due) = thread.tasks.due.take() else { return };
    thread.gate &= !gate::CREATION;
    if thread.tracing {
        // SAFETY: the creator is still in the construct; instances are never freed.
        let (id, now) = (unsafe { (*due.task).id }, thread.header.last_ticks);
        write_creation(thread, due.region, id, now);
    }
}

fn write_creation(thread: &mut Location, region: u32, id: TaskId, now: u64) {
    let TaskId { communicator, thread: number, generation } = id;
    thread.event(|room, last| encode::enter(room, last, now, region));
    thread.event(|room, last| {
        encode::thread_task_create(room, last, now, communicator, number, generation)
    });
}

fn write_switch(thread: &mut Location, now: u64) {
    let TaskId { communicator, thread: number, generation } = current_id(thread);
    thread.event(|room, last| {
        encode::thread_task_switch(room, last, now, communicator, number, generation)
    });
}

fn current_id(thread: &mut Location) -> TaskId {
    let task = thread.tasks.current;
    if !task.is_null() {
        // SAFETY: current tasks are alive.
        return unsafe { (*task).id };
    }
    let context = *thread.context();
    TaskId { communicator: context.communicator, thread: context.thread, generation: 0 }
}

/// Writes the switch back to what a completed task had suspended.
pub fn flush_switch(thread: &mut Location, now: u64) {
    if thread.gate & gate::SWITCH != 0 {
        thread.gate &= !gate::SWITCH;
        let now = now.max(thread.header.last_ticks);
        write_switch(thread, now);
    }
}

/// The creator goes on behind the construct.
pub fn create_end(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    // SAFETY: instances are never freed. A deferred one may be done and in use again by now; only
    // by this thread, and then its state is not CREATING and not read as anything but deferred.
    let undeferred = unsafe { (*task).state.load(Ordering::Relaxed) } == state::UNDEFERRED;
    let key = Key::Region(regions.create).encode();
    if handle & UNTIMED == 0 && thread.current().key == key {
        let node = thread.header.current;
        created(thread, node);
        return thread.exit(regions.create, clock.now());
    }
    let node = thread.child(thread.header.current, key);
    if undeferred || node == 0 {
        return;
    }
    // It was predicted to be undeferred and is not: the time of this creation stays unknown.
    created(thread, node);
    if thread.tracing {
        let now = thread.account(clock.now());
        // SAFETY: as above; the id is read for the record only.
        write_creation(thread, regions.create, unsafe { (*task).id }, now);
        thread.event(|room, last| encode::leave(room, last, now, regions.create));
    }
}

fn created(thread: &mut Location, node: NodeIndex) {
    let creation = thread.node(node);
    creation.created += 1;
    creation.predicted_undeferred = 0;
    let current = thread.tasks.current;
    if current.is_null() {
        thread.context().children = true;
    } else {
        // SAFETY: current tasks are alive; only this thread changes the field.
        unsafe { (*current).children = true };
    }
    let team = thread.context().team;
    if team != u32::MAX {
        let tasks = &thread.process.team(team).tasks;
        if tasks.load(Ordering::Relaxed) == 0 {
            tasks.store(1, Ordering::Relaxed);
        }
    }
}

/// A thread begins to execute an instance.
pub fn begin(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    if begins_undeferred(thread, task, handle, regions) {
        return;
    }
    let now = clock.now();
    if thread.gate != 0 {
        thread.flush_gate_but_switch();
    }
    push(thread, task, now);
    let node = thread.child(TASKS, Key::Region(regions.task).encode());
    if node != 0 {
        thread.node(node).visits += 1;
        thread.header.current = node;
    }
    if thread.tracing {
        write_switch(thread, now);
        thread.event(|room, last| encode::enter(room, last, now, regions.task));
    }
    stub(thread, task, regions.task);
}

/// The instance's creator executes it inside its creation: counted only.
fn begins_undeferred(
    thread: &mut Location,
    task: *mut Task,
    handle: usize,
    regions: TaskRegions,
) -> bool {
    // SAFETY: an instance that begins is alive, and its creator is set before it is published.
    let (creator, state) = unsafe { ((*task).creator, &(*task).state) };
    let own = creator == thread.index() && state.load(Ordering::Relaxed) == state::CREATING;
    if !own || !thread.is_creating(task, handle) || thread.process.options.timed_undeferred {
        state.store(state::DEFERRED, Ordering::Relaxed);
        return false;
    }
    state.store(state::UNDEFERRED, Ordering::Relaxed);
    if thread.tasks.due.is_some_and(|due| due.task == task) {
        thread.tasks.due = None;
        thread.gate &= !gate::CREATION;
        thread.header.current = thread.current().parent;
    }
    let node = thread.child(thread.header.current, Key::Region(regions.create).encode());
    if node != 0 {
        thread.node(node).undeferred += 1;
        thread.node(node).predicted_undeferred = 1;
    }
    thread.tasks.undeferred_depth += 1;
    true
}

impl Location {
    /// Whether this thread is inside the creation of the instance and has executed nothing since.
    fn is_creating(&self, task: *mut Task, handle: usize) -> bool {
        handle & UNTIMED != 0 || self.tasks.due.is_some_and(|due| due.task == task)
    }

    fn flush_gate_but_switch(&mut self) {
        flush_creation(self);
        self.gate &= !gate::SWITCH;
    }
}

/// Suspends what runs and makes `task` the current task.
fn push(thread: &mut Location, task: *mut Task, now: u64) {
    let now = thread.account(now);
    let below = thread.tasks.current;
    if below.is_null() {
        thread.context().scheduling_node = thread.header.current;
    } else {
        end_fragment(thread, below, now);
        // SAFETY: suspended tasks are alive.
        unsafe { (*below).node = thread.header.current };
    }
    // SAFETY: the instance is alive and executed by this thread only.
    unsafe { (*task).below = below };
    thread.tasks.current = task;
    thread.context().fragment_start = now;
}

/// Finds the stub for `task` below the implicit task's scheduling point.
fn stub(thread: &mut Location, task: *mut Task, region: u32) {
    let place = thread.context().scheduling_node;
    let stub = thread.child(place, Key::Stub(region).encode());
    // SAFETY: the instance is alive and executed by this thread only.
    unsafe { (*task).stub = stub };
    if stub != 0 {
        thread.node(stub).task_switches += 1;
    }
}

fn end_fragment(thread: &mut Location, task: *mut Task, now: u64) {
    let start = thread.context().fragment_start;
    // SAFETY: the task is current, so alive.
    let stub = unsafe { (*task).stub };
    if stub != 0 {
        thread.node(stub).task_ticks += now - start;
    }
    team::fragment_in_barrier(thread, start, now);
}

/// A thread has executed an instance to its end.
pub fn end(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    // SAFETY: an instance is alive until its end.
    if unsafe { (*task).state.load(Ordering::Relaxed) } == state::UNDEFERRED {
        thread.tasks.undeferred_depth = thread.tasks.undeferred_depth.saturating_sub(1);
        return thread.tasks.release(task);
    }
    let current = thread.tasks.current;
    // SAFETY: as above.
    if current != task && (current.is_null() || unsafe { (*current).original } != task) {
        return;
    }
    let now = clock.now();
    thread.exit(regions.task, now);
    let now = thread.header.last_ticks;
    if thread.tracing {
        let TaskId { communicator, thread: number, generation } = current_id(thread);
        thread.event(|room, last| {
            encode::thread_task_complete(room, last, now, communicator, number, generation)
        });
        thread.gate |= gate::SWITCH;
    }
    pop(thread, now);
    // An instance that has migrated is still named in the stack of the thread that it left: it is
    // not used again.
    if current == task {
        thread.tasks.release(task);
    }
}

/// Resumes what the current task had suspended.
fn pop(thread: &mut Location, now: u64) {
    let task = thread.tasks.current;
    end_fragment(thread, task, now);
    // SAFETY: the current task is alive.
    let below = unsafe { (*task).below };
    thread.tasks.current = below;
    thread.context().fragment_start = now;
    if below.is_null() {
        thread.header.current = thread.context().scheduling_node;
        return;
    }
    // SAFETY: suspended tasks are alive.
    let (node, stub) = unsafe { ((*below).node, (*below).stub) };
    thread.header.current = node;
    if stub != 0 {
        thread.node(stub).task_switches += 1;
    }
}

/// An untied task goes on behind a scheduling point, perhaps on another thread.
pub fn resume(thread: &mut Location, handle: usize, regions: TaskRegions, clock: impl Clock) {
    let task = untag(handle);
    let current = thread.tasks.current;
    // SAFETY: both are alive.
    let same = current == task || (!current.is_null() && unsafe { (*current).original } == task);
    // SAFETY: an instance is alive until its end.
    if same || unsafe { (*task).state.load(Ordering::Relaxed) } != state::DEFERRED {
        return;
    }
    let now = clock.now();
    let proxy = thread.tasks.allocate();
    // SAFETY: `allocate` hands out an instance that nobody else knows.
    unsafe {
        (*proxy).state.store(state::DEFERRED, Ordering::Relaxed);
        ((*proxy).id, (*proxy).original) = ((*task).id, task);
        (*proxy).children = true;
    }
    push(thread, proxy, now);
    let node = thread.child(TASKS, Key::Region(regions.task).encode());
    if node != 0 {
        thread.header.current = node;
    }
    if thread.tracing {
        thread.gate &= !gate::SWITCH;
        write_switch(thread, now);
    }
    stub(thread, proxy, regions.task);
}

/// An exit that fits nothing in the current task: an untied task has left this thread at a
/// scheduling point. False where there is no explicit task.
pub fn abandon(thread: &mut Location, now: u64) -> bool {
    if thread.tasks.current.is_null() {
        return false;
    }
    pop(thread, now);
    if thread.tracing {
        write_switch(thread, now);
    }
    true
}

/// At the end of a thread's part of a region its implicit task is the current one.
pub fn abandon_all(thread: &mut Location, now: u64) {
    while abandon(thread, now) {}
}

/// Enters a taskwait; without children it is counted only.
pub fn wait_enter(thread: &mut Location, region: u32, clock: impl Clock) {
    let current = thread.tasks.current;
    // SAFETY: current tasks are alive; only this thread changes the field.
    let children =
        if current.is_null() { thread.context().children } else { unsafe { (*current).children } };
    if children {
        thread.enter(region, clock.now());
    } else {
        thread.count(region);
    }
}

/// Leaves a taskwait.
pub fn wait_exit(thread: &mut Location, region: u32, clock: impl Clock) {
    let key = Key::Region(region).encode();
    if thread.current().key != key && thread.tasks.current.is_null() {
        return;
    }
    if thread.current().key != key && !thread.is_suspended_below(key) {
        return;
    }
    thread.exit(region, clock.now());
    // Inside an undeferred task the flag is its parent's too, whose tasks may still be running.
    if thread.tasks.undeferred_depth > 0 {
        return;
    }
    let current = thread.tasks.current;
    if current.is_null() {
        thread.context().children = false;
    } else {
        // SAFETY: current tasks are alive; only this thread changes the field.
        unsafe { (*current).children = false };
    }
}

impl Location {
    /// Whether a suspended task of this thread is in the region of `key`.
    fn is_suspended_below(&mut self, key: u64) -> bool {
        let mut task = self.tasks.current;
        while !task.is_null() {
            // SAFETY: tasks in the stack are alive.
            let below = unsafe { (*task).below };
            let node = match below.is_null() {
                true => self.context().scheduling_node,
                // SAFETY: as above.
                false => unsafe { (*below).node },
            };
            if self.node(node).key == key {
                return true;
            }
            task = below;
        }
        false
    }
}
