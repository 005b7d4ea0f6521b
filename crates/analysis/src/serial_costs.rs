//! What a run costs more than one on one thread, by construct. The overhead of a construct is the
//! CPU allocation time of all threads in it minus the time of the same construct on one thread, so
//! that the overheads of all constructs add up to p * T(p) - T(1). (Bane and Riley: *Automatic
//! Overheads Profiler for OpenMP Codes*, EWOMP 2000, whose tool is OVALTINE.)
//!
//! Each call path belongs to one construct or function: the innermost one. An implicit barrier
//! belongs to its construct, and the two halves of a combined construct are one. Therefore no time
//! is counted twice.

use std::collections::HashMap;
use std::ops::{AddAssign, Sub};

use pompeii_model::{CallId, Cube, RegionId, Role, Ticks};

use crate::Lens;
use crate::findings::{combined_with, construct};
use crate::profile::is_task_root;
use crate::reference::{Alone, Reference, is_worksharing};

/// CPU allocation time by what it was spent on, in clock ticks of the run that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Computing.
    pub computing: Ticks,
    /// Waiting at barriers, also for tasks.
    pub barriers: Ticks,
    /// Locks, tasks, forks and joins.
    pub openmp: Ticks,
    /// Calls of MPI.
    pub mpi: Ticks,
    /// Threads without work.
    pub idle: Ticks,
    /// Recording was off, or the process was not there.
    pub other: Ticks,
}

impl Spent {
    /// All of it.
    pub fn all(&self) -> Ticks {
        let parts = [self.computing, self.barriers, self.openmp, self.mpi, self.idle, self.other];
        parts.iter().sum()
    }

    fn at(lens: &Lens, call: CallId) -> Self {
        let of = |name| lens.own(name, call);
        let waits = ["omp_ibarrier_wait", "omp_ebarrier_wait"].map(of);
        let starvation = ["omp_ibarrier_starvation", "omp_ebarrier_starvation"].map(of);
        let barriers = waits.iter().chain(&starvation).sum();
        let (computing, omp) = (of("comp"), of("omp_time"));
        let (mpi, idle) = (of("mpi"), of("omp_idle_threads"));
        let other = of("time") - computing - omp - mpi - idle;
        Self { computing, barriers, openmp: omp - barriers, mpi, idle, other }
    }

    fn scaled(self, by: f64) -> Self {
        self.with(Self::default(), |ticks, _| (ticks as f64 * by).round() as Ticks)
    }

    /// Each part of both.
    fn with(self, other: Self, of: impl Fn(Ticks, Ticks) -> Ticks) -> Self {
        Self {
            computing: of(self.computing, other.computing),
            barriers: of(self.barriers, other.barriers),
            openmp: of(self.openmp, other.openmp),
            mpi: of(self.mpi, other.mpi),
            idle: of(self.idle, other.idle),
            other: of(self.other, other.other),
        }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        *self = self.with(more, Ticks::saturating_add);
    }
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, less: Self) -> Self {
        self.with(less, Ticks::saturating_sub)
    }
}

/// A construct or function in both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstructCost {
    /// Its region; `None` for all that only the run on one thread has.
    pub region: Option<RegionId>,
    /// The worksharing construct on the same line, if `region` is a parallel region that is
    /// combined with one.
    pub combined: Option<RegionId>,
    /// On one thread.
    pub serial: Spent,
    /// In the run that is compared, on all threads.
    pub parallel: Spent,
    /// By how much longer all threads together compute than the same work takes on one thread, at
    /// least and at most; `None` outside of parallel regions and tasks. Time without a CPU does not
    /// count.
    pub inflation: Option<(Ticks, Ticks)>,
}

impl ConstructCost {
    /// What the construct costs more than on one thread; less than 0 if it costs less.
    pub fn overhead(&self) -> Spent {
        self.parallel - self.serial
    }

    /// Construct and place, as findings name them: `parallel for solve.c:88`.
    pub fn label(&self, cube: &Cube) -> String {
        let Some(region) = self.region.map(|region| &cube.regions[region]) else {
            return "only on one thread".to_owned();
        };
        match self.combined {
            None => region.label(),
            Some(inner) => {
                let words = cube.regions[inner].construct();
                format!("parallel {words} {}", region.place()).trim_end().to_owned()
            }
        }
    }
}

/// The comparison of a run with one on one thread in each process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialCosts {
    /// Wall time on one thread, in clock ticks of the run that is compared.
    pub serial_wall_ticks: Ticks,
    /// All constructs, the largest overhead first.
    pub constructs: Vec<ConstructCost>,
}

impl SerialCosts {
    /// Compares two runs; `reference` was made of the same two.
    pub fn new(run: &Cube, serial: &Cube, reference: &Reference) -> Self {
        let scale = run.clock.ticks_per_second() / serial.clock.ticks_per_second();
        let mut rows = Rows::default();
        rows.add_run(run, reference);
        rows.add_serial(serial, scale);
        let mut constructs = rows.all;
        constructs.retain(|of| of.parallel.all() != 0 || of.serial.all() != 0);
        constructs.sort_by_key(|of| std::cmp::Reverse(of.overhead().all()));
        let wall = serial.wall_ticks as f64 * scale;
        Self { serial_wall_ticks: wall.round() as Ticks, constructs }
    }
}

/// What a region is known by in both runs.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    role: Role,
    name: String,
    file: String,
    line: u32,
}

impl Key {
    fn new(cube: &Cube, call: CallId) -> Self {
        let region = &cube.regions[cube.calls.region(call)];
        if cube.calls.parent(call).is_none() && !is_task_root(cube, call) {
            // A root has the name of the program, which is that of a file.
            let (name, file) = (String::new(), String::new());
            return Self { role: Role::Artificial, name, file, line: 0 };
        }
        let (name, file) = (region.name.clone(), region.file.clone());
        Self { role: region.role, name, file, line: region.begin_line }
    }
}

/// The constructs that are known so far.
#[derive(Default)]
struct Rows {
    all: Vec<ConstructCost>,
    by_key: HashMap<Key, usize>,
}

impl Rows {
    /// The row of a construct, which is made if there is none.
    fn row(&mut self, key: Key, region: Option<RegionId>) -> &mut ConstructCost {
        let at = *self.by_key.entry(key).or_insert(self.all.len());
        if at == self.all.len() {
            self.all.push(ConstructCost {
                region,
                combined: None,
                serial: Spent::default(),
                parallel: Spent::default(),
                inflation: None,
            });
        }
        &mut self.all[at]
    }

    fn add_run(&mut self, cube: &Cube, reference: &Reference) {
        let lens = Lens::new(cube);
        for call in cube.calls.ids() {
            let (at, inner) = owner(&lens, call);
            let row = self.row(Key::new(cube, at), Some(cube.calls.region(at)));
            row.combined = row.combined.or(inner.map(|inner| cube.calls.region(inner)));
            row.parallel += Spent::at(&lens, call);
            if let Some(Alone { least_ticks, most_ticks }) = reference.alone(call) {
                let here = reference.on_cpu(lens.own("comp", call));
                let (low, high) = row.inflation.unwrap_or_default();
                row.inflation = Some((low + here - most_ticks, high + here - least_ticks));
            }
        }
    }

    fn add_serial(&mut self, cube: &Cube, scale: f64) {
        let lens = Lens::new(cube);
        let mut of: HashMap<Key, Spent> = HashMap::new();
        for call in cube.calls.ids() {
            let (at, _) = owner(&lens, call);
            *of.entry(Key::new(cube, at)).or_default() += Spent::at(&lens, call);
        }
        let mut others = Spent::default();
        for (key, spent) in of {
            match self.by_key.get(&key) {
                Some(&at) => self.all[at].serial += spent.scaled(scale),
                None => others += spent.scaled(scale),
            }
        }
        self.all.push(ConstructCost {
            region: None,
            combined: None,
            serial: others,
            parallel: Spent::default(),
            inflation: None,
        });
    }
}

/// The construct or function that a call path belongs to, and the worksharing construct that it is
/// combined with if the call path lies in that one.
fn owner(lens: &Lens, call: CallId) -> (CallId, Option<CallId>) {
    let around = |call| construct(lens.cube, call);
    let own = around(call);
    let at = match lens.cube.calls.parent(own) {
        Some(parent) if lens.role(own) == Role::ImplicitBarrier => around(parent),
        _ => own,
    };
    match combined_with(lens, at).filter(|_| is_worksharing(lens.role(at))) {
        Some(outer) => (outer, Some(at)),
        None => (at, None),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::reference::Run;

    /// Each construct: serial and parallel time, and what the overhead consists of.
    fn check(run: &str, serial: &str, expect: Expect) {
        let cube = |text| crate::derive(&crate::notation::cube(text).unwrap());
        let [run, serial] = [run, serial].map(cube);
        let with = |cube| Run { cube, not_on_cpu_ns: None };
        let reference = Reference::new(with(&run), with(&serial)).unwrap();
        let costs = SerialCosts::new(&run, &serial, &reference);
        let sum: Ticks = costs.constructs.iter().map(|of| of.overhead().all()).sum();
        assert_eq!(sum, run.allocation_ticks() - serial.allocation_ticks());
        let line = |of: &ConstructCost| {
            let Spent { computing, barriers, openmp, mpi, idle, other } = of.overhead();
            let (serial, parallel) = (of.serial.all(), of.parallel.all());
            format!(
                "{}: {serial} -> {parallel}, computing {computing}, barriers {barriers}, \
                 openmp {openmp}, mpi {mpi}, idle {idle}, other {other}, inflation {:?}\n",
                of.label(&run),
                of.inflation
            )
        };
        expect.assert_eq(&costs.constructs.iter().map(line).collect::<String>());
    }

    /// p * T(p) - T(1) = 2 * 650 - 700 = 600: 200 idle, 350 of inflation and 50 at the barrier.
    #[test]
    fn overheads_add_up_to_what_the_run_costs_more() {
        check(
            "wall=650 locations=2
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          *  visits=1
             a/parallel@a.c:2/for@a.c:2                0  time=450 visits=1
             a/parallel@a.c:2/for@a.c:2                1  time=400 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:4   0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/implicit barrier@a.c:4   1  time=50 visits=1 omp_ibarrier_wait=50",
            "wall=700 locations=1
             a                                         0  time=200 visits=1
             a/parallel@a.c:2                          0  visits=1
             a/parallel@a.c:2/for@a.c:2                0  time=500 visits=1",
            expect![[r#"
                parallel for a.c:2: 500 -> 900, computing 350, barriers 50, openmp 0, mpi 0, idle 0, other 0, inflation Some((350, 350))
                a: 200 -> 400, computing 0, barriers 0, openmp 0, mpi 0, idle 200, other 0, inflation None
            "#]],
        );
    }

    /// Of a parallel region it is not known whether threads divide its work. The critical construct
    /// waits for locks, and one function is called on one thread only.
    #[test]
    fn each_construct_has_its_own_costs() {
        check(
            "wall=400 locations=2
             a                                     *  visits=1
             a/parallel@a.c:2                      *  time=300 visits=1 omp_management=10
             a/parallel@a.c:2/critical@a.c:5       *  time=90 visits=9 \
             omp_lock_contention_critical=80
             a/parallel@a.c:2/barrier@a.c:9        *  time=10 visits=1 omp_ebarrier_wait=5",
            "wall=400 locations=1
             a                                     0  visits=1
             a/once@a.c:50                         0  time=60 visits=1
             a/parallel@a.c:2                      0  time=320 visits=1 omp_management=2
             a/parallel@a.c:2/critical@a.c:5       0  time=20 visits=9",
            expect![[r#"
                parallel a.c:2: 320 -> 600, computing 262, barriers 0, openmp 18, mpi 0, idle 0, other 0, inflation Some((-56, 262))
                critical a.c:5: 20 -> 180, computing 0, barriers 0, openmp 160, mpi 0, idle 0, other 0, inflation Some((0, 0))
                barrier a.c:9: 0 -> 20, computing 0, barriers 10, openmp 10, mpi 0, idle 0, other 0, inflation None
                only on one thread: 60 -> 0, computing -60, barriers 0, openmp 0, mpi 0, idle 0, other 0, inflation None
            "#]],
        );
    }
}
