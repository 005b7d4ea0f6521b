//! Causes of waiting, as a trace shows them. A thread is late because it took longer before, or
//! because it waited itself. Therefore waits are followed back to their begin, and the matrix has
//! the call path that waits and the one that has delayed it.
//!
//! In a report this is a file of its own, as waits are.

use crate::{CallId, Id, LocationId, Ticks};

/// The file in a report.
pub const ROOTS_FILE: &str = "pompeii-roots.txt";

/// Waiting of all locations at one call path that goes back to one activity of one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where locations waited.
    pub call: CallId,
    /// The activity that they waited for in the end, and its location.
    pub by: (CallId, LocationId),
    /// Waiting for this location.
    pub direct_ticks: Ticks,
    /// Waiting for others that had waited for this location, and so on.
    pub indirect_ticks: Ticks,
}

impl Root {
    /// All waiting that goes back to the activity.
    pub fn ticks(&self) -> Ticks {
        self.direct_ticks.saturating_add(self.indirect_ticks)
    }

    /// One line per cause, ids as numbers; [`Root::parse_all`] reads it.
    pub fn write_all(roots: &[Root]) -> String {
        let line = |root: &Root| {
            let Root { call, by: (by, location), direct_ticks, indirect_ticks } = root;
            let (call, by, location) = (call.index(), by.index(), location.index());
            format!("{call} {by} {location} {direct_ticks} {indirect_ticks}\n")
        };
        roots.iter().map(line).collect()
    }

    /// The causes of a text; lines that are not one are passed over.
    pub fn parse_all(text: &str) -> Vec<Root> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Root> {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[call, by, location, direct, indirect] = fields.as_slice() else { return None };
        Some(Root {
            call: CallId(call.parse().ok()?),
            by: (CallId(by.parse().ok()?), LocationId(location.parse().ok()?)),
            direct_ticks: direct.parse().ok()?,
            indirect_ticks: indirect.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_damage_is_passed_over() {
        let by = (CallId(9), LocationId(1));
        let root = Root { call: CallId(7), by, direct_ticks: 40, indirect_ticks: 2 };
        let text = Root::write_all(&[root]);
        assert_eq!(text, "7 9 1 40 2\n");
        let damaged = format!("7 9 1 40\n7 9 1 4x 0\n-1 9 1 40 2\n\n{text}");
        assert_eq!(Root::parse_all(&damaged), [root]);
    }
}
