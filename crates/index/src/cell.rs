//! What a row consists of: exact intervals, and runs of bins that are alike. A file has lists of
//! them (`list.rs`). Starts and durations are below 2^48, numbers of bins below 2^28.

use crate::state::State;
use crate::tally::Tally;

/// The longest run of bins.
const RUN_MAX: u64 = 256;
/// A whole bin, in the parts that a stack level's shares count.
pub(crate) const WHOLE: u64 = 63;
/// A whole bin, in the parts that the shares of states count.
pub(crate) const SEVENTHS: u64 = 7;
/// Neighbours whose shares differ by no more than this are alike, in 63rds.
pub(crate) const ALIKE: u64 = 4;

/// An end of an interval that is not one of the visit: it began before.
pub const CUT_BEGIN: u8 = 1;
/// An end of an interval that is not one of the visit: it goes on later.
pub const CUT_END: u8 = 2;

/// What the shares of a row's fillers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The shares of the four states, in sevenths.
    Flat,
    /// The share of the dominant region and of all regions, in 63rds.
    Stack,
}

/// What is shown of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The region with most ticks.
    pub region: u16,
    /// Shares as the kind of the row says, in 12 bits.
    pub shares: u16,
}

impl Cell {
    /// The cell of a bin.
    pub fn of(kind: Kind, states: &[State], tally: &Tally, bin_log2: u32) -> Cell {
        let (region, dominant) = tally.dominant();
        let shares = match kind {
            Kind::Flat => state_shares(states, tally, bin_log2),
            Kind::Stack => {
                let covered = tally.entries().iter().map(|(_, ticks)| ticks).sum();
                (part(dominant, bin_log2) << 6 | part(covered, bin_log2)) as u16
            }
        };
        Cell { region, shares }
    }

    /// Whether two bins may be shown as one.
    fn is_like(self, other: Cell, kind: Kind) -> bool {
        let near = |shift: u16| {
            let six = |cell: Cell| u64::from(cell.shares >> shift & 0x3f);
            six(self).abs_diff(six(other)) <= ALIKE
        };
        self.region == other.region
            && match kind {
                Kind::Flat => self.shares == other.shares,
                Kind::Stack => near(0) && near(6),
            }
    }
}

/// The 63rds of a bin; 0 only if there is nothing.
fn part(ticks: u64, bin_log2: u32) -> u64 {
    rounded(ticks, 1 << bin_log2, WHOLE).clamp(u64::from(ticks > 0), WHOLE)
}

/// Ticks in parts of all ticks, which have `parts` parts.
pub(crate) fn rounded(ticks: u64, all_ticks: u128, parts: u64) -> u64 {
    let halves = u128::from(ticks) * u128::from(2 * parts) + all_ticks;
    (halves / (2 * all_ticks)) as u64
}

fn state_shares(states: &[State], tally: &Tally, bin_log2: u32) -> u16 {
    let mut ticks = [0; 4];
    for (region, of_region) in tally.entries() {
        let state = states.get(usize::from(*region)).copied().unwrap_or(State::Computing);
        if let Some(place) = State::SHOWN.iter().position(|shown| *shown == state) {
            ticks[place] += of_region;
        }
    }
    shares_of(ticks, 1 << bin_log2)
}

/// The shares of the four states in sevenths, computing in the lowest bits. Waiting has a seventh
/// as soon as it is a fiftieth of all ticks, because it must be seen. If that and rounding make
/// more than a whole, the shares that are too large by most give it, so none differs from its
/// ticks by a seventh or more.
pub(crate) fn shares_of(ticks: [u64; 4], all_ticks: u128) -> u16 {
    let mut shares = ticks.map(|ticks| rounded(ticks, all_ticks, SEVENTHS).min(SEVENTHS));
    let waiting = State::Waiting as usize;
    if shares[waiting] == 0 && u128::from(ticks[waiting]) * 50 >= all_ticks {
        shares[waiting] = 1;
    }
    while shares.iter().sum::<u64>() > SEVENTHS {
        let givers = (0..4).filter(|&place| shares[place] > u64::from(place == waiting));
        let excess = |place: usize| {
            let exact = i128::from(ticks[place]) * i128::from(SEVENTHS);
            i128::from(shares[place]) * all_ticks.cast_signed() - exact
        };
        let Some(giver) = givers.max_by_key(|&place| excess(place)) else { break };
        shares[giver] -= 1;
    }
    shares.iter().rev().fold(0, |word, share| word << 3 | *share as u16)
}

/// An interval, in units after the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exact {
    pub start: u64,
    pub duration: u64,
    pub region: u16,
    /// [`CUT_BEGIN`] and [`CUT_END`].
    pub cuts: u8,
}

impl Exact {
    /// The end; both numbers have 48 bits.
    pub fn end(self) -> u64 {
        self.start + self.duration
    }
}

/// A run of bins that are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filler {
    pub bin: u64,
    pub length: u64,
    pub cell: Cell,
}

impl Filler {
    /// Whether the run goes on with a bin.
    pub fn takes(&self, bin: u64, cell: Cell, kind: Kind) -> bool {
        self.bin + self.length == bin && self.length < RUN_MAX && self.cell.is_like(cell, kind)
    }

    /// The bin after the run.
    pub fn end(self) -> u64 {
        self.bin + self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(ticks: [u64; 4], all_ticks: u128) -> [u16; 4] {
        let word = shares_of(ticks, all_ticks);
        [0, 3, 6, 9].map(|shift| word >> shift & 7)
    }

    #[test]
    fn waiting_is_seen_and_the_share_that_is_too_large_by_most_gives_it() {
        assert_eq!(shares([100, 0, 0, 0], 100), [7, 0, 0, 0]);
        assert_eq!(shares([98, 2, 0, 0], 100), [6, 1, 0, 0]);
        assert_eq!(shares([99, 1, 0, 0], 100), [7, 0, 0, 0]);
        // 4.2, 0.21, 1.55 and 1.04 sevenths: the third one is rounded up.
        assert_eq!(shares([600, 30, 221, 149], 1000), [4, 1, 1, 1]);
    }

    #[test]
    fn no_share_differs_by_a_seventh() {
        for first in 0..=60_u64 {
            for second in 0..=60 - first {
                for third in 0..=60 - first - second {
                    let ticks = [first, second, third, 60 - first - second - third];
                    let found = shares(ticks, 60);
                    assert!(found.iter().sum::<u16>() <= 7, "{ticks:?}: {found:?}");
                    for (share, ticks) in found.into_iter().zip(ticks) {
                        let exact = 7.0 * ticks as f64 / 60.0;
                        assert!((f64::from(share) - exact).abs() < 1.0, "{ticks} of 60: {share}");
                    }
                    assert!(found[1] > 0 || ticks[1] < 2, "{ticks:?}: {found:?}");
                }
            }
        }
    }
}
