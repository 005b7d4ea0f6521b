//! Parts of traces: what is in them, and times that are those of the window.

use std::collections::BTreeMap;

use pompeii_export::Error;
use pompeii_export::cut::{Choice, Cutter, Out};
use pompeii_model::{Id, LocationId};
use pompeii_otf2::event::Event;
use pompeii_otf2::value::AttributeValue;
use pompeii_replay::text::{TextTrace, parse};
use pompeii_replay::{Options, Trace, Within, replay};

/// Two threads in three parallel regions, with a task that the master suspends. In the last one the
/// master begins its part later than the other thread.
const TEAM: &str = "end 60
team A = 0.0 0.1
0 0.0 program; + main
10 0.0 fork
12 0.0 team A; + parallel
14 0.1 team A; + parallel
15 0.0 create A 0 1
16 0.0 switch A 0 1; + task
18 0.0 + taskwait
20 0.1 + ibarrier
22 0.0 switch A 0 0
25 0.0 switch A 0 1; -
28 0.0 -; done A 0 1; switch A 0 0
30 0.0 + ibarrier
31 0.0 -
32 0.1 -
33 0.0 -; endteam A; join
34 0.1 -; endteam A
40 0.0 fork; team A; + parallel
42 0.1 team A; + parallel
50 0.0 -; endteam A
51 0.1 -; endteam A
52 0.0 join
53 0.0 fork
54 0.1 team A; + parallel
56 0.0 team A; + parallel
57 0.0 -; endteam A
58 0.1 -; endteam A
59 0.0 join
60 0.0 -; exit";

#[derive(Default)]
struct Memory(Vec<Vec<(u64, Event)>>);

impl Out for Memory {
    fn put(
        &mut self,
        (id, time): (LocationId, u64),
        event: &Event,
        _: &[AttributeValue],
    ) -> Result<(), Error> {
        self.0[id.index()].push((time, event.clone()));
        Ok(())
    }
}

pub fn cut(trace: &TextTrace, within: Within) -> TextTrace {
    let choice = Choice { within, ..Choice::all(&trace.definitions) };
    let mut all: Vec<(u64, usize, &Event)> = Vec::new();
    for (place, events) in trace.events.iter().enumerate() {
        all.extend(events.iter().map(|(time, event)| (*time, place, event)));
    }
    all.sort_by_key(|(time, place, _)| (*time, *place));
    let mut memory = Memory(vec![Vec::new(); trace.events.len()]);
    let mut cutter = Cutter::new(&trace.definitions, &choice);
    for (time, place, event) in all {
        let at = (LocationId::from_index(place), time);
        if cutter.event(at, (event, &[]), &mut memory).unwrap().is_break() {
            break;
        }
    }
    cutter.end(&mut memory).unwrap();
    let mut definitions = trace.definitions.clone();
    definitions.begin = definitions.begin.max(within.begin);
    definitions.end = definitions.end.min(within.end);
    TextTrace { definitions, events: memory.0, attributes: Default::default() }
}

/// Times of call paths on locations.
pub fn times(trace: Trace, within: Option<Within>) -> BTreeMap<(String, u32), (i64, i64)> {
    let options = Options { within, ..Options::default() };
    let outcome = replay(trace, options, &mut |_| {});
    let mut times: BTreeMap<(String, u32), (i64, i64)> = BTreeMap::new();
    for entry in &outcome.entries {
        let sum = times.entry((outcome.path(entry.call), entry.location.0)).or_default();
        *sum = (sum.0 + entry.values.ticks, sum.1 + entry.values.task_ticks);
    }
    times.retain(|_, sum| *sum != (0, 0));
    times
}

/// Windows begin and end at each time, but for those that end between a fork and the begin of its
/// team: the team of such a fork is not known.
#[test]
fn times_are_those_of_the_window() {
    let trace = parse(TEAM).unwrap();
    for begin in 0..60 {
        for end in (begin + 1..=61).filter(|end| ![11, 12, 54].contains(end)) {
            let within = Within { begin, end };
            let expected = times(trace.trace(), Some(within));
            let found = times(cut(&trace, within).trace(), None);
            assert_eq!(found, expected, "{begin} to {end}");
        }
    }
}

#[test]
fn a_master_is_in_its_team_before_it_joins() {
    let cut = cut(&parse(TEAM).unwrap(), Within { begin: 0, end: 55 });
    let names = names(&cut, 0);
    let of_end: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("55 ")).collect();
    let part = ["ThreadTeamBegin", "Enter", "Leave", "ThreadTeamEnd"];
    assert_eq!(of_end[..4], part);
    assert_eq!(of_end[4..], ["ThreadJoin", "Leave"]);
}

fn names(trace: &TextTrace, location: usize) -> Vec<String> {
    let name = |(time, event): &(u64, Event)| format!("{time} {}", event.name());
    trace.events[location].iter().map(name).collect()
}

#[test]
fn a_message_that_was_sent_before_is_not_received() {
    let trace = "end 60
comm W = 0 1
0 0.0 + main; + MPI_Send; send 1 W 7 8; -
0 1.0 + main
10 1.0 + MPI_Recv
12 1.0 recv 0 W 7 8; -
20 0.0 + MPI_Send; send 1 W 7 8; -
22 1.0 + MPI_Recv; recv 0 W 7 8; -
30 0.0 -
30 1.0 -";
    let cut = cut(&parse(trace).unwrap(), Within { begin: 5, end: 25 });
    assert_eq!(names(&cut, 0), ["5 Enter", "20 Enter", "20 MpiSend", "20 Leave", "25 Leave"]);
    assert_eq!(
        names(&cut, 1),
        ["5 Enter", "10 Enter", "12 Leave", "22 Enter", "22 MpiRecv", "22 Leave", "25 Leave"]
    );
}

#[test]
fn an_operation_that_another_process_has_ended_is_left_out() {
    let trace = "end 60
comm W = 0 1
0 0.0 + main; + MPI_Bcast; begin; end BCAST W 0 8 0; -
0 1.0 + main; + MPI_Bcast; begin
10 1.0 end BCAST W 0 0 8; -
20 0.0 + MPI_Barrier; begin
21 1.0 + MPI_Barrier; begin
22 0.0 end BARRIER W - 0 0; -
22 1.0 end BARRIER W - 0 0; -
30 0.0 + MPI_Barrier; begin
50 0.0 end BARRIER W - 0 0; -";
    let cut = cut(&parse(trace).unwrap(), Within { begin: 5, end: 40 });
    let barrier = ["Enter", "MpiCollectiveBegin", "MpiCollectiveEnd", "Leave"];
    let times =
        |times: [u64; 4]| times.into_iter().zip(barrier).map(|(at, it)| format!("{at} {it}"));
    let mut expected = vec!["5 Enter".to_owned()];
    expected.extend(times([20, 20, 22, 22]));
    expected.extend(["30 Enter", "40 Leave", "40 Leave"].map(str::to_owned));
    assert_eq!(names(&cut, 0), expected);
    let mut expected: Vec<String> = ["5 Enter", "5 Enter", "10 Leave"].map(str::to_owned).into();
    expected.extend(times([21, 21, 22, 22]));
    expected.push("40 Leave".to_owned());
    assert_eq!(names(&cut, 1), expected);
}

/// The first process has completed the first operation before the begin, the other one begins it
/// after that, so the second one of the first process would be the first in the cut.
const NON_BLOCKING: &str = "end 60
comm W = 0 1
0 0.0 + main; + MPI_Ibcast; start 1; -; + MPI_Wait; complete BCAST W 0 8 0 1; -
0 1.0 + main
10 1.0 + MPI_Ibcast; start 1; -; + MPI_Wait; complete BCAST W 0 0 8 1; -
20 0.0 + MPI_Ibarrier; start 2; -; + MPI_Wait; complete BARRIER W - 0 0 2; -
20 1.0 + MPI_Ibarrier; start 2; -; + MPI_Wait; complete BARRIER W - 0 0 2; -
30 0.0 -
30 1.0 -";

#[test]
fn no_non_blocking_operation_gets_the_number_of_another_one() {
    let trace = parse(NON_BLOCKING).unwrap();
    let numbers = |begin: u64| {
        let cut = cut(&trace, Within { begin, end: 25 });
        let number = |location: usize| {
            let names = names(&cut, location);
            let is_record = |name: &&String| name.contains("NonBlocking");
            names.iter().filter(is_record).count()
        };
        [number(0), number(1)]
    };
    // An operation is under way at 5 only.
    assert_eq!(numbers(0), [4, 4]);
    assert_eq!(numbers(5), [0, 0]);
    assert_eq!(numbers(15), [2, 2]);
}
