//! How long a tick took: from the calibrations at the start and at the end. A process that died,
//! or lived too short for a good figure, is calibrated against now, which is later on the same
//! machine (the error is 5e-8 over 10 ms). [`align`] brings the clocks of a job's processes
//! together.

pub mod align;

use std::ops::RangeInclusive;

use pompeii_live::{Calibration, LiveProcess};
use pompeii_model::Frequency;

const LONG_ENOUGH_NS: u64 = 20_000_000;
/// Ticks per second of any counter that a machine may have; other figures come from damaged files.
const PLAUSIBLE: RangeInclusive<f64> = 1e5..=1e12;

/// The frequency of the process's clock.
pub fn of(live: &LiveProcess) -> Frequency {
    let nanoseconds = || Frequency::new(1e9);
    let measured = if live.tsc { measured(live) } else { nanoseconds() };
    measured.or_else(nanoseconds).unwrap_or_else(|| unreachable!("1e9 is a frequency"))
}

fn measured(live: &LiveProcess) -> Option<Frequency> {
    let is_long = |end: &Calibration| is_long(live.start, *end);
    match live.end.filter(is_long) {
        Some(end) => between(live.start, end),
        None => between(live.start, later(live.start)?)
            .or_else(|| live.end.and_then(|end| between(live.start, end))),
    }
}

fn is_long(start: Calibration, end: Calibration) -> bool {
    end.monotonic_ns.saturating_sub(start.monotonic_ns) > LONG_ENOUGH_NS
}

fn between(start: Calibration, end: Calibration) -> Option<Frequency> {
    let ticks = end.ticks.checked_sub(start.ticks)? as f64;
    let seconds = end.monotonic_ns.checked_sub(start.monotonic_ns)? as f64 / 1e9;
    let frequency = ticks / seconds;
    PLAUSIBLE.contains(&frequency).then(|| Frequency::new(frequency))?
}

/// A calibration now, if this is still the same boot of the same machine, long enough after.
fn later(start: Calibration) -> Option<Calibration> {
    let mut now = pompeii_live::calibrate_tsc()?;
    // A start in the future is another machine's, or damaged.
    if now.monotonic_ns > start.monotonic_ns && !is_long(start, now) {
        std::thread::sleep(std::time::Duration::from_nanos(LONG_ENOUGH_NS));
        now = pompeii_live::calibrate_tsc()?;
    }
    let realtime_ns = now.realtime_ns.checked_sub(start.realtime_ns)?;
    let monotonic_ns = now.monotonic_ns.checked_sub(start.monotonic_ns)?;
    // After another boot, or on another node, the two clocks do not agree about what passed.
    (realtime_ns.abs_diff(monotonic_ns) < monotonic_ns / 100 + 1_000_000).then_some(now)
}
