//! The machine: what it has, and how much of it other programs take. A timing is right only where
//! they take next to nothing, so the court checks this before it looks at the timing.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use super::family;
use super::header::Need;

/// Ticks of `/proc/stat` in a second (USER_HZ, the same on all of Linux's machines).
pub(super) const TICKS_PER_SECOND: f64 = 100.0;

/// A timing counts if others took less of the machine than this share.
const QUIET: f64 = 0.03;

/// A moment, and what the machine's and our processors had done until then.
pub(super) struct Moment {
    at: Instant,
    busy_s: f64,
    own_s: f64,
}

/// How much of the machine other programs took between two moments.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Span {
    /// Seconds times CPUs.
    pub(super) machine_s: f64,
    /// Busy or stolen, and not by us.
    pub(super) others_s: f64,
}

impl Moment {
    /// Now.
    pub(super) fn now() -> Result<Self> {
        let text = fs::read_to_string("/proc/stat").context("/proc/stat")?;
        let busy_s = busy_seconds(&text).context("/proc/stat: expected a line `cpu` of numbers")?;
        Ok(Self { at: Instant::now(), busy_s, own_s: family::cpu_seconds()? })
    }

    /// What happened from here to `end`.
    pub(super) fn until(&self, end: &Self) -> Span {
        let machine_s = end.at.duration_since(self.at).as_secs_f64() * cpus() as f64;
        let others_s = (end.busy_s - self.busy_s) - (end.own_s - self.own_s);
        Span { machine_s, others_s: others_s.max(0.0) }
    }
}

impl Span {
    /// Whether timings taken meanwhile count.
    pub(super) fn is_quiet(&self) -> bool {
        self.others() < QUIET
    }

    /// The share of the machine that others took.
    pub(super) fn others(&self) -> f64 {
        if self.machine_s > 0.0 { self.others_s / self.machine_s } else { 0.0 }
    }
}

impl std::ops::AddAssign for Span {
    fn add_assign(&mut self, more: Self) {
        self.machine_s += more.machine_s;
        self.others_s += more.others_s;
    }
}

/// Busy and stolen seconds of all CPUs: all columns of the line `cpu` but those of idleness, and
/// of guests, whose time is in `user` already.
fn busy_seconds(stat: &str) -> Option<f64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let columns: Vec<f64> =
        line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [user, nice, system, _idle, _iowait, irq, softirq, steal] = *columns.first_chunk()?;
    Some((user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND)
}

/// How many CPUs we may use.
pub(super) fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the machine lacks of what a program needs.
pub(super) fn lacks(need: Need) -> Option<String> {
    match need {
        Need::Cpus(number) if (cpus() as u64) < number => Some(format!("{number} CPUs")),
        Need::NumaNodes(number) if numa_nodes() < number => Some(format!("{number} NUMA nodes")),
        Need::Counters if !has_counters() => Some("hardware counters".to_owned()),
        _ => None,
    }
}

fn numa_nodes() -> u64 {
    let Ok(nodes) = fs::read_dir("/sys/devices/system/node") else { return 1 };
    let is_node = |name: &str| name.strip_prefix("node").is_some_and(|n| n.parse::<u32>().is_ok());
    nodes.flatten().filter(|entry| is_node(&entry.file_name().to_string_lossy())).count() as u64
}

/// The processor's own counters; a virtual machine often has none.
fn has_counters() -> bool {
    fs::exists("/sys/bus/event_source/devices/cpu").unwrap_or(false)
}

/// The date and the machine in words, for the table's head.
pub(super) fn description() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let model = model.map_or("unknown processor", |(_, name)| name);
    let date = Command::new("date").args(["-u", "+%F %R"]).output();
    let date = date.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into());
    format!("{} UTC; {} CPUs, {model}; load {load}", date.trim(), cpus())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_has_no_idleness_and_no_guests() {
        let stat = "cpu  100 20 30 5000 700 4 6 40 90 80\ncpu0 1 2 3\n";
        assert_eq!(busy_seconds(stat), Some(2.0));
        assert_eq!(busy_seconds("cpu  1 2 3\n"), None);
        assert_eq!(busy_seconds("intr 1\n"), None);
    }

    #[test]
    fn others_are_what_is_busy_and_not_ours() {
        let start = Moment { at: Instant::now(), busy_s: 10.0, own_s: 1.0 };
        let end = |busy_s, own_s| Moment {
            at: start.at + std::time::Duration::from_secs(1),
            busy_s,
            own_s,
        };
        let span = start.until(&end(11.5, 2.25));
        assert_eq!(span.others_s, 0.25);
        assert_eq!(span.machine_s, cpus() as f64);
        // Ticks are coarse: less than nothing is nothing.
        assert_eq!(start.until(&end(11.0, 2.25)).others_s, 0.0);
    }

    #[test]
    fn a_share_is_of_all_spans() {
        let mut sum = Span::default();
        assert_eq!(sum.others(), 0.0);
        sum += Span { machine_s: 3.0, others_s: 0.0 };
        sum += Span { machine_s: 1.0, others_s: 0.4 };
        assert!((sum.others() - 0.1).abs() < 1e-9 && !sum.is_quiet());
        assert!(Span { machine_s: 1.0, others_s: 0.029 }.is_quiet());
    }
}
