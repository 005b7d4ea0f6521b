//! How long programs take on other numbers of threads, predicted by `pompeii whatif --threads` and
//! measured: the programs of `tests/sleeping`, whose bodies sleep and so need no CPUs of their own.
//!
//! `cargo xtask bench threads [tree,flat]`: all programs, or those whose names contain one of
//! these. Each is recorded with 1, 2, 4, 8 and 16 threads. The runs with 1 and with 4 threads
//! predict the wall times of the others. Where a prediction is a range, because the runtime library
//! decides by a race, its error is that of the end next to the measured time. `POMPEII_BINARY` is
//! the command line to use. To add a program: its file in `tests/sleeping`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell;

/// The numbers of threads with which each program is recorded.
const MEASURED: [usize; 5] = [1, 2, 4, 8, 16];
/// Those from whose traces the others are predicted.
const FROM: [usize; 2] = [1, 4];

/// Predicts and measures, and prints a table.
pub fn run(only: Option<&str>) -> Result<()> {
    let pompeii = shell::build_pompeii()?;
    let folder = shell::target_folder().join("bench/threads");
    let mut errors = Vec::new();
    let mut text = String::new();
    for source in sources(only.unwrap_or_default())? {
        let program = Program { pompeii: &pompeii, folder: &folder, source: &source };
        for line in program.compare()? {
            text += &line.text();
            errors.extend(line.errors());
        }
    }
    let titles = MEASURED.map(|threads| format!("{threads:>24}"));
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
    println!("again: cargo xtask bench threads {}", only.unwrap_or_default());
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
}

/// What the trace of a run predicts.
struct Line {
    name: String,
    /// Threads of the run.
    from: usize,
    /// What is predicted, and the measured time in seconds.
    times: Vec<(Predicted, f64)>,
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
        shell::run(compile.arg(self.source).arg("-o").arg(&program))?;
        for threads in MEASURED {
            let mut run = Command::new(self.pompeii);
            run.args(["run", "-q", "--trace", "--iterations", "-o"]);
            run.arg(folder.join(threads.to_string())).arg("--").arg(&program);
            // Threads that wait would otherwise take the CPUs from those that wake up.
            run.env("OMP_NUM_THREADS", threads.to_string()).env("OMP_WAIT_POLICY", "passive");
            shell::run(run.current_dir(&folder))?;
        }
        let mut measured = Vec::new();
        for threads in MEASURED {
            measured.push(self.predicted(&folder, threads)?.0);
        }
        let mut lines = Vec::new();
        for from in FROM {
            let (_, predicted) = self.predicted(&folder, from)?;
            let times = predicted.into_iter().zip(&measured);
            let times = times.map(|(predicted, measured)| (predicted, *measured)).collect();
            lines.push(Line { name: self.name(), from, times });
        }
        Ok(lines)
    }

    /// The wall time of a run, and what its trace predicts for all numbers of threads.
    fn predicted(&self, folder: &Path, from: usize) -> Result<(f64, Vec<Predicted>)> {
        let list = MEASURED.map(|threads| threads.to_string()).join(",");
        let mut whatif = Command::new(self.pompeii);
        whatif.arg("whatif").arg(folder.join(from.to_string())).args([
            "--json",
            "--threads",
            &list,
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
        let others = MEASURED.iter().zip(&self.times).filter(|(threads, _)| **threads != self.from);
        let known = others.filter(|(_, (predicted, _))| !predicted.is_bound);
        known.map(|(_, (predicted, measured_s))| predicted.error(*measured_s).abs())
    }

    fn text(&self) -> String {
        let cell = |(predicted, measured_s): &(Predicted, f64)| {
            let (range, error) = (predicted.text(), predicted.error(*measured_s) * 100.0);
            format!(" {range:>9} {:6.0} {error:+5.1} %", measured_s * 1e3)
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
        let times = vec![
            (one(1.0, false), 1.0),
            (one(0.6, false), 0.5),
            (one(0.2, false), 0.25),
            (one(0.1, true), 0.2),
            (range, 0.08),
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
    }

    #[test]
    fn programs_are_selected_by_parts_of_their_names() {
        let names = |only: &str| sources(only).map(|all| all.len()).unwrap_or(0);
        assert_eq!((names("tree,flat"), names("nosuch")), (2, 0));
        assert!(names("") > 4);
    }
}
