//! Calls of MPI from several places: each is a region of its own, up to a bound, whatever the call
//! path is.

use std::collections::BTreeMap;
use std::ffi::CStr;

use pompeii_live::{Definition, Key, node_offset};

use super::Setting;
use super::guards::{GUARD, Scene};
use crate::clock;
use crate::mpi::{self, Routine};
use crate::tls::{self, Thread};

/// An address in this program: its functions are longer.
fn address(number: usize) -> usize {
    visits as *const () as usize + 1 + number
}

fn call(routine: &Routine, address: usize) {
    // SAFETY: routines of the tests are never freed.
    unsafe {
        mpi::pomp_mpi_enter_from(routine, address);
        mpi::pomp_mpi_exit(routine);
    }
}

fn routine(name: &'static CStr) -> &'static Routine {
    Box::leak(Box::new(Routine::point_to_point(name, false)))
}

/// Makes calls inside of a region, and returns how often each region was visited, with whether it
/// is a call site, by its number.
fn calls_from(calls: impl FnOnce(&mut Scene)) -> BTreeMap<u32, (bool, u64)> {
    let mut scene = Scene::new(Setting { guard: None, ..GUARD });
    scene.now = clock::tsc();
    scene.enter(|regions| regions.outer);
    tls::open(scene.run.threads[0].1);
    calls(&mut scene);
    tls::restore(Thread::Closed);
    scene.now = clock::tsc();
    scene.exit(|regions| regions.outer, 10);
    let mut sites = BTreeMap::new();
    for definition in scene.definitions() {
        match definition {
            Definition::Region { id, name, .. } if name.starts_with("MPI_") => {
                sites.insert(id, (false, 0));
            }
            Definition::CallSite { region, .. } => sites.get_mut(&region).unwrap().0 = true,
            _ => {}
        }
    }
    scene.run.with(scene.run.threads[0].1, |thread| {
        for index in 3..thread.node_count() {
            let node = *thread.node(node_offset(index));
            if let Key::Region(region) = Key::decode(node.key)
                && let Some((_, visits)) = sites.get_mut(&region)
            {
                *visits += node.visits;
            }
        }
    });
    sites
}

fn visits(of: &BTreeMap<u32, (bool, u64)>) -> Vec<(bool, u64)> {
    of.values().copied().collect()
}

#[test]
fn calls_from_two_places_are_two_regions() {
    let found = calls_from(|_| {
        let (send, recv) = (routine(c"MPI_Send"), routine(c"MPI_Recv"));
        for place in [1, 2, 1, 1] {
            call(send, address(place));
        }
        // One instruction may call several functions.
        call(recv, address(1));
        call(send, address(1));
    });
    assert_eq!(visits(&found), [(true, 4), (true, 1), (true, 1)]);
}

/// It is defined once, and found again below another call path.
#[test]
fn a_place_on_two_call_paths_is_one_region() {
    let found = calls_from(|scene| {
        let send = routine(c"MPI_Send");
        let region = scene.inner();
        let thread = scene.run.threads[0].1;
        for _ in 0..3 {
            call(send, address(5));
            // SAFETY: the scene's thread, which is this one.
            unsafe { (*thread).enter(region, clock::now()) };
            call(send, address(5));
            // SAFETY: as above.
            unsafe { (*thread).exit(region, clock::now()) };
        }
    });
    assert_eq!(visits(&found), [(true, 6)]);
}

#[test]
fn places_beyond_the_bound_are_one_region() {
    let found = calls_from(|_| {
        let send = routine(c"MPI_Send");
        for place in (0..100).chain(0..100) {
            call(send, address(place));
        }
    });
    let (sites, others): (Vec<_>, Vec<_>) = visits(&found).into_iter().partition(|(is, _)| *is);
    assert_eq!((sites, others), (vec![(true, 2); 64], vec![(false, 72)]));
}

/// Code that was made at run time is in no file.
#[test]
fn a_place_in_no_loaded_file_is_none() {
    let found = calls_from(|_| call(routine(c"MPI_Send"), 16));
    assert_eq!(visits(&found), [(false, 1)]);
}
