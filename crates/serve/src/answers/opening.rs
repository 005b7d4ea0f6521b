//! `open`: what there is to see. It is asked again when the index is ready, because only the index
//! knows the depth of the call stacks.

use pompeii_index::{Index, State};
use pompeii_model::{Paradigm, Region, Role};
use pompeii_otf2::read::MappedFile;
use serde::Serialize;

use super::state_number;
use crate::progress::ProgressState;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::trace::Trace;

/// Version of the wire.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Opening<'a> {
    version: u32,
    fingerprint: String,
    /// In ticks of the trace's clock; a text, because it may be larger than 2^53.
    origin: String,
    length: u64,
    ticks_per_second: u64,
    title: &'a str,
    command: &'a str,
    started: &'a str,
    host: &'a str,
    processes: Vec<Process<'a>>,
    locations: Vec<Location<'a>>,
    regions: Vec<OneRegion<'a>>,
    /// Names of sources, for the question `source`.
    files: &'a [String],
    has: Has<'a>,
    progress: ProgressState,
    /// What is wrong with the trace.
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Process<'a> {
    name: &'a str,
    first: usize,
    count: usize,
}

#[derive(Serialize)]
struct Location<'a> {
    name: &'a str,
    process: usize,
    stack_levels: usize,
    /// The same with suspended regions open.
    recorded_levels: usize,
    events: u64,
    /// Records that cannot be read.
    errors: u64,
    /// Counters that it has, by their place in `has.counters`.
    counters: Vec<usize>,
}

#[derive(Serialize)]
struct OneRegion<'a> {
    name: &'a str,
    label: String,
    file: &'a str,
    line: u32,
    state: u8,
    paradigm: &'static str,
    role: &'static str,
}

/// Kinds of data.
#[derive(Default, Serialize)]
struct Has<'a> {
    trace: bool,
    messages: bool,
    tasks: bool,
    locks: bool,
    collectives: bool,
    counters: Vec<&'a str>,
    analysis: bool,
    report: bool,
}

/// What there is to see.
pub fn open(session: &Session) -> Result<Reply, Refused> {
    let trace = session.trace().ok();
    let info = session.viewed.report.as_ref().map(|report| &report.info);
    let [fingerprint, changed] = trace.map_or([0, 0], |trace| trace.survey.fingerprint);
    let opening = Opening {
        version: VERSION,
        fingerprint: format!("{fingerprint:016x}{changed:016x}"),
        origin: trace.map_or(0, |trace| trace.survey.shape.origin).to_string(),
        length: trace.map_or(0, |trace| trace.survey.shape.length),
        ticks_per_second: trace.map_or(1, |trace| trace.definitions.ticks_per_second),
        title: &session.viewed.title,
        command: info.map_or("", |info| &info.command),
        started: info.map_or("", |info| &info.started),
        host: info.map_or("", |info| &info.host),
        processes: trace.map(processes).unwrap_or_default(),
        locations: trace.map(|trace| locations(session, trace)).unwrap_or_default(),
        regions: trace.map(regions).unwrap_or_default(),
        files: session.files(),
        has: Has {
            analysis: session.viewed.analysis.is_some(),
            report: session.viewed.report.is_some(),
            ..trace.map(has).unwrap_or_default()
        },
        progress: session.progress().state(),
        warnings: session.warnings(),
    };
    Ok(Reply::json(&opening))
}

/// Locations of a process follow each other.
fn processes(trace: &Trace) -> Vec<Process<'_>> {
    let system = &trace.definitions.system;
    let names = system.processes.iter().map(|process| &process.name);
    let mut all: Vec<Process> = names.map(|name| Process { name, first: 0, count: 0 }).collect();
    for location in 0..trace.locations() {
        if let Some(process) = all.get_mut(trace.process(location)) {
            process.first = if process.count == 0 { location } else { process.first };
            process.count += 1;
        }
    }
    all
}

fn locations<'a>(session: &Session, trace: &'a Trace) -> Vec<Location<'a>> {
    let index = session.index().ok();
    let counters = trace.definitions.counters.len();
    let location = |(number, of): (usize, &'a pompeii_model::Location)| {
        let levels =
            |of: fn(&Index<MappedFile>, usize) -> usize| index.map_or(0, |index| of(index, number));
        let counted = || (trace.events_of(number), 0);
        let (events, errors) = index.map_or_else(counted, |index| index.events(number));
        Location {
            name: &of.name,
            process: trace.process(number),
            stack_levels: levels(Index::stack_levels),
            recorded_levels: levels(Index::recorded_levels),
            events,
            errors,
            counters: index.map_or_else(Vec::new, |index| index.counters(number, counters)),
        }
    };
    trace.definitions.system.locations.iter().enumerate().map(location).collect()
}

fn regions(trace: &Trace) -> Vec<OneRegion<'_>> {
    trace.definitions.regions.iter().map(one_region).collect()
}

fn one_region(of: &Region) -> OneRegion<'_> {
    OneRegion {
        name: &of.name,
        label: of.label(),
        file: &of.file,
        line: of.begin_line,
        state: state_number(State::of(of)),
        paradigm: of.paradigm.as_str(),
        role: of.role.as_str(),
    }
}

/// What the definitions let expect.
fn has(trace: &Trace) -> Has<'_> {
    let definitions = &trace.definitions;
    let any = |is: &dyn Fn(&Region) -> bool| definitions.regions.iter().any(is);
    Has {
        trace: true,
        messages: any(&|region| {
            region.paradigm == Paradigm::Mpi && region.role == Role::PointToPoint
        }),
        tasks: any(&|region| matches!(region.role, Role::Task | Role::TaskCreate)),
        locks: any(&|region| matches!(region.role, Role::Lock | Role::Critical)),
        collectives: any(&|region| {
            matches!(
                region.role,
                Role::OneToAll | Role::AllToOne | Role::AllToAll | Role::Collective | Role::Barrier
            )
        }),
        counters: definitions.counters.iter().map(|counter| &*counter.name).collect(),
        analysis: false,
        report: false,
    }
}
