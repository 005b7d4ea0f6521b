//! Steps that all ranks of an analysis take, or none. If a rank cannot go on, the others would wait
//! for it without end. Therefore all ranks tell each other after such a step whether it has worked.
//! If it has not, all of them stop, and the first rank on which it failed tells the user why.

use std::fs;

use anyhow::{Error, Result, anyhow};
use pompeii_replay::transport::Transport;

/// Why a rank does not go on.
#[derive(Debug)]
pub enum Stop {
    /// All ranks stop, and know it. The error is there on the one that tells the user.
    Agreed(Option<Error>),
    /// Only this rank knows it.
    Alone(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Alone(error)
    }
}

/// The result of a step, if it has worked on all ranks.
///
/// # Errors
/// It has failed on some rank, or the others cannot be reached.
pub fn agree<T: Transport<Error = Error>, V>(ranks: &mut T, result: Result<V>) -> Result<V, Stop> {
    let told = vec![u8::from(result.is_err())];
    let all = ranks.exchange(vec![told; ranks.ranks()])?;
    let first = all.iter().position(|told| *told != [0_u8]);
    match (first, result) {
        (None, result) => result.map_err(Stop::Alone),
        (Some(first), Err(error)) if first == ranks.rank() => {
            Err(Stop::Agreed(Some(on_rank(first, error))))
        }
        (Some(_), _) => Err(Stop::Agreed(None)),
    }
}

/// Goes on if all ranks have the value of the first one. `differs` makes the message
/// for a rank that has another one.
///
/// # Errors
/// As for [`agree`].
pub fn same<T: Transport<Error = Error>>(
    ranks: &mut T,
    own: u64,
    differs: &str,
) -> Result<(), Stop> {
    let own = own.to_le_bytes().to_vec();
    let mut to = vec![Vec::new(); ranks.ranks()];
    if ranks.rank() == 0 {
        to.fill(own.clone());
    }
    let from = ranks.exchange(to)?;
    let is_same = from.first() == Some(&own);
    agree(ranks, if is_same { Ok(()) } else { Err(anyhow!("{differs}")) })
}

/// An error of the first rank needs no place: it would be the same without other ranks.
fn on_rank(rank: usize, error: Error) -> Error {
    if rank == 0 {
        return error;
    }
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    error.context(format!("rank {rank} of the analysis, on {}", host.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure;

    /// One of three ranks. The first elements are what the others say in the next exchange.
    struct Fake {
        rank: usize,
        others: Vec<[Vec<u8>; 3]>,
    }

    impl Transport for Fake {
        type Error = Error;

        fn ranks(&self) -> usize {
            3
        }

        fn rank(&self) -> usize {
            self.rank
        }

        fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
            assert_eq!(bytes.len(), 3);
            let mut all = self.others.remove(0).to_vec();
            all[self.rank] = bytes[self.rank].clone();
            Ok(all)
        }
    }

    /// What a rank comes to if these ranks fail, and it has this result.
    fn stop(rank: usize, failed: [u8; 3], result: Result<u32>) -> String {
        let others = vec![failed.map(|told| vec![told])];
        shown(agree(&mut Fake { rank, others }, result))
    }

    fn shown<V: std::fmt::Debug>(result: Result<V, Stop>) -> String {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let text = match result {
            Ok(value) => format!("{value:?}"),
            Err(Stop::Agreed(None)) => "another rank tells it".to_owned(),
            Err(Stop::Agreed(Some(error))) => failure::message(&error),
            Err(Stop::Alone(error)) => format!("alone: {error}"),
        };
        text.replace(host.trim(), "HOST")
    }

    #[test]
    fn all_ranks_go_on_or_none() {
        assert_eq!(stop(1, [0, 0, 0], Ok(7)), "7");
        assert_eq!(stop(1, [0, 0, 1], Ok(7)), "another rank tells it");
        let failed = || Err(anyhow!("disk full"));
        assert_eq!(stop(1, [0, 1, 0], failed()), "rank 1 of the analysis, on HOST: disk full");
        // The first of several ranks tells it.
        assert_eq!(stop(2, [0, 1, 1], failed()), "another rank tells it");
        assert_eq!(stop(0, [1, 1, 1], failed()), "disk full");
    }

    #[test]
    fn the_value_of_the_first_rank_counts() {
        let of = |rank: usize, first: u64, own: u64, failed: [u8; 3]| {
            let values = [first.to_le_bytes().to_vec(), Vec::new(), Vec::new()];
            let others = vec![values, failed.map(|told| vec![told])];
            shown(same(&mut Fake { rank, others }, own, "another build"))
        };
        assert_eq!(of(1, 5, 5, [0, 0, 0]), "()");
        assert_eq!(of(1, 5, 6, [0, 0, 0]), "rank 1 of the analysis, on HOST: another build");
        assert_eq!(of(1, 5, 5, [0, 0, 1]), "another rank tells it");
        assert_eq!(of(0, 5, 5, [0, 1, 0]), "another rank tells it");
    }
}
