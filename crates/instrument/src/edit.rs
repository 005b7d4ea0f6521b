//! The list of edits that turns an input into an output. Applied once, in one pass: bytes outside
//! of edits are copied. The list is also what the undo record is made of.

use crate::undo::{CommentStyle, Recorder};
use std::ops::Range;

/// Pending edits over one input. Offsets are always those of the input.
#[derive(Debug, Clone, Default)]
pub struct EditList {
    /// The texts of all edits, one behind the other: there are very many small ones.
    texts: Vec<u8>,
    /// Texts that are so long that they are not copied to the others.
    long: Vec<Vec<u8>>,
    edits: Vec<Edit>,
}

#[derive(Debug, Clone)]
struct Edit {
    start: usize,
    /// Behind the last deleted byte; equal to `start` for an insertion.
    end: usize,
    /// Order among insertions at one offset; equal ranks keep the order of the calls.
    rank: i64,
    /// Where its text is: in the texts of all edits, or in the long one before this number.
    text: Range<usize>,
    long: usize,
}

/// A long text of an [`EditList`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Long(usize);

impl EditList {
    /// No edits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room: a list that grows on its way is copied time and again, and where directives are
    /// dense that is most of the memory that is touched.
    pub(crate) fn reserve(&mut self, edits: usize, text_bytes: usize) {
        self.edits.reserve(edits);
        self.texts.reserve(text_bytes);
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Inserts before the byte at `offset`. Insertions at one offset keep the order of the calls.
    pub fn insert(&mut self, offset: usize, text: impl AsRef<[u8]>) {
        self.insert_ranked(offset, 0, text);
    }

    /// Inserts at `offset`, behind all insertions of a lower rank at the same offset.
    pub fn insert_ranked(&mut self, offset: usize, rank: i64, text: impl AsRef<[u8]>) {
        self.texts.extend_from_slice(text.as_ref());
        self.push(offset..offset, rank, text.as_ref().len());
    }

    /// Begins to insert parts of a long text, which [`Self::end_long`] takes over.
    pub(crate) fn begin_long(&mut self) -> Long {
        self.long.push(Vec::new());
        Long(self.long.len())
    }

    /// The long text.
    pub(crate) fn end_long(&mut self, long: Long, text: Vec<u8>) {
        self.long[long.0 - 1] = text;
    }

    /// Inserts a part of a long text at `offset`, as [`Self::insert_ranked`] does.
    pub(crate) fn insert_part(&mut self, offset: usize, rank: i64, long: Long, part: Range<usize>) {
        if !part.is_empty() {
            let (start, end) = (offset, offset);
            self.edits.push(Edit { start, end, rank, text: part, long: long.0 });
        }
    }

    /// Deletes a range. Ranges may overlap; a byte is deleted once.
    pub fn delete(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// Puts `text` where `range` was, behind insertions at its start.
    pub fn replace(&mut self, range: Range<usize>, text: impl AsRef<[u8]>) {
        self.texts.extend_from_slice(text.as_ref());
        self.push(range, i64::MAX, text.as_ref().len());
    }

    /// Where the text of the next edit is written, for [`Self::insert_written`]. What is there
    /// already must stay.
    pub(crate) fn text(&mut self) -> &mut Vec<u8> {
        &mut self.texts
    }

    /// Inserts what was written behind `from`, a former length of [`Self::text`].
    pub(crate) fn insert_written(&mut self, offset: usize, rank: i64, from: usize) {
        let length = self.texts.len() - from;
        if length > 0 {
            self.push(offset..offset, rank, length);
        }
    }

    /// Puts what was written behind `from` where `range` was.
    pub(crate) fn replace_by_written(&mut self, range: Range<usize>, from: usize) {
        self.push(range, i64::MAX, self.texts.len() - from);
    }

    /// An edit whose text is the last one, of so many bytes.
    fn push(&mut self, range: Range<usize>, rank: i64, length: usize) {
        let text = self.texts.len() - length..self.texts.len();
        // Often one insertion is made in pieces.
        if range.is_empty()
            && let Some(last) = self.edits.last_mut()
            && (last.start, last.end, last.rank) == (range.start, range.start, rank)
            && (last.long, last.text.end) == (0, text.start)
        {
            last.text.end = text.end;
            return;
        }
        self.edits.push(Edit { start: range.start, end: range.end, rank, text, long: 0 });
    }

    /// The text of the first edit, if it is a long one before everything else: it becomes the
    /// output, and is not copied. Otherwise nothing.
    fn beginning(&mut self) -> Vec<u8> {
        if let Some(Edit { start: 0, end: 0, text, long, .. }) = self.edits.first()
            && let Some(long) = long.checked_sub(1)
            && *text == (0..self.long[long].len())
        {
            return std::mem::take(&mut self.long[long]);
        }
        Vec::new()
    }

    /// The output with its undo record at the end, or the input if there are no edits.
    pub fn apply(mut self, source: &[u8], comment: CommentStyle) -> Vec<u8> {
        if self.edits.is_empty() {
            return source.to_vec();
        }
        self.edits.sort_by_key(|edit| (edit.start, edit.rank));
        let long: usize = self.long.iter().map(Vec::len).sum();
        let room = source.len() + self.texts.len() + long + 24 * self.edits.len() + 64;
        let mut record = Recorder::with_capacity(self.edits.len());
        let mut copied = 0;
        let mut output = self.beginning();
        let first = usize::from(!output.is_empty());
        if first > 0 {
            record.push(0, output.len(), &[]);
        }
        output.reserve(room - output.len());
        for edit in &self.edits[first..] {
            let gap = edit.start.max(copied);
            output.extend_from_slice(&source[copied..gap]);
            let texts = edit.long.checked_sub(1).map_or(&self.texts, |long| &self.long[long]);
            output.extend_from_slice(&texts[edit.text.clone()]);
            let end = edit.end.max(gap);
            record.push(gap - copied, edit.text.len(), &source[gap..end]);
            copied = end;
        }
        output.extend_from_slice(&source[copied..]);
        record.push(source.len() - copied, 0, &[]);
        record.write(source, comment, &mut output);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(source: &[u8], edits: EditList, comment: CommentStyle) -> Vec<u8> {
        let output = edits.apply(source, comment);
        assert_eq!(crate::undo(&output).unwrap(), source);
        output
    }

    #[test]
    fn order_at_one_offset() {
        let mut edits = EditList::new();
        edits.insert_ranked(1, 2, "c");
        edits.insert_ranked(1, -1, "a");
        edits.replace(1..2, "X");
        edits.insert_ranked(1, 0, "b");
        let output = check(b"123\n", edits, CommentStyle::C);
        assert!(output.starts_with(b"1abcX3\n"));
    }

    #[test]
    fn a_text_without_line_end() {
        let mut edits = EditList::new();
        edits.insert(3, "!");
        let output = check(b"end", edits, CommentStyle::Fortran);
        assert!(output.starts_with(b"end!\n! pompeii"));
    }

    proptest! {
        #[test]
        fn undo_restores_the_input(
            source in proptest::collection::vec(any::<u8>(), 0..200),
            raw in proptest::collection::vec((0usize..220, 0usize..20, ".{0,12}", -2i64..3), 0..12),
            fortran in any::<bool>(),
        ) {
            let mut edits = EditList::new();
            for (start, length, text, rank) in raw {
                let start = start.min(source.len());
                let end = (start + length).min(source.len());
                match rank {
                    2 => edits.replace(start..end, text),
                    _ => edits.insert_ranked(start, rank, text),
                }
            }
            let comment = if fortran { CommentStyle::Fortran } else { CommentStyle::C };
            check(&source, edits, comment);
        }
    }
}
