//! Profiles as TAU's files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use expect_test::{Expect, expect};
use pompeii_export::tau::{self, View};
use pompeii_model::{
    CallTree, Cube, Display, Frequency, Location, LocationId, Metric, Paradigm, Process, ProcessId,
    Region, RegionId, Role, System, Unit,
};

type Files = Rc<RefCell<BTreeMap<String, Vec<u8>>>>;

/// A file in memory.
struct File(Files, String);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().entry(self.1.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn region(name: &str, (role, paradigm): (Role, Paradigm), begin_line: u32) -> Region {
    let (name, file) = (name.to_owned(), "src/ocean.c".to_owned());
    Region { name, role, paradigm, file, begin_line, end_line: begin_line + 2, ..empty() }
}

fn empty() -> Region {
    Region::artificial("")
}

/// Two threads: `main` calls itself, and a parallel region with its barrier. Time is in ticks of a
/// tenth of a microsecond.
pub fn cube() -> Cube {
    let regions = [
        region("main", (Role::Function, Paradigm::User), 10),
        region("!$omp parallel @ocean.c:20", (Role::Parallel, Paradigm::OpenMp), 20),
        region("!$omp implicit barrier @ocean.c:22", (Role::ImplicitBarrier, Paradigm::OpenMp), 22),
    ];
    let mut calls = CallTree::default();
    let main = calls.add_root(RegionId(0));
    let inner = calls.child(main, RegionId(0));
    let parallel = calls.child(inner, RegionId(1));
    let barrier = calls.child(parallel, RegionId(2));
    let mut system = System::default();
    let (name, node, master) = ("MPI Rank 3".to_owned(), "a<b".to_owned(), LocationId(0));
    system.processes.push(Process { name, rank: 3, node, master, wall_ticks: 100 });
    for name in ["Master thread", "OMP thread 1"] {
        let (name, process) = (name.to_owned(), ProcessId(0));
        system.locations.push(Location { name, process });
    }
    let clock = Frequency::new(1e7).unwrap();
    let dimensions = (regions.into_iter().collect(), calls, system);
    let mut cube = Cube::new(clock, 100, "ocean", dimensions);
    for (name, unit) in [("time", Unit::Ticks), ("visits", Unit::Count)] {
        let (name, title, description) = (name.to_owned(), String::new(), String::new());
        let display = Display::default();
        cube.add_metric(Metric { name, title, description, unit, parent: None, display });
    }
    let (time, visits) = (cube.metric("time").unwrap(), cube.metric("visits").unwrap());
    let rows = [(main, 0, 10, 1), (inner, 0, 20, 2), (parallel, 0, 30, 4), (barrier, 0, 5, 4)];
    for (call, location, ticks, number) in rows.into_iter().chain([(parallel, 1, 35, 4)]) {
        cube.add(time, call, LocationId(location), ticks);
        cube.add(visits, call, LocationId(location), number);
    }
    cube
}

fn check(view: View, file: &str, expect: Expect) {
    let files = Files::default();
    tau::write(&cube(), view, |name| Ok(File(files.clone(), name.to_owned()))).unwrap();
    let files = files.borrow();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["profile.3.0.0", "profile.3.0.1"]);
    expect.assert_eq(std::str::from_utf8(&files[file]).unwrap());
}

#[test]
fn a_recursion_is_counted_once_and_call_paths_follow() {
    check(
        View::Region,
        "profile.3.0.0",
        expect![[r#"
            8 templated_functions_MULTI_TIME
            # Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Executable</name><value>ocean</value></attribute><attribute><name>Hostname</name><value>a&lt;b</value></attribute><attribute><name>Thread Name</name><value>Master thread</value></attribute></metadata>
            ".TAU application" 1 1 0 7 0 GROUP="TAU_DEFAULT" 
            "main [{ocean.c} {10,0}-{12,0}]" 3 6 3 6.5 0 GROUP="TAU_USER" 
            "parallel [OpenMP location: file:ocean.c <20, 22>]" 4 4 3 3.5 0 GROUP="OpenMP" 
            "implicit barrier [OpenMP location: file:ocean.c <22, 24>]" 4 0 0.5 0.5 0 GROUP="OpenMP" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}]" 1 2 1 6.5 0 GROUP="TAU_CALLPATH | TAU_USER" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}] => main [{ocean.c} {10,0}-{12,0}]" 2 4 2 5.5 0 GROUP="TAU_CALLPATH | TAU_USER" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}] => main [{ocean.c} {10,0}-{12,0}] => parallel [OpenMP location: file:ocean.c <20, 22>]" 4 4 3 3.5 0 GROUP="TAU_CALLPATH | OpenMP" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}] => main [{ocean.c} {10,0}-{12,0}] => parallel [OpenMP location: file:ocean.c <20, 22>] => implicit barrier [OpenMP location: file:ocean.c <22, 24>]" 4 0 0.5 0.5 0 GROUP="TAU_CALLPATH | OpenMP" 
            0 aggregates
        "#]],
    );
}

#[test]
fn a_thread_has_what_it_has_visited_and_constructs_of_a_kind_are_together() {
    check(
        View::Construct,
        "profile.3.0.1",
        expect![[r#"
            6 templated_functions_MULTI_TIME
            # Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Executable</name><value>ocean</value></attribute><attribute><name>Hostname</name><value>a&lt;b</value></attribute><attribute><name>Thread Name</name><value>OMP thread 1</value></attribute></metadata>
            ".TAU application" 1 0 0 4 0 GROUP="TAU_DEFAULT" 
            "main [{ocean.c} {10,0}-{12,0}]" 0 4 0 3.5 0 GROUP="TAU_USER" 
            "parallel begin/end [OpenMP]" 4 0 3.5 3.5 0 GROUP="OpenMP" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}]" 0 0 0 3.5 0 GROUP="TAU_CALLPATH | TAU_USER" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}] => main [{ocean.c} {10,0}-{12,0}]" 0 4 0 3.5 0 GROUP="TAU_CALLPATH | TAU_USER" 
            ".TAU application => main [{ocean.c} {10,0}-{12,0}] => main [{ocean.c} {10,0}-{12,0}] => parallel begin/end [OpenMP]" 4 0 3.5 3.5 0 GROUP="TAU_CALLPATH | OpenMP" 
            0 aggregates
        "#]],
    );
}

#[test]
fn a_difference_has_no_profile() {
    let mut cube = cube();
    cube.difference = Some("a - b".to_owned());
    let error = tau::write(&cube, View::Region, |_| Ok(io::sink())).unwrap_err();
    assert!(error.to_string().contains("there are no negative times"), "{error}");
}
