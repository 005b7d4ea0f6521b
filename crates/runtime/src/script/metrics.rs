//! Metrics: the counter of a script counts its time, so what a node has counted is the time between
//! borders that ended there.

use expect_test::expect;

use super::check_metrics;

/// 10 outside of f, 40 in f of which the loop is a part, 50 in g; what comes after the last border
/// is not counted before the process ends.
#[test]
fn user_regions_are_borders_and_other_constructs_are_not() {
    check_metrics(
        "10 T0 enter f
         20 T0 enter implicit_barrier
         40 T0 exit implicit_barrier
         45 T0 enter g
         95 T0 exit g
         100 T0 exit f",
        expect![[r#"
            T0 program 10
            T0 f 40
            T0 g 50
            T0
               10 Metric [U64(10)]
               10 Enter f
               20 Enter implicit_barrier
               40 Leave implicit_barrier
               45 Metric [U64(45)]
               45 Enter g
               95 Metric [U64(95)]
               95 Leave g
              100 Metric [U64(100)]
              100 Leave f
        "#]],
    );
}

/// The worker counts from its begin to its end in the teams, and in between at its root.
#[test]
fn a_worker_counts_in_its_teams_and_outside() {
    check_metrics(
        "100 T0 fork parallel p
         105 T0 begin p 0/2
         110 T1 begin p 1/2
         150 T1 end p
         190 T0 end p
         200 T0 join p
         300 T0 fork parallel q
         301 T0 begin q 0/2
         302 T1 begin q 1/2
         310 T1 end q
         312 T0 end q
         320 T0 join q",
        expect![[r#"
            T0 program 200
            T0 parallel 102
            T0 end of parallel 18
            T1 program 262
            T1 T0's parallel 48
            T0
              100 Metric [U64(100)]
              100 ThreadFork 2
              105 ThreadTeamBegin 1
              105 Enter parallel
              190 Metric [U64(190)]
              190 Enter end of parallel
              200 Metric [U64(200)]
              200 Leave end of parallel
              200 Leave parallel
              200 ThreadTeamEnd 1
              200 ThreadJoin
              300 Metric [U64(300)]
              300 ThreadFork 2
              301 ThreadTeamBegin 1
              301 Enter parallel
              312 Metric [U64(312)]
              312 Enter end of parallel
              320 Metric [U64(320)]
              320 Leave end of parallel
              320 Leave parallel
              320 ThreadTeamEnd 1
              320 ThreadJoin
            T1
              110 ThreadTeamBegin 1
              110 Enter parallel
              150 Metric [U64(150)]
              150 Enter end of parallel
              200 Leave end of parallel
              200 Leave parallel
              200 ThreadTeamEnd 1
              302 ThreadTeamBegin 1
              302 Enter parallel
              310 Metric [U64(310)]
              310 Enter end of parallel
              320 Leave end of parallel
              320 Leave parallel
              320 ThreadTeamEnd 1
        "#]],
    );
}

/// The barrier is suspended while a runs, and a while b does.
#[test]
fn a_suspended_task_does_not_count() {
    check_metrics(
        "0 T0 fork parallel p
         0 T0 begin p 0/1
         1 T0 create tied a
         2 T0 created tied a
         10 T0 arrive barrier
         20 T0 run tied a
         30 T0 create tied-b b
         32 T0 created tied-b b
         35 T0 taskwait w
         40 T0 run tied-b b
         60 T0 done tied-b b
         62 T0 waited w
         70 T0 done tied a
         75 T0 pass barrier
         80 T0 end p
         85 T0 join p",
        expect![[r#"
            T0 parallel 15
            T0 barrier 15
            T0 tied 23
            T0 w 7
            T0 tied-b 20
            T0 end of parallel 5
            T0
                0 Metric [U64(0)]
                0 ThreadFork 2
                0 ThreadTeamBegin 1
                0 Enter parallel
                1 Enter create tied
                1 ThreadTaskCreate 1:0:1
                2 Leave create tied
               10 Metric [U64(10)]
               10 Enter barrier
               20 Metric [U64(20)]
               20 ThreadTaskSwitch 1:0:1
               20 Enter tied
               30 Enter create tied-b
               30 ThreadTaskCreate 1:0:2
               32 Leave create tied-b
               35 Metric [U64(35)]
               35 Enter w
               40 Metric [U64(40)]
               40 ThreadTaskSwitch 1:0:2
               40 Enter tied-b
               60 Metric [U64(60)]
               60 Leave tied-b
               60 ThreadTaskComplete 1:0:2
               62 ThreadTaskSwitch 1:0:1
               62 Metric [U64(62)]
               62 Leave w
               70 Metric [U64(70)]
               70 Leave tied
               70 ThreadTaskComplete 1:0:1
               75 ThreadTaskSwitch 1:0:0
               75 Metric [U64(75)]
               75 Leave barrier
               80 Metric [U64(80)]
               80 Enter end of parallel
               85 Metric [U64(85)]
               85 Leave end of parallel
               85 Leave parallel
               85 ThreadTeamEnd 1
               85 ThreadJoin
        "#]],
    );
}
