//! Programs with one cause of all waiting: one location works long in the function `late` before each
//! of some operations of one kind, and the others wait for it.

use pompeii_otf2::enums::RegionRole;

use super::message::{self, Messages};
use super::world::World;
use super::{Shape, collective, resource, task, team};

/// What the others wait in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    LateSender,
    LateReceiver,
    AllToAll,
    FromRoot,
    ToRoot,
    Scan,
    Fence,
    File,
    Operation,
    Barrier,
    /// A critical construct: `late` is in its body.
    Critical,
    /// Threads without a task: `late` is in the task that creates theirs.
    Creation,
    /// Threads without a task: `late` is in the last one.
    LastTask,
}

/// The kinds of threads, whose causes are known by call path.
pub const THREADS: [Kind; 4] = [Kind::Barrier, Kind::Critical, Kind::Creation, Kind::LastTask];

/// All kinds of MPI, then that of threads.
pub const KINDS: [Kind; 10] = [
    Kind::LateSender,
    Kind::LateReceiver,
    Kind::AllToAll,
    Kind::FromRoot,
    Kind::ToRoot,
    Kind::Scan,
    Kind::Fence,
    Kind::File,
    Kind::Operation,
    Kind::Barrier,
];

/// The work of the cause in each step, and of the others at most.
pub const LATE_TICKS: u64 = 100_000;
const WORK_TICKS: u64 = 20;

/// The cause.
pub fn work_late(world: &mut World, at: usize) {
    world.enter_function(at, "late");
    world.logs[at].now += LATE_TICKS;
    world.leave(at);
}

/// A program, and the location that the others wait for.
pub fn program(kind: Kind, seed: u64) -> (World, u64) {
    let has_team = THREADS.contains(&kind);
    let (ranks, threads) = if has_team { (1, 4) } else { (3, 1) };
    let steps = 10;
    let shape = Shape { ranks, threads, steps, work: WORK_TICKS, cost: 2, has_root: true };
    let mut world = World::new(shape, seed);
    world.has_resources = matches!(kind, Kind::Fence | Kind::File);
    let mut messages = Messages::default();
    for rank in 0..ranks {
        let at = world.at(rank, 0);
        world.enter_function(at, "main");
    }
    // In a scan only lower ranks keep others.
    let late = if kind == Kind::Scan { 0 } else { world.numbers.below(3) as u32 };
    let team = has_team.then(|| team::fork(&mut world, 0, threads, "!$omp parallel @p.c:10"));
    let at = team.as_ref().map_or(world.at(late, 0), |team| team.members[late as usize]);
    for _ in 0..steps {
        if !has_team || kind == Kind::Barrier {
            work_late(&mut world, at);
        }
        step(&mut world, &mut messages, (kind, late), team.as_ref());
    }
    if let Some(team) = team {
        team::join(&mut world, &team);
    }
    for rank in 0..ranks {
        let at = world.at(rank, 0);
        world.leave(at);
    }
    let id = world.logs[at].id.0;
    (world, id)
}

fn step(
    world: &mut World,
    messages: &mut Messages,
    (kind, late): (Kind, u32),
    team: Option<&team::Team>,
) {
    let other = (late + 1) % 3;
    match kind {
        Kind::LateSender => message::pair_of(world, messages, (0, late, other)),
        Kind::LateReceiver => message::pair_of(world, messages, (0, other, late)),
        Kind::AllToAll => collective::all_to_all(world, 0),
        Kind::FromRoot => collective::from_root(world, 0, late as usize),
        Kind::ToRoot => collective::to_root(world, 0, other as usize),
        Kind::Scan => collective::scan(world, 0),
        Kind::Fence => resource::fence(world, 0),
        Kind::File => resource::access(world, 0),
        Kind::Operation => {
            message::operation(world, messages, (0, true));
            message::complete(world, messages, true);
        }
        Kind::Critical => team.into_iter().for_each(|team| team::held(world, team, late)),
        Kind::Creation | Kind::LastTask => {
            let is_creation = kind == Kind::Creation;
            team.into_iter().for_each(|team| task::late(world, team, is_creation));
        }
        Kind::Barrier => {
            if let Some(team) = team {
                team::barrier(world, team, "!$omp barrier @p.c:12", RegionRole::BARRIER);
            }
        }
    }
}
