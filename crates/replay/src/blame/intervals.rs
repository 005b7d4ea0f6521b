//! What each process did since it and another one were together last: its activities by call path,
//! and its waiting. A process that was late may have worked longer than the one that waited for it,
//! or have waited itself.
//!
//! A location has a log of segments. A segment begins where an interval may begin or end: with each
//! call of MPI, with each part in an operation, and in a call when its waiting ends. Two locations
//! are together when one of them has waited for the other one, or when both took part in an
//! operation of all. At the next operation of all there is an exception: if the location that comes
//! late has waited for the one that waits now, both are compared since before that wait. Otherwise
//! the reason for its lateness would be forgotten. Segments that no interval needs to tell apart
//! are merged after each window, and those from before all locations were together are forgotten.
//! Therefore a log has about as many segments as its location has partners. Of waits that are given
//! up as causes (`blame/mod.rs`), a segment has the sums by their main roots.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use pompeii_model::{Id, LocationId};

use crate::blame::excess::Regions;
use crate::blame::{Blame, WaitId};
use crate::compound::{MpiWait, Operation};
use crate::definitions::Definitions;
use crate::engine::open::Open;
use crate::engine::record::{Rec, What};
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::path::Part;
use crate::times::Times;
use crate::totals::Totals;
use crate::transport::dealt::Dealt;

/// The number of a segment of a location's log: an interval begins with it.
type Point = u64;

/// Calls inside of calls: more are those of a damaged trace, which are never left.
const DEEPEST: usize = 64;

/// A segment with more call paths or roots than this is summed when it is merged.
const UNSUMMED: usize = 16;

#[derive(Debug)]
struct Segment {
    number: Point,
    times: Vec<(NodeId, i64)>,
    /// Earlier waits, by their main roots.
    roots: Vec<(Part, i64)>,
    /// Waits, in the order of their numbers.
    waits: Vec<(WaitId, i64)>,
}

impl Segment {
    fn new(number: Point) -> Segment {
        Segment { number, times: Vec::new(), roots: Vec::new(), waits: Vec::new() }
    }

    /// Sums the waits that are given up as causes. They are the first ones. Most windows have none,
    /// and a segment may have many others.
    fn give_up_waits(&mut self, blame: &Blame) {
        let given_up = self.waits.iter().map_while(|(wait, ticks)| {
            let root = blame.root_instead(*wait)?;
            Some((root, *ticks))
        });
        let given_up: Vec<(Part, i64)> = given_up.collect();
        if given_up.is_empty() && self.roots.len() <= UNSUMMED {
            return;
        }
        self.waits.drain(..given_up.len());
        let mut roots = Totals::default();
        let all = self.roots.drain(..).chain(given_up);
        all.for_each(|(part, ticks)| roots.add(part, ticks));
        self.roots = roots.into_ticks();
    }
}

/// A location.
#[derive(Debug)]
struct Log {
    segments: VecDeque<Segment>,
    next: Point,
    /// Where segments begin: with calls and with parts in operations.
    begins: VecDeque<(u64, Point)>,
    /// When the open calls were entered.
    open: Vec<u64>,
    /// The last two operations of all on each communicator: number, and where the next interval
    /// begins.
    operations: Table<u32, VecDeque<(u64, Point)>>,
    /// No interval begins before this point: there all processes were together.
    floor: Point,
}

impl Default for Log {
    fn default() -> Log {
        Log {
            segments: VecDeque::from([Segment::new(0)]),
            next: 1,
            begins: VecDeque::new(),
            open: Vec::new(),
            operations: Table::default(),
            floor: 0,
        }
    }
}

impl Log {
    fn begin_segment(&mut self) -> Point {
        let number = self.next;
        self.next += 1;
        self.segments.push_back(Segment::new(number));
        number
    }

    fn add(&mut self, node: NodeId, ticks: i64) {
        if let Some(segment) = self.segments.back_mut() {
            segment.times.push((node, ticks));
        }
    }

    /// Where the call that began at this time begins in the log.
    fn begin(&self, time: u64) -> Option<Point> {
        let place = self.begins.partition_point(|(begin, _)| *begin < time);
        self.begins.get(place).filter(|(begin, _)| *begin == time).map(|(_, point)| *point)
    }

    /// The segments of an interval.
    fn interval(&self, from: Point, to: Point) -> impl Iterator<Item = &Segment> {
        let from = from.max(self.floor);
        let begin = self.segments.partition_point(|segment| segment.number < from);
        self.segments.range(begin..).take_while(move |segment| segment.number < to)
    }

    /// Activities of an interval.
    fn times(&self, (from, to): Bounds) -> Times {
        let mut times = Times::default();
        let all = self.interval(from, to).flat_map(|segment| &segment.times);
        all.for_each(|&(node, ticks)| times.add(node, ticks));
        times
    }

    /// Waits of an interval: those that are given up as causes by their main roots, and the others.
    fn waits(&self, blame: &Blame, (from, to): Bounds) -> (Totals<Part>, Vec<(WaitId, i64)>) {
        let (mut roots, mut waits) = (Totals::default(), Vec::new());
        for segment in self.interval(from, to) {
            segment.roots.iter().for_each(|&(part, ticks)| roots.add(part, ticks));
            for &(wait, ticks) in &segment.waits {
                match blame.root_instead(wait) {
                    Some(root) => roots.add(root, ticks),
                    None => waits.push((wait, ticks)),
                }
            }
        }
        (roots, waits)
    }

    /// Merges the segments that begin at other points than these, and forgets those before the
    /// first point of all.
    fn merge(&mut self, needed: &BTreeSet<Point>, blame: &Blame) {
        let mut merged: VecDeque<Segment> = VecDeque::new();
        let last = self.segments.back().map(|segment| segment.number);
        for segment in self.segments.drain(..) {
            let is_needed = needed.contains(&segment.number) || Some(segment.number) == last;
            match merged.back_mut() {
                Some(before) if !is_needed => {
                    before.times.extend(segment.times);
                    before.roots.extend(segment.roots);
                    before.waits.extend(segment.waits);
                }
                _ => merged.push_back(segment),
            }
        }
        while merged.len() > 1 && merged[1].number <= self.floor {
            merged.pop_front();
        }
        for segment in merged.iter_mut().filter(|segment| segment.times.len() > UNSUMMED) {
            let mut times = Times::default();
            segment.times.iter().for_each(|&(node, ticks)| times.add(node, ticks));
            segment.times = times.iter().collect();
        }
        merged.iter_mut().for_each(|segment| segment.give_up_waits(blame));
        self.segments = merged;
    }
}

/// Why a location waited for another one.
#[derive(Debug, Default)]
pub(crate) struct Excess {
    /// What the other one did longer, by call path.
    pub(crate) times: Vec<(NodeId, i64)>,
    /// Main roots of waits of the other one that are given up as causes.
    pub(crate) roots: Vec<(Part, i64)>,
    /// The waits of the other one.
    pub(crate) waits: Vec<(WaitId, i64)>,
}

/// The logs of all locations.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    logs: Vec<Log>,
    /// Of two locations, the first of which has waited for the second one: where their next
    /// intervals begin.
    pairs: BTreeMap<(LocationId, LocationId), (Point, Point)>,
    masters: Vec<LocationId>,
    /// By location.
    is_master: Vec<bool>,
    /// The last operation of each communicator, and how many masters have ended it.
    ended: Table<u32, (u64, usize)>,
    /// Other ranks have the times and the waits of their locations. Where intervals begin and end
    /// is known on all ranks.
    dealt: Option<Arc<Dealt>>,
}

/// The begin and the end of an interval of a location.
pub(crate) type Bounds = (Point, Point);

impl Intervals {
    /// Before the first record.
    pub(crate) fn new(definitions: &Definitions) -> Intervals {
        let system = &definitions.system;
        let logs: Vec<Log> = system.locations.iter().map(|_| Log::default()).collect();
        let masters: Vec<LocationId> =
            system.processes.iter().map(|process| process.master).collect();
        let mut is_master = vec![false; logs.len()];
        for master in &masters {
            if let Some(is_master) = is_master.get_mut(master.index()) {
                *is_master = true;
            }
        }
        Intervals { logs, masters, is_master, ..Intervals::default() }
    }

    /// Several ranks have the locations of the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }

    /// Whether this rank has the times of a location.
    fn has(&self, location: LocationId) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.of_location(location) == dealt.rank)
    }

    /// A location comes to a record; `profile` has its time since the last one.
    pub(crate) fn advance(&mut self, record: &Rec, profile: &[(NodeId, i64)]) {
        let log = &mut self.logs[record.location.index()];
        profile.iter().for_each(|&(node, ticks)| log.add(node, ticks));
        match record.what {
            What::MpiEnter { .. } | What::CollectiveBegin => {
                let point = log.begin_segment();
                log.begins.push_back((record.time, point));
            }
            _ => {}
        }
        if matches!(record.what, What::MpiEnter { .. }) {
            log.open.push(record.time);
            if log.open.len() > DEEPEST {
                log.open.remove(0);
            }
        }
    }

    /// A location has waited, which is no activity.
    pub(crate) fn wait(
        &mut self,
        location: LocationId,
        (node, ticks): (NodeId, i64),
        wait: Option<WaitId>,
    ) {
        if !self.has(location) {
            return;
        }
        let log = &mut self.logs[location.index()];
        log.add(node, -ticks);
        if let (Some(segment), Some(wait)) = (log.segments.back_mut(), wait) {
            segment.waits.push((wait, ticks));
        }
    }

    /// Why a location has waited in a call.
    pub(crate) fn excess(&self, wait: &MpiWait, regions: &Regions, blame: &Blame) -> Excess {
        let (own, other) = (wait.at.location, wait.causer.location);
        let Some([of_own, of_other]) = self.bounds(wait) else { return Excess::default() };
        let (own_times, times) = (self.times(own, of_own), self.times(other, of_other));
        let (roots, waits) = self.logs[other.index()].waits(blame, of_other);
        let times = regions.excess(&times, &own_times);
        Excess { times, roots: roots.into_ticks(), waits }
    }

    /// The intervals of the location that waits and of the other one, since they were together
    /// last.
    pub(crate) fn bounds(&self, wait: &MpiWait) -> Option<[Bounds; 2]> {
        let (own, other) = (wait.at.location, wait.causer.location);
        let own_end = self.logs[own.index()].begin(wait.begin)?;
        let other_end = self.logs[other.index()].begin(wait.until)?;
        let (own_begin, other_begin) = self.together((own, other), wait.together.is_some());
        Some([(own_begin, own_end), (other_begin, other_end)])
    }

    /// What a location did in an interval.
    pub(crate) fn times(&self, location: LocationId, bounds: Bounds) -> Times {
        self.logs[location.index()].times(bounds)
    }

    /// The waits of a location in an interval, if none of them is given up as a cause.
    pub(crate) fn waits_of(&self, location: LocationId, bounds: Bounds) -> Vec<(WaitId, i64)> {
        let (from, to) = bounds;
        let segments = self.logs[location.index()].interval(from, to);
        segments.flat_map(|segment| &segment.waits).copied().collect()
    }

    /// Where the intervals of two locations begin, the first of which has waited for the second
    /// one, maybe in an operation of all.
    fn together(
        &self,
        (one, other): (LocationId, LocationId),
        is_operation: bool,
    ) -> (Point, Point) {
        let waited = self.pairs.get(&(one, other)).copied();
        let waited_for = self.pairs.get(&(other, one)).filter(|_| !is_operation);
        let waited_for = waited_for.map(|(other, one)| (*one, *other));
        let mut latest = waited.max(waited_for).unwrap_or((0, 0));
        let of_other = &self.logs[other.index()].operations;
        for (comm, operations) in &self.logs[one.index()].operations {
            let Some(others) = of_other.get(comm) else { continue };
            let same = operations.iter().rev().find_map(|(number, point)| {
                let same = others.iter().find(|(other, _)| other == number);
                same.map(|(_, other)| (*point, *other))
            });
            latest = latest.max(same.unwrap_or_default());
        }
        latest
    }

    /// A call ends that has waited, with the number of the wait: both locations are together. The
    /// rest of the call is an activity.
    pub(crate) fn meet(&mut self, record: &Rec, wait: &MpiWait, id: Option<WaitId>) {
        let (own, other) = (wait.at.location, wait.causer.location);
        let rest = record.time.saturating_sub(wait.until.max(wait.begin)).cast_signed();
        self.wait(own, (record.node, wait.ticks()), id);
        let rest = if self.has(own) { rest } else { 0 };
        let log = &mut self.logs[own.index()];
        log.add(record.node, -rest);
        let point = log.begin_segment();
        log.add(record.node, rest);
        let Some(other_point) = self.logs[other.index()].begin(wait.until) else { return };
        self.pairs.insert((own, other), (point, other_point));
    }

    /// A call ends in which all processes of an operation were together.
    /// Returns whether it was the last one to take part.
    pub(crate) fn take_part(&mut self, wait: &MpiWait, operation: Operation) -> bool {
        let log = &mut self.logs[wait.at.location.index()];
        let point = match wait.ticks() > 0 {
            true => log.segments.back().map(|segment| segment.number),
            false => log.begin(wait.begin),
        };
        let last = log.operations.entry(operation.comm).or_default();
        last.extend(point.map(|point| (operation.number, point)));
        if last.len() > 2 {
            last.pop_front();
        }
        self.is_master[wait.at.location.index()] && self.end_part(operation)
    }

    /// A master has ended its part in an operation. If all have, no later interval begins before.
    fn end_part(&mut self, operation: Operation) -> bool {
        let ended = self.ended.entry(operation.comm).or_default();
        match ended.0 == operation.number {
            true => ended.1 += 1,
            false => *ended = (operation.number, 1),
        }
        if ended.1 < self.masters.len() {
            return false;
        }
        for master in &self.masters {
            let log = &mut self.logs[master.index()];
            let operations = log.operations.get(&operation.comm).into_iter().flatten();
            let own = operations.into_iter().find(|(number, _)| *number == operation.number);
            log.floor = log.floor.max(own.map_or(0, |(_, point)| *point));
        }
        true
    }

    /// A call of MPI ends.
    pub(crate) fn leave(&mut self, record: &Rec) {
        self.logs[record.location.index()].open.pop();
    }

    /// The first wait that a later one may refer to. Segments and their waits are in their order.
    pub(crate) fn first_wait(&self) -> Option<WaitId> {
        let first = |segment: &Segment| Some(segment.waits.first()?.0);
        self.logs.iter().filter_map(|log| log.segments.iter().find_map(first)).min()
    }

    /// A window is over. Later waits may refer to these calls.
    pub(crate) fn merge(&mut self, blame: &Blame, calls: &Open) {
        let mut needed: Vec<BTreeSet<Point>> = self.logs.iter().map(|_| BTreeSet::new()).collect();
        for ((one, other), points) in &self.pairs {
            needed[one.index()].insert(points.0);
            needed[other.index()].insert(points.1);
        }
        for (number, (log, needed)) in self.logs.iter_mut().zip(&mut needed).enumerate() {
            let location = LocationId(number as u32);
            let open = log.open.first().copied().unwrap_or(u64::MAX);
            let causing = calls.causing_of(location);
            log.begins.retain(|(time, _)| *time >= open || causing.has(*time));
            needed.extend(log.begins.iter().map(|(_, point)| *point));
            needed.extend(log.operations.values().flatten().map(|(_, point)| *point));
        }
        for (log, needed) in self.logs.iter_mut().zip(&needed) {
            log.merge(needed, blame);
        }
    }
}
