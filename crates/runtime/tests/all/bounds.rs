//! How many instructions of the library a construct may take. `oracle_programs` counts them, and
//! `docs/dev/event-paths.md` has the same table.
//!
//! To add one: a kind in `programs/hot.c`, its line here, and its row there.

/// A construct of `programs/hot.c` or `gomp_hot.c`.
pub struct Bound {
    /// Its name.
    pub construct: &'static str,
    /// Its letter there.
    pub kind: &'static str,
    /// Records that a trace gets for it, where the bounds follow from them.
    pub records: Option<u64>,
    /// Instructions in a profile, where that is measured.
    pub profile: Option<u64>,
    /// Instructions in a trace.
    pub trace: u64,
}

impl Bound {
    /// What passes. What is counted depends on the compilers: the numbers are those of rustc 1.95.0
    /// and gcc 12.2.0, and a tenth more passes.
    pub fn most(&self, traced: bool) -> u64 {
        let counted = match self.profile {
            Some(profile) if !traced => profile,
            _ => self.trace,
        };
        counted + counted / 10
    }

    /// Its row in the document.
    fn row(&self) -> String {
        let cell = |number: Option<u64>| number.map_or(String::new(), |value| format!(" {value}"));
        let Bound { construct, records, profile, trace, .. } = self;
        format!("| {construct} |{} |{} | {trace} |", cell(*records), cell(*profile))
    }
}

/// Instructions for each record that a trace gets for a construct, in a profile and in a trace.
const PER_RECORD: (u64, u64) = (30, 45);

const fn of_records(construct: &'static str, kind: &'static str, records: u64) -> Bound {
    let (profile, trace) = (Some(PER_RECORD.0 * records), PER_RECORD.1 * records);
    Bound { construct, kind, records: Some(records), profile, trace }
}

const fn in_all(construct: &'static str, kind: &'static str, profile: u64, trace: u64) -> Bound {
    Bound { construct, kind, records: None, profile: Some(profile), trace }
}

const fn guarded(construct: &'static str, kind: &'static str, trace: u64) -> Bound {
    Bound { construct, kind, records: None, profile: None, trace }
}

/// With the archive as it is shipped, on one thread. A loop's exit shares the time of its barrier.
pub static BY_RECORDS: [Bound; 11] = [
    of_records("function", "f", 2),
    of_records("barrier of one thread", "b", 2),
    of_records("critical", "c", 6),
    of_records("single", "s", 4),
    of_records("loop with barrier of one thread", "l", 4),
    of_records("timed flush", "y", 2),
    of_records("ordered", "o", 4),
    // With two questions to the OpenMP runtime.
    of_records("master's part of a region", "p", 8),
    // Enter, TaskCreate and Leave of the creation; TaskSwitch, Enter, Leave and TaskComplete of
    // the instance; and the TaskSwitch back.
    of_records("task", "t", 8),
    // (With final clauses in the program, a call of OpenMP's more.)
    of_records("task that its creator executes at once", "m", 8),
    // Enter and Leave of the taskwait, too.
    of_records("task and taskwait", "w", 10),
];

/// A worker's part of a region, whose end it waits for, and leaves when it begins the next one, two
/// questions to the OpenMP runtime included.
pub static WORKER: Bound = of_records("worker's part of a region", "P", 6);

/// The same per construct where there are no records, where threads meet, and of tasks.
pub static IN_ALL: [Bound; 8] = [
    in_all("barrier, both of two threads", "B", 249, 297),
    in_all("loop with barrier, both of two threads", "L", 345, 439),
    in_all("flush", "x", 26, 26),
    in_all("iteration", "i", 122, 122),
    in_all("iteration of a task", "g", 169, 169),
    in_all("task of a taskloop with one iteration", "G", 249, 297),
    in_all("undeferred task", "u", 57, 64),
    in_all("three calls, each with two undeferred tasks and a taskwait", "r", 500, 551),
];

/// Visits that are only summed.
pub static GUARDED: [Bound; 5] = [
    guarded("function, guarded", "f", 98),
    guarded("timed flush, guarded", "y", 116),
    guarded("critical, guarded", "c", 214),
    guarded("single, guarded", "s", 212),
    guarded("ordered, guarded", "o", 256),
];

/// One that the filter leaves out.
pub static FILTERED: Bound = in_all("function, filtered", "f", 34, 34);

/// A mutex that is free, in functions that begin with `pomp_mutex`.
pub static MUTEX: Bound = in_all("mutex of POSIX threads, locked and unlocked", "k", 124, 758);

/// 32 items of `depend` clauses. A profile only finds the end of their letters.
pub static ITEMS: Bound = in_all("32 items", "e", 16, 546);

/// What a construct of a program of gcc takes more if libgomp's calls are measured. The kind is the
/// function of `programs/gomp_hot.c`.
pub static OF_LIBGOMP: [Bound; 10] = [
    in_all("barrier of one thread", "many_barriers", 72, 96),
    in_all("critical", "many_criticals", 177, 270),
    in_all("single with barrier", "many_singles", 209, 274),
    in_all("loop with barrier", "many_loops", 134, 223),
    in_all("iteration with ordered", "many_ordered", 141, 189),
    in_all("taskwait", "many_taskwaits", 52, 57),
    in_all("undeferred task", "many_undeferred", 153, 163),
    in_all("task that its creator executes at once", "many_tasks", 298, 424),
    in_all("lock, set and unset", "many_locks", 219, 455),
    in_all("region of one thread", "many_parallels", 298, 443),
];

#[test]
fn the_document_has_these_bounds() {
    let text = include_str!("../../../../docs/dev/event-paths.md");
    let rows = |head: &str| -> Vec<&str> {
        let (_, table) = text.split_once(head).unwrap();
        table.lines().skip(1).take_while(|line| line.starts_with('|')).collect()
    };
    let of_libgomp: Vec<String> = OF_LIBGOMP.iter().map(Bound::row).collect();
    assert_eq!(rows("| construct, by libgomp | records | profile | trace |\n"), of_libgomp);
    let rows = rows("| construct | records | profile | trace |\n");
    let known = BY_RECORDS.iter().chain([&WORKER]).chain(&IN_ALL).chain(&GUARDED);
    let known: Vec<String> = known.chain([&FILTERED, &MUTEX]).map(Bound::row).collect();
    assert_eq!(rows, known);
}
