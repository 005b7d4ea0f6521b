//! Experiments against other people's tools: `otf2-print` and pycubexr read what a run wrote, and
//! the order of records around tasks is that of Figures 1 and 2 of the tasks paper.

use std::process::Command;

use crate::common::{Sandbox, examples, oracles, silent, with_more_time};
use expect_test::expect;

/// Thread 1 waits, so thread 0 executes its own tasks: the first inside a taskwait, the second
/// inside a barrier, the third at once because its `if` is false.
const TASKS: &str = "#include <omp.h>
static volatile int first, second, third;
static void first_task(void) { first = 1; }
static void second_task(void) { second = 1; }
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task
      first_task();
#pragma omp taskwait
#pragma omp task if (0)
      third = 1;
#pragma omp task
      second_task();
    } else {
      while (!second) continue;
    }
#pragma omp barrier
  }
  return !(first && second && third);
}
";

/// The records of thread 0, without times.
fn records(sandbox: &Sandbox, compiler: &str, options: &str) -> String {
    sandbox.file("tasks.c", TASKS);
    sandbox.succeeds(&format!("compile --strict -q -- {compiler} -O1 -fopenmp tasks.c -o tasks"));
    sandbox.succeeds(&format!("run -q --trace --replace {options} -o exp -- ./tasks"));
    let text = silent(Command::new("otf2-print").arg(sandbox.path("exp/traces.otf2")));
    let own = |line: &&str| line.split_whitespace().nth(1) == Some("0");
    let shown = text.lines().filter(own).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        format!("{} {}", words[0], words[3..].join(" "))
    });
    shown.filter(|line| !line.starts_with("THREAD_FORK")).collect::<Vec<_>>().join("\n") + "\n"
}

/// The same by either compiler; `None` where other people's tools are not wanted.
fn records_by_any(options: &str) -> Option<String> {
    if !oracles() {
        return None;
    }
    let by_gcc = records(&Sandbox::new(), "gcc", options);
    let by_clang = records(&Sandbox::new(), "clang-19", options);
    assert_eq!(by_gcc, by_clang);
    Some(by_gcc)
}

/// The lines that `longer` has more than `text`, in one place.
fn inserted(text: &str, longer: &str) -> String {
    let (text, longer): (Vec<&str>, Vec<&str>) = (text.lines().collect(), longer.lines().collect());
    let before = text.iter().zip(&longer).take_while(|(a, b)| a == b).count();
    let behind = text.len() - before;
    assert_eq!(text[before..], longer[longer.len() - behind..]);
    longer[before..longer.len() - behind].join("\n") + "\n"
}

#[test]
fn tasks_are_recorded_in_the_order_of_the_paper() {
    let Some(records) = records_by_any("") else { return };
    expect![[r#"
        PROGRAM_BEGIN Name: "tasks" <1>, 0 Arguments
        THREAD_TEAM_BEGIN Thread Team: "" <1>
        ENTER Region: "!$omp parallel @tasks.c:6" <2>
        ENTER Region: "!$omp create task @tasks.c:9" <4>
        THREAD_TASK_CREATE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 1
        LEAVE Region: "!$omp create task @tasks.c:9" <4>
        ENTER Region: "!$omp taskwait @tasks.c:11" <6>
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 1
        ENTER Region: "!$omp task @tasks.c:9" <5>
        LEAVE Region: "!$omp task @tasks.c:9" <5>
        THREAD_TASK_COMPLETE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 1
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 0
        LEAVE Region: "!$omp taskwait @tasks.c:11" <6>
        ENTER Region: "!$omp create task @tasks.c:14" <9>
        THREAD_TASK_CREATE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 3
        LEAVE Region: "!$omp create task @tasks.c:14" <9>
        ENTER Region: "!$omp barrier @tasks.c:19" <11>
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 3
        ENTER Region: "!$omp task @tasks.c:14" <10>
        LEAVE Region: "!$omp task @tasks.c:14" <10>
        THREAD_TASK_COMPLETE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 3
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 0
        LEAVE Region: "!$omp barrier @tasks.c:19" <11>
        ENTER Region: "!$omp implicit barrier @tasks.c:20" <3>
        LEAVE Region: "!$omp implicit barrier @tasks.c:20" <3>
        LEAVE Region: "!$omp parallel @tasks.c:6" <2>
        THREAD_TEAM_END Thread Team: "" <1>
        THREAD_JOIN Model: "OpenMP" <3>
        PROGRAM_END Exit status: 0
    "#]]
    .assert_eq(&records);
}

#[test]
fn an_undeferred_task_is_recorded_on_request() {
    let Some(plain) = records_by_any("") else { return };
    let Some(timed) = records_by_any("--timed-undeferred") else { return };
    expect![[r#"
        ENTER Region: "!$omp create task @tasks.c:12" <7>
        THREAD_TASK_CREATE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 2
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 2
        ENTER Region: "!$omp task @tasks.c:12" <8>
        LEAVE Region: "!$omp task @tasks.c:12" <8>
        THREAD_TASK_COMPLETE Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 2
        THREAD_TASK_SWITCH Thread Team: "" <1>, Creating Thread: 0 ("Master thread" <0>), Generation Number: 0
        LEAVE Region: "!$omp create task @tasks.c:12" <7>
    "#]].assert_eq(&inserted(&plain, &timed));
}

#[test]
fn readers_of_traces_and_reports_accept_the_examples() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let ocean = examples().join("ocean/ocean.c");
    let coarse = examples().join("kernels/coarse.c");
    for (source, arguments) in [(&ocean, "64 50"), (&coarse, "20 40")] {
        let source = source.display();
        sandbox.succeeds(&format!("compile --strict -q -- gcc -O1 -fopenmp {source} -o prog -lm"));
        sandbox.succeeds(&format!("run -q --trace --replace -o exp -- ./prog {arguments}"));
        accept(&sandbox);
    }
}

/// Resource usage is there on every machine. Metrics, the times of visits and of task instances are
/// rows of kinds that plain profiles do not have, and old records are those of another model.
#[test]
fn readers_accept_what_is_measured_on_request() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let coarse = examples().join("kernels/coarse.c");
    let source = coarse.display();
    sandbox.succeeds(&format!("compile --strict -q -- gcc -O1 -fopenmp {source} -o prog -lm"));
    let run = |options: &str| {
        sandbox.succeeds(&format!("run -q --trace --replace {options} -o exp -- ./prog 20 40"));
        silent(Command::new("otf2-print").arg(sandbox.path("exp/traces.otf2")))
    };
    let plain = run("--metrics ru_minflt,ru_utime,memory-high-water --statistics");
    accept(&sandbox);
    assert!(plain.contains("METRIC") && plain.contains("ru_utime"), "{plain}");
    let profile = sandbox.path("exp/profile.cubex");
    let read = silent(Command::new(python()).args(["-c", MEASURED]).arg(profile));
    assert_eq!(read.trim(), "good", "{read}");
    let old = run("--legacy-records");
    silent(
        Command::new("/usr/bin/python3").args(["-c", EVENTS]).arg(sandbox.path("exp/traces.otf2")),
    );
    let count = |text: &str, kind: &str| text.lines().filter(|line| line.starts_with(kind)).count();
    assert_eq!(count(&old, "THREAD_"), 0, "{old}");
    for (now, before) in [
        ("THREAD_FORK", "OMP_FORK"),
        ("THREAD_JOIN", "OMP_JOIN"),
        ("THREAD_TASK_CREATE", "OMP_TASK_CREATE"),
        ("THREAD_TASK_COMPLETE", "OMP_TASK_COMPLETE"),
    ] {
        assert!(count(&old, before) > 0, "{before}");
        assert_eq!(count(&plain, now), count(&old, before), "{before}");
    }
}

/// Values of the program's: records and definitions in the trace, call paths in the report.
#[test]
fn readers_accept_parameters() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file(
        "values.c",
        "#include <pomp.h>
int main(void) {
  POMP_Parameter_int(\"level\", -3);
  POMP_Parameter_uint(\"size\", 1ul << 63);
#pragma omp parallel num_threads(2)
  POMP_Parameter_string(\"phase\", \"setup\");
#pragma omp parallel num_threads(2)
  POMP_Parameter_string(\"phase\", \"solve\");
  return 0;
}
",
    );
    let flags = sandbox.succeeds("config --cflags").output;
    sandbox.succeeds(&format!("compile -q -- gcc -fopenmp values.c -o values {flags}"));
    sandbox.succeeds("run -q --trace -o exp -- ./values");
    accept(&sandbox);
    let trace = sandbox.path("exp/traces.otf2");
    let events = silent(Command::new("otf2-print").arg(&trace));
    let shown: Vec<String> = events
        .lines()
        .filter(|line| line.starts_with("PARAMETER"))
        .map(|line| line.split_whitespace().skip(3).collect::<Vec<_>>().join(" "))
        .collect();
    expect![[r#"
        Parameter: "level" <0>, Value: -3
        Parameter: "size" <1>, Value: 9223372036854775808
        Parameter: "phase" <2>, Value: "setup" <2>
        Parameter: "phase" <2>, Value: "setup" <2>
        Parameter: "phase" <2>, Value: "solve" <3>
        Parameter: "phase" <2>, Value: "solve" <3>"#]]
    .assert_eq(&shown.join("\n"));
    let global = silent(Command::new("otf2-print").arg("-G").arg(&trace));
    let defined: Vec<&str> = global.lines().filter(|line| line.starts_with("PARAMETER")).collect();
    expect![[r#"
        PARAMETER                              0  Name: "level" <4>, Type: INT64
        PARAMETER                              1  Name: "size" <5>, Type: UINT64
        PARAMETER                              2  Name: "phase" <6>, Type: STRING"#]]
    .assert_eq(&defined.join("\n"));
    let profile = sandbox.path("exp/profile.cubex");
    let paths = silent(Command::new(python()).args(["-c", PATHS]).arg(profile));
    expect![[r#"
        values
          level=-3
            size=9223372036854775808
              !$omp parallel @values.c:5
                phase=setup
                !$omp implicit barrier @values.c:6
              !$omp parallel @values.c:7
                phase=solve
                !$omp implicit barrier @values.c:8
    "#]]
    .assert_eq(&paths);
}

/// The names of all call paths.
const PATHS: &str = "
import sys
from pycubexr import CubexParser
def show(cnode, depth):
    print('  ' * depth + cnode.region.name)
    for child in cnode.get_children():
        show(child, depth + 1)
with CubexParser(sys.argv[1]) as cubex:
    for root in cubex.get_root_cnodes():
        show(root, 0)
";

/// Criticals that are short and many: the trace has their sums, in metric classes behind those that
/// were asked for.
const CRITICALS: &str = "int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100000; i++) {
#pragma omp critical
    sum += i;
  }
  return sum == 0;
}
";

#[test]
fn readers_accept_sums_beside_metrics() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("criticals.c", CRITICALS);
    sandbox.succeeds("compile --strict -q -- gcc -O1 -fopenmp criticals.c -o criticals");
    sandbox.succeeds(
        "run -q --trace --metrics VmHWM,ru_minflt,ru_utime,ru_stime,ru_nvcsw -o exp -- ./criticals",
    );
    accept(&sandbox);
    let global = silent(Command::new("otf2-print").arg("-G").arg(sandbox.path("exp/traces.otf2")));
    let lines = |what: &str| global.lines().filter(|line| line.starts_with(what)).count();
    assert!(lines("METRIC_CLASS ") > 3, "{global}");
    // The mark's, which each of two threads records for the process; theirs are two classes.
    assert_eq!((lines("METRIC_INSTANCE "), lines("METRIC_CLASS_RECORDER ")), (2, 4), "{global}");
    assert!(global.contains("visits of !$omp critical"), "{global}");
}

/// Counted page faults are above 0, and the visits of a call path lie between their extremes.
const MEASURED: &str = r#"
import sys, pycubexr
with pycubexr.CubexParser(sys.argv[1]) as cubex:
    root = cubex.get_root_cnodes()[0]
    def values(name):
        return cubex.get_metric_values(cubex.get_metric_by_name(name))
    def below(cnode):
        yield cnode
        for child in cnode.get_children():
            yield from below(child)
    assert sum(sum(values("ru_minflt").cnode_values(c)) for c in below(root)) > 0, "ru_minflt"
    low, high = values("min_time"), values("max_time")
    seen = 0
    # The reader cannot make up rows of these types that the file leaves out.
    for cnode in [c for c in below(root) if c.id in high.cnode_indices]:
        ends = [v.cnode_values(cnode).astype(float) for v in (low, high)]
        for least, most in zip(*ends):
            if most > 0:
                assert 0 <= least <= most, (least, most)
                seen += 1
    assert seen > 2, seen
print("good")
"#;

/// Ordered, taskloops, taskgroups, cancellation and their kin: roles that only newer constructs have.
const NEWER: &str = "#include <stdio.h>
int main(void) {
  int sum = 0, flag = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 8; i++) {
#pragma omp ordered
      sum += i;
    }
#pragma omp masked
    flag = 1;
#pragma omp flush
#pragma omp scope
    { (void)flag; }
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task
        flag = 2;
#pragma omp taskyield
      }
#pragma omp taskloop num_tasks(4)
      for (int i = 0; i < 8; i++) {
#pragma omp atomic
        sum += i;
      }
    }
#pragma omp for
    for (int i = 0; i < 8; i++) {
#pragma omp cancel for if (i > 3)
    }
  }
#pragma omp target
  flag = 3;
#pragma omp teams num_teams(1)
  { (void)flag; }
  return sum != 56;
}
";

#[test]
fn readers_of_traces_and_reports_accept_newer_constructs() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("newer.c", NEWER);
    let options = "--pomp-enable=flush --loop-chunks";
    sandbox
        .succeeds(&format!("compile --strict -q {options} -- gcc -O1 -fopenmp newer.c -o newer"));
    sandbox.succeeds("run -q --trace --replace -o exp -- ./newer");
    accept(&sandbox);
    let global = silent(Command::new("otf2-print").arg("-G").arg(sandbox.path("exp/traces.otf2")));
    for role in ["ORDERED", "ORDERED_SBLOCK", "FLUSH", "TASK_WAIT"] {
        assert!(global.contains(&format!("Role: {role},")), "{role}\n{global}");
    }
    assert!(!global.contains("INVALID"), "{global}");
    assert!(global.contains("Descr.: \"in(main) ordered schedule(static,1)\""), "{global}");
    let report = sandbox.succeeds("report --json exp").output;
    assert!(report.contains("\"clauses\": \"ordered schedule(static,1)\""), "{report}");
}

/// The interpreter that has pycubexr and jsonschema.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".into())
}

/// What a run wrote is read by the reference library's tools and reader, and by pycubexr.
fn accept(sandbox: &Sandbox) {
    let trace = sandbox.path("exp/traces.otf2");
    let events = silent(Command::new("otf2-print").arg(&trace));
    assert!(events.contains("THREAD_TEAM_BEGIN") && events.contains("LEAVE"));
    let global = silent(Command::new("otf2-print").arg("-G").arg(&trace));
    assert!(global.contains("COMM_LOCATIONS"));
    let profile = sandbox.path("exp/profile.cubex");
    let report = silent(Command::new(python()).args(["-c", SUMS]).arg(profile));
    assert_eq!(report.trim(), "good", "{report}");
    sandbox.file("schema.json", &sandbox.succeeds("report --schema").output);
    sandbox.file("report.json", &sandbox.succeeds("report exp --json").output);
    let files = [sandbox.path("schema.json"), sandbox.path("report.json")];
    silent(Command::new(python()).args(["-c", SCHEMA]).args(files));
    silent(Command::new("/usr/bin/python3").args(["-c", EVENTS]).arg(&trace));
}

/// The report is what its schema says, and has no field that the schema does not have.
const SCHEMA: &str = r#"
import json, sys, jsonschema
schema, report = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
for part in [schema, *schema["$defs"].values()]:
    part["additionalProperties"] = False
jsonschema.validate(report, schema, jsonschema.Draft202012Validator)
assert report["regions"] and report["findings"] is not None
"#;

/// The root's time on the master is the whole run, and every thread was in the parallel region.
const SUMS: &str = r#"
import sys, pycubexr
with pycubexr.CubexParser(sys.argv[1]) as cubex:
    root = cubex.get_root_cnodes()[0]
    time = cubex.get_metric_values(cubex.get_metric_by_name("time"))
    visits = cubex.get_metric_values(cubex.get_metric_by_name("visits"))
    def below(cnode):
        yield cnode
        for child in cnode.get_children():
            yield from below(child)
    names = {cubex.get_region(cnode): cnode for cnode in below(root)}
    parallel = [c for region, c in names.items() if region.name.startswith("!$omp parallel")]
    assert all(value > 0 for value in visits.cnode_values(parallel[0])), "visits"
    assert time.cnode_values(root)[0] >= max(time.cnode_values(root)), "time"
print("good")
"#;

/// Every event of every location, by the reference library's own reader.
const EVENTS: &str = r#"
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    assert sum(1 for _ in trace.events) > 10
"#;

/// In Fortran a `cancel` skips the calls at the end of what it cancels.
const CANCELLED: &str = "
program cancelled
  implicit none
  integer :: round, i, total
  total = 0
  do round = 1, 20
    !$omp parallel num_threads(4) private(i)
    !$omp single
    !$omp taskgroup
    do i = 1, 5
      !$omp task shared(total)
      !$omp critical
      total = total + 1
      !$omp end critical
      !$omp cancel taskgroup if(total > 30)
      !$omp atomic
      total = total + 1
      !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp sections
    !$omp section
    !$omp cancel sections if(round > 4)
    i = 1
    !$omp section
    !$omp cancellation point sections
    i = 2
    !$omp end sections
    !$omp do
    do i = 1, 100
      !$omp cancel do if(i == 50)
    end do
    !$omp end do
    !$omp cancel parallel if(round > 10)
    !$omp barrier
    !$omp end parallel
  end do
end program
";

#[test]
fn cancelled_constructs_of_fortran_are_balanced() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.file("cancelled.f90", CANCELLED);
    sandbox.succeeds("compile --strict -q -- gfortran -fopenmp cancelled.f90 -o cancelled");
    let mut run = sandbox.command("run --trace --replace -o exp -- ./cancelled");
    let output = run.env("OMP_CANCELLATION", "true").env("OMP_WAIT_POLICY", "passive").output();
    let output = output.unwrap();
    let messages = [output.stdout, output.stderr].concat();
    let messages = String::from_utf8_lossy(&messages);
    assert!(output.status.success() && !messages.contains("do not hold"), "{messages}");
    let text = silent(Command::new("otf2-print").arg(sandbox.path("exp/traces.otf2")));
    let count = |kind: &str| text.lines().filter(|line| line.starts_with(kind)).count();
    assert!(count("ENTER") > 100, "{text}");
    assert_eq!(count("ENTER"), count("LEAVE"), "{text}");
    // What was cancelled before it began has no record of its execution.
    assert!(count("THREAD_TASK_CREATE") >= count("THREAD_TASK_COMPLETE"), "{text}");
}

/// The first task's event is fulfilled by thread 1 when its body is over, if it sleeps for long enough;
/// the second one's before its body begins.
const DETACHED: &str = "#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int body;
int main(int argc, char **argv) {
  omp_event_handle_t late, early;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task detach(late)
      body = 1;
#pragma omp taskwait
#pragma omp task detach(early)
      body = 2;
      omp_fulfill_event(early);
#pragma omp taskwait
    } else {
      while (!body) continue;
      usleep(20000 * atoi(argv[1]));
#pragma omp flush
#pragma omp inst begin(fulfil)
      omp_fulfill_event(late);
#pragma omp inst end(fulfil)
    }
  }
  return body != 2;
}
";

/// The same in fixed form.
const DETACHED_FORTRAN: &str = "      PROGRAM DETACHED
      USE OMP_LIB
      INTEGER(OMP_EVENT_HANDLE_KIND) LATE, EARLY
      INTEGER BODY, SEEN, TIMES
      CHARACTER(8) WORD
      BODY = 0
!$OMP PARALLEL NUM_THREADS(2) PRIVATE(SEEN)
      IF (OMP_GET_THREAD_NUM() == 0) THEN
!$OMP TASK DETACH(LATE)
!$OMP ATOMIC WRITE
      BODY = 1
!$OMP END TASK
!$OMP TASKWAIT
!$OMP TASK DETACH(EARLY)
!$OMP ATOMIC WRITE
      BODY = 2
!$OMP END TASK
      CALL OMP_FULFILL_EVENT(EARLY)
!$OMP TASKWAIT
      ELSE
      SEEN = 0
      DO WHILE (SEEN == 0)
!$OMP ATOMIC READ
      SEEN = BODY
      END DO
      CALL GET_COMMAND_ARGUMENT(1, WORD)
      READ (WORD, *) TIMES
      CALL SLEEP(TIMES)
!$OMP INST BEGIN(fulfil)
      CALL OMP_FULFILL_EVENT(LATE)
!$OMP INST END(fulfil)
      END IF
!$OMP END PARALLEL
      IF (BODY /= 2) STOP 1
      END
";

#[test]
fn a_detached_task_is_complete_when_its_event_is_fulfilled_and_its_body_over() {
    if !oracles() {
        return;
    }
    for compiler in ["-- gcc", "-- clang-19"] {
        is_complete_when_fulfilled(compiler, "detached.c", DETACHED, 13);
    }
    // Without the lock routines the event's is interposed all the same.
    for compiler in ["-- gfortran", "--pomp-disable=locks -- gfortran"] {
        is_complete_when_fulfilled(compiler, "detached.f", DETACHED_FORTRAN, 14);
    }
}

/// The second task of the program has its directive at this line.
fn is_complete_when_fulfilled(compiler: &str, source: &str, program: &str, second: u32) {
    let sandbox = Sandbox::new();
    sandbox.file(source, program);
    let compile = format!("compile --strict -q {compiler} -fopenmp {source} -o detached");
    sandbox.succeeds(&compile);
    with_more_time(|times| {
        sandbox.succeeds(&format!("run -q --trace --replace -o exp -- ./detached {times}"));
        let text = silent(Command::new("otf2-print").arg(sandbox.path("exp/traces.otf2")));
        order_of_completion(&text, &format!("!$omp task @{source}:{second}"))
    });
}

/// The body of the second task is `body`.
fn order_of_completion(text: &str, body: &str) -> Result<(), String> {
    let place = |kind: &str, what: &str| {
        let mut found = text.lines().enumerate().filter(|(_, line)| {
            line.starts_with(kind)
                && line
                    .split_once(what)
                    .is_some_and(|(_, rest)| !rest.starts_with(|next: char| next.is_ascii_digit()))
        });
        let (place, _) = found.next().unwrap_or_else(|| panic!("no {kind} {what}\n{text}"));
        assert!(found.next().is_none(), "more of {kind} {what}\n{text}");
        place
    };
    let complete = |number| place("THREAD_TASK_COMPLETE", &format!("Number: {number}"));
    assert!(complete(1) > place("ENTER", "\"fulfil\""), "{text}");
    assert!(complete(2) > place("LEAVE", body), "{text}");
    let is_in_time = complete(1) < place("LEAVE", "\"fulfil\"");
    if is_in_time { Ok(()) } else { Err(format!("complete with its body:\n{text}")) }
}
