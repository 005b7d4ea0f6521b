//! Holds the sequence of POMP calls of every construct against the tables of the POMP paper and its
//! continuation for what OpenMP has got since: small parts, compiled and run with one thread and a
//! library that writes down each call.
//!
//! Needs gcc, g++, clang-19 and clang++-19: runs only with `POMPEII_ORACLES` set.

use expect_test::{Expect, expect};
use pompeii_instrument::{Language, Options, instrument};
use pompeii_testing::oracles;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directive, perhaps several, with what they are about.
type Part = &'static str;

/// The four C and C++ compilers give the same sequence for each part.
const SAME_EVERYWHERE: &[Part] = &[
    "parallel\n;",
    "parallel if(0) num_threads(1)\n;",
    "parallel\n#pragma omp for\nLOOP;",
    "parallel\n#pragma omp for nowait\nLOOP;",
    "parallel\n#pragma omp for reduction(task, + : s)\nLOOP;",
    "parallel\n#pragma omp for simd\nLOOP;",
    "parallel\n#pragma omp for order(concurrent)\nLOOP;",
    "parallel\n#pragma omp sections\n{\n#pragma omp section\n;\n#pragma omp section\n;\n}",
    "parallel\n#pragma omp sections\n{\n;\n#pragma omp section\n;\n}",
    "parallel\n#pragma omp single\n;",
    "parallel\n#pragma omp single nowait\n;",
    "parallel private(s)\n#pragma omp single copyprivate(s)\ns = 0;",
    "parallel\n#pragma omp master\n;",
    "parallel\n#pragma omp masked\n;",
    "parallel\n#pragma omp critical\n;",
    "parallel\n#pragma omp critical(name)\n;",
    "parallel\n{\n#pragma omp barrier\n}",
    "atomic\ns++;",
    "atomic capture\n{ s++; t = s; }",
    "flush\n",
    "flush(s)\n",
    "parallel\n#pragma omp for ordered\nLOOP\n#pragma omp ordered\n;",
    "parallel\n#pragma omp for ordered(1)\nLOOP {\n#pragma omp ordered depend(sink : i - 1)\n\
     #pragma omp ordered depend(source)\n}",
    "parallel\n#pragma omp for simd\nLOOP {\n#pragma omp ordered simd\n;\n}",
    "parallel\n#pragma omp loop bind(parallel)\nLOOP;",
    "parallel for\nLOOP;",
    "parallel for simd\nLOOP;",
    "parallel for reduction(inscan, + : s)\nLOOP {\ns++;\n#pragma omp scan inclusive(s)\n;\n}",
    "parallel sections\n{\n#pragma omp section\n;\n}",
    "parallel master\n;",
    "parallel masked\n;",
    "parallel loop\nLOOP;",
    "parallel\n{\n#pragma omp cancel parallel if(0)\n}",
    "parallel\n#pragma omp for\nLOOP {\n#pragma omp cancel for\n}",
    "parallel\n#pragma omp for\nLOOP {\n#pragma omp cancellation point for\n}",
    "parallel\n#pragma omp sections\n{\n#pragma omp section\n{\n#pragma omp cancel sections\n}\n}",
    "task if(0)\n;",
    "taskwait\n",
    "taskyield\n",
    "taskgroup\n;",
    "taskloop simd\nLOOP;",
    "teams num_teams(1)\n;",
    "teams num_teams(1)\n#pragma omp distribute\nLOOP;",
    "teams distribute num_teams(1)\nLOOP;",
    "teams distribute parallel for num_teams(1)\nLOOP;",
    "teams distribute parallel for simd num_teams(1)\nLOOP;",
    "teams loop num_teams(1)\nLOOP;",
    "target\n;",
    "target parallel for\nLOOP;",
    "target teams distribute parallel for\nLOOP;",
    "target data map(s)\n{\n#pragma omp target update to(s)\n}",
    "target enter data map(to : s)\n#pragma omp target exit data map(from : s)\n",
    "simd\nLOOP;",
    "unroll\nLOOP;",
    "tile sizes(2)\nLOOP;",
    "metadirective when(user = {condition(1)} : nothing)\n;",
    "inst init\n#pragma omp inst off\n#pragma omp inst on\n#pragma omp inst finalize\n",
    "inst begin(name)\n#pragma pomp inst end(name)\n",
    "inst begin(name, s)\n#pragma pomp inst altend(name)\n#pragma omp inst end(name, s)\n",
];

/// Where tasks are executed is for each OpenMP runtime to say.
const TASKS: &[Part] = &[
    "parallel\n#pragma omp task untied\n{\n#pragma omp taskwait\n#pragma omp taskyield\n}",
    "parallel\n{\n#pragma omp task\n;\n#pragma omp taskwait\n}",
    "parallel\n#pragma omp taskgroup\n#pragma omp task\n;",
    "parallel\n#pragma omp taskloop num_tasks(2)\nLOOP if (i) continue;",
    "parallel master taskloop num_tasks(1)\nLOOP;",
    "parallel master taskloop simd\nLOOP;",
    "parallel\n#pragma omp master taskloop num_tasks(1)\nLOOP;",
    "parallel masked taskloop num_tasks(1)\nLOOP;",
    "parallel\n#pragma omp taskgroup\n#pragma omp task\n{\n#pragma omp cancel taskgroup\n}",
];

/// What clang 19 does not compile.
const FOR_GCC: &[Part] =
    &["parallel\n#pragma omp scope\n;", "parallel\n#pragma omp scope nowait\n;"];

/// Builds and runs a program of all parts; its output, a line per part.
fn sequences(compiler: &str, parts: &[Part], loop_chunks: bool) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("oracle_sequences");
    fs::create_dir_all(&folder).unwrap();
    let cxx = compiler.contains("++");
    let name = format!("{compiler}.{}.{}", parts.len(), if cxx { "cpp" } else { "c" });
    let language = if cxx { Language::Cxx } else { Language::C };
    let options = Options { loop_chunks, ..Options::new(&name, language) };
    let outcome = instrument(program(parts).as_bytes(), &options).unwrap();
    fs::write(folder.join(&name), outcome.text).unwrap();
    let log = folder.join(format!("{name}.log.o"));
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stub/pomp_log.c");
    run(Command::new("gcc").arg("-c").arg(stub).arg("-o").arg(&log));
    let binary = folder.join(format!("{name}.exe"));
    let mut command = Command::new(compiler);
    command
        .args(["-fopenmp", "-w"])
        .arg(folder.join(&name))
        .arg(log)
        .arg("-lm")
        .arg("-o")
        .arg(&binary);
    run(&mut command);
    let mut command = Command::new(binary);
    let output = run(command.env("OMP_NUM_THREADS", "1").env("OMP_CANCELLATION", "true"));
    output.trim_start().to_owned() + "\n"
}

fn program(parts: &[Part]) -> String {
    let mut text =
        "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid log_part(const char *);\n".to_owned();
    let mut main = String::new();
    for (index, part) in parts.iter().enumerate() {
        let (loops, part) = ("for (int i = 0; i < 2; i++)", *part);
        let part = part.replace("LOOP", loops);
        let _ = writeln!(text, "static void part{index}(int s, int t) {{\n#pragma omp {part}\n}}");
        let name = part.replace("\n#pragma omp ", " / ").replace("\n#pragma pomp ", " / ");
        let name = name.replace(loops, "").replace(['\n', ';'], " ");
        let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(main, "log_part(\"{name}\"); part{index}(0, 0);");
    }
    text + "int main(void) {\n" + &main + "return 0;\n}\n"
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn check(compilers: &[&str], parts: &[Part], loop_chunks: bool, expected: &Expect) {
    if !oracles() {
        return;
    }
    let first = sequences(compilers[0], parts, loop_chunks);
    expected.assert_eq(&first);
    for compiler in &compilers[1..] {
        assert_eq!(sequences(compiler, parts, loop_chunks), first, "{compiler}");
    }
}

#[test]
fn of_every_construct() {
    check(
        &["gcc", "g++", "clang-19", "clang++-19"],
        SAME_EVERYWHERE,
        false,
        &expect![[r#"
        parallel: Parallel_fork=1 Parallel_begin=1 Parallel_end=1 Parallel_join=1
        parallel if(0) num_threads(1): Parallel_fork=1 Parallel_begin=1 Parallel_end=1 Parallel_join=1
        parallel / for: Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / for nowait: Parallel_fork=1 Parallel_begin=1 For_enter For_exit Parallel_end=1 Parallel_join=1
        parallel / for reduction(task, + : s): Parallel_fork=1 Parallel_begin=1 For_enter For_exit Parallel_end=1 Parallel_join=1
        parallel / for simd: Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / for order(concurrent): Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / sections { / section / section }: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Section_begin Section_end Barrier_enter Barrier_exit Sections_exit Parallel_end=1 Parallel_join=1
        parallel / sections { / section }: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Section_begin Section_end Barrier_enter Barrier_exit Sections_exit Parallel_end=1 Parallel_join=1
        parallel / single: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Barrier_enter Barrier_exit Single_exit Parallel_end=1 Parallel_join=1
        parallel / single nowait: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Single_exit Parallel_end=1 Parallel_join=1
        parallel private(s) / single copyprivate(s) s = 0: Parallel_fork=1 Parallel_begin=1 Single_enter Single_begin Single_end Single_exit Parallel_end=1 Parallel_join=1
        parallel / master: Parallel_fork=1 Parallel_begin=1 Master_begin Master_end Parallel_end=1 Parallel_join=1
        parallel / masked: Parallel_fork=1 Parallel_begin=1 Masked_begin Masked_end Parallel_end=1 Parallel_join=1
        parallel / critical: Parallel_fork=1 Parallel_begin=1 Critical_enter Critical_begin Critical_end Critical_exit Parallel_end=1 Parallel_join=1
        parallel / critical(name): Parallel_fork=1 Parallel_begin=1 Critical_enter Critical_begin Critical_end Critical_exit Parallel_end=1 Parallel_join=1
        parallel { / barrier }: Parallel_fork=1 Parallel_begin=1 Barrier_enter Barrier_exit Parallel_end=1 Parallel_join=1
        atomic s++: Atomic_enter Atomic_exit
        atomic capture { s++ t = s }: Atomic_enter Atomic_exit
        flush: Flush_enter Flush_exit
        flush(s): Flush_enter Flush_exit
        parallel / for ordered / ordered: Parallel_fork=1 Parallel_begin=1 For_enter Ordered_enter Ordered_begin Ordered_end Ordered_exit Ordered_enter Ordered_begin Ordered_end Ordered_exit Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / for ordered(1) { / ordered depend(sink : i - 1) / ordered depend(source) }: Parallel_fork=1 Parallel_begin=1 For_enter Ordered_enter Ordered_exit Ordered_enter Ordered_exit Ordered_enter Ordered_exit Ordered_enter Ordered_exit Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / for simd { / ordered simd }: Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel / loop bind(parallel): Parallel_fork=1 Parallel_begin=1 Loop_enter Loop_exit Parallel_end=1 Parallel_join=1
        parallel for: Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel for simd: Parallel_fork=1 Parallel_begin=1 For_enter Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
        parallel for reduction(inscan, + : s) { s++ / scan inclusive(s) }: Parallel_fork=1 Parallel_join=1
        parallel sections { / section }: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Section_end Barrier_enter Barrier_exit Sections_exit Parallel_end=1 Parallel_join=1
        parallel master: Parallel_fork=1 Parallel_begin=1 Master_begin Master_end Parallel_end=1 Parallel_join=1
        parallel masked: Parallel_fork=1 Parallel_begin=1 Masked_begin Masked_end Parallel_end=1 Parallel_join=1
        parallel loop: Parallel_fork=1 Parallel_begin=1 Loop_enter Loop_exit Parallel_end=1 Parallel_join=1
        parallel { / cancel parallel if(0) }: Parallel_fork=1 Parallel_begin=1 Cancel Parallel_end=1 Parallel_join=1
        parallel / for { / cancel for }: Parallel_fork=1 Parallel_begin=1 For_enter Cancel For_exit Parallel_end=1 Parallel_join=1
        parallel / for { / cancellation point for }: Parallel_fork=1 Parallel_begin=1 For_enter Cancellation_point Cancellation_point For_exit Parallel_end=1 Parallel_join=1
        parallel / sections { / section { / cancel sections } }: Parallel_fork=1 Parallel_begin=1 Sections_enter Section_begin Cancel Section_end Sections_exit Parallel_end=1 Parallel_join=1
        task if(0): Task_create_begin=1 Task_begin=1 Task_end=1 Task_create_end=1
        taskwait: Taskwait_enter Taskwait_exit
        taskyield: Taskyield_enter Taskyield_exit
        taskgroup: Taskgroup_enter Taskgroup_begin Taskgroup_end Taskgroup_exit
        taskloop simd: Taskloop_enter=1 Taskloop_exit=1
        teams num_teams(1): Teams_enter Teams_exit
        teams num_teams(1) / distribute: Teams_enter Distribute_enter Distribute_exit Teams_exit
        teams distribute num_teams(1): Teams_enter Teams_exit
        teams distribute parallel for num_teams(1): Teams_enter Teams_exit
        teams distribute parallel for simd num_teams(1): Teams_enter Teams_exit
        teams loop num_teams(1): Teams_enter Teams_exit
        target: Target_enter Target_exit
        target parallel for: Target_enter Target_exit
        target teams distribute parallel for: Target_enter Target_exit
        target data map(s) { / target update to(s) }: Target_enter Target_enter Target_exit Target_exit
        target enter data map(to : s) / target exit data map(from : s): Target_enter Target_exit Target_enter Target_exit
        simd:
        unroll:
        tile sizes(2):
        metadirective when(user = {condition(1)} : nothing):
        inst init / inst off / inst on / inst finalize: Init Off On Finalize
        inst begin(name) / inst end(name): Begin(name) End(name)
        inst begin(name, s) / inst altend(name) / inst end(name, s): Begin(name)+ End(name) End(name)+
    "#]],
    );
}

#[test]
fn of_tasks_by_gcc() {
    check(
        &["gcc", "g++"],
        TASKS,
        false,
        &expect![[r#"
            parallel / task untied { / taskwait / taskyield }: Parallel_fork=1 Parallel_begin=1 Task_create_begin=1 Task_create_end=1 Parallel_end=1 Task_begin=1 Taskwait_enter Task_resume=1 Taskwait_exit Taskyield_enter Task_resume=1 Taskyield_exit Task_end=1 Parallel_join=1
            parallel { / task / taskwait }: Parallel_fork=1 Parallel_begin=1 Task_create_begin=1 Task_create_end=1 Taskwait_enter Task_begin=1 Task_end=1 Taskwait_exit Parallel_end=1 Parallel_join=1
            parallel / taskgroup / task: Parallel_fork=1 Parallel_begin=1 Taskgroup_enter Taskgroup_begin Task_create_begin=1 Task_create_end=1 Taskgroup_end Task_begin=1 Task_end=1 Taskgroup_exit Parallel_end=1 Parallel_join=1
            parallel / taskloop num_tasks(2) if (i) continue: Parallel_fork=1 Parallel_begin=1 Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,0 Taskloop_end=3 Taskloop_exit=1 Parallel_end=1 Parallel_join=1
            parallel master taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel master taskloop simd: Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel / master taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel masked taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Masked_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Masked_end Parallel_end=1 Parallel_join=1
            parallel / taskgroup / task { / cancel taskgroup }: Parallel_fork=1 Parallel_begin=1 Taskgroup_enter Taskgroup_begin Task_create_begin=1 Task_create_end=1 Taskgroup_end Task_begin=1 Cancel Task_end=1 Taskgroup_exit Parallel_end=1 Parallel_join=1
        "#]],
    );
}

#[test]
fn of_tasks_by_clang() {
    check(
        &["clang-19", "clang++-19"],
        TASKS,
        false,
        &expect![[r#"
            parallel / task untied { / taskwait / taskyield }: Parallel_fork=1 Parallel_begin=1 Task_create_begin=1 Task_begin=1 Taskwait_enter Task_resume=1 Taskwait_exit Taskyield_enter Task_resume=1 Taskyield_exit Task_end=1 Task_create_end=1 Parallel_end=1 Parallel_join=1
            parallel { / task / taskwait }: Parallel_fork=1 Parallel_begin=1 Task_create_begin=1 Task_begin=1 Task_end=1 Task_create_end=1 Taskwait_enter Taskwait_exit Parallel_end=1 Parallel_join=1
            parallel / taskgroup / task: Parallel_fork=1 Parallel_begin=1 Taskgroup_enter Taskgroup_begin Task_create_begin=1 Task_begin=1 Task_end=1 Task_create_end=1 Taskgroup_end Taskgroup_exit Parallel_end=1 Parallel_join=1
            parallel / taskloop num_tasks(2) if (i) continue: Parallel_fork=1 Parallel_begin=1 Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,0 Taskloop_end=3 Taskloop_exit=1 Parallel_end=1 Parallel_join=1
            parallel master taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel master taskloop simd: Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel / master taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Master_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Master_end Parallel_end=1 Parallel_join=1
            parallel masked taskloop num_tasks(1): Parallel_fork=1 Parallel_begin=1 Masked_begin Taskloop_enter=1 Taskloop_begin=1,0 Taskloop_end=2 Taskloop_begin=1,2 Taskloop_end=2 Taskloop_exit=1 Masked_end Parallel_end=1 Parallel_join=1
            parallel / taskgroup / task { / cancel taskgroup }: Parallel_fork=1 Parallel_begin=1 Taskgroup_enter Taskgroup_begin Task_create_begin=1 Task_begin=1 Cancel Task_end=1 Task_create_end=1 Taskgroup_end Taskgroup_exit Parallel_end=1 Parallel_join=1
        "#]],
    );
}

#[test]
fn of_scopes() {
    check(
        &["gcc", "g++"],
        FOR_GCC,
        false,
        &expect![[r#"
        parallel / scope: Parallel_fork=1 Parallel_begin=1 Scope_enter Scope_begin Scope_end Barrier_enter Barrier_exit Scope_exit Parallel_end=1 Parallel_join=1
        parallel / scope nowait: Parallel_fork=1 Parallel_begin=1 Scope_enter Scope_begin Scope_end Scope_exit Parallel_end=1 Parallel_join=1
    "#]],
    );
}

#[test]
fn of_chunks() {
    let parts = &["parallel for schedule(static, 1)\nLOOP if (i) continue;"];
    check(
        &["gcc", "g++", "clang-19", "clang++-19"],
        parts,
        true,
        &expect![[r#"
        parallel for schedule(static, 1) if (i) continue: Parallel_fork=1 Parallel_begin=1 For_enter Iteration_begin=0,1 Iteration_end Iteration_begin=1,1 Iteration_end Barrier_enter Barrier_exit For_exit Parallel_end=1 Parallel_join=1
    "#]],
    );
}
