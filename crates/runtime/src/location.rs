//! One thread of execution: its call tree, where it is in it, and its events.
//!
//! Time is accounted exclusively: [`Location::account`] adds the time since the last event to the
//! current node. So all nodes always sum to the location's whole life, suspended tasks need no
//! bookkeeping, and a killed program has lost nothing before its last event.
//!
//! This file has what all events need: nodes and time. What an event does with them is in the file
//! of its topic, for example [`crate::regions`], [`crate::team`] or [`crate::task`].

pub mod gate;
pub mod metrics;
mod passing;
pub mod roots;
pub mod siblings;
pub mod visits;

use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, Ordering};

use pompeii_live::{
    Key, LocationHeader, MAGIC, MapError, Mapped, Node, NodeOffset, THREAD_RECORD_OFFSET,
    location_file, node_index, node_offset,
};

use crate::atomics::Sample;
use crate::cause::Place;
use crate::context::{Context, Contexts};
use crate::created::ThreadNumber;
use crate::events::Events;
use crate::guard::sums::Guard;
use crate::iteration::ending::Ending;
use crate::metrics::Table;
use crate::parameters::known::Parameters;
use crate::process::Process;
use crate::ready::reading::Ready;
use crate::sampling::Tree;
use crate::serial::origin::Serial;
use crate::sites::Sites;
use crate::task::instance::Tasks;
use crate::task::spare;
use crate::task::time_records::TaskTimes;
use crate::transfers::Begun;
use crate::window::progress::{self, Window};

use passing::Passing;
use roots::{NODES_FIRST_BYTES, NODES_RESERVED_BYTES};
pub use roots::{PROGRAM_REGION, ROOT, TASKS, TASKS_REGION};
use siblings::Siblings;
use visits::Visits;

/// A location. It lies in the first page of its own live-state file.
#[repr(C)]
pub struct Location {
    /// What `finish` reads.
    pub header: LocationHeader,
    /// Reasons to take the general way; see [`gate`].
    pub gate: u32,
    /// Whether events are recorded.
    pub tracing: bool,
    /// It is in no team, or alone in one without tasks: a barrier is nothing but a region.
    pub alone: bool,
    /// The handle of the next task that is predicted to be undeferred.
    pub next_counted: spare::Next,
    /// What names its places for others, but for the node.
    pub own: Place,
    /// The process that it belongs to.
    pub process: &'static Process,
    /// What is counted at no stub is counted here, where that field of no node is.
    pub at_no_stub: [u64; 2],
    /// Exit of the last barrier: a construct's exit that follows at once shares its time.
    pub barrier_exit_ticks: u64,
    /// When the visit of an atomic construct began that is timed at present; else 0.
    pub sampled_ticks: u64,
    /// The sample of atomics that it belongs to.
    pub sample: Sample,
    /// Time of a record behind what an MPI function does, which is also when that is left; else 0.
    pub mpi_exit_ticks: u64,
    /// What was noted before the call of MPI that the thread is in.
    pub mpi_begun: Begun,
    /// What is passed over at present.
    pub passing: Passing,
    /// What has ended with the last iteration, unless the next one follows.
    pub ending: Ending,
    /// Where records go.
    pub events: Events,
    /// Teams that it is in.
    pub contexts: Contexts,
    /// Explicit tasks.
    pub tasks: Tasks,
    /// Distributions of the times of task instances.
    pub task_times: TaskTimes,
    /// Open visits and their times, on request.
    pub visits: Option<Box<Visits>>,
    /// Call paths whose visits are summed.
    pub guard: Guard,
    /// What metrics have counted, on request.
    pub metrics: Option<Box<Table>>,
    /// The part of the run that is recorded.
    pub window: Window,
    /// Parameters of the program's that it has met.
    pub parameters: Parameters,
    /// Call sites of MPI's functions and of lock routines that it has met.
    pub sites: Sites,
    /// Its time without a CPU.
    pub ready: Ready,
    /// The thread that has it, if the program has created it; of traces.
    pub thread_number: ThreadNumber,
    /// What preceded the code that it executes outside of teams.
    pub serial: Serial,
    /// Children of call paths that have very many.
    pub siblings: Siblings,
    /// Its samples, on request. It never changes, so a signal handler may read it.
    pub sampled: Option<&'static Tree>,
    tree: Mapped,
}

// A process knows its locations by their headers.
const _: () = assert!(offset_of!(Location, header) == 0);
const _: () = assert!(
    size_of::<Location>() <= THREAD_RECORD_OFFSET
        && offset_of!(Location, at_no_stub) == offset_of!(Node, task_ticks)
        && offset_of!(Node, task_switches) == offset_of!(Node, task_ticks) + 8
);

/// The header of a new location, see [`Location::create`].
fn header(process: &Process, index: u32, parent: Option<(u32, u32, u32)>) -> LocationHeader {
    LocationHeader {
        magic: MAGIC,
        index,
        parent: parent.map_or(u32::MAX, |(parent, ..)| parent),
        thread: parent.map_or(0, |(.., thread)| thread),
        nodes: AtomicU32::new(1),
        current: ROOT,
        final_barrier: 0,
        last_ticks: process.options.start.ticks,
        level: parent.map_or(0, |(_, level, _)| level),
        task_records: AtomicU32::new(0),
        summed_visits: 0,
        excluded_visits: 0,
    }
}

/// What takes the samples of location `index`; without a file for them there are none, which is
/// counted.
fn samples(process: &Process, index: u32) -> Option<&'static Tree> {
    if process.options.sample_hz == 0 {
        return None;
    }
    let made = Tree::create(&process.options.folder, index);
    made.map_err(|error| process.lost_readings(1, error.errno)).ok()
}

impl Location {
    /// Makes location `index`; `parent` is the location that forks it, the nesting level of its
    /// teams and its thread number in them.
    pub fn create(
        process: &Process,
        index: u32,
        parent: Option<(u32, u32, u32)>,
    ) -> Result<*mut Location, MapError> {
        let path = process.options.folder.join(location_file(index));
        let tree = Mapped::create(&path, NODES_FIRST_BYTES, NODES_RESERVED_BYTES)?;
        let place: *mut Location = tree.base().cast();
        // SAFETY: processes are leaked when they start, so they outlive every location.
        let process: &'static Process = unsafe { &*std::ptr::from_ref(process) };
        let header = header(process, index, parent);
        let contexts = Contexts::default();
        let tasks = Tasks::new(contexts.top().implicit);
        // SAFETY: the page is allocated and nobody else knows it yet; nodes lie behind it.
        unsafe {
            place.write(Location {
                header,
                gate: if process.options.tsc { 0 } else { gate::CLOCK },
                own: Place::new(index, 0),
                next_counted: spare::Next::NONE,
                process,
                tracing: process.options.trace,
                alone: true,
                barrier_exit_ticks: 0,
                sampled_ticks: 0,
                sample: Sample::default(),
                mpi_exit_ticks: 0,
                mpi_begun: Begun::default(),
                at_no_stub: [0; 2],
                passing: Passing::default(),
                ending: Ending::None,
                events: Events::default(),
                contexts,
                tasks,
                task_times: TaskTimes::default(),
                visits: None,
                guard: Guard::default(),
                metrics: None,
                window: Window::default(),
                parameters: Parameters::default(),
                sites: Sites::default(),
                ready: Ready::new(process.options.ready || process.options.sample_hz > 0),
                thread_number: ThreadNumber::default(),
                serial: Serial::at_start(Place::new(index, 0), process.options.start.ticks),
                siblings: Siblings::default(),
                sampled: samples(process, index),
                tree,
            });
            (*place).gate |= progress::first_gate(&process.options.windows, parent.is_some());
            (*place).make_child(0, Key::Region(PROGRAM_REGION).encode());
            (*place).make_child(0, Key::Region(TASKS_REGION).encode());
            let statistics = process.options.statistics;
            (*place).visits = statistics.then(|| Visits::new(process, index)).flatten();
            (*place).metrics = Table::new(process, index);
            if (*place).visits.is_some() || (*place).metrics.is_some() {
                (*place).gate |= gate::DETAIL;
            }
            if process.options.trace && parent.is_none() {
                let communicator = process.communicator(index, 0, 1);
                (*place).context().name(communicator, 0);
            }
        }
        Ok(place)
    }

    /// This location's index.
    pub fn index(&self) -> u32 {
        self.header.index
    }

    /// How many nodes there are, the unused first one included.
    pub fn node_count(&self) -> u32 {
        self.header.nodes.load(Ordering::Relaxed)
    }

    /// The node that is there.
    #[inline(always)]
    pub fn node(&mut self, at: NodeOffset) -> &mut Node {
        debug_assert!(node_index(at) < self.header.nodes.load(Ordering::Relaxed) && at > 0);
        // SAFETY: offsets come from `make_child`, which allocated the node; nodes never move, and
        // only this thread changes them.
        unsafe { &mut *self.place_of(at) }
    }

    /// Where the node with this offset is: behind the location, in the same mapping.
    #[inline(always)]
    fn place_of(&mut self, at: NodeOffset) -> *mut Node {
        std::ptr::from_mut(self).cast::<u8>().wrapping_add(at as usize).cast()
    }

    /// The node's key; that of no node for 0: the file begins with its magic number.
    #[inline(always)]
    pub fn key_of(&mut self, at: NodeOffset) -> u64 {
        // SAFETY: as above, or the location itself, which lies in the same mapping.
        unsafe { (*self.place_of(at)).key }
    }

    /// The current node.
    #[inline(always)]
    pub fn current(&mut self) -> &mut Node {
        self.node(self.header.current)
    }

    /// Accounts the time up to `now` to the current node. Returns `now`, or the time of the last
    /// event where clocks of two cores differ.
    #[inline(always)]
    pub fn account(&mut self, now: u64) -> u64 {
        if self.gate & gate::DETAIL != 0 {
            self.account_details(now);
        }
        let last = self.header.last_ticks;
        let now = now.max(last);
        self.current().ticks += now - last;
        self.header.last_ticks = now;
        now
    }

    /// What else was asked for, up to `now`.
    #[cold]
    fn account_details(&mut self, now: u64) {
        visits::settle(self);
        if self.process.metrics.everywhere {
            metrics::count(self, now.max(self.header.last_ticks));
        }
    }

    /// The child of `parent` with this key, made at its first visit; 0 where that is impossible.
    #[inline(always)]
    pub fn child(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        let hint = self.node(parent).hint;
        if hint != 0 && self.node(hint).key == key {
            return hint;
        }
        self.find_child(parent, key)
    }

    #[inline(never)]
    fn find_child(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        match siblings::search(self, parent, key) {
            0 => self.make_child(parent, key),
            child => {
                self.node(parent).hint = child;
                child
            }
        }
    }

    /// The child of `parent` with this key, 0 if it was not visited yet, or is not in the list of
    /// children (`siblings.rs`).
    #[inline(always)]
    pub fn known_child(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        let hint = self.node(parent).hint;
        if hint != 0 && self.node(hint).key == key {
            return hint;
        }
        let child = self.search_child(parent, key);
        if child != 0 {
            self.node(parent).hint = child;
        }
        child
    }

    /// The same, but what was taken last remains it.
    #[inline(always)]
    pub fn search_child(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        let mut child = self.node(parent).first_child;
        while child != 0 && self.node(child).key != key {
            child = self.node(child).sibling;
        }
        child
    }

    #[cold]
    fn make_child(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        let at = self.make_node(parent, key);
        if at != 0 && parent != 0 {
            siblings::link(self, parent, at);
        }
        at
    }

    /// A node below `parent` that is not among its children; 0 where that is impossible.
    #[cold]
    pub fn make_node(&mut self, parent: NodeOffset, key: u64) -> NodeOffset {
        let index = self.header.nodes.load(Ordering::Relaxed);
        let at = node_offset(index);
        if let Err(error) = self.tree.ensure(at as usize + size_of::<Node>()) {
            self.process.lost(1, error.errno);
            return 0;
        }
        let node = Node { key, parent, ..Node::default() };
        // SAFETY: `ensure` has allocated the bytes of this node.
        unsafe { self.place_of(at).write(node) };
        // A reader of a killed process takes only nodes below the count; links come afterwards.
        self.header.nodes.store(index + 1, Ordering::Release);
        at
    }

    /// Counts a visit of `region` without its time; 0 where that is impossible.
    #[inline(always)]
    pub fn count(&mut self, region: u32) -> NodeOffset {
        self.count_key(Key::Region(region).encode())
    }

    /// The same for a region's key.
    #[inline(always)]
    pub fn count_key(&mut self, key: u64) -> NodeOffset {
        if self.is_passing() {
            return 0;
        }
        let node = self.child(self.header.current, key);
        if node != 0 {
            self.node(node).visits += 1;
        }
        node
    }

    /// Where it is, for others; without a node where its events are passed over.
    pub fn own_place(&self) -> Place {
        self.own.at(if self.is_passing() { 0 } else { self.header.current })
    }

    /// Whether a signal handler has interrupted an event on the fast way.
    #[inline(always)]
    pub fn is_busy(&self) -> bool {
        self.gate & gate::BUSY != 0
    }

    /// Whether the running task has this region open.
    pub fn is_open(&mut self, key: u64) -> bool {
        self.is_open_from(self.header.current, key)
    }

    /// Whether a region of this key is open at `node`, up to the team's region or the task.
    pub fn is_open_from(&mut self, mut node: NodeOffset, key: u64) -> bool {
        let base = self.contexts.top().base;
        while node > TASKS && node != base {
            if self.node(node).key == key {
                return true;
            }
            node = self.node(node).parent;
        }
        false
    }

    /// Whether the current node is below `ancestor`.
    pub fn is_inside(&mut self, ancestor: NodeOffset) -> bool {
        let mut node = self.header.current;
        while node > TASKS && node != ancestor {
            node = self.node(node).parent;
        }
        node == ancestor
    }

    /// The team that it is in.
    #[inline(always)]
    pub fn context(&mut self) -> &mut Context {
        self.contexts.top_mut()
    }
}
