//! A trace for old readers: OTF2 before 1.2 has records of its own for OpenMP, which newer archives
//! replace. On request they are written instead. Events of teams' threads have no counterpart
//! there, and are left out; a task's number is its creator's location and its generation.

use std::collections::HashMap;

use pompeii_live::{CHUNK_BYTES, Definition as Live, LiveProcess};
use pompeii_otf2::Error;
use pompeii_otf2::event::{
    Event, OmpAcquireLock, OmpFork, OmpJoin, OmpReleaseLock, OmpTaskComplete, OmpTaskCreate,
    OmpTaskSwitch,
};
use pompeii_otf2::folder::Folder;
use pompeii_otf2::read::{EventReader, FileChunks};
use pompeii_otf2::reference::{CommRef, LocationRef};
use pompeii_otf2::write::EventWriter;

use crate::communicators::places;

/// The places of a communicator's threads among the locations.
pub struct Teams(HashMap<u32, Vec<usize>>);

impl Teams {
    /// The teams of a process.
    pub fn new(live: &LiveProcess) -> Teams {
        let team = |definition: &Live| match *definition {
            Live::Communicator { id, .. } | Live::NestedCommunicator { id, .. } => {
                Some((id, places(live, definition).collect()))
            }
            _ => None,
        };
        Teams(live.definitions.iter().filter_map(team).collect())
    }

    fn task_id(&self, team: CommRef, thread: u32, generation: u32) -> u64 {
        let place = self.0.get(&team.0).and_then(|members| members.get(thread as usize));
        (place.copied().unwrap_or(0) as u64) << 32 | u64::from(generation)
    }

    /// The event as old readers know it; `None` where they know nothing like it.
    fn legacy(&self, event: Event) -> Option<Event> {
        let task = |team, thread, generation| self.task_id(team, thread, generation);
        Some(match event {
            Event::ThreadTeamBegin(_) | Event::ThreadTeamEnd(_) => return None,
            Event::ThreadFork(of) => Event::OmpFork(OmpFork {
                number_of_requested_threads: of.number_of_requested_threads,
            }),
            Event::ThreadJoin(_) => Event::OmpJoin(OmpJoin {}),
            Event::ThreadAcquireLock(of) => Event::OmpAcquireLock(OmpAcquireLock {
                lock_id: of.lock_id,
                acquisition_order: of.acquisition_order,
            }),
            Event::ThreadReleaseLock(of) => Event::OmpReleaseLock(OmpReleaseLock {
                lock_id: of.lock_id,
                acquisition_order: of.acquisition_order,
            }),
            Event::ThreadTaskCreate(of) => Event::OmpTaskCreate(OmpTaskCreate {
                task_id: task(of.thread_team, of.creating_thread, of.generation_number),
            }),
            Event::ThreadTaskSwitch(of) => Event::OmpTaskSwitch(OmpTaskSwitch {
                task_id: task(of.thread_team, of.creating_thread, of.generation_number),
            }),
            Event::ThreadTaskComplete(of) => Event::OmpTaskComplete(OmpTaskComplete {
                task_id: task(of.thread_team, of.creating_thread, of.generation_number),
            }),
            other => other,
        })
    }

    /// Writes an event file anew, next to it first, so that it is whole at any time. Returns the
    /// number of its events.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub fn rewrite(&self, folder: &Folder, name: &str) -> Result<u64, Error> {
        let (path, new) = (folder.shown(name), format!("{name}.legacy"));
        let mut writer = EventWriter::new(folder.create(&new)?, &folder.shown(&new), CHUNK_BYTES);
        let chunks = FileChunks::new(&folder.at(name), CHUNK_BYTES as u64);
        for record in EventReader::new(chunks, &path, CHUNK_BYTES as u64, LocationRef(0)) {
            let record = record?;
            if let Some(event) = self.legacy(record.event) {
                writer.event(record.time, &event, &record.attributes)?;
            }
        }
        let events = writer.events();
        writer.finish()?;
        folder.rename(&new, folder, name)?;
        Ok(events)
    }
}
