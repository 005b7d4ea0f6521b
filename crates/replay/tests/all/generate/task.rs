//! Trees of tasks: each task may create others, which any thread executes, and wait for them in
//! taskwait and at the end of taskgroups. The threads are simulated together, in the order of their
//! clocks, and no two of their steps have the same time.

use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::RegionRef;

use super::planted::work_late;
use super::team::Team;
use super::world::World;

const TASK: &str = "!$omp task untied @p.c:62";

/// Depth of the tasks below an implicit task.
const ROOT: u32 = 3;

const BARRIER: &str = "!$omp implicit barrier @p.c:80";

/// The open regions of a task that does not run, and the call path that they begin in.
type Suspended = (Vec<RegionRef>, String);

/// What a task does next.
#[derive(Clone, Debug)]
enum Step {
    Work,
    Late,
    /// In taskyield: other threads may go on with the task.
    Yield,
    Enter(&'static str, RegionRole),
    Leave,
    Create(Vec<Step>),
    GroupBegin,
    Wait(Scope),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scope {
    Children,
    Group,
    Barrier,
}

/// An event on a location, with its time.
type At = (u64, usize);

/// A task; the first ones are the implicit tasks of the threads.
#[derive(Debug)]
struct Task {
    /// What it will do, the next step last.
    steps: Vec<Step>,
    parent: Option<usize>,
    /// Number of the thread that created it, and its generation.
    name: (u32, u32),
    ready: At,
    /// The groups that it belongs to, and those that it has begun itself.
    groups: Vec<usize>,
    waits: bool,
    begun: bool,
    ended: Option<At>,
    suspended: Suspended,
}

#[derive(Debug)]
struct Thread {
    at: usize,
    /// Tasks that it has begun; the last one runs.
    tasks: Vec<usize>,
    idle_since: u64,
    sleeps: bool,
    /// A task is done, and the switch back is not recorded.
    switches: bool,
    /// Explicit tasks in the barrier, from their begin to their end.
    in_tasks: Vec<(u64, u64)>,
    arrival: Option<u64>,
    left: bool,
}

struct Simulation<'a> {
    world: &'a mut World,
    team: &'a Team,
    tasks: Vec<Task>,
    threads: Vec<Thread>,
    /// Tasks that no thread executes yet.
    ready: Vec<usize>,
    groups: usize,
    now: u64,
}

/// Tasks of all threads of a team, up to a barrier.
pub fn trees(world: &mut World, team: &Team) {
    let scripts: Vec<Vec<Step>> = (0..team.members.len())
        .map(|number| {
            let mut steps = vec![Step::Work];
            if number == 0 || world.numbers.once_in(3) {
                steps.extend(script(world, ROOT));
            }
            steps
        })
        .collect();
    simulate(world, team, scripts);
}

/// A task is late, and the others wait for it, or for the tasks that it creates then.
pub fn late(world: &mut World, team: &Team, is_creation: bool) {
    let mut steps = vec![Step::Late];
    for _ in team.members.iter().filter(|_| is_creation) {
        steps.extend(creation(vec![Step::Work]));
    }
    let mut scripts = vec![Vec::new(); team.members.len()];
    scripts[0].extend(creation(steps));
    simulate(world, team, scripts);
}

/// What the threads of a team do up to a barrier.
fn simulate(world: &mut World, team: &Team, scripts: Vec<Vec<Step>>) {
    let mut tasks = Vec::new();
    let mut threads = Vec::new();
    let threads_do = team.members.iter().zip(scripts).enumerate();
    for (number, (&at, mut steps)) in threads_do {
        steps.push(Step::Wait(Scope::Barrier));
        steps.reverse();
        tasks.push(task((steps, None), (number as u32, 0), (0, at)));
        threads.push(Thread {
            at,
            tasks: vec![number],
            idle_since: 0,
            sleeps: false,
            switches: false,
            in_tasks: Vec::new(),
            arrival: None,
            left: false,
        });
    }
    let mut simulation =
        Simulation { world, team, tasks, threads, ready: Vec::new(), groups: 0, now: 0 };
    while simulation.step() {}
    simulation.barrier_waits();
}

fn task((steps, parent): (Vec<Step>, Option<usize>), name: (u32, u32), ready: At) -> Task {
    let (groups, waits, begun, ended) = (Vec::new(), false, false, None);
    let suspended = Default::default();
    Task { steps, parent, name, ready, groups, waits, begun, ended, suspended }
}

/// What a task does, with tasks below it down to a depth.
fn script(world: &mut World, depth: u32) -> Vec<Step> {
    let mut steps = vec![Step::Work];
    for _ in 0..world.numbers.below(4) {
        match world.numbers.below(if depth == 0 { 2 } else { 5 }) {
            0 => steps.push(Step::Work),
            1 if depth < ROOT => {
                let enter = Step::Enter("!$omp taskyield @p.c:64", RegionRole::TASK_WAIT);
                steps.extend([enter, Step::Yield, Step::Leave]);
            }
            2 => steps.push(Step::Wait(Scope::Children)),
            3 => {
                steps.push(Step::GroupBegin);
                create(world, depth, &mut steps);
                create(world, depth, &mut steps);
                steps.push(Step::Wait(Scope::Group));
                steps.push(Step::Leave);
            }
            _ => create(world, depth, &mut steps),
        }
    }
    steps
}

fn create(world: &mut World, depth: u32, steps: &mut Vec<Step>) {
    let child = script(world, depth - 1);
    steps.extend(creation(child));
}

fn creation(child: Vec<Step>) -> [Step; 3] {
    let enter = Step::Enter("!$omp create task @p.c:62", RegionRole::TASK_CREATE);
    [enter, Step::Create(child), Step::Leave]
}

impl Simulation<'_> {
    /// The thread with the earliest clock goes on. False if all have left the barrier.
    fn step(&mut self) -> bool {
        let active = self.threads.iter().enumerate().filter(|(_, it)| !it.left && !it.sleeps);
        let next = active.min_by_key(|(_, it)| (self.world.logs[it.at].now, it.at));
        let Some((thread, _)) = next else { return false };
        let at = self.threads[thread].at;
        self.world.until(at, self.now + 1);
        self.now = self.world.logs[at].now;
        let running = *self.threads[thread].tasks.last().expect("the implicit task is there");
        if self.threads[thread].switches {
            self.threads[thread].switches = false;
            switch(self.world, self.team, at, self.tasks[running].name);
            (self.world.logs[at].stack, self.world.logs[at].base) =
                std::mem::take(&mut self.tasks[running].suspended);
        } else if let Some(step) = self.tasks[running].steps.pop() {
            self.run(thread, running, step);
        } else {
            self.end(thread, running);
        }
        self.world.pass(at, 0);
        true
    }

    fn run(&mut self, thread: usize, running: usize, step: Step) {
        let at = self.threads[thread].at;
        match step {
            Step::Work => self.world.work(at),
            Step::Yield => self.suspend(thread, running),
            Step::Late => work_late(self.world, at),
            Step::Enter(name, role) => self.world.enter_omp(at, name, role),
            Step::Leave => self.world.leave(at),
            Step::GroupBegin => {
                self.groups += 1;
                self.tasks[running].groups.push(self.groups);
                self.world.enter_omp(at, "!$omp taskgroup @p.c:70", RegionRole::TASK_WAIT);
            }
            Step::Create(steps) => {
                let generation = self.world.created.entry(at).or_default();
                *generation += 1;
                let name = (thread as u32, *generation);
                let thread_team = self.world.team(self.team.rank, self.team.members.len() as u32);
                let (creating_thread, generation_number) = name;
                let create = ThreadTaskCreate { thread_team, creating_thread, generation_number };
                self.world.event(at, create);
                let mut steps = steps;
                steps.reverse();
                let mut child = task((steps, Some(running)), name, (self.now, at));
                child.groups.clone_from(&self.tasks[running].groups);
                self.ready.push(self.tasks.len());
                self.tasks.push(child);
                self.wake();
            }
            Step::Wait(scope) => self.wait(thread, running, scope),
        }
    }

    /// The waiting task goes on, executes another one, or sleeps.
    fn wait(&mut self, thread: usize, running: usize, scope: Scope) {
        let at = self.threads[thread].at;
        if !self.tasks[running].waits {
            self.tasks[running].waits = true;
            self.tasks[running].steps.push(Step::Wait(scope));
            self.threads[thread].idle_since = self.now;
            let (name, role) = match scope {
                Scope::Children => ("!$omp taskwait @p.c:66", RegionRole::TASK_WAIT),
                Scope::Group => ("!$omp taskgroup end @p.c:72", RegionRole::TASK_WAIT),
                Scope::Barrier => {
                    self.threads[thread].arrival = Some(self.now);
                    self.wake();
                    (BARRIER, RegionRole::IMPLICIT_BARRIER)
                }
            };
            self.world.enter_omp(at, name, role);
            return;
        }
        let (is_over, last) = self.awaited(running, scope);
        if is_over {
            self.idle_ends(thread, last, true);
            self.tasks[running].waits = false;
            if scope == Scope::Group {
                self.tasks[running].groups.pop();
            }
            self.threads[thread].left = scope == Scope::Barrier;
            self.world.leave(at);
            return;
        }
        self.tasks[running].steps.push(Step::Wait(scope));
        match self.ready.iter().position(|&task| self.may_begin(task, running)) {
            Some(place) => {
                let task = self.ready.remove(place);
                self.begin(thread, running, task);
            }
            None => self.threads[thread].sleeps = true,
        }
    }

    /// Whether all that a task waits for is done, and what was done last.
    fn awaited(&self, running: usize, scope: Scope) -> (bool, Option<At>) {
        let group = self.tasks[running].groups.last();
        let explicit = self.tasks.iter().enumerate().skip(self.threads.len());
        let others = explicit.filter(|(number, _)| *number != running).map(|(_, task)| task);
        let needed = others.filter(|task| match scope {
            Scope::Children => task.parent == Some(running),
            Scope::Group => group.is_some_and(|group| task.groups.contains(group)),
            Scope::Barrier => true,
        });
        let ends: Vec<Option<At>> = needed.map(|task| task.ended).collect();
        let arrived = self.threads.iter().all(|thread| thread.arrival.is_some());
        let is_over = ends.iter().all(Option::is_some) && (arrived || scope != Scope::Barrier);
        (is_over, ends.into_iter().flatten().max())
    }

    /// A thread that waits in an explicit task only executes descendants of that task.
    fn may_begin(&self, task: usize, waiting: usize) -> bool {
        let mut above = self.tasks[task].parent;
        while above.is_some_and(|above| above != waiting) {
            above = above.and_then(|above| self.tasks[above].parent);
        }
        waiting < self.threads.len() || above.is_some()
    }

    fn begin(&mut self, thread: usize, waiting: usize, task: usize) {
        let at = self.threads[thread].at;
        self.idle_ends(thread, Some(self.tasks[task].ready), false);
        switch(self.world, self.team, at, self.tasks[task].name);
        let log = &mut self.world.logs[at];
        self.tasks[waiting].suspended =
            (std::mem::take(&mut log.stack), std::mem::replace(&mut log.base, "TASKS/".to_owned()));
        match self.tasks[task].begun {
            true => {
                let log = &mut self.world.logs[at];
                (log.stack, log.base) = std::mem::take(&mut self.tasks[task].suspended);
            }
            false => self.world.enter_omp(at, TASK, RegionRole::TASK),
        }
        self.tasks[task].begun = true;
        if self.threads[thread].tasks.len() == 1 {
            self.threads[thread].in_tasks.push((self.now, u64::MAX));
        }
        self.threads[thread].tasks.push(task);
    }

    /// The thread goes back to the task below, and any thread may go on with this one.
    fn suspend(&mut self, thread: usize, task: usize) {
        let at = self.threads[thread].at;
        self.threads[thread].tasks.pop();
        let below = *self.threads[thread].tasks.last().expect("the implicit task is there");
        switch(self.world, self.team, at, self.tasks[below].name);
        let log = &mut self.world.logs[at];
        self.tasks[task].suspended =
            (std::mem::take(&mut log.stack), std::mem::take(&mut log.base));
        (log.stack, log.base) = std::mem::take(&mut self.tasks[below].suspended);
        self.tasks[task].ready = (self.now, at);
        self.ready.push(task);
        self.is_back(thread);
    }

    /// The thread is back in the task that waits below.
    fn is_back(&mut self, thread: usize) {
        let state = &mut self.threads[thread];
        state.idle_since = self.now;
        if let ([_], Some((_, end))) = (&state.tasks[..], state.in_tasks.last_mut()) {
            *end = self.now;
        }
        self.wake();
    }

    fn end(&mut self, thread: usize, task: usize) {
        let at = self.threads[thread].at;
        self.world.leave(at);
        let thread_team = self.world.team(self.team.rank, self.team.members.len() as u32);
        let (creating_thread, generation_number) = self.tasks[task].name;
        self.world
            .event(at, ThreadTaskComplete { thread_team, creating_thread, generation_number });
        self.tasks[task].ended = Some((self.now, at));
        let state = &mut self.threads[thread];
        state.tasks.pop();
        state.switches = true;
        self.is_back(thread);
    }

    /// Something has happened that threads may wait for.
    fn wake(&mut self) {
        for thread in &mut self.threads {
            if std::mem::take(&mut thread.sleeps) {
                self.world.until(thread.at, self.now);
            }
        }
    }

    /// Notes the waiting for a creation, or for the end of a task, of another thread.
    fn idle_ends(&mut self, thread: usize, cause: Option<At>, is_end: bool) {
        let Thread { at, idle_since, ref tasks, .. } = self.threads[thread];
        let is_barrier = tasks.len() == 1 && self.threads[thread].arrival.is_some();
        let latest = self.threads.iter().map(|thread| thread.arrival).min().flatten();
        let latest = latest.and_then(|_| self.threads.iter().filter_map(|it| it.arrival).max());
        let since = match (is_barrier, latest) {
            (false, _) => idle_since,
            (true, Some(latest)) => latest.max(idle_since),
            (true, None) => return,
        };
        let Some((time, by)) = cause.filter(|(time, _)| *time > idle_since) else { return };
        let is_wait = by != at && (time > since || is_end);
        if is_wait {
            self.world.waited("task_wait", at, time.saturating_sub(since));
        }
    }

    /// Waiting for the last thread, which is known when all have left. Their call path is that of
    /// the barrier.
    fn barrier_waits(&mut self) {
        let latest = self.threads.iter().filter_map(|it| it.arrival).max().unwrap_or(0);
        for thread in &self.threads {
            let waited = outside(&thread.in_tasks, thread.arrival.unwrap_or(latest), latest);
            let role = RegionRole::IMPLICIT_BARRIER;
            let barrier = self.world.region(BARRIER, role, Paradigm::OPENMP);
            self.world.logs[thread.at].stack.push(barrier);
            self.world.waited("omp_ibarrier_wait", thread.at, waited);
            self.world.logs[thread.at].stack.pop();
        }
    }
}

/// Ticks from `begin` to `end` that are in none of the intervals.
fn outside(intervals: &[(u64, u64)], begin: u64, end: u64) -> u64 {
    let inside = intervals.iter().map(|&(from, to)| to.min(end).saturating_sub(from.max(begin)));
    end.saturating_sub(begin) - inside.sum::<u64>()
}

fn switch(world: &mut World, team: &Team, at: usize, task: (u32, u32)) {
    let thread_team = world.team(team.rank, team.members.len() as u32);
    let (creating_thread, generation_number) = task;
    world.event(at, ThreadTaskSwitch { thread_team, creating_thread, generation_number });
}
