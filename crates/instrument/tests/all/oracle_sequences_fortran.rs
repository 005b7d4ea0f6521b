//! Holds the sequence of POMP calls of every construct of Fortran against the tables of the POMP
//! paper and its continuation: small parts, compiled by gfortran and run with one thread and a
//! library that writes down each call.
//!
//! Needs gcc and gfortran: runs only with `POMPEII_ORACLES` set.

use expect_test::expect;
use pompeii_instrument::{Language, Options, instrument};
use pompeii_testing::oracles;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Directives with what they are about; `LOOP` is the head of a loop of two iterations.
const PARTS: &[&str] = &[
    "!$omp parallel\n!$omp end parallel",
    "!$omp parallel\n!$omp do\nLOOP\nend do\n!$omp end parallel",
    "!$omp parallel\n!$omp do\nLOOP\nend do\n!$omp end do nowait\n!$omp end parallel",
    "!$omp parallel\n!$omp sections\ns = 1\n!$omp section\n!$omp end sections\n!$omp end parallel",
    "!$omp parallel\n!$omp single\n!$omp end single\n!$omp end parallel",
    "!$omp parallel private(s)\n!$omp single\ns = 1\n!$omp end single copyprivate(s)\n\
     !$omp end parallel",
    "!$omp parallel\n!$omp workshare\ns = 1\n!$omp end workshare\n!$omp end parallel",
    "!$omp parallel\n!$omp scope\n!$omp end scope\n!$omp end parallel",
    "!$omp parallel\n!$omp single\n!$omp end single nowait\n!$omp end parallel",
    "!$omp parallel\n!$omp sections\n!$omp section\n!$omp end sections nowait\n\
     !$omp end parallel",
    "!$omp parallel\n!$omp workshare\ns = 1\n!$omp end workshare nowait\n!$omp end parallel",
    "!$omp parallel\n!$omp master\n!$omp end master\n!$omp end parallel",
    "!$omp parallel\n!$omp masked\n!$omp end masked\n!$omp end parallel",
    "!$omp parallel\n!$omp critical\n!$omp end critical\n!$omp barrier\n!$omp end parallel",
    "!$omp parallel do ordered\nLOOP\n!$omp ordered\n!$omp end ordered\nend do",
    "!$omp parallel do ordered(1)\nLOOP\n!$omp ordered depend(sink:i-1)\n\
     !$omp ordered depend(source)\nend do",
    "!$omp parallel do simd\nLOOP\nend do",
    "!$omp parallel sections\n!$omp section\n!$omp end parallel sections",
    // What the preprocessor takes out of a directive keeps it whole.
    "!$omp parallel sections &\n#ifdef A\n!$omp& private(t) &\n#endif\n!$omp& private(s)\ns = 1\n\
     !$omp section\n!$omp end parallel sections",
    "!$omp parallel workshare\ns = 1\n!$omp end parallel workshare",
    "!$omp parallel master\n!$omp end parallel master",
    "!$omp parallel do\nLOOP\n!$omp cancel do\nend do",
    "!$omp parallel do reduction(inscan, +:s)\nLOOP\ns = s + 1\n!$omp scan inclusive(s)\nt = s\n\
     end do",
    "!$omp atomic\ns = s + 1",
    "!$omp flush",
    "!$omp task if(.false.)\n!$omp end task\n!$omp taskwait\n!$omp taskyield",
    "!$omp taskgroup\n!$omp end taskgroup",
    "!$omp taskloop num_tasks(1)\nLOOP\nif (i == 1) cycle\nend do",
    "!$omp taskloop simd\nLOOP\nend do",
    "!$omp parallel masked taskloop num_tasks(1)\nLOOP\nend do",
    "!$omp teams num_teams(1)\n!$omp distribute\nLOOP\nend do\n!$omp end teams",
    "!$omp target data map(s)\n!$omp target update to(s)\n!$omp end target data",
    "!$omp target\ns = 1\n!$omp end target",
    "!$pomp inst begin(name, s)\n!$pomp inst end(name, s)\n!$pomp inst begin(other)\n\
     !$pomp inst end(other)",
    "!$omp metadirective when(user={condition(.true.)}: barrier)",
    "!$omp begin metadirective when(user={condition(.true.)}: parallel)\n\
     !$omp metadirective when(device={kind(gpu)}: single) default(do)\nLOOP\nend do\n\
     !$omp end metadirective",
    "!$omp metadirective when(user={condition(.true.)}: parallel do)\nLOOP\nend do",
];

#[test]
fn of_every_construct() {
    if !oracles() {
        return;
    }
    expect![[r#"
        parallel: Parallel_fork=1 Parallel_begin=1 Parallel_end=1 Parallel_join=1
        parallel / do: Parallel_fork=1 Parallel_begin=1 Do_enter Barrier_enter Barrier_exit Do_exit Parallel_end=1 Parallel_join=1
        parallel / do: Parallel_fork=1 Parallel_begin=1 Do_enter Do_exit Parallel_end=1 Parallel_join=1
        parallel / sections / section: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Section_begin Section_end Barrier_enter Barrier_exit Sections_exit Parallel_end=1 Parallel_join=1
        parallel / single: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Barrier_enter Barrier_exit Single_exit Parallel_end=1 Parallel_join=1
        parallel private(s) / single: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Single_exit Parallel_end=1 Parallel_join=1
        parallel / workshare: Parallel_fork=1 Parallel_begin=1 Workshare_enter Barrier_enter Barrier_exit Workshare_exit Parallel_end=1 Parallel_join=1
        parallel / scope: Parallel_fork=1 Parallel_begin=1 Scope_enter Scope_begin Scope_end Barrier_enter Barrier_exit Scope_exit Parallel_end=1 Parallel_join=1
        parallel / single: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Single_exit Parallel_end=1 Parallel_join=1
        parallel / sections / section: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Sections_exit Parallel_end=1 Parallel_join=1
        parallel / workshare: Parallel_fork=1 Parallel_begin=1 Workshare_enter Workshare_exit Parallel_end=1 Parallel_join=1
        parallel / master: Parallel_fork=1 Parallel_begin=1 Master_begin Master_end Parallel_end=1 Parallel_join=1
        parallel / masked: Parallel_fork=1 Parallel_begin=1 Masked_begin Masked_end Parallel_end=1 Parallel_join=1
        parallel / critical / barrier: Parallel_fork=1 Parallel_begin=1 Critical_enter Critical_begin Critical_end Critical_exit Barrier_enter Barrier_exit Parallel_end=1 Parallel_join=1
        parallel do ordered / ordered: Parallel_fork=1 Parallel_begin=1 Do_enter Ordered_enter Ordered_begin Ordered_end Ordered_exit Ordered_enter Ordered_begin Ordered_end Ordered_exit Barrier_enter Barrier_exit Do_exit Parallel_end=1 Parallel_join=1
        parallel do ordered(1) / ordered depend(sink:i-1) / ordered depend(source): Parallel_fork=1 Parallel_begin=1 Do_enter Ordered_enter Ordered_exit Ordered_enter Ordered_exit Ordered_enter Ordered_exit Ordered_enter Ordered_exit Barrier_enter Barrier_exit Do_exit Parallel_end=1 Parallel_join=1
        parallel do simd: Parallel_fork=1 Parallel_begin=1 Do_enter Barrier_enter Barrier_exit Do_exit Parallel_end=1 Parallel_join=1
        parallel sections / section: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Barrier_enter Barrier_exit Sections_exit Parallel_end=1 Parallel_join=1
        parallel sections & / section: Parallel_fork=1 Sections_enter Section_begin Section_end Section_begin Section_end Sections_exit Parallel_join=1
        parallel workshare: Parallel_fork=1 Parallel_begin=1 Workshare_enter Barrier_enter Barrier_exit Workshare_exit Parallel_end=1 Parallel_join=1
        parallel master: Parallel_fork=1 Parallel_begin=1 Master_begin Master_end Parallel_end=1 Parallel_join=1
        parallel do / cancel do: Parallel_fork=1 Parallel_begin=1 Do_enter Cancel Do_exit Parallel_end=1 Parallel_join=1
        parallel do reduction(inscan, +:s) / scan inclusive(s): Parallel_fork=1 Parallel_join=1
        atomic: Atomic_enter Atomic_exit
        flush: Flush_enter Flush_exit
        task if(.false.) / taskwait / taskyield: Task_create_begin=1 Task_begin=1 Task_end=1 Task_create_end=1 Taskwait_enter Taskwait_exit Taskyield_enter Taskyield_exit
        taskgroup: Taskgroup_enter Taskgroup_begin Taskgroup_end Taskgroup_exit
        taskloop num_tasks(1): Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1
        taskloop simd: Taskloop_enter=1 Taskloop_exit=1
        parallel masked taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Masked_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Masked_end Parallel_end=1 Parallel_join=1
        teams num_teams(1) / distribute: Teams_enter Distribute_enter Distribute_exit Teams_exit
        target data map(s) / target update to(s): Target_enter Target_enter Target_exit Target_exit
        target: Target_enter Target_exit
        inst begin(name, s) / inst end(name, s) / inst begin(other) / inst end(other): Begin(name)+ End(name)+ Begin(other) End(other)
        metadirective when(user={condition(.true.)}: barrier): Barrier_enter Barrier_exit
        begin metadirective when(user={condition(.true.)}: parallel) / metadirective when(device={kind(gpu)}: single) default(do): Parallel_fork=1 Parallel_begin=1 Do_enter Do_exit Parallel_end=1 Parallel_join=1
        metadirective when(user={condition(.true.)}: parallel do): Parallel_fork=1 Parallel_join=1
    "#]].assert_eq(&sequences());
}

fn sequences() -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sequences_fortran");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("parts.F90");
    let options = Options::new("parts.F90", Language::FortranFree);
    let text = String::from_utf8(instrument(program().as_bytes(), &options).unwrap().text);
    std::fs::write(&path, without_metadirectives(&text.unwrap())).unwrap();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stub/pomp_log.c");
    let (object, binary) = (folder.join("log.o"), folder.join("parts"));
    run(Command::new("gcc").args(["-c", "-o"]).arg(&object).arg(log));
    let mut compiler = Command::new("gfortran");
    compiler.args(["-fopenmp", "-ffree-line-length-none"]);
    run(compiler.arg(path).arg(object).arg("-o").arg(&binary));
    let mut command = Command::new(binary);
    let output = run(command.env("OMP_NUM_THREADS", "1").env("OMP_CANCELLATION", "true"));
    output.trim_start().to_owned() + "\n"
}

/// gfortran before 15 refuses metadirectives. With one thread, the calls are the same without them.
fn without_metadirectives(text: &str) -> String {
    let (mut output, mut inside) = (String::new(), false);
    for line in text.lines() {
        let begins = line.starts_with("!$omp") && line.contains("metadirective");
        if begins || inside && !line.starts_with('#') {
            inside = line.ends_with('&');
        } else {
            let _ = writeln!(output, "{line}");
        }
    }
    output
}

fn program() -> String {
    let (mut calls, mut parts) = (String::new(), String::new());
    for (index, part) in PARTS.iter().enumerate() {
        let directives =
            part.lines().filter_map(|line| line.split_once("omp ").map(|(_, rest)| rest));
        let name: Vec<&str> = directives.filter(|name| !name.starts_with("end ")).collect();
        let _ = writeln!(
            calls,
            "call log_part('{}'//char(0)); call part{index}(0, 0)",
            name.join(" / ")
        );
        let part = part.replace("LOOP", "do i = 1, 2");
        let _ = writeln!(
            parts,
            "subroutine part{index}(x, y)\ninteger, value :: x, y\ninteger :: i, s, t\ns = x\nt = y\n\
             {part}\nend subroutine"
        );
    }
    format!(
        "program all\ninterface\nsubroutine log_part(name) bind(C)\nuse iso_c_binding\n\
         character(kind=c_char) :: name(*)\nend subroutine\nend interface\n{calls}contains\n\
         {parts}end program\n"
    )
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}
