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
        measures: "Number of visits of functions for one-sided communication.",
        formula: "visits of the call paths of mpi_rma_communication.",
        cost: "This is a number and not a time. Each communication costs some microseconds, \
            however small it is.",
        recognise: "Compare it with the time of the same call path in mpi_communication: much \
            time for little data is waiting.",
        remedy: "Send only the data needed, in fewer and larger messages.",
        example: "MPI_Put for each of 100 rows: 100.",
    },
};
