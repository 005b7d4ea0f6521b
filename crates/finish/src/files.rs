//! Regions as files have them. In a process each place from which a routine is called makes
//! a region of its own. Readers of files expect one region of each routine, therefore the place is
//! a fact of the call path in a profile. A trace has no call paths: there each place from which
//! a lock routine is called is a region, and places from which MPI is called are left out.

use std::collections::HashMap;

use pompeii_model::{Id, IndexVec, Paradigm, Region, RegionId};

/// The regions of a file.
pub struct FileRegions {
    /// Routines once, everything else as it is.
    pub regions: IndexVec<RegionId, Region>,
    /// Where each region of the run is among them.
    pub of: IndexVec<RegionId, RegionId>,
}

impl FileRegions {
    /// Those of a profile for the regions of a run.
    pub fn new(all: &IndexVec<RegionId, Region>) -> Self {
        Self::with_one(all, |_| true)
    }

    /// Those of a trace. Its readers know the functions of MPI by the file of their region, so that
    /// these cannot have the file of the call.
    pub fn of_trace(all: &IndexVec<RegionId, Region>) -> Self {
        Self::with_one(all, |routine| routine.paradigm == Paradigm::Mpi)
    }

    /// Those in which some routines have one region.
    fn with_one(all: &IndexVec<RegionId, Region>, has_one: impl Fn(&Region) -> bool) -> Self {
        let mut regions: IndexVec<RegionId, Region> = IndexVec::default();
        let mut routines: HashMap<Region, RegionId> = HashMap::new();
        let mut of = IndexVec::default();
        for region in all.iter() {
            let routine = region.routine();
            let is_routine = routine == *region || region.is_call_site() && has_one(region);
            let id = match routines.get(&routine) {
                Some(&known) if is_routine => known,
                _ if is_routine => {
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
    use pompeii_model::Role;

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
        assert_eq!(FileRegions::of_trace(&all.into_iter().collect()).regions, files.regions);
    }

    #[test]
    fn calls_of_lock_routines_keep_their_places_in_a_trace() {
        let mut lock = Region::artificial("omp_set_lock");
        (lock.role, lock.paradigm) = (Role::Lock, Paradigm::OpenMp);
        let from = |function: &str, begin_line| {
            let mut region = Region { file: "a.c".into(), begin_line, ..lock.clone() };
            region.place_in(function);
            region
        };
        let all: IndexVec<RegionId, Region> =
            [from("f", 3), lock.clone(), from("g", 9), lock].into_iter().collect();
        let places = |files: FileRegions| (0..4).map(|id| files.index(RegionId(id))).collect();
        let (in_trace, in_profile): (Vec<usize>, Vec<usize>) =
            (places(FileRegions::of_trace(&all)), places(FileRegions::new(&all)));
        assert_eq!(in_trace, [0, 1, 2, 1]);
        assert_eq!(in_profile, [0, 0, 0, 0]);
    }
}
