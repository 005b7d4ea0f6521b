//! The rules for the events of one location: order, flushes, the program's begin and end, and
//! balanced regions.

use super::definitions::Known;
use super::tasks::{Context, Process, TaskName, ThreadName};
use super::{Found, Rule, mpi, threads};
use crate::definition;
use crate::event::Event;
use crate::reference::{CommRef, LocationRef, RegionRef};

/// A location.
#[derive(Debug)]
pub(super) struct Location {
    pub id: LocationRef,
    process: u32,
    events: u64,
    last_time: u64,
    /// The last flush ended then.
    flushed_until: u64,
    has_ended: bool,
    /// The innermost last; never empty.
    contexts: Vec<Context>,
    /// What of MPI is under way.
    pub mpi: mpi::Calls,
    /// The thread that has it, if the program has created it.
    pub thread: Option<ThreadName>,
}

impl Location {
    pub fn new(of: &definition::Location) -> Location {
        Location {
            id: of.id,
            process: of.location_group.0,
            events: 0,
            last_time: 0,
            flushed_until: 0,
            has_ended: false,
            contexts: vec![Context::default()],
            mpi: mpi::Calls::default(),
            thread: None,
        }
    }

    /// Regions and teams that it is in.
    pub fn open(&self) -> usize {
        let regions = self.contexts.iter().map(|context| context.open.len()).sum::<usize>();
        regions + self.contexts.len() - 1
    }

    pub fn process(&self) -> u32 {
        self.process
    }

    pub fn last_time(&self) -> u64 {
        self.last_time
    }

    /// Something happens at this time.
    pub fn time(&mut self, time: u64, found: &mut Found<'_>) {
        if time < self.last_time {
            found.add(Rule::Order, format!("the time before was {}", self.last_time));
        }
        if time < self.flushed_until {
            let until = self.flushed_until;
            found.add(Rule::Flush, format!("this location writes its buffer until {until}"));
            self.flushed_until = 0;
        }
        if self.has_ended {
            found.add(Rule::Root, "this event follows the end of the program");
            self.has_ended = false;
        }
        self.last_time = self.last_time.max(time);
        self.events += 1;
    }

    pub fn flush(&mut self, event: &Event, time: u64, found: &mut Found<'_>) {
        let Event::BufferFlush(flush) = event else { return };
        if flush.stop_time.0 < time {
            found.add(
                Rule::Flush,
                format!("a flush ends before it begins, at {}", flush.stop_time.0),
            );
        }
        self.flushed_until = flush.stop_time.0;
    }

    pub fn program_begins(&mut self, process: &mut Process, found: &mut Found<'_>) {
        if process.has_begun {
            found.add(Rule::Root, "the program of this process begins a second time");
        } else if self.events > 1 {
            found.add(Rule::Root, "other events of this location precede the begin of the program");
        }
        process.has_begun = true;
    }

    pub fn program_ends(&mut self, process: &mut Process, found: &mut Found<'_>) {
        if process.has_ended {
            found.add(Rule::Root, "the program of this process ends a second time");
        }
        if !process.has_begun {
            found.add(Rule::Root, "the program of this process ends and has never begun");
        }
        (self.has_ended, process.has_ended) = (true, true);
        let open = self.contexts.iter().map(|context| context.open.len()).sum::<usize>();
        if !process.is_known_in_part && (open > 0 || self.contexts.len() > 1) {
            let teams = self.contexts.len() - 1;
            let text = format!("the program ends inside of {open} regions and {teams} teams");
            found.add(Rule::Balance, text);
        }
    }

    /// Anything else.
    pub fn event(
        &mut self,
        event: &Event,
        known: &Known,
        process: &mut Process,
        found: &mut Found<'_>,
    ) {
        match event {
            Event::Enter(enter) => self.enter(enter.region, known, process),
            Event::Leave(leave) => self.leave(leave.region, known, process, found),
            Event::ThreadFork(_) => self.fork(process, found),
            Event::ThreadTeamBegin(of) => self.team_begins(of.thread_team, known, found),
            Event::ThreadTeamEnd(of) => self.team_ends(of.thread_team, process, found),
            Event::ThreadTaskCreate(of) => {
                let name = (of.thread_team, of.creating_thread, of.generation_number);
                creator_exists(name, known, found);
            }
            Event::ThreadTaskSwitch(of) => {
                let name = (of.thread_team, of.creating_thread, of.generation_number);
                creator_exists(name, known, found);
                self.switch(name);
            }
            Event::ThreadTaskComplete(of) => {
                let name = (of.thread_team, of.creating_thread, of.generation_number);
                self.complete(name, process, found);
            }
            Event::ThreadCreate(_)
            | Event::ThreadBegin(_)
            | Event::ThreadEnd(_)
            | Event::ThreadWait(_) => threads::event(event, self, known, process, found),
            _ => {
                let region = self.current_region(process);
                let region = region.and_then(|region| known.region(region));
                mpi::event(event, (self, region), known, process, found);
            }
        }
    }

    fn context(&mut self) -> Option<&mut Context> {
        self.contexts.last_mut()
    }

    fn current_region(&mut self, process: &mut Process) -> Option<RegionRef> {
        self.context()?.current(process).last().copied()
    }

    fn enter(&mut self, region: RegionRef, known: &Known, process: &mut Process) {
        if known.region(region).is_some_and(|region| region.is_mpi) {
            self.mpi = mpi::Calls::default();
        }
        if let Some(context) = self.context() {
            context.current(process).push(region);
        }
    }

    fn leave(
        &mut self,
        region: RegionRef,
        known: &Known,
        process: &mut Process,
        found: &mut Found<'_>,
    ) {
        if let Some(of) = known.region(region).filter(|of| of.is_mpi) {
            self.mpi.leave(&of.name, process, found);
        }
        let Some(context) = self.contexts.last_mut() else { return };
        let open = context.current(process);
        let left = open.pop();
        if process.is_known_in_part || left == Some(region) {
            return;
        }
        let name = |id| known.region(id).map_or("?", |region| &region.name);
        let text = match left {
            Some(inner) => format!("{} is left inside of {}", name(region), name(inner)),
            None => format!("{} is left and was not entered", name(region)),
        };
        found.add(Rule::Balance, text);
    }

    fn fork(&mut self, process: &mut Process, found: &mut Found<'_>) {
        let is_inside = self.contexts.len() > 1 || self.current_region(process).is_some();
        if !process.has_begun && !is_inside {
            let text = "nothing encloses this fork: neither the begin of the program nor a region";
            found.add(Rule::Root, text);
            // Once for each process.
            process.has_begun = true;
        }
    }

    fn team_begins(&mut self, team: CommRef, known: &Known, found: &mut Found<'_>) {
        match known.comm(team) {
            None => found.add(Rule::Members, format!("team {team} is no communicator")),
            Some(comm) if !known.is_member(comm, self.id) => {
                found.add(Rule::Members, format!("this location is no member of team {team}"));
            }
            Some(_) => {}
        }
        self.contexts.push(Context { team: Some(team), ..Context::default() });
    }

    fn team_ends(&mut self, team: CommRef, process: &mut Process, found: &mut Found<'_>) {
        if process.is_known_in_part {
            if self.contexts.len() > 1 {
                self.contexts.pop();
            }
            return;
        }
        match self.contexts.last().map(|context| (context.team, context.open.len())) {
            Some((Some(begun), 0)) if begun == team => {}
            Some((Some(begun), 0)) => {
                found.add(Rule::Balance, format!("team {team} ends inside of team {begun}"));
            }
            Some((Some(_), open)) => {
                found.add(Rule::Balance, format!("team {team} ends inside of {open} regions"));
            }
            _ => {
                found.add(Rule::Balance, format!("team {team} ends and has not begun"));
                return;
            }
        }
        self.contexts.pop();
    }

    /// The location goes on with a task; generation 0 is the implicit task of the innermost team.
    fn switch(&mut self, name: TaskName) {
        if let Some(context) = self.context() {
            context.task = (name.2 != 0).then_some(name);
        }
    }

    fn complete(&mut self, name: TaskName, process: &mut Process, found: &mut Found<'_>) {
        let open = process.tasks.remove(&name).unwrap_or_default();
        if !open.is_empty() && !process.is_known_in_part {
            let text = format!("a task is complete inside of {} regions", open.len());
            found.add(Rule::Balance, text);
        }
    }

    /// No more events.
    pub fn end(&mut self, process: &Process, found: &mut Found<'_>) {
        if !process.has_ended || process.is_known_in_part {
            return;
        }
        if let [_, team, ..] = &self.contexts[..] {
            let team = team.team.unwrap_or_default();
            let text = format!("the program has ended, and this location is still in team {team}");
            found.add(Rule::Balance, text);
        }
    }
}

fn creator_exists((team, thread, _): TaskName, known: &Known, found: &mut Found<'_>) {
    match known.comm(team) {
        None => found.add(Rule::Members, format!("team {team} is no communicator")),
        Some(comm) if u64::from(thread) >= comm.size() => {
            found.add(Rule::Members, format!("team {team} has no thread {thread}"));
        }
        Some(_) => {}
    }
}
