//! What finishing a job of many processes takes: `job FOLDER RANKS [REGIONS [EVENTS]]` makes live
//! state of so many ranks of 8 threads with 5,000 regions, or as many as are wanted, nearly all of
//! them common, and with a trace of so many events per thread, finishes it, and prints the CPU time
//! per rank and the peak of the memory. `cargo xtask bench unify` runs it.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it is a benchmark")]

#[path = "../tests/all/common/mod.rs"]
mod common;

use std::path::Path;

use common::{Process, Thread, node, region};
use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Key, Node, RegionKind};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::RegionRef;

const THREADS: usize = 8;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder");
    let folder = Path::new(&folder);
    let mut number =
        |otherwise| arguments.next().map_or(otherwise, |text| text.parse().expect("a number"));
    let (ranks, regions, events) = (number(64), number(5_000), number(0));
    std::fs::create_dir_all(folder).unwrap();
    for rank in 0..ranks {
        let own = match rank {
            0 => folder.join("live"),
            _ => folder.join(format!("procs/node-{rank}-ocean/live")),
        };
        process(rank, ranks, regions, events).write(&own);
    }
    let before = cpu_seconds();
    let command = vec!["mpirun".to_owned()];
    let info = RunInfo { command, exit_code: Some(0), ..RunInfo::default() };
    let manifest = finish(folder, &info).unwrap().unwrap();
    println!(
        "{ranks:6} ranks: {:7.2} ms of CPU time per rank, {:5} call paths, {:6} locations, \
         {events} events each, {:5} MiB at most, profile of {:4} MiB",
        (cpu_seconds() - before) * 1e3 / f64::from(ranks),
        manifest.call_paths,
        manifest.locations,
        peak_mib(),
        std::fs::metadata(folder.join("profile.cubex")).unwrap().len() >> 20
    );
}

/// A rank whose threads have visited all regions; one region is its own and that of few others.
fn process(rank: u32, ranks: u32, regions: u32, events: u32) -> Process {
    let mut process = Process::of_job(rank, ranks);
    for id in 2..regions {
        let name = match id {
            2 => format!("only on every hundredth: {}", rank % 100),
            _ => format!("!$omp for @source_file_{}.c:{id}", id / 50),
        };
        process.define(region(id, RegionKind::Loop, &name));
    }
    let nodes = |_| -> Vec<Node> {
        let below = |id: u32| if id % 10 == 1 || id <= 3 { 1 } else { id };
        (2..regions).map(|id| node(Key::Region(id), below(id), 3, 100)).collect()
    };
    let event = |number: u32| {
        let region = RegionRef(2 + number / 2 % (regions - 2));
        let event = match number % 2 {
            0 => Event::Enter(Enter { region }),
            _ => Event::Leave(Leave { region }),
        };
        (process.start + u64::from(number), event)
    };
    let events: Vec<_> = (0..events).map(event).collect();
    let thread = |index| Thread {
        root_ticks: 500,
        nodes: nodes(index),
        events: events.clone(),
        ..Thread::default()
    };
    process.threads = (0..THREADS).map(thread).collect();
    process
}

/// CPU time of the process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let behind_name = stat.rsplit(')').next().unwrap();
    let mut fields = behind_name.split_whitespace().skip(11).map(|word| word.parse::<f64>());
    let mut hundredths = || fields.next().unwrap().unwrap();
    (hundredths() + hundredths()) / 100.0
}

/// The most memory that the process has had, as the kernel says it.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}
