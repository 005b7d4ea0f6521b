//! Serial parts without names: where no functions are measured, the time on one thread is all in
//! the program's root, or divided among sampled functions. The runtime knows what each part lies
//! between, parallel regions or calls of MPI, so that the part can be found in the source: it is at
//! the construct that precedes it.

use std::collections::HashMap;

use pompeii_model::{CallId, IndexVec, LocationId, Paradigm, ProcessId, RegionId, Ticks};

use super::Search;
use crate::{Lens, format};

/// The serial code between two constructs, wherever these are called from.
pub(super) struct Between {
    /// What precedes it. The program itself, which has no place, stands for its start.
    pub(super) after: CallId,
    /// What follows.
    pub(super) before: CallId,
    /// How often it was executed, on all processes.
    pub(super) visits: i64,
    /// What the other threads were idle meanwhile.
    pub(super) lost: Ticks,
}

/// All serial parts of the program, the longest first. None if some of the serial time has a name:
/// parts contain the functions that are called in them. Samples do not say in which part they were
/// taken, so sampled functions are no names of parts.
pub(super) fn parts(search: &Search, serial: &[CallId]) -> Vec<Between> {
    let lens = &search.lens;
    let (cube, tree) = (lens.cube, &lens.cube.calls);
    let has_name = |&call: &CallId| {
        let region = lens.region(call);
        tree.parent(call).is_some() && region.paradigm != Paradigm::Mpi && !region.is_sampled()
    };
    if serial.iter().any(has_name) {
        return Vec::new();
    }
    let workers = workers(lens);
    let mut found: HashMap<(RegionId, RegionId), Between> = HashMap::new();
    for wait in cube.waits.iter().filter(|wait| wait.is_serial()) {
        let Some((after, _)) = wait.by else { continue };
        let process = cube.system.locations[wait.location].process;
        let key = (tree.region(after), tree.region(wait.call));
        let new = Between { after, before: wait.call, visits: 0, lost: 0 };
        let part = found.entry(key).or_insert(new);
        part.visits += wait.visits;
        part.lost = part.lost.saturating_add(wait.wait_ticks.saturating_mul(workers[process]));
    }
    let mut found: Vec<Between> = found.into_values().collect();
    found.sort_by_key(|part| (-part.lost, part.after, part.before));
    found
}

/// Threads of each process that are idle while its master works alone.
fn workers(lens: &Lens) -> IndexVec<ProcessId, i64> {
    let by_process = lens.cube.system.locations_by_process();
    by_process.iter().map(|threads: &Vec<LocationId>| threads.len() as i64 - 1).collect()
}

impl Between {
    /// The region that the part is found at.
    pub(super) fn region(&self, lens: &Lens) -> RegionId {
        lens.cube.calls.region(if self.is_at_start(lens) { self.before } else { self.after })
    }

    fn is_at_start(&self, lens: &Lens) -> bool {
        lens.cube.calls.parent(self.after).is_none()
    }

    /// The part in words, for a title that the place follows.
    pub(super) fn construct(&self, lens: &Lens) -> String {
        let side = if self.is_at_start(lens) { "before" } else { "after" };
        let region = &lens.cube.regions[self.region(lens)];
        format!("serial part {side} {}", region.construct())
    }

    /// Where it lies: `between parallel a.c:3 and MPI_Send a.c:9, 40 times`.
    pub(super) fn place(&self, lens: &Lens) -> String {
        let name = |call| format::name_with_place(lens.cube, call);
        let calls = &lens.cube.calls;
        let times = match self.visits {
            1 => String::new(),
            visits => format!(", {}", format::counted(visits, "time")),
        };
        let (after, before) = (name(self.after), name(self.before));
        match calls.region(self.after) == calls.region(self.before) {
            _ if self.is_at_start(lens) => format!("before {before}{times}"),
            true => format!("between one visit of {before} and the next{times}"),
            false => format!("between {after} and {before}{times}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_with_waits;
    use expect_test::expect;

    const RUN: &str = "wall=1000 locations=3
         a                                 0  time=600
         a/parallel@a.c:50                 *  time=100 visits=9
         a/parallel@a.c:70                 *  time=200 visits=9
         a/MPI_Waitall@b.c:9               0  time=100 visits=9";

    #[test]
    fn large_serial_parts_are_found_at_what_precedes_them() {
        check_with_waits(
            RUN,
            &[
                ("a/parallel", 0, "a", 0, 40),
                ("a/MPI_Waitall", 0, "a/parallel", 0, 350),
                ("a/parallel", 0, "a/parallel", 0, 180),
            ],
            expect![[r#"
                a.c:50 serial part after parallel | omp_idle_threads lost=700 gain=233 (189 to 277)
                    [serial_part, none]
                    0.35 s run on one thread between parallel a.c:50 and MPI_Waitall b.c:9, 9 times.
                    Parallelise this code, or overlap it with other work.
                a.c:50 serial part after parallel | omp_idle_threads lost=360 gain=120 (92 to 148)
                    [serial_part, none]
                    0.18 s run on one thread between one visit of parallel a.c:50 and the next, 9 times.
                    Parallelise this code, or overlap it with other work.
                b.c:9 MPI_Waitall | mpi_point2point lost=300 gain=50 (37 to 79)
                    [idle_during_mpi, none]
                    9 visits, 0.10 s in all.
                    Let the other threads work meanwhile: communicate on one thread of a parallel region (masked, task), next to work that does not need the data.
                ? a | omp_idle_threads lost=140 gain=47 (30 to 64)
                    [serial_part, none]
                    70 ms run on one thread, besides the parts that have findings of their own.
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn the_start_of_the_program_precedes_the_first_part() {
        check_with_waits(
            RUN,
            &[("a/parallel", 0, "a", 0, 500)],
            expect![[r#"
                a.c:50 serial part before parallel | omp_idle_threads lost=1000 gain=333 (274 to 392)
                    [serial_part, none]
                    0.50 s run on one thread before parallel a.c:50, 9 times.
                    Parallelise this code, or overlap it with other work.
                ? a | omp_idle_threads lost=200 gain=67 (47 to 87)
                    [serial_part, none]
                    0.10 s run on one thread, besides the parts that have findings of their own.
                    Mark regions with `omp inst begin(name)` to see which code this is.
                b.c:9 MPI_Waitall | mpi_point2point lost=300 gain=50 (37 to 79)
                    [idle_during_mpi, none]
                    9 visits, 0.10 s in all.
                    Let the other threads work meanwhile: communicate on one thread of a parallel region (masked, task), next to work that does not need the data.
            "#]],
        );
    }

    /// Serial functions below `main`, each with ten times as many milliseconds as samples.
    fn sampled(samples: [i64; 4], expected: expect_test::Expect) {
        let path = |(name, samples): (&str, i64)| {
            let time = 10 * samples;
            format!("a/main@a.c:1 sampled/{name} sampled  0  time={time} samples={samples}\n")
        };
        let names = ["f@a.c:2", "g@a.c:3", "h@a.c:4", "k@a.c:5"];
        let paths: String = names.into_iter().zip(samples).map(path).collect();
        let text = format!(
            "wall=1000 locations=2\n{paths}
             a/parallel@a.c:50  *  time=400 visits=9"
        );
        check_with_waits(&text, &[("parallel", 0, "parallel", 0, 500)], expected);
    }

    /// The part of a sampled function that is a finding would be counted twice.
    #[test]
    fn parts_are_found_unless_a_sampled_function_has_much() {
        sampled(
            [15; 4],
            expect![[r#"
            a.c:50 serial part after parallel | omp_idle_threads lost=500 gain=250 (203 to 297)
                [serial_part, none]
                0.50 s run on one thread between one visit of parallel a.c:50 and the next, 9 times.
                Parallelise this code, or overlap it with other work.
            a.c:1 main | omp_idle_threads lost=100 gain=50 (33 to 67)
                [serial_part, none]
                0.10 s run on one thread, besides the parts that have findings of their own.
                Parallelise it, or overlap it with other work.
        "#]],
        );
        sampled(
            [30, 10, 10, 10],
            expect![[r#"
            a.c:1 main | omp_idle_threads lost=300 gain=150 (118 to 182)
                [serial_part, none]
                0.30 s run on one thread: g (0.10 s), h (0.10 s).
                Parallelise the largest of these, or overlap it with other work.
            a.c:2 f | omp_idle_threads lost=300 gain=150 (118 to 182)
                [serial_part, none]
                0.30 s run on one thread.
                Parallelise it, or overlap it with other work.
        "#]],
        );
    }

    /// Parts contain the time of functions, which say more.
    #[test]
    fn functions_are_named_instead() {
        let text = "wall=1000 locations=2
         a/main@a.c:1                   0  time=100 visits=1
         a/main@a.c:1/smooth@a.c:7      0  time=500 visits=9
         a/main@a.c:1/parallel@a.c:50   *  time=400 visits=9";
        check_with_waits(
            text,
            &[("parallel", 0, "parallel", 0, 600)],
            expect![[r#"
                a.c:7 smooth | omp_idle_threads lost=500 gain=250 (203 to 297)
                    [serial_part, none]
                    0.50 s run on one thread.
                    Parallelise it, or overlap it with other work.
                a.c:1 main | omp_idle_threads lost=100 gain=50 (33 to 67)
                    [serial_part, none]
                    0.10 s run on one thread.
                    It lies next to parallel a.c:50 (9 visits).
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }
}
