//! Arrows between crates go one way: a crate may use what its room in ARCHITECTURE.md says and
//! nothing else of ours; the runtime may use nothing foreign but libc, and what unwinds stacks for
//! its sampler.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Complaint;

/// Crates of ours that each crate may use. To add a crate: a line here and in ARCHITECTURE.md.
const MAY_USE: [(&str, &[&str]); 22] = [
    ("model", &[]),
    ("otf2", &[]),
    ("cubex", &[]),
    ("algebra", &["cubex"]),
    ("epilog", &[]),
    ("filter", &[]),
    ("instrument", &["model", "filter"]),
    ("mpi", &[]),
    ("symbols", &[]),
    // For dev-dependencies, which are free.
    ("testing", &[]),
    ("live", &["model", "otf2", "filter"]),
    ("runtime", &["live"]),
    ("finish", &["live", "model", "otf2", "cubex", "symbols"]),
    ("replay", &["model", "otf2"]),
    ("index", &["replay", "model", "otf2"]),
    ("export", &["index", "replay", "model", "otf2", "epilog", "mpi"]),
    ("analysis", &["replay", "model", "otf2", "cubex"]),
    ("tables", &["analysis", "finish", "replay", "model", "otf2", "cubex"]),
    ("python", &["tables"]),
    ("report", &["analysis", "model", "otf2", "cubex"]),
    ("serve", &["report", "analysis", "index", "replay", "model", "otf2"]),
    (
        "cli",
        &[
            "instrument",
            "filter",
            "mpi",
            "finish",
            "export",
            "serve",
            "report",
            "analysis",
            "replay",
            "model",
            "otf2",
            "cubex",
            "algebra",
        ],
    ),
];

/// Foreign crates that live in the user's process.
const RUNTIME_MAY_USE: [&str; 2] = ["framehop", "libc"];

pub(super) fn check(root: &Path) -> Result<Vec<Complaint>> {
    let mut complaints = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let path = entry?.path().join("Cargo.toml");
        if let Ok(text) = fs::read_to_string(&path) {
            let name = path.parent().and_then(Path::file_name).context("a crate has a name")?;
            complaints.extend(check_crate(&name.to_string_lossy(), &text));
        }
    }
    Ok(complaints)
}

fn check_crate(name: &str, manifest: &str) -> Vec<Complaint> {
    let complaint = |line: usize, what: String| Complaint {
        file: format!("crates/{name}/Cargo.toml"),
        line,
        what,
    };
    let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        let what = "not in the table of layers (xtask/src/tidy/layers.rs)".to_owned();
        return vec![complaint(0, what)];
    };
    let mut complaints = Vec::new();
    let mut section = "";
    for (number, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            section = line;
        }
        let dependency = line.split(['.', ' ', '=']).next().unwrap_or("");
        if section != "[dependencies]" || line.starts_with(['[', '#']) || dependency.is_empty() {
            continue;
        }
        match dependency.strip_prefix("pompeii-") {
            Some(ours) if !allowed.contains(&ours) => {
                let what = format!("`{name}` must not use `{ours}`: arrows go downward only");
                complaints.push(complaint(number + 1, what));
            }
            None if name == "runtime" && !RUNTIME_MAY_USE.contains(&dependency) => {
                let what = format!("`{dependency}` would live in other people's processes");
                complaints.push(complaint(number + 1, what));
            }
            _ => {}
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_upward_is_found() {
        let manifest = "[dependencies]\npompeii-model.workspace = true\n\n[dev-dependencies]\n\
                        pompeii-cli = \"1\"\n";
        assert_eq!(check_crate("instrument", manifest), []);
        let found = check_crate("otf2", manifest);
        assert_eq!((found.len(), found[0].line), (1, 2));
        assert_eq!(check_crate("runtime", "[dependencies]\nserde = \"1\"\n").len(), 1);
        assert_eq!(check_crate("new", "").len(), 1);
    }
}
