//! The container of a report: a tar file without folders. Written by hand instead of with a tar
//! library, because Cube files have habits that libraries reject: one release wrote wrong
//! checksums, and Cube's own reader and writer step over one block too many behind a member whose
//! size is a multiple of 512 bytes, where every other reader expects the next header. The writer
//! here emits a container that both kinds read, the reader accepts both kinds.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};

use crate::error::{Error, Result};
use crate::source::{Extent, Source};

const BLOCK: u64 = 512;
/// The largest size that the eleven octal digits of a header can express.
const HEADER_SIZE_MAX: u64 = 0o77_777_777_777;
/// `NN size=` + 12 digits + line feed. Cube's reader wants the size to be the only record and its
/// length to have two digits; leading zeros let it be patched in place.
const PAX_RECORD_LEN: u64 = 21;
/// The name of the empty member behind a member whose size is a multiple of 512, see [`Container`].
const FILLER: &str = ".fill";

/// Where a container is written to: a file, or memory.
pub trait Target: Read + Write + Seek {
    /// Cuts everything from `len` on.
    fn truncate(&mut self, len: u64) -> std::io::Result<()>;
}

impl Target for std::fs::File {
    fn truncate(&mut self, len: u64) -> std::io::Result<()> {
        self.set_len(len)
    }
}

impl Target for std::io::Cursor<Vec<u8>> {
    fn truncate(&mut self, len: u64) -> std::io::Result<()> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        self.get_mut().truncate(len);
        Ok(())
    }
}

impl<T: Target> Target for &mut T {
    fn truncate(&mut self, len: u64) -> std::io::Result<()> {
        (**self).truncate(len)
    }
}

/// A container that is being written, member by member. The size of a member need not be known
/// before its end: the header is patched then.
///
/// Behind a member whose size is a multiple of 512, an empty member named `.fill` is written. A
/// usual tar reader sees an empty file; Cube's reader, which skips one block there, skips exactly
/// its header.
pub(crate) struct Container<W> {
    out: W,
    buffer: Vec<u8>,
    flushed: u64,
    member: Option<Member>,
    mtime_s: u64,
}

struct Member {
    name: String,
    pax: bool,
    header_at: u64,
    start: u64,
}

const BUFFER_LEN: usize = 1 << 20;

impl<W: Target> Container<W> {
    pub(crate) fn new(out: W, mtime_s: u64) -> Self {
        Self { out, buffer: Vec::new(), flushed: 0, member: None, mtime_s }
    }

    /// The number of bytes of the container so far.
    pub(crate) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Begins a member that will have at most `size_max` bytes.
    pub(crate) fn begin(&mut self, name: &str, size_max: u64) -> Result<()> {
        debug_assert!(self.member.is_none(), "the previous member is not ended");
        let pax = size_max > HEADER_SIZE_MAX;
        let header_at = self.position();
        if name.is_empty() || name.len() >= 100 {
            return Err(Error::misuse("name of a member", "1 to 99 bytes", format!("`{name}`")));
        }
        let blocks = if pax { 3 } else { 1 };
        self.write(&vec![0; blocks * BLOCK as usize])?;
        let start = self.position();
        self.member = Some(Member { name: name.to_owned(), pax, header_at, start });
        Ok(())
    }

    /// Appends to the current member.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER_LEN {
            self.flush()?;
        }
        if bytes.len() >= BUFFER_LEN {
            self.out.write_all(bytes).map_err(Error::io("write the report"))?;
            self.flushed += bytes.len() as u64;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Overwrites bytes that are already written.
    pub(crate) fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        debug_assert!(at + bytes.len() as u64 <= self.position());
        self.flush()?;
        self.out.seek(SeekFrom::Start(at)).map_err(Error::io("seek in the report"))?;
        self.out.write_all(bytes).map_err(Error::io("write the report"))?;
        self.out.seek(SeekFrom::Start(self.flushed)).map_err(Error::io("seek in the report"))?;
        Ok(())
    }

    /// Removes the `len` bytes at `at` by moving what follows down, in pieces.
    pub(crate) fn remove(&mut self, at: u64, len: u64) -> Result<()> {
        self.flush()?;
        let (mut from, mut to) = (at + len, at);
        let rest = self.flushed.saturating_sub(from).min(BUFFER_LEN as u64);
        let mut piece = vec![0; rest as usize];
        while from < self.flushed {
            let size = (self.flushed - from).min(BUFFER_LEN as u64);
            let piece = &mut piece[..size as usize];
            self.out.seek(SeekFrom::Start(from)).map_err(Error::io("seek in the report"))?;
            self.out.read_exact(piece).map_err(Error::io("read back the report"))?;
            self.out.seek(SeekFrom::Start(to)).map_err(Error::io("seek in the report"))?;
            self.out.write_all(piece).map_err(Error::io("write the report"))?;
            from += size;
            to += size;
        }
        self.out.truncate(to).map_err(Error::io("shorten the report"))?;
        self.out.seek(SeekFrom::Start(to)).map_err(Error::io("seek in the report"))?;
        self.flushed = to;
        Ok(())
    }

    /// Ends the current member: fills its last block and writes its header.
    pub(crate) fn end(&mut self) -> Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let size = self.position() - member.start;
        self.write(&vec![0; (size.next_multiple_of(BLOCK) - size) as usize])?;
        let mut blocks = Vec::new();
        if member.pax {
            let name = format!("PaxHeader/{}", member.name);
            blocks.extend(header(&name, PAX_RECORD_LEN, b'x', self.mtime_s));
            blocks.extend(format!("{PAX_RECORD_LEN} size={size:012}\n").bytes());
            blocks.resize(2 * BLOCK as usize, 0);
        }
        blocks.extend(header(&member.name, size, b'0', self.mtime_s));
        self.patch(member.header_at, &blocks)?;
        if size > 0 && size.is_multiple_of(BLOCK) {
            self.write(&header(FILLER, 0, b'0', self.mtime_s))?;
        }
        Ok(())
    }

    /// Ends the container.
    pub(crate) fn finish(mut self) -> Result<W> {
        debug_assert!(self.member.is_none(), "the last member is not ended");
        self.write(&[0; 2 * BLOCK as usize])?;
        self.flush()?;
        self.out.flush().map_err(Error::io("write the report"))?;
        Ok(self.out)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.write_all(&self.buffer).map_err(Error::io("write the report"))?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// One header with the values that Cube's own writer uses, apart from the user, who is nobody: the
/// same report must give the same bytes, whoever writes it.
fn header(name: &str, size: u64, kind: u8, mtime_s: u64) -> [u8; BLOCK as usize] {
    let mut block = [0; BLOCK as usize];
    let mut field = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    field(0, &name.as_bytes()[..name.len().min(99)]);
    field(100, b"0000600");
    field(108, b"0000000");
    field(116, b"0000000");
    field(124, format!("{:011o}", if size > HEADER_SIZE_MAX { 0 } else { size }).as_bytes());
    field(136, format!("{:011o}", mtime_s.min(HEADER_SIZE_MAX)).as_bytes());
    field(148, b"        ");
    field(156, &[kind]);
    field(257, b"ustar\x0000");
    field(265, b"nouser");
    field(297, b"users");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// What a container holds.
#[derive(Default)]
pub(crate) struct Members {
    pub(crate) extents: BTreeMap<String, Extent>,
    /// The time of change that the first member has.
    pub(crate) mtime_s: u64,
}

/// Finds all members. Checksums are not looked at; a single zero block is stepped over.
pub(crate) fn members(source: &Source) -> Result<Members> {
    let mut members = Members::default();
    let mut special = Special::default();
    let (mut at, mut zero_blocks) = (0_u64, 0);
    while zero_blocks < 2 && source.len().saturating_sub(at) >= BLOCK {
        let block = source.bytes(Extent { offset: at, len: BLOCK })?;
        if block.iter().all(|&byte| byte == 0) {
            zero_blocks += 1;
            at += BLOCK;
            continue;
        }
        zero_blocks = 0;
        let kind = block[156];
        let size = match special.size.take() {
            Some(size) if !matches!(kind, b'x' | b'L' | b'g') => size,
            _ => number(&block[124..136]).ok_or_else(|| not_a_header(at, &block))?,
        };
        let extent = Extent { offset: at + BLOCK, len: size };
        let end = extent.offset.checked_add(size).filter(|&end| end <= source.len());
        let end = end.ok_or_else(|| {
            let found = format!("{} bytes before the end of the file", source.len() - at - BLOCK);
            Error::malformed(format!("tar header at byte {at}"), format!("{size} bytes"), found)
        })?;
        match kind {
            b'x' | b'L' => special.read(source, extent, kind)?,
            b'0' | 0 => {
                let name = special.name.take().unwrap_or_else(|| text(&block[..100]));
                let name = name.strip_prefix("./").unwrap_or(&name);
                if members.extents.is_empty() {
                    members.mtime_s = number(&block[136..148]).unwrap_or(0);
                }
                if name != FILLER {
                    members.extents.insert(name.to_owned(), extent);
                }
            }
            _ => {}
        }
        at = end.next_multiple_of(BLOCK);
    }
    Ok(members)
}

fn not_a_header(at: u64, block: &[u8]) -> Error {
    let start: String = block[..16].escape_ascii().to_string();
    Error::malformed(format!("byte {at} of the file"), "a tar header", format!("`{start}...`"))
}

/// What extended headers say about the member that follows them.
#[derive(Default)]
struct Special {
    size: Option<u64>,
    name: Option<String>,
}

impl Special {
    fn read(&mut self, source: &Source, extent: Extent, kind: u8) -> Result<()> {
        // Longer extended headers exist in no Cube file.
        let bytes = source.bytes(Extent { len: extent.len.min(1 << 16), ..extent })?;
        if kind == b'L' {
            self.name = Some(text(&bytes));
            return Ok(());
        }
        for record in String::from_utf8_lossy(&bytes).split('\n') {
            let Some((_, pair)) = record.split_once(' ') else { continue };
            match pair.split_once('=') {
                Some(("size", value)) => self.size = value.parse().ok(),
                Some(("path", value)) => self.name = Some(value.to_owned()),
                _ => {}
            }
        }
        Ok(())
    }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// An octal number, or a binary one as GNU tar writes for large sizes.
fn number(field: &[u8]) -> Option<u64> {
    if field.first() == Some(&0x80) {
        return field[1..].iter().try_fold(0_u64, |number, &byte| {
            number.checked_mul(256)?.checked_add(u64::from(byte))
        });
    }
    let text = text(field);
    u64::from_str_radix(text.trim(), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::io::Cursor;

    #[test]
    fn members_that_may_become_huge_have_an_extended_header() {
        let mut container = Container::new(Cursor::new(Vec::new()), 0);
        for (name, size_max) in [("a", HEADER_SIZE_MAX + 1), ("b", HEADER_SIZE_MAX)] {
            container.begin(name, size_max).unwrap();
            container.write(b"content").unwrap();
            container.end().unwrap();
        }
        let bytes = container.finish().unwrap().into_inner();
        let record = String::from_utf8_lossy(&bytes[512..512 + PAX_RECORD_LEN as usize]);
        expect!["21 size=000000000007\n"].assert_eq(&record);
        let members = members(&Source::Memory(bytes)).unwrap().extents;
        expect![[
            r#"{"a": Extent { offset: 1536, len: 7 }, "b": Extent { offset: 2560, len: 7 }}"#
        ]]
        .assert_eq(&format!("{members:?}"));
    }

    #[test]
    fn removing_bytes_moves_what_follows() {
        let mut container = Container::new(Cursor::new(Vec::new()), 0);
        let numbers: Vec<u8> = (0..3 * BUFFER_LEN).map(|number| (number % 251) as u8).collect();
        container.begin("a", u64::MAX).unwrap();
        container.write(b"head, gap, ").unwrap();
        container.write(&numbers).unwrap();
        container.remove(1536 + 4, 7).unwrap();
        container.write(b"tail").unwrap();
        container.end().unwrap();
        let source = Source::Memory(container.finish().unwrap().into_inner());
        let content = source.bytes(members(&source).unwrap().extents["a"]).unwrap();
        assert!(content == [b"head".as_slice(), &numbers, b"tail"].concat());
    }

    #[test]
    fn sizes_in_both_notations() {
        assert_eq!(number(b"00000000644\0"), Some(420));
        assert_eq!(number(b"    644 \0"), Some(420));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\0"), Some(1 << 33));
        assert_eq!(number(b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), None);
        assert_eq!(number(b"0000000000x\0"), None);
    }
}
