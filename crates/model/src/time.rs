//! Clock ticks and how long one takes. Sums of ticks stay integers; only here do they become
//! seconds, and a value that was written as seconds comes back as the same ticks.

/// A span of time in clock ticks.
pub type Ticks = i64;

/// How many ticks the clock makes in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frequency {
    ticks_per_second: f64,
}

impl Frequency {
    /// A clock of nanoseconds.
    pub const NANOSECONDS: Frequency = Frequency { ticks_per_second: 1e9 };

    /// A clock of `ticks_per_second`; `None` unless that is finite and positive.
    pub fn new(ticks_per_second: f64) -> Option<Self> {
        (ticks_per_second.is_finite() && ticks_per_second > 0.0)
            .then_some(Self { ticks_per_second })
    }

    /// Ticks in a second.
    pub fn ticks_per_second(self) -> f64 {
        self.ticks_per_second
    }

    /// The span in seconds.
    pub fn seconds(self, ticks: Ticks) -> f64 {
        ticks as f64 / self.ticks_per_second
    }

    /// The span in ticks. Undoes [`Frequency::seconds`] exactly for spans below 2^51 ticks (days).
    pub fn ticks(self, seconds: f64) -> Ticks {
        (seconds * self.ticks_per_second).round() as Ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_come_back_as_the_same_ticks() {
        let clock = Frequency::new(2_699_998_742.31).unwrap();
        for ticks in [0, 1, -7, 12_345_678_901, (1 << 51) - 1, -(1 << 50) + 3] {
            assert_eq!(clock.ticks(clock.seconds(ticks)), ticks);
        }
        assert_eq!(Frequency::new(0.0), None);
        assert_eq!(Frequency::new(f64::NAN), None);
    }
}
