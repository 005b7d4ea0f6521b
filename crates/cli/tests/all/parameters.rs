//! Call paths split by values of the program's, in the three languages; and recording that a
//! Fortran program switches itself.

use crate::common::Sandbox;
use expect_test::expect;
use serde_json::Value;

/// A function whose call path says what it was called with, and a team of two that says it too.
const C: &str = "#include <pomp.h>
#ifdef __cplusplus
#include <string>
#define PHASE std::string(\"team\").c_str()
#else
#define PHASE \"team\"
#endif
static volatile int sink;
static void work(int n) { for (int i = 0; i < n; i++) sink += i; }
int main(void) {
  for (int level = 0; level < 3; level++) {
    POMP_Parameter_int(\"level\", level - 1);
    work(1000);
  }
  POMP_Parameter_string(\"phase\", PHASE);
  work(1000);
  POMP_Parameter_uint(\"size\", 1ul << 63);
#pragma omp parallel num_threads(2)
  {
    POMP_Parameter_string(\"phase\", \"team\");
    work(1000);
  }
  return 0;
}
";

const FORTRAN: &str = "program values
  use omp_lib
  implicit none
  integer(8) :: level
  integer :: i, total
  total = 0
  do level = 1, 2
    call pomp_parameter_int('level', level)
    call pomp_parameter_string('phase', 'loop  ')
    call work(total)
  end do
  call pomp_off()
  call work(total)
  call pomp_on()
  call work(total)
  !$omp parallel do reduction(+:total) num_threads(2)
  do i = 1, 10
    total = total + i
  end do
contains
  subroutine work(total)
    integer, intent(inout) :: total
    total = total + 1
  end subroutine
end program
";

/// Visits by call path.
fn call_paths(sandbox: &Sandbox) -> String {
    let report = sandbox.succeeds("report exp --json").output;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["sum_error"], Value::Null);
    let paths = report["call_paths"].as_array().unwrap();
    let mut text = String::new();
    for path in paths {
        let region = &report["regions"][path["region"].as_u64().unwrap() as usize];
        let mut depth = 0;
        let mut at = path;
        while let Some(parent) = at["parent"].as_u64() {
            (at, depth) = (&paths[parent as usize], depth + 1);
        }
        let (name, visits) = (region["name"].as_str().unwrap(), &path["visits"]);
        text += &format!("{:1$}{name} x{visits}\n", "", 2 * depth);
    }
    text
}

/// What is measured of a program.
fn measured(source: &str, text: &str, compiler: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.file(source, text);
    let flags = sandbox.succeeds("config --cflags").output;
    let compile =
        format!("compile --strict -q --functions -- {compiler} -fopenmp {source} -o prog {flags}");
    sandbox.succeeds(&compile);
    sandbox.succeeds("run -q --trace -o exp -- ./prog");
    call_paths(&sandbox)
}

#[test]
fn values_are_parts_of_call_paths_in_c_and_cpp() {
    let found = measured("values.c", C, "gcc -O0");
    expect![[r#"
        prog x1
          main x1
            level=-1 x1
              work x1
            level=0 x1
              work x1
            level=1 x1
              work x1
              phase=team x1
                work x1
                size=9223372036854775808 x1
                  !$omp parallel @values.c:18 x2
                    phase=team x2
                      work x2
                    !$omp implicit barrier @values.c:22 x2
    "#]]
    .assert_eq(&found);
    assert_eq!(measured("values.cpp", C, "g++ -O0").replace(".cpp", ".c"), found);
}

#[test]
fn values_and_switches_in_fortran() {
    let found = measured("values.f90", FORTRAN, "gfortran -O0");
    expect![[r#"
        prog x1
          values x1
            level=1 x1
              phase=loop x1
                values::work x1
            level=2 x1
              phase=loop x1
                values::work x2
                MEASUREMENT OFF x1
                !$omp parallel @values.f90:16 x2
                  !$omp do @values.f90:16 x2
                    !$omp implicit barrier @values.f90:19 x2
                  !$omp implicit barrier @values.f90:19 x2
    "#]]
    .assert_eq(&found);
}
