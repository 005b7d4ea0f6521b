//! What happens at a signal, as the system knows it. The functions of the C library for it are
//! interposed ([`crate::signals`]), so the system is called here without them.

use std::arch::{asm, naked_asm};
use std::ffi::{c_int, c_long};
use std::ptr::{from_mut, null, null_mut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Bytes of a set of signals, as the system has it.
const SET_BYTES: usize = size_of::<u64>();
/// The action says how its handler returns.
const SA_RESTORER: u64 = 0x0400_0000;
/// What the system never blocks.
const UNBLOCKABLE: u64 = set_of(libc::SIGKILL) | set_of(libc::SIGSTOP);

/// The action of a signal, in the layout of `rt_sigaction` on x86-64.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// A function, `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    /// `SA_RESTART` and others.
    pub flags: u64,
    /// The function that the handler returns to.
    pub restorer: usize,
    /// Signals that are blocked while the handler runs, signal 1 in the lowest bit.
    pub mask: u64,
}

/// The set that has this signal only; empty for a number that no signal has.
pub const fn set_of(signal: c_int) -> u64 {
    if signal < 1 || signal > 64 { 0 } else { 1 << (signal - 1) }
}

impl Action {
    /// As the system stores it if the C library passes it on. The system calls the restorer only
    /// after a handler, and an action that [`crate::signals`] keeps has none.
    pub fn new(handler: usize, flags: u64, mask: u64) -> Self {
        let (flags, mask) = (flags | SA_RESTORER, mask & !UNBLOCKABLE);
        Self { handler, flags, restorer: return_from_handler as *const () as usize, mask }
    }

    /// Whether a function of the program is called.
    pub fn is_function(&self) -> bool {
        self.handler != libc::SIG_DFL && self.handler != libc::SIG_IGN
    }
}

/// Ends a handler. Debuggers and unwinders know it by these bytes, which are those of the C
/// library's.
#[unsafe(naked)]
unsafe extern "C" fn return_from_handler() {
    naked_asm!("mov rax, {call}", "syscall", call = const libc::SYS_rt_sigreturn);
}

/// The action of a signal; `None` for a number that no signal has.
pub fn of(signal: c_int) -> Option<Action> {
    let mut now = Action::default();
    // SAFETY: writes into the local variable.
    let result = unsafe { call(signal.into(), null(), from_mut(&mut now), SET_BYTES) };
    (result == 0).then_some(now)
}

/// Changes the action of a signal; whether the system has done so.
pub fn set(signal: c_int, action: &Action) -> bool {
    // SAFETY: reads the action; its handler is a function for handlers.
    unsafe { call(signal.into(), action, null_mut(), SET_BYTES) == 0 }
}

/// Discards all signals of this number that are pending for any thread, and changes the action.
pub fn discard_and_set(signal: c_int, action: &Action) {
    // The system does so when a signal becomes one that is ignored.
    set(signal, &Action::new(libc::SIG_IGN, 0, 0));
    set(signal, action);
}

/// The system call itself: 0, or the negative number of an error.
///
/// # Safety
/// As for `sigaction`.
pub unsafe fn call(signal: c_long, new: *const Action, old: *mut Action, bytes: usize) -> c_long {
    let result: c_long;
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") libc::SYS_rt_sigaction => result,
            in("rdi") signal, in("rsi") new, in("rdx") old, in("r10") bytes,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// An action that threads and handlers exchange without a lock. Two that change it at the same time
/// may leave parts of both, as no program relies on the order of two such calls.
pub struct Shared {
    handler: AtomicUsize,
    flags: AtomicU64,
    restorer: AtomicUsize,
    mask: AtomicU64,
}

impl Shared {
    /// The default action.
    pub const fn new() -> Self {
        let (handler, restorer) = (AtomicUsize::new(libc::SIG_DFL), AtomicUsize::new(0));
        Self { handler, flags: AtomicU64::new(0), restorer, mask: AtomicU64::new(0) }
    }

    /// The action now.
    pub fn load(&self) -> Action {
        Action {
            handler: self.handler.load(Relaxed),
            flags: self.flags.load(Relaxed),
            restorer: self.restorer.load(Relaxed),
            mask: self.mask.load(Relaxed),
        }
    }

    /// Changes it, and returns the one before.
    pub fn swap(&self, new: Action) -> Action {
        Action {
            handler: self.handler.swap(new.handler, Relaxed),
            flags: self.flags.swap(new.flags, Relaxed),
            restorer: self.restorer.swap(new.restorer, Relaxed),
            mask: self.mask.swap(new.mask, Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_signal_1_in_the_lowest_bit() {
        assert_eq!([1, 2, 64].map(set_of), [1, 2, 1 << 63]);
        assert_eq!([0, 65, -1].map(set_of), [0; 3]);
        let all = Action::new(libc::SIG_IGN, 0, u64::MAX);
        assert_eq!(all.mask, !(1 << 8 | 1 << 18), "SIGKILL is 9, SIGSTOP is 19");
    }

    /// The action that the system stores is the one that the C library would show.
    #[test]
    fn actions_are_those_of_the_system() {
        let signal = libc::SIGRTMAX();
        let action = Action::new(libc::SIG_IGN, libc::SA_RESTART as u64, set_of(libc::SIGUSR1));
        let before = of(signal).unwrap();
        assert!(set(signal, &action));
        assert_eq!(of(signal), Some(action));
        discard_and_set(signal, &before);
        assert_eq!(of(signal), Some(before));
        assert_eq!(of(65), None);
        assert!(!set(libc::SIGKILL, &action));
    }

    #[test]
    fn an_exchange_returns_the_action_before() {
        let shared = Shared::new();
        let (first, second) = (Action::new(libc::SIG_IGN, 1, 2), Action::new(libc::SIG_DFL, 4, 8));
        assert_eq!(shared.swap(first), Action::default());
        assert_eq!(shared.swap(second), first);
        assert_eq!(shared.load(), second);
    }
}
