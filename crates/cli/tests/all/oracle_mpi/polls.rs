//! Programs that ask for a message again and again: what finds nothing is sums in the trace, and
//! everything else is where it was.

use std::collections::BTreeMap;
use std::process::Command;

use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::RegionRef;

use super::{Mpi, Sandbox, Source, libraries, report};
use crate::common::{messages, oracles, silent};

const POLLS: Source = ("polls.c", include_str!("programs/polls.c"), "mpicc");
/// Ways to ask; the last one is told by a further call.
const WAYS: usize = 7;
/// Calls that find nothing, at least, of each way.
const IN_VAIN: u64 = 60_000;

/// Visits by the name of their region.
type Visits = BTreeMap<String, u64>;

/// What a trace has of the functions that ask.
#[derive(Default)]
struct Found {
    records: Visits,
    summed: Visits,
    /// The regions that messages were received in, in order.
    received_in: Vec<String>,
    tests: usize,
}

/// Reads it, and looks whether times are in order and regions balanced.
fn found(sandbox: &Sandbox) -> Found {
    let archive = Archive::open(&sandbox.path("exp/traces.otf2")).unwrap();
    let name = |region: RegionRef| archive.name("Region", region.0.into()).unwrap().to_owned();
    let (mut found, mut open, mut last) = (Found::default(), BTreeMap::new(), BTreeMap::new());
    for record in archive.merged().unwrap() {
        let record = record.unwrap();
        let open: &mut Vec<RegionRef> = open.entry(record.location.0).or_default();
        let before = last.insert(record.location.0, record.time).unwrap_or(0);
        assert!(before <= record.time);
        match record.event {
            Event::Enter(of) => {
                *found.records.entry(name(of.region)).or_default() += 1;
                open.push(of.region);
            }
            Event::Leave(of) => assert_eq!(open.pop(), Some(of.region)),
            Event::Metric(of) => {
                let class = archive.metric_class(of.metric).unwrap();
                let member = archive.metric_member(class.metric_members[0]).unwrap();
                let region = archive.string(member.name).unwrap().strip_prefix("visits of ");
                let MetricValue::U64(visits) = of.values[0] else { panic!("{of:?}") };
                *found.summed.entry(region.unwrap().to_owned()).or_default() += visits;
            }
            Event::MpiRecv(_) | Event::MpiIrecv(_) => {
                found.received_in.push(name(*open.last().unwrap()));
            }
            Event::MpiRequestTest(_) => found.tests += 1,
            _ => {}
        }
    }
    assert!(open.values().all(Vec::is_empty));
    found
}

/// How often the program says that it has called each function.
fn calls(output: &str) -> Visits {
    let call = |line: &str| {
        let (name, calls) = line.split_once(' ').unwrap();
        (name.to_owned(), calls.parse().unwrap())
    };
    output.lines().map(call).collect()
}

fn visits_in_profile(sandbox: &Sandbox) -> Visits {
    let report = report(sandbox, "exp");
    assert_eq!(report["sum_error"], serde_json::Value::Null);
    let visits = |region: &serde_json::Value| {
        (region["name"].as_str().unwrap().to_owned(), region["visits"].as_u64().unwrap())
    };
    report["regions"].as_array().unwrap().iter().map(visits).collect()
}

/// Runs the program, however busy the machine is, and holds what its trace and its profile have of
/// the calls, and of the regions that are named after one, against what it says itself.
fn check(mpi: &Mpi, how: &str, regions: impl Fn(&str) -> Vec<String>) -> (Sandbox, Found) {
    let (sandbox, what) = (Sandbox::new(), mpi.name);
    mpi.build(&sandbox, POLLS, how);
    let ended = mpi.run(&sandbox, 2, "--trace --guard-time 1000000", "./program");
    assert_eq!(ended.code, Some(0), "{what}: {}", ended.messages);
    let (calls, profile, trace) =
        (calls(&ended.output), visits_in_profile(&sandbox), found(&sandbox));
    assert_eq!(calls.len(), WAYS, "{what}: {}", ended.output);
    let named = calls
        .iter()
        .flat_map(|(call, called)| regions(call).into_iter().map(move |name| (name, *called)));
    for (name, called) in named {
        let (records, summed) = (trace.records[&name], trace.summed[&name]);
        assert_eq!((profile[&name], records + summed), (called, called), "{what}: {name}");
        // The first megabyte is records.
        assert!(summed > IN_VAIN / 10, "{what}: {name} {summed}");
    }
    // Of those that tell failed tests, which are three: the first, the second, the fourth ...
    assert!((3 * 16..3 * 32).contains(&trace.tests), "{what}: {}", trace.tests);
    let path = sandbox.path("exp/traces.otf2");
    silent(Command::new("otf2-print").arg(&path).stdout(std::process::Stdio::null()));
    assert_eq!(messages("matched", &path, &[]).trim(), "14", "{what}");
    (sandbox, trace)
}

#[test]
fn calls_that_find_nothing_are_sums_in_the_trace() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let what = mpi.name;
        let (sandbox, trace) = check(&mpi, "", |call| vec![call.to_owned()]);
        assert_eq!(trace.summed.len(), WAYS, "{what}");
        let by_rank_0 = trace.received_in.iter().filter(|name| *name != "MPI_Recv");
        let expected =
            ["MPI_Mrecv", "MPI_Test", "MPI_Testany", "MPI_Testsome", "MPI_Testall", "MPI_Wait"];
        assert!(by_rank_0.eq(&expected), "{what}: {:?}", trace.received_in);
        let text = sandbox.succeeds("report exp").output;
        // Lines end where the width does.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for name in trace.summed.keys() {
            let line =
                format!("The trace has short visits of {name} only as sums, on 1 thread since");
            assert!(text.contains(&line), "{what}: {line}\n{text}");
        }
    }
}

/// The function that calls this one of MPI.
fn caller(name: &str) -> String {
    let name = name.trim_start_matches("MPI_");
    name.trim_start_matches("Request_").to_lowercase()
}

#[test]
fn functions_that_ask_once_are_summed_with_what_they_ask() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let both = |call: &str| vec![call.to_owned(), caller(call)];
        let (_, trace) = check(&mpi, "--functions", both);
        assert_eq!(trace.summed.len(), 2 * WAYS, "{}", mpi.name);
    }
}

#[test]
fn without_the_guard_every_call_has_its_records() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, POLLS, "");
        let ended = mpi.run(&sandbox, 2, "--trace --no-guard", "./program 1");
        let trace = found(&sandbox);
        assert_eq!(ended.code, Some(0), "{}: {}", mpi.name, ended.messages);
        for (name, called) in calls(&ended.output) {
            assert_eq!(trace.records[&name], called, "{}: {name}", mpi.name);
        }
        assert!(trace.summed.is_empty(), "{}: {:?}", mpi.name, trace.summed);
    }
}
