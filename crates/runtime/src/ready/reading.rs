//! The file that says how long a thread was ready, and what was read from it.

use std::mem::MaybeUninit;

use libc::{c_int, pid_t};

const SOURCE: &std::ffi::CStr = c"/proc/thread-self/schedstat";
/// A larger table of descriptors would take more memory than all else.
const DESCRIPTORS_MAX: u64 = 4096;
/// Descriptors for this share of the limit are ours.
const SHARE: u64 = 4;

/// What a location knows of its thread.
pub struct Ready {
    /// Borders before this time do nothing.
    pub due: u64,
    /// Borders before this time read nothing.
    pub(super) next_read: u64,
    /// The last border that computing came to and that was read, and how long the thread was ready
    /// without a CPU before it; clock ticks.
    pub(super) read_ticks: u64,
    pub(super) delayed_ticks: u64,
    /// How long it was so before its begin in the team.
    pub(super) started_ticks: u64,
    pub(super) thread: pid_t,
    pub(super) file: Option<File>,
    pub(super) ready_ns: u64,
    /// When a new thread took the location over, if its file is still to be opened, otherwise 0; of
    /// the monotonic clock.
    pub(super) begun_ns: u64,
}

/// The open file, and what it must still be.
#[derive(Clone, Copy)]
pub(super) struct File {
    descriptor: c_int,
    device: u64,
    inode: u64,
}

impl Ready {
    /// Nothing is known; looked at from the first border on if that is wanted, or if threads are to
    /// be sampled, which begins there too.
    pub fn new(wanted: bool) -> Self {
        let due = if wanted { 0 } else { u64::MAX };
        Self {
            due,
            next_read: due,
            read_ticks: 0,
            delayed_ticks: 0,
            started_ticks: 0,
            thread: 0,
            file: None,
            ready_ns: 0,
            begun_ns: 0,
        }
    }
}

/// CPU time and time ready without a CPU, in nanoseconds; `None` if the descriptor is not our file.
pub(super) fn times(file: File) -> Option<(u64, u64)> {
    if identity(file.descriptor) != Some((file.device, file.inode)) {
        return None;
    }
    let mut text = [0_u8; 80];
    // SAFETY: reads into the local variable.
    let count = unsafe { libc::pread(file.descriptor, text.as_mut_ptr().cast(), text.len(), 0) };
    parse(text.get(..usize::try_from(count).ok()?)?)
}

/// The first two numbers of `schedstat`.
fn parse(text: &[u8]) -> Option<(u64, u64)> {
    let mut numbers = text.split(|byte| byte.is_ascii_whitespace()).map(|word| {
        let digit = |sum: Option<u64>, byte: &u8| {
            let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
            sum?.checked_mul(10)?.checked_add(u64::from(digit))
        };
        word.iter().fold((!word.is_empty()).then_some(0), digit)
    });
    Some((numbers.next()??, numbers.next()??))
}

fn identity(descriptor: c_int) -> Option<(u64, u64)> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: writes into the local variable, which is read only if the call has done so.
    unsafe {
        if libc::fstat(descriptor, status.as_mut_ptr()) != 0 {
            return None;
        }
        let status = status.assume_init();
        Some((status.st_dev, status.st_ino))
    }
}

/// Opens this thread's file, at the top of the descriptors; `None` where that is impossible, and
/// for threads beyond our share of the descriptors.
pub(super) fn open(index: u32) -> Option<File> {
    let limit = descriptor_limit();
    let (index, ours) = (u64::from(index), limit / SHARE);
    if index >= ours {
        return None;
    }
    // SAFETY: system calls on a NUL-terminated name and on a descriptor of our own.
    unsafe {
        let low = libc::open(SOURCE.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if low < 0 {
            return None;
        }
        let moved = |least: u64| libc::fcntl(low, libc::F_DUPFD_CLOEXEC, least as c_int);
        let mut descriptor = moved(limit - 1 - index);
        if descriptor < 0 {
            descriptor = moved(limit - ours);
        }
        libc::close(low);
        let (device, inode) = identity(descriptor)?;
        Some(File { descriptor, device, inode })
    }
}

fn descriptor_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes into the local variable.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    limit.rlim_cur.min(DESCRIPTORS_MAX)
}

pub(super) fn close(file: Option<File>) {
    if let Some(file) = file
        && identity(file.descriptor) == Some((file.device, file.inode))
    {
        // SAFETY: the descriptor is the file that we have opened.
        unsafe { libc::close(file.descriptor) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_numbers_are_read() {
        assert_eq!(parse(b"12 345 6\n"), Some((12, 345)));
        for wrong in ["", "12", "12 \n", "x 3 4", "99999999999999999999 1 2"] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn a_descriptor_that_is_another_file_is_given_up() {
        let Some(file) = open(0) else { return println!("not run: no schedstat here") };
        assert!(times(file).is_some());
        assert!(u64::try_from(file.descriptor).unwrap() >= descriptor_limit() * 3 / 4);
        let other = File { inode: file.inode + 1, ..file };
        assert_eq!(times(other), None);
        close(Some(other));
        assert!(times(file).is_some());
        close(Some(file));
        assert_eq!(times(file), None);
    }

    #[test]
    fn threads_beyond_a_quarter_of_the_descriptors_are_not_known() {
        let limit = u32::try_from(descriptor_limit()).unwrap();
        assert!(open(limit / 4).is_none());
    }
}
