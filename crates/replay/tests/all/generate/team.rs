//! Parallel regions: all ranks, or some of them, go through the same constructs, each with a team
//! of its own. MPI inside of regions is called by masters.

use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::event::*;

use super::message::Messages;
use super::planted::work_late;
use super::world::World;
use super::{collective, task};

/// A team: its rank, and its locations with the master first.
#[derive(Clone, Debug)]
pub struct Team {
    pub rank: u32,
    pub members: Vec<usize>,
}

/// What the threads of a region do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Construct {
    Work,
    Barrier,
    Loop,
    Critical,
    Lock,
    Tasks,
    MasterMpi,
}

/// A parallel region on some ranks.
pub fn region(world: &mut World, messages: &mut Messages) {
    use Construct::{Barrier, Critical, Lock, Loop, MasterMpi, Tasks, Work};
    region_of(world, messages, &[Work, Barrier, Loop, Critical, Lock, Tasks, MasterMpi]);
}

/// A parallel region in which threads do the same whatever their clocks are.
pub fn steady_region(world: &mut World, messages: &mut Messages) {
    use Construct::{Barrier, Loop, MasterMpi, Work};
    region_of(world, messages, &[Work, Barrier, Loop, MasterMpi]);
}

fn region_of(world: &mut World, messages: &mut Messages, constructs: &[Construct]) {
    let everywhere = world.numbers.once_in(2);
    let ranks = (0..world.shape.ranks).filter(|_| everywhere || world.numbers.once_in(2));
    let ranks: Vec<u32> = ranks.collect();
    let threads = 1 + world.numbers.below(u64::from(world.shape.threads)) as u32;
    let name = world.numbers.of(&["!$omp parallel @p.c:10", "!$omp parallel @p.c:50"]);
    let teams: Vec<Team> = ranks.iter().map(|&rank| fork(world, rank, threads, name)).collect();
    for _ in 0..world.numbers.below(5) {
        let construct = world.numbers.of(constructs);
        if construct == Construct::MasterMpi && ranks.len() == world.shape.ranks as usize {
            collective::any(world, 0);
        }
        for team in &teams {
            run(world, construct, team);
        }
    }
    for team in teams {
        join(world, &team);
    }
    super::message::complete(world, messages, false);
}

fn run(world: &mut World, construct: Construct, team: &Team) {
    match construct {
        Construct::Work | Construct::MasterMpi => work(world, team),
        Construct::Barrier => {
            work(world, team);
            barrier(world, team, "!$omp barrier @p.c:12", RegionRole::BARRIER);
        }
        Construct::Loop => for_loop(world, team),
        Construct::Critical | Construct::Lock => locked(world, team, construct),
        Construct::Tasks => task::trees(world, team),
    }
}

fn work(world: &mut World, team: &Team) {
    team.members.iter().for_each(|&at| world.work(at));
}

/// The master forks; each thread begins when it has been started.
pub fn fork(world: &mut World, rank: u32, threads: u32, name: &str) -> Team {
    let members: Vec<usize> = (0..threads).map(|thread| world.at(rank, thread)).collect();
    let master = members[0];
    world.work(master);
    let number_of_requested_threads = threads;
    world.event(master, ThreadFork { model: Paradigm::OPENMP, number_of_requested_threads });
    let forked = world.logs[master].now;
    let base = world.path(master);
    let base = if base.is_empty() { base } else { base + "/" };
    for &at in &members {
        if at != master {
            world.logs[at].base.clone_from(&base);
            world.logs[at].now = forked;
        }
        world.pass(at, 0);
        world.event(at, ThreadTeamBegin { thread_team: world.team(rank, threads) });
        world.enter_omp(at, name, RegionRole::PARALLEL);
        world.waited("omp_fork", at, world.logs[at].now - forked);
    }
    Team { rank, members }
}

/// The implicit barrier at the end, and the join, which all threads leave at the same time.
pub fn join(world: &mut World, team: &Team) {
    work(world, team);
    let latest =
        arrive(world, team, "!$omp implicit barrier @p.c:30", RegionRole::IMPLICIT_BARRIER);
    world.until(team.members[0], latest);
    world.pass(team.members[0], world.least);
    let joined = world.logs[team.members[0]].now;
    for &at in &team.members {
        world.logs[at].now = joined;
        world.leave(at);
        world.leave(at);
        let thread_team = world.team(team.rank, team.members.len() as u32);
        world.event(at, ThreadTeamEnd { thread_team });
    }
    world.event(team.members[0], ThreadJoin { model: Paradigm::OPENMP });
}

/// All threads enter a barrier; the time of the latest.
fn arrive(world: &mut World, team: &Team, name: &str, role: RegionRole) -> u64 {
    let latest = team.members.iter().map(|&at| world.logs[at].now).max().unwrap_or(0);
    let explicit = role == RegionRole::BARRIER;
    let property = if explicit { "omp_ebarrier_wait" } else { "omp_ibarrier_wait" };
    for &at in &team.members {
        world.enter_omp(at, name, role);
        world.waited(property, at, latest - world.logs[at].now);
    }
    latest
}

/// A barrier without tasks.
pub fn barrier(world: &mut World, team: &Team, name: &str, role: RegionRole) {
    let latest = arrive(world, team, name, role);
    for &at in &team.members {
        world.until(at, latest);
        world.pass(at, world.least);
        world.leave(at);
    }
}

fn for_loop(world: &mut World, team: &Team) {
    for &at in &team.members {
        world.enter_omp(at, "!$omp for @p.c:14", RegionRole::LOOP);
        world.work(at);
    }
    barrier(world, team, "!$omp implicit barrier @p.c:16", RegionRole::IMPLICIT_BARRIER);
    for &at in &team.members {
        world.leave(at);
    }
}

/// Each thread takes locks several times. The lock goes to the thread that asked first.
fn locked(world: &mut World, team: &Team, construct: Construct) {
    let mut visits: Vec<u64> = team.members.iter().map(|_| 1 + world.numbers.below(3)).collect();
    team.members.iter().for_each(|&at| world.work(at));
    loop {
        let waiting = team.members.iter().zip(&visits).enumerate();
        let waiting = waiting.filter(|(_, (_, visits))| **visits > 0);
        let Some((next, at)) = waiting
            .map(|(index, (&at, _))| (index, at))
            .min_by_key(|&(_, at)| (world.logs[at].now, world.logs[at].id))
        else {
            break;
        };
        visits[next] -= 1;
        let lock = if construct == Construct::Critical { 0 } else { 1 };
        let before = world.released.get(&(team.rank, lock)).copied().unwrap_or(0);
        let released = match construct {
            Construct::Critical => critical(world, team.rank, (at, before), World::work),
            _ => api_lock(world, team.rank, at, before),
        };
        world.released.insert((team.rank, lock), released);
        world.work(at);
    }
}

/// Waits until the lock is free and takes it.
fn acquire(world: &mut World, rank: u32, at: usize, (lock, released): (u32, u64)) -> u32 {
    let explicit = if lock == 0 { "critical" } else { "api" };
    let ticks = released.saturating_sub(world.logs[at].now);
    match explicit {
        "critical" => world.waited("omp_lock_contention_critical", at, ticks),
        _ => world.waited("omp_lock_contention_api", at, ticks),
    }
    world.until(at, released);
    world.pass(at, 0);
    let order = world.acquired.entry((rank, lock)).or_default();
    *order += 1;
    let acquisition_order = *order;
    let (model, lock_id) = (Paradigm::OPENMP, lock);
    world.event(at, ThreadAcquireLock { model, lock_id, acquisition_order });
    acquisition_order
}

fn release(world: &mut World, at: usize, lock_id: u32, acquisition_order: u32) -> u64 {
    let model = Paradigm::OPENMP;
    world.event(at, ThreadReleaseLock { model, lock_id, acquisition_order });
    world.logs[at].now
}

/// One thread is late in a critical construct, and the others wait for it.
pub fn held(world: &mut World, team: &Team, late: u32) {
    let late = team.members[late as usize];
    let others = team.members.iter().copied().filter(|at| *at != late);
    let mut released = world.released.get(&(team.rank, 0)).copied().unwrap_or(0);
    for at in std::iter::once(late).chain(others.collect::<Vec<usize>>()) {
        let body = if at == late { work_late } else { World::work };
        released = critical(world, team.rank, (at, released), body);
    }
    world.released.insert((team.rank, 0), released);
}

fn critical(
    world: &mut World,
    rank: u32,
    (at, released): (usize, u64),
    body: fn(&mut World, usize),
) -> u64 {
    world.enter_omp(at, "!$omp critical @p.c:20", RegionRole::CRITICAL);
    let order = acquire(world, rank, at, (0, released));
    world.enter_omp(at, "!$omp critical sblock @p.c:20", RegionRole::CRITICAL_SBLOCK);
    body(world, at);
    world.leave(at);
    let released = release(world, at, 0, order);
    world.pass(at, 0);
    world.leave(at);
    released
}

fn api_lock(world: &mut World, rank: u32, at: usize, released: u64) -> u64 {
    world.enter_omp(at, "omp_set_lock", RegionRole::FUNCTION);
    let order = acquire(world, rank, at, (1, released));
    world.leave(at);
    world.work(at);
    world.enter_omp(at, "omp_unset_lock", RegionRole::FUNCTION);
    let released = release(world, at, 1, order);
    world.pass(at, 0);
    world.leave(at);
    released
}
