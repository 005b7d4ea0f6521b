//! Options of `pompeii compile` and `pompeii instrument` that do not stand on the command line:
//! those of a source tree, in the table `[instrument]` of a `pompeii.toml` found upwards from the
//! source, and those of a build, in `POMPEII_INSTRUMENT`. Both become words in front
//! of the command line's own, and of several words for one option the last one counts.
//! `instrument` passes over those that only a compilation has.
//!
//! Keys of the file are the long options; so a new option is known here without further ado.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueHint};
use toml::{Table, Value};

use crate::compiler::{CommandLine, source_folder, words};
use crate::terminal::{cannot, indented, shown};

/// The variable with options.
const VARIABLE: &str = "POMPEII_INSTRUMENT";
/// The file of a source tree.
const FILE: &str = "pompeii.toml";
/// Its table.
const TABLE: &str = "instrument";
/// With this option, neither is looked at.
const OFF: &str = "--no-config";
/// Options that only make sense for a single command.
const NOT_IN_FILE: [&str; 4] = ["help", "version", "no-config", "keep"];

/// The file that says something about the sources of a command.
pub fn file(line: &CommandLine) -> Option<PathBuf> {
    above(&line.sources.first()?.path)
}

/// The file that says something about a source.
fn above(source: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(source_folder(source)).ok()?;
    folder.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
}

/// A number that changes with what the file says.
pub fn fingerprint(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    fs::read(file).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// The arguments of `pompeii compile` (from that word on) with all that is set elsewhere, behind
/// `defaults`.
///
/// # Errors
/// What is set and not known, with its place.
pub fn complete(
    compile: &Command,
    defaults: &[&str],
    arguments: &[OsString],
) -> Result<Vec<OsString>> {
    let split = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let (own, command) = arguments.split_at(split);
    let mut all = own[..1].to_vec();
    all.extend(defaults.iter().map(OsString::from));
    if !own.iter().any(|word| word == OFF) {
        let line = CommandLine::parse(command.get(1..).unwrap_or_default());
        all.extend(set_elsewhere(compile, file(&line))?);
    }
    all.extend_from_slice(&own[1..]);
    all.extend_from_slice(command);
    Ok(all)
}

/// The same for `pompeii instrument`, which has some of the options of `compile`.
///
/// # Errors
/// What is set and not known, with its place.
pub fn complete_instrument(
    compile: &Command,
    instrument: &Command,
    arguments: &[OsString],
) -> Result<Vec<OsString>> {
    // What is wrong with the words is said where they are read.
    let Ok(given) = instrument.clone().try_get_matches_from(arguments) else {
        return Ok(arguments.to_vec());
    };
    if given.get_flag("no_config") || given.get_flag("undo") {
        return Ok(arguments.to_vec());
    }
    let file = given.get_one::<PathBuf>("file").and_then(|source| above(source));
    let mut all = arguments[..1].to_vec();
    all.extend(known_words(instrument, compile, set_elsewhere(compile, file)?));
    all.extend_from_slice(&arguments[1..]);
    Ok(all)
}

/// The words of the file and of the variable.
fn set_elsewhere(compile: &Command, file: Option<PathBuf>) -> Result<Vec<OsString>> {
    let mut all = Vec::new();
    if let Some(path) = file {
        let text = fs::read_to_string(&path).with_context(|| cannot("read", &path))?;
        let found = of_file(compile, &text, path.parent().unwrap_or(Path::new("")))
            .with_context(|| shown(&path).into_owned())?;
        check(compile, &found, &shown(&path))?;
        all.extend(found);
    }
    if let Some(text) = env::var_os(VARIABLE) {
        let found = words::split(text.as_bytes());
        check(compile, &found, VARIABLE)?;
        all.extend(found);
    }
    Ok(all)
}

/// Those words for `whole` that `part` has options for, each with its value.
fn known_words(part: &Command, whole: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let mut known = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, value) =
            text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let is_named = |option: &&Arg| {
            let short = option.get_short().map(|short| format!("-{short}"));
            let long = option.get_long().map(|long| format!("--{long}"));
            long.as_deref() == Some(name) || short.as_deref() == Some(name)
        };
        let Some(option) = whole.get_arguments().find(is_named) else { continue };
        let takes_value = option.get_action().takes_values() && value.is_none();
        let value = if takes_value { words.next() } else { None };
        let long = option.get_long();
        if part.get_arguments().any(|other| long.is_some() && other.get_long() == long) {
            known.push(word);
            known.extend(value);
        }
    }
    known
}

/// Says where a wrong word stands before it is lost among the others.
fn check(compile: &Command, found: &[OsString], place: &str) -> Result<()> {
    let mut whole = vec![OsString::from("compile")];
    whole.extend_from_slice(found);
    whole.extend(["--", "cc"].map(OsString::from));
    let error = match compile.clone().try_get_matches_from(whole) {
        Ok(_) => return Ok(()),
        // What one place lacks, another may have.
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => return Ok(()),
        Err(error) => error.to_string(),
    };
    let said: Vec<&str> =
        error.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let said = said.join(" ");
    bail!("{place}: {}", said.strip_prefix("error: ").unwrap_or(&said))
}

/// The table as words. Paths are relative to the folder of the file.
fn of_file(compile: &Command, text: &str, folder: &Path) -> Result<Vec<OsString>> {
    let tables: Table = text
        .parse()
        .map_err(|error: toml::de::Error| anyhow!("{}", indented(&error.to_string())))?;
    let mut words = Vec::new();
    for (name, value) in &tables {
        let table = value.as_table().filter(|_| name == TABLE);
        let Some(table) = table else {
            bail!("`{name}` is not known; options stand below [{TABLE}]");
        };
        for (key, value) in table {
            words.extend(word(option(compile, key)?, key, value, folder)?);
        }
    }
    Ok(words)
}

fn option<'a>(compile: &'a Command, key: &str) -> Result<&'a Arg> {
    let named = |arg: &&Arg| arg.get_long() == Some(key) && !NOT_IN_FILE.contains(&key);
    compile.get_arguments().find(named).with_context(|| {
        let mut known: Vec<&str> = compile.get_arguments().filter_map(Arg::get_long).collect();
        known.retain(|name| !NOT_IN_FILE.contains(name));
        known.sort_unstable();
        format!("`{key}` in [{TABLE}] is not known; known: {}", known.join(", "))
    })
}

/// One option as on the command line; none for a switch that is off.
fn word(option: &Arg, key: &str, value: &Value, folder: &Path) -> Result<Option<OsString>> {
    let takes_value = option.get_action().takes_values();
    let expected = if takes_value { "a text, a number or a list of them" } else { "true or false" };
    let text = match value {
        Value::Boolean(wanted) if !takes_value => {
            return Ok(wanted.then(|| format!("--{key}").into()));
        }
        _ if !takes_value => None,
        Value::Array(parts) => {
            parts.iter().map(scalar).collect::<Option<Vec<_>>>().map(|parts| parts.join(","))
        }
        _ => scalar(value),
    };
    let Some(text) = text else {
        bail!("`{key}` in [{TABLE}]: expected {expected}, found `{value}`");
    };
    let value = match option.get_value_hint() {
        ValueHint::AnyPath => folder.join(text).into_os_string(),
        _ => text.into(),
    };
    Ok(Some(words::joined([OsStr::new(&format!("--{key}=")), &value])))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check_file(text: &str, expected: Expect) {
        let compile = Command::new("compile")
            .arg(Arg::new("strict").long("strict").action(clap::ArgAction::SetTrue))
            .arg(Arg::new("disable").long("pomp-disable"))
            .arg(Arg::new("filter").long("filter").value_hint(ValueHint::AnyPath));
        let found = of_file(&compile, text, Path::new("/tree"));
        expected.assert_eq(&match found {
            Ok(words) => words::texts(&words).join(" "),
            Err(error) => format!("{FILE}: {error:#}"),
        });
    }

    #[test]
    fn keys_are_options() {
        check_file(
            "[instrument]\nstrict = true\npomp-disable = [\"sync\", \"task\"]\nfilter = \"a/b\"\n",
            expect!["--filter=/tree/a/b --pomp-disable=sync,task --strict"],
        );
        check_file("# nothing\n[instrument]\nstrict = false\n", expect![""]);
        check_file("", expect![""]);
    }

    #[test]
    fn a_part_of_the_options_is_chosen() {
        let flag = |name: &'static str| Arg::new(name).long(name).action(clap::ArgAction::SetTrue);
        let abi = || Arg::new("abi").long("abi");
        let whole = Command::new("compile")
            .args([flag("strict").short('s'), flag("functions"), abi()])
            .arg(Arg::new("keep").long("keep"));
        let part = Command::new("instrument").args([flag("functions"), abi()]);
        let words = "--strict --abi pomp2 --keep dir -s --abi=pomp --functions --keep=dir";
        let words = words.split(' ').map(OsString::from).collect();
        let known = known_words(&part, &whole, words);
        assert_eq!(words::texts(&known).join(" "), "--abi pomp2 --abi=pomp --functions");
    }

    #[test]
    fn what_is_not_known_is_said() {
        check_file(
            "[instrument]\nstrickt = true\n",
            expect![
                "pompeii.toml: `strickt` in [instrument] is not known; known: filter, pomp-disable, strict"
            ],
        );
        check_file(
            "strict = true\n",
            expect!["pompeii.toml: `strict` is not known; options stand below [instrument]"],
        );
        check_file(
            "[instrument]\nstrict = \"yes\"\n",
            expect![
                "pompeii.toml: `strict` in [instrument]: expected true or false, found `\"yes\"`"
            ],
        );
        check_file(
            "[instrument]\npomp-disable = true\n",
            expect![
                "pompeii.toml: `pomp-disable` in [instrument]: expected a text, a number or a list of them, found `true`"
            ],
        );
        check_file(
            "[instrument\n",
            expect![
                "pompeii.toml: \n  TOML parse error at line 1, column 12\n    |\n  1 | [instrument\n    |            ^\n  unclosed table, expected `]`"
            ],
        );
    }
}
