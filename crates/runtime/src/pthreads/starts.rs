//! Threads that the program creates: each has a location, and the function that it begins with is
//! the root of its call paths. When a thread has ended, the next one takes its location over.

use std::ffi::c_void;

use pompeii_live::RegionKind;

use super::{Routine, is_of_cpp, signals, visit};
use crate::clock;
use crate::created::{self, ThreadNumber};
use crate::definitions::RegionText;
use crate::entry::{self, on_thread};
use crate::loaded;
use crate::names::{self, Name};
use crate::process::Process;
use crate::start;
use crate::tls;
use crate::unmodified;

/// What a thread calls.
pub type Start = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// `struct pomp_thread`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Created {
    start: Start,
    argument: *mut c_void,
    number: ThreadNumber,
}

/// A thread that is created. The library that the program loads sees the first part only.
#[repr(C)]
pub struct Made {
    created: Created,
    /// The name of its creator.
    name: Name,
}

/// Before a thread is created: null if it is not to be observed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_thread_create(
    caller: usize,
    start: Start,
    argument: *mut c_void,
) -> *mut Made {
    let is_observed = start::process().is_some_and(Process::is_this);
    if !is_observed || unmodified::is_parallel_library(caller) {
        return std::ptr::null_mut();
    }
    let created = Created { start, argument, number: ThreadNumber::next() };
    Box::into_raw(Box::new(Made { created, name: names::own() }))
}

/// A call has created the thread with this number. Its record has the time at which the call began:
/// the thread may have begun before the call returned.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_thread_created(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    number: ThreadNumber,
) {
    on_thread!(|thread| visit(thread, (routine, caller, begun), |thread, _| created::creates(
        thread,
        number,
        thread.header.last_ticks
    )));
}

/// The thread could not be created.
///
/// # Safety
/// `made` must be what [`pomp_thread_create`] has returned, and not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_thread_forget(made: *mut Made) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(made) });
}

/// The calling thread begins: it gets a location, and enters the region of its function.
///
/// # Safety
/// As for [`pomp_thread_forget`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_thread_begins(made: *mut Made) -> Created {
    // SAFETY: the caller's promise.
    let Made { created, name } = *unsafe { Box::from_raw(made) };
    let begun = clock::now();
    let location = entry::first_event();
    if !location.is_null() {
        tls::close();
        // SAFETY: locations are never freed, and this thread is the only one that uses its own.
        let thread = unsafe { &mut *location };
        created::begins(thread, created.number, begun);
        names::begin(thread, name);
        thread.enter(region(thread.process, &created), begun);
        signals::thread_begins(thread, (created.number, begun));
        tls::open(location);
    }
    created
}

/// The region of the function that a thread begins with.
fn region(process: &Process, created: &Created) -> u32 {
    let text = RegionText::without_source(RegionKind::ThreadStart, "thread");
    let address = function_of(created);
    match loaded::place_of(address) {
        Some(place) => process.construct(&text, &place, true),
        None => process.region(&text),
    }
}

/// The program's function. All threads of C++ begin with one of the library, whose argument is an
/// object with a virtual function for the program's: the third one of its table.
fn function_of(created: &Created) -> usize {
    const RUNS: usize = 2;
    let address = created.start as usize;
    let is_loaded = |address: usize| loaded::place_of(address).is_some();
    let is_cpp = loaded::place_of(address).is_some_and(|place| is_of_cpp(&place.path));
    if !is_cpp || created.argument.is_null() {
        return address;
    }
    // SAFETY: an object with virtual functions begins with the address of their table.
    let table = unsafe { created.argument.cast::<*const usize>().read() };
    if !is_loaded(table as usize) {
        return address;
    }
    // SAFETY: a table in a loaded file; the class of this argument has three virtual functions.
    match unsafe { table.add(RUNS).read() } {
        function if is_loaded(function) => function,
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C-unwind" fn work(argument: *mut c_void) -> *mut c_void {
        argument
    }

    #[test]
    fn a_function_of_the_program_stands_for_its_thread() {
        let argument = std::ptr::null_mut();
        assert_eq!(
            function_of(&Created { start: work, argument, number: ThreadNumber::default() }),
            work as *const () as usize
        );
    }
}
