//! Items of `depend` clauses as they come with the creations of tasks, and what follows from them
//! for the tasks of a team. The rule is in `depend.rs`.

use pompeii_model::{DependKind, LocationId};

use super::Tasks;
use super::compound::{Awaited, TaskStep};
use super::depend::{After, Instance, Item};
use super::state::{Done, Task};
use crate::compound::Compound;
use crate::engine::matcher::Found;
use crate::engine::record::TaskId;

impl Tasks {
    /// The task that the location creates next has this item.
    pub(super) fn note_item(&mut self, at: LocationId, (kind, address): (DependKind, u64)) {
        if let Some(part) = self.part(at) {
            part.items.push(Item { kind, address });
        }
    }

    /// It has items whose addresses are not known.
    pub(super) fn note_unknown(&mut self, at: LocationId) {
        if let Some(part) = self.part(at) {
            part.has_unknown = true;
        }
    }

    /// The running task of the location creates this one. `None` if that has no known items.
    pub(super) fn take_items(&mut self, at: LocationId, task: Instance) -> Option<After> {
        let part = self.part(at)?;
        let (items, has_unknown) =
            (std::mem::take(&mut part.items), std::mem::take(&mut part.has_unknown));
        if items.is_empty() && !has_unknown {
            return None;
        }
        let team = part.team;
        let after = self.current(at)?.siblings.get_or_insert_default().add(task, &items);
        if let Some(team) = self.teams.get_mut(&team) {
            let is_exclusive = items.iter().any(|item| item.kind == DependKind::Mutex);
            team.dependences.tasks += 1;
            team.dependences.edges += after.tasks.len() as u64;
            team.dependences.unknown += u64::from(has_unknown || is_exclusive);
        }
        (!items.is_empty()).then_some(after)
    }

    /// Tells that a task is created, and what it comes after.
    pub(super) fn tell_creation(
        &mut self,
        at: LocationId,
        serial: u64,
        (after, found): (Option<&After>, Found<'_>),
    ) {
        for (_, before) in after.iter().flat_map(|after| &after.tasks) {
            self.tell(at, TaskStep::After(*before), found);
        }
        self.tell(at, TaskStep::Create(serial), found);
        if after.is_some() {
            self.tell(at, TaskStep::Depends(serial), found);
        }
    }

    /// The tasks that this one comes after will tell it when they are done. The longest chain to
    /// its creation, and to the end of those that are done already, is `path`.
    pub(super) fn connect(&mut self, task: Instance, path: i64, after: After) {
        let mut not_done = 0;
        for (id, serial) in after.tasks {
            let before = self.live.get_mut(&id).filter(|before| before.serial == serial);
            if let Some(before) = before {
                before.depend.get_or_insert_default().next.push(task);
                not_done += 1;
            }
        }
        if let Some(created) = self.live.get_mut(&task.0) {
            if not_done > 0 {
                created.ready = None;
            }
            let depend = created.depend.get_or_insert_default();
            (depend.begin, depend.member_of, depend.before) = (path, after.member_of, not_done);
        }
    }

    /// A task is done: those that come after it have at least the length of its chain, and may
    /// begin if all tasks before them are done.
    pub(super) fn tell_next(&mut self, (by, done): (TaskId, &Task), at: Done, found: Found<'_>) {
        let Some(depend) = &done.depend else { return };
        let is_awaited = self.teams.get(&done.team).is_some_and(|team| team.idle > 0);
        let path = done.strand.path;
        let siblings = done.owner.and_then(|owner| self.strand_of(owner)?.siblings.as_mut());
        if let Some(siblings) = siblings {
            siblings.done(&depend.member_of, path);
        }
        for (id, serial) in &depend.next {
            let Some(next) = self.live.get_mut(id).filter(|next| next.serial == *serial) else {
                continue;
            };
            let Some(depend) = &mut next.depend else { continue };
            // By the clock of another thread it may have begun and have worked already.
            let more = path.saturating_sub(depend.begin).max(0);
            depend.begin += more;
            next.strand.path = next.strand.path.saturating_add(more);
            depend.before = depend.before.saturating_sub(1);
            if depend.before == 0 && next.begun.is_none() {
                (next.ready, next.is_freed) = (Some((at.time, at.place)), true);
                if is_awaited {
                    found(Compound::Awaited(Awaited::Freed { task: *id, by }));
                }
            }
        }
    }
}
