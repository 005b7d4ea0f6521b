//! How often one-sided communication took place.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// One-sided.
pub const PROPERTY: Property = Property {
    name: "comms_rma",
    title: "One-sided communications",
    parent: Some("comms"),
    unit: Unit::Count,
    compute: Compute::Row(|profile, call| {
        profile.visits_of(Class::OneSided, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Visits of functions of one-sided communication.",
        formula: "visits of call paths that mpi_rma_communication consists of.",
        cost: "Not a time; each costs some microseconds.",
        recognise: "Compare with the time of the same call path in mpi_communication.",
        remedy: "Send only what is needed, in fewer and larger portions.",
        example: "MPI_Put for each of 100 rows: 100.",
    },
};
