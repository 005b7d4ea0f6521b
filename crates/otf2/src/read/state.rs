//! What is open on a location at some place of its events: what a reader must know that begins
//! there, and not at the start.

use std::collections::BTreeMap;

use super::archive::Archive;
use super::bookmarks::{Bookmark, bookmarks};
use super::events::EventView;
use crate::error::Error;
use crate::event::Event;
use crate::reference::{CommRef, LocationRef, RegionRef};

/// A task instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// What a location runs where it runs no explicit task.
    #[default]
    Implicit,
    /// An explicit task by its name.
    Explicit {
        /// Team that it belongs to.
        team: CommRef,
        /// Number in the team of the thread that created it.
        creating_thread: u32,
        /// Its number among the tasks of that thread; never 0.
        generation: u32,
    },
    /// A task of the records that OTF2 1.2 has replaced.
    Omp(u64),
}

/// A region that was entered and not left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenRegion {
    /// Which.
    pub region: RegionRef,
    /// When it was entered, in ticks of the common clock.
    pub since: u64,
}

/// A lock that was acquired and not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLock {
    /// Its id.
    pub lock: u32,
    /// When it was acquired, in ticks of the common clock.
    pub since: u64,
}

/// What is open on a location. Follows its events one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The task that runs.
    pub current_task: Task,
    /// Open regions, from the outermost on, of every task that has begun here and is not complete;
    /// tasks that began on another location have only what they entered here.
    pub stacks: BTreeMap<Task, Vec<OpenRegion>>,
    /// The teams that the location is a member of, from the outermost on.
    pub teams: Vec<CommRef>,
    /// Locks in the order of their acquisition.
    pub locks: Vec<HeldLock>,
    /// Leaves without an Enter: the location was measured from its middle on, or events are lost.
    pub unmatched_leaves: u64,
}

impl State {
    /// The open regions of the task that runs, from the outermost on.
    pub fn stack(&self) -> &[OpenRegion] {
        self.stacks.get(&self.current_task).map_or(&[], Vec::as_slice)
    }

    /// Takes the next event of the location.
    pub fn follow(&mut self, event: EventView<'_>) {
        let since = event.time;
        match event.event {
            Event::Enter(it) => {
                let stack = self.stacks.entry(self.current_task).or_default();
                stack.push(OpenRegion { region: it.region, since });
            }
            Event::Leave(_) => {
                let stack = self.stacks.get_mut(&self.current_task);
                if stack.and_then(Vec::pop).is_none() {
                    self.unmatched_leaves += 1;
                }
            }
            Event::ThreadTeamBegin(it) => self.teams.push(it.thread_team),
            Event::ThreadTeamEnd(it) => {
                if let Some(place) = self.teams.iter().rposition(|&team| team == it.thread_team) {
                    self.teams.remove(place);
                }
            }
            Event::ThreadAcquireLock(it) => self.locks.push(HeldLock { lock: it.lock_id, since }),
            Event::OmpAcquireLock(it) => self.locks.push(HeldLock { lock: it.lock_id, since }),
            Event::ThreadReleaseLock(it) => self.release(it.lock_id),
            Event::OmpReleaseLock(it) => self.release(it.lock_id),
            event => self.follow_task(event),
        }
    }

    fn release(&mut self, lock: u32) {
        if let Some(place) = self.locks.iter().rposition(|held| held.lock == lock) {
            self.locks.remove(place);
        }
    }

    fn follow_task(&mut self, event: &Event) {
        let explicit = |team, creating_thread, generation| match generation {
            0 => Task::Implicit,
            _ => Task::Explicit { team, creating_thread, generation },
        };
        match event {
            Event::ThreadTaskSwitch(it) => {
                self.current_task =
                    explicit(it.thread_team, it.creating_thread, it.generation_number);
            }
            Event::ThreadTaskComplete(it) => {
                self.complete(explicit(it.thread_team, it.creating_thread, it.generation_number));
            }
            Event::OmpTaskSwitch(it) => self.current_task = Task::Omp(it.task_id),
            Event::OmpTaskComplete(it) => self.complete(Task::Omp(it.task_id)),
            _ => {}
        }
    }

    fn complete(&mut self, task: Task) {
        if task != Task::Implicit {
            self.stacks.remove(&task);
        }
        if self.current_task == task {
            self.current_task = Task::Implicit;
        }
    }
}

/// A chunk of an event file, and what is open at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkState {
    /// Where the chunk is.
    pub bookmark: Bookmark,
    /// Times of its first and of its last event, in ticks of the common clock; `None` without
    /// events.
    pub times: Option<(u64, u64)>,
    /// What is open in front of its first event.
    pub state: State,
}

impl Archive {
    /// The chunks of a location with what is open at the start of each, by one reading of all its
    /// events. What is damaged is left out; the errors stand beside.
    pub fn chunk_states(
        &self,
        location: LocationRef,
    ) -> Result<(Vec<ChunkState>, Vec<Error>), Error> {
        let path = self.event_path(location);
        let mut source = self.event_chunks(&path);
        let mut chunks: Vec<ChunkState> = bookmarks(&mut source, &path)?
            .into_iter()
            .map(|bookmark| ChunkState { bookmark, times: None, state: State::default() })
            .collect();
        let (mut state, mut errors, mut begun) = (State::default(), Vec::new(), 0);
        let mut events = self.events(location)?;
        // As an iterator, since the reader is asked for the chunk between an event and the next.
        while let Some(event) = events.next() {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let time = event.time;
            let number = usize::try_from(events.chunk()).unwrap_or(usize::MAX);
            // Chunks without events begin with the same state as the next one with some.
            for chunk in chunks.get_mut(begun..=number).unwrap_or_default() {
                chunk.state = state.clone();
            }
            begun = begun.max(number.saturating_add(1));
            if let Some(chunk) = chunks.get_mut(number) {
                chunk.times = Some((chunk.times.map_or(time, |(first, _)| first), time));
            }
            state.follow(event.view());
        }
        for chunk in chunks.get_mut(begun..).unwrap_or_default() {
            chunk.state = state.clone();
        }
        Ok((chunks, errors))
    }
}
