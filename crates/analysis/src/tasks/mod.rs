//! The tasks of a trace: instances by construct, how many tasks were ready and how many threads
//! had none over time, work and span of parallel regions, and the three problems with tasks of
//! section 3 of "Performance Analysis Techniques for Task-Based OpenMP Applications" (Schmidl et
//! al.).
//!
//! The reports of a profile have the same problems as findings, with the gain of a repair. A trace
//! knows more: how many tasks were ready at a time, for what each thread without a task waited, and
//! with how many threads the tasks would keep all of them busy.
//!
//! ```text
//! compounds ─▶ Found ─┐
//! tables    ─▶ Rows  ─┴─▶ TaskAnalysis ─▶ problems
//! ```
//! Both collectors may run in threads of their own, and need no memory for single tasks.

mod assemble;
mod building;
mod collapse;
#[cfg(test)]
mod collapse_tests;
pub mod dependences;
pub mod found;
pub mod graph;
pub mod over_time;
pub mod problems;
pub mod rows;
pub mod simulate;
#[cfg(test)]
mod simulate_tests;
pub mod simulated;
#[cfg(test)]
mod tests;

use pompeii_model::{Distribution, Frequency, Ticks};
use pompeii_replay::Outcome;

use found::{Found, Sums, WithoutTask};
use rows::Rows;
use simulated::{Simulated, Simulations};

/// What is known of the tasks of a trace. Times are ticks.
#[derive(Clone, Debug)]
pub struct TaskAnalysis {
    /// Name of the program.
    pub program: String,
    /// The clock of all times.
    pub clock: Frequency,
    /// Duration of the run.
    pub wall_ticks: Ticks,
    /// Number of locations.
    pub locations: usize,
    /// Length of the critical path; 0 if it was not searched for.
    pub critical_ticks: Ticks,
    /// Task constructs, the one with the most work first.
    pub constructs: Vec<Construct>,
    /// Parallel regions with tasks, the one with the most allocated time first.
    pub regions: Vec<TaskRegion>,
    /// Parts of the run.
    pub over_time: Vec<Moment>,
    /// The trace has the dependences between tasks, apart from those that [`Sums::dependences`]
    /// counts as not known.
    pub has_dependences: bool,
    /// Instances of all kinds that were not complete when the trace ended.
    pub incomplete: u64,
}

/// A construct in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What people read: construct, function and place.
    pub label: String,
    /// File; empty if it is not known.
    pub file: String,
    /// First line; 0 if it is not known.
    pub line: u32,
}

/// A task construct with its instances.
#[derive(Clone, Debug)]
pub struct Construct {
    /// The construct.
    pub at: Named,
    /// Creating an instance, unless the creator executed a task meanwhile.
    pub creation: Distribution,
    /// From the creation to the begin.
    pub ready: Distribution,
    /// Work of an instance: its fragments without waiting.
    pub execution: Distribution,
    /// Creations in which the creator executed a task.
    pub at_once: u64,
    /// How often threads executed a part of an instance.
    pub fragments: u64,
    /// Threads with the number of instances that they have created, most first.
    pub creators: Vec<(String, u64)>,
    /// Time of the critical path in its instances.
    pub critical_ticks: Ticks,
}

impl Construct {
    fn new(at: Named) -> Construct {
        Construct {
            at,
            creation: Distribution::default(),
            ready: Distribution::default(),
            execution: Distribution::default(),
            at_once: 0,
            fragments: 0,
            creators: Vec::new(),
            critical_ticks: 0,
        }
    }
}

/// A parallel region with tasks, at one call path.
#[derive(Clone, Debug)]
pub struct TaskRegion {
    /// The region.
    pub at: Named,
    /// Names of the regions of its call path.
    pub call_path: String,
    /// Sums over its executions.
    pub sums: Sums,
    /// Tasks that are done.
    pub done: u64,
    /// Their work.
    pub execution: Ticks,
    /// That of the longest one.
    pub longest: Ticks,
    /// Time of its threads without a task, by the reason.
    pub without_task: WithoutTask,
    /// Creating its tasks.
    pub creation: Distribution,
    /// Who creates the tasks, if at most half of the threads do.
    pub creators: Option<Creators>,
    /// Its executions on other numbers of threads, if that is wanted.
    pub simulated: Option<Simulated>,
}

impl TaskRegion {
    /// Parallelism: with more threads than that some of them have no work.
    pub fn parallelism(&self) -> f64 {
        self.sums.work as f64 / self.sums.span.max(1) as f64
    }
}

/// The few threads that create nearly all tasks of a parallel region.
#[derive(Clone, Debug, PartialEq)]
pub struct Creators {
    /// Their names.
    pub threads: Vec<String>,
    /// Tasks that they have created.
    pub created: u64,
    /// All tasks of the region with a known creator.
    pub of: u64,
    /// Mean time from one creation of such a thread to its next, in ticks.
    pub period: f64,
    /// Mean work of a task.
    pub execution: f64,
}

impl Creators {
    /// How many other threads they keep busy: the number of tasks that they create in the time in
    /// which a thread executes one. With one creator this is the rule of the tasks paper: it must be
    /// n - 1 times as fast as the execution of a task, for n threads.
    pub fn fed(&self) -> f64 {
        self.threads.len() as f64 * self.execution / self.period
    }

    /// The largest number of threads with which all are busy, the creators included.
    pub fn threads_fed(&self) -> usize {
        self.threads.len().saturating_add(self.fed() as usize)
    }
}

/// A part of the run: mean numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// When it begins, in ticks since the begin of the measurement.
    pub begin: Ticks,
    /// Tasks that were created and have not begun.
    pub ready: f64,
    /// Tasks that threads execute.
    pub running: f64,
    /// Threads at scheduling points without a task.
    pub idle: f64,
    /// Threads that create a task.
    pub creating: f64,
}

impl TaskAnalysis {
    /// Puts together what compounds and tables say, with the simulations that are wanted.
    pub fn new(
        (found, rows): (&Found, &Rows),
        simulations: Option<&Simulations>,
        outcome: &Outcome,
    ) -> TaskAnalysis {
        assemble::assemble((found, rows), simulations, outcome)
    }

    /// Calls `change` for each text, so that foreign text can be escaped before people read it.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.program);
        let constructs = self.constructs.iter_mut().map(|of| &mut of.at);
        let regions = self.regions.iter_mut().map(|of| (&mut of.at, &mut of.call_path));
        for (at, path) in regions {
            [&mut at.label, &mut at.file, path].into_iter().for_each(&mut *change);
        }
        for at in constructs {
            [&mut at.label, &mut at.file].into_iter().for_each(&mut *change);
        }
        let of_constructs = self.constructs.iter_mut().flat_map(|of| of.creators.iter_mut());
        of_constructs.for_each(|(thread, _)| change(thread));
        let of_regions = self.regions.iter_mut().filter_map(|of| of.creators.as_mut());
        of_regions.flat_map(|of| of.threads.iter_mut()).for_each(change);
    }
}
