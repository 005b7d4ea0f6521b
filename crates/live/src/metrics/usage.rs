//! Resource usage of the thread, and the memory high-water mark of the process.

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
