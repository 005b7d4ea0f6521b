//! Puts, gets and accumulates.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// One-sided communication.
pub const PROPERTY: Property = Property {
    name: "mpi_rma_communication",
    title: "One-sided",
    parent: Some("mpi_communication"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::OneSided, call)),
    gain: "",
    doc: Doc {
        measures: "Time in functions that access the memory of other processes.",
        formula: "own time of call paths to regions of the kind `rma`.",
        cost: "The process does not compute meanwhile. This time is normally short, because most \
            of the data is transferred in the synchronisation.",
        recognise: "Compare with mpi_rma_synchronization, and with bytes_put and bytes_get.",
        remedy: "Transfer larger portions in each call, and use derived datatypes instead of many \
            puts.",
        example: "One MPI_Put for each element of an array, instead of one for a row.",
    },
};
