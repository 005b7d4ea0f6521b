//! Calls of MPI under the guard: those that find nothing are sums, and what others raise is inside of
//! their records.

use std::collections::BTreeSet;
use std::ffi::CStr;

use pompeii_live::Definition;
use pompeii_otf2::event::Event;

use super::Setting;
use super::guards::{GUARD, Scene};
use crate::clock;
use crate::guard::Bounds;
use crate::location::Location;
use crate::mpi::{self, Known, Made, Routine};
use crate::tls::{self, Thread};

/// Functions of MPI, as wrappers call them.
struct Functions {
    iprobe: &'static Routine,
    test: &'static Routine,
    irecv: &'static Routine,
    recv: &'static Routine,
    /// Of the user's.
    region: u32,
    thread: *mut Location,
}

impl Functions {
    fn new(scene: &mut Scene) -> Self {
        let mut function = |name: &'static CStr, is_quiet| {
            let routine: &Routine = Box::leak(Box::new(Routine::point_to_point(name, is_quiet)));
            call(routine, || {});
            scene.run.regions.push(name.to_str().unwrap().to_owned());
            routine
        };
        let iprobe = function(c"MPI_Iprobe", true);
        let (test, irecv) = (function(c"MPI_Test", true), function(c"MPI_Irecv", false));
        let recv = function(c"MPI_Recv", false);
        let (region, thread) = (scene.inner(), scene.run.threads[0].1);
        Self { iprobe, test, irecv, recv, region, thread }
    }

    /// A visit of a region of the user's.
    fn visit(&self, inside: impl FnOnce()) {
        // SAFETY: the scene's thread, which is this one.
        unsafe { (*self.thread).enter(self.region, clock::now()) };
        inside();
        // SAFETY: as above.
        unsafe { (*self.thread).exit(self.region, clock::now()) };
    }

    /// Posts a receive and tests so often in vain whether it is complete, until it is.
    fn receive(&self, handle: u64, tests: u32) {
        call(self.irecv, || {
            let made = Made::receive(handle, mpi::pomp_mpi_irecv());
            // SAFETY: a valid structure.
            unsafe { mpi::pomp_mpi_request(&made) };
        });
        for test in 0..=tests {
            // SAFETY: valid structures.
            call(self.test, || unsafe {
                let mut known = Known::default();
                mpi::pomp_mpi_request_find(handle, &mut known);
                match test == tests {
                    true => {
                        mpi::pomp_mpi_request_complete(&known, 1, 0, 8, &mut 0);
                    }
                    false => mpi::pomp_mpi_request_tested(&known),
                }
            });
        }
    }
}

fn call(routine: &Routine, inside: impl FnOnce()) {
    // SAFETY: routines of the tests are never freed.
    unsafe {
        mpi::pomp_mpi_enter(routine);
        inside();
        mpi::pomp_mpi_exit(routine);
    }
}

/// Calls of MPI in a region, with the guard or without.
fn calls_of_mpi(guard: Option<Bounds>, calls: impl FnOnce(&Functions)) -> Scene {
    let mut scene = Scene::new(Setting { guard, ..GUARD });
    scene.now = clock::tsc();
    scene.enter(|regions| regions.outer);
    tls::open(scene.run.threads[0].1);
    let functions = Functions::new(&mut scene);
    calls(&functions);
    tls::restore(Thread::Closed);
    scene.now = clock::tsc();
    scene.exit(|regions| regions.outer, 10);
    scene
}

/// Names of the regions that the definitions say visits of are sums.
fn told(scene: &Scene) -> BTreeSet<String> {
    let definitions = scene.definitions().into_iter();
    let told = definitions.filter_map(|definition| match definition {
        Definition::Guarded { region, .. } => Some(scene.run.regions[region as usize].clone()),
        _ => None,
    });
    told.collect()
}

const LONG: Option<Bounds> = Some(Bounds { visits: 1000, time_ns: 1 << 40 });

/// Calls that find nothing are sums; those that find something, and what they raise, are records.
#[test]
fn calls_of_mpi_that_find_nothing_are_summed() {
    let mut scene = calls_of_mpi(LONG, |functions| {
        for poll in 0..100_000 {
            let found = (90_000..90_007).contains(&poll);
            call(functions.iprobe, || {
                if found {
                    mpi::pomp_mpi_found()
                }
            });
        }
        functions.receive(0xfeed_0001, 100_000);
        functions.receive(0xfeed_0002, 10);
    });
    assert_eq!(told(&scene).into_iter().collect::<Vec<_>>(), ["MPI_Iprobe", "MPI_Test"]);
    let counts = scene.counts();
    scene.check_counts(&counts);
    let of = |name: &str| {
        let region = scene.run.regions.iter().position(|known| known == name).unwrap();
        counts[&(region as u32)]
    };
    let (iprobe, test) = (of("MPI_Iprobe"), of("MPI_Test"));
    assert!((40_000..60_000).contains(&iprobe.summed), "{}", iprobe.summed);
    assert_eq!((iprobe.sums, iprobe.enters + iprobe.summed), (1, 100_001));
    // A full chunk later, and all but the first tests, the second, the fourth ...
    assert!((40_000..60_000).contains(&test.summed), "{}", test.summed);
    assert_eq!(of("MPI_Irecv").summed, 0);
    let (mut open, mut inside) = (Vec::new(), Vec::new());
    for record in scene.run.events(0) {
        match record.event {
            Event::Enter(of) => open.push(of.region.0),
            Event::Leave(of) => assert_eq!(open.pop(), Some(of.region.0)),
            Event::MpiIrecv(_) | Event::MpiRequestTest(_) => {
                let name = scene.run.regions[*open.last().unwrap() as usize].as_str();
                inside.push((name, matches!(record.event, Event::MpiIrecv(_))));
            }
            _ => {}
        }
    }
    assert!(inside.iter().all(|&(name, _)| name == "MPI_Test"));
    let received = inside.iter().filter(|(_, is_received)| *is_received).count();
    // 1, 2, 4 ... 65,536, and 1 to 8.
    assert_eq!((received, inside.len() - received), (2, 17 + 4));
}

/// What was found in sums' place is nobody's sum, and nothing is said of sums.
#[test]
fn calls_of_mpi_that_always_find_something_are_records() {
    let mut scene = calls_of_mpi(LONG, |functions| {
        for _ in 0..100_000 {
            call(functions.iprobe, || mpi::pomp_mpi_found());
        }
    });
    assert_eq!(told(&scene), BTreeSet::new());
    let counts = scene.counts();
    assert!(counts.values().all(|of| of.summed == 0));
    assert!(scene.check_counts(&counts).contains("MPI_Iprobe x100001: 100001 records\n"));
}

#[test]
fn without_the_guard_calls_of_mpi_are_records() {
    let mut scene = calls_of_mpi(None, |functions| functions.receive(0xfeed_0003, 100_000));
    assert_eq!(told(&scene), BTreeSet::new());
    let counts = scene.counts();
    assert!(scene.check_counts(&counts).contains("MPI_Test x100002: 100002 records\n"));
}

/// The region, visited so often, in which there are a few calls that find nothing, but for one visit
/// of so many; in that, a message is received.
fn regions_that_poll(guard: Option<Bounds>, polls: fn(u64) -> u64, found_every: u64) -> Scene {
    calls_of_mpi(guard, |functions| {
        for visit in 0..60_000 {
            let is_found = visit % found_every == found_every - 1;
            functions.visit(|| {
                for _ in 0..polls(visit) {
                    call(functions.test, || {});
                    call(functions.iprobe, || {});
                }
                if is_found {
                    call(functions.iprobe, mpi_found);
                    call(functions.recv, || {});
                }
            });
        }
    })
}

fn mpi_found() {
    mpi::pomp_mpi_found();
}

/// What polls a few times in each of many visits is summed with its polls; where it finds something,
/// the whole visit is recorded.
#[test]
fn regions_that_poll_are_summed_with_their_polls() {
    let mut scene = regions_that_poll(LONG, |visit| visit % 4, 1000);
    let names: Vec<String> = told(&scene).into_iter().collect();
    assert_eq!(names, ["MPI_Iprobe", "MPI_Test", "inner"]);
    let counts = scene.counts();
    scene.check_counts(&counts);
    let of = |name: &str| {
        let region = scene.run.regions.iter().position(|known| known == name).unwrap();
        counts[&(region as u32)]
    };
    let (inner, iprobe, test) = (of("inner"), of("MPI_Iprobe"), of("MPI_Test"));
    assert_eq!((inner.sums, iprobe.sums, test.sums), (1, 1, 1));
    assert!((40_000..59_900).contains(&inner.summed), "{}", inner.summed);
    // A visit has 1.5 of each on average.
    assert!(test.summed.abs_diff(inner.summed * 3 / 2) < 100, "{}", test.summed);
    assert_eq!(iprobe.summed, test.summed);
    assert_eq!((of("MPI_Recv").enters, of("MPI_Recv").summed), (61, 0));
}

/// Where every third visit finds something or polls too often for one visit, or where visits are not
/// short, all are recorded.
#[test]
fn regions_that_find_something_are_recorded() {
    let bound = Some(Bounds { visits: 1000, time_ns: 0 });
    for (guard, polls, found_every) in [
        (LONG, (|_| 1) as fn(u64) -> u64, 3),
        (LONG, |visit| if visit % 3 == 0 { 8 } else { 1 }, 60_000),
        (bound, |_| 1, 60_000),
    ] {
        let mut scene = regions_that_poll(guard, polls, found_every);
        assert_eq!(told(&scene), BTreeSet::new());
        let counts = scene.counts();
        scene.check_counts(&counts);
        assert!(counts.values().all(|of| of.summed == 0));
    }
}

/// Polls that are many in each visit are summed there, and the visits are recorded.
#[test]
fn regions_that_poll_often_have_the_sums() {
    let mut scene = regions_that_poll(LONG, |_| 10, 60_000);
    let names: Vec<String> = told(&scene).into_iter().collect();
    assert_eq!(names, ["MPI_Iprobe", "MPI_Test"]);
    let counts = scene.counts();
    assert!(scene.check_counts(&counts).contains("inner x60000: 60000 records\n"));
}
