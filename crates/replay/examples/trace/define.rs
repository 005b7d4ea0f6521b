//! What the events of a generated trace mean: regions, locations, teams.

use pompeii_otf2::definition as def;
use pompeii_otf2::enums::*;
use pompeii_otf2::reference::*;
use pompeii_otf2::write::ArchiveWriter;

use super::{FIRST_TICK, PROGRAM, REGIONS, Result, Run, location};

/// Adds all definitions. `events` has their number by location.
pub fn define(
    archive: &mut ArchiveWriter,
    run: &Run,
    events: &[u64],
    last_tick: u64,
) -> Result<()> {
    assert_eq!(archive.string("program")?, PROGRAM);
    archive.define(def::ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: FIRST_TICK,
        trace_length: last_tick - FIRST_TICK,
        ..Default::default()
    })?;
    let (node, name) = (SystemTreeNodeRef(0), archive.string("machine")?);
    let parent = SystemTreeNodeRef::UNDEFINED;
    archive.define(def::SystemTreeNode { id: node, name, class_name: name, parent })?;
    for rank in 0..run.processes {
        let name = archive.string(&format!("MPI Rank {rank}"))?;
        archive.define(def::LocationGroup {
            id: LocationGroupRef(rank),
            name,
            location_group_type: LocationGroupType::PROCESS,
            system_tree_parent: node,
            ..Default::default()
        })?;
    }
    for ((rank, thread), &number_of_events) in run.places().zip(events) {
        let name = archive.string(&format!("OMP thread {thread}"))?;
        archive.define(def::Location {
            id: location(rank, thread),
            name,
            location_type: LocationType::CPU_THREAD,
            number_of_events,
            location_group: LocationGroupRef(rank),
        })?;
    }
    define_regions(archive, run.copies)?;
    define_groups(archive, run)
}

/// All copies of the regions.
fn define_regions(archive: &mut ArchiveWriter, copies: u32) -> Result<()> {
    let regions = (0..copies).flat_map(|copy| REGIONS.map(|region| (copy, region)));
    for (number, (copy, (name, region_role, paradigm))) in regions.enumerate() {
        let name = archive.string(&name_of_copy(name, copy))?;
        let file = if paradigm == Paradigm::MPI { "MPI" } else { "t.c" };
        let source_file = archive.string(file)?;
        archive.define(def::Region {
            id: RegionRef(number as u32),
            name,
            canonical_name: name,
            region_role,
            paradigm,
            source_file,
            ..Default::default()
        })?;
    }
    Ok(())
}

/// A construct stands in another line, and a function has another name.
fn name_of_copy(name: &str, copy: u32) -> String {
    let place = name.split_once("@t.c:").and_then(|(kind, line)| Some((kind, line.parse().ok()?)));
    match place {
        _ if copy == 0 => name.to_owned(),
        Some((kind, line)) => {
            let line: u32 = line;
            format!("{kind}@t.c:{}", line + 100 * copy)
        }
        None => format!("{name}_{copy}"),
    }
}

/// The communicator of all ranks, and a team for each rank.
fn define_groups(archive: &mut ArchiveWriter, run: &Run) -> Result<()> {
    let locations = GroupType::COMM_LOCATIONS;
    let ranks: Vec<u64> = (0..run.processes).map(u64::from).collect();
    let all = run.places().map(|(rank, thread)| location(rank, thread).0).collect();
    let mut groups = vec![
        (locations, Paradigm::MPI, ranks.clone()),
        (locations, Paradigm::OPENMP, all),
        (GroupType::COMM_GROUP, Paradigm::MPI, ranks),
    ];
    for rank in 0..run.processes {
        let first = u64::from(rank * run.threads);
        let members = (first..first + u64::from(run.threads)).collect();
        groups.push((GroupType::COMM_GROUP, Paradigm::OPENMP, members));
    }
    for (number, (group_type, paradigm, members)) in groups.into_iter().enumerate() {
        let group = GroupRef(number as u32);
        archive.define(def::Group {
            id: group,
            group_type,
            paradigm,
            members,
            ..Default::default()
        })?;
        if let Some(id) = (number as u32).checked_sub(2) {
            let parent = CommRef::UNDEFINED;
            archive.define(def::Comm { id: CommRef(id), group, parent, ..Default::default() })?;
        }
    }
    Ok(())
}
