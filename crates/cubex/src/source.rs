//! Random access to the bytes of a report. A file is read piece by piece, so that opening a report
//! of many gigabytes costs its definitions only; a compressed file is unpacked into memory.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::limits::Limits;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Where a member's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// Bytes in memory or in a file.
pub(crate) enum Source {
    Memory(Vec<u8>),
    File { file: File, len: u64 },
}

impl Source {
    pub(crate) fn open(path: &Path, limits: Limits) -> Result<Self> {
        let action = || format!("open {}", path.display());
        let mut file = File::open(path).map_err(Error::io(action()))?;
        let len = file.metadata().map_err(Error::io(action()))?.len();
        let mut magic = [0; 2];
        let compressed = file.read_exact(&mut magic).is_ok() && magic == GZIP_MAGIC;
        if compressed {
            let mut bytes = Vec::new();
            file.rewind().map_err(Error::io(action()))?;
            file.read_to_end(&mut bytes).map_err(Error::io(action()))?;
            return Self::from_bytes(bytes, limits);
        }
        Ok(Self::File { file, len })
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>, limits: Limits) -> Result<Self> {
        Ok(Self::Memory(gunzip_if_needed(bytes, "the file", limits)?))
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { len, .. } => *len,
        }
    }

    /// Copies an extent out. Memory is allocated only for what the source really has.
    pub(crate) fn bytes(&self, extent: Extent) -> Result<Vec<u8>> {
        let end = extent.offset.checked_add(extent.len).filter(|&end| end <= self.len());
        let Some(end) = end else {
            let place = format!("byte {} of the file", extent.offset);
            let found = format!("a file of {} bytes", self.len());
            return Err(Error::malformed(place, format!("{} bytes", extent.len), found));
        };
        match self {
            Self::Memory(bytes) => Ok(bytes[extent.offset as usize..end as usize].to_vec()),
            Self::File { file, .. } => {
                let mut bytes = vec![0; extent.len as usize];
                // Several threads read at a time.
                file.read_exact_at(&mut bytes, extent.offset)
                    .map_err(Error::io("read the report"))?;
                Ok(bytes)
            }
        }
    }
}

/// Unpacks gzip'ed bytes, which may be the whole file or anchor.xml. Deflate shrinks by up to
/// 1:1032, so a small file may claim a lot: `limits` says how much is believed.
pub(crate) fn gunzip_if_needed(bytes: Vec<u8>, place: &str, limits: Limits) -> Result<Vec<u8>> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    let most = limits.unpacked_bytes(bytes.len());
    MultiGzDecoder::new(bytes.as_slice())
        .take(most.saturating_add(1))
        .read_to_end(&mut unpacked)
        .map_err(|error| Error::malformed(place, "intact gzip data", error.to_string()))?;
    if unpacked.len() as u64 > most {
        let expected = format!("at most {most} bytes of gzip data, unpacked");
        return Err(Error::malformed(
            place,
            expected,
            "more; `gunzip` the file first if you trust it",
        ));
    }
    Ok(unpacked)
}
