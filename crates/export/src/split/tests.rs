//! Traces as texts, and what is written for them. All tests check that each Leave is that of the
//! innermost region which the location has open.

use std::collections::{HashMap, HashSet};

use expect_test::{Expect, expect};
use pompeii_otf2::event::Event;
use pompeii_otf2::reference::RegionRef;
use pompeii_replay::definitions::{Class, Definitions};
use pompeii_replay::text::{self, TextTrace};

use super::instances::{Instances, Room};
use super::threads::{Step, Threads};

/// New regions begin here.
const FIRST: u32 = 1000;

/// Instances of a construct that have a region of their own.
const OF_CONSTRUCT: u32 = 3;

/// Events of tasks, Enter and Leave as they are written; others are `...`.
fn check(trace: &str, unbalanced: u64, expect: Expect) {
    let TextTrace { definitions, events, .. } = text::parse(trace).unwrap();
    let ids = (0..FIRST).map(RegionRef);
    let is_task = |id: &RegionRef| definitions.class(definitions.region(*id)) == Class::Task;
    let constructs: HashSet<RegionRef> = ids.filter(is_task).collect();
    let room = Room { first: FIRST, all: 100, of_construct: OF_CONSTRUCT };
    let mut instances = Instances::new(constructs, room);
    let mut threads = Threads::new(events.len());
    let mut open: HashMap<usize, Vec<RegionRef>> = HashMap::new();
    let mut shown = String::new();
    let all = (0..).zip(&events).flat_map(|(at, events)| events.iter().map(move |it| (at, it)));
    let mut all: Vec<(usize, &(u64, Event))> = all.collect();
    all.sort_by_key(|(at, (time, _))| (*time, *at));
    for (at, (time, event)) in all {
        for step in threads.event(at, (*time, event), &mut instances) {
            let (time, event) = match step {
                Step::Same => (*time, event),
                Step::Instead(other) => (*time, other),
                Step::Added(time, other) => (*time, other),
            };
            balance(open.entry(at).or_default(), event);
            let event = show(event, &definitions, |number| format!("#{number}"));
            shown += &format!("{time} {at} {event}\n");
        }
    }
    // Names are known at the end.
    for (number, named) in instances.named().iter().enumerate() {
        shown = shown.replace(&format!("#{number}\n"), &format!("{}\n", named.name));
    }
    expect.assert_eq(&shown);
    assert_eq!(threads.unbalanced(), unbalanced);
}

fn balance(open: &mut Vec<RegionRef>, event: &Event) {
    match event {
        Event::Enter(it) => open.push(it.region),
        Event::Leave(it) => assert_eq!(open.pop(), Some(it.region)),
        _ => {}
    }
}

fn show(event: &Event, definitions: &Definitions, instance: impl Fn(u32) -> String) -> String {
    let name = |region: RegionRef| match region.0.checked_sub(FIRST) {
        Some(number) => instance(number),
        None => definitions.regions[definitions.region(region)].name.clone(),
    };
    match event {
        Event::Enter(it) => format!("+ {}", name(it.region)),
        Event::Leave(it) => format!("- {}", name(it.region)),
        Event::ThreadTaskSwitch(it) => {
            format!("switch {} {}", it.creating_thread, it.generation_number)
        }
        Event::ThreadTaskComplete(it) => {
            format!("done {} {}", it.creating_thread, it.generation_number)
        }
        Event::OmpTaskSwitch(it) => format!("omp switch {}", it.task_id),
        Event::OmpTaskComplete(it) => format!("omp done {}", it.task_id),
        _ => "...".to_owned(),
    }
}

/// Figures 3 and 4: two equal tasks, of which the first one is suspended in its taskwait.
#[test]
fn a_suspended_task_is_left_and_entered_again() {
    check(
        "team A = 0.0
         0 0.0 + ibarrier
         10 0.0 switch A 0 1; + task; + f1
         20 0.0 + taskwait
         22 0.0 switch A 0 2; + task:9; + f2
         40 0.0 - f2; - task:9; done A 0 2; switch A 0 1
         45 0.0 - taskwait
         50 0.0 - f1; - task; done A 0 1; switch A 0 0
         60 0.0 -",
        0,
        expect![[r#"
            0 0 + ibarrier
            10 0 switch 0 1
            10 0 + task_0_1
            10 0 + f1
            20 0 + taskwait
            22 0 - taskwait
            22 0 - f1
            22 0 - task_0_1
            22 0 switch 0 2
            22 0 + task_0_2
            22 0 + f2
            40 0 - f2
            40 0 - task_0_2
            40 0 done 0 2
            40 0 switch 0 1
            40 0 + task_0_1
            40 0 + f1
            40 0 + taskwait
            45 0 - taskwait
            50 0 - f1
            50 0 - task_0_1
            50 0 done 0 1
            50 0 switch 0 0
            60 0 - ibarrier
        "#]],
    );
}

/// Score-P records the switch back when the taskwait or the barrier ends.
#[test]
fn a_late_switch_back_counts_from_the_end_of_the_task() {
    check(
        "team A = 0.0
         0 0.0 + ibarrier
         10 0.0 switch A 0 1; + task; + taskwait
         20 0.0 switch A 0 2; + task:9
         40 0.0 -; done A 0 2
         60 0.0 switch A 0 1; -
         70 0.0 -; done A 0 1
         80 0.0 switch A 0 0; -",
        0,
        expect![[r#"
            0 0 + ibarrier
            10 0 switch 0 1
            10 0 + task_0_1
            10 0 + taskwait
            20 0 - taskwait
            20 0 - task_0_1
            20 0 switch 0 2
            20 0 + task_0_2
            40 0 - task_0_2
            40 0 done 0 2
            40 0 switch 0 1
            40 0 + task_0_1
            40 0 + taskwait
            60 0 - taskwait
            70 0 - task_0_1
            70 0 done 0 1
            80 0 switch 0 0
            80 0 - ibarrier
        "#]],
    );
}

/// The second thread comes to the task at the same time, and its event is read first.
#[test]
fn an_untied_task_goes_on_on_another_thread() {
    check(
        "team A = 0.0 0.1
         10 0.1 switch A 0 1; + task_untied; + f
         20 0.0 switch A 0 1
         20 0.1 switch A 0 0
         30 0.0 - f; - task_untied; done A 0 1; switch A 0 0",
        0,
        expect![[r#"
            10 1 switch 0 1
            10 1 + task_0_1
            10 1 + f
            20 0 switch 0 1
            20 1 - f
            20 1 - task_0_1
            20 1 switch 0 0
            20 0 + task_0_1
            20 0 + f
            30 0 - f
            30 0 - task_0_1
            30 0 done 0 1
            30 0 switch 0 0
        "#]],
    );
}

/// The regions of the task around an inner team stay open: the team is its work.
#[test]
fn a_team_inside_of_a_task_has_tasks_of_its_own() {
    check(
        "team A = 0.0
         team B = 0.0
         10 0.0 switch A 0 1; + task
         20 0.0 fork; team B; + parallel
         30 0.0 switch B 0 1; + task:9
         40 0.0 -; done B 0 1; switch B 0 0
         50 0.0 - parallel; endteam B; join
         60 0.0 - task; done A 0 1; switch A 0 0",
        0,
        expect![[r#"
            10 0 switch 0 1
            10 0 + task_0_1
            20 0 ...
            20 0 ...
            20 0 + parallel
            30 0 switch 0 1
            30 0 + task_0_1
            40 0 - task_0_1
            40 0 done 0 1
            40 0 switch 0 0
            50 0 - parallel
            50 0 ...
            50 0 ...
            60 0 - task_0_1
            60 0 done 0 1
            60 0 switch 0 0
        "#]],
    );
}

/// Other writers have no region for the body of a task, and older ones no teams.
#[test]
fn a_task_without_a_region_gets_one() {
    check(
        "10 0.0 omp switch 1
         15 0.0 + f
         20 0.0 omp switch 2
         30 0.0 omp done 2
         40 0.0 -; omp done 1; omp switch 0",
        0,
        expect![[r#"
            10 0 omp switch 1
            10 0 + task_0_1
            15 0 + f
            20 0 - f
            20 0 - task_0_1
            20 0 omp switch 2
            20 0 + task_0_2
            30 0 - task_0_2
            30 0 omp done 2
            30 0 omp switch 1
            30 0 + task_0_1
            30 0 + f
            40 0 - f
            40 0 - task_0_1
            40 0 omp done 1
            40 0 omp switch 0
        "#]],
    );
}

#[test]
fn further_instances_keep_the_region_of_the_construct() {
    check(
        "team A = 0.0
         1 0.0 switch A 0 1; + task; -; done A 0 1
         2 0.0 switch A 0 2; + task; -; done A 0 2
         3 0.0 switch A 0 3; + task; -; done A 0 3
         4 0.0 switch A 0 4; + task; -; done A 0 4
         5 0.0 switch A 0 5; + task:9; -; done A 0 5",
        0,
        expect![[r#"
            1 0 switch 0 1
            1 0 + task_0_1
            1 0 - task_0_1
            1 0 done 0 1
            2 0 switch 0 2
            2 0 + task_0_2
            2 0 - task_0_2
            2 0 done 0 2
            3 0 switch 0 3
            3 0 + task_0_3
            3 0 - task_0_3
            3 0 done 0 3
            4 0 switch 0 4
            4 0 + task
            4 0 - task
            4 0 done 0 4
            5 0 switch 0 5
            5 0 + task_0_5
            5 0 - task_0_5
            5 0 done 0 5
        "#]],
    );
}

/// The open regions of a program that was killed are left, also those around the task.
#[test]
fn regions_around_a_task_are_left_after_its_own() {
    check(
        "team A = 0.0
         0 0.0 + ibarrier
         10 0.0 switch A 0 1; + task; + f
         20 0.0 - ibarrier",
        2,
        expect![[r#"
            0 0 + ibarrier
            10 0 switch 0 1
            10 0 + task_0_1
            10 0 + f
            20 0 - f
            20 0 - task_0_1
            20 0 - ibarrier
        "#]],
    );
}
