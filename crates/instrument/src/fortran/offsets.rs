//! Where each byte of a joined text is in the source. Most of the texts lie in one line, so what is
//! kept is where each run of neighbours begins, and not a number for each byte.

use std::ops::Range;

/// The places of the bytes of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    length: usize,
    /// Where the first run begins in the source.
    first: usize,
    /// Where the other runs begin.
    others: Vec<Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    in_text: usize,
    in_source: usize,
}

impl Offsets {
    /// Adds neighbours, the first of which is at this place in the source.
    pub fn push(&mut self, in_source: usize, count: usize) {
        if self.length == 0 {
            self.first = in_source;
        } else if count > 0 && in_source != self.of(self.length) {
            self.others.push(Run { in_text: self.length, in_source });
        }
        self.length += count;
    }

    /// Forgets the last byte.
    pub fn pop(&mut self) {
        self.length = self.length.saturating_sub(1);
        self.others.pop_if(|run| run.in_text >= self.length);
    }

    /// The place of a byte.
    pub fn of(&self, byte: usize) -> usize {
        match self.others.partition_point(|run| run.in_text <= byte).checked_sub(1) {
            None => self.first + byte,
            Some(run) => self.others[run].in_source + (byte - self.others[run].in_text),
        }
    }

    /// The place of the last byte.
    pub fn last(&self) -> Option<usize> {
        self.length.checked_sub(1).map(|last| self.of(last))
    }

    /// Cuts a part of the text wherever more than `between` bytes of the source lie between two
    /// neighbours.
    pub fn cut(&self, part: Range<usize>, between: usize) -> impl Iterator<Item = Range<usize>> {
        let first = self.others.partition_point(|run| run.in_text <= part.start);
        let inside = self.others[first..].iter().take_while(move |run| run.in_text < part.end);
        let far = inside.filter(move |run| run.in_source > self.of(run.in_text - 1) + between);
        let mut start = part.start;
        let ranges = far.map(|run| run.in_text).chain([part.end]).map(move |end| {
            let range = start..end;
            start = end;
            range
        });
        ranges.filter(|range| !range.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab`, `c` directly after them, `de` 8 bytes further on, `f` 7 bytes after those.
    fn offsets() -> Offsets {
        let mut offsets = Offsets::default();
        for (in_source, count) in [(10, 2), (12, 1), (20, 2), (28, 1)] {
            offsets.push(in_source, count);
        }
        offsets
    }

    #[test]
    fn each_byte_has_its_place() {
        let mut offsets = offsets();
        assert_eq!(
            (0..6).map(|byte| offsets.of(byte)).collect::<Vec<_>>(),
            [10, 11, 12, 20, 21, 28]
        );
        assert_eq!(offsets.last(), Some(28));
        offsets.pop();
        assert_eq!(offsets.last(), Some(21));
        offsets.push(22, 1);
        assert_eq!(offsets.last(), Some(22));
        (0..6).for_each(|_| offsets.pop());
        assert_eq!(offsets.last(), None);
    }

    #[test]
    fn parts_are_cut_where_lines_end() {
        let offsets = offsets();
        let cut = |part, between| offsets.cut(part, between).collect::<Vec<_>>();
        assert_eq!(cut(0..6, 7), [0..3, 3..6]);
        assert_eq!(cut(0..6, 6), [0..3, 3..5, 5..6]);
        assert_eq!(cut(0..5, 7), [0..3, 3..5]);
        assert_eq!(cut(1..4, 7), [1..3, 3..4]);
        assert_eq!(cut(2..2, 7), []);
    }
}
