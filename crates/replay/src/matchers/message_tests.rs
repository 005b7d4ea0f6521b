//! Messages in traces as texts, with waiting that was computed by hand.

use expect_test::{Expect, expect};

use crate::text;

/// What matchers find in a text, for all numbers of threads and windows: the lines of the result
/// that are no call paths.
pub(crate) fn finds(trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    let all = text::analyse(&trace).unwrap();
    let found = all.lines().filter(|line| !line.contains("  time=") && !line.starts_with("part "));
    expect.assert_eq(&found.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_receive_waits_until_the_send_begins() {
    // 30 - 10 = 20. The send is in time, because the receive was there before it.
    finds(
        "end 100
         comm W = 0 1
         0 0.0 + main
         0 1.0 + main
         10 1.0 + MPI_Recv
         30 0.0 + MPI_Send; send 1 W 7 8
         40 0.0 -
         45 1.0 recv 0 W 7 8; -
         90 0.0 -
         90 1.0 -",
        expect![[r#"
            late sender 1.0 program/main/MPI_Recv 10..45: wait 20 for 0.0 program/main/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn a_send_waits_until_its_receive_is_posted() {
    // The first send waits 50 - 20 = 30. The second one ends at 62, before the receive begins at 70.
    // MPI_Sendrecv waits for both, so its waiting is not that of a sender.
    finds(
        "end 200
         comm W = 0 1
         20 0.0 + MPI_Ssend; send 1 W 7 0
         50 1.0 + MPI_Recv
         55 0.0 -
         56 1.0 recv 0 W 7 0; -
         60 0.0 + MPI_Send; send 1 W 7 8
         62 0.0 -
         70 1.0 + MPI_Recv
         71 1.0 recv 0 W 7 8; -
         80 0.0 + MPI_Sendrecv; send 1 W 7 8
         90 1.0 + MPI_Sendrecv; send 0 W 7 8
         95 0.0 recv 1 W 7 8; -
         95 1.0 recv 0 W 7 8; -",
        expect![[r#"
            late receiver 0.0 program/MPI_Ssend 20..55: wait 30 for 1.0 program/MPI_Recv, 0 bytes
            late sender 0.0 program/MPI_Sendrecv 80..95: wait 10 for 1.0 program/MPI_Sendrecv, 8 bytes
        "#]],
    );
}

#[test]
fn a_call_that_completes_several_messages_waits_for_the_last_one() {
    // MPI_Waitall begins at 20. Its receives were sent at 35 and 60: it waits 40 for rank 2. The wait
    // of rank 1 for its send begins at 38, and the receive was posted at 5: no waiting.
    finds(
        "end 100
         comm W = 0 1 2
         5 0.0 + MPI_Irecv; post 1
         6 0.0 -
         8 0.0 + MPI_Irecv; post 2
         9 0.0 -
         20 0.0 + MPI_Waitall
         35 1.0 + MPI_Isend; isend 0 W 1 8 9
         36 1.0 -
         38 1.0 + MPI_Wait
         39 1.0 sent 9; -
         60 2.0 + MPI_Send; send 0 W 2 16
         64 2.0 -
         70 0.0 irecv 1 W 1 8 1; irecv 2 W 2 16 2; -",
        expect![[r#"
            late sender 0.0 program/MPI_Waitall 20..70: wait 40 for 2.0 program/MPI_Send, 16 bytes
        "#]],
    );
}

#[test]
fn a_wait_for_a_send_waits_for_the_receiver_unless_it_waits_for_a_sender() {
    // The first wait of rank 0 begins at 10, the receive at 40: 30 ticks. The second one completes a
    // send (posted at 70) and a receive (sent at 65): it is a late sender of 15 ticks, and nothing
    // else. A test does not wait at all.
    finds(
        "end 200
         comm W = 0 1
         5 0.0 + MPI_Isend; isend 1 W 7 8 1
         6 0.0 -
         10 0.0 + MPI_Wait
         40 1.0 + MPI_Recv
         45 0.0 sent 1; -
         45 1.0 recv 0 W 7 8; -
         47 0.0 + MPI_Isend; isend 1 W 7 8 2
         47 0.0 -
         48 0.0 + MPI_Irecv; post 3
         48 0.0 -
         50 0.0 + MPI_Waitall
         65 1.0 + MPI_Send; send 0 W 8 8
         66 1.0 -
         70 1.0 + MPI_Recv
         75 0.0 sent 2; irecv 1 W 8 8 3; -
         75 1.0 recv 0 W 7 8; -
         80 0.0 + MPI_Irecv; post 4
         80 0.0 -
         85 0.0 + MPI_Test
         90 1.0 + MPI_Send; send 0 W 8 8
         95 0.0 irecv 1 W 8 8 4; -
         95 1.0 -",
        expect![[r#"
            late receiver 0.0 program/MPI_Wait 10..45: wait 30 for 1.0 program/MPI_Recv, 8 bytes
            late sender 0.0 program/MPI_Waitall 50..75: wait 15 for 1.0 program/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn a_message_overtakes_one_that_was_waited_for() {
    // Rank 0 waits from 10 to 50 for rank 1. The message of rank 2 was sent at 20, before that, and
    // is received later: the 40 ticks of waiting were for messages in the wrong order. The receive
    // of tag 4 waits from 60 to 80 for a message that was sent after that of tag 3 (at 70): the same
    // source.
    finds(
        "end 200
         comm W = 0 1 2
         10 0.0 + MPI_Recv
         20 2.0 + MPI_Send; send 0 W 2 8
         21 2.0 -
         50 1.0 + MPI_Send; send 0 W 1 8
         51 1.0 -
         52 0.0 recv 1 W 1 8; -
         54 0.0 + MPI_Recv
         55 0.0 recv 2 W 2 8; -
         60 0.0 + MPI_Recv
         70 1.0 + MPI_Send; send 0 W 3 8
         71 1.0 -
         80 1.0 + MPI_Send; send 0 W 4 8
         81 1.0 -
         82 0.0 recv 1 W 4 8; -
         90 0.0 + MPI_Recv
         91 0.0 recv 1 W 3 8; -",
        expect![[r#"
            late sender 0.0 program/MPI_Recv 10..52: wait 40 for 1.0 program/MPI_Send, 8 bytes
            wrong order, other source 0.0 program/MPI_Recv 10..52: wait 40 for 1.0 program/MPI_Send, 8 bytes
            late sender 0.0 program/MPI_Recv 60..82: wait 20 for 1.0 program/MPI_Send, 8 bytes
            wrong order, same source 0.0 program/MPI_Recv 60..82: wait 20 for 1.0 program/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn a_send_after_its_receive_is_a_clock_error_and_waiting_ends_with_the_call() {
    // The send begins at 80, after the receive has ended at 30: the receive waited 30 - 10 = 20 at
    // most.
    finds(
        "end 100
         comm W = 0 1
         10 1.0 + MPI_Recv
         30 1.0 recv 0 W 7 8; -
         80 0.0 + MPI_Send; send 1 W 7 8
         90 0.0 -",
        expect![[r#"
            late sender 1.0 program/MPI_Recv 10..30: wait 20 for 0.0 program/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn messages_that_are_on_their_way_at_the_end_are_counted() {
    // Rank 1 is killed in its second receive, and the third send is never received: two sends are
    // incomplete. MPI_Waitall completes a send without a receive: it waits 25 - 15 = 10 for the
    // sender of the other one.
    finds(
        "end 100
         comm W = 0 1
         0 0.0 + MPI_Send; send 1 W 7 8
         1 0.0 -
         5 1.0 + MPI_Recv
         6 1.0 recv 0 W 7 8; -
         10 0.0 + MPI_Irecv; post 1
         11 0.0 -
         12 0.0 + MPI_Isend; isend 1 W 8 8 2
         13 0.0 -
         15 0.0 + MPI_Waitall
         25 1.0 + MPI_Send; send 0 W 7 8
         26 1.0 -
         30 0.0 sent 2; irecv 1 W 7 8 1; -
         40 0.0 + MPI_Send; send 1 W 7 8
         41 0.0 -
         50 1.0 + MPI_Recv",
        expect![[r#"
            late sender 0.0 program/MPI_Waitall 15..30: wait 10 for 1.0 program/MPI_Send, 8 bytes
            Gaps { backward: 0, beyond: 0, unbalanced: 0, open_regions: 1, unknown_forks: 0, unknown_tasks: 0, counters: 0, unknown_barriers: 0, dropped: 0, errors: 0 }
            incomplete 2
        "#]],
    );
}

#[test]
fn a_receive_in_a_task_waits_in_the_call_path_of_the_task() {
    // The task begins at 20 and receives from 25 on. The send begins at 60: 35 ticks.
    finds(
        "end 100
         comm W = 0 1
         team A = 0.0 0.1
         5 0.0 fork
         6 0.0 team A; + parallel
         7 0.1 team A; + parallel
         10 0.0 + task_create; create A 0 1; -
         15 0.1 + ibarrier
         16 0.0 + ibarrier
         20 0.0 switch A 0 1; + task; + exchange
         25 0.0 + MPI_Recv
         60 1.0 + MPI_Send; send 0 W 7 8
         61 1.0 -
         62 0.0 recv 1 W 7 8; -; -; -; done A 0 1
         64 0.0 switch A 0 0
         66 0.0 -; -; endteam A
         66 0.1 -; -; endteam A
         67 0.0 join",
        expect![[r#"
            no task 0.0 program/parallel/ibarrier 16..20: 4, wait 0 for nothing
            late sender 0.0 TASKS/task/exchange/MPI_Recv 25..62: wait 35 for 1.0 program/MPI_Send, 8 bytes
            done 0.0 TASKS/task 20..62, created 10 0.0 program/parallel/task_create: ready 10, work 42, 1 fragments, 0 children
            barrier 0.0 program/parallel/ibarrier 16..66, latest 16 0.0 program/parallel/ibarrier: wait 0, starvation 8, join 0
            no task 0.0 program/parallel/ibarrier 62..66: 4, wait 0 for nothing
            barrier 0.1 program/parallel/ibarrier 15..66, latest 16 0.0 program/parallel/ibarrier: wait 1, starvation 50, join 0
            no task 0.1 program/parallel/ibarrier 15..66: 50, wait 46 for end 62 0.0 TASKS/task
            team 0.0 program/parallel 6..66: 1 tasks, work 60, span 46, bounds 46..76
        "#]],
    );
}

#[test]
fn a_process_that_is_not_in_the_trace_keeps_no_other_waiting() {
    // The sender with rank 1 of the communicator has no location: the receive is incomplete.
    finds(
        "end 100
         comm W = 0
         10 0.0 + MPI_Recv
         30 0.0 recv 1 W 7 8; -
         40 0.0 + MPI_Send; send 1 W 7 8
         41 0.0 -",
        expect![[r#"
            incomplete 2
        "#]],
    );
}

#[test]
fn a_cancelled_request_completes_nothing() {
    // The send of request 1 is cancelled. Request 1 is used again for a send that is completed from
    // 20 to 60, and received from 50 on: 30 ticks.
    finds(
        "end 100
         comm W = 0 1
         5 0.0 + MPI_Isend; isend 1 W 1 8 1
         6 0.0 -
         8 0.0 + MPI_Cancel; cancel 1; -
         10 0.0 + MPI_Isend; isend 1 W 2 8 1
         11 0.0 -
         20 0.0 + MPI_Wait
         50 1.0 + MPI_Recv
         60 0.0 sent 1; -
         60 1.0 recv 0 W 2 8; -",
        expect![[r#"
            late receiver 0.0 program/MPI_Wait 20..60: wait 30 for 1.0 program/MPI_Recv, 8 bytes
        "#]],
    );
}

#[test]
fn a_probe_waits_for_the_message_that_is_received_next() {
    // The probe waits from 10 to 40. The second probe finds a message that was there before, and the
    // third one, by MPI_Mprobe, waits 5 for a message whose receive is posted, but not the first to
    // be complete: that one was posted before the probe.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Probe
         40 1.0 + MPI_Send; send 0 W 1 8
         41 1.0 -
         42 0.0 -
         43 0.0 + MPI_Recv
         44 0.0 recv 1 W 1 8; -
         45 1.0 + MPI_Send; send 0 W 2 8
         46 1.0 -
         50 0.0 + MPI_Probe
         51 0.0 -
         52 0.0 + MPI_Recv
         53 0.0 recv 1 W 2 8; -
         60 0.0 + MPI_Irecv; post 7
         61 0.0 -
         70 0.0 + MPI_Mprobe
         75 1.0 + MPI_Send; send 0 W 3 8
         76 1.0 -
         78 0.0 -
         79 1.0 + MPI_Send; send 0 W 4 8
         80 1.0 -
         81 0.0 + MPI_Wait
         82 0.0 irecv 1 W 4 8 7; -
         85 0.0 + MPI_Mrecv
         86 0.0 recv 1 W 3 8; -",
        expect![[r#"
            late sender 0.0 program/MPI_Probe 10..42: wait 30 for 1.0 program/MPI_Send, 8 bytes
            late sender 0.0 program/MPI_Mprobe 70..78: wait 5 for 1.0 program/MPI_Send, 8 bytes
        "#]],
    );
}

#[test]
fn a_probe_without_a_receive_has_no_waiting() {
    // The message of the first probe is found by the second one again, and never received.
    finds(
        "end 100
         comm W = 0 1
         10 0.0 + MPI_Probe
         40 1.0 + MPI_Send; send 0 W 1 8
         41 1.0 -
         42 0.0 -
         43 0.0 + MPI_Probe
         44 0.0 -",
        expect![[r#"
            incomplete 1
        "#]],
    );
}
