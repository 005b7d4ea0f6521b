//! Where chunks come from: memory, or a file that is read piece by piece.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::mapped::MappedFile;

/// A file that consists of chunks.
pub trait ChunkSource {
    /// Makes chunk `number` the current one, or its first `limit` bytes. It may be shorter: the
    /// last of a file is, and behind the end it is empty.
    fn load(&mut self, number: u64, limit: usize) -> io::Result<()>;

    /// The bytes of the current chunk.
    fn bytes(&self) -> &[u8];
}

/// A file that is in memory, or mapped there.
#[derive(Debug)]
pub struct Bytes<B> {
    file: B,
    chunk_bytes: u64,
    begin: usize,
    end: usize,
}

impl<B: AsRef<[u8]>> Bytes<B> {
    /// `chunk_bytes` is what the anchor says for files of this kind.
    pub fn new(file: B, chunk_bytes: u64) -> Bytes<B> {
        Bytes { file, chunk_bytes, begin: 0, end: 0 }
    }
}

impl<B: AsRef<[u8]>> ChunkSource for Bytes<B> {
    fn load(&mut self, number: u64, limit: usize) -> io::Result<()> {
        let length = self.file.as_ref().len();
        let place = |number: u64| {
            let begin = number.checked_mul(self.chunk_bytes);
            begin.and_then(|begin| usize::try_from(begin).ok()).map_or(length, |at| at.min(length))
        };
        self.begin = place(number);
        self.end = place(number.saturating_add(1)).min(self.begin.saturating_add(limit));
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        self.file.as_ref().get(self.begin..self.end).unwrap_or_default()
    }
}

/// A file on disk: of which one chunk is in memory, or which is mapped there as a whole.
///
/// A file that is read is open only while a chunk is loaded: a merge over thousands of locations
/// does not reach the limit of open files.
#[derive(Debug)]
pub struct FileChunks {
    path: PathBuf,
    chunk_bytes: u64,
    chunk: Vec<u8>,
    mapped: Option<MappedChunks>,
}

impl FileChunks {
    /// `chunk_bytes` is what the anchor says for files of this kind.
    pub fn new(path: &Path, chunk_bytes: u64) -> FileChunks {
        FileChunks { path: path.to_owned(), chunk_bytes, chunk: Vec::new(), mapped: None }
    }

    /// Maps the file instead of reading it, at its first use: nothing is copied. The file must not
    /// become shorter meanwhile, or the system ends the program; see [`MappedFile::open`].
    pub fn mapped(path: &Path, chunk_bytes: u64) -> FileChunks {
        let mapped = MappedChunks { chunks: None };
        FileChunks { mapped: Some(mapped), ..FileChunks::new(path, chunk_bytes) }
    }
}

/// A mapped file, once it was needed.
#[derive(Debug)]
struct MappedChunks {
    chunks: Option<Bytes<MappedFile>>,
}

impl ChunkSource for FileChunks {
    fn load(&mut self, number: u64, limit: usize) -> io::Result<()> {
        if let Some(mapped) = &mut self.mapped {
            let chunks = match &mut mapped.chunks {
                Some(chunks) => chunks,
                None => {
                    let file = MappedFile::open(&self.path)?;
                    mapped.chunks.insert(Bytes::new(file, self.chunk_bytes))
                }
            };
            return chunks.load(number, limit);
        }
        self.chunk.clear();
        let mut file = File::open(&self.path)?;
        let begin = number.saturating_mul(self.chunk_bytes);
        let rest = file.metadata()?.len().saturating_sub(begin);
        // The length of the file bounds the memory, not the number in the anchor.
        let bytes = rest.min(self.chunk_bytes).min(limit as u64);
        if bytes > 0 {
            file.seek(SeekFrom::Start(begin))?;
            self.chunk.reserve_exact(bytes as usize);
            file.take(bytes).read_to_end(&mut self.chunk)?;
        }
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        match &self.mapped {
            None => &self.chunk,
            Some(mapped) => mapped.chunks.as_ref().map_or(&[], Bytes::bytes),
        }
    }
}
