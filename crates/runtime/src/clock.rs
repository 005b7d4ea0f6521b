//! The measurement clock: the time-stamp counter where it is constant and the user wants no other,
//! else the system's monotonic clock. Raw ticks are stored; the frequency is fixed when the
//! experiment is finished, from calibrations at the start and at the end.

use std::sync::atomic::{AtomicBool, Ordering};

use pompeii_live::{CLOCK_READINGS, Calibration};

use crate::folder::variable;

/// Score-P's words for the system's clocks. Only the monotonic one can be relied on.
const SYSTEM_CLOCK: [&str; 2] = ["clock_gettime", "gettimeofday"];

static USE_TSC: AtomicBool = AtomicBool::new(false);

/// Where an event gets its time from. Taken by value so that an event that turns out to need no
/// time does not read the clock.
pub trait Clock {
    /// Whether its time is that of the thread's last event.
    const IS_OF_LAST_EVENT: bool = false;

    /// The time now, in ticks.
    fn now(&self) -> u64;
}

/// The process's clock.
#[derive(Clone, Copy)]
pub struct System;

impl Clock for System {
    #[inline(always)]
    fn now(&self) -> u64 {
        now()
    }
}

/// The time-stamp counter; only where [`is_tsc`].
#[derive(Clone, Copy)]
pub struct Tsc;

impl Clock for Tsc {
    #[inline(always)]
    fn now(&self) -> u64 {
        tsc()
    }
}

/// What a thread notes later than it happened: the time of its last event, in ticks.
#[derive(Clone, Copy)]
pub struct OfLastEvent(pub u64);

impl Clock for OfLastEvent {
    const IS_OF_LAST_EVENT: bool = true;

    #[inline(always)]
    fn now(&self) -> u64 {
        self.0
    }
}

/// The time now, in ticks.
#[inline(always)]
pub fn now() -> u64 {
    #[cfg(test)]
    if let Some(time) = scripted::get() {
        return time;
    }
    #[cfg(target_arch = "x86_64")]
    if USE_TSC.load(Ordering::Relaxed) {
        // SAFETY: reads a counter.
        return unsafe { core::arch::x86_64::_rdtsc() };
    }
    system_ns(libc::CLOCK_MONOTONIC_RAW)
}

/// The time-stamp counter; only where [`is_tsc`].
#[inline(always)]
pub fn tsc() -> u64 {
    #[cfg(test)]
    if let Some(time) = scripted::get() {
        return time;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a counter.
    return unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    system_ns(libc::CLOCK_MONOTONIC_RAW)
}

/// Whether ticks are those of the time-stamp counter.
pub fn is_tsc() -> bool {
    USE_TSC.load(Ordering::Relaxed)
}

/// Chooses the clock; called once, before any event.
pub fn choose() {
    let wanted = variable(&["POMPEII_TIMER", "SCOREP_TIMER"]);
    let tsc = wanted.is_none_or(|name| !SYSTEM_CLOCK.contains(&name.trim()));
    USE_TSC.store(tsc && tsc_is_constant(), Ordering::Relaxed);
}

#[cfg(target_arch = "x86_64")]
fn tsc_is_constant() -> bool {
    use core::arch::x86_64::__cpuid;
    // CPUID 8000_0007h, EDX bit 8: the counter's rate is constant in all power states.
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn tsc_is_constant() -> bool {
    false
}

/// The system's monotonic clock, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    system_ns(libc::CLOCK_MONOTONIC_RAW)
}

fn system_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes into the local variable.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Ticks that [`CLOCK_READINGS`] readings of the clock take, the least of eight turns: most of what
/// an event costs.
pub fn time_readings() -> u64 {
    let turn = || {
        let begin = now();
        let last = (0..CLOCK_READINGS).fold(begin, |_, _| now());
        last.saturating_sub(begin)
    };
    (0..8).map(|_| turn()).min().unwrap_or(0)
}

/// The narrowest of 20 readings of all clocks: its error is that of the narrowest bracket.
pub fn calibrate() -> Calibration {
    let mut best = (u64::MAX, Calibration::default());
    for _ in 0..20 {
        let before = now();
        let monotonic_ns = system_ns(libc::CLOCK_MONOTONIC_RAW);
        let after = now();
        if after - before < best.0 {
            let realtime_ns = system_ns(libc::CLOCK_REALTIME);
            let ticks = before + (after - before) / 2;
            best = (after - before, Calibration { ticks, monotonic_ns, realtime_ns });
        }
    }
    best.1
}

/// The time of a script, which functions that read the clock themselves have on its thread.
#[cfg(test)]
pub mod scripted {
    use std::cell::Cell;

    thread_local!(static TIME: Cell<Option<u64>> = const { Cell::new(None) });

    /// From now on the clock says this time; `None`: its own.
    pub fn set(time: Option<u64>) {
        TIME.set(time);
    }

    /// What the clock says, if it is not its own time.
    pub fn get() -> Option<u64> {
        TIME.get()
    }
}
