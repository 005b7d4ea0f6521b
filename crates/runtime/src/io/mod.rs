//! Functions of the system and of the C library that read and write files: what the library of
//! `preload/io.c`, which has functions of these names, says of each call (`pomp_io.h`).
//!
//! A call is one event, after it has returned: enter, what it has moved, and exit. So nothing is
//! open if the call never returns, because the thread is cancelled in it or a signal handler jumps
//! out of it; then its time is that of the caller. What a signal handler reads or writes while the
//! call is under way is a visit of its own before it.
//!
//! Calls count on threads that have a location already. `pomp_io_start` gives the initial thread
//! one, before the program's `main`. Threads of libraries, which read and write all the time to
//! exchange messages, get none.

mod records;

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::AtomicU32;

use pompeii_live::{Key, RegionKind};

use crate::clock;
use crate::definitions::RegionText;
use crate::entry::on_thread;
use crate::location::{Location, ROOT};
use crate::sites::{self, Called};
use crate::start;
use crate::tls;
use crate::unmodified;

use records::{Operation, mode};

/// `struct pomp_io_routine`.
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
        // SAFETY: the contract of `pomp_io.h`: a text that lives as long as the process.
        let name = unsafe { CStr::from_ptr(self.name) }.to_string_lossy();
        RegionText::without_source(RegionKind::Io, plain(&name))
    }

    /// MPI and OpenMP libraries have files and sockets of their own, which say nothing of the
    /// program's. What MPI does for a file of MPI is in the time of that function.
    fn counts(&self, thread: &mut Location, address: usize) -> bool {
        !unmodified::is_parallel_library(address) && !is_inside_mpi(thread)
    }
}

/// The name that the program says: compilers call variants that check lengths (`__read_chk`,
/// `__open_2`) or have larger numbers (`open64`).
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("__").unwrap_or(name);
    let variant = |end: &str| name.strip_suffix(end);
    let name = variant("_chk").or_else(|| variant("_2")).unwrap_or(name);
    name.strip_suffix("64").unwrap_or(name)
}

/// Whether the thread is in a function of MPI.
fn is_inside_mpi(thread: &mut Location) -> bool {
    let (process, mut node) = (thread.process, thread.header.current);
    while node > ROOT {
        if let Key::Region(region) = Key::decode(thread.node(node).key)
            && process.region_kind(region).is_some_and(RegionKind::is_mpi)
        {
            return true;
        }
        node = thread.node(node).parent;
    }
    false
}

/// Begins the measurement before the program's `main`, if it is the program to be measured.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_start() {
    start::begin_with_program();
}

/// Before a call: when it begins, 0 if it is not observed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_begin() -> u64 {
    if tls::location().is_some() { clock::now() } else { 0 }
}

/// From when to when a call was under way.
#[derive(Clone, Copy)]
struct Span {
    begun: u64,
    ended: u64,
}

/// What a call has moved.
#[derive(Clone, Copy, Default)]
struct Bytes {
    read: u64,
    written: u64,
}

/// A call that has returned: `record` writes what lies between its enter and its exit.
#[inline(always)]
fn visit(
    thread: &mut Location,
    (routine, caller, begun): (*const Routine, usize, u64),
    bytes: Bytes,
    record: impl FnOnce(&mut Location, Span),
) {
    // SAFETY: the contract of `pomp_io.h`: it lives as long as the process.
    let routine = unsafe { &*routine };
    // Before looking for the caller, which takes its time at the first visit.
    let ended = clock::now();
    let region = sites::region(thread, routine, caller);
    if region == sites::UNCOUNTED {
        return;
    }
    let begun = thread.enter(region, begun);
    let ended = ended.max(begun);
    if !thread.is_passing() {
        let values = thread.current().mpi_mut();
        *values.bytes_received += bytes.read;
        *values.bytes_sent += bytes.written;
        if thread.tracing {
            record(thread, Span { begun, ended });
        }
    }
    thread.exit(region, ended);
}

/// A call has read (`mode` 0), written (1) or flushed (2) a file; `moved` is below 0 if it has
/// failed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_moved(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    descriptor: c_int,
    mode: c_int,
    asked: u64,
    moved: i64,
) {
    let moved = u64::try_from(moved).unwrap_or(0);
    let bytes = match mode {
        mode::READ => Bytes { read: moved, written: 0 },
        mode::WRITE => Bytes { read: 0, written: moved },
        _ => Bytes::default(),
    };
    on_thread!(|thread| visit(thread, (routine, caller, begun), bytes, |thread, span| {
        records::operation(thread, descriptor, span, Operation { mode, asked, moved });
    }));
}

/// A call has opened a file; `descriptor` is below 0 if it has failed. `flags` are those of `open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_io_opened(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    descriptor: c_int,
    path: *const c_char,
    flags: c_int,
    is_stream: c_int,
) {
    on_thread!(|thread| {
        visit(thread, (routine, caller, begun), Bytes::default(), |thread, Span { ended, .. }| {
            if descriptor >= 0 && !path.is_null() {
                // SAFETY: the contract of `pomp_io.h`: a NUL-terminated text.
                let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
                let how = (&*path, flags, is_stream != 0);
                records::opened(thread, descriptor, ended, how);
            }
        });
    });
}

/// Before a descriptor is closed, after which another thread may get it for a file of its own: what
/// [`pomp_io_closed`] needs.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_closing(descriptor: c_int) -> u32 {
    let mut handle = None;
    on_thread!(|thread| handle = thread.process.descriptors.take(descriptor));
    handle.map_or(0, |handle| handle + 1)
}

/// It is closed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_closed(routine: *const Routine, caller: usize, begun: u64, closing: u32) {
    on_thread!(|thread| {
        visit(thread, (routine, caller, begun), Bytes::default(), |thread, Span { ended, .. }| {
            if let Some(handle) = closing.checked_sub(1) {
                records::closed(thread, handle, ended);
            }
        });
        if let Some(handle) = closing.checked_sub(1) {
            thread.process.close_file(handle);
        }
    });
}

/// The position in a file has changed; `result` is below 0 if the call has failed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_sought(
    routine: *const Routine,
    caller: usize,
    begun: u64,
    descriptor: c_int,
    request: i64,
    whence: c_int,
    result: i64,
) {
    on_thread!(|thread| {
        visit(thread, (routine, caller, begun), Bytes::default(), |thread, Span { ended, .. }| {
            if let (Ok(result), Ok(whence)) = (u64::try_from(result), u8::try_from(whence)) {
                records::sought(thread, descriptor, ended, (request, whence, result));
            }
        });
    });
}

/// The descriptor stands for another file from now on.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_io_replaced(descriptor: c_int) {
    on_thread!(|thread| thread.process.descriptors.take(descriptor));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_the_name_of_their_function() {
        for (name, is) in [
            ("read", "read"),
            ("__read_chk", "read"),
            ("__pread64_chk", "pread"),
            ("__open64_2", "open"),
            ("lseek64", "lseek"),
            ("fread_unlocked", "fread_unlocked"),
            ("dup2", "dup2"),
        ] {
            assert_eq!(plain(name), is);
        }
    }
}
