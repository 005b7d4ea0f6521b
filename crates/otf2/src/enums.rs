//! Numbers with names. Values that a later version of the format adds are kept as they are.

use std::fmt;

use crate::field::FieldValue;
use crate::wire::{Flaw, Input, Sink, Wire};

/// A number with names, for code that does not care which.
pub(crate) trait Enumeration: Copy {
    /// A set of bits.
    const FLAGS: bool;
    fn number(self) -> u64;
    /// Numbers and their names.
    fn names() -> impl Iterator<Item = (u64, &'static str)>;
}

/// `one`: a value from a list. `flags`: a set of bits.
macro_rules! enums {
    ($( $(#[$doc:meta])* $form:ident $name:ident : $int:ident {
        $( $value_name:ident = $value:literal, )*
    } )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        #[allow(missing_docs, reason = "the names are those of the OTF2 documentation")]
        impl $name {
            $( pub const $value_name: $name = $name($value); )*

            /// All values that have a name.
            pub const ALL: &'static [($name, &'static str)] =
                &[$( ($name::$value_name, stringify!($value_name)), )*];
        }

        enums!(@ $form $name $int);

        impl Enumeration for $name {
            const FLAGS: bool = matches!(stringify!($form).as_bytes(), b"flags");
            fn number(self) -> u64 {
                u64::from(self.0)
            }
            fn names() -> impl Iterator<Item = (u64, &'static str)> {
                $name::ALL.iter().map(|&(value, name)| (u64::from(value.0), name))
            }
        }

        impl Wire for $name {
            #[inline]
            fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
                $int::read(input).map($name)
            }
            fn write(&self, sink: &mut Sink) {
                self.0.write(sink);
            }
            fn max_bytes(&self) -> usize {
                self.0.max_bytes()
            }
            fn show(&self) -> FieldValue<'_> {
                FieldValue::Named { value: u64::from(self.0), name: self.to_string() }
            }
        }
    )* };
    (@ one $name:ident $int:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match $name::ALL.iter().find(|(value, _)| value == self) {
                    Some((_, name)) => f.write_str(name),
                    None => self.0.fmt(f),
                }
            }
        }
    };
    (@ flags $name:ident $int:ident) => {
        impl $name {
            /// All bits of `other` are set.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let named = $name::ALL.iter().map(|&(flag, name)| (u64::from(flag.0), name));
                show_flags(f, u64::from(self.0), named)
            }
        }
    };
}

/// `A|B`, with the bits that have no name as a number.
fn show_flags(
    f: &mut fmt::Formatter<'_>,
    bits: u64,
    named: impl Iterator<Item = (u64, &'static str)>,
) -> fmt::Result {
    let mut rest = bits;
    let mut between = "";
    for (flag, name) in named {
        if flag & bits == flag && (flag != 0 || bits == 0) {
            write!(f, "{between}{name}")?;
            between = "|";
            rest &= !flag;
        }
    }
    if rest != 0 { write!(f, "{between}{rest}") } else { Ok(()) }
}

enums! {
    /// How the files of an archive are stored.
    one FileSubstrate: u8 {
        UNDEFINED = 0,
        POSIX = 1,
        SION = 2,
        NONE = 3,
    }
    /// What kind of ids a mapping table has.
    one MappingType: u8 {
        STRING = 0,
        ATTRIBUTE = 1,
        LOCATION = 2,
        REGION = 3,
        GROUP = 4,
        METRIC = 5,
        COMM = 6,
        PARAMETER = 7,
        RMA_WIN = 8,
        SOURCE_CODE_LOCATION = 9,
        CALLING_CONTEXT = 10,
        INTERRUPT_GENERATOR = 11,
        IO_FILE = 12,
        IO_HANDLE = 13,
        LOCATION_GROUP = 14,
    }
    /// Type of a value.
    one ValueType: u8 {
        NONE = 0,
        UINT8 = 1,
        UINT16 = 2,
        UINT32 = 3,
        UINT64 = 4,
        INT8 = 5,
        INT16 = 6,
        INT32 = 7,
        INT64 = 8,
        FLOAT = 9,
        DOUBLE = 10,
        STRING = 11,
        ATTRIBUTE = 12,
        LOCATION = 13,
        REGION = 14,
        GROUP = 15,
        METRIC = 16,
        COMM = 17,
        PARAMETER = 18,
        RMA_WIN = 19,
        SOURCE_CODE_LOCATION = 20,
        CALLING_CONTEXT = 21,
        INTERRUPT_GENERATOR = 22,
        IO_FILE = 23,
        IO_HANDLE = 24,
        LOCATION_GROUP = 25,
    }
    /// A parallel paradigm, or another origin of regions.
    one Paradigm: u8 {
        UNKNOWN = 0,
        USER = 1,
        COMPILER = 2,
        OPENMP = 3,
        MPI = 4,
        CUDA = 5,
        MEASUREMENT_SYSTEM = 6,
        PTHREAD = 7,
        HMPP = 8,
        OMPSS = 9,
        HARDWARE = 10,
        GASPI = 11,
        UPC = 12,
        SHMEM = 13,
        WINTHREAD = 14,
        QTTHREAD = 15,
        ACETHREAD = 16,
        TBBTHREAD = 17,
        OPENACC = 18,
        OPENCL = 19,
        MTAPI = 20,
        SAMPLING = 21,
        NONE = 22,
        HIP = 23,
        KOKKOS = 24,
        OPENMP_TARGET = 25,
    }
    /// How a paradigm makes parallelism.
    one ParadigmClass: u8 {
        PROCESS = 0,
        THREAD_FORK_JOIN = 1,
        THREAD_CREATE_WAIT = 2,
        ACCELERATOR = 3,
    }
    /// Properties of paradigms.
    one ParadigmProperty: u8 {
        COMM_NAME_TEMPLATE = 0,
        RMA_WIN_NAME_TEMPLATE = 1,
        RMA_ONLY = 2,
    }
    /// What a thumbnail shows.
    one ThumbnailType: u8 {
        REGION = 0,
        METRIC = 1,
        ATTRIBUTES = 2,
        COMM = 3,
        RMA_WIN = 4,
        IO_HANDLE = 5,
    }
    /// Kinds of hardware.
    one SystemTreeDomain: u8 {
        MACHINE = 0,
        SHARED_MEMORY = 1,
        NUMA = 2,
        SOCKET = 3,
        CACHE = 4,
        CORE = 5,
        PU = 6,
        ACCELERATOR_DEVICE = 7,
        NETWORKING_DEVICE = 8,
    }
    /// Kinds of location groups.
    one LocationGroupType: u8 {
        UNKNOWN = 0,
        PROCESS = 1,
        ACCELERATOR = 2,
    }
    /// Kinds of locations.
    one LocationType: u8 {
        UNKNOWN = 0,
        CPU_THREAD = 1,
        ACCELERATOR_STREAM = 2,
        METRIC = 3,
    }
    /// What the code of a region does.
    one RegionRole: u8 {
        UNKNOWN = 0,
        FUNCTION = 1,
        WRAPPER = 2,
        LOOP = 3,
        CODE = 4,
        PARALLEL = 5,
        SECTIONS = 6,
        SECTION = 7,
        WORKSHARE = 8,
        SINGLE = 9,
        SINGLE_SBLOCK = 10,
        MASTER = 11,
        CRITICAL = 12,
        CRITICAL_SBLOCK = 13,
        ATOMIC = 14,
        BARRIER = 15,
        IMPLICIT_BARRIER = 16,
        FLUSH = 17,
        ORDERED = 18,
        ORDERED_SBLOCK = 19,
        TASK = 20,
        TASK_CREATE = 21,
        TASK_WAIT = 22,
        COLL_ONE2ALL = 23,
        COLL_ALL2ONE = 24,
        COLL_ALL2ALL = 25,
        COLL_OTHER = 26,
        FILE_IO = 27,
        POINT2POINT = 28,
        RMA = 29,
        DATA_TRANSFER = 30,
        ARTIFICIAL = 31,
        THREAD_CREATE = 32,
        THREAD_WAIT = 33,
        TASK_UNTIED = 34,
        ALLOCATE = 35,
        DEALLOCATE = 36,
        REALLOCATE = 37,
        FILE_IO_METADATA = 38,
        CANCEL = 39,
        KERNEL = 40,
    }
    /// Properties of regions.
    flags RegionFlag: u32 {
        NONE = 0,
        DYNAMIC = 1,
        PHASE = 2,
    }
    /// What a group lists.
    one GroupType: u8 {
        UNKNOWN = 0,
        LOCATIONS = 1,
        REGIONS = 2,
        METRIC = 3,
        COMM_LOCATIONS = 4,
        COMM_GROUP = 5,
        COMM_SELF = 6,
        COMM_LOCATION_GROUPS = 7,
    }
    /// Properties of groups.
    flags GroupFlag: u32 {
        NONE = 0,
        GLOBAL_MEMBERS = 1,
    }
    /// Base of the scale of a metric.
    one Base: u8 {
        BINARY = 0,
        DECIMAL = 1,
    }
    /// When metrics are recorded.
    one MetricOccurrence: u8 {
        SYNCHRONOUS_STRICT = 0,
        SYNCHRONOUS = 1,
        ASYNCHRONOUS = 2,
    }
    /// Where a metric comes from.
    one MetricType: u8 {
        OTHER = 0,
        PAPI = 1,
        RUSAGE = 2,
        USER = 3,
    }
    /// What a metric value stands for, and for which span of time.
    one MetricMode: u8 {
        ACCUMULATED_START = 0,
        ACCUMULATED_POINT = 16,
        ABSOLUTE_POINT = 17,
        RELATIVE_POINT = 18,
        ACCUMULATED_LAST = 32,
        ABSOLUTE_LAST = 33,
        RELATIVE_LAST = 34,
        ACCUMULATED_NEXT = 48,
        ABSOLUTE_NEXT = 49,
        RELATIVE_NEXT = 50,
    }
    /// What a metric instance is recorded for.
    one MetricScope: u8 {
        LOCATION = 0,
        LOCATION_GROUP = 1,
        SYSTEM_TREE_NODE = 2,
        GROUP = 3,
    }
    /// What records a metric class.
    one RecorderKind: u8 {
        UNKNOWN = 0,
        ABSTRACT = 1,
        CPU = 2,
        GPU = 3,
    }
    /// Type of a parameter.
    one ParameterType: u8 {
        STRING = 0,
        INT64 = 1,
        UINT64 = 2,
    }
    /// Whether a dimension is closed to a ring.
    one CartPeriodicity: u8 {
        FALSE = 0,
        TRUE = 1,
    }
    /// What an interrupt generator counts.
    one InterruptGeneratorMode: u8 {
        TIME = 0,
        COUNT = 1,
    }
    /// Whether events are recorded.
    one MeasurementMode: u8 {
        ON = 1,
        OFF = 2,
    }
    /// Collective operations.
    one CollectiveOp: u8 {
        BARRIER = 0,
        BCAST = 1,
        GATHER = 2,
        GATHERV = 3,
        SCATTER = 4,
        SCATTERV = 5,
        ALLGATHER = 6,
        ALLGATHERV = 7,
        ALLTOALL = 8,
        ALLTOALLV = 9,
        ALLTOALLW = 10,
        ALLREDUCE = 11,
        REDUCE = 12,
        REDUCE_SCATTER = 13,
        SCAN = 14,
        EXSCAN = 15,
        REDUCE_SCATTER_BLOCK = 16,
        CREATE_HANDLE = 17,
        DESTROY_HANDLE = 18,
        ALLOCATE = 19,
        DEALLOCATE = 20,
        CREATE_HANDLE_AND_ALLOCATE = 21,
        DESTROY_HANDLE_AND_DEALLOCATE = 22,
    }
    /// Kinds of synchronisation on a window.
    one RmaSyncType: u8 {
        MEMORY = 0,
        NOTIFY_IN = 1,
        NOTIFY_OUT = 2,
    }
    /// What a synchronisation covers.
    flags RmaSyncLevel: u32 {
        NONE = 0,
        PROCESS = 1,
        MEMORY = 2,
    }
    /// Kinds of locks.
    one LockType: u8 {
        EXCLUSIVE = 0,
        SHARED = 1,
    }
    /// Atomic operations on remote memory.
    one RmaAtomicType: u8 {
        ACCUMULATE = 0,
        INCREMENT = 1,
        TEST_AND_SET = 2,
        COMPARE_AND_SWAP = 3,
        SWAP = 4,
        FETCH_AND_ADD = 5,
        FETCH_AND_INCREMENT = 6,
        FETCH_AND_ACCUMULATE = 7,
    }
    /// Whether an I/O interface is parallel.
    one IoParadigmClass: u8 {
        SERIAL = 0,
        PARALLEL = 1,
    }
    /// Properties of I/O interfaces.
    flags IoParadigmFlag: u32 {
        NONE = 0,
        OS = 1,
    }
    /// Named properties of I/O interfaces.
    one IoParadigmProperty: u8 {
        VERSION = 0,
    }
    /// Properties of handles.
    flags IoHandleFlag: u32 {
        NONE = 0,
        PRE_CREATED = 1,
        ALL_PROXY = 2,
    }
    /// What a handle may be used for.
    one IoAccessMode: u8 {
        READ_ONLY = 0,
        WRITE_ONLY = 1,
        READ_WRITE = 2,
        EXECUTE_ONLY = 3,
        SEARCH_ONLY = 4,
    }
    /// How a file is opened.
    flags IoCreationFlag: u32 {
        NONE = 0,
        CREATE = 1,
        TRUNCATE = 2,
        DIRECTORY = 4,
        EXCLUSIVE = 8,
        NO_CONTROLLING_TERMINAL = 16,
        NO_FOLLOW = 32,
        PATH = 64,
        TEMPORARY_FILE = 128,
        LARGEFILE = 256,
        NO_SEEK = 512,
        UNIQUE = 1024,
    }
    /// Status of a handle.
    flags IoStatusFlag: u32 {
        NONE = 0,
        CLOSE_ON_EXEC = 1,
        APPEND = 2,
        NON_BLOCKING = 4,
        ASYNC = 8,
        SYNC = 16,
        DATA_SYNC = 32,
        AVOID_CACHING = 64,
        NO_ACCESS_TIME = 128,
        DELETE_ON_CLOSE = 256,
    }
    /// What a new position counts from.
    one IoSeekOption: u8 {
        FROM_START = 0,
        FROM_CURRENT = 1,
        FROM_END = 2,
        DATA = 3,
        HOLE = 4,
    }
    /// I/O operations.
    one IoOperationMode: u8 {
        READ = 0,
        WRITE = 1,
        FLUSH = 2,
    }
    /// Properties of I/O operations.
    flags IoOperationFlag: u32 {
        NONE = 0,
        NON_BLOCKING = 1,
        COLLECTIVE = 2,
    }
    /// Properties of communicators.
    flags CommFlag: u32 {
        NONE = 0,
        CREATE_DESTROY_EVENTS = 1,
    }
    /// Properties of windows.
    flags RmaWinFlag: u32 {
        NONE = 0,
        CREATE_DESTROY_EVENTS = 1,
    }
    /// What a region does, before OTF2 1.1.
    one RegionType: u8 {
        UNKNOWN = 0,
        FUNCTION = 1,
        LOOP = 2,
        USER_REGION = 3,
        FILE = 4,
        OMP_PARALLEL = 5,
        OMP_LOOP = 6,
        OMP_SECTIONS = 7,
        OMP_SECTION = 8,
        OMP_WORKSHARE = 9,
        OMP_SINGLE = 10,
        OMP_MASTER = 11,
        OMP_CRITICAL = 12,
        OMP_ATOMIC = 13,
        OMP_BARRIER = 14,
        OMP_IBARRIER = 15,
        OMP_FLUSH = 16,
        OMP_CRITICAL_SBLOCK = 17,
        OMP_SINGLE_SBLOCK = 18,
        OMP_WRAPPER = 19,
        OMP_TASK = 20,
        OMP_TASK_WAIT = 21,
        MPI_COLL_BARRIER = 22,
        MPI_COLL_ONE2ALL = 23,
        MPI_COLL_ALL2ONE = 24,
        MPI_COLL_ALL2ALL = 25,
        MPI_COLL_OTHER = 26,
        PHASE = 27,
        DYNAMIC = 28,
        DYNAMIC_PHASE = 29,
        DYNAMIC_LOOP = 30,
        DYNAMIC_FUNCTION = 31,
        DYNAMIC_LOOP_PHASE = 32,
        OMP_TASK_CREATE = 33,
        OMP_ORDERED = 34,
        OMP_ORDERED_SBLOCK = 35,
    }
    /// What a group lists, before OTF2 1.2.
    one GroupTypePre12: u8 {
        UNKNOWN = 0,
        LOCATIONS = 1,
        REGIONS = 2,
        METRIC = 3,
        MPI_GROUP = 4,
        MPI_COMM_SELF = 5,
        MPI_LOCATIONS = 6,
    }
    /// Compression of the files.
    one Compression: u8 {
        UNDEFINED = 0,
        NONE = 1,
        ZLIB = 2,
    }
    /// How important a marker is.
    one MarkerSeverity: u8 {
        NONE = 0,
        LOW = 1,
        MEDIUM = 2,
        HIGH = 3,
    }
    /// What a marker is about.
    one MarkerScope: u8 {
        GLOBAL = 0,
        LOCATION = 1,
        LOCATION_GROUP = 2,
        SYSTEM_TREE_NODE = 3,
        GROUP = 4,
        COMM = 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(RegionRole::IMPLICIT_BARRIER.to_string(), "IMPLICIT_BARRIER");
        assert_eq!(RegionRole(200).to_string(), "200");
        assert_eq!(RegionFlag::NONE.to_string(), "NONE");
        assert_eq!((RegionFlag::DYNAMIC | RegionFlag::PHASE).to_string(), "DYNAMIC|PHASE");
        assert_eq!(IoStatusFlag(0x1002).to_string(), "APPEND|4096");
        assert!(IoStatusFlag(3).contains(IoStatusFlag::APPEND));
    }
}
