//! Waiting for other processes: what they say is when they entered the function, in nanoseconds of
//! rank 0's clock; here it is compared with when this one did.
//!
//! The system's clock is read next to the measurement's each time, so that the rate between them
//! matters over the length of one call only.

use std::sync::atomic::{AtomicI64, Ordering};

use pompeii_live::Node;

use crate::clock;
use crate::entry::on_thread;
use crate::location::Location;
use crate::remote::{Remote, Waits};

/// `struct pomp_mpi_settings`: what the user wants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// `enum pomp_mpi_waits`.
    waits: i32,
    clock_period_ms: u32,
}

impl Settings {
    fn of(remote: Remote) -> Self {
        let waits = match remote.waits {
            Waits::No => 0,
            Waits::Collectives => 1,
            Waits::All => 2,
        };
        Self { waits, clock_period_ms: remote.clock_period_ms }
    }
}

/// What the user wants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_settings(to: *mut Settings) {
    let mut remote = Remote::default();
    on_thread!(|thread| remote = thread.process.options.remote);
    // SAFETY: the contract of `pomp_mpi.h`.
    unsafe { to.write(Settings::of(remote)) };
}

/// How far rank 0's clock is ahead.
static OFFSET_NS: AtomicI64 = AtomicI64::new(0);

/// Sets it; clocks that are not further apart than the measurement's error are one.
pub(super) fn set_offset(offset_ns: i64, error_ns: u64) {
    let is_one = offset_ns.unsigned_abs() <= error_ns;
    OFFSET_NS.store(if is_one { 0 } else { offset_ns }, Ordering::Relaxed);
}

/// A moment in ticks, and in nanoseconds of rank 0's clock.
#[derive(Clone, Copy)]
struct Moment {
    ticks: u64,
    common_ns: u64,
    ticks_per_ns: f64,
}

impl Moment {
    fn now(thread: &Location) -> Self {
        let (ticks, own_ns) = (clock::now(), clock::monotonic_ns());
        let start = thread.process.options.start;
        let elapsed_ns = own_ns.saturating_sub(start.monotonic_ns).max(1);
        let ticks_per_ns = ticks.saturating_sub(start.ticks).max(1) as f64 / elapsed_ns as f64;
        let common_ns = own_ns.wrapping_add_signed(OFFSET_NS.load(Ordering::Relaxed));
        Self { ticks, common_ns, ticks_per_ns }
    }

    /// When that was, in nanoseconds of rank 0's clock.
    fn common_ns(self, ticks: u64) -> u64 {
        let before = self.ticks.saturating_sub(ticks) as f64 / self.ticks_per_ns;
        self.common_ns.saturating_sub(before as u64)
    }

    /// For how long somebody has waited until then who has waited since `ticks`: not longer than
    /// until now.
    fn waited_ticks(self, since: u64, until_ns: u64) -> u64 {
        let waited_ns = until_ns.saturating_sub(self.common_ns(since));
        let waited = (waited_ns as f64 * self.ticks_per_ns) as u64;
        waited.min(self.ticks.saturating_sub(since))
    }
}

/// The clock of the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_ticks() -> u64 {
    clock::now()
}

/// Since `begin` the function has worked for our messages.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_own(begin: u64) {
    on_thread!(|thread| {
        if !thread.is_passing() {
            let ticks = clock::now().saturating_sub(begin);
            *thread.current().mpi_mut().own_ticks += ticks;
        }
    });
}

/// When the function was entered that this thread is in.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_entered_ns() -> u64 {
    let mut entered_ns = 0;
    on_thread!(|thread| {
        entered_ns = Moment::now(thread).common_ns(thread.header.last_ticks);
    });
    entered_ns
}

/// Adds how long the function has waited until then that this thread is in.
fn add_waiting(until_ns: u64, to: impl Fn(&mut Node) -> &mut u64) {
    on_thread!(|thread| {
        if !thread.is_passing() {
            let since = thread.header.last_ticks;
            *to(thread.current()) += Moment::now(thread).waited_ticks(since, until_ns);
        }
    });
}

/// This thread has waited for others until then.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_waited(until_ns: u64) {
    add_waiting(until_ns, |node| node.mpi_mut().wait_ticks);
}

/// The same for what was missing of a non-blocking collective operation. Of the functions that wait
/// for requests of any kind, it is kept apart from waiting for messages.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_waited_for_collective(until_ns: u64) {
    add_waiting(until_ns, |node| node.mpi_mut().collective_wait_ticks);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_longer_than_the_call_or_less_than_nothing() {
        // Now is 10 us of the common clock; a tick is half a nanosecond.
        let now = Moment { ticks: 80_000, common_ns: 10_000, ticks_per_ns: 2.0 };
        assert_eq!(now.common_ns(60_000), 0);
        assert_eq!(now.common_ns(76_000), 8_000);
        let waited = [7_000, 8_000, 8_500, 10_000, u64::MAX];
        let waited = waited.map(|until_ns| now.waited_ticks(76_000, until_ns));
        assert_eq!(waited, [0, 0, 1_000, 4_000, 4_000]);
    }

    #[test]
    fn clocks_within_the_error_are_one() {
        set_offset(-900, 1_000);
        assert_eq!(OFFSET_NS.load(Ordering::Relaxed), 0);
        set_offset(-5_000, 1_000);
        assert_eq!(OFFSET_NS.load(Ordering::Relaxed), -5_000);
    }
}
