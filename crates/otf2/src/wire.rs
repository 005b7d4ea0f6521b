//! How single fields stand in a file: fixed and compressed numbers, strings, lists.
//!
//! [`Wire`] is implemented once per field type; the record tables are built from these types, so a
//! field is read, written, mapped and shown by the same four lines.

use crate::chunk::Endian;
use crate::field::FieldValue;
use crate::mapping::Mappings;

/// A field type of OTF2 records.
pub(crate) trait Wire: Sized {
    /// Takes the field from the front of the record.
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw>;
    /// As [`read`](Wire::read), in the place of another value, whose memory is used again.
    #[inline]
    fn read_over(&mut self, input: &mut Input<'_>) -> Result<(), Flaw> {
        *self = Self::read(input)?;
        Ok(())
    }
    /// Appends the field to the record.
    fn write(&self, sink: &mut Sink);
    /// Upper bound of its bytes in an event, which decides on the form of the record's length.
    fn max_bytes(&self) -> usize;
    /// The value for people and for other formats.
    fn show(&self) -> FieldValue<'_>;
    /// Replaces ids of one location by global ones.
    fn map(&mut self, _mappings: &Mappings) {}
}

/// What is wrong with the bytes of a record, without the place, which only the caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// Field that was being read; empty before the first.
    pub field: &'static str,
    /// What should have been there.
    pub expected: &'static str,
    /// What is there, if it is one number.
    pub found: Option<u64>,
    /// Bytes of the record behind the place.
    pub rest: usize,
}

impl Flaw {
    /// Adds the name of the field, unless an inner one is known.
    pub fn in_field(mut self, field: &'static str) -> Flaw {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}

/// The rest of a record while it is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub rest: &'a [u8],
    pub endian: Endian,
}

impl<'a> Input<'a> {
    pub fn new(rest: &'a [u8], endian: Endian) -> Input<'a> {
        Input { rest, endian }
    }

    pub fn flaw(&self, expected: &'static str) -> Flaw {
        Flaw { field: "", expected, found: None, rest: self.rest.len() }
    }

    #[inline]
    pub fn take<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Flaw> {
        let Some((&bytes, rest)) = self.rest.split_first_chunk() else {
            return Err(self.flaw(expected));
        };
        self.rest = rest;
        Ok(bytes)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Flaw> {
        let [byte] = self.take("one more byte")?;
        Ok(byte)
    }

    /// A compressed number of up to `max` bytes; all ones for the undefined mark.
    #[inline]
    pub fn compressed(&mut self, max: usize) -> Result<u64, Flaw> {
        let Some((&size, rest)) = self.rest.split_first() else {
            return Err(self.flaw("the size byte of a number"));
        };
        if size == 0xff {
            self.rest = rest;
            return Ok(u64::MAX);
        }
        let size = size as usize;
        if size > max {
            let expected =
                if max == 4 { "a size of 0 to 4, or 255" } else { "a size of 0 to 8, or 255" };
            return Err(Flaw { found: Some(size as u64), ..self.flaw(expected) });
        }
        let value = self.significant(rest, size)?;
        self.rest = &rest[size..];
        Ok(value)
    }

    /// The number in the first `size` bytes, `size` at most 8.
    #[inline]
    fn significant(&self, rest: &[u8], size: usize) -> Result<u64, Flaw> {
        let Some(word) = rest.first_chunk::<8>() else { return self.last_significant(rest, size) };
        let unused_bits = 64 - 8 * size as u32;
        Ok(match (size, self.endian) {
            (0, _) => 0,
            (_, Endian::Little) => u64::from_le_bytes(*word) << unused_bits >> unused_bits,
            (_, Endian::Big) => u64::from_be_bytes(*word) >> unused_bits,
        })
    }

    /// As [`significant`](Self::significant) near the end of a record: byte by byte, because most
    /// of these numbers have one to three of them.
    #[inline]
    fn last_significant(&self, rest: &[u8], size: usize) -> Result<u64, Flaw> {
        let Some(bytes) = rest.get(..size) else {
            return Err(self.flaw("all bytes of the number"));
        };
        let append = |value, byte: &u8| value << 8 | u64::from(*byte);
        Ok(match self.endian {
            Endian::Little => bytes.iter().rev().fold(0, append),
            Endian::Big => bytes.iter().fold(0, append),
        })
    }

    /// Whether so many elements of at least `least` bytes each can follow: so no count of a damaged
    /// file can ask for more memory than the file's own size.
    fn check_count(&self, count: u64, least: usize) -> Result<usize, Flaw> {
        let fits =
            |count: &usize| count.checked_mul(least).is_some_and(|bytes| bytes <= self.rest.len());
        usize::try_from(count).ok().filter(fits).ok_or_else(|| {
            let flaw = self.flaw("a count of elements that fit into the record");
            Flaw { found: Some(count), ..flaw }
        })
    }

    /// A list of so many elements, which take at least `least` bytes each.
    pub fn list<T>(
        &mut self,
        count: u64,
        least: usize,
        mut element: impl FnMut(&mut Self) -> Result<T, Flaw>,
    ) -> Result<Vec<T>, Flaw> {
        let count = self.check_count(count, least)?;
        (0..count).map(|_| element(self)).collect()
    }
}

/// A record while it is being written.
#[derive(Debug)]
pub(crate) struct Sink {
    pub bytes: Vec<u8>,
    pub endian: Endian,
}

impl Sink {
    pub fn new(endian: Endian) -> Sink {
        Sink { bytes: Vec::new(), endian }
    }

    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend(self.endian.bytes_of_u64(value));
    }

    /// The smallest number of bytes, or the undefined mark for `undefined`.
    #[inline]
    pub fn compressed(&mut self, value: u64, undefined: u64) {
        if value == undefined {
            return self.u8(0xff);
        }
        self.significant(value, (71 - value.leading_zeros() as usize) / 8);
    }

    /// Negative values have the full width of `width` bytes.
    pub fn signed(&mut self, value: i64, width: usize) {
        let size = if value < 0 { width } else { (71 - value.leading_zeros() as usize) / 8 };
        self.significant(value as u64, size);
    }

    fn significant(&mut self, value: u64, size: usize) {
        let mut bytes = [0; 9];
        let [first, number @ ..] = &mut bytes;
        *first = size as u8;
        *number = match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        };
        if self.endian == Endian::Big {
            number.rotate_left(8 - size);
        }
        // All nine bytes at once take less time than as many as count.
        let end = self.bytes.len() + 1 + size;
        self.bytes.extend_from_slice(&bytes);
        self.bytes.truncate(end);
    }
}

/// Id, length, fields, as every record but the single-field events has them.
///
/// `estimate` is the reference library's bound of the field bytes; from 255 on the length takes
/// eight bytes, also if the fields turn out to be shorter.
pub(crate) fn write_framed(
    sink: &mut Sink,
    id: u8,
    estimate: Option<usize>,
    fields: impl FnOnce(&mut Sink),
) {
    sink.u8(id);
    let at = sink.bytes.len();
    if estimate.is_some_and(|bytes| bytes < 255) {
        // The length has one byte, which is set when it is known.
        sink.u8(0);
        fields(sink);
        let length = sink.bytes.len() - at - 1;
        if let Some(place) = sink.bytes.get_mut(at) {
            *place = length as u8;
        }
        return;
    }
    fields(sink);
    let length = sink.bytes.len() - at;
    if estimate.unwrap_or(length) < 255 {
        sink.bytes.insert(at, length as u8);
    } else {
        let long = sink.endian.bytes_of_u64(length as u64);
        sink.bytes.splice(at..at, [0xff].into_iter().chain(long));
    }
}

/// Bytes of a record with so many bytes of fields: its id, its length, and these.
pub(crate) const fn framed_bytes(fields: usize) -> usize {
    1 + if fields < 255 { 1 } else { 9 } + fields
}

/// Where the fields of a record with a length are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framed {
    pub id: u8,
    /// Bytes in front of the fields.
    pub head: usize,
    /// Bytes from the id to the end of the fields.
    pub bytes: usize,
}

/// The flaw of a record that is longer than the bytes there are; `found` is its length.
pub(crate) const ENDS_IN_CHUNK: &str = "a record that ends within the chunk";

/// Measures the record with a length at the start of `bytes`.
#[inline]
pub(crate) fn read_framed(bytes: &[u8], endian: Endian) -> Result<Framed, Flaw> {
    let mut input = Input::new(bytes, endian);
    let id = input.u8()?;
    let length = match input.u8()? {
        0xff => endian.u64(input.take("the eight bytes of a record's length")?),
        length => u64::from(length),
    };
    let head = bytes.len() - input.rest.len();
    if length > input.rest.len() as u64 {
        return Err(Flaw { found: Some(length), ..input.flaw(ENDS_IN_CHUNK) });
    }
    Ok(Framed { id, head, bytes: head + length as usize })
}

macro_rules! unsigned {
    ($($ty:ty, $width:literal);*) => { $(
        impl Wire for $ty {
            #[inline]
            fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
                input.compressed($width).map(|value| value as $ty)
            }
            fn write(&self, sink: &mut Sink) {
                sink.compressed(u64::from(*self), u64::from(<$ty>::MAX));
            }
            fn max_bytes(&self) -> usize { $width + 1 }
            fn show(&self) -> FieldValue<'_> { FieldValue::Unsigned(u64::from(*self)) }
        }
    )* };
}
unsigned!(u32, 4; u64, 8);

macro_rules! signed {
    ($($ty:ty, $width:literal);*) => { $(
        impl Wire for $ty {
            fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
                // Bytes that a short form leaves out are zero, also in front of a top bit.
                input.compressed($width).map(|value| value as $ty)
            }
            fn write(&self, sink: &mut Sink) { sink.signed(i64::from(*self), $width) }
            fn max_bytes(&self) -> usize { $width + 1 }
            fn show(&self) -> FieldValue<'_> { FieldValue::Signed(i64::from(*self)) }
        }
    )* };
}
signed!(i32, 4; i64, 8);

macro_rules! fixed {
    ($($ty:ty, $shown:ident, $wide:ty);*) => { $(
        impl Wire for $ty {
            fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
                let bytes = input.take("all bytes of the number")?;
                Ok(match input.endian {
                    Endian::Little => <$ty>::from_le_bytes(bytes),
                    Endian::Big => <$ty>::from_be_bytes(bytes),
                })
            }
            fn write(&self, sink: &mut Sink) {
                match sink.endian {
                    Endian::Little => sink.bytes.extend(self.to_le_bytes()),
                    Endian::Big => sink.bytes.extend(self.to_be_bytes()),
                }
            }
            fn max_bytes(&self) -> usize { size_of::<$ty>() }
            fn show(&self) -> FieldValue<'_> { FieldValue::$shown(<$wide>::from(*self)) }
        }
    )* };
}
fixed!(u8, Unsigned, u64; u16, Unsigned, u64; i8, Signed, i64; i16, Signed, i64;
       f32, Float, f64; f64, Float, f64);

/// A point in time with eight bytes, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Wire for Timestamp {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let bytes = input.take("the eight bytes of a time")?;
        Ok(Timestamp(input.endian.u64(bytes)))
    }
    fn write(&self, sink: &mut Sink) {
        sink.u64(self.0);
    }
    fn max_bytes(&self) -> usize {
        8
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::Unsigned(self.0)
    }
}

/// Text is UTF-8 by convention; what is not is replaced. The format cannot store a NUL within a
/// text: it is left out.
impl Wire for String {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let Some(length) = input.rest.iter().position(|&byte| byte == 0) else {
            return Err(input.flaw("a text that ends with a zero byte"));
        };
        let (text, rest) = input.rest.split_at(length);
        input.rest = rest.get(1..).unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }
    fn write(&self, sink: &mut Sink) {
        sink.bytes.extend(self.bytes().filter(|&byte| byte != 0));
        sink.u8(0);
    }
    fn max_bytes(&self) -> usize {
        self.len() + 1
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::Text(self)
    }
}

/// An element of a list; the element's type decides on the width of the count, as in the format.
pub(crate) trait Element: Wire {
    /// The count is a compressed number; else it is one byte.
    const LONG: bool;
    /// Smallest number of bytes of an element.
    const LEAST_BYTES: usize;
}

impl<T: Element> Wire for Vec<T> {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let mut list = Vec::new();
        list.read_over(input)?;
        Ok(list)
    }
    fn read_over(&mut self, input: &mut Input<'_>) -> Result<(), Flaw> {
        self.clear();
        let count = if T::LONG { input.compressed(4)? } else { u64::from(input.u8()?) };
        for _ in 0..input.check_count(count, T::LEAST_BYTES)? {
            self.push(T::read(input)?);
        }
        Ok(())
    }
    fn write(&self, sink: &mut Sink) {
        let limit = if T::LONG { u32::MAX as usize - 1 } else { u8::MAX as usize };
        let elements = &self[..self.len().min(limit)];
        if T::LONG {
            sink.compressed(elements.len() as u64, u64::MAX);
        } else {
            sink.u8(elements.len() as u8);
        }
        elements.iter().for_each(|element| element.write(sink));
    }
    fn max_bytes(&self) -> usize {
        let count = if T::LONG { 5 } else { 1 };
        count + self.iter().map(T::max_bytes).sum::<usize>()
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::List(self.iter().map(T::show).collect())
    }
    fn map(&mut self, mappings: &Mappings) {
        self.iter_mut().for_each(|element| element.map(mappings));
    }
}

impl Element for u64 {
    const LONG: bool = true;
    const LEAST_BYTES: usize = 1;
}

impl Element for u32 {
    const LONG: bool = false;
    const LEAST_BYTES: usize = 1;
}
