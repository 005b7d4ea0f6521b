//! Numbers in the byte order of a file.

use std::io::Write;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endian {
    /// The lowest byte first.
    #[default]
    Little,
    /// The highest byte first.
    Big,
}

impl Endian {
    /// The byte that stands for it in the header.
    pub(crate) fn mark(self) -> u8 {
        match self {
            Endian::Little => 1,
            Endian::Big => 2,
        }
    }

    /// The number in the first four bytes; `None` if there are fewer.
    pub(crate) fn first_u32(self, bytes: &[u8]) -> Option<u32> {
        let bytes = *bytes.first_chunk()?;
        Some(match self {
            Endian::Little => u32::from_le_bytes(bytes),
            Endian::Big => u32::from_be_bytes(bytes),
        })
    }

    /// The order for which a byte of the header stands.
    pub(crate) fn of_mark(mark: u8) -> Option<Endian> {
        [Endian::Little, Endian::Big].into_iter().find(|endian| endian.mark() == mark)
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// Bytes of the record that follow the place.
    pub rest: usize,
    /// Name of the field.
    pub field: &'static str,
    /// What was expected there.
    pub expected: &'static str,
}

impl Flaw {
    pub fn in_field(self, field: &'static str) -> Flaw {
        Flaw { field, ..self }
    }
}

/// The body of a record while it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// What has not been read.
    pub rest: &'a [u8],
    pub endian: Endian,
    /// Minor version of the file; the major one is 1.
    pub minor: u8,
    /// Number of METRIC definitions so far: events have a value for each of them.
    pub metrics: usize,
    /// The event has a location.
    pub has_location: bool,
    /// Number of elements of the lists that follow.
    pub elements: usize,
}

impl<'a> Input<'a> {
    pub fn flaw(&self, expected: &'static str) -> Flaw {
        Flaw { rest: self.rest.len(), field: "", expected }
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Flaw> {
        let Some((bytes, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.flaw(expected));
        };
        self.rest = rest;
        Ok(*bytes)
    }

    pub fn u8(&mut self) -> Result<u8, Flaw> {
        self.array::<1>("a byte").map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32, Flaw> {
        let expected = "the four bytes of a number";
        let number = self.endian.first_u32(self.rest).ok_or(self.flaw(expected))?;
        self.array::<4>(expected)?;
        Ok(number)
    }

    pub fn u64(&mut self) -> Result<u64, Flaw> {
        let bytes = self.array("the eight bytes of a number")?;
        Ok(match self.endian {
            Endian::Little => u64::from_le_bytes(bytes),
            Endian::Big => u64::from_be_bytes(bytes),
        })
    }

    /// All that has not been read.
    pub fn all(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }
}

/// The body of a record while it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub bytes: Vec<u8>,
    pub endian: Endian,
}

impl Output {
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes.extend(match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        });
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        });
    }
}

/// Writes a record of at most 255 bytes.
pub(crate) fn write_record(out: &mut impl Write, number: u8, body: &[u8]) -> std::io::Result<()> {
    debug_assert!(body.len() <= usize::from(u8::MAX));
    out.write_all(&[body.len() as u8, number])?;
    out.write_all(body)
}
