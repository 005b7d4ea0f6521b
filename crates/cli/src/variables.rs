//! The environment variables of Pompeii, and those of Score-P that are read where ours are unset.
//!
//! To add a variable: a line in [`VARIABLES`] and its row in the manual's table; a test compares
//! both with the names in the crates. Variables of Score-P that cannot be followed are in
//! [`UNSUPPORTED`], each with what to do instead.

use std::ffi::OsString;
use std::path::PathBuf;

use pompeii_finish::{MANIFEST_FILE, quoted};
use pompeii_report::distance;

use crate::output::say;

/// A variable of ours.
struct Variable {
    name: &'static str,
    /// The variables of Score-P with the same meaning.
    scorep: &'static [&'static str],
}

const fn variable(name: &'static str, scorep: &'static [&'static str]) -> Variable {
    Variable { name, scorep }
}

/// All variables that some part of Pompeii reads.
const VARIABLES: &[Variable] = &[
    variable("POMPEII_EXPERIMENT", &["SCOREP_EXPERIMENT_DIRECTORY"]),
    variable("POMPEII_REPLACE", &["SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"]),
    variable("POMPEII_TRACE", &["SCOREP_ENABLE_TRACING"]),
    variable("POMPEII_FILTER", &["SCOREP_FILTERING_FILE"]),
    variable("POMPEII_WINDOW", &[]),
    variable("POMPEII_SELECT", &["SCOREP_SELECTIVE_CONFIG_FILE"]),
    variable("POMPEII_GUARD", &[]),
    variable("POMPEII_GUARD_VISITS", &[]),
    variable("POMPEII_GUARD_TIME", &[]),
    variable("POMPEII_SUMMARY_ONLY", &[]),
    variable("POMPEII_READY", &[]),
    variable("POMPEII_TIMED_UNDEFERRED", &[]),
    variable("POMPEII_FOLLOW_FORKS", &[]),
    variable("POMPEII_STATISTICS", &[]),
    variable("POMPEII_ITERATIONS", &[]),
    variable("POMPEII_SAMPLE", &[]),
    variable("POMPEII_IO", &[]),
    variable("POMPEII_PTHREADS", &[]),
    variable("POMPEII_PROGRAM", &[]),
    variable("POMPEII_MPI_WAIT", &[]),
    variable("POMPEII_MPI_CLOCK", &[]),
    variable("POMPEII_LEGACY_RECORDS", &[]),
    variable(
        "POMPEII_METRICS",
        &["SCOREP_METRIC_PAPI", "SCOREP_METRIC_PAPI_SEP", "SCOREP_METRIC_RUSAGE"],
    ),
    variable("POMPEII_TOTAL_MEMORY", &["SCOREP_TOTAL_MEMORY"]),
    variable("POMPEII_MEMORY_FULL", &[]),
    variable("POMPEII_ENABLE", &[]),
    variable("POMPEII_QUIET", &[]),
    variable("POMPEII_LIVE_DIR", &[]),
    variable("POMPEII_TIMER", &["SCOREP_TIMER"]),
    variable("POMPEII_INSTRUMENT", &[]),
    variable("POMPEII_WRAPPER", &["SCOREP_WRAPPER"]),
    variable("POMPEII_HOME", &[]),
];

/// Variables of Score-P that are not followed: what is so instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("SCOREP_ENABLE_PROFILING", "the profile is always written; it costs next to nothing"),
    ("SCOREP_ENABLE_UNWINDING", "`run --sample HZ` finds functions that are not instrumented"),
    ("SCOREP_VERBOSE", "`pompeii doctor` and the summary of `run` say what there is to say"),
    ("SCOREP_PAGE_SIZE", "pages are those of the system"),
    ("SCOREP_MACHINE_NAME", "the host's own name is written"),
    ("SCOREP_EXECUTABLE", "the program is found without it"),
    ("SCOREP_METRIC_PLUGINS", "there are no plug-ins"),
    ("SCOREP_MPI_ENABLE_GROUPS", "all functions of MPI are observed"),
    ("SCOREP_MPI_MAX_COMMUNICATORS", "there is room for some 30000 at a time"),
    ("SCOREP_PROFILING_MAX_CALLPATH_DEPTH", "call paths have no limit"),
    ("SCOREP_PROFILING_BASE_NAME", "the profile is profile.cubex"),
    ("SCOREP_PROFILING_FORMAT", "the profile is a Cube report"),
    ("SCOREP_PROFILING_ENABLE_CORE_FILES", "there are none"),
    ("SCOREP_TRACING_USE_SION", "traces are files of their own"),
    ("SCOREP_IO_POSIX", "`run --io` observes functions that read and write files"),
    ("SCOREP_MEMORY_RECORDING", "memory is not observed"),
    ("SCOREP_OPENMP_TARGET_ENABLE", "target constructs are seen from the host only"),
    ("SCOREP_LIBWRAP_ENABLE", "libraries are not wrapped"),
];

/// The variables that ask `run` to rename an existing experiment.
pub const REPLACE: &[&str] = &["POMPEII_REPLACE", "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"];

/// Whether the first of these variables that is set says yes, in Score-P's words for that.
pub fn says_yes(names: &[&str]) -> bool {
    let value = names.iter().find_map(std::env::var_os).unwrap_or_default();
    let value = value.to_string_lossy().trim().to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on") || value.parse().is_ok_and(|n: u64| n > 0)
}

/// The experiment directory that the environment names. Ours is also how a run tells its programs
/// where they are measured: one that exists and has no manifest yet is that of a run around.
pub fn experiment() -> Option<PathBuf> {
    let ours = std::env::var_os("POMPEII_EXPERIMENT").filter(|name| !name.is_empty());
    match ours.map(PathBuf::from) {
        Some(folder) if folder.exists() && !folder.join(MANIFEST_FILE).exists() => None,
        Some(folder) => Some(folder),
        None => {
            let theirs = std::env::var_os("SCOREP_EXPERIMENT_DIRECTORY");
            theirs.filter(|name| !name.is_empty()).map(PathBuf::from)
        }
    }
}

/// Says which variables of the environment are used for others, cannot be followed, or are not
/// known.
pub fn tell() {
    // A name that is not text is none of these.
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, quoted(value)));
    let mut set: Vec<(String, String)> = std::env::vars_os().filter_map(text).collect();
    set.sort();
    for note in notes(&set) {
        say(note);
    }
}

fn notes(set: &[(String, String)]) -> Vec<String> {
    let value = |name: &str| set.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    set.iter()
        .filter(|(_, value)| !value.is_empty())
        .filter_map(|(name, text)| {
            if let Some(ours) = VARIABLES.iter().find(|ours| ours.scorep.contains(&name.as_str())) {
                let used = value(ours.name).is_none();
                return used
                    .then(|| format!("note: using {name}={text}, because {} is unset", ours.name));
            }
            if let Some((_, instead)) = UNSUPPORTED.iter().find(|(known, _)| known == name) {
                return Some(format!("note: {name} is ignored: {instead}"));
            }
            let ours = name.starts_with("POMPEII_");
            if !ours && !name.starts_with("SCOREP_") || VARIABLES.iter().any(|v| v.name == name) {
                return None;
            }
            let nearest = if ours { nearest(name) } else { None };
            let hint = nearest.map_or(String::new(), |near| format!("; did you mean {near}?"));
            Some(format!("warning: {name} is not known and ignored{hint}"))
        })
        .collect()
}

/// The variable of ours that a wrong name most likely means.
fn nearest(name: &str) -> Option<&'static str> {
    let distances = VARIABLES.iter().map(|variable| (distance(name, variable.name), variable.name));
    distances.min().filter(|(distance, _)| *distance <= 3).map(|(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn what_is_used_and_what_is_not_is_said() {
        let set = [
            ("POMPEII_FLITER", "a"),
            ("POMPEII_TRACE", "1"),
            ("POMPEII_XYZZY", "1"),
            ("SCOREP_ENABLE_TRACING", "true"),
            ("SCOREP_FILTERING_FILE", "f"),
            ("SCOREP_NEW", "f"),
            ("SCOREP_MACHINE_NAME", "m"),
            ("SCOREP_VERBOSE", ""),
        ];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
        expect![[r#"
            warning: POMPEII_FLITER is not known and ignored; did you mean POMPEII_FILTER?
            warning: POMPEII_XYZZY is not known and ignored
            note: using SCOREP_FILTERING_FILE=f, because POMPEII_FILTER is unset
            warning: SCOREP_NEW is not known and ignored
            note: SCOREP_MACHINE_NAME is ignored: the host's own name is written"#]]
        .assert_eq(&notes(&set).join("\n"));
    }

    /// Names in quotes, like `"POMPEII_TRACE"`, in all sources of the crates.
    fn names_read(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_read(&path, found);
            } else if path.extension().is_some_and(|suffix| suffix == "rs")
                && !path.ends_with("cli/src/variables.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
                found.extend(text.split('"').filter(|word| is_name(word)).map(str::to_owned));
            }
        }
    }

    fn is_name(word: &str) -> bool {
        let rest = word.strip_prefix("POMPEII_").or_else(|| word.strip_prefix("SCOREP_"));
        let rest = rest.filter(|rest| !rest.is_empty() && !rest.contains("NAMES_"));
        rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
    }

    /// One table: what the crates read, what is listed here, and what the manual says.
    #[test]
    fn every_variable_is_in_the_table_and_in_the_manual() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut read = BTreeSet::new();
        for name in ["runtime", "live", "finish", "cli", "analysis", "report"] {
            names_read(&crates.join(name).join("src"), &mut read);
        }
        let listed = VARIABLES.iter().flat_map(|v| v.scorep.iter().copied().chain([v.name]));
        let here = ["POMPEII_REPLACE", "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"];
        read.extend(here.map(str::to_owned));
        let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
        assert_eq!(read, listed, "read on the left, listed in cli/src/variables.rs on the right");
        let manual = std::fs::read_to_string(crates.join("../docs/manual.md")).unwrap();
        let rows: Vec<&str> =
            manual.lines().filter(|line| line.starts_with("| `POMPEII_")).collect();
        let row_of =
            |v: &Variable| rows.iter().find(|row| row.starts_with(&format!("| `{}` |", v.name)));
        for variable in VARIABLES {
            let row = row_of(variable);
            let whole =
                row.is_some_and(|row| variable.scorep.iter().all(|name| row.contains(name)));
            assert!(whole, "{} with {:?} is not in the manual", variable.name, variable.scorep);
        }
        assert_eq!(rows.len(), VARIABLES.len(), "the manual has variables that are none");
    }
}
