//! How long programs take on other numbers of threads, predicted by `pompeii whatif --threads` and
//! measured: the programs of `tests/sleeping`, whose bodies sleep and so need no CPUs of their own.
//!
//! `cargo xtask bench threads [tree,flat]`: all programs, or those whose names contain one of
//! these. Each is recorded with 1, 2, 4, 8 and 16 threads. The runs with 1 and with 4 threads
//! predict the wall times of the others. `POMPEII_BINARY` names the command line to use. To add a
//! program: its file in `tests/sleeping`.

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
    /// Predicted and measured time in seconds, and whether the prediction is a bound.
    times: Vec<(f64, f64, bool)>,
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
            let times = times.map(|((time, is_bound), measured)| (time, *measured, is_bound));
            lines.push(Line { name: self.name(), from, times: times.collect() });
        }
        Ok(lines)
    }

    /// The wall time of a run, and what its trace predicts for all numbers of threads, with whether
    /// this is a bound.
    fn predicted(&self, folder: &Path, from: usize) -> Result<(f64, Vec<(f64, bool)>)> {
        let list = MEASURED.map(|threads| threads.to_string()).join(",");
        let mut whatif = Command::new(self.pompeii);
        whatif.arg("whatif").arg(folder.join(from.to_string())).args([
            "--json",
            "--threads",
            &list,
        ]);
        let result: Value = serde_json::from_str(&shell::output(&mut whatif)?)?;
        let time = |of: &Value| of["wall_s"].as_f64().context("whatif --json has no wall_s");
        let mut all = Vec::new();
        for run in result["runs"].as_array().context("whatif --json has no runs")? {
            all.push((time(run)?, run["is_upper_bound"] == true));
        }
        Ok((time(&result)?, all))
    }
}

/// By how much a prediction is wrong, as a share of the measured time.
fn error(predicted: f64, measured: f64) -> f64 {
    (predicted - measured) / measured
}

impl Line {
    /// Those of predictions for other runs that are no bounds.
    fn errors(&self) -> impl Iterator<Item = f64> {
        let others = MEASURED.iter().zip(&self.times).filter(|(threads, _)| **threads != self.from);
        others.filter(|(_, (.., is_bound))| !is_bound).map(|(_, of)| error(of.0, of.1).abs())
    }

    fn text(&self) -> String {
        let cell = |&(predicted, measured, is_bound): &(f64, f64, bool)| {
            let sign = if is_bound { ">" } else { " " };
            let error = error(predicted, measured) * 100.0;
            let (predicted, measured) = (predicted * 1e3, measured * 1e3);
            format!(" {sign}{predicted:6.0} {measured:6.0} {error:+6.1} %")
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
        let times = vec![(1.0, 1.0, false), (0.6, 0.5, false), (0.2, 0.25, false)];
        let times = [times, vec![(0.1, 0.2, true), (0.1, 0.1, false)]].concat();
        let line = Line { name: "tree".to_owned(), from: 1, times };
        let errors: Vec<f64> = line.errors().collect();
        assert_eq!(errors.len(), 3);
        assert!((errors[0] - 0.2).abs() < 1e-9 && (errors[1] - 0.2).abs() < 1e-9);
        assert!(line.text().contains(">   100    200  -50.0 %"), "{}", line.text());
    }

    #[test]
    fn programs_are_selected_by_parts_of_their_names() {
        let names = |only: &str| sources(only).map(|all| all.len()).unwrap_or(0);
        assert_eq!((names("tree,flat"), names("nosuch")), (2, 0));
        assert!(names("") > 4);
    }
}
