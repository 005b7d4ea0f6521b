//! Thrift's compact protocol, as much of it as the metadata of Parquet need: numbers, texts,
//! structures, and lists of them.
//! Source: "Thrift Compact protocol encoding" in the documentation of Apache Thrift.

/// Kinds of values.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// Ends a structure.
const STOP: u8 = 0;

/// The fields of a structure, which come in the order of their numbers.
#[derive(Debug)]
pub struct Fields<'a> {
    out: &'a mut Vec<u8>,
    /// Number of the last field.
    last: i16,
}

/// Appends a structure.
pub fn structure(out: &mut Vec<u8>, fill: impl FnOnce(&mut Fields<'_>)) {
    let mut fields = Fields { out, last: 0 };
    fill(&mut fields);
    fields.out.push(STOP);
}

impl Fields<'_> {
    /// A number of 32 bits, or a value of an enumeration.
    pub fn i32(&mut self, field: i16, value: i32) {
        self.head(field, I32);
        varint(self.out, zigzag(value.into()));
    }

    /// A number of 64 bits.
    pub fn i64(&mut self, field: i16, value: i64) {
        self.head(field, I64);
        varint(self.out, zigzag(value));
    }

    /// A text.
    pub fn text(&mut self, field: i16, text: &str) {
        self.head(field, BINARY);
        bytes(self.out, text);
    }

    /// A structure in this one.
    pub fn structure(&mut self, field: i16, fill: impl FnOnce(&mut Fields<'_>)) {
        self.head(field, STRUCT);
        structure(self.out, fill);
    }

    /// A list of numbers of 32 bits.
    pub fn i32s(&mut self, field: i16, values: &[i32]) {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| varint(self.out, zigzag((*value).into())));
    }

    /// A list of texts.
    pub fn texts(&mut self, field: i16, texts: &[&str]) {
        self.list(field, BINARY, texts.len());
        texts.iter().for_each(|text| bytes(self.out, text));
    }

    /// A list of structures.
    pub fn structures(&mut self, field: i16, number: usize, fill: impl Fn(usize, &mut Fields<'_>)) {
        self.list(field, STRUCT, number);
        for place in 0..number {
            structure(self.out, |fields| fill(place, fields));
        }
    }

    /// The difference to the number of the last field, which is small.
    fn head(&mut self, field: i16, kind: u8) {
        let step = u8::try_from(field - self.last).unwrap_or(0);
        debug_assert!((1..16).contains(&step), "fields in the order of their numbers");
        self.out.push(step << 4 | kind);
        self.last = field;
    }

    fn list(&mut self, field: i16, kind: u8, number: usize) {
        self.head(field, LIST);
        if number < 15 {
            self.out.push((number as u8) << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            varint(self.out, number as u64);
        }
    }
}

fn bytes(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Small negative numbers become small ones: 0, -1, 1, -2 are 0, 1, 2, 3.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

/// Seven bits in each byte, the lowest ones first.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fill: impl FnOnce(&mut Fields<'_>), expected: &[u8]) {
        let mut out = Vec::new();
        structure(&mut out, fill);
        assert_eq!(out, expected);
    }

    #[test]
    fn a_field_has_the_step_from_the_one_before_and_its_kind() {
        check(|it| it.i32(1, 1), &[0x15, 2, 0]);
        // From 1 to 4: three, a number of 64 bits.
        let two = |it: &mut Fields<'_>| {
            it.i32(1, -1);
            it.i64(4, 300);
        };
        check(two, &[0x15, 1, 0x36, 0xd8, 0x04, 0]);
        check(|it| it.text(6, "ab"), &[0x68, 2, b'a', b'b', 0]);
        check(|it| it.structure(3, |inner| inner.i32(2, 0)), &[0x3c, 0x25, 0, 0, 0]);
    }

    #[test]
    fn lists_have_their_number_and_kind() {
        check(|it| it.i32s(2, &[0, 3]), &[0x29, 0x25, 0, 6, 0]);
        check(|it| it.texts(3, &["a"]), &[0x39, 0x18, 1, b'a', 0]);
        let numbers = |place: usize, it: &mut Fields<'_>| it.i32(1, place as i32);
        check(|it| it.structures(1, 2, numbers), &[0x19, 0x2c, 0x15, 0, 0, 0x15, 2, 0, 0]);
        let mut expected = vec![0x19, 0xf5, 15];
        expected.extend([2; 15]);
        expected.push(0);
        check(|it| it.i32s(1, &[1; 15]), &expected);
    }

    #[test]
    fn the_largest_numbers_fit() {
        let most = [0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0];
        check(|it| it.i64(1, i64::MIN), &most);
        assert_eq!(zigzag(i64::MAX), u64::MAX - 1);
    }
}
