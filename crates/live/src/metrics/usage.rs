//! Resource usage of the thread, and the memory high-water mark of the process.

use std::io::{Cursor, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Metric, Source, Usage};

/// Puts the values of what is not a counter of the kernel's in their places.
pub fn read(metrics: &[Metric], values: &mut [u64]) {
    let usage = metrics.iter().any(|metric| matches!(metric.source, Source::Usage(_)));
    let thread = usage.then(|| get(libc::RUSAGE_THREAD)).flatten();
    for (metric, value) in metrics.iter().zip(values) {
        match metric.source {
            Source::Usage(field) => *value = thread.as_ref().map_or(0, |of| field_of(of, field)),
            Source::HighWater => {
                let process = get(libc::RUSAGE_SELF);
                *value = process.map_or(0, |of| of.ru_maxrss as u64 * 1024);
            }
            Source::Perf { .. } => {}
        }
    }
}

/// The same of another thread, as far as the system says it of one: times to a hundredth of a
/// second. What is not known stays as it is.
pub fn read_of_other(thread: libc::pid_t, metrics: &[Metric], values: &mut [u64]) {
    let usage = metrics.iter().any(|metric| matches!(metric.source, Source::Usage(_)));
    let Some(known) = usage.then(|| OfOther::read(thread)).flatten() else { return };
    for (metric, value) in metrics.iter().zip(values) {
        if let Source::Usage(field) = metric.source {
            *value = known.field(field).unwrap_or(*value).max(*value);
        }
    }
}

/// What a counter of the kernel's software would have counted since the thread began; 0 where the
/// system does not say it. `kind` and `config` are those of `perf_event_attr`.
pub fn before((kind, config): (u32, u64)) -> u64 {
    const SOFTWARE: u32 = 1;
    let usage = || get(libc::RUSAGE_THREAD);
    let field = |field| usage().map_or(0, |of| field_of(&of, field));
    match (kind, config) {
        (SOFTWARE, 0 | 1) => thread_ns(),
        (SOFTWARE, 2) => field(Usage::Minflt) + field(Usage::Majflt),
        (SOFTWARE, 3) => field(Usage::Nvcsw) + field(Usage::Nivcsw),
        (SOFTWARE, 5) => field(Usage::Minflt),
        (SOFTWARE, 6) => field(Usage::Majflt),
        _ => 0,
    }
}

/// Processor time of the calling thread.
fn thread_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes into the local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What `/proc` says of a thread of this process (proc(5)); read without allocating.
struct OfOther {
    stat: [u64; 13],
    switches: [Option<u64>; 2],
}

impl OfOther {
    /// Behind the name in `stat`.
    const MINFLT: usize = 7;
    const MAJFLT: usize = 9;
    const UTIME: usize = 11;
    const STIME: usize = 12;

    fn read(thread: libc::pid_t) -> Option<Self> {
        let mut bytes = [0; 2048];
        let text = Self::file(thread, "stat", &mut bytes)?;
        let mut stat = [0; 13];
        let fields = text.rsplit(')').next()?.split_ascii_whitespace();
        for (place, field) in stat.iter_mut().zip(fields) {
            *place = field.parse().unwrap_or(0);
        }
        let text = Self::file(thread, "status", &mut bytes)?;
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        let names = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
        Some(Self { stat, switches: names.map(number) })
    }

    fn file<'a>(thread: libc::pid_t, name: &str, bytes: &'a mut [u8; 2048]) -> Option<&'a str> {
        let mut path = Cursor::new([0; 64]);
        write!(path, "/proc/self/task/{thread}/{name}").ok()?;
        let length = path.position() as usize;
        let path = str::from_utf8(path.get_ref().get(..length)?).ok()?;
        let read = std::fs::File::open(path).ok()?.read(bytes).ok()?;
        str::from_utf8(&bytes[..read]).ok()
    }

    fn field(&self, field: Usage) -> Option<u64> {
        // SAFETY: a plain question.
        let ticks_per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
        let nanoseconds = |at: usize| self.stat[at] * (1_000_000_000 / ticks_per_second);
        match field {
            Usage::Utime => Some(nanoseconds(Self::UTIME)),
            Usage::Stime => Some(nanoseconds(Self::STIME)),
            Usage::Minflt => Some(self.stat[Self::MINFLT]),
            Usage::Majflt => Some(self.stat[Self::MAJFLT]),
            Usage::Nvcsw => self.switches[0],
            Usage::Nivcsw => self.switches[1],
            Usage::Inblock | Usage::Oublock => None,
        }
    }
}

fn get(who: libc::c_int) -> Option<libc::rusage> {
    // SAFETY: all fields are integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: writes into the local variable.
    (unsafe { libc::getrusage(who, &mut usage) } == 0).then_some(usage)
}

fn field_of(of: &libc::rusage, field: Usage) -> u64 {
    let nanoseconds =
        |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    match field {
        Usage::Utime => nanoseconds(of.ru_utime),
        Usage::Stime => nanoseconds(of.ru_stime),
        Usage::Minflt => of.ru_minflt as u64,
        Usage::Majflt => of.ru_majflt as u64,
        Usage::Inblock => of.ru_inblock as u64,
        Usage::Oublock => of.ru_oublock as u64,
        Usage::Nvcsw => of.ru_nvcsw as u64,
        Usage::Nivcsw => of.ru_nivcsw as u64,
    }
}

/// The process's mark is `bytes` now: by how much that is more than any thread has seen before. So
/// growth counts once, at whoever sees it first.
pub fn grown_to(bytes: u64) -> u64 {
    static MARK: AtomicU64 = AtomicU64::new(0);
    bytes.saturating_sub(MARK.fetch_max(bytes, Ordering::Relaxed))
}
