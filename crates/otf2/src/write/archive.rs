//! A whole archive: event files, local and global definitions, and at last the anchor.
//!
//! The order is that of `finish` of a measurement: event files first, since the definition of a
//! location has its number of events; then the global definitions, each before its first use; the
//! anchor at the very end and under its name only when it is complete.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};

use super::EventWriter;
use super::chunked::ChunkedWriter;
use crate::anchor::Anchor;
use crate::chunk::{self, EMPTY_EVENT_FILE, END_OF_CHUNK, Endian, HEADER_BYTES, Header};
use crate::definition::{self, Definition};
use crate::error::{Error, io_error};
use crate::folder::Folder;
use crate::record::{Family, LOCAL};
use crate::reference::{LocationRef, StringRef};
use crate::seal::{Sealed, Sealer};
use crate::wire::{Sink, Wire, framed_bytes, write_framed};

/// Sizes of the chunks of an archive, in bytes: 256 KiB to 16 MiB, or other tools refuse it; and
/// the order of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Of event files; live chunks that are taken over must have this size.
    pub event_chunk_bytes: usize,
    /// Of definition files.
    pub definition_chunk_bytes: usize,
    /// Order of the bytes of numbers. Live chunks keep their own.
    pub endian: Endian,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            event_chunk_bytes: 1 << 20,
            definition_chunk_bytes: 4 << 20,
            endian: Endian::Little,
        }
    }
}

/// An archive that is being written.
#[derive(Debug)]
pub struct ArchiveWriter {
    folder: Folder,
    name: String,
    /// The folder of event files and local definitions.
    pub(super) files: Folder,
    pub(super) options: Options,
    global: ChunkedWriter<File>,
    definitions: u64,
    locations: BTreeSet<u64>,
    strings: HashMap<String, StringRef>,
}

impl ArchiveWriter {
    /// Creates `folder/NAME.def` and `folder/NAME/`; Score-P and most readers use the name
    /// `traces`. Files of an archive of that name are replaced, but for event files: whoever
    /// adopted them may have died before the archive was complete.
    ///
    /// # Errors
    /// A file that cannot be written, or a link in its place.
    pub fn create(folder: &Path, name: &str, options: Options) -> Result<ArchiveWriter, Error> {
        std::fs::create_dir_all(folder).map_err(io_error(folder))?;
        ArchiveWriter::create_in(Folder::open(folder)?, name, options)
    }

    /// The same in a folder that is open.
    ///
    /// # Errors
    /// As for [`ArchiveWriter::create`].
    pub fn create_in(folder: Folder, name: &str, options: Options) -> Result<ArchiveWriter, Error> {
        let files = folder.make(name)?;
        folder.remove(&format!("{name}.otf2"))?;
        for name in files.names()? {
            // It may have been begun only.
            if let Some(name) = name.to_str().filter(|name| name.ends_with(".def")) {
                files.remove(name)?;
            }
        }
        let global = definition_file(&folder, &format!("{name}.def"), &options)?;
        Ok(ArchiveWriter {
            folder,
            name: name.to_owned(),
            files,
            options,
            global,
            definitions: 0,
            locations: BTreeSet::new(),
            strings: HashMap::new(),
        })
    }

    /// The folder of event files and local definitions.
    pub fn files(&self) -> &Folder {
        &self.files
    }

    /// Bytes of a chunk of its event files.
    pub fn event_chunk_bytes(&self) -> usize {
        self.options.event_chunk_bytes
    }

    /// Name of the event file of a location in [`ArchiveWriter::files`].
    pub fn event_name(location: LocationRef) -> String {
        format!("{}.evt", location.0)
    }

    fn local_name(location: LocationRef) -> String {
        format!("{}.def", location.0)
    }

    /// Path of the event file of a location.
    pub fn event_path(&self, location: LocationRef) -> PathBuf {
        self.files.shown(&ArchiveWriter::event_name(location))
    }

    /// Path of the local definitions of a location.
    pub fn local_path(&self, location: LocationRef) -> PathBuf {
        self.files.shown(&ArchiveWriter::local_name(location))
    }

    /// Starts the event file of a location, for events that do not exist as chunks.
    pub fn events(&self, location: LocationRef) -> Result<EventWriter<File>, Error> {
        let file = self.files.create(&ArchiveWriter::event_name(location))?;
        let path = self.event_path(location);
        let Options { event_chunk_bytes, endian, .. } = self.options;
        Ok(EventWriter::new(file, &path, event_chunk_bytes).with_endian(endian))
    }

    /// Makes a live file, which consists of whole chunks of one location, the event file of that
    /// location: seals it in place, cuts it and moves it. Copies only across file systems.
    ///
    /// # Errors
    /// A file that cannot be written, or a link in its place.
    pub fn adopt_events(
        &self,
        location: LocationRef,
        (live, name): (&Folder, &str),
    ) -> Result<Sealed, Error> {
        let sealed = seal_file(live, name, self.options.event_chunk_bytes)?;
        let own = ArchiveWriter::event_name(location);
        if live.rename(name, &self.files, &own).is_err() {
            let mut copy = self.files.create(&own)?;
            let copied = io::copy(&mut live.edit(name)?, &mut copy);
            copied.map_err(io_error(&self.files.shown(&own)))?;
            live.remove(name)?;
        }
        Ok(sealed)
    }

    /// Writes the local definitions of a location: mapping tables first, then clock offsets.
    pub fn local_definitions(
        &self,
        location: LocationRef,
        definitions: &[Definition],
    ) -> Result<(), Error> {
        let name = ArchiveWriter::local_name(location);
        write_local(&self.files, &name, definitions, &self.options)
    }

    /// Appends a global definition; what it refers to must have been defined before.
    pub fn define(&mut self, definition: impl Into<Definition>) -> Result<(), Error> {
        let definition = definition.into();
        if let Definition::Location(location) = &definition {
            self.locations.insert(location.id.0);
        }
        write_definition(&mut self.global, definition, false)?;
        self.definitions += 1;
        Ok(())
    }

    /// The id of a text, which is defined at its first use. Id 0 is the empty text.
    ///
    /// Not to be mixed with `String` definitions of the caller's own numbering.
    pub fn string(&mut self, text: &str) -> Result<StringRef, Error> {
        if self.strings.is_empty() && !text.is_empty() {
            self.string("")?;
        }
        if let Some(&id) = self.strings.get(text) {
            return Ok(id);
        }
        let id = StringRef(self.strings.len() as u32);
        self.strings.insert(text.to_owned(), id);
        self.define(definition::String { id, string: text.to_owned() })?;
        Ok(id)
    }

    /// Completes the archive: empty files for locations that have none, then the anchor, whose
    /// sizes and counts are set here. Returns the path of the anchor.
    pub fn finish(self, anchor: Anchor) -> Result<PathBuf, Error> {
        for &location in &self.locations {
            let location = LocationRef(location);
            let events = ArchiveWriter::event_name(location);
            if self.files.entry(&events)?.is_none() {
                self.files.write(&events, &EMPTY_EVENT_FILE)?;
            }
            if self.files.entry(&ArchiveWriter::local_name(location))?.is_none() {
                self.local_definitions(location, &[])?;
            }
        }
        let anchor = Anchor {
            endian: self.options.endian,
            event_chunk_bytes: self.options.event_chunk_bytes as u64,
            definition_chunk_bytes: self.options.definition_chunk_bytes as u64,
            locations: self.locations.len() as u64,
            global_definitions: self.definitions,
            ..anchor
        };
        self.global.finish()?;
        let name = format!("{}.otf2", self.name);
        self.folder.write(&name, anchor.to_bytes().as_ref())?;
        Ok(self.folder.shown(&name))
    }
}

/// Writes a file of local definitions.
pub(crate) fn write_local(
    folder: &Folder,
    name: &str,
    definitions: &[Definition],
    options: &Options,
) -> Result<(), Error> {
    let mut file = definition_file(folder, name, options)?;
    for definition in definitions {
        write_definition(&mut file, definition.clone(), true)?;
    }
    file.finish().map(drop)
}

fn definition_file(
    folder: &Folder,
    name: &str,
    options: &Options,
) -> Result<ChunkedWriter<File>, Error> {
    let path = folder.shown(name);
    let mut file =
        ChunkedWriter::new(folder.create(name)?, &path, options.definition_chunk_bytes, false);
    file.endian = options.endian;
    Ok(file)
}

fn write_definition<W: Write>(
    file: &mut ChunkedWriter<W>,
    mut definition: Definition,
    local: bool,
) -> Result<(), Error> {
    let key = definition.key();
    let (only_local, only_global) = (key & LOCAL != 0, key <= 8);
    if (only_local && !local) || (only_global && local) {
        let file = file.path().to_owned();
        return Err(Error::WrongFile { file, record: definition.name() });
    }
    definition.fill_old_fields();
    let mut sink = Sink::new(file.endian);
    definition.write_fields(&mut sink);
    // The library knows the bytes of every field but those of a value with a type of its own.
    let values = definition.values();
    let saved: usize = values.map(|value| value.max_bytes() - value.written_bytes()).sum();
    let bound = sink.bytes.len() + saved;
    let fields = mem::take(&mut sink.bytes);
    write_framed(&mut sink, key as u8, Some(bound), |sink| sink.bytes.extend(fields));
    file.record(definition.name(), framed_bytes(bound), &sink.bytes)
}

/// Seals a live file chunk by chunk; chunks that are complete already are not written again.
pub(crate) fn seal_file(folder: &Folder, name: &str, chunk_bytes: usize) -> Result<Sealed, Error> {
    let error = |source| Error::Io { path: folder.shown(name), source };
    let mut file = folder.edit(name)?;
    let mut sealer = Sealer::new();
    let mut chunk = read_chunk(&mut file, 0, chunk_bytes).map_err(error)?;
    for number in 0.. {
        let next = read_chunk(&mut file, number + 1, chunk_bytes).map_err(error)?;
        let before = chunk.clone();
        if sealer.chunk(&mut chunk, next.is_empty()).is_some() && chunk != before {
            file.seek(SeekFrom::Start(number * chunk_bytes as u64)).map_err(error)?;
            file.write_all(&chunk).map_err(error)?;
        }
        if next.is_empty() {
            break;
        }
        chunk = next;
    }
    if sealer.sealed().file_bytes == 0 {
        folder.write(name, &EMPTY_EVENT_FILE)?;
        return Ok(Sealed { file_bytes: EMPTY_EVENT_FILE.len() as u64, ..Sealed::default() });
    }
    file.set_len(sealer.sealed().file_bytes).map_err(error)?;
    Ok(sealer.sealed())
}

/// The bytes of a chunk; none if it was never begun or has no room for the marks of an end.
fn read_chunk(file: &mut File, number: u64, chunk_bytes: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(number * chunk_bytes as u64))?;
    let mut chunk = Vec::new();
    Read::by_ref(file).take(HEADER_BYTES as u64).read_to_end(&mut chunk)?;
    if Header::read(&chunk).is_none() {
        return Ok(Vec::new());
    }
    file.take((chunk_bytes - HEADER_BYTES) as u64).read_to_end(&mut chunk)?;
    if chunk.len() < chunk_bytes {
        // The file ends here, perhaps within a record: what is whole stays, with room for marks.
        // The zero behind is what a whole record needs, and too little for one that is cut.
        chunk.push(END_OF_CHUNK);
        let used = chunk::scan(&chunk).map_or(HEADER_BYTES, |scan| scan.used_bytes);
        chunk.truncate(used);
        chunk.resize((used + 2).min(chunk_bytes), END_OF_CHUNK);
    }
    if chunk.len() < EMPTY_EVENT_FILE.len() {
        chunk.clear();
    }
    Ok(chunk)
}
