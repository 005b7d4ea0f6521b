//! What a thread did with the CPU: how long it had one, and how long it was ready to run without
//! one. Each location has a record of it at the end of its first page.

use std::mem::offset_of;
use std::sync::atomic::AtomicU64;

use crate::LOCATION_PAGE_BYTES;

/// CPUs that a record can tell apart.
pub const CPUS_MAX: usize = 1024;
const WORDS: usize = CPUS_MAX / 64;
/// Words of the name that the kernel has for a thread, NUL padded: 15 characters at most.
pub const NAME_WORDS: usize = 2;

/// Where the record is in a location's file.
pub const THREAD_RECORD_OFFSET: usize = LOCATION_PAGE_BYTES - size_of::<ThreadRecord>();

/// Values of [`ThreadRecord::state`].
pub mod ready_state {
    /// The thread has not been looked at.
    pub const NONE: u64 = 0;
    /// The times without a CPU are complete.
    pub const KNOWN: u64 = 1;
    /// The system did not tell, from the beginning or from some time on.
    pub const NOT_KNOWN: u64 = 2;
}

/// A thread's times on a CPU and without one. Its thread writes it, and the thread that ends the
/// process.
#[repr(C)]
#[derive(Debug, Default)]
pub struct ThreadRecord {
    /// The system's number of the thread that played the location last, 0 for none.
    pub thread_id: AtomicU64,
    /// CPU time of that thread, as far as it was looked at.
    pub cpu_ns: AtomicU64,
    /// CPU time of threads that played the location before.
    pub earlier_cpu_ns: AtomicU64,
    /// Ready without a CPU while it had work.
    pub ready_computing_ns: AtomicU64,
    /// Ready without a CPU between the fork of a team and its begin in it.
    pub ready_starting_ns: AtomicU64,
    /// Ready without a CPU while it waited, which is no loss.
    pub ready_waiting_ns: AtomicU64,
    /// Waiting of others for this thread, because it came last and had been ready without a CPU.
    pub late_ticks: AtomicU64,
    /// One of [`ready_state`].
    pub state: AtomicU64,
    /// 1 if `cpu_ns` is that of the thread's end or of the process's.
    pub is_cpu_final: AtomicU64,
    /// CPUs that the thread may use, a bit each; all 0 if that is not known.
    pub cpus: [AtomicU64; WORDS],
    /// The name of the thread that created this one, which a new thread has, too; all 0 if the
    /// program has not created this thread, or is not observed to.
    pub inherited_name: [AtomicU64; NAME_WORDS],
    /// The name of the thread at its end or that of the process; all 0 before.
    pub last_name: [AtomicU64; NAME_WORDS],
}

const _: () = assert!(size_of::<ThreadRecord>() == 232);

/// What was read of a [`ThreadRecord`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// CPU time of all threads that have played the location; `None` if it is not complete.
    pub cpu_ns: Option<u64>,
    /// Whether the next four are complete.
    pub is_ready_known: bool,
    /// See [`ThreadRecord::ready_computing_ns`].
    pub ready_computing_ns: u64,
    /// See [`ThreadRecord::ready_starting_ns`].
    pub ready_starting_ns: u64,
    /// See [`ThreadRecord::ready_waiting_ns`].
    pub ready_waiting_ns: u64,
    /// See [`ThreadRecord::late_ticks`].
    pub late_ticks: u64,
    /// CPUs that the thread may use; empty if that is not known.
    pub cpus: Vec<u32>,
    /// The name that the program has given to the thread; `None` if it has given none.
    pub name: Option<String>,
}

impl ThreadTimes {
    /// Reads the record in a location's file, which is at least a page long.
    pub fn read(word: impl Fn(usize) -> u64) -> Self {
        let at = |offset: usize| word(THREAD_RECORD_OFFSET + offset);
        let has_cpu = |cpu: &u32| {
            let bits = at(offset_of!(ThreadRecord, cpus) + 8 * (*cpu as usize / 64));
            bits >> (cpu % 64) & 1 != 0
        };
        let earlier = at(offset_of!(ThreadRecord, earlier_cpu_ns));
        let cpu_ns = at(offset_of!(ThreadRecord, cpu_ns)).saturating_add(earlier);
        Self {
            cpu_ns: (at(offset_of!(ThreadRecord, is_cpu_final)) == 1).then_some(cpu_ns),
            is_ready_known: at(offset_of!(ThreadRecord, state)) == ready_state::KNOWN,
            ready_computing_ns: at(offset_of!(ThreadRecord, ready_computing_ns)),
            ready_starting_ns: at(offset_of!(ThreadRecord, ready_starting_ns)),
            ready_waiting_ns: at(offset_of!(ThreadRecord, ready_waiting_ns)),
            late_ticks: at(offset_of!(ThreadRecord, late_ticks)),
            cpus: (0..CPUS_MAX as u32).filter(has_cpu).collect(),
            name: given_name(
                [0, 1].map(|word| at(offset_of!(ThreadRecord, inherited_name) + 8 * word)),
                [0, 1].map(|word| at(offset_of!(ThreadRecord, last_name) + 8 * word)),
            ),
        }
    }
}

/// The last name, unless it is the one that the thread began with.
fn given_name(inherited: [u64; NAME_WORDS], last: [u64; NAME_WORDS]) -> Option<String> {
    if last == inherited {
        return None;
    }
    let bytes: Vec<u8> = last.into_iter().flat_map(u64::to_le_bytes).collect();
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    Some(String::from_utf8_lossy(text).into_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> [u64; NAME_WORDS] {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()))
    }

    #[test]
    fn a_name_that_differs_from_the_inherited_one_was_given() {
        let given = |inherited, last| given_name(words(inherited), words(last));
        assert_eq!(given("program", "program"), None);
        assert_eq!(given("program", "writer").as_deref(), Some("writer"));
        assert_eq!(given("program", "fifteen letters").as_deref(), Some("fifteen letters"));
        assert_eq!(given("program", ""), None, "it has not ended");
        assert_eq!(given_name([0; 2], [u64::MAX; 2]).map(|name| name.len()), Some(16 * 3));
    }
}
