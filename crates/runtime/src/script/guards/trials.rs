//! Which call paths are guarded and since when: those of which most visits are short, however long
//! the others are.

use expect_test::expect;
use pompeii_live::Definition;
use pompeii_otf2::event::Event;

use super::{GUARD, Scene};
use crate::location::gate;

/// When the definitions say that visits of `tiny` are summed from, or no longer.
fn turns(scene: &Scene) -> Vec<(u64, bool)> {
    let definitions = scene.definitions().into_iter();
    let turns = definitions.filter_map(|definition| match definition {
        Definition::Guarded { region, at, begins, .. } => {
            assert_eq!(region, scene.regions.tiny);
            Some((at, begins))
        }
        _ => None,
    });
    turns.collect()
}

/// Visits of `tiny`, whose time follows from their number.
fn visits(of: impl Fn(u64) -> u64, visits: u64) -> Scene {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for visit in 0..visits {
        scene.tiny(of(visit));
    }
    scene.exit(|regions| regions.outer, 10);
    scene
}

/// One visit of 500 loses its core, so that visits take 20 times the bound on average.
#[test]
fn visits_that_lose_their_core_are_no_reason_to_record_the_others() {
    let scene = visits(|visit| if visit % 500 == 499 { 1_000_000 } else { 5 }, 200_000);
    assert_eq!(turns(&scene).len(), 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x200000: about 44,000 records, about 156,000 in 1 sums of 5 to 5
    "#]]);
}

/// Every third visit is long, although only a little.
#[test]
fn what_is_long_in_many_visits_is_recorded() {
    let scene = visits(|visit| if visit % 3 == 2 { 100 } else { 5 }, 200_000);
    assert_eq!(turns(&scene), []);
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x200000: 200000 records
    "#]]);
}

/// So much for beginning; what has begun goes on while half of the visits are short, and does not
/// begin and end all the time.
#[test]
fn what_is_summed_remains_so_while_half_of_the_visits_are_short() {
    let of = |visit: u64| if visit > 60_000 && visit % 5 < 2 { 100 } else { 5 };
    let scene = visits(of, 300_000);
    assert_eq!(turns(&scene).len(), 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x300000: about 140,000 records, about 160,000 in 1 sums of 5 to 5
    "#]]);
}

/// What the definitions say is true: until then all visits have records, and none from then on.
#[test]
fn the_definitions_say_since_when_visits_are_summed() {
    let scene = visits(|_| 5, 100_000);
    let [(since, true)] = turns(&scene)[..] else { panic!("{:?}", turns(&scene)) };
    let mut last = 0;
    for record in scene.run.events(0) {
        if let Event::Leave(of) = record.event
            && of.region.0 == scene.regions.tiny
        {
            last = record.time;
        }
    }
    assert_eq!(last, since);
}

/// The body of a single belongs to it when it is no longer guarded, although it is another thread's
/// by then: its sums are not lost.
#[test]
fn a_body_ends_with_its_construct() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for (phase, has_body) in [(40_000, true), (40_000, false), (100_000, true)] {
        for _ in 0..phase {
            scene.enter(|regions| regions.single);
            if has_body {
                scene.enter(|regions| regions.single_body);
                scene.exit(|regions| regions.single_body, 2);
            }
            scene.exit(|regions| regions.single, if has_body { 2 } else { 200 });
        }
    }
    scene.exit(|regions| regions.outer, 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        single x180000: about 64,000 records, about 116,000 in 2 sums of 14 to 14
        single body x140000: about 24,000 records, about 116,000 in 2 sums of 2 to 2
    "#]]);
}

/// A call path that is on trial and is no longer visited costs other events nothing in the end.
#[test]
fn trials_that_come_to_nothing_are_given_up() {
    let mut scene = visits(|_| 5, 2_000);
    let mut gates = Vec::new();
    for _ in 0..4 {
        for _ in 0..25_000 {
            scene.enter(|regions| regions.inner);
            scene.tiny(5);
            scene.exit(|regions| regions.inner, 5);
        }
        let gate = scene.run.with(scene.run.threads[0].1, |thread| thread.gate);
        gates.push(gate & gate::GUARDED != 0);
    }
    assert_eq!(gates, [true, false, false, false]);
    assert_eq!(turns(&scene), []);
}
