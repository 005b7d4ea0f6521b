//! A measurement library that somebody else could have written from the POMP paper alone
//! (`tests/foreign/views.c`), linked in place of ours: instrumented programs in C, C++ and Fortran
//! call what it has, and give it what the paper promises.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::common::{Ended, Sandbox, examples, oracles, silent};

const FOREIGN: &str = "compile --strict -q --pomp-disable=extensions --pomp-library views.o --";

/// A sandbox with the library in it.
fn with_library() -> Sandbox {
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign/views.c");
    let mut command = Command::new("gcc");
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp", "-c", "-o"]);
    silent(command.arg(sandbox.path("views.o")).arg(source));
    sandbox
}

fn run(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Ended {
    let mut command = Command::new(sandbox.path(program));
    command.args(arguments).env("OMP_NUM_THREADS", "2").env("OMP_WAIT_POLICY", "passive");
    command.env("OMP_DYNAMIC", "false").current_dir(sandbox.path(""));
    let ended = Ended::of(command.output().unwrap());
    assert_eq!(ended.code, Some(0), "{program}: {}", ended.messages);
    ended
}

/// Calls by construct and event, as each of the two views has them.
fn views(ended: &Ended) -> [BTreeMap<String, u64>; 2] {
    let view = |mark: &str| {
        let mut calls = BTreeMap::new();
        for line in ended.messages.lines().filter_map(|line| line.strip_prefix(mark)) {
            let (what, numbers) = line.split_once("] ").unwrap();
            let what = what.split(" [").next().unwrap().to_owned();
            let count: u64 = numbers.split(' ').next().unwrap().parse().unwrap();
            *calls.entry(what).or_insert(0) += count;
        }
        calls
    };
    [view("construct: "), view("region: ")]
}

/// Both views of a run say the same, and have what must be there.
fn check(sandbox: &Sandbox, program: &str, arguments: &[&str], expected: &[&str]) {
    let ended = run(sandbox, program, arguments);
    let [constructs, regions] = views(&ended);
    assert_eq!(constructs, regions, "{program}: {}", ended.messages);
    for name in expected {
        assert!(constructs.contains_key(*name), "{program}: {name}: {}", ended.messages);
    }
    // What opens closes, whatever the numbers.
    assert_eq!(constructs.get("critical enter/exit"), constructs.get("critical begin/end"));
}

#[test]
fn the_examples_run_with_a_library_of_the_paper() {
    if !oracles() {
        return;
    }
    let sandbox = with_library();
    let examples = examples();
    let path = |name: &str| examples.join(name).display().to_string();
    let compile = |words: &str| sandbox.succeeds(&format!("{FOREIGN} {words}"));

    compile(&format!("gcc -O1 -fopenmp {} -o ocean -lm", path("ocean/ocean.c")));
    let expected =
        ["parallel for fork/join", "parallel for barrier enter/exit", "atomic enter/exit"];
    check(&sandbox, "ocean", &["64", "20"], &expected);

    let kernels = ["coarse", "coarse_fixed", "creation", "creation_fixed", "fine", "fine_fixed"];
    for kernel in kernels {
        let source = path(&format!("kernels/{kernel}.c"));
        compile(&format!("gcc -O1 -fopenmp {source} -o {kernel} -lm"));
        let shared = if kernel == "creation_fixed" { "for enter/exit" } else { "single begin/end" };
        check(&sandbox, kernel, &[], &["parallel fork/join", shared]);
    }

    let sources = ["retrieval", "features", "images", "ranking"]
        .map(|name| path(&format!("retrieval/{name}.cpp")));
    compile(&format!("g++ -O1 -fopenmp -std=c++17 {} -o retrieval", sources.join(" ")));
    check(&sandbox, "retrieval", &[], &["parallel begin/end"]);

    let sources = WEATHER.map(|name| path(&format!("weather/{name}.f90")));
    let sources = format!("{} {}", sources.join(" "), path("weather/convec.f"));
    compile(&format!("gfortran -O1 -fopenmp {sources} -o weather"));
    check(&sandbox, "weather", &["36", "16", "5"], &["do enter/exit"]);
}

/// The example's files of free form, each after those whose modules it uses.
const WEATHER: [&str; 9] = [
    "grid",
    "processes",
    "processes_alone",
    "state",
    "surface",
    "dynamics",
    "polar_filter",
    "diagnostics",
    "weather",
];

/// Section 3.10 of the paper, and its section 3.2 where the text calls the library for locks.
const WITH_A_VARIABLE: &str = r#"
#include <omp.h>
#include <stdio.h>
static int answer = 40;
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp inst begin(work, answer)
#pragma omp parallel for
  for (int i = 0; i < 10; i++) {
    omp_set_lock(&lock);
    answer += i == 4 || i == 7;
    omp_unset_lock(&lock);
  }
#pragma pomp inst end(work, answer)
  omp_destroy_lock(&lock);
#ifdef _POMP
  printf("%d %d\n", answer, _POMP);
#endif
  return 0;
}
"#;

#[test]
fn the_users_variable_and_locks_reach_it() {
    if !oracles() {
        return;
    }
    let sandbox = with_library();
    sandbox.file("variable.c", WITH_A_VARIABLE);
    let options = FOREIGN.replace(" --pomp-library", " --locks=rewrite --pomp-library");
    sandbox.succeeds(&format!("{options} gcc -fopenmp variable.c -o variable"));
    let ended = run(&sandbox, "variable", &[]);
    assert_eq!(ended.output, "42 200110\n");
    ended.says("user: work 42\n");
    ended.says("locks: 10\n");
    ended.says("construct: region region begin/end [OpenMP] 1 calls");
}

const FORTRAN_WITH_A_VARIABLE: &str = "
program variable
  use omp_lib
  implicit none
  integer, target, save :: answer = 40
  integer(omp_lock_kind) :: lock
  integer :: i
  call omp_init_lock(lock)
!$omp inst begin(work, answer)
!$omp parallel do
  do i = 1, 10
    call omp_set_lock(lock)
    if (i == 4 .or. i == 7) answer = answer + 1
    call omp_unset_lock(lock)
  end do
!$omp inst end(work, answer)
  call omp_destroy_lock(lock)
  print '(i0)', answer
end program
";

#[test]
fn the_users_variable_and_locks_reach_it_from_fortran() {
    if !oracles() {
        return;
    }
    let sandbox = with_library();
    sandbox.file("variable.f90", FORTRAN_WITH_A_VARIABLE);
    let options = FOREIGN.replace(" --pomp-library", " --locks=rewrite --pomp-library");
    sandbox.succeeds(&format!("{options} gfortran -fopenmp variable.f90 -o variable"));
    let ended = run(&sandbox, "variable", &[]);
    assert_eq!(ended.output, "42\n");
    ended.says("user: work 42\n");
    ended.says("locks: 10\n");
    ended.says("construct: parallel do enter/exit [OpenMP] 2 calls");
}

/// In gfortran the variable of a nest lock holds the address of the lock: the library in C, which
/// passes on what it gets, would else write behind the variable.
const FORTRAN_WITH_NEST_LOCKS: &str = "
program nested
  use omp_lib
  implicit none
  integer(omp_nest_lock_kind) :: locks(3)
  integer(omp_lock_kind) :: simple
  integer :: i, total, depth
  locks = 77
  total = 0
  depth = 0
  call omp_init_lock(simple)
  call omp_init_nest_lock(locks(2))
!$omp parallel do reduction(max: depth)
  do i = 1, 10
    call omp_set_nest_lock(locks(2))
    call deeper()
    depth = max(depth, omp_test_nest_lock(locks(2)))
    call omp_unset_nest_lock(locks(2))
    call omp_unset_nest_lock(locks(2))
    call omp_set_lock(simple)
    if (omp_test_lock(simple)) stop 1
    total = total + 1
    call omp_unset_lock(simple)
  end do
  call omp_destroy_nest_lock(locks(2))
  call omp_destroy_lock(simple)
  print '(5(i0,1x))', total, depth, locks(1), locks(3)
contains
  subroutine deeper
    call omp_set_nest_lock(locks(2))
    total = total + 1
    call omp_unset_nest_lock(locks(2))
  end subroutine
end program
";

#[test]
fn nest_locks_of_fortran_reach_it() {
    if !oracles() {
        return;
    }
    let sandbox = with_library();
    sandbox.file("nested.f90", FORTRAN_WITH_NEST_LOCKS);
    let options = FOREIGN.replace(" --pomp-library", " --locks=rewrite --pomp-library");
    sandbox.succeeds(&format!("{options} gfortran -fopenmp nested.f90 -o nested"));
    let ended = run(&sandbox, "nested", &[]);
    assert_eq!(ended.output, "20 2 77 77\n");
    // 10 simple ones, 20 nested ones.
    ended.says("locks: 30\n");
}
