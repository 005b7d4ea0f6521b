//! Task instances as entries of the call tree of a profile, where the analysis of its trace has
//! them: below a scheduling point they take the place, and the values, of the entry that stands for
//! all instances of their construct. So all sums stay the same.

use std::collections::HashMap;

use pompeii_model::{CallId, Cube, LocationId, MetricId, Region, RegionId, Role};

use crate::traced::Calls;

/// The values of an instance where it was executed.
const METRICS: [&str; 2] = ["task_time", "task_switches"];

/// An instance: its call path in the trace, and the one in the profile whose values it has a part
/// of.
struct Entry {
    call: CallId,
    construct: CallId,
}

/// The measured values of a run with the entries for task instances that the analysis of its trace
/// has. The call paths of the profile keep their numbers. `None` if the trace has no such entries,
/// or if its values are not parts of those of the profile.
pub fn with_task_entries(profile: &Cube, trace: &Cube) -> Option<Cube> {
    let calls = Calls::new(trace, profile);
    let entries: Vec<Entry> =
        trace.calls.ids().filter_map(|call| entry(profile, trace, (&calls, call))).collect();
    if entries.is_empty() {
        return None;
    }
    let mut with = profile.clone();
    let mut regions: HashMap<RegionId, RegionId> = HashMap::new();
    let metrics = METRICS.map(|name| trace.metric(name).zip(profile.metric(name)));
    for Entry { call, construct } in entries {
        let like = trace.calls.region(call);
        let known = regions.entry(like);
        let region = *known.or_insert_with(|| with.regions.push(trace.regions[like].clone()));
        let at = with.calls.parent(construct)?;
        let own = with.calls.add_child(at, region);
        for (from, to) in metrics.into_iter().flatten() {
            move_values((trace, from, call), (&mut with, to), (construct, own))?;
        }
    }
    Some(with)
}

/// Moves the values of an instance from the entry of its construct to its own one. `None` if the
/// construct has less.
fn move_values(
    (trace, from, call): (&Cube, MetricId, CallId),
    (with, to): (&mut Cube, MetricId),
    (construct, own): (CallId, CallId),
) -> Option<()> {
    for (at, &value) in trace.row(from, call).iter().enumerate().filter(|(_, it)| **it != 0) {
        let at = LocationId(at as u32);
        if with.get(to, construct, at) < value {
            return None;
        }
        with.add(to, own, at, value);
        with.add(to, construct, at, -value);
    }
    Some(())
}

/// What a call path of the trace is an entry for, if it is that of a task instance: a task that the
/// profile does not have below the scheduling point, in the place of one that it has.
fn entry(profile: &Cube, trace: &Cube, (calls, call): (&Calls, CallId)) -> Option<Entry> {
    let region = &trace.regions[trace.calls.region(call)];
    if region.role != Role::Task || calls.of(call).is_some() {
        return None;
    }
    let at = calls.of(trace.calls.parent(call)?)?;
    let is_construct = |other: &&CallId| {
        let other = &profile.regions[profile.calls.region(**other)];
        other.role == Role::Task && is_at_the_same_place(region, other)
    };
    let construct = *profile.calls.children(at).iter().find(is_construct)?;
    Some(Entry { call, construct })
}

fn is_at_the_same_place(one: &Region, other: &Region) -> bool {
    (one.begin_line, &one.file, &one.clauses) == (other.begin_line, &other.file, &other.clauses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(text: &str) -> Cube {
        crate::notation::cube(text).unwrap()
    }

    const PROFILE: &str = "wall=100 locations=2
        a/parallel@a.c:2                                     0  time=70 visits=1
        a/parallel@a.c:2                                     1  time=40 visits=1
        a/parallel@a.c:2/implicit barrier@a.c:9              *  time=10 visits=1
        a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:7   0  task_time=20 task_switches=1
        a/parallel@a.c:2/implicit barrier@a.c:9/task@a.c:7   1  task_time=50 task_switches=2
        TASKS/task@a.c:7                                     0  time=20 visits=1
        TASKS/task@a.c:7                                     1  time=50 visits=2";

    /// The trace of the same run with three instances of these times.
    fn trace(times: [i64; 3]) -> Cube {
        let mut trace = cube(PROFILE);
        let find = |cube: &Cube, role: Role, below: Role| {
            let role_of = |call: CallId| cube.regions[cube.calls.region(call)].role;
            let is = |call: &CallId| {
                let parent = cube.calls.parent(*call).map(role_of);
                role_of(*call) == role && parent == Some(below)
            };
            cube.calls.ids().find(is).unwrap()
        };
        let stub = find(&trace, Role::Task, Role::ImplicitBarrier);
        let at = trace.calls.parent(stub).unwrap();
        for (number, time) in times.into_iter().enumerate() {
            let like = trace.regions[trace.calls.region(stub)].clone();
            let name = format!("task_0_{}", number + 1);
            let region: RegionId = trace.regions.push(Region { name, ..like });
            let call = trace.calls.add_child(at, region);
            for (metric, value) in METRICS.into_iter().zip([time, 1]) {
                let metric = trace.metric(metric).unwrap();
                trace.add(metric, call, LocationId((number > 0) as u32), value);
            }
        }
        trace
    }

    #[test]
    fn instances_take_the_values_of_their_construct() {
        let profile = cube(PROFILE);
        let with = with_task_entries(&profile, &trace([20, 15, 35])).unwrap();
        let metric = with.metric("task_time").unwrap();
        let shown = with.calls.ids().filter(|call| with.own(metric, *call) != 0).map(|call| {
            (with.regions[with.calls.region(call)].name.as_str(), with.row(metric, call).to_vec())
        });
        let expected =
            [("task_0_1", vec![20, 0]), ("task_0_2", vec![0, 15]), ("task_0_3", vec![0, 35])];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert_eq!(with.total(metric), profile.total(metric));
        assert_eq!(crate::check_sum(&crate::derive(&with)), Ok(()));
        // Numbers of call paths stay.
        let names = |cube: &Cube| -> Vec<String> {
            let region = |call| cube.regions[cube.calls.region(call)].name.clone();
            cube.calls.ids().map(region).take(profile.calls.len()).collect()
        };
        assert_eq!(names(&with), names(&profile));
    }

    #[test]
    fn values_of_another_run_are_not_used() {
        let profile = cube(PROFILE);
        assert!(with_task_entries(&profile, &trace([20, 15, 36])).is_none());
        assert!(with_task_entries(&profile, &profile).is_none());
    }
}
