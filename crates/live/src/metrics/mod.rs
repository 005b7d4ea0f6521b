//! Metrics beside time: hardware and software counters of the kernel, resource usage, and the
//! memory high-water mark. What is asked for by name is opened per thread ([`Counters`]) and read
//! as what has been counted since the thread's last reading.
//!
//! This is here, and not in the runtime, because `run` and `doctor` ask the same questions before a
//! program starts: which names are there, and what does this machine count?

mod names;
mod perf;
mod usage;

use perf::Groups;

pub use names::{UnknownMetric, known_names, parse_list, requested};

/// What a metric's integers stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MetricUnit {
    /// Occurrences.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
}

impl MetricUnit {
    /// All units; a unit's position is its tag.
    pub const ALL: [MetricUnit; 3] =
        [MetricUnit::Count, MetricUnit::Nanoseconds, MetricUnit::Bytes];
}

/// Where a metric's values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `perf_event_open` with this type and configuration.
    Perf {
        /// `PERF_TYPE_*`.
        kind: u32,
        /// What to count.
        config: u64,
    },
    /// A field of `getrusage` for the calling thread.
    Usage(Usage),
    /// The largest resident memory of the process so far: where it grows, and by how much.
    HighWater,
}

/// Fields of `getrusage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the system")]
pub enum Usage {
    Utime,
    Stime,
    Minflt,
    Majflt,
    Inblock,
    Oublock,
    Nvcsw,
    Nivcsw,
}

/// A metric that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// As it was asked for: the metric's unique name.
    pub name: String,
    /// Where it comes from.
    pub source: Source,
    /// What is counted.
    pub unit: MetricUnit,
}

/// Why a metric is not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// Its position in the list.
    pub metric: usize,
    /// What the system says.
    pub errno: i32,
}

impl Unavailable {
    /// What the reason is, and what to do.
    pub fn reason(&self) -> String {
        match self.errno {
            libc::EACCES | libc::EPERM | libc::ENOSYS => {
                denied(self.errno, perf::paranoid(), perf::has_seccomp_filter())
            }
            libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP => {
                "this machine has no such counter (virtual machines often have none)".to_owned()
            }
            libc::EMFILE | libc::ENFILE => "too many open files: each counter is one".to_owned(),
            errno => std::io::Error::from_raw_os_error(errno).to_string(),
        }
    }
}

/// Why `perf_event_open` was refused: by the kernel's own rule, by a filter in front of it, or
/// because there are no counters.
fn denied(errno: i32, paranoid: Option<i32>, filtered: bool) -> String {
    let name = match errno {
        libc::EACCES => "EACCES",
        libc::EPERM => "EPERM",
        _ => "ENOSYS",
    };
    let remedy = "allow the system call there: for example `--cap-add PERFMON`, or a seccomp \
                  profile with perf_event_open";
    match (paranoid, filtered) {
        (None, _) => "this kernel has no performance counters".to_owned(),
        (Some(level), _) if level > 2 && errno != libc::ENOSYS => format!(
            "not permitted: /proc/sys/kernel/perf_event_paranoid is {level}, at most 2 is needed \
             (`sysctl kernel.perf_event_paranoid=2`, or CAP_PERFMON)"
        ),
        (Some(_), true) => format!(
            "not permitted: a seccomp filter, such as that of a container, denies perf_event_open \
             ({name}); {remedy}"
        ),
        (Some(level), false) => format!(
            "not permitted: perf_event_open fails ({name}), although \
             /proc/sys/kernel/perf_event_paranoid is {level} and no seccomp filter is active; a \
             security module of this system or its sandbox denies it"
        ),
    }
}

/// How the process's counters are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// All of them can be read without a system call.
    pub user: bool,
}

/// The counters of one thread.
pub struct Counters {
    metrics: Vec<Metric>,
    groups: Groups,
    /// The system's id of the thread.
    thread: libc::pid_t,
    /// Values at the last reading.
    last: Vec<u64>,
    now: Vec<u64>,
}

impl Counters {
    /// Opens what can be counted of `metrics` on the calling thread; what cannot stays 0.
    pub fn open(metrics: &[Metric]) -> (Self, Vec<Unavailable>) {
        let (groups, failed) = Groups::open(metrics);
        let (last, now) = (vec![0; metrics.len()], vec![0; metrics.len()]);
        // SAFETY: a plain question.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) } as libc::pid_t;
        (Self { metrics: metrics.to_vec(), groups, thread, last, now }, failed)
    }

    /// How they are read.
    pub fn access(&self) -> Access {
        let all = self.metrics.iter().all(|metric| matches!(metric.source, Source::Perf { .. }));
        Access { user: all && !self.metrics.is_empty() && self.groups.user_access() }
    }

    /// Share of the time in which all were counted, in permille: less than 1000 where the machine
    /// has fewer counters than were asked for, and takes them in turn. Values are scaled then.
    pub fn running_permille(&self) -> u64 {
        self.groups.running_permille()
    }

    /// What has been counted since the last reading, in the order of the metrics.
    pub fn advance(&mut self, counted: &mut [u64]) {
        self.groups.read(&mut self.now);
        usage::read(&self.metrics, &mut self.now);
        self.note(counted);
    }

    /// The same for a thread that does nothing at present, asked by another one: of what the system
    /// counts per thread, what it says of others.
    pub fn advance_of_other(&mut self, counted: &mut [u64]) {
        self.groups.read_of_other(&mut self.now);
        usage::read_of_other(self.thread, &self.metrics, &mut self.now);
        self.note(counted);
    }

    fn note(&mut self, counted: &mut [u64]) {
        for (position, counted) in counted.iter_mut().enumerate() {
            let (now, last) = (self.now[position], &mut self.last[position]);
            *counted = match self.metrics[position].source {
                Source::HighWater => usage::grown_to(now),
                // Scaled values may go back a little.
                _ => now.saturating_sub(*last),
            };
            *last = now.max(*last);
        }
    }

    /// What has been counted since the last reading is nobody's. (The high-water mark is that of
    /// the process: where it has grown meanwhile is found at the next reading.)
    pub fn skip(&mut self) {
        self.groups.read(&mut self.now);
        usage::read(&self.metrics, &mut self.now);
        for (last, now) in self.last.iter_mut().zip(&self.now) {
            *last = (*now).max(*last);
        }
    }

    /// The metric's value now: of the thread since it has opened it, or the high-water mark.
    pub fn value(&self, position: usize) -> u64 {
        self.last.get(position).copied().unwrap_or(0)
    }
}

#[cfg(test)]
#[allow(clippy::print_stderr, reason = "what is not run is said loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_its_cause() {
        let of = |errno, paranoid, filtered| {
            let said = denied(errno, paranoid, filtered);
            let causes = [
                "no performance counters",
                "at most 2 is needed",
                "seccomp filter, such",
                "security module",
            ];
            causes.iter().position(|cause| said.contains(cause))
        };
        assert_eq!(of(libc::ENOSYS, None, false), Some(0));
        assert_eq!(of(libc::EACCES, Some(3), true), Some(1));
        assert_eq!(of(libc::EPERM, Some(2), true), Some(2));
        assert_eq!(of(libc::ENOSYS, Some(4), true), Some(2));
        assert_eq!(of(libc::EACCES, Some(-1), false), Some(3));
    }

    /// Lets the system refuse a system call of this thread, as containers do.
    fn refuse(call: libc::c_long, errno: i32) {
        let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
        // Loads the call's number; returns the error for this one, and allows the others.
        let mut steps = [
            step(0x20, 0, 0, 0),
            step(0x15, 0, 1, call as u32),
            step(0x06, 0, 0, libc::SECCOMP_RET_ERRNO | errno as u32),
            step(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
        // SAFETY: the program and its steps live until the calls have returned.
        unsafe {
            assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
            let mode = libc::SECCOMP_MODE_FILTER;
            assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program), 0);
        }
    }

    #[test]
    fn a_seccomp_filter_is_named() {
        if perf::paranoid().is_none_or(|level| level > 2) {
            return eprintln!("NOT RUN: this kernel itself permits no counters");
        }
        for errno in [libc::EPERM, libc::ENOSYS] {
            let refused = std::thread::spawn(move || {
                refuse(libc::SYS_perf_event_open, errno);
                Counters::open(&parse_list("page-faults", ",").unwrap()).1[0].reason()
            });
            let reason = refused.join().unwrap();
            assert!(reason.contains("a seccomp filter, such as that of a container"), "{reason}");
        }
    }

    fn counters(list: &str) -> Counters {
        let (counters, failed) = Counters::open(&parse_list(list, ",").unwrap());
        assert_eq!(failed, []);
        counters
    }

    /// Containers may forbid counters, even those of the kernel alone; says so where they do.
    fn are_counters_permitted() -> bool {
        let (_, failed) = Counters::open(&parse_list("page-faults", ",").unwrap());
        if let Some(failed) = failed.first() {
            assert!(matches!(failed.errno, libc::EACCES | libc::EPERM | libc::ENOSYS));
            eprintln!("NOT RUN: page-faults: {}", failed.reason());
        }
        failed.is_empty()
    }

    /// Touches small pages that nobody has touched. Returns their number.
    fn touch(bytes: usize) -> u64 {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: the mapping is new, this function's alone, and `bytes` long.
        unsafe {
            let memory = libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0);
            assert_ne!(memory, libc::MAP_FAILED);
            libc::madvise(memory, bytes, libc::MADV_NOHUGEPAGE);
            for page in (0..bytes).step_by(4096) {
                memory.cast::<u8>().add(page).write_volatile(1);
            }
            libc::munmap(memory, bytes);
        }
        bytes as u64 / 4096
    }

    #[test]
    fn software_counters_count_what_happens_between_readings() {
        if !are_counters_permitted() {
            return;
        }
        let mut counters = counters("page-faults,task-clock,context-switches");
        let mut counted = [0; 3];
        counters.advance(&mut counted);
        let pages = touch(8 << 20);
        counters.advance(&mut counted);
        assert!(counted[0] >= pages && counted[1] > 0, "{counted:?} {pages}");
        let before = counters.value(0);
        touch(1 << 20);
        counters.skip();
        counters.advance(&mut counted);
        assert!(counted[0] < 100 && counters.value(0) > before, "{counted:?}");
        assert_eq!((counters.running_permille(), counters.access().user), (1000, false));
    }

    #[test]
    fn usage_is_that_of_the_thread_and_memory_that_of_the_process() {
        let mut counters = counters("ru_minflt,ru_utime,memory-high-water");
        let mut counted = [0; 3];
        counters.advance(&mut counted);
        touch(32 << 20);
        counters.advance(&mut counted);
        assert!(counted[0] >= 8000 && counters.value(2) > 32 << 20, "{counted:?}");
        std::thread::spawn(|| touch(32 << 20)).join().unwrap();
        counters.advance(&mut counted);
        assert!(counted[0] < 1000, "{counted:?}");
    }

    #[test]
    fn what_is_not_there_is_told_and_the_rest_counts() {
        if !are_counters_permitted() {
            return;
        }
        // A type that no kernel has.
        let nothing = Source::Perf { kind: 4_000_000, config: 1 };
        let mut metrics = parse_list("page-faults,task-clock", ",").unwrap();
        metrics[0].source = nothing;
        let (mut counters, failed) = Counters::open(&metrics);
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].metric, 0);
        assert!(failed[0].reason().contains("no such counter"), "{failed:?}");
        let mut counted = [7; 2];
        counters.advance(&mut counted);
        assert!(counted[0] == 0 && counted[1] > 0, "{counted:?}");
    }
}
