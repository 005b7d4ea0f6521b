//! Who is late at a barrier, on the whole road: arrivals with a synthetic clock are finished into an
//! experiment, and the analysis tells a thread that is late from one that came last by chance. Ticks
//! are nanoseconds.

use std::fmt::Write;

use expect_test::{Expect, expect};
use pompeii_analysis::{check_sum, findings, load};
use pompeii_cubex::Reader;
use pompeii_finish::{RunInfo, finish};
use pompeii_live::{Calibration, NotedEnd};

use super::{Run, Setting};

/// Microseconds that two threads compute before each barrier.
type Work = (u64, u64);

/// The finding at the barrier: its cause, its gain, and what was observed.
fn check(visits: impl Iterator<Item = Work>, expect: Expect) {
    let mut script = String::new();
    let mut now = 1_000;
    for line in ["T0 fork parallel p", "T0 begin p 0/2", "T1 begin p 1/2"] {
        let _ = writeln!(script, "{now} {line}");
        now += 10;
    }
    for (first, second) in visits {
        let mut arrivals = [(now + first * 1_000, "T0"), (now + second * 1_000 + 1, "T1")];
        arrivals.sort_unstable();
        for (time, thread) in arrivals {
            let _ = writeln!(script, "{time} {thread} arrive implicit_barrier");
        }
        now = arrivals[1].0 + 10;
        for thread in ["T0", "T1"] {
            let _ = writeln!(script, "{now} {thread} pass implicit_barrier");
            now += 1;
        }
    }
    for line in ["T0 end p", "T1 end p", "T0 join p"] {
        now += 10;
        let _ = writeln!(script, "{now} {line}");
    }
    let run = Run::new(&script, Setting::default());
    let end = now + 1_000;
    let end = Calibration { ticks: end, monotonic_ns: end, realtime_ns: end };
    run.process.end(NotedEnd::Exit(0), end);
    finish(run.folder.path(), &RunInfo::default()).unwrap().unwrap();
    let cube = load(&Reader::open(run.folder.path().join("profile.cubex")).unwrap()).unwrap();
    check_sum(&cube).unwrap();
    let mut shown = String::new();
    for finding in findings(&cube).iter().filter(|finding| finding.is_significant(&cube)) {
        let cause = finding.cause.map_or("?", |cause| cause.code());
        let gain = finding.gain.map_or(0, |gain| gain.ticks) / 1_000;
        let _ = writeln!(shown, "{} {cause}: gain {gain} us", finding.property.name);
        for line in finding.details.iter().chain([&finding.advice.sentence()]) {
            let _ = writeln!(shown, "  {line}");
        }
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_thread_that_is_late_in_each_visit() {
    check(
        (0..40).map(|visit| (300 + visit % 7 * 10, 200)),
        expect![[r#"
            omp_ibarrier_wait imbalance_steady: gain 2574 us
              Thread 0 arrives last in 100 % of 40 visits, 64 µs after the average.
              This thread has more work: split the work by cost, or use tasks.
        "#]],
    );
}

/// In every second visit only, but by more than the other one is late in the rest: a count of last
/// arrivals would call that chance.
#[test]
fn a_thread_that_is_late_by_far_in_half_of_the_visits() {
    check(
        (0..40).map(|visit| if visit % 2 == 0 { (300, 100) } else { (90, 100) }),
        expect![[r#"
            omp_ibarrier_wait imbalance_steady: gain 1899 us
              Thread 0 arrives last in 50 % of 40 visits, 52 µs after the average.
              This thread has more work: split the work by cost, or use tasks.
        "#]],
    );
}

/// In most visits, but by little: the rest makes up for it.
#[test]
fn a_thread_that_is_late_often_and_by_little() {
    let work = |visit| if visit % 5 == 4 { (100, 300) } else { (150, 100) };
    check(
        (0..40).map(work),
        expect![[r#"
            omp_ibarrier_wait imbalance_changing: gain 1599 us
              Different threads arrive last (thread 0 in 80 % of 40 visits), 40 µs after the average.
              No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
        "#]],
    );
}

/// One visit was interrupted for longer than all others took.
#[test]
fn one_interruption_is_no_cause() {
    check(
        (0..40).map(|visit| (if visit == 17 { 5_000 } else { 100 }, 100)),
        expect![[r#"
            omp_ibarrier_wait imbalance_changing: gain 2450 us
              Different threads arrive last (thread 1 in 98 % of 40 visits), 61 µs after the average.
              4.9 ms of the loss would vanish with an even spread of the work, 78 ns changes from visit to visit.
              No thread is always late: another static split does not help. Do more work between barriers, or use nowait if the next code does not need the results.
        "#]],
    );
}

#[test]
fn few_visits_are_counted() {
    check(
        [(300, 100), (400, 200), (310, 100)].into_iter(),
        expect![[r#"
            omp_ibarrier_wait imbalance_steady: gain 304 us
              Thread 0 arrives last in all 3 visits, 102 µs after the average.
              This thread has more work: split the work by cost, or use tasks.
        "#]],
    );
    check(
        [(300, 100), (100, 110), (310, 100)].into_iter(),
        expect![[r#"
            omp_ibarrier_wait imbalance_steady: gain 199 us
              Thread 0 arrives last in 2 of 3 visits, 70 µs after the average.
              Measure a longer run: there are too few visits to tell which thread has more work.
        "#]],
    );
}
