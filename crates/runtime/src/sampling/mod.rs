//! Functions by sampling (`run --sample HZ`): where a thread is, HZ times in a second of its
//! CPU time.
//!
//! Each thread has a timer on its own CPU clock, whose signal comes to that thread. The handler
//! ([`handler`]) reads the node of the call tree in which the thread is, walks the stack by the
//! unwind tables of the loaded files ([`modules`]), and adds the call path to the location's tree
//! of samples ([`tree`]). It takes no lock, allocates nothing and changes nothing of the location,
//! so it may interrupt everything, our own events included. `finish` divides the exact times of the
//! call tree by the numbers of samples.
//!
//! The walk ends where an OpenMP runtime has called the function of a construct, because from there
//! on outwards the call path is that of the construct. A sample without frames was taken inside the
//! runtime: the thread waited, or worked for the runtime.
//!
//! The list of loaded files is made anew by a thread of ours, which looks every few milliseconds
//! whether libraries have come or gone. If the program takes the signal for itself, sampling ends,
//! with a message.
//!
//! This is a part of the core that uses none of its other files, except those that know the system:
//! what it needs of the measurement it gets as functions ([`Setting`]).

#[cfg(target_arch = "x86_64")]
mod handler;
#[cfg(target_arch = "x86_64")]
mod modules;
#[cfg(target_arch = "x86_64")]
mod threads;
mod tree;

use std::ffi::c_void;
use std::sync::atomic::AtomicPtr;

use libc::pid_t;
use pompeii_live::NodeOffset;

pub use tree::Tree;

/// So often samples may be taken: the system looks at timers of CPU time at its clock's ticks, of
/// which most systems have 250 in a second.
const HZ_MAX: u32 = 250;

/// Where the calling thread is, in a handler: its node and its samples. It gets the location that
/// was known last, which counts in the middle of an event, and stores a newer one.
pub type Where = fn(&AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)>;

/// The number of a loaded file, by path and build id.
pub type Number = Box<dyn Fn(&str, &str) -> u32 + Send>;

/// What sampling needs of the measurement.
pub struct Setting {
    /// Samples in a second of CPU time.
    pub hz: u32,
    /// Where a thread is.
    pub place: Where,
    /// The number of a loaded file, by path and build id.
    pub number: Number,
    /// Tells the user something.
    pub say: fn(&str),
}

/// How many samples a text asks for; 0, which means none, if it is no number of them.
pub fn hz(text: &str) -> u32 {
    text.trim().parse().ok().filter(|hz| (1..=HZ_MAX).contains(hz)).unwrap_or(0)
}

#[cfg(target_arch = "x86_64")]
mod active {
    use std::sync::atomic::AtomicI32;
    use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
    use std::time::Duration;

    use super::modules::List;
    use super::{AtomicPtr, NodeOffset, Setting, Tree, Where, c_void, handler, pid_t, threads};
    use crate::helpers;

    pub use super::modules::has_parallel_library;

    /// Between two looks at the loaded files.
    const RENEWAL: Duration = Duration::from_millis(20);
    /// The signal; 0 if nothing is sampled.
    static SIGNAL: AtomicI32 = AtomicI32::new(0);
    /// The same in a forked child as in its parent.
    static FIXED: OnceLock<Fixed> = OnceLock::new();
    /// Held while the thread of ours looks at the loaded files.
    static LOOKING: Mutex<()> = Mutex::new(());

    struct Fixed {
        hz: u32,
        place: Where,
        say: fn(&str),
    }

    /// Begins. Threads are sampled when they are [armed](arm).
    pub fn begin(setting: Setting) {
        let Setting { hz, place, number, say } = setting;
        threads::forget();
        FIXED.get_or_init(|| Fixed { hz, place, say });
        let mut list = List::default();
        list.renew(&number);
        let Some(signal) = handler::install() else {
            return say("no functions by sampling: the program uses all real-time signals");
        };
        SIGNAL.store(signal, Release);
        helpers::start(move || {
            while SIGNAL.load(Acquire) != 0 {
                std::thread::sleep(RENEWAL);
                let _looking = hold();
                list.renew(&number);
            }
        });
    }

    /// What keeps the thread of ours from looking at the loaded files.
    pub type Looking = MutexGuard<'static, ()>;

    /// The thread of ours does not look at the loaded files as long as this is held. At a fork it
    /// must not, because the loader's lock would stay locked in the child.
    pub fn hold() -> Looking {
        LOOKING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calling thread plays this location from now on.
    pub fn arm(location: *mut c_void) {
        let signal = SIGNAL.load(Acquire);
        let Some(&Fixed { hz, say, .. }) = FIXED.get().filter(|_| signal != 0) else { return };
        if handler::is_installed(signal) {
            return threads::arm(location, (signal, hz));
        }
        if SIGNAL.swap(0, Relaxed) != 0 {
            threads::disarm_all();
            say(&format!(
                "no functions by sampling from here on: the program uses signal {signal} itself"
            ));
        }
    }

    /// The thread with this number of the system's ends.
    pub fn disarm(id: pid_t) {
        if SIGNAL.load(Acquire) != 0 {
            threads::disarm(id);
        }
    }

    /// No more samples are taken.
    pub fn stop() {
        if SIGNAL.swap(0, Relaxed) != 0 {
            threads::disarm_all();
        }
    }

    /// Where the calling thread is, in a handler.
    pub fn place_of(location: &AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)> {
        let is_on = SIGNAL.load(Relaxed) != 0;
        let Fixed { place, .. } = FIXED.get().filter(|_| is_on)?;
        place(location)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod active {
    use super::{Setting, c_void, pid_t};

    pub fn begin(setting: Setting) {
        (setting.say)("no functions by sampling: Pompeii unwinds code of x86-64 only");
    }
    pub struct Looking;
    pub fn hold() -> Looking {
        Looking
    }
    pub fn arm(_location: *mut c_void) {}
    pub fn disarm(_id: pid_t) {}
    pub fn stop() {}
    pub fn has_parallel_library() -> bool {
        false
    }
}

#[cfg(target_arch = "x86_64")]
use active::place_of;
pub use active::{Looking, arm, begin, disarm, has_parallel_library, hold, stop};

#[cfg(test)]
mod tests {
    use super::hz;

    #[test]
    fn as_many_samples_are_taken_as_the_system_has_ticks() {
        assert_eq!(["100", " 250\n", "1"].map(hz), [100, 250, 1]);
        assert_eq!(["251", "0", "-1", "", "1e2", "99999999999"].map(hz), [0; 6]);
    }

    #[cfg(target_arch = "x86_64")]
    mod of_this_process {
        use std::hint::black_box;
        use std::mem::offset_of;
        use std::ptr::null_mut;
        use std::sync::OnceLock;
        use std::time::Duration;

        use pompeii_live::{SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, samples_file};

        use super::super::*;

        static TREE: OnceLock<&Tree> = OnceLock::new();

        fn place(_: &AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)> {
            TREE.get().map(|tree| (0x80, *tree))
        }

        fn fail(what: &str) {
            panic!("{what}");
        }

        /// The CPU time of this thread.
        fn cpu_time() -> Duration {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: writes into the local variable.
            unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        }

        /// 0.3 s of CPU time have 75 samples. The innermost frames differ, what has called them
        /// does not, so there are far fewer frames than samples times the depth of the stack.
        #[test]
        fn a_thread_is_found_where_it_computes() {
            let folder = tempfile::tempdir().unwrap();
            TREE.get_or_init(|| Tree::create(folder.path(), 0).unwrap());
            let number = Box::new(|_: &str, _: &str| 3_u32);
            begin(Setting { hz: 250, place, number, say: fail });
            arm(null_mut());
            let start = cpu_time();
            let mut sum = 0_u64;
            while cpu_time() - start < Duration::from_millis(300) {
                sum = (0..100_000).fold(sum, |sum, next| black_box(sum ^ next));
            }
            stop();
            let bytes = std::fs::read(folder.path().join(samples_file(0))).unwrap();
            let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            let frames = word(offset_of!(SampleHeader, frames)) as usize;
            let samples = |index: usize| {
                let at = SAMPLE_PAGE_BYTES + index * size_of::<SampleFrame>();
                word(at + offset_of!(SampleFrame, samples))
            };
            let all: u32 = (1..frames).map(samples).sum();
            assert!(all >= 20, "{all} samples");
            assert!(frames > 5, "{frames} frames");
            assert_eq!(samples(1), 0, "each has at least the innermost frame");
        }
    }
}
