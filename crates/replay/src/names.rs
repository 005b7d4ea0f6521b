//! What a region is by its name. Some writers define each region as a function of the user, for
//! example eztrace; then nothing else tells it.

use pompeii_model::{Paradigm, Role};

/// Role and paradigm of a function of MPI, and of a construct of OpenMP as eztrace names it; `None`
/// for all other names.
pub fn kind(name: &str) -> Option<(Role, Paradigm)> {
    if name.starts_with("MPI_") {
        return Some((mpi_role(name), Paradigm::Mpi));
    }
    let construct = name.strip_prefix("OpenMP ")?.to_ascii_lowercase();
    let role = match &*construct {
        "parallel" => Role::Parallel,
        "for" | "loop" => Role::Loop,
        "section" => Role::Section,
        "workshare" => Role::Workshare,
        "ordered" => Role::Ordered,
        // The whole construct, or until the thread has the lock.
        "critical" | "acquire mutex" => Role::Critical,
        "barrier" => Role::Barrier,
        "implicit barrier" => Role::ImplicitBarrier,
        "task create" | "untied task create" => Role::TaskCreate,
        "task wait" => Role::Taskwait,
        name if name.ends_with(" lock") => Role::Lock,
        _ => return None,
    };
    Some((role, Paradigm::OpenMp))
}

/// The role of a function of MPI.
pub fn mpi_role(name: &str) -> Role {
    match name.trim_start_matches("MPI_") {
        "Barrier" => Role::Barrier,
        "Bcast" | "Scatter" | "Scatterv" => Role::OneToAll,
        "Reduce" | "Gather" | "Gatherv" => Role::AllToOne,
        "Scan" | "Exscan" => Role::Collective,
        name if name.starts_with("All") || name.starts_with("Reduce_") => Role::AllToAll,
        "Init" | "Init_thread" | "Finalize" => Role::Function,
        _ => Role::PointToPoint,
    }
}
