//! The wire format of protocol buffers, as much of it as a writer needs: a message is a row of
//! fields, and a field is its number, the kind of its value, and the value. A schema compiler would
//! be more than the few fields that are written here.
//! Source: "Encoding" in the documentation of protocol buffers.

/// Kinds of values.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH: u64 = 2;

/// The fields of a message, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    bytes: Vec<u8>,
}

impl Fields {
    /// A number of type `int32` to `uint64`, a `bool`, or a value of an enumeration.
    #[inline]
    pub fn number(&mut self, field: u32, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    /// A number of type `int32` or `int64` that may be negative.
    pub fn signed(&mut self, field: u32, value: i64) {
        self.number(field, value.cast_unsigned());
    }

    /// A number of type `fixed64`.
    pub fn fixed(&mut self, field: u32, value: u64) {
        self.key(field, FIXED_64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A `double`.
    pub fn double(&mut self, field: u32, value: f64) {
        self.fixed(field, value.to_bits());
    }

    /// A `string`.
    pub fn text(&mut self, field: u32, text: &str) {
        self.key(field, LENGTH);
        self.varint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A message in this one.
    #[inline]
    pub fn message(&mut self, field: u32, fill: impl FnOnce(&mut Fields)) {
        self.key(field, LENGTH);
        let at = self.bytes.len();
        // The length of nearly all messages has one byte.
        self.bytes.push(0);
        fill(self);
        let length = self.bytes.len() - at - 1;
        if length < 0x80 {
            self.bytes[at] = length as u8;
        } else {
            self.lengthen(at, length);
        }
    }

    /// The byte at `at` becomes a length that needs more than one.
    #[cold]
    fn lengthen(&mut self, at: usize, length: usize) {
        let mut prefix = Fields::default();
        prefix.varint(length as u64);
        drop(self.bytes.splice(at..=at, prefix.bytes));
    }

    /// All bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, which may be removed after they have been written.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    #[inline]
    fn key(&mut self, field: u32, kind: u64) {
        self.varint(u64::from(field) << 3 | kind);
    }

    /// Seven bits in each byte, the lowest ones first.
    #[inline]
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fill: impl FnOnce(&mut Fields), expected: &[u8]) {
        let mut fields = Fields::default();
        fill(&mut fields);
        assert_eq!(fields.as_bytes(), expected);
    }

    /// The examples of the documentation.
    #[test]
    fn fields_have_the_bytes_of_the_documentation() {
        check(|it| it.number(1, 150), &[0x08, 0x96, 0x01]);
        check(|it| it.text(2, "testing"), b"\x12\x07testing");
        check(|it| it.message(3, |inner| inner.number(1, 150)), &[0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus_two = [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        check(|it| it.signed(1, -2), &minus_two);
        // Field 47 has a number of two bytes: 47 << 3 | 1 = 377 = 0x179.
        check(|it| it.fixed(47, 0x0102), &[0xf9, 0x02, 2, 1, 0, 0, 0, 0, 0, 0]);
        check(|it| it.double(5, 1.0), &[0x29, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    }

    #[test]
    fn a_long_message_has_a_long_length() {
        let text = "x".repeat(200);
        let mut expected = vec![0x0a, 0xcb, 0x01, 0x12, 0xc8, 0x01];
        expected.extend_from_slice(text.as_bytes());
        // One byte for the field, two for the length of the text: 203 = 0xcb 0x01.
        check(|it| it.message(1, |inner| inner.text(2, &text)), &expected);
    }
}
