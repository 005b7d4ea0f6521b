//! Task instances of a window: where they were created, and the pieces of time in which threads
//! executed them. Links lead from the creation to the first piece, and from each piece to the next
//! one; a task that moves has pieces on several locations.

use std::collections::BTreeMap;
use std::ops::Range;

use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::Definitions;

use crate::cell::{CUT_BEGIN, CUT_END};
use crate::exact::WindowError;
use crate::format::Index;
use crate::walk::{TaskId, Visitor};

/// A piece of time in which a location executed a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Where.
    pub location: usize,
    /// Which task.
    pub task: TaskId,
    /// When it began or went on.
    pub start: u64,
    /// When it ended or was suspended, or when the window ends.
    pub end: u64,
    /// The location had suspended the task before.
    pub is_resumed: bool,
    /// The task is not complete at the end.
    pub is_suspended: bool,
}

/// Tasks of some locations in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Location, time and task of all creations.
    pub creations: Vec<(usize, u64, TaskId)>,
    /// All fragments.
    pub fragments: Vec<Fragment>,
}

/// Leads from a creation or a fragment to the next fragment of the same task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLink {
    /// Which task.
    pub task: TaskId,
    /// Whether it leads from the creation.
    pub is_creation: bool,
    /// Location and time where it begins: the creation, or the end of a fragment.
    pub from: (usize, u64),
    /// Location and time where it ends: the begin of a fragment.
    pub to: (usize, u64),
}

impl Tasks {
    /// All links between what is there, by task and time.
    pub fn links(&self) -> Vec<TaskLink> {
        let mut fragments: BTreeMap<TaskId, Vec<&Fragment>> = BTreeMap::new();
        for fragment in &self.fragments {
            fragments.entry(fragment.task).or_default().push(fragment);
        }
        let created: BTreeMap<TaskId, (usize, u64)> = self
            .creations
            .iter()
            .map(|(location, time, task)| (*task, (*location, *time)))
            .collect();
        let mut links = Vec::new();
        for (task, mut pieces) in fragments {
            pieces.sort_by_key(|piece| (piece.start, piece.end));
            let begin = |piece: &Fragment| (piece.location, piece.start);
            if let (Some(from), Some(first)) = (created.get(&task), pieces.first()) {
                links.push(TaskLink { task, is_creation: true, from: *from, to: begin(first) });
            }
            for (one, next) in pieces.iter().zip(pieces.iter().skip(1)) {
                let from = (one.location, one.end);
                links.push(TaskLink { task, is_creation: false, from, to: begin(next) });
            }
        }
        links
    }
}

/// Collects tasks of a location that are in a window.
struct Collector<'a> {
    location: usize,
    window: &'a Range<u64>,
    tasks: &'a mut Tasks,
}

impl Visitor for Collector<'_> {
    fn enter(&mut self, _: u32) {}
    fn innermost(&mut self, _: u64, _: u64, _: u32) {}
    fn level(&mut self, _: usize, _: u64, _: u64, _: u32, _: u8) {}

    fn create(&mut self, time: u64, task: TaskId) {
        if self.window.contains(&time) {
            self.tasks.creations.push((self.location, time, task));
        }
    }

    fn fragment(&mut self, start: u64, end: u64, task: TaskId, cuts: u8) {
        if end >= self.window.start {
            let (is_resumed, is_suspended) = (cuts & CUT_BEGIN != 0, cuts & CUT_END != 0);
            let location = self.location;
            let fragment = Fragment { location, task, start, end, is_resumed, is_suspended };
            self.tasks.fragments.push(fragment);
        }
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Adds the tasks of a location in a window: all creations in it, and all fragments that are
    /// not over before it. They are decoded from the events.
    ///
    /// # Errors
    /// Those of [`visit_window`](Index::visit_window).
    pub fn add_tasks<S: ChunkSource>(
        &self,
        definitions: &Definitions,
        location: usize,
        window: &Range<u64>,
        reader: &mut EventReader<S>,
        tasks: &mut Tasks,
    ) -> Result<(), WindowError> {
        let mut collector = Collector { location, window, tasks };
        self.visit_window(definitions, location, window, reader, &mut collector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_task_that_moves() {
        let task = |number| TaskId { team: 0, thread: 0, number };
        let fragment = |location, number, start, end| {
            let (is_resumed, is_suspended) = (false, false);
            Fragment { location, task: task(number), start, end, is_resumed, is_suspended }
        };
        // Task 1 moves to location 2; the creation of task 2 is not in the window.
        let tasks = Tasks {
            creations: vec![(0, 5, task(1)), (0, 6, task(3))],
            fragments: vec![fragment(2, 1, 30, 40), fragment(1, 1, 10, 20), fragment(1, 2, 20, 30)],
        };
        let link = |is_creation, from, to| TaskLink { task: task(1), is_creation, from, to };
        assert_eq!(tasks.links(), [link(true, (0, 5), (1, 10)), link(false, (1, 20), (2, 30))]);
    }

    #[test]
    fn creations_are_those_of_the_window() {
        let text = "team A = 0.0\n10 0.0 create A 0 1\n20 0.0 create A 0 2\n30 0.0 switch A 0 1";
        let trace = pompeii_replay::text::parse(text).expect("a trace");
        let mut tasks = Tasks::default();
        let window = 15..40;
        let mut collector = Collector { location: 7, window: &window, tasks: &mut tasks };
        let mut walker = crate::walk::Walker::new();
        for (time, event) in &trace.events[0] {
            walker.event(&trace.definitions, *time, event, &mut collector);
        }
        walker.end(40, &mut collector);
        let task = |number| TaskId { team: 0, thread: 0, number };
        assert_eq!(tasks.creations, [(7, 20, task(2))]);
        let [fragment] = tasks.fragments[..] else { panic!("one fragment") };
        assert_eq!((fragment.task, fragment.start, fragment.end), (task(1), 30, 40));
        assert!(fragment.is_suspended && !fragment.is_resumed);
    }
}
