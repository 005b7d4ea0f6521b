//! Stage 1: the state machine of one location. It follows call stacks, adds times and visits to
//! call paths, and writes sync records. Since it needs almost nothing of other locations, all
//! locations run in parallel, without a common order of events.
//!
//! Two events need another location of the process: the begin of a worker's part (where did the
//! master fork?) and the resumption of a task that another thread has suspended. If the answer is
//! not there yet, [`Location::event`] changes nothing and says so; the same event is tried again
//! later (`engine/window.rs`).

mod counters;
mod legacy;
mod locks;
mod messages;
mod off;
mod parameters;
mod resources;
mod sums;
mod tasks;
mod teams;
mod visits;
mod windows;

use pompeii_model::{LocationId, RegionId};
use pompeii_otf2::Error;
use pompeii_otf2::event::Event;
use pompeii_otf2::reference::{CommRef, RegionRef};

use crate::definitions::parameters::Value;
use crate::definitions::{Class, Definitions};
use crate::engine::instances::{Instances, Row};
use crate::engine::process::{Fork, Gaps, Missing, Shared};
use crate::engine::record::{ForkId, Rec, Scope, TaskId, VisitId, What, WindowCall};
use crate::engine::strand::{Frame, Moved, Strand};
use crate::engine::topics::Topics;
use crate::engine::tree::{Local, LocalTree, NodeId, SharedTree};
use crate::hash::Table;
use crate::table::Wanted;
use crate::within::Within;

use counters::Counting;
use teams::{Part, PartBegin};
use visits::OwnTables;

/// What all locations use.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Definitions of the trace.
    pub definitions: &'a Definitions,
    /// The call tree of all locations.
    pub tree: &'a SharedTree,
    /// What the locations of the process tell each other.
    pub shared: &'a Shared,
}

impl Context<'_> {
    /// Whether the fork of a team that is not known will not be known later either.
    fn has_lost(&self, team: u32) -> bool {
        let master = self.definitions.comms.get(&team).and_then(|comm| comm.members.first());
        master.is_some_and(|master| self.shared.has_lost(*master))
    }
}

/// A location while its events are read.
#[derive(Debug)]
pub struct Location {
    id: LocationId,
    tree: LocalTree,
    /// The current task.
    strand: Strand,
    /// Time up to which values are complete; no event may be earlier.
    now: u64,
    /// No two events of the location are further from each other.
    longest_step: u64,
    /// What is counted.
    within: Within,
    /// Whether the first event has come.
    has_begun: bool,
    /// The next event needs a look at [`Location::part_begin`] or [`Location::unknown_task`].
    is_between: bool,
    /// Parallel regions that it takes part in, from the outside in. The first one stands for the
    /// time outside of all.
    parts: Vec<Part>,
    /// How often it has begun a part in each team.
    begins: Table<u32, u32>,
    forks: u32,
    /// Those that have not joined, from the outside in.
    open_forks: Vec<ForkId>,
    /// A fork whose team has not begun.
    fork: Option<Fork>,
    /// A part whose parallel region has not been entered.
    part_begin: Option<PartBegin>,
    /// Where a master goes on when its team joins.
    after_join: Option<Local>,
    /// Explicit tasks that are not running.
    suspended: Table<TaskId, Strand>,
    /// A task that was switched to and is not known here: the next event tells whether it begins.
    unknown_task: Option<TaskId>,
    /// That task, from the location which had suspended it.
    arrived: Option<(TaskId, Moved)>,
    /// The task that was created last, while its creation is open and it does not run.
    created: Option<TaskId>,
    /// Items of `depend` clauses of the task that the next event creates, or of the taskwait that
    /// it enters.
    items: Vec<What>,
    /// Locks that it has for reading, with the numbers of the acquisitions.
    shared: Vec<(u32, u32)>,
    /// An ordered construct is open whose body has not begun.
    waits_for_turn: bool,
    /// All other locations have come to the time of the next event.
    has_turn: bool,
    /// Recording is off, and the region that stands for that has no records.
    is_off: bool,
    /// Records were dropped, so parts of parallel regions cannot be numbered any more.
    has_lost: bool,
    /// Other locations do not know what is missing, either: go on without it.
    goes_on_without: bool,
    /// The calls that have begun the non-blocking collective operations of requests.
    operations: Table<u64, Local>,
    /// The collective operation on a file that it is in: the file, and the operation's number.
    file_operation: Option<(u32, u64)>,
    /// What the current call of MPI does with a window.
    window_call: Option<WindowCall>,
    /// The process that an operation accesses which is not complete, by window and number.
    under_way: Table<(u32, u64), u32>,
    /// What it counts besides time, if the trace has counters.
    counting: Option<Box<Counting>>,
    /// The task instances that it executes, if each one has an entry of its own.
    instances: Option<Box<Instances>>,
    gaps: Gaps,
    /// Forks of a kind that has no teams (`location/legacy.rs`).
    forks_without_team: u64,
    first_error: Option<String>,
    /// Its rows of tables, if they are wanted.
    tables: Option<Box<OwnTables>>,
    /// The topics of its records.
    topics: Topics,
    records: Vec<Rec>,
    /// Times between records.
    profile: Profile,
}

/// Times of call paths.
pub type Profile = Vec<(NodeId, i64)>;

impl Location {
    /// A location before its first event.
    pub fn new(id: LocationId, definitions: &Definitions) -> Location {
        let roots = (definitions.program_region, definitions.tasks_region);
        Location {
            id,
            tree: LocalTree::new(id, roots),
            strand: Strand::at(None),
            now: 0,
            longest_step: definitions.longest_step(),
            within: Within::WHOLE,
            has_begun: false,
            is_between: false,
            parts: vec![Part::outside()],
            begins: Table::default(),
            forks: 0,
            open_forks: Vec::new(),
            fork: None,
            part_begin: None,
            after_join: None,
            suspended: Table::default(),
            unknown_task: None,
            arrived: None,
            created: None,
            items: Vec::new(),
            shared: Vec::new(),
            waits_for_turn: false,
            has_turn: false,
            is_off: false,
            has_lost: false,
            goes_on_without: false,
            operations: Table::default(),
            file_operation: None,
            window_call: None,
            under_way: Table::default(),
            counting: Counting::of(definitions),
            instances: None,
            gaps: Gaps::default(),
            forks_without_team: 0,
            first_error: None,
            tables: None,
            topics: Topics::ALL,
            records: Vec::new(),
            profile: Vec::new(),
        }
    }

    /// Records have the times of call paths since the record before.
    pub fn keep_profiles(&mut self) {
        self.tree.keep_profiles();
    }

    /// Counts only what lies in a part of the time. Counters of the program are left out, because
    /// what they counted between two readings has no time.
    pub fn count_within(&mut self, within: Within) {
        self.within = within;
        self.counting = None;
    }

    /// From now on, task instances have values of their own, at most `most` of a construct.
    pub fn keep_instances(&mut self, most: usize) {
        self.instances = Some(Box::new(Instances::new(most)));
    }

    /// The task instances that it has executed.
    pub fn instances(&self) -> Vec<Row> {
        self.instances.as_ref().map_or_else(Vec::new, |instances| instances.rows())
    }

    /// From now on, visits have numbers, and rows in tables.
    pub fn keep_visits(&mut self, wanted: Wanted) {
        self.tables = Some(Box::new(OwnTables::new(wanted)));
    }

    /// Only records of these topics are written.
    pub fn write_records_of(&mut self, topics: Topics) {
        self.topics = topics;
    }

    /// Time of the last event: no later record is earlier.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Call paths and values.
    pub fn tree(&self) -> &LocalTree {
        &self.tree
    }

    /// Forks of a kind that has no teams.
    pub fn forks_without_team(&self) -> u64 {
        self.forks_without_team
    }

    /// What is wrong with its events.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// Sync records that have not been taken, and the times between them. No record is earlier than
    /// the one before it.
    pub fn records(&self) -> (&[Rec], &[(NodeId, i64)]) {
        (&self.records, &self.profile)
    }

    /// The first records have been taken, with their times.
    pub fn forget_records(&mut self, taken: usize) {
        // Profiles follow each other as their records do.
        let end = |record: &Rec| record.profile.0 + record.profile.1;
        let used = self.records[..taken].last().map_or(0, end);
        self.records.drain(..taken);
        self.profile.drain(..used as usize);
        for record in &mut self.records {
            record.profile.0 -= used;
        }
    }

    /// An error while reading its events.
    pub fn note_error(&mut self, error: &Error) {
        self.gaps.errors += 1;
        self.first_error.get_or_insert_with(|| error.to_string());
    }

    /// The first error while reading its events.
    pub fn first_error(&self) -> Option<&str> {
        self.first_error.as_deref()
    }

    /// The next event goes on, even if what it needs is missing.
    pub fn go_on_without(&mut self) {
        self.goes_on_without = true;
    }

    /// Takes an event. If something of another location is missing, nothing has changed.
    #[inline]
    pub fn event(
        &mut self,
        context: &Context<'_>,
        time: u64,
        event: &Event,
    ) -> Result<(), Missing> {
        if self.is_odd(time) {
            return self.odd_event(context, time, event);
        }
        self.event_in_order(context, time, event)
    }

    #[inline]
    fn event_in_order(
        &mut self,
        context: &Context<'_>,
        time: u64,
        event: &Event,
    ) -> Result<(), Missing> {
        match event {
            Event::Enter(enter) => self.enter(context, time, enter.region),
            Event::Leave(leave) => self.leave(context, time, leave.region),
            _ => self.other(context, time, event),
        }
    }

    /// An event that is earlier than the one before it, or much later than the end of the
    /// measurement, counts as if it had happened at that time. The first event of a location may
    /// be at any time.
    #[cold]
    fn odd_event(
        &mut self,
        context: &Context<'_>,
        time: u64,
        event: &Event,
    ) -> Result<(), Missing> {
        let believed = self.believed(context.definitions, time);
        self.event_in_order(context, believed, event)?;
        if time == believed {
            return Ok(());
        }
        self.gaps.backward += u64::from(time < self.now);
        self.gaps.beyond += u64::from(time > self.now);
        Ok(())
    }

    #[inline]
    fn is_odd(&self, time: u64) -> bool {
        time.wrapping_sub(self.now) > self.longest_step
    }

    /// The time at which an event of this time counts.
    pub fn believed(&self, definitions: &Definitions, time: u64) -> u64 {
        let latest = definitions.end.saturating_add(self.longest_step);
        let is_first = self.now == 0 && time <= latest;
        if self.is_odd(time) && !is_first { self.now } else { time }
    }

    fn other(
        &mut self,
        context: &Context<'_>,
        mut time: u64,
        event: &Event,
    ) -> Result<(), Missing> {
        if !self.has_begun {
            self.begin(context, time, event);
        }
        if let (Event::ThreadTeamBegin(begin), true) = (event, legacy::begins_team(event)) {
            return self.team_begin(context, time, begin.thread_team);
        }
        if let Event::Metric(metric) = event {
            self.read_counters(context, time, metric);
            if !context.definitions.sums.contains_key(&metric.metric.0) {
                return Ok(());
            }
        }
        if self.is_between {
            self.settle(context, None)?;
            // The part began later, if times go back.
            time = time.max(self.now);
        }
        match event {
            Event::ThreadFork(_) => self.team_fork(time),
            Event::ThreadTeamEnd(it) if it.thread_team != CommRef::UNDEFINED => self.team_end(time),
            Event::ThreadJoin(_) => self.team_join(time),
            Event::ThreadTaskCreate(it) => {
                let (team, thread) = (it.thread_team.0, it.creating_thread);
                let task = TaskId { team, thread, generation: it.generation_number };
                self.create(time, task);
            }
            Event::ThreadTaskSwitch(it) => {
                let (team, thread) = (it.thread_team.0, it.creating_thread);
                let to = TaskId { team, thread, generation: it.generation_number };
                self.switch(context, time, to)?;
            }
            Event::ThreadTaskComplete(it) => {
                let (team, thread) = (it.thread_team.0, it.creating_thread);
                let task = TaskId { team, thread, generation: it.generation_number };
                self.complete(context, time, task);
            }
            Event::ThreadAcquireLock(it) => {
                self.acquire(context.definitions, time, (it.lock_id, it.acquisition_order));
            }
            Event::ThreadReleaseLock(it) => {
                self.release_lock(time, (it.lock_id, it.acquisition_order));
            }
            Event::Metric(metric) => self.sums(context, time, metric),
            Event::MeasurementOnOff(it) => self.on_off(context, time, it.measurement_mode),
            Event::ProgramEnd(_) => {
                self.account(time);
                self.strand = Strand::at(None);
            }
            _ => match Value::of(event) {
                Some(value) => self.parameter(context, time, value),
                None if legacy::is_legacy(event) => return self.legacy(context, time, event),
                None if self.resource(context.definitions, time, event) => {}
                None => self.mpi(time, event),
            },
        }
        Ok(())
    }

    /// The first event: time counts from the begin of the measurement, or on a worker from its
    /// first fork on. Threads that are neither masters nor workers begin when they come.
    #[cold]
    fn begin(&mut self, context: &Context<'_>, time: u64, event: &Event) {
        self.has_begun = true;
        if legacy::begins_team(event) {
            return;
        }
        self.now = time;
        self.strand.node = Some(LocalTree::PROGRAM);
        let is_master = context.definitions.system.master(self.id) == self.id;
        if is_master && !matches!(event, Event::ProgramBegin(_)) {
            self.now = time.min(context.definitions.begin);
        }
        let is_counted = is_master && self.within.has(self.now);
        self.tree.values(LocalTree::PROGRAM).visits += u64::from(is_counted);
    }

    /// The trace ends.
    pub fn end(&mut self, definitions: &Definitions) {
        let end = definitions.end;
        self.gaps.open_regions += self.strand.frames.len() as u64;
        if self.has_begun {
            self.record_here(What::Cut);
        }
        self.account(end.max(self.now));
        self.end_fragment(self.now);
        self.close_all();
        self.end_counters(definitions);
        if self.has_begun {
            self.record_here(What::End);
        }
    }

    /// Adds the time since the last event to the current call path.
    #[inline]
    fn account(&mut self, time: u64) {
        if let Some(node) = self.strand.node {
            self.tree.add_ticks(node, self.within.ticks(self.now, time));
            if let Some(counting) = self.counting.as_mut().filter(|_| time > self.now) {
                counting.note(&self.tree, node);
            }
        }
        self.now = time;
    }

    /// Accounts time, and writes a record at the current call path.
    #[inline]
    fn note(&mut self, time: u64, what: What) {
        self.account(time);
        self.record_here(what);
    }

    #[inline]
    fn record(&mut self, (node, visit): (Local, VisitId), what: What) {
        if !self.topics.meet(what.topic()) {
            return;
        }
        let (time, location, node) = (self.now, self.id, self.tree.shared(node));
        let begin = self.profile.len();
        self.tree.take_profile(&mut self.profile);
        let profile = (begin as u32, (self.profile.len() - begin) as u32);
        self.records.push(Rec { time, location, node, visit, what, profile });
    }

    /// An event comes after a begin of a part or a switch to an unknown task. `entered` is the
    /// region if the event is its Enter.
    fn settle(&mut self, context: &Context<'_>, entered: Option<RegionId>) -> Result<(), Missing> {
        let class = entered.map(|region| (region, context.definitions.class(region)));
        if let Some(task) = self.unknown_task {
            match class {
                Some((region, Class::Task)) => self.begin_task(context, region),
                _ => self.adopt_task(context, task)?,
            }
        }
        if self.part_begin.is_some() && !matches!(class, Some((_, Class::Parallel))) {
            self.begin_part_without_region();
        }
        self.is_between = false;
        Ok(())
    }

    #[inline]
    fn enter(
        &mut self,
        context: &Context<'_>,
        mut time: u64,
        region: RegionRef,
    ) -> Result<(), Missing> {
        let region = context.definitions.region(region);
        if self.is_between || !self.has_begun {
            if !self.has_begun {
                self.begin(context, time, &Event::Enter(Default::default()));
            }
            self.settle(context, Some(region))?;
            time = time.max(self.now);
        }
        let class = context.definitions.class(region);
        if let (Class::Parallel, Some(begin)) = (class, self.part_begin.take()) {
            self.enter_part(context, time, (region, begin));
            return Ok(());
        }
        self.account(time);
        if class == Class::Barrier {
            self.leave_values_at_end(context, region);
        }
        self.push(context, region);
        match class {
            Class::Plain | Class::Parallel | Class::Task | Class::Creation => {}
            Class::Barrier => self.enter_barrier(context),
            Class::Taskloop => self.expect_tasks(),
            Class::Taskwait => {
                self.record_items();
                self.record_here(What::TaskWaitEnter(Scope::Children));
            }
            Class::Target => self.enter_target(context.definitions.is_deferred(region)),
            Class::Taskgroup => self.record_here(What::GroupBegin),
            Class::TaskgroupEnd => self.record_here(What::TaskWaitEnter(Scope::Group)),
            Class::Ordered => self.enter_ordered(),
            Class::Source => self.post_iteration(),
            Class::OrderedBody => self.enter_ordered_body(),
            Class::Mpi => self.record_here(What::MpiEnter { region }),
        }
        Ok(())
    }

    /// Opens a region below the current call path.
    #[inline]
    fn push(&mut self, context: &Context<'_>, region: RegionId) {
        let outer = self.strand.node.unwrap_or(LocalTree::PROGRAM);
        let node = self.tree.child(context.tree, (outer, region), self.now);
        self.tree.values(node).visits += u64::from(self.within.has(self.now));
        let visit = self.begin_visit();
        self.strand.frames.push(Frame { node, outer, since: self.now, visit });
        self.strand.node = Some(node);
    }

    fn record_here(&mut self, what: What) {
        let node = self.strand.node.unwrap_or(LocalTree::PROGRAM);
        let visit = self.visit();
        self.record((node, visit), what);
    }

    #[inline]
    fn leave(
        &mut self,
        context: &Context<'_>,
        mut time: u64,
        region: RegionRef,
    ) -> Result<(), Missing> {
        let region = context.definitions.region(region);
        if self.is_between {
            self.settle(context, None)?;
            time = time.max(self.now);
        }
        let is_open = |frame: &&Frame| self.tree.region(frame.node) == region;
        if self.strand.frames.last().filter(is_open).is_none() && !self.unwind(time, region) {
            return Ok(());
        }
        self.account(time);
        let Some(frame) = self.close() else { return Ok(()) };
        let closed = (frame.node, frame.visit);
        match context.definitions.class(region) {
            Class::Plain | Class::Task | Class::Taskloop | Class::Source => {}
            Class::Parallel if self.is_end_of_part() => {
                self.leave_part(frame);
                return Ok(());
            }
            Class::Parallel => {}
            Class::Creation => self.leave_creation(),
            Class::Taskwait => self.record(closed, What::TaskWaitLeave(Scope::Children)),
            Class::Target => self.record(closed, What::TargetLeave),
            Class::Taskgroup => self.record(closed, What::GroupEnd),
            Class::TaskgroupEnd => self.record(closed, What::TaskWaitLeave(Scope::Group)),
            Class::Ordered => self.leave_ordered(frame),
            Class::OrderedBody => self.leave_ordered_body(),
            Class::Barrier => self.leave_barrier(closed),
            Class::Mpi => {
                self.leave_window_call(frame);
                self.record(closed, What::MpiLeave { region, since: frame.since });
            }
        }
        self.strand.node = Some(frame.outer);
        Ok(())
    }

    /// A region is left that is not the innermost one: closes those inside of it. False if it is
    /// not open in the current task and part at all.
    #[cold]
    fn unwind(&mut self, time: u64, region: RegionId) -> bool {
        self.gaps.unbalanced += 1;
        let depth = self.part_depth();
        let open = self.strand.frames.get(depth..).unwrap_or_default();
        let Some(place) = open.iter().rposition(|open| self.tree.region(open.node) == region)
        else {
            return false;
        };
        self.account(time);
        self.close_to(depth + place + 1);
        true
    }
}
