//! The anchor file `NAME.otf2`: chunk sizes, counts, and who wrote the archive.
//!
//! It is the one file without chunks, and the last one to be written; an archive without it was not
//! completed.

use std::path::Path;

use crate::chunk::{CHUNK_HEADER, END_OF_BUFFER, END_OF_FILE, Endian};
use crate::enums::{Compression, FileSubstrate};
use crate::error::Error;
use crate::wire::{Flaw, Input, Sink, Wire};

/// Fields of an anchor file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Byte order of the anchor file itself.
    pub endian: Endian,
    /// Version of the anchor's own format; 3 today.
    pub anchor_format: u8,
    /// Version of the trace format; 2 today.
    pub trace_format: u8,
    /// Version of the library that wrote the archive, or that the writer followed.
    pub version: [u8; 3],
    /// Bytes of a chunk in event and snapshot files.
    pub event_chunk_bytes: u64,
    /// Bytes of a chunk in definition and marker files.
    pub definition_chunk_bytes: u64,
    /// How the files are stored.
    pub substrate: FileSubstrate,
    /// Whether the files are compressed.
    pub compression: Compression,
    /// Number of locations.
    pub locations: u64,
    /// Number of all records in the global definitions.
    pub global_definitions: u64,
    /// Machine that the program ran on.
    pub machine: String,
    /// Program that wrote the archive.
    pub creator: String,
    /// What the archive is about.
    pub description: String,
    /// Names (with `::`) and values.
    pub properties: Vec<(String, String)>,
    /// Any number; it tells archives apart.
    pub trace_id: u64,
    /// Number of snapshots of each location.
    pub snapshots: u32,
    /// Number of thumbnail files.
    pub thumbnails: u32,
}

impl Default for Anchor {
    fn default() -> Anchor {
        Anchor {
            endian: Endian::Little,
            anchor_format: 3,
            trace_format: 2,
            version: [3, 0, 2],
            event_chunk_bytes: 1 << 20,
            definition_chunk_bytes: 4 << 20,
            substrate: FileSubstrate::POSIX,
            compression: Compression::NONE,
            locations: 0,
            global_definitions: 0,
            machine: String::new(),
            creator: String::new(),
            description: String::new(),
            properties: Vec::new(),
            trace_id: 0,
            snapshots: 0,
            thumbnails: 0,
        }
    }
}

impl Anchor {
    /// The anchor in the bytes of a file. `file` is for messages only.
    pub fn read(file: &Path, bytes: &[u8]) -> Result<Anchor, Error> {
        let malformed = |flaw| Error::malformed(file, bytes.len() as u64, "anchor", flaw);
        let anchor = parse(bytes).map_err(malformed)?;
        let unsupported = |what| Err(Error::Unsupported { file: file.to_owned(), what });
        if anchor.substrate != FileSubstrate::POSIX {
            return unsupported(format!("the storage {}", anchor.substrate));
        }
        if anchor.compression != Compression::NONE {
            return unsupported(format!("the compression {}", anchor.compression));
        }
        Ok(anchor)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sink = Sink::new(self.endian);
        sink.bytes.extend([CHUNK_HEADER, self.endian as u8]);
        String::from("OTF2").write(&mut sink);
        sink.bytes.extend([self.anchor_format, self.trace_format]);
        sink.bytes.extend(self.version);
        sink.u64(self.event_chunk_bytes);
        sink.u64(self.definition_chunk_bytes);
        sink.bytes.extend([self.substrate.0, self.compression.0]);
        sink.u64(self.locations);
        sink.u64(self.global_definitions);
        for text in [&self.machine, &self.creator, &self.description] {
            text.write(&mut sink);
        }
        if self.anchor_format >= 2 {
            put_u32(&mut sink, self.properties.len() as u32);
            for (name, value) in &self.properties {
                name.write(&mut sink);
                value.write(&mut sink);
            }
            sink.u64(self.trace_id);
        }
        if self.anchor_format >= 3 {
            put_u32(&mut sink, self.snapshots);
            put_u32(&mut sink, self.thumbnails);
        }
        sink.bytes.extend([END_OF_FILE, END_OF_BUFFER, 0]);
        sink.bytes
    }
}

fn put_u32(sink: &mut Sink, value: u32) {
    sink.bytes.extend(match sink.endian {
        Endian::Little => value.to_le_bytes(),
        Endian::Big => value.to_be_bytes(),
    });
}

fn u32(input: &mut Input<'_>) -> Result<u32, Flaw> {
    let bytes = input.take("the four bytes of a number")?;
    Ok(match input.endian {
        Endian::Little => u32::from_le_bytes(bytes),
        Endian::Big => u32::from_be_bytes(bytes),
    })
}

fn u64(input: &mut Input<'_>) -> Result<u64, Flaw> {
    let bytes = input.take("the eight bytes of a number")?;
    Ok(input.endian.u64(bytes))
}

fn parse(bytes: &[u8]) -> Result<Anchor, Flaw> {
    let mut input = Input::new(bytes, Endian::Little);
    let [mark, order] = input.take("the two bytes of an anchor's header")?;
    let endian = Endian::from_mark(order).filter(|_| mark == CHUNK_HEADER);
    let start = Input::new(bytes, Endian::Little);
    input.endian = endian.ok_or_else(|| start.flaw("03 and the mark of a byte order, 42 or 23"))?;
    if String::read(&mut input)? != "OTF2" {
        return Err(start.flaw("the text OTF2 behind two bytes"));
    }
    let [anchor_format, trace_format] = input.take("the versions of the formats")?;
    let version = input.take("the version of the library")?;
    let mut anchor = Anchor { anchor_format, trace_format, version, ..Anchor::default() };
    anchor.endian = input.endian;
    counts(&mut input, &mut anchor)?;
    if anchor_format >= 2 {
        let count = u64::from(u32(&mut input).map_err(|flaw| flaw.in_field("properties"))?);
        let pair = |input: &mut Input<'_>| Ok((String::read(input)?, String::read(input)?));
        anchor.properties =
            input.list(count, 2, pair).map_err(|flaw| flaw.in_field("properties"))?;
        anchor.trace_id = u64(&mut input).map_err(|flaw| flaw.in_field("trace_id"))?;
    }
    if anchor_format >= 3 {
        anchor.snapshots = u32(&mut input).map_err(|flaw| flaw.in_field("snapshots"))?;
        anchor.thumbnails = u32(&mut input).map_err(|flaw| flaw.in_field("thumbnails"))?;
    }
    Ok(anchor)
}

/// The part between the versions and the properties.
fn counts(input: &mut Input<'_>, anchor: &mut Anchor) -> Result<(), Flaw> {
    for (name, chunk_bytes) in [
        ("event_chunk_bytes", &mut anchor.event_chunk_bytes),
        ("definition_chunk_bytes", &mut anchor.definition_chunk_bytes),
    ] {
        *chunk_bytes = u64(input).map_err(|flaw| flaw.in_field(name))?;
        // Smaller than any library makes them, larger than a header with its end marks.
        if !(32..=1 << 32).contains(chunk_bytes) {
            let flaw = input.flaw("a size of a chunk").in_field(name);
            return Err(Flaw { found: Some(*chunk_bytes), ..flaw });
        }
    }
    anchor.substrate = Wire::read(input)?;
    anchor.compression = Wire::read(input)?;
    anchor.locations = u64(input).map_err(|flaw| flaw.in_field("locations"))?;
    anchor.global_definitions = u64(input).map_err(|flaw| flaw.in_field("global_definitions"))?;
    anchor.machine = String::read(input).map_err(|flaw| flaw.in_field("machine"))?;
    anchor.creator = String::read(input).map_err(|flaw| flaw.in_field("creator"))?;
    anchor.description = String::read(input).map_err(|flaw| flaw.in_field("description"))?;
    Ok(())
}
