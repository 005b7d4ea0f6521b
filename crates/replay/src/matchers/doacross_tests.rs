//! Doacross loops: who has made a thread wait at a `sink`.

use expect_test::{Expect, expect};

use crate::tests::check_by;
use crate::text::{self, TextTrace};

/// The turns of a trace.
fn turns(trace: &TextTrace) -> Result<String, String> {
    let shown = text::analyse(trace)?;
    let turns = shown.lines().filter(|line| line.starts_with("turn"));
    Ok(turns.map(|line| format!("{line}\n")).collect())
}

fn check(trace: &str, expect: Expect) {
    check_by(turns, trace, expect);
}

#[test]
fn a_sink_names_who_came_to_a_source_last_meanwhile() {
    // Thread 0 posts at 20, and thread 1 at 40, which ends the wait of thread 2. What was posted
    // before a wait has not ended it. A source does not wait itself.
    check(
        "end 80
         team A = 0.0 0.1 0.2
         0 0.0 fork; team A; + parallel; + for
         0 0.1 team A; + parallel; + for
         0 0.2 team A; + parallel; + for
         5 0.0 + ordered_source
         6 0.0 -
         10 0.1 + ordered
         10 0.2 + ordered
         20 0.0 + ordered_source
         22 0.0 -
         23 0.1 -
         40 0.1 + ordered_source
         41 0.1 -
         42 0.2 -
         50 0.2 + ordered
         51 0.2 -
         60 0.1 -; -; endteam A
         60 0.2 -; -; endteam A
         60 0.0 -; -; endteam A; join",
        expect![[r#"
            turn 0.1 program/parallel/for/ordered 10..23, after 20 0.0 program/parallel/for/ordered_source: wait 13
            turn 0.2 program/parallel/for/ordered 10..42, after 40 0.1 program/parallel/for/ordered_source: wait 32
            turn 0.2 program/parallel/for/ordered 50..51, after none: wait 1
        "#]],
    );
}

#[test]
fn a_clock_error_or_an_open_end_names_no_thread() {
    // By its clock thread 0 posts when thread 1 has gone on. The last sink is never left.
    check(
        "end 60
         team A = 0.0 0.1
         0 0.0 fork; team A; + parallel; + for
         0 0.1 team A; + parallel; + for
         10 0.1 + ordered
         20 0.1 -
         25 0.0 + ordered_source
         26 0.0 -
         30 0.1 + ordered
         40 0.0 + ordered_source; -",
        expect![[r#"
            turn 0.1 program/parallel/for/ordered 10..20, after none: wait 10
        "#]],
    );
}

#[test]
fn teams_do_not_post_for_each_other() {
    // Thread 0 of the inner team B posts, while thread 1 of the outer team waits for a thread of
    // its own team.
    check(
        "end 60
         team A = 0.0 0.1
         team B = 0.0 0.2
         0 0.0 fork; team A; + parallel:1; + for:1
         0 0.1 team A; + parallel:1; + for:1
         5 0.1 + ordered:1
         10 0.0 fork; team B; + parallel:2; + for:2
         10 0.2 team B; + parallel:2; + for:2
         12 0.2 + ordered:2
         20 0.0 + ordered_source:2; -
         21 0.2 -
         25 0.2 -; -; endteam B
         25 0.0 -; -; endteam B; join
         30 0.0 + ordered_source:1; -
         31 0.1 -
         40 0.1 -; -; endteam A
         40 0.0 -; -; endteam A; join",
        expect![[r#"
            turn 0.2 program/parallel:1/for:1/parallel:2/for:2/ordered:2 12..21, after 20 0.0 program/parallel:1/for:1/parallel:2/for:2/ordered_source:2: wait 9
            turn 0.1 program/parallel:1/for:1/ordered:1 5..31, after 30 0.0 program/parallel:1/for:1/ordered_source:1: wait 26
        "#]],
    );
}
