//! What `run` records: options that become variables of the program. What they say is read here
//! too, before the start: a measured process never refuses.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use pompeii_filter::{Filter, Windows};
use pompeii_finish::metrics::{self, Counters, Metric};

use crate::terminal::cannot;

/// Systems look at timers of CPU time as often as their clock ticks, mostly 250 times in a second.
const SAMPLE_HZ_MAX: u64 = 250;

/// The filter's copy in an experiment.
pub const FILTER_COPY: &str = "filter";

/// Options about what is recorded.
#[derive(clap::Args)]
pub struct Options {
    /// Record only the functions and user regions selected by this file, in the syntax of
    /// Score-P's filters
    #[arg(long, value_name = "FILE")]
    filter: Option<PathBuf>,
    /// Count these too, for example `cycles,ru_nvcsw`: names of `perf list`, raw counters (rNNNN),
    /// PAPI presets, fields of getrusage (ru_...), memory-high-water
    #[arg(long, value_name = "LIST")]
    metrics: Option<String>,
    /// Write the OpenMP records of OTF2 before 1.2, for old readers of traces
    #[arg(long)]
    legacy_records: bool,
    /// For each call path, also store the shortest, longest and mean time of its visits
    #[arg(long)]
    statistics: bool,
    /// Show each iteration of a loop as a separate call path; needs `compile --loop-chunks`
    #[arg(long)]
    iterations: bool,
    /// Find functions by sampling: look HZ times in a second of each thread's CPU time where it is.
    /// Nothing has to be instrumented for it [default: 100 for programs that were not
    /// instrumented, otherwise none]
    #[arg(long, value_name = "HZ",
          value_parser = clap::value_parser!(u64).range(1..=SAMPLE_HZ_MAX))]
    sample: Option<u64>,
    /// Take no samples, even if the program was not instrumented or POMPEII_SAMPLE asks for them
    #[arg(long, conflicts_with = "sample")]
    no_sample: bool,
    /// Observe functions that read and write files: open, read, write, fopen, fread, fwrite, printf
    /// and others
    #[arg(long)]
    io: bool,
    /// Observe threads that the program creates with functions of POSIX or C++, and their waiting
    /// for mutexes, conditions, barriers and the ends of threads
    #[arg(long)]
    pthreads: bool,
    /// Measure the waiting between MPI processes with additional small messages: not at all, in
    /// collective operations, or (alone, or all) for messages too [default: collectives]
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true,
          default_missing_value = "all", value_parser = ["no", "collectives", "all"])]
    mpi_wait: Option<String>,
    /// Compare the clocks of MPI processes every SECONDS, instead of only at begin and end
    #[arg(long, value_name = "SECONDS", value_parser = period)]
    mpi_clock: Option<f64>,
    /// Limit for trace data that is not on the disk yet, for example 256M [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// At this limit: wait for the disk (the trace says how long), or drop the newest data of the
    /// thread (the report says how many events)
    #[arg(long, value_name = "WHAT", value_parser = ["wait", "drop"])]
    memory_full: Option<String>,
    /// Record only a part of the run: START:END in seconds, or REGION@FIRST:LAST (visits of a
    /// region, counted from 0)
    #[arg(long, value_name = "WINDOW", conflicts_with = "select")]
    window: Vec<String>,
    /// Record only the visits listed in this file, in the syntax of Score-P's selective recording
    #[arg(long, value_name = "FILE")]
    select: Option<PathBuf>,
    /// Record every visit, instead of summing the visits of very short and frequent regions
    #[arg(long)]
    no_guard: bool,
    /// Sum visits of short regions that are entered more often than this [default: 10000]
    #[arg(long, value_name = "N", conflicts_with = "no_guard")]
    guard_visits: Option<u64>,
    /// Sum visits that take less than this, in nanoseconds [default: 1000]
    #[arg(long, value_name = "NS", conflicts_with = "no_guard")]
    guard_time: Option<u64>,
}

/// What the options, or else the environment, have said.
pub struct Recording {
    filter: Option<PathBuf>,
    /// Metrics next to time.
    metrics: Vec<Metric>,
    /// Variables that say the rest.
    variables: Vec<(&'static str, OsString)>,
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
        check_memory_variables()?;
        check_sample_variable()?;
        let metrics = metrics::requested(|name| match (name, &self.metrics) {
            (METRICS_VARIABLE, Some(list)) => Some(list.clone()),
            _ => text_of(name),
        });
        let metrics =
            metrics.map_err(|error| anyhow!("{}: {error}", self.who_asks_for_metrics()))?;
        let mut variables: Vec<(&'static str, OsString)> =
            self.variables().into_iter().map(|(name, value)| (name, value.into())).collect();
        variables.extend(self.windows()?);
        Ok(Recording { filter, metrics, variables })
    }

    /// The option, or the first of the variables that are set.
    fn who_asks_for_metrics(&self) -> &'static str {
        let set = METRICS_VARIABLES.iter().find(|name| text_of(name).is_some());
        match (&self.metrics, set) {
            (None, Some(name)) => name,
            _ => "--metrics",
        }
    }

    /// The variable that says which part of the run is recorded, checked.
    fn windows(&self) -> Result<Option<(&'static str, OsString)>> {
        if !self.window.is_empty() {
            let text = self.window.join(";");
            Windows::parse(&text).map_err(|error| anyhow!("--window {error}"))?;
            return Ok(Some(("POMPEII_WINDOW", text.into())));
        }
        let text = text_of("POMPEII_WINDOW").unwrap_or_default();
        if self.select.is_none() && !text.is_empty() {
            Windows::parse(&text).map_err(|error| anyhow!("POMPEII_WINDOW: {error}"))?;
            return Ok(None);
        }
        let Some(path) = self.select.clone().or_else(|| path_of(SELECT_VARIABLES)) else {
            return Ok(None);
        };
        let name = || cannot("read the windows of", &path);
        let text = fs::read(&path).with_context(name)?;
        let windows = Windows::parse_selective(&String::from_utf8_lossy(&text));
        windows.map_err(|error| anyhow!(error)).with_context(name)?;
        Ok(Some((SELECT_VARIABLES[0], std::path::absolute(&path)?.into_os_string())))
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let numbers = [
            ("POMPEII_STATISTICS", self.statistics.then_some(1)),
            ("POMPEII_ITERATIONS", self.iterations.then_some(1)),
            ("POMPEII_IO", self.io.then_some(1)),
            ("POMPEII_PTHREADS", self.pthreads.then_some(1)),
            ("POMPEII_LEGACY_RECORDS", self.legacy_records.then_some(1)),
            ("POMPEII_SAMPLE", if self.no_sample { Some(0) } else { self.sample }),
            ("POMPEII_GUARD", self.no_guard.then_some(0)),
            ("POMPEII_GUARD_VISITS", self.guard_visits),
            ("POMPEII_GUARD_TIME", self.guard_time),
            ("POMPEII_TOTAL_MEMORY", self.memory),
        ];
        let said = numbers.into_iter().filter_map(|(name, value)| Some((name, value?.to_string())));
        let mut variables: Vec<(&'static str, String)> = said.collect();
        variables.extend(self.metrics.iter().map(|list| (METRICS_VARIABLE, list.clone())));
        variables.extend(self.mpi_wait.iter().map(|which| ("POMPEII_MPI_WAIT", which.clone())));
        let clock = self.mpi_clock.map(|seconds| ("POMPEII_MPI_CLOCK", seconds.to_string()));
        variables.extend(clock);
        let full = self.memory_full.clone().map(|what| ("POMPEII_MEMORY_FULL", what));
        variables.extend(full);
        variables
    }
}

const METRICS_VARIABLE: &str = METRICS_VARIABLES[0];
const METRICS_VARIABLES: [&str; 3] =
    ["POMPEII_METRICS", "SCOREP_METRIC_PAPI", "SCOREP_METRIC_RUSAGE"];

/// Seconds between two events, a millisecond at least.
fn period(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    let long_enough = |seconds: &f64| (0.001..=1e6).contains(seconds);
    seconds.filter(long_enough).ok_or_else(|| "expected seconds from 0.001 on".to_owned())
}

/// More than a process has addresses for.
const MEMORY_MOST: u64 = 128 << 40;

/// A size as people write it.
fn size(text: &str) -> Result<u64, String> {
    let expected = "expected bytes, with K, M, G or T for 1024 of the unit before, as 256M";
    match pompeii_finish::bytes_of(text) {
        None => Err(expected.to_owned()),
        Some(0) => Err(format!("no trace can be written without memory; {expected}")),
        Some(bytes) if bytes > MEMORY_MOST => {
            Err(format!("no process can have more than 128T; {expected}"))
        }
        Some(bytes) => Ok(bytes),
    }
}

/// The program would go on without a limit where it cannot read one.
fn check_memory_variables() -> Result<()> {
    let names = ["POMPEII_TOTAL_MEMORY", "SCOREP_TOTAL_MEMORY"];
    let set = names.into_iter().find_map(|name| Some((name, text_of(name)?)));
    match set.filter(|(_, text)| !text.is_empty()) {
        Some((name, text)) => size(&text).map(drop).map_err(|why| anyhow!("{name}={text}: {why}")),
        None => Ok(()),
    }
}

/// The program would take no samples where it cannot read how many.
fn check_sample_variable() -> Result<()> {
    let text = text_of("POMPEII_SAMPLE").unwrap_or_default();
    let is_known = |text: &str| text.trim().parse().is_ok_and(|hz: u64| hz <= SAMPLE_HZ_MAX);
    match text.is_empty() || is_known(&text) {
        true => Ok(()),
        false => bail!(
            "POMPEII_SAMPLE={text}: expected samples per second, from 1 to {SAMPLE_HZ_MAX}, or \
             0 for none"
        ),
    }
}

/// A variable that is set, as text.
fn text_of(name: &str) -> Option<String> {
    std::env::var_os(name).map(|text| text.to_string_lossy().into_owned())
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
    let name = || cannot("read the filter", path);
    let text = fs::read(path).with_context(name)?;
    let rules = Filter::parse(&String::from_utf8_lossy(&text));
    rules.map_err(|error| anyhow!(error)).with_context(name)
}

impl Recording {
    /// Whether this machine counts what is asked for.
    ///
    /// # Errors
    /// What it does not, and why.
    pub fn check_counters(&self) -> Result<()> {
        match Counters::open(&self.metrics).1.first() {
            None => Ok(()),
            Some(first) => bail!(
                "cannot count {}: {}; `pompeii doctor` lists what can be counted",
                self.metrics[first.metric].name,
                first.reason()
            ),
        }
    }

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

    /// Keeps what was asked for next to what was measured, as Score-P does.
    pub fn keep(&self, experiment: &Path) {
        if let Some(filter) = &self.filter {
            // The measurement is whole without it.
            let _ = fs::copy(filter, experiment.join(FILTER_COPY));
        }
    }
}
