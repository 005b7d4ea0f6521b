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
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::MpiWindow, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in functions that make, ask and free windows.",
        formula: "own time of call paths of MPI_Win_allocate*, _attach, _create*, _detach, \
            _free*, _get_*, _set_*, _shared_query.",
        cost: "Making a window is collective, and may register memory with the network.",
        recognise: "Many visits: the call tree shows from where.",
        remedy: "Make windows once, and larger ones rather than many.",
        example: "MPI_Win_allocate of 1 GiB in each step: the pages are touched anew each time.",
    },
};
