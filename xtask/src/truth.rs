//! `cargo xtask truth [--seed N] [--quick] [--trace] [--json FILE] [--list] [--programs FOLDER]
//! [--lock FILE]... [PROGRAM...]`: the court that judges what Pompeii reports. `--publish FILE...`
//! makes a page of the manual from its values.
//!
//! Each program of `tests/truth` has one thing that makes it slow, and a second build in which this
//! one thing is repaired. Pompeii measures the faulty one; then faulty, repaired and advised builds
//! run without measurement, in alternating pairs. The first finding must name the cause and its
//! line, its gain must be what the repair brings, and following its advice must not make the
//! program slower. `tests/truth/README.md` says how to add a program.
//!
//! Layers: `lists`, `statistics`, `seed`, `family`, `machine` and `distance` know nothing of
//! programs; `header` and `program` read them; `surroundings` and `version` build and start them;
//! `observe` and `pairs` measure; `verdict` and `goals` judge without measuring; `trial`, `row`,
//! `table`, `lanes`, `session`, `quick`, `traced` and `publish` put it together.

#![allow(clippy::disallowed_methods, reason = "the court measures wall time, as benchmarks do")]

mod distance;
mod family;
mod goals;
mod header;
mod lanes;
mod lists;
mod machine;
mod observe;
mod pairs;
mod program;
mod publish;
mod quick;
mod row;
mod seed;
mod session;
pub(crate) mod statistics;
mod surroundings;
mod table;
mod traced;
mod trial;
mod verdict;
mod version;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use self::observe::Tool;
use self::program::Program;
use self::row::Row;
use crate::shell;

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    seed: u64,
    quick: bool,
    trace: bool,
    list: bool,
    json: Option<PathBuf>,
    /// The folder of the programs, if it is not that of the project.
    folder: Option<PathBuf>,
    /// Files whose locks are held while a row is measured.
    locks: Vec<PathBuf>,
    programs: Vec<String>,
}

/// Tries the programs that are named, or all.
pub fn run(words: &[String]) -> Result<ExitCode> {
    if let Some(("--publish", files)) = words.split_first().map(|(word, rest)| (&**word, rest)) {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        publish::publish(&files, &crate::root())?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(words)?;
    let programs = options.folder.clone().unwrap_or_else(program::folder);
    let programs = chosen(Program::all(&programs)?, &options.programs)?;
    if options.list {
        list(&programs);
        return Ok(ExitCode::SUCCESS);
    }
    let tool = Tool::new(&shell::build_pompeii()?)?;
    let folder = std::path::absolute(shell::target_folder().join("truth"))?;
    let folder = folder.join(format!("seed-{}", options.seed));
    if options.trace {
        return traced::session(&Row::of(&programs), &tool, options.seed, &folder);
    }
    if options.quick {
        for row in Row::of(&programs) {
            if let Err(error) = quick::look(&row, &tool, options.seed, &folder) {
                println!("  FAILED: {error:#}");
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    session::session(&Row::of(&programs), &tool, &options, &folder)
}

impl Options {
    fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self { seed: 1, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => options.quick = true,
                "--trace" => options.trace = true,
                "--list" => options.list = true,
                "--seed" => {
                    let seed = words.next().context("--seed needs a number")?;
                    options.seed = seed.parse().with_context(|| format!("--seed {seed}"))?;
                }
                "--json" => {
                    options.json = Some(words.next().context("--json needs a file")?.into())
                }
                "--programs" => {
                    options.folder = Some(words.next().context("--programs needs a folder")?.into())
                }
                "--lock" => options.locks.push(words.next().context("--lock needs a file")?.into()),
                option if option.starts_with('-') => bail!(
                    "no option `{option}`; options are --seed N, --quick, --trace, --list, --json FILE, \
                     --programs FOLDER, --lock FILE"
                ),
                name => options.programs.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// The programs of these names; a name that none has stands for all that have it inside.
fn chosen(programs: Vec<Program>, names: &[String]) -> Result<Vec<Program>> {
    for name in names {
        let known = programs.iter().any(|program| program.name.contains(name.as_str()));
        ensure!(known, "no program's name contains `{name}`; --list has all");
    }
    let is_exact = |name: &String| programs.iter().any(|program| program.name == *name);
    let (exact, parts): (Vec<_>, Vec<_>) = names.iter().partition(|name| is_exact(name));
    let is_wanted = |program: &Program| {
        names.is_empty()
            || exact.contains(&&program.name)
            || parts.iter().any(|part| program.name.contains(part.as_str()))
    };
    let keep: Vec<bool> = programs.iter().map(is_wanted).collect();
    Ok(programs
        .into_iter()
        .zip(keep)
        .filter_map(|(program, keep)| keep.then_some(program))
        .collect())
}

fn list(programs: &[Program]) {
    lists::print("causes (`cause` of a finding)", &lists::causes());
    lists::print("\nkinds of advice (`advice.kind` of a finding)", &lists::advice());
    println!("\nprograms, their causes, where, and the advice that repairs them");
    for program in programs {
        let header = &program.header;
        let at = program.at.as_ref().map_or("-".to_owned(), ToString::to_string);
        let advice =
            header.advice.iter().map(|(kind, set)| format!("{kind} -> {}", table::shown(set)));
        let advice = advice.collect::<Vec<_>>().join("; ");
        let advice = if advice.is_empty() { lists::NO_ADVICE } else { &advice };
        println!("  {:32} {:24} {at:32} {advice}", program.name, header.cause);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn options_are_read() {
        let parse =
            |text: &str| Options::parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let options = parse("--seed 7 critical --quick lock").unwrap();
        assert_eq!((options.seed, options.quick), (7, true));
        assert_eq!(options.programs, ["critical", "lock"]);
        assert!(parse("--seed soon").is_err() && parse("--sed 7").is_err());
        assert_eq!(parse("x").unwrap().seed, 1);
        assert_eq!(parse("x").unwrap().folder, None);
        assert_eq!(parse("x --programs f").unwrap().folder, Some("f".into()));
        assert!(parse("--programs").is_err());
        assert_eq!(parse("--lock a --lock b").unwrap().locks, [Path::new("a"), Path::new("b")]);
    }

    #[test]
    fn a_whole_name_means_one_program() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let programs = Program::all(&program::folder()).unwrap();
            let programs = chosen(programs, &words)?;
            anyhow::Ok(programs.into_iter().map(|program| program.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["critical"]).unwrap(), ["critical"]);
        assert!(names(&["critical_"]).unwrap().len() > 1);
        assert!(names(&["no such program"]).is_err());
        assert!(names(&[]).unwrap().len() > 1);
    }
}
