//! `cargo xtask tidy`: the rules that no compiler checks: arrows between crates and inside the
//! runtime, circles of files, module docs, function length, line width, what libraries must not do,
//! words of user text. Each rule is a function from text to complaints, with a test that it can
//! fail; the project itself is checked by an ordinary test.

mod circles;
mod layers;
mod modules;
mod names;
mod style;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// File, from the project's folder.
    pub file: String,
    /// Line, 1-based; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub what: String,
}

/// Checks the project in `root`.
pub fn run(root: &Path) -> Result<()> {
    let complaints = check(root)?;
    for Complaint { file, line, what } in &complaints {
        eprintln!("{file}:{line}: {what}");
    }
    if !complaints.is_empty() {
        bail!("{} things to tidy", complaints.len());
    }
    println!("tidy");
    Ok(())
}

fn check(root: &Path) -> Result<Vec<Complaint>> {
    let mut complaints = layers::check(root)?;
    complaints.extend(words::check(root)?);
    let mut lengths = Vec::new();
    let mut sources = Vec::new();
    let files = rust_files(root)?;
    let test_modules = test_modules(&files)?;
    for path in files {
        let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = fs::read_to_string(&path).with_context(|| file.clone())?;
        let is_test = test_modules.iter().any(|module| path.starts_with(module))
            || test_modules.contains(&path.with_extension(""));
        complaints.extend(style::check(&file, &text, is_test));
        complaints.extend(modules::check(&file, &text, is_test));
        lengths.extend(style::function_lengths(&text).into_iter().map(|(_, length)| length));
        if !is_test {
            sources.push((file, text));
        }
    }
    complaints.extend(circles::check(&sources));
    complaints.extend(style::check_budget(lengths));
    Ok(complaints)
}

/// Modules that are compiled for tests only: the paths of their files without suffix.
fn test_modules(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for (before, line) in text.lines().zip(text.lines().skip(1)) {
            let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            let name = line.strip_prefix("mod ");
            if let (true, Some(name)) = (is_for_tests(before), name) {
                modules.extend(name.strip_suffix(';').map(|name| folder.join(name)));
            }
        }
    }
    Ok(modules)
}

fn is_for_tests(attribute: &str) -> bool {
    attribute == "#[cfg(test)]" || attribute.starts_with("#[cfg(all(test,")
}

fn rust_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut open = vec![root.join("crates"), root.join("xtask")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_tidy() {
        let complaints = check(&crate::root()).unwrap();
        let shown: Vec<String> =
            complaints.iter().map(|c| format!("{}:{}: {}", c.file, c.line, c.what)).collect();
        assert!(shown.is_empty(), "{}", shown.join("\n"));
    }
}
