//! What the user wants to be measured of waiting for other processes. Adapters hand it on to their
//! wrappers, which exchange times; without other processes it has no meaning.

use crate::folder;

/// Which waiting is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    /// None.
    #[default]
    No,
    /// In collective operations.
    Collectives,
    /// For messages, too.
    All,
}

impl Waits {
    /// The value of the environment variable. Yes is all: once there was nothing between. Without a
    /// value it is what costs a usual program too little to be seen.
    pub fn new(value: Option<&str>) -> Self {
        match value.map(str::trim) {
            None | Some("collectives") => Self::Collectives,
            Some("all") => Self::All,
            Some(other) if folder::is_yes(other) => Self::All,
            Some(_) => Self::No,
        }
    }
}

/// The user's wishes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remote {
    /// Which waiting is measured.
    pub waits: Waits,
    /// How often clocks are compared, in milliseconds; 0 for no more than needed.
    pub clock_period_ms: u32,
}

impl Remote {
    /// Those of the environment.
    pub fn of_environment() -> Self {
        let seconds =
            folder::variable(&["POMPEII_MPI_CLOCK"]).and_then(|text| text.trim().parse().ok());
        let clock_period_ms = seconds.map_or(0, |seconds: f64| (seconds * 1e3) as u32);
        let waits = folder::variable(&["POMPEII_MPI_WAIT"]);
        Self { waits: Waits::new(waits.as_deref()), clock_period_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_is_all_and_nothing_is_collective_operations() {
        let of = |value| Waits::new(Some(value));
        assert_eq!([of("1"), of("true"), of("all")], [Waits::All; 3]);
        assert_eq!([of("0"), of("no"), of("")], [Waits::No; 3]);
        assert_eq!([of(" collectives"), Waits::new(None)], [Waits::Collectives; 2]);
    }
}
