//! Context descriptors (POMP paper, section 3.5) and what the runtime hangs on them.
//!
//! The `data` word of a descriptor leads to its [`Handle`] after the first visit, and is 0 before.
//! The `next` word of code of our instrumenter leads to an [`Extension`]: it says that calls also
//! carry team and task ids, and how the construct runs. Foreign code, whose calls have the paper's
//! single argument, has none there. Descriptors of equal content (headers, templates) share one
//! handle.

mod code;
pub mod defined;
mod instrumented;
mod slot;
mod text;

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_live::RegionKind;

use crate::exclusion::Trial;
use crate::openmp;
use crate::process::Process;
use crate::sync::{Lock, Turn};

pub use code::{InCode, Words, code as code_of, descriptor as in_code, number as number_of};
pub use defined::{Defined, ParallelRegions, TaskRegions};
use instrumented::Pages;
pub use slot::Slot;
use text::Text;

/// The paper's `OMPRegDescr`.
#[repr(C)]
pub struct Descriptor {
    /// Construct, or `region`.
    pub name: *const c_char,
    /// Name of a critical or of a user region.
    pub sub_name: *const c_char,
    /// Sections of a sections construct.
    pub num_sections: c_int,
    /// Source file.
    pub file_name: *const c_char,
    /// First line of the opening directive.
    pub begin_line1: c_int,
    /// Last line of the opening directive.
    pub begin_line_n: c_int,
    /// First line of the end.
    pub end_line1: c_int,
    /// Last line of the end.
    pub end_line_n: c_int,
    /// The runtime's word.
    pub data: AtomicPtr<c_void>,
    /// For chaining; here only read, for an [`Extension`].
    pub next: *const Extension,
}

/// What our instrumenter hangs on its descriptors. It begins like a [`Descriptor`], so that it can
/// be told from one that foreign code has chained.
#[repr(C)]
pub struct Extension {
    /// [`MARK`] in an extension, the name of a construct in a descriptor.
    pub mark: *const c_char,
    /// The clauses that say how the construct runs, and words of ours.
    pub clauses: *const c_char,
}

impl Extension {
    /// An extension with these clauses, which lives as long as the process.
    pub fn new(clauses: *const c_char) -> *const Self {
        Box::into_raw(Box::new(Self { mark: MARK.as_ptr(), clauses }))
    }
}

/// What makes an [`Extension`] known.
const MARK: &CStr = c"pompeii 1";

/// How many regions a handle has.
const SLOTS: usize = Slot::ALL.len();
const _: () = assert!(
    Slot::Parallel as usize == 0
        && Slot::Barrier as usize == 1
        && size_of::<ParallelRegions>() == 2 * size_of::<Defined>()
);

/// A descriptor's regions and its critical's lock.
pub struct Handle {
    text: Text,
    /// Per slot its region; [`UNDEFINED`] before its first visit. In place, and not behind a
    /// pointer each, since every event needs one.
    regions: [UnsafeCell<Defined>; SLOTS],
    /// Constructs of several regions all of which are known: [`parts`].
    visited: AtomicU8,
    /// Calls carry team and task ids.
    pub extended: bool,
    /// The critical's lock.
    pub lock: &'static Lock,
    /// Who was in an ordered construct last.
    pub turn: Turn,
    /// The team that was forked last, for foreign code.
    pub last_team: AtomicU32,
    /// An atomic or a flush takes time stamps: it is not only counted.
    pub timed: bool,
    /// The statement of an atomic calls a function: what it takes is not what the update takes.
    pub calls: bool,
    /// An `ordered` that tells later iterations to go on, and waits for none.
    posts: bool,
    /// A taskloop that does not wait for its tasks.
    pub nogroup: bool,
    /// A task with an `if` or `final` clause.
    pub conditional: bool,
    /// A task that says so where it is not tied.
    tied: bool,
    /// Whether its visits are worth their cost, if it is a function.
    pub trial: Option<Trial>,
}

/// A construct with tasks as fast ways see it: a handle, and in tests whatever knows the regions.
pub trait Construct: Copy {
    /// Where the region of this slot is.
    fn place(self, slot: Slot) -> *mut Defined;
    /// A task with an `if` or `final` clause.
    fn is_conditional(self) -> bool;
    /// A tied task.
    fn is_tied(self) -> bool;
}

impl Construct for &'static Handle {
    #[inline(always)]
    fn place(self, slot: Slot) -> *mut Defined {
        Handle::place(self, slot)
    }

    #[inline(always)]
    fn is_conditional(self) -> bool {
        self.conditional
    }

    #[inline(always)]
    fn is_tied(self) -> bool {
        self.tied
    }
}

/// What [`Handle::known_parallel`] finds out with one comparison.
mod parts {
    pub const PARALLEL: u8 = 1;
}

/// No node has its key.
const UNDEFINED: Defined = Defined { key: u64::MAX, ..Defined::new(u32::MAX) };

/// Stands for a region that the filter leaves out. No node has its key, which is also that of a
/// function that was excluded later; such a function keeps the rest of its region.
const FILTERED: Defined = Defined { key: u64::MAX - 1, ..Defined::new(u32::MAX - 1) };

// SAFETY: a region is written once, under a lock, and its id and key last, which are read as
// atomics; the rest is read only by who has seen one of them.
unsafe impl Sync for Handle {}
// SAFETY: as above.
unsafe impl Send for Handle {}

impl Handle {
    /// Where the region of this slot is. What else it has may be read only where its key is that of
    /// a node, or its id is known.
    #[inline(always)]
    pub fn place(&self, slot: Slot) -> *mut Defined {
        self.regions[slot as usize].get()
    }

    /// The slot that is meant by this one.
    pub fn slot(&self, slot: Slot) -> Slot {
        if self.posts && slot == Slot::Ordered { Slot::Source } else { slot }
    }

    /// The key of this slot's region; that of no node before its first visit.
    #[inline(always)]
    pub fn key(&self, slot: Slot) -> u64 {
        // SAFETY: handles are leaked.
        unsafe { Defined::key_at(self.place(slot)) }
    }

    /// The region of this slot, if it has been visited.
    #[inline(always)]
    pub fn defined(&self, slot: Slot) -> Option<&'static Defined> {
        let place = self.place(slot);
        // SAFETY: handles are leaked; a field that only atomic operations change, and where it is
        // known, nothing is written any more.
        unsafe {
            let id = AtomicU32::from_ptr(&raw mut (*place).id).load(Ordering::Acquire);
            (id != UNDEFINED.id).then(|| &*place)
        }
    }

    /// The id of this slot's region.
    #[inline(always)]
    pub fn region(&self, process: &Process, slot: Slot) -> u32 {
        self.known(process, slot).id
    }

    /// This slot's region.
    #[inline(always)]
    pub fn known(&self, process: &Process, slot: Slot) -> &'static Defined {
        match self.defined(slot) {
            Some(defined) => defined,
            None => self.define(process, slot),
        }
    }

    /// The team that was forked last, if it is observed: all that foreign code lets us know.
    pub fn forked_last(&self) -> Option<u32> {
        Some(self.last_team.load(Ordering::Acquire)).filter(|&team| team != u32::MAX)
    }

    fn has_visited(&self, parts: u8) {
        if self.visited.load(Ordering::Relaxed) & parts == 0 {
            self.visited.fetch_or(parts, Ordering::Release);
        }
    }

    /// The regions of a parallel construct.
    pub fn parallel(&'static self, process: &Process) -> &'static ParallelRegions {
        self.known(process, Slot::Parallel);
        self.known(process, Slot::Barrier);
        if self.extended {
            self.has_visited(parts::PARALLEL);
        }
        // SAFETY: both are written, and nothing is written there any more; one follows the
        // other.
        unsafe { &*self.regions.as_ptr().cast() }
    }

    /// The same where they have been visited before, and calls carry the team's id.
    #[inline(always)]
    pub fn known_parallel(&'static self) -> Option<&'static ParallelRegions> {
        // SAFETY: they are known.
        self.knows_parallel().then(|| unsafe { self.parallel_that_is_known() })
    }

    /// Whether they have been visited before, and calls carry the team's id. (Asked for alone, it
    /// is one comparison.)
    #[inline(always)]
    pub fn knows_parallel(&self) -> bool {
        self.visited.load(Ordering::Acquire) & parts::PARALLEL != 0
    }

    /// The regions of a parallel construct that [`Handle::knows_parallel`].
    ///
    /// # Safety
    /// It must.
    #[inline(always)]
    pub unsafe fn parallel_that_is_known(&'static self) -> &'static ParallelRegions {
        // SAFETY: both are written, and nothing is written there any more; one follows the
        // other.
        unsafe { &*self.regions.as_ptr().cast() }
    }

    /// The regions of a task construct.
    pub fn task(&self, process: &Process) -> TaskRegions {
        let create = self.known(process, Slot::TaskCreate);
        let task = self.known(process, Slot::Task);
        TaskRegions { create, task, conditional: self.conditional, tied: self.tied }
    }

    /// The regions of a taskloop, which creates its tasks itself.
    #[inline(always)]
    pub fn taskloop(&self, process: &Process) -> TaskRegions {
        TaskRegions {
            create: self.known(process, Slot::Taskloop),
            task: self.known(process, Slot::Task),
            conditional: false,
            tied: self.tied,
        }
    }

    /// Whether this slot's region is excluded, by the filter or since it was visited often; not
    /// known before its first visit.
    #[inline(always)]
    pub fn is_filtered(&self, slot: Slot) -> bool {
        self.key(slot) == FILTERED.key
    }

    /// Whether the region is excluded, and this key is not that of a node which it has from before.
    #[inline(always)]
    pub fn is_filtered_at(&self, slot: Slot, node_key: u64) -> bool {
        // SAFETY: handles are leaked; where the key says that the region is excluded, the rest of
        // the region was written before.
        self.is_filtered(slot) && unsafe { (*self.place(slot)).node_key } != node_key
    }

    /// Whether the region was excluded at its first visit, and has no nodes.
    pub fn is_filtered_always(&self, slot: Slot) -> bool {
        self.defined(slot).is_some_and(|region| region.id == FILTERED.id)
    }

    /// Excludes the region from now on; false if it is excluded already. Visits that are under way
    /// end at their nodes.
    pub fn exclude(&self, slot: Slot) -> bool {
        // SAFETY: handles are leaked; a field that only atomic operations change.
        let key = unsafe { AtomicU64::from_ptr(&raw mut (*self.place(slot)).key) };
        key.swap(FILTERED.key, Ordering::AcqRel) != FILTERED.key
    }

    #[cold]
    #[inline(never)]
    fn define(&self, process: &Process, slot: Slot) -> &'static Defined {
        let region = self.find(process, slot);
        let _one = hold();
        if let Some(defined) = self.defined(slot) {
            // Another thread was faster.
            return defined;
        }
        let place = self.place(slot);
        // SAFETY: handles are leaked. One thread after the other comes here, and nobody reads what
        // is written first before the id or the key.
        unsafe {
            (*place).node_key = region.node_key;
            (*place).stub = region.stub;
            (*place).enter = region.enter;
            (*place).leave = region.leave;
            (*place).window = region.window;
            AtomicU64::from_ptr(&raw mut (*place).key).store(region.key, Ordering::Release);
            AtomicU32::from_ptr(&raw mut (*place).id).store(region.id, Ordering::Release);
            &*place
        }
    }

    /// What a slot's region is.
    fn find(&self, process: &Process, slot: Slot) -> Defined {
        let mut text = self.text.region(slot);
        if !process.options.filter.wants(&text) {
            return FILTERED;
        }
        if text.kind == RegionKind::Loop && self.text.has_runtime_schedule() {
            openmp::schedule().iter().for_each(|schedule| text.run_with(schedule));
        }
        let id = match &self.text.code {
            Some(code) => process.construct(&text, &code.place, code.is_function),
            None => process.region(&text),
        };
        let window =
            if slot == Slot::User { process.options.windows.find(&text.name) } else { None };
        match window {
            // No node has this key: its events take the general way, where the window is opened.
            Some(_) => Defined { key: UNDEFINED.key, window, ..Defined::new(id) },
            None => Defined::new(id),
        }
    }
}

/// Handles by content, criticals by name.
#[derive(Default)]
struct Known {
    handles: HashMap<Text, &'static Handle>,
    criticals: HashMap<String, &'static Lock>,
    instrumented: Pages,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// No descriptor is visited for the first time as long as this is held.
pub struct Held {
    _known: MutexGuard<'static, Option<Known>>,
}

/// Keeps other threads from making handles.
pub fn hold() -> Held {
    Held { _known: KNOWN.lock().unwrap_or_else(PoisonError::into_inner) }
}

/// Whether a loaded file, which extends from here to there, has instrumented constructs, as far as
/// they were visited. User regions and functions are no constructs.
pub fn is_instrumented(file: &Range<usize>) -> bool {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.as_ref().is_some_and(|known| known.instrumented.has(file))
}

/// The descriptor's handle.
///
/// # Safety
/// `descriptor` must point to a [`Descriptor`] that lives as long as the process.
#[inline(always)]
pub unsafe fn handle(descriptor: *mut Descriptor) -> &'static Handle {
    // SAFETY: the caller's promise.
    match unsafe { known_handle(descriptor) } {
        Some(handle) => handle,
        // SAFETY: the caller's promise.
        None => resolve(unsafe { &*descriptor }),
    }
}

/// The descriptor's handle, if it has been visited.
///
/// # Safety
/// As for [`handle`].
#[inline(always)]
pub unsafe fn known_handle(descriptor: *mut Descriptor) -> Option<&'static Handle> {
    // SAFETY: the caller's promise.
    let data = unsafe { (*descriptor).data.load(Ordering::Acquire) };
    // SAFETY: only `resolve` stores other values, and handles are leaked.
    (!data.is_null()).then(|| unsafe { &*data.cast::<Handle>() })
}

/// Whether calls on this descriptor carry team and task ids.
///
/// # Safety
/// As for [`handle`].
pub unsafe fn is_extended(descriptor: *mut Descriptor) -> bool {
    // SAFETY: the caller's promise.
    match unsafe { known_handle(descriptor) } {
        Some(handle) => handle.extended,
        // SAFETY: the caller's promise.
        None => extension(unsafe { &*descriptor }).is_some(),
    }
}

/// A descriptor that a call of the API has passed, which lives as long as the process. A
/// function that takes one needs no promise of its own.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Given(NonNull<Descriptor>);

impl Given {
    /// # Safety
    /// As for [`handle`].
    #[inline(always)]
    pub unsafe fn new(descriptor: *mut Descriptor) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { NonNull::new_unchecked(descriptor) })
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(self) -> *mut Descriptor {
        self.0.as_ptr()
    }
}

/// What an adapter names a construct by: a descriptor, or, if the adapter keeps it, the handle that
/// the descriptor leads to. Then an event need not look whether the descriptor was visited.
pub trait Named: Copy {
    /// The construct's handle.
    fn handle(self) -> &'static Handle;
    /// The same, if the descriptor has been visited.
    fn known_handle(self) -> Option<&'static Handle>;
    /// Whether calls on the construct carry team and task ids.
    fn is_extended(self) -> bool;
}

impl Named for Given {
    #[inline(always)]
    fn handle(self) -> &'static Handle {
        // SAFETY: the promise of `Given::new`.
        unsafe { handle(self.0.as_ptr()) }
    }

    #[inline(always)]
    fn known_handle(self) -> Option<&'static Handle> {
        // SAFETY: the promise of `Given::new`.
        unsafe { known_handle(self.0.as_ptr()) }
    }

    fn is_extended(self) -> bool {
        // SAFETY: the promise of `Given::new`.
        unsafe { is_extended(self.0.as_ptr()) }
    }
}

impl Named for &'static Handle {
    #[inline(always)]
    fn handle(self) -> &'static Handle {
        self
    }

    #[inline(always)]
    fn known_handle(self) -> Option<&'static Handle> {
        Some(self)
    }

    #[inline(always)]
    fn is_extended(self) -> bool {
        self.extended
    }
}

#[cold]
fn resolve(descriptor: &Descriptor) -> &'static Handle {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_with(Known::default);
    let data = descriptor.data.load(Ordering::Acquire);
    if !data.is_null() {
        // Another thread was faster.
        // SAFETY: only this function stores such values, and handles are leaked.
        return unsafe { &*data.cast::<Handle>() };
    }
    let text = text(descriptor);
    if text.code.is_none() && text.name != "region" {
        known.instrumented.add(std::ptr::from_ref(descriptor) as usize);
    }
    if text.has_clause("final(") {
        openmp::expect_final();
    }
    let handle = match known.handles.get(&text) {
        Some(&handle) => handle,
        None => {
            let lock = *known
                .criticals
                .entry(text.lock().to_owned())
                .or_insert_with(|| Box::leak(Box::new(Lock::new())));
            let handle: &'static Handle = Box::leak(Box::new(Handle {
                text: text.clone(),
                regions: [const { UnsafeCell::new(UNDEFINED) }; SLOTS],
                visited: AtomicU8::new(0),
                extended: text.clauses.is_some(),
                lock,
                turn: Turn::default(),
                last_team: AtomicU32::new(u32::MAX),
                timed: text.has_clause("timed"),
                calls: text.has_clause("calls"),
                posts: text.has_clause("doacross(source") || text.has_clause("depend(source"),
                nogroup: text.has_clause("nogroup"),
                conditional: text.has_clause("if(") || text.has_clause("final("),
                tied: text.clauses.is_some() && !text.has_clause("untied"),
                trial: text.has_clause("function").then(Trial::default),
            }));
            known.handles.insert(text, handle);
            handle
        }
    };
    descriptor.data.store((&raw const *handle).cast_mut().cast(), Ordering::Release);
    handle
}

fn text(descriptor: &Descriptor) -> Text {
    let line = |line: c_int| u32::try_from(line).unwrap_or(0);
    Text {
        name: string(descriptor.name),
        sub_name: string(descriptor.sub_name),
        file: string(descriptor.file_name),
        begin: line(descriptor.begin_line1),
        end: line(descriptor.end_line1),
        clauses: extension(descriptor).map(|extension| string(extension.clauses)),
        code: extension(descriptor).and_then(code::of).cloned(),
    }
}

fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: descriptors hold NUL-terminated strings or null.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn extension(descriptor: &Descriptor) -> Option<&'static Extension> {
    if descriptor.next.is_null() {
        return None;
    }
    // SAFETY: `next` leads to an extension or to another descriptor, which begins alike; both live
    // as long as the process.
    let extension = unsafe { &*descriptor.next };
    if extension.mark.is_null() {
        return None;
    }
    // SAFETY: a mark is a string, as is the name of a descriptor.
    let mark = unsafe { CStr::from_ptr(extension.mark) };
    (mark == MARK || mark == code::MARK).then_some(extension)
}
