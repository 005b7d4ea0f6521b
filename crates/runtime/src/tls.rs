//! The one thread-local word: this thread's location.
//!
//! On x86-64 it is an initial-exec variable made in assembly, since stable Rust has no way to ask
//! for that model: two instructions in an archive and in a shared object alike, where
//! `thread_local!` in a shared object is a call. It has no destructor, so events from destructors
//! of static C++ objects are still fine.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::NodeOffset;

use crate::location::{Location, gate};
use crate::sampling::Tree;
use crate::task::spare;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod word {
    core::arch::global_asm!(
        ".section .tdata,\"awT\",@progbits",
        ".balign 8",
        ".hidden pompeii_thread_location",
        ".globl pompeii_thread_location",
        ".type pompeii_thread_location, @object",
        ".size pompeii_thread_location, 8",
        "pompeii_thread_location: .quad {none}",
        ".text",
        none = sym super::NONE
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

    /// The same in a register that neither reading the clock nor a multiplication needs.
    #[inline(always)]
    pub fn get_beside_time() -> usize {
        let value: usize;
        // SAFETY: as above.
        unsafe {
            core::arch::asm!(
                "mov rcx, qword ptr [rip + pompeii_thread_location@GOTTPOFF]",
                "mov rcx, qword ptr fs:[rcx]",
                out("rcx") value,
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
    thread_local!(static WORD: Cell<*const super::StandIn> =
        const { Cell::new(&raw const super::NONE) });

    pub fn get() -> usize {
        WORD.with(Cell::get) as usize
    }
    pub fn get_beside_time() -> usize {
        get()
    }
    pub fn set(value: usize) {
        WORD.with(|word| word.set(value as *const _));
    }
}

/// As much of a location as [`here`] promises.
#[repr(C, align(64))]
pub struct StandIn {
    before: [u8; offset_of!(Location, gate)],
    gate: u32,
    tracing: bool,
    next_counted: spare::Next,
    between: [u8; offset_of!(Location, sampled_ticks) - BEHIND_NEXT],
    sampled_ticks: u64,
}

const BEHIND_NEXT: usize = offset_of!(Location, next_counted) + size_of::<spare::Next>();

const _: () = assert!(
    offset_of!(StandIn, gate) == offset_of!(Location, gate)
        && offset_of!(StandIn, tracing) == offset_of!(Location, tracing)
        && offset_of!(StandIn, next_counted) == offset_of!(Location, next_counted)
        && offset_of!(StandIn, sampled_ticks) == offset_of!(Location, sampled_ticks)
        && align_of::<StandIn>() >= align_of::<Location>()
);

/// No location yet.
static NONE: StandIn = StandIn::NEW;
/// In the middle of an event, or not measured any more: everything is passed over.
pub static CLOSED: StandIn = StandIn::NEW;
/// In a parallel region that goes unobserved: events are passed over until the next region.
static MUTED: StandIn = StandIn::NEW;

impl StandIn {
    #[allow(clippy::declare_interior_mutable_const, reason = "each use makes one of its own")]
    const NEW: StandIn = StandIn {
        before: [0; offset_of!(Location, gate)],
        gate: gate::BUSY,
        tracing: false,
        next_counted: spare::Next::NONE,
        between: [0; offset_of!(Location, sampled_ticks) - BEHIND_NEXT],
        sampled_ticks: 0,
    };

    /// What the word is in place of a location.
    #[inline(always)]
    fn word(&'static self) -> usize {
        std::ptr::from_ref(self) as usize
    }
}

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

/// This thread's location, or something whose gate is busy, which records nothing, and of which
/// nothing can be read but what [`StandIn`] has.
#[inline(always)]
pub fn here() -> *mut Location {
    let word = word::get();
    // SAFETY: the word begins as the address of what stands in, and is set to addresses only.
    unsafe { std::hint::assert_unchecked(word != 0) };
    word as *mut Location
}

/// The same, for events that take their time: it stays where it is meanwhile.
#[inline(always)]
pub fn here_beside_time() -> *mut Location {
    word::get_beside_time() as *mut Location
}

/// This thread's location, where it is not in the middle of an event.
#[inline(always)]
pub fn location() -> Option<NonNull<Location>> {
    let location = here();
    // SAFETY: what is here has a gate, and only this thread changes it; it is never null.
    unsafe {
        let is_idle = (*location).gate & gate::BUSY == 0;
        if is_idle { Some(NonNull::new_unchecked(location)) } else { None }
    }
}

/// This thread's state.
pub fn thread() -> Thread {
    match word::get() {
        word if word == NONE.word() => Thread::New,
        word if word == CLOSED.word() => Thread::Closed,
        word if word == MUTED.word() => Thread::Muted,
        location => Thread::Open(location as *mut Location),
    }
}

/// Where this thread is, in the signal handler of its sampler: its node and its samples. In the
/// middle of an event the location is `known`, and the node is the one before the event or the one
/// after it.
pub fn sampled(known: &AtomicPtr<c_void>) -> Option<(NodeOffset, &'static Tree)> {
    match thread() {
        Thread::Open(location) => known.store(location.cast(), Relaxed),
        Thread::Closed => {}
        Thread::New | Thread::Muted => return None,
    }
    let location = known.load(Relaxed).cast::<Location>();
    if location.is_null() {
        return None;
    }
    // SAFETY: locations are never freed. Only this thread changes the node, which is one word, and
    // the tree never changes.
    unsafe {
        let tree = (&raw const (*location).sampled).read()?;
        Some(((&raw const (*location).header.current).read_volatile(), tree))
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
    word::set(CLOSED.word());
}

/// This thread works on a region that goes unobserved.
pub fn mute() {
    word::set(MUTED.word());
}

/// Goes back to what [`thread`] has said.
pub fn restore(thread: Thread) {
    match thread {
        Thread::Open(location) => open(location),
        Thread::New => word::set(NONE.word()),
        Thread::Closed => close(),
        Thread::Muted => mute(),
    }
}
