//! The text format of an expectation: header lines and one row per region and pair of counts.
//!
//! A side file, because a comment in the program would move the lines that it speaks of, and some
//! programs are about their exact layout.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use pompeii_model::Role;

/// Constructs whose kind is the whole directive: `teams_distribute_parallel_for`.
const WHOLE_DIRECTIVES: [&str; 3] = ["teams", "distribute", "target"];

/// Which OpenMP runtime library a program is linked with. Where a task may be deferred but need
/// not be, the two decide differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runtime {
    Gnu,
    Llvm,
}

/// A region as the report knows it: its kind and where it stands (`FILE:LINE`, empty for locks).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) place: String,
    pub(super) kind: String,
}

/// How often a region is entered, summed over all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// A race decides.
    Any,
    Exactly(u64),
}

impl Count {
    fn parse(text: &str) -> Result<Self> {
        match text {
            "*" => Ok(Self::Any),
            _ => Ok(Self::Exactly(text.parse().with_context(|| format!("`{text}`: no count"))?)),
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exactly(a), Self::Exactly(b)) => Self::Exactly(a + b),
            _ => Self::Any,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PerRuntime {
    gnu: Count,
    llvm: Count,
}

impl PerRuntime {
    /// `3`, `*`, or `3/0`: with GNU's runtime and with LLVM's.
    fn parse(text: &str) -> Result<Self> {
        let (gnu, llvm) = text.split_once('/').unwrap_or((text, text));
        Ok(Self { gnu: Count::parse(gnu)?, llvm: Count::parse(llvm)? })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Row {
    site: Site,
    with_1_thread: PerRuntime,
    with_4_threads: PerRuntime,
}

/// What a program is expected to do, and what it needs for it.
#[derive(Debug, Default)]
pub(super) struct Expectation {
    /// `key: value` lines in their order.
    headers: Vec<(String, String)>,
    rows: Vec<Row>,
}

impl Expectation {
    /// `main_file` is the file that a row with a bare line number speaks of.
    pub(super) fn parse(text: &str, main_file: &str) -> Result<Self> {
        let mut expectation = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let Some(first) = line.split_whitespace().next() else { continue };
            if let Some(key) = first.strip_suffix(':') {
                let value = line[first.len()..].trim().to_owned();
                expectation.headers.push((key.to_owned(), value));
            } else {
                let row = parse_row(line, main_file);
                expectation.rows.push(row.with_context(|| format!("line {}", number + 1))?);
            }
        }
        Ok(expectation)
    }

    pub(super) fn header(&self, key: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn header_keys(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().map(|(name, _)| name.as_str())
    }

    /// The visits to expect. Rows of one site add up: a combined construct has two implicit
    /// barriers at its end, and the file has a row for each.
    ///
    /// # Panics
    /// Where `threads` is neither 1 nor 4: nobody has counted those.
    pub(super) fn visits(&self, threads: usize, runtime: Runtime) -> BTreeMap<Site, Count> {
        let mut visits = BTreeMap::new();
        for row in &self.rows {
            let counts = match threads {
                1 => row.with_1_thread,
                4 => row.with_4_threads,
                _ => unreachable!("expectations are for 1 and 4 threads"),
            };
            let count = match runtime {
                Runtime::Gnu => counts.gnu,
                Runtime::Llvm => counts.llvm,
            };
            let sum = visits.entry(row.site.clone()).or_insert(Count::Exactly(0));
            *sum = sum.plus(count);
        }
        visits
    }

    #[cfg(test)]
    pub(super) fn sites(&self) -> impl Iterator<Item = &Site> {
        self.rows.iter().map(|row| &row.site)
    }
}

fn parse_row(line: &str, main_file: &str) -> Result<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[kind, place, with_1_thread, with_4_threads] = words.as_slice() else {
        bail!("`{line}`: expected KIND LINE VISITS_AT_1_THREAD VISITS_AT_4_THREADS");
    };
    ensure!(is_known(kind), "`{kind}` is no kind of region");
    let place = match place {
        "0" => String::new(),
        _ if place.contains(':') => place.to_owned(),
        _ => format!("{main_file}:{place}"),
    };
    Ok(Row {
        site: Site { place, kind: kind.to_owned() },
        with_1_thread: PerRuntime::parse(with_1_thread)?,
        with_4_threads: PerRuntime::parse(with_4_threads)?,
    })
}

/// Whether a row may name such a region: what the names of constructs begin with, `_` for blanks.
/// User regions are `region:NAME`, functions `function:NAME`.
fn is_known(kind: &str) -> bool {
    let construct = kind.split('_').next().unwrap_or_default();
    let is_lock_routine = construct == "omp" && kind.contains("_lock");
    let is_named = kind.starts_with("region:") || kind.starts_with("function:");
    let mut names = Role::ALL.iter().flat_map(|role| role.names());
    let is_construct = names.any(|name| name.replace(' ', "_") == kind);
    is_named || is_lock_routine || is_construct || WHOLE_DIRECTIVES.contains(&construct)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, threads: usize, runtime: Runtime, expected: &str) {
        let expectation = Expectation::parse(text, "x.c").unwrap();
        let lines: Vec<String> = expectation
            .visits(threads, runtime)
            .iter()
            .map(|(site, count)| format!("{} {} {count:?}", site.kind, site.place))
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    const TEXT: &str = "\
flags: -std=c11 -O2
# A comment.
implicit_barrier  9   1  4  # of for
implicit_barrier  9   1  4  # of parallel
task              7 3/0  3
critical       h.h:2  *  4
omp_set_lock      0   2  2
region:init       5   1  1
";

    #[test]
    fn rows_of_one_site_add_up() {
        check(
            TEXT,
            4,
            Runtime::Gnu,
            "omp_set_lock  Exactly(2)\ncritical h.h:2 Exactly(4)\nregion:init x.c:5 Exactly(1)\n\
             task x.c:7 Exactly(3)\nimplicit_barrier x.c:9 Exactly(8)",
        );
    }

    #[test]
    fn runtimes_may_differ() {
        check(
            TEXT,
            1,
            Runtime::Llvm,
            "omp_set_lock  Exactly(2)\ncritical h.h:2 Any\nregion:init x.c:5 Exactly(1)\n\
             task x.c:7 Exactly(0)\nimplicit_barrier x.c:9 Exactly(2)",
        );
    }

    #[test]
    fn headers_are_kept_as_text() {
        let expectation = Expectation::parse(TEXT, "x.c").unwrap();
        assert_eq!(expectation.header("flags"), Some("-std=c11 -O2"));
        assert_eq!(expectation.header("exit"), None);
    }

    #[test]
    fn constructs_are_known_by_their_names() {
        for kind in ["do", "create_task", "single_sblock", "cancellation_point", "teams_loop"] {
            assert!(is_known(kind), "{kind}");
        }
        assert!(!is_known("task_create") && !is_known("") && !is_known("lock"));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text| format!("{:#}", Expectation::parse(text, "x.c").unwrap_err());
        assert_eq!(message("\nparalel 3 1 4"), "line 2: `paralel` is no kind of region");
        assert!(message("parallel 3 1").starts_with("line 1: `parallel 3 1`: expected KIND"));
        assert!(message("parallel 3 1 four").starts_with("line 1: `four`: no count"));
    }
}
