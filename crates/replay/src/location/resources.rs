//! Operations on windows and files of MPI that all processes of a window or a file take part in:
//! fences, and reading or writing together. They are collective operations that are counted for
//! each window and each file. Their data is not that of collective communication. All other events
//! of windows are in `windows.rs`.

use pompeii_otf2::enums::{CollectiveOp, IoOperationFlag};
use pompeii_otf2::event::{Event, ROOT_NONE};

use super::Location;
use crate::definitions::{Definitions, Resource};
use crate::engine::record::{CollectiveEnd, What};

impl Location {
    /// Takes an event of a window or a file; false if it is another one.
    pub(super) fn resource(&mut self, definitions: &Definitions, time: u64, event: &Event) -> bool {
        let what = match event {
            Event::RmaCollectiveBegin(_) => Some(What::CollectiveBegin),
            Event::RmaCollectiveEnd(it) => {
                let comm = definitions.resource(Resource::Window, it.win.0);
                comm.map(|comm| end(it.collective_op, comm))
            }
            Event::IoOperationBegin(it) => {
                // Of a non-blocking operation, the process goes on without the others.
                let is_blocking = it.operation_flags.0 == IoOperationFlag::COLLECTIVE.0;
                self.file_operation = is_blocking.then_some((it.handle.0, it.matching_id));
                is_blocking.then_some(What::CollectiveBegin)
            }
            Event::IoOperationComplete(it) => {
                let own = (it.handle.0, it.matching_id);
                let comm = definitions.resource(Resource::File, it.handle.0);
                let begun = self.file_operation.take_if(|begun| *begun == own).and(comm);
                begun.map(|comm| end(CollectiveOp::BARRIER, comm))
            }
            _ => return self.window_event(definitions, time, event),
        };
        if let Some(what) = what {
            self.note(time, what);
        }
        true
    }
}

fn end(op: CollectiveOp, comm: u32) -> What {
    What::CollectiveEnd(CollectiveEnd { op, comm, root: ROOT_NONE, sent: 0, received: 0 })
}
