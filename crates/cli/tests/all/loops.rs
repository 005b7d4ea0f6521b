//! How many iterations worksharing loops have, from the source to the report: in all languages, and
//! unknown if the bounds have effects.

use crate::common::Sandbox;
use serde_json::Value;
use std::fmt::Write;

const C: &str = "#include <stdlib.h>
static int next(void) { static int n = 3; return n++; }
int main(int argc, char **argv) {
  long n = 10 * argc; volatile int again = 4; int k = atoi(argv[1]);
  (void)argc;
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < round; i++) ;
#pragma omp parallel for num_threads(2) collapse(2)
    for (long i = n; i > 0; i -= 3) for (int j = 1; j <= k; ++j) ;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < again; i++) ;
  }
#pragma omp parallel num_threads(1)
  {
    int last = next();
#pragma omp for
    for (int i = 0; i < last + next(); i++) ;
  }
  return 0;
}
";

const CXX: &str = "#include <vector>
struct Mesh { int cells; const int *ends; };
template <class T> void run(T begin, T end) {
#pragma omp parallel for num_threads(2)
  for (T it = begin; it < end; ++it) { }
}
int main() {
  const int ends[] = {3, 7};
  Mesh mesh = {20, ends};
  std::vector<int> list(6);
#pragma omp parallel for num_threads(2)
  for (unsigned i = 0; i < unsigned(9); i++) { }
#pragma omp parallel for num_threads(2)
  for (int i = mesh.ends[0]; i < mesh.cells / 2; i++) { }
  run(1L, 9L);
  run(list.begin(), list.end());
}
";

const FORTRAN: &str = "program p
  integer :: i, j, n
  n = command_argument_count() + 9
  !$omp parallel do num_threads(2)
  do i = n, 1, -3
  end do
  !$omp parallel do num_threads(2) collapse(2)
  do i = 1, min(n, 5)
    do j = 2, n
    end do
  end do
  !$omp parallel do num_threads(2)
  do i = 1, f(3)
  end do
contains
  integer function f(k)
    integer, intent(in) :: k
    f = k
  end function
end program
";

/// The loops of a program by line: their iterations in all visits of both threads, and these visits.
fn iterations(compiler: &str, name: &str, source: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.file(name, source);
    sandbox.succeeds(&format!("compile -q -- {compiler} -fopenmp {name} -o program"));
    sandbox.succeeds("run -q -o exp -- ./program 7");
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["sum_error"], Value::Null);
    let mut text = String::new();
    for region in report["regions"].as_array().unwrap() {
        let name = region["name"].as_str().unwrap();
        if !name.starts_with("!$omp for") && !name.starts_with("!$omp do") {
            continue;
        }
        let metric = |name: &str| region["metrics"][name].as_f64().unwrap_or_default();
        let [sum, known, visits] =
            ["omp_loop_iterations", "omp_loop_visits_known", "visits"].map(metric);
        writeln!(text, "{name}: {sum} in {known} of {visits} visits").unwrap();
    }
    text
}

#[test]
fn of_c() {
    expect_test::expect![[r#"
        !$omp for @a.c:7: 20 in 10 of 10 visits
        !$omp for @a.c:9: 490 in 10 of 10 visits
        !$omp for @a.c:11: 0 in 0 of 10 visits
        !$omp for @a.c:17: 0 in 0 of 1 visits
    "#]]
    .assert_eq(&iterations("gcc -O1", "a.c", C));
}

#[test]
fn of_cxx() {
    expect_test::expect![[r#"
        !$omp for @a.cpp:11: 0 in 0 of 2 visits
        !$omp for @a.cpp:13: 14 in 2 of 2 visits
        !$omp for @a.cpp:4: 16 in 2 of 4 visits
    "#]]
    .assert_eq(&iterations("g++ -O1 -std=c++11", "a.cpp", CXX));
}

#[test]
fn of_fortran() {
    expect_test::expect![[r#"
        !$omp do @a.f90:4: 8 in 2 of 2 visits
        !$omp do @a.f90:7: 90 in 2 of 2 visits
        !$omp do @a.f90:12: 0 in 0 of 2 visits
    "#]]
    .assert_eq(&iterations("gfortran -O1", "a.f90", FORTRAN));
}
