//! The engine: runs all locations through stage 1, window by window, and gives their sync records
//! to the matchers in one order.
//!
//! In a window each location reads some events. The horizon is the smallest time that a location
//! has come to: all records before it are there, so they can be matched. The others stay for the
//! next window. A location that is far ahead of the horizon does not read, so memory is that of a
//! window, whatever the length of the trace. A location that misses something (`location/mod.rs`)
//! holds the horizon back until another one has brought it. If no location of its process can go
//! on, what is missing is not in the trace, and the location that is first by (time, location)
//! goes on without.
//!
//! Several ranks have a part of the locations each (`transport/`). The horizon is that of all of
//! them, and each rank matches the records of its own locations.
//!
//! Neither windows nor threads nor ranks change a result: locations pass nothing to each other that
//! depends on them, and matchers see records in the order (time, location).

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use pompeii_model::{Id, LocationId, ProcessId};
use pompeii_otf2::event::Event;

use crate::compound::Compound;
use crate::definitions::Definitions;
use crate::engine::batches::{Sink, in_another_thread};
use crate::engine::entries::Entries;
use crate::engine::finders::Finders;
use crate::engine::home::Home;
use crate::engine::matching::Matching;
use crate::engine::options::Options;
use crate::engine::patience::Way;
use crate::engine::process::{Missing, Shared};
use crate::engine::ranks::{Ranks, Whole};
use crate::engine::record::LAST;
use crate::engine::records::{Sorted, Window};
use crate::engine::spare::Spare;
use crate::engine::stream::Stream;
use crate::engine::summary::Summary;
use crate::engine::together::Together;
use crate::engine::topics::Topics;
use crate::engine::tree::{Canonical, SharedTree};
use crate::location::{Context, Location};
use crate::matchers::all::Matchers;
use crate::outcome::Outcome;
use crate::scenario::Scenarios;
use crate::table::{self, Batch, Tables};
use crate::transport::Transport;
use crate::transport::local::Local;

/// A trace: its definitions, and the events of each location in their order.
#[derive(Debug)]
pub struct Trace {
    /// Definitions.
    pub definitions: Definitions,
    /// Events by location.
    pub streams: Vec<Stream>,
}

/// Analyses a trace. `found` gets all compounds in a fixed order; their call paths are nodes, which
/// the outcome translates.
pub fn replay(trace: Trace, options: Options, found: &mut (dyn FnMut(Compound) + Send)) -> Outcome {
    let Ok(outcome) =
        replay_on(&mut Local, trace, options, Sinks { found, tables: None, scenarios: None });
    outcome
}

/// What takes the results of an analysis while it runs.
pub struct Sinks<'a> {
    /// Takes all compounds, in a fixed order.
    pub found: &'a mut (dyn FnMut(Compound) + Send),
    /// Takes the rows of all tables, if they are wanted.
    pub tables: Option<&'a mut (dyn FnMut(Batch) + Send)>,
    /// Scenarios that take place while the trace is analysed; only with [`Options::path`], and on
    /// one rank.
    pub scenarios: Option<&'a mut Scenarios>,
}

/// The same on several ranks. Each of them has the events of some processes; the streams of all
/// other locations are [`Stream::Elsewhere`]. Each rank finds some of the compounds, in the order
/// of its own records. The first rank has the whole outcome. That of another rank has the call
/// paths only, so that it can translate its nodes.
///
/// # Errors
/// Those of the transport.
pub fn replay_on<T: Transport>(
    transport: &mut T,
    trace: Trace,
    options: Options,
    sinks: Sinks<'_>,
) -> Result<Outcome, T::Error> {
    let Sinks { found, tables, scenarios } = sinks;
    let wanted = (tables, scenarios);
    match options.threads {
        2.. if options.compounds => {
            in_another_thread(found, |found| replay_to(transport, trace, options, found, wanted))
        }
        _ => replay_to(transport, trace, options, found, wanted),
    }
}

/// The same with what takes the compounds and the rows of tables.
fn replay_to<T: Transport>(
    transport: &mut T,
    trace: Trace,
    options: Options,
    found: Sink<'_>,
    (tables, scenarios): (Option<&mut (dyn FnMut(Batch) + Send)>, Option<&mut Scenarios>),
) -> Result<Outcome, T::Error> {
    let Trace { mut definitions, streams } = trace;
    let mut ranks = Ranks::new(transport.ranks());
    let engine = Engine::new(&definitions, streams, options, tables.is_some());
    let tables = tables.map(|sink| Tables::new(&engine.tree, options.tables, sink));
    let matching = Matching::new(&definitions, found, options, tables);
    let mut whole = match transport.ranks() {
        0 | 1 => engine.match_in_one_place(transport, matching, scenarios)?,
        _ => engine.match_at_home((transport, &mut ranks), matching)?,
    };
    let Engine { tree, seats, .. } = engine;
    let seats =
        seats.into_iter().map(|seat| seat.into_inner().unwrap_or_else(|it| it.into_inner()));
    whole.summaries = seats.map(|seat| Summary::of(seat.id, &seat.location)).collect();
    ranks.collect(transport, &tree, &mut whole)?;
    let Whole { mut summaries, joins, mut amounts, incomplete, causes } = whole;
    summaries.iter().for_each(|summary| summary.counted(&mut amounts));
    let instances = options.task_instances;
    let entries =
        instances.map(|most| Entries::take(most, &mut summaries, &mut definitions.regions));
    let has_task_values = summaries.iter().any(|summary| summary.has_task_values);
    let stand_ins = |node| entries.as_ref().map_or((Vec::new(), true), |entries| entries.of(node));
    let Canonical { calls, call_of, first } = tree.canonical(has_task_values, &stand_ins);
    let calls = ranks.tell_calls(transport, (calls, call_of))?;
    let found = ((&joins, incomplete), (&causes, &amounts));
    let mut outcome = Outcome::new(definitions, calls, &summaries, found.0, found.1);
    outcome.add_entries(entries.map_or_else(Vec::new, |entries| entries.values(&first)));
    ranks.complete(&mut outcome);
    if let Some(within) = options.within {
        within.narrow(&mut outcome.definitions);
    }
    Ok(outcome)
}

/// How many windows are on their way if other threads match: one is read, one waits to be matched,
/// one is matched, and others are kept for the critical path and the causes of waiting. All of them
/// together take the memory of a few windows of one thread.
const ON_THEIR_WAY: usize = 4;

/// Windows are not divided below this number of events, because the work for each location and
/// window is little compared with that for these events.
const DIVIDED_MIN: usize = 64;

/// How many events a location may read for a window, if `on_their_way` windows exist at a time.
fn share(options: Options, locations: usize, on_their_way: usize) -> usize {
    let whole = (options.window_events / locations.max(1)).max(1);
    (whole / on_their_way).max(whole.min(DIVIDED_MIN))
}

/// The topics of the records that are written. Those of teams are needed in any case: a location
/// that has many of them waits for the horizon, and so there are never many forks whose workers
/// have not come.
fn topics(options: Options) -> Topics {
    match options.only_tables() {
        Some(tables) => Matchers::new(Some(tables)).topics().with(Topics::TEAMS),
        None => Topics::ALL,
    }
}

/// A location with its events.
struct Seat {
    id: LocationId,
    location: Location,
    stream: Stream,
    process: ProcessId,
    /// The event that could not be taken, and why.
    blocked: Option<(u64, Event, Missing)>,
    has_ended: bool,
    way: Way,
}

/// What reading some events came to.
enum Stop {
    Enough,
    Blocked(u64, Event, Missing),
}

impl Seat {
    /// Reads at most `events` events. Returns how many it has read; the end counts as one.
    fn run(&mut self, context: &Context<'_>, events: usize) -> usize {
        let mut done = 0;
        if let Some((time, event, _)) = self.blocked.take() {
            if let Err(missing) = self.location.event(context, time, &event) {
                self.blocked = Some((time, event, missing));
                return 0;
            }
            done = 1;
        }
        let location = &mut self.location;
        let stop = self.stream.visit(|next| {
            let (time, event, attributes) = match next {
                Ok(next) => next,
                Err(error) => {
                    location.note_error(&error);
                    return ControlFlow::Continue(());
                }
            };
            if !attributes.is_empty() {
                location.attributes(context.definitions, event, attributes);
            }
            if let Err(missing) = location.event(context, time, event) {
                return ControlFlow::Break(Stop::Blocked(time, event.clone(), missing));
            }
            done += 1;
            if done < events { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Enough) }
        });
        match stop {
            ControlFlow::Break(Stop::Enough) => {}
            ControlFlow::Break(Stop::Blocked(time, event, missing)) => {
                self.blocked = Some((time, event, missing));
            }
            ControlFlow::Continue(()) => {
                self.location.end(context.definitions);
                self.has_ended = true;
                done += 1;
            }
        }
        done
    }

    /// No later record of the location is earlier.
    fn frontier(&self, definitions: &Definitions) -> u64 {
        let now = self.location.now();
        self.blocked.as_ref().map_or(now, |(time, ..)| self.location.believed(definitions, *time))
    }
}

/// How far the locations of a rank have come. The smallest value of all ranks counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Events were read.
    Read,
    /// Locations have as many records as they may have, and wait for the horizon.
    Full,
    /// All locations have ended.
    Over,
}

/// Stage 1 of all locations.
struct Engine<'a> {
    definitions: &'a Definitions,
    tree: SharedTree,
    shared: Vec<Shared>,
    seats: Vec<Mutex<Seat>>,
    /// By process: its seats.
    of_process: Vec<Vec<usize>>,
    /// Memory for windows.
    spare: Arc<Spare>,
    options: Options,
}

impl<'a> Engine<'a> {
    fn new(
        definitions: &'a Definitions,
        streams: Vec<Stream>,
        options: Options,
        has_tables: bool,
    ) -> Engine<'a> {
        let tree = SharedTree::new(definitions.program_region, definitions.tasks_region);
        let shared = definitions.system.processes.iter().map(|_| Shared::default()).collect();
        let own = definitions.system.locations.ids().zip(streams);
        let own = own.filter(|(_, stream)| !matches!(stream, Stream::Elsewhere));
        let topics = topics(options);
        let seat = |(id, stream): (LocationId, Stream)| {
            let mut location = Location::new(id, definitions);
            location.write_records_of(topics);
            if options.path {
                location.keep_profiles();
            }
            if has_tables {
                location.keep_visits(options.tables);
            }
            if let Some(most) = options.task_instances {
                location.keep_instances(most);
            }
            if let Some(within) = options.within {
                location.count_within(within);
            }
            let process = definitions.system.locations[id].process;
            let (blocked, has_ended, way) = (None, false, Way::default());
            Mutex::new(Seat { id, location, stream, process, blocked, has_ended, way })
        };
        let mut of_process = vec![Vec::new(); definitions.system.processes.len()];
        let mut seats = Vec::new();
        for (place, (id, stream)) in own.enumerate() {
            of_process[definitions.system.locations[id].process.index()].push(place);
            seats.push(seat((id, stream)));
        }
        Engine { definitions, tree, shared, seats, of_process, spare: Arc::default(), options }
    }

    fn context(&self, process: ProcessId) -> Context<'_> {
        let shared = &self.shared[process.index()];
        Context { definitions: self.definitions, tree: &self.tree, shared }
    }

    fn seat(&self, place: usize) -> MutexGuard<'_, Seat> {
        self.seats[place].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The only rank matches all records. With several threads, one of them does it while the
    /// others read the next window, and the finders have threads of their own. So have compounds
    /// (`engine/batches.rs`).
    fn match_in_one_place<T: Transport>(
        &self,
        transport: &mut T,
        mut matching: Matching<'_>,
        scenarios: Option<&mut Scenarios>,
    ) -> Result<Whole, T::Error> {
        let known = (self.definitions, &self.tree);
        let finders = || Finders::new(self.definitions, scenarios);
        let mut finders = self.options.path.then(finders);
        match self.options.threads {
            0 | 1 => self.run((transport, 1), |_, window| {
                let given = matching.take(window);
                if let Some(finders) = &mut finders {
                    finders.take(known, &given);
                }
                Ok(())
            })?,
            _ => self.match_in_threads(transport, &mut matching, finders.as_mut())?,
        }
        let (mut whole, front) = Whole::of(matching);
        if let (Some(mut finders), Some(front)) = (finders, front) {
            finders.take(known, &front.end());
            whole.causes = finders.end(self.definitions);
        }
        Ok(whole)
    }

    /// Threads match the records and find the causes while others read.
    fn match_in_threads<T: Transport>(
        &self,
        transport: &mut T,
        matching: &mut Matching<'_>,
        finders: Option<&mut Finders<'_>>,
    ) -> Result<(), T::Error> {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel::<Window>(1);
            let to = finders.map(|finders| finders.start(scope, (self.definitions, &self.tree)));
            scope.spawn(move || {
                for window in receiver {
                    let given = Arc::new(matching.take(window));
                    // The receivers are there until the senders are dropped.
                    to.iter().flatten().for_each(|to| drop(to.send(given.clone())));
                }
            });
            self.run((transport, ON_THEIR_WAY), |_, window| {
                drop(sender.send(window));
                Ok(())
            })
        })
    }

    /// Each rank matches the records of its own locations.
    fn match_at_home<T: Transport>(
        &self,
        (transport, ranks): (&mut T, &mut Ranks),
        mut matching: Matching<'_>,
    ) -> Result<Whole, T::Error> {
        let own: BTreeSet<u32> =
            (0..self.seats.len()).map(|place| self.seat(place).process.0).collect();
        let own: Vec<u32> = own.into_iter().collect();
        let known = (self.definitions, &self.tree);
        let mut home = Home::meet(transport, known, (&own, self.options.path))?;
        matching.share(home.dealt());
        let mut together = self.options.path.then(|| Together::new(known, home.dealt()));
        // Short windows stay in the caches while all that is sent and received is made of them.
        self.run((transport, ON_THEIR_WAY), |transport, mut window| {
            home.trade((transport, ranks), &mut window, &mut matching)?;
            let horizon = (window.horizon.unwrap_or(u64::MAX), LocationId(0));
            let given = matching.take(window);
            let Some(together) = &mut together else { return Ok(()) };
            together.take((transport, ranks), given, matching.upto().unwrap_or(horizon))
        })?;
        home.finish((transport, ranks), &mut matching)?;
        let (mut whole, front) = Whole::of(matching);
        if let (Some(mut together), Some(front)) = (together, front) {
            let last = home.last((transport, ranks), front)?;
            together.take((transport, ranks), last, LAST)?;
            whole.causes = together.end((transport, ranks))?;
        }
        Ok(whole)
    }

    /// Reads all events; `give` gets the records of each window.
    fn run<T: Transport>(
        &self,
        (transport, on_their_way): (&mut T, usize),
        mut give: impl FnMut(&mut T, Window) -> Result<(), T::Error>,
    ) -> Result<(), T::Error> {
        let share = share(self.options, self.seats.len(), on_their_way);
        let mut records_max = share;
        loop {
            let step = self.step(share, records_max);
            let horizon = self.horizon().unwrap_or(u64::MAX);
            let horizon = transport.min(horizon)?;
            let most = transport.min(step as u64)?;
            let is_over = most == Step::Over as u64;
            give(transport, self.before((!is_over).then_some(horizon)))?;
            if is_over {
                return Ok(());
            }
            if most == Step::Full as u64 {
                records_max = records_max.saturating_mul(2);
            }
        }
    }

    /// Locations read until one of them has come further, or none of them can.
    fn step(&self, share: usize, records_max: usize) -> Step {
        loop {
            let ready: Vec<usize> =
                (0..self.seats.len()).filter(|&place| self.may_run(place, records_max)).collect();
            if self.round(&ready, share) > 0 {
                self.bring_tasks();
                return Step::Read;
            }
            if ready.len() < self.running() {
                return Step::Full;
            }
            if !self.bring_tasks() && !self.go_on_without() {
                return Step::Over;
            }
        }
    }

    fn may_run(&self, place: usize, records_max: usize) -> bool {
        let seat = self.seat(place);
        !seat.has_ended && seat.location.records().0.len() < records_max
    }

    /// Number of locations that have not ended.
    fn running(&self) -> usize {
        (0..self.seats.len()).filter(|&place| !self.seat(place).has_ended).count()
    }

    /// Each of these locations reads some events. Returns the number of events.
    fn round(&self, ready: &[usize], share: usize) -> usize {
        let (next, events) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            while let Some(&place) = ready.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut seat = self.seat(place);
                let context = self.context(seat.process);
                events.fetch_add(seat.run(&context, share), Ordering::Relaxed);
            }
        };
        // This thread is one of them.
        let others = self.options.threads.min(ready.len()).saturating_sub(1);
        thread::scope(|scope| {
            (0..others).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        self.shared.iter().for_each(Shared::settle);
        events.into_inner()
    }

    /// The smallest time that a location has come to; `None` if all have ended.
    fn horizon(&self) -> Option<u64> {
        let frontiers = (0..self.seats.len()).filter_map(|place| {
            let seat = self.seat(place);
            (!seat.has_ended).then(|| seat.frontier(self.definitions))
        });
        frontiers.min()
    }

    /// Takes the records before the horizon, which are complete; all records, if there is none.
    fn before(&self, horizon: Option<u64>) -> Window {
        let mut all = Window::with(&self.spare, horizon);
        let mut seats: Vec<_> = (0..self.seats.len()).map(|place| self.seat(place)).collect();
        let complete = |seat: &MutexGuard<'_, Seat>| {
            let (records, _) = seat.location.records();
            horizon.map_or(records.len(), |end| records.partition_point(|it| it.time < end))
        };
        let taken: Vec<usize> = seats.iter().map(complete).collect();
        let of_seats = seats.iter().zip(&taken).map(|(seat, &taken)| {
            let (records, profile) = seat.location.records();
            (&records[..taken], profile)
        });
        let mut ways: Vec<Way> = seats.iter().map(|seat| seat.way).collect();
        all.merge(&of_seats.collect::<Vec<Sorted<'_>>>(), &mut ways);
        for (seat, (taken, way)) in seats.iter_mut().zip(taken.into_iter().zip(ways)) {
            seat.way = way;
            seat.location.forget_records(taken);
            if horizon.is_none() {
                seat.location.close_suspended();
            }
            if let Some(rows) = seat.location.take_rows() {
                table::batches(seat.id, rows, &mut all.batches);
            }
        }
        all
    }

    /// Locations that miss a task get it from the location that has suspended it, as soon as all
    /// locations of the process have come to that time: before, another one may have the task in
    /// between. True if one has got what it misses.
    fn bring_tasks(&self) -> bool {
        let mut has_brought = false;
        for place in 0..self.seats.len() {
            let (process, time, missing) = match &*self.seat(place) {
                Seat { blocked: Some((time, _, missing)), process, .. } => {
                    (*process, *time, *missing)
                }
                _ => continue,
            };
            if missing == Missing::Fork || !self.have_come(place, process, time) {
                continue;
            }
            let Missing::Task(task) = missing else {
                self.seat(place).location.give_turn();
                has_brought = true;
                continue;
            };
            let mut others = self.others(place, process);
            let moved = others.find_map(|other| self.seat(other).location.give_task(task));
            if let Some(moved) = moved {
                self.seat(place).location.receive_task(task, moved);
                has_brought = true;
            }
        }
        has_brought
    }

    /// Whether all other locations of a process have come to a time.
    fn have_come(&self, place: usize, process: ProcessId, time: u64) -> bool {
        self.others(place, process).all(|other| {
            let other = self.seat(other);
            other.has_ended || other.frontier(self.definitions) >= time
        })
    }

    /// The other seats of a process.
    fn others(&self, place: usize, process: ProcessId) -> impl Iterator<Item = usize> + '_ {
        let all = self.of_process[process.index()].iter().copied();
        all.filter(move |&other| other != place)
    }

    /// No location can go on: those that are first in their processes do so without what they miss.
    /// False if all have ended.
    fn go_on_without(&self) -> bool {
        let mut first: Vec<Option<(u64, usize)>> = vec![None; self.shared.len()];
        for place in 0..self.seats.len() {
            let seat = self.seat(place);
            let candidate = Some((seat.frontier(self.definitions), place));
            let first = &mut first[seat.process.index()];
            if !seat.has_ended && (first.is_none() || candidate < *first) {
                *first = candidate;
            }
        }
        for (_, place) in first.iter().flatten() {
            self.seat(*place).location.go_on_without();
        }
        first.iter().any(Option::is_some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_on_their_way_are_shorter_but_not_too_short() {
        let options = |window_events| Options { window_events, ..Options::default() };
        assert_eq!(share(options(250_000), 8, 1), 31_250);
        assert_eq!(share(options(250_000), 8, ON_THEIR_WAY), 31_250 / ON_THEIR_WAY);
        assert_eq!(share(options(250_000), 2_000, ON_THEIR_WAY), DIVIDED_MIN);
        assert_eq!(share(options(250_000), 10_000, ON_THEIR_WAY), 25);
        assert_eq!(share(options(1), 0, 1), 1);
        assert_eq!(share(options(20), 30, ON_THEIR_WAY), 1);
    }
}
