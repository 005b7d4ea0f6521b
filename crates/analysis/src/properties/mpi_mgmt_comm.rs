//! Making, asking and freeing communicators, groups' topologies, and connections.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Communicators.
pub const PROPERTY: Property = Property {
    name: "mpi_mgmt_comm",
    title: "Communicators",
    parent: Some("mpi_management"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        profile.class_time(Class::MpiCommunicator, call)
    }),
    gain: "",
    doc: Doc {
        measures: "Time in functions of communicators and process topologies.",
        formula: "own time of call paths of MPI_Comm_*, MPI_Cart_*, MPI_Graph_*, \
            MPI_Dist_graph_*, MPI_Intercomm_*, MPI_Topo_test, MPI_Dims_create and of connecting \
            to other jobs.",
        cost: "Making a communicator is collective, and costs more than a barrier.",
        recognise: "Many visits: the call tree shows from where.",
        remedy: "Make them once, at the start.",
        example: "MPI_Comm_dup for each call of a library: 40 us each time.",
    },
};
