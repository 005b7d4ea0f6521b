//! One thread of execution: its call tree, where it is in it, and its events.
//!
//! Time is accounted exclusively: [`Location::account`] adds the time since the last event to the
//! current node. So all nodes always sum to the location's whole life, suspended tasks need no
//! bookkeeping, and a killed program has lost nothing before its last event.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pompeii_live::encode::{self, EVENT_ROOM_BYTES, Room};
use pompeii_live::{
    CHUNK_BYTES, Key, LOCATION_PAGE_BYTES, LocationHeader, MAGIC, MapError, Mapped, Node,
    NodeIndex, RegionKind, chunk, events_file, location_file,
};

use crate::process::{Process, RegionText};
use crate::task::{self, Tasks};
use crate::team::{Context, Contexts};

/// The program, or, for a thread of a team, the time outside of teams.
pub const ROOT: NodeIndex = 1;
/// Root of the explicit tasks' trees.
pub const TASKS: NodeIndex = 2;
/// Region of [`ROOT`]; every process defines it first.
pub const PROGRAM_REGION: u32 = 0;
/// Region of [`TASKS`]; every process defines it second.
pub const TASKS_REGION: u32 = 1;

const NODES_FIRST_BYTES: usize = LOCATION_PAGE_BYTES + 31 * 128 * 4;
const NODES_RESERVED_BYTES: usize = 256 << 20;
const WORKER_PAGES: usize = 16;
const WORKERS_PER_PAGE: usize = 64;

/// Reasons for an event to take the long way (decision 4).
pub mod gate {
    /// A call path could not be made: enters are counted until their exits.
    pub const SKIPPING: u32 = 1;
    /// The trace has to switch back to the current task before the next record.
    pub const SWITCH: u32 = 2;
    /// Recording is off: as above, below the region that stands for it.
    pub const OFF: u32 = 8;
    /// Enter and TaskCreate of a creation are due, unless its task turns out to be undeferred.
    pub const CREATION: u32 = 4;
}

/// Events of a location: the current chunk.
struct Events {
    chunk: *mut u8,
    used: usize,
    chunks: u64,
    last_time: u64,
}

/// A location. It lies in the first page of its own live-state file.
#[repr(C)]
pub struct Location {
    /// What `finish` reads.
    pub header: LocationHeader,
    /// Reasons to take the long way; see [`gate`].
    pub gate: u32,
    nodes: *mut Node,
    /// The process that it belongs to.
    pub process: &'static Process,
    /// Whether events are recorded.
    pub tracing: bool,
    /// The last event was the exit of an implicit barrier: its construct's exit shares its time.
    pub shares_time: bool,
    skipped: u32,
    events: Events,
    /// Teams that it is in.
    pub contexts: Contexts,
    /// Explicit tasks.
    pub tasks: Tasks,
    tree: Mapped,
    workers: [AtomicPtr<[AtomicPtr<Location>; WORKERS_PER_PAGE]>; WORKER_PAGES],
}

const _: () = assert!(size_of::<Location>() <= LOCATION_PAGE_BYTES);

impl Location {
    /// Makes location `index`; `parent` is the location that forks it and its thread number.
    pub fn create(
        process: &Process,
        index: u32,
        parent: Option<(u32, u32)>,
    ) -> Result<*mut Location, MapError> {
        let path = format!("{}/{}", process.options.folder, location_file(index));
        let tree = Mapped::create(&path, NODES_FIRST_BYTES, NODES_RESERVED_BYTES)?;
        let place: *mut Location = tree.base().cast();
        // SAFETY: processes are leaked when they start, so they outlive every location.
        let process: &'static Process = unsafe { &*(&raw const *process) };
        let header = LocationHeader {
            magic: MAGIC,
            index,
            parent: parent.map_or(u32::MAX, |(parent, _)| parent),
            thread: parent.map_or(0, |(_, thread)| thread),
            nodes: AtomicU32::new(1),
            current: ROOT,
            final_barrier: 0,
            last_ticks: process.options.start.ticks,
        };
        // SAFETY: the page is allocated and nobody else knows it yet; nodes lie behind it.
        unsafe {
            place.write(Location {
                header,
                gate: 0,
                nodes: tree.base().add(LOCATION_PAGE_BYTES).cast(),
                process,
                tracing: process.options.trace,
                shares_time: false,
                skipped: 0,
                events: Events { chunk: null_mut(), used: CHUNK_BYTES, chunks: 0, last_time: 0 },
                contexts: Contexts::default(),
                tasks: Tasks::default(),
                tree,
                workers: [const { AtomicPtr::new(null_mut()) }; WORKER_PAGES],
            });
            (*place).make_child(0, Key::Region(PROGRAM_REGION).encode());
            (*place).make_child(0, Key::Region(TASKS_REGION).encode());
            if process.options.trace && parent.is_none() {
                (*place).contexts.initial_mut().communicator = process.communicator(index, 1);
            }
        }
        Ok(place)
    }

    /// This location's index.
    pub fn index(&self) -> u32 {
        self.header.index
    }

    /// The node with this index.
    #[inline(always)]
    pub fn node(&mut self, index: NodeIndex) -> &mut Node {
        debug_assert!(index < self.header.nodes.load(Ordering::Relaxed));
        // SAFETY: indices come from `make_child`, which allocated the node; nodes never move, and
        // only this thread changes them.
        unsafe { &mut *self.nodes.add(index as usize) }
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
        let last = self.header.last_ticks;
        let now = now.max(last);
        self.current().ticks += now - last;
        self.header.last_ticks = now;
        now
    }

    /// The child of `parent` with this key, made at its first visit; 0 where that is impossible.
    #[inline(always)]
    pub fn child(&mut self, parent: NodeIndex, key: u64) -> NodeIndex {
        let hint = self.node(parent).hint;
        if hint != 0 && self.node(hint).key == key {
            return hint;
        }
        self.find_child(parent, key)
    }

    #[inline(never)]
    fn find_child(&mut self, parent: NodeIndex, key: u64) -> NodeIndex {
        let mut child = self.node(parent).first_child;
        while child != 0 {
            if self.node(child).key == key {
                self.node(parent).hint = child;
                return child;
            }
            child = self.node(child).sibling;
        }
        self.make_child(parent, key)
    }

    #[cold]
    fn make_child(&mut self, parent: NodeIndex, key: u64) -> NodeIndex {
        let index = self.header.nodes.load(Ordering::Relaxed);
        let end = LOCATION_PAGE_BYTES + (index as usize + 1) * size_of::<Node>();
        if let Err(error) = self.tree.ensure(end) {
            self.process.lost(1, error.errno);
            return 0;
        }
        // SAFETY: `ensure` has allocated the bytes of this node.
        unsafe { self.nodes.add(index as usize).write(Node { key, parent, ..Node::default() }) };
        // A reader of a killed process takes only nodes below the count; links come afterwards.
        self.header.nodes.store(index + 1, Ordering::Release);
        if parent != 0 {
            let first = self.node(parent).first_child;
            self.node(index).sibling = first;
            self.node(parent).first_child = index;
            self.node(parent).hint = index;
        }
        index
    }

    /// Enters `region` at `now`. Returns the time used.
    #[inline(always)]
    pub fn enter(&mut self, region: u32, now: u64) -> u64 {
        if self.gate != 0 && self.enter_gated(now) {
            return now;
        }
        let now = self.account(now);
        let node = self.child(self.header.current, Key::Region(region).encode());
        if node == 0 {
            self.skip();
            return now;
        }
        self.node(node).visits += 1;
        self.header.current = node;
        if self.tracing {
            self.event(|room, last| encode::enter(room, last, now, region));
        }
        now
    }

    /// Leaves `region` at `now`; regions inside that were left without an exit (throw, cancel,
    /// longjmp) are left too.
    #[inline(always)]
    pub fn exit(&mut self, region: u32, now: u64) {
        if self.gate != 0 && self.exit_gated(now) {
            return;
        }
        let now = self.account(now);
        if self.current().key != Key::Region(region).encode() && !self.unwind(region, now) {
            return;
        }
        self.header.current = self.current().parent;
        if self.tracing {
            self.event(|room, last| encode::leave(room, last, now, region));
        }
    }

    /// Counts a visit of `region` without its time.
    #[inline(always)]
    pub fn count(&mut self, region: u32) -> NodeIndex {
        let node = self.child(self.header.current, Key::Region(region).encode());
        if node != 0 {
            self.node(node).visits += 1;
        }
        node
    }

    fn skip(&mut self) {
        self.skipped += 1;
        self.gate |= gate::SKIPPING;
    }

    /// The long way of an enter; true where the enter is passed over.
    #[cold]
    fn enter_gated(&mut self, now: u64) -> bool {
        if self.gate & (gate::SKIPPING | gate::OFF) != 0 {
            self.skipped += 1;
            return true;
        }
        self.flush_gate(now);
        false
    }

    /// The long way of an exit; true where the exit is passed over.
    #[cold]
    fn exit_gated(&mut self, now: u64) -> bool {
        if self.unskip() {
            return true;
        }
        self.flush_gate(now);
        false
    }

    /// The exit of an enter that was passed over; false where there is none.
    pub fn unskip(&mut self) -> bool {
        if self.gate & (gate::SKIPPING | gate::OFF) == 0 || self.skipped == 0 {
            return false;
        }
        self.skipped -= 1;
        if self.skipped == 0 {
            self.gate &= !gate::SKIPPING;
        }
        true
    }

    /// Turns recording on this thread on or off. While it is off, time goes to a region that
    /// stands for that, so that sums stay true; regions met meanwhile are passed over.
    pub fn switch_recording(&mut self, on: bool, now: u64) {
        if on != (self.gate & gate::OFF != 0) {
            return;
        }
        let off = RegionText {
            kind: RegionKind::Off,
            name: "MEASUREMENT OFF".to_owned(),
            file: String::new(),
            lines: (0, 0),
        };
        let region = self.process.region(&off);
        if on {
            self.gate &= !gate::OFF;
            self.skipped = 0;
            self.exit(region, now);
        } else {
            self.enter(region, now);
            self.gate |= gate::OFF;
        }
        if self.tracing {
            let (now, mode) = (self.header.last_ticks, if on { 1 } else { 2 });
            self.event(|room, last| encode::measurement_on_off(room, last, now, mode));
        }
    }

    /// Writes the records that were due.
    #[cold]
    pub fn flush_gate(&mut self, now: u64) {
        task::flush_creation(self);
        task::flush_switch(self, now);
    }

    /// Makes `region` the current node by leaving what is open inside; false where it is not open.
    #[cold]
    fn unwind(&mut self, region: u32, now: u64) -> bool {
        let key = Key::Region(region).encode();
        if self.is_open(key) {
            self.unwind_to(key, now);
            return true;
        }
        // An untied task was suspended at a scheduling point and has left this thread.
        task::abandon(self, now) && (self.current().key == key || self.unwind(region, now))
    }

    fn is_open(&mut self, key: u64) -> bool {
        let base = self.contexts.top().base;
        let mut node = self.header.current;
        while node > TASKS && node != base {
            if self.node(node).key == key {
                return true;
            }
            node = self.node(node).parent;
        }
        false
    }

    fn unwind_to(&mut self, key: u64, now: u64) {
        while self.current().key != key {
            self.leave_current(now);
        }
    }

    /// Leaves regions until `node` is the current one; `node` must be an ancestor.
    pub fn unwind_to_node(&mut self, node: NodeIndex, now: u64) {
        while self.header.current != node && self.header.current > TASKS {
            self.leave_current(now);
        }
    }

    fn leave_current(&mut self, now: u64) {
        let node = *self.current();
        self.header.current = node.parent;
        if let (true, Key::Region(region)) = (self.tracing, Key::decode(node.key)) {
            self.event(|room, last| encode::leave(room, last, now, region));
        }
    }

    /// Appends one event.
    #[inline(always)]
    pub fn event(&mut self, record: impl FnOnce(&mut Room, &mut u64) -> usize) {
        if self.events.used + EVENT_ROOM_BYTES > CHUNK_BYTES && !self.next_chunk() {
            return;
        }
        let events = &mut self.events;
        // SAFETY: the chunk is mapped, and the comparison above has left room in it.
        let room = unsafe { &mut *events.chunk.add(events.used).cast::<Room>() };
        events.used += record(room, &mut events.last_time);
    }

    #[cold]
    fn next_chunk(&mut self) -> bool {
        if !self.events.chunk.is_null() {
            // SAFETY: mapped by the same function with the same size; replaced just below.
            unsafe { Mapped::unmap_range(self.events.chunk, CHUNK_BYTES) };
            self.events.chunk = null_mut();
        }
        let path = format!("{}/{}", self.process.options.folder, events_file(self.index()));
        let offset = self.events.chunks as usize * CHUNK_BYTES;
        match Mapped::map_range(&path, offset, CHUNK_BYTES) {
            Ok(base) => {
                // SAFETY: `base` was just mapped with this size and is known to nobody else.
                let bytes = unsafe { std::slice::from_raw_parts_mut(base, CHUNK_BYTES) };
                let used = chunk::begin(bytes, 1, self.events.last_time);
                let last_time = self.events.last_time;
                let (used, chunks) = (used.unwrap_or(CHUNK_BYTES), self.events.chunks + 1);
                self.events = Events { chunk: base, used, chunks, last_time };
                true
            }
            Err(error) => {
                self.process.lost(1, error.errno);
                self.events.used = CHUNK_BYTES;
                self.tracing = false;
                false
            }
        }
    }

    /// The location of thread `thread` of the teams that this location forks.
    pub fn worker(&self, thread: u32) -> Option<*mut Location> {
        let (page, place) =
            (thread as usize / WORKERS_PER_PAGE, thread as usize % WORKERS_PER_PAGE);
        let page = self.workers.get(page)?;
        let mut table = page.load(Ordering::Acquire);
        if table.is_null() {
            table = new_worker_page(page);
        }
        // SAFETY: pages are never freed.
        let place = unsafe { &(*table)[place] };
        let known = place.load(Ordering::Acquire);
        if !known.is_null() {
            return Some(known);
        }
        let made = self.process.new_location(Some((self.index(), thread)))?;
        place.store(made, Ordering::Release);
        Some(made)
    }

    /// The team that it is in.
    #[inline(always)]
    pub fn context(&mut self) -> &mut Context {
        self.contexts.top_mut()
    }
}

fn new_worker_page(
    page: &AtomicPtr<[AtomicPtr<Location>; WORKERS_PER_PAGE]>,
) -> *mut [AtomicPtr<Location>; WORKERS_PER_PAGE] {
    let fresh = Box::into_raw(Box::new([const { AtomicPtr::new(null_mut()) }; WORKERS_PER_PAGE]));
    match page.compare_exchange(null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        Err(other) => {
            // SAFETY: `fresh` comes from `into_raw` just above and was published nowhere.
            drop(unsafe { Box::from_raw(fresh) });
            other
        }
    }
}
