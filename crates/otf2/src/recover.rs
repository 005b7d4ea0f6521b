//! Archives whose writer died: their events may be complete up to the last chunk that was written,
//! but the anchor is written last, and nothing reads an archive without it.
//!
//! What can be found out is found out: sizes of chunks from the places of their headers, locations
//! from the names of files, regions from events. What is left of the definitions is kept.
//! Definition files that are replaced keep their old bytes beside them, as `*.damaged`; event files
//! are cut behind their last whole event.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::anchor::Anchor;
use crate::chunk::{self, END_OF_CHUNK, Header};
use crate::definition::{
    ClockProperties, Definition, Location, LocationGroup, Region, SystemTreeNode,
};
use crate::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use crate::error::{Error, io_error};
use crate::event::Event;
use crate::folder::{Folder, open_regular};
use crate::read::{Archive, Bytes, DefinitionReader};
use crate::reference::*;
use crate::wire::read_framed;
use crate::write::{ArchiveWriter, Options, seal_file, write_local};

/// Largest chunk that a library makes.
const CHUNK_BYTES_MAX: u64 = chunk::MAX_CHUNK_BYTES as u64;
/// Stands in for a clock that is not defined: ticks are taken for nanoseconds.
const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// What was made of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Locations that have events.
    pub locations: u64,
    /// Events of all locations.
    pub events: u64,
    /// Global definitions that were still there.
    pub definitions_kept: u64,
    /// Global definitions that had to be made up, in words.
    pub made_up: Vec<String>,
    /// What was wrong, in words.
    pub problems: Vec<String>,
}

/// Makes the archive with this anchor, which need not exist, readable again. `None`: it can be read
/// as it is, and nothing was changed.
pub fn recover(anchor: &Path) -> Result<Option<Recovered>, Error> {
    if is_complete(anchor) {
        return Ok(None);
    }
    let folder = Folder::open(anchor.parent().unwrap_or(Path::new("")))?;
    let name = anchor.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let files = folder.below(&name)?;
    let locations = locations_in(&files)?;
    let known = bytes_of(&folder, &format!("{name}.otf2"))?;
    let known = known.and_then(|bytes| Anchor::read(anchor, &bytes).ok());
    let recovery = Recovery { folder, name, files, known, done: Recovered::default() };
    recovery.run(&locations).map(Some)
}

/// Whether an archive has its anchor, all definitions and the end marks of all event files.
fn is_complete(anchor: &Path) -> bool {
    let Ok(archive) = Archive::open(anchor) else { return false };
    let counted = archive.definitions().len() as u64 == archive.anchor().global_definitions;
    let ends = |location: &Location| {
        let events = archive.raw_events(location.id);
        archive.local(location.id).is_ok() && events.is_ok_and(|mut all| all.all(|it| it.is_ok()))
    };
    counted && archive.locations().all(ends)
}

/// The locations that have an event file, by their ids.
fn locations_in(files: &Folder) -> Result<Vec<LocationRef>, Error> {
    let names = files.names()?;
    let id = |name: &OsString| name.to_str()?.strip_suffix(".evt")?.parse().ok();
    let mut locations: Vec<LocationRef> = names.iter().filter_map(id).map(LocationRef).collect();
    locations.sort();
    Ok(locations)
}

struct Recovery {
    folder: Folder,
    name: String,
    files: Folder,
    known: Option<Anchor>,
    done: Recovered,
}

impl Recovery {
    fn run(mut self, locations: &[LocationRef]) -> Result<Recovered, Error> {
        let options = self.sizes(locations)?;
        let mut definitions = self.global_definitions(options.definition_chunk_bytes as u64)?;
        self.done.definitions_kept = definitions.len() as u64;
        let mut counts = Vec::new();
        for &location in locations {
            let name = format!("{}.evt", location.0);
            let path = self.files.shown(&name);
            if !has_end_marks(&self.files, &name)? {
                self.problem(format!(
                    "{} has no end mark; its whole events are kept",
                    path.display()
                ));
            }
            let sealed = seal_file(&self.files, &name, options.event_chunk_bytes)?;
            if sealed.damaged_chunks > 0 {
                let chunks = sealed.damaged_chunks;
                self.problem(format!("{}: events are lost in {chunks} chunks", path.display()));
            }
            self.done.locations += 1;
            self.done.events += sealed.events;
            counts.push((location, sealed.events, sealed.first_time, sealed.last_time));
        }
        self.keep_damaged_local_files(locations, &options)?;
        let span = |pick: fn(u64, u64) -> u64, times: Vec<u64>| times.into_iter().reduce(pick);
        let first = span(u64::min, counts.iter().filter_map(|it| it.2).collect()).unwrap_or(0);
        let last = span(u64::max, counts.iter().filter_map(|it| it.3).collect()).unwrap_or(first);
        self.add_system(&mut definitions, first, last);
        for &(location, events, ..) in &counts {
            self.add_location(&mut definitions, location, events);
        }
        let anchor = self.write(&definitions, options)?;
        self.add_regions(&mut definitions, &anchor)?;
        self.write(&definitions, options)?;
        Ok(self.done)
    }

    fn problem(&mut self, what: String) {
        self.done.problems.push(what);
    }

    /// Sizes of chunks: those of the anchor, or what the headers of second chunks say.
    fn sizes(&mut self, locations: &[LocationRef]) -> Result<Options, Error> {
        if let Some(anchor) = &self.known {
            return Ok(Options {
                event_chunk_bytes: anchor.event_chunk_bytes as usize,
                definition_chunk_bytes: anchor.definition_chunk_bytes as usize,
                endian: anchor.endian,
            });
        }
        let global = self.folder.at(&format!("{}.def", self.name));
        let of = |extension: &str| {
            let file = |location: &LocationRef| format!("{}.{extension}", location.0);
            locations.iter().map(|location| self.files.at(&file(location))).collect::<Vec<_>>()
        };
        let mut options = Options::default();
        let (events, mut definitions) = (of("evt"), of("def"));
        definitions.push(global);
        options.event_chunk_bytes =
            chunk_bytes(&events, |bytes| chunk::scan(bytes).map_or(0, |scan| scan.used_bytes))
                .unwrap_or(options.event_chunk_bytes);
        options.definition_chunk_bytes =
            chunk_bytes(&definitions, framed_bytes).unwrap_or(options.definition_chunk_bytes);
        self.problem("the anchor is missing or cannot be read".to_owned());
        Ok(options)
    }

    /// What is left of the global definitions.
    fn global_definitions(&mut self, chunk_bytes: u64) -> Result<Vec<Definition>, Error> {
        let name = format!("{}.def", self.name);
        let path = self.folder.shown(&name);
        let Some(bytes) = bytes_of(&self.folder, &name)? else {
            self.problem(format!("{} is missing", path.display()));
            return Ok(Vec::new());
        };
        let source = Bytes::new(bytes.as_slice(), chunk_bytes);
        let mut definitions = Vec::new();
        let mut damaged = false;
        for definition in DefinitionReader::new(source, &path, chunk_bytes) {
            match definition {
                Ok(definition) => definitions.push(definition),
                Err(error) => {
                    damaged = true;
                    self.problem(error.to_string());
                }
            }
        }
        if damaged {
            keep(&self.folder, &name, &bytes)?;
        }
        Ok(definitions)
    }

    /// Writes what can be read of local definitions that are damaged.
    fn keep_damaged_local_files(
        &mut self,
        locations: &[LocationRef],
        options: &Options,
    ) -> Result<(), Error> {
        let chunk_bytes = options.definition_chunk_bytes as u64;
        for location in locations {
            let name = format!("{}.def", location.0);
            let path = self.files.shown(&name);
            let Some(bytes) = bytes_of(&self.files, &name)? else { continue };
            let source = Bytes::new(bytes.as_slice(), chunk_bytes);
            let (good, bad): (Vec<_>, Vec<_>) =
                DefinitionReader::local(source, &path, chunk_bytes).partition(Result::is_ok);
            if let Some(Err(error)) = bad.into_iter().next() {
                self.problem(error.to_string());
                keep(&self.files, &name, &bytes)?;
                let good: Vec<Definition> = good.into_iter().flatten().collect();
                write_local(&self.files, &name, &good, options)?;
            }
        }
        Ok(())
    }

    /// The clock and a machine with a process, as far as they are missing.
    fn add_system(&mut self, definitions: &mut Vec<Definition>, first: u64, last: u64) {
        let is_clock = |it: &Definition| matches!(it, Definition::ClockProperties(_));
        if !definitions.iter().any(is_clock) {
            let clock = ClockProperties {
                timer_resolution: TICKS_PER_SECOND,
                global_offset: first,
                trace_length: last - first,
                realtime_timestamp: u64::MAX,
            };
            definitions.insert(0, clock.into());
            let what = "the clock (its resolution is not known: ticks are taken for nanoseconds)";
            self.done.made_up.push(what.to_owned());
        }
        // By convention, string 0 is empty.
        string(definitions, "");
        let is_node = |it: &Definition| matches!(it, Definition::SystemTreeNode(_));
        if !definitions.iter().any(is_node) {
            let name = string(definitions, "machine");
            let (id, parent) = (SystemTreeNodeRef(0), SystemTreeNodeRef::UNDEFINED);
            definitions.push(SystemTreeNode { id, name, class_name: name, parent }.into());
            self.done.made_up.push("a machine".to_owned());
        }
        let is_group = |it: &Definition| matches!(it, Definition::LocationGroup(_));
        if !definitions.iter().any(is_group) {
            let name = string(definitions, "process");
            let node = definitions.iter().find_map(|it| match it {
                Definition::SystemTreeNode(node) => Some(node.id),
                _ => None,
            });
            let group = LocationGroup {
                id: LocationGroupRef(0),
                name,
                location_group_type: LocationGroupType::PROCESS,
                system_tree_parent: node.unwrap_or_default(),
                ..LocationGroup::default()
            };
            definitions.push(group.into());
            self.done.made_up.push("a process".to_owned());
        }
    }

    /// A location with its number of events.
    fn add_location(
        &mut self,
        definitions: &mut Vec<Definition>,
        location: LocationRef,
        number_of_events: u64,
    ) {
        for definition in definitions.iter_mut() {
            if let Definition::Location(known) = definition
                && known.id == location
            {
                known.number_of_events = number_of_events;
                return;
            }
        }
        let name = string(definitions, &format!("location {location}"));
        let group = definitions.iter().find_map(|it| match it {
            Definition::LocationGroup(group) => Some(group.id),
            _ => None,
        });
        let made_up = Location {
            id: location,
            name,
            location_type: LocationType::CPU_THREAD,
            number_of_events,
            location_group: group.unwrap_or_default(),
        };
        definitions.push(made_up.into());
        self.done.made_up.push(format!("location {location}"));
    }

    /// Regions that events mention and nothing defines.
    fn add_regions(
        &mut self,
        definitions: &mut Vec<Definition>,
        anchor: &Path,
    ) -> Result<(), Error> {
        let archive = Archive::open(anchor)?;
        let mut unknown = BTreeSet::new();
        for location in archive.locations() {
            let mut events = archive.events(location.id)?;
            while let Some(event) = events.read_next() {
                if let Ok(event) = event
                    && let Event::Enter(crate::event::Enter { region })
                    | Event::Leave(crate::event::Leave { region }) = event.event
                    && !region.is_undefined()
                    && archive.region(region).is_none()
                {
                    unknown.insert(region);
                }
            }
        }
        for &region in &unknown {
            let name = string(definitions, &format!("region {region}"));
            let made_up = Region {
                id: region,
                name,
                canonical_name: name,
                region_role: RegionRole::FUNCTION,
                paradigm: Paradigm::UNKNOWN,
                ..Region::default()
            };
            definitions.push(made_up.into());
        }
        if !unknown.is_empty() {
            self.done.made_up.push(format!("{} regions, by their numbers", unknown.len()));
        }
        Ok(())
    }

    fn write(&self, definitions: &[Definition], options: Options) -> Result<PathBuf, Error> {
        let mut writer = ArchiveWriter::create_in(self.folder.again()?, &self.name, options)?;
        for definition in definitions {
            writer.define(definition.clone())?;
        }
        let anchor = self.known.clone().unwrap_or_else(|| Anchor {
            creator: "pompeii recover".to_owned(),
            description: "recovered: its writer did not complete it".to_owned(),
            ..Anchor::default()
        });
        writer.finish(anchor)
    }
}

/// The id of a text among the definitions, which is added in front of what may refer to it.
fn string(definitions: &mut Vec<Definition>, text: &str) -> StringRef {
    let strings = definitions.iter().filter_map(|it| match it {
        Definition::String(string) => Some(string),
        _ => None,
    });
    let (mut free, mut found) = (0, None);
    for string in strings {
        free = free.max(string.id.0.wrapping_add(1));
        found = found.or((string.string == text).then_some(string.id));
    }
    found.unwrap_or_else(|| {
        let id = StringRef(free);
        definitions.push(crate::definition::String { id, string: text.to_owned() }.into());
        id
    })
}

/// Size of the chunks of files of one kind: the distance of the second header from the first in any
/// of them. `None`: all have one chunk at most, so that any size is right.
fn chunk_bytes(files: &[PathBuf], used_bytes: fn(&[u8]) -> usize) -> Option<usize> {
    let second = |path: &PathBuf| {
        let mut bytes = Vec::new();
        let limit = CHUNK_BYTES_MAX + chunk::HEADER_BYTES as u64;
        open_regular(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        let used = used_bytes(&bytes);
        let zeros = bytes.get(used..)?.iter().position(|&byte| byte != END_OF_CHUNK)?;
        let at = used + zeros;
        (used > 0 && zeros > 0 && Header::read(bytes.get(at..)?).is_some()).then_some(at)
    };
    files.iter().find_map(second)
}

/// Bytes of the first chunk of a definition file that hold records.
fn framed_bytes(bytes: &[u8]) -> usize {
    let Some(header) = Header::read(bytes) else { return 0 };
    let mut at = chunk::HEADER_BYTES;
    while let Some(rest) = bytes.get(at..)
        && rest.first().is_some_and(|&id| id > chunk::CHUNK_HEADER)
        && let Ok(framed) = read_framed(rest, header.endian)
    {
        at += framed.bytes;
    }
    at
}

/// Whether a file ends as it should.
fn has_end_marks(folder: &Folder, name: &str) -> Result<bool, Error> {
    let mut file = open_regular(&folder.at(name)).map_err(io_error(&folder.shown(name)))?;
    let mut marks = [0; 2];
    let read = file.seek(SeekFrom::End(-2)).and_then(|_| file.read_exact(&mut marks));
    Ok(read.is_ok() && marks == [chunk::END_OF_FILE, chunk::END_OF_BUFFER])
}

fn bytes_of(folder: &Folder, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    let read = open_regular(&folder.at(name)).and_then(|mut file| file.read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { path: folder.shown(name), source }),
    }
}

/// Keeps the old bytes of a file beside it.
fn keep(folder: &Folder, name: &str, bytes: &[u8]) -> Result<(), Error> {
    folder.write(&format!("{name}.damaged"), bytes)
}
