//! `pompeii html`: the report as one offline page.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use pompeii_report::Html;
use pompeii_serve::Session;

use super::analyze::ANCHOR_FILE;
use super::{reference, report, view};
use crate::experiment::{self, Experiment};
use crate::output::{named_file, print_json, say};
use crate::packed::{self, Need};
use crate::progress::Progress;
use crate::terminal::{cannot, shown, shown_name};

/// A page is sent by mail, so all of it has at most this number of bytes, if its trees leave room.
const PAGE_BYTES: usize = 2_000_000;

/// Options of `html`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii html pompeii-20261120_1132_ab12cd34 -o ocean.html
    pompeii html eight --serial one -o ocean.html      eight threads, compared with one")]
pub struct Arguments {
    /// The experiment, or a profile (profile.cubex)
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    #[command(flatten)]
    damaged: experiment::Damaged,
    #[command(flatten)]
    serial: reference::Options,
    /// File for the page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    // The page has a timeline, so that the copy of a compressed experiment must have its events.
    packed::folder(&arguments.experiment, Need::Everything)?;
    let experiment = experiment::open(&arguments.experiment, arguments.damaged)?;
    let compared = arguments.serial.compare(&experiment)?;
    let info = report::run_info(&experiment, compared);
    let trees = experiment.trees();
    let cubes = (&experiment.cube, trees.as_ref());
    let html = Html::new(cubes, &info)?;
    let timeline = timeline(&experiment, &html)?;
    let timeline = timeline.as_deref();
    let Some(path) = named_file(Some(&arguments.output)) else {
        let mut page = Vec::new();
        html.write(timeline, &mut page)?;
        // Names stand in it as JSON.
        print_json(&String::from_utf8_lossy(&page))?;
        return Ok(ExitCode::SUCCESS);
    };
    let progress = Progress::of(format!("writing {}", shown(path)));
    let write = |file: File| {
        let mut page = BufWriter::new(file);
        html.write(timeline, &mut page)?;
        page.flush()
    };
    File::create(path).and_then(write).with_context(|| cannot("write", path))?;
    drop(progress);
    say(format!("{} is written: open it in any browser", shown(path)));
    Ok(ExitCode::SUCCESS)
}

/// The timeline for the page, if the experiment has a trace. Without one the page has the rest.
fn timeline(experiment: &Experiment, html: &Html) -> Result<Option<String>> {
    let folder = &experiment.folder;
    let anchor = folder.join(ANCHOR_FILE);
    // The events of a program that is running are not in its experiment yet.
    if experiment.is_running || !anchor.exists() {
        return Ok(None);
    }
    let progress = Progress::of(format!("drawing the timeline of {}", shown(&anchor)));
    let mut rest = Counted(0);
    html.write(None, &mut rest)?;
    let session = Session::open(view::traced(folder, anchor, shown_name(&experiment.named)));
    let timeline = pompeii_serve::embedded(&session, PAGE_BYTES.saturating_sub(rest.0));
    drop(progress);
    if timeline.is_none() {
        let why = session.unreadable().map_or_else(
            || session.progress().state().error.unwrap_or_else(|| "it is too large".to_owned()),
            ToString::to_string,
        );
        say(format!("warning: the page has no timeline: {why}"));
    }
    Ok(timeline)
}

/// Counts bytes.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
