//! Parts of sections: a mark refers to each of its parts by one word, which has the begin in 40
//! bits and the number of bytes in 24.

use std::ops::Range;

use crate::format::Words;

/// Marks between two that have all sums.
pub(crate) const MARKS_PER_TOTAL: usize = 64;
const COUNT_BITS: u32 = 24;

/// The longest part of a section.
pub(crate) const PART_MAX: usize = (1 << COUNT_BITS) - 1;

/// A part that is too long is empty, so what it has is not known.
pub(crate) fn part_word(part: Range<usize>) -> u64 {
    let length = if part.len() <= PART_MAX { part.len() } else { 0 };
    (part.start as u64) << COUNT_BITS | length as u64
}

/// The bytes of a part.
pub(crate) fn bytes(section: Words<'_>, word: u64) -> Option<&[u8]> {
    let begin = usize::try_from(word >> COUNT_BITS).ok()?;
    let length = (word & ((1 << COUNT_BITS) - 1)) as usize;
    section.bytes().get(begin..begin.checked_add(length)?)
}
