//! Making and freeing windows of one-sided communication.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Windows.
pub const PROPERTY: Property = Property {
    name: "mpi_mgmt_win",
    title: "Windows",
    parent: Some("mpi_management"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiWindow, call)),
    gain: "",
    doc: Doc {
        measures: "Time in functions that create, query and free windows.",
        formula: "own time of call paths of MPI_Win_allocate*, _attach, _create*, _detach, \
            _free*, _get_*, _set_*, _shared_query.",
        cost: "Creating a window is collective, and may have to register memory with the network.",
        recognise: "These functions have many visits. The call tree shows where they are called.",
        remedy: "Create windows once, and a few large ones instead of many small ones.",
        example: "MPI_Win_allocate of 1 GiB in each step: each time all its memory pages are \
            touched anew.",
    },
};
