//! Functions of POSIX threads: what the library of `preload/threads.c`, which has functions of
//! these names, says of each call (`pomp_threads.h`). Threads of C++ use them, too.
//!
//! Each thread that the program creates has a location, and the function that it begins with is
//! the root of its call paths ([`starts`]). Threads of OpenMP and MPI libraries have none by that:
//! those of OpenMP get theirs by their constructs.
//!
//! A call that may wait is one event, after it has returned, as those of [`crate::io`] are. A mutex
//! that was free takes no time of its own: its visit is counted, and who has it is noted
//! ([`mutexes`], [`rwlocks`]). In a trace every visit has its records.
//!
//! Whoever has waited knows for whom: for the thread that had the lock, that signaled the condition
//! or the semaphore, that has ended ([`signals`]), or that came last to the barrier ([`barriers`]).
//!
//! Calls count on threads that have a location already. `pomp_threads_start` gives the initial
//! thread one, before the program's `main`.

mod barriers;
pub mod mutexes;
mod rwlocks;
mod signals;
mod starts;

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::sync::atomic::AtomicU32;

use pompeii_live::RegionKind;

use crate::clock;
use crate::definitions::RegionText;
use crate::entry::on_thread;
use crate::location::Location;
use crate::sites::{self, Called};
use crate::start;
use crate::team;
use crate::tls;
use crate::unmodified;

/// `struct pomp_threads_routine`.
#[repr(C)]
pub struct Routine {
    name: *const c_char,
    /// Region + 1.
    region: AtomicU32,
}

impl Called for Routine {
    fn known(&self) -> &AtomicU32 {
        &self.region
    }

    fn text(&self) -> RegionText {
        // SAFETY: the contract of `pomp_threads.h`: a text that lives as long as the process.
        let name = unsafe { CStr::from_ptr(self.name) }.to_string_lossy();
        let is_lock = name.starts_with("pthread_mutex_") || name.starts_with("pthread_rwlock_");
        let kind = if is_lock { RegionKind::ThreadLock } else { RegionKind::ThreadOther };
        RegionText::without_source(kind, &name)
    }

    fn is_binding(&self, path: &str) -> bool {
        is_of_cpp(path)
    }

    /// MPI and OpenMP libraries have threads and locks of their own, which say nothing of the
    /// program's.
    fn counts(&self, _thread: &mut Location, address: usize) -> bool {
        !unmodified::is_parallel_library(address)
    }
}

/// Whether a file is the library of C++, by which a program uses threads of POSIX.
fn is_of_cpp(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libstdc++.") || name.starts_with("libc++.")
}

/// The region of a call; `None` if the call does not count.
#[inline(always)]
fn region(thread: &mut Location, routine: *const Routine, caller: usize) -> Option<u32> {
    // SAFETY: the contract of `pomp_threads.h`: it lives as long as the process.
    let region = sites::region(thread, unsafe { &*routine }, caller);
    (region != sites::UNCOUNTED).then_some(region)
}

/// A call that has returned: `inside` is what lies between its enter and its exit, at this time.
fn visit(
    thread: &mut Location,
    (routine, caller, begun): (*const Routine, usize, u64),
    inside: impl FnOnce(&mut Location, u64),
) {
    // Before looking for the caller, which takes its time at the first visit.
    let ended = clock::now();
    let Some(region) = region(thread, routine, caller) else { return };
    let begun = thread.enter(region, begun);
    let ended = ended.max(begun);
    inside(thread, ended);
    thread.exit(region, ended);
}

/// Begins the measurement before the program's `main`, if it is the program to be measured.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_start() {
    start::begin_with_program();
}

/// Whether calls of this thread are observed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_observes() -> c_int {
    c_int::from(tls::location().is_some())
}

/// Before a call: when it begins, 0 if it is not observed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_begin() -> u64 {
    if tls::location().is_some() { clock::now() } else { 0 }
}

/// A call has returned.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_called(routine: *const Routine, caller: usize, begun: u64) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |_, _| {}));
}

/// A call has not had to wait: in a profile its visit is counted.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_threads_counted(routine: *const Routine, caller: usize) {
    on_thread!(|thread| {
        if thread.tracing {
            visit(thread, (routine, caller, clock::now()), |_, _| {});
        } else if let Some(region) = region(thread, routine, caller) {
            team::leave_joined(thread);
            thread.count(region);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_cpp_is_between_the_program_and_its_threads() {
        assert!(is_of_cpp("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"));
        assert!(is_of_cpp("/usr/lib/llvm-19/lib/libc++.so.1"));
        assert!(!is_of_cpp("/usr/lib/libc.so.6") && !is_of_cpp("/home/libc++.d/solver"));
    }

    #[test]
    fn locks_are_told_apart_from_other_functions() {
        let kind = |name: &CStr| {
            let (name, region) = (name.as_ptr(), AtomicU32::new(0));
            Routine { name, region }.text().kind
        };
        assert_eq!(kind(c"pthread_mutex_timedlock"), RegionKind::ThreadLock);
        assert_eq!(kind(c"pthread_rwlock_rdlock"), RegionKind::ThreadLock);
        assert_eq!(kind(c"pthread_cond_wait"), RegionKind::ThreadOther);
    }
}
