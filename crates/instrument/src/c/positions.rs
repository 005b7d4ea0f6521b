//! Lines as the user sees them: a text that was generated or preprocessed says itself, by line
//! markers, where its lines come from.

use crate::LineIndex;

/// Offsets to the lines that messages and debug information name.
pub(super) struct Positions<'a> {
    lines: &'a LineIndex,
    markers: &'a [(usize, u32, Option<String>)],
    /// Per marker, the file that it or the last one before it names.
    files: Vec<Option<&'a str>>,
}

impl<'a> Positions<'a> {
    pub(super) fn new(lines: &'a LineIndex, markers: &'a [(usize, u32, Option<String>)]) -> Self {
        let mut named = None;
        let files = markers.iter().map(|(_, _, file)| {
            named = file.as_deref().or(named);
            named
        });
        Self { lines, markers, files: files.collect() }
    }

    /// 1-based line.
    pub(super) fn line(&self, offset: usize) -> u32 {
        let line = self.lines.line(offset);
        match self.before(offset).checked_sub(1).map(|last| &self.markers[last]) {
            Some((from, number, _)) => number.saturating_add(line - self.lines.line(*from)),
            None => line,
        }
    }

    /// The file that the last marker with a name says; `None` before the first.
    pub(super) fn file(&self, offset: usize) -> Option<&'a str> {
        self.before(offset).checked_sub(1).and_then(|last| self.files[last])
    }

    /// How many markers are before an offset.
    fn before(&self, offset: usize) -> usize {
        self.markers.partition_point(|marker| marker.0 <= offset)
    }
}
