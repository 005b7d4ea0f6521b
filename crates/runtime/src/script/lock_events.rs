//! The verbs of scripts for what happens at locks.

use crate::location::Location;
use crate::sync::{self, Lock};

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
        "got" => {
            sync::locked(thread, lock, now);
            thread.exit(region, now);
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
            let now = thread.enter(region, now);
            sync::unlocked(thread, lock, now);
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
