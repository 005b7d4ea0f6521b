//! The slots of a descriptor's handle: which of a construct's regions is meant.
//!
//! To add a construct: a row in `slots!`. What its region is called is in `model/src/role.rs`.

use pompeii_live::RegionKind;

/// The rows: `Slot: Kind of its region, Whole or Part,`. A part has nothing of its construct's
/// clauses but the function around it.
macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident: $kind:ident $extent:ident,)*) => {
        /// Which of a descriptor's regions. A combined construct has one for each of its parts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        #[allow(missing_docs, reason = "the names are the OpenMP constructs themselves")]
        pub enum Slot {
            $($(#[$doc])* $slot,)*
        }

        impl Slot {
            /// All slots, in their order.
            pub const ALL: &[Slot] = &[$(Slot::$slot),*];

            /// What its region is, unless the words of the directive say otherwise.
            pub fn kind(self) -> RegionKind {
                match self {
                    $(Self::$slot => RegionKind::$kind,)*
                }
            }

            /// Whether its region is a part of a construct that has one of its own.
            pub fn is_part(self) -> bool {
                let extent = match self {
                    $(Self::$slot => Extent::$extent,)*
                };
                extent == Extent::Part
            }
        }
    };
}

/// How much of a construct a region is.
#[derive(PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

slots! {
    // These two are one `ParallelRegions`.
    Parallel: Parallel Whole,
    /// Also an explicit barrier.
    Barrier: ImplicitBarrier Part,
    /// `for`, `do`, `sections`, `workshare`, `single`; also `critical` and `atomic`.
    Worksharing: Loop Whole,
    /// A section, and the body of single, master and critical.
    Body: Section Part,
    TaskCreate: TaskCreate Whole,
    Task: Task Part,
    Taskwait: Taskwait Whole,
    /// Also a function.
    User: User Whole,
    Ordered: Ordered Whole,
    OrderedBody: OrderedBody Part,
    /// In place of `Ordered`, of one that posts an iteration: with a slot of its own it is unknown
    /// to the fast ways, and costs the others nothing there.
    Source: Ordered Whole,
    Flush: Flush Whole,
    Masked: Masked Whole,
    Scope: Scope Whole,
    LoopConstruct: LoopConstruct Whole,
    Teams: Teams Whole,
    Distribute: Distribute Whole,
    Target: Target Whole,
    Taskgroup: Taskgroup Whole,
    TaskgroupEnd: TaskgroupEnd Part,
    Taskyield: Taskyield Whole,
    Taskloop: Taskloop Whole,
    Cancel: Cancel Whole,
    CancellationPoint: Cancel Whole,
    Chunk: Chunk Part,
}
