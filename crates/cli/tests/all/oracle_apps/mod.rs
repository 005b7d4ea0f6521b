//! Small programs of the shape of mini-applications, in C, C++ and Fortran, under both MPI libraries
//! that Debian has, with 2 and 4 processes of 1 and 2 threads: they print what they print without us,
//! each visit, message and byte is what the source says, MPI and OpenMP are in one tree, which sums
//! to wall time x threads, and every send has its receive.

use std::process::Command;

use crate::common::{Ended, Sandbox, oracles};
use serde_json::Value;

const LIBRARIES: [(&str, &str); 2] =
    [("openmpi", "mpirun.openmpi --oversubscribe"), ("mpich", "mpirun.mpich")];

struct App {
    file: &'static str,
    text: &'static str,
    compiler: &'static str,
    /// With so many processes of so many threads: visits of functions and constructs.
    visits: fn(u64, u64) -> Vec<(&'static str, u64)>,
    /// With so many processes of so many threads: messages, and the bytes of one.
    messages: fn(u64, u64) -> (u64, u64),
}

macro_rules! app {
    ($file:literal, $compiler:literal, $visits:expr, $messages:expr) => {
        App {
            file: $file,
            text: include_str!(concat!("programs/", $file)),
            compiler: $compiler,
            visits: $visits,
            messages: $messages,
        }
    };
}

/// Pairs of neighbours in a grid of so many processes, as MPI_Dims_create makes it: 2 or 2 x 2.
fn pairs(processes: u64) -> u64 {
    if processes == 2 { 1 } else { 4 }
}

const APPS: [App; 7] = [
    app!(
        "halo.c",
        "mpicc",
        |n, t| vec![("MPI_Startall", 10 * n), ("MPI_Waitany", 40 * n), ("parallel", 31 * n * t)],
        |n, _| (20 * n, 64 * 8)
    ),
    app!(
        "cart.c",
        "mpicc",
        // Faces that come in are unpacked in parallel, too.
        |n, t| vec![
            ("MPI_Sendrecv", 30 * n),
            ("MPI_Cart_shift", 30 * n),
            ("parallel", ((1 + 6) * 5 + 1) * n * t + 5 * 2 * pairs(n) * t),
        ],
        |n, _| (5 * 2 * pairs(n), 64 * 8)
    ),
    app!(
        "cg.c",
        "mpicc",
        |n, t| vec![
            ("MPI_Waitall", 8 * n),
            ("MPI_Allreduce", 8 * n),
            ("master", 16 * n),
            ("barrier", 16 * n * t),
            ("parallel", n * t),
        ],
        |n, _| (8 * 2 * (n - 1), 8)
    ),
    app!(
        "grids.c",
        "mpicc",
        // Of 4 processes, 4 smooth twice, 2 of them twice on the next grid, 1 once on the last.
        |n, t| {
            let smooths = if n == 2 { 2 * 2 + 1 } else { 2 * 4 + 2 * 2 + 1 };
            let splits = if n == 2 { 2 } else { 4 + 2 };
            vec![
                ("MPI_Comm_split", 3 * splits),
                ("MPI_Comm_free", 3 * (n - 1)),
                ("parallel", 3 * smooths * t),
            ]
        },
        |n, _| (3 * 2 * (n - 1), 32 * 8)
    ),
    app!(
        "multiple.c",
        "mpicc",
        |n, t| vec![
            ("MPI_Comm_dup", 8 * n),
            ("MPI_Sendrecv", 10 * n * t),
            ("MPI_Allreduce", 10 * n * t),
            ("parallel", n * t),
        ],
        |n, t| (10 * n * t, 8)
    ),
    app!(
        "owned.cpp",
        "mpicxx",
        |n, t| vec![
            ("MPI_Irecv", 6 * n),
            ("MPI_Wait", 6 * n),
            ("MPI_Send", 6 * n),
            ("MPI_Allreduce", 6 * n),
            ("parallel", 12 * n * t),
        ],
        |n, _| (6 * n, 400)
    ),
    app!(
        "clover.F90",
        "mpif90",
        |n, t| vec![
            ("MPI_Waitall", 4 * n),
            ("MPI_Recv", 4 * (n - 1)),
            ("MPI_Type_vector", n),
            ("parallel", 8 * n * t),
        ],
        |n, _| (4 * (2 * n + n - 1), 16 * 4)
    ),
];

fn command(sandbox: &Sandbox, words: &str) -> Command {
    let mut command = sandbox.command(words);
    // Wrappers are made once for all tests: that takes a while.
    command.env("POMPEII_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/mpi"));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// Plainly as `plain`, and instrumented as `measured`.
fn build(sandbox: &Sandbox, app: &App, library: &str) {
    let App { file, text, compiler, .. } = app;
    sandbox.file(file, text);
    let words = format!("{compiler}.{library} -O1 -w -fopenmp {file} -o");
    let mut plain = Command::new("sh");
    plain.args(["-c", &format!("{words} plain")]).current_dir(sandbox.path(""));
    assert!(plain.status().unwrap().success(), "{words}");
    let words = format!("compile --strict -q -- {words} measured");
    let ended = Ended::of(command(sandbox, &words).output().unwrap());
    assert_eq!((ended.code, ended.messages.as_str()), (Some(0), ""), "{words}");
}

fn check(app: &App, (library, launcher): (&str, &str)) {
    let sandbox = Sandbox::new();
    build(&sandbox, app, library);
    for processes in [2, 4] {
        let start = format!("{launcher} -n {processes}");
        let mut plain = Command::new("sh");
        plain.args(["-c", &format!("{start} ./plain")]).current_dir(sandbox.path(""));
        plain.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let plain = Ended::of(plain.env("OMP_NUM_THREADS", "2").output().unwrap());
        for threads in [1, 2] {
            let what = format!("{} {library} {processes} x {threads}", app.file);
            let ended = measure(&sandbox, &start, threads);
            assert_eq!((ended.code, plain.code), (Some(0), Some(0)), "{what}: {}", ended.messages);
            assert_eq!(ended.output, plain.output, "{what}");
            check_report(app, (processes, threads), &sandbox, &what);
        }
    }
}

fn measure(sandbox: &Sandbox, start: &str, threads: u64) -> Ended {
    let words = format!("run -q --trace --no-guard --replace -o exp -- {start} ./measured");
    let mut run = command(sandbox, &words);
    Ended::of(run.env("OMP_NUM_THREADS", threads.to_string()).output().unwrap())
}

fn check_report(app: &App, (processes, threads): (u64, u64), sandbox: &Sandbox, what: &str) {
    let report: Value =
        serde_json::from_str(&sandbox.succeeds("report --json exp").output).unwrap();
    assert_eq!(report["sum_error"], Value::Null, "{what}");
    assert_eq!(report["processes"], processes, "{what}");
    assert_eq!(report["threads"], processes * threads, "{what}");
    let regions = report["regions"].as_array().unwrap();
    for (name, visits) in (app.visits)(processes, threads) {
        let is = |region: &&Value| region["name"] == name || region["kind"] == name;
        let found = regions.iter().filter(is).map(|region| region["visits"].as_u64().unwrap());
        assert_eq!(found.sum::<u64>(), visits, "{what}: {name}");
    }
    let metrics = report["metrics"].as_array().unwrap();
    let total = |name: &str| {
        let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
        metric["raw"].as_u64().unwrap()
    };
    let (messages, bytes) = (app.messages)(processes, threads);
    assert_eq!([total("comms_send"), total("comms_recv")], [messages; 2], "{what}");
    // Collective operations have bytes, too.
    let point_to_point = metrics.iter().find(|metric| metric["name"] == "bytes_p2p").unwrap();
    assert_eq!(point_to_point["raw"], 2 * messages * bytes, "{what}");
    check_trees(&report, what);
    let matched = crate::common::messages("matched", &sandbox.path("exp/traces.otf2"), &[]);
    assert_eq!(matched, format!("{messages}\n"), "{what}");
}

/// MPI and OpenMP lie below one time, and below one program; each process has its node, which is
/// one here.
fn check_trees(report: &Value, what: &str) {
    let list = |name: &str| report[name].as_array().unwrap().iter();
    let metric = |name: &str| list("metrics").position(|metric| metric["name"] == name).unwrap();
    let metrics: Vec<&Value> = list("metrics").collect();
    let root = |mut at: usize| {
        while let Some(parent) = metrics[at]["parent"].as_u64() {
            at = parent as usize;
        }
        at
    };
    let roots = ["mpi", "omp_time", "omp_idle_threads"].map(|name| root(metric(name)));
    assert_eq!(roots, [metric("time"); 3], "{what}");
    let [mpi, openmp] = ["mpi", "omp_time"].map(|name| metrics[metric(name)]["raw"].as_i64());
    assert!(mpi > Some(0) && openmp > Some(0), "{what}");
    let tops = list("call_paths").filter(|path| path["parent"].is_null()).count();
    assert_eq!(tops, 1, "{what}");
    let nodes: Vec<&Value> = list("ranks").map(|rank| &rank["node"]).collect();
    assert!(nodes.iter().all(|node| *node == nodes[0]), "{what}: {nodes:?}");
    let threads: usize =
        list("ranks").map(|rank| rank["locations"].as_array().unwrap().len()).sum();
    assert_eq!(report["threads"], threads, "{what}");
    let time = metrics[metric("time")]["raw"].as_i64().unwrap();
    let wall = report["wall_ticks"].as_i64().unwrap();
    assert_eq!(time, wall * threads as i64, "{what}");
}

fn are_measured_exactly(library: (&str, &str)) {
    if oracles() {
        APPS.iter().for_each(|app| check(app, library));
    }
}

#[test]
fn applications_with_open_mpi_are_measured_exactly() {
    are_measured_exactly(LIBRARIES[0]);
}

#[test]
fn applications_with_mpich_are_measured_exactly() {
    are_measured_exactly(LIBRARIES[1]);
}
