//! Compounds for a thread of its own. What is made of compounds, for example the severities of all
//! properties, takes a large part of the time of matching, and matching is one thread. Therefore
//! compounds go to another thread, many at a time, in the order in which they are found.
//!
//! Few batches are on their way, and they are used again: a thread that finds more than the other
//! one can take waits for it, and memory does not depend on which of them is faster.

use std::mem;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use crate::compound::Compound;

/// Compounds that go to the other thread at once: some hundred kilobytes.
const BATCH: usize = 1_024;

/// Batches that wait for the other thread. On few cores it may have to wait for its turn as long as
/// matching takes for some of them. All of them together take two megabytes.
const WAITING: usize = 16;

/// Takes compounds.
pub(crate) type Sink<'a> = &'a mut (dyn FnMut(Compound) + Send);

/// The side that finds them.
struct Batches {
    next: Vec<Compound>,
    to: SyncSender<Vec<Compound>>,
    /// Batches that have been taken, for those to come.
    used: Receiver<Vec<Compound>>,
}

impl Batches {
    fn add(&mut self, compound: Compound) {
        self.next.push(compound);
        if self.next.len() == BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        let empty = self.used.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        // The receiver is there until the sender is dropped.
        drop(self.to.send(mem::replace(&mut self.next, empty)));
    }
}

/// Calls `run` with a function for compounds, which `found` gets in another thread. All of them
/// have been taken when this returns.
pub(crate) fn in_another_thread<R>(found: Sink<'_>, run: impl FnOnce(Sink<'_>) -> R) -> R {
    thread::scope(|scope| {
        let (to, from) = sync_channel::<Vec<Compound>>(WAITING);
        let (empty, used) = channel::<Vec<Compound>>();
        scope.spawn(move || {
            for mut batch in from {
                batch.drain(..).for_each(&mut *found);
                // Nothing is found any more if the other side is gone.
                drop(empty.send(batch));
            }
        });
        let mut batches = Batches { next: Vec::with_capacity(BATCH), to, used };
        let result = run(&mut |compound| batches.add(compound));
        batches.send();
        result
    })
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::compound::TurnVisit;
    use crate::engine::record::VisitId;
    use crate::engine::tree::PROGRAM;
    use crate::place::Place;

    fn compound(number: u64) -> Compound {
        let at = Place { location: LocationId(0), node: PROGRAM, visit: VisitId::NONE };
        Compound::Turn(TurnVisit { at, since: 0, begun: number, before: None })
    }

    #[test]
    fn all_compounds_come_in_their_order() {
        for number in [0, 1, BATCH as u64, 3 * BATCH as u64, 20 * BATCH as u64 + 7] {
            let mut got: Vec<u64> = Vec::new();
            let mut found = |compound: Compound| match compound {
                Compound::Turn(visit) => got.push(visit.begun),
                other => panic!("{other:?}"),
            };
            let sum = in_another_thread(&mut found, |found| {
                (0..number).for_each(|it| found(compound(it)));
                (0..number).sum::<u64>()
            });
            assert!(got.iter().copied().eq(0..number), "{number}: {}", got.len());
            assert_eq!(sum, got.iter().sum::<u64>());
        }
    }
}
