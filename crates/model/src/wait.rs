//! Who waited for whom: what a cube's waiting metrics are made of, with the delaying location and
//! its call path beside the waiting one. It has a dimension more than a cube, so it is a list.
//!
//! The list also has the serial parts of a program, which have the same shape: the construct that
//! follows the part, the one that precedes it on the same location, and the time between the two.

use crate::{CallId, Id, LocationId};

/// Name of the list in a `profile.cubex`, a further file there.
pub const WAITS_FILE: &str = "pompeii-waits.txt";

/// Waiting of one location at one call path (a barrier, critical, lock or ordered, a function of
/// POSIX threads) because of what one location, possibly all that are not told apart, was doing.
/// Times are clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Where it waited.
    pub call: CallId,
    /// Who waited.
    pub location: LocationId,
    /// Who was waited for, and where it was: the barrier that it reached last, the critical that it
    /// held, the task that it ended last, its signal of a condition. `None` for all causes beyond
    /// the first few. At the location itself, since no thread waits for itself: the construct that
    /// precedes a serial part which ends at `call`.
    pub by: Option<(CallId, LocationId)>,
    /// How often.
    pub visits: i64,
    /// How long: a part of the waiting metric of the call path, or of its time if there is none.
    pub wait_ticks: i64,
    /// How long it waited for the last task in a barrier: a part of the starvation there.
    pub starvation_ticks: i64,
}

impl Wait {
    /// Whether this is the serial part between two constructs instead of waiting.
    pub fn is_serial(&self) -> bool {
        self.by.is_some_and(|(_, location)| location == self.location)
    }

    /// All that was lost.
    pub fn ticks(&self) -> i64 {
        self.wait_ticks + self.starvation_ticks
    }

    /// One line per wait, ids as numbers; [`Wait::parse_all`] reads it.
    pub fn write_all(waits: &[Wait]) -> String {
        let line = |wait: &Wait| {
            let by = wait.by.map_or("- -".to_owned(), |(call, location)| {
                format!("{} {}", call.index(), location.index())
            });
            let Wait { visits, wait_ticks, starvation_ticks, .. } = wait;
            let (call, location) = (wait.call.index(), wait.location.index());
            format!("{call} {location} {by} {visits} {wait_ticks} {starvation_ticks}\n")
        };
        waits.iter().map(line).collect()
    }

    /// The waits of a text; lines that are not one are passed over.
    pub fn parse_all(text: &str) -> Vec<Wait> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Wait> {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[call, location, by_call, by_location, visits, wait, starvation] = fields.as_slice()
        else {
            return None;
        };
        let by = match by_call {
            "-" => None,
            _ => Some((CallId(by_call.parse().ok()?), LocationId(by_location.parse().ok()?))),
        };
        Some(Wait {
            call: CallId(call.parse().ok()?),
            location: LocationId(location.parse().ok()?),
            by,
            visits: visits.parse().ok()?,
            wait_ticks: wait.parse().ok()?,
            starvation_ticks: starvation.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_damage_is_passed_over() {
        let wait = Wait {
            call: CallId(7),
            location: LocationId(1),
            by: Some((CallId(9), LocationId(0))),
            visits: 3,
            wait_ticks: 40,
            starvation_ticks: 0,
        };
        let waits = [wait, Wait { by: None, starvation_ticks: 5, ..wait }];
        let text = Wait::write_all(&waits);
        assert_eq!(text, "7 1 9 0 3 40 0\n7 1 - - 3 40 5\n");
        assert_eq!(Wait::parse_all(&text), waits);
        let damaged = format!("7 1 9 0 3 40\n7 1 9 0 3 4x 0\n-1 1 9 0 3 40 0\n\n{text}");
        assert_eq!(Wait::parse_all(&damaged), waits);
    }
}
