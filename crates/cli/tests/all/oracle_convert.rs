//! What `pompeii convert` writes, read by what others have written: Perfetto's own schema, pyarrow,
//! duckdb, Hatchet, networkx, pydot, Speedscope, the reader of flows of Chrome's developer tools, a
//! checker of Paraver traces, and Python's reader of comma-separated values. Runs where
//! POMPEII_ORACLES is set; `PYTHON` names an interpreter that has the packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Sandbox, oracles, silent};

/// Tasks that are suspended at a taskwait, and a loop. All threads have work.
const TASKS: &str = "#include <stdio.h>
static long fib(int n) {
  long x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}
int main(void) {
  long sum = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp parallel
#pragma omp single
    sum += fib(9);
#pragma omp parallel for reduction(+:sum)
    for (int k = 0; k < 1000; k++) sum += k;
  }
  printf(\"%ld\\n\", sum);
  return 0;
}
";

fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".into())
}

/// Numbers of slices, fragments, messages and values that are the same in a file for Perfetto and
/// in the tables of a trace.
fn compared(sandbox: &Sandbox, trace: &str) -> [u64; 4] {
    sandbox.succeeds(&format!("convert {trace} --to perfetto -o out.pftrace"));
    sandbox.succeeds(&format!("convert {trace} --to csv -o tables"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_perfetto.py");
    let files = [sandbox.path("out.pftrace"), sandbox.path("tables")];
    let text = silent(Command::new(python()).arg(script).args(files));
    let numbers = text.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn perfetto_has_the_visits_and_tasks_of_the_tables() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    let metrics = "--metrics VmHWM,ru_minflt,ru_utime";
    sandbox.succeeds(&format!("run -q --trace {metrics} -o exp -- ./tasks"));
    let [slices, fragments, messages, values] = compared(&sandbox, "exp");
    // Three times 108 tasks: fib(n) creates two and all of those below them.
    assert!(slices > fragments && fragments > 3 * 100, "{slices} {fragments}");
    assert!(messages == 0 && values > 0, "{messages} {values}");
}

#[test]
fn perfetto_has_the_messages_of_the_tables() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    let trace = sample.join("traces.otf2");
    let [slices, _, messages, _] = compared(&sandbox, &trace.display().to_string());
    assert!(slices > 0 && messages > 0, "{slices} {messages}");
}

#[test]
fn pyarrow_and_duckdb_read_the_tables() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace -o exp -- ./tasks");
    // Numbers of call paths follow the order of the search, which is the same with one thread.
    sandbox.succeeds("convert exp --to parquet -j 1 -o binary");
    sandbox.succeeds("convert exp --to csv -j 1 -o text");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_parquet.py");
    let folders = [sandbox.path("binary"), sandbox.path("text")];
    let text = silent(Command::new(python()).arg(script).args(folders));
    assert!(text.starts_with("15 tables, "), "{text}");
}

/// The folder of packages from npm.
fn packages() -> PathBuf {
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("web");
    assert!(packages.join("node_modules").is_dir(), "run `cargo xtask setup` for the packages");
    packages
}

#[test]
fn speedscope_reads_call_stacks() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace -o exp -- ./tasks");
    let names = ["speedscope", "chrome", "folded"];
    for name in names {
        sandbox.succeeds(&format!("convert exp --to {name} -o {name}"));
    }
    sandbox.succeeds("convert exp --to csv -o tables");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = names.map(|name| sandbox.path(name));
    let web = packages();
    silent(Command::new("node").arg(tests.join("speedscope.mjs")).arg(&web).args(&files));
    let mut read = Command::new(python());
    read.arg(tests.join("read_speedscope.py")).args(&files).arg(sandbox.path("tables"));
    let schema = "node_modules/speedscope/dist/release/file-format-schema.json";
    read.arg(sandbox.path("exp/profile.cubex")).arg(web.join(schema));
    let text = silent(&mut read);
    let numbers = text.split(' ').filter_map(|word| word.parse().ok());
    let [regions, tasks, lines]: [u64; 3] = numbers.collect::<Vec<_>>().try_into().unwrap();
    assert!(regions > tasks && tasks > 3 * 100 && lines > 5, "{text}");
    firefox_reads_call_stacks(&sandbox, &web);
}

/// The tables of the experiment and its file for Speedscope are there.
fn firefox_reads_call_stacks(sandbox: &Sandbox, web: &Path) {
    sandbox.succeeds("convert exp --to firefox -o firefox.json");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_firefox.py");
    let files = ["firefox.json", "speedscope", "tables"].map(|name| sandbox.path(name));
    let package = "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js";
    let mut read = Command::new(python());
    let text = silent(read.arg(script).args(files).arg(web.join(package)));
    let numbers = text.split(' ').filter_map(|word| word.parse().ok());
    let [regions, tasks]: [u64; 2] = numbers.collect::<Vec<_>>().try_into().unwrap();
    assert!(regions > 5 && tasks > 3 * 100, "{text}");
}

/// Numbers of tasks and messages whose flows are the same in a file for Chrome, as Chrome's developer
/// tools read it, and in the tables of a trace.
fn flows(sandbox: &Sandbox, trace: &str) -> [u64; 2] {
    sandbox.succeeds(&format!("convert {trace} --to chrome -o chrome"));
    sandbox.succeeds(&format!("convert {trace} --to csv -o tables"));
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let file = sandbox.path("chrome");
    silent(Command::new("node").arg(tests.join("chrome_flows.mjs")).arg(packages()).arg(&file));
    let mut read = Command::new(python());
    let text =
        silent(read.arg(tests.join("read_chrome.py")).arg(&file).arg(sandbox.path("tables")));
    numbers(&text)
}

/// The numbers in what a script has printed.
fn numbers<const N: usize>(text: &str) -> [u64; N] {
    let numbers = text.split(' ').filter_map(|word| word.parse().ok());
    numbers.collect::<Vec<u64>>().try_into().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn chrome_has_the_flows_of_tasks() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace -o exp -- ./tasks");
    assert_eq!(flows(&sandbox, "exp"), [3 * 108, 0]);
}

#[test]
fn chrome_has_the_flows_of_messages() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    let trace = sample.join("traces.otf2");
    let [_, messages] = flows(&sandbox, &trace.display().to_string());
    assert!(messages > 0);
}

/// Numbers of states, tasks, regions and messages that Paraver's records have as the tables of a
/// trace do, after the checker of the centre that made the format has read them.
fn paraver(sandbox: &Sandbox, trace: &str) -> [u64; 4] {
    sandbox.succeeds(&format!("convert {trace} --to paraver -o paraver"));
    sandbox.succeeds(&format!("convert {trace} --to csv -o tables"));
    let checker = Path::new(&python()).with_file_name("ptd");
    let records = sandbox.path("paraver/trace.prv");
    silent(Command::new(checker).args(["comprovar", "--exhaustive"]).arg(&records));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_paraver.py");
    let text = silent(Command::new(python()).arg(script).arg(&records).arg(sandbox.path("tables")));
    numbers(&text)
}

#[test]
fn paraver_has_the_tasks_and_regions_of_the_tables() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace --metrics VmHWM,ru_minflt,ru_utime -o exp -- ./tasks");
    let [states, tasks, regions, messages] = paraver(&sandbox, "exp");
    assert!(states > 100 && tasks > 3 * 100 && regions > 5, "{states} {tasks} {regions}");
    assert_eq!(messages, 0);
}

#[test]
fn paraver_has_the_messages_of_the_tables() {
    if !oracles() {
        return;
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    let trace = sample.join("traces.otf2").display().to_string();
    let [states, _, _, messages] = paraver(&Sandbox::new(), &trace);
    assert!(states > 0 && messages > 0, "{states} {messages}");
}

#[test]
fn networkx_and_pydot_read_the_call_graph() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q -o exp -- ./tasks");
    sandbox.succeeds("convert exp --to graphml -o graph.xml");
    sandbox.succeeds("convert exp --to dot -o graph.dot");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_graph.py");
    let files = ["graph.xml", "graph.dot", "exp/profile.cubex"].map(|name| sandbox.path(name));
    let text = silent(Command::new(python()).arg(script).args(files));
    let numbers = text.split(' ').filter_map(|word| word.parse().ok());
    let [regions, edges]: [u64; 2] = numbers.collect::<Vec<_>>().try_into().unwrap();
    assert!(regions > 6 && edges > 6, "{text}");
}

#[test]
fn hatchet_reads_the_profile_of_tau() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q -o exp -- ./tasks");
    sandbox.succeeds("convert exp --to tau -o tau");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_tau.py");
    let files = [sandbox.path("tau"), sandbox.path("exp/profile.cubex")];
    let text = silent(Command::new(python()).arg(script).args(files));
    let paths: u64 = text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    // The program, its functions, regions and barriers on two threads, and the tasks.
    assert!(paths > 12, "{text}");
}
