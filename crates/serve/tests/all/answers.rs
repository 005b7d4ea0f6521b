//! What is answered, compared with what the crate `index` finds in the same trace.

use std::collections::BTreeMap;

use pompeii_index::{Row, What, file};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;
use serde_json::Value;

use crate::common::{Running, index_file, reported, reported_of, sample, traced};

/// A picture as a page decodes it.
struct Decoded {
    is_exact: bool,
    bin_log2: u32,
    begin: u64,
    bands: Vec<u32>,
    /// Kind, location, level and boxes of each row: first column, last column, what.
    rows: Vec<([u32; 3], Vec<[u32; 3]>)>,
}

fn decoded(bytes: &[u8]) -> Decoded {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|it| u32::from_le_bytes(it.try_into().unwrap())).collect();
    assert_eq!((words[0], words[1], bytes.len() % 4), (0x4349_5050, 1, 0));
    let (rows, boxes) = (words[6] as usize, words[7] as usize);
    let has_bands = words[8..8 + 4 * rows].chunks_exact(4).any(|row| row[0] == 2);
    let columns = if has_bands { 4 } else { 3 };
    assert_eq!(words.len(), 8 + 4 * rows + columns * boxes);
    let column = |number: usize| &words[8 + 4 * rows + number * boxes..][..boxes];
    let mut at = 0;
    let row = |row: &[u32]| {
        let boxes = at..at + row[3] as usize;
        at = boxes.end;
        let of = boxes.map(|it| [column(0)[it], column(1)[it], column(2)[it]]);
        ([row[0], row[1], row[2]], of.collect())
    };
    let rows = words[8..8 + 4 * rows].chunks_exact(4).map(row).collect();
    assert_eq!(at, boxes);
    Decoded {
        bands: if has_bands { column(3).to_vec() } else { Vec::new() },
        is_exact: words[2] == 1,
        bin_log2: words[3],
        begin: u64::from(words[4]) | u64::from(words[5]) << 32,
        rows,
    }
}

#[test]
fn opening_tells_what_there_is() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let opening = server.answer("open");
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let locations = opening["locations"].as_array().unwrap();
    assert_eq!(locations.len(), definitions.location_ids.len());
    for (location, id) in locations.iter().zip(definitions.location_ids.iter()) {
        let events = archive.events(LocationRef(*id)).unwrap().count();
        assert_eq!(location["events"], events);
        assert_eq!(location["errors"], 0);
        assert!(location["stack_levels"].as_u64().unwrap() > 0);
    }
    let regions = opening["regions"].as_array().unwrap();
    for (region, of) in regions.iter().zip(definitions.regions.iter()) {
        assert_eq!(
            (&region["name"], &region["label"]),
            (&of.name.clone().into(), &of.label().into())
        );
    }
    let processes = opening["processes"].as_array().unwrap();
    let counted: u64 = processes.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(counted as usize, locations.len());
    assert_eq!(opening["has"]["trace"], true);
    assert_eq!(opening["has"]["messages"], true);
    assert_eq!(opening["has"]["report"], false);
    assert_eq!(server.answer("first"), Value::Null);
    assert_eq!(server.refusal("cube").0, 404);
    assert_eq!(server.refusal("report").0, 404);
}

#[test]
fn an_experiment_without_a_trace_has_its_report() {
    let server = Running::new(reported());
    let opening = server.answer("open");
    assert_eq!(opening["has"]["trace"], false);
    assert_eq!(opening["has"]["report"], true);
    assert_eq!(opening["command"], "./a.out");
    assert_eq!(opening["locations"], Value::Array(Vec::new()));
    assert_eq!(server.answer("report")["schema"], "pompeii-report-2");
    assert!(server.answer("cube")["metrics"].is_array());
    assert_eq!(server.refusal("picture?rows=f0&t0=0&t1=1").0, 404);
    assert_eq!(server.refusal("sums?t0=0&t1=1").0, 404);
    assert_eq!(server.refusal("at?loc=0&t=1").0, 404);
}

/// The overview comes before thousands of call paths, and alone it has none of them.
#[test]
fn the_begin_of_a_long_report_is_an_answer_of_its_own() {
    assert_eq!(Running::new(reported()).answer("first"), Value::Null);
    let calls = (1..1500).map(|line| format!("\nmain/work@a.c:{line}  *  time=6"));
    let text = "wall=10000 locations=2\nmain  *  time=4".to_owned() + &calls.collect::<String>();
    let server = Running::new(reported_of(&text));
    let (first, whole) = (server.answer("first"), server.answer("cube"));
    assert_eq!((&first["program"], &first["call_count"]), (&whole["program"], &1500.into()));
    assert_eq!(whole["calls"].as_array().unwrap().len(), 1500);
    assert!(first["calls"].as_object().unwrap().is_empty());
}

#[test]
fn pictures_are_those_of_the_index() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let ids: Vec<u64> = definitions.location_ids.iter().copied().collect();
    let survey = file::survey(&archive, &ids).unwrap();
    let index = file::open(&index_file(folder.path()), survey.fingerprint).unwrap();
    let (origin, length) = (survey.shape.origin, survey.shape.length);
    let context = pompeii_index::Context::new(&definitions, survey.shape);
    let last = ids.len() - 1;
    let asked = format!("s{last}.0-1,f0-{last},s0.0-2,r0.0-1");
    let mut rows: Vec<(usize, Row)> = vec![(last, Row::Stack(0)), (last, Row::Stack(1))];
    rows.extend((0..=last).map(|location| (location, Row::Flat)));
    rows.extend((0..3).map(|level| (0, Row::Stack(level))));
    rows.extend((0..2).map(|level| (0, Row::Recorded(level))));
    let mut kinds = BTreeMap::new();
    for (t0, t1, px) in [(0, length, 4), (0, length, 4096), (length / 3, length / 2, 500)] {
        let (status, bytes) =
            server.bytes(&format!("picture?rows={asked}&t0={t0}&t1={t1}&px={px}"));
        assert_eq!(status, 200);
        let found = decoded(&bytes);
        let window = origin + t0..origin + t1;
        *kinds.entry(found.is_exact).or_insert(0) += 1;
        assert_eq!(found.rows.len(), rows.len());
        for (row, ([kind, location, level], boxes)) in rows.iter().zip(&found.rows) {
            let expected = match row.1 {
                Row::Flat => [0, row.0 as u32, 0],
                Row::Stack(level) => [1, row.0 as u32, level as u32],
                Row::Recorded(level) => [3, row.0 as u32, level as u32],
            };
            assert_eq!([*kind, *location, *level], expected);
            let open = |it: usize, _| -> Result<_, pompeii_index::WindowError> {
                Ok(archive.events(LocationRef(ids[it]))?)
            };
            let picture = match found.is_exact {
                true => index.exact_picture(&context, &[*row], window.clone(), px, open).unwrap(),
                false => index.picture(&[*row], window.clone(), px),
            };
            assert_eq!((found.bin_log2, found.begin), (picture.bin_log2, picture.begin - origin));
            let columns = picture.x0.iter().zip(&picture.x1).zip(&picture.what);
            let expected: Vec<[u32; 3]> =
                columns.map(|((x0, x1), What(what))| [*x0, *x1, *what]).collect();
            assert_eq!(*boxes, expected, "{row:?}");
        }
    }
    assert_eq!(kinds.len(), 2, "both ways were used");
}

#[test]
fn processes_are_rows_among_others() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let length = server.answer("open")["length"].as_u64().unwrap();
    let mut kinds = BTreeMap::new();
    for (t0, t1, px) in [(0, length, 4), (0, length, 4096), (length / 3, length / 2, 500)] {
        let of = |rows: &str| {
            let question = format!("picture?rows={rows}&t0={t0}&t1={t1}&px={px}");
            let (status, bytes) = server.bytes(&question);
            assert_eq!(status, 200);
            decoded(&bytes)
        };
        let (mixed, flat, folded) = (of("p1,f0-1,p0"), of("f0-1"), of("p0-1"));
        *kinds.entry(mixed.is_exact).or_insert(0) += 1;
        assert_eq!((mixed.begin, mixed.bin_log2), (flat.begin, flat.bin_log2));
        assert_eq!((mixed.begin, mixed.bin_log2), (folded.begin, folded.bin_log2));
        assert_eq!(mixed.rows[0], folded.rows[1]);
        assert_eq!(mixed.rows[1..3], flat.rows);
        assert_eq!(mixed.rows[3], folded.rows[0]);
        let sizes: Vec<usize> = mixed.rows.iter().map(|(_, boxes)| boxes.len()).collect();
        let bands = |of: &Decoded, from: usize, count: usize| of.bands[from..][..count].to_vec();
        let (first, second) = (folded.rows[0].1.len(), folded.rows[1].1.len());
        assert!(first > 0 && second > 0);
        assert_eq!(bands(&mixed, 0, second), bands(&folded, first, second));
        assert_eq!(bands(&mixed, second, sizes[1] + sizes[2]), vec![0; sizes[1] + sizes[2]]);
        assert!(bands(&folded, 0, first).iter().any(|band| *band != 0));
        assert!(flat.bands.is_empty());
    }
    assert_eq!(kinds.len(), 2, "both ways were used");
}

#[test]
fn sums_are_those_of_the_events() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let opening = server.answer("open");
    let (origin, length): (u64, u64) =
        (opening["origin"].as_str().unwrap().parse().unwrap(), opening["length"].as_u64().unwrap());
    let (t0, t1) = (length / 5, length / 2);
    let mut visits: BTreeMap<u64, u64> = BTreeMap::new();
    for id in definitions.location_ids.iter() {
        for event in archive.events(LocationRef(*id)).unwrap().flatten() {
            if let Event::Enter(enter) = event.event
                && (origin + t0..origin + t1).contains(&event.time)
            {
                let region = definitions.region(enter.region);
                *visits.entry(u64::from(region.0)).or_default() += 1;
            }
        }
    }
    let rows = |by: &str| -> Vec<Value> {
        let answer = server.answer(&format!("sums?t0={t0}&t1={t1}&by={by}"));
        assert_eq!(answer["exact"], true);
        answer["rows"].as_array().unwrap().clone()
    };
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
    let by_region = rows("region");
    let found: BTreeMap<u64, u64> = by_region
        .iter()
        .map(|row| (number(row, "key"), number(row, "visits")))
        .filter(|(_, visits)| *visits > 0)
        .collect();
    assert_eq!(found, visits);
    let total = |rows: &[Value]| -> u64 { rows.iter().map(|row| number(row, "ticks")).sum() };
    let (by_state, by_location) = (rows("state"), rows("location"));
    assert_eq!(total(&by_region), total(&by_state));
    assert_eq!(total(&by_region), total(&by_location));
    for row in &by_location {
        let states = row["states"].as_array().unwrap();
        let sum: u64 = states.iter().map(|it| it.as_u64().unwrap()).sum();
        assert_eq!((sum, states.len()), (number(row, "ticks"), 5));
    }
    // Each state is the sum over its regions.
    let state = |row: &Value| opening["regions"][number(row, "key") as usize]["state"].as_u64();
    for row in &by_state {
        let of = by_region.iter().filter(|region| state(region) == Some(number(row, "key")));
        assert_eq!(of.map(|row| number(row, "ticks")).sum::<u64>(), number(row, "ticks"));
    }
    let one = server.answer(&format!("sums?locs=0&t0={t0}&t1={t1}&by=location"));
    assert_eq!(one["rows"].as_array().unwrap().len(), 1);
    assert_eq!(
        one["rows"][0]["ticks"],
        *by_location.iter().find(|it| it["key"] == 0).map(|it| &it["ticks"]).unwrap()
    );
}

#[test]
fn a_moment_has_its_open_regions() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let opening = server.answer("open");
    let origin: u64 = opening["origin"].as_str().unwrap().parse().unwrap();
    let id = *definitions.location_ids.iter().next().unwrap();
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut checked = 0;
    let mut events = archive.events(LocationRef(id)).unwrap().flatten().peekable();
    while let Some(event) = events.next() {
        match event.event {
            Event::Enter(it) => {
                open.push((u64::from(definitions.region(it.region).0), event.time - origin));
            }
            Event::Leave(_) => drop(open.pop()),
            _ => continue,
        }
        // A moment between two events.
        if events.peek().is_none_or(|next| next.time < event.time + 2) || open.is_empty() {
            continue;
        }
        let answer = server.answer(&format!("at?loc=0&t={}", event.time - origin + 1));
        let stack: Vec<(u64, u64)> = answer["stack"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (it["region"].as_u64().unwrap(), it["since"].as_u64().unwrap()))
            .collect();
        assert_eq!(stack, open);
        let label =
            |(region, _): &(u64, u64)| opening["regions"][*region as usize]["label"].clone();
        let labels: Vec<String> =
            open.iter().map(|it| label(it).as_str().unwrap().to_owned()).collect();
        assert_eq!(answer["path"], labels.join(" > "));
        checked += 1;
        if checked == 25 {
            return;
        }
    }
    assert!(checked > 3);
}

#[test]
fn questions_that_cannot_be_answered_are_refused() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    for question in [
        "picture",
        "picture?rows=f0",
        "picture?rows=f0&t0=5&t1=5",
        "picture?rows=f0&t0=9&t1=5",
        "picture?rows=f999999&t0=0&t1=9",
        "picture?rows=f0&t0=0&t1=9007199254740992",
        "picture?rows=p2&t0=0&t1=9",
        "picture?rows=f0&t0=-1&t1=9",
        "picture?rows=f0&t0=0&t1=1e9",
        "picture?rows=x0&t0=0&t1=9",
        "picture?rows=f0&t0=0&t1=9&px=4097",
        "picture?rows=s0.0-99999999&t0=0&t1=9",
        "picture?rows=f0&t0=0&t1=99999999999999999999999999",
        "picture?rows=f0&t0=0&t0=1&t1=9",
        "sums?t0=0&t1=9&by=nothing",
        "sums?t0=0&t1=9&locs=0-18446744073709551615",
        "sums?t0=0&t1=9&locs=99",
        "sums?t0=0&t1=9&locs=",
        "sums?t0=%ff&t1=9",
        "at?loc=0",
        "at?loc=99&t=5",
        "tasks?t0=0&t1=9&max=20001",
        "tasks?t0=9&t1=9",
        "source",
        "source?file=9999",
        "at?loc=18446744073709551616&t=5",
        "at?t=5&loc=-1",
    ] {
        let (status, sentence) = server.refusal(question);
        assert_eq!(status, 400, "{question}: {sentence}");
        assert!(!sentence.is_empty());
    }
    // Windows and moments outside of the trace are empty.
    let after = "t0=9007199254740990&t1=9007199254740991";
    assert_eq!(server.answer(&format!("sums?{after}"))["rows"], Value::Array(Vec::new()));
    assert_eq!(server.bytes(&format!("picture?rows=f0&{after}&px=4096")).0, 200);
    assert_eq!(server.answer("at?loc=0&t=9007199254740991")["stack"], Value::Array(Vec::new()));
}

#[test]
fn messages_are_drawn_counted_and_summed() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let archive = Archive::open(&folder.path().join("traces.otf2")).unwrap();
    let definitions = pompeii_replay::archive::definitions(&archive);
    let mut sent: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (location, id) in definitions.location_ids.iter().enumerate() {
        for event in archive.events(LocationRef(*id)).unwrap().flatten() {
            let bytes = match event.event {
                Event::MpiSend(send) => send.msg_length,
                Event::MpiIsend(send) => send.msg_length,
                _ => continue,
            };
            let sum = sent.entry(location as u64).or_default();
            *sum = (sum.0 + 1, sum.1 + bytes);
        }
    }
    assert!(!sent.is_empty());
    let all = "t0=0&t1=9007199254740991";
    let numbers = |row: &Value, at: usize| row[at].as_u64().unwrap();
    let rows = |answer: &Value, name: &str| answer[name].as_array().unwrap().clone();

    let links = server.answer(&format!("links?kinds=message&{all}"));
    assert_eq!(links["left_out"], 0);
    let links = rows(&links, "links");
    let mut drawn: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for link in &links {
        assert_eq!(link[0], "message");
        let sum = drawn.entry(numbers(link, 1)).or_default();
        *sum = (sum.0 + 1, sum.1 + numbers(link, 5));
    }
    assert_eq!(drawn, sent);

    let matrix = server.answer(&format!("matrix?{all}"));
    let mut summed: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for pair in rows(&matrix, "pairs") {
        let sum = summed.entry(numbers(&pair, 0)).or_default();
        *sum = (sum.0 + numbers(&pair, 2), sum.1 + numbers(&pair, 3));
    }
    assert_eq!(summed, sent);

    let counted = server.answer(&format!("links?kinds=message&{all}&max=1"));
    let counts: u64 = rows(&counted, "counts").iter().map(|it| numbers(it, 3)).sum();
    assert_eq!(counts + counted["left_out"].as_u64().unwrap(), links.len() as u64);
    // The rows of both processes: all messages lead from one to the other.
    let folded = server.answer(&format!("links?kinds=message&{all}&max=2&px=1&by=process"));
    let opening = server.answer("open");
    let process = |location: u64| opening["locations"][location as usize]["process"].as_u64();
    let mut expected = BTreeMap::new();
    for link in &links {
        let pair = (process(numbers(link, 1)), process(numbers(link, 3)));
        *expected.entry(pair).or_insert(0) += 1;
    }
    let mut found = BTreeMap::new();
    for count in rows(&folded, "counts") {
        let pair = (Some(numbers(&count, 1)), Some(numbers(&count, 2)));
        *found.entry(pair).or_insert(0) += numbers(&count, 3);
    }
    assert_eq!((found, &folded["left_out"]), (expected, &0.into()));

    // The call that sends has the other end as its partner.
    let (loc, at) = (numbers(&links[0], 1), numbers(&links[0], 2));
    let partners = server.answer(&format!("at?loc={loc}&t={at}"))["partners"].clone();
    let other = |it: &Value| (it["kind"].clone(), it["loc"].clone(), it["at"].clone());
    let expected = (Value::from("message"), links[0][3].clone(), links[0][4].clone());
    assert!(partners.as_array().unwrap().iter().any(|it| other(it) == expected), "{partners}");
}

#[test]
fn curves_have_a_value_in_each_bin() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let opening = server.answer("open");
    let (length, threads) =
        (opening["length"].as_u64().unwrap(), opening["processes"][1]["count"].as_f64().unwrap());
    let number = |value: &Value| value.as_f64().unwrap();
    let mut most: f64 = 0.0;
    for which in ["ready", "running", "waiting", "idle"] {
        let curve =
            server.answer(&format!("curves?which={which}&process=1&t0=0&t1={length}&px=100"));
        let of = |name: &str| curve[name].as_array().unwrap().clone();
        let (min, max, mean) = (of("min"), of("max"), of("mean"));
        assert_eq!((min.len(), max.len()), (mean.len(), mean.len()));
        let bins = length >> curve["bin_log2"].as_u64().unwrap();
        assert!(mean.len() as u64 >= bins && mean.len() > 1, "{} of {bins}", mean.len());
        for bin in 0..mean.len() {
            let (least, mean, largest) = (number(&min[bin]), number(&mean[bin]), number(&max[bin]));
            assert!(0.0 <= least && least <= mean && mean <= largest, "{which} {bin}");
            if ["waiting", "idle"].contains(&which) {
                assert!(largest <= threads, "{which} {bin}");
            }
            most = most.max(largest);
        }
    }
    assert!(most >= 1.0);
    for wrong in [
        "curves?which=nothing&process=0&t0=0&t1=9",
        "curves?which=idle&process=2&t0=0&t1=9",
        "curves?which=idle&t0=0&t1=9",
        "counter?name=nothing&loc=0&t0=0&t1=9",
        "links?kinds=nothing&t0=0&t1=9",
        "links?t0=0&t1=9",
        "links?kinds=message&t0=0&t1=9&max=0&by=row",
        "matrix?t0=0",
        "links?kinds=message&t0=0&t1=9&max=20001",
    ] {
        assert_eq!(server.refusal(wrong).0, 400, "{wrong}");
    }
}

#[test]
fn counters_are_found_by_their_names() {
    let folder = sample("allrecords");
    let server = Running::ready(traced(folder.path()));
    let opening = server.answer("open");
    let counters = opening["has"]["counters"].as_array().unwrap();
    assert!(!counters.is_empty());
    for name in counters {
        let name = name.as_str().unwrap().replace(' ', "%20");
        // For more columns, a curve has finer bins than the index.
        let window = format!("t0=0&t1={}&px=8", opening["length"]);
        let series = server.answer(&format!("counter?name={name}&loc=0&{window}"));
        let curve = server.answer(&format!("curves?which=idle&process=0&{window}"));
        assert_eq!((&series["begin"], &series["bin_log2"]), (&curve["begin"], &curve["bin_log2"]));
        let bins = |of: &Value| of["mean"].as_array().unwrap().len();
        assert_eq!(bins(&series), bins(&curve));
    }
}
