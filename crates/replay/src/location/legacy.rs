//! Records of OpenMP without teams: those that OTF2 1.2 has replaced, and those of writers that do
//! not number their teams, for example eztrace. Which threads belong to a parallel region is not
//! known, so nothing is found about its barriers. Locks and tasks are as in the other records; in
//! the replaced ones a task has one number in its process, and 0 is the implicit task.

use pompeii_otf2::event::Event;
use pompeii_otf2::reference::CommRef;

use super::{Context, Location};
use crate::engine::process::Missing;
use crate::engine::record::TaskId;

/// Stands for the team of a task: no communicator has this number.
const NO_TEAM: u32 = u32::MAX;

/// Whether a thread begins its part of a parallel region whose team is known.
pub(super) fn begins_team(event: &Event) -> bool {
    matches!(event, Event::ThreadTeamBegin(it) if it.thread_team != CommRef::UNDEFINED)
}

/// Whether it is one of these records.
pub(super) fn is_legacy(event: &Event) -> bool {
    match event {
        Event::ThreadTeamBegin(it) => it.thread_team == CommRef::UNDEFINED,
        Event::ThreadTeamEnd(it) => it.thread_team == CommRef::UNDEFINED,
        _ => is_replaced(event),
    }
}

fn is_replaced(event: &Event) -> bool {
    matches!(
        event,
        Event::OmpFork(_)
            | Event::OmpJoin(_)
            | Event::OmpAcquireLock(_)
            | Event::OmpReleaseLock(_)
            | Event::OmpTaskCreate(_)
            | Event::OmpTaskSwitch(_)
            | Event::OmpTaskComplete(_)
    )
}

fn task(number: u64) -> TaskId {
    TaskId { team: NO_TEAM, thread: (number >> 32) as u32, generation: number as u32 }
}

impl Location {
    /// Takes such a record.
    pub(super) fn legacy(
        &mut self,
        context: &Context<'_>,
        time: u64,
        event: &Event,
    ) -> Result<(), Missing> {
        match event {
            Event::OmpFork(_) | Event::ThreadTeamBegin(_) => {
                self.forks_without_team += 1;
                self.account(time);
            }
            Event::OmpAcquireLock(it) => {
                self.acquire(context.definitions, time, (it.lock_id, it.acquisition_order));
            }
            Event::OmpReleaseLock(it) => {
                self.release_lock(time, (it.lock_id, it.acquisition_order));
            }
            Event::OmpTaskCreate(it) => self.create(time, task(it.task_id)),
            Event::OmpTaskSwitch(it) => self.switch(context, time, task(it.task_id))?,
            Event::OmpTaskComplete(it) => self.complete(context, time, task(it.task_id)),
            // A join, or the end of a part: the thread goes on at the call path that it is in.
            _ => self.account(time),
        }
        Ok(())
    }
}
