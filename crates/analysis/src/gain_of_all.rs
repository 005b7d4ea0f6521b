//! What the repairs of several findings bring together. Gains cannot be added, because findings may
//! have lost the same time; but no run is shorter than its computing.

use pompeii_model::{Cube, Ticks};

use crate::findings::{Finding, begin_and_end, is_computation};
use crate::{Machine, allocation_on};

/// The most that the repairs of some findings can bring together, in ticks of wall time: no run is
/// shorter than its computing, spread evenly over all threads, with the begin and end of MPI.
/// `None` if one of the findings has lost computing, because how much of that a repair saves is
/// only estimated.
pub fn gain_of_all(cube: &Cube, machine: &Machine, found: &[&Finding]) -> Option<Ticks> {
    if found.iter().any(|finding| is_computation(finding.property.name)) {
        return None;
    }
    let threads = cube.system.locations.len().max(1) as Ticks;
    let parts = allocation_on(cube, machine).into_iter();
    let computing: Ticks =
        parts.filter(|part| part.name == "computing").map(|part| part.ticks).sum();
    let most = cube.wall_ticks - begin_and_end(cube) - computing.max(0) / threads;
    let alone = found.iter().filter_map(|finding| finding.gain).map(|gain| gain.ticks);
    Some(alone.fold(most, Ticks::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread computes for 1 s of the run, the other one for 0.2 s: spread evenly, both take
    /// 0.6 s.
    #[test]
    fn all_repairs_together_bring_no_more_than_the_run_can_lose() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a                                        0  time=100
             a/parallel@a.c:2                         0  time=900 visits=5
             a/parallel@a.c:2                         1  time=200 visits=5
             a/parallel@a.c:2/implicit barrier@a.c:9  1  time=700 visits=5 omp_ibarrier_wait=700",
        );
        let cube = crate::derive(&cube.unwrap());
        let found = crate::findings(&cube);
        let all: Vec<&Finding> = found.iter().collect();
        assert!(all.len() > 1);
        assert_eq!(gain_of_all(&cube, &Machine::default(), &all), Some(400));
        let mut lost = found[0].clone();
        lost.property = crate::properties::find("work_inflation").unwrap();
        assert_eq!(gain_of_all(&cube, &Machine::default(), &[&lost]), None);
    }
}
