//! The only rank of an analysis in one process: what it sends to all ranks comes back to itself.

use std::convert::Infallible;

use crate::transport::Transport;

/// The only rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Transport for Local {
    type Error = Infallible;

    fn ranks(&self) -> usize {
        1
    }

    fn rank(&self) -> usize {
        0
    }

    fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Infallible> {
        Ok(bytes)
    }

    fn min(&mut self, value: u64) -> Result<u64, Infallible> {
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_rank_gets_its_own_bytes() {
        let Ok(bytes) = Local.gather(vec![1, 2]);
        let Ok(least) = Local.min(7);
        assert_eq!((bytes, least), (vec![vec![1, 2]], 7));
    }
}
