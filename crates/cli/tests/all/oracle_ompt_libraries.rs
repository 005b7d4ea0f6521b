//! `run` observes programs of clang with other libraries than the installed one, LLVM's of version
//! 14 and Intel's, and programs of flang. Libraries and compiler are those that `cargo xtask setup`
//! has put aside; without them nothing is tested, and a line says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use pompeii_testing::oracles;

use crate::common::{Ended, Sandbox};
use crate::unmodified::{CONSTRUCTS, alone, visits};

/// A folder of `target/openmp`, if it is there.
fn aside(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../openmp").join(folder);
    let found = path.canonicalize().ok().filter(|_| oracles());
    if found.is_none() {
        println!("not tested: no {}", path.display());
    }
    found
}

fn succeeds(command: &mut Command, sandbox: &Sandbox) {
    assert!(command.current_dir(sandbox.path("")).status().unwrap().success(), "{command:?}");
}

/// Visits by kind of `program`, observed with the libraries of a folder. Its output and exit code
/// are those without Pompeii.
fn observed(sandbox: &Sandbox, program: &str, libraries: &Path) -> BTreeMap<String, u64> {
    let environment = [("LD_LIBRARY_PATH", libraries.to_str().unwrap())];
    let expected = alone(sandbox, program, &environment);
    for kind in ["--trace", ""] {
        let words = format!("run -q {kind} --replace -o exp -- ./{program}");
        let mut command = sandbox.command(&words);
        let ended = Ended::of(command.envs(environment).output().unwrap());
        assert_eq!((ended.code, &ended.output), (expected.code, &expected.output), "{kind}");
        ended.says("is not instrumented: its OpenMP library reports its constructs");
    }
    visits(sandbox)
}

/// Visits by kind of [`CONSTRUCTS`] with the installed library.
fn with_the_installed_library(sandbox: &Sandbox) -> BTreeMap<String, u64> {
    let options = ["-g", "-O0", "-fopenmp", "plain.c", "-o", "plain"];
    succeeds(Command::new("clang-19").args(options), sandbox);
    assert_eq!(sandbox.pompeii("run -q --replace -o exp -- ./plain").code, Some(3));
    visits(sandbox)
}

/// What version 14 does not have. Version 19 calls it at the end of a loop whose parts it asks for.
const MISSING: &str = "void __kmpc_dispatch_deinit(void *place, int thread) {
  (void)place;
  (void)thread;
}
";

#[test]
fn an_older_library_of_llvm_reports_the_same() {
    let Some(libraries) = aside("llvm14/usr/lib/llvm-14/lib") else { return };
    let sandbox = Sandbox::new();
    sandbox.file("plain.c", CONSTRUCTS);
    sandbox.file("missing.c", MISSING);
    let options = ["-g", "-O0", "-fopenmp", "plain.c", "missing.c", "-o", "old"];
    succeeds(Command::new("clang-19").args(options), &sandbox);
    let old = observed(&sandbox, "old", &libraries);
    assert_eq!(old, with_the_installed_library(&sandbox));
}

#[test]
fn the_library_of_intel_reports_the_same() {
    let Some(libraries) = aside("intel") else { return };
    let sandbox = Sandbox::new();
    sandbox.file("plain.c", CONSTRUCTS);
    let mut clang = Command::new("clang-19");
    clang.args(["-g", "-O0", "-fopenmp=libiomp5", "plain.c", "-o", "intel", "-L"]);
    succeeds(clang.arg(&libraries), &sandbox);
    let intel = observed(&sandbox, "intel", &libraries);
    assert_eq!(intel, with_the_installed_library(&sandbox));
}

const FORTRAN: &str = "subroutine relax(values, n)
  integer, intent(in) :: n
  real, intent(inout) :: values(n)
  integer :: i
  !$omp parallel do schedule(dynamic, 4)
  do i = 1, n
    values(i) = values(i) + 1.0
  end do
  !$omp end parallel do
end subroutine relax

program main
  implicit none
  integer :: i, total
  real :: values(64)
  values = 0.0
  call relax(values, 64)
  total = 0
  !$omp parallel
  !$omp do
  do i = 1, 32
    values(i) = values(i) * 2.0
  end do
  !$omp end do
  !$omp critical (sum)
  total = total + 1
  !$omp end critical (sum)
  !$omp barrier
  !$omp single
  do i = 1, 10
    !$omp task firstprivate(i) shared(total)
    !$omp atomic
    total = total + 10
    !$omp end task
  end do
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  print '(I0, F8.1)', total, sum(values)
end program main
";

/// A program of gfortran whose constructs are instrumented has the same visits.
#[test]
fn programs_of_flang_are_observed() {
    let Some(flang) = aside("flang/usr/lib/llvm-19/bin/flang-new") else { return };
    let sandbox = Sandbox::new();
    sandbox.file("plain.f90", FORTRAN);
    let mut compile = Command::new(flang);
    compile.args(["-fopenmp", "-g", "plain.f90", "-o", "plain", "-L/usr/lib/llvm-19/lib"]);
    succeeds(&mut compile, &sandbox);
    let mut plain = observed(&sandbox, "plain", Path::new("/usr/lib/llvm-19/lib"));
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("main") && report.contains("relax"), "{report}");
    sandbox.succeeds("compile -q -- gfortran -fopenmp plain.f90 -o instrumented");
    sandbox.succeeds("run -q --replace -o exp -- ./instrumented");
    let instrumented = visits(&sandbox);
    // Instrumented loops of Fortran are of another kind, `do`.
    assert_eq!(plain.remove("for"), Some(4));
    assert_eq!(plain, instrumented);
    assert!(plain.len() >= 6, "{plain:?}");
}
