//! How long programs take on other numbers of threads, predicted by `pompeii whatif --threads` and
//! measured: the programs of `tests/sleeping`, whose bodies sleep and so need no CPUs of their own.
//!
//! `cargo xtask bench threads [tree,flat]`: all programs, or those whose names contain one of
//! these. Each is recorded with 1, 2, 4, 8 and 16 threads. The runs with 1 and with 4 threads
//! predict the wall times of the others. `cargo xtask bench computing [tree,flat]`: the same
//! programs, whose bodies compute, with 1 and 2 threads. That needs two free CPUs: a run whose
//! threads were ready for too long without a CPU is repeated, and compared with nothing if that
//! does not help. Where a prediction is a range, because the runtime library
//! decides by a race, its error is that of the end next to the measured time. `POMPEII_BINARY` is
//! the command line to use. To add a program: its file in `tests/sleeping`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell;

/// What the bodies of the programs do, and what is compared.
struct Bodies {
    /// The name of the benchmark.
    name: &'static str,
    /// A file of `tests/sleeping` that comes before each program.
    include: Option<&'static str>,
    /// The numbers of threads with which each program is recorded.
    measured: &'static [usize],
    /// Those from whose traces the others are predicted.
    from: &'static [usize],
    /// Threads may be ready without a CPU for this share of the CPU allocation time.
    ready_max: f64,
}

const SLEEPING: Bodies = Bodies {
    name: "threads",
    include: None,
    measured: &[1, 2, 4, 8, 16],
    from: &[1, 4],
    ready_max: f64::INFINITY,
};

const COMPUTING: Bodies = Bodies {
    name: "computing",
    include: Some("compute.h"),
    measured: &[1, 2],
    from: &[1, 2],
    ready_max: 0.02,
};

/// How often a run is repeated whose threads had no CPU for too long.
const REPEATED: usize = 5;

/// Bodies that sleep.
pub fn run(only: Option<&str>) -> Result<()> {
    compare(&SLEEPING, only)
}

/// Bodies that compute.
pub fn computing(only: Option<&str>) -> Result<()> {
    compare(&COMPUTING, only)
}

/// Predicts and measures, and prints a table.
fn compare(bodies: &Bodies, only: Option<&str>) -> Result<()> {
    let pompeii = shell::build_pompeii()?;
    let folder = shell::target_folder().join("bench").join(bodies.name);
    let mut errors = Vec::new();
    let mut text = String::new();
    for source in sources(only.unwrap_or_default())? {
        let program = Program { pompeii: &pompeii, folder: &folder, source: &source, bodies };
        for line in program.compare()? {
            text += &line.text();
            errors.extend(line.errors());
        }
    }
    let titles: Vec<String> = bodies.measured.iter().map(|it| format!("{it:>24}")).collect();
    println!("\nwall time in ms: predicted, measured, and the error; threads:");
    println!("{:16}{:>5}{}\n{text}", "program", "from", titles.concat());
    let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
    let largest = errors.iter().copied().fold(0.0, f64::max);
    println!(
        "error of {} predictions that are no bounds: mean {:.1} %, largest {:.1} %",
        errors.len(),
        mean * 100.0,
        largest * 100.0
    );
    println!("(>) at least this time: work is divided evenly without a model");
    println!("(busy) compared with nothing: threads were ready without a CPU for too long");
    println!("again: cargo xtask bench {} {}", bodies.name, only.unwrap_or_default());
    Ok(())
}

/// The programs with one of these parts in their names, between commas.
fn sources(only: &str) -> Result<Vec<PathBuf>> {
    let folder = crate::root().join("tests/sleeping");
    let files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut all = Vec::new();
    for file in files {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_wanted = only.split(',').any(|part| name.contains(part));
        if path.extension().is_some_and(|of| of == "c") && is_wanted {
            all.push(path);
        }
    }
    all.sort();
    ensure!(!all.is_empty(), "no program of tests/sleeping has `{only}` in its name");
    Ok(all)
}

struct Program<'a> {
    pompeii: &'a Path,
    folder: &'a Path,
    source: &'a Path,
    bodies: &'a Bodies,
}

/// What the trace of a run predicts.
struct Line {
    name: String,
    /// Threads of the run.
    from: usize,
    times: Vec<Time>,
}

/// What a run takes.
struct Time {
    threads: usize,
    predicted: Predicted,
    measured_s: f64,
    /// In this run or that which predicts, threads were ready without a CPU for too long.
    is_busy: bool,
}

/// The wall time that is predicted for a number of threads.
#[derive(Clone, Copy)]
struct Predicted {
    least_s: f64,
    most_s: f64,
    /// The run takes at least this time.
    is_bound: bool,
}

impl Program<'_> {
    fn name(&self) -> String {
        self.source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn compare(&self) -> Result<Vec<Line>> {
        let folder = self.folder.join(self.name());
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder)?;
        let program = folder.join("program");
        let mut compile = Command::new(self.pompeii);
        compile.args(["compile", "--quiet", "--loop-chunks", "--", "gcc", "-fopenmp", "-O2"]);
        if let Some(include) = self.bodies.include {
            compile.arg("-include").arg(self.source.with_file_name(include));
        }
        shell::run(compile.arg(self.source).arg("-o").arg(&program))?;
        let mut measured = Vec::new();
        for &threads in self.bodies.measured {
            let is_busy = self.record(&folder, threads)?;
            measured.push((threads, self.predicted(&folder, threads)?.0, is_busy));
        }
        let mut lines = Vec::new();
        for &from in self.bodies.from {
            let (_, predicted) = self.predicted(&folder, from)?;
            let was_busy = measured.iter().any(|(threads, _, busy)| *threads == from && *busy);
            let time = |(predicted, &(threads, measured_s, busy)): (Predicted, &_)| Time {
                threads,
                predicted,
                measured_s,
                is_busy: busy || was_busy,
            };
            let times = predicted.into_iter().zip(&measured).map(time).collect();
            lines.push(Line { name: self.name(), from, times });
        }
        Ok(lines)
    }

    /// Records a run, again if its threads had no CPU for too long. Returns whether they had none.
    fn record(&self, folder: &Path, threads: usize) -> Result<bool> {
        let experiment = folder.join(threads.to_string());
        for _ in 0..REPEATED {
            drop(fs::remove_dir_all(&experiment));
            let mut run = Command::new(self.pompeii);
            run.args(["run", "-q", "--trace", "--iterations", "-o"]);
            run.arg(&experiment).arg("--").arg(folder.join("program"));
            // Threads that wait would otherwise take the CPUs from those that wake up.
            run.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_WAIT_POLICY", "passive");
            shell::run(run.current_dir(folder))?;
            if ready_share(&experiment)? <= self.bodies.ready_max {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The wall time of a run, and what its trace predicts for all numbers of threads.
    fn predicted(&self, folder: &Path, from: usize) -> Result<(f64, Vec<Predicted>)> {
        let list: Vec<String> = self.bodies.measured.iter().map(usize::to_string).collect();
        let mut whatif = Command::new(self.pompeii);
        whatif.arg("whatif").arg(folder.join(from.to_string())).args([
            "--json",
            "--threads",
            &list.join(","),
        ]);
        let result: Value = serde_json::from_str(&shell::output(&mut whatif)?)?;
        let time = |of: &Value, key: &str| {
            of[key].as_f64().with_context(|| format!("whatif --json has no {key}"))
        };
        let mut all = Vec::new();
        for run in result["runs"].as_array().context("whatif --json has no runs")? {
            let (least_s, most_s) = (time(run, "least_wall_s")?, time(run, "wall_s")?);
            all.push(Predicted { least_s, most_s, is_bound: run["is_upper_bound"] == true });
        }
        Ok((time(&result, "wall_s")?, all))
    }
}

/// The share of the CPU allocation time in which threads were ready without a CPU.
fn ready_share(experiment: &Path) -> Result<f64> {
    let path = experiment.join("manifest.json");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let manifest: Value = serde_json::from_str(&text)?;
    let number = |of: &Value, key: &str| {
        of[key].as_f64().with_context(|| format!("{} has no {key}", path.display()))
    };
    let mut ready_ns = 0.0;
    for key in ["ready_computing_ns", "ready_starting_ns", "ready_waiting_ns"] {
        ready_ns += number(&manifest["threads"], key)?;
    }
    Ok(ready_ns / (number(&manifest, "wall_ns")? * number(&manifest, "locations")?))
}

impl Predicted {
    /// By how much it is wrong, as a share of the measured time.
    fn error(&self, measured_s: f64) -> f64 {
        let nearest_s = measured_s.clamp(self.least_s.min(self.most_s), self.most_s);
        (nearest_s - measured_s) / measured_s
    }

    /// In milliseconds.
    fn text(&self) -> String {
        let [least, most] =
            [self.least_s, self.most_s].map(|time_s| format!("{:.0}", time_s * 1e3));
        let range = if least == most { most } else { format!("{least}-{most}") };
        if self.is_bound { format!(">{range}") } else { range }
    }
}

impl Line {
    /// Those of predictions for other runs that are no bounds.
    fn errors(&self) -> impl Iterator<Item = f64> {
        let others = self.times.iter().filter(|time| time.threads != self.from);
        let known = others.filter(|time| !time.predicted.is_bound && !time.is_busy);
        known.map(|time| time.predicted.error(time.measured_s).abs())
    }

    fn text(&self) -> String {
        let cell = |time: &Time| {
            let Time { predicted, measured_s, .. } = time;
            let error = match time.is_busy {
                true => "busy".to_owned(),
                false => format!("{:+.1} %", predicted.error(*measured_s) * 100.0),
            };
            format!(" {:>9} {:6.0} {error:>7}", predicted.text(), measured_s * 1e3)
        };
        let cells: String = self.times.iter().map(cell).collect();
        format!("{:16}{:>5}{cells}\n", self.name, self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_predictions_for_other_runs_have_errors() {
        let one = |time_s, is_bound| Predicted { least_s: time_s, most_s: time_s, is_bound };
        let range = Predicted { least_s: 0.1, most_s: 0.2, is_bound: false };
        let time = |threads, predicted, measured_s| Time {
            threads,
            predicted,
            measured_s,
            is_busy: threads == 32,
        };
        let times = vec![
            time(1, one(1.0, false), 1.0),
            time(2, one(0.6, false), 0.5),
            time(4, one(0.2, false), 0.25),
            time(8, one(0.1, true), 0.2),
            time(16, range, 0.08),
            time(32, one(0.1, false), 0.2),
        ];
        let line = Line { name: "tree".to_owned(), from: 1, times };
        let errors: Vec<String> = line.errors().map(|error| format!("{error:.3}")).collect();
        assert_eq!(errors, ["0.200", "0.200", "0.250"]);
        assert_eq!(range.error(0.15), 0.0);
        let text = line.text();
        assert!(
            text.contains(" >100    200 -50.0 %") && text.contains(" 100-200     80"),
            "{text}"
        );
        assert!(text.ends_with(" 100    200    busy\n"), "{text}");
    }

    #[test]
    fn programs_are_selected_by_parts_of_their_names() {
        let names = |only: &str| sources(only).map(|all| all.len()).unwrap_or(0);
        assert_eq!((names("tree,flat"), names("nosuch")), (2, 0));
        assert!(names("") > 4);
    }
}
