//! The chunks of loops in the tables of a trace, put together to executions of loops with the time
//! of each iteration in the order of the loop.
//!
//! The threads of a team execute a loop together. Which parts belong to the same execution follows
//! from the fork of their parallel region, and from how many executions of the loop the thread has
//! had in it before.
//!
//! A chunk consists of consecutive iterations of a thread, and the trace does not tell how many. It
//! is one iteration if the run had a call path for each iteration, or if consecutive iterations
//! belong to different threads (`static,1`). The order of the iterations follows from the schedule
//! of the run: chunks that are handed out begin in the order of the loop, and those of static
//! schedules belong to threads in turn.

use std::collections::{BTreeMap, HashMap, HashSet};

use pompeii_model::{LocationId, RegionId, Role};
use pompeii_replay::definitions::Definitions;
use pompeii_replay::engine::record::VisitId;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::table::{Batch, Content, forks, visits};

use super::schedule::{Costs, Schedule};

/// The largest number of chunks and visits of loops that are kept, and that of parts of teams: a
/// few 100 MB at most.
/// Loops of a longer trace have their first executions.
const KEPT_MAX: usize = 1 << 22;

/// How the name of a region begins that stands for an iteration.
const ITERATION: &str = "iteration=";

/// What matters about a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Parallel,
    Loop,
    Chunk,
    Iteration,
}

impl Kind {
    /// The kinds of all regions. A loop that was compiled without chunks is not of interest.
    fn all(definitions: &Definitions) -> Vec<Kind> {
        let regions = &definitions.regions;
        let place = |id: RegionId| (&regions[id].file, regions[id].begin_line);
        let mut kinds: Vec<Kind> = regions.ids().map(|id| Kind::of(definitions, id)).collect();
        let of_chunks = regions.ids().zip(&kinds).filter(|(_, kind)| **kind == Kind::Chunk);
        let with_chunks: HashSet<_> = of_chunks.map(|(id, _)| place(id)).collect();
        for (id, kind) in regions.ids().zip(&mut kinds) {
            if *kind == Kind::Loop && !with_chunks.contains(&place(id)) {
                *kind = Kind::Other;
            }
        }
        kinds
    }

    fn of(definitions: &Definitions, id: RegionId) -> Kind {
        let region = &definitions.regions[id];
        let is_value = definitions.parameters.parameter(id).is_some();
        match region.role {
            _ if is_value && region.name.starts_with(ITERATION) => Kind::Iteration,
            Role::Parallel | Role::Teams => Kind::Parallel,
            Role::Loop => Kind::Loop,
            Role::Chunk => Kind::Chunk,
            _ => Kind::Other,
        }
    }
}

/// A chunk of a thread.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    enter: u64,
    ticks: u64,
}

/// The chunks of a thread in one execution of a loop.
#[derive(Debug)]
struct Part {
    region: RegionId,
    location: LocationId,
    /// When the thread came to the loop.
    enter: u64,
    chunks: Vec<Chunk>,
    /// The call path of the chunks; `None` without a chunk.
    chunk_call: Option<NodeId>,
    /// No chunk is missing.
    is_whole: bool,
}

/// The chunks of a part that has not ended.
#[derive(Debug, Default)]
struct Open {
    chunks: Vec<Chunk>,
    call: Option<NodeId>,
    is_cut: bool,
}

/// The team of a parallel region: the location that forked it, and which of its forks it was.
type Team = (LocationId, u32);

/// An execution of a loop by a team.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// Number of threads.
    pub threads: usize,
    /// Its iterations.
    pub costs: Costs,
    /// From the first thread that came to the loop to the end of the last chunk.
    pub ticks: u64,
}

/// The executions of a loop.
#[derive(Debug)]
pub struct Found {
    /// The loop.
    pub region: RegionId,
    /// Executions of which each iteration is known, in the order of their forks.
    pub executions: Vec<Execution>,
    /// Other executions, as far as chunks of them are kept.
    pub left_out: u64,
}

/// Collects the rows of tables.
#[derive(Debug)]
pub struct Recorded {
    /// The kinds of regions.
    kinds: Vec<Kind>,
    /// The regions of call paths, with their kinds.
    calls: Vec<(RegionId, Kind)>,
    /// Call paths of chunks that have call paths for single iterations.
    single: HashSet<NodeId>,
    /// By the visits of loops that have not ended.
    open: Table<VisitId, Open>,
    /// By the visits around loops that have ended. Those of parallel regions stay.
    parts: Table<VisitId, Vec<Part>>,
    /// The teams of visits of parallel regions.
    teams: Table<VisitId, Team>,
    /// How many threads these teams have.
    sizes: HashMap<Team, usize>,
    /// Number of chunks and of parts that are kept.
    kept: usize,
    kept_max: usize,
}

/// Whether a trace with these definitions may have chunks of loops.
pub fn has_chunks(definitions: &Definitions) -> bool {
    definitions.regions.ids().any(|id| Kind::of(definitions, id) == Kind::Chunk)
}

impl Recorded {
    /// Nothing yet, of a run with these definitions.
    pub fn new(definitions: &Definitions) -> Recorded {
        Recorded {
            kinds: Kind::all(definitions),
            calls: Vec::new(),
            single: HashSet::new(),
            open: Table::default(),
            parts: Table::default(),
            teams: Table::default(),
            sizes: HashMap::new(),
            kept: 0,
            kept_max: KEPT_MAX,
        }
    }

    /// Takes a batch. Those of a location come in the order of the ends of visits.
    pub fn take(&mut self, batch: &Batch) {
        match (&batch.content, batch.location) {
            (Content::Calls(rows), _) => {
                for ((call, parent), region) in rows.call.iter().zip(&rows.parent).zip(&rows.region)
                {
                    self.define(*call, *parent, *region);
                }
            }
            (Content::Visits(rows), Some(location)) => self.visits(location, rows),
            (Content::Forks(rows), _) => self.forks(rows),
            _ => {}
        }
    }

    fn define(&mut self, call: NodeId, parent: NodeId, region: RegionId) {
        let kind = self.kinds.get(region.0 as usize).copied().unwrap_or(Kind::Other);
        let place = call.0 as usize;
        if self.calls.len() <= place {
            self.calls.resize(place + 1, (region, Kind::Other));
        }
        self.calls[place] = (region, kind);
        if kind == Kind::Iteration {
            self.single.insert(parent);
        }
    }

    fn forks(&mut self, rows: &forks::Rows) {
        for ((visit, master), number) in rows.visit.iter().zip(&rows.master).zip(&rows.number) {
            let team = (*master, *number);
            // A team is known with all of its threads or not at all.
            if self.teams.len() < self.kept_max || self.sizes.contains_key(&team) {
                self.teams.insert(*visit, team);
                *self.sizes.entry(team).or_default() += 1;
            }
        }
    }

    fn visits(&mut self, location: LocationId, rows: &visits::Rows) {
        let times = rows.enter.iter().zip(&rows.leave);
        let places = rows.visit.iter().zip(&rows.parent).zip(&rows.call);
        for ((&enter, &leave), ((&visit, &parent), &call)) in times.zip(places) {
            let Some(&(region, kind)) = self.calls.get(call.0 as usize) else { continue };
            match kind {
                Kind::Chunk => {
                    let ticks = leave.saturating_sub(enter);
                    self.chunk(parent, call, Chunk { enter, ticks });
                }
                Kind::Loop => {
                    let part = self.part(visit, location, region, enter);
                    self.parts.entry(parent).or_default().extend(part);
                }
                Kind::Parallel => {}
                Kind::Other | Kind::Iteration => self.lift(visit, parent),
            }
        }
    }

    fn chunk(&mut self, of: VisitId, call: NodeId, chunk: Chunk) {
        let open = self.open.entry(of).or_default();
        open.call = Some(call);
        if self.kept < self.kept_max {
            self.kept += 1;
            open.chunks.push(chunk);
        } else {
            open.is_cut = true;
        }
    }

    /// A loop ends on a thread. A thread without chunks has a part, too: it is one of the team.
    fn part(
        &mut self,
        visit: VisitId,
        location: LocationId,
        region: RegionId,
        enter: u64,
    ) -> Option<Part> {
        let Open { chunks, call, is_cut } = self.open.remove(&visit).unwrap_or_default();
        // Without this, the parts of a long trace would need memory without an end.
        let has_room = self.kept < self.kept_max || !chunks.is_empty();
        self.kept += usize::from(has_room);
        has_room.then_some(Part {
            region,
            location,
            enter,
            chunks,
            chunk_call: call,
            is_whole: !is_cut,
        })
    }

    /// The loops inside of a visit that is no parallel region are now inside of the one around it.
    fn lift(&mut self, visit: VisitId, parent: VisitId) {
        if let Some(parts) = self.parts.remove(&visit)
            && parent != VisitId::NONE
        {
            self.parts.entry(parent).or_default().extend(parts);
        }
    }

    /// Whether the trace may have more than is kept: only the first executions are known.
    pub fn is_full(&self) -> bool {
        self.kept.max(self.teams.len()) >= self.kept_max
    }

    /// All loops with chunks, in the order of their regions.
    pub fn loops(&self, definitions: &Definitions) -> Vec<Found> {
        let mut together: BTreeMap<(RegionId, Team, usize), Vec<&Part>> = BTreeMap::new();
        for (visit, parts) in &self.parts {
            let Some(team) = self.teams.get(visit) else { continue };
            let mut before: HashMap<RegionId, usize> = HashMap::new();
            for part in parts {
                let nth = before.entry(part.region).or_default();
                together.entry((part.region, *team, *nth)).or_default().push(part);
                *nth += 1;
            }
        }
        let mut all: Vec<Found> = Vec::new();
        let mut orders = Orders::default();
        for ((region, team, _), mut parts) in together {
            if parts.iter().all(|part| part.chunks.is_empty() && part.is_whole) {
                continue;
            }
            if all.last().is_none_or(|last| last.region != region) {
                all.push(Found { region, executions: Vec::new(), left_out: 0 });
            }
            let Some(found) = all.last_mut() else { continue };
            parts.sort_by_key(|part| part.location);
            let is_in_order = orders.sort(definitions, &mut parts);
            let is_whole = self.sizes.get(&team) == Some(&parts.len());
            match is_whole.then(|| self.execution(definitions, &parts, is_in_order)).flatten() {
                Some(execution) => found.executions.push(execution),
                None => found.left_out += 1,
            }
        }
        all
    }

    /// `None` if the time of an iteration, or the order of iterations, is not known.
    fn execution(
        &self,
        definitions: &Definitions,
        parts: &[&Part],
        is_in_order: bool,
    ) -> Option<Execution> {
        let region = &definitions.regions[parts.first()?.region];
        let (schedule, threads) = (region.schedule(), parts.len());
        let is_single = |part: &&Part| part.chunk_call.is_none_or(|it| self.single.contains(&it));
        let in_turn = schedule == "static,1" && threads > 1;
        // In an ordered loop iterations wait for each other under any schedule.
        let is_ordered = region.written_clauses().to_ascii_lowercase().contains("ordered");
        if is_ordered || !(in_turn || parts.iter().all(is_single)) {
            return None;
        }
        if !parts.iter().all(|part| part.is_whole) {
            return None;
        }
        let begin = parts.iter().map(|part| part.enter).min()?;
        let chunks = parts.iter().flat_map(|part| &part.chunks);
        let end = chunks.map(|chunk| chunk.enter.saturating_add(chunk.ticks)).max()?;
        let costs = Costs::new(in_order(&schedule, parts, is_in_order)?);
        Some(Execution { threads, costs, ticks: end.saturating_sub(begin) })
    }
}

/// The numbers of threads in their teams.
#[derive(Debug, Default)]
struct Orders {
    /// By the locations of teams in the order of their ids: the same in the order of the threads.
    /// `None` if several teams have these locations, with different numbers.
    known: HashMap<Vec<LocationId>, Option<Vec<LocationId>>>,
}

impl Orders {
    /// Brings the parts of a team, which are in the order of their locations, into that of its
    /// threads. Returns whether this order is known. It stays as it is if no team is defined.
    fn sort(&mut self, definitions: &Definitions, parts: &mut [&Part]) -> bool {
        let locations: Vec<LocationId> = parts.iter().map(|part| part.location).collect();
        let find = |locations: &Vec<LocationId>| {
            let mut orders = definitions.comms.values().map(|comm| &comm.members).filter(|all| {
                let mut sorted = (*all).clone();
                sorted.sort_unstable();
                sorted == *locations
            });
            let first = orders.next().unwrap_or(locations);
            orders.all(|other| other == first).then(|| first.clone())
        };
        let order = self.known.entry(locations).or_insert_with_key(find);
        let Some(order) = order else { return false };
        parts.sort_by_key(|part| order.iter().position(|location| *location == part.location));
        true
    }
}

/// The ticks of the iterations in the order of the loop. `parts` are in the order of the threads,
/// if that is known.
fn in_order(schedule: &str, parts: &[&Part], is_in_order: bool) -> Option<Vec<u64>> {
    if parts.len() == 1 || schedule.starts_with("dynamic") || schedule.starts_with("guided") {
        let mut chunks: Vec<&Chunk> = parts.iter().flat_map(|part| &part.chunks).collect();
        // The parts are in the order of the threads, and the sort keeps that order for equal times.
        chunks.sort_by_key(|chunk| chunk.enter);
        return Some(chunks.into_iter().map(|chunk| chunk.ticks).collect());
    }
    if !is_in_order {
        return None;
    }
    let size = match Schedule::parse(schedule)? {
        Schedule::StaticChunks(size) => size,
        _ => usize::MAX,
    };
    let mut left: Vec<&[Chunk]> = parts.iter().map(|part| part.chunks.as_slice()).collect();
    let mut ticks = Vec::new();
    while left.iter().any(|chunks| !chunks.is_empty()) {
        for chunks in &mut left {
            let (next, others) = chunks.split_at(size.min(chunks.len()));
            ticks.extend(next.iter().map(|chunk| chunk.ticks));
            *chunks = others;
        }
    }
    Some(ticks)
}

#[cfg(test)]
mod tests {
    use pompeii_replay::text::{self, TextTrace};
    use pompeii_replay::transport::local::Local;
    use pompeii_replay::{Options, Outcome, Sinks, replay_on};

    use super::*;

    /// Two threads execute four iterations of 2, 4, 6 and 8 ticks. The loop of the second parallel
    /// region is in a function.
    const TRACE: &str = "end 100
        team A = 0.0 0.1
        10 0.0 fork; team A; + parallel; + loop; + chunk; value iteration 1
        10 0.1 team A; + parallel; + loop
        11 0.1 + chunk; value iteration 2
        12 0.0 -
        13 0.0 + chunk; value iteration 3
        15 0.1 -
        16 0.1 + chunk; value iteration 4
        19 0.0 -; -; -; endteam A
        24 0.1 -; -; -; endteam A
        26 0.0 join
        30 0.0 fork; team A; + parallel; + f; + loop; + chunk; value iteration 1
        30 0.1 team A; + parallel; + f; + loop
        35 0.0 -; -; -; -; endteam A
        36 0.1 -; -; -; endteam A
        40 0.0 join";

    fn parsed(trace: &str, clauses: &str) -> TextTrace {
        let mut trace = text::parse(trace).unwrap();
        let regions = &mut trace.definitions.regions;
        for region in regions.ids().filter(|&id| regions[id].role == Role::Loop).collect::<Vec<_>>()
        {
            regions[region].clauses = clauses.to_owned();
        }
        trace
    }

    /// The loops of a trace if at most `most` chunks and parts may be kept.
    fn recorded(trace: &TextTrace, options: Options, most: usize) -> (Recorded, Outcome) {
        let mut recorded = Recorded::new(&trace.definitions);
        recorded.kept_max = most;
        let mut take = |batch: Batch| recorded.take(&batch);
        let mut found = |_| {};
        let sinks = Sinks { found: &mut found, tables: Some(&mut take), scenarios: None };
        let Ok(outcome) = replay_on(&mut Local, trace.trace(), options, sinks);
        (recorded, outcome)
    }

    /// The executions of each loop, and how many were left out.
    fn found(trace: &TextTrace, options: Options, most: usize) -> Vec<(Vec<Execution>, u64)> {
        let (recorded, outcome) = recorded(trace, options, most);
        let all = recorded.loops(&outcome.definitions).into_iter();
        all.map(|found| (found.executions, found.left_out)).collect()
    }

    fn first(trace: &str, clauses: &str) -> Option<Vec<u64>> {
        let all = found(&parsed(trace, clauses), Options::default(), KEPT_MAX);
        let [(executions, _)] = all.as_slice() else { panic!("{all:?}") };
        let first = executions.first()?;
        Some((0..first.costs.iterations()).map(|at| first.costs.ticks_of(at)).collect())
    }

    #[test]
    fn the_order_of_iterations_follows_from_the_schedule() {
        let in_order = Some(vec![2, 4, 6, 8]);
        assert_eq!(first(TRACE, "schedule(dynamic)"), in_order);
        assert_eq!(first(TRACE, "schedule(guided,n)"), in_order);
        assert_eq!(first(TRACE, "schedule(static,1)"), in_order);
        assert_eq!(first(TRACE, "schedule(static)"), Some(vec![2, 6, 4, 8]));
        assert_eq!(first(TRACE, "schedule(static,n)"), None);
        assert_eq!(first(TRACE, "schedule(dynamic) ordered"), None);
    }

    /// Location 0.2 is thread 1.
    const OTHER_NUMBERS: &str = "team A = 0.0 0.2 0.1
        10 0.0 fork; team A; + parallel; + loop; + chunk; value iteration 1
        10 0.1 team A; + parallel; + loop; + chunk; value iteration 3
        10 0.2 team A; + parallel; + loop; + chunk; value iteration 2
        11 0.0 -; -; -; endteam A
        13 0.1 -; -; -; endteam A
        12 0.2 -; -; -; endteam A
        15 0.0 join";

    #[test]
    fn threads_have_the_numbers_of_their_team() {
        let in_order = Some(vec![1, 2, 3]);
        for schedule in ["static", "static,1", "dynamic"] {
            let clauses = format!("schedule({schedule})");
            assert_eq!(first(OTHER_NUMBERS, &clauses), in_order, "{schedule}");
        }
        let unclear = format!("team B = 0.0 0.1 0.2\n{OTHER_NUMBERS}");
        assert_eq!(first(&unclear, "schedule(static)"), None);
        assert!(first(&unclear, "schedule(dynamic)").is_some());
    }

    #[test]
    fn chunks_of_several_iterations_are_left_out() {
        let values = ["1", "2", "3", "4"].map(|value| format!("; value iteration {value}"));
        let trace = values.iter().fold(TRACE.to_owned(), |text, value| text.replace(value, ""));
        assert_eq!(first(&trace, "schedule(dynamic)"), None);
        assert_eq!(first(&trace, "schedule(static)"), None);
        assert_eq!(first(&trace, "schedule(static,1)"), Some(vec![2, 4, 6, 8]));
    }

    /// The second execution has one iteration of 5 ticks.
    #[test]
    fn executions_are_the_same_for_all_threads_and_windows() {
        let trace = parsed(TRACE, "schedule(dynamic)");
        let costs = [vec![2, 4, 6, 8], vec![5]].map(Costs::new);
        let ticks = [14, 5];
        let executions = costs.into_iter().zip(ticks);
        let executions: Vec<Execution> =
            executions.map(|(costs, ticks)| Execution { threads: 2, costs, ticks }).collect();
        for (threads, window_events) in [(1, 1_000_000), (1, 1), (1, 5), (2, 3), (3, 1_000)] {
            let options = Options { threads, window_events, ..Options::default() };
            let all = found(&trace, options, KEPT_MAX);
            assert_eq!(all, [(executions.clone(), 0)], "{threads} threads, {window_events}");
        }
    }

    #[test]
    fn a_trace_with_too_many_chunks_has_the_first_executions() {
        let trace = parsed(TRACE, "schedule(dynamic)");
        // The first execution has four chunks and two parts, the second one has one chunk.
        for (most, executions, left_out) in [(10, 2, 0), (8, 2, 0), (7, 1, 0), (5, 1, 0), (4, 0, 1)]
        {
            let options = Options { window_events: 1, ..Options::default() };
            assert_eq!(recorded(&trace, options, most).0.is_full(), most < 10);
            let all = found(&trace, options, most);
            let [(found, left)] = all.as_slice() else { panic!("{all:?}") };
            assert_eq!((found.len(), *left), (executions, left_out), "{most} chunks");
        }
    }
}
