//! What unification of many processes takes, simulated: `unify RANKS` makes up so many ranks of 8
//! locations with 5,000 regions and call paths, nearly all of them common, unifies them in a tree
//! with one thread, and prints the CPU time per rank, the longest way of a rank to the whole in
//! unions, and the peak of the memory. `cargo xtask bench unify` runs it.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a benchmark")]

use std::convert::Infallible;
use std::time::Instant;

use pompeii_model::{Definitions, Id, Location, LocationId, Process, Region, RegionId, unify_all};

const REGIONS: usize = 5_000;
const LOCATIONS: usize = 8;

fn main() {
    let ranks: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(64);
    let begin = Instant::now();
    for rank in 0..ranks.min(64) {
        std::hint::black_box(definitions(rank));
    }
    let making = begin.elapsed().as_secs_f64() / ranks.min(64) as f64;
    let begin = Instant::now();
    let Ok(whole) = unify_all(ranks, 1, &|rank| Ok::<_, Infallible>(definitions(rank)));
    let each = begin.elapsed().as_secs_f64() / ranks as f64 - making;
    let levels = usize::BITS - (ranks - 1).leading_zeros();
    println!(
        "{ranks:6} ranks: {:7.2} ms per rank, {levels:2} levels, {:5} regions, {:5} call paths, \
         {:6} locations, {:5} MiB at most",
        each * 1e3,
        whole.regions.len(),
        whole.calls.len(),
        whole.system.locations.len(),
        peak_mib()
    );
}

/// What a rank defines: a region of its own beside those that all have.
fn definitions(rank: usize) -> Definitions {
    let mut made = Definitions::default();
    for region in 0..REGIONS {
        let name = match region {
            0 => "program".to_owned(),
            1 => format!("only on every hundredth: {}", rank % 100),
            _ => format!("!$omp parallel @source_file_{}.c:{region}", region / 50),
        };
        made.regions.push(Region::artificial(&name));
    }
    let root = made.calls.add_root(RegionId(0));
    let mut parent = root;
    for region in 1..REGIONS {
        let call = made.calls.child(parent, RegionId::from_index(region));
        // Nothing is below the region of its own.
        parent = if region % 10 == 0 || region == 1 { root } else { call };
    }
    let (name, node) = (format!("MPI Rank {rank}"), format!("node{}", rank / 64));
    let (master, wall_ticks) = (LocationId(0), 1);
    let rank = u32::try_from(rank).unwrap_or(u32::MAX);
    let process = made.system.processes.push(Process { name, rank, node, master, wall_ticks });
    for thread in 0..LOCATIONS {
        made.system.locations.push(Location { name: format!("OMP thread {thread}"), process });
    }
    made
}

/// The most memory that the process has had, as the kernel says it.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
