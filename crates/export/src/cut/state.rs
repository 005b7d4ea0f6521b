//! What is open on a location: its call stacks, the parts of its teams, its tasks. It follows the
//! rules of the engine (`replay/src/location/`), because the engine must find the same state where
//! the cut begins.

use pompeii_model::LocationId;
use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::{Event, MeasurementOnOff};
use pompeii_otf2::reference::{CommRef, RegionRef};
use pompeii_replay::definitions::parameters::Value;
use pompeii_replay::definitions::{Class, Definitions};
use pompeii_replay::hash::Table;

use super::numbers;

/// An open region.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub region: RegionRef,
    /// When it was entered.
    pub since: u64,
    /// Values of parameters that were set in it.
    pub values: Vec<Event>,
}

impl Frame {
    /// A parameter gets a value: the one that it had, and those that were set after it, end.
    fn set(&mut self, event: &Event) {
        let parameter = |event: &Event| Value::of(event).map(|value| value.parameter);
        let same = self.values.iter().position(|known| parameter(known) == parameter(event));
        self.values.truncate(same.unwrap_or(self.values.len()));
        self.values.push(event.clone());
    }
}

/// An explicit task: team, creating thread, generation.
pub(super) type TaskName = (CommRef, u32, u32);

/// A task that does not run.
#[derive(Debug)]
pub(super) struct Suspended {
    /// The location that has suspended it.
    pub at: LocationId,
    pub frames: Vec<Frame>,
}

/// The suspended tasks of a process.
pub(super) type Tasks = Table<TaskName, Suspended>;

/// What is known of a part after its end, too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    /// How often the location had begun a part in this team before.
    pub number: u32,
    /// The parallel region.
    pub region: Option<RegionRef>,
    /// Barriers that the thread has left.
    pub barriers: u32,
    /// The last of them.
    pub barrier: Option<RegionRef>,
}

/// A fork that has not joined.
#[derive(Debug)]
pub(super) struct Fork {
    pub event: Event,
    /// The part of the master has begun.
    pub has_begun: bool,
    /// It has ended, too.
    pub ended: Option<(CommRef, Past)>,
}

/// The part of a location in a parallel region; the first one is the time outside of all.
#[derive(Debug)]
pub(super) struct Part {
    /// Undefined outside of all parallel regions.
    pub team: CommRef,
    pub past: Past,
    is_worker: bool,
    /// Open regions of the implicit task.
    pub frames: Vec<Frame>,
    /// The explicit task that runs, with its open regions.
    pub task: Option<(TaskName, Vec<Frame>)>,
    /// Tasks that were suspended for others, the last one last.
    pub below: Vec<TaskName>,
    /// The last task is complete, and no record says yet in which one the thread goes on.
    pub is_between_tasks: bool,
    pub fork: Option<Fork>,
    /// Recording was off in the part: the region that says so, or none.
    pub off: Option<RegionRef>,
}

impl Part {
    fn new(team: CommRef, number: u32, is_worker: bool) -> Part {
        Part {
            team,
            past: Past { number, ..Past::default() },
            is_worker,
            frames: Vec::new(),
            task: None,
            below: Vec::new(),
            is_between_tasks: false,
            fork: None,
            off: None,
        }
    }

    fn current(&mut self) -> &mut Vec<Frame> {
        match &mut self.task {
            Some((_, frames)) => frames,
            None => &mut self.frames,
        }
    }

    /// The innermost open region of the task that runs.
    pub fn top(&self) -> Option<&Frame> {
        let frames = self.task.as_ref().map_or(&self.frames, |(_, frames)| frames);
        frames.last()
    }

    fn running(&self) -> Option<TaskName> {
        self.task.as_ref().map(|(name, _)| *name)
    }
}

/// A team in which a location has taken part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Team {
    /// How often it has begun a part.
    pub begun: u32,
    /// The last part that has ended.
    pub ended: Option<Past>,
}

/// A location.
#[derive(Debug)]
pub(super) struct Location {
    pub id: LocationId,
    has_begun: bool,
    /// The begin of the program, or of the thread, until it has ended.
    pub begin: Option<Event>,
    /// Time outside of all regions is that of the program; on a worker it is idle time.
    pub is_counted: bool,
    /// Never empty.
    pub parts: Vec<Part>,
    pub teams: Table<u32, Team>,
    /// A collective operation that has not ended: its begin.
    pub collective: Option<Event>,
    pub is_off: bool,
    /// Recording is off because there was no room for records.
    pub is_dropping: bool,
    /// There was no room for records at some time.
    pub has_lost: bool,
}

impl Location {
    pub fn new(id: LocationId) -> Location {
        Location {
            id,
            has_begun: false,
            begin: None,
            is_counted: false,
            parts: vec![Part::new(CommRef::UNDEFINED, 0, false)],
            teams: Table::default(),
            collective: None,
            is_off: false,
            is_dropping: false,
            has_lost: false,
        }
    }

    pub fn part(&self) -> Option<&Part> {
        self.parts.last()
    }

    /// Takes an event.
    pub fn event(
        &mut self,
        (definitions, tasks): (&Definitions, &mut Tasks),
        time: u64,
        event: &Event,
    ) {
        let id = self.id;
        if !self.has_begun {
            self.has_begun = true;
            self.is_counted = !is_team_begin(event);
        }
        match event {
            Event::Enter(it) => self.enter(definitions, time, it.region),
            Event::Leave(it) => self.leave(definitions, it.region),
            Event::ProgramBegin(_) | Event::ThreadBegin(_) => self.begin = Some(event.clone()),
            Event::ProgramEnd(_) | Event::ThreadEnd(_) => self.end(event),
            Event::ThreadTeamBegin(it) if is_team_begin(event) => self.team_begin(it.thread_team),
            Event::ThreadTeamEnd(it) if !it.thread_team.is_undefined() => self.team_end(),
            Event::MeasurementOnOff(it) => self.on_off(definitions, tasks, it),
            _ => {
                self.collective(definitions, event);
                if let Some(part) = self.parts.last_mut() {
                    other(part, (id, tasks), event);
                }
            }
        }
    }

    fn enter(&mut self, definitions: &Definitions, since: u64, region: RegionRef) {
        let Some(part) = self.parts.last_mut() else { return };
        let class = definitions.class(definitions.region(region));
        let is_outermost = part.task.is_none() && part.frames.is_empty();
        if class == Class::Parallel && is_outermost && !part.team.is_undefined() {
            part.past.region = Some(region);
        }
        part.current().push(Frame { region, since, values: Vec::new() });
    }

    fn leave(&mut self, definitions: &Definitions, region: RegionRef) {
        let Some(part) = self.parts.last_mut() else { return };
        let frames = part.current();
        let Some(place) = frames.iter().rposition(|frame| frame.region == region) else { return };
        frames.truncate(place);
        let class = definitions.class(definitions.region(region));
        if class == Class::Barrier && part.task.is_none() {
            part.past.barriers += 1;
            part.past.barrier = Some(region);
        }
        // A worker that enters a region outside of its teams is in the program after that.
        self.is_counted |= self.parts.len() == 1;
    }

    fn end(&mut self, event: &Event) {
        self.begin = None;
        // The engine does not stop to count at the end of a thread.
        self.is_counted &= !matches!(event, Event::ProgramEnd(_));
    }

    fn team_begin(&mut self, team: CommRef) {
        let of_team = self.teams.entry(team.0).or_default();
        let number = of_team.begun;
        of_team.begun += 1;
        let fork = self.parts.last_mut().and_then(|part| part.fork.as_mut());
        let fork = fork.filter(|fork| !fork.has_begun);
        let is_worker = fork.is_none();
        if let Some(fork) = fork {
            fork.has_begun = true;
        }
        self.parts.push(Part::new(team, number, is_worker));
    }

    fn team_end(&mut self) {
        let Some(part) = self.parts.pop_if(|part| !part.team.is_undefined()) else { return };
        let Part { team, past, is_worker, .. } = part;
        self.teams.entry(team.0).or_default().ended = Some(past);
        let is_outside = self.parts.len() == 1;
        let Some(outer) = self.parts.last_mut() else { return };
        if let (false, Some(fork)) = (is_worker, &mut outer.fork) {
            fork.ended = Some((team, past));
        }
        if is_worker && is_outside && outer.frames.is_empty() {
            self.is_counted = false;
        }
    }

    fn on_off(&mut self, definitions: &Definitions, tasks: &mut Tasks, it: &MeasurementOnOff) {
        let top = self.part().and_then(Part::top).map(|frame| frame.region);
        let is_off_region =
            |region: &RegionRef| definitions.region(*region) == definitions.off_region;
        let top = top.filter(is_off_region);
        self.is_off = it.measurement_mode == MeasurementMode::OFF;
        self.is_dropping = self.is_off && definitions.tells_off && top.is_none();
        if self.is_dropping {
            self.lose(tasks);
        } else if let (true, Some(part)) = (self.is_off, self.parts.last_mut()) {
            part.off = Some(top.unwrap_or(RegionRef::UNDEFINED));
        }
    }

    /// All that is open may have ended.
    fn lose(&mut self, tasks: &mut Tasks) {
        self.parts = vec![Part::new(CommRef::UNDEFINED, 0, false)];
        self.collective = None;
        (self.has_lost, self.is_counted) = (true, true);
        let id = self.id;
        tasks.retain(|_, task| task.at != id);
    }

    /// Follows nothing but the collective operation that the location is in.
    pub fn collective(&mut self, definitions: &Definitions, event: &Event) {
        if numbers::begins(event) {
            self.collective = Some(event.clone());
        } else if numbers::ends(definitions, self.collective.as_ref(), event).is_some() {
            self.collective = None;
        }
    }
}

/// Whether a thread begins its part of a parallel region whose team is known.
fn is_team_begin(event: &Event) -> bool {
    matches!(event, Event::ThreadTeamBegin(it) if !it.thread_team.is_undefined())
}

/// Forks, tasks and parameters.
fn other(part: &mut Part, (id, tasks): (LocationId, &mut Tasks), event: &Event) {
    match event {
        Event::ThreadFork(_) => {
            part.fork = Some(Fork { event: event.clone(), has_begun: false, ended: None });
        }
        Event::ThreadJoin(_) => part.fork = None,
        Event::ThreadTaskSwitch(it) => {
            let to = (it.thread_team, it.creating_thread, it.generation_number);
            part.is_between_tasks = false;
            switch(part, (id, tasks), (it.generation_number != 0).then_some(to));
        }
        Event::ThreadTaskComplete(it) => {
            let task = (it.thread_team, it.creating_thread, it.generation_number);
            part.is_between_tasks = true;
            complete(part, (id, tasks), task);
        }
        Event::ParameterInt(_) | Event::ParameterUnsignedInt(_) | Event::ParameterString(_) => {
            if let Some(frame) = part.current().last_mut() {
                frame.set(event);
            }
        }
        _ => {}
    }
}

/// The thread goes on with another task.
fn switch(part: &mut Part, (id, tasks): (LocationId, &mut Tasks), to: Option<TaskName>) {
    if part.running() == to {
        return;
    }
    let from = part.task.take();
    let name = from.as_ref().map(|(name, _)| *name);
    match to.map(|to| part.below.iter().position(|below| *below == to)) {
        None => part.below.clear(),
        Some(Some(place)) => part.below.truncate(place),
        Some(None) => part.below.extend(name),
    }
    if let Some((name, frames)) = from {
        tasks.insert(name, Suspended { at: id, frames });
    }
    resume(part, tasks, to);
}

fn resume(part: &mut Part, tasks: &mut Tasks, to: Option<TaskName>) {
    part.below.retain(|below| Some(*below) != to);
    part.task = to.map(|name| {
        let frames = tasks.remove(&name).map(|task| task.frames);
        (name, frames.unwrap_or_default())
    });
}

/// The task is done: the thread is back in the one that it had suspended for it.
fn complete(part: &mut Part, (id, tasks): (LocationId, &mut Tasks), task: TaskName) {
    if part.running() != Some(task) {
        return;
    }
    let is_here = |below: &TaskName| tasks.get(below).is_some_and(|task| task.at == id);
    let back_in = part.below.last().copied().filter(is_here);
    resume(part, tasks, back_in);
}
