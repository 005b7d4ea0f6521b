//! An open trace: its definitions, and its tables by their names.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pompeii_analysis::trace::Severities;
use pompeii_model::{Cube, LocationId};
use pompeii_otf2::read::Archive;
use pompeii_replay::archive::definitions;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::stream::Stream;
use pompeii_replay::engine::window::Trace as Streams;
use pompeii_replay::table::{Content, TABLES, Wanted};
use pompeii_replay::{Options, replay};

use crate::error::Error;
use crate::events::{self, EVENTS};
use crate::facts::{self, Facts};
use crate::numbering::{Numbering, Translation};

/// A trace.
pub struct Trace {
    archive: Arc<Archive>,
    definitions: Arc<Definitions>,
    numbering: Arc<Mutex<Numbering>>,
    threads: usize,
    /// What is wrong with the definitions.
    problems: Vec<String>,
}

impl Trace {
    /// Opens the anchor file of an archive. What of its definitions cannot be read is left out, and
    /// told by [`Trace::problems`].
    ///
    /// # Errors
    /// An anchor that cannot be read.
    pub fn open(anchor: &Path) -> Result<Trace, Error> {
        let (archive, errors) = Archive::salvage(anchor)?;
        let definitions = Arc::new(definitions(&archive));
        Ok(Trace {
            archive: Arc::new(archive),
            definitions,
            numbering: Arc::default(),
            threads: available_parallelism().map_or(1, usize::from),
            problems: errors.iter().map(ToString::to_string).collect(),
        })
    }

    /// Regions, locations and the clock. The numbers in all tables of the trace are those of here.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// What of the definitions could not be read.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The names of all tables.
    pub fn tables() -> impl Iterator<Item = &'static str> {
        std::iter::once(EVENTS).chain(TABLES.iter().copied())
    }

    /// A table by its name.
    ///
    /// # Errors
    /// A name that is none, or an archive that cannot be read.
    pub fn table(&self, name: &str) -> Result<Table, Error> {
        if name == EVENTS {
            return Ok(Table::Events(Box::new(self.events()?)));
        }
        let schema = self.schema(name)?;
        Ok(Table::Facts(self.facts(&[name])?, schema))
    }

    /// The names and types of a table's columns. No event is read for them.
    ///
    /// # Errors
    /// A name that is none.
    pub fn schema(&self, name: &str) -> Result<SchemaRef, Error> {
        if name == EVENTS {
            return Ok(self.events()?.schema());
        }
        let empty = Content::empty(name).ok_or_else(|| no_table(name))?;
        let of_location = (name != "calls").then_some(LocationId(0));
        Ok(facts::batch_of(&empty, of_location, &Translation::default())?.schema())
    }

    /// The records of all locations, one location after the other.
    ///
    /// # Errors
    /// Those of Arrow.
    pub fn events(&self) -> Result<events::Events, Error> {
        events::Events::new(self.archive.clone(), self.definitions.clone())
    }

    /// The rows of several tables, from one analysis. Call paths come before the rows that name
    /// them, rows of a location in the order in which they are complete.
    ///
    /// # Errors
    /// As for [`Trace::table`].
    pub fn facts(&self, tables: &[&str]) -> Result<Facts, Error> {
        let table = |name: &&str| {
            let known = TABLES.iter().copied().find(|known| known == name);
            known.ok_or_else(|| no_table(name))
        };
        let tables: Vec<&'static str> = tables.iter().map(table).collect::<Result<_, Error>>()?;
        let is_stopped = Arc::<AtomicBool>::default();
        let stoppable = |stream| match stream {
            Stream::File(reader) => Stream::Stoppable(Box::new((*reader, is_stopped.clone()))),
            other => other,
        };
        let Streams { definitions, streams } = pompeii_replay::trace(&self.archive)?;
        let streams: Vec<Stream> = streams.into_iter().map(stoppable).collect();
        let (threads, wanted) = (self.threads, Wanted::of(&tables));
        let options = Options { threads, compounds: false, tables: wanted, ..Options::default() };
        let input = Streams { definitions, streams };
        Ok(Facts::start(input, options, tables, (self.numbering.clone(), is_stopped)))
    }

    /// The severities of all properties, as `pompeii analyze` finds them.
    ///
    /// # Errors
    /// An archive that cannot be read.
    pub fn cube(&self) -> Result<Cube, Error> {
        Ok(pompeii_analysis::derive(&self.measured()?))
    }

    /// The values that these are derived from.
    pub(crate) fn measured(&self) -> Result<Cube, Error> {
        let options = Options { threads: self.threads, path: true, ..Options::default() };
        let mut severities = Severities::default();
        let events = pompeii_replay::trace(&self.archive)?;
        let outcome = replay(events, options, &mut |found| severities.note(&found));
        Ok(severities.cube(&outcome))
    }

    /// The call paths that have numbers so far, in their order: the number of the parent, and the
    /// region.
    pub(crate) fn numbered_calls(&self) -> Vec<(Option<u32>, u32)> {
        self.numbering.lock().unwrap_or_else(PoisonError::into_inner).in_order()
    }
}

fn no_table(name: &str) -> Error {
    let known: Vec<&str> = Trace::tables().collect();
    Error::NoTable { name: name.to_owned(), known: known.join(", ") }
}

/// The rows of a table of a trace, as they are asked for.
pub enum Table {
    /// The records of the trace.
    Events(Box<events::Events>),
    /// What the engine finds, with the columns that it has.
    Facts(Facts, SchemaRef),
}

impl Table {
    /// What could not be read; complete when all rows have come.
    pub fn problems(&self) -> &[String] {
        match self {
            Table::Events(events) => events.problems(),
            Table::Facts(facts, _) => facts.problems(),
        }
    }
}

impl Iterator for Table {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Table::Events(events) => events.next(),
            Table::Facts(facts, _) => {
                facts.next().map(|rows| rows.map(|rows| rows.batch).map_err(ArrowError::from))
            }
        }
    }
}

impl RecordBatchReader for Table {
    fn schema(&self) -> SchemaRef {
        match self {
            Table::Events(events) => events.schema(),
            Table::Facts(_, schema) => schema.clone(),
        }
    }
}
