//! The tasks of one execution of a parallel region as a program that can be run again: what each
//! task did, in its order. The implicit tasks begin together and meet at barriers. Explicit tasks
//! have numbers, by which steps name them.
//!
//! Dependences are steps, too: a task that creates another one names the tasks before it, which it
//! has created earlier.
//!
//! A step is one word in a list that all tasks share, so a task with one child and one wait takes
//! about five words.

/// What a task does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It works for this number of ticks.
    Work(u64),
    /// The task that it creates next may not begin before this one is done, because of their
    /// `depend` clauses.
    After(u32),
    /// It creates the explicit task with this number, which is its child.
    Create(u32),
    /// It creates this task, and the thread executes that one before it goes on.
    Execute(u32),
    /// Work of tasks that were put together ([`super::collapse`]), for this number of ticks, if one
    /// thread executes them.
    Alone(u64),
    /// The number of these tasks that begin on this thread.
    AloneStarts(u64),
    /// The longest chain of work of tasks that were put together, if each of them has a thread.
    Chain(u64),
    /// The number of tasks that begin in this chain.
    ChainStarts(u64),
    /// It waits for its children.
    Taskwait,
    /// It begins a taskgroup.
    GroupBegin,
    /// It waits for the tasks of its innermost taskgroup.
    GroupEnd,
    /// An implicit task waits until all of them are here and no explicit task is left.
    Barrier,
    /// It is done.
    End,
}

/// Bits of a word that say which step it is; the others are a time or a number.
const KIND_BITS: u32 = 4;

impl Step {
    fn word(self) -> u64 {
        let (kind, more) = match self {
            Step::Work(ticks) => (0, ticks.min(u64::MAX >> KIND_BITS)),
            Step::Create(task) => (1, u64::from(task)),
            Step::Execute(task) => (2, u64::from(task)),
            Step::Taskwait => (3, 0),
            Step::GroupBegin => (4, 0),
            Step::GroupEnd => (5, 0),
            Step::Barrier => (6, 0),
            Step::End => (7, 0),
            Step::After(task) => (8, u64::from(task)),
            Step::Alone(ticks) => (9, ticks.min(u64::MAX >> KIND_BITS)),
            Step::AloneStarts(tasks) => (10, tasks.min(u64::MAX >> KIND_BITS)),
            Step::Chain(ticks) => (11, ticks.min(u64::MAX >> KIND_BITS)),
            Step::ChainStarts(tasks) => (12, tasks.min(u64::MAX >> KIND_BITS)),
        };
        more << KIND_BITS | kind
    }

    fn of(word: u64) -> Step {
        let more = word >> KIND_BITS;
        match word & ((1 << KIND_BITS) - 1) {
            0 => Step::Work(more),
            1 => Step::Create(more as u32),
            2 => Step::Execute(more as u32),
            3 => Step::Taskwait,
            4 => Step::GroupBegin,
            5 => Step::GroupEnd,
            6 => Step::Barrier,
            8 => Step::After(more as u32),
            9 => Step::Alone(more),
            10 => Step::AloneStarts(more),
            11 => Step::Chain(more),
            12 => Step::ChainStarts(more),
            _ => Step::End,
        }
    }
}

/// Where a task begins in the list, if it is not known.
const UNKNOWN: usize = usize::MAX;

/// The tasks of an execution of a parallel region.
#[derive(Clone, Debug, Default)]
pub struct TaskGraph {
    words: Vec<u64>,
    /// Where each explicit task begins.
    explicit: Vec<usize>,
    /// Where each implicit task begins.
    implicit: Vec<usize>,
    /// By explicit task, up to the last one that is untied: whether it is.
    untied: Vec<bool>,
}

impl TaskGraph {
    /// Makes room for one more explicit task, and returns its number.
    pub fn add(&mut self) -> u32 {
        self.explicit.push(UNKNOWN);
        (self.explicit.len() - 1) as u32
    }

    /// The steps of an explicit task. One that is given again, or has no number yet, is ignored.
    pub fn give(&mut self, task: u32, steps: &[Step]) {
        let begin = self.words.len();
        let Some(known) = self.explicit.get_mut(task as usize).filter(|at| **at == UNKNOWN) else {
            return;
        };
        *known = begin;
        self.write(steps);
    }

    /// An explicit task is untied: any thread may go on with it.
    pub fn set_untied(&mut self, task: u32) {
        let place = task as usize;
        if place < self.explicit.len() {
            self.untied.resize(self.untied.len().max(place + 1), false);
            self.untied[place] = true;
        }
    }

    /// Other steps of a task whose steps are known.
    pub(super) fn replace(&mut self, task: u32, steps: &[Step]) {
        self.explicit[task as usize] = self.words.len();
        self.write(steps);
    }

    /// The steps of one more implicit task.
    pub fn give_implicit(&mut self, steps: &[Step]) {
        self.implicit.push(self.words.len());
        self.write(steps);
    }

    fn write(&mut self, steps: &[Step]) {
        self.words.extend(steps.iter().filter(|step| **step != Step::End).map(|it| it.word()));
        self.words.push(Step::End.word());
    }

    /// Implicit and explicit tasks. In a simulation the implicit ones come first.
    pub fn tasks(&self) -> usize {
        self.implicit.len() + self.explicit.len()
    }

    /// Number of implicit tasks.
    pub fn implicit(&self) -> u32 {
        self.implicit.len() as u32
    }

    /// Whether the steps of all tasks are given.
    pub fn is_complete(&self) -> bool {
        self.explicit.iter().all(|begin| *begin != UNKNOWN)
    }

    /// Number of explicit tasks.
    pub(super) fn explicit(&self) -> u32 {
        self.explicit.len() as u32
    }

    /// Number of steps of all tasks.
    pub(super) fn steps(&self) -> usize {
        self.words.len()
    }

    /// Where the steps of an explicit task begin; `None` if they are not given.
    pub(super) fn begin(&self, explicit: u32) -> Option<usize> {
        self.explicit.get(explicit as usize).copied().filter(|begin| *begin != UNKNOWN)
    }

    /// Where the steps of the implicit tasks begin.
    pub(super) fn implicit_begins(&self) -> &[usize] {
        &self.implicit
    }

    /// The steps from a place up to the end of their task.
    pub(super) fn steps_from(&self, begin: usize) -> impl Iterator<Item = Step> + '_ {
        (begin..).map(|place| self.step(place)).take_while(|step| *step != Step::End)
    }

    /// The place among all tasks of an explicit one; `None` if there is none of this number.
    pub(super) fn place(&self, explicit: u32) -> Option<u32> {
        let is_known = (explicit as usize) < self.explicit.len();
        is_known.then(|| self.implicit().saturating_add(explicit))
    }

    /// Whether the task at a place among all tasks is untied.
    pub(super) fn is_untied(&self, place: u32) -> bool {
        let explicit = place.checked_sub(self.implicit());
        explicit.and_then(|task| self.untied.get(task as usize)).is_some_and(|is| *is)
    }

    /// Where all tasks begin.
    pub(super) fn begins(&self) -> impl Iterator<Item = usize> + '_ {
        self.implicit.iter().chain(&self.explicit).copied()
    }

    /// The step at a place in the list.
    pub(super) fn step(&self, place: usize) -> Step {
        self.words.get(place).map_or(Step::End, |word| Step::of(*word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back() {
        let steps = [
            Step::Work(0),
            Step::Work(12_345_678_901),
            Step::After(3),
            Step::Alone(1 << 40),
            Step::AloneStarts(5),
            Step::Chain(1 << 39),
            Step::ChainStarts(2),
            Step::Create(u32::MAX),
            Step::Execute(7),
            Step::Taskwait,
            Step::GroupBegin,
            Step::GroupEnd,
            Step::Barrier,
        ];
        let mut graph = TaskGraph::default();
        let task = graph.add();
        graph.give_implicit(&[Step::Create(task), Step::Barrier]);
        assert!(!graph.is_complete());
        graph.give(task, &steps);
        assert!(graph.is_complete());
        let begin = graph.begins().last().unwrap();
        let back: Vec<Step> = (begin..begin + steps.len()).map(|at| graph.step(at)).collect();
        assert_eq!(back, steps);
        assert_eq!(graph.step(begin + steps.len()), Step::End);
        assert_eq!(Step::of(Step::Work(u64::MAX).word()), Step::Work(u64::MAX >> KIND_BITS));
    }

    #[test]
    fn a_task_has_its_steps_once() {
        let mut graph = TaskGraph::default();
        let task = graph.add();
        graph.give(task, &[Step::Work(1)]);
        graph.give(task, &[Step::Work(2)]);
        graph.give(9, &[Step::Work(3)]);
        let steps: Vec<Step> = graph.begins().map(|begin| graph.step(begin)).collect();
        assert_eq!(steps, [Step::Work(1)]);
        assert_eq!((graph.place(task), graph.place(9)), (Some(0), None));
        assert_eq!(graph.step(UNKNOWN), Step::End);
    }
}
