//! Idle threads: what the locations of a process did while it ran on fewer threads than it has.
//!
//! Nothing measures this, because nothing runs there. It follows from the master: the time that it
//! spends outside parallel regions is idle time of its workers, at the master's call path; inside
//! the outermost parallel region p a location is idle for as long as the master is in p and it is
//! not. Presence is the location's time in the call path plus the tasks that it executed there (the
//! stub nodes' `task_time`). With these definitions the time of all call paths plus the idle time
//! is wall time x locations, to the tick.

use pompeii_model::{CallId, CallTree, Cube, Id, LocationId, MetricId, Role, Ticks};

use crate::profile::{in_task_tree, is_task_root, outermost_parallels};

/// Idle ticks by call path and location.
pub struct Idle {
    width: usize,
    serial: Vec<Ticks>,
    limited: Vec<Ticks>,
    /// By location: time at places where the master was not.
    alone: Vec<Ticks>,
}

impl Idle {
    /// Finds the idle time of a measured cube.
    pub fn new(cube: &Cube) -> Self {
        let width = cube.system.locations.len();
        let size = cube.calls.len() * width;
        let (serial, limited, alone) = (vec![0; size], vec![0; size], vec![0; width]);
        let mut idle = Self { width, serial, limited, alone };
        let presence = Presence::new(cube);
        for &root in cube.calls.roots() {
            idle.walk(cube, &presence, root);
        }
        idle.give_back_inner_teams(cube, &presence);
        for (location, alone) in idle.alone.clone().into_iter().enumerate() {
            idle.take(location, alone);
        }
        idle
    }

    /// What a location did on its own is taken from its idle time, the longest first.
    fn take(&mut self, location: usize, mut alone: Ticks) {
        let width = self.width;
        let mut cells: Vec<&mut Ticks> = [&mut self.serial, &mut self.limited]
            .into_iter()
            .flat_map(|table| table.iter_mut().skip(location).step_by(width))
            .collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(**cell));
        for cell in cells {
            let taken = alone.min(*cell).max(0);
            *cell -= taken;
            alone -= taken;
        }
    }

    /// Idle ticks while the program was outside of parallel regions, in this call path.
    pub fn serial(&self, call: CallId, location: LocationId) -> Ticks {
        self.serial[call.index() * self.width + location.index()]
    }

    /// Idle ticks of a location that did not take part in this outermost parallel region.
    pub fn limited(&self, call: CallId, location: LocationId) -> Ticks {
        self.limited[call.index() * self.width + location.index()]
    }

    fn walk(&mut self, cube: &Cube, presence: &Presence, root: CallId) {
        let mut open = vec![root];
        while let Some(call) = open.pop() {
            if is_task_root(cube, call) {
                continue;
            }
            let parallel = is_parallel(cube, call);
            if !parallel {
                open.extend(cube.calls.children(call));
            }
            for location in cube.system.locations.ids() {
                let master = cube.system.master(location);
                let spent = |location| match parallel {
                    true => presence.below(&cube.calls, call, location),
                    false => presence.own(call, location),
                };
                let table = if parallel { &mut self.limited } else { &mut self.serial };
                if location == master {
                    continue;
                }
                // An initial thread of a league, or one that the program has made itself, can be
                // where the master is not.
                let beside = cube.system.locations[location].runs_beside_master();
                let (there, here) = (spent(master), spent(location));
                let idle = if there == 0 || beside { (there - here).max(0) } else { there - here };
                table[call.index() * self.width + location.index()] = idle;
                self.alone[location.index()] += idle - (there - here);
            }
        }
    }

    /// A parallel region inside an explicit task: its workers' time lies in the task tree only, no
    /// stub tells where it was executed. It is taken from the idle time of the places where tasks
    /// were executed, the busiest first; with one such place this is exact.
    fn give_back_inner_teams(&mut self, cube: &Cube, presence: &Presence) {
        let mut places: Vec<CallId> =
            cube.calls.ids().filter(|&call| presence.tasks_at(call) > 0).collect();
        places.sort_by_key(|&call| (std::cmp::Reverse(presence.tasks_at(call)), call));
        let parallels = outermost_parallels(cube);
        for location in cube.system.locations.ids() {
            if location == cube.system.master(location) {
                continue;
            }
            let mut excess = presence.only_in_task_trees(cube, location);
            for &place in &places {
                // The outermost parallel region around it, or the serial call path itself.
                let anchor = parallels[place].unwrap_or(place);
                let slot = anchor.index() * self.width + location.index();
                let table =
                    if is_parallel(cube, anchor) { &mut self.limited } else { &mut self.serial };
                let taken = excess.min(table[slot]).max(0);
                table[slot] -= taken;
                excess -= taken;
            }
        }
    }
}

fn is_parallel(cube: &Cube, call: CallId) -> bool {
    cube.regions[cube.calls.region(call)].role == Role::Parallel
}

/// Time that locations were seen in call paths: measured time and executed tasks.
pub struct Presence<'a> {
    cube: &'a Cube,
    time: Option<MetricId>,
    task_time: Option<MetricId>,
}

impl<'a> Presence<'a> {
    /// The presence in a measured cube, or in an analysed one where `time` names its measured part.
    pub fn new(cube: &'a Cube) -> Self {
        let time = cube.metric("execution").or_else(|| cube.metric("time"));
        Self { cube, time, task_time: cube.metric("task_time") }
    }

    /// Presence in the call path itself.
    pub fn own(&self, call: CallId, location: LocationId) -> Ticks {
        let of = |metric: Option<MetricId>| {
            metric.map_or(0, |metric| self.cube.get(metric, call, location))
        };
        of(self.time) + of(self.task_time)
    }

    /// Presence in the call path and all below it.
    pub fn below(&self, calls: &CallTree, call: CallId, location: LocationId) -> Ticks {
        calls.subtree(call).into_iter().map(|call| self.own(call, location)).sum()
    }

    fn tasks_at(&self, call: CallId) -> Ticks {
        self.task_time.map_or(0, |metric| self.cube.own(metric, call))
    }

    /// Time in the task trees that no stub node in the program's tree stands for. Stubs in task
    /// trees are of tasks that a team executes which a task has forked: they are a part of it.
    pub fn only_in_task_trees(&self, cube: &Cube, location: LocationId) -> Ticks {
        let get = |metric: Option<MetricId>, call| {
            metric.map_or(0, |metric| cube.get(metric, call, location))
        };
        let seen = |call| match in_task_tree(cube, call) {
            true => get(self.time, call),
            false => -get(self.task_time, call),
        };
        cube.calls.ids().map(seen).sum()
    }
}

#[cfg(test)]
mod tests {
    /// The inner barrier's stub of 30 is a part of the outer task, which is 70 long.
    #[test]
    fn tasks_of_a_team_that_a_task_forks_count_once() {
        let text = "wall=100 locations=1
             a/parallel@a.c:2                                         0  time=30
             a/parallel@a.c:2/task@a.c:4                              0  task_time=70
             TASKS/task@a.c:4/parallel@a.c:5                          0  time=40
             TASKS/task@a.c:4/parallel@a.c:5/task@a.c:6               0  task_time=30
             TASKS/task@a.c:6                                         0  time=30";
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        crate::check_sum(&cube).unwrap();
    }

    /// The league's other initial thread is in the region on its own, the master is not.
    #[test]
    fn a_thread_beside_the_master_is_idle_elsewhere() {
        let text = "wall=100 locations=2
             a                             0  time=100
             a/teams@a.c:2/parallel@a.c:3  1  time=30";
        let mut cube = crate::notation::cube(text).unwrap();
        cube.system.locations[pompeii_model::LocationId(1)].name = "Thread 1".into();
        let cube = crate::derive(&cube);
        crate::check_sum(&cube).unwrap();
        let idle = cube.metric("omp_idle_threads").unwrap();
        assert_eq!(cube.total(idle), 70);
    }
}
