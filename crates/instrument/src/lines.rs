//! Offsets to lines and columns. Built once per text at memory speed; each look-up is a binary
//! search, so that the lexers need not count.

use crate::Error;

/// Where each line of a text begins.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    length: usize,
}

impl LineIndex {
    /// Finds the lines of `source`; they end with `\n` (a `\r` before it belongs to the line).
    pub fn new(source: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| at + 1));
        Self { starts, length: source.len() }
    }

    /// 1-based line of an offset.
    pub fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// Offset of the first byte of the line that `offset` lies in.
    pub fn line_start(&self, offset: usize) -> usize {
        self.starts[self.starts.partition_point(|&start| start <= offset) - 1]
    }

    /// Offset behind the line end of the line that `offset` lies in (the length of the text, if the
    /// last line has no end).
    pub fn next_line(&self, offset: usize) -> usize {
        let next = self.starts.partition_point(|&start| start <= offset);
        self.starts.get(next).copied().unwrap_or(self.length)
    }

    /// The error that points at `offset`.
    pub fn error(&self, source: &[u8], offset: usize, message: String, expected: &str) -> Error {
        let start = self.line_start(offset.min(self.length));
        let end = self.next_line(start);
        let text = String::from_utf8_lossy(&source[start..end]).trim_end().to_owned();
        Error {
            line: self.line(start),
            column: (offset - start + 1) as u32,
            source_line: text,
            message,
            expected: expected.to_owned(),
        }
    }
}
