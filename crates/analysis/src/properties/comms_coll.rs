//! How often collective communication took place.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Collective.
pub const PROPERTY: Property = Property {
    name: "comms_coll",
    title: "Collective communications",
    parent: Some("comms"),
    unit: Unit::Count,
    compute: Compute::Row(|profile, call| {
        profile.visits_of(Class::MpiCollective, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Visits of functions of collective communication, by each process.",
        formula: "visits of call paths that mpi_collective consists of.",
        cost: "Not a time; each costs some microseconds.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Allreduce in 100 steps on 4 ranks: 400.",
    },
};
