//! What a trace has of files, inside of the regions of calls: handles that come and go, positions,
//! and operations with their bytes. Numbers are those of OTF2.

use std::ffi::{CString, c_int};
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_live::{FileInterface, encode};

use super::Span;
use crate::files::Opened;
use crate::location::Location;

/// What an operation does.
pub mod mode {
    use std::ffi::c_int;
    /// It reads.
    pub const READ: c_int = 0;
    /// It writes.
    pub const WRITE: c_int = 1;
}

/// Access modes by the flags of `open`: `O_RDONLY`, `O_WRONLY`, `O_RDWR`, and the reserved value.
const ACCESS: [u8; 4] = [0, 1, 2, 2];
/// Creation flags.
const CREATION: [(c_int, u32); 8] = [
    (libc::O_CREAT, 1),
    (libc::O_TRUNC, 2),
    (libc::O_DIRECTORY, 4),
    (libc::O_EXCL, 8),
    (libc::O_NOCTTY, 16),
    (libc::O_NOFOLLOW, 32),
    (libc::O_PATH, 64),
    (libc::O_TMPFILE, 128),
];
/// Status flags.
const STATUS: [(c_int, u32); 8] = [
    (libc::O_CLOEXEC, 1),
    (libc::O_APPEND, 2),
    (libc::O_NONBLOCK, 4),
    (libc::O_ASYNC, 8),
    (libc::O_SYNC, 16),
    (libc::O_DSYNC, 32),
    (libc::O_DIRECT, 64),
    (libc::O_NOATIME, 128),
];

/// An operation's id in records. Several threads may use one handle at a time.
static OPERATIONS: AtomicU64 = AtomicU64::new(1);

/// What the program wanted, and what has happened.
pub struct Operation {
    /// What it does.
    pub mode: c_int,
    /// Bytes that it was to move.
    pub asked: u64,
    /// Bytes that it has moved.
    pub moved: u64,
}

fn access(flags: c_int) -> u8 {
    ACCESS[(flags & libc::O_ACCMODE) as usize & 3]
}

/// The flags whose bits, some of which have several, are all set.
fn translated(flags: c_int, table: &[(c_int, u32)]) -> u32 {
    let set = table.iter().filter(|(bits, _)| flags & bits == *bits);
    set.fold(0, |all, (_, flag)| all | flag)
}

/// Reading, writing or flushing.
pub fn operation(thread: &mut Location, descriptor: c_int, span: Span, of: Operation) {
    let Some(handle) = handle(thread, descriptor) else { return };
    let id = OPERATIONS.fetch_add(1, Ordering::Relaxed);
    let Operation { mode, asked, moved } = of;
    let Span { begun, ended } = span;
    thread.event(begun, |room, last| {
        encode::io_operation_begin(room, last, begun, handle, mode as u8, 0, asked, id)
    });
    thread.event(ended, |room, last| {
        encode::io_operation_complete(room, last, ended, handle, moved, id)
    });
}

/// A file was opened, by `open` and the like or as a stream.
pub fn opened(
    thread: &mut Location,
    descriptor: c_int,
    ended: u64,
    (path, flags, is_stream): (&str, c_int, bool),
) {
    let process = thread.process;
    if !process.descriptors.has_room(descriptor) {
        return;
    }
    let interface = if is_stream { FileInterface::IsoC } else { FileInterface::Posix };
    let handle = process.open_file(path, Opened::Alone(interface, None));
    process.descriptors.set(descriptor, handle);
    let (creation, status) = (translated(flags, &CREATION), translated(flags, &STATUS));
    thread.event(ended, |room, last| {
        encode::io_create_handle(room, last, ended, handle, access(flags), creation, status)
    });
}

/// A file was closed.
pub fn closed(thread: &mut Location, handle: u32, ended: u64) {
    thread.event(ended, |room, last| encode::io_destroy_handle(room, last, ended, handle));
}

/// The position in a file has changed: the request, from where, and the result.
pub fn sought(
    thread: &mut Location,
    descriptor: c_int,
    ended: u64,
    (request, whence, result): (i64, u8, u64),
) {
    let Some(handle) = handle(thread, descriptor) else { return };
    thread.event(ended, |room, last| {
        encode::io_seek(room, last, ended, handle, request, whence, result)
    });
}

/// The handle of a descriptor. One that no observed call has opened gets one now.
fn handle(thread: &Location, descriptor: c_int) -> Option<u32> {
    let descriptors = &thread.process.descriptors;
    match descriptors.get(descriptor) {
        None if descriptors.has_room(descriptor) => inherited(thread, descriptor),
        known => known,
    }
}

/// The handle of a file that was open before, or that was opened in a way that is not observed: its
/// name is what the system says, without the number of a pipe or socket, which changes in each run.
#[cold]
fn inherited(thread: &Location, descriptor: c_int) -> Option<u32> {
    let link = CString::new(format!("/proc/self/fd/{descriptor}")).ok()?;
    let mut name = [0_u8; libc::PATH_MAX as usize];
    // SAFETY: the path is NUL-terminated, and the call writes at most the length of `name`.
    let bytes = unsafe { libc::readlink(link.as_ptr(), name.as_mut_ptr().cast(), name.len()) };
    let name = String::from_utf8_lossy(name.get(..usize::try_from(bytes).ok()?)?);
    let name = name.split_once(":[").map_or(&*name, |(kind, _)| kind);
    // SAFETY: asks for the flags of a descriptor, which need not be open.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    let state = (access(flags.max(0)), translated(flags.max(0), &STATUS));
    let opened = Opened::Alone(FileInterface::Posix, Some(state));
    let handle = thread.process.open_file(name, opened);
    thread.process.descriptors.set(descriptor, handle);
    Some(handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_open_are_those_of_traces() {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND;
        let shown = (access(flags), translated(flags, &CREATION), translated(flags, &STATUS));
        assert_eq!(shown, (1, 1 | 2, 2));
        // O_SYNC has the bit of O_DSYNC, and O_TMPFILE that of O_DIRECTORY.
        assert_eq!(translated(libc::O_DSYNC, &STATUS), 32);
        assert_eq!(translated(libc::O_SYNC, &STATUS), 16 | 32);
        assert_eq!(translated(libc::O_DIRECTORY, &CREATION), 4);
        assert_eq!((access(libc::O_RDONLY), access(libc::O_RDWR), access(3)), (0, 2, 2));
    }
}
