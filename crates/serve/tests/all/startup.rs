//! Startup and shutdown of threads, compared with the events of a trace.

use std::collections::BTreeMap;

use pompeii_model::Id;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;
use serde_json::Value;

use crate::common::{Running, sample, traced};

/// Location, begin, end and kind.
type Edge = (u64, u64, u64, String);

/// When each location enters its first region after a fork of its team, and leaves the last one
/// before the join. The sample has no nested teams.
fn expected(anchor: &std::path::Path, origin: u64) -> Vec<Edge> {
    let archive = Archive::open(anchor).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let events: Vec<Vec<(u64, Event)>> = definitions
        .location_ids
        .iter()
        .map(|id| {
            let all = archive.events(LocationRef(*id)).unwrap().flatten();
            all.map(|it| (it.time - origin, it.event)).collect()
        })
        .collect();
    let mut found = Vec::new();
    for comm in definitions.comms.values().filter(|comm| comm.members.len() > 1) {
        let master = &events[comm.members[0].index()];
        let forks = master.iter().filter(|(_, event)| matches!(event, Event::ThreadFork(_)));
        let joins = master.iter().filter(|(_, event)| matches!(event, Event::ThreadJoin(_)));
        for ((fork, _), (join, _)) in forks.zip(joins) {
            for member in &comm.members {
                let mine = &events[member.index()];
                // The depth tells when no region is open.
                let (mut depth, mut first, mut last) = (0, None, None);
                for (time, event) in mine {
                    depth += match event {
                        Event::Enter(_) => 1,
                        Event::Leave(_) => -1,
                        _ => 0,
                    };
                    let is_inside = fork <= time && time <= join;
                    if is_inside && matches!(event, Event::Enter(_)) && depth == 1 {
                        first.get_or_insert(*time);
                    }
                    if is_inside && matches!(event, Event::Leave(_)) && depth == 0 {
                        last = Some(*time);
                    }
                }
                let location = member.index() as u64;
                let start = first.map(|first| (location, *fork, first, "startup".to_owned()));
                let stop = last.map(|last| (location, last, *join, "shutdown".to_owned()));
                found.extend(start.into_iter().chain(stop).filter(|it| it.1 < it.2));
            }
        }
    }
    found
}

fn edges(gaps: &Value) -> Vec<Edge> {
    let edge = |it: &Value| {
        let number = |place: usize| it[place].as_u64().unwrap();
        (number(0), number(1), number(2), it[3].as_str().unwrap().to_owned())
    };
    gaps["gaps"].as_array().unwrap().iter().map(edge).collect()
}

#[test]
fn threads_begin_after_the_fork_and_end_before_the_join() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let opening = server.answer("open");
    let origin: u64 = opening["origin"].as_str().unwrap().parse().unwrap();
    let length = opening["length"].as_u64().unwrap();
    let expected = expected(&folder.path().join("traces.otf2"), origin);
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (location, start, end, kind) in &expected {
        let answer = server.answer(&format!("at?loc={location}&t={}", (start + end) / 2));
        let edge = &answer["edge"];
        assert_eq!(edge["kind"], kind.as_str());
        assert_eq!((edge["start"].as_u64(), edge["end"].as_u64()), (Some(*start), Some(*end)));
        *kinds.entry(kind).or_default() += 1;
        // From near on, also if nothing else of the thread is in the window.
        for (t0, t1) in [(start - 1, end + 1), (*start, (start + end) / 2 + 1)] {
            let gaps = server.answer(&format!("gaps?locs={location}&t0={t0}&t1={t1}&px=16"));
            let wanted = vec![(*location, *start, *end, kind.clone())];
            assert_eq!(edges(&gaps), wanted, "{t0} to {t1}");
        }
    }
    assert!(kinds["startup"] > 0 && kinds["shutdown"] > 0, "{kinds:?}");
    // From afar, those are there that are at least a column long.
    let px = 1 << 12;
    let column = (length / px).max(1);
    let gaps = edges(&server.answer(&format!("gaps?t0=0&t1={length}&px={px}")));
    let is_near = |one: &Edge, other: &Edge| {
        (one.0, &one.3) == (other.0, &other.3)
            && one.1.abs_diff(other.1) <= column
            && one.2.abs_diff(other.2) <= column
    };
    for edge in expected.iter().filter(|it| it.2 - it.1 > 2 * column) {
        assert!(gaps.iter().any(|gap| is_near(gap, edge)), "{edge:?} in {gaps:?}");
    }
    for gap in &gaps {
        assert!(expected.iter().any(|edge| is_near(gap, edge)), "{gap:?}");
    }
}
