//! Task groups: the task constructs that are executed in the same parallel regions, with those
//! regions. Their numbers are what the three task problems are told apart by.
//!
//! A task's own tree does not know where the task was executed, the stub nodes in the program's
//! tree do; and the same construct may be executed in several regions. So constructs and outermost
//! parallel regions that are linked by stubs or by creation are taken together.

use std::collections::{BTreeSet, HashMap};

use pompeii_model::{CallId, Distribution, Id, IndexVec, LocationId, RegionId, Role, TaskTime};

use crate::Lens;

/// Share of the tasks that the creators (the fewest threads possible) have created together.
pub(crate) const CREATORS_SHARE: f64 = 0.9;

/// Task constructs with the parallel regions that they are executed in.
#[derive(Debug, Default)]
pub(crate) struct TaskGroup {
    /// The task constructs.
    pub tasks: BTreeSet<RegionId>,
    /// The outermost parallel regions.
    pub parallels: BTreeSet<CallId>,
}

/// The task groups of a cube. Constructs and parallel regions are linked in one pass, as sets that
/// become one (union-find), since there may be many of each.
pub(super) fn task_groups(lens: &Lens, tasks: &Tasks) -> Vec<TaskGroup> {
    let parallels = lens.outermost_parallels();
    let trees = lens.cube.calls.outermost(|call| lens.is_task_tree(call));
    let regions = lens.cube.regions.len();
    let mut sets: Vec<usize> = (0..regions + lens.cube.calls.len()).collect();
    let mut linked: Vec<(usize, Option<usize>)> = Vec::new();
    for call in lens.cube.calls.ids() {
        let Some(task) = tasks.of(lens, call) else { continue };
        let other = match lens.in_task_tree(call) {
            true => trees[call].map(|root| lens.cube.calls.region(root).index()),
            false => parallels[call].map(|parallel| regions + parallel.index()),
        };
        linked.push((task.index(), other));
        if let Some(other) = other {
            let (a, b) = (set_of(&mut sets, task.index()), set_of(&mut sets, other));
            sets[a] = b;
        }
    }
    let mut groups: HashMap<usize, (usize, TaskGroup)> = HashMap::new();
    for (position, (task, other)) in linked.into_iter().enumerate() {
        let (last, group) = groups.entry(set_of(&mut sets, task)).or_default();
        *last = position;
        for member in std::iter::once(task).chain(other) {
            match member.checked_sub(regions) {
                None => group.tasks.insert(RegionId::from_index(member)),
                Some(call) => group.parallels.insert(CallId::from_index(call)),
            };
        }
    }
    let mut groups: Vec<(usize, TaskGroup)> = groups.into_values().collect();
    groups.retain(|(_, group)| !group.parallels.is_empty());
    groups.sort_by_key(|(last, _)| *last);
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The set of a member, which gets a shorter way to it.
fn set_of(sets: &mut [usize], mut member: usize) -> usize {
    while sets[member] != member {
        sets[member] = sets[sets[member]];
        member = sets[member];
    }
    member
}

/// Which task construct a call path belongs to, and which construct is around it.
pub(crate) struct Tasks<'a> {
    by_place: HashMap<(&'a str, u32, Option<&'a str>), RegionId>,
    /// The innermost construct that the call path is, or lies in.
    constructs: IndexVec<CallId, Option<CallId>>,
}

impl<'a> Tasks<'a> {
    pub(super) fn new(lens: &Lens<'a>) -> Self {
        let mut by_place = HashMap::new();
        for (id, region) in lens.cube.regions.enumerated().filter(|(_, r)| r.role == Role::Task) {
            by_place.entry(region.begin()).or_insert(id);
        }
        let constructs = lens.cube.calls.innermost(|call| is_construct(lens.role(call)));
        Self { by_place, constructs }
    }

    /// The innermost construct around the call path.
    fn around(&self, lens: &Lens, call: CallId) -> Option<CallId> {
        self.constructs[lens.cube.calls.parent(call)?]
    }

    /// The task construct that a stub stands for, that `create task` or a taskloop creates, or that
    /// a tree is of.
    fn of(&self, lens: &Lens, call: CallId) -> Option<RegionId> {
        let region = lens.region(call);
        match region.role {
            Role::Task => Some(lens.cube.calls.region(call)),
            Role::TaskCreate | Role::Taskloop => self.by_place.get(&region.begin()).copied(),
            _ => None,
        }
    }
}

fn is_construct(role: Role) -> bool {
    let is_for_all =
        matches!(role, Role::Parallel | Role::Loop | Role::Sections | Role::Scope | Role::Task);
    is_for_all || role.is_for_one()
}

/// One task construct of a group. Times are clock ticks over all locations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskConstruct {
    /// The task's region.
    pub task: RegionId,
    /// Instances executed, without undeferred ones that are only counted.
    pub executed: i64,
    /// Their own work.
    pub work: i64,
    /// Instances whose creation was timed.
    pub created: i64,
    /// Time to create them.
    pub creation: i64,
    /// Instances that their creator ran at once, counted only: cut off, or the queue was full.
    pub undeferred: i64,
    /// Visits of the taskloops that create it.
    pub loop_visits: i64,
}

impl TaskConstruct {
    /// `tops` are the tops of its trees, `creations` the call paths that create it.
    ///
    /// A taskloop creates its tasks without an event for each, and then waits for them: no longer
    /// than one task takes after the last has been fetched, in all visits no longer than as many of
    /// the longest tasks take.
    fn new(lens: &Lens, task: RegionId, (tops, creations): (&[CallId], &[CallId])) -> Self {
        let calls = &lens.cube.calls;
        let trees: Vec<CallId> = tops.iter().flat_map(|&top| calls.subtree(top)).collect();
        let is_loop = |call: &CallId| lens.role(*call) == Role::Taskloop;
        let loops: Vec<CallId> = creations.iter().copied().filter(is_loop).collect();
        let executed = lens.sum("visits", tops);
        let created = lens.sum("tasks_created", creations);
        let loop_visits = lens.sum("visits", &loops);
        let waiting = longest(lens, task, loop_visits);
        let in_loops = (lens.sum("omp_taskloop", &loops) - waiting).max(0);
        Self {
            task,
            executed,
            work: lens.sum("comp", &trees),
            created: if created == 0 && in_loops > 0 { executed } else { created },
            creation: lens.sum("omp_task_creation", creations) + in_loops,
            undeferred: lens.sum("tasks_undeferred", creations),
            loop_visits,
        }
    }

    /// Mean work of an instance.
    pub fn mean_work(&self) -> f64 {
        self.work as f64 / self.executed.max(1) as f64
    }

    /// Mean time to create an instance.
    pub fn mean_creation(&self) -> f64 {
        self.creation as f64 / self.created.max(1) as f64
    }

    /// Creation of all instances, where those that were not timed cost as much as the others.
    pub fn whole_creation(&self) -> f64 {
        self.creation as f64 + self.mean_creation() * self.undeferred as f64
    }

    /// Time of the undeferred instances, which lies untimed in the code around their creation.
    fn untimed(&self) -> f64 {
        (self.mean_work() + self.mean_creation()) * self.undeferred as f64
    }
}

/// The time of the `number` longest instances together. This is an upper bound: the instances of a
/// bin of the histogram may all be as long as the bin allows. If nothing is known of them, it is
/// all time.
fn longest(lens: &Lens, task: RegionId, number: i64) -> i64 {
    let times = lens.cube.task_times.iter();
    let mut all = Distribution::default();
    let of = times.filter(|of| of.region == task && of.time == TaskTime::Execution);
    of.for_each(|of| all.join(&of.ticks));
    if all.moments.count == 0 {
        return i64::MAX;
    }
    let mut left = number.max(0) as u64;
    let mut bins: Vec<(f64, f64, u64)> = all.histogram().collect();
    if bins.is_empty() {
        bins.push((0.0, f64::INFINITY, all.moments.count));
    }
    let in_bin = |&(_, beyond, count): &(f64, f64, u64)| {
        let here = count.min(left);
        left -= here;
        here as f64 * beyond.min(all.moments.max as f64)
    };
    bins.iter().rev().map(in_bin).sum::<f64>() as i64
}

/// What the profile knows about a task group. Times are clock ticks over all locations.
pub(crate) struct TaskNumbers {
    /// The group's constructs.
    pub constructs: Vec<TaskConstruct>,
    /// Call paths of barriers that the group's tasks are executed in or created before.
    pub barriers: Vec<CallId>,
    /// `create task` call paths.
    pub creations: Vec<CallId>,
    /// Call paths of `taskwait`, of ends of taskgroups and of taskloops.
    pub taskwaits: Vec<CallId>,
    /// Locations in the group's parallel regions.
    pub threads: usize,
    /// The locations that created nearly all tasks, the busiest first, with what they created.
    pub creators: Vec<(LocationId, i64)>,
    /// What the creators computed around the creation: producing the tasks. Undeferred tasks lie
    /// in it untimed; what they cost if they are like the others is taken out.
    pub production: i64,
    /// Time of the creators in creation.
    pub creators_creation: i64,
}

impl TaskNumbers {
    /// Collects the numbers of `group`.
    pub fn new(
        lens: &Lens,
        (group, tasks): (&TaskGroup, &Tasks),
        by_region: &IndexVec<RegionId, Vec<CallId>>,
    ) -> Self {
        let calls = &lens.cube.calls;
        let regions: Vec<CallId> =
            group.parallels.iter().flat_map(|&parallel| calls.subtree(parallel)).collect();
        let tops_of = |task: RegionId| -> Vec<CallId> {
            by_region[task].iter().copied().filter(|&call| lens.is_task_tree(call)).collect()
        };
        let trees = group.tasks.iter().flat_map(|&task| tops_of(task));
        let trees = trees.flat_map(|top| calls.subtree(top));
        let all: Vec<CallId> = regions.iter().copied().chain(trees).collect();
        let with_role = |role: Role| -> Vec<CallId> {
            all.iter().copied().filter(|&call| lens.role(call) == role).collect()
        };
        let creations = with_role(Role::TaskCreate);
        let taskloops = with_role(Role::Taskloop);
        let mut created: HashMap<RegionId, Vec<CallId>> = HashMap::new();
        for &call in creations.iter().chain(&taskloops) {
            if let Some(task) = tasks.of(lens, call) {
                created.entry(task).or_default().push(call);
            }
        }
        let construct = |&task: &RegionId| {
            let creations = created.get(&task).map_or(&[][..], Vec::as_slice);
            TaskConstruct::new(lens, task, (&tops_of(task), creations))
        };
        let constructs: Vec<TaskConstruct> = group.tasks.iter().map(construct).collect();
        let creators = creators(lens, &creations);
        let on_creators = |metric, calls: &[CallId]| {
            let values = lens.by_location(metric, calls);
            creators.iter().map(|&(location, _)| values[location]).sum::<i64>()
        };
        let around_all = |calls: &[CallId]| -> BTreeSet<CallId> {
            calls.iter().filter_map(|&call| tasks.around(lens, call)).collect()
        };
        let around = around_all(&creations);
        let around_loops = around_all(&taskloops);
        let computed = on_creators("comp", &producing(lens, &around)) as f64;
        let untimed: f64 = constructs.iter().map(TaskConstruct::untimed).sum();
        Self {
            barriers: task_barriers(lens, &regions, &(&around | &around_loops)),
            taskwaits: [Role::Taskwait, Role::TaskgroupEnd, Role::Taskloop]
                .into_iter()
                .flat_map(with_role)
                .collect(),
            threads: lens.threads_at(&group.parallels.iter().copied().collect::<Vec<_>>()),
            production: (computed - untimed).max(0.0) as i64,
            creators_creation: on_creators("omp_task_creation", &creations),
            constructs,
            creations,
            creators,
        }
    }

    /// How often threads wait for all tasks that exist: at each end of a taskloop if there are no
    /// other tasks. 0 if only the barriers are known to wait for all.
    pub fn waits_of_loops(&self) -> i64 {
        let all = || self.constructs.iter().filter(|of| of.executed > 0);
        let are_loops = all().all(|of| of.loop_visits > 0);
        if are_loops { all().map(|of| of.loop_visits).sum() } else { 0 }
    }

    /// Sum over the constructs.
    pub fn sum(&self, of: fn(&TaskConstruct) -> i64) -> i64 {
        self.constructs.iter().map(of).sum()
    }
}

/// The fewest locations that created nearly all tasks.
fn creators(lens: &Lens, creations: &[CallId]) -> Vec<(LocationId, i64)> {
    let by_location = lens.by_location("tasks_created", creations);
    let enough = by_location.iter().sum::<i64>() as f64 * CREATORS_SHARE;
    let mut all: Vec<(LocationId, i64)> =
        by_location.enumerated().map(|(location, &created)| (location, created)).collect();
    all.sort_by_key(|&(location, created)| (-created, location));
    let mut sum = 0;
    all.into_iter()
        .take_while(|&(_, created)| {
            let more = (sum as f64) < enough && created > 0;
            sum += created;
            more
        })
        .collect()
}

/// Barriers with stubs below them, and those of the constructs around creations of tasks.
fn task_barriers(lens: &Lens, regions: &[CallId], constructs: &BTreeSet<CallId>) -> Vec<CallId> {
    let calls = &lens.cube.calls;
    regions
        .iter()
        .copied()
        .filter(|&call| matches!(lens.role(call), Role::Barrier | Role::ImplicitBarrier))
        .filter(|&call| {
            let executes = calls.children(call).iter().any(|&child| lens.is_stub(child));
            executes || calls.parent(call).is_some_and(|parent| constructs.contains(&parent))
        })
        .collect()
}

/// Call paths of the constructs around creations, outside of tasks: what runs there on a creator
/// produces tasks. Constructs may lie in one another; each call path counts once.
fn producing(lens: &Lens, constructs: &BTreeSet<CallId>) -> Vec<CallId> {
    let mut inside: BTreeSet<CallId> = BTreeSet::new();
    for &construct in constructs.iter().filter(|&&construct| !lens.in_task_tree(construct)) {
        // Parents come before their children, so what is inside already has all below it there.
        if !inside.contains(&construct) {
            inside.extend(lens.cube.calls.subtree(construct));
        }
    }
    inside.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pompeii_model::{Moments, TaskTimes};

    /// One instance of 900 ticks that was preempted, and 99 of up to 15 ticks. The histogram says no
    /// more of these.
    #[test]
    fn one_long_instance_is_not_all_of_the_longest() {
        let mut cube = crate::notation::cube("wall=1 locations=1\nTASKS/task@a.c:5  0  time=1");
        let cube = cube.as_mut().unwrap();
        let task = cube.regions.ids().find(|&id| cube.regions[id].role == Role::Task).unwrap();
        let moments = Moments { count: 100, min: 8, max: 900, sum: 1890, sum_of_squares: 0.0 };
        let mut bins = vec![0; 11];
        (bins[4], bins[10]) = (99, 1);
        cube.task_times.push(TaskTimes {
            region: task,
            location: LocationId(0),
            time: TaskTime::Execution,
            ticks: Distribution { moments, bins },
        });
        let of = |number| longest(&Lens::new(cube), task, number);
        assert_eq!([of(1), of(3), of(100), of(1000)], [900, 932, 2484, 2484]);
        assert_eq!(longest(&Lens::new(cube), RegionId(0), 1), i64::MAX);
    }
}
