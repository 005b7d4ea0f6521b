//! OTF2 archives of any writer that died: nothing reads them without the anchor, which is written
//! last.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_otf2::recover::{Recovered, recover};

use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::terminal::shown;

/// The anchor that an archive has, or should have: the path itself if it is called `*.otf2`; in a
/// folder that is no experiment, the one of `traces/`.
pub(super) fn anchor_of(path: &Path) -> Option<PathBuf> {
    if path.extension().is_some_and(|extension| extension == "otf2") {
        return Some(path.to_owned());
    }
    let is_experiment = path.join("live").exists() || path.join("manifest.json").exists();
    (!is_experiment && path.join("traces").is_dir()).then(|| path.join("traces.otf2"))
}

/// Recovers the archive and says what was done.
pub(super) fn execute(anchor: &Path, json: bool) -> Result<ExitCode> {
    let progress = Progress::of(format!("recovering {}", shown(anchor)));
    let recovered = recover(anchor).with_context(|| {
        let files = anchor.with_extension("");
        format!("cannot recover {} of the files in {}", shown(anchor), shown(&files))
    })?;
    drop(progress);
    match json {
        true => print_json(&format!("{}\n", to_json(recovered.as_ref())))?,
        false => print(&describe(anchor, recovered.as_ref()))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(anchor: &Path, recovered: Option<&Recovered>) -> String {
    let name = shown(anchor);
    let Some(it) = recovered else {
        return format!("{name}: complete; nothing to do.\n");
    };
    let mut text = format!("{name}: can be read now.\n");
    let _ = writeln!(
        text,
        "  kept: {} events of {} locations, {} global definitions",
        it.events, it.locations, it.definitions_kept
    );
    for problem in &it.problems {
        let _ = writeln!(text, "  problem: {}", shown(problem));
    }
    for what in &it.made_up {
        let _ = writeln!(text, "  created: {}", shown(what));
    }
    text
}

fn to_json(recovered: Option<&Recovered>) -> serde_json::Value {
    recovered.map_or(serde_json::json!({ "complete": true }), |it| {
        serde_json::json!({
            "complete": false,
            "locations": it.locations,
            "events": it.events,
            "definitions_kept": it.definitions_kept,
            "made_up": it.made_up,
            "problems": it.problems,
        })
    })
}
