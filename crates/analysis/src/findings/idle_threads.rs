//! Idle threads: findings for the serial parts of the program, and one for each parallel region
//! whose team is smaller than the process.

use pompeii_model::{CallId, IndexVec, Paradigm, Region, RegionId, Role, Ticks};

use super::between::{self, Between};
use super::fractions::divide;
use super::paths::own_code;
use super::{Advice, Cause, Loss, Search, Site, Words, grouped, largest_parts};
use crate::{Lens, MANY_SAMPLES, format};

/// The finding is placed at the function that holds this share of the serial time below it.
const COMMON_SHARE: f64 = 0.9;
/// A function that takes this share of all serial time itself is worth a finding of its own.
const LARGE_SHARE: f64 = 0.2;

/// Parts of the program that run on one thread: one finding for each function that takes much of
/// it, wherever it is called from. The rest is summed, placed at the innermost call path that
/// contains nearly all of it, and listed.
pub(super) fn detect_serial(search: &mut Search) {
    let lens = search.lens;
    let serial = |call: &CallId| {
        serial_ticks(&lens, *call) > 0
            && !search.is_claimed("omp_idle_threads", *call)
            && !lens.region(*call).is_measurement_off()
    };
    let calls: Vec<CallId> = lens.cube.calls.ids().filter(serial).collect();
    let whole = serial_sum(&lens, &calls);
    let parts = between::parts(search, &calls);
    let (mut rest, mut is_sampled) = (Vec::new(), false);
    for (region, calls) in grouped(calls, |call| own_region(&lens, call)) {
        let is_large = sure_sum(&lens, &calls) >= LARGE_SHARE * whole as f64;
        let region = &lens.cube.regions[region];
        match is_large && is_named_code(region) {
            true => {
                is_sampled |= region.is_sampled();
                report_serial(search, own_code(lens.cube, calls[0]), calls, 0);
            }
            false => rest.extend(calls),
        }
    }
    if !rest.is_empty() {
        // The parts may contain what has been reported.
        let is_large = |lost: Ticks| lost as f64 >= LARGE_SHARE * whole as f64;
        let large = |part: &Between| !is_sampled && is_large(part.lost);
        let known = parts.into_iter().filter(large).map(|part| report_between(search, part, &rest));
        let known: Ticks = known.sum();
        let place = own_code(lens.cube, common_path(&lens, &rest, serial_sum(&lens, &rest)));
        report_serial(search, place, rest, known);
    }
}

/// Whether it is code that a programmer finds by its name or line and can make parallel. Calls of
/// MPI have a source as well, but are no such code. Sampled functions of a program that was built
/// without `-g` have a name only, and those of a stripped program only an address.
fn is_named_code(region: &Region) -> bool {
    let has_name = region.is_sampled() && !region.name.contains("+0x");
    region.paradigm != Paradigm::Mpi && (region.source().is_some() || has_name)
}

/// Reports the serial part between two constructs, which is in `calls`, and returns what is lost
/// there.
fn report_between(search: &mut Search, part: Between, calls: &[CallId]) -> Ticks {
    let lens = search.lens;
    let lost = part.lost.min(serial_sum(&lens, calls));
    let details = vec![format!("{} {}.", on_one_thread(&lens, lost), part.place(&lens))];
    let advice = Advice::none("Parallelise this code, or overlap it with other work.");
    let words = Words { cause: Some(Cause::SerialPart), details, advice };
    let site = Site {
        region: part.region(&lens),
        construct: part.construct(&lens),
        metric: "omp_idle_threads",
        calls: calls.to_vec(),
    };
    let gain = divide(lost, lens.threads() as i64);
    search.report("omp_idle_threads", site, Loss::new(lost, gain), words);
    lost
}

/// For how long one thread worked while others lost this.
fn on_one_thread(lens: &Lens, lost: Ticks) -> String {
    let seconds = format::seconds(lens.seconds(divide(lost, workers(lens))));
    let each = match lens.cube.system.processes.len() {
        1 => "",
        _ => " of each process",
    };
    format!("{seconds} run on one thread{each}")
}

fn workers(lens: &Lens) -> i64 {
    (lens.threads() as i64 - lens.cube.system.processes.len() as i64).max(1)
}

/// Reports serial time of `calls`, which belong to the region of `place`. What was lost in parts of
/// it that are `known` has been reported.
fn report_serial(search: &mut Search, place: CallId, calls: Vec<CallId>, known: Ticks) {
    let lens = search.lens;
    let lost = (serial_sum(&lens, &calls) - known).max(0);
    let threads = lens.threads() as i64;
    let region = lens.cube.calls.region(place);
    // Where one function has nearly all of it, a list says nothing, except of the system's
    // functions that it calls.
    let own = calls.iter().copied().filter(|&call| own_region(&lens, call) == region);
    let is_one = serial_sum(&lens, &own.collect::<Vec<_>>()) as f64 >= COMMON_SHARE * lost as f64;
    let has_system = calls.iter().any(|&call| lens.region(call).is_of_system());
    let largest = largest_parts(&lens, "omp_idle_threads", &calls, workers(&lens));
    let parts = match (is_one, known) {
        (_, 1..) => ", besides the parts that have findings of their own".to_owned(),
        (true, _) if !has_system || largest.is_empty() => String::new(),
        (false, _) if largest.is_empty() => {
            let functions = grouped(calls.iter().copied(), |call| lens.cube.calls.region(call));
            let functions = format::counted(functions.len() as i64, "function");
            format!(", in {functions} of which none has a twentieth of it")
        }
        _ => format!(": {largest}"),
    };
    let construct = lens.region(place).construct().to_owned();
    let mut details = vec![format!("{}{parts}.", on_one_thread(&lens, lost))];
    details.extend(around(&lens, place).filter(|_| is_one && known == 0));
    details.extend(few_samples(&lens, &calls));
    let advice = match (is_one || known > 0, lens.cube.calls.parent(place)) {
        (true, None) if lens.metric("samples").is_some() => {
            "Run it for longer: more samples show which functions this is."
        }
        (true, None) => "Mark regions with `omp inst begin(name)` to see which code this is.",
        (true, Some(_)) => "Parallelise it, or overlap it with other work.",
        (false, _) if largest.is_empty() => {
            "Look at the call tree (`pompeii html`) for what calls these functions: parallelise it, \
             or overlap it with other work."
        }
        (false, _) => "Parallelise the largest of these, or overlap it with other work.",
    };
    let site = Site { region, construct, metric: "omp_idle_threads", calls };
    let words = Words { cause: Some(Cause::SerialPart), details, advice: Advice::none(advice) };
    search.report("omp_idle_threads", site, Loss::new(lost, divide(lost, threads)), words);
}

/// Constructs and calls of MPI that are named as being around a serial part.
const AROUND: usize = 3;

/// What is around the serial part of a call path: a profile has no order of events, but most of the
/// time of a long run is next to what is visited most.
fn around(lens: &Lens, place: CallId) -> Option<String> {
    let children = lens.cube.calls.children(place).iter().copied();
    let with_place = children.filter(|&call| {
        let region = lens.region(call);
        let is_known = matches!(region.paradigm, Paradigm::OpenMp | Paradigm::Mpi);
        // Lock routines are called anywhere.
        is_known && region.role != Role::Lock && region.position().is_some()
    });
    // By the thread that has most of them: all threads of a team visit its region.
    let visits = |call: CallId| {
        let by_location = lens.by_location("visits", &[call]);
        by_location.iter().copied().max().unwrap_or(0)
    };
    let mut known: Vec<CallId> = with_place.collect();
    known.sort_by_cached_key(|&call| (-visits(call), call));
    known.truncate(AROUND);
    let name = |&call: &CallId| {
        let visits = format::counted(visits(call), "visit");
        format!("{} ({visits})", format::name_with_place(lens.cube, call))
    };
    let names: Vec<String> = known.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("It lies next to {}.", names.join(", ")))
}

/// The function or construct of the program's own that a call path is in.
fn own_region(lens: &Lens, call: CallId) -> RegionId {
    lens.cube.calls.region(own_code(lens.cube, call))
}

fn serial_sum(lens: &Lens, calls: &[CallId]) -> i64 {
    calls.iter().map(|&call| serial_ticks(lens, call)).sum()
}

/// The serial time that the calls of one function surely have. That of a sampled function is an
/// estimate by a number of samples, whose standard deviation is its square root: one sample among
/// a few says nothing of a function. Two standard deviations less are sure.
fn sure_sum(lens: &Lens, calls: &[CallId]) -> f64 {
    let ticks = serial_sum(lens, calls) as f64;
    if !calls.iter().any(|&call| lens.region(call).is_sampled()) {
        return ticks;
    }
    let samples = lens.sum("samples", calls).max(1) as f64;
    ticks * (1.0 - 2.0 / samples.sqrt())
}

/// Says if the call paths are known from few samples.
fn few_samples(lens: &Lens, calls: &[CallId]) -> Option<String> {
    let sampled = calls.iter().copied().filter(|&call| lens.region(call).is_sampled());
    let sampled: Vec<CallId> = sampled.collect();
    let samples = lens.sum("samples", &sampled);
    (!sampled.is_empty() && samples < MANY_SAMPLES).then(|| {
        let samples = format::counted(samples, "sample");
        format!("The functions are known from {samples} only.")
    })
}

fn serial_ticks(lens: &Lens, call: CallId) -> i64 {
    lens.own("omp_idle_threads", call) - lens.own("omp_limited_parallelism", call)
}

/// Descends from the root while one child contains nearly all of the serial time.
fn common_path(lens: &Lens, serial: &[CallId], lost: i64) -> CallId {
    let calls = &lens.cube.calls;
    let mut below: IndexVec<CallId, i64> = calls.ids().map(|_| 0).collect();
    serial.iter().for_each(|&call| below[call] += serial_ticks(lens, call));
    for call in calls.ids().rev() {
        if let Some(parent) = calls.parent(call) {
            let ticks = below[call];
            below[parent] += ticks;
        }
    }
    let holds_most = |&call: &CallId| below[call] as f64 >= COMMON_SHARE * lost as f64;
    let mut at = calls.root(serial[0]);
    while let Some(next) = calls.children(at).iter().copied().find(holds_most) {
        at = next;
    }
    at
}

/// Parallel regions in which only some of the threads take part.
pub(super) fn detect_limited(search: &mut Search) {
    let metric = "omp_limited_parallelism";
    for (region, calls) in search.losses(metric) {
        limited(search, metric, region, calls);
    }
}

fn limited(search: &mut Search, metric: &'static str, region: RegionId, calls: Vec<CallId>) {
    let lens = search.lens;
    let lost = lens.sum(metric, &calls);
    let threads = lens.threads() as i64;
    let idle = lens.by_location(metric, &calls);
    let idle = idle.iter().filter(|&&idle| idle > 0).count() as i64;
    let construct = lens.region(calls[0]).construct().to_owned();
    let details = vec![format!(
        "{} of {} are idle meanwhile, {} each.",
        idle,
        format::counted(threads, "thread"),
        format::seconds(lens.seconds(lost) / idle.max(1) as f64),
    )];
    let advice = Advice::none("Check num_threads, if clauses and nesting of this region.");
    let site = Site { region, construct, metric, calls };
    let gain = divide(lost, threads);
    search.report(metric, site, Loss::new(lost, gain), Words { cause: None, details, advice });
}

#[cfg(test)]
mod tests {
    use super::super::{check, check_with_waits};
    use expect_test::expect;

    #[test]
    fn large_serial_parts_are_findings_and_the_rest_is_summed() {
        check(
            "wall=1000 locations=4
             a/main@a.c:60                           0  time=50 visits=1
             a/main@a.c:60/read_forcing@a.c:10       0  time=400 visits=1
             a/main@a.c:60/write_state@a.c:30        0  time=200 visits=1
             a/main@a.c:60/parallel@a.c:70           *  time=350 visits=1",
            expect![[r#"
                a.c:10 read_forcing | omp_idle_threads lost=1200 gain=300 (245 to 355)
                    [serial_part, none]
                    0.40 s run on one thread.
                    Parallelise it, or overlap it with other work.
                a.c:30 write_state | omp_idle_threads lost=600 gain=150 (118 to 182)
                    [serial_part, none]
                    0.20 s run on one thread.
                    Parallelise it, or overlap it with other work.
                a.c:60 main | omp_idle_threads lost=150 gain=38 (24 to 53)
                    [serial_part, none]
                    50 ms run on one thread.
                    It lies next to parallel a.c:70 (1 visit).
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }

    /// The program was not instrumented, and its serial part was too short for a sample.
    #[test]
    fn without_samples_of_a_serial_part_the_run_was_too_short() {
        check(
            "wall=1000 locations=2
             a                                  0  time=600
             a/parallel@a.c:70                  *  time=350 visits=1
             a/parallel@a.c:70/f@a.c:1 sampled  *  time=50 samples=5",
            expect![[r#"
                ? a | omp_idle_threads lost=600 gain=300 (245 to 355)
                    [serial_part, none]
                    0.60 s run on one thread.
                    It lies next to parallel a.c:70 (1 visit).
                    Run it for longer: more samples show which functions this is.
            "#]],
        );
    }

    /// The program was built without `-g`; then it was stripped, too.
    #[test]
    fn a_function_without_a_line_is_found_by_its_name() {
        let text = |name: &str| {
            format!(
                "wall=1000 locations=2
                 a/main@ sampled/{name}@ sampled  0  time=560 samples=56
                 a/main@ sampled/run@ sampled   0  time=40 samples=4
                 a/parallel@a+0x1200            *  time=400 visits=9"
            )
        };
        let waits = [("a/parallel", 0, "a", 0, 600)];
        check_with_waits(
            &text("init"),
            &waits,
            expect![[r#"
            ? init | omp_idle_threads lost=560 gain=280 (228 to 332)
                [serial_part, none]
                0.56 s run on one thread.
                Parallelise it, or overlap it with other work.
            ? run | omp_idle_threads lost=40 gain=20 (14 to 33)
                [serial_part, none]
                40 ms run on one thread.
                The functions are known from 4 samples only.
                Parallelise it, or overlap it with other work.
        "#]],
        );
        check_with_waits(
            &text("a+0x1100"),
            &waits,
            expect![[r#"
            a+0x1200 serial part before parallel | omp_idle_threads lost=600 gain=300 (245 to 355)
                [serial_part, none]
                0.60 s run on one thread before parallel a+0x1200, 9 times.
                Parallelise this code, or overlap it with other work.
        "#]],
        );
    }

    /// Each of the three functions has a third of the serial time.
    fn sampled(samples: i64, expected: expect_test::Expect) {
        let path = |name: &str| {
            format!("a/main@a.c:60 sampled/{name} sampled  0  time=200 samples={samples}\n")
        };
        let paths: String = ["f@a.c:1", "g@a.c:2", "h@a.c:3"].map(path).concat();
        let text = format!(
            "wall=1000 locations=2\n{paths}
             a/parallel@a.c:70  *  time=400 visits=1"
        );
        check(&text, expected);
    }

    #[test]
    fn functions_with_few_samples_have_no_findings_of_their_own() {
        sampled(
            1,
            expect![[r#"
            a.c:60 main | omp_idle_threads lost=600 gain=300 (245 to 355)
                [serial_part, none]
                0.60 s run on one thread: f (0.20 s), g (0.20 s).
                The functions are known from 3 samples only.
                Parallelise the largest of these, or overlap it with other work.
        "#]],
        );
        sampled(
            30,
            expect![[r#"
            a.c:1 f | omp_idle_threads lost=200 gain=100 (75 to 125)
                [serial_part, none]
                0.20 s run on one thread.
                Parallelise it, or overlap it with other work.
            a.c:2 g | omp_idle_threads lost=200 gain=100 (75 to 125)
                [serial_part, none]
                0.20 s run on one thread.
                Parallelise it, or overlap it with other work.
            a.c:3 h | omp_idle_threads lost=200 gain=100 (75 to 125)
                [serial_part, none]
                0.20 s run on one thread.
                Parallelise it, or overlap it with other work.
        "#]],
        );
    }

    /// Memory is taken from the system and given back. The code that does it is the cause.
    #[test]
    fn functions_of_the_system_are_a_part_of_their_callers() {
        check(
            "wall=1000 locations=2
             a/main@a.c:60 sampled/apply@a.c:5 sampled  0  time=40 samples=40
             a/main@a.c:60 sampled/apply@a.c:5 sampled/free@malloc.c:9 sampled of_system/brk@brk.c:3 sampled of_system  0  time=560 samples=560
             a/parallel@a.c:70  *  time=400 visits=1",
            expect![[r#"
                a.c:5 apply | omp_idle_threads lost=600 gain=300 (245 to 355)
                    [serial_part, none]
                    0.60 s run on one thread: brk (0.56 s), apply (40 ms).
                    Parallelise it, or overlap it with other work.
            "#]],
        );
    }

    /// As in an interpreter. In the first run, two call paths are of one function, which has a
    /// twentieth. In the second one they are in a parallel region.
    #[test]
    fn many_small_functions_are_counted() {
        let text = |first: &str| {
            let paths = (0..40).map(|n| match n {
                0 | 1 => format!("a/g{n}@a.c:{} sampled/{first}  0  time=12 samples=2\n", n + 100),
                _ => format!("a/f{n}@a.c:{n} sampled  0  time=12 samples=2\n"),
            });
            let paths: String = paths.collect();
            format!("wall=1000 locations=2\n{paths} a/parallel@a.c:70  *  time=520 visits=1")
        };
        check(
            &text("eval@a.c:90 sampled"),
            expect![[r#"
            ? a | omp_idle_threads lost=480 gain=240 (194 to 286)
                [serial_part, none]
                0.48 s run on one thread: eval (24 ms).
                Parallelise the largest of these, or overlap it with other work.
        "#]],
        );
        check(
            &text("parallel@a.c:90"),
            expect![[r#"
            ? a | omp_idle_threads lost=456 gain=228 (184 to 272)
                [serial_part, none]
                0.46 s run on one thread, in 38 functions of which none has a twentieth of it.
                Look at the call tree (`pompeii html`) for what calls these functions: parallelise it, or overlap it with other work.
            a.c:90 parallel | omp_limited_parallelism lost=24 gain=12 (9 to 23)
                [?, none]
                1 of 2 threads are idle meanwhile, 24 ms each.
                Check num_threads, if clauses and nesting of this region.
        "#]],
        );
    }

    #[test]
    fn without_functions_the_program_is_named() {
        check(
            "wall=1000 locations=2
             a                  0  time=400
             a/parallel@a.c:70  *  time=600 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=400 gain=200 (160 to 240)
                    [serial_part, none]
                    0.40 s run on one thread.
                    It lies next to parallel a.c:70 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn what_one_call_path_has_nearly_all_of_is_no_list() {
        check(
            "wall=1000 locations=2
             a                   0  time=570 visits=1
             a/init@a.c:9        0  time=30 visits=1
             a/parallel@a.c:70   *  time=400 visits=1",
            expect![[r#"
                ? a | omp_idle_threads lost=600 gain=300 (245 to 355)
                    [serial_part, none]
                    0.60 s run on one thread.
                    It lies next to parallel a.c:70 (1 visit).
                    Mark regions with `omp inst begin(name)` to see which code this is.
            "#]],
        );
    }

    #[test]
    fn a_serial_part_lies_next_to_what_is_visited_most() {
        check(
            "wall=1000 locations=2
             a                      0  time=400 visits=1
             a/parallel@a.c:50      *  time=100 visits=1
             a/parallel@a.c:70      *  time=200 visits=40
             a/MPI_Waitall@b.c:9    0  time=1 visits=80
             a/MPI_Init             0  time=1 visits=100
             a/parallel@a.c:90      *  time=298 visits=20",
            expect![[r#"
                ? a | omp_idle_threads lost=400 gain=200 (160 to 240)
                    [serial_part, none]
                    0.40 s run on one thread.
                    It lies next to MPI_Waitall b.c:9 (80 visits), parallel a.c:70 (40 visits), parallel a.c:90 (20 visits).
                    Mark regions with `omp inst begin(name)` to see which code this is.
                b.c:9 MPI_Waitall | mpi_point2point lost=2 gain=1 (0 to 4)
                    [idle_during_mpi, none]
                    80 visits, 1.0 ms in all.
                    Let the other threads work meanwhile: communicate on one thread of a parallel region (masked, task), next to work that does not need the data.
            "#]],
        );
    }

    #[test]
    fn a_small_team_in_a_large_process() {
        check(
            "wall=100 locations=4
             a/parallel@a.c:70  *    time=40 visits=1
             a/parallel@a.c:80  0-1  time=60 visits=1",
            expect![[r#"
                a.c:80 parallel | omp_limited_parallelism lost=120 gain=30 (25 to 35)
                    [?, none]
                    2 of 4 threads are idle meanwhile, 60 ms each.
                    Check num_threads, if clauses and nesting of this region.
            "#]],
        );
    }
}
