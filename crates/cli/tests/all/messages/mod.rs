//! What a user can be told. `catalogue.txt` has for each message a command line that provokes it, the
//! text on standard error and the exit code; one test runs them all, another one finds messages in the
//! sources that no entry provokes. `exceptions.txt` lists those that no test can provoke, with the
//! reason.
//!
//! In the catalogue, `*` stands for any text and a line `...` for any number of lines, such as a
//! compiler's.

mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::Sandbox;

const CATALOGUE: &str = include_str!("catalogue.txt");
const FIXTURES: &str = include_str!("fixtures.sh");

/// One command line with what it says.
struct Entry {
    line: &'static str,
    /// Lines of standard error.
    says: Vec<&'static str>,
    code: i32,
}

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for text in CATALOGUE.lines().filter(|text| !text.is_empty() && !text.starts_with('#')) {
        if let Some(line) = text.strip_prefix("$ ") {
            entries.push(Entry { line, says: Vec::new(), code: 0 });
        } else if let Some(code) = text.strip_prefix("= ") {
            entries.last_mut().unwrap().code = code.parse().unwrap();
        } else {
            entries.last_mut().unwrap().says.push(text);
        }
    }
    entries
}

fn shell(sandbox: &Sandbox, folder: &Path, script: &str) -> (Option<i32>, String) {
    let known = sandbox.command("");
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).stdin(Stdio::null());
    for (name, value) in known.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let own = Path::new(env!("CARGO_BIN_EXE_pompeii")).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let output = shell.env("PATH", format!("{own}:{path}")).env("LC_ALL", "C").output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Whether a line is as the catalogue has it.
fn fits(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines are as the catalogue has them.
fn all_fit(patterns: &[&str], lines: &[&str]) -> bool {
    match (patterns, lines) {
        ([], lines) => lines.is_empty(),
        (["...", patterns @ ..], lines) => {
            (0..=lines.len()).any(|skipped| all_fit(patterns, &lines[skipped..]))
        }
        ([first, patterns @ ..], [line, lines @ ..]) => {
            fits(first, line) && all_fit(patterns, lines)
        }
        _ => false,
    }
}

#[test]
fn each_command_line_says_what_the_catalogue_has() {
    let sandbox = Sandbox::new();
    let (fixtures, folder) = (sandbox.path("fixtures"), sandbox.path("folder"));
    fs::create_dir(&fixtures).unwrap();
    let (code, told) = shell(&sandbox, &fixtures, FIXTURES);
    assert_eq!(code, Some(0), "{told}");
    let mut wrong = String::new();
    for Entry { line, says, code } in entries() {
        let copy = format!("rm -rf {0}; cp -a {1} {0}", folder.display(), fixtures.display());
        shell(&sandbox, Path::new("/"), &copy);
        let (ended, told) = shell(&sandbox, &folder, line);
        let told = told.replace(&folder.display().to_string(), "DIR");
        let lines: Vec<&str> = told.lines().collect();
        if ended != Some(code) || !all_fit(&says, &lines) {
            wrong += &format!("$ {line}\n{told}= {}\n", ended.unwrap_or(-1));
        }
        // What is not a compiler's has the prefix, or belongs to the line before.
        let own = !says.contains(&"...");
        let named = |line: &&str| line.starts_with("pompeii: ") || line.starts_with(' ');
        assert!(!own || lines.iter().all(named), "{line}\n{told}");
    }
    assert!(wrong.is_empty(), "not as the catalogue has it:\n{wrong}");
}

/// The folder of crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

#[test]
fn each_message_of_the_sources_is_provoked() {
    let texts: Vec<String> = entries().iter().map(|entry| entry.says.join("\n")).collect();
    let exceptions: Vec<(&str, &str)> = include_str!("exceptions.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.rsplit_once(" -- ").expect("a message, then ` -- `, then the reason"))
        .collect();
    let messages = sources::messages(&crates());
    assert!(messages.len() > 80, "{} messages found", messages.len());
    let (mut missing, mut used) = (String::new(), vec![false; exceptions.len()]);
    for message in &messages {
        if texts.iter().any(|text| message.is_in(text)) {
            continue;
        }
        match exceptions.iter().position(|(text, _)| message.text == *text) {
            Some(at) => used[at] = true,
            None => missing += &format!("{}: {}\n", message.place, message.text),
        }
    }
    assert!(missing.is_empty(), "no entry of the catalogue provokes:\n{missing}");
    let unused = exceptions.iter().zip(&used).filter(|(_, used)| !**used);
    let unused: Vec<&str> = unused.map(|((text, _), _)| *text).collect();
    assert!(unused.is_empty(), "exceptions that are no messages, or are provoked: {unused:#?}");
}

#[test]
fn wildcards_and_lines_that_may_be_any() {
    assert!(fits("a *: no such *", "a b c: no such thing"));
    assert!(!fits("a *: no", "a b: no such"));
    assert!(all_fit(&["...", "b", "..."], &["x", "b"]));
    assert!(!all_fit(&["a"], &["a", "b"]));
}
