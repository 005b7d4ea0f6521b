//! A reading of the time-stamp counter beside the system's clocks, for the reading half.

use crate::Calibration;

/// The narrowest of 20 readings; `None` on machines without a time-stamp counter.
pub fn calibrate_tsc() -> Option<Calibration> {
    (0..20).filter_map(|_| reading()).min_by_key(|(width, _)| *width).map(|(_, reading)| reading)
}

#[cfg(target_arch = "x86_64")]
fn reading() -> Option<(u64, Calibration)> {
    // SAFETY: reads a counter.
    let ticks = || unsafe { core::arch::x86_64::_rdtsc() };
    let before = ticks();
    let monotonic_ns = clock_ns(libc::CLOCK_MONOTONIC_RAW);
    let after = ticks();
    let realtime_ns = clock_ns(libc::CLOCK_REALTIME);
    let middle = before + after.wrapping_sub(before) / 2;
    Some((after.wrapping_sub(before), Calibration { ticks: middle, monotonic_ns, realtime_ns }))
}

#[cfg(not(target_arch = "x86_64"))]
fn reading() -> Option<(u64, Calibration)> {
    None
}

#[cfg(target_arch = "x86_64")]
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes into the local variable.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
