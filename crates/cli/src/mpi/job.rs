//! Which of the processes of a job this one is: launchers write it into the environment of each
//! process that they start.

use std::env;

/// The kind of an MPI library. A launcher can start the processes of its own kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI.
    OpenMpi,
    /// MPICH and libraries that are made of it, for example Intel's.
    Mpich,
}

/// One of several processes that a launcher has started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number of this process, from 0.
    pub rank: usize,
    /// The number of processes.
    pub ranks: usize,
    /// For which library they were started; `None` if the launcher serves several.
    pub family: Option<Family>,
}

impl Family {
    /// As users know it.
    pub fn name(self) -> &'static str {
        match self {
            Family::OpenMpi => "Open MPI",
            Family::Mpich => "MPICH",
        }
    }
}

impl Job {
    /// That of this process; `None` if it was started alone.
    pub fn of_this_process() -> Option<Job> {
        Job::of(&|name| env::var(name).ok())
    }

    /// That of these variables. A launcher may be a process of a job itself: `mpirun` starts its
    /// helpers by `srun`. Therefore the variables of libraries count before those of Slurm.
    fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Job> {
        let number = |name: &str| variable(name)?.parse::<usize>().ok();
        let of_slurm = variable("PMIX_RANK").map(|_| Family::OpenMpi);
        let known = [
            ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", Some(Family::OpenMpi)),
            ("PMI_SIZE", "PMI_RANK", Some(Family::Mpich)),
            ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", of_slurm),
        ];
        let job = known.into_iter().find_map(|(ranks, rank, family)| {
            let ranks = number(ranks)?;
            Some(Job { rank: number(rank).unwrap_or(0), ranks, family })
        });
        job.filter(|job| job.ranks > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The job of a process with these variables.
    fn job(variables: &str) -> Option<Job> {
        let of = |name: &str| {
            let set = variables.split(' ').filter_map(|variable| variable.split_once('='));
            let mut values = set.filter(|(known, _)| *known == name).map(|(_, value)| value);
            values.next().map(str::to_owned)
        };
        Job::of(&of)
    }

    #[test]
    fn launchers_say_which_process_this_is() {
        let of = |rank, ranks, family| Some(Job { rank, ranks, family });
        let open_mpi = job("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3");
        assert_eq!(open_mpi, of(3, 4, Some(Family::OpenMpi)));
        assert_eq!(job("PMI_SIZE=2 PMI_RANK=1 PMI_FD=7"), of(1, 2, Some(Family::Mpich)));
        let slurm = "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1";
        assert_eq!(job(slurm), of(1, 2, None));
        assert_eq!(job(&format!("{slurm} PMIX_RANK=1")), of(1, 2, Some(Family::OpenMpi)));
        let pmi2 = job(&format!("{slurm} PMI_SIZE=2 PMI_RANK=1"));
        assert_eq!(pmi2, of(1, 2, Some(Family::Mpich)));
    }

    #[test]
    fn a_process_alone_is_in_no_job() {
        assert_eq!(job(""), None);
        assert_eq!(job("PMI_SIZE=1 PMI_RANK=0"), None);
        assert_eq!(job("PMI_SIZE=many PMI_RANK=0"), None);
        // What `srun` says is about the helper of `mpirun`.
        let inner = "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 SLURM_STEP_NUM_TASKS=2";
        assert_eq!(job(inner), None);
    }
}
