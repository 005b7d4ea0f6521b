//! `pompeii dump`: the records of a trace as text, in the columns and with the options of
//! `otf2-print`, or as JSON. Damage is told; what can be read is printed nevertheless.

mod check;
mod json;

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result, bail};
use chrono::{Local, TimeZone};
use pompeii_otf2::Error;
use pompeii_otf2::definition::Definition;
use pompeii_otf2::folder::Folder;
use pompeii_otf2::print::{Options, Printer, Times, system_tree};
use pompeii_otf2::read::{Archive, EventReader, Merged, SnapshotRecord};
use pompeii_otf2::reference::LocationRef;

use crate::experiment;
use crate::output::say;
use crate::packed::{self, Need};
use crate::progress::Progress;
use crate::terminal::{Lines, cannot, shown};

/// So many errors are told one by one.
const ERRORS_TOLD: u64 = 20;
/// Progress counts events in lots of this size, so that it costs none of them anything.
const EVENTS_COUNTED: u64 = 1 << 16;

/// Options of `dump`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii dump pompeii-20261120_1132_ab12cd34      the events of an experiment, merged by time
    pompeii dump traces.otf2 -G                      the definitions of any OTF2 archive
    pompeii dump traces.otf2 -L 0 --time 1000 2000   one thread, a part of the time
    pompeii dump traces.otf2 --silent                only check whether all can be read
    pompeii dump traces.otf2 --check                 check whether other tools accept the trace
    pompeii dump traces.otf2 --json | jq -c 'select(.record == \"Enter\")'")]
pub struct Arguments {
    /// The anchor file of an OTF2 archive (traces.otf2), or an experiment
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Print everything: anchor file, thumbnails, definitions, events
    #[arg(short = 'A', long)]
    show_all: bool,
    /// Print the global definitions
    #[arg(short = 'G', long)]
    show_global_defs: bool,
    /// Print the content of the anchor file
    #[arg(short = 'I', long)]
    show_info: bool,
    /// Print the heads of thumbnails
    #[arg(short = 'T', long)]
    show_thumbnails: bool,
    /// Print thumbnails with their samples
    #[arg(long)]
    show_thumbnail_samples: bool,
    /// Print the mapping tables of locations
    #[arg(short = 'M', long)]
    show_mappings: bool,
    /// Print the clock offsets of locations
    #[arg(short = 'C', long)]
    show_clock_offsets: bool,
    /// Print times in ticks (plain), or in ticks since the beginning (offset)
    #[arg(long, value_name = "FORMAT", value_parser = ["plain", "offset"], default_value = "plain")]
    timestamps: String,
    /// Print only this location or range of locations, for example 3 or 0-7; may be repeated
    #[arg(short = 'L', long = "location", value_name = "LID", value_parser = location_range)]
    locations: Vec<(u64, u64)>,
    /// Wait for ENTER after every N events
    #[arg(short = 's', long, value_name = "N")]
    step: Option<u64>,
    /// Print only events from time MIN to time MAX, in ticks
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"])]
    time: Vec<u64>,
    /// Write the system tree for Graphviz into NAME.SystemTree.dot, next to NAME.otf2
    #[arg(long)]
    system_tree: bool,
    /// Print no events, only errors of reading
    #[arg(long)]
    silent: bool,
    /// Print no events, only where the trace breaks a rule that other tools rely on: order (times
    /// of a location do not decrease), root (a program begins before its other events), balance
    /// (regions are left in reverse order, each task by itself), flush (nothing happens on a
    /// location while it writes its buffer), members (groups and communicators exist, and whoever
    /// takes part is a member), mpi (what readers expect of MPI). The exit code is 1 if there is
    /// such a place
    #[arg(
        long,
        conflicts_with_all = ["json", "silent", "show_all", "show_global_defs", "show_info", "step",
                              "time", "locations", "no_local_defs"]
    )]
    check: bool,
    /// Print the callers of calling contexts, marked with `+` (entered since the last event), `*`
    /// (not left) or `?` (unknown)
    #[arg(long)]
    unwind_calling_context: bool,
    /// Print ids and times as stored in the event files, instead of applying mapping tables and
    /// clock offsets
    #[arg(long, conflicts_with_all = ["show_mappings", "show_clock_offsets"])]
    no_local_defs: bool,
    /// If a definition refers to one that is not defined before it, print nothing and end with an
    /// error; short form: -Werror
    #[arg(long)]
    warnings_as_errors: bool,
    /// As `--warnings-as-errors`
    #[arg(short = 'W', value_name = "error", value_parser = ["error"], hide = true)]
    warnings: Option<String>,
    /// Print the names and sizes of the files read, on standard error
    #[arg(short = 'd', long)]
    debug: bool,
    /// Print names unchanged, with their control characters; not advisable on a terminal
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Do not print snapshots
    #[arg(long)]
    no_snapshots: bool,
    /// Print one record per line, as JSON
    #[arg(long)]
    json: bool,
}

fn location_range(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| format!("`{text}` is not a location: expected a number"))
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first)?, number(last)?) {
        (first, last) if first > last => {
            Err(format!("no location is from {first} to {last}; write `{last}-{first}`"))
        }
        range => Ok(range),
    }
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if let [min, max] = arguments.time[..]
        && min > max
    {
        bail!("--time {min} {max}: expected MIN, then MAX, which is not before it");
    }
    let anchor = anchor_path(&arguments.trace)?;
    let (archive, errors) = Archive::salvage(&anchor)
        .context("expected the anchor of an OTF2 archive (traces.otf2) or an experiment")?;
    let mut dump = Dump { arguments, archive: &archive, errors: 0, progress: None };
    errors.iter().for_each(|error| dump.tell(error));
    dump.check_count();
    if dump.has_warnings() {
        return Ok(ExitCode::from(1));
    }
    if !arguments.locations.is_empty() && dump.locations().next().is_none() {
        let known: Vec<String> = archive.locations().map(|it| it.id.to_string()).take(20).collect();
        let known = known.join(", ");
        bail!("{} has no such location; it has {known}", shown(&anchor));
    }
    if arguments.debug {
        dump.tell_files(&anchor);
    }
    if arguments.system_tree && !dump.wants_only_info() {
        write_system_tree(&archive, &graph_path(&anchor))?;
    }
    let out = io::stdout().lock();
    if !out.is_terminal() {
        let all = (!arguments.json).then(|| dump.event_count());
        dump.progress = Some(Progress::new(format!("reading {}", shown(&anchor)), all));
    }
    let mut is_sound = true;
    if arguments.check {
        is_sound = check::print(&mut dump, Lines { json: false, out })?;
    } else if arguments.json {
        json::print(&mut dump, Lines { json: true, out })?;
    } else {
        dump.print(&anchor, out)?;
    }
    if dump.errors > ERRORS_TOLD {
        say(format!("{} more errors", dump.errors - ERRORS_TOLD));
    }
    Ok(if dump.errors == 0 && is_sound { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The anchor in an experiment, which is finished first where that has not been done, or the path
/// itself.
pub fn anchor_path(trace: &Path) -> Result<PathBuf> {
    if !trace.exists() {
        bail!(
            "{}: no such trace; expected the anchor of an OTF2 archive (traces.otf2) or an \
             experiment",
            shown(trace)
        );
    }
    let trace = packed::folder(trace, Need::Everything)?;
    if !trace.is_dir() {
        return Ok(trace.into_owned());
    }
    let trace = experiment::shown_run(&trace);
    experiment::finish_if_needed(&trace)?;
    let anchor = trace.join("traces.otf2");
    if !anchor.exists() {
        bail!("{}: no such trace; `pompeii run --trace` records one", shown(&anchor));
    }
    Ok(anchor)
}

/// Where the graph of the system tree goes: beside the anchor, as `otf2-print` has it.
fn graph_path(anchor: &Path) -> PathBuf {
    anchor.with_extension("SystemTree.dot")
}

fn write_system_tree(archive: &Archive, path: &Path) -> Result<()> {
    // The archive may come from others, so a link of this name is refused.
    let folder = Folder::open(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut file = BufWriter::new(folder.create(&name)?);
    let written = system_tree(archive, &mut file).and_then(|()| file.flush());
    written.with_context(|| cannot("write", path))
}

/// A dump while it is being made.
struct Dump<'a> {
    arguments: &'a Arguments,
    archive: &'a Archive,
    /// What could not be read.
    errors: u64,
    /// Counts events.
    progress: Option<Progress>,
}

impl Dump<'_> {
    fn tell(&mut self, error: &Error) {
        self.errors += 1;
        if self.errors <= ERRORS_TOLD {
            say(format!("error: {error}"));
        }
    }

    fn check_count(&mut self) {
        let (read, announced) =
            (self.archive.definitions().len() as u64, self.archive.anchor().global_definitions);
        if self.errors == 0 && read != announced {
            self.errors += 1;
            say(format!(
                "error: the anchor announces {announced} global definitions, found {read}"
            ));
        }
    }

    /// Tells references that are not as the format has them. Whether they are errors.
    fn has_warnings(&self) -> bool {
        let strict = self.arguments.warnings_as_errors || self.arguments.warnings.is_some();
        let flaws = self.archive.reference_flaws();
        let kind = if strict { "error" } else { "warning" };
        for flaw in flaws.iter().take(ERRORS_TOLD as usize) {
            say(format!("{kind}: {flaw}"));
        }
        if flaws.len() as u64 > ERRORS_TOLD {
            say(format!("{} more {kind}s", flaws.len() as u64 - ERRORS_TOLD));
        }
        strict && !flaws.is_empty()
    }

    fn tell_files(&self, anchor: &Path) {
        let events = self.locations().map(|location| self.archive.event_path(location));
        let files = [anchor.to_owned(), anchor.with_extension("def")]
            .into_iter()
            .chain(events.flat_map(|events| [events.with_extension("def"), events]));
        for path in files {
            match fs::metadata(&path) {
                Ok(file) => say(format!("debug: {}: {} bytes", shown(&path), file.len())),
                Err(error) => say(format!("debug: {}: {error}", shown(&path))),
            }
        }
    }

    /// The locations that were asked for, in the order of the definitions.
    fn locations(&self) -> impl Iterator<Item = LocationRef> {
        let ranges = &self.arguments.locations;
        let is_chosen = move |id: &LocationRef| {
            ranges.is_empty() || ranges.iter().any(|&(first, last)| (first..=last).contains(&id.0))
        };
        self.archive.locations().map(|location| location.id).filter(is_chosen)
    }

    /// How many events the locations that were asked for have, as their definitions say.
    fn event_count(&self) -> u64 {
        let chosen: HashSet<LocationRef> = self.locations().collect();
        let locations = self.archive.locations().filter(|location| chosen.contains(&location.id));
        locations.fold(0, |sum, location| sum.saturating_add(location.number_of_events))
    }

    /// The time that was asked for.
    fn time_range(&self) -> RangeInclusive<u64> {
        match self.arguments.time[..] {
            [min, max] => min..=max,
            _ => 0..=u64::MAX,
        }
    }

    /// The time to begin with; `None` for the start, also where steps count all events.
    fn since(&self) -> Option<u64> {
        let from = self.arguments.time.first().copied();
        from.filter(|&from| from > 0 && self.arguments.step.is_none())
    }

    /// The time to end with; none where steps count all events.
    fn until(&self) -> u64 {
        let until = self.arguments.time.get(1).filter(|_| self.arguments.step.is_none());
        until.copied().unwrap_or(u64::MAX)
    }

    /// Whether the anchor or thumbnails were asked for.
    fn wants_info(&self) -> bool {
        let it = self.arguments;
        it.show_info || it.show_thumbnails || it.show_thumbnail_samples
    }

    /// Whether definitions were asked for, the tables of locations among them.
    fn wants_definitions(&self) -> bool {
        let it = self.arguments;
        it.show_global_defs || it.show_mappings || it.show_clock_offsets
    }

    /// Whether nothing but the anchor and thumbnails was asked for.
    fn wants_only_info(&self) -> bool {
        self.wants_info() && !self.wants_definitions() && !self.arguments.show_all
    }

    /// Whether events were asked for, which they are where nothing else is.
    fn wants_events(&self) -> bool {
        self.arguments.show_all || !(self.wants_info() || self.wants_definitions())
    }

    fn options(&self) -> Options {
        let offset = self.archive.definitions().iter().find_map(|definition| match definition {
            Definition::ClockProperties(clock) => Some(clock.global_offset),
            _ => None,
        });
        let times = match offset {
            Some(offset) if self.arguments.timestamps == "offset" => Times::Since(offset),
            _ => Times::Plain,
        };
        let it = self.arguments;
        Options { times, unwind: it.unwind_calling_context, raw: it.raw, utc_offset }
    }

    fn print(&mut self, anchor: &Path, out: impl Write) -> Result<()> {
        let (it, archive) = (self.arguments, self.archive);
        let mut printer = Printer::new(archive, self.options(), out);
        printer.text("\n=== OTF2-PRINT ===\n")?;
        if it.show_info || it.show_all {
            printer.anchor()?;
        }
        if it.show_thumbnails || it.show_thumbnail_samples || it.show_all {
            self.thumbnails(&mut printer)?;
        }
        if self.wants_only_info() {
            return Ok(printer.finish().map(drop)?);
        }
        if it.show_global_defs || it.show_all {
            printer.global_definitions()?;
        }
        if it.show_mappings || it.show_clock_offsets {
            self.local_definitions(&mut printer)?;
        }
        if self.wants_events() {
            self.events(&mut printer)?;
            if archive.anchor().snapshots > 0 && !it.no_snapshots {
                self.snapshots(&mut printer)?;
            }
            if it.system_tree {
                let graph = graph_path(anchor);
                printer.text(&format!(
                    "\nGenerate system tree dot graph for \"{0}\".\n\n\
                     Dot file written to \"{1}\".\n\n\
                     To generate an image from the dot file run:\n\
                     \"dot -Tpng {1} -o SystemTree.png\"\n\n",
                    shown(anchor),
                    shown(&graph)
                ))?;
            }
        }
        Ok(printer.finish().map(drop)?)
    }

    fn thumbnails(&mut self, printer: &mut Printer<'_, impl Write>) -> Result<()> {
        if self.archive.anchor().thumbnails > 0 {
            printer.text("\nThumbnail headers:\n")?;
        }
        for number in 0..self.archive.anchor().thumbnails {
            let records = self.archive.thumbnail(number);
            for (place, record) in records.enumerate() {
                match record {
                    Ok(record) if place == 0 || self.arguments.show_thumbnail_samples => {
                        printer.thumbnail(number, place.saturating_sub(1) as u32, &record)?;
                    }
                    Ok(_) => {}
                    Err(error) => self.tell(&error),
                }
            }
            // The number in a damaged anchor may be any.
            if self.errors > ERRORS_TOLD {
                break;
            }
        }
        Ok(())
    }

    fn local_definitions(&mut self, printer: &mut Printer<'_, impl Write>) -> Result<()> {
        printer.local_definitions_head()?;
        for location in self.locations().collect::<Vec<_>>() {
            let (local, errors) = self.archive.local_salvage(location);
            errors.iter().for_each(|error| self.tell(error));
            for definition in &local.definitions {
                let wanted = match definition {
                    Definition::MappingTable(_) => self.arguments.show_mappings,
                    Definition::ClockOffset(_) => self.arguments.show_clock_offsets,
                    _ => false,
                };
                if wanted {
                    printer.local_definition(location, definition)?;
                }
            }
        }
        Ok(())
    }

    /// The events of the locations that were asked for.
    fn merged(&mut self) -> Merged {
        let locations: Vec<LocationRef> = self.locations().collect();
        Merged::new(locations.into_iter().filter_map(|location| self.reader(location)))
    }

    fn reader(&mut self, location: LocationRef) -> Option<EventReader> {
        let raw = self.arguments.no_local_defs;
        // Random access: only the chunks of the time that was asked for are read. Where it fails,
        // everything that is wrong is told from the start on.
        if let (Some(since), false) = (self.since(), raw)
            && let Ok(events) = self.archive.events_since(location, since)
        {
            return Some(events);
        }
        match self.archive.raw_events(location) {
            Ok(events) if raw => Some(events),
            Ok(events) => {
                let (local, errors) = self.archive.local_salvage(location);
                errors.iter().for_each(|error| self.tell(error));
                Some(events.with_local(local.mappings, local.clock))
            }
            Err(error) => {
                self.tell(&error);
                None
            }
        }
    }

    fn events(&mut self, printer: &mut Printer<'_, impl Write>) -> Result<()> {
        let silent = self.arguments.silent;
        let (range, until) = (self.time_range(), self.until());
        let mut merged = self.merged();
        if !silent {
            printer.events_title()?;
        }
        let step = self.arguments.step.filter(|&step| step > 0);
        let mut begins = true;
        loop {
            if !silent && (begins || step.is_some()) {
                printer.events_head()?;
            }
            begins = false;
            let mut left = step.unwrap_or(EVENTS_COUNTED);
            let flow = merged.visit(|event| {
                match event {
                    Ok(event) if event.time > until => return ControlFlow::Break(Ok(())),
                    Ok(event) => {
                        if !silent
                            && range.contains(&event.time)
                            && let Err(error) = printer.event(event)
                        {
                            return ControlFlow::Break(Err(error));
                        }
                        left -= 1;
                    }
                    Err(error) => self.tell(&error),
                }
                if left == 0 { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
            });
            match (flow, step) {
                (ControlFlow::Break(Err(error)), _) => return Err(error.into()),
                (ControlFlow::Break(Ok(())), Some(step)) => pause(printer, step, "events")?,
                (ControlFlow::Continue(()), Some(step)) => {
                    return pause(printer, step, "events");
                }
                _ if left > 0 => return Ok(()),
                _ => self.count_events(),
            }
        }
    }

    fn count_events(&self) {
        if let Some(progress) = &self.progress {
            progress.done.fetch_add(EVENTS_COUNTED, Relaxed);
        }
    }

    /// All snapshots by time and location.
    fn snapshots(&mut self, printer: &mut Printer<'_, impl Write>) -> Result<()> {
        let (records, range) = (self.snapshot_records(), self.time_range());
        if self.arguments.silent {
            return Ok(());
        }
        printer.snapshots_title()?;
        printer.snapshots_head()?;
        for (location, record) in records {
            if range.contains(&record.time) {
                printer.snapshot(location, &record)?;
            }
        }
        match self.arguments.step {
            Some(step) => pause(printer, step, "snapshot records"),
            None => Ok(()),
        }
    }

    fn snapshot_records(&mut self) -> Vec<(LocationRef, SnapshotRecord)> {
        let mut records = Vec::new();
        for location in self.locations().collect::<Vec<_>>() {
            for record in self.archive.snapshots(location) {
                match record {
                    Ok(record) => records.push((location, record)),
                    Err(error) => self.tell(&error),
                }
            }
        }
        records.sort_by_key(|(location, record)| (record.time, *location));
        records
    }
}

/// Waits for ENTER.
fn pause(printer: &mut Printer<'_, impl Write>, step: u64, what: &str) -> Result<()> {
    printer.text(&format!("Press ENTER to print next {step} {what}."))?;
    printer.flush()?;
    io::stdin().lock().read_line(&mut String::new()).context("standard input")?;
    Ok(())
}

/// Seconds that local time is ahead of UTC.
fn utc_offset(utc_s: i64) -> i32 {
    Local.timestamp_opt(utc_s, 0).single().map_or(0, |time| time.offset().local_minus_utc())
}
