//! The events of detached tasks are fulfilled: `omp_fulfill_event` is interposed like the lock
//! routines.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::clock;
use crate::detach;
use crate::entry::on_thread;
use crate::events::kind;
use crate::location::Location;
use crate::openmp;

/// A thread is about to fulfil an event.
fn fulfil(thread: &mut Location, event: usize) {
    if !thread.tracing {
        return;
    }
    if let Some(name) = detach::fulfils(event) {
        let now = clock::now();
        if thread.gate != 0 {
            thread.flush_gate(now);
        }
        let now = thread.account(now);
        thread.records(now, |records| records.fields(kind::TASK_COMPLETE, &name));
    }
}

/// Interposes `omp_fulfill_event`; its record comes before what waits for the task goes on.
#[unsafe(no_mangle)]
pub extern "C" fn omp_fulfill_event(event: usize) {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    on_thread!(|thread| fulfil(thread, event));
    let mut real = REAL.load(Relaxed);
    if real == 0 {
        // SAFETY: a NUL-terminated name.
        real = unsafe { openmp::symbol(libc::RTLD_NEXT, c"omp_fulfill_event".as_ptr()) };
        REAL.store(real, Relaxed);
    }
    if real != 0 {
        // SAFETY: the next library's routine of this name; its argument is as wide as a pointer.
        unsafe { std::mem::transmute::<usize, extern "C" fn(usize)>(real)(event) };
    }
}

/// Interposes `omp_fulfill_event` of Fortran, which gets the event by its value, too.
#[unsafe(no_mangle)]
pub extern "C" fn omp_fulfill_event_(event: usize) {
    omp_fulfill_event(event);
}
