//! Tables of traces as texts, for all combinations of ranks, threads and windows.

use expect_test::{Expect, expect};

use crate::table::{Column, Content, TABLES};
use crate::text;

fn check(tables: &[&str], trace: &str, expect: Expect) {
    let trace = text::parse(trace).unwrap();
    expect.assert_eq(&text::analyse_tables(&trace, tables).unwrap());
}

#[test]
fn the_columns_of_a_table_are_known_before_its_rows() {
    for &table in TABLES {
        let empty = Content::empty(table).unwrap();
        assert!((empty.table(), empty.len()) == (table, 0) && !empty.columns().is_empty());
    }
    let columns = Content::empty("fragments").unwrap().columns();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["task", "begin", "end", "scheduling"]);
    let calls = Content::empty("calls").unwrap().columns();
    assert_eq!(calls[0], ("call", Column::Calls(Vec::new())));
    assert_eq!(calls[2], ("region", Column::U32(Vec::new())));
    assert_eq!(Content::empty("visit"), None);
}

#[test]
fn visits_end_before_those_around_them_and_name_them() {
    check(
        &["visits"],
        "end 60
         5 0.0 + main
         10 0.0 + inner
         20 0.0 + inner
         25 0.0 -; -
         30 0.0 + other
         31 0.0 + leaf
         40 0.0 -; -
         50 0.0 -",
        expect![[r#"
            visits of 0.0
              visit 0.0#3  enter 20  leave 25  call program/main/inner/inner  parent 0.0#2  task none
              visit 0.0#2  enter 10  leave 25  call program/main/inner  parent 0.0#1  task none
              visit 0.0#5  enter 31  leave 40  call program/main/other/leaf  parent 0.0#4  task none
              visit 0.0#4  enter 30  leave 40  call program/main/other  parent 0.0#1  task none
              visit 0.0#1  enter 5  leave 50  call program/main  parent none  task none
        "#]],
    );
}

#[test]
fn a_barrier_joins_its_visits() {
    check(
        &["visits", "forks", "barriers", "waits"],
        "end 60
         team A = 0.0 0.1
         5 0.0 + main
         10 0.0 fork
         12 0.0 team A; + parallel
         14 0.1 team A; + parallel
         20 0.1 + ibarrier
         30 0.0 + ibarrier
         31 0.1 -; -; endteam A
         33 0.0 -; -; endteam A
         40 0.0 join
         50 0.0 -",
        expect![[r#"
            visits of 0.0
              visit 0.0#3  enter 30  leave 33  call program/main/parallel/ibarrier  parent 0.0#2  task none
              visit 0.0#2  enter 12  leave 33  call program/main/parallel  parent 0.0#1  task none
              visit 0.0#1  enter 5  leave 50  call program/main  parent none  task none
            visits of 0.1
              visit 0.1#2  enter 20  leave 31  call program/main/parallel/ibarrier  parent 0.1#1  task none
              visit 0.1#1  enter 14  leave 31  call program/main/parallel  parent 0.0#1  task none
            forks of 0.0
              visit 0.0#2  call program/main/parallel  master 0  number 0  forked 10  enter 12  leave 33  ended 40  joined 40
            forks of 0.1
              visit 0.1#1  call program/main/parallel  master 0  number 0  forked 10  enter 14  leave 31  ended 31  joined 40
            barriers of 0.0
              visit 0.0#3  call program/main/parallel/ibarrier  enter 30  leave 33  latest 30  last 0.0#3  task_ticks 0  wait 0
            barriers of 0.1
              visit 0.1#2  call program/main/parallel/ibarrier  enter 20  leave 31  latest 30  last 0.0#3  task_ticks 0  wait 10
            waits of 0.1
              visit 0.1#2  call program/main/parallel/ibarrier  kind 0  begin 20  ticks 10  causer 0.0#3  causer_call program/main/parallel/ibarrier  causer_location 0
        "#]],
    );
}

#[test]
fn a_lock_names_its_holder() {
    check(
        &["visits", "locks", "waits"],
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + critical; acquire 0 1; + critical_body
         12 0.0 + critical
         30 0.1 -; release 0 1; -
         30 0.0 acquire 0 2
         40 0.0 -; release 0 2
         44 0.0 -; endteam A; join
         44 0.1 -; endteam A",
        expect![[r#"
            visits of 0.0
              visit 0.0#2  enter 12  leave 40  call program/parallel/critical  parent 0.0#1  task none
              visit 0.0#1  enter 10  leave 44  call program/parallel  parent none  task none
            visits of 0.1
              visit 0.1#3  enter 10  leave 30  call program/parallel/critical/critical_body  parent 0.1#2  task none
              visit 0.1#2  enter 10  leave 30  call program/parallel/critical  parent 0.1#1  task none
              visit 0.1#1  enter 10  leave 44  call program/parallel  parent none  task none
            locks of 0.0
              visit 0.0#2  call program/parallel/critical  lock 0  order 2  since 12  acquired 30  released 30  holder 0.1#2  wait 18
            locks of 0.1
              visit 0.1#2  call program/parallel/critical  lock 0  order 1  since 10  acquired 10  released 0  holder none  wait 0
            waits of 0.0
              visit 0.0#2  call program/parallel/critical  kind 1  begin 12  ticks 18  causer 0.1#2  causer_call program/parallel/critical  causer_location 1
        "#]],
    );
}

#[test]
fn tasks_have_fragments_on_other_threads() {
    check(
        &["visits", "tasks", "fragments", "waits"],
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + ibarrier
         12 0.0 + task_create; create A 0 1; -
         14 0.0 + ibarrier
         15 0.1 switch A 0 1; + task; + work
         25 0.1 -; -; done A 0 1; switch A 1 0
         26 0.1 -; -; endteam A
         27 0.0 -; -; endteam A; join",
        expect![[r#"
            visits of 0.0
              visit 0.0#2  enter 12  leave 12  call program/parallel/task_create  parent 0.0#1  task none
              visit 0.0#3  enter 14  leave 27  call program/parallel/ibarrier  parent 0.0#1  task none
              visit 0.0#1  enter 10  leave 27  call program/parallel  parent none  task none
            visits of 0.1
              visit 0.1#4  enter 15  leave 25  call TASKS/task/work  parent 0.1#3  task 0.1#3
              visit 0.1#3  enter 15  leave 25  call TASKS/task  parent none  task 0.1#3
              visit 0.1#2  enter 10  leave 26  call program/parallel/ibarrier  parent 0.1#1  task none
              visit 0.1#1  enter 10  leave 26  call program/parallel  parent none  task none
            tasks of 0.1
              visit 0.1#3  call TASKS/task  creation 0.0#2  created 12  begun 15  ended 25  work 10  fragments 1  children 0
            fragments of 0.1
              task 0.1#3  begin 15  end 25  scheduling 0.1#2
            waits of 0.0
              visit 0.0#3  call program/parallel/ibarrier  kind 3  begin 14  ticks 11  causer 0.1#3  causer_call TASKS/task  causer_location 1
            waits of 0.1
              visit 0.1#2  call program/parallel/ibarrier  kind 0  begin 10  ticks 4  causer 0.0#3  causer_call program/parallel/ibarrier  causer_location 0
        "#]],
    );
}

#[test]
fn a_task_that_moves_keeps_its_number() {
    check(
        &["visits", "tasks", "fragments"],
        "end 60
         team A = 0.0 0.1
         10 0.0 fork; team A; + parallel
         10 0.1 team A; + parallel; + ibarrier
         11 0.0 + task_create; create A 0 1; -
         12 0.0 + ibarrier; switch A 0 1; + task_untied; + work
         20 0.0 switch A 0 0
         30 0.1 switch A 0 1
         40 0.1 -; -; done A 0 1; switch A 1 0
         41 0.1 -; -; endteam A
         42 0.0 -; -; endteam A; join",
        expect![[r#"
            visits of 0.0
              visit 0.0#2  enter 11  leave 11  call program/parallel/task_create  parent 0.0#1  task none
              visit 0.0#3  enter 12  leave 42  call program/parallel/ibarrier  parent 0.0#1  task none
              visit 0.0#1  enter 10  leave 42  call program/parallel  parent none  task none
            visits of 0.1
              visit 0.0#5  enter 12  leave 40  call TASKS/task_untied/work  parent 0.0#4  task 0.0#4
              visit 0.0#4  enter 12  leave 40  call TASKS/task_untied  parent none  task 0.0#4
              visit 0.1#2  enter 10  leave 41  call program/parallel/ibarrier  parent 0.1#1  task none
              visit 0.1#1  enter 10  leave 41  call program/parallel  parent none  task none
            tasks of 0.1
              visit 0.0#4  call TASKS/task_untied  creation 0.0#2  created 11  begun 12  ended 40  work 18  fragments 2  children 0
            fragments of 0.0
              task 0.0#4  begin 12  end 20  scheduling 0.0#3
            fragments of 0.1
              task 0.0#4  begin 30  end 40  scheduling 0.1#2
        "#]],
    );
}

#[test]
fn messages_and_operations_name_the_calls_of_all_processes() {
    check(
        &["visits", "messages", "collectives", "waits"],
        "end 60
         comm W = 0 1
         5 1.0 + MPI_Irecv; post 7; -
         10 1.0 + MPI_Wait
         20 0.0 + MPI_Send; send 1 W 3 8
         25 1.0 irecv 0 W 3 8 7; -
         26 0.0 -
         30 0.0 + MPI_Barrier; begin
         40 1.0 + MPI_Barrier; begin
         45 0.0 end BARRIER W - 0 0; -
         45 1.0 end BARRIER W - 0 0; -
         46 1.0 + MPI_Barrier; begin
         48 0.0 + MPI_Barrier; begin
         50 0.0 end BARRIER W - 0 0; -
         50 1.0 end BARRIER W - 0 0; -",
        expect![[r#"
            visits of 0.0
              visit 0.0#1  enter 20  leave 26  call program/MPI_Send  parent none  task none
              visit 0.0#2  enter 30  leave 45  call program/MPI_Barrier  parent none  task none
              visit 0.0#3  enter 48  leave 50  call program/MPI_Barrier  parent none  task none
            visits of 1.0
              visit 1.0#1  enter 5  leave 5  call program/MPI_Irecv  parent none  task none
              visit 1.0#2  enter 10  leave 25  call program/MPI_Wait  parent none  task none
              visit 1.0#3  enter 40  leave 45  call program/MPI_Barrier  parent none  task none
              visit 1.0#4  enter 46  leave 50  call program/MPI_Barrier  parent none  task none
            messages of 1.0
              visit 1.0#2  call program/MPI_Wait  post 1.0#1  send 0.0#1  sender 0  comm 0  tag 3  bytes 8  sent 20  received 25
            collectives of 0.0
              visit 0.0#2  call program/MPI_Barrier  comm 0  number 1  pattern 0  begin 30  end 45  last 1.0#3  until 40  wait 10
              visit 0.0#3  call program/MPI_Barrier  comm 0  number 2  pattern 0  begin 48  end 50  last 0.0#3  until 48  wait 0
            collectives of 1.0
              visit 1.0#3  call program/MPI_Barrier  comm 0  number 1  pattern 0  begin 40  end 45  last 1.0#3  until 40  wait 0
              visit 1.0#4  call program/MPI_Barrier  comm 0  number 2  pattern 0  begin 46  end 50  last 0.0#3  until 48  wait 2
            waits of 0.0
              visit 0.0#2  call program/MPI_Barrier  kind 7  begin 30  ticks 10  causer 1.0#3  causer_call program/MPI_Barrier  causer_location 1
            waits of 1.0
              visit 1.0#2  call program/MPI_Wait  kind 4  begin 10  ticks 10  causer 0.0#1  causer_call program/MPI_Send  causer_location 0
              visit 1.0#4  call program/MPI_Barrier  kind 7  begin 46  ticks 2  causer 0.0#3  causer_call program/MPI_Barrier  causer_location 0
        "#]],
    );
}

#[test]
fn what_is_open_at_the_end_ends_with_the_trace() {
    check(
        &["visits", "fragments", "tasks", "messages"],
        "end 60
         team A = 0.0
         comm W = 0 1
         5 0.0 + main
         10 0.0 fork; team A; + parallel; + taskwait; create A 0 1; switch A 0 1; + task; + work
         11 0.0 create A 0 2; switch A 0 2; + task
         20 1.0 + MPI_Recv",
        expect![[r#"
            visits of 0.0
              visit 0.0#6  enter 11  leave 60  call TASKS/task  parent none  task 0.0#6
              visit 0.0#3  enter 10  leave 60  call program/main/parallel/taskwait  parent 0.0#2  task none
              visit 0.0#2  enter 10  leave 60  call program/main/parallel  parent 0.0#1  task none
              visit 0.0#1  enter 5  leave 60  call program/main  parent none  task none
              visit 0.0#5  enter 10  leave 60  call TASKS/task/work  parent 0.0#4  task 0.0#4
              visit 0.0#4  enter 10  leave 60  call TASKS/task  parent none  task 0.0#4
            visits of 1.0
              visit 1.0#1  enter 20  leave 60  call program/MPI_Recv  parent none  task none
            fragments of 0.0
              task 0.0#4  begin 10  end 11  scheduling 0.0#3
              task 0.0#6  begin 11  end 60  scheduling 0.0#3
        "#]],
    );
}

#[test]
fn a_gap_ends_what_is_open() {
    check(
        &["visits"],
        "pompeii
         end 60
         5 0.0 + main; + inner
         10 0.0 off
         20 0.0 on
         30 0.0 + after
         40 0.0 -",
        expect![[r#"
            visits of 0.0
              visit 0.0#2  enter 5  leave 10  call program/main/inner  parent 0.0#1  task none
              visit 0.0#1  enter 5  leave 10  call program/main  parent none  task none
              visit 0.0#3  enter 10  leave 20  call program/MEASUREMENT OFF  parent none  task none
              visit 0.0#4  enter 30  leave 40  call program/after  parent none  task none
        "#]],
    );
}
