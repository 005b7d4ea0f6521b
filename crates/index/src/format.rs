//! The file of an index: sections of words, and a directory with the kind, place and length of each
//! of them. Everything is 64-bit words, little-endian.
//!
//! ```text
//! head       8 words: magic, version, fingerprint (2), shape (3), number of locations
//! sections   the fine levels of all rows, marks, sums
//! sections   those that each picture of the whole run needs: coarse levels, totals
//! directory  3 words per section, in the order of the keys: key, offset, number of words
//! foot       4 words: offset of the coarse sections, sections, checksum, magic
//! ```
//!
//! The coarse sections and the directory lie together, so that opening an index reads one piece of
//! the file. They are at the end because their size is known last. The checksum is that of the head
//! and of the directory. A reader checks each place of the directory against the file once, so a
//! section is always within the file; numbers in sections are checked where they are used.

use crate::shape::Shape;

pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"PompIndx");
pub(crate) const END_MAGIC: u64 = u64::from_le_bytes(*b"xdnIpmoP");
/// The version of the format; another one is built anew.
pub const VERSION: u64 = 7;
const HEAD_WORDS: usize = 8;
const FOOT_WORDS: usize = 4;
const ENTRY_WORDS: usize = 3;
const WORD: usize = 8;
/// The most levels that a shape of a file can have: bins have less than 2^64 units.
const LEVELS_MAX: u8 = 32;

/// Why a file is no index that can be used. Each of them means: build it anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The file is something else, or was not written to its end.
    #[error("byte {offset}: expected {expected} of an index file")]
    Damaged {
        /// Where.
        offset: u64,
        /// What was expected there.
        expected: &'static str,
    },
    /// It has another version of the format.
    #[error("index of version {found}, expected version {VERSION}")]
    Version {
        /// The version of the file.
        found: u64,
    },
    /// It belongs to another trace, or to an earlier state of this one.
    #[error("index of another trace, or of this one before it was changed")]
    OtherTrace,
}

/// What identifies a trace and its state.
pub type Fingerprint = [u64; 2];

/// What a section has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    /// Of a location: number of its events, of its errors, of stack levels, and of those levels
    /// as recorded.
    Facts = 1,
    /// Intervals of a row's class (`list.rs`).
    Exact = 2,
    /// Runs of bins of a row's level (`list.rs`).
    Fillers = 3,
    /// Marks of a location (`marks.rs`).
    Marks = 4,
    /// States of walks at the marks.
    States = 5,
    /// Sums between two marks: region, visits, exclusive ticks.
    Sums = 6,
    /// Sums of all events before a mark: region, visits, exclusive ticks.
    Totals = 7,
    /// Runs of bins of a process's level, one word each (`fold.rs`).
    Folded = 8,
    /// Links of a kind, which takes the place of the location, by class (`links.rs`).
    Links = 9,
    /// Counts of the links of a kind by the length of their bins (`counts.rs`).
    Counts = 10,
    /// A curve of a process, by level (`series.rs`).
    Curve = 11,
    /// A counter of a location, by level.
    Counter = 12,
    /// Durations of the visits that ended between two marks (`durations.rs`).
    Durations = 13,
    /// Those of all visits that ended before a mark.
    DurationTotals = 14,
    /// Times of a location without records (`gaps.rs`).
    Gaps = 15,
    /// Teams of a master with workers, one word each (`calls/forks.rs`).
    ForkTeams = 16,
    /// Forks of such a team, by its place.
    Forks = 17,
    /// Call paths of a location (`calls/tree.rs`).
    CallTree = 18,
    /// Sums by call path between two marks (`calls/build.rs`).
    Calls = 19,
    /// Those of all events before a mark.
    CallTotals = 20,
    /// When the tasks of a process were created that do not begin in the trace.
    Unbegun = 21,
}

/// The key of a section: kind, location or process or kind of link, row and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub u64);

impl Key {
    pub fn new(section: Section, location: usize, row: usize, level: usize) -> Key {
        let (location, row) = (location as u64 & 0xfff_ffff, row as u64 & 0xf_ffff);
        Key((section as u64) << 56 | location << 28 | row << 8 | level as u64 & 0xff)
    }
}

/// A section of one location or process before it has its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub section: Section,
    pub row: usize,
    pub level: usize,
    pub words: Vec<u64>,
    /// Each picture of the whole run needs it.
    pub is_coarse: bool,
}

impl Piece {
    /// Where it is among the sections of its location or process.
    pub fn place(&self) -> (Section, usize, usize) {
        (self.section, self.row, self.level)
    }
}

/// FNV-1a over words: damage is found, not malice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum(u64);

impl Checksum {
    pub fn new() -> Checksum {
        Checksum(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, words: &[u64]) {
        for word in words {
            self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
        }
    }

    pub fn value(self) -> u64 {
        self.0
    }
}

/// Words in a file, which are not aligned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// The words of a whole file.
    pub fn of(bytes: &'a [u8]) -> Words<'a> {
        Words(bytes)
    }

    pub fn len(self) -> usize {
        self.0.len() / WORD
    }

    /// A word; 0 after the end.
    #[inline]
    pub fn get(self, place: usize) -> u64 {
        let bytes = place.checked_mul(WORD).and_then(|at| self.0.get(at..));
        bytes.and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// A part, as long as it is within these words.
    pub fn part(self, offset: u64, words: u64) -> Option<Words<'a>> {
        let begin = usize::try_from(offset).ok()?.checked_mul(WORD)?;
        let length = usize::try_from(words).ok()?.checked_mul(WORD)?;
        self.0.get(begin..begin.checked_add(length)?).map(Words)
    }
}

/// An index that can be asked.
#[derive(Debug)]
pub struct Index<B> {
    bytes: B,
    fingerprint: Fingerprint,
    shape: Shape,
    locations: usize,
    coarse_begin: u64,
    directory: (u64, u64),
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Checks a file and opens it.
    ///
    /// # Errors
    /// The file is no index of this version, or is damaged.
    pub fn open(bytes: B) -> Result<Index<B>, Flaw> {
        let file = Words::of(bytes.as_ref());
        let damaged = |word: u64, expected| Flaw::Damaged { offset: word * WORD as u64, expected };
        let total = file.len() as u64;
        if file.len() < HEAD_WORDS + FOOT_WORDS || file.get(0) != MAGIC {
            return Err(damaged(0, "the head"));
        }
        if file.get(1) != VERSION {
            return Err(Flaw::Version { found: file.get(1) });
        }
        let shape = shape(file).ok_or(damaged(4, "a shape"))?;
        let foot = file.len() - FOOT_WORDS;
        if !bytes.as_ref().len().is_multiple_of(WORD) || file.get(foot + 3) != END_MAGIC {
            return Err(damaged(total, "the foot"));
        }
        let (coarse_begin, sections) = (file.get(foot), file.get(foot + 1));
        let words = sections.checked_mul(ENTRY_WORDS as u64);
        let begin = words.and_then(|words| (foot as u64).checked_sub(words));
        let begin = begin.filter(|begin| (HEAD_WORDS as u64..=*begin).contains(&coarse_begin));
        let begin = begin.ok_or(damaged(foot as u64, "a directory within the file"))?;
        let locations = usize::try_from(file.get(7)).unwrap_or(usize::MAX);
        check_directory(file, begin, foot)?;
        let fingerprint = [file.get(2), file.get(3)];
        let directory = (begin, sections);
        Ok(Index { bytes, fingerprint, shape, locations, coarse_begin, directory })
    }

    /// The same for a certain trace.
    ///
    /// # Errors
    /// Those of [`open`](Index::open), or the index belongs to something else.
    pub fn open_for(bytes: B, fingerprint: Fingerprint) -> Result<Index<B>, Flaw> {
        let index = Index::open(bytes)?;
        if index.fingerprint == fingerprint { Ok(index) } else { Err(Flaw::OtherTrace) }
    }

    /// The bytes of the file.
    pub fn into_bytes(self) -> B {
        self.bytes
    }

    /// The division of time.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.locations
    }

    /// The bytes of the file that a picture of the whole run needs: to be read ahead.
    pub fn coarse_bytes(&self) -> std::ops::Range<u64> {
        self.coarse_begin * WORD as u64..self.bytes.as_ref().len() as u64
    }

    /// A section; empty if there is none.
    pub(crate) fn section(&self, key: Key) -> Words<'_> {
        let file = Words::of(self.bytes.as_ref());
        let (begin, sections) = self.directory;
        let at = |entry: u64| begin as usize + entry as usize * ENTRY_WORDS;
        let (mut low, mut high) = (0, sections);
        while low < high {
            let middle = low + (high - low) / 2;
            match file.get(at(middle)).cmp(&key.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let (offset, words) = (file.get(at(middle) + 1), file.get(at(middle) + 2));
                    return file.part(offset, words).unwrap_or(Words(&[]));
                }
            }
        }
        Words(&[])
    }
}

/// The shape in the head, if its numbers are possible together.
fn shape(file: Words<'_>) -> Option<Shape> {
    let [unit_log2, finest_log2, levels, ..] = file.get(4).to_le_bytes();
    let shape = Shape { origin: file.get(5), length: file.get(6), unit_log2, finest_log2, levels };
    let is_possible = (1..=LEVELS_MAX).contains(&levels)
        && unit_log2 < 64
        && finest_log2 < 64
        && shape.bin_log2(usize::from(levels)) < 64
        && shape.bin_log2(usize::from(levels) - 1) + u32::from(unit_log2) < 64
        && file.get(4) >> 24 == 0;
    is_possible.then_some(shape)
}

/// Keys increase, and all sections are between head and directory.
fn check_directory(file: Words<'_>, begin: u64, foot: usize) -> Result<(), Flaw> {
    let mut checksum = Checksum::new();
    (0..HEAD_WORDS).for_each(|place| checksum.add(&[file.get(place)]));
    let mut last = 0;
    for at in (begin as usize..foot).step_by(ENTRY_WORDS) {
        let entry @ [key, offset, words] = [file.get(at), file.get(at + 1), file.get(at + 2)];
        let end = offset.checked_add(words);
        let is_within = offset >= HEAD_WORDS as u64 && end.is_some_and(|end| end <= begin);
        if key <= last || !is_within {
            let offset = at as u64 * WORD as u64;
            return Err(Flaw::Damaged { offset, expected: "an entry of the directory" });
        }
        last = key;
        checksum.add(&entry);
    }
    if checksum.value() != file.get(foot + 2) {
        let offset = (foot as u64 + 2) * WORD as u64;
        return Err(Flaw::Damaged { offset, expected: "the checksum" });
    }
    Ok(())
}
