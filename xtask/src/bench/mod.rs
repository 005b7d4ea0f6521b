//! `cargo xtask bench NAME [ON]`: what something costs, next to what it is compared with; `ON` is
//! what it is measured on, for benchmarks that know several things. To add a benchmark: a file
//! here, and its line in `BENCHMARKS`.

mod analyze;
mod convert;
mod cost;
mod cpu_time;
mod hybrid;
mod instrument;
mod mpi;
mod otf2;
mod overhead;
mod runs;
mod shapes;
mod suite;
mod tasks;
mod threads;
mod traces;
mod unify;
mod verdict;
mod view;

use anyhow::{Result, bail};

/// A name, and what is measured.
type Benchmark = (&'static str, fn(Option<&str>) -> Result<()>);

const BENCHMARKS: [Benchmark; 14] = [
    ("analyze", analyze::run),
    ("computing", threads::computing),
    ("convert", convert::run),
    ("hybrid", |_| hybrid::run()),
    ("instrument", instrument::run),
    ("mpi", |_| mpi::run()),
    ("otf2", |_| otf2::run()),
    ("overhead", |_| overhead::run()),
    ("runs", runs::run),
    ("shapes", shapes::run),
    ("tasks", tasks::run),
    ("threads", threads::run),
    ("unify", |_| unify::run()),
    ("view", view::run),
];

/// Runs the benchmark that is called `name`.
pub fn run(name: Option<&str>, on: Option<&str>) -> Result<()> {
    let found = BENCHMARKS.iter().find(|(known, _)| name == Some(known));
    let Some((_, benchmark)) = found else {
        let names = BENCHMARKS.map(|(name, _)| name).join(", ");
        bail!("no benchmark `{}`; benchmarks are {names}", name.unwrap_or_default());
    };
    benchmark(on)
}

/// The middle one of an odd number of measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
