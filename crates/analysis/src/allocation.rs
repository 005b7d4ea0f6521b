//! Where the CPU allocation went: up to ten parts that sum to the whole, for the summary.

use pompeii_model::{Cube, Ticks};

use crate::without_cpu::BetweenBorders;
use crate::{Lens, Machine};

/// One part of the CPU allocation time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationPart {
    /// Identifier for machines.
    pub name: &'static str,
    /// Words for people.
    pub title: &'static str,
    /// Its clock ticks.
    pub ticks: Ticks,
}

/// The parts of [`allocation`], with the time in which threads that had work had no CPU as a part
/// of its own. It was measured by the system's clock, so it is at most the whole.
pub fn allocation_on(cube: &Cube, machine: &Machine) -> Vec<AllocationPart> {
    let lens = Lens::new(cube);
    let between = BetweenBorders::new(&lens);
    let share = between.without_cpu(&lens, machine.not_on_cpu_ns.unwrap_or(0));
    let starting_s = machine.starting_ns.unwrap_or(0) as f64 / 1e9;
    let starting = (starting_s * cube.clock.ticks_per_second()) as Ticks;
    let of = |ticks: Ticks| (ticks as f64 * share).round() as Ticks;
    let lacked = [
        ("computing", of(between.computing)),
        ("overhead", of(between.openmp).saturating_add(starting)),
        ("mpi", of(between.mpi)),
    ];
    let mut parts = allocation(cube);
    let mut not_on_cpu = 0;
    for (name, wanted) in lacked {
        if let Some(part) = parts.iter_mut().find(|part| part.name == name) {
            let ticks = wanted.clamp(0, part.ticks.max(0));
            part.ticks -= ticks;
            not_on_cpu += ticks;
        }
    }
    let (name, title) = ("not_on_cpu", "not on a CPU");
    parts.insert(1, AllocationPart { name, title, ticks: not_on_cpu });
    parts
}

/// The parts of the CPU allocation time, useful work first. They sum to wall time x locations.
pub fn allocation(cube: &Cube) -> Vec<AllocationPart> {
    let lens = Lens::new(cube);
    let part = |name, title, ticks| AllocationPart { name, title, ticks };
    let waiting = lens.total("omp_ebarrier_wait") + lens.total("omp_ibarrier_wait");
    let starving = lens.total("omp_ebarrier_starvation") + lens.total("omp_ibarrier_starvation");
    let limited = lens.total("omp_limited_parallelism");
    let (off, idle_beside) = lens.off_ticks();
    let beside_mpi = lens.idle_in_mpi().iter().sum::<Ticks>();
    let serial = lens.total("omp_idle_threads") - limited - idle_beside - beside_mpi;
    let mut parts = vec![
        part("computing", "computing", lens.total("comp")),
        part("barrier_waiting", "waiting at barriers", waiting),
        part("task_waiting", "waiting for tasks", starving),
        part("mpi", "in MPI", lens.total("mpi")),
        part("mpi_idle", "idle while in MPI", beside_mpi),
        part("serial_idle", "idle in serial parts", serial),
        part("limited_idle", "idle, team too small", limited),
        part("overhead", "locks, tasks, fork/join", lens.total("omp_time") - waiting - starving),
        part("absent", "processes not running", lens.total("process_absent")),
        part("recording_off", "recording off", off + idle_beside),
    ];
    let in_threads = lens.total("pthread_time");
    if in_threads != 0 {
        parts.insert(3, part("pthread", "waiting for threads", in_threads));
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::Machine;

    #[test]
    fn waiting_for_threads_is_a_part_where_there_is_some() {
        let measured = crate::notation::cube(
            "wall=100 locations=1
             a                       0  time=30
             a/pthread_join@a.c:2    0  time=70",
        );
        let cube = crate::derive(&measured.unwrap());
        let parts = super::allocation(&cube);
        let shown = parts.iter().filter(|part| part.ticks != 0);
        let shown: Vec<_> = shown.map(|part| (part.name, part.ticks)).collect();
        assert_eq!(shown, [("computing", 30), ("pthread", 70)]);
    }

    #[test]
    fn the_parts_are_the_whole() {
        let measured = crate::notation::cube(
            "wall=100 locations=2
             a                                         0  time=30
             a/parallel@a.c:2                          0  time=60 omp_management=3
             a/parallel@a.c:2                          1  time=20 omp_management=2
             a/parallel@a.c:2/implicit barrier@a.c:9   1  time=30 omp_ibarrier_wait=25
             a/MEASUREMENT OFF                         0  time=10",
        );
        let cube = crate::derive(&measured.unwrap());
        let parts = super::allocation(&cube);
        let shown: Vec<String> =
            parts.iter().map(|part| format!("{} {}", part.name, part.ticks)).collect();
        expect_test::expect![[r#"
            computing 105
            barrier_waiting 25
            task_waiting 0
            mpi 0
            mpi_idle 0
            serial_idle 30
            limited_idle 10
            overhead 10
            absent 0
            recording_off 20"#]]
        .assert_eq(&shown.join("\n"));
        assert_eq!(parts.iter().map(|part| part.ticks).sum::<i64>(), cube.allocation_ticks());
        for (not_on_cpu_ns, ticks) in [(None, 0), (Some(25_000_000), 25), (Some(u64::MAX), 105)] {
            let parts =
                super::allocation_on(&cube, &Machine { not_on_cpu_ns, ..Machine::default() });
            assert_eq!((parts[0].ticks, parts[1].ticks), (105 - ticks, ticks));
        }
    }
    /// Two threads compute for 40 ms, wait at a critical region for 100 ms, and at barriers for 60
    /// ms. They are ready without a CPU for 70 ms: half of the time between two barriers.
    #[test]
    fn threads_that_poll_at_locks_have_no_cpu_either() {
        let text = "wall=100 locations=2
             a/parallel@a.c:2                         *  time=20 visits=1
             a/parallel@a.c:2/critical@a.c:5          *  time=50 visits=9 \
             omp_lock_contention_critical=50
             a/parallel@a.c:2/implicit barrier@a.c:9  *  time=30 omp_ibarrier_wait=30";
        check_lacked(
            text,
            70,
            &["computing 20", "not_on_cpu 70", "barrier_waiting 60", "overhead 50"],
        );
    }

    /// A rank polls for messages while the other one computes.
    #[test]
    fn ranks_that_poll_for_messages_have_no_cpu_either() {
        let text = "wall=100 locations=2 processes=2
             a           0  time=100
             a           1  time=20
             a/MPI_Recv  1  time=80 visits=1";
        check_lacked(text, 100, &["computing 60", "not_on_cpu 100", "mpi 40"]);
    }

    fn check_lacked(text: &str, ms: u64, expected: &[&str]) {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let machine = Machine { not_on_cpu_ns: Some(ms * 1_000_000), ..Machine::default() };
        let parts = super::allocation_on(&cube, &machine);
        assert_eq!(parts.iter().map(|part| part.ticks).sum::<i64>(), cube.allocation_ticks());
        let parts = parts.into_iter().filter(|part| part.ticks != 0);
        let shown: Vec<String> =
            parts.map(|part| format!("{} {}", part.name, part.ticks)).collect();
        assert_eq!(shown, expected);
    }
}
