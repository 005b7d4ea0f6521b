//! The factors of the parallel efficiency that a run has. All of them are efficiencies: 100 % means
//! no loss. Factors that a program cannot lose anything to are left out. Terminal and page show the
//! same ones.

use pompeii_analysis::{Lens, efficiencies};
use pompeii_model::{Cube, Paradigm};

/// The factors by name. Their product is the parallel efficiency.
pub fn factors(cube: &Cube) -> Vec<(&'static str, f64)> {
    let e = efficiencies(cube);
    let processes = cube.system.processes.len();
    let has_threads = cube.system.locations.len() > processes;
    let has_openmp = cube.regions.iter().any(|region| region.paradigm == Paradigm::OpenMp);
    let mut factors = Vec::new();
    if processes > 1 || Lens::new(cube).total("mpi") > 0 {
        factors.push(("process balance", e.process_balance));
        factors.push(("MPI efficiency", e.mpi_communication));
    }
    if has_threads {
        factors.push(("thread balance", e.load_balance));
        factors.push(("parallel share", e.serial_parts));
    }
    // The waiting of threads for each other is in this factor, whatever it is caused by.
    if Lens::new(cube).total("pthread_time") > 0 {
        factors.push(("thread efficiency", e.openmp_overhead));
    } else if has_threads || has_openmp {
        factors.push(("OpenMP efficiency", e.openmp_overhead));
    }
    factors
}
