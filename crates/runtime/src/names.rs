//! Names that the program gives to threads that it creates (`pthread_setname_np`, or `prctl` with
//! `PR_SET_NAME`). The kernel keeps them, so no call has to be observed: the name is read when the
//! thread ends, or the process. A new thread has the name of its creator, which is therefore noted
//! before: only another name was given.
//!
//! If several threads play a location one after another, it has the first name that one of them was
//! given.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use libc::{c_char, c_int, pid_t};
use pompeii_live::{NAME_WORDS, ThreadRecord};

use crate::location::Location;
use crate::ready;

/// A name as the kernel has it: NUL padded.
pub type Name = [u64; NAME_WORDS];

const NONE: Name = [0; NAME_WORDS];

/// That of the calling thread.
pub fn own() -> Name {
    let mut bytes = [0_u8; size_of::<Name>()];
    // SAFETY: writes at most 16 bytes into the local variable.
    unsafe { libc::prctl(libc::PR_GET_NAME, bytes.as_mut_ptr()) };
    words(&bytes)
}

/// The bytes up to the first that is 0.
fn words(bytes: &[u8; size_of::<Name>()]) -> Name {
    let mut name = NONE;
    let used = bytes.iter().take_while(|&&byte| byte != 0);
    for (at, &byte) in used.enumerate() {
        name[at / 8] |= u64::from(byte) << (8 * (at % 8));
    }
    name
}

fn load(from: &[AtomicU64; NAME_WORDS]) -> Name {
    [from[0].load(Relaxed), from[1].load(Relaxed)]
}

fn store(to: &[AtomicU64; NAME_WORDS], name: Name) {
    to.iter().zip(name).for_each(|(word, value)| word.store(value, Relaxed));
}

/// A thread that the program has created begins to play the location, with its creator's name.
pub fn begin(thread: &Location, inherited: Name) {
    let record = ready::record(thread);
    let last = load(&record.last_name);
    if last != NONE && last != load(&record.inherited_name) {
        return;
    }
    store(&record.inherited_name, inherited);
    store(&record.last_name, NONE);
}

/// The calling thread ends, and has played the location.
pub fn end(thread: &Location) {
    let record = ready::record(thread);
    if is_wanted(record) {
        store(&record.last_name, own());
    }
}

/// Whether the program has created the thread, and its last name is not known.
fn is_wanted(record: &ThreadRecord) -> bool {
    load(&record.inherited_name) != NONE && load(&record.last_name) == NONE
}

/// The process ends, and the thread with this number has not. Nothing is allocated.
pub fn end_with_process(record: &ThreadRecord, id: pid_t) {
    if is_wanted(record)
        && let Some(name) = of(id)
    {
        store(&record.last_name, name);
    }
}

/// The name of a thread of this process; `None` if there is no such thread.
fn of(id: pid_t) -> Option<Name> {
    let mut path = [0_u8; 40];
    let mut rest = &mut path[..39];
    use std::io::Write;
    write!(rest, "/proc/self/task/{id}/comm").ok()?;
    let mut bytes = [0_u8; size_of::<Name>()];
    // SAFETY: a NUL-terminated path, and a descriptor of our own; reads into the local variable.
    let count = unsafe {
        let file: c_int =
            libc::open(path.as_ptr().cast::<c_char>(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let count = libc::read(file, bytes.as_mut_ptr().cast(), bytes.len());
        libc::close(file);
        count
    };
    // A line feed follows the name.
    let length = usize::try_from(count).ok()?.saturating_sub(1);
    bytes[length..].fill(0);
    Some(words(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_has_one_name_for_a_thread_and_its_file() {
        for name in [c"writer", c"fifteen letters", c"a\nb"] {
            let names = std::thread::spawn(move || {
                // SAFETY: a NUL-terminated name, and a system call without arguments.
                let id = unsafe {
                    libc::prctl(libc::PR_SET_NAME, name.as_ptr());
                    libc::syscall(libc::SYS_gettid) as pid_t
                };
                [Some(own()), of(id)]
            });
            let mut bytes = [0; size_of::<Name>()];
            bytes[..name.count_bytes()].copy_from_slice(name.to_bytes());
            assert_eq!(names.join().unwrap(), [Some(words(&bytes)); 2]);
        }
        assert_eq!(of(-1), None);
    }
}
