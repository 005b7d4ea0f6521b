//! The walk along the events of one location: which regions are open when.
//!
//! Tasks are cut where they are suspended: at a switch, the regions of the task that the thread
//! leaves are closed and kept by task instance. When the thread comes back to the task, they go on
//! as new intervals. The implicit task's regions, for example the barrier in which the thread
//! executes tasks, stay open below them. Memory follows the tasks that are alive.
//!
//! The state of a walk can be saved and loaded, so that a window of the trace is decoded without
//! the events before it.

use pompeii_otf2::enums::MeasurementMode;
use pompeii_otf2::event::Event;
use pompeii_otf2::reference::CommRef;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::hash::Table;

use crate::cell::{CUT_BEGIN, CUT_END};

/// What a walk finds.
pub trait Visitor {
    /// A region is entered.
    fn enter(&mut self, region: u32);
    /// The innermost region from `start` to `end` was this one. Innermost regions come in the order
    /// of time and do not overlap.
    fn innermost(&mut self, start: u64, end: u64, region: u32);
    /// A region was open from `start` to `end` on a level of the call stack, counted from 0. The
    /// intervals of a level come in the order of time and do not overlap. `cuts` has
    /// [`CUT_BEGIN`] and [`CUT_END`].
    fn level(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8);
    /// A region begins on a level, or goes on there after its task was suspended; `cuts` has
    /// [`CUT_BEGIN`] then. [`level`](Visitor::level) follows when it ends or is suspended.
    fn begin(&mut self, _level: usize, _time: u64, _region: u32, _cuts: u8) {}
    /// A visit of a region has ended, after a number of ticks without suspensions.
    fn visit(&mut self, _end: u64, _region: u32, _ticks: u64) {}
    /// A visit as it was recorded: a region stays open while its task is suspended, on a level
    /// above all that was open when it began. `cuts` has [`CUT_END`] if the trace ends before.
    fn recorded(&mut self, _level: usize, _start: u64, _end: u64, _region: u32, _cuts: u8) {}
    /// The innermost region from now on; `None` if none is open. It may be the same as before.
    fn top(&mut self, _time: u64, _region: Option<u32>) {}
    /// A task begins or goes on; its regions begin after that.
    fn start(&mut self, _time: u64, _task: TaskId) {}
    /// A task is created.
    fn create(&mut self, _time: u64, _task: TaskId) {}
    /// A task was executed from `start` to `end`. `cuts` tells whether it had been suspended before
    /// and whether it is suspended then. Fragments of a team do not overlap; the task in which an
    /// inner team began goes on meanwhile.
    fn fragment(&mut self, _start: u64, _end: u64, _task: TaskId, _cuts: u8) {}
}

/// Takes no notice.
impl Visitor for () {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}
}

/// A task instance. Its name in a timeline is `task_THREAD_NUMBER`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// The team, as a communicator of the trace.
    pub team: u32,
    /// The thread of the team that created the task.
    pub thread: u32,
    /// The number that this thread gave to the task; 0 is an implicit task.
    pub number: u32,
}

/// Stands for the team of a task in traces without teams: no communicator has this number.
const NO_TEAM: u32 = u32::MAX;

impl TaskId {
    /// A task whose number is that of its process: OTF2 had such ones before version 1.2.
    pub(crate) fn without_team(number: u64) -> TaskId {
        TaskId { team: NO_TEAM, thread: (number >> 32) as u32, number: number as u32 }
    }

    fn new(team: CommRef, thread: u32, number: u32) -> TaskId {
        TaskId { team: team.0, thread, number }
    }
}

/// An explicit task that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Running {
    pub task: TaskId,
    /// Number of open regions that do not belong to it.
    pub floor: usize,
    /// When the fragment began.
    pub since: u64,
    /// [`CUT_BEGIN`], or 0.
    pub cut: u8,
}

/// An open region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub region: u32,
    pub since: u64,
    /// [`CUT_BEGIN`], or 0.
    pub cut: u8,
    pub visit: Visit,
}

/// A visit of a region, whether its task is suspended or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Visit {
    pub began: u64,
    /// Ticks before the last suspension.
    pub ticks: u64,
    /// The level if suspended regions stay open.
    pub slot: usize,
}

/// A team that the location is in, or the time outside of all teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The explicit task that runs.
    pub running: Option<Running>,
    /// Explicit tasks that were suspended for others, the last one last.
    pub below: Vec<TaskId>,
}

/// The open regions of a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Walker {
    /// Time of the last event.
    pub now: u64,
    /// Time from which on the innermost region has been this one.
    pub since: u64,
    pub frames: Vec<Frame>,
    /// From the outside in; never empty.
    pub parts: Vec<Part>,
    /// Open regions of suspended tasks, the innermost one last.
    pub aside: Table<TaskId, Vec<(u32, Visit)>>,
    /// By level whether a region is open there, if suspended ones stay open.
    pub slots: Vec<bool>,
    /// When a gap ends that is open as the innermost region.
    pub gap_end: Option<u64>,
}

impl Walker {
    /// Before the first event.
    pub fn new() -> Walker {
        Walker {
            now: 0,
            since: 0,
            frames: Vec::new(),
            parts: vec![Part::default()],
            aside: Table::default(),
            slots: Vec::new(),
            gap_end: None,
        }
    }

    /// Takes an event. One that is earlier than the event before counts as if it had the same time.
    #[inline]
    pub fn event(
        &mut self,
        definitions: &Definitions,
        time: u64,
        event: &Event,
        visitor: &mut impl Visitor,
    ) {
        let time = time.max(self.now);
        if let Some(end) = self.gap_end {
            self.end_gap(end.min(time), visitor);
        }
        self.now = time;
        match event {
            Event::Enter(enter) => self.enter(definitions.region(enter.region).0, visitor),
            Event::Leave(leave) => self.leave(definitions.region(leave.region).0, visitor),
            _ => self.other(definitions, event, visitor),
        }
    }

    fn other(&mut self, definitions: &Definitions, event: &Event, visitor: &mut impl Visitor) {
        let off = definitions.off_region.0;
        match event {
            Event::ThreadTeamBegin(_) => self.parts.push(Part::default()),
            Event::ThreadTeamEnd(it) => {
                self.switch(None, visitor);
                self.forget_team(it.thread_team.0, visitor);
                self.parts.pop();
                if self.parts.is_empty() {
                    self.parts.push(Part::default());
                }
            }
            Event::ThreadTaskCreate(it) => {
                let task = TaskId::new(it.thread_team, it.creating_thread, it.generation_number);
                visitor.create(self.now, task);
            }
            Event::ThreadTaskSwitch(it) => {
                let task = TaskId::new(it.thread_team, it.creating_thread, it.generation_number);
                self.switch((task.number != 0).then_some(task), visitor);
            }
            Event::ThreadTaskComplete(it) => {
                let task = TaskId::new(it.thread_team, it.creating_thread, it.generation_number);
                self.complete(task, visitor);
            }
            Event::OmpTaskCreate(it) => {
                visitor.create(self.now, TaskId::without_team(it.task_id));
            }
            Event::OmpTaskSwitch(it) => {
                let task = TaskId::without_team(it.task_id);
                self.switch((it.task_id != 0).then_some(task), visitor);
            }
            Event::OmpTaskComplete(it) => {
                self.complete(TaskId::without_team(it.task_id), visitor);
            }
            Event::MeasurementOnOff(it) if it.measurement_mode == MeasurementMode::OFF => {
                self.enter(off, visitor);
            }
            Event::MeasurementOnOff(_) => self.leave(off, visitor),
            // Nothing was recorded while the events were written.
            Event::BufferFlush(it) => {
                self.enter(off, visitor);
                self.gap_end = Some(it.stop_time.0.max(self.now));
            }
            _ => {}
        }
    }

    #[inline]
    fn enter(&mut self, region: u32, visitor: &mut impl Visitor) {
        self.border(visitor);
        visitor.enter(region);
        visitor.begin(self.frames.len(), self.now, region, 0);
        let visit = Visit { began: self.now, ticks: 0, slot: self.slots.len() };
        self.slots.push(true);
        self.frames.push(Frame { region, since: self.now, cut: 0, visit });
        visitor.top(self.now, Some(region));
    }

    #[inline]
    fn leave(&mut self, region: u32, visitor: &mut impl Visitor) {
        let floor = self.floor();
        let open = self.frames.get(floor..).unwrap_or_default();
        // Regions inside of it that were not left end with it. One that is not open is ignored.
        let Some(place) = open.iter().rposition(|frame| frame.region == region) else { return };
        self.border(visitor);
        self.close_down_to(floor + place, 0, visitor);
        self.tell_top(visitor);
    }

    #[inline]
    fn tell_top(&self, visitor: &mut impl Visitor) {
        visitor.top(self.now, self.frames.last().map(|frame| frame.region));
    }

    /// Number of open regions that do not belong to the running task.
    #[inline]
    fn floor(&self) -> usize {
        self.running().map_or(0, |running| running.floor)
    }

    #[inline]
    fn running(&self) -> Option<Running> {
        self.parts.last().and_then(|part| part.running)
    }

    /// The innermost region changes, or a regions begins inside of it.
    #[inline]
    fn border(&mut self, visitor: &mut impl Visitor) {
        if let Some(frame) = self.frames.last() {
            visitor.innermost(self.since, self.now, frame.region);
        }
        self.since = self.now;
    }

    /// Closes the innermost regions until this number of them is left.
    #[inline]
    fn close_down_to(&mut self, left: usize, cut: u8, visitor: &mut impl Visitor) {
        while self.frames.len() > left
            && let Some(frame) = self.frames.pop()
        {
            let level = self.frames.len();
            let Frame { region, since, visit, .. } = frame;
            visitor.level(level, since, self.now, region, frame.cut | cut);
            if cut == 0 {
                let ticks = visit.ticks + self.now.saturating_sub(since);
                self.end_visit(region, Visit { ticks, ..visit }, visitor);
            }
        }
    }

    #[inline]
    fn end_visit(&mut self, region: u32, visit: Visit, visitor: &mut impl Visitor) {
        visitor.visit(self.now, region, visit.ticks);
        visitor.recorded(visit.slot, visit.began, self.now, region, 0);
        if let Some(slot) = self.slots.get_mut(visit.slot) {
            *slot = false;
        }
        while self.slots.last() == Some(&false) {
            self.slots.pop();
        }
    }

    /// What a task was in ends, although it is suspended here: it has been completed elsewhere.
    fn forget(&mut self, task: TaskId, visitor: &mut impl Visitor) {
        for (region, visit) in self.aside.remove(&task).into_iter().flatten().rev() {
            self.end_visit(region, visit, visitor);
        }
    }

    /// All tasks of a team are complete when it ends.
    fn forget_team(&mut self, team: u32, visitor: &mut impl Visitor) {
        if self.aside.is_empty() {
            return;
        }
        let mut tasks: Vec<TaskId> =
            self.aside.keys().filter(|task| task.team == team).copied().collect();
        tasks.sort_unstable();
        tasks.into_iter().for_each(|task| self.forget(task, visitor));
    }

    /// A gap that a region stands for has ended.
    #[cold]
    pub fn end_gap(&mut self, end: u64, visitor: &mut impl Visitor) {
        self.gap_end = None;
        self.now = end.max(self.now);
        self.border(visitor);
        self.close_down_to(self.frames.len().saturating_sub(1), 0, visitor);
        self.tell_top(visitor);
    }

    /// The thread goes on with another task, or with the implicit one.
    fn switch(&mut self, to: Option<TaskId>, visitor: &mut impl Visitor) {
        let current = self.running();
        if current.map(|running| running.task) == to {
            return;
        }
        self.border(visitor);
        if let Some(Running { task, floor, since, cut }) = current {
            let open = self.frames.get(floor..).unwrap_or_default();
            let visit = |frame: &Frame| {
                let ticks = frame.visit.ticks + self.now.saturating_sub(frame.since);
                (frame.region, Visit { ticks, ..frame.visit })
            };
            self.aside.insert(task, open.iter().map(visit).collect());
            self.close_down_to(floor, CUT_END, visitor);
            visitor.fragment(since, self.now, task, cut | CUT_END);
        }
        let Some(part) = self.parts.last_mut() else { return };
        match to.map(|to| part.below.iter().position(|below| *below == to)) {
            // In the implicit task, the thread has left all others: they may go on elsewhere.
            None => part.below.clear(),
            Some(Some(place)) => part.below.truncate(place),
            Some(None) => part.below.extend(current.map(|running| running.task)),
        }
        self.resume(to, visitor);
    }

    /// The task goes on where it was suspended, or begins.
    fn resume(&mut self, to: Option<TaskId>, visitor: &mut impl Visitor) {
        let (floor, since) = (self.frames.len(), self.now);
        let regions = to.and_then(|task| self.aside.remove(&task));
        let cut = if regions.is_some() { CUT_BEGIN } else { 0 };
        if let Some(part) = self.parts.last_mut() {
            part.below.retain(|below| Some(*below) != to);
            part.running = to.map(|task| Running { task, floor, since, cut });
        }
        let regions = regions.unwrap_or_default();
        let goes_on = |(region, visit)| Frame { region, since: self.now, cut: CUT_BEGIN, visit };
        self.frames.extend(regions.into_iter().map(goes_on));
        if let Some(task) = to {
            visitor.start(self.now, task);
        }
        for (level, frame) in self.frames.iter().enumerate().skip(floor) {
            visitor.begin(level, self.now, frame.region, CUT_BEGIN);
        }
        self.tell_top(visitor);
    }

    /// A task has ended: the thread is back in the task that it had suspended for it.
    fn complete(&mut self, task: TaskId, visitor: &mut impl Visitor) {
        let current = self.running().filter(|running| running.task == task);
        let Some(Running { floor, since, cut, .. }) = current else {
            self.forget(task, visitor);
            return;
        };
        self.border(visitor);
        self.close_down_to(floor, 0, visitor);
        visitor.fragment(since, self.now, task, cut);
        let below = self.parts.last().and_then(|part| part.below.last().copied());
        let below = below.filter(|below| self.aside.contains_key(below));
        self.resume(below, visitor);
    }

    /// Ends a gap that is over at `time`, although no event has come since.
    pub fn end_gap_before(&mut self, time: u64) {
        if let Some(end) = self.gap_end.filter(|end| *end <= time) {
            self.end_gap(end, &mut ());
        }
    }

    /// Ends all intervals at `time`, because the trace or what is shown of it ends.
    pub fn end(&mut self, time: u64, visitor: &mut impl Visitor) {
        let time = time.max(self.now);
        if let Some(end) = self.gap_end {
            self.end_gap(end.min(time), visitor);
        }
        self.now = time;
        self.border(visitor);
        let open = self.frames.iter().map(|frame| (frame.region, frame.visit));
        for (region, visit) in open.chain(self.aside.values().flatten().copied()) {
            visitor.recorded(visit.slot, visit.began, time, region, CUT_END);
        }
        for place in (0..self.parts.len()).rev() {
            if let Some(Running { task, floor, since, cut }) = self.parts[place].running {
                self.close_down_to(floor, CUT_END, visitor);
                visitor.fragment(since, time, task, cut | CUT_END);
            }
        }
        self.close_down_to(0, CUT_END, visitor);
        visitor.top(time, None);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use pompeii_replay::text;

    use super::*;

    /// What is found, as text.
    #[derive(Default)]
    struct Found(String);

    impl Visitor for Found {
        fn enter(&mut self, _: u32) {}
        fn innermost(&mut self, start: u64, end: u64, region: u32) {
            if start < end {
                let _ = write!(self.0, "{start}-{end} in {region}; ");
            }
        }
        fn level(&mut self, level: usize, start: u64, end: u64, region: u32, cuts: u8) {
            let _ = write!(self.0, "{level}: {start}-{end} {region} cut {cuts}; ");
        }
    }

    /// The only location of a trace, which ends at 100. The engine's own regions are 0 to 2; those
    /// of the trace follow in the order of their first Enter.
    fn check(trace: &str, expected: &str) {
        let trace = text::parse(trace).expect("a trace");
        let (mut walker, mut found) = (Walker::new(), Found::default());
        for (time, event) in &trace.events[0] {
            walker.event(&trace.definitions, *time, event, &mut found);
        }
        walker.end(100, &mut found);
        assert_eq!(found.0.trim_end(), expected);
    }

    #[test]
    fn nested_regions() {
        check(
            "10 0.0 + a\n20 0.0 + b\n30 0.0 -\n40 0.0 -",
            "10-20 in 3; 20-30 in 4; 1: 20-30 4 cut 0; 30-40 in 3; 0: 10-40 3 cut 0;",
        );
    }

    #[test]
    fn the_trace_ends_in_a_region() {
        check("10 0.0 + a", "10-100 in 3; 0: 10-100 3 cut 2;");
    }

    #[test]
    fn what_was_not_left_ends_with_what_is_around() {
        check(
            "10 0.0 + a\n20 0.0 + b\n30 0.0 - a\n40 0.0 - b",
            "10-20 in 3; 20-30 in 4; 1: 20-30 4 cut 0; 0: 10-30 3 cut 0;",
        );
    }

    #[test]
    fn no_recording_is_a_region() {
        check(
            "10 0.0 + a\n20 0.0 off\n50 0.0 on\n60 0.0 -",
            "10-20 in 3; 20-50 in 2; 1: 20-50 2 cut 0; 50-60 in 3; 0: 10-60 3 cut 0;",
        );
    }

    #[test]
    fn a_flush_is_a_gap() {
        let trace = text::parse("10 0.0 + a\n60 0.0 -").expect("a trace");
        for (stop, expected) in [
            (30, "10-20 in 3; 20-30 in 2; 1: 20-30 2 cut 0; 30-60 in 3; 0: 10-60 3 cut 0;"),
            // A gap is over at the next event, whatever it says.
            (u64::MAX, "10-20 in 3; 20-60 in 2; 1: 20-60 2 cut 0; 0: 10-60 3 cut 0;"),
        ] {
            let stop_time = pompeii_otf2::Timestamp(stop);
            let flush = pompeii_otf2::event::BufferFlush { stop_time }.into();
            let (mut walker, mut found) = (Walker::new(), Found::default());
            let events = &trace.events[0];
            for (time, event) in [&events[0], &(20, flush), &events[1]] {
                walker.event(&trace.definitions, *time, event, &mut found);
            }
            assert_eq!(found.0.trim_end(), expected);
        }
    }

    /// The implicit task's barrier stays open below the tasks that are executed in it.
    #[test]
    fn tasks_in_a_barrier() {
        check(
            "team A = 0.0\n0 0.0 + ibarrier\n10 0.0 switch A 0 1; + task\n20 0.0 switch A 0 2; + task\n\
             30 0.0 -; done A 0 2; switch A 0 1\n40 0.0 -; done A 0 1; switch A 0 0\n50 0.0 -",
            "0-10 in 3; 10-20 in 4; 1: 10-20 4 cut 2; 20-30 in 4; 1: 20-30 4 cut 0; \
             30-40 in 4; 1: 30-40 4 cut 1; 40-50 in 3; 0: 0-50 3 cut 0;",
        );
    }

    /// Figures 3 and 4 of the paper on tasks: task 1 is suspended while task 2 is executed. As they
    /// are recorded, task 1 and its function last until both are done.
    #[test]
    fn suspended_regions_stay_open_as_recorded() {
        let trace = "team A = 0.0\n0 0.0 + ibarrier\n10 0.0 switch A 0 1; + task; + f\n\
             30 0.0 switch A 0 2; + task; + f\n60 0.0 -; -; done A 0 2; switch A 0 1\n\
             70 0.0 -; -; done A 0 1; switch A 0 0\n90 0.0 -";
        let trace = text::parse(trace).expect("a trace");
        let (mut walker, mut found) = (Walker::new(), Recorded::default());
        for (time, event) in &trace.events[0] {
            walker.event(&trace.definitions, *time, event, &mut found);
        }
        let expected = "4: 30-60 5 in 30; 3: 30-60 4 in 30; 2: 10-70 5 in 30; 1: 10-70 4 in 30; \
             0: 0-90 3 in 90; ";
        assert_eq!(found.0, expected);
        assert_eq!(walker.slots, [false; 0]);
    }

    /// Visits as they were recorded, with their ticks without suspensions.
    #[derive(Default)]
    struct Recorded(String, u64);

    impl Visitor for Recorded {
        fn enter(&mut self, _: u32) {}
        fn innermost(&mut self, _: u64, _: u64, _: u32) {}
        fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}
        fn visit(&mut self, _: u64, _: u32, ticks: u64) {
            self.1 = ticks;
        }
        fn recorded(&mut self, level: usize, start: u64, end: u64, region: u32, _: u8) {
            let _ = write!(self.0, "{level}: {start}-{end} {region} in {}; ", self.1);
        }
    }

    #[test]
    fn times_that_go_back_count_as_now() {
        check(
            "10 0.0 + a\n5 0.0 + b\n20 0.0 -",
            "10-20 in 4; 1: 10-20 4 cut 0; 20-100 in 3; 0: 10-100 3 cut 2;",
        );
    }
}
