//! Lines as the user sees them: a text that was generated or preprocessed says itself, by line
//! markers, where its lines come from.

use crate::LineIndex;

/// Offsets to the lines that messages and debug information name.
pub(super) struct Positions<'a> {
    lines: &'a LineIndex,
    markers: &'a [(usize, u32, Option<String>)],
}

impl<'a> Positions<'a> {
    pub(super) fn new(lines: &'a LineIndex, markers: &'a [(usize, u32, Option<String>)]) -> Self {
        Self { lines, markers }
    }

    /// 1-based line.
    pub(super) fn line(&self, offset: usize) -> u32 {
        let line = self.lines.line(offset);
        match self.before(offset).last() {
            Some((from, number, _)) => number + (line - self.lines.line(*from)),
            None => line,
        }
    }

    /// The file that the last marker with a name says; `None` before the first.
    pub(super) fn file(&self, offset: usize) -> Option<&'a str> {
        self.before(offset).iter().rev().find_map(|(_, _, file)| file.as_deref())
    }

    fn before(&self, offset: usize) -> &'a [(usize, u32, Option<String>)] {
        &self.markers[..self.markers.partition_point(|marker| marker.0 <= offset)]
    }
}
