//! The CPU time of the court and of all processes below it, those that still run included. What
//! else was busy on the machine are other programs. Several rows are measured at the same time, so
//! at no moment have all processes of the court ended.

use std::collections::HashSet;
use std::fs;

use anyhow::Result;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use super::machine::TICKS_PER_SECOND;

/// A process, as `/proc/PID/stat` describes it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Process {
    id: i32,
    parent: i32,
    /// CPU time of its children that have ended and for which it has waited.
    ended_s: f64,
}

/// CPU seconds of this process and of all below it, until now.
pub(super) fn cpu_seconds() -> Result<f64> {
    let mut seconds = 0.0;
    for who in [UsageWho::RUSAGE_SELF, UsageWho::RUSAGE_CHILDREN] {
        let usage = getrusage(who)?;
        let time = usage.user_time() + usage.system_time();
        seconds += time.num_microseconds() as f64 / 1e6;
    }
    let below = below(Pid::this().as_raw(), &processes()?);
    Ok(seconds + below.iter().map(|process| process.ended_s + running_s(process.id)).sum::<f64>())
}

/// All processes of the machine. One that ends meanwhile is left out.
fn processes() -> Result<Vec<Process>> {
    let entries = fs::read_dir("/proc")?.flatten();
    let stat = |entry: fs::DirEntry| {
        let is_number = entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| fs::read_to_string(entry.path().join("stat")).ok()).flatten()
    };
    Ok(entries.filter_map(stat).filter_map(|text| process(&text)).collect())
}

/// `ID (NAME) STATE PARENT ...`: a name may have any characters, parentheses and spaces too.
fn process(stat: &str) -> Option<Process> {
    let (id, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |field: usize| words.get(field)?.parse::<f64>().ok();
    let ended_s = (number(13)? + number(14)?) / TICKS_PER_SECOND;
    Some(Process { id: id.parse().ok()?, parent: words.get(1)?.parse().ok()?, ended_s })
}

/// The children of a process, their children and so on.
fn below(id: i32, all: &[Process]) -> Vec<Process> {
    let mut family = HashSet::from([id]);
    loop {
        let before = family.len();
        family.extend(
            all.iter().filter(|of| family.contains(&of.parent)).map(|of| of.id).collect::<Vec<_>>(),
        );
        if family.len() == before {
            break;
        }
    }
    all.iter().filter(|of| of.id != id && family.contains(&of.id)).copied().collect()
}

/// CPU time of a process with all its threads; 0 where it has ended, for then it is among what its
/// parent has waited for.
fn running_s(id: i32) -> f64 {
    let time = clock_getcpuclockid(Pid::from_raw(id)).and_then(clock_gettime);
    time.map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_read_with_any_name() {
        let text = "42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 50 60 150 25 20 0 1 0 99\n";
        assert_eq!(process(text), Some(Process { id: 42, parent: 7, ended_s: 1.75 }));
        assert_eq!(process("42 (a) S 7 42"), None);
        assert_eq!(process("x (a) S"), None);
    }

    #[test]
    fn children_of_children_belong_to_a_family() {
        let process = |id, parent| Process { id, parent, ended_s: 0.0 };
        let all = [process(4, 3), process(1, 0), process(3, 2), process(2, 1), process(5, 1)];
        let ids = |id| below(id, &all).iter().map(|of| of.id).collect::<Vec<_>>();
        assert_eq!(ids(2), [4, 3]);
        assert_eq!(ids(1), [4, 3, 2, 5]);
        assert!(ids(4).is_empty());
    }

    #[test]
    fn time_of_a_grandchild_that_runs_counts() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sh -c 'while :; do :; done' & echo $!; wait"]).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut line = String::new();
        let output = child.stdout.as_mut().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
        let grandchild: i32 = line.trim().parse().unwrap();
        let before = cpu_seconds().unwrap();
        let start = running_s(grandchild);
        while running_s(grandchild) < start + 0.02 {
            std::thread::yield_now();
        }
        let more = cpu_seconds().unwrap() - before;
        let _ = nix::sys::signal::kill(Pid::from_raw(grandchild), nix::sys::signal::SIGKILL);
        child.wait().unwrap();
        assert!(more >= 0.02, "{more}");
    }
}
