//! What stands beside the events of a process: tables from its ids to those of the run, and how far
//! its clock is from the run's. Nothing where they are the same.

use pompeii_model::Id;
use pompeii_otf2::definition::{Definition, MappingTable};
use pompeii_otf2::enums::MappingType;
use pompeii_otf2::mapping::IdMap;

use crate::files::FileRegions;
use crate::parameters::Ids;
use crate::resources;
use crate::run::{Reading, Survey};

/// The local definitions of a location of a process. The ids are pairs of its own metric classes
/// and those of the run, those of its parameters, and those of what MPI has beside communicators.
pub fn definitions(
    reading: &Reading,
    (survey, files): (&Survey, &FileRegions),
    (classes, parameters, resources): (&[(u32, u32)], &Ids, &resources::Ids),
) -> Vec<Definition> {
    let map = reading.map;
    let regions = map.regions.iter().map(|id| files.index(*id) as u64).collect();
    let communicators = (0..).zip(&reading.resolved.communicators);
    let communicators = communicators
        .map(|(own, of): (u64, _)| of.map_or(own, |id| map.communicators[id].index() as u64));
    let tables = [
        (MappingType::STRING, IdMap::from_dense(parameters.strings.clone())),
        (MappingType::PARAMETER, IdMap::from_dense(parameters.parameters.clone())),
        (MappingType::REGION, IdMap::from_dense(regions)),
        (MappingType::COMM, IdMap::from_dense(communicators.collect())),
        (MappingType::METRIC, sparse(classes)),
        (MappingType::GROUP, IdMap::from_dense(resources.groups.clone())),
        (MappingType::RMA_WIN, IdMap::from_dense(resources.windows.clone())),
        (MappingType::IO_FILE, IdMap::from_dense(resources.files.clone())),
        (MappingType::IO_HANDLE, IdMap::from_dense(resources.handles.clone())),
    ];
    let table = |(mapping_type, id_map): (MappingType, Option<IdMap>)| {
        Some(Definition::from(MappingTable { mapping_type, id_map: id_map? }))
    };
    let offsets = survey.alignment.offsets.iter().cloned().map(Definition::from);
    tables.into_iter().filter_map(table).chain(offsets).collect()
}

/// The table of these pairs, by the first of each; `None` if no id changes.
fn sparse(pairs: &[(u32, u32)]) -> Option<IdMap> {
    let changed = pairs.iter().filter(|(own, global)| own != global);
    let mut changed: Vec<(u64, u64)> =
        changed.map(|&(own, global)| (u64::from(own), u64::from(global))).collect();
    changed.sort_unstable();
    (!changed.is_empty()).then_some(IdMap::Sparse(changed))
}
