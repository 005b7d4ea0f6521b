//! Samples of a process that is perhaps not worth a record: a program that a shell or `make` has
//! started, without OpenMP. They are kept in memory, and no file is written. If the process has an
//! event, or has computed for long when it ends, it gets a record, and the samples come there.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_live::{NodeOffset, SamplePlace};

use crate::location::Location;
use crate::process::Process;
use crate::sampling::{self, Setting, Tree};

/// A process whose initial thread has used as many seconds of CPU time is worth a record.
const CPU_TIME_SECONDS: u64 = 1;
/// Stands for the node of a sample, which the process has not got yet.
const NODE: NodeOffset = 1;

/// Null if no samples are taken for later.
static TREE: AtomicPtr<Tree> = AtomicPtr::new(std::ptr::null_mut());
/// The process that has begun. A forked child has its memory.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Samples in a second of CPU time.
static HZ: AtomicU32 = AtomicU32::new(0);
/// The loaded files by their numbers, each with path and build id.
static FILES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<(String, String)>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of a loaded file, until the process has ids for them.
pub fn number(path: &str, build_id: &str) -> u32 {
    let mut files = files();
    files.push((path.to_owned(), build_id.to_owned()));
    files.len() as u32 - 1
}

/// Samples the calling thread, which is the initial one. Files get their numbers by [`number`].
pub fn begin(setting: Setting) {
    let Some(tree) = Tree::in_memory() else { return };
    OWNER.store(std::process::id(), Relaxed);
    HZ.store(setting.hz, Relaxed);
    TREE.store(std::ptr::from_ref(tree).cast_mut(), Release);
    sampling::begin(Setting { follows_libraries: false, ..setting });
    sampling::arm(std::ptr::null_mut());
}

fn tree() -> Option<&'static Tree> {
    // SAFETY: trees are never freed.
    unsafe { TREE.load(Acquire).as_ref() }
}

/// Where the calling thread is, in a handler.
pub fn place() -> Option<(NodeOffset, &'static Tree)> {
    Some((NODE, tree()?))
}

/// Whether the process has no record yet, and is worth one. The number of samples tells the CPU
/// time without a system call, which the program may have forbidden itself.
pub fn is_long() -> bool {
    let least = u64::from(HZ.load(Relaxed)) * CPU_TIME_SECONDS;
    tree().is_some_and(|tree| tree.samples() >= least) && OWNER.load(Relaxed) == std::process::id()
}

/// Ends this way of sampling, and adds its samples to those of the initial thread's location.
pub fn hand_over(process: &Process) {
    // SAFETY: trees are never freed.
    let Some(early) = (unsafe { TREE.swap(std::ptr::null_mut(), AcqRel).as_ref() }) else { return };
    sampling::stop();
    let ids: Vec<u32> =
        files().iter().map(|(path, build_id)| process.loaded_file(path, build_id)).collect();
    // SAFETY: the location was made before, and is never freed.
    let Some(location) = (unsafe { process.initial().as_ref() }) else { return };
    let Location { sampled: Some(tree), header, .. } = location else { return };
    tree.take(early, header.current, |bits| named(bits, &ids));
}

/// The place by the ids that the process has for its files.
fn named(bits: u64, ids: &[u32]) -> u64 {
    let place = SamplePlace::decode(bits);
    match ids.get(place.object as usize) {
        Some(&object) => SamplePlace { object, ..place }.encode(),
        None => SamplePlace::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_get_the_ids_of_the_process() {
        let place = |object| SamplePlace { object, address: 0x1139 }.encode();
        assert_eq!(named(place(1), &[4, 7]), place(7));
        assert_eq!(named(place(2), &[4, 7]), SamplePlace::UNKNOWN);
        assert_eq!(named(SamplePlace::UNKNOWN, &[4, 7]), SamplePlace::UNKNOWN);
    }

    #[test]
    fn a_process_without_samples_has_nothing_to_keep() {
        assert!(!is_long() && place().is_none());
    }
}
