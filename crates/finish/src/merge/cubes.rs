//! The severities of several experiments in one cube.

use pompeii_model::{
    CallTree, Cube, Definitions, IndexVec, LocationId, Map, MetricId, Region, Role, Ticks, Union,
};

use super::Part;
use crate::run::{add_lists, sort_lists};

/// All processes in one cube, in the clock of the first part. The run took `wall_ns` nanoseconds.
pub fn merged(parts: &[Part], wall_ns: u64) -> Cube {
    let mut union = Union::default();
    let maps: Vec<Map> = parts.iter().map(|part| union.add(definitions(&part.cube))).collect();
    let Definitions { regions, calls, metrics, system, .. } = union.definitions().clone();
    let clock = parts[0].cube.clock;
    let lives = system.processes.iter().map(|process| process.wall_ticks);
    let wall_ticks = lives.fold(clock.ticks(wall_ns as f64 / 1e9), Ticks::max);
    let mut cube = Cube::new(clock, wall_ticks, &programs(parts), (regions, calls, system));
    for metric in metrics {
        cube.add_metric(metric);
    }
    for (part, map) in parts.iter().zip(&maps) {
        add_severities(&mut cube, &part.cube, map);
        add_lists(&mut cube, &part.cube, map);
        let new = part.cube.parts.iter().filter(|of| !cube.parts.contains(of)).cloned();
        let new: Vec<(String, String)> = new.collect();
        cube.parts.extend(new);
    }
    sort_lists(&mut cube);
    cube
}

/// Makes the root of the task trees a root again, which stands below the program in a file. All
/// call paths keep their ids.
pub fn lift_tasks(cube: &mut Cube) {
    let mut calls = CallTree::default();
    for call in cube.calls.ids() {
        let region = cube.calls.region(call);
        let Region { role, name, .. } = &cube.regions[region];
        let is_task_root = *role == Role::Artificial && name == "TASKS";
        match cube.calls.parent(call).filter(|_| !is_task_root) {
            Some(parent) => calls.add_child(parent, region),
            None => calls.add_root(region),
        };
    }
    cube.calls = calls;
}

fn definitions(cube: &Cube) -> Definitions {
    Definitions {
        regions: cube.regions.clone(),
        calls: cube.calls.clone(),
        metrics: cube.metrics().clone(),
        system: cube.system.clone(),
        communicators: IndexVec::default(),
    }
}

/// The names of the programs, each once.
pub fn programs(parts: &[Part]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for part in parts {
        let name = part.cube.program.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" and ")
}

fn add_severities(cube: &mut Cube, own: &Cube, map: &Map) {
    let metrics: Vec<(MetricId, MetricId)> =
        map.metrics.enumerated().map(|(from, &to)| (from, to)).collect();
    for (from, to) in metrics {
        for call in own.calls.ids() {
            let values = own.row(from, call).iter().enumerate().filter(|(_, value)| **value != 0);
            for (at, &value) in values {
                let location = map.locations[LocationId(at as u32)];
                cube.add(to, map.calls[call], location, value);
            }
        }
    }
}
