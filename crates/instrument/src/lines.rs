//! Offsets to lines and columns. Built once per text at memory speed; each look-up is a binary
//! search unless it is near the last one, so that the lexers need not count.

use crate::Error;
use std::cell::Cell;

/// Where each line of a text begins.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    length: usize,
    /// The line (from 0) that was asked for last: the next one is often near.
    last: Cell<usize>,
}

impl LineIndex {
    /// Finds the lines of `source`; they end with `\n` (a `\r` before it belongs to the line).
    pub fn new(source: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(source.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| at + 1));
        Self { starts, length: source.len(), last: Cell::new(0) }
    }

    /// 1-based line of an offset.
    pub fn line(&self, offset: usize) -> u32 {
        self.behind(offset) as u32
    }

    /// How many lines begin at `offset` or before it.
    fn behind(&self, offset: usize) -> usize {
        const NEAR: usize = 16;
        let from = self.last.get();
        let near = &self.starts[from..self.starts.len().min(from + NEAR)];
        let behind = match near.iter().position(|&start| start > offset) {
            Some(lines) if lines > 0 => from + lines,
            _ => self.starts.partition_point(|&start| start <= offset),
        };
        self.last.set(behind.saturating_sub(1));
        behind
    }

    /// Offset of the first byte of the line that `offset` lies in.
    pub fn line_start(&self, offset: usize) -> usize {
        self.starts[self.behind(offset) - 1]
    }

    /// Offset behind the line end of the line that `offset` lies in (the length of the text, if the
    /// last line has no end).
    pub fn next_line(&self, offset: usize) -> usize {
        let next = self.behind(offset);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_questions_does_not_matter() {
        let source = "one\n\ntwo\r\n".repeat(40) + "end";
        let index = LineIndex::new(source.as_bytes());
        let counted = |offset: usize| source[..offset].matches('\n').count() as u32 + 1;
        let offsets = (0..=source.len()).chain((0..=source.len()).rev());
        let offsets = offsets.chain((0..=source.len()).map(|at| at * 7919 % (source.len() + 1)));
        for offset in offsets {
            assert_eq!(index.line(offset), counted(offset));
            let start = source[..offset].rfind('\n').map_or(0, |at| at + 1);
            assert_eq!(index.line_start(offset), start);
            let next = source[offset..].find('\n').map_or(source.len(), |at| offset + at + 1);
            assert_eq!(index.next_line(offset), next);
        }
    }
}
