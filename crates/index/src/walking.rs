//! The walk along the events of a location, for those who need no index: writers of other formats
//! want each region with its begin and its end, and tasks that are cut where they are suspended.

use pompeii_otf2::event::Event;
use pompeii_replay::definitions::Definitions;

use crate::walk::{Visitor, Walker};

/// The walk along the events of one location, from the first one on.
#[derive(Debug)]
pub struct Walk<'a> {
    definitions: &'a Definitions,
    walker: Walker,
}

impl<'a> Walk<'a> {
    /// Before the first event.
    pub fn new(definitions: &'a Definitions) -> Walk<'a> {
        Walk { definitions, walker: Walker::new() }
    }

    /// Takes the next event, with its time in ticks.
    #[inline]
    pub fn event(&mut self, time: u64, event: &Event, visitor: &mut impl Visitor) {
        self.walker.event(self.definitions, time, event, visitor);
    }

    /// Time of the last event in ticks. It never decreases: an event that is earlier than the one
    /// before counts as if it had the same time.
    pub fn now(&self) -> u64 {
        self.walker.now
    }

    /// All events have been taken. What is still open ends with the trace.
    pub fn end(mut self, visitor: &mut impl Visitor) {
        self.walker.end(self.definitions.end, visitor);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use pompeii_replay::text;

    use super::*;
    use crate::walk::TaskId;

    /// Begins and ends as text: `+REGION@TIME`, `-REGION@TIME`, `[TASK@TIME`, `]TASK@TIME`.
    #[derive(Default)]
    struct Nested(String);

    impl Visitor for Nested {
        fn enter(&mut self, _: u32) {}
        fn innermost(&mut self, _: u64, _: u64, _: u32) {}
        fn begin(&mut self, _: usize, time: u64, region: u32, _: u8) {
            let _ = write!(self.0, "+{region}@{time} ");
        }
        fn level(&mut self, _: usize, _: u64, end: u64, region: u32, _: u8) {
            let _ = write!(self.0, "-{region}@{end} ");
        }
        fn start(&mut self, time: u64, task: TaskId) {
            let _ = write!(self.0, "[{}@{time} ", task.number);
        }
        fn fragment(&mut self, _: u64, end: u64, task: TaskId, _: u8) {
            let _ = write!(self.0, "]{}@{end} ", task.number);
        }
    }

    /// The only location of a trace, which ends at 100.
    fn check(trace: &str, expected: &str) {
        let mut trace = text::parse(trace).expect("a trace");
        trace.definitions.end = 100;
        let (mut walk, mut found) = (Walk::new(&trace.definitions), Nested::default());
        for (time, event) in &trace.events[0] {
            walk.event(*time, event, &mut found);
        }
        walk.end(&mut found);
        assert_eq!(found.0.trim_end(), expected);
    }

    /// Figures 3 and 4 of the paper on tasks: task 1 is suspended while task 2 is executed.
    #[test]
    fn regions_of_a_suspended_task_end_before_it_and_begin_after_it() {
        check(
            "team A = 0.0\n0 0.0 + ibarrier\n10 0.0 switch A 0 1; + task; + f\n\
             30 0.0 switch A 0 2; + task; + f\n60 0.0 -; -; done A 0 2; switch A 0 1\n\
             70 0.0 -; -; done A 0 1; switch A 0 0\n90 0.0 -",
            "+3@0 [1@10 +4@10 +5@10 -5@30 -4@30 ]1@30 [2@30 +4@30 +5@30 -5@60 -4@60 ]2@60 \
             [1@60 +4@60 +5@60 -5@70 -4@70 ]1@70 -3@90",
        );
    }

    #[test]
    fn what_is_open_ends_with_the_trace() {
        check("10 0.0 + a\n20 0.0 + b", "+3@10 +4@20 -4@100 -3@100");
        check(
            "team A = 0.0\n10 0.0 + a\n20 0.0 switch A 0 1; + b",
            "+3@10 [1@20 +4@20 -4@100 ]1@100 -3@100",
        );
    }
}
