//! A hybrid program with nested functions, for timelines: messages in a ring of the masters and
//! collective operations, parallel loops, barriers with tasks in some of them. The times of a
//! location are random and do not depend on those of others, so traces of any number of locations
//! have the same density of events.

use pompeii_otf2::enums::{CollectiveOp, Paradigm};
use pompeii_otf2::event::*;

use super::*;

const MESSAGE_BYTES: u64 = 8192;

/// Numbers that look random.
struct Random(u64);

impl Random {
    /// A number from 1 to `limit`.
    fn up_to(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit + 1
    }
}

/// A location while it is written.
struct Thread<'a> {
    log: &'a mut Log,
    time: u64,
    random: Random,
    tasks: u32,
    processes: u32,
    threads: u32,
}

/// Writes about `events` events of a location. Returns the time of the last one.
pub fn write(log: &mut Log, processes: u32, threads: u32, events: u64) -> Result<u64> {
    let number = u64::from(log.rank) * u64::from(threads) + u64::from(log.thread);
    let random = Random(number + 1);
    let mut thread = Thread { log, time: FIRST_TICK, random, tasks: 0, processes, threads };
    thread.run(events)?;
    Ok(thread.time)
}

impl Thread<'_> {
    fn event(&mut self, ticks_max: u64, event: impl Into<Event>) -> Result<()> {
        self.time += self.random.up_to(ticks_max);
        self.log.event(self.time, event)
    }

    fn enter(&mut self, ticks_max: u64, region: u32) -> Result<()> {
        self.event(ticks_max, Enter { region: RegionRef(region) })
    }

    fn leave(&mut self, ticks_max: u64, region: u32) -> Result<()> {
        self.event(ticks_max, Leave { region: RegionRef(region) })
    }

    fn run(&mut self, events: u64) -> Result<()> {
        let is_master = self.log.thread == 0;
        if is_master {
            self.enter(1000, MAIN)?;
        }
        while self.log.events < events {
            if is_master {
                if self.random.up_to(4) == 4 { self.reduction()? } else { self.exchange()? }
            }
            self.part(is_master)?;
            self.time += self.random.up_to(300_000);
        }
        if is_master { self.leave(1000, MAIN) } else { Ok(()) }
    }

    /// A message to the next rank, and one from the rank before.
    fn exchange(&mut self) -> Result<()> {
        let (rank, ranks) = (self.log.rank, self.processes);
        let (receiver, sender) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let (communicator, msg_tag, msg_length) = (WORLD, 0, MESSAGE_BYTES);
        self.enter(2000, SENDRECV)?;
        self.event(500, MpiSend { receiver, communicator, msg_tag, msg_length })?;
        self.event(200_000, MpiRecv { sender, communicator, msg_tag, msg_length })?;
        self.leave(500, SENDRECV)
    }

    fn reduction(&mut self) -> Result<()> {
        self.enter(2000, ALLREDUCE)?;
        self.event(500, MpiCollectiveBegin {})?;
        let (collective_op, communicator) = (CollectiveOp::ALLREDUCE, WORLD);
        let (root, size_sent, size_received) = (ROOT_NONE, 8, 8);
        let end = MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        self.event(200_000, end)?;
        self.leave(500, ALLREDUCE)
    }

    /// A parallel region.
    fn part(&mut self, is_master: bool) -> Result<()> {
        let (thread_team, model) = (self.log.team(), Paradigm::OPENMP);
        if is_master {
            let number_of_requested_threads = self.threads;
            self.event(500, ThreadFork { model, number_of_requested_threads })?;
        }
        self.event(500, ThreadTeamBegin { thread_team })?;
        self.enter(500, PARALLEL)?;
        self.enter(500, LOOP)?;
        for _ in 0..self.random.up_to(400) {
            self.function()?;
        }
        self.leave(300, LOOP)?;
        self.enter(300, END_BARRIER)?;
        if self.random.up_to(4) == 1 {
            for _ in 0..self.random.up_to(100) {
                self.task()?;
            }
        }
        self.leave(400_000, END_BARRIER)?;
        self.leave(300, PARALLEL)?;
        self.event(500, ThreadTeamEnd { thread_team })?;
        if is_master { self.event(500, ThreadJoin { model }) } else { Ok(()) }
    }

    fn function(&mut self) -> Result<()> {
        self.enter(500, STEP)?;
        for callee in [SOLVE, NORM] {
            self.enter(3000, callee)?;
            self.leave(20_000, callee)?;
        }
        if self.random.up_to(50) == 1 {
            self.enter(500, CRITICAL)?;
            self.leave(30_000, CRITICAL)?;
        }
        self.leave(3000, STEP)
    }

    fn task(&mut self) -> Result<()> {
        self.tasks += 1;
        let (thread_team, creating_thread) = (self.log.team(), self.log.thread);
        let generation_number = self.tasks;
        self.enter(300, CREATE)?;
        self.event(300, ThreadTaskCreate { thread_team, creating_thread, generation_number })?;
        self.leave(300, CREATE)?;
        self.event(500, ThreadTaskSwitch { thread_team, creating_thread, generation_number })?;
        self.enter(300, TASK)?;
        self.function()?;
        self.leave(2000, TASK)?;
        self.event(300, ThreadTaskComplete { thread_team, creating_thread, generation_number })
    }
}
