//! Traces as texts, for tests: a line is `TIME LOCATION EVENT; EVENT; ...`.
//!
//! ```text
//! pompeii                     # the writer is Pompeii
//! end 60                      # when the measurement ends; it begins at 0
//! team A = 0.0 0.1            # locations are RANK.THREAD
//! comm W = 0 1                # ranks
//! world 0 1                   # ranks of one of several MPI jobs
//! window N = W                # of a communicator; N may stand for it in `meet` and `met`
//! group G = 0 1               # ranks
//! file F = W
//! counter flops = ACCUMULATED_START   # a mode of OTF2; then `real`, `shared`
//! 10 0.0 fork
//! 12 0.0 team A; + parallel   # enter
//! 14 0.1 team A; + parallel
//! 20 0.1 + ibarrier
//! 30 0.0 + ibarrier
//! 31 0.0 -; -; endteam A; join
//! 31 0.1 -; -; endteam A
//! ```
//!
//! | event | meaning |
//! |---|---|
//! | `+ REGION`, `-`, `- REGION` | enter; leave the innermost region of the thread, or this one |
//! | `fork`, `team T`, `endteam T`, `join` | parallel regions; the team `-` is not known |
//! | `create T THREAD N`, `switch T THREAD N`, `done T THREAD N` | tasks; number 0 is the implicit one |
//! | `create T THREAD N in:A inout:B mutexinoutset:C inoutset:D unknown` | with items of `depend` clauses; the addresses are numbers |
//! | `+ taskwait in:A` | the same for a taskwait |
//! | `acquire LOCK N`, `release LOCK N` | locks |
//! | `send RANK C TAG BYTES`, `isend ... REQUEST`, `sent REQUEST` | messages that are sent |
//! | `recv RANK C TAG BYTES`, `post REQUEST`, `irecv ... REQUEST`, `cancel REQUEST` | received |
//! | `begin`, `end OP C ROOT SENT RECEIVED` | collective operations, `end ALLREDUCE W - 8 8` |
//! | `meet`, `met N` | a fence of a window |
//! | `made N`, `freed N` | the ends of creating and of freeing a window, after `meet` |
//! | `epoch N G` | an epoch begins or ends: the function tells which |
//! | `put N RANK OPERATION`, `completed N OPERATION` | an operation on the memory of a rank |
//! | `lock N RANK exclusive`, `lock N RANK shared`, `unlock N RANK` | locks of windows; `all` stands for all ranks |
//! | `read F REQUEST`, `iread F REQUEST`, `done F REQUEST` | a collective operation on a file, a non-blocking one, its end |
//! | `start REQUEST`, `complete OP C ROOT SENT RECEIVED REQUEST` | non-blocking ones |
//! | `value NAME NUMBER` | a parameter has a value |
//! | `sums REGION VISITS TICKS` | visits without records |
//! | `count NAME VALUE` | a value of a counter |
//! | `omp fork`, `omp join`, `omp acquire LOCK N`, `omp switch N`, ... | the same without teams |
//! | `off`, `on` | recording; Pompeii enters the region `OFF` before it is off, and leaves it after that |
//! | `program`, `exit` | begin and end of the program |
//!
//! What a region is follows from its name: a construct of OpenMP (`parallel`, `ibarrier`,
//! `task_create`, `critical_body`, `omp_set_lock`, ...), a function of MPI (`MPI_Send`), a function
//! for locks of readers and writers (`pthread_rwlock_rdlock`), or else a function of the user. A
//! suffix as in `barrier:7` tells two of them apart; it is the line. A task of `task_untied` may
//! move, and `ordered_source` posts an iteration of a doacross loop.

mod show;
mod tables;
mod words;

use std::collections::HashMap;

use pompeii_model::{DEPEND_UNKNOWN, DependKind, Id, Location, LocationId, Process, ProcessId};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::enums::{self, CollectiveOp, MeasurementMode, MetricMode};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::{
    AttributeRef, CommRef, GroupRef, IoHandleRef, MetricRef, ParameterRef, RegionRef, RmaWinRef,
    StringRef,
};
use pompeii_otf2::value::{AttributeValue, Value};

use crate::counter::{Counter, CounterClass};
use crate::definitions::parameters::Kind;
use crate::definitions::{Comm, Definitions, Resource};
use crate::engine::stream::Stream;
use crate::engine::window::Trace;
use crate::transport::deal;

pub(crate) use show::place;
pub use show::{
    analyse, analyse_blame, analyse_classes, analyse_path, analyse_roots, analyse_tasks,
    matched_at_home, show, show_all, show_blame, show_path, show_roots,
};
pub use tables::analyse_tables;
use words::{legacy, location_number, lock_event, operation, region};

/// Metric classes of counters have numbers from here on, those of sums have lower ones.
const COUNTER_CLASSES: u32 = 1_000_000;

/// A trace in memory.
#[derive(Clone, Debug)]
pub struct TextTrace {
    /// Its definitions.
    pub definitions: Definitions,
    /// Its events by location.
    pub events: Vec<Vec<(u64, Event)>>,
    /// Attributes of events, by location and place among its events.
    pub attributes: HashMap<(usize, usize), Vec<AttributeValue>>,
}

impl TextTrace {
    /// As the engine takes it.
    pub fn trace(&self) -> Trace {
        let stream = |(location, events): (usize, &Vec<(u64, Event)>)| {
            let with = |(place, (time, event)): (usize, &(u64, Event))| {
                let attributes = self.attributes.get(&(location, place));
                (*time, event.clone(), attributes.cloned().unwrap_or_default())
            };
            Stream::Memory(events.iter().enumerate().map(with).rev().collect())
        };
        let streams = self.events.iter().enumerate().map(stream).collect();
        Trace { definitions: self.definitions.clone(), streams }
    }

    /// As one of several ranks of the analysis takes it.
    pub fn part(&self, ranks: usize, rank: usize) -> Trace {
        let events = self.events.iter().map(|events| events.len() as u64).collect();
        let rank_of = deal::deal(&self.definitions, &events, ranks);
        let Trace { definitions, streams } = self.trace();
        let own = deal::own(&definitions, &rank_of, rank).into_iter();
        let own = own.zip(streams).map(|(is_own, stream)| match is_own {
            true => stream,
            false => Stream::Elsewhere,
        });
        Trace { streams: own.collect(), definitions }
    }
}

/// Reads a text. An error names the line.
pub fn parse(text: &str) -> Result<TextTrace, String> {
    let lines = || {
        let lines = (1..).zip(text.lines());
        lines.filter_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default().trim();
            (!line.is_empty()).then_some((number, line))
        })
    };
    let mut parser = Parser::new();
    parser.find_locations(lines().map(|(_, line)| line));
    for (number, line) in lines() {
        parser.line(line).ok_or_else(|| format!("line {number}: not understood: {line}"))?;
    }
    let Parser { definitions, events, attributes, .. } = parser;
    Ok(TextTrace { definitions, events, attributes })
}

struct Parser {
    definitions: Definitions,
    events: Vec<Vec<(u64, Event)>>,
    attributes: HashMap<(usize, usize), Vec<AttributeValue>>,
    locations: HashMap<String, LocationId>,
    regions: HashMap<String, u32>,
    comms: HashMap<String, u32>,
    resources: HashMap<String, u32>,
    /// Open regions by location and task.
    open: HashMap<(LocationId, String), Vec<u32>>,
    /// Names of the running tasks.
    task: HashMap<LocationId, String>,
}

impl Parser {
    fn new() -> Parser {
        Parser {
            definitions: Definitions::new("program"),
            events: Vec::new(),
            attributes: HashMap::new(),
            locations: HashMap::new(),
            regions: HashMap::new(),
            comms: HashMap::new(),
            resources: HashMap::new(),
            open: HashMap::new(),
            task: HashMap::new(),
        }
    }

    /// Ranks and threads are defined in their order, wherever they are named.
    fn find_locations<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for line in lines {
            all.extend(line.split_whitespace().filter_map(location_number));
        }
        all.sort_unstable();
        all.dedup();
        for (rank, thread) in all {
            let system = &mut self.definitions.system;
            let id = LocationId::from_index(system.locations.len());
            while system.processes.len() <= rank as usize {
                let rank = system.processes.len() as u32;
                let (name, node) = (format!("rank {rank}"), "node".to_owned());
                system.processes.push(Process { name, rank, node, master: id, wall_ticks: 0 });
            }
            let name = format!("{rank}.{thread}");
            system.locations.push(Location { name: name.clone(), process: ProcessId(rank) });
            self.definitions.location_ids.push(u64::from(thread) << 32 | u64::from(rank));
            self.locations.insert(name, id);
            self.events.push(Vec::new());
        }
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["end", time] => {
                self.definitions.end = time.parse().ok()?;
                for process in self.definitions.system.processes.iter_mut() {
                    process.wall_ticks = self.definitions.end.cast_signed();
                }
            }
            ["pompeii"] => self.definitions.tells_off = true,
            ["team", name, "=", members @ ..] => {
                let member = |member: &&str| self.locations.get(*member).copied();
                let members = members.iter().map(member).collect::<Option<Vec<_>>>()?;
                self.comm(name, members);
            }
            ["comm", name, "=", ranks @ ..] => {
                let member = |rank: &&str| self.locations.get(&format!("{rank}.0")).copied();
                let members = ranks.iter().map(member).collect::<Option<Vec<_>>>()?;
                self.comm(name, members);
            }
            ["world", ranks @ ..] => {
                let member = |rank: &&str| self.locations.get(&format!("{rank}.0")).copied();
                let members = ranks.iter().map(member).collect::<Option<Vec<_>>>()?;
                self.definitions.add_world(&members);
            }
            ["window", name, "=", comm] => self.resource((Resource::Window, name), comm)?,
            ["group", name, "=", ranks @ ..] => {
                let member = |rank: &&str| self.locations.get(&format!("{rank}.0")).copied();
                let members = ranks.iter().map(member).collect::<Option<Vec<_>>>()?;
                let id = self.resources.len() as u32;
                self.resources.insert((*name).to_owned(), id);
                self.definitions.groups.insert(id, members);
            }
            ["file", name, "=", comm] => self.resource((Resource::File, name), comm)?,
            ["counter", name, "=", mode, words @ ..] => self.counter(name, mode, words)?,
            [time, location, ..] => {
                let (time, id) = (time.parse().ok()?, *self.locations.get(*location)?);
                let events = line.split_once(location)?.1;
                for event in events.split(';') {
                    let words: Vec<&str> = event.split_whitespace().collect();
                    let event = self.event(id, &words)?;
                    self.events[id.index()].push((time, event));
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn comm(&mut self, name: &str, members: Vec<LocationId>) {
        let id = self.comms.len() as u32;
        self.comms.insert(name.to_owned(), id);
        self.definitions.comms.insert(id, Comm { members, ..Comm::default() });
    }

    /// A window or a file has the number of its name among all of them.
    fn resource(&mut self, (resource, name): (Resource, &str), comm: &str) -> Option<()> {
        let id = self.resources.len() as u32;
        self.resources.insert(name.to_owned(), id);
        self.definitions.add_resource((resource, id), *self.comms.get(comm)?);
        Some(())
    }

    fn event(&mut self, location: LocationId, words: &[&str]) -> Option<Event> {
        Some(match words {
            ["+", region, items @ ..] => {
                self.items(location, items)?;
                let region = self.region(region);
                self.stack(location).push(region);
                Enter { region: RegionRef(region) }.into()
            }
            ["-"] => Leave { region: RegionRef(self.stack(location).pop()?) }.into(),
            ["-", region] => {
                let region = self.region(region);
                self.stack(location).retain(|open| *open != region);
                Leave { region: RegionRef(region) }.into()
            }
            ["fork"] => {
                ThreadFork { model: enums::Paradigm::OPENMP, number_of_requested_threads: 2 }.into()
            }
            ["join"] => ThreadJoin { model: enums::Paradigm::OPENMP }.into(),
            ["team", team] => ThreadTeamBegin { thread_team: self.comm_ref(team)? }.into(),
            ["endteam", team] => ThreadTeamEnd { thread_team: self.comm_ref(team)? }.into(),
            ["off"] => MeasurementOnOff { measurement_mode: MeasurementMode::OFF }.into(),
            ["on"] => MeasurementOnOff { measurement_mode: MeasurementMode::ON }.into(),
            ["program"] => {
                let (program_name, program_arguments) = (StringRef(0), Vec::new());
                ProgramBegin { program_name, program_arguments }.into()
            }
            ["exit"] => ProgramEnd { exit_status: 0 }.into(),
            ["value", name, number] => self.value(name, number)?,
            ["omp", words @ ..] => legacy(words)?,
            ["count", name, value] => self.count(name, value)?,
            ["sums", region, visits, ticks] => self.sums(region, visits, ticks)?,
            ["create", team, thread, number, items @ ..] => {
                self.items(location, items)?;
                self.task(location, "create", (team, thread, number))?
            }
            [kind @ ("switch" | "done"), team, thread, number] => {
                self.task(location, kind, (team, thread, number))?
            }
            [kind @ ("acquire" | "release"), lock, order] => lock_event(kind, lock, order)?,
            _ => match self.resource_event(words).or_else(|| self.window_event(words)) {
                Some(event) => event,
                None => self.mpi(words)?,
            },
        })
    }

    /// An event of a window or a file.
    fn resource_event(&self, words: &[&str]) -> Option<Event> {
        let number = |name: &str| self.resources.get(name).copied();
        let flags = enums::IoOperationFlag::COLLECTIVE;
        Some(match words {
            ["meet"] => RmaCollectiveBegin {}.into(),
            [kind @ ("met" | "made" | "freed"), window] => RmaCollectiveEnd {
                collective_op: match *kind {
                    "met" => CollectiveOp::BARRIER,
                    "made" => CollectiveOp::CREATE_HANDLE,
                    _ => CollectiveOp::DESTROY_HANDLE,
                },
                sync_level: enums::RmaSyncLevel::PROCESS,
                win: RmaWinRef(number(window)?),
                root: ROOT_NONE,
                bytes_sent: 0,
                bytes_received: 0,
            }
            .into(),
            [kind @ ("read" | "iread"), file, request] => IoOperationBegin {
                handle: IoHandleRef(number(file)?),
                mode: enums::IoOperationMode::READ,
                operation_flags: match *kind {
                    "read" => flags,
                    _ => flags | enums::IoOperationFlag::NON_BLOCKING,
                },
                bytes_request: 8,
                matching_id: request.parse().ok()?,
            }
            .into(),
            ["done", file, request] => IoOperationComplete {
                handle: IoHandleRef(number(file)?),
                bytes_result: 8,
                matching_id: request.parse().ok()?,
            }
            .into(),
            _ => return None,
        })
    }

    /// An event of one process that has to do with a window.
    fn window_event(&self, words: &[&str]) -> Option<Event> {
        let window = |name: &str| self.resources.get(name).copied().map(RmaWinRef);
        let rank = |word: &str| if word == "all" { Some(u32::MAX) } else { word.parse().ok() };
        Some(match words {
            ["epoch", name, group] => RmaGroupSync {
                sync_level: enums::RmaSyncLevel::PROCESS,
                win: window(name)?,
                group: GroupRef(*self.resources.get(*group)?),
            }
            .into(),
            ["put", name, target, number] => RmaPut {
                win: window(name)?,
                remote: rank(target)?,
                bytes: 8,
                matching_id: number.parse().ok()?,
            }
            .into(),
            ["completed", name, number] => {
                let (win, matching_id) = (window(name)?, number.parse().ok()?);
                RmaOpCompleteNonBlocking { win, matching_id }.into()
            }
            ["lock", name, target, kind] => RmaRequestLock {
                win: window(name)?,
                remote: rank(target)?,
                lock_id: 0,
                lock_type: match *kind {
                    "exclusive" => enums::LockType::EXCLUSIVE,
                    _ => enums::LockType::SHARED,
                },
            }
            .into(),
            ["unlock", name, target] => {
                RmaReleaseLock { win: window(name)?, remote: rank(target)?, lock_id: 0 }.into()
            }
            _ => return None,
        })
    }

    fn stack(&mut self, location: LocationId) -> &mut Vec<u32> {
        let task = self.task.get(&location).cloned().unwrap_or_default();
        self.open.entry((location, task)).or_default()
    }

    fn comm_ref(&self, name: &str) -> Option<CommRef> {
        if name == "-" {
            return Some(CommRef::UNDEFINED);
        }
        self.comms.get(name).map(|id| CommRef(*id))
    }

    fn region(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.regions.get(name) {
            return id;
        }
        let id = self.regions.len() as u32;
        match name {
            "OFF" => self.definitions.name_region(id, self.definitions.off_region),
            _ => drop(self.definitions.add_region(id, region(name))),
        }
        self.regions.insert(name.to_owned(), id);
        id
    }

    /// A metric class for each counter.
    fn counter(&mut self, name: &str, mode: &str, words: &[&str]) -> Option<()> {
        let mode = MetricMode::ALL.iter().find(|(_, known)| *known == mode)?.0;
        let counter = Counter { is_real: words.contains(&"real"), ..Counter::new(name, mode) };
        let id = self.definitions.add_counter(counter);
        let shared = words.contains(&"shared").then_some(0);
        let class = CounterClass { members: vec![id], shared };
        self.definitions.counter_classes.insert(COUNTER_CLASSES + id.0, class);
        Some(())
    }

    fn count(&self, name: &str, value: &str) -> Option<Event> {
        let counters = &self.definitions.counters;
        let (id, counter) = counters.enumerated().find(|(_, counter)| counter.name == name)?;
        let value = match counter.is_real {
            true => MetricValue::F64(value.parse().ok()?),
            false => MetricValue::I64(value.parse().ok()?),
        };
        let metric = MetricRef(COUNTER_CLASSES + id.0);
        Some(Metric { metric, values: vec![value] }.into())
    }

    /// A metric class for each region with sums, with the number of the region.
    fn sums(&mut self, name: &str, visits: &str, ticks: &str) -> Option<Event> {
        let id = self.region(name);
        let region = self.definitions.region(RegionRef(id));
        self.definitions.add_sums(id, region);
        let value = |text: &str| text.parse().ok().map(MetricValue::U64);
        let values = vec![value(visits)?, value(ticks)?, value("0")?, value("0")?];
        Some(Metric { metric: MetricRef(id), values }.into())
    }

    /// A region for each value of a parameter, which has the number of a region named like it.
    fn value(&mut self, name: &str, number: &str) -> Option<Event> {
        let parameter = self.region(name);
        let region = RegionRef(self.region(&format!("{name}={number}")));
        let (region, of) = (self.definitions.region(region), (parameter, Kind::Signed));
        self.definitions.parameters.add(of, number, region, &|_| Vec::new());
        let parameter = ParameterRef(parameter);
        Some(ParameterInt { parameter, value: number.parse().ok()? }.into())
    }

    /// Items of `depend` clauses of the next event. Each place of an item has an attribute for each
    /// kind, as in an archive.
    fn items(&mut self, location: LocationId, items: &[&str]) -> Option<()> {
        let mut attributes = Vec::new();
        for (place, item) in (1..).zip(items) {
            let (name, value) = match item.split_once(':') {
                Some((kind, address)) => (format!("depend({kind}) {place}"), address.parse().ok()?),
                None if *item == "unknown" => (DEPEND_UNKNOWN.to_owned(), 1),
                None => return None,
            };
            let kinds = DependKind::ALL.len() as u32;
            let kind = DependKind::of_attribute(&name).map_or(0, |kind| 1 + kind as u32);
            let id = if kind == 0 { 0 } else { place * kinds + kind };
            self.definitions.depend.add(id, &name);
            let attribute = AttributeRef(id);
            attributes.push(AttributeValue { attribute, value: Value::U64(value) });
        }
        let place = self.events[location.index()].len();
        if !attributes.is_empty() {
            self.attributes.insert((location.index(), place), attributes);
        }
        Some(())
    }

    fn task(
        &mut self,
        location: LocationId,
        kind: &str,
        (team, thread, number): (&str, &str, &str),
    ) -> Option<Event> {
        let thread_team = self.comm_ref(team)?;
        let (creating_thread, generation_number) = (thread.parse().ok()?, number.parse().ok()?);
        let name = format!("{team} {thread} {number}");
        Some(match kind {
            "create" => ThreadTaskCreate { thread_team, creating_thread, generation_number }.into(),
            "switch" => {
                // A call stack moves with its task.
                let open =
                    self.open.iter().find(|((_, task), open)| *task == name && !open.is_empty());
                if let Some(((from, _), _)) = open.map(|(key, _)| (key.clone(), ()))
                    && number != "0"
                {
                    let stack = self.open.remove(&(from, name.clone())).unwrap_or_default();
                    self.open.insert((location, name.clone()), stack);
                }
                self.task.insert(location, if number == "0" { String::new() } else { name });
                ThreadTaskSwitch { thread_team, creating_thread, generation_number }.into()
            }
            _ => ThreadTaskComplete { thread_team, creating_thread, generation_number }.into(),
        })
    }

    fn mpi(&self, words: &[&str]) -> Option<Event> {
        let number = |text: &&str| text.parse::<u64>().ok();
        let small = |text: &&str| text.parse::<u32>().ok();
        Some(match words {
            ["send", receiver, comm, tag, bytes] => MpiSend {
                receiver: small(receiver)?,
                communicator: self.comm_ref(comm)?,
                msg_tag: small(tag)?,
                msg_length: number(bytes)?,
            }
            .into(),
            ["isend", receiver, comm, tag, bytes, request] => MpiIsend {
                receiver: small(receiver)?,
                communicator: self.comm_ref(comm)?,
                msg_tag: small(tag)?,
                msg_length: number(bytes)?,
                request_id: number(request)?,
            }
            .into(),
            ["sent", request] => MpiIsendComplete { request_id: number(request)? }.into(),
            ["post", request] => MpiIrecvRequest { request_id: number(request)? }.into(),
            ["cancel", request] => MpiRequestCancelled { request_id: number(request)? }.into(),
            ["recv", sender, comm, tag, bytes] => MpiRecv {
                sender: small(sender)?,
                communicator: self.comm_ref(comm)?,
                msg_tag: small(tag)?,
                msg_length: number(bytes)?,
            }
            .into(),
            ["irecv", sender, comm, tag, bytes, request] => MpiIrecv {
                sender: small(sender)?,
                communicator: self.comm_ref(comm)?,
                msg_tag: small(tag)?,
                msg_length: number(bytes)?,
                request_id: number(request)?,
            }
            .into(),
            ["start", request] => {
                NonBlockingCollectiveRequest { request_id: number(request)? }.into()
            }
            ["complete", op, comm, root, sent, received, request] => {
                NonBlockingCollectiveComplete {
                    collective_op: operation(op)?,
                    communicator: self.comm_ref(comm)?,
                    root: if *root == "-" { ROOT_NONE } else { small(root)? },
                    size_sent: number(sent)?,
                    size_received: number(received)?,
                    request_id: number(request)?,
                }
                .into()
            }
            ["begin"] => MpiCollectiveBegin {}.into(),
            ["end", op, comm, root, sent, received] => MpiCollectiveEnd {
                collective_op: operation(op)?,
                communicator: self.comm_ref(comm)?,
                root: if *root == "-" { ROOT_NONE } else { small(root)? },
                size_sent: number(sent)?,
                size_received: number(received)?,
            }
            .into(),
            _ => return None,
        })
    }
}
