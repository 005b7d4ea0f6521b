//! Traces of any size for `cargo xtask bench analyze` and `bench view`: what locations do is a
//! function of the step and the location, so each event file is written alone and no state is kept.
//!
//! ```text
//! trace FOLDER SHAPE PROCESSES THREADS EVENTS [COPIES]
//! ```
//! Shapes are `functions`, `tasks`, `barriers` (with critical sections), `halo`, `pipeline` and
//! `hybrid`. Halos and pipelines have one thread per process. A pipeline has no collective
//! operation at all. A hybrid has something of everything (`hybrid.rs`).
//!
//! With COPIES, each step uses other regions than the step before: each region of OpenMP and of
//! the program exists COPIES times. Scenarios of `pompeii whatif` need many regions.

#![allow(clippy::print_stdout, reason = "a program that is run by a benchmark")]

mod define;
mod hybrid;

use std::error::Error;
use std::fs::File;
use std::path::Path;

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::enums::*;
use pompeii_otf2::event::*;
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, EventWriter, Options};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const FIRST_TICK: u64 = 1_000_000;
/// Tasks that a thread creates in a step.
const TASKS: u32 = 4;
/// Steps of a halo exchange from one MPI_Allreduce to the next.
const BETWEEN_REDUCTIONS: u64 = 10;

/// Regions by their numbers.
const REGIONS: [(&str, RegionRole, Paradigm); 21] = [
    ("main", RegionRole::FUNCTION, Paradigm::USER),
    ("step", RegionRole::FUNCTION, Paradigm::USER),
    ("solve", RegionRole::FUNCTION, Paradigm::USER),
    ("norm", RegionRole::FUNCTION, Paradigm::USER),
    ("!$omp parallel @t.c:10", RegionRole::PARALLEL, Paradigm::OPENMP),
    ("!$omp implicit barrier @t.c:90", RegionRole::IMPLICIT_BARRIER, Paradigm::OPENMP),
    ("!$omp barrier @t.c:30", RegionRole::BARRIER, Paradigm::OPENMP),
    ("!$omp critical @t.c:20", RegionRole::CRITICAL, Paradigm::OPENMP),
    ("!$omp critical sblock @t.c:20", RegionRole::CRITICAL_SBLOCK, Paradigm::OPENMP),
    ("!$omp create task @t.c:40", RegionRole::TASK_CREATE, Paradigm::OPENMP),
    ("!$omp task @t.c:40", RegionRole::TASK, Paradigm::OPENMP),
    ("MPI_Irecv", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Isend", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Waitall", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Allreduce", RegionRole::COLL_ALL2ALL, Paradigm::MPI),
    ("MPI_Recv", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Send", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Init", RegionRole::FUNCTION, Paradigm::MPI),
    ("MPI_Finalize", RegionRole::FUNCTION, Paradigm::MPI),
    ("MPI_Sendrecv", RegionRole::POINT2POINT, Paradigm::MPI),
    ("!$omp for @t.c:12", RegionRole::LOOP, Paradigm::OPENMP),
];
const MAIN: u32 = 0;
const STEP: u32 = 1;
const SOLVE: u32 = 2;
const NORM: u32 = 3;
const PARALLEL: u32 = 4;
const END_BARRIER: u32 = 5;
const BARRIER: u32 = 6;
const CRITICAL: u32 = 7;
const SBLOCK: u32 = 8;
const CREATE: u32 = 9;
const TASK: u32 = 10;
const IRECV: u32 = 11;
const ISEND: u32 = 12;
const WAITALL: u32 = 13;
const ALLREDUCE: u32 = 14;
const RECV: u32 = 15;
const SEND: u32 = 16;
const INIT: u32 = 17;
const FINALIZE: u32 = 18;
const SENDRECV: u32 = 19;
const LOOP: u32 = 20;

/// The program's name; string 0 is empty.
const PROGRAM: StringRef = StringRef(1);
/// The communicator of all ranks; the team of rank r has the number r + 1.
const WORLD: CommRef = CommRef(0);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ([folder, shape, numbers @ ..], 5..=6) = (&words[..], words.len()) else {
        return Err("usage: trace FOLDER SHAPE PROCESSES THREADS EVENTS [COPIES]".into());
    };
    let numbers = numbers.iter().map(|number| Ok(number.parse()?)).collect::<Result<Vec<u64>>>()?;
    let copies = numbers.get(3).map_or(1, |copies| (*copies).max(1));
    let places = (numbers[0].try_into()?, numbers[1].try_into()?);
    let run = Run { copies: copies.try_into()?, ..Run::new(shape, places, numbers[2])? };
    let mut archive = ArchiveWriter::create(Path::new(folder), "traces", Options::default())?;
    let (mut total, mut last_tick) = (0, run.end() + 502);
    let mut counts = Vec::new();
    for (rank, thread) in run.places() {
        let file = archive.events(location(rank, thread))?;
        let mut log = Log { file, rank, thread, events: 0, copy: 0 };
        last_tick = last_tick.max(run.write(&mut log)?);
        log.file.finish()?;
        total += log.events;
        counts.push(log.events);
    }
    define::define(&mut archive, &run, &counts, last_tick)?;
    archive.finish(Anchor::default())?;
    println!("{total}");
    Ok(())
}

/// What all locations do in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Functions,
    Tasks,
    Barriers,
    Halo,
    Pipeline,
    Hybrid,
}

/// A run of the program.
struct Run {
    shape: Shape,
    processes: u32,
    threads: u32,
    steps: u64,
    /// Events of each location.
    events: u64,
    /// How often each region exists.
    copies: u32,
}

/// The event file of a location.
struct Log {
    file: EventWriter<File>,
    rank: u32,
    thread: u32,
    events: u64,
    /// The copy of regions that the step uses.
    copy: u32,
}

/// The number of a copy of a region. Functions of MPI exist once.
fn region_copy(region: u32, copy: u32) -> RegionRef {
    let is_copied = REGIONS[region as usize].2 != Paradigm::MPI;
    RegionRef(region + if is_copied { copy * REGIONS.len() as u32 } else { 0 })
}

fn location(rank: u32, thread: u32) -> LocationRef {
    LocationRef(u64::from(thread) << 32 | u64::from(rank))
}

/// A number below `most` that depends on the place and on what it is for.
fn delay(log: &Log, step: u64, most: u64) -> u64 {
    let seed = step << 20 ^ u64::from(log.rank) << 8 ^ u64::from(log.thread);
    let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) % most
}

impl Log {
    fn event(&mut self, time: u64, event: impl Into<Event>) -> Result<()> {
        self.events += 1;
        Ok(self.file.event(time, &event.into(), &[])?)
    }

    fn enter(&mut self, time: u64, region: u32) -> Result<()> {
        self.event(time, Enter { region: region_copy(region, self.copy) })
    }

    fn leave(&mut self, time: u64, region: u32) -> Result<()> {
        self.event(time, Leave { region: region_copy(region, self.copy) })
    }

    /// A visit without anything in it.
    fn visit(&mut self, from: u64, to: u64, region: u32) -> Result<()> {
        self.enter(from, region)?;
        self.leave(to, region)
    }

    fn team(&self) -> CommRef {
        CommRef(1 + self.rank)
    }

    fn switch(&mut self, time: u64, (thread, generation): (u32, u32)) -> Result<()> {
        let thread_team = self.team();
        let (creating_thread, generation_number) = (thread, generation);
        self.event(time, ThreadTaskSwitch { thread_team, creating_thread, generation_number })
    }
}

impl Run {
    fn new(shape: &str, (processes, threads): (u32, u32), events: u64) -> Result<Run> {
        let (shape, events_per_step) = match shape {
            "functions" => (Shape::Functions, 8),
            "tasks" => (Shape::Tasks, 2 + 8 * u64::from(TASKS)),
            "barriers" => (Shape::Barriers, 10),
            "halo" => (Shape::Halo, 20),
            "pipeline" => (Shape::Pipeline, 8),
            "hybrid" => (Shape::Hybrid, u64::MAX),
            _ => return Err(format!("no shape `{shape}`").into()),
        };
        let events = events / (u64::from(processes) * u64::from(threads));
        Ok(Run { shape, processes, threads, steps: events / events_per_step, events, copies: 1 })
    }

    fn places(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let threads = self.threads;
        (0..self.processes).flat_map(move |rank| (0..threads).map(move |thread| (rank, thread)))
    }

    /// Ticks from a step to the next one.
    fn period(&self) -> u64 {
        400 + 50 * u64::from(self.threads)
    }

    /// Time after the last step.
    fn end(&self) -> u64 {
        FIRST_TICK + 2_000 + (self.steps + u64::from(self.processes)) * self.period()
    }

    fn uses_mpi(&self) -> bool {
        self.shape == Shape::Halo
    }

    /// All events of a location. Returns the time of the last one.
    fn write(&self, log: &mut Log) -> Result<u64> {
        if self.shape == Shape::Hybrid {
            return hybrid::write(log, self.processes, self.threads, self.events);
        }
        let is_master = log.thread == 0;
        if is_master {
            log.event(
                FIRST_TICK,
                ProgramBegin { program_name: PROGRAM, program_arguments: vec![] },
            )?;
            log.enter(FIRST_TICK + 1, MAIN)?;
            if self.uses_mpi() {
                log.visit(FIRST_TICK + 2 + delay(log, 0, 100), FIRST_TICK + 150, INIT)?;
            }
        }
        match self.shape {
            Shape::Halo | Shape::Pipeline => self.steps_of(log)?,
            _ => self.region(log)?,
        }
        if is_master {
            if self.uses_mpi() {
                log.visit(self.end() + 400 + delay(log, 1, 50), self.end() + 500, FINALIZE)?;
            }
            log.leave(self.end() + 501, MAIN)?;
            log.event(self.end() + 502, ProgramEnd { exit_status: 0 })?;
        }
        Ok(self.end() + 502)
    }

    /// A parallel region around all steps.
    fn region(&self, log: &mut Log) -> Result<()> {
        let (model, thread_team) = (Paradigm::OPENMP, log.team());
        let number_of_requested_threads = self.threads;
        if log.thread == 0 {
            log.event(FIRST_TICK + 200, ThreadFork { model, number_of_requested_threads })?;
        }
        let begin = FIRST_TICK + 210 + u64::from(log.thread);
        log.event(begin, ThreadTeamBegin { thread_team })?;
        log.enter(begin, PARALLEL)?;
        self.steps_of(log)?;
        log.enter(self.end() + delay(log, self.steps, 100), END_BARRIER)?;
        log.leave(self.end() + 110, END_BARRIER)?;
        log.leave(self.end() + 110, PARALLEL)?;
        log.event(self.end() + 110, ThreadTeamEnd { thread_team })?;
        if log.thread == 0 {
            log.event(self.end() + 110, ThreadJoin { model })?;
        }
        Ok(())
    }

    fn steps_of(&self, log: &mut Log) -> Result<()> {
        for step in 0..self.steps {
            let begin = FIRST_TICK + 1_000 + step * self.period();
            log.copy = (step % u64::from(self.copies)) as u32;
            match self.shape {
                Shape::Functions => functions(log, begin, step)?,
                Shape::Tasks => self.tasks(log, begin, step)?,
                Shape::Barriers => self.barriers(log, begin, step)?,
                Shape::Halo => self.halo(log, begin, step)?,
                Shape::Pipeline => self.pipeline(log, begin, step)?,
                Shape::Hybrid => {}
            }
        }
        log.copy = 0;
        Ok(())
    }

    /// Each thread creates tasks, and executes those of the next thread in the barrier.
    fn tasks(&self, log: &mut Log, begin: u64, step: u64) -> Result<()> {
        let first = (step as u32).wrapping_mul(TASKS) + 1;
        let (thread_team, other) = (log.team(), (log.thread + 1) % self.threads);
        let mut time = begin + delay(log, step, 20);
        for task in 0..TASKS {
            let (creating_thread, generation_number) = (log.thread, first + task);
            log.enter(time, CREATE)?;
            log.event(
                time + 1,
                ThreadTaskCreate { thread_team, creating_thread, generation_number },
            )?;
            log.leave(time + 2, CREATE)?;
            time += 5;
        }
        log.enter(time + delay(log, step ^ 1, 30), BARRIER)?;
        time = begin + 100 + delay(log, step ^ 2, 100);
        for task in 0..TASKS {
            let (creating_thread, generation_number) = (other, first + task);
            log.switch(time, (other, first + task))?;
            log.visit(time + 1, time + 20, TASK)?;
            log.event(
                time + 21,
                ThreadTaskComplete { thread_team, creating_thread, generation_number },
            )?;
            log.switch(time + 22, (log.thread, 0))?;
            time += 25;
        }
        log.leave(begin + self.period() - 10, BARRIER)
    }

    /// A critical section that threads enter in turns, and a barrier.
    fn barriers(&self, log: &mut Log, begin: u64, step: u64) -> Result<()> {
        let (threads, thread) = (u64::from(self.threads), u64::from(log.thread));
        let turn = (thread + step) % threads;
        let model = Paradigm::OPENMP;
        let acquisition_order = (step * threads + turn) as u32 + 1;
        let time = begin + 100 + 50 * turn;
        log.enter(begin + delay(log, step, 90), CRITICAL)?;
        log.event(time, ThreadAcquireLock { model, lock_id: 0, acquisition_order })?;
        log.visit(time + 2, time + 40, SBLOCK)?;
        log.event(time + 44, ThreadReleaseLock { model, lock_id: 0, acquisition_order })?;
        log.leave(time + 45, CRITICAL)?;
        let work = delay(log, step ^ 1, 200);
        log.visit(time + 50, time + 50 + work, SOLVE)?;
        log.enter(time + 52 + work, BARRIER)?;
        log.leave(begin + self.period() - 10 + delay(log, step, 5), BARRIER)
    }

    /// Each rank exchanges with both neighbours, and sometimes all reduce.
    fn halo(&self, log: &mut Log, begin: u64, step: u64) -> Result<()> {
        let last = self.processes - 1;
        let left = if log.rank == 0 { last } else { log.rank - 1 };
        let right = if log.rank == last { 0 } else { log.rank + 1 };
        let (communicator, msg_length) = (WORLD, 8_192);
        let mut time = begin + delay(log, step, 100);
        log.visit(begin - 5, time, SOLVE)?;
        for request_id in [4 * step, 4 * step + 1] {
            log.enter(time + 1, IRECV)?;
            log.event(time + 2, MpiIrecvRequest { request_id })?;
            log.leave(time + 3, IRECV)?;
            time += 5;
        }
        for (receiver, msg_tag, request_id) in [(left, 0, 4 * step + 2), (right, 1, 4 * step + 3)] {
            log.enter(time + 1, ISEND)?;
            log.event(
                time + 2,
                MpiIsend { receiver, communicator, msg_tag, msg_length, request_id },
            )?;
            log.leave(time + 4, ISEND)?;
            time += 5;
        }
        log.enter(time, WAITALL)?;
        for (sender, msg_tag, request_id) in [(right, 0, 4 * step), (left, 1, 4 * step + 1)] {
            log.event(
                begin + 200,
                MpiIrecv { sender, communicator, msg_tag, msg_length, request_id },
            )?;
        }
        for request_id in [4 * step + 2, 4 * step + 3] {
            log.event(begin + 200, MpiIsendComplete { request_id })?;
        }
        log.leave(begin + 201, WAITALL)?;
        if step.is_multiple_of(BETWEEN_REDUCTIONS) { reduction(log, begin, step) } else { Ok(()) }
    }

    /// Each rank works on what it gets from the rank before, and hands it on.
    fn pipeline(&self, log: &mut Log, begin: u64, step: u64) -> Result<()> {
        let begin = begin + u64::from(log.rank) * self.period();
        let (communicator, msg_tag, msg_length) = (WORLD, 0, 64);
        if let Some(sender) = log.rank.checked_sub(1) {
            log.enter(begin - 56 + delay(log, step.wrapping_sub(1), 30), RECV)?;
            log.event(begin, MpiRecv { sender, communicator, msg_tag, msg_length })?;
            log.leave(begin + 1, RECV)?;
        }
        log.visit(begin + 2, begin + 3 + delay(log, step, 300), SOLVE)?;
        let receiver = log.rank + 1;
        if receiver < self.processes {
            let time = begin + self.period() - 60 + delay(log, step, 30);
            log.enter(time, SEND)?;
            log.event(time + 1, MpiSend { receiver, communicator, msg_tag, msg_length })?;
            log.leave(time + 2, SEND)?;
        }
        Ok(())
    }
}

/// Functions that call functions.
fn functions(log: &mut Log, begin: u64, step: u64) -> Result<()> {
    let end = begin + 300 + delay(log, step, 100);
    log.enter(begin, STEP)?;
    log.visit(begin + 10, begin + 60, NORM)?;
    log.enter(begin + 100, SOLVE)?;
    log.visit(begin + 120, begin + 200, NORM)?;
    log.leave(end, SOLVE)?;
    log.leave(end + 1, STEP)
}

fn reduction(log: &mut Log, begin: u64, step: u64) -> Result<()> {
    log.enter(begin + 210 + delay(log, step, 50), ALLREDUCE)?;
    log.event(begin + 210 + delay(log, step, 50), MpiCollectiveBegin {})?;
    let end = MpiCollectiveEnd {
        collective_op: CollectiveOp::ALLREDUCE,
        communicator: WORLD,
        root: ROOT_NONE,
        size_sent: 8,
        size_received: 8,
    };
    log.event(begin + 270, end)?;
    log.leave(begin + 271, ALLREDUCE)
}
