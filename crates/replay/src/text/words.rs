//! What single words of the notation stand for: regions, operations, and records of locks and of
//! older writers.

use pompeii_model::{Paradigm, Region, Role};
use pompeii_otf2::enums::{self, CollectiveOp};
use pompeii_otf2::event::*;

use crate::names::mpi_role;

pub(super) fn operation(name: &str) -> Option<CollectiveOp> {
    CollectiveOp::ALL.iter().find(|(_, known)| *known == name).map(|(op, _)| *op)
}

/// Records that later ones have replaced.
pub(super) fn legacy(words: &[&str]) -> Option<Event> {
    Some(match words {
        ["fork"] => OmpFork { number_of_requested_threads: 2 }.into(),
        ["join"] => OmpJoin {}.into(),
        ["create", task] => OmpTaskCreate { task_id: task.parse().ok()? }.into(),
        ["switch", task] => OmpTaskSwitch { task_id: task.parse().ok()? }.into(),
        ["done", task] => OmpTaskComplete { task_id: task.parse().ok()? }.into(),
        ["acquire", lock, order] => {
            let (lock_id, acquisition_order) = (lock.parse().ok()?, order.parse().ok()?);
            OmpAcquireLock { lock_id, acquisition_order }.into()
        }
        ["release", lock, order] => {
            let (lock_id, acquisition_order) = (lock.parse().ok()?, order.parse().ok()?);
            OmpReleaseLock { lock_id, acquisition_order }.into()
        }
        _ => return None,
    })
}

pub(super) fn lock_event(kind: &str, lock: &str, order: &str) -> Option<Event> {
    let model = enums::Paradigm::OPENMP;
    let (lock_id, acquisition_order) = (lock.parse().ok()?, order.parse().ok()?);
    Some(match kind {
        "acquire" => ThreadAcquireLock { model, lock_id, acquisition_order }.into(),
        _ => ThreadReleaseLock { model, lock_id, acquisition_order }.into(),
    })
}

pub(super) fn location_number(word: &str) -> Option<(u32, u32)> {
    let (rank, thread) = word.split_once('.')?;
    Some((rank.parse().ok()?, thread.parse().ok()?))
}

/// A region by its name.
pub(super) fn region(name: &str) -> Region {
    let (kind, line) = name.split_once(':').unwrap_or((name, "0"));
    let mut clauses =
        [("_untied", "untied"), ("_source", "depend(source)"), ("_nowait", "nowait")].into_iter();
    let found = clauses.find_map(|(end, clauses)| Some((kind.strip_suffix(end)?, clauses)));
    let (kind, clauses) = found.unwrap_or((kind, ""));
    let role = match kind {
        "ibarrier" => Some(Role::ImplicitBarrier),
        _ if kind.starts_with("omp_") || kind.starts_with("pthread_rwlock_") => Some(Role::Lock),
        _ => Role::from_name(&kind.replace("_body", " sblock").replace('_', " "))
            .filter(|role| !matches!(role, Role::Function | Role::User | Role::Artificial)),
    };
    let mpi = kind.starts_with("MPI_");
    let (role, paradigm) = match role {
        Some(role) if kind.starts_with("pthread_") => (role, Paradigm::Pthread),
        Some(role) => (role, Paradigm::OpenMp),
        None if mpi => (mpi_role(kind), Paradigm::Mpi),
        None => (Role::Function, Paradigm::User),
    };
    let begin_line = line.parse().unwrap_or(0);
    let (name, clauses) = (name.to_owned(), clauses.to_owned());
    Region { name, role, paradigm, begin_line, clauses, ..Region::artificial("") }
}
