//! Cuts of random programs: times of call paths are those of the window, to the tick, and the
//! archives keep the rules on which other tools rely. Records in any order are cut, too.

#[path = "../../../replay/tests/all/generate/mod.rs"]
#[allow(dead_code, reason = "the tests of the engine use more of it")]
mod generate;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use pompeii_export::cut::{Choice, write};
use pompeii_otf2::check::{Checker, Violation};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::{Archive, EventView};
use pompeii_replay::{Options, Within, archive, replay, trace};
use proptest::prelude::*;

use crate::cut::{self, times};
use crate::robust::records;
use generate::{Shape, program};

/// Cuts a trace into a new archive.
fn cut_archive(whole: &Archive, choice: &Choice, folder: &Path) -> Archive {
    let definitions = archive::definitions(whole);
    let read = write(whole, (&definitions, choice), folder, &AtomicU64::new(0)).unwrap();
    assert_eq!(read.errors, 0);
    Archive::open(&folder.join("traces.otf2")).unwrap()
}

/// Records that break a rule. The definitions are those of the generator.
fn violations(archive: &Archive) -> Vec<Violation> {
    let mut checker = Checker::new(archive);
    let flow = archive.merged().unwrap().visit(|event| {
        checker.event(event.unwrap());
        ControlFlow::<()>::Continue(())
    });
    assert!(flow.is_continue());
    checker.end();
    checker.take().into_iter().filter(|found| found.at.is_some()).collect()
}

/// The first time from `near` on before which all teams that were forked have begun. The team of
/// another fork is not known to the cut.
fn border(whole: &Archive, near: u64) -> u64 {
    let (mut forks, mut last_begin, mut border) = (HashSet::new(), 0, near);
    let _ = whole.merged().unwrap().visit(|event| {
        let EventView { location, time, event, .. } = event.unwrap();
        border = border.max(time);
        if time >= near && time > last_begin && forks.is_empty() {
            return ControlFlow::Break(());
        }
        match event {
            Event::ThreadFork(_) => {
                forks.insert(location);
            }
            Event::ThreadTeamBegin(_) if forks.remove(&location) => last_begin = time,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    border
}

#[test]
fn times_of_random_programs_are_those_of_the_window() {
    let wanted = std::env::var("POMPEII_RANDOM_PROGRAMS");
    for seed in 0..wanted.map_or(30, |number| number.parse().unwrap()) {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let whole = Archive::open(&world.write(folder.path())).unwrap();
        let definitions = archive::definitions(&whole);
        let third = (definitions.end - definitions.begin) / 3 + seed;
        let inner = [third / 2, third].map(|place| border(&whole, definitions.begin + place));
        let borders = [0, inner[0], inner[1], u64::MAX];
        for pair in borders.windows(2).filter(|pair| pair[0] < pair[1]) {
            let within = Within { begin: pair[0], end: pair[1] };
            let choice = Choice { within, ..Choice::all(&definitions) };
            let folder = tempfile::tempdir().unwrap();
            let part = cut_archive(&whole, &choice, folder.path());
            let expected = times(trace(&whole).unwrap(), Some(within));
            let found = times(trace(&part).unwrap(), None);
            assert_eq!(found, expected, "seed {seed}, {within:?}: {:?}", world.shape);
            assert_eq!(violations(&part), [], "seed {seed}, {within:?}: {:?}", world.shape);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// Records that do not belong together are cut: times lie in the window and do not decrease.
    #[test]
    fn any_records_are_cut(input in proptest::collection::vec(any::<u8>(), 0..1200)) {
        let trace = records::trace(&input);
        let third = (trace.definitions.end - trace.definitions.begin) / 3;
        let begin = trace.definitions.begin + third;
        let within = Within { begin, end: begin + third + 1 };
        let part = cut::cut(&trace, within);
        for events in &part.events {
            let is_inside = |(time, _): &(u64, Event)| (within.begin..=within.end).contains(time);
            prop_assert!(events.iter().all(is_inside), "{within:?}: {events:?}");
            prop_assert!(events.is_sorted_by_key(|(time, _)| *time), "{within:?}: {events:?}");
        }
        let outcome = replay(part.trace(), Options::default(), &mut |_| {});
        prop_assert!(outcome.definitions.end <= within.end);
    }
}
