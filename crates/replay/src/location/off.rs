//! Time without recording. It is that of a region of its own, and it ends what is known of the
//! location in part: if the program or the user switched recording off, parallel regions are whole,
//! but barriers in them may be missing. If the measurement dropped records because there was no
//! room for them, nothing is known that depends on the order of events before.

use pompeii_otf2::enums::MeasurementMode;

use super::teams::Part;
use super::{Context, Location};
use crate::engine::record::What;
use crate::engine::strand::Strand;
use crate::engine::tree::LocalTree;

impl Location {
    /// Recording stops or goes on.
    pub(super) fn on_off(&mut self, context: &Context<'_>, time: u64, mode: MeasurementMode) {
        self.account(time);
        let off = context.definitions.off_region;
        let is_off =
            self.strand.frames.last().is_some_and(|frame| self.tree.region(frame.node) == off);
        match mode {
            MeasurementMode::OFF if is_off => self.switch_off(),
            MeasurementMode::OFF if context.definitions.tells_off => {
                self.drop_records(context);
                self.push(context, off);
            }
            MeasurementMode::OFF => {
                self.switch_off();
                self.push(context, off);
                self.is_off = true;
            }
            // A region that has records of its own is left by them.
            MeasurementMode::ON if is_off && std::mem::take(&mut self.is_off) => {
                if let Some(frame) = self.close() {
                    self.strand.node = Some(frame.outer);
                }
            }
            _ => {}
        }
    }

    fn switch_off(&mut self) {
        self.part().knows_barriers = false;
        self.record_here(What::Off);
    }

    /// All that is open may have ended, and other parallel regions may have begun.
    fn drop_records(&mut self, context: &Context<'_>) {
        context.shared.lose(self.id);
        self.end_fragment(self.now);
        self.gaps.dropped += 1;
        self.close_all();
        self.parts = vec![Part::outside()];
        self.strand = Strand::at(Some(LocalTree::PROGRAM));
        (self.fork, self.part_begin, self.after_join) = (None, None, None);
        (self.unknown_task, self.created) = (None, None);
        (self.is_between, self.waits_for_turn) = (false, false);
        self.open_forks.clear();
        self.operations.clear();
        (self.has_lost, self.is_off) = (true, true);
        self.record_here(What::Dropped);
    }
}
