//! The page in a real browser: first paint, elements, what it transfers, and the work for a frame
//! while the user moves in time. `page.mjs` measures, with the packages that `cargo xtask setup`
//! installs for the tests of the page.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell;

const SCRIPT: &str = "xtask/src/bench/view/page.mjs";
/// Each figure: its name in the answer, words, and the largest one. A page may not have all.
const FIGURES: [(&str, &str, f64); 5] = [
    ("paint_ms", "ms to the first paint", 300.0),
    ("shown_ms", "ms until everything is there", 2000.0),
    ("elements", "elements", 2000.0),
    ("transferred_kb", "kB transferred, scripts and styles included", 2000.0),
    ("frame_ms", "ms of the main thread for a frame", 16.0),
];

/// What a page shows.
#[derive(Clone, Copy)]
pub enum Kind {
    Trace,
    Report,
}

/// Prints the figures of the page at an address; a line that says why if there is no browser.
pub fn measure(address: &str, kind: Kind) -> Result<()> {
    let packages = shell::target_folder().join("web");
    if !packages.join("node_modules").is_dir() {
        println!("  page      not measured: `cargo xtask setup` installs the packages for it");
        return Ok(());
    }
    let mut node = Command::new("node");
    let kind = match kind {
        Kind::Trace => "trace",
        Kind::Report => "report",
    };
    node.arg(Path::new(&crate::root()).join(SCRIPT)).args([address, kind]);
    node.env("POMPEII_WEB", packages);
    let output = node.output().context("node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout)?;
    for (name, words, most) in FIGURES {
        let Some(value) = found[name].as_f64() else { continue };
        let missed = if value > most { "  MISSED" } else { "" };
        println!("  page      {value:7.1} {words}, bound {most}{missed}");
    }
    Ok(())
}
