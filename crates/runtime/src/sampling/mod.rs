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
//! whether libraries have come or gone.
//!
//! A program may change the actions of all signals, for example to the default, which would end it
//! at the next signal of a timer. What it wants for the signal of the sampler is remembered and
//! shown to it ([`exchange`]), while the system has the handler. If the program has a handler of
//! its own for that signal, sampling ends, with a message, before that handler is installed. The
//! thread of ours also looks whether the program has asked the system itself.
//!
//! This is a part of the core that uses none of its other files, except those that know the system:
//! what it needs of the measurement it gets as functions ([`Setting`]).

#[cfg(target_arch = "x86_64")]
mod action;
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
    /// Tells the user something, without allocation.
    pub say: fn(&'static str),
    /// A thread of ours looks for libraries that come and go. Without it the process has only the
    /// threads that it makes.
    pub follows_libraries: bool,
}

/// How many samples a text asks for; 0, which means none, if it is no number of them.
pub fn hz(text: &str) -> u32 {
    text.trim().parse().ok().filter(|hz| (1..=HZ_MAX).contains(hz)).unwrap_or(0)
}

#[cfg(target_arch = "x86_64")]
mod active {
    use std::ffi::c_int;
    use std::sync::atomic::AtomicI32;
    use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
    use std::time::Duration;

    use super::action::{self, Action};
    use super::modules::List;
    use super::{AtomicPtr, NodeOffset, Setting, Tree, Where, c_void, handler, pid_t, threads};
    use crate::helpers;

    pub use super::modules::has_parallel_library;

    /// Between two looks at the loaded files.
    const RENEWAL: Duration = Duration::from_millis(20);
    const TAKEN: &str = "no functions by sampling from here on: the program handles the real-time \
                         signal itself that Pompeii uses for it";
    /// The signal; 0 if nothing is sampled.
    static SIGNAL: AtomicI32 = AtomicI32::new(0);
    /// The process that is sampled. A child of `vfork` has its memory, but actions of its own.
    static PROCESS: AtomicI32 = AtomicI32::new(0);
    /// What the program wants to happen at the signal.
    static WANTED: action::Shared = action::Shared::new();
    /// The same in a forked child as in its parent.
    static FIXED: OnceLock<Fixed> = OnceLock::new();
    /// Held while the thread of ours looks at the loaded files.
    static LOOKING: Mutex<()> = Mutex::new(());

    struct Fixed {
        hz: u32,
        place: Where,
        say: fn(&'static str),
    }

    /// Begins. Threads are sampled when they are [armed](arm).
    pub fn begin(setting: Setting) {
        let Setting { hz, place, number, say, follows_libraries } = setting;
        threads::forget();
        FIXED.get_or_init(|| Fixed { hz, place, say });
        let mut list = List::default();
        list.renew(&number);
        let Some((signal, before)) = handler::install() else {
            return say("no functions by sampling: the program uses all real-time signals");
        };
        if !handler::is_ours(&before) {
            WANTED.swap(before);
        }
        PROCESS.store(own_process(), Relaxed);
        SIGNAL.store(signal, SeqCst);
        if !follows_libraries {
            return;
        }
        helpers::start(move || {
            while SIGNAL.load(Acquire) == signal {
                std::thread::sleep(RENEWAL);
                give_up_if_taken(signal);
                let _looking = hold();
                list.renew(&number);
            }
        });
    }

    fn own_process() -> pid_t {
        // SAFETY: a plain system call.
        unsafe { libc::getpid() }
    }

    /// Ends sampling if the program has asked the system itself for another action of the signal.
    fn give_up_if_taken(signal: c_int) {
        if !handler::is_installed(signal) && end(signal) {
            say_taken();
        }
    }

    /// No timer sends the signal any more; whether there were some before.
    fn end(signal: c_int) -> bool {
        let was_on = SIGNAL.compare_exchange(signal, 0, SeqCst, Relaxed).is_ok();
        if was_on {
            threads::disarm_all();
        }
        was_on
    }

    fn say_taken() {
        if let Some(Fixed { say, .. }) = FIXED.get() {
            say(TAKEN);
        }
    }

    /// The program wants this action for a signal; `None` if it only asks. Returns the one that it
    /// wanted before; `None` if the signal is not that of the sampler, so the system has to be
    /// asked.
    ///
    /// It may be called in a handler of the program: no lock, no allocation.
    pub fn exchange(signal: c_int, new: Option<Action>) -> Option<Action> {
        if signal == 0 || signal != SIGNAL.load(Acquire) || PROCESS.load(Relaxed) != own_process() {
            return None;
        }
        match new {
            None => Some(WANTED.load()),
            Some(new) if !new.is_function() => Some(WANTED.swap(new)),
            Some(_) => {
                give_back(signal);
                say_taken();
                None
            }
        }
    }

    /// Ends sampling. The signal has the action that the program wants, and no signal of ours is
    /// pending.
    fn give_back(signal: c_int) {
        if end(signal) && handler::is_installed(signal) {
            action::discard_and_set(signal, &WANTED.load());
        }
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
        let Some(&Fixed { hz, .. }) = FIXED.get().filter(|_| signal != 0) else { return };
        give_up_if_taken(signal);
        threads::arm(location, (signal, hz), || SIGNAL.load(SeqCst) == signal);
    }

    /// The thread with this number of the system's ends.
    pub fn disarm(id: pid_t) {
        if SIGNAL.load(Acquire) != 0 {
            threads::disarm(id);
        }
    }

    /// No more samples are taken.
    pub fn stop() {
        let signal = SIGNAL.load(Acquire);
        if signal != 0 {
            give_back(signal);
        }
    }

    /// Ends sampling. Returns whether the calling thread is in no signal handler for certain, and
    /// so may take locks and allocate.
    pub fn stop_outside_of_handlers() -> bool {
        stop();
        // SAFETY: sampling has ended.
        unsafe { handler::is_outside() }
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
    pub fn stop_outside_of_handlers() -> bool {
        false
    }
    pub fn has_parallel_library() -> bool {
        false
    }
}

#[cfg(target_arch = "x86_64")]
pub use action::{Action, call as call_for_action, set_of};
#[cfg(target_arch = "x86_64")]
pub use active::exchange;
#[cfg(target_arch = "x86_64")]
use active::place_of;
pub use active::{
    Looking, arm, begin, disarm, has_parallel_library, hold, stop, stop_outside_of_handlers,
};

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
        use std::ffi::c_int;
        use std::hint::black_box;
        use std::mem::offset_of;
        use std::ptr::null_mut;
        use std::sync::OnceLock;
        use std::sync::atomic::AtomicBool;
        use std::sync::atomic::Ordering::Relaxed;
        use std::time::Duration;

        use pompeii_live::{SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, samples_file};

        use super::super::*;

        static TREE: OnceLock<&Tree> = OnceLock::new();

        fn place(_: &AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)> {
            TREE.get().map(|tree| (0x80, *tree))
        }

        fn fail(what: &'static str) {
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
            begin(Setting { hz: 250, place, number, say: fail, follows_libraries: true });
            arm(null_mut());
            let start = cpu_time();
            let mut sum = 0_u64;
            while cpu_time() - start < Duration::from_millis(300) {
                sum = (0..100_000).fold(sum, |sum, next| black_box(sum ^ next));
            }
            stop();
            extern "C" fn note(_signal: c_int) {
                // SAFETY: sampling has ended.
                IN_HANDLER.store(unsafe { handler::is_outside() }, Relaxed);
            }
            static IN_HANDLER: AtomicBool = AtomicBool::new(true);
            // SAFETY: as above; the handler only stores into a static variable.
            unsafe {
                assert!(handler::is_outside());
                libc::signal(libc::SIGUSR1, note as *const () as libc::sighandler_t);
                libc::raise(libc::SIGUSR1);
            }
            assert!(!IN_HANDLER.load(Relaxed), "a handler was not recognized");
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
