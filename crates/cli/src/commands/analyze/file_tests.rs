//! The files of an analysis have the same bytes for all numbers of threads and of ranks of the
//! analysis, and for all sizes of windows. The trace is that of a program with MPI, threads, locks,
//! tasks and a counter, which is long enough for several windows of each size but the largest.

#[cfg(test)]
use std::fmt::Write as _;
use std::fs;

use pompeii_analysis::selection::Selection;
use pompeii_analysis::trace::Severities;
use pompeii_replay::text::{self, TextTrace};
use pompeii_replay::transport::{Transport, channels::Channels};
use pompeii_replay::{Compound, Options, Sinks, replay_on};

use crate::analyzed_trace::{CUBE_FILE, JSON_FILE};

const RANKS: usize = 4;

/// A program while it runs.
struct Program {
    text: String,
    /// The time of each process.
    now: [u64; RANKS],
    /// State of the generator of random numbers.
    random: u64,
}

impl Program {
    fn new() -> Program {
        let mut text = "counter flops = ACCUMULATED_START\ncomm W = 0 1 2 3\n".to_owned();
        for rank in 0..RANKS {
            let _ = writeln!(text, "team T{rank} = {rank}.0 {rank}.1");
            let _ = writeln!(text, "0 {rank}.0 program; + MPI_Init");
            let _ = writeln!(text, "{} {rank}.0 -", 3 + rank);
        }
        Program { text, now: std::array::from_fn(|rank| 3 + rank as u64), random: 7 }
    }

    fn say(&mut self, time: u64, place: &str, events: &str) {
        let _ = writeln!(self.text, "{time} {place} {events}");
    }

    /// A random number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e);
        (self.random >> 33) % most
    }

    /// A parallel region of a process: each thread computes and has a lock, and then the worker
    /// executes a task of the master in the barrier.
    fn region(&mut self, rank: usize, step: u64) {
        let (master, worker) = (format!("{rank}.0"), format!("{rank}.1"));
        let begin = self.now[rank] + 1;
        self.say(begin, &master, &format!("fork; team T{rank}; + parallel; + solve"));
        self.say(begin + 2, &worker, &format!("team T{rank}; + parallel; + solve"));
        let (one, other) = (begin + 3 + self.below(90), begin + 3 + self.below(90));
        let master_is_first = one < other;
        let mut places = [(one, &master), (other, &worker)];
        if !master_is_first {
            places.reverse();
        }
        let (mut free, mut released) = (0, Vec::new());
        for ((since, place), order) in places.into_iter().zip(2 * step + 1..) {
            let acquired = (since + 1).max(free);
            free = acquired + 1 + self.below(20);
            self.say(since, place, "-; + critical");
            self.say(acquired, place, &format!("acquire 0 {order}; + critical_body"));
            self.say(free, place, &format!("-; release 0 {order}; -"));
            released.push(free);
        }
        if !master_is_first {
            released.reverse();
        }
        let created = released[0] + 2;
        let create = format!("+ task_create; create T{rank} 0 {}; -", step + 1);
        self.say(created, &master, &create);
        let arrived = created + self.below(30);
        self.say(arrived, &master, "+ ibarrier");
        self.say(released[1], &worker, "+ ibarrier");
        let begun = created.max(released[1]) + 1;
        let switch = |number: u64| format!("switch T{rank} 0 {number}");
        self.say(begun, &worker, &format!("{}; + task", switch(step + 1)));
        let done = begun + 5 + self.below(40);
        let complete = format!("-; done T{rank} 0 {}; {}", step + 1, switch(0));
        self.say(done, &worker, &complete);
        let end = done.max(arrived) + 3;
        self.say(end, &master, &format!("-; -; endteam T{rank}; join; count flops {}", end * 7));
        self.say(end, &worker, &format!("-; -; endteam T{rank}"));
        self.now[rank] = end;
    }

    /// Each process sends to the next one.
    fn ring(&mut self, step: u64) {
        let sent = self.now.map(|now| now + 2);
        for (rank, at) in sent.into_iter().enumerate() {
            let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
            let place = format!("{rank}.0");
            let received = (at + 2).max(sent[before] + 1);
            self.say(at, &place, &format!("+ MPI_Isend; isend {next} W 1 8 {step}; -"));
            self.say(at + 1, &place, "+ MPI_Recv");
            self.say(received, &place, &format!("recv {before} W 1 8; -; + MPI_Wait"));
            self.say(received + 1, &place, &format!("sent {step}; -"));
            self.now[rank] = received + 1;
        }
    }

    /// All processes are together.
    fn reduction(&mut self) {
        let end = self.now.into_iter().max().unwrap() + 3;
        for rank in 0..RANKS {
            let place = format!("{rank}.0");
            self.say(self.now[rank] + 1, &place, "+ MPI_Allreduce; begin");
            self.say(end + rank as u64, &place, "end ALLREDUCE W - 8 8; -");
            self.now[rank] = end + rank as u64;
        }
    }

    /// The trace of a run.
    fn run(steps: u64) -> TextTrace {
        let mut program = Program::new();
        for step in 0..steps {
            (0..RANKS).for_each(|rank| program.region(rank, step));
            program.ring(step);
            if step % 7 == 0 {
                program.reduction();
            }
        }
        let end = program.now.into_iter().max().unwrap() + 10;
        (0..RANKS).for_each(|rank| program.say(end, &format!("{rank}.0"), "exit"));
        text::parse(&(format!("end {end}\n") + &program.text)).unwrap()
    }
}

/// What the first of these ranks writes.
fn files(trace: &TextTrace, ranks: usize, options: Options) -> [Vec<u8>; 2] {
    let all = Channels::run(ranks, &|mut rank: Channels| {
        let mut severities = Severities::default();
        let part = trace.part(rank.ranks(), rank.rank());
        let mut note = |compound: Compound| severities.note(&compound);
        let sinks = Sinks { found: &mut note, tables: None, scenarios: None };
        let mut outcome = replay_on(&mut rank, part, options, sinks).unwrap();
        severities.gather(&mut rank, &mut outcome).unwrap();
        (severities, outcome)
    });
    let (severities, outcome) = all.into_iter().next().flatten().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let events = trace.events.iter().map(|events| events.len() as u64).sum();
    let found = super::Found { severities: &severities, loops: Vec::new(), what_if: None };
    super::write(&found, &outcome, (events, &Selection::all()), folder.path()).unwrap();
    [CUBE_FILE, JSON_FILE].map(|name| fs::read(folder.path().join(name)).unwrap())
}

#[test]
fn files_do_not_depend_on_threads_windows_and_ranks() {
    let trace = Program::run(290);
    let events: usize = trace.events.iter().map(Vec::len).sum();
    assert!(events > 50_000, "{events}");
    let wanted = Options { path: true, ..Options::default() };
    let mut first: Option<[Vec<u8>; 2]> = None;
    for (ranks, threads) in [(1, 1), (1, 2), (1, 5), (2, 1), (2, 2), (2, 5), (4, 1), (4, 2), (4, 5)]
    {
        for window_events in [1_000, 50_000, 1_000_000] {
            // The threads of a team create 290 tasks.
            let task_instances = Some(200);
            let options = Options { threads, window_events, task_instances, ..wanted };
            let found = files(&trace, ranks, options);
            let [cube, json] = first.get_or_insert_with(|| found.clone());
            assert!(found[0] == *cube, "{CUBE_FILE}: {ranks} ranks, {options:?}");
            assert!(found[1] == *json, "{JSON_FILE}: {ranks} ranks, {options:?}");
        }
    }
    let json = String::from_utf8(first.unwrap()[1].clone()).unwrap();
    let found = [
        "critical_path",
        "omp_ibarrier_starvation",
        "omp_lock_contention_critical",
        "mpi_latesender",
        "mpi_wait_nxn",
        "delay_omp",
        "delay_latesender",
        "delay_n2n",
        "flops",
    ];
    assert!(found.iter().all(|name| json.contains(&format!("\"name\": \"{name}\""))), "{json}");
}
