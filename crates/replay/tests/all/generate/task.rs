//! Tasks: one thread creates them in a `single` construct, all execute them in the barrier at its
//! end. A task may create another one and wait for it; the same thread executes that one at once.

use pompeii_otf2::enums::RegionRole;
use pompeii_otf2::event::*;
use pompeii_otf2::reference::RegionRef;

use super::team::Team;
use super::world::World;

const TASK: &str = "!$omp task @p.c:42";
const BARRIER: &str = "!$omp implicit barrier @p.c:46";

/// A task that is ready: when it was created, by which thread, its generation number.
type Ready = (u64, u32, u32);

/// A `single` construct with tasks.
pub fn construct(world: &mut World, team: &Team) {
    let creator = world.numbers.below(team.members.len() as u64) as usize;
    let mut ready = Vec::new();
    for (thread, &at) in team.members.iter().enumerate() {
        world.work(at);
        world.enter_omp(at, "!$omp single @p.c:40", RegionRole::SINGLE);
        if thread == creator {
            world.enter_omp(at, "!$omp single sblock @p.c:40", RegionRole::SINGLE_SBLOCK);
            for _ in 0..world.numbers.below(6) {
                world.work(at);
                ready.push(create(world, team, creator));
            }
            world.leave(at);
        }
    }
    ready.reverse();
    execute(world, team, ready);
    for &at in &team.members {
        world.leave(at);
    }
}

/// Creates a task at the thread with this number in the team.
fn create(world: &mut World, team: &Team, thread: usize) -> Ready {
    let at = team.members[thread];
    world.enter_omp(at, "!$omp create task @p.c:42", RegionRole::TASK_CREATE);
    let generation = world.created.entry(at).or_default();
    *generation += 1;
    let task = (world.logs[at].now, thread as u32, *generation);
    let thread_team = world.team(team.rank, team.members.len() as u32);
    let (creating_thread, generation_number) = (task.1, task.2);
    world.event(at, ThreadTaskCreate { thread_team, creating_thread, generation_number });
    world.pass(at, 0);
    world.leave(at);
    task
}

/// The barrier: whoever has nothing to do takes the oldest task.
fn execute(world: &mut World, team: &Team, mut ready: Vec<Ready>) {
    let arrivals: Vec<u64> = team.members.iter().map(|&at| world.logs[at].now).collect();
    let latest = arrivals.iter().copied().max().unwrap_or(0);
    for &at in &team.members {
        world.enter_omp(at, BARRIER, RegionRole::IMPLICIT_BARRIER);
    }
    let mut in_tasks = vec![Vec::new(); team.members.len()];
    while let Some(task) = ready.pop() {
        let next = (0..team.members.len()).min_by_key(|&thread| {
            let log = &world.logs[team.members[thread]];
            (log.now, log.id)
        });
        let thread = next.expect("a team has a thread");
        let at = team.members[thread];
        world.until(at, task.0);
        world.pass(at, 0);
        let begin = world.logs[at].now;
        run(world, team, (thread, task));
        // The runtime library writes the switch back after its own work.
        in_tasks[thread].push((begin, world.logs[at].now));
        world.pass(at, 0);
        switch(world, team, at, (thread as u32, 0));
        world.pass(at, 0);
    }
    let done = team.members.iter().map(|&at| world.logs[at].now).max().unwrap_or(0);
    for (thread, &at) in team.members.iter().enumerate() {
        world.until(at, done);
        world.pass(at, 0);
        let waited = outside(&in_tasks[thread], arrivals[thread], latest);
        world.waited("omp_ibarrier_wait", at, waited);
        world.leave(at);
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

/// Executes a task on a thread, perhaps with another one inside.
fn run(world: &mut World, team: &Team, (thread, task): (usize, Ready)) {
    let at = team.members[thread];
    let suspended = begin(world, team, at, task);
    world.work(at);
    if world.numbers.once_in(3) {
        let child = create(world, team, thread);
        world.enter_omp(at, "!$omp taskwait @p.c:43", RegionRole::TASK_WAIT);
        world.pass(at, 0);
        let parent = begin(world, team, at, child);
        world.work(at);
        end(world, team, at, (child, parent));
        world.pass(at, 0);
        switch(world, team, at, (task.1, task.2));
        world.leave(at);
        world.work(at);
    }
    end(world, team, at, (task, suspended));
}

/// The open regions of a task that does not run, and the call path that they begin in.
type Suspended = (Vec<RegionRef>, String);

fn begin(world: &mut World, team: &Team, at: usize, task: Ready) -> Suspended {
    switch(world, team, at, (task.1, task.2));
    let log = &mut world.logs[at];
    let suspended = (std::mem::take(&mut log.stack), std::mem::take(&mut log.base));
    log.base = "TASKS/".to_owned();
    world.enter_omp(at, TASK, RegionRole::TASK);
    suspended
}

fn end(world: &mut World, team: &Team, at: usize, (task, suspended): (Ready, Suspended)) {
    world.leave(at);
    let thread_team = world.team(team.rank, team.members.len() as u32);
    let (creating_thread, generation_number) = (task.1, task.2);
    world.event(at, ThreadTaskComplete { thread_team, creating_thread, generation_number });
    (world.logs[at].stack, world.logs[at].base) = suspended;
}
