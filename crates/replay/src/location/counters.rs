//! Readings of counters on a location: which call paths had time since the reading before, and what
//! was counted meanwhile (`counter.rs` says to which of them it belongs).

use std::collections::HashMap;

use pompeii_otf2::event::Metric;

use super::{Context, Location};
use crate::counter::levels::Amounts;
use crate::counter::{Amount, Counter, CounterId, Level};
use crate::definitions::Definitions;
use crate::engine::record::{VisitId, What};
use crate::engine::tree::{Local, LocalTree};

/// What a location has counted.
#[derive(Debug, Default)]
pub(super) struct Counting {
    readings: Vec<(u32, Reading)>,
    amounts: HashMap<(CounterId, Local), Amount>,
    /// The call path that had time last.
    recent: Option<Local>,
    /// The innermost one around all that had time.
    all: Option<Local>,
}

/// The last reading of the counters of a class.
#[derive(Debug, Default)]
struct Reading {
    /// The innermost call path around all those that had time since then.
    around: Option<Local>,
    /// The values that were read.
    values: Vec<Amount>,
    /// Those that belong to the time since then.
    pending: Vec<Option<Amount>>,
}

impl Counting {
    /// A location counts if the trace has counters.
    pub(super) fn of(definitions: &Definitions) -> Option<Box<Counting>> {
        (!definitions.counter_classes.is_empty()).then(Box::default)
    }

    /// A call path had time.
    #[inline]
    pub(super) fn note(&mut self, tree: &LocalTree, node: Local) {
        self.recent = Some(node);
        let around = |before: Option<Local>| match before {
            Some(before) if before != node => Some(tree.common(before, node)),
            _ => Some(node),
        };
        self.all = around(self.all);
        for (_, reading) in &mut self.readings {
            reading.around = around(reading.around);
        }
    }

    fn reading(&mut self, class: u32) -> &mut Reading {
        let known = self.readings.iter().position(|(known, _)| *known == class);
        let place = known.unwrap_or_else(|| {
            let around = self.all;
            self.readings.push((class, Reading { around, ..Reading::default() }));
            self.readings.len() - 1
        });
        &mut self.readings[place].1
    }

    fn add(&mut self, counter: (CounterId, &Counter), node: Local, amount: Amount) {
        if !amount.is_zero() {
            let zero = Amount::zero(counter.1);
            let sum = self.amounts.entry((counter.0, node)).or_insert(zero);
            *sum = sum.plus(amount);
        }
    }

    /// The amounts that the location knows by itself.
    pub(super) fn add_to(&self, tree: &LocalTree, id: pompeii_model::LocationId, to: &mut Amounts) {
        let own = self.amounts.iter();
        to.extend(own.map(|(&(counter, node), &sum)| ((counter, tree.shared(node), id), sum)));
    }
}

impl Location {
    /// Counters are read. The event may come between others that belong together, for example the
    /// begin of a part and the Enter of its region, so it changes nothing else.
    pub(super) fn read_counters(&mut self, context: &Context<'_>, time: u64, metric: &Metric) {
        let definitions = context.definitions;
        let Some(class) = definitions.counter_classes.get(&metric.metric.0) else { return };
        if !self.is_between {
            self.account(time);
        }
        let Some(mut counting) = self.counting.take() else { return };
        let here = self.strand.node.or(counting.recent).unwrap_or(LocalTree::PROGRAM);
        let reading = counting.reading(metric.metric.0);
        let node = reading.around.take().unwrap_or(here);
        for (place, (&id, value)) in class.members.iter().zip(&metric.values).enumerate() {
            let counter = &definitions.counters[id];
            let value = counter.amount(value);
            let reading = counting.reading(metric.metric.0);
            let Some(value) = reading.in_its_time(counter, place, value) else { continue };
            if let Some(scope) = class.shared {
                // Most readings find what the one before has found.
                if reading.replace(counter, place, value) != value {
                    let visit = self.visit();
                    self.record((node, visit), What::Level(Level::new(id, scope, value)));
                }
                continue;
            }
            let before = reading.replace(counter, place, value);
            match counter.growth(value, before) {
                Some(amount) => counting.add((id, counter), node, amount),
                None => self.gaps.counters += 1,
            }
        }
        self.counting = Some(counting);
    }

    /// What counters counted until the end of the trace is known if their last values say so.
    pub(super) fn end_counters(&mut self, definitions: &Definitions) {
        let Some(mut counting) = self.counting.take() else { return };
        for (metric, mut reading) in std::mem::take(&mut counting.readings) {
            let Some(class) = definitions.counter_classes.get(&metric) else { continue };
            let recent = counting.recent.unwrap_or(LocalTree::PROGRAM);
            let node = reading.around.unwrap_or(recent);
            for (place, &id) in class.members.iter().enumerate() {
                let pending = reading.pending.get_mut(place).and_then(Option::take);
                let Some(value) = pending else { continue };
                let counter = &definitions.counters[id];
                match class.shared {
                    Some(scope) => {
                        let level = Level::new(id, scope, value);
                        self.record((node, VisitId::NONE), What::Level(level));
                    }
                    None => {
                        let before = reading.replace(counter, place, value);
                        let amount = counter.growth(value, before);
                        counting.add((id, counter), node, amount.unwrap_or(Amount::zero(counter)));
                    }
                }
            }
        }
        self.counting = Some(counting);
    }

    /// Adds what it has counted.
    pub fn counted(&self, amounts: &mut Amounts) {
        if let Some(counting) = &self.counting {
            counting.add_to(&self.tree, self.id, amounts);
        }
    }
}

impl Reading {
    /// The value that belongs to the time before this reading: the one that was read, or the one of
    /// the reading before.
    fn in_its_time(&mut self, counter: &Counter, place: usize, value: Amount) -> Option<Amount> {
        if !counter.is_of_next {
            return Some(value);
        }
        if self.pending.len() <= place {
            self.pending.resize(place + 1, None);
        }
        self.pending[place].replace(value)
    }

    /// Keeps a value; returns the one before.
    fn replace(&mut self, counter: &Counter, place: usize, value: Amount) -> Amount {
        while self.values.len() <= place {
            self.values.push(Amount::zero(counter));
        }
        std::mem::replace(&mut self.values[place], value)
    }
}
