//! The manual is tested: each `$ command` in a `console` block of `docs/*.md` is run, in the order
//! of the page, and must succeed. The tutorial for Python has a test of its own, which also
//! executes the Python between the commands (`crates/python/tests/test_tutorial.py`).

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{root, shell};

/// How long a page is served, in seconds.
const SERVING: &str = "5";

/// The tutorial for Python.
const TUTORIAL: &str = "python";

/// Runs the commands of all pages, each page in an empty folder that holds the examples.
pub fn run(pompeii: &Path) -> Result<()> {
    for entry in fs::read_dir(root().join("docs"))? {
        let page = entry?.path();
        let is_tutorial = page.file_stem().is_some_and(|stem| stem == TUTORIAL);
        if page.extension().is_some_and(|suffix| suffix == "md") && !is_tutorial {
            run_page(&page, pompeii)?;
        }
    }
    Ok(())
}

fn run_page(page: &Path, pompeii: &Path) -> Result<()> {
    let text = fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let folder = shell::target_folder().join("manual");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let examples = root().join("examples").canonicalize()?;
    shell::run(Command::new("cp").arg("-r").arg(examples).arg(&folder))?;
    let folder = folder.canonicalize()?;
    let own = pompeii.canonicalize()?.parent().context("a binary has a folder")?.to_owned();
    let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default());
    for (line, command) in commands(&text) {
        let mut shell = shell_for(command);
        shell.current_dir(&folder).env("PATH", &path).env("OMP_NUM_THREADS", "2");
        let output = shell.output()?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            bail!("{}:{line}: `{command}` failed: {}\n{messages}", page.display(), output.status);
        }
        println!("ok  {command}");
    }
    Ok(())
}

/// A shell that runs the command. What serves a page until Ctrl-C gets one after some seconds, and
/// succeeds if it serves by then.
fn shell_for(command: &str) -> Command {
    if !command.starts_with("pompeii view ") {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]);
        return shell;
    }
    let mut shell = Command::new("timeout");
    shell.args(["--signal=INT", "--preserve-status", SERVING, "sh", "-c"]);
    shell.arg(format!("exec {command} --no-open"));
    shell
}

/// The commands of a page with their lines.
fn commands(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            found.push((number + 1, command));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_console_blocks_only() {
        let text = "a\n```console\n$ one\nits output\n$ two\n```\n```\n$ three\n```\n";
        assert_eq!(commands(text), [(3, "one"), (5, "two")]);
    }
}
