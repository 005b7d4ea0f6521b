//! The undo record: a comment at the end of the output that holds everything needed to get the
//! input back, so that nobody has to keep a second file beside an instrumented one.
//!
//! Its text is `pompeii undo 1: LENGTH HASH` (of the input, both hexadecimal), then
//! one entry `COPY+SKIP` or `COPY+SKIP-DELETED` per edit, separated by commas: copy that many bytes
//! of the output, skip the inserted ones, put back the deleted ones. Deleted bytes other than
//! letters, digits and `_` are written `.xx`. No character of it can end a comment, splice a line
//! or be a trigraph. Lines are short enough for fixed-form Fortran.

use crate::hash::hash_of;
use crate::{Error, LineIndex};

/// How the comment that carries the record looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentStyle {
    /// One block comment, as C89 wants it.
    C,
    /// Lines that begin with `!` in column 1, a comment in both forms.
    Fortran,
}

const MARK: &[u8] = b"pompeii undo 1: ";
const WIDTH: usize = 66;

/// A record that is written entry by entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder {
    /// The text of the entries before the last one.
    body: Vec<u8>,
    /// The last entry: what is copied and what is skipped, in bytes.
    last: Option<(usize, usize)>,
    /// What it deletes.
    deleted: Vec<u8>,
    /// What other entries deleted, and how that is written: sources repeat themselves.
    written: [(Vec<u8>, Vec<u8>); KEPT],
    /// Which of these is replaced next.
    oldest: usize,
}

/// As many texts as a construct takes out of its directives, and some more.
const KEPT: usize = 4;

/// About so long is the text of an entry.
const ENTRY_LENGTH: usize = 16;

impl Recorder {
    /// Nothing, with room for so many entries.
    pub(crate) fn with_capacity(entries: usize) -> Self {
        Self { body: Vec::with_capacity(ENTRY_LENGTH * (entries + 1)), ..Self::default() }
    }

    /// Adds an edit: `copy` unchanged bytes, then `skip` inserted ones, then `deleted` ones.
    pub(crate) fn push(&mut self, copy: usize, skip: usize, deleted: &[u8]) {
        match &mut self.last {
            Some((_, all)) if copy == 0 => *all += skip,
            _ => {
                self.write_last();
                self.last = Some((copy, skip));
            }
        }
        self.deleted.extend_from_slice(deleted);
    }

    fn write_last(&mut self) {
        let Some((copy, skip)) = self.last.take() else { return };
        if !self.body.is_empty() {
            self.body.push(b',');
        }
        push_numbers(&mut self.body, copy, skip);
        if !self.deleted.is_empty() {
            self.body.push(b'-');
            self.write_deleted();
            self.deleted.clear();
        }
    }

    fn write_deleted(&mut self) {
        if let Some((_, written)) = self.written.iter().find(|known| known.0 == self.deleted) {
            return self.body.extend_from_slice(written);
        }
        let from = self.body.len();
        encode(&mut self.body, &self.deleted);
        let known = &mut self.written[self.oldest];
        known.0.clone_from(&self.deleted);
        self.body[from..].clone_into(&mut known.1);
        self.oldest = (self.oldest + 1) % KEPT;
    }

    /// Appends the comment to `output`.
    pub(crate) fn write(mut self, source: &[u8], style: CommentStyle, output: &mut Vec<u8>) {
        self.write_last();
        if !output.ends_with(b"\n") {
            output.push(b'\n');
        }
        output.extend_from_slice(if style == CommentStyle::C { b"/* " } else { b"! " });
        output.extend_from_slice(MARK);
        output.extend_from_slice(format!("{:x} {:x}\n", source.len(), hash_of(source)).as_bytes());
        output.reserve(self.body.len() + self.body.len() / 8 + 16);
        for line in self.body.chunks(WIDTH) {
            output.extend_from_slice(if style == CommentStyle::C { b"   " } else { b"! " });
            output.extend_from_slice(line);
            output.push(b'\n');
        }
        if style == CommentStyle::C {
            output.extend_from_slice(b"*/\n");
        }
    }
}

/// The entries of a record that is read.
#[derive(Debug, Clone, Default)]
struct Script {
    entries: Vec<Entry>,
    /// The deleted bytes of all entries.
    deleted: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    copy: usize,
    skip: usize,
    /// How many bytes were deleted.
    deleted: usize,
}

impl Script {
    fn parse(text: &[u8]) -> Option<Self> {
        let mut script = Self::default();
        for entry in text.split(|&byte| byte == b',') {
            let entry = Entry::decode(entry, &mut script.deleted)?;
            script.entries.push(entry);
        }
        Some(script)
    }

    fn restore(&self, output: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut source = Vec::with_capacity(length.min(output.len()));
        let mut at = 0usize;
        let mut deleted = self.deleted.as_slice();
        for entry in &self.entries {
            source.extend_from_slice(output.get(at..at.checked_add(entry.copy)?)?);
            let (own, rest) = deleted.split_at(entry.deleted);
            source.extend_from_slice(own);
            deleted = rest;
            at = (at + entry.copy).checked_add(entry.skip)?;
        }
        (source.len() == length).then_some(source)
    }
}

impl Entry {
    /// Reads an entry; its deleted bytes go to the end of those of all.
    fn decode(text: &[u8], all_deleted: &mut Vec<u8>) -> Option<Self> {
        let (numbers, deleted) = match memchr::memchr(b'-', text) {
            Some(dash) => (&text[..dash], &text[dash + 1..]),
            None => (text, &[][..]),
        };
        let plus = memchr::memchr(b'+', numbers)?;
        let (copy, skip) = (hex(&numbers[..plus])?, hex(&numbers[plus + 1..])?);
        let before = all_deleted.len();
        let mut rest = deleted.iter();
        while let Some(&byte) = rest.next() {
            if byte == b'.' {
                all_deleted.push(hex(&[*rest.next()?, *rest.next()?])? as u8);
            } else {
                all_deleted.push(byte);
            }
        }
        let deleted = all_deleted.len() - before;
        Some(Self { copy: copy as usize, skip: skip as usize, deleted })
    }
}

/// Writes deleted bytes.
fn encode(text: &mut Vec<u8>, deleted: &[u8]) {
    for &byte in deleted {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            text.push(byte);
        } else {
            let digits = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
            text.extend_from_slice(&[b'.', digits[0], digits[1]]);
        }
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes two numbers with a `+` between.
fn push_numbers(text: &mut Vec<u8>, copy: usize, skip: usize) {
    let mut digits = [b'+'; 33];
    let plus = put_hex(&mut digits, skip) - 1;
    let first = put_hex(&mut digits[..plus], copy);
    text.extend_from_slice(&digits[first..]);
}

/// Writes a number to the end of a buffer; returns where it begins.
fn put_hex(buffer: &mut [u8], number: usize) -> usize {
    let mut first = buffer.len();
    let mut rest = number;
    loop {
        first -= 1;
        buffer[first] = DIGITS[rest & 15];
        rest >>= 4;
        if rest == 0 {
            return first;
        }
    }
}

fn hex(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Finds the record: offset of the mark, or `None`. Only the last one counts, and only at the end.
fn find(text: &[u8]) -> Option<usize> {
    let last = text.trim_ascii_end();
    let last = &last[memchr::memrchr(b'\n', last).map_or(0, |at| at + 1)..];
    if last != b"*/" && !last.starts_with(b"! ") {
        return None;
    }
    let mark = memchr::memmem::rfind(text, MARK)?;
    let start = memchr::memrchr(b'\n', &text[..mark]).map_or(0, |at| at + 1);
    matches!(&text[start..mark], b"/* " | b"! ").then_some(mark)
}

/// An input that is itself an output would be measured twice.
pub(crate) fn refuse_second_time(source: &[u8]) -> Result<(), Error> {
    let Some(at) = find(source) else { return Ok(()) };
    let message = "this text has been instrumented before".to_owned();
    let expected = "the original source (`undo` restores it)";
    Err(LineIndex::new(source).error(source, at, message, expected))
}

/// See [`crate::undo`].
pub(crate) fn undo(output: &[u8]) -> Result<Vec<u8>, Error> {
    let Some(mark) = find(output) else { return Ok(output.to_vec()) };
    restore(output, mark).ok_or_else(|| {
        let message = "the undo record does not belong to the text in front of it".to_owned();
        let expected = "an output of the instrumenter that nobody has edited";
        LineIndex::new(output).error(output, mark, message, expected)
    })
}

fn restore(output: &[u8], mark: usize) -> Option<Vec<u8>> {
    let record = &output[mark + MARK.len()..];
    let head_end = memchr::memchr(b'\n', record)?;
    let head = std::str::from_utf8(&record[..head_end]).ok()?;
    let (length, hash) = head.split_once(' ')?;
    let length = hex(length.as_bytes())? as usize;
    let noise = |byte: &u8| !b" \r\n!*/".contains(byte);
    let body: Vec<u8> = record[head_end..].iter().copied().filter(noise).collect();
    let source = Script::parse(&body)?.restore(&output[..mark], length)?;
    (hash_of(&source) == hex(hash.trim_end().as_bytes())?).then_some(source)
}

#[cfg(test)]
mod tests {
    use crate::edit::EditList;
    use crate::undo::CommentStyle;
    use expect_test::{Expect, expect};

    fn output() -> Vec<u8> {
        let mut edits = EditList::new();
        edits.insert(4, "begin; ");
        edits.replace(6..9, "*");
        edits.apply(b"one two three\n", CommentStyle::C)
    }

    #[test]
    fn the_record_is_a_comment() {
        let expected: Expect = expect![[r#"
            one begin; tw*hree
            /* pompeii undo 1: e 1def8bb359554b3e
               4+7,2+1-o.20t,5+0
            */
        "#]];
        expected.assert_eq(&String::from_utf8(output()).unwrap());
    }

    #[test]
    fn what_is_deleted_again_is_written_again() {
        let source = b"a+.b2.c3.d4.e5.a+.e5.";
        let mut edits = EditList::new();
        (0..7).for_each(|word| edits.delete(3 * word..3 * word + 2));
        let output = edits.apply(source, CommentStyle::C);
        let record = std::str::from_utf8(&output).unwrap().lines().nth(2);
        let expected = "   0+0-a.2b,1+0-b2,1+0-c3,1+0-d4,1+0-e5,1+0-a.2b,1+0-e5,1+0";
        assert_eq!(record, Some(expected));
        assert_eq!(crate::undo(&output).unwrap(), source);
    }

    #[test]
    fn an_edited_output_is_refused() {
        let mut edited = output();
        edited[0] = b'O';
        expect![[r#"
            line 2, column 4: the undo record does not belong to the text in front of it
                /* pompeii undo 1: e 1def8bb359554b3e
            expected: an output of the instrumenter that nobody has edited"#]]
        .assert_eq(&crate::undo(&edited).unwrap_err().to_string());
        assert!(super::refuse_second_time(&output()).is_err());
    }

    #[test]
    fn a_damaged_record_is_an_error() {
        let whole = output();
        let mut refused = 0;
        for at in 19..whole.len() - 4 {
            let mut damaged = whole.clone();
            damaged[at] = damaged[at].wrapping_add(0x51);
            match crate::undo(&damaged) {
                // Without its mark, it is no record; a changed line break changes nothing.
                Ok(text) => assert!(text == damaged || text == b"one two three\n", "byte {at}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 30);
    }
}
