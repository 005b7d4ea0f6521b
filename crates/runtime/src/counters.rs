//! The counters of each thread that metrics are counted on. They are opened at the thread's first
//! event, those of the initial thread when the library is loaded, because nothing that is counted
//! may be missing.
//!
//! They must still be there after the destructors of thread-local variables have run, because exit
//! handlers and destructors of thread-specific data come later. The thread that ends the process
//! also reads the counters of threads that wait. So each thread has an entry in a list that only
//! grows and whose entries are used again. A thread takes an entry before it changes it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use pompeii_live::metrics::{Counters, Metric};

/// What an entry is in.
mod state {
    /// No thread's.
    pub const FREE: u32 = 0;
    /// A thread's, which does not use it just now.
    pub const IDLE: u32 = 1;
    /// In use.
    pub const TAKEN: u32 = 2;
}

/// A thread's entry.
pub struct OfThread {
    state: AtomicU32,
    /// Index + 1 of the location that has been counted for last; 0 for none.
    location: AtomicU32,
    next: *const OfThread,
    known: Cell<Option<Known>>,
}

/// The counters, for the process with this id whose [`crate::process::Process`] is at this address;
/// 0 where there is none yet.
struct Known {
    process: usize,
    pid: u32,
    counters: Box<Counters>,
    /// Destructors of the thread have been called so often.
    ends: u32,
}

// SAFETY: the only field that is not atomic is used by whoever has taken the entry.
unsafe impl Sync for OfThread {}

static ALL: AtomicPtr<OfThread> = AtomicPtr::new(null_mut());
static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
/// Metrics that there may be (`pompeii_live::metrics` allows fewer).
pub const MOST: usize = 32;
/// What threads had counted since their last event when they ended, by metric.
static LEFT: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
/// How many metrics there are.
static METRICS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // Without a destructor: it is there as long as the thread.
    static OWN: Cell<*const OfThread> = const { Cell::new(null()) };
}

fn all() -> impl Iterator<Item = &'static OfThread> {
    // SAFETY: entries are never freed, and their links never change.
    let entry = |at: *const OfThread| unsafe { at.as_ref() };
    std::iter::successors(entry(ALL.load(Acquire)), move |of| entry(of.next))
}

impl OfThread {
    fn take(&self, from: u32) -> bool {
        self.state.compare_exchange(from, state::TAKEN, AcqRel, Relaxed).is_ok()
    }

    /// One that is taken, for a new thread.
    fn new() -> &'static Self {
        if let Some(free) = all().find(|of| of.take(state::FREE)) {
            return free;
        }
        let mut next = ALL.load(Acquire);
        let fresh = Box::into_raw(Box::new(OfThread {
            state: AtomicU32::new(state::TAKEN),
            location: AtomicU32::new(0),
            next,
            known: Cell::new(None),
        }));
        while let Err(other) = ALL.compare_exchange(next, fresh, AcqRel, Acquire) {
            next = other;
            // SAFETY: it is published nowhere yet.
            unsafe { (*fresh).next = next };
        }
        // SAFETY: never freed.
        unsafe { &*fresh }
    }

    /// The calling thread's own, taken; `None` in a signal handler that has interrupted its use.
    fn own() -> Option<&'static Self> {
        // SAFETY: entries are never freed.
        if let Some(own) = unsafe { OWN.get().as_ref() } {
            return own.take(state::IDLE).then_some(own);
        }
        let own = Self::new();
        OWN.set(own);
        let key = KEY.get_or_init(|| {
            let mut key = 0;
            // SAFETY: its destructor is a function of this library, which is never unloaded.
            let made = unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) } == 0;
            made.then_some(key)
        });
        remember(key, own);
        Some(own)
    }

    fn give_back(&self, known: Option<Known>) {
        let state = if known.is_some() { state::IDLE } else { state::FREE };
        self.known.set(known);
        self.state.store(state, Release);
    }
}

fn remember(key: &Option<libc::pthread_key_t>, own: &'static OfThread) {
    if let Some(key) = key {
        // SAFETY: the key was made before.
        unsafe { libc::pthread_setspecific(*key, std::ptr::from_ref(own).cast()) };
    }
}

/// A thread ends. The first time that this is called, the one of its location may still come.
unsafe extern "C" fn thread_ends(own: *mut c_void) {
    // SAFETY: the key holds an entry, which is never freed.
    let own = unsafe { &*own.cast::<OfThread>() };
    if !own.take(state::IDLE) {
        return;
    }
    let mut known = own.known.take();
    if let Some(known) = known.as_mut().filter(|known| known.ends == 0) {
        known.ends = 1;
        remember(KEY.get().unwrap_or(&None), own);
    } else if let Some(mut ended) = known.take() {
        let mut counted = [0; MOST];
        let counted = &mut counted[..METRICS.load(Relaxed).min(MOST)];
        ended.counters.advance(counted);
        for (left, counted) in LEFT.iter().zip(counted) {
            left.fetch_add(*counted, Relaxed);
        }
        own.location.store(0, Relaxed);
        OWN.set(null());
    }
    own.give_back(known);
}

/// Opens the counters of the initial thread, before there is a process.
pub fn begin(metrics: &[Metric]) {
    METRICS.store(metrics.len(), Relaxed);
    if let Some(own) = OfThread::own() {
        own.give_back(Some(open(metrics, 0)));
    }
}

fn open(metrics: &[Metric], process: usize) -> Known {
    let counters = Box::new(Counters::open(metrics).0);
    Known { process, pid: std::process::id(), counters, ends: 0 }
}

/// Uses the calling thread's counters of the process at this address for a location, and opens them
/// the first time.
pub fn with<T>(
    (process, metrics): (usize, &[Metric]),
    location: u32,
    call: impl FnOnce(&mut Counters) -> T,
) -> Option<T> {
    let own = OfThread::own()?;
    // A forked child's process is another one, and counters are not inherited.
    let is_known = |known: &Known| {
        known.process == process || known.process == 0 && known.pid == std::process::id()
    };
    let mut known = match own.known.take().filter(is_known) {
        Some(known) => Known { process, ..known },
        None => {
            METRICS.store(metrics.len(), Relaxed);
            open(metrics, process)
        }
    };
    own.location.store(location + 1, Relaxed);
    let result = call(&mut known.counters);
    own.give_back(Some(known));
    Some(result)
}

/// The same with the counters of the thread that was counted for this location last, and waits.
pub fn with_those_of(location: u32, mut call: impl FnMut(&mut Counters)) {
    for of in all().filter(|of| of.location.load(Relaxed) == location + 1) {
        if !of.take(state::IDLE) {
            continue;
        }
        let mut known = of.known.take();
        if let Some(known) = &mut known {
            call(&mut known.counters);
        }
        of.give_back(known);
    }
}

/// Adds what threads that have ended had left.
pub fn add_left(counted: &mut [u64]) {
    for (counted, left) in counted.iter_mut().zip(&LEFT) {
        if left.load(Relaxed) != 0 {
            *counted += left.swap(0, Relaxed);
        }
    }
}
