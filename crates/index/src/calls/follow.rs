//! Follows the call path of a location, event by event, and counts time and visits there. It is
//! the part of the analysis (`replay/src/location/`) that needs no other location but the forks of
//! a worker's teams. What happens at each event must be as it is there.
//!
//! What depends on events that are not there yet is counted when they come: the time since a fork
//! belongs to the parallel region that is entered next.

use pompeii_model::{RegionId, Role};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::{Event, Metric};
use pompeii_otf2::reference::CommRef;
use pompeii_replay::definitions::parameters::Value;
use pompeii_replay::definitions::{Class, Definitions};
use pompeii_replay::hash::Table;

use super::forks::{Fork, ForkSource, FoundForks};
use super::state::{CallFrame, Part, State, Strand};
use super::sums::CallSums;
use super::tree::{CallNodes, PROGRAM, TASKS};
use crate::walk::TaskId;

/// Follows a location.
#[derive(Debug)]
pub(crate) struct Follower {
    pub tree: CallNodes,
    pub sums: CallSums,
    /// The forks that were seen.
    pub found: FoundForks,
    pub state: State,
    /// It is the master of its process.
    is_master: bool,
    /// Call paths of other locations in the own tree, by team.
    imported: Table<(u32, u32), u32>,
}

impl Follower {
    /// A location before its first event.
    pub fn new(definitions: &Definitions, is_master: bool) -> Follower {
        let state = State { parts: vec![Part::default()], ..State::default() };
        Follower::resumed(CallNodes::new(definitions), state, is_master)
    }

    /// A location that goes on.
    pub fn resumed(tree: CallNodes, state: State, is_master: bool) -> Follower {
        let (sums, found) = (CallSums::default(), FoundForks::default());
        Follower { tree, sums, found, state, is_master, imported: Table::default() }
    }

    /// Takes an event. One that is earlier than the event before counts as if it had the same time.
    #[inline]
    pub fn event(
        &mut self,
        definitions: &Definitions,
        forks: &dyn ForkSource,
        time: u64,
        event: &Event,
    ) {
        // Without a first event, there is no time that it could be earlier than.
        let time = time.max(self.state.now);
        match event {
            Event::Enter(enter) => self.enter(definitions, time, definitions.region(enter.region)),
            Event::Leave(leave) => self.leave(definitions, time, definitions.region(leave.region)),
            _ => self.other(definitions, forks, time, event),
        }
    }

    /// Counts up to `time`, at which a window ends. `ahead` has the events after that, up to the
    /// first one that is not the begin of a part: they tell which parallel region has the time
    /// since a fork.
    pub fn cut(
        &mut self,
        definitions: &Definitions,
        forks: &dyn ForkSource,
        time: u64,
        ahead: &[Event],
    ) {
        if let (false, Some(event)) = (self.state.has_begun, ahead.first())
            && !matches!(event, Event::ProgramBegin(_))
            && self.is_master
            && definitions.begin < time
        {
            // The time of a master counts from the begin of the measurement.
            self.begin(definitions, time, event);
        }
        let is_begun = self.state.part_begin.is_some();
        let forked = match self.state.fork {
            _ if is_begun => self.state.forked,
            Some((forked, _)) => Some(forked),
            None => ahead.first().and_then(|it| self.fork_before(forks, time, it)),
        };
        let entered = match ahead {
            [Event::Enter(enter)] | [Event::ThreadTeamBegin(_), Event::Enter(enter)] => {
                Some(definitions.region(enter.region))
            }
            _ => None,
        };
        let entered = entered.filter(|region| definitions.class(*region) == Class::Parallel);
        self.settle_task(definitions, ahead.first());
        if let (true, Some(region)) = (is_begun || forked.is_some(), entered) {
            // The visit has begun with the fork.
            self.push(region);
            self.manage(forked, time);
        }
        self.account_join(forks, time);
        self.account(time);
        self.flush();
    }

    /// When the part of a worker that begins with an event was forked, if that was before `time`.
    /// Then the worker is at the call path of the fork.
    fn fork_before(&mut self, forks: &dyn ForkSource, time: u64, event: &Event) -> Option<u64> {
        let Event::ThreadTeamBegin(it) = event else { return None };
        let team = it.thread_team.0;
        let number = self.state.begins.get(&team).copied().unwrap_or(0);
        let fork = forks.fork(team, number).filter(|_| !self.state.has_lost);
        let fork = fork.filter(|fork| fork.time < time)?;
        if self.state.strand.node.is_none() {
            self.begin_worker(forks, (team, time), Some(fork));
        }
        Some(fork.time)
    }

    fn other(
        &mut self,
        definitions: &Definitions,
        forks: &dyn ForkSource,
        time: u64,
        event: &Event,
    ) {
        if !self.state.has_begun {
            self.begin(definitions, time, event);
        }
        if let (Event::ThreadTeamBegin(it), true) = (event, begins_team(event)) {
            return self.team_begin(definitions, forks, time, it.thread_team.0);
        }
        if let Event::Metric(metric) = event
            && !definitions.sums.contains_key(&metric.metric.0)
        {
            return;
        }
        self.settle_task(definitions, None);
        self.begin_part_without_region();
        let time = time.max(self.state.now);
        match event {
            Event::ThreadFork(_) => self.team_fork(time),
            Event::ThreadTeamEnd(it) if it.thread_team != CommRef::UNDEFINED => {
                self.team_end(forks, time);
            }
            Event::ThreadJoin(_) => self.team_join(forks, time),
            Event::Metric(metric) => self.sums(definitions, time, metric),
            Event::MeasurementOnOff(it) => self.on_off(definitions, time, it.measurement_mode),
            Event::ProgramEnd(_) => {
                self.account(time);
                self.state.strand = Strand::at(None);
            }
            _ => match Value::of(event) {
                Some(value) => self.parameter(definitions, time, value),
                None => self.task_event(time, event),
            },
        }
    }

    fn task_event(&mut self, time: u64, event: &Event) {
        let some = |task: TaskId| (task.number != 0).then_some(task);
        match event {
            Event::ThreadTaskSwitch(it) => {
                let (team, thread) = (it.thread_team.0, it.creating_thread);
                self.switch(time, some(TaskId { team, thread, number: it.generation_number }));
            }
            Event::ThreadTaskComplete(it) => {
                let (team, thread) = (it.thread_team.0, it.creating_thread);
                self.complete(time, TaskId { team, thread, number: it.generation_number });
            }
            Event::OmpTaskSwitch(it) => self.switch(time, some(TaskId::without_team(it.task_id))),
            Event::OmpTaskComplete(it) => self.complete(time, TaskId::without_team(it.task_id)),
            _ => self.account(time),
        }
    }

    /// The first event.
    #[cold]
    fn begin(&mut self, definitions: &Definitions, time: u64, event: &Event) {
        self.state.has_begun = true;
        if begins_team(event) {
            return;
        }
        self.state.now = time;
        self.state.strand.node = Some(PROGRAM);
        if self.is_master {
            if !matches!(event, Event::ProgramBegin(_)) {
                self.state.now = time.min(definitions.begin);
            }
            self.sums.add(PROGRAM, 1, 0);
        }
    }

    /// Counts the time since the last event at the current call path.
    #[inline]
    fn account(&mut self, time: u64) {
        match self.state.strand.node {
            Some(node) => self.sums.add(node, 0, ticks(self.state.now, time)),
            None => self.account_tail(time),
        }
        self.state.now = self.state.now.max(time);
    }

    /// A worker that has left its part waits until the team joins.
    fn account_tail(&mut self, time: u64) {
        let Some((node, until)) = self.state.tail else { return };
        let team = self.tree.team(node);
        let waited = ticks(self.state.now, until.min(time));
        self.sums.add(node, 0, waited);
        self.sums.add(team, 0, waited);
        if until <= time {
            self.state.tail = None;
        }
    }

    #[inline]
    fn push(&mut self, region: RegionId) {
        let outer = self.state.strand.node.unwrap_or(PROGRAM);
        let node = self.tree.child(outer, region.0);
        self.sums.add(node, 1, 0);
        self.state.strand.frames.push(CallFrame { node, outer });
        self.state.strand.node = Some(node);
    }

    #[inline]
    fn enter(&mut self, definitions: &Definitions, time: u64, region: RegionId) {
        if !self.state.has_begun {
            self.begin(definitions, time, &Event::Enter(Default::default()));
        }
        let class = definitions.class(region);
        if self.state.is_new_task {
            self.begin_task((class == Class::Task).then_some(region.0));
        }
        if self.state.part_begin.is_some() {
            if class == Class::Parallel {
                self.state.part_begin = None;
                // The time since the fork is that of the region.
                self.push(region);
                self.manage(self.state.forked, time);
                return self.account(time);
            }
            self.begin_part_without_region();
        }
        self.account(time.max(self.state.now));
        if class == Class::Barrier {
            self.leave_values_at_end(definitions, region);
        }
        self.push(region);
    }

    #[inline]
    fn leave(&mut self, definitions: &Definitions, time: u64, region: RegionId) {
        self.settle_task(definitions, None);
        self.begin_part_without_region();
        let depth = self.part_depth();
        let frames = &self.state.strand.frames;
        let place = match frames.last() {
            Some(last) if self.tree.region(last.node) == region.0 => frames.len() - 1,
            _ => {
                let open = frames.get(depth..).unwrap_or_default();
                let place = open.iter().rposition(|it| self.tree.region(it.node) == region.0);
                let Some(place) = place else { return };
                depth + place
            }
        };
        self.account(time.max(self.state.now));
        self.state.strand.frames.truncate(place + 1);
        let Some(frame) = self.state.strand.frames.pop() else { return };
        if definitions.class(region) == Class::Parallel && self.is_end_of_part() {
            // Up to the join, time is still the region's.
            self.part().is_left = true;
            if !self.part().is_worker {
                self.state.after_join = Some(frame.outer);
            }
            return;
        }
        self.state.strand.node = Some(frame.outer);
    }

    /// The innermost part.
    pub(super) fn part(&mut self) -> &mut Part {
        if self.state.parts.is_empty() {
            self.state.parts.push(Part::default());
        }
        let last = self.state.parts.len() - 1;
        &mut self.state.parts[last]
    }

    /// Open regions in front of the innermost part, in the current task.
    fn part_depth(&self) -> usize {
        self.state.parts.last().filter(|part| part.task.is_none()).map_or(0, |part| part.depth)
    }

    fn is_end_of_part(&self) -> bool {
        self.state.parts.last().is_some_and(|part| {
            let is_at_begin = part.depth == self.state.strand.frames.len();
            part.team.is_some() && part.task.is_none() && is_at_begin
        })
    }

    /// Another event than the Enter of its region follows the begin of a part.
    #[inline]
    fn begin_part_without_region(&mut self) {
        if let Some(begin) = self.state.part_begin.take() {
            self.account(begin.max(self.state.now));
            self.manage(self.state.forked, begin);
        }
    }

    fn team_fork(&mut self, time: u64) {
        self.account(time);
        self.state.fork = Some((time, self.state.strand.node.unwrap_or(PROGRAM)));
        self.found.fork();
    }

    fn team_begin(
        &mut self,
        definitions: &Definitions,
        forks: &dyn ForkSource,
        time: u64,
        team: u32,
    ) {
        self.settle_task(definitions, None);
        self.begin_part_without_region();
        let time = time.max(self.state.now);
        let number = self.state.begins.get(&team).copied().unwrap_or(0);
        self.state.begins.insert(team, number.saturating_add(1));
        let is_worker = match self.state.fork.take() {
            Some((forked, node)) => {
                let members = definitions.comms.get(&team).map_or(0, |comm| comm.members.len());
                if members > 1 && !self.state.has_lost {
                    self.found.begin((team, number), Fork { time: forked, joined: None, node });
                }
                self.state.forked = Some(forked);
                false
            }
            None => {
                let fork = forks.fork(team, number).filter(|_| !self.state.has_lost);
                self.begin_worker(forks, (team, time), fork);
                self.state.forked = fork.map(|fork| fork.time);
                true
            }
        };
        let depth = self.state.strand.frames.len();
        let team = Some((team, number));
        self.state.parts.push(Part { team, is_worker, depth, ..Part::default() });
        self.state.part_begin = Some(time);
    }

    /// A worker is at the call path of its fork, and its time counts from there on.
    fn begin_worker(
        &mut self,
        forks: &dyn ForkSource,
        (team, time): (u32, u64),
        fork: Option<Fork>,
    ) {
        let since = fork.map_or(time, |fork| fork.time.min(time)).max(self.state.now);
        match self.state.strand.node {
            None => self.account(since),
            Some(_) => self.state.now = since,
        }
        self.state.tail = None;
        self.state.strand.node = Some(match fork {
            Some(Fork { node, .. }) => self.import(forks, (team, node)),
            None => PROGRAM,
        });
    }

    fn import(&mut self, forks: &dyn ForkSource, place: (u32, u32)) -> u32 {
        let Follower { tree, imported, .. } = self;
        *imported.entry(place).or_insert_with(|| tree.import(&forks.path(place.0, place.1)))
    }

    fn team_end(&mut self, forks: &dyn ForkSource, time: u64) {
        self.account_join(forks, time);
        self.account(time);
        self.end_fragment(time);
        let Some(part) = self.state.parts.pop_if(|part| part.team.is_some()) else { return };
        if let Some(implicit) = part.implicit {
            self.state.strand = implicit;
        }
        self.state.strand.frames.truncate(part.depth);
        let Some((team, number)) = part.team else { return };
        // Tasks of a team are complete when it ends.
        self.state.suspended.retain(|task, _| task.team != team);
        if !part.is_worker {
            return;
        }
        let at = self.state.strand.node;
        let is_outside = self.state.parts.len() == 1 && self.state.strand.frames.is_empty();
        if !is_outside {
            self.state.strand.node = self.state.strand.frames.last().map(|frame| frame.node);
            return;
        }
        self.state.strand.node = None;
        let fork = forks.fork(team, number).filter(|_| !self.state.has_lost);
        let joined = fork.and_then(|fork| fork.joined).filter(|joined| *joined > time);
        self.state.tail = at.zip(joined);
    }

    fn team_join(&mut self, forks: &dyn ForkSource, time: u64) {
        self.account_join(forks, time);
        self.account(time);
        if let Some(node) = self.state.after_join.take() {
            self.state.strand.node = Some(node);
        }
        self.found.join(time);
    }

    /// The thread goes on with another task, or with the implicit one.
    fn switch(&mut self, time: u64, to: Option<TaskId>) {
        self.account(time);
        if self.part().task != to {
            self.end_fragment(time);
            self.suspend(to);
            self.resume(to);
        }
    }

    fn suspend(&mut self, to: Option<TaskId>) {
        let strand = std::mem::take(&mut self.state.strand);
        let part = self.part();
        let task = part.task.take();
        match to.map(|to| part.below.iter().position(|below| *below == to)) {
            None => part.below.clear(),
            Some(Some(place)) => part.below.truncate(place),
            Some(None) => part.below.extend(task),
        }
        match task {
            None => part.implicit = Some(strand),
            Some(task) => drop(self.state.suspended.insert(task, strand)),
        }
    }

    fn resume(&mut self, to: Option<TaskId>) {
        let part = self.part();
        part.below.retain(|below| Some(*below) != to);
        part.task = to;
        let Some(task) = to else {
            let implicit = part.implicit.take();
            self.state.strand = implicit.unwrap_or(Strand::at(Some(PROGRAM)));
            return;
        };
        let strand = self.state.suspended.remove(&task);
        self.state.is_new_task = strand.is_none();
        self.state.strand = strand.unwrap_or(Strand::at(Some(TASKS)));
        if let Some(construct) = self.state.strand.frames.first() {
            self.begin_fragment(Some(self.tree.region(construct.node)));
        }
    }

    fn complete(&mut self, time: u64, task: TaskId) {
        self.account(time);
        if self.part().task != Some(task) {
            // It has been completed by another thread than the one that suspended it.
            self.state.suspended.remove(&task);
            return;
        }
        self.end_fragment(time);
        let back_in = self.part().below.last().copied();
        self.resume(back_in.filter(|task| self.state.suspended.contains_key(task)));
    }

    fn on_off(&mut self, definitions: &Definitions, time: u64, mode: MeasurementMode) {
        self.account(time);
        let off = definitions.off_region;
        let innermost = self.state.strand.frames.last();
        let is_off = innermost.is_some_and(|frame| self.tree.region(frame.node) == off.0);
        match mode {
            MeasurementMode::OFF if is_off => {}
            MeasurementMode::OFF => {
                if definitions.tells_off {
                    self.drop_records();
                }
                self.push(off);
                self.state.is_off = true;
            }
            MeasurementMode::ON if is_off && std::mem::take(&mut self.state.is_off) => {
                if let Some(frame) = self.state.strand.frames.pop() {
                    self.state.strand.node = Some(frame.outer);
                }
            }
            _ => {}
        }
    }

    /// All that is open may have ended, and other parallel regions may have begun.
    fn drop_records(&mut self) {
        self.end_fragment(self.state.now);
        let State { now, suspended, begins, .. } = std::mem::take(&mut self.state);
        let strand = Strand::at(Some(PROGRAM));
        let (has_begun, has_lost, parts) = (true, true, vec![Part::default()]);
        let rest = State::default();
        self.state = State { now, has_begun, has_lost, strand, parts, begins, suspended, ..rest };
        self.found.lose();
    }

    /// Visits without records, whose time was counted at the region around them.
    fn sums(&mut self, definitions: &Definitions, time: u64, metric: &Metric) {
        let Some(sums) = definitions.sums.get(&metric.metric.0) else { return };
        let [MetricValue::U64(visits), MetricValue::U64(ticks), ..] = metric.values[..] else {
            return;
        };
        self.account(time);
        if ticks > definitions.longest_step() {
            return;
        }
        let mut around = self.state.strand.node.unwrap_or(PROGRAM);
        if let Some(construct) = sums.construct {
            around = self.tree.child(around, construct.0);
        }
        let node = self.tree.child(around, sums.region.0);
        self.sums.add(node, visits, ticks.cast_signed());
        self.sums.add(around, 0, -ticks.cast_signed());
    }

    /// What follows a value of a parameter is below it.
    fn parameter(&mut self, definitions: &Definitions, time: u64, value: Value) {
        self.account(time);
        let Some(region) = definitions.parameters.region(value) else { return };
        let around = self.without(definitions, value.parameter);
        let node = self.tree.child(around, region.0);
        self.sums.add(node, 1, 0);
        self.state.strand.node = Some(node);
    }

    /// The barrier at the end of a parallel region follows all of it: values that were set in the
    /// region have ended.
    fn leave_values_at_end(&mut self, definitions: &Definitions, barrier: RegionId) {
        let outside = self.part_depth();
        let is_directly_inside = self.state.strand.frames.len().checked_sub(1) == Some(outside);
        let role = definitions.regions[barrier].role;
        if let (true, Role::ImplicitBarrier, Some(region)) =
            (is_directly_inside, role, self.state.strand.frames.last())
        {
            self.state.strand.node = Some(region.node);
        }
    }

    /// The current call path without the value that the parameter has there.
    fn without(&mut self, definitions: &Definitions, parameter: u32) -> u32 {
        let here = self.state.strand.node.unwrap_or(PROGRAM);
        let region = self.state.strand.frames.last().map(|frame| frame.node);
        let mut at = here;
        while Some(at) != region {
            let of = definitions.parameters.parameter(RegionId(self.tree.region(at)));
            let Some(of) = of else { break };
            at = self.tree.parent(at);
            if of == parameter {
                return at;
            }
        }
        here
    }
}

/// Ticks between two times; 0 if the second one is not later.
#[inline]
pub(super) fn ticks(from: u64, to: u64) -> i64 {
    to.saturating_sub(from).cast_signed()
}

/// Whether a thread begins its part of a parallel region whose team is known.
fn begins_team(event: &Event) -> bool {
    matches!(event, Event::ThreadTeamBegin(it) if it.thread_team != CommRef::UNDEFINED)
}
