//! What `run` records: options that become variables of the program. What they say is read here
//! too, before the start: a measured process never refuses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};
use pompeii_filter::{Filter, Windows};
use pompeii_finish::metrics::{self, Counters};

/// The filter's copy in an experiment.
pub const FILTER_COPY: &str = "filter";

/// Options about what is recorded.
#[derive(clap::Args)]
pub struct Options {
    /// Which functions and user regions are recorded: a filter file in Score-P's syntax
    #[arg(long, value_name = "FILE")]
    filter: Option<PathBuf>,
    /// Count these too, with commas between: counters as `perf list` names them or raw (rNNNN),
    /// PAPI presets, fields of getrusage (ru_nvcsw), memory-high-water
    #[arg(long, value_name = "LIST")]
    metrics: Option<String>,
    /// Write the trace for readers of OTF2 before 1.2: with the records that it had for OpenMP
    #[arg(long)]
    legacy_records: bool,
    /// Keep shortest, longest and mean time of single visits per call path too
    #[arg(long)]
    statistics: bool,
    /// Show each iteration of a loop as a call path of its own; needs `compile --loop-chunks`
    #[arg(long)]
    iterations: bool,
    /// Measure who waits for whom in MPI: adds small messages to those of the program
    #[arg(long)]
    mpi_wait: bool,
    /// Compare the clocks of MPI's processes every so often, not only at the begin and the end
    #[arg(long, value_name = "SECONDS", value_parser = period)]
    mpi_clock: Option<f64>,
    /// How much of the trace may be on its way to the disk, for instance 256M [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// What happens when that is used up: wait for the disk (the trace says how long), or drop the
    /// newest chunk of a thread (how many events that are is counted)
    #[arg(long, value_name = "WHAT", value_parser = ["wait", "drop"])]
    memory_full: Option<String>,
    /// Record only START:END in seconds, or REGION@FIRST:LAST, visits of it from 0 on
    #[arg(long, value_name = "WINDOW", conflicts_with = "select")]
    window: Vec<String>,
    /// Record only visits of regions: a file of Score-P's selective recording
    #[arg(long, value_name = "FILE")]
    select: Option<PathBuf>,
    /// Record every visit in a trace, also those that the guard would sum
    #[arg(long)]
    no_guard: bool,
    /// Sum visits of tiny regions that are entered more often than this [default: 10000]
    #[arg(long, value_name = "N", conflicts_with = "no_guard")]
    guard_visits: Option<u64>,
    /// Sum visits that take less than this [default: 1000]
    #[arg(long, value_name = "NS", conflicts_with = "no_guard")]
    guard_time: Option<u64>,
}

/// What the options, or else the environment, have said.
pub struct Recording {
    filter: Option<PathBuf>,
    /// Variables that say the rest.
    variables: Vec<(&'static str, String)>,
}

impl Options {
    /// Reads everything that the options, or else variables, name.
    ///
    /// # Errors
    /// What is wrong, with its file and line.
    pub fn read(&self) -> Result<Recording> {
        let named = self.filter.clone().or_else(|| path_of(FILTER_VARIABLES));
        let checked = |path: PathBuf| -> Result<PathBuf> {
            read_filter(&path)?;
            Ok(std::path::absolute(path)?)
        };
        let filter = named.map(checked).transpose()?;
        self.check_metrics()?;
        let mut variables = self.variables();
        variables.extend(self.windows()?);
        Ok(Recording { filter, variables })
    }

    /// The variable that says which part of the run is recorded, checked.
    fn windows(&self) -> Result<Option<(&'static str, String)>> {
        if !self.window.is_empty() {
            let text = self.window.join(";");
            Windows::parse(&text).map_err(|error| anyhow!("--window {error}"))?;
            return Ok(Some(("POMPEII_WINDOW", text)));
        }
        let text = std::env::var("POMPEII_WINDOW").unwrap_or_default();
        if self.select.is_none() && !text.is_empty() {
            Windows::parse(&text).map_err(|error| anyhow!("POMPEII_WINDOW: {error}"))?;
            return Ok(None);
        }
        let Some(path) = self.select.clone().or_else(|| path_of(SELECT_VARIABLES)) else {
            return Ok(None);
        };
        let name = || format!("selective recording {}", path.display());
        let text = fs::read(&path).with_context(name)?;
        let windows = Windows::parse_selective(&String::from_utf8_lossy(&text));
        windows.map_err(|error| anyhow!(error)).with_context(name)?;
        let path = std::path::absolute(&path)?.display().to_string();
        Ok(Some((SELECT_VARIABLES[0], path)))
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let numbers = [
            ("POMPEII_STATISTICS", self.statistics.then_some(1)),
            ("POMPEII_ITERATIONS", self.iterations.then_some(1)),
            ("POMPEII_MPI_WAIT", self.mpi_wait.then_some(1)),
            ("POMPEII_LEGACY_RECORDS", self.legacy_records.then_some(1)),
            ("POMPEII_GUARD", self.no_guard.then_some(0)),
            ("POMPEII_GUARD_VISITS", self.guard_visits),
            ("POMPEII_GUARD_TIME", self.guard_time),
            ("POMPEII_TOTAL_MEMORY", self.memory),
        ];
        let said = numbers.into_iter().filter_map(|(name, value)| Some((name, value?.to_string())));
        let mut variables: Vec<(&'static str, String)> = said.collect();
        variables.extend(self.metrics.iter().map(|list| (METRICS_VARIABLE, list.clone())));
        let clock = self.mpi_clock.map(|seconds| ("POMPEII_MPI_CLOCK", seconds.to_string()));
        variables.extend(clock);
        let full = self.memory_full.clone().map(|what| ("POMPEII_MEMORY_FULL", what));
        variables.extend(full);
        variables
    }

    /// What is asked for can be counted here.
    fn check_metrics(&self) -> Result<()> {
        let of = |name: &'static str| match (name, &self.metrics) {
            (METRICS_VARIABLE, Some(list)) => Some(list.clone()),
            _ => std::env::var(name).ok(),
        };
        let wanted = metrics::requested(of)?;
        let (_, failed) = Counters::open(&wanted);
        match failed.first() {
            None => Ok(()),
            Some(first) => Err(anyhow!(
                "cannot count {}: {}; `pompeii doctor` lists what can be counted",
                wanted[first.metric].name,
                first.reason()
            )),
        }
    }
}

const METRICS_VARIABLE: &str = "POMPEII_METRICS";

/// Seconds between two events, a millisecond at least.
fn period(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    let long_enough = |seconds: &f64| (0.001..=1e6).contains(seconds);
    seconds.filter(long_enough).ok_or_else(|| "expected seconds from 0.001 on".to_owned())
}

/// A size as people write it.
fn size(text: &str) -> Result<u64, String> {
    let wanted = "expected bytes, with K, M, G or T for 1024 of the unit before, as 256M";
    pompeii_finish::bytes_of(text).ok_or_else(|| wanted.to_owned())
}

const SELECT_VARIABLES: &[&str] = &["POMPEII_SELECT", "SCOREP_SELECTIVE_CONFIG_FILE"];
const FILTER_VARIABLES: &[&str] = &["POMPEII_FILTER", "SCOREP_FILTERING_FILE"];

/// The path that the first of these variables that is set names.
fn path_of(names: &[&str]) -> Option<PathBuf> {
    let value = names.iter().find_map(std::env::var_os)?;
    (!value.is_empty()).then(|| value.into())
}

/// Reads a filter file.
///
/// # Errors
/// What is wrong, with its line.
pub fn read_filter(path: &Path) -> Result<Filter> {
    let name = || format!("filter {}", path.display());
    let text = fs::read(path).with_context(name)?;
    let rules = Filter::parse(&String::from_utf8_lossy(&text));
    rules.map_err(|error| anyhow!(error)).with_context(name)
}

impl Recording {
    /// Tells the program.
    pub fn set(&self, command: &mut Command) {
        if let Some(filter) = &self.filter {
            command.env(FILTER_VARIABLES[0], filter);
        }
        if self.variables.iter().any(|(name, _)| *name == SELECT_VARIABLES[0]) {
            command.env_remove("POMPEII_WINDOW");
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Keeps what was asked for beside what was measured, as Score-P does.
    pub fn keep(&self, experiment: &Path) {
        if let Some(filter) = &self.filter {
            // The measurement is whole without it.
            let _ = fs::copy(filter, experiment.join(FILTER_COPY));
        }
    }
}
