//! The memory of windows that are over, for the windows to come. A window has some megabytes of
//! records. If each window got new memory, the system would have to clear all of it each time, and
//! windows that end in other threads than they begin would leave gaps.

use std::sync::{Mutex, PoisonError};

use crate::engine::record::Rec;
use crate::location::Profile;

/// Windows whose memory is kept. More of them are never on their way.
const KEPT: usize = 8;

/// Memory is not kept if a window has used less than one part in this number of it, because one
/// window of a trace may have been much longer than all others.
const UNUSED_PARTS: usize = 4;

/// Records, and the times between them.
pub(crate) type Buffers = (Vec<Rec>, Profile);

/// Memory for windows.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    all: Mutex<Vec<Buffers>>,
}

impl Spare {
    /// Empty buffers.
    pub(crate) fn take(&self) -> Buffers {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// A window is over.
    pub(crate) fn give_back(&self, (mut records, mut profile): Buffers) {
        if records.is_empty() || records.capacity() > UNUSED_PARTS * records.len() {
            return;
        }
        records.clear();
        profile.clear();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < KEPT {
            all.push((records, profile));
        }
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::engine::record::{VisitId, What};
    use crate::engine::tree::PROGRAM;

    fn records(number: usize) -> Vec<Rec> {
        let (location, node, visit, profile) = (LocationId(0), PROGRAM, VisitId::NONE, (0, 0));
        vec![Rec { time: 1, location, node, visit, what: What::End, profile }; number]
    }

    #[test]
    fn memory_is_used_again_if_a_window_has_needed_it() {
        let spare = Spare::default();
        spare.give_back((records(100), vec![(PROGRAM, 1); 50]));
        let (mut again, profile) = spare.take();
        assert_eq!((again.len(), profile.len()), (0, 0));
        assert!(again.capacity() >= 100 && profile.capacity() >= 50);
        again.extend(records(10));
        spare.give_back((again, profile));
        assert_eq!(spare.take().0.capacity(), 0, "most of it was not needed");
    }

    #[test]
    fn the_memory_of_few_windows_is_kept() {
        let spare = Spare::default();
        (0..3 * KEPT).for_each(|_| spare.give_back((records(5), Vec::new())));
        let kept = (0..3 * KEPT).filter(|_| spare.take().0.capacity() > 0).count();
        assert_eq!(kept, KEPT);
    }
}
