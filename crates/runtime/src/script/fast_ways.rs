//! The functions of the POMP API on one thread, on their fast ways ([`crate::fast`]) and on their
//! general ones: call paths and records are the same, also where ends are missing. Their times are
//! the clock's, so they are not compared; those of several threads are, in [`super::fast_threads`].

use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;

use pompeii_live::node_offset;

use super::{Run, Setting};
use crate::descriptor::{Descriptor, Extension};
use crate::pomp::*;
use crate::tls::{self, Thread};

/// A construct of this name in a file of its own, which lives as long as the process.
pub fn construct(name: &CStr, sub_name: &CStr, file: &CStr) -> *mut Descriptor {
    construct_with(name, sub_name, file, c"")
}

/// A construct with clauses, or words of the instrumenter.
pub fn construct_with(
    name: &CStr,
    sub_name: &CStr,
    file: &CStr,
    clauses: &CStr,
) -> *mut Descriptor {
    Box::into_raw(Box::new(Descriptor {
        name: name.as_ptr(),
        sub_name: sub_name.as_ptr(),
        num_sections: 0,
        file_name: file.as_ptr(),
        begin_line1: 1,
        begin_line_n: 1,
        end_line1: 2,
        end_line_n: 2,
        data: AtomicPtr::new(null_mut::<c_void>()),
        next: Extension::new(clauses.as_ptr()),
    }))
}

/// Meets each construct in a region of one thread, in one another and one behind the other.
fn meet(file: &CStr) {
    // A lock is one for the whole process, by its name.
    let critical = construct(c"critical", file, file);
    let single = construct(c"single", c"", file);
    let [loops, barrier, ordered, flush] =
        [c"for", c"barrier", c"ordered", c"flush"].map(|name| construct(name, c"", file));
    let [f, g] = [c"f", c"g"].map(|name| construct(c"region", name, file));
    // SAFETY: descriptors and their texts are never freed.
    unsafe {
        for round in 0..4 {
            POMP_Begin(f);
            POMP_Critical_enter(critical);
            POMP_Critical_begin(critical);
            POMP_Begin(g);
            POMP_Flush_enter(flush);
            POMP_Flush_exit(flush);
            POMP_End(g);
            POMP_Critical_end(critical);
            POMP_Critical_exit(critical);
            // An end that is missing, and one too much.
            if round == 2 {
                POMP_Begin(g);
            }
            POMP_End(f);
            POMP_End(g);
            POMP_For_enter(loops, [100, 100, -1, 7][round]);
            POMP_Ordered_enter(ordered);
            POMP_Ordered_begin(ordered);
            POMP_Ordered_end(ordered);
            POMP_Ordered_exit(ordered);
            POMP_Barrier_enter(loops);
            POMP_Barrier_exit(loops);
            POMP_For_exit(loops);
            POMP_Single_enter(single);
            POMP_Single_begin(single);
            POMP_Single_end(single);
            POMP_Single_exit(single);
            POMP_Barrier_enter(barrier);
            POMP_Barrier_exit(barrier);
        }
    }
}

/// What is left of a run without its times.
fn run(setting: Setting) -> String {
    // Descriptors of equal content are one, and belong to one process.
    let file = CString::new(format!("{}{}.c", setting.general_only, setting.trace)).unwrap();
    let mut run = Run::new("1 T0 fork parallel p\n 2 T0 begin p 0/1", setting);
    tls::open(run.threads[0].1);
    meet(Box::leak(file.into_boxed_c_str()));
    tls::restore(Thread::Closed);
    for region in run.regions.len()..run.process.region_kinds().len() {
        run.regions.push(format!("r{region}"));
    }
    let text = run.trees() + &run.records();
    text.lines().map(without_times).collect::<Vec<_>>().join("\n")
}

/// A line of call paths without its ticks, or a record without its time.
fn without_times(line: &str) -> String {
    let is_time = |word: &&str| word.parse::<u64>().is_ok();
    if line.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
        return line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
    }
    let words = line.split(' ').filter(|word| !is_time(word));
    words.filter(|word| !word.contains("wait=")).collect::<Vec<_>>().join(" ")
}

#[test]
fn fast_ways_leave_what_the_general_ones_leave() {
    for trace in [false, true] {
        let of = |general_only| run(Setting { trace, general_only, ..Setting::default() });
        let (fast, general) = (of(false), of(true));
        assert_eq!(fast, general);
        assert!(fast.contains(" iterations=207/3,7..100"), "{fast}");
        assert!(!trace || fast.contains("ThreadReleaseLock"), "{fast}");
    }
}

/// How many of these visits of an atomic construct are counted, and how many timed.
fn atomics(visits: u32, general_only: bool, words: &'static CStr) -> [u64; 2] {
    let file = CString::new(format!("atomic{visits}{general_only}{words:?}.c")).unwrap();
    let file: &'static CStr = Box::leak(file.into_boxed_c_str());
    let setting = Setting { general_only, ..Setting::default() };
    let run = Run::new("1 T0 fork parallel p\n 2 T0 begin p 0/1", setting);
    let location = run.threads[0].1;
    tls::open(location);
    let atomic = construct_with(c"atomic", c"", file, words);
    for _ in 0..visits {
        // SAFETY: descriptors and their texts are never freed.
        unsafe {
            POMP_Atomic_enter(atomic);
            POMP_Atomic_exit(atomic);
        }
    }
    tls::restore(Thread::Closed);
    // SAFETY: no other thread uses the location.
    let location = unsafe { &mut *location };
    let nodes = (1..location.node_count()).map(|index| *location.node(node_offset(index)));
    let of = nodes.max_by_key(|node| node.visits).unwrap();
    [of.visits, of.undeferred]
}

#[test]
fn few_visits_of_an_atomic_are_timed() {
    for general_only in [false, true] {
        assert_eq!(atomics(1000, general_only, c""), [1000, 0]);
        // A statement with a call takes time for other reasons than the memory.
        assert_eq!(atomics(8 * 1024, general_only, c"calls"), [8 * 1024, 0]);
        // A visit that was interrupted is not taken.
        let [visits, timed] = atomics(8 * 1024, general_only, c"");
        assert_eq!(visits, 8 * 1024);
        assert!((1..=8).contains(&timed), "{timed}");
    }
}
