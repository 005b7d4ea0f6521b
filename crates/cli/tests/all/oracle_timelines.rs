//! The timeline in a browser, of programs that are run as a user runs them: all interactions on the
//! server and on the offline page of the same run, and the pictures of the papers (Mohr et al. 2002,
//! Figure 5; Schmidl et al. 2012, Figures 3 and 4).

use crate::common::{Sandbox, oracles};
use crate::oracle_hybrid::{LIBRARIES, OCEAN, run_example, succeeds};
use crate::oracle_pictures::in_browser;
use crate::view::View;

/// Six steps on two processes of two threads: a message, tasks, a loop in which one thread is late,
/// a lock. Threads sleep, so they need no cores, and they sleep longer than a busy machine makes a
/// thread wait.
const STEPS: &str = "#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, got = 0, level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 6; step++) {
    if (rank == 0) {
      usleep(10000);
      MPI_Send(&step, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
      for (int i = 0; i < 4; i++) {
#pragma omp task
        usleep(7500);
      }
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < 2; i++) usleep(i ? 30000 : 5000);
#pragma omp critical
      usleep(2500);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
";

#[test]
fn everything_that_a_reader_can_do() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let (library, option) = LIBRARIES[0];
    sandbox.file("steps.c", STEPS);
    let gcc = format!("mpicc.{library} -O1 -fopenmp steps.c -o steps");
    succeeds(&sandbox, &format!("compile --strict -q -- {gcc}"));
    // Bound to one CPU, two threads would have that problem first, which has no moment.
    let launcher = format!("mpirun.{library} {option} --bind-to none -n 2");
    succeeds(&sandbox, &format!("run -q --trace --analyze -o exp -- {launcher} ./steps"));
    succeeds(&sandbox, "html exp -o exp.html");
    sandbox.file("report.json", &succeeds(&sandbox, "report --json exp").output);
    let view = View::start(&sandbox, "exp --no-open");
    let pages = [("SERVED", &*view.address()), ("STATIC", "exp.html"), ("REPORT", "report.json")];
    in_browser(&sandbox, "interactions.browser.mjs", &pages);
}

/// One thread executes a task that creates another one and waits for it: both do the same work.
const SUSPENDED: &str = "#include <unistd.h>
static void work(void) {
  usleep(50000);
}
static void f1(void) {
  work();
#pragma omp task
  {
    work();
    work();
  }
#pragma omp taskwait
  work();
}
int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
  f1();
  return 0;
}
";

#[test]
fn pictures_of_the_papers() {
    if !oracles() {
        return;
    }
    let (ocean, tasks) = (Sandbox::new(), Sandbox::new());
    run_example(&ocean, &OCEAN, LIBRARIES[0]);
    tasks.compile("suspended", SUSPENDED);
    let ended = tasks.pompeii("run -q --trace -o exp -- ./suspended");
    assert_eq!(ended.code, Some(0), "{}", ended.messages);
    let (first, second) =
        (View::start(&ocean, "exp --no-open"), View::start(&tasks, "exp --no-open"));
    let pages = [("OCEAN", &*first.address()), ("SUSPENDED", &*second.address())];
    in_browser(&ocean, "timelines.browser.mjs", &pages);
}
