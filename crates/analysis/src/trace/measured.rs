//! The metrics that compounds have severities for. Each is a property of the same name, which has
//! its title and documentation.

macro_rules! measured {
    ($($metric:ident = $name:literal,)*) => {
        /// A metric of the trace.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Measured {
            $(#[doc = $name] $metric,)*
        }

        impl Measured {
            /// All of them, by number.
            pub const ALL: [Measured; [$($name),*].len()] = [$(Measured::$metric),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Measured::$metric => $name,)*
                }
            }
        }
    };
}

measured! {
    Fork = "omp_fork",
    Management = "omp_management",
    ImplicitWait = "omp_ibarrier_wait",
    ExplicitWait = "omp_ebarrier_wait",
    Starvation = "omp_task_starvation",
    Critical = "omp_lock_contention_critical",
    Lock = "omp_lock_contention_api",
    Mutex = "pthread_lock_contention_mutex_lock",
    Turn = "omp_ordered_wait",
    Last = "omp_barrier_last",
    Delay = "omp_barrier_delay",
    LateSender = "mpi_latesender",
    MpiBarrier = "mpi_barrier_wait",
    AllToAll = "mpi_wait_nxn",
    LateBroadcast = "mpi_latebroadcast",
    EarlyReduce = "mpi_earlyreduce",
    EarlyScan = "mpi_earlyscan",
    NonBlocking = "mpi_icollective_wait",
    LateReceiver = "mpi_latereceiver",
    WrongOrder = "mpi_latesender_wo",
    SameSource = "mpi_lswo_same",
    OtherSource = "mpi_lswo_different",
    MpiBarrierEnd = "mpi_barrier_completion",
    AllToAllEnd = "mpi_nxn_completion",
    InitEnd = "mpi_init_completion",
    Finalize = "mpi_finalize_wait",
    Fence = "mpi_rma_wait_at_fence",
    File = "mpi_io_collective_wait",
    WindowCreate = "mpi_rma_wait_at_create",
    WindowFree = "mpi_rma_wait_at_free",
    LatePost = "mpi_rma_sync_late_post",
    LatePostOfData = "mpi_rma_comm_late_post",
    EarlyWait = "mpi_rma_early_wait",
    LateComplete = "mpi_rma_late_complete",
    EarlyFence = "mpi_rma_early_fence",
    WindowLock = "mpi_rma_sync_lock_competition",
    WindowLockOfData = "mpi_rma_comm_lock_competition",
    Progress = "mpi_rma_sync_wait_for_progress",
    ProgressOfData = "mpi_rma_comm_wait_for_progress",
    PairSyncs = "mpi_rma_pairsync_count",
    PairSyncsUnneeded = "mpi_rma_pairsync_unneeded_count",
    LateSendersWithData = "mpi_cls_count",
    LateSendersWithout = "mpi_sls_count",
    WrongOrdersWithData = "mpi_clswo_count",
    WrongOrdersWithout = "mpi_slswo_count",
    LateReceiversWithData = "mpi_clr_count",
    LateReceiversWithout = "mpi_slr_count",
    Work = "task_work",
    Span = "task_span",
    Least = "task_least",
    Ready = "task_ready",
    WaitCreation = "task_wait_creation",
    WaitEnd = "task_wait_end",
}
