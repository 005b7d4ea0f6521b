//! Idle threads: what the locations of a process did while it ran on fewer threads than it has.
//!
//! Nothing measures this, because nothing runs there. It follows from the master: the time that it
//! spends outside parallel regions is idle time of its workers, at the master's call path; inside
//! the outermost parallel region p a location is idle for as long as the master is in p and it is
//! not. Presence is the location's time in the call path plus the tasks that it executed there (the
//! stub nodes' `task_time`). With these definitions the time of all call paths plus the idle time
//! is wall time x locations, to the tick.

use pompeii_model::{CallId, Cube, Id, IndexVec, LocationId, MetricId, Role, Row, Ticks};

use crate::profile::{in_task_tree, is_task_root, outermost_parallels};

/// Idle ticks by call path and location.
pub struct Idle {
    rows: IndexVec<CallId, Row>,
    /// Whether the call path is a parallel region: of those, only outermost ones have idle time.
    is_parallel: IndexVec<CallId, bool>,
}

impl Idle {
    /// Finds the idle time of a measured cube.
    pub fn new(cube: &Cube) -> Self {
        let mut table = Table::new(cube);
        let presence = Presence::new(cube);
        for &root in cube.calls.roots() {
            table.walk(cube, &presence, root);
        }
        table.give_back_inner_teams(cube, &presence);
        for (location, alone) in table.alone.clone().into_iter().enumerate() {
            table.take(location, alone);
        }
        Self {
            rows: table.rows.into_iter().map(Row::new).collect(),
            is_parallel: cube.calls.ids().map(|call| is_parallel(cube, call)).collect(),
        }
    }

    /// Idle ticks in this call path.
    pub fn all(&self, call: CallId) -> Row {
        self.rows[call].clone()
    }

    /// Idle ticks of locations that did not take part in this outermost parallel region.
    pub fn limited(&self, call: CallId) -> Row {
        if self.is_parallel[call] { self.all(call) } else { Row::default() }
    }
}

/// Idle ticks while they are found out.
struct Table {
    /// By call path and location; empty where nobody is idle.
    rows: IndexVec<CallId, Vec<Ticks>>,
    /// By location: time at places where the master was not.
    alone: Vec<Ticks>,
}

impl Table {
    fn new(cube: &Cube) -> Self {
        let rows = cube.calls.ids().map(|_| Vec::new()).collect();
        Self { rows, alone: vec![0; cube.system.locations.len()] }
    }

    /// What a location did on its own is taken from its idle time, the longest first.
    fn take(&mut self, location: usize, mut alone: Ticks) {
        if alone <= 0 {
            return;
        }
        let ids = self.rows.ids();
        let mut cells: Vec<CallId> = ids.filter(|&call| !self.rows[call].is_empty()).collect();
        cells.sort_by_key(|&call| std::cmp::Reverse(self.rows[call][location]));
        for call in cells {
            alone -= self.take_at(call, location, alone);
        }
    }

    /// Takes as much as there is, and returns it.
    fn take_at(&mut self, call: CallId, location: usize, most: Ticks) -> Ticks {
        let Some(idle) = self.rows[call].get_mut(location) else { return 0 };
        let taken = most.min(*idle).max(0);
        *idle -= taken;
        taken
    }

    fn walk(&mut self, cube: &Cube, presence: &Presence, root: CallId) {
        let mut open = vec![root];
        while let Some(call) = open.pop() {
            if is_task_root(cube, call) {
                continue;
            }
            let spent = if is_parallel(cube, call) {
                presence.below(call)
            } else {
                open.extend(cube.calls.children(call));
                presence.own(call)
            };
            if !spent.is_empty() {
                self.rows[call] = self.beside(cube, &spent);
            }
        }
    }

    /// What each location is idle where this was spent.
    fn beside(&mut self, cube: &Cube, spent: &Row) -> Vec<Ticks> {
        let idle = |(id, of): (LocationId, &pompeii_model::Location)| {
            let master = cube.system.processes[of.process].master;
            if id == master {
                return 0;
            }
            // An initial thread of a league, or one that the program has made itself, can be where
            // the master is not.
            let (there, here) = (spent.get(master), spent.get(id));
            let may_be_alone = there == 0 || of.runs_beside_master();
            let idle = if may_be_alone { (there - here).max(0) } else { there - here };
            self.alone[id.index()] += idle - (there - here);
            idle
        };
        cube.system.locations.enumerated().map(idle).collect()
    }

    /// A parallel region inside an explicit task: its workers' time lies in the task tree only, no
    /// stub tells where it was executed. It is taken from the idle time of the places where tasks
    /// were executed, the busiest first; with one such place this is exact.
    fn give_back_inner_teams(&mut self, cube: &Cube, presence: &Presence) {
        let mut places: Vec<(Ticks, CallId)> =
            cube.calls.ids().map(|call| (presence.tasks_at(call), call)).collect();
        places.retain(|&(ticks, _)| ticks > 0);
        places.sort_by_key(|&(ticks, call)| (std::cmp::Reverse(ticks), call));
        let parallels = outermost_parallels(cube);
        let excesses = presence.only_in_task_trees();
        for (location, mut excess) in excesses.enumerated().map(|(id, &excess)| (id, excess)) {
            if excess <= 0 || location == cube.system.master(location) {
                continue;
            }
            for &(_, place) in &places {
                // The outermost parallel region around it, or the serial call path itself.
                let anchor = parallels[place].unwrap_or(place);
                excess -= self.take_at(anchor, location.index(), excess);
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

    fn row(&self, metric: Option<MetricId>, call: CallId) -> Row {
        metric.map_or_else(Row::default, |metric| self.cube.shared_row(metric, call))
    }

    /// Presence in the call path itself.
    fn own(&self, call: CallId) -> Row {
        self.row(self.time, call).plus(&self.row(self.task_time, call))
    }

    /// Presence in the call path and all below it.
    fn below(&self, call: CallId) -> Row {
        let mut sums = vec![0; self.cube.system.locations.len()];
        for call in self.cube.calls.subtree(call) {
            for row in [self.time, self.task_time].map(|metric| self.row(metric, call)) {
                sums.iter_mut().zip(row.values()).for_each(|(sum, value)| *sum += value);
            }
        }
        Row::new(sums)
    }

    fn tasks_at(&self, call: CallId) -> Ticks {
        self.task_time.map_or(0, |metric| self.cube.own(metric, call))
    }

    /// Time in the task trees that no stub node in the program's tree stands for, by location.
    /// Stubs in task trees are of tasks that a team executes which a task has forked: they are a
    /// part of it.
    pub fn only_in_task_trees(&self) -> IndexVec<LocationId, Ticks> {
        let cube = self.cube;
        let mut sums: IndexVec<LocationId, Ticks> =
            cube.system.locations.iter().map(|_| 0).collect();
        for call in cube.calls.ids() {
            let (metric, sign) =
                if in_task_tree(cube, call) { (self.time, 1) } else { (self.task_time, -1) };
            let row = self.row(metric, call);
            for (at, value) in row.values().iter().enumerate() {
                sums[LocationId::from_index(at)] += sign * value;
            }
        }
        sums
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
