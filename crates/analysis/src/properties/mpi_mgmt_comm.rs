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
    compute: Compute::Row(|profile, call| profile.class_time(Class::MpiCommunicator, call)),
    gain: "",
    doc: Doc {
        measures: "Time in functions for communicators and process topologies.",
        formula: "own time of call paths of MPI_Comm_*, MPI_Cart_*, MPI_Graph_*, \
            MPI_Dist_graph_*, MPI_Intercomm_*, MPI_Topo_test, MPI_Dims_create and of functions \
            that connect to other jobs.",
        cost: "Creating a communicator is collective, and takes longer than a barrier.",
        recognise: "These functions have many visits. The call tree shows where they are called.",
        remedy: "Create communicators once, at the start.",
        example: "A library calls MPI_Comm_dup in each of its functions: 40 us each time.",
    },
};
