//! Searches and durations, compared with all visits of the events.

use std::collections::BTreeMap;

use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;
use serde_json::Value;

use crate::common::{Running, sample, traced};

/// A visit: location, begin, end, region.
type Visit = (u64, u64, u64, u64);

/// All visits of the sample, with times since its begin.
fn visits(server: &Running, anchor: &std::path::Path) -> Vec<Visit> {
    let origin: u64 = server.answer("open")["origin"].as_str().unwrap().parse().unwrap();
    let archive = Archive::open(anchor).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let mut visits = Vec::new();
    for (location, id) in definitions.location_ids.iter().enumerate() {
        let mut open = Vec::new();
        for event in archive.events(LocationRef(*id)).unwrap().flatten() {
            let time = event.time - origin;
            match event.event {
                Event::Enter(enter) => open.push((definitions.region(enter.region).0, time)),
                Event::Leave(_) => {
                    let (region, start) = open.pop().unwrap();
                    visits.push((location as u64, start, time, u64::from(region)));
                }
                _ => {}
            }
        }
    }
    visits
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap()
}

/// The answer to a search, asked until it has one.
fn found(server: &Running, question: &str) -> Option<Visit> {
    for _ in 0..1000 {
        let answer = server.answer(question);
        if answer["searching"] == true {
            continue;
        }
        let visit = || {
            let of = |name| number(&answer, name);
            (of("loc"), of("start"), of("end"), of("region"))
        };
        return answer["none"].is_null().then(visit);
    }
    panic!("{question} has no end");
}

#[test]
fn searches_find_what_the_events_have() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let all = visits(&server, &folder.path().join("traces.otf2"));
    let opening = server.answer("open");
    let regions = opening["regions"].as_array().unwrap();
    let middle = opening["length"].as_u64().unwrap() / 2;
    let mut checked = 0;
    for (number, region) in regions.iter().enumerate() {
        let name = region["name"].as_str().unwrap().to_lowercase();
        let same = |visit: &&Visit| {
            let of = &regions[visit.3 as usize];
            let has = |field: &str| of[field].as_str().unwrap().to_lowercase().contains(&name);
            has("name") || has("label")
        };
        if name.is_empty() || !all.iter().any(|visit| visit.3 == number as u64) {
            continue;
        }
        checked += 1;
        let word: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        // Forward, the visit with the first begin; several may begin then.
        let next = found(&server, &format!("find?name={word}&from={middle}"));
        let begins = all.iter().filter(same).filter(|visit| visit.1 >= middle);
        assert_eq!(next.map(|it| it.1), begins.map(|it| it.1).min(), "{name}");
        assert!(next.is_none_or(|next| all.contains(&next)), "{next:?}");
        let back = found(&server, &format!("find?name={word}&from={middle}&back=1"));
        let ends = all.iter().filter(same).filter(|visit| visit.2 <= middle);
        assert_eq!(back.map(|it| it.2), ends.map(|it| it.2).max(), "{name}");
        assert!(back.is_none_or(|back| all.contains(&back)), "{back:?}");
    }
    assert!(checked > 3);
    let longest = all.iter().map(|visit| visit.2 - visit.1).max().unwrap();
    let long = found(&server, &format!("find?longer={longest}&from=0")).unwrap();
    assert_eq!(long.2 - long.1, longest);
    assert_eq!(found(&server, &format!("find?longer={}&from=0", longest + 1)), None);
    assert_eq!(found(&server, "find?name=nothing%20has%20it&from=0"), None);
    assert_eq!(found(&server, "find?task=task_7_9999&from=0"), None);
    for wrong in [
        "find?from=0",
        "find?name=a",
        "find?task=7&from=0",
        "find?file=a&from=0",
        "find?name=a&from=0&back=2",
        "find?name=a&from=0&locs=99",
        "find?longer=-1&from=0",
    ] {
        assert_eq!(server.refusal(wrong).0, 400, "{wrong}");
    }
}

#[test]
fn durations_are_those_of_the_visits() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let all = visits(&server, &folder.path().join("traces.otf2"));
    let length = server.answer("open")["length"].as_u64().unwrap();
    let (t0, t1) = (length / 4, length / 4 * 3);
    let mut checked = 0;
    for region in 0..server.answer("open")["regions"].as_array().unwrap().len() as u64 {
        let mut expected: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (_, start, end, of) in &all {
            if *of == region && (t0..t1).contains(end) {
                let ticks = end - start;
                let bucket = expected.entry(u64::from(ticks.max(1).ilog2())).or_default();
                *bucket = (bucket.0 + 1, bucket.1 + ticks);
            }
        }
        let answer = server.answer(&format!("histogram?region={region}&t0={t0}&t1={t1}"));
        let bucket = |it: &Value| {
            let of = |place: usize| it[place].as_u64().unwrap();
            (of(0), (of(1), of(2)))
        };
        let found: BTreeMap<u64, (u64, u64)> =
            answer["buckets"].as_array().unwrap().iter().map(bucket).collect();
        assert_eq!(found, expected, "{region}");
        checked += expected.len();
    }
    assert!(checked > 3);
    assert_eq!(server.refusal("histogram?region=99999&t0=0&t1=9").0, 400);
    let gaps = server.answer("gaps?t0=0&t1=9007199254740991");
    assert_eq!((&gaps["gaps"], &gaps["left_out"]), (&Value::Array(Vec::new()), &0.into()));
}
