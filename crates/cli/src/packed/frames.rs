//! Compressed data in frames that can be read on their own: zstd's *seekable format*. It is a
//! sequence of ordinary frames and a table of their sizes at the end, in a frame that other readers
//! skip. Therefore `zstd -d` reads it, too.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::thread;

use zstd::bulk::{Compressor, decompress_to_buffer};

/// The level that `zstd` takes itself.
const LEVEL: i32 = 3;
/// Bytes of a frame before compression: a chunk of a trace.
const FRAME_BYTES: usize = 1 << 20;
/// A frame of another writer may have more, but not as much as fills the memory.
const FRAME_BYTES_MAX: u32 = 64 << 20;
/// The first bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of the frame with the table: readers skip frames that begin like this.
const TABLE_MAGIC: [u8; 4] = 0x184d_2a5e_u32.to_le_bytes();
/// The last bytes of the table.
const END_MAGIC: [u8; 4] = 0x8f92_eab1_u32.to_le_bytes();
/// Number of frames, a byte of flags, and [`END_MAGIC`].
const FOOTER_BYTES: u64 = 9;
/// Magic and size of a frame that is skipped.
const HEAD_BYTES: u64 = 8;
/// The flag for a checksum in each entry of the table.
const HAS_CHECKSUMS: u8 = 1 << 7;

/// Whether a file begins like compressed data.
pub fn is_compressed(mut file: &File) -> bool {
    let mut magic = [0; 4];
    file.read_exact(&mut magic).is_ok() && magic == MAGIC
}

/// Compresses what is written.
pub struct Writer<W: Write> {
    to: W,
    waiting: Vec<u8>,
    /// Sizes of the frames, compressed and not.
    table: Vec<[u32; 2]>,
    threads: usize,
}

/// A frame with a checksum.
fn compressed(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(data)
}

impl<W: Write> Writer<W> {
    /// Frames go to `to`. As many of them are compressed at a time as there are threads.
    pub fn new(to: W, threads: usize) -> Self {
        Self { to, waiting: Vec::new(), table: Vec::new(), threads: threads.max(1) }
    }

    fn write_frames(&mut self) -> io::Result<()> {
        let frames: Vec<io::Result<(usize, Vec<u8>)>> = thread::scope(|scope| {
            let start = |part| scope.spawn(move || Ok((<[u8]>::len(part), compressed(part)?)));
            let started: Vec<_> = self.waiting.chunks(FRAME_BYTES).map(start).collect();
            let ended = started.into_iter().map(thread::ScopedJoinHandle::join);
            ended.map(|ended| ended.unwrap_or_else(|_| Err(Error::other("stopped")))).collect()
        });
        for frame in frames {
            let (length, frame) = frame?;
            self.to.write_all(&frame)?;
            // Both are at most a little more than a megabyte.
            self.table.push([frame.len() as u32, length as u32]);
        }
        self.waiting.clear();
        Ok(())
    }

    /// Writes what is left, and the table.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_frames()?;
        let too_many = |_| Error::other("too much data for one file");
        let frames = u32::try_from(self.table.len()).map_err(too_many)?;
        let size = u32::try_from(self.table.len() as u64 * 8 + FOOTER_BYTES).map_err(too_many)?;
        let mut table = [TABLE_MAGIC, size.to_le_bytes()].concat();
        for sizes in self.table {
            sizes.iter().for_each(|size| table.extend(size.to_le_bytes()));
        }
        table.extend(frames.to_le_bytes());
        table.push(0);
        table.extend(END_MAGIC);
        self.to.write_all(&table)?;
        self.to.flush()?;
        Ok(self.to)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.threads * FRAME_BYTES - self.waiting.len();
        let taken = bytes.len().min(room);
        self.waiting.extend(&bytes[..taken]);
        if taken == room {
            self.write_frames()?;
        }
        Ok(taken)
    }

    /// Nothing is written early, because frames have their full size.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a frame is in the file, and its data in what was compressed.
#[derive(Clone, Copy, Debug)]
struct Frame {
    offset: u64,
    bytes: u32,
    begin: u64,
    length: u32,
}

/// Reads compressed data from any place on.
pub struct Reader {
    file: File,
    frames: Vec<Frame>,
    position: u64,
    threads: usize,
    /// Frames that were read last: number of the first, and their data.
    first: usize,
    ready: Vec<Vec<u8>>,
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

impl Reader {
    /// Reads the table of a file.
    ///
    /// # Errors
    /// What the system says, or why the file is not complete.
    pub fn open(file: File, threads: usize) -> io::Result<Self> {
        let frames = table(&file)?;
        let threads = threads.max(1);
        Ok(Self { file, frames, position: 0, threads, first: 0, ready: Vec::new() })
    }

    fn length(&self) -> u64 {
        self.frames.last().map_or(0, |last| last.begin + u64::from(last.length))
    }

    /// The data of the frame with this number. If frames are read one after another, several are
    /// read at a time.
    fn load(&mut self, number: usize) -> io::Result<&[u8]> {
        let end = self.first + self.ready.len();
        if !(self.first..end).contains(&number) {
            let count = if number == end { self.threads } else { 1 };
            let wanted = self.frames.iter().skip(number).take(count);
            let file = &self.file;
            let frames: Vec<io::Result<Vec<u8>>> = thread::scope(|scope| {
                let started: Vec<_> =
                    wanted.map(|frame| scope.spawn(|| frame.read(file))).collect();
                let read = started.into_iter().map(thread::ScopedJoinHandle::join);
                read.map(|read| read.unwrap_or_else(|_| Err(damaged("a frame is damaged"))))
                    .collect()
            });
            self.ready = frames.into_iter().collect::<io::Result<_>>()?;
            self.first = number;
        }
        Ok(&self.ready[number - self.first])
    }
}

impl Frame {
    fn read(&self, file: &File) -> io::Result<Vec<u8>> {
        let mut compressed = vec![0; self.bytes as usize];
        file.read_exact_at(&mut compressed, self.offset)?;
        let mut data = vec![0; self.length as usize];
        match decompress_to_buffer(&compressed, &mut data) {
            Ok(length) if length == data.len() => Ok(data),
            Ok(_) => Err(damaged("a frame is damaged: it has less data than expected")),
            Err(error) => Err(damaged(&format!("a frame is damaged: {error}"))),
        }
    }
}

/// The table at the end of a file.
fn table(file: &File) -> io::Result<Vec<Frame>> {
    let incomplete = || damaged("the table at its end is missing, so it is not complete");
    let length = file.metadata()?.len();
    let mut footer = [0; FOOTER_BYTES as usize];
    let footer_at = length.checked_sub(FOOTER_BYTES).ok_or_else(incomplete)?;
    file.read_exact_at(&mut footer, footer_at)?;
    let [a, b, c, d, flags, end @ ..] = footer;
    let number = u64::from(u32::from_le_bytes([a, b, c, d]));
    let entry = if flags & HAS_CHECKSUMS == 0 { 8 } else { 12 };
    let bytes = number * entry;
    let table_at = footer_at.checked_sub(bytes).ok_or_else(incomplete)?;
    let head_at = table_at.checked_sub(HEAD_BYTES).ok_or_else(incomplete)?;
    let mut head = [0; HEAD_BYTES as usize];
    file.read_exact_at(&mut head, head_at)?;
    let size = (bytes + FOOTER_BYTES) as u32;
    if end != END_MAGIC || head != *[TABLE_MAGIC, size.to_le_bytes()].concat() {
        return Err(incomplete());
    }
    // Not more than the file has.
    let mut table = vec![0; bytes as usize];
    file.read_exact_at(&mut table, table_at)?;
    let (mut offset, mut begin) = (0, 0);
    let mut frames = Vec::with_capacity(number as usize);
    for entry in table.chunks_exact(entry as usize) {
        let word = |at: usize| {
            u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
        };
        let frame = Frame { offset, bytes: word(0), begin, length: word(4) };
        if frame.length > FRAME_BYTES_MAX {
            return Err(damaged("a frame is too large"));
        }
        offset += u64::from(frame.bytes);
        begin += u64::from(frame.length);
        frames.push(frame);
    }
    if offset == head_at { Ok(frames) } else { Err(damaged("its table does not fit its frames")) }
}

impl Read for Reader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let position = self.position;
        let number = self.frames.partition_point(|of| of.begin + u64::from(of.length) <= position);
        let Some(frame) = self.frames.get(number) else { return Ok(0) };
        let skipped = (position - frame.begin) as usize;
        let data = self.load(number)?.get(skipped..).unwrap_or_default();
        let count = data.len().min(to.len());
        to[..count].copy_from_slice(&data[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(more) => self.position.checked_add_signed(more),
            SeekFrom::End(more) => self.length().checked_add_signed(more),
        };
        self.position = place.ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that compress, but are not the same everywhere.
    fn data(length: usize) -> Vec<u8> {
        (0..length).map(|at| ((at / 7) ^ (at >> 13)) as u8).collect()
    }

    fn compressed(data: &[u8], threads: usize) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), threads);
        // In pieces that do not fit the frames.
        data.chunks(300_007).for_each(|part| writer.write_all(part).unwrap());
        writer.finish().unwrap()
    }

    fn file(bytes: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes, 0).unwrap();
        file
    }

    #[test]
    fn data_comes_back_from_any_place() {
        for length in [0, 1, FRAME_BYTES - 1, FRAME_BYTES, 2 * FRAME_BYTES + 5] {
            let data = data(length);
            let bytes = compressed(&data, 2);
            assert_eq!(bytes, compressed(&data, 1), "{length}: the number of threads shows");
            let mut reader = Reader::open(file(&bytes), 2).unwrap();
            let mut read = Vec::new();
            reader.read_to_end(&mut read).unwrap();
            assert!(read == data, "{length}");
            for place in [length / 2, length.saturating_sub(3), length] {
                reader.seek(SeekFrom::Start(place as u64)).unwrap();
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest).unwrap();
                assert!(rest == data[place..], "{length} from {place}");
            }
        }
    }

    #[test]
    fn seeking_is_from_the_begin_the_end_or_the_position() {
        let mut reader = Reader::open(file(&compressed(&data(100), 1)), 1).unwrap();
        assert_eq!(reader.seek(SeekFrom::End(-10)).unwrap(), 90);
        assert_eq!(reader.seek(SeekFrom::Current(5)).unwrap(), 95);
        assert!(reader.seek(SeekFrom::Current(-96)).is_err());
    }

    /// Whatever is cut off or changed, reading ends with an error or with the same data.
    #[test]
    fn damage_is_an_error() {
        let data = data(5000);
        let bytes = compressed(&data, 1);
        let read = |bytes: &[u8]| {
            let mut read = Vec::new();
            Reader::open(file(bytes), 1).and_then(|mut it| it.read_to_end(&mut read))?;
            io::Result::Ok(read)
        };
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            if let Ok(other) = read(&changed) {
                assert!(other == data, "byte {at} of {}", bytes.len());
            }
        }
    }

    #[test]
    fn compressed_data_is_known_by_its_begin() {
        assert!(is_compressed(&rewound(&compressed(&data(10), 1))));
        assert!(!is_compressed(&rewound(b"\x28\xb5\x2f")) && !is_compressed(&rewound(b"text")));
    }

    fn rewound(bytes: &[u8]) -> File {
        let mut file = file(bytes);
        file.rewind().unwrap();
        file
    }
}
