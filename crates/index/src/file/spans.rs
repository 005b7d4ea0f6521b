//! Chunks of an event file of which only the spans are read that windows need. A chunk has a
//! megabyte, and what is decoded for a narrow window is a twentieth of it: with many locations,
//! reading the rest would take longer than all else.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use pompeii_otf2::read::ChunkSource;

use crate::exact::Span;

/// The header of a chunk is shorter. It is read with each chunk.
const HEADER_BYTES: u64 = 64;

/// Chunks with zeros outside of the spans.
#[derive(Debug)]
pub struct SpanChunks {
    path: PathBuf,
    chunk_bytes: u64,
    spans: Vec<Span>,
    chunk: Vec<u8>,
}

impl SpanChunks {
    /// `chunk_bytes` is what the anchor says for event files.
    pub fn new(path: &Path, chunk_bytes: u64, spans: &[Span]) -> SpanChunks {
        let (path, spans) = (path.to_owned(), spans.to_vec());
        SpanChunks { path, chunk_bytes, spans, chunk: Vec::new() }
    }
}

impl ChunkSource for SpanChunks {
    fn load(&mut self, number: u64, limit: usize) -> io::Result<()> {
        let file = File::open(&self.path)?;
        let begin = number.saturating_mul(self.chunk_bytes);
        let rest = file.metadata()?.len().saturating_sub(begin);
        // The length of the file bounds the memory, not the number in the anchor. Memory of zeros
        // takes pages only where something is read into it.
        let length = rest.min(self.chunk_bytes).min(limit as u64);
        self.chunk = vec![0; length as usize];
        let spans = self.spans.iter().filter_map(|span| bytes(span, number, length));
        for (from, to) in std::iter::once((0, HEADER_BYTES.min(length))).chain(spans) {
            if let Some(part) = self.chunk.get_mut(from as usize..to as usize) {
                file.read_exact_at(part, begin + from)?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> &[u8] {
        &self.chunk
    }
}

/// The bytes of a chunk of this length that are in a span.
fn bytes(span: &Span, chunk: u64, length: u64) -> Option<(u64, u64)> {
    let from = match span.first.chunk {
        first if first > chunk => return None,
        first if first == chunk => span.first.byte,
        _ => 0,
    };
    let to = match span.after {
        Some(after) if after.chunk < chunk => return None,
        Some(after) if after.chunk == chunk => after.byte,
        _ => length,
    };
    Some((from.min(length), to.min(length)))
}

#[cfg(test)]
mod tests {
    use pompeii_otf2::read::Place;

    use super::*;

    #[test]
    fn only_spans_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("0.evt");
        std::fs::write(&path, [7; 2500]).expect("a file");
        let place = |chunk, byte| Place { chunk, byte, ..Place::default() };
        let span = |first, after| Span { first, after };
        let spans = [
            span(place(0, 900), Some(place(1, 200))),
            span(place(1, 300), Some(place(1, 310))),
            span(place(2, 100), None),
        ];
        let mut chunks = SpanChunks::new(&path, 1000, &spans);
        let mut read = |number| {
            chunks.load(number, usize::MAX).expect("a chunk");
            let bytes = chunks.bytes().iter();
            (bytes.clone().filter(|byte| **byte == 7).count(), bytes.len())
        };
        assert_eq!([0, 1, 2, 3].map(&mut read), [(164, 1000), (210, 1000), (464, 500), (0, 0)]);
    }
}
