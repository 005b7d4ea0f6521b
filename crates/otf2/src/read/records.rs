//! Definitions, markers, thumbnails and snapshots: files of records that all have a length.

use std::path::Path;

use super::source::{ChunkSource, FileChunks};
use super::stream::{Next, Stream};
use crate::chunk::ATTRIBUTE_LIST;
use crate::definition::Definition;
use crate::encode::{TIMESTAMP, TIMESTAMP_BYTES};
use crate::error::Error;
use crate::marker::MarkerRecord;
use crate::record::{Family, LOCAL};
use crate::snapshot::Snapshot;
use crate::thumbnail::Thumbnail;
use crate::value::AttributeValue;
use crate::wire::Input;

impl<S: ChunkSource> Stream<S> {
    /// Reads the record with this id at the current place. `local` is added to the ids that mean
    /// something else in local definitions.
    fn record<T: Family>(&mut self, local: u16) -> Result<T, Error> {
        let key = move |id: u8| u16::from(id) | if id <= 8 { local } else { 0 };
        let (at, endian) = (self.at, self.endian);
        let framed = self.framed(|id| T::name_of(key(id)))?;
        let fields = self.rest().get(framed.head..framed.bytes).unwrap_or_default();
        let (end, key) = (at + framed.bytes, key(framed.id));
        let record = T::read(key, &mut Input::new(fields, endian));
        self.at = end;
        record.map_err(|flaw| self.flawed(T::name_of(key), end, flaw))
    }
}

macro_rules! readers {
    ($( $(#[$doc:meta])* $name:ident $family:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<S = FileChunks> {
            stream: Stream<S>,
            local: u16,
            /// Place of the record read last.
            begin: u64,
        }

        impl<S: ChunkSource> $name<S> {
            /// Reads the chunks of `source`. `file` is for messages.
            pub fn new(source: S, file: &Path, chunk_bytes: u64) -> $name<S> {
                $name { stream: Stream::new(source, file, chunk_bytes), local: 0, begin: 0 }
            }

            /// Place in the file where the record read last begins, in bytes.
            pub fn offset(&self) -> u64 {
                self.begin
            }
        }

        impl<S: ChunkSource> Iterator for $name<S> {
            type Item = Result<$family, Error>;

            fn next(&mut self) -> Option<Self::Item> {
                match self.stream.next() {
                    Ok(Next::Record(_)) => {
                        self.begin = self.stream.offset(self.stream.at);
                        Some(self.stream.record(self.local))
                    }
                    Ok(Next::End) => None,
                    Err(error) => Some(Err(error)),
                }
            }
        }
    )* };
}

readers! {
    /// Reads the definitions of a file, in its order.
    DefinitionReader Definition;
    /// Reads markers.
    MarkerReader MarkerRecord;
    /// Reads a thumbnail.
    ThumbnailReader Thumbnail;
}

impl<S: ChunkSource> DefinitionReader<S> {
    /// Reads the definitions of a location, where some ids mean something else.
    pub fn local(source: S, file: &Path, chunk_bytes: u64) -> DefinitionReader<S> {
        DefinitionReader { local: LOCAL, ..DefinitionReader::new(source, file, chunk_bytes) }
    }
}

/// A record of a snapshot with what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotRecord {
    /// Time of the snapshot, in ticks of the location's own clock.
    pub time: u64,
    /// What is told.
    pub record: Snapshot,
    /// Additional information of the event that is told again; mostly none.
    pub attributes: Vec<AttributeValue>,
}

/// Reads the snapshots of a location, with ids and times of the location.
#[derive(Debug)]
pub struct SnapshotReader<S = FileChunks> {
    stream: Stream<S>,
    time: u64,
}

impl<S: ChunkSource> SnapshotReader<S> {
    /// Reads the chunks of `source`. `file` is for messages.
    pub fn new(source: S, file: &Path, chunk_bytes: u64) -> SnapshotReader<S> {
        SnapshotReader { stream: Stream::new(source, file, chunk_bytes), time: 0 }
    }

    fn read(&mut self) -> Result<Option<SnapshotRecord>, Error> {
        let mut attributes = Vec::new();
        loop {
            match self.stream.next()? {
                Next::End => return Ok(None),
                Next::Record(TIMESTAMP) => self.time = self.stream.timestamp()?,
                Next::Record(ATTRIBUTE_LIST) => self.stream.attributes(&mut attributes)?,
                Next::Record(_) => {
                    let (time, record) = (self.time, self.stream.record(0)?);
                    return Ok(Some(SnapshotRecord { time, record, attributes }));
                }
            }
        }
    }
}

impl<S: ChunkSource> Iterator for SnapshotReader<S> {
    type Item = Result<SnapshotRecord, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

impl<S: ChunkSource> Stream<S> {
    /// The time in the timestamp record at the current place.
    #[inline]
    pub fn timestamp(&mut self) -> Result<u64, Error> {
        let time = self.rest().get(1..TIMESTAMP_BYTES).and_then(|bytes| bytes.first_chunk());
        let Some(&time) = time else {
            let flaw = Input::new(self.rest(), self.endian).flaw("the eight bytes of a time");
            return Err(self.fatal("Timestamp", flaw));
        };
        self.at += TIMESTAMP_BYTES;
        Ok(self.endian.u64(time))
    }
}
