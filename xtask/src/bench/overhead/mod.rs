//! What measuring costs per construct: processor time added to a small program that executes one
//! kind of construct very often, beside the least that it can cost, code that OPARI2 has
//! instrumented for libraries that do nothing or only read the clock, and other tools where they
//! are installed; those that watch LLVM's OpenMP runtime are compared with the uninstrumented
//! program by clang.
//!
//! All variants take turns in one run, and what counts is the median of the differences within a
//! turn, so that a machine on which others work, or whose cores are now near and now far from each
//! other, does no harm to one of them alone. The bound of a construct is the clock reads that its
//! times need, plus 8 ns for each of its events. It is for constructs in which nobody waits: where
//! threads meet, the time that one spends in an event is time that another one waits, which
//! OPARI2's code with a library that only reads the clock shows.
//!
//! With `BENCH_BEFORE=CHECKOUT` the library of another version takes part, too.

pub mod peers;
pub mod programs;

use std::collections::BTreeMap;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::median;
use programs::{Against, Variant};

const TURNS: usize = 7;
const NS_PER_EVENT: f64 = 8.0;

/// A kind of construct. How often its times need the clock, and how many calls it has: once per
/// thread that meets it, and what only one thread of a team has besides.
struct Construct {
    kind: &'static str,
    count: u64,
    per_thread: (f64, f64),
    per_team: (f64, f64),
    /// Its count is that of the program, not of each thread.
    shared: bool,
}

const fn each(kind: &'static str, reads: f64, events: f64) -> Construct {
    let count = 200_000;
    Construct { kind, count, per_thread: (reads, events), per_team: (0.0, 0.0), shared: false }
}

const fn one(kind: &'static str, reads: f64, events: f64) -> Construct {
    Construct { shared: true, ..each(kind, reads, events) }
}

/// As often as it takes for a thread that is done early, and spins, to make no difference.
const OFTEN: u64 = 1_000_000;

/// Of functions, not more than a trace's first chunk holds.
const FIRST: u64 = 32_000;

const CONSTRUCTS: [Construct; 15] = [
    Construct { count: OFTEN, ..each("function", 2.0, 2.0) },
    // In memory that is touched for the first time: at most 1.35 times the bound.
    Construct { count: FIRST, ..each("first", 2.0, 2.0) },
    // Eight regions in turn: at most 1.6 times the bound.
    Construct { count: OFTEN, ..each("functions", 2.0, 2.0) },
    // One of ten regions, and one of 4,000: at most 1.5 times what it costs with ten.
    Construct { count: OFTEN, ..each("ten", 2.0, 2.0) },
    Construct { count: OFTEN, ..each("wide", 2.0, 2.0) },
    each("barrier", 2.0, 2.0),
    each("critical", 4.0, 4.0),
    // Counted, without a clock read.
    Construct { count: OFTEN, ..each("atomic", 0.0, 2.0) },
    Construct { count: OFTEN, per_team: (2.0, 2.0), ..each("single", 2.0, 2.0) },
    Construct { count: OFTEN, ..one("master", 2.0, 2.0) },
    // The loop's exit is that of its barrier.
    each("loop", 3.0, 3.0),
    // Fork and join are the master's.
    Construct {
        count: 50_000,
        per_team: (2.0, 2.0),
        per_thread: (2.0, 2.0),
        ..one("parallel", 0.0, 0.0)
    },
    // Creation, suspending and resuming what was there, and execution.
    one("task", 4.0, 6.0),
    // Counted, without a clock read.
    one("undeferred", 0.0, 4.0),
    one("taskwait", 6.0, 8.0),
];

impl Construct {
    /// Clock reads and events of one construct, of all threads together.
    fn events(&self, threads: u32) -> (f64, f64) {
        let threads = f64::from(threads);
        let whole = match (self.shared, self.kind) {
            // All threads of a region, per region.
            (true, "parallel") => (threads, 1.0),
            (true, _) => (1.0, 0.0),
            (false, _) => (1.0, 1.0 / threads),
        };
        let sum = |each: f64, team: f64| each * whole.0 + team * whole.1;
        (sum(self.per_thread.0, self.per_team.0), sum(self.per_thread.1, self.per_team.1))
    }
}

/// Builds the programs, runs them in turn and prints the tables.
pub fn run() -> Result<()> {
    let folder = crate::shell::target_folder().join("bench/overhead");
    let programs = programs::build(&folder)?;
    println!("\nprocessor time added per construct, in ns; medians of {TURNS} turns");
    let read = alone(&programs.plain, "clock")?;
    let floor = alone(&programs.plain, "floor")?;
    println!("a clock read takes {read:.1}, with 16 bytes stored {floor:.1}");
    for threads in [1, 2] {
        println!("\n{threads} thread(s)");
        print!("{:12} {:>8} {:>8}", "", "plain", "bound");
        println!("{}", names(&programs.variants));
        for construct in &CONSTRUCTS {
            println!("{}", row(construct, threads, read, &programs)?);
        }
    }
    println!("\nload {}; again: cargo xtask bench overhead", load());
    Ok(())
}

fn names(variants: &[Variant]) -> String {
    variants.iter().map(|variant| format!(" {:>14}", variant.name)).collect()
}

fn row(
    construct: &Construct,
    threads: u32,
    read: f64,
    programs: &programs::Programs,
) -> Result<String> {
    let mut plain = Vec::new();
    let mut added: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for _ in 0..TURNS {
        let alone = measure(&programs.plain, construct.kind, construct.count, threads)?;
        plain.push(alone);
        let mut by_clang = f64::NAN;
        for (place, variant) in programs.variants.iter().enumerate() {
            // A tool that ends the program is a result, too.
            let Ok(ns) = measure(variant, construct.kind, construct.count, threads) else {
                continue;
            };
            let difference = match variant.against {
                Against::Gcc => ns - alone,
                Against::Clang => ns - by_clang,
                Against::Nothing => {
                    by_clang = ns;
                    ns
                }
            };
            added.entry(place).or_default().push(difference);
        }
    }
    let (reads, events) = construct.events(threads);
    let bound = reads * read + events * NS_PER_EVENT;
    let mut text = format!("{:12} {:8.1} {bound:8.1}", construct.kind, median(plain));
    for place in 0..programs.variants.len() {
        match added.remove(&place) {
            Some(times) => text += &format!(" {:14.1}", median(times)),
            None => text += &format!(" {:>14}", "failed"),
        }
    }
    Ok(text)
}

/// What the program itself can say: the median of a kind.
fn alone(plain: &Variant, kind: &str) -> Result<f64> {
    let turns: Result<Vec<f64>> = (0..TURNS).map(|_| measure(plain, kind, OFTEN, 1)).collect();
    Ok(median(turns?))
}

/// Processor time per construct, in nanoseconds.
fn measure(variant: &Variant, kind: &str, count: u64, threads: u32) -> Result<f64> {
    let mut command = variant.start(&[kind.to_owned(), count.to_string()], threads)?;
    let output = command.stderr(Stdio::null()).output().with_context(|| variant.name.clone())?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Other tools may have said something before.
    let line = text.lines().rev().find_map(|line| line.split_once(' ')?.0.parse().ok());
    let _ = std::fs::remove_dir_all(variant.results());
    match line {
        Some(ns) if output.status.success() => Ok(ns),
        _ => bail!("{}: `{kind}` ended with {}", variant.name, output.status),
    }
}

/// How many programs have been running on this machine, to judge the numbers by.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of the design on a machine whose clock takes 12.5 ns.
    #[test]
    fn bounds_are_those_of_the_design() {
        let bound = |kind: &str, threads| {
            let construct = CONSTRUCTS.iter().find(|construct| construct.kind == kind).unwrap();
            let (reads, events) = construct.events(threads);
            reads * 12.5 + events * NS_PER_EVENT
        };
        let one = ["function", "barrier", "critical", "single", "loop", "task", "parallel"]
            .map(|kind| bound(kind, 1));
        assert_eq!(one, [41.0, 41.0, 82.0, 82.0, 61.5, 98.0, 82.0]);
        // Two workers' begins and ends, and one fork and join; half of the singles' bodies.
        assert_eq!((bound("parallel", 2), bound("single", 2)), (123.0, 61.5));
    }
}
