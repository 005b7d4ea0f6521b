//! What the machine does while a command runs: CPU time of the command and of other programs, time
//! that the hypervisor takes, and the limits of control groups. `run` looks twice, before the start
//! and after the end; the difference goes into the manifest.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use pompeii_finish::Machine;

/// One tick of `/proc/stat`: USER_HZ is 100 on all of Linux's machines.
const TICK_NS: u64 = 10_000_000;
/// Where control groups are mounted.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";
/// Linux has no more.
const MOST_CPUS: usize = 8192;

/// What was counted up to a moment.
pub struct Moment {
    at: Instant,
    cpus: Vec<usize>,
    used: Option<Used>,
    own_ns: u64,
    command_ns: u64,
    limit: Option<Limit>,
}

/// CPU time of some CPUs since the machine was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    busy_ns: u64,
    steal_ns: u64,
}

/// A limit on CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    quota_millicpus: u64,
    throttled_ns: u64,
}

impl Moment {
    /// Now.
    #[allow(clippy::disallowed_methods, reason = "a share of some seconds, not a measurement")]
    pub fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let cpus = allowed_cpus(&status);
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self {
            at: Instant::now(),
            used: used(&stat, &cpus),
            own_ns: cpu_ns(UsageWho::RUSAGE_SELF),
            command_ns: cpu_ns(UsageWho::RUSAGE_CHILDREN),
            limit: limit(Path::new(CONTROL_GROUPS), &groups),
            cpus,
        }
    }

    /// The CPUs that this process may use.
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// What happened from here to now. A command that was waited for is among the children.
    pub fn until_now(&self) -> Machine {
        let end = Self::now();
        let command_ns = end.command_ns.saturating_sub(self.command_ns);
        let known_ns = command_ns + end.own_ns.saturating_sub(self.own_ns);
        let span = self.used.zip(end.used);
        let busy = span.map(|(from, to)| to.busy_ns.saturating_sub(from.busy_ns));
        let limit = end.limit.as_ref();
        let stopped_ns = self.limit.as_ref().map_or(0, |limit| limit.throttled_ns);
        Machine {
            wall_ns: end.at.duration_since(self.at).as_nanos() as u64,
            cpus: self.cpus.len(),
            command_ns,
            others_ns: busy.map(|busy_ns| busy_ns.saturating_sub(known_ns)),
            steal_ns: span.map(|(from, to)| to.steal_ns.saturating_sub(from.steal_ns)),
            quota_millicpus: limit.map(|limit| limit.quota_millicpus),
            throttled_ns: limit.map(|limit| limit.throttled_ns.saturating_sub(stopped_ns)),
        }
    }
}

/// CPUs that `/proc/self/status` allows, for example `0-2,7`; none if it cannot be understood.
fn allowed_cpus(status: &str) -> Vec<usize> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    };
    let ranges: Option<Vec<_>> = list.unwrap_or_default().trim().split(',').map(range).collect();
    ranges.unwrap_or_default().into_iter().flatten().take(MOST_CPUS).collect()
}

fn cpu_ns(who: UsageWho) -> u64 {
    let usage = getrusage(who).map(|of| of.user_time() + of.system_time());
    usage.map_or(0, |time| time.num_nanoseconds().unsigned_abs())
}

/// What `/proc/stat` says about these CPUs; `None` if one of them is missing there.
fn used(stat: &str, cpus: &[usize]) -> Option<Used> {
    let mut sum = Used::default();
    for cpu in cpus {
        let name = format!("cpu{cpu}");
        let line = stat.lines().find(|line| line.split(' ').next() == Some(&name))?;
        let columns: Vec<u64> =
            line.split_whitespace().skip(1).map(|word| word.parse().ok()).collect::<Option<_>>()?;
        // Guests' time is in `user` already.
        let [user, nice, system, _idle, _iowait, irq, softirq, steal] = *columns.first_chunk()?;
        sum.busy_ns += (user + nice + system + irq + softirq) * TICK_NS;
        sum.steal_ns += steal * TICK_NS;
    }
    Some(sum)
}

/// The smallest limit of the groups that `/proc/self/cgroup` names and of those around them, in
/// either version of control groups.
fn limit(root: &Path, groups: &str) -> Option<Limit> {
    let all = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?.trim_start_matches('/')))
    });
    let limits = all.flat_map(|(controllers, path)| match controllers {
        "" => around(root, path).iter().filter_map(|group| limit_2(group)).collect::<Vec<_>>(),
        of if of.split(',').any(|of| of == "cpu") => {
            let roots = [of, "cpu"].map(|name| root.join(name));
            let groups = roots.iter().flat_map(|root| around(root, path));
            groups.filter_map(|group| limit_1(&group)).collect()
        }
        _ => Vec::new(),
    });
    limits.min_by_key(|limit| limit.quota_millicpus)
}

/// A group's folder and those of the groups around it. In a container the named group may be
/// outside of what is mounted, but the mount's root is the container's own group.
fn around(root: &Path, path: &str) -> Vec<PathBuf> {
    Path::new(path).ancestors().map(|group| root.join(group)).collect()
}

fn limit_2(group: &Path) -> Option<Limit> {
    let text = fs::read_to_string(group.join("cpu.max")).ok()?;
    let mut words = text.split_whitespace();
    let (quota, period) = (words.next()?.parse::<u64>().ok()?, words.next()?.parse::<u64>().ok()?);
    let throttled_us = entry(group, "throttled_usec").unwrap_or(0);
    Some(Limit { quota_millicpus: millicpus(quota, period)?, throttled_ns: throttled_us * 1000 })
}

fn limit_1(group: &Path) -> Option<Limit> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<i64>().ok();
    // Without a limit the quota is -1.
    let quota = u64::try_from(number("cpu.cfs_quota_us")?).ok()?;
    let period = u64::try_from(number("cpu.cfs_period_us")?).ok()?;
    let throttled_ns = entry(group, "throttled_time").unwrap_or(0);
    Some(Limit { quota_millicpus: millicpus(quota, period)?, throttled_ns })
}

fn millicpus(quota: u64, period: u64) -> Option<u64> {
    quota.checked_mul(1000)?.checked_div(period)
}

/// An entry of a group's `cpu.stat`.
fn entry(group: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(group.join("cpu.stat")).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  90 0 10 800 0 0 0 8 0 0\n\
         cpu0 50 1 6 400 9 2 1 5 7 0\n\
         cpu1 40 0 4 400 0 0 0 3 0 0\n\
         cpu10 1 0 0 0 0 0 0 0 0 0\nintr 12\n";

    #[test]
    fn the_time_of_the_allowed_cpus_is_added() {
        let ms =
            |busy: u64, steal: u64| Used { busy_ns: busy * 1_000_000, steal_ns: steal * 1_000_000 };
        assert_eq!(used(STAT, &[0, 1]), Some(ms(1040, 80)));
        assert_eq!(used(STAT, &[1]), Some(ms(440, 30)));
        assert_eq!(used(STAT, &[2]), None);
        assert_eq!(used("", &[0]), None);
    }

    #[test]
    fn lists_of_cpus_have_ranges() {
        let cpus = |list: &str| allowed_cpus(&format!("Name:\tsh\nCpus_allowed_list:\t{list}\n"));
        assert_eq!(cpus("0-2,7"), [0, 1, 2, 7]);
        assert_eq!(cpus("5"), [5]);
        assert_eq!(cpus("none"), [0_usize; 0]);
        assert_eq!(allowed_cpus(""), [0_usize; 0]);
    }

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn found(files: &[(&str, &str)], groups: &str) -> Option<(u64, u64)> {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), files);
        limit(root.path(), groups).map(|limit| (limit.quota_millicpus, limit.throttled_ns))
    }

    #[test]
    fn version_2_has_the_smallest_limit_of_a_group_and_those_around_it() {
        let files = [
            ("a/cpu.max", "150000 100000\n"),
            ("a/cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 2500\n"),
            ("a/b/cpu.max", "max 100000\n"),
            ("a/b/cpu.stat", "throttled_usec 0\n"),
        ];
        assert_eq!(found(&files, "0::/a/b\n"), Some((1500, 2_500_000)));
        assert_eq!(found(&files[2..], "0::/a/b\n"), None);
        // In a container the mount's root is the group itself.
        let inside = [("cpu.max", "50000 100000\n"), ("cpu.stat", "throttled_usec 7\n")];
        assert_eq!(found(&inside, "0::/docker/0123\n"), Some((500, 7000)));
        assert_eq!(found(&inside, ""), None);
    }

    #[test]
    fn version_1_has_a_folder_for_each_set_of_controllers() {
        let files = [
            ("cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n"),
            ("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"),
            ("cpu,cpuacct/job/cpu.stat", "nr_periods 4\nnr_throttled 2\nthrottled_time 5000\n"),
            ("cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        let groups = "5:memory:/job\n4:cpu,cpuacct:/job\n0::/job\n";
        assert_eq!(found(&files, groups), Some((2000, 5000)));
        assert_eq!(found(&files[3..], groups), None);
    }

    /// This machine: whatever it is, nothing is negative or missing that Linux always has.
    #[test]
    fn a_span_has_the_time_that_passed() {
        let machine = Moment::now().until_now();
        assert!(machine.cpus > 0);
        assert!(machine.wall_ns < 600_000_000_000);
    }
}
