//! Fields that OTF2 has replaced: read for archives of old versions, and written for old readers.
//!
//! The pairs are those of the reference library, so that archives are the same byte for byte.

use crate::enums::*;

/// Region types before OTF2 1.1, and what they mean today.
const REGION_TYPES: &[(RegionType, Paradigm, RegionRole, u32)] = &[
    (RegionType::FUNCTION, Paradigm::COMPILER, RegionRole::FUNCTION, 0),
    (RegionType::FUNCTION, Paradigm::UNKNOWN, RegionRole::FUNCTION, 0),
    (RegionType::USER_REGION, Paradigm::USER, RegionRole::FUNCTION, 0),
    (RegionType::DYNAMIC_FUNCTION, Paradigm::USER, RegionRole::FUNCTION, 1),
    (RegionType::FILE, Paradigm::USER, RegionRole::FILE_IO, 0),
    (RegionType::LOOP, Paradigm::USER, RegionRole::LOOP, 0),
    (RegionType::DYNAMIC_LOOP, Paradigm::USER, RegionRole::LOOP, 1),
    (RegionType::DYNAMIC_LOOP_PHASE, Paradigm::USER, RegionRole::LOOP, 3),
    (RegionType::FUNCTION, Paradigm::USER, RegionRole::CODE, 0),
    (RegionType::PHASE, Paradigm::USER, RegionRole::CODE, 2),
    (RegionType::DYNAMIC, Paradigm::USER, RegionRole::CODE, 1),
    (RegionType::DYNAMIC_PHASE, Paradigm::USER, RegionRole::CODE, 3),
    (RegionType::OMP_PARALLEL, Paradigm::OPENMP, RegionRole::PARALLEL, 0),
    (RegionType::OMP_LOOP, Paradigm::OPENMP, RegionRole::LOOP, 0),
    (RegionType::OMP_SECTIONS, Paradigm::OPENMP, RegionRole::SECTIONS, 0),
    (RegionType::OMP_SECTION, Paradigm::OPENMP, RegionRole::SECTION, 0),
    (RegionType::OMP_WORKSHARE, Paradigm::OPENMP, RegionRole::WORKSHARE, 0),
    (RegionType::OMP_SINGLE, Paradigm::OPENMP, RegionRole::SINGLE, 0),
    (RegionType::OMP_MASTER, Paradigm::OPENMP, RegionRole::MASTER, 0),
    (RegionType::OMP_CRITICAL, Paradigm::OPENMP, RegionRole::CRITICAL, 0),
    (RegionType::OMP_ATOMIC, Paradigm::OPENMP, RegionRole::ATOMIC, 0),
    (RegionType::OMP_BARRIER, Paradigm::OPENMP, RegionRole::BARRIER, 0),
    (RegionType::OMP_IBARRIER, Paradigm::OPENMP, RegionRole::IMPLICIT_BARRIER, 0),
    (RegionType::OMP_FLUSH, Paradigm::OPENMP, RegionRole::FLUSH, 0),
    (RegionType::OMP_CRITICAL_SBLOCK, Paradigm::OPENMP, RegionRole::CRITICAL_SBLOCK, 0),
    (RegionType::OMP_SINGLE_SBLOCK, Paradigm::OPENMP, RegionRole::SINGLE_SBLOCK, 0),
    (RegionType::OMP_WRAPPER, Paradigm::OPENMP, RegionRole::WRAPPER, 0),
    (RegionType::OMP_TASK, Paradigm::OPENMP, RegionRole::TASK, 0),
    (RegionType::OMP_TASK_WAIT, Paradigm::OPENMP, RegionRole::TASK_WAIT, 0),
    (RegionType::OMP_TASK_CREATE, Paradigm::OPENMP, RegionRole::TASK_CREATE, 0),
    (RegionType::OMP_ORDERED, Paradigm::OPENMP, RegionRole::ORDERED, 0),
    (RegionType::OMP_ORDERED_SBLOCK, Paradigm::OPENMP, RegionRole::ORDERED_SBLOCK, 0),
    (RegionType::MPI_COLL_BARRIER, Paradigm::MPI, RegionRole::BARRIER, 0),
    (RegionType::MPI_COLL_ONE2ALL, Paradigm::MPI, RegionRole::COLL_ONE2ALL, 0),
    (RegionType::MPI_COLL_ALL2ONE, Paradigm::MPI, RegionRole::COLL_ALL2ONE, 0),
    (RegionType::MPI_COLL_ALL2ALL, Paradigm::MPI, RegionRole::COLL_ALL2ALL, 0),
    (RegionType::MPI_COLL_OTHER, Paradigm::MPI, RegionRole::COLL_OTHER, 0),
];

/// Group types before OTF2 1.2, and what they mean today.
const GROUP_TYPES: &[(GroupTypePre12, GroupType, Paradigm)] = &[
    (GroupTypePre12::LOCATIONS, GroupType::LOCATIONS, Paradigm::UNKNOWN),
    (GroupTypePre12::REGIONS, GroupType::REGIONS, Paradigm::UNKNOWN),
    (GroupTypePre12::METRIC, GroupType::METRIC, Paradigm::UNKNOWN),
    (GroupTypePre12::MPI_LOCATIONS, GroupType::COMM_LOCATIONS, Paradigm::MPI),
    (GroupTypePre12::MPI_GROUP, GroupType::COMM_GROUP, Paradigm::MPI),
    (GroupTypePre12::MPI_COMM_SELF, GroupType::COMM_SELF, Paradigm::MPI),
];

fn region(kind: RegionType) -> (Paradigm, RegionRole, RegionFlag) {
    let entry = REGION_TYPES.iter().find(|entry| entry.0 == kind);
    entry.map_or((Paradigm::UNKNOWN, RegionRole::UNKNOWN, RegionFlag::NONE), |entry| {
        (entry.1, entry.2, RegionFlag(entry.3))
    })
}

/// Role of a region in an archive older than 1.1.
pub(crate) fn role(kind: RegionType) -> RegionRole {
    region(kind).1
}

/// Paradigm of a region in an archive older than 1.1.
pub(crate) fn paradigm(kind: RegionType) -> Paradigm {
    region(kind).0
}

/// Flags of a region in an archive older than 1.1.
pub(crate) fn flags(kind: RegionType) -> RegionFlag {
    region(kind).2
}

/// Type of a group in an archive older than 1.2.
pub(crate) fn group_type(kind: GroupTypePre12) -> GroupType {
    let entry = GROUP_TYPES.iter().find(|entry| entry.0 == kind);
    entry.map_or(GroupType::UNKNOWN, |entry| entry.1)
}

/// Paradigm of a group in an archive older than 1.2.
pub(crate) fn group_paradigm(kind: GroupTypePre12) -> Paradigm {
    let entry = GROUP_TYPES.iter().find(|entry| entry.0 == kind);
    entry.map_or(Paradigm::UNKNOWN, |entry| entry.2)
}

/// Type that a region of today has for old readers.
pub(crate) fn region_type(paradigm: Paradigm, role: RegionRole, flags: RegionFlag) -> RegionType {
    // Flags count for user regions only.
    let flags = if paradigm == Paradigm::USER { flags.0 } else { 0 };
    let same = |entry: &&(RegionType, Paradigm, RegionRole, u32)| {
        (entry.1, entry.2, entry.3) == (paradigm, role, flags)
    };
    REGION_TYPES.iter().find(same).map_or(RegionType::UNKNOWN, |entry| entry.0)
}

/// Type that a group of today has for old readers.
pub(crate) fn group_type_pre12(
    kind: GroupType,
    paradigm: Paradigm,
    flags: GroupFlag,
) -> GroupTypePre12 {
    let same = |entry: &&(GroupTypePre12, GroupType, Paradigm)| {
        (entry.1, entry.2, GroupFlag::NONE) == (kind, paradigm, flags)
    };
    GROUP_TYPES.iter().find(same).map_or(GroupTypePre12::UNKNOWN, |entry| entry.0)
}
