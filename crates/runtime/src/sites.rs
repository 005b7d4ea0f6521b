//! From where functions of MPI, of POSIX threads and for files, and lock routines are called. Each
//! call site is a region of its own: with the name of the function, and the address of the call, of
//! which `finish` makes function, file and line.
//!
//! What a wrapper knows is the address that it returns to. It is looked up together with the
//! current call path in a small table of the thread, which takes as many instructions as a call of
//! MPI may cost more. At the first visit of a call path the address may be one of a binding, which
//! all of its callers share: then the caller is the first frame outside of MPI's libraries.

mod known;

use std::sync::atomic::{AtomicU32, Ordering};

use pompeii_live::NodeOffset;

use crate::definitions::RegionText;
use crate::location::Location;
use crate::process::Process;
use crate::{loaded, team};

use known::{LINES, UNUSED};
pub use known::{Line, Sites};

/// A function whose call sites are told apart. Its address stands for it, so it never moves.
pub trait Called {
    /// Has the region of its calls from places that are not known: its id + 1, or 0 if it has none.
    fn known(&self) -> &AtomicU32;

    /// What its regions have in common.
    fn text(&self) -> RegionText;

    /// Notes what else there is to know of one of its regions, which is new.
    fn note(&self, _process: &Process, _region: u32) {}

    /// The region of its calls from places that are not known.
    #[inline(always)]
    fn region(&self, process: &Process) -> u32 {
        match self.known().load(Ordering::Relaxed) {
            0 => define(self, process),
            id => id - 1,
        }
    }

    /// Whether this file is one by which the program calls the function: then the call in the
    /// program counts.
    fn is_binding(&self, path: &str) -> bool {
        loaded::is_of_mpi(path)
    }

    /// Whether a call that returns to this address counts at the current call path.
    fn counts(&self, _thread: &mut Location, _address: usize) -> bool {
        true
    }
}

#[cold]
fn define(routine: &(impl Called + ?Sized), process: &Process) -> u32 {
    let id = process.region(&routine.text());
    routine.note(process, id);
    routine.known().store(id + 1, Ordering::Relaxed);
    id
}

/// Stands for the region of calls that do not count.
pub const UNCOUNTED: u32 = u32::MAX;

/// Call sites below one call path that are told apart; all further ones are one region.
const SITES_MAX: u32 = 64;
/// Call paths with their sites that a thread remembers.
const KNOWN_MAX: usize = 1 << 16;

/// The place of a site in the table: nodes are multiples of 128, addresses of calls any number.
#[inline(always)]
fn place(address: usize, at: NodeOffset) -> usize {
    (address ^ at as usize >> 7) % LINES
}

/// A function that is called from an address: the function, by its own address, and that one.
pub type CallSite = (*const (), usize);

/// What the small table has of this call site at the current call path.
///
/// # Safety
/// `thread` must be this thread's location. The line is read before another event.
#[inline(always)]
pub unsafe fn line<'a>(thread: *mut Location, (routine, address): CallSite) -> Option<&'a Line> {
    // SAFETY: the table lives as long as the location, and only its thread writes it.
    unsafe {
        let at = (*thread).header.current;
        let line = &raw const (*(*thread).sites.lines)[place(address, at)];
        let is_here = (*line).address == address && (*line).at == at && (*line).routine == routine;
        if is_here { Some(&*line) } else { None }
    }
}

/// The call at this site, below `at`, has this node, which is noted where the table has it.
#[inline(always)]
pub fn note_node(
    thread: &mut Location,
    (routine, address): CallSite,
    at: NodeOffset,
    node: NodeOffset,
) {
    // SAFETY: as above. What is in no line is in the table of all, which is only read.
    unsafe {
        let line = (&raw const (*thread.sites.lines)[place(address, at)]).cast_mut();
        let is_here = (*line).address == address && (*line).at == at && (*line).routine == routine;
        if is_here && node != at && !thread.is_passing() {
            (*line).node = node;
        }
    }
}

/// The region of a function that is called from this address at the current call path,
/// [`UNCOUNTED`] if such calls do not count.
#[inline(always)]
pub fn region(thread: &mut Location, routine: &impl Called, address: usize) -> u32 {
    let site = (std::ptr::from_ref(routine).cast(), address);
    // SAFETY: the location of this thread.
    match unsafe { line(thread, site) } {
        Some(line) => line.region,
        None => find(thread, routine, address),
    }
}

#[cold]
#[inline(never)]
fn find(thread: &mut Location, routine: &impl Called, address: usize) -> u32 {
    team::leave_joined(thread);
    if thread.is_passing() {
        return routine.region(thread.process);
    }
    let at = thread.header.current;
    let of: *const () = std::ptr::from_ref(routine).cast();
    let key = (of as usize, address, at);
    let region = match thread.sites.known.get(&key) {
        Some(&region) => region,
        None => {
            let region = meet(thread, routine, address);
            if thread.sites.known.len() < KNOWN_MAX {
                thread.sites.known.insert(key, region);
            }
            region
        }
    };
    note_line(thread, (of, address), at, region);
    region
}

/// Calls at this site below `at` have this region; their node is not known yet.
pub fn note_line(thread: &mut Location, (routine, address): CallSite, at: NodeOffset, region: u32) {
    if std::ptr::eq(thread.sites.lines, &raw const UNUSED.0) {
        thread.sites.lines = Box::into_raw(Box::new(UNUSED.0));
    }
    let lines = thread.sites.lines.cast_mut();
    // SAFETY: made above or before, for this location alone.
    unsafe { (*lines)[place(address, at)] = Line { address, routine, at, region, node: 0 } };
}

/// A call site for the first time at this call path.
fn meet(thread: &mut Location, routine: &impl Called, address: usize) -> u32 {
    if !routine.counts(thread, address) {
        return UNCOUNTED;
    }
    let (process, at) = (thread.process, thread.header.current);
    let below = thread.sites.below.entry(at).or_insert(0);
    if *below >= SITES_MAX {
        return routine.region(process);
    }
    let caller = loaded::caller(address, &|path| routine.is_binding(path));
    let Some(place) = caller else { return routine.region(process) };
    *below += 1;
    let (region, is_new) = process.call_site(&routine.text(), &place);
    if is_new {
        routine.note(process, region);
    }
    region
}
