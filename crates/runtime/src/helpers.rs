//! Threads of our own in the user's process. They take no signals of the program and are not bound
//! to the core of the thread that has started them.

use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::thread::{Builder, JoinHandle};

const STACK_BYTES: usize = 64 << 10;
const LARGE_STACK_BYTES: usize = 512 << 10;

/// Starts a thread that does this; whether there is one.
pub fn start(work: impl FnOnce() + Send + 'static) -> bool {
    spawn(STACK_BYTES, work).is_some()
}

/// Does this in a thread with a large stack, and waits for its end: threads of the program may have
/// stacks of a few kilobytes.
pub fn do_with_large_stack(work: impl FnOnce() + Send + 'static) {
    if let Some(thread) = spawn(LARGE_STACK_BYTES, work) {
        let _ = thread.join();
    }
}

fn spawn(stack_bytes: usize, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills and reads signal sets of this function's own.
    unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let thread = Builder::new().name("pompeii".into()).stack_size(stack_bytes);
    let started = thread.spawn(|| {
        leave_core();
        work();
    });
    // SAFETY: as above; filled by the first call.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut());
    }
    started.ok()
}

/// The calling thread is not bound to the core of the one that has started it.
fn leave_core() {
    let mut anywhere = MaybeUninit::<libc::cpu_set_t>::uninit();
    // SAFETY: a set of CPUs is bits; the system takes those of them that the process may use.
    unsafe {
        std::ptr::write_bytes(anywhere.as_mut_ptr(), 0xff, 1);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), anywhere.as_ptr());
    }
}
