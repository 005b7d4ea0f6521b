//! The verbs of scripts for what happens at locks.

use pompeii_live::{Key, NodeOffset};

use super::At;
use crate::fast::kit::gate::{self, Here};
use crate::fast::mutexes::Call;
use crate::fast::{guarded, locks};
use crate::location::Location;
use crate::pthreads::mutexes;
use crate::sites::{self, CallSite};
use crate::sync::{self, Lock};
use crate::tls;

/// A fast way without records, with them, or where other call paths are guarded.
macro_rules! way {
    ($here:ident, $event:ident ($($argument:expr),*)) => {
        match ($here.is_traced(), $here.guarded()) {
            (false, _) => locks::$event::<false, 0>($($argument),*),
            (true, None) => locks::$event::<true, 0>($($argument),*),
            (true, Some(_)) => locks::$event::<true, { gate::GUARDED }>($($argument),*),
        }
    };
}

/// Where the program has the lock.
const ADDRESS: usize = 0x1000;

/// Events of a critical construct's body, of a lock, and of a lock that may be taken again.
pub(super) fn happen(
    thread: &mut Location,
    verb: &str,
    (region, body): (u32, u32),
    lock: &'static Lock,
    now: u64,
) {
    match verb {
        "hold" => {
            sync::acquired(thread, lock, now);
            thread.enter(body, now);
        }
        "release" => {
            thread.exit(body, now);
            sync::released(thread, lock, now);
        }
        "set" | "set-nest" => {
            let fast = |here: Here, site: CallSite| {
                let guarded = here.guarded().filter(|_| verb == "set");
                let summed = guarded.and_then(|thread| locks::ask_guarded(thread, site, At(now)));
                summed.is_some() || way!(here, ask(here, site, At(now))).is_some()
            };
            enter(thread, region, now, fast, |_, _| {});
        }
        "got" => {
            let (at, key) = (thread.header.current, Key::Region(region).encode());
            let fast = |here: Here| {
                let exit = |thread| guarded::exit_with_lock(thread, key, lock, At(now));
                here.guarded().is_some_and(exit)
                    || way!(here, acquire(here, at, lock, None, At(now)))
            };
            if !on_fast_way(thread, fast) {
                sync::locked(thread, lock, now);
                thread.exit(region, now);
            }
        }
        "unset" => {
            let fast = |here: Here, site: CallSite| {
                let give_back = |thread| locks::give_back_guarded(thread, site, lock, At(now));
                here.guarded().and_then(give_back).is_some()
                    || way!(here, give_back(here, site, lock, At(now))).is_some()
            };
            let general = |thread: &mut Location, now| sync::unlocked(thread, lock, now);
            enter(thread, region, now, fast, general);
        }
        "gone" => {
            let (at, key) = (thread.header.current, Key::Region(region).encode());
            let fast = |here: Here| {
                here.guarded().is_some_and(|thread| guarded::exit(thread, key, At(now)))
                    || way!(here, leave(here, at, At(now)))
            };
            if !on_fast_way(thread, fast) {
                thread.exit(region, now);
            }
        }
        _ => happen_of_tests_and_nests(thread, verb, region, lock, now),
    }
}

/// Events of a lock that is tested, and of one that may be taken again.
fn happen_of_tests_and_nests(
    thread: &mut Location,
    verb: &str,
    region: u32,
    lock: &'static Lock,
    now: u64,
) {
    match verb {
        "refused" => {
            let at = thread.header.current;
            let of = (lock, ADDRESS);
            if !on_fast_way(thread, |here| way!(here, refuse(here, at, of, At(now)))) {
                sync::refused(thread, lock, ADDRESS);
                thread.exit(region, now);
            }
        }
        "tested" => {
            let (at, tested) = (thread.header.current, Some(ADDRESS));
            if !on_fast_way(thread, |here| way!(here, acquire(here, at, lock, tested, At(now)))) {
                sync::tested(thread, lock, ADDRESS, now);
                sync::locked(thread, lock, now);
                thread.exit(region, now);
            }
        }
        "got-nest" => {
            let at = thread.header.current;
            let fast = |here: Here| way!(here, acquire_nested(here, at, lock, None, At(now)));
            if !on_fast_way(thread, fast) {
                if sync::nested_acquired(thread, lock) {
                    sync::locked(thread, lock, now);
                }
                thread.exit(region, now);
            }
        }
        "unset-nest" => {
            let fast = |here: Here, site: CallSite| {
                way!(here, give_back_nested(here, site, lock, At(now))).is_some()
            };
            let general = |thread: &mut Location, now| {
                if sync::nested_released(lock) {
                    sync::unlocked(thread, lock, now);
                }
            };
            enter(thread, region, now, fast, general);
        }
        _ => happen_of_mutexes(thread, verb, region, lock, now),
    }
}

/// Events of a mutex in a profile, which its thread finds free.
fn happen_of_mutexes(
    thread: &mut Location,
    verb: &str,
    region: u32,
    lock: &'static Lock,
    now: u64,
) {
    let site = site(region);
    let call = |here| Call::known(here, site);
    match verb {
        "take" => {
            let fast = |here| call(here).is_some_and(|call| call.takes(lock, At(now)));
            if !on_fast_way(thread, fast) {
                let node = count(thread, site, region);
                mutexes::found_free(thread, lock, node, now);
            }
        }
        "free" => {
            let fast = |here| call(here).is_some_and(|call| call.gives_back(lock, At(now)));
            if !on_fast_way(thread, fast) {
                count(thread, site, region);
                mutexes::given_back(thread, lock, now);
            }
        }
        _ => panic!("{verb}"),
    }
}

/// Counts a call of this region.
fn count(thread: &mut Location, site: CallSite, region: u32) -> NodeOffset {
    let at = thread.header.current;
    sites::note_line(thread, site, at, region);
    mutexes::count(thread, site, region)
}

/// Does something with the fast ways' name of the location.
pub(super) fn on_fast_way<T>(thread: &mut Location, event: impl FnOnce(Here) -> T) -> T {
    let before = tls::thread();
    tls::open(thread);
    let done = event(Here::now());
    tls::restore(before);
    done
}

/// Stands for the place of the calls that have this region.
pub(super) fn site(region: u32) -> CallSite {
    (std::ptr::without_provenance(region as usize + 1), 0x1000)
}

/// A routine is called whose calls have this region, on its fast way or on the general one.
fn enter(
    thread: &mut Location,
    region: u32,
    now: u64,
    fast: impl FnOnce(Here, CallSite) -> bool,
    general: impl FnOnce(&mut Location, u64),
) {
    let site = site(region);
    if on_fast_way(thread, |here| fast(here, site)) {
        return;
    }
    let at = thread.header.current;
    let now = thread.enter(region, now);
    general(thread, now);
    sites::note_line(thread, site, at, region);
    sites::note_node(thread, site, at, thread.header.current);
}
