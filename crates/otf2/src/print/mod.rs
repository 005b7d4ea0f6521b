//! Archives as text, in the columns of `otf2-print`: scripts that read its output can read this.
//!
//! ```
//! use pompeii_otf2::print::{Options, Printer};
//! use pompeii_otf2::read::Archive;
//!
//! # let anchor = std::path::Path::new("tests/samples/minimal/traces.otf2");
//! let archive = Archive::open(anchor)?;
//! let mut printer = Printer::new(&archive, Options::default(), Vec::new());
//! printer.events_head()?;
//! for event in archive.merged()? {
//!     printer.event(event?.view())?;
//! }
//! let text = String::from_utf8(printer.finish()?)?;
//! assert!(text.lines().nth(3).is_some_and(|line| line.starts_with("ENTER ")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where it differs, on purpose:
//!
//! * a single clock offset counts; the reference library ignores it;
//! * records and values of OTF2 3.1 and 3.2 have names, where version 3.0 prints `UNKNOWN` or
//!   `INVALID`;
//! * mapping tables and clock offsets are printed together with the global definitions, if both are
//!   asked for;
//! * names in the graph of the system tree are escaped, and control characters in all names, unless
//!   [`Options::raw`] asks for them;
//! * definitions whose names are missing, and forward references, end in `INVALID`, not in a crash.

mod definitions;
mod events;
mod line;
mod names;
mod number;
mod printable;
mod system_tree;

use std::borrow::Cow;
use std::io::{self, Write};

use crate::definition::Definition;
use crate::read::{Archive, EventView, SnapshotRecord};
use crate::reference::LocationRef;
use crate::thumbnail::Thumbnail;
use events::RegionLines;
use line::{plural, shown};
use names::Names;

pub use printable::{acts_on_a_terminal, printable, printable_bytes, printable_json};
pub use system_tree::system_tree;

/// Written out when that much has come together.
const BUFFER_BYTES: usize = 64 << 10;
const INFO_COLUMNS: usize = 30;
const RULER: &str =
    "--------------------------------------------------------------------------------";

/// How times are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// In ticks.
    #[default]
    Plain,
    /// In ticks since this one.
    Since(u64),
}

impl Times {
    fn text(self, time: u64) -> String {
        match self {
            _ if time == u64::MAX => "UNDEFINED".to_owned(),
            Times::Plain => time.to_string(),
            Times::Since(offset) if time < offset => format!("-{}", offset - time),
            Times::Since(offset) => (time - offset).to_string(),
        }
    }
}

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How times are printed.
    pub times: Times,
    /// The callers of calling contexts, too.
    pub unwind: bool,
    /// Names as they stand in the archive, control characters included.
    pub raw: bool,
    /// Seconds that local time is ahead of UTC at a time, in seconds since 1970.
    pub utc_offset: fn(i64) -> i32,
}

impl Default for Options {
    fn default() -> Options {
        Options { times: Times::Plain, unwind: false, raw: false, utc_offset: |_| 0 }
    }
}

/// Prints the parts of an archive, each by a function; the caller says which, and in which order.
#[derive(Debug)]
pub struct Printer<'a, W> {
    archive: &'a Archive,
    options: Options,
    names: Names,
    /// Definitions whose names are known.
    named: usize,
    region_lines: RegionLines,
    text: Vec<u8>,
    out: W,
}

impl<'a, W: Write> Printer<'a, W> {
    /// Prints to `out`, which needs no buffer.
    pub fn new(archive: &'a Archive, options: Options, out: W) -> Printer<'a, W> {
        let (names, region_lines, text) = (Names::new(options.raw), RegionLines::new(), Vec::new());
        Printer { archive, options, names, named: 0, region_lines, text, out }
    }

    /// Appends text as it is.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.text.extend_from_slice(text.as_bytes());
        self.write_if_full()
    }

    /// Writes everything out; returns what was given.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    /// Writes what was printed so far.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        self.out.flush()
    }

    #[inline]
    fn write_if_full(&mut self) -> io::Result<()> {
        if self.text.len() < BUFFER_BYTES {
            return Ok(());
        }
        let written = self.out.write_all(&self.text);
        self.text.clear();
        written
    }

    /// What the anchor says.
    pub fn anchor(&mut self) -> io::Result<()> {
        let anchor = self.archive.anchor();
        let [major, minor, bugfix] = anchor.version;
        self.text("\nContent of OTF2 anchor file:\n")?;
        self.info("Version", &format!("{major}.{minor}.{bugfix}"))?;
        self.info("Chunk size events", &anchor.event_chunk_bytes.to_string())?;
        self.info("Chunk size definitions", &anchor.definition_chunk_bytes.to_string())?;
        self.info("File substrate", &shown(anchor.substrate))?;
        self.info("Compression", &shown(anchor.compression))?;
        self.info("Number of locations", &anchor.locations.to_string())?;
        self.info("Number of global definitions", &anchor.global_definitions.to_string())?;
        self.info("Machine name", &self.foreign(&anchor.machine))?;
        self.info("Creator", &self.foreign(&anchor.creator))?;
        self.info("Description", &self.foreign(&anchor.description))?;
        self.info("Number of properties", &anchor.properties.len().to_string())?;
        for (name, value) in &anchor.properties {
            self.info("Property name", &self.foreign(name))?;
            self.info("Property value", &self.foreign(value))?;
        }
        self.info("Trace identifier", &format!("{:x}", anchor.trace_id))?;
        self.info("Number of snapshots", &anchor.snapshots.to_string())?;
        self.info("Number of thumbnails", &anchor.thumbnails.to_string())
    }

    /// Text of the archive, as it is shown.
    fn foreign<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.raw { Cow::Borrowed(text) } else { printable(text) }
    }

    fn info(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.text(&format!("{name:INFO_COLUMNS$} {value}\n"))
    }

    /// A record of the thumbnail with this number; `sample` counts its samples.
    pub fn thumbnail(&mut self, number: u32, sample: u32, it: &Thumbnail) -> io::Result<()> {
        let list = |label: &str, numbers: &[u64]| {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let between = if numbers.is_empty() { "" } else { ": " };
            format!("{label}{}{between}{}", plural(numbers.len(), "", "s"), numbers.join(", "))
        };
        match it {
            Thumbnail::Header(it) => self.text(&format!(
                "{:16} {number:12}  Name: \"{}\", Description: \"{}\", Type: {}, Samples: {}, {} {}\n",
                "THUMBNAIL_HEADER",
                self.foreign(&it.name),
                self.foreign(&it.description),
                shown(it.thumbnail_type),
                it.number_of_samples,
                it.definitions.len(),
                list("Metric", &it.definitions),
            )),
            Thumbnail::Sample(it) => self.text(&format!(
                "{:16} {sample:12}  Baseline: {}, {}\n",
                "THUMBNAIL_SAMPLE",
                it.baseline,
                list("Metric", &it.metrics),
            )),
            Thumbnail::Unknown(_) => Ok(()),
        }
    }

    /// All global definitions.
    pub fn global_definitions(&mut self) -> io::Result<()> {
        self.text("\n=== Global Definitions =========================================================\n\n")?;
        self.text(&format!("{:27} {:>12}  Attributes\n{RULER}\n", "Definition", "ID"))?;
        let archive = self.archive;
        for definition in archive.definitions() {
            self.names.add(definition);
            self.named += 1;
            definitions::global(&mut self.text, &self.names, &self.options, definition);
            self.write_if_full()?;
        }
        Ok(())
    }

    /// The head of the table of local definitions.
    pub fn local_definitions_head(&mut self) -> io::Result<()> {
        self.text("\n=== Per Location Definitions ===================================================\n\n")?;
        self.text(&format!("{:27} {:>12}  Attributes\n{RULER}\n", "Definition", "Location"))
    }

    /// A mapping table or clock offset of a location; other local definitions are not printed.
    pub fn local_definition(&mut self, location: LocationRef, it: &Definition) -> io::Result<()> {
        definitions::local(&mut self.text, &self.names, location, it);
        self.write_if_full()
    }

    /// The title of the table of events.
    pub fn events_title(&mut self) -> io::Result<()> {
        self.text(
            "=== Events =====================================================================\n",
        )
    }

    /// The title of the table of snapshots.
    pub fn snapshots_title(&mut self) -> io::Result<()> {
        self.text(
            "=== Snapshots ==================================================================\n",
        )
    }

    /// The head of the table of events.
    pub fn events_head(&mut self) -> io::Result<()> {
        self.head("Event")
    }

    /// The head of the table of snapshots.
    pub fn snapshots_head(&mut self) -> io::Result<()> {
        self.head("Snapshot")
    }

    fn head(&mut self, what: &str) -> io::Result<()> {
        self.name_all();
        self.text(&format!(
            "{what:32} {:>15} {:>20}  Attributes\n{RULER}\n",
            "Location", "Timestamp"
        ))
    }

    /// Takes the names of definitions that were not printed.
    fn name_all(&mut self) {
        for definition in self.archive.definitions().get(self.named..).unwrap_or_default() {
            self.names.add(definition);
            self.named += 1;
        }
    }

    /// An event; its names are known once a head was printed.
    #[inline]
    pub fn event(&mut self, event: EventView<'_>) -> io::Result<()> {
        let (text, lines) = (&mut self.text, &mut self.region_lines);
        events::event(text, &self.names, &self.options, lines, event);
        self.write_if_full()
    }

    /// A record of a snapshot of a location.
    pub fn snapshot(&mut self, location: LocationRef, it: &SnapshotRecord) -> io::Result<()> {
        let SnapshotRecord { time, record, attributes } = it;
        let place = (location, *time);
        let (text, names) = (&mut self.text, &self.names);
        events::snapshot(text, names, &self.options, place, record, attributes);
        self.write_if_full()
    }
}
