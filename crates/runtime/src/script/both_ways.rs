//! Random programs of tasks, as OpenMP runs them: deferred, executed at once, undeferred, in
//! taskwaits, taskloops and barriers, by their creator and by another thread. Whatever they do, their
//! short ways and their general ones leave the same.

use super::{Run, Setting, print};

/// A program that is being made, as lines of the notation.
struct Program {
    random: u64,
    now: u64,
    text: String,
    instances: usize,
    /// Created and not begun.
    waiting: Vec<String>,
    /// Of the team.
    threads: u64,
}

impl Program {
    fn below(&mut self, limit: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.random >> 33) % limit
    }

    fn line(&mut self, thread: &str, event: &str) {
        self.now += 1 + self.below(30);
        self.text += &format!("{} {thread} {event}\n", self.now);
    }

    /// Creates an instance: a construct's clauses decide what may happen to it.
    fn create(&mut self, thread: &str, depth: u32) {
        const CONSTRUCTS: [&str; 4] = ["tied", "tied-plain", "free", "free-plain"];
        let construct = CONSTRUCTS[self.below(4) as usize];
        self.instances += 1;
        let instance = format!("{construct} i{}", self.instances);
        self.line(thread, &format!("create {instance}"));
        let at_once = depth < 4 && self.below(2) == 0;
        if at_once {
            self.execute(thread, &instance, depth);
        }
        self.line(thread, &format!("created {instance}"));
        if !at_once {
            self.waiting.push(instance);
        }
    }

    fn execute(&mut self, thread: &str, instance: &str, depth: u32) {
        self.line(thread, &format!("run {instance}"));
        self.body(thread, depth + 1);
        self.line(thread, &format!("done {instance}"));
    }

    /// A scheduling point: some of the tasks that wait, the newest first as a rule.
    fn schedule(&mut self, thread: &str, depth: u32) {
        while !self.waiting.is_empty() && depth < 6 && self.below(3) != 0 {
            let place = match self.below(2) {
                0 => self.waiting.len() - 1,
                _ => self.below(self.waiting.len() as u64) as usize,
            };
            let instance = self.waiting.remove(place);
            self.execute(thread, &instance, depth);
        }
    }

    /// A taskloop, all of whose tasks its creator executes, with one to three iterations each.
    fn taskloop(&mut self, thread: &str, depth: u32) {
        let construct = ["tied", "free"][self.below(2) as usize];
        self.instances += 1;
        let taskloop = format!("{construct} l{}", self.instances);
        self.line(thread, &format!("taskloop {taskloop}"));
        for task in 0..self.below(4) {
            for _ in 0..=self.below(3) {
                self.line(thread, &format!("step {taskloop}#{task}"));
                if depth < 3 && self.below(4) == 0 {
                    self.body(thread, depth + 1);
                }
                self.line(thread, &format!("stepped {taskloop}#{task}"));
            }
        }
        self.line(thread, &format!("looped {taskloop}"));
    }

    fn body(&mut self, thread: &str, depth: u32) {
        for _ in 0..self.below(4) {
            match self.below(5) {
                0 => {
                    self.line(thread, "enter f");
                    self.line(thread, "exit f");
                }
                1 => {
                    self.line(thread, "taskwait w");
                    self.schedule(thread, depth);
                    self.line(thread, "waited w");
                }
                2 => self.taskloop(thread, depth),
                _ => self.create(thread, depth),
            }
        }
    }

    fn new(seed: u64) -> Program {
        let (text, threads) = (String::new(), 1 + seed % 2);
        let mut program =
            Program { random: seed, now: 0, text, instances: 0, waiting: Vec::new(), threads };
        program.line("T0", "fork parallel p");
        for thread in 0..threads {
            program.line(&format!("T{thread}"), &format!("begin p {thread}/{threads}"));
        }
        for _ in 0..6 {
            let thread = format!("T{}", program.below(threads));
            program.body(&thread, 0);
        }
        program.finish();
        program
    }

    fn finish(&mut self) {
        for thread in (0..self.threads).map(|thread| format!("T{thread}")) {
            self.line(&thread, "arrive b");
            self.schedule(&thread, 0);
        }
        while let Some(instance) = self.waiting.pop() {
            let thread = format!("T{}", self.below(self.threads));
            self.execute(&thread, &instance, 5);
        }
        for event in ["pass b", "end p"] {
            for thread in 0..self.threads {
                self.line(&format!("T{thread}"), event);
            }
        }
        self.line("T0", "join p");
    }
}

#[test]
fn fast_ways_of_tasks_leave_what_the_general_ones_leave() {
    for seed in 0..300 {
        let program = Program::new(seed);
        let setting = Setting { trace: seed % 4 < 2, ..Setting::default() };
        let all = |run: &Run| run.task_times() + &run.records();
        print(&program.text, setting, all);
    }
}
