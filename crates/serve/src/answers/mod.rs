//! The answers to questions, one file for each kind.

mod chain;
pub mod find;
mod halves;
mod histogram;
mod links;
mod moment;
mod opening;
mod picture;
mod series;
mod startup;
mod sums;
mod tasks;
mod text;
pub mod trees;
mod whole;
mod window_times;

pub use histogram::{gaps, histogram};
pub use links::{links, matrix};
pub use moment::at;
pub use opening::open;
pub use picture::picture;
pub use series::{counter, curves};
pub use sums::sums;
pub use tasks::tasks;
pub use text::source_text;
pub use trees::trees;
pub use whole::{cube, first, instances, report};

use pompeii_index::{State, WindowError};

use crate::reply::Refused;

/// The number of a state, as a page knows it: 0 is no work.
pub fn state_number(state: State) -> u8 {
    match state {
        State::Idle => 0,
        State::Computing => 1,
        State::Waiting => 2,
        State::Overhead => 3,
        State::Mpi => 4,
    }
}

/// A window that cannot be decoded: index and trace were checked, so one of them is damaged.
impl From<WindowError> for Refused {
    fn from(error: WindowError) -> Refused {
        Refused::Gone(format!("a part of the trace cannot be read: {error}"))
    }
}
