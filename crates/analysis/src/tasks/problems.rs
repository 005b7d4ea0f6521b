//! The three problems with tasks (the tasks paper, section 3), from what a trace knows: tasks that
//! are too small for what creating them costs, tasks that are too few or too large to be shared
//! evenly, and threads that create them too slowly. A problem needs a loss: tasks may be small or
//! few, and no thread waits for that reason.

use pompeii_model::Ticks;

use super::TaskAnalysis;
use crate::properties::{tasks_too_few, tasks_too_small};

/// A smaller share of the allocated time of the parallel regions is not called a problem, as among
/// the findings.
const PROBLEM_SHARE: f64 = 0.02;

/// A task that takes more than this share of what each thread has to do is a large one.
const LARGE_SHARE: f64 = 0.1;

/// A problem with tasks. Numbers of constructs and regions are places in the lists of the analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Creating a task takes long, measured by what the task does.
    TooSmall {
        /// The construct.
        construct: usize,
        /// Work of a task for each tick that creating it takes.
        benefit: f64,
        /// What creating all of them took.
        lost: Ticks,
    },
    /// Some threads wait for the last tasks of the others.
    TooFew {
        /// The parallel region.
        region: usize,
        /// Tasks for each thread in an execution of the region.
        per_thread: f64,
        /// The longest task as a share of the tasks' work for each thread in an execution.
        longest_share: f64,
        /// How long threads waited for tasks to end.
        lost: Ticks,
    },
    /// Few threads create the tasks, and the others are faster.
    SlowCreation {
        /// The parallel region; its creators are known.
        region: usize,
        /// How long threads waited for the creation of a task.
        lost: Ticks,
    },
}

impl Problem {
    /// Time of all threads that is lost.
    pub fn lost(&self) -> Ticks {
        match self {
            Problem::TooSmall { lost, .. }
            | Problem::TooFew { lost, .. }
            | Problem::SlowCreation { lost, .. } => *lost,
        }
    }
}

impl TaskAnalysis {
    /// The problems, the one with the largest loss first.
    pub fn problems(&self) -> Vec<Problem> {
        let mut all = self.too_small();
        all.extend(self.too_few());
        all.extend(self.slow_creation());
        all.sort_by_key(|problem| -problem.lost());
        all
    }

    fn too_small(&self) -> Vec<Problem> {
        let allocation: f64 = self.regions.iter().map(|of| of.sums.allocation as f64).sum();
        let small = |(construct, of): (usize, &super::Construct)| {
            let lost = of.creation.moments.sum;
            let benefit = of.execution.moments.mean() / of.creation.moments.mean();
            let is_small = benefit < tasks_too_small::WORTH;
            let is_lost = lost > 0 && lost as f64 >= PROBLEM_SHARE * allocation;
            (is_small && is_lost).then_some(Problem::TooSmall { construct, benefit, lost })
        };
        self.constructs.iter().enumerate().filter_map(small).collect()
    }

    fn too_few(&self) -> Vec<Problem> {
        let few = |(region, of): (usize, &super::TaskRegion)| {
            let lost = of.without_task.end;
            let teams = of.sums.executions.max(1) as f64 * of.sums.threads.max(1) as f64;
            let per_thread = of.done as f64 / teams;
            let share = of.execution as f64 / teams;
            let longest_share = if share > 0.0 { of.longest as f64 / share } else { 0.0 };
            let is_few =
                per_thread < tasks_too_few::ENOUGH_PER_THREAD as f64 || longest_share > LARGE_SHARE;
            let is_lost = lost > 0 && lost as f64 >= PROBLEM_SHARE * of.sums.allocation as f64;
            let problem = Problem::TooFew { region, per_thread, longest_share, lost };
            (of.done > 0 && is_few && is_lost).then_some(problem)
        };
        self.regions.iter().enumerate().filter_map(few).collect()
    }

    fn slow_creation(&self) -> Vec<Problem> {
        let slow = |(region, of): (usize, &super::TaskRegion)| {
            let lost = of.without_task.creation;
            let creators = of.creators.as_ref()?;
            let is_slow = of.sums.threads > creators.threads_fed();
            let is_lost = lost > 0 && lost as f64 >= PROBLEM_SHARE * of.sums.allocation as f64;
            (is_slow && is_lost).then_some(Problem::SlowCreation { region, lost })
        };
        self.regions.iter().enumerate().filter_map(slow).collect()
    }
}
