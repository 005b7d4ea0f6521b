//! The tasks of a trace as text: what `pompeii tasks` prints.

mod json;
#[cfg(test)]
mod tests;

use pompeii_analysis::format::{count, counted, percent, seconds, sentence};
use pompeii_analysis::tasks::dependences::Dependences;
use pompeii_analysis::tasks::found::THREADS;
use pompeii_analysis::tasks::problems::Problem;
use pompeii_analysis::tasks::simulated::Simulated;
use pompeii_analysis::tasks::{Construct, Creators, Moment, TaskAnalysis, TaskRegion};
use pompeii_model::{Distribution, Ticks};

use crate::Options;
use crate::layout::{Style, fit, left, right, wrap};

pub use json::task_analysis_json;

/// Rows of the table over time.
const ROWS: usize = 12;
/// Constructs and regions that are shown.
const SHOWN: usize = 10;
/// Creators that are named.
const NAMED: usize = 3;
/// Bins of a histogram with a smaller share are left out.
const LEAST_SHARE: f64 = 0.005;
/// Widths of the columns of constructs.
const COLUMNS: [usize; 5] = [12, 10, 10, 11, 10];
/// Width of a column of numbers of threads.
const THREADS_COLUMN: usize = 9;

/// The tasks of a trace.
pub fn task_analysis(of: &TaskAnalysis, options: &Options) -> String {
    let page = Page { of, options, style: Style::new(options) };
    let mut text = page.head();
    if of.constructs.is_empty() {
        return text;
    }
    text += &page.problems();
    text += &page.constructs();
    text += &page.regions();
    text + &page.over_time()
}

struct Page<'a> {
    of: &'a TaskAnalysis,
    options: &'a Options,
    style: Style,
}

impl Page<'_> {
    fn seconds(&self, ticks: f64) -> String {
        seconds(ticks / self.of.clock.ticks_per_second())
    }

    fn ticks(&self, ticks: Ticks) -> String {
        self.seconds(ticks as f64)
    }

    fn wrap(&self, text: &str, first: &str) -> String {
        wrap(text, self.options.width, first, "     ")
    }

    fn title(&self, title: &str) -> String {
        format!("\n {}\n", self.style.bold(title))
    }

    fn head(&self) -> String {
        let done: u64 = self.of.constructs.iter().map(|of| of.execution.moments.count).sum();
        if done == 0 {
            let text = format!("{}: no task has an end in this trace", self.of.program);
            return self.wrap(&text, " ");
        }
        let text = format!(
            "{}: {} of {}, {}, {}",
            self.of.program,
            counted(done.cast_signed(), "task"),
            counted(self.of.constructs.len() as i64, "construct"),
            counted(self.of.locations as i64, "thread"),
            self.ticks(self.of.wall_ticks)
        );
        self.wrap(&text, " ")
    }

    fn problems(&self) -> String {
        let problems = self.of.problems();
        if problems.is_empty() {
            return self.title("No problem with tasks costs 2 % of a parallel region");
        }
        let mut text = self.title("Problems");
        for problem in &problems {
            text += &self.wrap(&self.problem(problem), "   ");
        }
        text
    }

    fn problem(&self, problem: &Problem) -> String {
        match *problem {
            Problem::TooSmall { construct, benefit, lost } => {
                let of = &self.of.constructs[construct];
                format!(
                    "Tasks too small: {}. Creating a task takes {}, executing it {}, {benefit:.1} \
                     times as long. All creations took {}.",
                    of.at.label,
                    self.seconds(of.creation.moments.mean()),
                    self.seconds(of.execution.moments.mean()),
                    self.ticks(lost)
                )
            }
            Problem::TooFew { region, per_thread, longest_share, lost } => {
                let of = &self.of.regions[region];
                format!(
                    "Tasks too few or too large: {}. Each thread has {per_thread:.1} tasks, and \
                     the longest task takes {}, {} of the work of the tasks for each thread. \
                     Threads waited {} for the end of tasks.",
                    of.at.label,
                    self.ticks(of.longest),
                    percent(longest_share),
                    self.ticks(lost)
                )
            }
            Problem::SlowCreation { region, lost } => {
                let of = &self.of.regions[region];
                let creators = of.creators.as_ref().map(|creators| self.rule(creators));
                format!(
                    "Slow creation: {}. {} Threads waited {} for the creation of tasks.",
                    of.at.label,
                    creators.unwrap_or_default(),
                    self.ticks(lost)
                )
            }
        }
    }

    /// How many threads the creators keep busy.
    fn rule(&self, creators: &Creators) -> String {
        let share = percent(creators.created as f64 / creators.of.max(1) as f64);
        let (who, feed) = match creators.threads.as_slice() {
            [only] => (format!("{only} creates"), "This feeds"),
            several => (format!("{} threads create", several.len()), "They feed"),
        };
        let fed = creators.threads_fed();
        let first = sentence(&who);
        format!(
            "{first} {share} of {}, each creator one in {}; executing a task takes {}. {feed} {}, \
             the creators included; from {} threads on, threads wait.",
            counted(creators.of.cast_signed(), "task"),
            self.seconds(creators.period),
            self.seconds(creators.execution),
            counted(fed as i64, "thread"),
            count(fed.saturating_add(1) as i64)
        )
    }

    fn constructs(&self) -> String {
        let titles = ["instances", "creation", "ready", "execution", "critical"];
        let name = self.name_width();
        let mut text = self.title("Constructs: mean times of an instance");
        text += &format!(" {}{}\n", " ".repeat(name), row(&titles.map(str::to_owned)));
        for of in self.of.constructs.iter().take(SHOWN) {
            text += &self.construct(of, name);
        }
        text + &more(self.of.constructs.len(), "construct")
    }

    fn name_width(&self) -> usize {
        let all = self.options.width.saturating_sub(COLUMNS.iter().sum::<usize>() + 1);
        all.max(20)
    }

    fn construct(&self, of: &Construct, name: usize) -> String {
        let mean = |of: &Distribution| match of.moments.count {
            0 => "-".to_owned(),
            _ => self.seconds(of.moments.mean()),
        };
        let critical = of.critical_ticks as f64 / self.of.critical_ticks.max(1) as f64;
        let columns = [
            count(of.execution.moments.count.cast_signed()),
            mean(&of.creation),
            mean(&of.ready),
            mean(&of.execution),
            percent(critical),
        ];
        let label = &of.at.label;
        let mut text = match self.options.whole_names {
            true => format!(" {label}\n {}{}\n", " ".repeat(name), row(&columns)),
            false => format!(" {}{}\n", left(&fit(label, name - 1), name), row(&columns)),
        };
        text += &self.wrap(&format!("execution: {}", self.histogram(&of.execution)), "   ");
        if of.at_once > 0 {
            let at_once = counted(of.at_once.cast_signed(), "creation");
            text += &format!("   {at_once} executed a task\n");
        }
        text + &self.wrap(&creators(of), "   ")
    }

    /// How many instances took how long: the bins that count, each with its upper bound.
    fn histogram(&self, of: &Distribution) -> String {
        let share = |count: u64| count as f64 / of.moments.count.max(1) as f64;
        let bins = of.histogram().filter(|(.., count)| share(*count) >= LEAST_SHARE);
        let bin =
            |(_, below, count)| format!("{} < {}", percent(share(count)), self.seconds(below));
        bins.map(bin).collect::<Vec<String>>().join(", ")
    }

    fn regions(&self) -> String {
        let mut text = self.title("Parallel regions");
        for of in self.of.regions.iter().take(SHOWN) {
            text += &self.region(of);
        }
        text += &more(self.of.regions.len(), "region");
        if !self.of.has_dependences {
            text += &self.wrap(
                "Dependences between tasks are not in this trace. If the program has depend \
                 clauses, the span is longer, and the parallelism is an upper bound.",
                "   ",
            );
        }
        text
    }

    fn region(&self, of: &TaskRegion) -> String {
        let sums = &of.sums;
        let mut text = self.wrap(
            &format!(
                "{}: {} in {} on {}, {}",
                of.at.label,
                self.ticks(sums.ticks),
                counted(sums.executions.cast_signed(), "execution"),
                counted(sums.threads as i64, "thread"),
                counted(sums.tasks.cast_signed(), "task")
            ),
            " ",
        );
        text += &self.wrap(
            &format!(
                "work {}, span {}: parallelism {:.1}",
                self.ticks(sums.work),
                self.ticks(sums.span),
                of.parallelism()
            ),
            "   ",
        );
        text += &self.dependences(of);
        text += &self.bounds(of);
        text += &self.without_task(of);
        text += &of.simulated.as_ref().map_or(String::new(), |it| self.simulated(it));
        let rule = of.creators.as_ref().map(|creators| self.wrap(&self.rule(creators), "   "));
        text + &rule.unwrap_or_default()
    }

    /// What is known of the dependences between tasks.
    fn dependences(&self, of: &TaskRegion) -> String {
        let Dependences { tasks, edges, unknown } = of.sums.dependences;
        if tasks == 0 {
            return String::new();
        }
        let [tasks, unknown_tasks] = [tasks, unknown].map(|it| counted(it.cast_signed(), "task"));
        let edges = counted(edges.cast_signed(), "dependence");
        let mut text = format!("{tasks} with depend clauses: {edges}");
        if unknown > 0 {
            text += &format!(
                ". {unknown_tasks} with items without an address in the trace, with \
                 mutexinoutset, or a target construct with nowait: the span may be longer, so the \
                 parallelism is an upper bound"
            );
        }
        self.wrap(&text, "   ")
    }

    /// The bounds of the duration for as many threads as fit into a line.
    fn bounds(&self, of: &TaskRegion) -> String {
        let fitting = self.options.width.saturating_sub(13) / THREADS_COLUMN;
        let line = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| right(cell, THREADS_COLUMN)).collect();
            format!("   {}{cells}\n", left(name, 10))
        };
        let threads = THREADS.iter().take(fitting).map(|threads| threads.to_string()).collect();
        let times =
            |ticks: &[Ticks]| ticks.iter().take(fitting).map(|it| self.ticks(*it)).collect();
        line("threads", threads)
            + &line("at least", times(&of.sums.least))
            + &line("at most", times(&of.sums.most))
    }

    /// What the region takes on other numbers of threads. The two simulations give a range.
    fn simulated(&self, of: &Simulated) -> String {
        if of.executions == 0 {
            return "   simulated: no execution has all records of its tasks\n".to_owned();
        }
        let range = |[newest, oldest]: [Ticks; 2]| {
            let [least, most] = [newest.min(oldest), newest.max(oldest)].map(|it| self.ticks(it));
            if least == most { least } else { format!("{least} to {most}") }
        };
        let on_threads = of
            .on_threads
            .iter()
            .map(|of| format!("{} on {}", range(of.ticks), counted(of.threads as i64, "thread")));
        let (own, measured) = (range(of.as_measured), self.ticks(of.measured));
        let mut text =
            self.wrap(&format!("simulated as measured: {own}, measured {measured}"), "   ");
        let [work, span] = of.burdened;
        let parallelism = work as f64 / span.max(1) as f64;
        let [work, span] = [work, span].map(|it| self.ticks(it));
        text += &self.wrap(
            &format!(
                "with the cost of beginning tasks: work {work}, span {span}, parallelism \
                 {parallelism:.1}"
            ),
            "   ",
        );
        let on_threads: Vec<String> = on_threads.collect();
        text += &self.wrap(&format!("simulated: {}", on_threads.join(", ")), "   ");
        text += &self.held(of);
        text += &self.collapsed(of);
        if of.left_out > 0 {
            let left_out = counted(of.left_out.cast_signed(), "execution");
            text += &format!("   not simulated: {left_out}\n");
        }
        text
    }

    /// For how long tied tasks that wait keep their threads from ready tasks.
    fn held(&self, of: &Simulated) -> String {
        let held = of.on_threads.iter().filter(|of| of.held != [0; 2]);
        let held: Vec<String> = held
            .map(|of| {
                let most = self.ticks(of.held[0].max(of.held[1]));
                format!("{most} on {}", counted(of.threads as i64, "thread"))
            })
            .collect();
        if held.is_empty() {
            return String::new();
        }
        let text = format!(
            "part of that in which a thread has no task and may not begin the ready ones, because a \
             tied task waits on it: {}",
            held.join(", ")
        );
        self.wrap(&text, "   ")
    }

    /// What it means that tasks were put together: how far simulations of all tasks can be away.
    fn collapsed(&self, of: &Simulated) -> String {
        if of.collapsed.tasks == 0 {
            return String::new();
        }
        let [tasks, units] = [of.collapsed.tasks, of.collapsed.simulated_as]
            .map(|number| counted(number.cast_signed(), "task"));
        let bounds = of.on_threads.iter().map(|of| {
            let [least, most] = of.bounds.map(|ticks| self.ticks(ticks));
            format!("{least} to {most} on {}", counted(of.threads as i64, "thread"))
        });
        let bounds: Vec<String> = bounds.collect();
        let text = format!(
            "{tasks} are too many to simulate each: small ones were put together, into {units}, and \
             one thread executes each of these. Work and span do not change. A simulation of all \
             tasks would give, unless tied tasks keep threads from ready ones: {}",
            bounds.join(", ")
        );
        self.wrap(&text, "   ")
    }

    fn without_task(&self, of: &TaskRegion) -> String {
        let without = of.without_task;
        let parts = [
            (without.creation, "until a task was created"),
            (without.end, "until a task of another thread ended"),
            (without.arrival, "until the last thread arrived at the barrier"),
            (without.scheduling, "for scheduling"),
        ];
        let parts = parts.into_iter().filter(|(ticks, _)| *ticks > 0);
        let parts: Vec<String> =
            parts.map(|(ticks, why)| format!("{} {why}", self.ticks(ticks))).collect();
        if parts.is_empty() {
            return String::new();
        }
        let all = self.ticks(without.all());
        self.wrap(&format!("threads without a task: {all}: {}", parts.join(", ")), "   ")
    }

    fn over_time(&self) -> String {
        let moments = &self.of.over_time;
        let rows: Vec<Moment> =
            moments.chunks(moments.len().div_ceil(ROWS).max(1)).map(mean).collect();
        let has_some = |row: &Moment| row.ready + row.running + row.idle + row.creating > 0.0;
        let (Some(first), Some(last)) =
            (rows.iter().position(has_some), rows.iter().rposition(has_some))
        else {
            return String::new();
        };
        let mut text = self.title("Over time: mean numbers");
        text += &moment_row("from", ["ready", "running", "idle", "creating"].map(str::to_owned));
        for row in &rows[first..=last] {
            let numbers = [row.ready, row.running, row.idle, row.creating];
            text += &moment_row(&self.ticks(row.begin), numbers.map(|it| format!("{it:.1}")));
        }
        text += "   ready and running: tasks; idle and creating: threads\n";
        text
    }
}

fn row(columns: &[String; 5]) -> String {
    columns.iter().zip(COLUMNS).map(|(text, width)| right(text, width)).collect()
}

fn moment_row(from: &str, columns: [String; 4]) -> String {
    let columns: String = columns.iter().map(|text| right(text, 11)).collect();
    format!("{}{columns}\n", right(from, 12))
}

/// The means of several parts of the same length.
fn mean(parts: &[Moment]) -> Moment {
    let mean =
        |of: fn(&Moment) -> f64| parts.iter().map(of).sum::<f64>() / parts.len().max(1) as f64;
    Moment {
        begin: parts.first().map_or(0, |part| part.begin),
        ready: mean(|of| of.ready),
        running: mean(|of| of.running),
        idle: mean(|of| of.idle),
        creating: mean(|of| of.creating),
    }
}

/// Who has created the instances of a construct.
fn creators(of: &Construct) -> String {
    let all: u64 = of.creators.iter().map(|(_, number)| number).sum();
    let share = |number: u64| percent(number as f64 / all.max(1) as f64);
    let named = of.creators.iter().take(NAMED);
    let mut named: Vec<String> =
        named.map(|(thread, number)| format!("{thread} {}", share(*number))).collect();
    if named.is_empty() {
        return "created by: not in the trace".to_owned();
    }
    let others = of.creators.len().saturating_sub(NAMED);
    if others > 0 {
        named.push(format!("{} more", count(others as i64)));
    }
    format!("created by: {}", named.join(", "))
}

/// What is not shown.
fn more(all: usize, thing: &str) -> String {
    match all.saturating_sub(SHOWN) {
        0 => String::new(),
        hidden => format!("   ({} more: --json has all)\n", counted(hidden as i64, thing)),
    }
}
