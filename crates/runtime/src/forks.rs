//! Children that are forked and go on without an `exec`.
//!
//! Such a child has none of the parent's other threads, and shares its live state: it is silent.
//! With `--follow-forks` it gets an experiment of its own at its first event. It goes on with the
//! parent's definitions, since the handles of descriptors hold their ids, and with nothing else.
//!
//! For that the locks of this library are held across the fork, as `pthread_atfork` means it: no
//! other thread is then in the middle of a change that the child would see half done. A fork in a
//! signal handler that has interrupted an event holds nothing, and its child is silent; so is that
//! of `_Fork`, which calls no handlers and is interposed for that.

use std::cell::UnsafeCell;
use std::mem::transmute;
use std::sync::MutexGuard;

use pompeii_live::Calibration;

use crate::clock;
use crate::descriptor;
use crate::ends::Next;
use crate::process::{self, Process};
use crate::sampling;
use crate::start::{self, Origin};
use crate::tls::{self, Thread};

/// What a followed child has from its parent.
#[derive(Clone, Copy)]
pub struct Forked {
    /// When it was forked: the start of its measurement.
    pub at: Calibration,
    /// The parent's process id.
    pub parent_id: u32,
    /// The parent's measurement, if it had begun.
    pub parent: Option<&'static Process>,
}

/// The locks, in the order in which they are taken.
struct Held {
    origin: MutexGuard<'static, Origin>,
    _known: descriptor::Held,
    _process: Option<process::Held<'static>>,
}

/// Written only by the thread that holds the first of the locks in it.
struct Place<T>(UnsafeCell<Option<T>>);

// SAFETY: see above.
unsafe impl<T> Sync for Place<T> {}

static HELD: Place<Held> = Place(UnsafeCell::new(None));

/// Also held if the child is not followed: see [`sampling::hold`].
static LOADER: Place<sampling::Looking> = Place(UnsafeCell::new(None));

static FORK: Next = Next::new(c"_Fork");

/// Registers what happens at forks.
pub fn register() {
    FORK.find();
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

extern "C" fn before() {
    let looking = sampling::hold();
    // SAFETY: this thread holds that lock.
    unsafe { *LOADER.0.get() = Some(looking) };
    if !start::follows_forks() || matches!(tls::thread(), Thread::Closed) {
        return;
    }
    let origin = start::hold();
    let known = descriptor::hold();
    let process = start::process().map(Process::hold);
    // SAFETY: this thread holds the first lock.
    unsafe { *HELD.0.get() = Some(Held { origin, _known: known, _process: process }) };
}

/// What this thread holds. Another thread that forks meanwhile waits for the first lock, unless it
/// is one whose child is not followed: then there is nothing of its own here.
fn take() -> Option<Held> {
    if !start::follows_forks() || matches!(tls::thread(), Thread::Closed) {
        return None;
    }
    // SAFETY: this thread has put it there and holds the first lock.
    unsafe { (*HELD.0.get()).take() }
}

extern "C" fn in_parent() {
    drop(take());
    let_look();
}

fn let_look() {
    // SAFETY: this thread has put it there and holds the lock.
    drop(unsafe { (*LOADER.0.get()).take() });
}

extern "C" fn in_child() {
    match take() {
        Some(mut held) => {
            let parent = start::process();
            held.origin.forked =
                Some(Forked { at: clock::calibrate(), parent_id: parent_id(), parent });
            start::begin_anew();
            tls::restore(Thread::New);
        }
        None => be_silent(),
    }
    let_look();
}

fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// Nothing of this process, a child, is measured.
pub fn be_silent() {
    start::stop();
    tls::close();
}

/// Interposes `_Fork`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Fork() -> libc::pid_t {
    let real = FORK.get();
    if real == 0 {
        // SAFETY: errno is a thread-local integer.
        unsafe { *libc::__errno_location() = libc::ENOSYS };
        return -1;
    }
    // SAFETY: the next library's function of this name.
    let child = unsafe { transmute::<usize, unsafe extern "C" fn() -> libc::pid_t>(real)() };
    if child == 0 {
        be_silent();
    }
    child
}
