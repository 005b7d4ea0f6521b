//! Severities of a trace that several ranks of the analysis have worked on: each has noted the
//! compounds that it has found, and the first rank adds those of all.

use pompeii_model::LocationId;
use pompeii_replay::Outcome;
use pompeii_replay::engine::record::VisitId;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::place::Place;
use pompeii_replay::transport::Transport;
use pompeii_replay::transport::wire;

use super::instances::{Instance, Kept};
use super::measured::Measured;
use super::{At, Severities, Waited};

/// A place as it travels: the number of its node on the first rank, and of its location.
type Key = (u32, u32);

/// An instance as it travels: place, times, severity and cause.
type OneInstance = ((Key, (u64, u64)), (i64, Option<Key>));

/// Count, sum, squares, extremes, sizes, and the most severe instances of a property.
type OneKept = (((u64, i64), (u64, u64)), ((i64, i64), (Vec<u64>, Vec<OneInstance>)));

/// All severities as they travel.
type All = (
    (Vec<(Key, Vec<i64>)>, Vec<((Key, Option<Key>), (i64, (i64, i64)))>),
    (Vec<((u32, Key), i64)>, Vec<((u32, u32), OneKept)>),
);

fn at((node, location): Key) -> At {
    (NodeId(node), LocationId(location))
}

fn place(key: Key) -> Place {
    let (node, location) = at(key);
    Place { location, node, visit: VisitId::NONE }
}

impl Severities {
    /// The severities that all ranks have noted: on the first rank they are there afterwards, on
    /// the others nothing is left.
    ///
    /// # Errors
    /// Those of the transport.
    pub fn gather<T: Transport>(
        &mut self,
        transport: &mut T,
        outcome: &mut Outcome,
    ) -> Result<(), T::Error> {
        let mut own = Vec::new();
        if transport.rank() > 0 {
            own = wire::bytes(&std::mem::take(self).travels(outcome));
        }
        for (rank, bytes) in transport.gather(own)?.into_iter().enumerate().skip(1) {
            match wire::value::<All>(&bytes) {
                Some(all) => self.add_all(all),
                None => {
                    let what = "its severities were not understood";
                    outcome.note_errors(vec![format!("rank {rank} of the analysis: {what}")]);
                }
            }
        }
        Ok(())
    }

    fn travels(&self, outcome: &Outcome) -> All {
        let key = |(node, location): At| (outcome.on_first_rank(node).0, location.0);
        let key_of = |place: Place| key((place.node, place.location));
        let values = self.values.iter().map(|(at, values)| (key(*at), values.to_vec()));
        let waits = self.waits.iter().map(|(&(at, by), waited)| {
            let Waited { visits, wait_ticks, starvation_ticks } = *waited;
            ((key(at), by.map(key)), (visits, (wait_ticks, starvation_ticks)))
        });
        let found = self.found.iter();
        let found = found.map(|(&(number, node, on), &ticks)| ((number, key((node, on))), ticks));
        let instance = |of: &Instance| {
            let Instance { at, enter, leave, ticks, by } = *of;
            ((key_of(at), (enter, leave)), (ticks, by.map(key_of)))
        };
        let kept = self.instances.all().map(|(&(number, node), kept)| {
            let squares = ((kept.sum_of_squares >> 64) as u64, kept.sum_of_squares as u64);
            let severe: Vec<OneInstance> = kept.severe.iter().map(instance).collect();
            let rest = ((kept.min, kept.max), (kept.sizes.clone(), severe));
            ((number, outcome.on_first_rank(node).0), (((kept.count, kept.sum), squares), rest))
        });
        ((values.collect(), waits.collect()), (found.collect(), kept.collect()))
    }

    fn add_all(&mut self, ((values, waits), (found, kept)): All) {
        for (key, more) in values {
            let sums = self.values.entry(at(key)).or_insert([0; Measured::ALL.len()]);
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        for ((key, by), (visits, (wait, starvation))) in waits {
            let waited = self.waits.entry((at(key), by.map(at))).or_default();
            waited.visits = waited.visits.saturating_add(visits);
            waited.wait_ticks = waited.wait_ticks.saturating_add(wait);
            waited.starvation_ticks = waited.starvation_ticks.saturating_add(starvation);
        }
        for ((number, key), ticks) in found {
            let (node, location) = at(key);
            let sum = self.found.entry((number, node, location)).or_default();
            *sum = sum.saturating_add(ticks);
        }
        let instance = |((key, (enter, leave)), (ticks, by)): OneInstance| {
            let (at, by) = (place(key), by.map(place));
            Instance { at, enter, leave, ticks, by }
        };
        for ((number, node), (((count, sum), squares), ((min, max), (sizes, severe)))) in kept {
            let sum_of_squares = u128::from(squares.0) << 64 | u128::from(squares.1);
            let severe = severe.into_iter().map(instance).collect();
            let kept = Kept { count, sum, sum_of_squares, min, max, sizes, severe };
            self.instances.add((number, NodeId(node)), &kept);
        }
    }
}
