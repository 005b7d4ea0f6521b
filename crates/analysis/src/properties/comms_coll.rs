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
        measures: "Number of visits of functions for collective communication, in each process.",
        formula: "visits of the call paths of mpi_collective.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Allreduce in 100 steps on 4 processes: 400.",
    },
};
