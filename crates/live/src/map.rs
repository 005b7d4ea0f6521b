//! A mapped file that grows: there is room in the address space after it (`room.rs`), and blocks
//! are allocated before they are used. Growing never moves anything, so nodes can be named by index
//! and pointers into the mapping stay true.
//!
//! A block that is allocated can be written to, however full the disk is: else the program would
//! get SIGBUS for one of our stores. File systems that write each change to a new place cannot
//! promise that, since a page that has been written once needs another block when it changes: on
//! them there is no mapping.

use std::ffi::CString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::room;

/// A system call that failed, with what it was for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapError {
    /// The system call.
    pub call: &'static str,
    /// Its `errno`.
    pub errno: i32,
}

impl fmt::Display for MapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.call, std::io::Error::from_raw_os_error(self.errno))
    }
}

impl std::error::Error for MapError {}

/// File systems that write each change to a new place, by the number that `statfs` has for them:
/// btrfs, bcachefs, ZFS.
const COPYING: [u32; 3] = [0x9123_683E, 0xCA45_1A4E, 0x2FC1_2FC1];
/// A file system above another one, of which nothing is told.
const OVERLAY: u32 = 0x794C_7630;

/// The path as system calls take it.
pub(crate) fn path_of(path: &Path) -> Result<CString, MapError> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| MapError { call: "open", errno: libc::EINVAL })
}

pub(crate) fn last_error(call: &'static str) -> MapError {
    // SAFETY: errno is a thread-local integer.
    MapError { call, errno: unsafe { *libc::__errno_location() } }
}

/// Growing a file beyond `RLIMIT_FSIZE` is a signal that ends the program, not only an error.
///
/// # Errors
/// `EFBIG` where a file of this size would be too large.
pub(crate) fn within_file_limit(bytes: usize) -> Result<(), MapError> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes into the local variable.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    match known && limit.rlim_cur != libc::RLIM_INFINITY && bytes as u64 > limit.rlim_cur {
        true => Err(MapError { call: "file size limit", errno: libc::EFBIG }),
        false => Ok(()),
    }
}

/// No system has smaller pages, and larger ones are touched more than once.
const PAGE_BYTES_LEAST: usize = 4096;
/// As much address space a mapping that grows has at least: few of them need more.
const MAPPED_BYTES_LEAST: usize = 1 << 20;

/// Whether the file's blocks stay its own when they are written to.
///
/// # Errors
/// `EOPNOTSUPP` where they do not.
fn keeps_blocks(file: i32) -> Result<(), MapError> {
    let mut system = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `fstatfs` fills the structure where it returns 0, and zeroes are valid otherwise.
    let system = unsafe {
        libc::fstatfs(file, system.as_mut_ptr());
        system.assume_init()
    };
    let kind = system.f_type as u32;
    match COPYING.contains(&kind) || kind == OVERLAY && host_copies() {
        true => Err(MapError { call: "fstatfs", errno: libc::EOPNOTSUPP }),
        false => Ok(()),
    }
}

/// Whether this host has mounted such a file system: what lies below the one of a container may be
/// that.
fn host_copies() -> bool {
    static COPIES: OnceLock<bool> = OnceLock::new();
    let mounted = |folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name() != "features")
    };
    *COPIES.get_or_init(|| {
        mounted("/sys/fs/btrfs") || mounted("/sys/fs/bcachefs") || mounted("/sys/module/zfs")
    })
}

/// A mapped file. Dropping it leaves the mapping in place: threads may still be writing when
/// the process ends.
#[derive(Debug)]
pub struct Mapped {
    path: CString,
    base: *mut u8,
    /// It never has more.
    most_bytes: usize,
    mapped_bytes: usize,
    allocated_bytes: usize,
    /// How often growing was asked for since it has failed, and why it did.
    refused: (u32, Option<MapError>),
}

// SAFETY: the mapping belongs to the whole process; who may write where is up to its user.
unsafe impl Send for Mapped {}

impl Mapped {
    /// Creates `path` with `initial_bytes` allocated, mapped with room for `most_bytes`, or, if
    /// address space is limited, for less. A file that could not be made is removed.
    ///
    /// # Errors
    /// The system call that failed: no such folder, a full disk, no address space.
    pub fn create(
        path: impl AsRef<Path>,
        initial_bytes: usize,
        most_bytes: usize,
    ) -> Result<Self, MapError> {
        let path = path_of(path.as_ref())?;
        let (base, refused) = (null_mut(), (0, None));
        let mut mapped =
            Self { path, base, most_bytes, mapped_bytes: 0, allocated_bytes: 0, refused };
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let file = mapped.open(flags)?;
        let result = keeps_blocks(file)
            .and_then(|()| mapped.allocate(file, initial_bytes))
            .and_then(|()| mapped.map(file, initial_bytes));
        // SAFETY: `file` was opened above and is not used afterwards.
        unsafe { libc::close(file) };
        if result.is_err() {
            // SAFETY: the path is a NUL-terminated string.
            unsafe { libc::unlink(mapped.path.as_ptr()) };
        }
        result.map(|()| mapped)
    }

    fn open(&self, flags: i32) -> Result<i32, MapError> {
        loop {
            // SAFETY: the path is a NUL-terminated string that outlives the call.
            let file = unsafe { libc::open(self.path.as_ptr(), flags, 0o644) };
            if file >= 0 {
                return Ok(file);
            }
            let error = last_error("open");
            if error.errno != libc::EINTR {
                return Err(error);
            }
        }
    }

    fn allocate(&mut self, file: i32, bytes: usize) -> Result<(), MapError> {
        within_file_limit(bytes)?;
        let more = bytes - self.allocated_bytes;
        let (from, more) = (self.allocated_bytes as libc::off_t, more as libc::off_t);
        loop {
            // SAFETY: plain system call on an open file.
            let errno = unsafe { libc::posix_fallocate(file, from, more) };
            match errno {
                0 => break,
                // The program's signals (a profiling timer) are none of our business.
                libc::EINTR => {}
                _ => return Err(MapError { call: "posix_fallocate", errno }),
            }
        }
        self.allocated_bytes = bytes;
        Ok(())
    }

    fn map(&mut self, file: i32, least_bytes: usize) -> Result<(), MapError> {
        self.mapped_bytes = least_bytes.max(MAPPED_BYTES_LEAST);
        if self.mapped_bytes < self.most_bytes {
            self.base = room::map(file, self.mapped_bytes, self.most_bytes);
            if !self.base.is_null() {
                return Ok(());
            }
        }
        self.map_whole(file, least_bytes)
    }

    /// Maps all the room at once.
    fn map_whole(&mut self, file: i32, least_bytes: usize) -> Result<(), MapError> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        loop {
            // SAFETY: a fresh mapping at an address of the system's choice.
            let base =
                unsafe { libc::mmap(null_mut(), self.most_bytes, protection, flags, file, 0) };
            if base != libc::MAP_FAILED {
                (self.base, self.mapped_bytes) = (base.cast(), self.most_bytes);
                return Ok(());
            }
            let error = last_error("mmap");
            if error.errno != libc::ENOMEM || self.most_bytes / 4 < least_bytes {
                return Err(error);
            }
            self.most_bytes /= 4;
        }
    }

    /// Makes sure that `bytes` are mapped.
    fn map_more(&mut self, bytes: usize) -> Result<(), MapError> {
        if bytes <= self.mapped_bytes {
            return Ok(());
        }
        let ahead = (2 * bytes).min(self.most_bytes);
        for bytes in [ahead, bytes.next_multiple_of(PAGE_BYTES_LEAST)] {
            if room::extend(self.base, self.mapped_bytes, bytes) {
                self.mapped_bytes = bytes;
                return Ok(());
            }
        }
        Err(last_error("mremap"))
    }

    /// Makes sure that `bytes` from the start may be touched; grows by doubling. Where that has
    /// failed it is tried again, but ever more seldom: events keep asking.
    ///
    /// # Errors
    /// `ENOMEM` where its room is used up, or the address space, else what the system says.
    pub fn ensure(&mut self, bytes: usize) -> Result<(), MapError> {
        if bytes <= self.allocated_bytes {
            return Ok(());
        }
        let (asked, error) = &mut self.refused;
        *asked = asked.wrapping_add(1);
        if let Some(error) = error.as_ref().filter(|_| !asked.is_power_of_two()) {
            return Err(error.clone());
        }
        let result = self.grow(bytes);
        self.refused = match &result {
            Ok(()) => (0, None),
            Err(error) => (self.refused.0, Some(error.clone())),
        };
        result
    }

    fn grow(&mut self, bytes: usize) -> Result<(), MapError> {
        if bytes > self.most_bytes {
            return Err(MapError { call: "ensure", errno: libc::ENOMEM });
        }
        let wanted = bytes.max(2 * self.allocated_bytes).min(self.most_bytes);
        self.map_more(wanted)?;
        // Opened anew, because the program may have closed all files, and ours with them.
        let file = match self.open(libc::O_RDWR | libc::O_CLOEXEC) {
            Err(error) if matches!(error.errno, libc::EMFILE | libc::ENFILE) => {
                return self.extend(wanted);
            }
            file => file?,
        };
        let result = self.allocate(file, wanted);
        // SAFETY: `file` was opened above and is not used afterwards.
        unsafe { libc::close(file) };
        result
    }

    /// Grows the file without opening it: the program has used up all file descriptors.
    fn extend(&mut self, bytes: usize) -> Result<(), MapError> {
        within_file_limit(bytes)?;
        self.truncate(bytes)?;
        // Where blocks are small, the page that the file has ended in may lack some.
        let mut at = self.allocated_bytes.next_multiple_of(size_of::<u32>());
        while at < bytes {
            if let Err(error) = self.touch(at) {
                // Readers take no notice of what is behind the last record: it may as well stay.
                let _ = self.truncate(self.allocated_bytes);
                return Err(error);
            }
            at = (at + 1).next_multiple_of(PAGE_BYTES_LEAST);
        }
        self.allocated_bytes = bytes;
        Ok(())
    }

    fn truncate(&self, bytes: usize) -> Result<(), MapError> {
        // SAFETY: the path is a NUL-terminated string.
        match unsafe { libc::truncate(self.path.as_ptr(), bytes as libc::off_t) } {
            0 => Ok(()),
            _ => Err(last_error("truncate")),
        }
    }

    /// Gets blocks for the page at this offset, which nobody uses yet: the system writes to it, and
    /// where it finds no room it says so, while a store of ours would be a signal.
    fn touch(&self, at: usize) -> Result<(), MapError> {
        let null = null_mut::<libc::c_void>();
        // SAFETY: the offset is that of an integer within the page that it begins in. The call
        // writes there, if it can; then it is 0 again.
        unsafe {
            let page: *mut u32 = self.base.add(at).cast();
            // Not the function of this name: that one writes by itself.
            if libc::syscall(libc::SYS_getcpu, page, null, null) != 0 {
                return Err(match last_error("getcpu") {
                    MapError { errno: libc::EFAULT, call } => {
                        MapError { call, errno: libc::ENOSPC }
                    }
                    other => other,
                });
            }
            page.write(0);
        }
        Ok(())
    }

    /// Start of the mapping, page aligned, never null.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_keeps_addresses_and_refuses_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x").display().to_string();
        let mut mapped = Mapped::create(&path, 4096, 1 << 20).unwrap();
        let base = mapped.base();
        // SAFETY: the first 4096 bytes are allocated.
        unsafe { base.write(7) };
        mapped.ensure(100_000).unwrap();
        assert_eq!(mapped.base(), base);
        assert!(mapped.allocated_bytes >= 100_000);
        assert_eq!(mapped.ensure(2 << 20).unwrap_err().errno, libc::ENOMEM);
        mapped.ensure(1 << 20).unwrap();
        assert_eq!(std::fs::read(folder.path().join("x")).unwrap()[0], 7);
        let error = Mapped::create(&path, 4096, 4096).unwrap_err();
        assert_eq!((error.call, error.errno), ("open", libc::EEXIST));
    }

    /// In the address space it has what it needs, and the next one has room as well.
    #[test]
    fn only_what_is_used_takes_address_space() {
        let folder = tempfile::tempdir().unwrap();
        let create = |name| Mapped::create(folder.path().join(name), 4096, 1 << 30).unwrap();
        let (mut mapped, mut next) = (create("x"), create("y"));
        assert_eq!(mapped.mapped_bytes, MAPPED_BYTES_LEAST);
        let base = mapped.base();
        for bytes in [100_000, 2 << 20, 5 << 20, 20 << 20] {
            mapped.ensure(bytes).unwrap();
            next.ensure(bytes).unwrap();
            // SAFETY: these bytes are allocated.
            unsafe { mapped.base().add(bytes - 1).write(7) };
        }
        assert_eq!(mapped.base(), base);
        assert!((20 << 20..=80 << 20).contains(&mapped.mapped_bytes), "{}", mapped.mapped_bytes);
        let file = std::fs::read(folder.path().join("x")).unwrap();
        assert_eq!((file[(20 << 20) - 1], file[(20 << 20) - 2]), (7, 0));
    }

    /// What the program has mapped after a mapping stays, and nothing moves.
    #[test]
    fn growth_into_what_is_in_use_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut mapped = Mapped::create(folder.path().join("x"), 4096, 1 << 30).unwrap();
        let after = mapped.base().wrapping_add(mapped.mapped_bytes);
        let (protection, flags) =
            (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED);
        // SAFETY: nothing is mapped there.
        let wall = unsafe { libc::mmap(after.cast(), 4096, protection, flags, -1, 0) };
        assert_eq!(wall, after.cast());
        mapped.ensure(MAPPED_BYTES_LEAST).unwrap();
        let error = mapped.ensure(MAPPED_BYTES_LEAST + 1).unwrap_err();
        assert_eq!((error.call, error.errno), ("mremap", libc::ENOMEM));
        // SAFETY: mapped above.
        assert_eq!(unsafe { libc::munmap(wall, 4096) }, 0);
        assert_eq!(mapped.ensure(MAPPED_BYTES_LEAST + 1), Ok(()));
    }

    /// Without a descriptor each page gets its blocks, wherever the growth begins and ends.
    #[test]
    fn growth_without_a_descriptor_allocates_what_it_says() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x").display().to_string();
        let mut mapped = Mapped::create(&path, 5001, 1 << 20).unwrap();
        for bytes in [5003, 8191, 12289, 100_000, 102_400] {
            mapped.extend(bytes).unwrap();
            let file = std::fs::metadata(&path).unwrap();
            assert_eq!((file.len(), mapped.allocated_bytes), (bytes as u64, bytes));
            assert!(file.blocks() * 512 >= file.len(), "{} blocks for {bytes}", file.blocks());
        }
        assert!(std::fs::read(&path).unwrap().iter().all(|&byte| byte == 0));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(mapped.extend(200_000).unwrap_err().errno, libc::ENOENT);
        assert_eq!(mapped.allocated_bytes, 102_400);
    }

    /// The folder has gone, and is there again before the fourth question, or after it.
    #[test]
    fn growth_that_failed_is_tried_again_but_ever_more_seldom() {
        let folder = tempfile::tempdir().unwrap();
        let (here, away) = (folder.path().join("here"), folder.path().join("away"));
        std::fs::create_dir(&here).unwrap();
        let path = here.join("x").display().to_string();
        let mut mapped = Mapped::create(&path, 4096, 1 << 20).unwrap();
        std::fs::rename(&here, &away).unwrap();
        let asked = |mapped: &mut Mapped| mapped.ensure(8192).map_err(|error| error.errno);
        assert_eq!(asked(&mut mapped), Err(libc::ENOENT));
        assert_eq!(asked(&mut mapped), Err(libc::ENOENT));
        std::fs::rename(&away, &here).unwrap();
        assert_eq!(asked(&mut mapped), Err(libc::ENOENT));
        assert_eq!(asked(&mut mapped), Ok(()));
        assert_eq!(mapped.refused, (0, None));
    }
}
