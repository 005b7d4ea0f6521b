//! Real programs with hand-written POMP calls, built with gcc and clang against the archive and the
//! shared library, run with 1, 2 and 4 threads, and read back as `finish` reads them.
//!
//! Not run without `POMPEII_ORACLES=1`, since it needs both compilers and valgrind.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use expect_test::{Expect, expect};
use pompeii_live::{
    Definition, Key, LiveLocation, LiveProcess, Node, RegionKind, node_index, node_offset,
};
use pompeii_testing::oracles;

use crate::bounds::{self, Bound};

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];
const LINKS: [&str; 2] = ["archive", "shared"];

/// Where cargo puts the libraries that belong to this test: beside it (what it copies one folder up
/// may be older).
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// A program that was built for one test.
struct Program {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn build(name: &str, compiler: &str, link: &str, options: &[&str]) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = libraries();
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-w", "-pthread"]).args(options).arg("-I").arg(here.join("include"));
    command.arg(here.join(format!("tests/programs/{name}.c"))).arg("-o").arg(&path);
    match link {
        // The archive that users get exports POMP's names alone. This one still has the entry points
        // of libgomp, so the linker would leave libgomp out, and functions that need libm.
        "archive" => command.arg(libraries.join("libpomp.a")).args(["-lm", "-Wl,--no-as-needed"]),
        "none" => command.args(options),
        // As DT_RPATH, which comes before the LD_LIBRARY_PATH that cargo leads one folder up.
        _ => command
            .arg(libraries.join("libpomp.so"))
            .arg(format!("-Wl,--disable-new-dtags,-rpath,{}", libraries.display())),
    };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Program { folder, path }
}

struct Setting<'a> {
    arguments: &'a [&'a str],
    threads: u32,
    trace: bool,
}

impl Program {
    fn run(&self, setting: &Setting<'_>) -> (ExitStatus, String, PathBuf) {
        self.run_with(setting, &[])
    }

    fn run_with(
        &self,
        setting: &Setting<'_>,
        environment: &[(&str, String)],
    ) -> (ExitStatus, String, PathBuf) {
        let experiment = self.folder.path().join("experiment");
        let _ = std::fs::remove_dir_all(&experiment);
        let output = Command::new(&self.path)
            .args(setting.arguments)
            .current_dir(self.folder.path())
            .env("OMP_NUM_THREADS", setting.threads.to_string())
            .env("POMPEII_TRACE", u8::from(setting.trace).to_string())
            .env("POMPEII_EXPERIMENT", &experiment)
            // Without the line that says where the data is.
            .env("POMPEII_QUIET", "1")
            .envs(environment.iter().cloned())
            .output()
            .unwrap();
        let mut text = String::from_utf8(output.stdout).unwrap();
        text += &String::from_utf8(output.stderr).unwrap();
        (output.status, text, experiment)
    }
}

/// Sums of all nodes of a region, by name.
#[derive(Default)]
struct Sums {
    visits: u64,
    created: u64,
    undeferred: u64,
}

/// Live state, checked for what must always hold.
struct Checked {
    live: LiveProcess,
    sums: BTreeMap<String, Sums>,
}

fn check(experiment: &Path) -> Checked {
    let live = LiveProcess::open(&experiment.join("live")).unwrap();
    assert_eq!((live.lost_events, live.lost_locations, live.first_errno), (0, 0, None));
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for location in &live.locations {
        check_location(&live, location);
        for node in location.nodes.iter().skip(1) {
            let Key::Region(region) = origin(&live, node) else { continue };
            let name = name(&live, region);
            // Of barriers and loops the fields have something else.
            let [created, undeferred] = match is_loop(&live, node) {
                true => [0, 0],
                false if name.contains("barrier") => [0, node.undeferred],
                false => [node.created, node.undeferred],
            };
            let sum = sums.entry(name).or_default();
            sum.visits += node.visits;
            sum.created += created;
            sum.undeferred += undeferred;
        }
    }
    Checked { live, sums }
}

/// What an attached node stands for.
fn origin(live: &LiveProcess, node: &Node) -> Key {
    match Key::decode(node.key) {
        Key::Attach { location, node } => {
            let location = live.locations.iter().find(|other| other.index == location).unwrap();
            Key::decode(location.nodes[node as usize].key)
        }
        key => key,
    }
}

fn name(live: &LiveProcess, region: u32) -> String {
    let found = live.definitions.iter().find_map(|definition| match definition {
        Definition::Region { id, name, .. } if *id == region => Some(name.clone()),
        _ => None,
    });
    found.unwrap()
}

/// Whether it is the node of a worksharing loop.
fn is_loop(live: &LiveProcess, node: &Node) -> bool {
    let Key::Region(region) = Key::decode(node.key) else { return false };
    live.definitions.iter().any(|definition| {
        matches!(definition, Definition::Region { id, kind: RegionKind::Loop, .. } if *id == region)
    })
}

fn check_location(live: &LiveProcess, location: &LiveLocation) {
    let index = location.index;
    let ticks: u64 = location.nodes.iter().map(|node| node.ticks).sum();
    check_sum(live, location, ticks);
    let (mut in_tasks, mut in_stubs) = (0, 0);
    for (place, node) in location.nodes.iter().enumerate().skip(1) {
        let mut node = *node;
        if is_loop(live, &node) {
            node.take_iterations();
        }
        let parts = node.wait_ticks + node.starvation_ticks + node.management_ticks;
        let is_cause = matches!(Key::decode(node.key), Key::Cause { .. });
        assert!(parts <= node.ticks || is_cause, "location {index}: {node:?}");
        assert!(node.fork_ticks <= node.management_ticks, "location {index}: {node:?}");
        let mut root = place;
        while location.nodes[root].parent != 0 {
            root = location.nodes[root].parent as usize;
        }
        in_tasks += if root == 2 { node.ticks } else { 0 };
        in_stubs += if matches!(Key::decode(node.key), Key::Stub(_)) { node.task_ticks } else { 0 };
    }
    // A team that a task forks belongs to the task's time, and to that of its own tasks.
    assert!(in_stubs >= in_tasks, "location {index}: stubs {in_stubs}, tasks {in_tasks}");
    assert!(location.current != 0 && (location.current as usize) < location.nodes.len());
    assert_eq!(node_index(node_offset(location.current)), location.current);
}

/// All nodes together have the time from the start to the location's last event. A process may end
/// while a thread is inside an event: then a node has the time of this event, which is not yet the last.
fn check_sum(live: &LiveProcess, location: &LiveLocation, ticks: u64) {
    let until_last = location.last_ticks - live.start.ticks;
    let is_inside = location.nodes[location.current as usize].parent != 0;
    let until_end = live.end.map_or(u64::MAX, |end| end.ticks - live.start.ticks);
    let most = if is_inside { until_end.max(until_last) } else { until_last };
    let index = location.index;
    assert!(
        (until_last..=most).contains(&ticks),
        "location {index}: {ticks}, {until_last} to {most}"
    );
}

impl Checked {
    /// Visits by region, without the line, one per line.
    fn visits(&self) -> String {
        let mut text = String::new();
        for (name, sum) in &self.sums {
            let _ = writeln!(text, "{name} {}", sum.visits);
        }
        text
    }

    fn of(&self, name: &str) -> u64 {
        self.sums.get(name).map_or(0, |sum| sum.visits)
    }

    fn events(&self) -> u64 {
        let mut events = 0;
        for location in &self.live.locations {
            location.gather_events().unwrap();
            let Ok(mut bytes) = std::fs::read(&location.events_path) else { continue };
            let sealed = pompeii_otf2::seal::seal(&mut bytes, pompeii_live::CHUNK_BYTES).unwrap();
            assert_eq!(sealed.damaged_chunks, 0);
            events += sealed.events;
        }
        events
    }
}

#[test]
fn constructs_with_both_compilers_and_libraries() {
    if !oracles() {
        return;
    }
    for compiler in COMPILERS {
        for link in LINKS {
            let program = build("constructs", compiler, link, &["-fopenmp"]);
            for threads in [1, 2, 4] {
                for trace in [false, true] {
                    let setting = Setting { arguments: &[], threads, trace };
                    let (status, text, experiment) = program.run(&setting);
                    assert_eq!((status.code(), text.as_str()), (Some(0), "560\n"));
                    let checked = check(&experiment);
                    check_constructs(&checked, u64::from(threads));
                    assert_eq!(checked.events() > 0, trace, "{compiler} {link} {threads}");
                }
            }
        }
    }
}

fn check_constructs(checked: &Checked, threads: u64) {
    const ROUNDS: u64 = 20;
    assert_eq!(checked.live.locations.len() as u64, threads);
    for (name, visits) in [
        ("!$omp parallel @constructs.c:10", threads * ROUNDS),
        ("!$omp implicit barrier @constructs.c:15", threads * ROUNDS),
        ("!$omp for @constructs.c:20", threads * ROUNDS),
        ("!$omp implicit barrier @constructs.c:25", threads * ROUNDS),
        ("!$omp single @constructs.c:30", threads * ROUNDS),
        ("!$omp single sblock @constructs.c:30", ROUNDS),
        ("!$omp critical (sum) @constructs.c:40", 8 * ROUNDS),
        ("!$omp critical sblock (sum) @constructs.c:40", 8 * ROUNDS),
        ("!$omp barrier @constructs.c:50", threads * ROUNDS),
        ("!$omp sections @constructs.c:60", threads * ROUNDS),
        ("!$omp section @constructs.c:61", 2 * ROUNDS),
        ("!$omp master @constructs.c:70", ROUNDS),
        ("!$omp atomic @constructs.c:80", threads * ROUNDS),
        ("work", 11 * ROUNDS),
        ("omp_set_lock", 8 * ROUNDS),
        ("omp_unset_lock", 8 * ROUNDS),
        ("omp_set_nest_lock", 2 * ROUNDS),
        ("omp_unset_nest_lock", 2 * ROUNDS),
    ] {
        assert_eq!(checked.of(name), visits, "{name}\n{}", checked.visits());
    }
    let last: u64 = checked
        .live
        .locations
        .iter()
        .flat_map(|location| &location.nodes)
        .map(|node| node.last_arrivals)
        .sum();
    let barriers = if threads == 1 { 0 } else { 5 * ROUNDS };
    assert_eq!(last, barriers, "one thread arrives last at each barrier");
}

#[test]
fn tasks_with_both_compilers_and_libraries() {
    if !oracles() {
        return;
    }
    for compiler in COMPILERS {
        for link in LINKS {
            let program = build("tasks", compiler, link, &["-fopenmp"]);
            for threads in [1, 2, 4] {
                for trace in [false, true] {
                    let setting = Setting { arguments: &[], threads, trace };
                    let (status, text, experiment) = program.run(&setting);
                    assert_eq!((status.code(), text.as_str()), (Some(0), "987\n"));
                    let what = format!("{compiler} {link} {threads} {trace}");
                    check_tasks(&check(&experiment), u64::from(threads), &what);
                }
            }
        }
    }
}

fn check_tasks(checked: &Checked, threads: u64, what: &str) {
    let creations = &checked.sums["!$omp create task @tasks.c:30"];
    assert_eq!(creations.visits, 1596, "{what}: calls of fib(16) above the leaves");
    assert_eq!(creations.created + creations.undeferred, creations.visits, "{what}");
    assert_eq!(checked.of("!$omp task @tasks.c:30"), creations.created, "{what}");
    let nested = &checked.sums["!$omp create task @tasks.c:60"];
    assert_eq!((nested.visits, nested.created), (6 * threads, 6 * threads), "{what}");
    assert_eq!(checked.of("!$omp task @tasks.c:60"), 6 * threads, "{what}");
    assert_eq!(checked.of("!$omp parallel @tasks.c:70"), checked.of("fine"), "{what}");
    assert_eq!(checked.of("fine"), 2 * 6 * threads, "{what}");
}

/// Both compilers, with cancellation off and on; what Fortran leaves without an end event is left
/// so here too.
#[test]
fn newer_constructs_with_both_compilers() {
    if !oracles() {
        return;
    }
    for compiler in COMPILERS {
        let program = build("newer", compiler, "archive", &["-fopenmp"]);
        for threads in [1, 2, 4] {
            for (trace, cancellation) in [(false, false), (true, false), (true, true)] {
                let environment = [("OMP_CANCELLATION", cancellation.to_string())];
                let setting = Setting { arguments: &[], threads, trace };
                let (status, text, experiment) = program.run_with(&setting, &environment);
                assert_eq!(status.code(), Some(0), "{compiler} {threads}: {text}");
                assert!(text.contains("52\n"), "{text}");
                let checked = check(&experiment);
                check_newer(&checked, u64::from(threads), cancellation);
                checked.events();
            }
        }
    }
}

fn check_newer(checked: &Checked, threads: u64, cancellation: bool) {
    const ITERATIONS: u64 = 40;
    for (name, visits) in [
        ("!$omp ordered @newer.c:22", ITERATIONS),
        ("!$omp ordered sblock @newer.c:22", ITERATIONS),
        ("!$omp ordered @newer.c:31", ITERATIONS),
        ("!$omp ordered @newer.c:32", ITERATIONS),
        ("!$omp flush @newer.c:40", threads),
        ("!$omp flush @newer.c:41", threads),
        ("!$omp masked @newer.c:50", 1),
        ("!$omp scope @newer.c:60", threads),
        ("!$omp taskgroup @newer.c:70", 1),
        ("!$omp taskgroup end @newer.c:70", 1),
        ("!$omp task @newer.c:72", 10),
        ("!$omp taskyield @newer.c:74", 10),
        ("!$omp taskloop @newer.c:80", 1),
        ("!$omp task @newer.c:80", ITERATIONS / 5),
        ("!$omp taskloop @newer.c:90", 1),
        ("!$omp task @newer.c:90", 0),
        ("!$omp task @newer.c:100", 1),
        // One thread's chunks follow each other.
        ("!$omp chunk @newer.c:110", if threads == 1 { 1 } else { ITERATIONS / 5 }),
        ("!$omp for @newer.c:120", threads),
        ("!$omp target enter data @newer.c:130", 1),
        ("!$omp teams @newer.c:140", 1),
    ] {
        assert_eq!(checked.of(name), visits, "{name}\n{}", checked.visits());
    }
    assert_eq!(checked.sums["!$omp taskloop @newer.c:80"].created, ITERATIONS / 5);
    assert_eq!(checked.sums["!$omp taskloop @newer.c:90"].undeferred, ITERATIONS / 5);
    let (cancels, points) = (
        checked.of("!$omp cancel @newer.c:122"),
        checked.of("!$omp cancellation point @newer.c:123"),
    );
    match cancellation {
        true => assert!((1..=threads).contains(&cancels) && points <= cancels),
        false => assert_eq!((cancels, points), (ITERATIONS, ITERATIONS)),
    }
}

/// Descriptors written by hand may lack the clause `untied`.
#[test]
fn untied_tasks_that_migrate() {
    if !oracles() {
        return;
    }
    for compiler in COMPILERS {
        for clauses in ["-DCLAUSES=\"untied\"", "-DCLAUSES=\"\""] {
            let program = build("untied", compiler, "archive", &["-fopenmp", clauses]);
            for (threads, trace) in [(1, false), (1, true), (2, false), (2, true), (4, false)] {
                check_untied(&program, threads, trace);
            }
            // Threads that lose their processor meet in other orders.
            (0..20).for_each(|_| check_untied(&program, 4, true));
        }
    }
}

fn check_untied(program: &Program, threads: u32, trace: bool) {
    let (status, text, experiment) = program.run(&Setting { arguments: &[], threads, trace });
    assert_eq!((status.code(), text.as_str()), (Some(0), "done\n"));
    let checked = check(&experiment);
    for (region, visits) in [
        ("work", 800),
        ("!$omp create task @untied.c:30", 100),
        ("!$omp task @untied.c:30", 100),
        ("!$omp create task @untied.c:40", 400),
        ("!$omp task @untied.c:40", 400),
    ] {
        assert_eq!(checked.of(region), visits, "{region}");
    }
    checked.events();
}

/// Runs `ends HOW` with two threads, and tells how it ended and how often these regions were
/// visited, in each of the run's processes.
fn check_end(how: &str, regions: &[&str], expected: Expect) {
    if !oracles() {
        return;
    }
    let mut texts = Vec::new();
    for compiler in COMPILERS {
        for link in LINKS {
            let program = build("ends", compiler, link, &["-fopenmp"]);
            for trace in [false, true] {
                let setting = Setting { arguments: &[how], threads: 2, trace };
                let (status, text, experiment) = program.run(&setting);
                texts.push(tell_end(status, &text, &experiment, regions));
            }
        }
    }
    texts.sort();
    texts.dedup();
    expected.assert_eq(&texts.join("or\n"));
}

fn tell_end(status: ExitStatus, text: &str, experiment: &Path, regions: &[&str]) -> String {
    let mut told = match status.code() {
        Some(code) => format!("code {code}{text}\n"),
        None => format!("signal {}{text}\n", status.signal().unwrap()),
    };
    let mut folders = vec![experiment.to_owned()];
    let others = std::fs::read_dir(experiment.join("procs")).into_iter().flatten().flatten();
    folders.extend(others.map(|entry| entry.path()));
    for folder in folders {
        let checked = check(&folder);
        checked.events();
        let end = if checked.live.end.is_some() { "ended" } else { "died" };
        let _ = write!(told, "{end}, {} locations", checked.live.locations.len());
        for region in regions {
            let _ = write!(told, ", {region} {}", checked.of(region));
        }
        told.push('\n');
    }
    told
}

const FIRST: &str = "!$omp parallel @ends.c:50";
const SECOND: &str = "!$omp parallel @ends.c:60";

#[test]
fn killed() {
    check_end(
        "kill",
        &["before", FIRST, "after"],
        expect![[r#"
        signal 9
        died, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 1
    "#]],
    );
}

#[test]
fn ended_without_exit_handlers() {
    check_end(
        "_exit",
        &["before", FIRST, "after"],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 1
    "#]],
    );
    check_end(
        "abort",
        &["before", FIRST, "after"],
        expect![[r#"
        signal 6
        died, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
    "#]],
    );
}

#[test]
fn exit_inside_a_parallel_region() {
    check_end(
        "exit in parallel",
        &["before", FIRST, SECOND],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, !$omp parallel @ends.c:60 2
    "#]],
    );
}

#[test]
fn exit_handlers_and_destructors() {
    check_end(
        "atexit",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 1
        "#]],
    );
    check_end(
        "finalize",
        &["before", FIRST, SECOND, "after"],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, !$omp parallel @ends.c:60 0, after 0
    "#]],
    );
}

#[test]
fn forked_children_are_silent() {
    check_end(
        "fork",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
        "#]],
    );
    check_end(
        "vfork",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 1
        "#]],
    );
}

#[test]
fn other_programs_have_folders_of_their_own() {
    check_end(
        "spawn",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
        "#]],
    );
    check_end(
        "system",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
        "#]],
    );
    check_end(
        "exec",
        &["before", FIRST, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:50 2, after 0
        "#]],
    );
}

#[test]
fn signal_handlers_with_events() {
    check_end(
        "signals",
        &["before", FIRST],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, !$omp parallel @ends.c:50 2
    "#]],
    );
}

#[test]
fn threads_of_the_program() {
    check_end(
        "pthreads",
        &["before", SECOND, "after"],
        expect![[r#"
            code 0
            ended, 42 locations, before 100, !$omp parallel @ends.c:60 40, after 400
        "#]],
    );
    check_end(
        "pthreads in turn",
        &["before", SECOND, "after"],
        expect![[r#"
            code 0
            ended, 4 locations, before 100, !$omp parallel @ends.c:60 40, after 400
        "#]],
    );
}

/// A worker's last location is another thread by now, which has events at the same moment.
#[test]
fn workers_that_have_changed_places() {
    if !oracles() {
        return;
    }
    const ROUNDS: u64 = 40;
    for link in LINKS {
        let program = build("swapped", "gcc", link, &[]);
        for trace in [false, true] {
            let setting = Setting { arguments: &[], threads: 2, trace };
            let (status, text, experiment) = program.run(&setting);
            assert_eq!((status.code(), text.as_str()), (Some(0), "done\n"), "{link} {trace}");
            let checked = check(&experiment);
            assert_eq!(checked.live.locations.len(), 4, "{link} {trace}");
            for (name, visits) in [
                ("!$omp parallel @swapped.c:10", 4 * ROUNDS),
                ("!$omp parallel @swapped.c:20", 2 * ROUNDS),
                ("inside", ROUNDS),
            ] {
                assert_eq!(checked.of(name), visits, "{link} {trace}: {name}");
            }
        }
    }
}

#[test]
fn deep_recursion_and_longjmp() {
    check_end(
        "deep",
        &["before", "deep"],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, deep 10000
    "#]],
    );
    check_end(
        "longjmp",
        &["before", "after", "deep"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, after 50, deep 300
        "#]],
    );
}

#[test]
fn folders_and_files_of_the_program() {
    check_end(
        "chdir",
        &["before", SECOND, "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:60 2, after 200000
        "#]],
    );
    check_end(
        "close",
        &["before", SECOND, "after", "deep"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:60 2, after 200000, deep 1000
        "#]],
    );
    check_end(
        "no files",
        &["before", "deep"],
        expect![[r#"
        code 0
        ended, 2 locations, before 100, deep 1000
    "#]],
    );
}

#[test]
fn foreign_calls_and_recording_off() {
    check_end(
        "foreign",
        &["before", "!$omp parallel @foreign.c:1", "after"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @foreign.c:1 2, after 2
        "#]],
    );
    check_end(
        "off",
        &["before", SECOND, "after", "MEASUREMENT OFF"],
        expect![[r#"
            code 0
            ended, 2 locations, before 100, !$omp parallel @ends.c:60 2, after 2, MEASUREMENT OFF 1
        "#]],
    );
}

#[test]
fn without_openmp() {
    if !oracles() {
        return;
    }
    for link in LINKS {
        let program = build("ends", "gcc", link, &[]);
        let setting = Setting { arguments: &["deep"], threads: 2, trace: true };
        let (status, text, experiment) = program.run(&setting);
        assert_eq!((status.code(), text.as_str()), (Some(0), ""));
        let checked = check(&experiment);
        assert_eq!((checked.of("before"), checked.of("deep"), checked.of(FIRST)), (100, 10_000, 1));
    }
}

/// An experiment that cannot be made: the program runs on, and says so once where it can.
#[test]
fn nowhere_to_write() {
    if !oracles() {
        return;
    }
    let program = build("ends", "gcc", "archive", &["-fopenmp"]);
    let run = |shell: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("{shell} {} deep", program.path.display())])
            .env("POMPEII_EXPERIMENT", "/proc/none/experiment")
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run("");
    assert_eq!(code, Some(0));
    assert!(text.starts_with("pompeii: warning: not measuring this process: mkdir"), "{text}");
    assert_eq!(text.lines().count(), 1);
    assert_eq!(run("exec 2>&-;"), (Some(0), String::new()));
}

impl Program {
    /// Records that a trace gets for each construct of this kind.
    fn records_each(&self, kind: &str) -> u64 {
        let records = |count| {
            let setting = Setting { arguments: &[kind, count], threads: 1, trace: true };
            let (_, _, experiment) = self.run_with(&setting, &[("POMPEII_GUARD", "0".to_owned())]);
            check(&experiment).events()
        };
        (records("2000") - records("1000")) / 1000
    }
}

/// The library as it is shipped. It is built where the command line's build script has built it.
pub fn shipped(library: &str) -> PathBuf {
    let target = libraries().ancestors().nth(2).unwrap().join("libpomp");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let build_library = Command::new(cargo)
        .args(["build", "--quiet", "--profile", "runtime", "--lib", "--manifest-path", manifest])
        .arg("--target-dir")
        .arg(&target)
        .status();
    assert!(build_library.unwrap().success());
    target.join("runtime").join(library)
}

/// The program of one construct many times, with the library as it is shipped.
fn hot(library: &str) -> Program {
    let library = shipped(library);
    let path = format!("-Wl,--disable-new-dtags,-rpath,{}", library.parent().unwrap().display());
    build("hot", "gcc", "none", &["-O2", &library.display().to_string(), &path])
}

/// Instructions of the library per construct, by callgrind, with the library as it is shipped.
#[test]
fn instructions_per_record() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    for bound in &bounds::BY_RECORDS {
        let records = program.records_each(bound.kind);
        assert_eq!(Some(records), bound.records, "{}: records", bound.construct);
        check_instructions(&program, bound);
    }
}

/// The same of a worker's part of a region.
#[test]
fn instructions_of_a_worker() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    let records = program.records_each("P") - program.records_each("p");
    assert_eq!(Some(records), bounds::WORKER.records);
    for traced in [false, true] {
        let collected = |count| instructions_in("worker_*", &program, "P", count, &[trace(traced)]);
        let each = (collected(12_000) - collected(2_000)).div_ceil(10_000);
        let most = bounds::WORKER.most(traced);
        assert!(each <= most, "trace {traced}: {each}, at most {most}");
    }
}

/// The same per construct where there are no records, where threads meet, and of tasks.
#[test]
fn instructions_per_construct() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    for bound in &bounds::IN_ALL {
        check_instructions(&program, bound);
    }
}

/// What items of `depend` clauses cost more than one item.
#[test]
fn instructions_of_dependences() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    let bound = &bounds::ITEMS;
    for traced in [false, true] {
        let each = |kind| instructions_each(&program, kind, 2_000, &[trace(traced)]);
        let (counted, most) = (each(bound.kind).abs_diff(each("d")), bound.most(traced));
        assert!(counted <= most, "{}, trace {traced}: {counted}, at most {most}", bound.construct);
    }
}

/// What is reported of a mutex that is free.
#[test]
fn instructions_of_a_mutex() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    for traced in [false, true] {
        let [few, many] = [2_000, 12_000].map(|count| {
            instructions_in("pomp_mutex_*", &program, bounds::MUTEX.kind, count, &[trace(traced)])
        });
        let (each, most) = ((many - few).div_ceil(10_000), bounds::MUTEX.most(traced));
        assert!(each <= most, "trace {traced}: {each}, at most {most}");
    }
}

/// Instructions per construct are not more than may be, in a profile and in a trace.
fn check_instructions(program: &Program, bound: &Bound) {
    for traced in [false, true] {
        let each = instructions_each(program, bound.kind, 2_000, &[trace(traced)]);
        let (construct, most) = (bound.construct, bound.most(traced));
        assert!(each <= most, "{construct}, trace {traced}: {each}, at most {most}");
    }
}

fn trace(traced: bool) -> (&'static str, String) {
    ("POMPEII_TRACE", u8::from(traced).to_string())
}

/// What the shared library and children in turn cost more than the archive and one child.
#[test]
fn instructions_of_the_shared_library_and_of_alternating_children() {
    if !oracles() {
        return;
    }
    let (archive, shared) = (hot("libpomp.a"), hot("libpomp.so"));
    for traced in [false, true] {
        let each = |program, kind| instructions_each(program, kind, 2_000, &[trace(traced)]);
        for kind in ["f", "b", "c", "s", "l", "o", "p"] {
            let (one, other) = (each(&archive, kind), each(&shared, kind));
            assert!(
                4 * other <= 5 * one,
                "{kind}, trace {traced}: {other} for {one}, at most 1.25"
            );
        }
        let (one, eight) = (each(&archive, "f"), each(&archive, "a"));
        assert!(5 * eight <= 8 * one, "trace {traced}: {eight} for {one}, at most 1.6");
    }
}

/// A function that calls 4,000 others, in no order that repeats, next to one that calls 10: at most
/// half as many instructions more for each call.
#[test]
fn instructions_do_not_grow_with_the_number_of_callees() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    for traced in [false, true] {
        // All of them have been visited before those that count.
        let each = |kind| instructions_each(&program, kind, 60_000, &[trace(traced)]);
        let (ten, many) = (each("n"), each("v"));
        assert!(2 * many <= 3 * ten, "trace {traced}: {many} for {ten}, at most 1.5");
    }
}

/// The same of visits that are only summed, or that the filter leaves out.
#[test]
fn instructions_of_guarded_and_filtered_visits() {
    if !oracles() {
        return;
    }
    let program = hot("libpomp.a");
    let guard = [
        ("POMPEII_TRACE", "1".to_owned()),
        ("POMPEII_GUARD", "1".to_owned()),
        ("POMPEII_GUARD_VISITS", "1000".to_owned()),
        ("POMPEII_GUARD_TIME", "1000000000".to_owned()),
    ];
    for bound in &bounds::GUARDED {
        // Enough of them to fill the chunk of a trace.
        let each = instructions_each(&program, bound.kind, 60_000, &guard);
        let (construct, most) = (bound.construct, bound.most(true));
        assert!(each <= most, "{construct}: {each}, at most {most}");
    }
    let rules = program.folder.path().join("filter");
    let text = "SCOREP_REGION_NAMES_BEGIN EXCLUDE work SCOREP_REGION_NAMES_END\n";
    std::fs::write(&rules, text).unwrap();
    for traced in [false, true] {
        let filter = ("POMPEII_FILTER", rules.display().to_string());
        let each = instructions_each(&program, "f", 2_000, &[filter, trace(traced)]);
        let most = bounds::FILTERED.most(traced);
        assert!(each <= most, "function, filtered, trace {traced}: {each}, at most {most}");
    }
}

/// Instructions per construct behind the first so many, to the nearest one: a few come only once.
fn instructions_each(
    program: &Program,
    kind: &str,
    first: u32,
    environment: &[(&str, String)],
) -> u64 {
    let few = instructions(program, kind, first, environment);
    let many = instructions(program, kind, first + 10_000, environment);
    (many - few + 5_000) / 10_000
}

fn instructions(program: &Program, kind: &str, count: u32, environment: &[(&str, String)]) -> u64 {
    instructions_in("POMP_*", program, kind, count, environment)
}

/// Instructions in functions of these names, and in what they call.
fn instructions_in(
    functions: &str,
    program: &Program,
    kind: &str,
    count: u32,
    environment: &[(&str, String)],
) -> u64 {
    let experiment = program.folder.path().join("experiment");
    let _ = std::fs::remove_dir_all(&experiment);
    let output = Command::new("valgrind")
        // How often a millisecond passes differs from run to run.
        .env("POMPEII_READY", "0")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={functions}"))
        .arg(&program.path)
        .args([kind, &count.to_string()])
        .env("POMPEII_GUARD", "0")
        .env("POMPEII_EXPERIMENT", &experiment)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let line = text.lines().find(|line| line.contains("Collected :")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}
