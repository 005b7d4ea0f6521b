//! Times of a trace in nanoseconds, which formats of timelines have.

use pompeii_replay::definitions::Definitions;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// The clock of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begin: u64,
    ticks_per_second: u64,
}

impl Clock {
    /// Of a trace with these definitions.
    pub fn new(definitions: &Definitions) -> Clock {
        Clock { begin: definitions.begin, ticks_per_second: definitions.ticks_per_second.max(1) }
    }

    /// A time, in nanoseconds since the begin of the measurement.
    #[inline]
    pub fn time_ns(&self, time: u64) -> u64 {
        self.ns(time.saturating_sub(self.begin))
    }

    /// A duration in nanoseconds. It fits into a signed number, because times of other tools are
    /// signed.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        let ns = match self.ticks_per_second {
            NS_PER_SECOND => u128::from(ticks),
            per_second => u128::from(ticks) * u128::from(NS_PER_SECOND) / u128::from(per_second),
        };
        u64::try_from(ns).unwrap_or(u64::MAX).min(i64::MAX.cast_unsigned())
    }
}
