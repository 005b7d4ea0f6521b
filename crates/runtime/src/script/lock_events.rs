//! The verbs of scripts for what happens at locks.

use pompeii_live::NodeOffset;

use super::At;
use crate::fast::kit::gate::Here;
use crate::fast::locks;
use crate::location::Location;
use crate::sites::{self, CallSite};
use crate::sync::{self, Lock};
use crate::tls;

/// A fast way without records, or with them.
macro_rules! way {
    ($here:ident, $event:ident ($($argument:expr),*)) => {
        match $here.is_traced() {
            false => locks::$event::<false>($($argument),*),
            true => locks::$event::<true>($($argument),*),
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
        "set" => {
            let fast = |here: Here, site: CallSite| way!(here, ask(here, site, At(now)));
            enter(thread, region, now, fast, |_, _| {});
        }
        "got" => {
            let at = thread.header.current;
            if !on_fast_way(thread, |here| way!(here, acquire(here, at, lock, At(now)))) {
                sync::locked(thread, lock, now);
                thread.exit(region, now);
            }
        }
        "refused" => {
            sync::refused(thread, lock, ADDRESS);
            thread.exit(region, now);
        }
        "tested" => {
            sync::tested(thread, lock, ADDRESS, now);
            sync::locked(thread, lock, now);
            thread.exit(region, now);
        }
        "got-nest" => {
            if sync::nested_acquired(thread, lock) {
                sync::locked(thread, lock, now);
            }
            thread.exit(region, now);
        }
        "unset" => {
            let fast =
                |here: Here, site: CallSite| way!(here, give_back(here, site, lock, At(now)));
            let general = |thread: &mut Location, now| sync::unlocked(thread, lock, now);
            enter(thread, region, now, fast, general);
        }
        "gone" => {
            let at = thread.header.current;
            if !on_fast_way(thread, |here| way!(here, leave(here, at, At(now)))) {
                thread.exit(region, now);
            }
        }
        "unset-nest" => {
            let now = thread.enter(region, now);
            if sync::nested_released(lock) {
                sync::unlocked(thread, lock, now);
            }
        }
        _ => panic!("{verb}"),
    }
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
    fast: impl FnOnce(Here, CallSite) -> Option<NodeOffset>,
    general: impl FnOnce(&mut Location, u64),
) {
    let site = site(region);
    if on_fast_way(thread, |here| fast(here, site)).is_some() {
        return;
    }
    let at = thread.header.current;
    let now = thread.enter(region, now);
    general(thread, now);
    sites::note_line(thread, site, at, region);
    sites::note_node(thread, site, at);
}
