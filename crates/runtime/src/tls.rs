//! The one thread-local word: this thread's location.
//!
//! On x86-64 it is an initial-exec variable made in assembly, since stable Rust has no way to ask
//! for that model: two instructions in an archive and in a shared object alike, where
//! `thread_local!` in a shared object is a call. It has no destructor, so events from destructors
//! of static C++ objects are still fine.

use crate::location::Location;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod word {
    core::arch::global_asm!(
        ".section .tbss,\"awT\",@nobits",
        ".balign 8",
        ".hidden pompeii_thread_location",
        ".globl pompeii_thread_location",
        ".type pompeii_thread_location, @object",
        ".size pompeii_thread_location, 8",
        "pompeii_thread_location: .zero 8",
        ".text"
    );

    #[inline(always)]
    pub fn get() -> usize {
        let value: usize;
        // SAFETY: reads the variable defined above.
        unsafe {
            core::arch::asm!(
                "mov {0}, qword ptr [rip + pompeii_thread_location@GOTTPOFF]",
                "mov {0}, qword ptr fs:[{0}]",
                out(reg) value,
                options(nostack, preserves_flags, readonly)
            );
        }
        value
    }

    #[inline(always)]
    pub fn set(value: usize) {
        // SAFETY: writes the variable defined above.
        unsafe {
            core::arch::asm!(
                "mov {0}, qword ptr [rip + pompeii_thread_location@GOTTPOFF]",
                "mov qword ptr fs:[{0}], {1}",
                out(reg) _,
                in(reg) value,
                options(nostack, preserves_flags)
            );
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod word {
    use std::cell::Cell;
    thread_local!(static WORD: Cell<usize> = const { Cell::new(0) });

    pub fn get() -> usize {
        WORD.with(Cell::get)
    }
    pub fn set(value: usize) {
        WORD.with(|word| word.set(value));
    }
}

/// No location yet.
const NONE: usize = 0;
/// In the middle of an event, or not measured any more: everything is passed over.
const CLOSED: usize = 1;
/// In a parallel region that goes unobserved: events are passed over until the next region.
const MUTED: usize = 2;

/// What this thread's events go to.
#[derive(Clone, Copy)]
pub enum Thread {
    /// Its location.
    Open(*mut Location),
    /// It has had no event yet.
    New,
    /// Its events are passed over.
    Closed,
    /// Its events are passed over until it begins its part of another parallel region.
    Muted,
}

/// This thread's location where it is open; one comparison stands for everything else.
#[inline(always)]
pub fn location() -> Option<*mut Location> {
    let word = word::get();
    (word > MUTED).then_some(word as *mut Location)
}

/// This thread's state.
pub fn thread() -> Thread {
    match word::get() {
        NONE => Thread::New,
        CLOSED => Thread::Closed,
        MUTED => Thread::Muted,
        location => Thread::Open(location as *mut Location),
    }
}

/// From now on this thread's events go to `location`.
#[inline(always)]
pub fn open(location: *mut Location) {
    word::set(location as usize);
}

/// From now on this thread's events are passed over: a signal handler's in the middle of an event,
/// a forked child's, those of a thread that got no location.
#[inline(always)]
pub fn close() {
    word::set(CLOSED);
}

/// This thread works on a region that goes unobserved.
pub fn mute() {
    word::set(MUTED);
}

/// Goes back to what [`thread`] has said.
pub fn restore(thread: Thread) {
    match thread {
        Thread::Open(location) => open(location),
        Thread::New => word::set(NONE),
        Thread::Closed => close(),
        Thread::Muted => mute(),
    }
}
