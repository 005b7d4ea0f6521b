//! Where event chunks go when they are full: from the location's buffer to its event file.
//!
//! A location fills one chunk, in a small mapped file of its own whose memory stays warm; a full
//! chunk is written behind the others in the event file, and the buffer begins anew. Touching a
//! fresh page of a mapped file costs about three times what writing a page does, and a page holds
//! hundreds of events. What the buffer holds survives the death of the process like all of live
//! state: [`gather`] puts it in its place.
//!
//! The first number in a chunk's header is its own number while it is in live state, so that the
//! buffer says itself which chunk it holds, and putting it there twice does no harm.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{Ordering, compiler_fence};

use pompeii_otf2::chunk::{self, HEADER_BYTES, Header};
use pompeii_otf2::folder::{edit, open_regular};

use crate::CHUNK_BYTES;
use crate::map::{MapError, last_error, path_of, within_file_limit};

/// Writes chunk `number`, from 0, to the event file at `path`, which is made where it is missing.
/// The file is opened anew, because the program may have closed all files.
///
/// # Errors
/// The system call that failed; then the chunk is not in the file.
pub fn write_chunk(path: &Path, number: u64, bytes: &[u8; CHUNK_BYTES]) -> Result<(), MapError> {
    within_file_limit((number as usize + 1).saturating_mul(CHUNK_BYTES))?;
    with_file(path, |file| write_at(file, number * CHUNK_BYTES as u64, bytes))?
}

/// Opens the file for writing, makes it where it is missing, and closes it behind the call.
pub(crate) fn with_file<T>(path: &Path, call: impl FnOnce(i32) -> T) -> Result<T, MapError> {
    let path = path_of(path)?;
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_CLOEXEC;
    let file = loop {
        // SAFETY: the path is a NUL-terminated string that outlives the call.
        let file = unsafe { libc::open(path.as_ptr(), flags, 0o644) };
        match last_error("open") {
            _ if file >= 0 => break file,
            MapError { errno: libc::EINTR, .. } => {}
            error => return Err(error),
        }
    };
    let result = call(file);
    // SAFETY: `file` was opened above and is not used afterwards.
    unsafe { libc::close(file) };
    Ok(result)
}

fn write_at(file: i32, at: u64, bytes: &[u8]) -> Result<(), MapError> {
    // Blocks that are there already take half the time to write. Where the file system does not
    // know it, or is full, writing itself says what is wrong.
    // SAFETY: plain system call on an open file.
    unsafe { libc::fallocate(file, 0, at as libc::off_t, bytes.len() as libc::off_t) };
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        let offset = (at + done as u64) as libc::off_t;
        // SAFETY: `rest` is memory of this length.
        let written = unsafe { libc::pwrite(file, rest.as_ptr().cast(), rest.len(), offset) };
        match last_error("pwrite") {
            _ if written > 0 => done += written as usize,
            MapError { errno: libc::EINTR, .. } => {}
            error => return Err(error),
        }
    }
    Ok(())
}

/// Begins chunk `number`, from 0, in `buffer`, whose content is in the file or given up. Returns
/// the position of its first free byte. `last_time` is the encoder's state.
///
/// At any moment the buffer is no chunk at all, or the old one, or the new one.
pub fn begin_chunk(buffer: &mut [u8; CHUNK_BYTES], number: u64, last_time: &mut u64) -> usize {
    buffer[0] = 0;
    compiler_fence(Ordering::Release);
    let mut head = [0; HEADER_BYTES + pompeii_otf2::encode::EVENT_ROOM_BYTES];
    let used = chunk::begin(&mut head, number + 1, last_time).unwrap_or(HEADER_BYTES);
    let mark = std::mem::replace(&mut head[0], 0);
    buffer[..head.len()].copy_from_slice(&head);
    compiler_fence(Ordering::Release);
    buffer[0] = mark;
    used
}

/// Puts what is left in a location's buffer where it belongs in its event file. Nothing happens
/// where there is no buffer (any more).
///
/// # Errors
/// A file that cannot be read, written or removed; the buffer is kept then.
pub fn gather(buffer: &Path, events: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    match open_regular(buffer) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // One byte more says that it is too long.
        file => file?.take(CHUNK_BYTES as u64 + 1).read_to_end(&mut bytes)?,
    };
    let Some(header) = Header::read(&bytes).filter(|_| bytes.len() == CHUNK_BYTES) else {
        // It died between a chunk that is in the file and the next one.
        return fs::remove_file(buffer);
    };
    let known = events.symlink_metadata();
    let known = known.map_or(0, |events| events.len().div_ceil(bytes.len() as u64));
    if known == 0 && fs::rename(buffer, events).is_ok() {
        return Ok(());
    }
    // A damaged number must not make a file of any size.
    let number = header.first.saturating_sub(1).min(known);
    let file = match edit(events) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().write(true).create_new(true).open(events)?
        }
        file => file?,
    };
    file.write_all_at(&bytes, number * CHUNK_BYTES as u64)?;
    fs::remove_file(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{buffer_file, events_file};
    use pompeii_otf2::chunk::EventChunk;
    use pompeii_otf2::{encode, seal};

    /// A buffer that holds chunk `number` with events at these times.
    fn buffer(number: u64, times: std::ops::Range<u64>) -> Box<[u8; CHUNK_BYTES]> {
        let mut bytes = vec![0xa5; CHUNK_BYTES];
        let mut chunk = EventChunk::begin(&mut bytes, number + 1, times.start - 1).unwrap();
        for time in times {
            assert!(chunk.event(|room, last| encode::enter(room, last, time, 7)));
        }
        bytes.try_into().unwrap()
    }

    /// Events of the location after gathering, as the sealer counts them: number and times.
    fn gathered(folder: &Path) -> (u64, Option<u64>, Option<u64>) {
        for _ in 0..2 {
            gather(&folder.join(buffer_file(3)), &folder.join(events_file(3))).unwrap();
        }
        assert!(!folder.join(buffer_file(3)).exists());
        let mut bytes = fs::read(folder.join(events_file(3))).unwrap();
        let sealed = seal::seal(&mut bytes, CHUNK_BYTES).unwrap();
        assert_eq!(sealed.damaged_chunks, 0);
        (sealed.events, sealed.first_time, sealed.last_time)
    }

    /// The states that a killed process can leave: its last chunk not in the file, in it as well,
    /// in it partly, and no chunk in the buffer.
    #[test]
    fn each_chunk_is_there_once() {
        for written in [CHUNK_BYTES, 2 * CHUNK_BYTES, CHUNK_BYTES + 5000] {
            let folder = tempfile::tempdir().unwrap();
            let events = folder.path().join(events_file(3));
            write_chunk(&events, 0, &buffer(0, 10..20)).unwrap();
            write_chunk(&events, 1, &buffer(1, 20..30)).unwrap();
            OpenOptions::new().write(true).open(&events).unwrap().set_len(written as u64).unwrap();
            fs::write(folder.path().join(buffer_file(3)), &buffer(1, 20..30)[..]).unwrap();
            assert_eq!(gathered(folder.path()), (20, Some(10), Some(29)), "{written}");
        }
        let folder = tempfile::tempdir().unwrap();
        let events = folder.path().join(events_file(3));
        write_chunk(&events, 0, &buffer(0, 10..20)).unwrap();
        let mut between = buffer(0, 10..20);
        between[0] = 0;
        fs::write(folder.path().join(buffer_file(3)), &between[..]).unwrap();
        assert_eq!(gathered(folder.path()), (10, Some(10), Some(19)));
    }

    #[test]
    fn a_buffer_alone_is_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(buffer_file(3)), &buffer(0, 5..9)[..]).unwrap();
        assert_eq!(gathered(folder.path()), (4, Some(5), Some(8)));
    }

    #[test]
    fn a_damaged_number_makes_no_huge_file() {
        let folder = tempfile::tempdir().unwrap();
        let events = folder.path().join(events_file(3));
        write_chunk(&events, 0, &buffer(0, 10..20)).unwrap();
        fs::write(folder.path().join(buffer_file(3)), &buffer(1 << 60, 20..30)[..]).unwrap();
        assert_eq!(gathered(folder.path()), (20, Some(10), Some(29)));
    }

    #[test]
    fn a_new_chunk_begins_empty_and_keeps_its_number() {
        let mut memory = buffer(4, 20..30);
        let mut last_time = 29;
        let used = begin_chunk(&mut memory, 5, &mut last_time);
        assert_eq!((used, last_time), (HEADER_BYTES, 28));
        assert_eq!(Header::read(&memory[..]).unwrap().first, 6);
        assert_eq!(chunk::scan(&memory[..]).unwrap().events, 0);
    }

    #[test]
    fn a_file_that_cannot_be_written_says_why() {
        let error = write_chunk(Path::new("/proc/none/1.evt"), 0, &buffer(0, 5..9)).unwrap_err();
        assert_eq!((error.call, error.errno), ("open", libc::ENOENT));
    }
}
