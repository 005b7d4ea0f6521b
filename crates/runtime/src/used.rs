//! What the process used besides CPU time, noted at its end: memory and page faults. Called where
//! nothing may be allocated and no lock be taken.

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::Relaxed;

use crate::process::Process;
use crate::ready::keep_errno;

const STATUS: &std::ffi::CStr = c"/proc/self/status";
/// The line with the most memory that the program had at a time, in kilobytes. The system's count
/// of resources begins with the process that has started the program, which may have had more.
const PEAK: &[u8] = b"\nVmHWM:";

/// Notes it.
pub fn note(process: &Process) {
    keep_errno(|| {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: a system call that writes into the local variable; its values are numbers.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        let number = |value: i64| value.max(0).cast_unsigned();
        let header = process.header();
        let peak_kb = peak_kb().unwrap_or(number(usage.ru_maxrss));
        header.peak_bytes.store(peak_kb << 10, Relaxed);
        let disk_faults = number(usage.ru_majflt);
        header.page_faults.store(number(usage.ru_minflt) + disk_faults, Relaxed);
        header.disk_faults.store(disk_faults, Relaxed);
    });
}

/// A program may end on a small stack, so the file is read in small parts. Each begins before the
/// end of the one before it, and so has the whole line if that did not.
fn peak_kb() -> Option<u64> {
    const BYTES: usize = 512;
    const LINE_BYTES: usize = 64;
    // SAFETY: a system call on a NUL-terminated name.
    let file = unsafe { libc::open(STATUS.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return None;
    }
    let part_at = |offset: usize| {
        let mut text = [0_u8; BYTES];
        // SAFETY: a system call on a descriptor of our own, and on the local variable.
        let count =
            unsafe { libc::pread(file, text.as_mut_ptr().cast(), BYTES, offset.try_into().ok()?) };
        let count = usize::try_from(count).ok().filter(|&count| count > LINE_BYTES)?;
        Some(parse(&text[..count]))
    };
    let peak = (0..).step_by(BYTES - LINE_BYTES).map_while(part_at).find_map(|peak| peak);
    // SAFETY: a descriptor of our own.
    unsafe { libc::close(file) };
    peak
}

/// The number of the line, which ends in this text.
fn parse(text: &[u8]) -> Option<u64> {
    let place = text.windows(PEAK.len()).position(|part| part == PEAK)?;
    let mut sum = None;
    for byte in text[place + PEAK.len()..].iter().skip_while(|byte| byte.is_ascii_whitespace()) {
        let Some(digit) = byte.checked_sub(b'0').filter(|digit| *digit < 10) else { return sum };
        sum = Some(sum.unwrap_or(0_u64).checked_mul(10)?.checked_add(u64::from(digit))?);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_a_line_of_the_status() {
        let text = b"Name:\tVmHWM: 9\nVmPeak:\t  999 kB\nVmHWM:\t  1234 kB\nVmRSS:\t 7 kB\n";
        assert_eq!(parse(text), Some(1234));
        assert_eq!(parse(b"\nVmHWM:\t kB\n"), None);
        assert_eq!(parse(b"\nVmHWM:\t 12"), None, "the number may go on in the next part");
        assert_eq!(parse(b"Name:\ta\n"), None);
        assert!(peak_kb().is_some_and(|peak| peak > 100));
    }
}
