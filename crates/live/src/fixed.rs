//! Tables of the runtime library that cannot grow, because they are looked up in every call of MPI.
//! How many entries had no place in each is counted in live state, so that the report says what is
//! missing.

/// A table with a fixed number of places. A new one gets a variant, a line in each function below,
/// and its limit in "Limits" of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedTable {
    /// Requests that are not complete.
    Requests,
    /// Communicators.
    Communicators,
    /// Windows of one-sided communication.
    Windows,
    /// Groups of processes that synchronise by a window.
    Groups,
    /// Processes to which one-sided operations are under way, by window.
    Targets,
    /// Open files.
    Files,
}

impl FixedTable {
    /// All of them; the position of a table is that of its count in live state.
    pub const ALL: [Self; 6] = [
        Self::Requests,
        Self::Communicators,
        Self::Windows,
        Self::Groups,
        Self::Targets,
        Self::Files,
    ];

    /// Places in the table.
    pub const fn places(self) -> usize {
        match self {
            Self::Requests => 1 << 14,
            Self::Communicators => 1 << 15,
            Self::Windows | Self::Groups | Self::Files => 1 << 10,
            Self::Targets => 1 << 12,
        }
    }

    /// What an entry is, for messages.
    pub const fn entry(self) -> &'static str {
        match self {
            Self::Requests => "unfinished MPI requests",
            Self::Communicators => "MPI communicators",
            Self::Windows => "MPI windows",
            Self::Groups => "groups of MPI windows",
            Self::Targets => "targets of unfinished one-sided operations",
            Self::Files => "open MPI files",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_place_of_its_count() {
        assert!(FixedTable::ALL.iter().enumerate().all(|(place, table)| *table as usize == place));
    }
}
