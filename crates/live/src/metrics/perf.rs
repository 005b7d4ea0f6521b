//! Counters by `perf_event_open`: grouped, so that they count at the same times, and scaled where
//! the kernel takes them in turn. Where user access is allowed they are read by `rdpmc`, without a
//! system call.

use std::sync::atomic::{Ordering, compiler_fence};

use super::{Metric, Source, Unavailable, usage};

/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP`.
const READ_FORMAT: u64 = 1 | 2 | 8;
/// `exclude_kernel | exclude_hv` of `perf_event_attr`: all that is permitted at paranoid level 2.
const USER_ONLY: u64 = 1 << 5 | 1 << 6;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 8;
const PAGE_BYTES: usize = 4096;
/// Most metrics of one group: what a read can bring.
const MOST: usize = 32;

/// Where `linux/perf_event.h` has the fields of `perf_event_mmap_page`.
mod page {
    pub const LOCK: usize = 8;
    pub const INDEX: usize = 12;
    pub const OFFSET: usize = 16;
    pub const TIME_ENABLED: usize = 24;
    pub const TIME_RUNNING: usize = 32;
    pub const CAPABILITIES: usize = 40;
    pub const PMC_WIDTH: usize = 48;
    /// `cap_user_rdpmc`.
    pub const USER_RDPMC: u64 = 1 << 2;
}

/// What the kernel permits by itself, from -1 (all) to 4 (nothing); `None` where it has no
/// counters.
pub fn paranoid() -> Option<i32> {
    std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Whether a filter decides on the system calls of this thread, as containers have it.
pub fn has_seccomp_filter() -> bool {
    let status = std::fs::read("/proc/thread-self/status").unwrap_or_default();
    let mut lines = status.split(|&byte| byte == b'\n');
    lines.any(|line| line.strip_prefix(b"Seccomp:").is_some_and(|mode| mode.trim_ascii() == b"2"))
}

struct Counter {
    metric: usize,
    file: libc::c_int,
    /// What the thread had counted before it was opened, as far as the kernel knows that.
    before: u64,
    /// The page that the kernel shares, null where it does not.
    page: *const u8,
}

impl Drop for Counter {
    fn drop(&mut self) {
        // SAFETY: opened and mapped by `open`, and used by nobody else.
        unsafe {
            if !self.page.is_null() {
                libc::munmap(self.page.cast_mut().cast(), PAGE_BYTES);
            }
            libc::close(self.file);
        }
    }
}

/// The counters of a thread: groups that count at the same times, leaders first.
pub struct Groups {
    groups: Vec<Vec<Counter>>,
    running_permille: u64,
}

impl Groups {
    /// Opens the counters among `metrics` on the calling thread.
    pub fn open(metrics: &[Metric]) -> (Groups, Vec<Unavailable>) {
        let mut groups: Vec<Vec<Counter>> = Vec::new();
        let mut failed = Vec::new();
        for (metric, of) in metrics.iter().enumerate() {
            let Source::Perf { kind, config } = of.source else { continue };
            let leader = groups.last().and_then(|group| group.first()).map(|leader| leader.file);
            let joined = leader.and_then(|leader| open(metric, (kind, config), leader).ok());
            match (joined, groups.last_mut()) {
                (Some(counter), Some(group)) => group.push(counter),
                // The first one, or one more than the machine counts at once: a group of its own.
                _ => match open(metric, (kind, config), -1) {
                    Ok(counter) => groups.push(vec![counter]),
                    Err(errno) => failed.push(Unavailable { metric, errno }),
                },
            }
        }
        (Groups { groups, running_permille: 1000 }, failed)
    }

    /// Whether all can be read without a system call.
    pub fn user_access(&self) -> bool {
        let mut counters = self.groups.iter().flatten().peekable();
        counters.peek().is_some() && counters.all(|counter| user_value(counter).is_some())
    }

    /// See [`super::Counters::running_permille`].
    pub fn running_permille(&self) -> u64 {
        self.running_permille
    }

    /// Puts the counters' values in their places.
    pub fn read(&mut self, values: &mut [u64]) {
        for group in &self.groups {
            let share = read_by_user(group, values).unwrap_or_else(|| read_by_call(group, values));
            self.running_permille = self.running_permille.min(share);
        }
    }

    /// The same for the counters of another thread.
    pub fn read_of_other(&mut self, values: &mut [u64]) {
        for group in &self.groups {
            read_by_call(group, values);
        }
    }
}

fn open(
    metric: usize,
    (kind, config): (u32, u64),
    leader: libc::c_int,
) -> Result<Counter, libc::c_int> {
    let result = open_file((kind, config), leader, 0);
    let permitted = match result {
        Err(libc::EACCES | libc::EPERM) => open_file((kind, config), leader, USER_ONLY),
        result => result,
    };
    let file = permitted?;
    // SAFETY: a fresh mapping of the first page, which every counter has.
    let page = unsafe {
        let null = std::ptr::null_mut();
        libc::mmap(null, PAGE_BYTES, libc::PROT_READ, libc::MAP_SHARED, file, 0)
    };
    let page = if page == libc::MAP_FAILED { std::ptr::null() } else { page.cast_const().cast() };
    Ok(Counter { metric, file, before: usage::before((kind, config)), page })
}

fn open_file(
    (kind, config): (u32, u64),
    leader: libc::c_int,
    flags: u64,
) -> Result<libc::c_int, libc::c_int> {
    // `struct perf_event_attr` of 128 bytes: type and size, config, period, sample type, read
    // format, flags; all else 0.
    let mut attributes = [0u64; 16];
    attributes[0] = u64::from(kind) | 128 << 32;
    attributes[1] = config;
    attributes[4] = READ_FORMAT;
    attributes[5] = flags;
    // SAFETY: the kernel reads the attributes; this thread, any CPU.
    let file = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            attributes.as_ptr(),
            0 as libc::pid_t,
            -1 as libc::c_int,
            leader,
            CLOSE_ON_EXEC,
        )
    };
    // SAFETY: errno is a thread-local integer.
    if file < 0 { Err(unsafe { *libc::__errno_location() }) } else { Ok(file as libc::c_int) }
}

/// Reads a group by a system call. Returns in how many permille of the time it was counted.
fn read_by_call(group: &[Counter], values: &mut [u64]) -> u64 {
    let Some(leader) = group.first() else { return 1000 };
    // Number of counters, time enabled, time running, values.
    let mut answer = [0u64; 3 + MOST];
    let bytes = (3 + group.len().min(MOST)) * 8;
    // SAFETY: the kernel writes at most so many bytes.
    let read = unsafe { libc::read(leader.file, answer.as_mut_ptr().cast(), bytes) };
    if read != bytes as isize {
        return 1000;
    }
    let (enabled, running) = (answer[1], answer[2]);
    for (counter, &value) in group.iter().zip(&answer[3..]) {
        values[counter.metric] = counter.before + scaled(value, enabled, running);
    }
    permille(enabled, running)
}

/// What would have been counted in all of the time.
fn scaled(value: u64, enabled: u64, running: u64) -> u64 {
    match running {
        0 => 0,
        _ if running >= enabled => value,
        _ => (u128::from(value) * u128::from(enabled) / u128::from(running)) as u64,
    }
}

/// Share of the time; one that was not enabled yet has missed nothing.
fn permille(enabled: u64, running: u64) -> u64 {
    running.min(enabled).saturating_mul(1000).checked_div(enabled).unwrap_or(1000)
}

/// Reads a group without a system call, if all of it is counted just now.
fn read_by_user(group: &[Counter], values: &mut [u64]) -> Option<u64> {
    let mut share = 1000;
    for counter in group {
        let (value, enabled, running) = user_value(counter)?;
        values[counter.metric] = counter.before + scaled(value, enabled, running);
        share = share.min(permille(enabled, running));
    }
    Some(share)
}

/// Value, time enabled and time running; `None` where only the kernel can tell. The kernel counts
/// up the page's lock around its changes (linux/perf_event.h).
fn user_value(counter: &Counter) -> Option<(u64, u64, u64)> {
    if counter.page.is_null() {
        return None;
    }
    // SAFETY: the page is mapped; the kernel may change it at any time.
    let word = |offset: usize| unsafe { counter.page.add(offset).cast::<u32>().read_volatile() };
    // SAFETY: as above.
    let long = |offset: usize| unsafe { counter.page.add(offset).cast::<u64>().read_volatile() };
    for _ in 0..100 {
        let lock = word(page::LOCK);
        compiler_fence(Ordering::SeqCst);
        let index = word(page::INDEX);
        if long(page::CAPABILITIES) & page::USER_RDPMC == 0 || index == 0 {
            return None;
        }
        let (enabled, running) = (long(page::TIME_ENABLED), long(page::TIME_RUNNING));
        let width = word(page::PMC_WIDTH) & 0xffff;
        let value = long(page::OFFSET).wrapping_add(hardware_value(index - 1, width)?);
        compiler_fence(Ordering::SeqCst);
        if word(page::LOCK) == lock {
            return Some((value, enabled, running));
        }
    }
    None
}

/// The hardware's counter, of `width` bits with a sign.
#[cfg(target_arch = "x86_64")]
fn hardware_value(counter: u32, width: u32) -> Option<u64> {
    let (low, high): (u32, u32);
    // SAFETY: the kernel says that this thread may read the counter with this number.
    unsafe {
        core::arch::asm!(
            "rdpmc",
            in("ecx") counter,
            out("eax") low,
            out("edx") high,
            options(nomem, nostack, preserves_flags)
        );
    }
    let unused = 64u32.checked_sub(width).filter(|&unused| unused < 64)?;
    let value = u64::from(high) << 32 | u64::from(low);
    Some(((value << unused) as i64 >> unused) as u64)
}

#[cfg(not(target_arch = "x86_64"))]
fn hardware_value(_counter: u32, _width: u32) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_scaled_to_the_whole_time() {
        assert_eq!((scaled(100, 10, 10), permille(10, 10)), (100, 1000));
        assert_eq!((scaled(100, 10, 4), permille(10, 4)), (250, 400));
        assert_eq!((scaled(100, 10, 0), permille(10, 0)), (0, 0));
        assert_eq!(permille(0, 0), 1000);
        assert_eq!(scaled(u64::MAX / 2, 20, 10), u64::MAX - 1);
    }
}
