//! Getting chunks of an event file from the system's memory to the disk, for a measurement with a
//! budget for what is on its way there.

use std::mem::MaybeUninit;
use std::path::Path;

use crate::CHUNK_BYTES;
use crate::map::path_of;
use crate::spill::with_file;

/// Lets the system begin to put a chunk of the file on the disk, without waiting for it.
pub fn begin_writing(path: &Path, number: u64) {
    sync_chunk(path, number, libc::SYNC_FILE_RANGE_WRITE);
}

/// Waits until a chunk of the file is on the disk, and gives its memory back. Where that fails
/// there is nothing to wait for.
pub fn finish_writing(path: &Path, number: u64) {
    let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    sync_chunk(path, number, all);
    let _ = with_file(path, |file| {
        let (at, bytes) = (number as libc::off_t * CHUNK_BYTES as libc::off_t, CHUNK_BYTES);
        // SAFETY: plain system call on an open file.
        unsafe { libc::posix_fadvise(file, at, bytes as libc::off_t, libc::POSIX_FADV_DONTNEED) };
    });
}

fn sync_chunk(path: &Path, number: u64, flags: libc::c_uint) {
    let _ = with_file(path, |file| {
        let (at, bytes) = (number as libc::off64_t * CHUNK_BYTES as libc::off64_t, CHUNK_BYTES);
        // SAFETY: plain system call on an open file.
        let failed = unsafe { libc::sync_file_range(file, at, bytes as libc::off64_t, flags) } != 0;
        if failed && flags & libc::SYNC_FILE_RANGE_WAIT_AFTER != 0 {
            // SAFETY: as above. Some file systems know no ranges.
            unsafe { libc::fdatasync(file) };
        }
    });
}

/// Whether the files of this folder live in memory: what is written there never leaves it.
pub fn lies_in_memory(folder: &Path) -> bool {
    const TMPFS: u64 = 0x0102_1994;
    const RAMFS: u64 = 0x8584_58f6;
    let Ok(folder) = path_of(folder) else { return false };
    let mut system = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `statfs` fills the structure where it returns 0, and zeroes are valid otherwise.
    let (result, system) =
        unsafe { (libc::statfs(folder.as_ptr(), system.as_mut_ptr()), system.assume_init()) };
    result == 0 && [TMPFS, RAMFS].contains(&(system.f_type as u64))
}

/// Bytes in words as people write them: `4000000`, `512k`, `16M`, `2G`, `16MB`.
pub fn bytes_of(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim_start().trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let sizes = ["4000", "512k", "16M", "2 GB", "1tb", "", "M", "-1", "1.5G", "99999999999T"]
            .map(bytes_of);
        let known = [4000, 512 << 10, 16 << 20, 2 << 30, 1 << 40].map(Some);
        assert_eq!((&sizes[..5], &sizes[5..]), (&known[..], &[None; 5][..]));
    }

    #[test]
    fn memory_is_known_from_a_disk() {
        let lies = |folder| lies_in_memory(Path::new(folder));
        assert!(!lies("/proc") && !lies("/none"));
        if Path::new("/dev/shm").exists() {
            assert!(lies("/dev/shm"));
        }
    }
}
