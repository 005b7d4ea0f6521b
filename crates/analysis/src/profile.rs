//! The measured profile as the properties see it: its metrics by name, the class of each call path
//! (`Class`), and which part of the forest it lies in.

use pompeii_model::{CallId, Cube, IndexVec, MetricId, Paradigm, PthreadClass, Role, Row};

use crate::idle::Idle;
use crate::impact::Impact;
use crate::mpi_class;

/// Which OpenMP construct or part of MPI a call path's own time belongs to. A construct's *body*
/// (`single sblock`, `critical sblock`) is the user's work and of no class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// User code and everything that has no class of its own: computation.
    Computation,
    /// An explicit barrier.
    ExplicitBarrier,
    /// The implicit barrier of a construct.
    ImplicitBarrier,
    /// Entry and exit of critical, and atomic.
    Critical,
    /// A lock routine.
    LockApi,
    /// taskwait.
    Taskwait,
    /// Creation of a task.
    TaskCreation,
    /// Entry and exit of ordered.
    Ordered,
    /// A flush that is timed.
    Flush,
    /// The end of a taskgroup.
    Taskgroup,
    /// taskyield.
    Taskyield,
    /// A taskloop.
    Taskloop,
    /// Nothing is known of this time.
    Off,
    /// `MPI_Init`, `MPI_Finalize`.
    MpiInitExit,
    /// Communicators and topologies of MPI.
    MpiCommunicator,
    /// Windows of one-sided communication.
    MpiWindow,
    /// Files of MPI, where no data moves.
    MpiFileManagement,
    /// A barrier of MPI.
    MpiBarrier,
    /// One-sided synchronisation that the target takes part in.
    RmaActive,
    /// One-sided synchronisation without the target.
    RmaPassive,
    /// Messages, and waiting for requests.
    PointToPoint,
    /// Collective communication.
    MpiCollective,
    /// One-sided communication.
    OneSided,
    /// Reading or writing a file of MPI by one process.
    FileIndividual,
    /// The same by all of a communicator.
    FileCollective,
    /// All else of MPI.
    MpiOther,
    /// Reading, writing, opening and closing files, without MPI.
    Io,
    /// A function of POSIX threads.
    Pthread(PthreadClass),
}

impl Class {
    /// Whether it is one of MPI.
    pub fn is_mpi(self) -> bool {
        matches!(
            self,
            Self::MpiInitExit
                | Self::MpiCommunicator
                | Self::MpiWindow
                | Self::MpiFileManagement
                | Self::MpiBarrier
                | Self::RmaActive
                | Self::RmaPassive
                | Self::PointToPoint
                | Self::MpiCollective
                | Self::OneSided
                | Self::FileIndividual
                | Self::FileCollective
                | Self::MpiOther
        )
    }
}

/// Lock routines by name: a report written elsewhere may give them any role.
fn is_lock_routine(name: &str) -> bool {
    let Some(verb) = name.strip_prefix("omp_").and_then(|rest| rest.strip_suffix("_lock")) else {
        return false;
    };
    let verb = verb.strip_suffix("_nest").unwrap_or(verb);
    ["init", "destroy", "set", "unset", "test"].contains(&verb)
}

fn class_of(cube: &Cube, call: CallId) -> Class {
    let region = &cube.regions[cube.calls.region(call)];
    if region.paradigm == Paradigm::Mpi && region.role != Role::Artificial {
        return mpi_class::class_of(region);
    }
    if let Some(class) = region.pthread_class() {
        return Class::Pthread(class);
    }
    match region.role {
        _ if region.paradigm == Paradigm::Io => Class::Io,
        Role::Barrier if region.paradigm == Paradigm::OpenMp => Class::ExplicitBarrier,
        Role::ImplicitBarrier => Class::ImplicitBarrier,
        // What a single with copyprivate does outside of its body is to wait: the body's thread for
        // those that read its values, the others for the values.
        Role::Single if region.includes_barrier() => Class::ImplicitBarrier,
        Role::Critical | Role::Atomic => Class::Critical,
        Role::Taskwait => Class::Taskwait,
        Role::TaskCreate => Class::TaskCreation,
        Role::Lock => Class::LockApi,
        Role::Ordered => Class::Ordered,
        Role::Flush => Class::Flush,
        Role::TaskgroupEnd => Class::Taskgroup,
        Role::Taskyield => Class::Taskyield,
        Role::Taskloop => Class::Taskloop,
        _ if region.is_measurement_off() => Class::Off,
        _ if is_lock_routine(&region.name) => Class::LockApi,
        _ => Class::Computation,
    }
}

/// Whether `call` is the artificial path above the task trees: a root of its own, or below the
/// program's root, because readers of Cube files expect a single root.
pub fn is_task_root(cube: &Cube, call: CallId) -> bool {
    let region = &cube.regions[cube.calls.region(call)];
    region.role == Role::Artificial && region.name == "TASKS"
}

/// Whether `call` lies in a task tree.
pub fn in_task_tree(cube: &Cube, call: CallId) -> bool {
    let calls = &cube.calls;
    is_task_root(cube, calls.root(call)) || is_task_root(cube, calls.below_root(call))
}

/// For each call path the outermost parallel region around it (or itself), if it is in one.
pub fn outermost_parallels(cube: &Cube) -> IndexVec<CallId, Option<CallId>> {
    cube.calls.outermost(|call| cube.regions[cube.calls.region(call)].role == Role::Parallel)
}

/// A measured cube with what the properties ask of it.
pub struct Profile<'a> {
    /// The measured cube.
    pub cube: &'a Cube,
    classes: IndexVec<CallId, Class>,
    /// Whether any location executed a task under this call path (it has a stub node below it).
    executes_tasks: IndexVec<CallId, bool>,
    idle: Idle,
    impact: Impact,
    time: Option<MetricId>,
    management: Option<MetricId>,
    starvation: Option<MetricId>,
}

impl<'a> Profile<'a> {
    /// Classifies the call paths of `cube` and finds the idle time in it.
    pub fn new(cube: &'a Cube) -> Self {
        let stub = |call: &CallId| cube.regions[cube.calls.region(*call)].role == Role::Task;
        Self {
            cube,
            classes: cube.calls.ids().map(|call| class_of(cube, call)).collect(),
            executes_tasks: cube
                .calls
                .ids()
                .map(|call| !in_task_tree(cube, call) && cube.calls.children(call).iter().any(stub))
                .collect(),
            idle: Idle::new(cube),
            impact: Impact::new(cube),
            time: cube.metric("time"),
            management: cube.metric("omp_management"),
            starvation: cube.metric("omp_task_starvation"),
        }
    }

    fn row(&self, metric: Option<MetricId>, call: CallId) -> Row {
        metric.map_or_else(Row::default, |metric| self.cube.shared_row(metric, call))
    }

    /// The measured metric `name`; 0 everywhere where the profile does not have it.
    pub fn measured(&self, name: &str, call: CallId) -> Row {
        self.row(self.cube.metric(name), call)
    }

    /// Measured time of the call path itself, without idle time.
    pub fn time(&self, call: CallId) -> Row {
        self.row(self.time, call)
    }

    /// Forking and joining, as measured.
    pub fn management(&self, call: CallId) -> Row {
        self.row(self.management, call)
    }

    /// Own time of a call path of `class`, without the fork and join time in it; 0 for others.
    pub fn class_time(&self, class: Class, call: CallId) -> Row {
        if self.classes[call] != class {
            return Row::default();
        }
        self.time(call).minus(&self.management(call))
    }

    /// Own time that the program spent in OpenMP and not in its own code.
    pub fn openmp(&self, call: CallId) -> Row {
        match self.classes[call] {
            class if class.is_mpi() => self.management(call),
            Class::Computation | Class::Off | Class::Io | Class::Pthread(_) => {
                self.management(call)
            }
            _ => self.time(call),
        }
    }

    /// Own time in functions of MPI.
    pub fn mpi(&self, call: CallId) -> Row {
        let class = self.classes[call];
        if class.is_mpi() { self.class_time(class, call) } else { Row::default() }
    }

    /// Own time in functions of POSIX threads.
    pub fn pthread(&self, call: CallId) -> Row {
        match self.classes[call] {
            class @ Class::Pthread(_) => self.class_time(class, call),
            _ => Row::default(),
        }
    }

    /// Waiting at implicit barriers: as measured at a barrier of its own, and the own time of a
    /// construct that kept its barrier.
    pub fn implicit_wait(&self, call: CallId) -> Row {
        let measured = self.measured("omp_ibarrier_wait", call);
        let region = &self.cube.regions[self.cube.calls.region(call)];
        if region.role != Role::Single || !region.includes_barrier() {
            return measured;
        }
        self.class_time(Class::ImplicitBarrier, call)
    }

    /// Visits of call paths of `class`; 0 for others.
    pub fn visits_of(&self, class: Class, call: CallId) -> Row {
        if self.classes[call] == class { self.measured("visits", call) } else { Row::default() }
    }

    /// Waiting for tasks of others in a barrier of `class`. A barrier in which no thread ran a task
    /// cannot starve: what was measured there is the barrier's own work.
    pub fn starvation(&self, class: Class, call: CallId) -> Row {
        if self.classes[call] != class || !self.executes_tasks[call] {
            return Row::default();
        }
        self.row(self.starvation, call)
    }

    /// Time in which the location's process was not there: the run had begun, or went on, without
    /// it. It is shown at the program's root.
    pub fn absent(&self, call: CallId) -> Row {
        let cube = self.cube;
        if cube.calls.roots().first() != Some(&call) {
            return Row::default();
        }
        let locations = cube.system.locations.iter();
        let walls = locations.map(|of| cube.system.processes[of.process].wall_ticks);
        Row::new(walls.map(|wall_ticks| cube.wall_ticks - wall_ticks).collect())
    }

    /// What the critical path costs.
    pub(crate) fn impact(&self) -> &Impact {
        &self.impact
    }

    /// Time in which the location did nothing because the program ran on fewer threads.
    pub fn idle(&self, call: CallId) -> Row {
        self.idle.all(call)
    }

    /// The part of [`Profile::idle`] inside parallel regions with fewer threads.
    pub fn limited(&self, call: CallId) -> Row {
        self.idle.limited(call)
    }
}
