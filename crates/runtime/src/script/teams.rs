//! Teams and barriers.

use std::sync::atomic::Ordering::Relaxed;

use expect_test::expect;
use pompeii_live::RegionKind;

use super::{Run, Setting, check, parallel};
use crate::definitions::RegionText;
use crate::team;

#[test]
fn final_barrier_waits_for_the_latest_end() {
    check(
        "100 T0 fork parallel p
         105 T0 begin p 0/2
         110 T1 begin p 1/2
         150 T1 end p
         190 T0 end p
         200 T0 join p
         230 T0 enter after
         240 T0 exit after",
        expect![[r#"
            T0 until 240
              program 130
                parallel x1 90 management=5 fork=5
                  end of parallel x1 10 management=10 last=1 delay=40 spread=400
                after x1 10
            T1 until 200
              program 100
                T0's parallel x1 50 management=10 fork=10
                  end of parallel x1 50 wait=40 management=10 spread=400
        "#]],
    );
}

#[test]
fn final_barrier_that_was_made_explicit_is_one() {
    check(
        "100 T0 fork parallel p
         105 T0 begin p 0/2
         110 T1 begin p 1/2
         150 T1 arrive end of parallel
         190 T0 arrive end of parallel
         192 T0 pass end of parallel
         193 T1 pass end of parallel
         194 T0 end p
         195 T1 end p
         200 T0 join p",
        expect![[r#"
            T0 until 200
              program 100
                parallel x1 98 management=11 fork=5
                  end of parallel x1 2 last=1 delay=40 spread=400
            T1 until 200
              program 100
                T0's parallel x1 57 management=15 fork=10
                  end of parallel x1 43 wait=40 spread=400
        "#]],
    );
}

/// The fast way of the third end declines, because no time has passed since the other barrier.
#[test]
fn final_barrier_is_entered_right_after_another_barrier() {
    check(
        "10 T0 fork parallel p
         20 T0 begin p 0/1
         30 T0 arrive explicit
         40 T0 pass explicit
         50 T0 end p
         60 T0 join p
         70 T0 fork parallel q
         80 T0 begin q 0/1
         90 T0 arrive explicit
         100 T0 pass explicit
         110 T0 end q
         120 T0 join q
         130 T0 fork parallel r
         140 T0 begin r 0/1
         150 T0 arrive explicit
         160 T0 pass explicit
             T0 end r
         170 T0 join r",
        expect![[r#"
            T0 until 170
              program 30
                parallel x3 80 management=30 fork=30
                  explicit x3 30
                  end of parallel x3 30 management=30
        "#]],
    );
}

#[test]
fn loop_with_its_barrier_and_a_shared_exit_time() {
    check(
        "10 T0 fork parallel p
         12 T0 begin p 0/3
         13 T1 begin p 1/3
         14 T2 begin p 2/3
         20 T0 enter for
         21 T1 enter for
         22 T2 enter for
         30 T0 arrive barrier
         50 T1 arrive barrier
         45 T2 arrive barrier
         52 T1 pass barrier
         99 T1 loop-exit for
         53 T0 pass barrier
         99 T0 loop-exit for
         54 T2 pass barrier
         99 T2 loop-exit for
         60 T0 end p
         60 T1 end p
         60 T2 end p
         61 T0 join p",
        expect![[r#"
            T0 until 61
              program 10
                parallel x1 17 management=2 fork=2
                  for x1 10
                    barrier x1 23 wait=15 spread=136.1111111111111
                  end of parallel x1 1 management=1
            T1 until 61
              program 10
                T0's parallel x1 19 management=3 fork=3
                  for x1 29
                    barrier x1 2
                  end of parallel x1 1 management=1
            T2 until 61
              program 10
                T0's parallel x1 18 management=4 fork=4
                  for x1 23
                    barrier x1 9 last=1 delay=10 spread=11.111111111111112
                  end of parallel x1 1 management=1 last=1
        "#]],
    );
}

#[test]
fn loop_without_barrier_keeps_its_own_exit_time() {
    check(
        "10 T0 arrive explicit
         20 T0 pass explicit
         30 T0 enter for
         70 T0 loop-exit for",
        expect![[r#"
            T0 until 70
              program 20
                explicit x1 10
                for x1 40
        "#]],
    );
}

/// The worker is still in the final barrier of the first region when it begins the second; its time
/// between join and fork is outside of teams.
#[test]
fn workers_close_lazily_and_records_are_used_again() {
    check(
        "10 T0 fork parallel p
         12 T0 begin p 0/2
         12 T1 begin p 1/2
         20 T0 end p
         20 T1 end p
         25 T0 join p
         40 T0 fork parallel q
         42 T0 begin q 0/2
         44 T1 begin q 1/2
         50 T1 end q
         55 T0 end q
         56 T0 join q",
        expect![[r#"
            T0 until 56
              program 25
                parallel x2 25 management=4 fork=4
                  end of parallel x2 6 management=6 last=1 delay=5 spread=6.25
            T1 until 56
              program 25
                T0's parallel x2 20 management=6 fork=6
                  end of parallel x2 11 wait=5 management=6 last=1 spread=6.25
        "#]],
    );
}

/// Thread 0 of the outer team forks an inner one: the thread 1 of the inner is another location
/// than the thread 1 of the outer.
#[test]
fn nested_teams_have_locations_of_their_own() {
    check(
        "10 T0 fork outer p
         11 T0 begin p 0/2
         11 T1 begin p 1/2
         20 T0 fork inner q
         20 T1 fork inner r
         21 T0 begin q 0/2
         22 T0.1 begin q 1/2
         23 T1 begin r 0/2
         24 T1.1 begin r 1/2
         30 T0 end q
         34 T0.1 end q
         35 T0 join q
         40 T1 end r
         38 T1.1 end r
         41 T1 join r
         50 T0 end p
         51 T1 end p
         52 T0 join p",
        expect![[r#"
            T0 until 52
              program 10
                outer x1 25 management=1 fork=1
                  inner x1 10 management=1 fork=1
                    end of inner x1 5 wait=4 management=1 spread=4
                  end of outer x1 2 wait=1 management=1 spread=0.25
            T1 until 52
              program 10
                T0's outer x1 20 management=1 fork=1
                  inner x1 20 management=3 fork=3
                    end of inner x1 1 management=1
                  end of outer x1 1 management=1 last=1 delay=1 spread=0.25
            T0.1 until 35
              program 20
                T0's inner x1 14 management=2 fork=2
                  end of inner x1 1 management=1 last=1 delay=4 spread=4
            T1.1 until 41
              program 20
                T1's inner x1 18 management=4 fork=4
                  end of inner x1 3 management=3 last=1
        "#]],
    );
}

#[test]
fn a_region_left_without_ends_is_closed_at_the_join() {
    check(
        "10 T0 fork parallel p
         11 T0 begin p 0/2
         12 T1 begin p 1/2
         20 T0 enter X
         22 T1 enter X
         30 T1 enter Y
         50 T0 join p
         60 T0 fork parallel q
         61 T0 begin q 0/2
         62 T1 begin q 1/2
         70 T0 end q
         70 T1 end q
         71 T0 join q",
        expect![[r#"
            T0 until 71
              program 20
                parallel x2 20 management=2 fork=2
                  X x1 30
                  end of parallel x2 1 management=1
            T1 until 71
              program 20
                T0's parallel x2 22 management=4 fork=4
                  X x1 8
                    Y x1 0
                  end of parallel x2 21 management=21 last=2
        "#]],
    );
}

/// T0 was released from the barrier by `cancel`: its arrival there counts once.
#[test]
fn cancelled_barrier_is_arrived_at_once() {
    check(
        "10 T0 fork parallel p
         10 T0 begin p 0/2
         10 T1 begin p 1/2
         20 T0 arrive barrier
         40 T0 end p
         60 T1 end p
         61 T0 join p",
        expect![[r#"
            T0 until 61
              program 10
                parallel x1 10
                  barrier x1 20
                  end of parallel x1 21 wait=20 management=1
            T1 until 61
              program 10
                T0's parallel x1 50
                  end of parallel x1 1 management=1 last=1 delay=40 spread=400
        "#]],
    );
}

#[test]
fn throw_leaves_what_is_open_inside() {
    check(
        "10 T0 enter A
         20 T0 enter B
         30 T0 enter C
         40 T0 exit A
         50 T0 exit C
         60 T0 enter A
         70 T0 exit A",
        expect![[r#"
            T0 until 70
              program 30
                A x2 20
                  B x1 10
                    C x1 10
        "#]],
    );
}

#[test]
fn idle_worker_is_outside_of_teams() {
    check(
        "10 T0 fork wide p
         10 T0 begin p 0/3
         10 T1 begin p 1/3
         10 T2 begin p 2/3
         20 T0 end p
         20 T1 end p
         20 T2 end p
         20 T0 join p
         100 T0 fork narrow q
         100 T0 begin q 0/2
         100 T1 begin q 1/2
         150 T0 end q
         150 T1 end q
         150 T0 join q
         200 T0 fork wide r
         200 T0 begin r 0/3
         200 T1 begin r 1/3
         200 T2 begin r 2/3
         210 T0 end r
         210 T1 end r
         210 T2 end r
         210 T0 join r",
        expect![[r#"
            T0 until 210
              program 140
                wide x2 20
                  end of wide x2 0
                narrow x1 50
                  end of narrow x1 0
            T1 until 210
              program 140
                T0's wide x2 20
                  end of wide x2 0
                T0's narrow x1 50
                  end of narrow x1 0 last=1
            T2 until 210
              program 190
                T0's wide x2 20
                  end of wide x2 0 last=2
        "#]],
    );
}

#[test]
fn time_that_goes_back_is_the_last_time() {
    check(
        "50 T0 enter A
         40 T0 enter B
         45 T0 exit B
         60 T0 exit A",
        expect![[r#"
            T0 until 60
              program 50
                A x1 10
                  B x1 0
        "#]],
    );
}

#[test]
fn a_thread_that_ends_leaves_its_location_to_the_next() {
    check(
        "10 P enter work
         30 P thread-ends
         50 Q enter work
         70 Q exit work
         70 Q fork parallel p
         70 Q begin p 0/1
         80 Q end p
         80 Q join p",
        expect![[r#"
            T0 until 0
            P until 80
              program 30
                work x2 40
                parallel x1 10
                  end of parallel x1 0
            Q is P
        "#]],
    );
}

/// With LLVM's runtime a thread of an earlier team becomes an initial thread of a league: what it
/// does there is no part of the team's final barrier.
#[test]
fn a_worker_that_becomes_an_initial_thread() {
    check(
        "0 T0 fork parallel p
         0 T0 begin p 0/2
         0 T1 begin p 1/2
         10 T0 end p
         10 T1 end p
         12 T0 join p
         20 T0 enter teams
         22 T1 enter distribute
         30 T1 exit distribute
         40 T0 exit teams
         50 T0 fork parallel q
         50 T0 begin q 0/2
         51 T1 begin q 1/2
         60 T0 end q
         60 T1 end q
         60 T0 join q",
        expect![[r#"
            T0 until 60
              program 18
                parallel x2 20
                  end of parallel x2 2 management=2
                teams x1 20
            T1 until 60
              program 30
                T0's parallel x2 20 management=1 fork=1
                  end of parallel x2 2 management=2 last=2
                distribute x1 8
        "#]],
    );
}

/// T2 is not in the narrow region: the record of the wide one before is kept for it, and it leaves
/// that one with the time of its join, whatever has happened since.
#[test]
fn a_worker_that_pauses_leaves_its_region_when_that_has_joined() {
    let mut script = String::new();
    for (round, size) in [3, 2, 2, 3, 2, 3].into_iter().enumerate() {
        let (now, team) = (100 * (round + 1), format!("p{round}"));
        script += &format!("{now} T0 fork parallel {team}\n");
        for thread in 0..size {
            script += &format!("{} T{thread} begin {team} {thread}/{size}\n", now + 10);
        }
        for thread in 0..size {
            script += &format!("{} T{thread} end {team}\n", now + 20 + thread);
        }
        script += &format!("{} T0 join {team}\n", now + 30);
    }
    check(
        &script,
        expect![[r#"
            T0 until 630
              program 450
                parallel x6 120 management=60 fork=60
                  end of parallel x6 60 wait=9 management=51 spread=3.75
            T1 until 630
              program 450
                T0's parallel x6 126 management=60 fork=60
                  end of parallel x6 54 wait=3 management=51 last=3 delay=3 spread=0.75
            T2 until 630
              program 540
                T0's parallel x3 66 management=30 fork=30
                  end of parallel x3 24 management=24 last=3 delay=9 spread=3
        "#]],
    );
    let run = Run::new(&script, Setting::default());
    assert_eq!(run.process.header().teams.load(Relaxed), 3);
}

/// A team that the program has left without a join, as a jump out of it does, is used again like
/// others: what is inside of it is over when that of a team around it is.
#[test]
fn records_of_teams_that_never_join_are_used_again() {
    let run = Run::new("", Setting::default());
    let [outer, inner] = ["outer", "inner"]
        .map(|name| run.process.region(&RegionText::without_source(RegionKind::Parallel, name)));
    let barrier =
        run.process.region(&RegionText::without_source(RegionKind::ImplicitBarrier, "end"));
    let of = |region| parallel(region, barrier);
    run.with(run.threads[0].1, |thread| {
        for now in (0..30).map(|round| round * 100) {
            let around = team::fork(thread, outer, 1, now);
            team::begin(thread, (around.unwrap(), 0, 1), of(outer), now + 10);
            let inside = team::fork(thread, inner, 1, now + 20);
            team::begin(thread, (inside.unwrap(), 0, 1), of(inner), now + 30);
            team::end(thread, around.unwrap(), now + 40);
            team::join(thread, around, now + 50);
        }
    });
    assert_eq!(run.process.header().teams.load(Relaxed), 2);
}
