//! The head of a program: the comment that it begins with says in `key: value` lines what is wrong
//! with it, what repairs it, and what the seed may choose (`tests/truth/README.md`).

use anyhow::{Context, Result, bail, ensure};

use super::lists;
use super::seed::Stream;

/// What a line of a head may begin with; another word before a colon is an error.
const KEYS: [&str; 17] = [
    "cause",
    "advice",
    "body",
    "threads",
    "ranks",
    "vary",
    "with",
    "plain",
    "instrument",
    "run",
    "environment",
    "faulty",
    "repaired",
    "surroundings",
    "needs",
    "mpi-wait",
    "reference",
];

/// What a program's head says.
#[derive(Debug, Clone, Default)]
pub(super) struct Header {
    /// A code of the closed list.
    pub(super) cause: String,
    /// Each kind of advice that repairs the program, with what is set for it.
    pub(super) advice: Vec<(String, Vec<Setting>)>,
    /// Threads compute, so they need a CPU each; otherwise they sleep.
    pub(super) computes: bool,
    /// Numbers of threads that the seed chooses from.
    pub(super) threads: Vec<u64>,
    /// Numbers of ranks; none: the program does not use MPI.
    pub(super) ranks: Vec<u64>,
    vary: Vec<(String, Range)>,
    /// Further sources, measured like the first.
    pub(super) with: Vec<String>,
    /// Further sources that are not measured: other people's libraries.
    pub(super) plain: Vec<String>,
    /// Options of `pompeii compile`.
    pub(super) instrument: Vec<String>,
    /// Options of `pompeii run`.
    pub(super) run: Vec<String>,
    /// For all versions.
    pub(super) environment: Vec<Setting>,
    /// For the faulty version, and for the advised one.
    pub(super) faulty: Vec<Setting>,
    /// For the repaired version.
    pub(super) repaired: Vec<Setting>,
    /// What is around the faulty version and the advised one.
    pub(super) surroundings: Surroundings,
    /// What the machine must have.
    pub(super) needs: Vec<Need>,
    /// Also a row of its own without `--mpi-wait`.
    pub(super) also_without_wait: bool,
    /// `run` needs `--reference 1` to see this.
    pub(super) reference: bool,
}

/// Something that is set for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Setting {
    /// An argument of the compiler, `-DMERGED`.
    Argument(String),
    /// A variable of the environment.
    Variable(String, String),
}

/// Which values the seed may give to a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Range {
    Numbers(u64, u64),
    Thread,
    Rank,
}

/// What the court puts around a program, so that it is late by no fault of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Surroundings {
    #[default]
    Nothing,
    /// So many other processes compute.
    Neighbours(u64),
    /// So many percent of one CPU.
    Quota(u64),
}

/// What a machine may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Cpus(u64),
    NumaNodes(u64),
    Counters,
}

impl Header {
    /// Reads the comment that `text` begins with.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut header = Self { threads: vec![1], ..Self::default() };
        let (mut cause, mut advice, mut body) = (false, false, false);
        for line in text.lines().map_while(comment) {
            let Some((key, value)) = key_and_value(line) else { continue };
            ensure!(KEYS.contains(&key), "unknown key `{key}` in the head of the program");
            header.set(key, value).with_context(|| line.to_owned())?;
            cause |= key == "cause";
            advice |= key == "advice";
            body |= key == "body";
        }
        ensure!(cause && advice && body, "a head needs cause:, advice: and body:");
        ensure!(!header.threads.contains(&0), "no threads");
        Ok(header)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let words = || value.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match key {
            "cause" => {
                ensure!(lists::has(&lists::causes(), value), "no cause `{value}` in the list");
                value.clone_into(&mut self.cause);
            }
            "advice" => self.advice.extend(advice(value)?),
            "body" => self.computes = one_of(value, ["sleeps", "computes"])? == "computes",
            "threads" => self.threads = numbers(value)?,
            "ranks" => self.ranks = numbers(value)?,
            "vary" => self.vary.extend(vary(value)?),
            "with" => self.with = words(),
            "plain" => self.plain = words(),
            "instrument" => self.instrument = words(),
            "run" => self.run = words(),
            "environment" => self.environment = settings(value)?,
            "faulty" => self.faulty = settings(value)?,
            "repaired" => self.repaired = settings(value)?,
            "surroundings" => self.surroundings = surroundings(value)?,
            "needs" => self.needs.push(need(value)?),
            "mpi-wait" => self.also_without_wait = one_of(value, ["both"])? == "both",
            _ => self.reference = one_of(value, ["1"])? == "1",
        }
        Ok(())
    }

    /// What is set for a kind of advice; `None` where the head does not have this kind.
    pub(super) fn settings_for(&self, kind: &str) -> Option<&[Setting]> {
        let found = self.advice.iter().find(|(known, _)| known == kind);
        found.map(|(_, settings)| settings.as_slice())
    }

    /// Whether the program is good as it is.
    pub(super) fn is_good(&self) -> bool {
        self.cause == lists::NO_CAUSE
    }

    /// Macros with the values that the seed gives them, and the numbers of threads and ranks.
    pub(super) fn choose(&self, stream: &mut Stream) -> Chosen {
        let threads = stream.one_of(&self.threads);
        let ranks = if self.ranks.is_empty() { 0 } else { stream.one_of(&self.ranks) };
        let mut macros = vec![("THREADS".to_owned(), threads), ("RANKS".to_owned(), ranks.max(1))];
        for (name, range) in &self.vary {
            let value = match range {
                Range::Numbers(low, high) => stream.between(*low, *high),
                Range::Thread => stream.between(0, threads - 1),
                Range::Rank => stream.between(0, ranks.max(1) - 1),
            };
            macros.push((name.clone(), value));
        }
        Chosen { threads, ranks, macros }
    }
}

/// What a seed has chosen for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) threads: u64,
    /// 0: the program does not use MPI.
    pub(super) ranks: u64,
    pub(super) macros: Vec<(String, u64)>,
}

/// The text of a line that is a comment in C, C++ or free-form Fortran.
fn comment(line: &str) -> Option<&str> {
    let text = line.strip_prefix("//").or_else(|| line.strip_prefix('!'))?;
    (!text.starts_with('$')).then(|| text.trim())
}

fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let is_key = key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then(|| (key, value.trim()))
}

fn one_of<'a, const N: usize>(value: &'a str, known: [&str; N]) -> Result<&'a str> {
    ensure!(known.contains(&value), "expected {}, found `{value}`", known.join(" or "));
    Ok(value)
}

fn numbers(text: &str) -> Result<Vec<u64>> {
    text.split_whitespace().map(|word| word.parse().with_context(|| word.to_owned())).collect()
}

/// `none`, or `KIND -> SETTING...`.
fn advice(text: &str) -> Result<Option<(String, Vec<Setting>)>> {
    if text == lists::NO_ADVICE {
        return Ok(None);
    }
    let (kind, set) = text.split_once(" -> ").context("expected `KIND -> SETTING...` or none")?;
    ensure!(lists::has(&lists::advice(), kind), "no advice `{kind}` in the list");
    Ok(Some((kind.to_owned(), settings(set)?)))
}

fn settings(text: &str) -> Result<Vec<Setting>> {
    text.split_whitespace()
        .map(|word| match word.split_once('=') {
            _ if word.starts_with("-D") => Ok(Setting::Argument(word.to_owned())),
            Some((name, value)) => Ok(Setting::Variable(name.to_owned(), value.to_owned())),
            None => bail!("expected -DNAME or NAME=VALUE, found `{word}`"),
        })
        .collect()
}

fn vary(text: &str) -> Result<Vec<(String, Range)>> {
    text.split_whitespace()
        .map(|word| {
            let (name, range) = word.split_once('=').context("expected NAME=RANGE")?;
            let range = match (range, range.split_once("..")) {
                ("thread", _) => Range::Thread,
                ("rank", _) => Range::Rank,
                (_, Some((low, high))) => Range::Numbers(low.parse()?, high.parse()?),
                _ => bail!("expected thread, rank or LOW..HIGH, found `{range}`"),
            };
            Ok((name.to_owned(), range))
        })
        .collect()
}

fn surroundings(text: &str) -> Result<Surroundings> {
    match text.split_once(' ') {
        Some(("neighbours", number)) => Ok(Surroundings::Neighbours(number.parse()?)),
        Some(("quota", percent)) => Ok(Surroundings::Quota(percent.parse()?)),
        _ => bail!("expected `neighbours N` or `quota PERCENT`"),
    }
}

fn need(text: &str) -> Result<Need> {
    match text.split_once(' ') {
        None if text == "counters" => Ok(Need::Counters),
        Some(("cpus", number)) => Ok(Need::Cpus(number.parse()?)),
        Some(("numa", number)) => Ok(Need::NumaNodes(number.parse()?)),
        _ => bail!("expected `cpus N`, `numa N` or counters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\
// What it does: nothing.
// cause: imbalance_steady
// advice: schedule -> OMP_SCHEDULE={value}
// advice: merge -> -DMERGED -DX=2
// body: sleeps
// threads: 3 8
// vary: LATE=thread ROUNDS=10..12
// surroundings: neighbours 1
// run: --io --pthreads
#include \"truth.h\"
// cause: lock
";

    #[test]
    fn a_head_is_read_to_its_end() {
        let header = Header::parse(HEAD).unwrap();
        assert_eq!(header.cause, "imbalance_steady");
        assert!(!header.computes && header.threads == [3, 8] && header.ranks.is_empty());
        let variable = Setting::Variable("OMP_SCHEDULE".into(), "{value}".into());
        assert_eq!(header.settings_for("schedule"), Some(&[variable][..]));
        let arguments = ["-DMERGED", "-DX=2"].map(|word| Setting::Argument(word.into()));
        assert_eq!(header.settings_for("merge"), Some(&arguments[..]));
        assert_eq!(header.settings_for("nowait"), None);
        assert_eq!(header.run, ["--io", "--pthreads"]);
        assert_eq!(header.surroundings, Surroundings::Neighbours(1));
    }

    #[test]
    fn a_seed_chooses_within_the_head() {
        let header = Header::parse(HEAD).unwrap();
        for seed in 0..50 {
            let chosen = header.choose(&mut Stream::new(seed, "x"));
            let value = |name: &str| chosen.macros.iter().find(|(n, _)| n == name).unwrap().1;
            assert!(value("THREADS") == chosen.threads && header.threads.contains(&chosen.threads));
            assert!(value("LATE") < chosen.threads && (10..=12).contains(&value("ROUNDS")));
        }
    }

    #[test]
    fn slips_are_errors() {
        let message = |text: &str| format!("{:#}", Header::parse(text).unwrap_err());
        let good = "! cause: none\n! advice: none\n! body: computes\n";
        assert!(Header::parse(good).unwrap().is_good());
        assert_eq!(
            message("// cause: bad luck\n"),
            "cause: bad luck: no cause `bad luck` in the list"
        );
        assert!(message(&format!("{good}! advise: none\n")).contains("unknown key `advise`"));
        assert!(message("// cause: lock\n").contains("needs cause:, advice: and body:"));
        assert!(message(&format!("{good}! advice: pray -> X=1\n")).contains("no advice `pray`"));
        assert!(message(&format!("{good}! vary: X=soon\n")).contains("expected thread, rank"));
    }
}
