//! Counters that several locations record with the same values, for example those of their process:
//! what is counted between two readings, whichever location has made them.

use std::collections::HashMap;

use pompeii_model::{IndexVec, LocationId};

use crate::counter::{Amount, Counter, CounterId};
use crate::engine::record::{Rec, What};
use crate::engine::tree::NodeId;

/// Amounts by counter, call path and location.
pub type Amounts = HashMap<(CounterId, NodeId, LocationId), Amount>;

/// What is counted by values that several locations record: the order of their readings matters, so
/// they are sync records.
#[derive(Debug, Default)]
pub struct Levels {
    last: HashMap<(CounterId, u32), Amount>,
    amounts: Amounts,
}

impl Levels {
    /// Takes the next record.
    pub fn record(&mut self, counters: &IndexVec<CounterId, Counter>, record: &Rec) {
        let What::Level(level) = &record.what else { return };
        let counter = &counters[level.counter];
        let value = level.value(counter);
        let last = self.last.entry((level.counter, level.scope)).or_insert(Amount::zero(counter));
        let grown = counter.growth(value, std::mem::replace(last, value));
        if let Some(grown) = grown.filter(|grown| !grown.is_zero()) {
            let key = (level.counter, record.node, record.location);
            let sum = self.amounts.entry(key).or_insert(Amount::zero(counter));
            *sum = sum.plus(grown);
        }
    }

    /// All amounts.
    pub fn amounts(self) -> Amounts {
        self.amounts
    }
}
