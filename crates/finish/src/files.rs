//! Regions as files have them. In a process each place from which a routine is called makes
//! a region of its own. Readers of files expect one region of each routine, therefore the place is
//! a fact of the call path there.

use std::collections::HashMap;

use pompeii_model::{Id, IndexVec, Region, RegionId};

/// The regions of a file.
pub struct FileRegions {
    /// Routines once, everything else as it is.
    pub regions: IndexVec<RegionId, Region>,
    /// Where each region of the run is among them.
    pub of: IndexVec<RegionId, RegionId>,
}

impl FileRegions {
    /// Those for the regions of a run.
    pub fn new(all: &IndexVec<RegionId, Region>) -> Self {
        let mut regions: IndexVec<RegionId, Region> = IndexVec::default();
        let mut routines: HashMap<Region, RegionId> = HashMap::new();
        let mut of = IndexVec::default();
        for region in all.iter() {
            let routine = region.routine();
            let id = match routines.get(&routine) {
                Some(&known) if region.is_call_site() || routine == *region => known,
                _ if region.is_call_site() || routine == *region => {
                    let id = regions.push(routine.clone());
                    routines.insert(routine, id);
                    id
                }
                _ => regions.push(region.clone()),
            };
            of.push(id);
        }
        Self { regions, of }
    }

    /// Where a region of the run is, as a number.
    pub fn index(&self, region: RegionId) -> usize {
        self.of.get(region).map_or(region.index(), |id| id.index())
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::{Paradigm, Role};

    use super::*;

    #[test]
    fn a_routine_is_one_region_of_files() {
        let mut send = Region::artificial("MPI_Send");
        (send.role, send.paradigm) = (Role::PointToPoint, Paradigm::Mpi);
        let from = |function: &str| {
            let mut region = Region { file: "a.c".into(), begin_line: 3, ..send.clone() };
            region.place_in(function);
            region
        };
        let all = [Region::artificial("program"), from("f"), from("g"), send.clone()];
        let files = FileRegions::new(&all.clone().into_iter().collect());
        assert_eq!(files.regions.iter().cloned().collect::<Vec<_>>(), [all[0].clone(), send]);
        let places: Vec<usize> = (0..4).map(|id| files.index(RegionId(id))).collect();
        assert_eq!(places, [0, 1, 1, 1]);
    }
}
