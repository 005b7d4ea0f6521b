//! Numbers in few bytes: seven bits in each byte, the lowest ones first; the highest bit says that
//! more follow. Signed numbers alternate between positive and negative ones, so small ones are
//! short. Sections of a file are words, so packed bytes are filled up to a word.

use crate::format::Words;

/// Adds a number.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Adds some numbers.
pub(crate) fn put_all(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = u64>) {
    numbers.into_iter().for_each(|number| put(out, number));
}

/// Adds a number that may be negative.
#[inline]
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63).cast_unsigned());
}

/// The difference of two numbers, also if it does not fit: adding it gives the first one again.
#[inline]
pub(crate) fn difference(number: u64, before: u64) -> i64 {
    number.wrapping_sub(before).cast_signed()
}

/// Packed numbers that are read one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes }
    }

    /// Number of bytes that are left.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next number; `None` after the end.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f).unbounded_shl(shift);
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The number whose difference from `before` comes next.
    #[inline]
    pub fn after(&mut self, before: u64) -> Option<u64> {
        Some(before.wrapping_add(self.signed()?.cast_unsigned()))
    }
}

/// Entries in blocks: a block is decoded without those before it. The directory has some words for
/// each block, so that a reader finds the blocks that it needs.
///
/// ```text
/// number of blocks
/// directory  N words for each block, and a last one: where its bytes begin 48, entries 16
/// bytes
/// ```
#[derive(Clone, Debug)]
pub(crate) struct Blocks<const N: usize> {
    directory: Vec<[u64; N]>,
    places: Vec<u64>,
    bytes: Vec<u8>,
}

/// Entries of a block.
pub(crate) const BLOCK_ENTRIES: usize = 128;

impl<const N: usize> Blocks<N> {
    pub fn new() -> Blocks<N> {
        Blocks { directory: Vec::new(), places: Vec::new(), bytes: Vec::new() }
    }

    /// The next entry is the first one of a block.
    pub fn begins_block(&self) -> bool {
        self.places.last().is_none_or(|place| place & 0xffff == BLOCK_ENTRIES as u64)
    }

    /// Adds an entry, whose bytes `pack` writes. `note` updates the directory of its block, which
    /// is `first` at the begin.
    pub fn push(
        &mut self,
        first: [u64; N],
        note: impl FnOnce(&mut [u64; N]),
        pack: impl FnOnce(&mut Vec<u8>),
    ) {
        if self.begins_block() {
            self.directory.push(first);
            self.places.push((self.bytes.len() as u64) << 16);
        }
        if let (Some(block), Some(place)) = (self.directory.last_mut(), self.places.last_mut()) {
            note(block);
            *place += 1;
        }
        pack(&mut self.bytes);
    }

    /// The section; nothing if there are no entries.
    pub fn words(self) -> Vec<u64> {
        if self.places.is_empty() {
            return Vec::new();
        }
        let mut words = vec![self.places.len() as u64];
        for (block, place) in self.directory.iter().zip(&self.places) {
            words.extend(block);
            words.push(*place);
        }
        words.extend(words_of(&self.bytes));
        words
    }
}

/// Bytes as words, the last one filled up.
pub(crate) fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bytes)
    })
}

/// Blocks in a file, which may be damaged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlocksOf<'a, const N: usize> {
    directory: Words<'a>,
    bytes: &'a [u8],
    blocks: usize,
}

impl<'a, const N: usize> BlocksOf<'a, N> {
    /// The blocks of a section; none if it is damaged.
    pub fn new(section: Words<'a>) -> BlocksOf<'a, N> {
        let blocks = usize::try_from(section.get(0)).unwrap_or(usize::MAX);
        let words = blocks.checked_mul(N + 1).filter(|words| *words < section.len());
        let none = Words::of(&[]);
        let Some(words) = words else { return BlocksOf { directory: none, bytes: &[], blocks: 0 } };
        let rest = section.len() - 1 - words;
        let part = |at: usize, words: usize| section.part(at as u64, words as u64);
        let directory = part(1, words).unwrap_or(none);
        let bytes = part(1 + words, rest).unwrap_or(none).bytes();
        BlocksOf { directory, bytes, blocks }
    }

    pub fn len(&self) -> usize {
        self.blocks
    }

    /// What the directory has of a block.
    #[inline]
    pub fn block(&self, block: usize) -> [u64; N] {
        std::array::from_fn(|word| self.directory.get(block * (N + 1) + word))
    }

    /// Number of entries of a block.
    #[inline]
    pub fn entries(&self, block: usize) -> usize {
        (self.place(block) & 0xffff).min(BLOCK_ENTRIES as u64) as usize
    }

    #[inline]
    fn place(&self, block: usize) -> u64 {
        self.directory.get(block * (N + 1) + N)
    }

    /// The packed entries of a block.
    pub fn input(&self, block: usize) -> Input<'a> {
        let begin = usize::try_from(self.place(block) >> 16).unwrap_or(usize::MAX);
        Input::new(self.bytes.get(begin..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put(&mut bytes, *number));
        numbers.iter().for_each(|number| put_signed(&mut bytes, number.cast_signed()));
        let mut input = Input::new(&bytes);
        numbers.iter().for_each(|number| assert_eq!(input.number(), Some(*number)));
        for number in numbers {
            assert_eq!(input.signed(), Some(number.cast_signed()));
        }
        assert_eq!(input.number(), None);
        for (number, before) in [(5, 9), (9, 5), (u64::MAX, 0), (0, u64::MAX)] {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, difference(number, before));
            assert_eq!(Input::new(&bytes).after(before), Some(number));
        }
    }

    #[test]
    fn any_bytes_come_to_an_end() {
        assert_eq!(Input::new(&[0xff; 20]).number(), None);
        let mut long = vec![0xff; 20];
        long.push(1);
        assert!(Input::new(&long).number().is_some());
    }

    #[test]
    fn blocks_are_read_alone() {
        let mut blocks: Blocks<1> = Blocks::new();
        for number in 0..1000_u64 {
            blocks.push([number], |first| first[0] |= 1 << 63, |out| put(out, number));
        }
        let bytes: Vec<u8> = blocks.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let blocks: BlocksOf<1> = BlocksOf::new(Words::of(&bytes));
        assert_eq!((blocks.len(), blocks.entries(7)), (8, 1000 - 7 * 128));
        let mut input = blocks.input(3);
        assert_eq!((input.number(), blocks.block(3)), (Some(384), [1 << 63 | 384]));
        let foreign: BlocksOf<1> = BlocksOf::new(Words::of(&[0xff; 64]));
        assert_eq!((foreign.len(), foreign.block(9), foreign.entries(9)), (0, [0], 0));
    }
}
