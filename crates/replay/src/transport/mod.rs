//! Several processes of the analyser, its *ranks*, work on one trace together. A [`Transport`] is
//! all that they need of each other: it moves bytes between them. All ranks call the same of its
//! functions in the same order.
//!
//! * [`local`]: one rank alone.
//! * [`channels`]: several ranks inside one process, for tests.
//!
//! All locations of a process of the program belong to one rank ([`deal`]), because only they need
//! each other while their events are read. Each rank reads its own events, matches the records of
//! its own locations, and gets from the others the records that concern these (`engine/home.rs`).
//! They find the critical path and the causes of waiting together (`engine/together.rs`).

pub mod channels;
pub mod deal;
pub(crate) mod dealt;
pub mod local;
pub mod wire;

/// Moves bytes between the ranks.
pub trait Transport {
    /// Why bytes could not be moved. The analysis ends with it.
    type Error;

    /// Number of ranks.
    fn ranks(&self) -> usize;

    /// Which of them this one is, from 0.
    fn rank(&self) -> usize;

    /// Sends bytes to each rank, by its number. Returns what each of them has sent to this one.
    ///
    /// # Errors
    /// Another rank is gone, or cannot be reached.
    fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Self::Error>;

    /// The smallest of the values of all ranks.
    ///
    /// # Errors
    /// As for [`Transport::exchange`].
    fn min(&mut self, value: u64) -> Result<u64, Self::Error> {
        let all = self.exchange(vec![value.to_le_bytes().to_vec(); self.ranks()])?;
        let values = all.iter().filter_map(|bytes| bytes.as_slice().try_into().ok());
        Ok(values.map(u64::from_le_bytes).fold(value, u64::min))
    }

    /// Sends bytes to the first rank. There it returns the bytes of all ranks, elsewhere nothing.
    ///
    /// # Errors
    /// As for [`Transport::exchange`].
    fn gather(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Self::Error> {
        let mut to_all = vec![Vec::new(); self.ranks()];
        if let Some(first) = to_all.first_mut() {
            *first = bytes;
        }
        let from_all = self.exchange(to_all)?;
        Ok(if self.rank() == 0 { from_all } else { Vec::new() })
    }
}
