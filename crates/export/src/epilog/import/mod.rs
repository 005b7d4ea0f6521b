//! EPILOG as an archive of OTF2. The files are read twice: `survey.rs` finds their definitions, the
//! span of times and the teams, then `events.rs` writes the events. Damage is found in the first
//! pass, before anything is written. If each process has a file of its own, `numbers.rs` gives its
//! events the ids and the time of all.
//!
//! Memory follows the definitions and the number of forks, not the number of events.

mod definitions;
mod events;
mod files;
mod forks;
mod numbers;
mod processes;
mod records;
mod survey;

use std::path::Path;
use std::sync::atomic::AtomicU64;

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::write::{ArchiveWriter, Options};

use super::left_out::LeftOut;
use crate::source::Error;
use events::Events;
pub use files::Files;
use records::Input;
use survey::Survey;

/// A trace that has been read once.
#[derive(Debug)]
pub struct Source {
    input: Input,
    survey: Survey,
}

impl Source {
    /// Reads a trace for the first time. Adds the number of bytes that have been read to `done`,
    /// here and in [`Source::write`].
    ///
    /// # Errors
    /// A file cannot be read, or is damaged.
    pub fn open(files: &Files, done: &AtomicU64) -> Result<Source, Error> {
        let input = Input::new(files)?;
        let survey = Survey::new(input.records(done))?;
        Ok(Source { input, survey })
    }

    /// Writes `traces.otf2` and its files to a folder. Returns what OTF2 has no place for.
    ///
    /// # Errors
    /// A file has changed, or the archive cannot be written.
    pub fn write(&self, folder: &Path, done: &AtomicU64) -> Result<LeftOut, Error> {
        let mut writer = ArchiveWriter::create(folder, "traces", Options::default())?;
        let mut left_out = LeftOut::default();
        let plan = definitions::Plan::new(&self.survey)?;
        let mut events = Events::new(&self.survey, &plan, &writer)?;
        let mut records = self.input.records(done);
        while let Some(record) = records.next_record()? {
            events.record(&record, records.at(), &mut left_out)?;
        }
        let counts = events.finish()?;
        plan.define(&self.survey, &counts, &mut writer, &mut left_out)?;
        writer.finish(Anchor { creator: "Pompeii".to_owned(), ..Anchor::default() })?;
        Ok(left_out)
    }
}
