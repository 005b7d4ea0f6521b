//! `pompeii tasks --split`: a copy of the trace in which suspended tasks are left, in a new folder.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_analysis::format::counted;
use pompeii_export::split::{self, NAMED_OF_CONSTRUCT, Split};
use pompeii_otf2::read::Archive;

use crate::commands::convert::output::new_folder;
use crate::commands::convert::tell;
use crate::output::say;
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// Writes the copy.
pub fn write(anchor: &Path, output: &Path) -> Result<ExitCode> {
    let (archive, errors) = Archive::salvage(anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    errors.iter().for_each(|error| say(format!("warning: {error}")));
    new_folder(output)?;
    let events = archive.locations().map(|location| location.number_of_events).sum();
    let progress = Progress::events(format!("copying {}", shown(anchor)), events);
    let split = split::write(&archive, output, &progress.done)
        .with_context(|| cannot("write a trace to", output))?;
    drop(progress);
    tell(&split.read);
    tell_tasks(&split);
    let is_complete = errors.is_empty() && split.read.errors == 0;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Says what became of the tasks.
fn tell_tasks(split: &Split) {
    let number = |value: u64, thing| counted(value.cast_signed(), thing);
    if split.unbalanced > 0 {
        say(format!(
            "warning: {} of tasks not left, or not where they should be",
            number(split.unbalanced, "region")
        ));
    }
    if split.unnamed > 0 {
        say(format!(
            "{} of constructs with more than {} have no region of their own",
            number(split.unnamed, "task instance"),
            number(u64::from(NAMED_OF_CONSTRUCT), "instance")
        ));
    }
    let anchor = shown(&split.anchor);
    say(match split.named {
        0 => {
            format!("{anchor} is written: no task begins in this trace, so its events are the same")
        }
        named => format!(
            "{anchor} is written: {} task_X_Y (instance Y that thread X created)",
            number(named, "region")
        ),
    });
}
