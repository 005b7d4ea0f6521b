//! Access of processes to each other's memory. A window has several events in a call of MPI;
//! together they are one record when the call ends, because waiting is known only then.

use pompeii_otf2::enums::LockType;
use pompeii_otf2::event::Event;

use super::Location;
use crate::definitions::{Class, Definitions, Resource};
use crate::engine::record::{Access, What, WindowCall};
use crate::engine::strand::Frame;

/// Operations that are remembered until they are complete: a trace that does not have the ends of
/// its operations must not take more and more memory.
const UNDER_WAY_MAX: usize = 10_000;

impl Location {
    /// Takes an event of a window; false if it is another one.
    pub(super) fn window_event(
        &mut self,
        definitions: &Definitions,
        time: u64,
        event: &Event,
    ) -> bool {
        let (window, access) = match event {
            Event::RmaGroupSync(it) => (it.win, self.group_sync(definitions, it.group.0)),
            Event::RmaRequestLock(it) => (it.win, Some(lock(it.remote, it.lock_type))),
            Event::RmaAcquireLock(it) => (it.win, Some(lock(it.remote, it.lock_type))),
            Event::RmaReleaseLock(it) => (it.win, Some(Access::Unlock(it.remote))),
            Event::RmaPut(it) => (it.win, self.transfer(it.win.0, it.remote, it.matching_id)),
            Event::RmaGet(it) => (it.win, self.transfer(it.win.0, it.remote, it.matching_id)),
            Event::RmaAtomic(it) => (it.win, self.transfer(it.win.0, it.remote, it.matching_id)),
            Event::RmaOpCompleteNonBlocking(it) => {
                (it.win, self.completed(definitions, it.win.0, it.matching_id))
            }
            _ => return false,
        };
        self.account(time);
        let window = definitions.resource(Resource::Window, window.0);
        if let (Some(window), Some(access), Some(frame)) =
            (window, access, self.mpi_call(definitions))
        {
            self.window_call = Some(WindowCall { window, since: frame.since, access });
        }
        true
    }

    /// The innermost region, if it is a call of MPI.
    fn mpi_call(&self, definitions: &Definitions) -> Option<Frame> {
        let frame = *self.strand.frames.last()?;
        let class = definitions.class(self.tree.region(frame.node));
        (class == Class::Mpi).then_some(frame)
    }

    /// The name of the call of MPI; empty if it is none.
    fn mpi_name<'d>(&self, definitions: &'d Definitions) -> &'d str {
        let call = self.mpi_call(definitions);
        call.map_or("", |frame| &definitions.regions[self.tree.region(frame.node)].name)
    }

    /// Records of groups are the same for both kinds of epochs: the call tells them apart.
    fn group_sync(&self, definitions: &Definitions, group: u32) -> Option<Access> {
        Some(match self.mpi_name(definitions) {
            "MPI_Win_post" => Access::Post(group),
            "MPI_Win_start" => Access::Start(group),
            "MPI_Win_complete" => Access::Complete,
            "MPI_Win_wait" => Access::Wait,
            "MPI_Win_test" => Access::Tested,
            _ => return None,
        })
    }

    /// An operation begins.
    fn transfer(&mut self, window: u32, target: u32, number: u64) -> Option<Access> {
        if self.under_way.len() < UNDER_WAY_MAX {
            self.under_way.insert((window, number), target);
        }
        Some(Access::Transfer(target))
    }

    /// An operation is complete. Only calls that flush have no other record of their own.
    fn completed(&mut self, definitions: &Definitions, window: u32, number: u64) -> Option<Access> {
        match self.mpi_name(definitions) {
            // Another call says that the operation is complete at its target, too.
            "MPI_Win_flush_local" => self.under_way.get(&(window, number)).copied(),
            "MPI_Win_flush" => self.under_way.remove(&(window, number)),
            _ => {
                self.under_way.remove(&(window, number));
                None
            }
        }
        .map(Access::Flush)
    }

    /// A call of MPI ends: its record, if it has to do with a window.
    pub(super) fn leave_window_call(&mut self, frame: Frame) {
        if let Some(call) = self.window_call.take_if(|call| call.since == frame.since) {
            self.record((frame.node, frame.visit), What::WindowCall(call));
        }
    }
}

fn lock(target: u32, lock_type: LockType) -> Access {
    Access::Lock { target, is_exclusive: lock_type == LockType::EXCLUSIVE }
}
