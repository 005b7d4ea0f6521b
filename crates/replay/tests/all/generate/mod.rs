//! Random programs of OpenMP and MPI, simulated with a clock per location and written as archives in
//! the form in which the runtime library and `finish` write them. A step of a program moves the
//! clocks of the locations that take part in it, and notes how long each of them waited: this is
//! known here because the simulation knows what each location waits for, without looking at events.
//!
//! Small shapes have few ticks per step, so that many events have the same time.

mod collective;
mod message;
pub mod numbers;
pub mod planted;
mod resource;
mod task;
mod team;
pub mod world;

use pompeii_otf2::event::*;

use message::Messages;
use world::World;

/// The size of a program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub ranks: u32,
    pub threads: u32,
    pub steps: u32,
    /// Longest piece of work between two events, in ticks.
    pub work: u64,
    /// Longest duration of an operation beyond its waiting, in ticks.
    pub cost: u64,
    /// The program has a begin and an end around everything.
    pub has_root: bool,
}

impl Shape {
    /// A shape that depends on the seed.
    pub fn of(seed: u64) -> Shape {
        let mut numbers = numbers::Numbers::new(seed ^ 0x5eed);
        let (work, cost) = numbers.of(&[(4, 1), (30, 3), (5_000, 40)]);
        Shape {
            ranks: 1 + numbers.below(4) as u32,
            threads: 1 + numbers.below(3) as u32,
            steps: 3 + numbers.below(20) as u32,
            work,
            cost,
            has_root: numbers.once_in(2),
        }
    }
}

/// A random program of this shape, executed.
pub fn program(shape: Shape, seed: u64) -> World {
    run(World::new(shape, seed), step)
}

/// A random program that does the same if one of its functions takes longer or no time. No thread
/// gets a lock or a task because it comes first.
pub fn steady_program(shape: Shape, seed: u64, scaled: Option<(&'static str, u64)>) -> World {
    let mut world = World::new(shape, seed);
    (world.scaled, world.least) = (scaled, 1);
    run(world, steady_step)
}

fn run(mut world: World, step: fn(&mut World, &mut Messages)) -> World {
    let shape = world.shape;
    let mut messages = Messages::default();
    communicators(&mut world);
    let masters: Vec<usize> = (0..shape.ranks).map(|rank| world.at(rank, 0)).collect();
    if shape.has_root {
        for &at in &masters {
            let program_name = world::PROGRAM;
            world.event(at, ProgramBegin { program_name, program_arguments: Vec::new() });
        }
    }
    for &at in &masters {
        world.enter_function(at, "main");
    }
    collective::init(&mut world);
    for _ in 0..shape.steps {
        step(&mut world, &mut messages);
    }
    message::complete(&mut world, &mut messages, true);
    collective::finalize(&mut world);
    for &at in &masters {
        world.leave(at);
        if shape.has_root {
            world.event(at, ProgramEnd { exit_status: 0 });
        }
    }
    world
}

/// Some communicators besides that of all ranks.
fn communicators(world: &mut World) {
    for _ in 0..world.numbers.below(3) {
        let mut ranks: Vec<u32> = (0..world.shape.ranks).collect();
        world.numbers.shuffle(&mut ranks);
        ranks.truncate(1 + world.numbers.below(u64::from(world.shape.ranks)) as usize);
        world.comms.push(ranks);
    }
}

fn steady_step(world: &mut World, messages: &mut Messages) {
    let comm = world.numbers.below(world.comms.len() as u64) as u32;
    match world.numbers.below(5) {
        0 if world.comms[comm as usize].len() > 1 => message::ring(world, messages, comm),
        1 | 2 => collective::any(world, comm),
        _ => team::steady_region(world, messages),
    }
}

fn step(world: &mut World, messages: &mut Messages) {
    let comm = world.numbers.below(world.comms.len() as u64) as u32;
    let alone = world.comms[comm as usize].len() < 2;
    match world.numbers.below(10) {
        0 if !alone => message::round(world, messages, comm),
        1 if !alone => message::pair(world, messages, comm),
        2 if !alone => message::ring(world, messages, comm),
        3 => message::complete(world, messages, false),
        8 if !alone => message::operation(world, messages, (comm, false)),
        4 | 5 => collective::any(world, comm),
        _ => team::region(world, messages),
    }
}
