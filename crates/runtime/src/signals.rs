//! The functions that change what happens at a signal, interposed for the sampler's signal alone.
//! If a program changes the actions of all signals, it must neither lose its samples nor be ended
//! by the next signal of a timer. All other signals go on to the next library's function.
//!
//! Each function may be called in a handler, so everything here is without locks and allocation.
//! `sighold` and the like change which signals a thread blocks, and are not interposed.

use std::ffi::{c_int, c_long};
use std::mem::{MaybeUninit, transmute};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use libc::{SIG_ERR, SIG_IGN, sighandler_t};

use crate::ends::Next;
use crate::sampling::{self, Action, set_of};

/// Stands for a handler in calls of `sigset`: the signal is blocked.
const SIG_HOLD: sighandler_t = 2;
/// What the system keeps of the flags that `sysv_signal` sets.
const UNRELIABLE: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

static SIGACTION: Next = Next::new(c"sigaction");
static SIGNAL: Next = Next::new(c"signal");
static SYSV_SIGNAL: Next = Next::new(c"__sysv_signal");
static SIGSET: Next = Next::new(c"sigset");
static SIGIGNORE: Next = Next::new(c"sigignore");
static SIGINTERRUPT: Next = Next::new(c"siginterrupt");

/// The next library's function; 0 if there is none, with the number of the error. The first call of
/// any of them looks for all: a later one may be in a handler, where the loader must not be asked.
fn real(next: &Next) -> usize {
    static IS_FOUND: AtomicBool = AtomicBool::new(false);
    if !IS_FOUND.swap(true, Relaxed) {
        for next in [&SIGACTION, &SIGNAL, &SYSV_SIGNAL, &SIGSET, &SIGIGNORE, &SIGINTERRUPT] {
            next.find();
        }
    }
    let address = next.get();
    if address == 0 {
        set_errno(libc::ENOSYS);
    }
    address
}

fn set_errno(error: c_int) {
    // SAFETY: errno is a thread-local integer.
    unsafe { *libc::__errno_location() = error };
}

/// The first 64 signals of a set of the C library's, which are all that there are.
fn first_word(set: &libc::sigset_t) -> u64 {
    // SAFETY: the set is longer than a word.
    unsafe { std::ptr::from_ref(set).cast::<u64>().read() }
}

/// Interposes `sigaction`.
///
/// # Safety
/// As for the C library's function; so are the others here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    type Function =
        unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    // SAFETY: the caller's pointers; the next library's function of this name.
    unsafe {
        let wanted = new.as_ref().map(|new| {
            Action::new(new.sa_sigaction, new.sa_flags as u32 as u64, first_word(&new.sa_mask))
        });
        if let Some(before) = sampling::exchange(signal, wanted) {
            if let Some(old) = old.as_mut() {
                old.sa_sigaction = before.handler;
                old.sa_flags = before.flags as c_int;
                (&raw mut old.sa_mask).cast::<u64>().write(before.mask);
            }
            return 0;
        }
        match real(&SIGACTION) {
            0 => -1,
            real => transmute::<usize, Function>(real)(signal, new, old),
        }
    }
}

/// Interposes the C library's other name of `sigaction`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { sigaction(signal, new, old) }
}

/// The action that the program wanted before, if the signal is the sampler's.
fn exchange(signal: c_int, handler: sighandler_t, flags: c_int, mask: u64) -> Option<Action> {
    if handler == SIG_ERR {
        return None;
    }
    sampling::exchange(signal, Some(Action::new(handler, flags as u32 as u64, mask)))
}

type Handled = unsafe extern "C" fn(c_int, sighandler_t) -> sighandler_t;

/// Calls the next library's function of the type of `signal`.
unsafe fn call(next: &Next, signal: c_int, handler: sighandler_t) -> sighandler_t {
    match real(next) {
        0 => SIG_ERR,
        // SAFETY: the next library's function, which has this type.
        real => unsafe { transmute::<usize, Handled>(real)(signal, handler) },
    }
}

/// Interposes functions that do the same as others.
macro_rules! interposed {
    ($($name:ident = $next:ident, $flags:expr, $mask:expr;)*) => { $(
        #[doc = concat!("Interposes `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(signal: c_int, handler: sighandler_t) -> sighandler_t {
            match exchange(signal, handler, $flags, $mask(signal)) {
                Some(before) => before.handler,
                // SAFETY: the caller's arguments.
                None => unsafe { call(&$next, signal, handler) },
            }
        }
    )* };
}

fn nothing(_signal: c_int) -> u64 {
    0
}

/// `siginterrupt` has been called for the signal of the sampler, to have it interrupt system calls.
static INTERRUPTS: AtomicBool = AtomicBool::new(false);

/// What `signal` sets.
fn restart() -> c_int {
    if INTERRUPTS.load(Relaxed) { 0 } else { libc::SA_RESTART }
}

interposed! {
    signal = SIGNAL, restart(), set_of;
    bsd_signal = SIGNAL, restart(), set_of;
    ssignal = SIGNAL, restart(), set_of;
    sysv_signal = SYSV_SIGNAL, UNRELIABLE, nothing;
    __sysv_signal = SYSV_SIGNAL, UNRELIABLE, nothing;
}

/// Interposes `sigset`, which also blocks the signal, or no longer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigset(signal: c_int, handler: sighandler_t) -> sighandler_t {
    let holds = handler == SIG_HOLD;
    let before = match holds {
        true => sampling::exchange(signal, None),
        false => exchange(signal, handler, 0, 0),
    };
    let Some(before) = before else {
        // SAFETY: the caller's arguments.
        return unsafe { call(&SIGSET, signal, handler) };
    };
    let was_blocked = set_blocked(signal, holds);
    if was_blocked { SIG_HOLD } else { before.handler }
}

/// Has the calling thread block a signal or not, and returns whether it did before.
fn set_blocked(signal: c_int, is_blocked: bool) -> bool {
    let how = if is_blocked { libc::SIG_BLOCK } else { libc::SIG_UNBLOCK };
    let (mut set, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: fills and reads signal sets of this function's own.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::sigemptyset(before.as_mut_ptr());
        libc::pthread_sigmask(how, set.as_ptr(), before.as_mut_ptr());
        libc::sigismember(before.as_ptr(), signal) == 1
    }
}

/// Interposes `sigignore`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigignore(signal: c_int) -> c_int {
    if exchange(signal, SIG_IGN, 0, 0).is_some() {
        return 0;
    }
    match real(&SIGIGNORE) {
        0 => -1,
        // SAFETY: the next library's function of this name.
        real => unsafe { transmute::<usize, unsafe extern "C" fn(c_int) -> c_int>(real)(signal) },
    }
}

/// Interposes `siginterrupt`, which changes one flag of the action, and those that `signal` sets
/// later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siginterrupt(signal: c_int, interrupts: c_int) -> c_int {
    if let Some(mut now) = sampling::exchange(signal, None) {
        let restart = libc::SA_RESTART as u64;
        now.flags = if interrupts != 0 { now.flags & !restart } else { now.flags | restart };
        sampling::exchange(signal, Some(now));
        INTERRUPTS.store(interrupts != 0, Relaxed);
        return 0;
    }
    type Function = unsafe extern "C" fn(c_int, c_int) -> c_int;
    match real(&SIGINTERRUPT) {
        0 => -1,
        // SAFETY: the next library's function of this name.
        real => unsafe { transmute::<usize, Function>(real)(signal, interrupts) },
    }
}

/// `rt_sigaction` by the function `syscall` ([`crate::children`]): as [`sigaction`], with the
/// system's own layout.
///
/// # Safety
/// As for the system call.
pub unsafe extern "C" fn by_system_call(
    signal: c_long,
    new: *const Action,
    old: *mut Action,
    bytes: usize,
) -> c_long {
    // SAFETY: the caller's pointers.
    unsafe {
        if bytes == size_of::<u64>()
            && let Ok(signal) = c_int::try_from(signal)
            && let Some(before) = sampling::exchange(signal, new.as_ref().copied())
        {
            if let Some(old) = old.as_mut() {
                *old = before;
            }
            return 0;
        }
        match sampling::call_for_action(signal, new, old, bytes) {
            result if result < 0 => {
                set_errno(-(result as c_int));
                -1
            }
            result => result,
        }
    }
}
