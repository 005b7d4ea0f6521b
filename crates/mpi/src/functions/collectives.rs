//! Collective operations, each in the form that blocks: what the others are called, and what they
//! do, follows from that.

/// A collective operation.
pub struct Collective {
    /// Without `MPI_`.
    pub name: &'static str,
    /// Without `POMP_MPI_`.
    pub kind: &'static str,
    /// As in [`Events`].
    pub parameters: &'static str,
    /// What it moves, as C.
    pub amount: &'static str,
}

const fn collective(
    name: &'static str,
    kind: &'static str,
    parameters: &'static str,
    amount: &'static str,
) -> Collective {
    Collective { name, kind, parameters, amount }
}

/// The blocking ones; what others are called follows from that.
pub(super) const COLLECTIVES: &[Collective] = &[
    collective("Barrier", "BARRIER", "comm", "plain(0, comm, 0, 0)"),
    collective("Bcast", "ONE_TO_ALL", "_ count type root comm", "bcast(comm, root, count, type)"),
    collective(
        "Gather",
        "ALL_TO_ONE",
        "sent count type _ root_count root_type root comm",
        "one_for_all(2, comm, root, is_in_place(sent, f), count, type, root_count, root_type)",
    ),
    collective(
        "Gatherv",
        "ALL_TO_ONE",
        "sent count type _ counts _ root_type root comm",
        "parts_for_all(3, comm, root, is_in_place(sent, f), count, type, counts, sizeof *counts, \
         root_type)",
    ),
    collective(
        "Scatter",
        "ONE_TO_ALL",
        "_ root_count root_type received count type root comm",
        "one_for_all(4, comm, root, is_in_place(received, f), count, type, root_count, root_type)",
    ),
    collective(
        "Scatterv",
        "ONE_TO_ALL",
        "_ counts _ root_type received count type root comm",
        "parts_for_all(5, comm, root, is_in_place(received, f), count, type, counts, \
         sizeof *counts, root_type)",
    ),
    collective(
        "Allgather",
        "ALL_TO_ALL",
        "sent count type _ back back_type comm",
        "exchange(6, comm, is_in_place(sent, f), count, type, back, back_type)",
    ),
    collective(
        "Allgatherv",
        "ALL_TO_ALL",
        "sent count type _ back _ back_type comm",
        "allgatherv(comm, is_in_place(sent, f), count, type, back, sizeof *back, back_type)",
    ),
    collective(
        "Alltoall",
        "ALL_TO_ALL",
        "sent count type _ back back_type comm",
        "exchange(8, comm, is_in_place(sent, f), count, type, back, back_type)",
    ),
    collective(
        "Alltoallv",
        "ALL_TO_ALL",
        "sent counts _ type _ back _ back_type comm",
        "alltoallv(comm, is_in_place(sent, f), counts, type, back, sizeof *back, back_type)",
    ),
    collective(
        "Alltoallw",
        "ALL_TO_ALL",
        "sent counts _ types _ back _ back_types comm",
        "alltoallw(comm, is_in_place(sent, f), counts, types, back, sizeof *back, back_types, f)",
    ),
    collective(
        "Allreduce",
        "ALL_TO_ALL",
        "_ _ count type _ comm",
        "with_all(11, comm, count, type)",
    ),
    collective(
        "Reduce",
        "ALL_TO_ONE",
        "_ _ count type _ root comm",
        "reduce(comm, root, count, type)",
    ),
    collective(
        "Reduce_scatter",
        "ALL_TO_ALL",
        "_ _ counts type _ comm",
        "reduce_scatter(comm, counts, sizeof *counts, type)",
    ),
    collective("Scan", "COLLECTIVE", "_ _ count type _ comm", "scan(14, comm, count, type)"),
    collective("Exscan", "COLLECTIVE", "_ _ count type _ comm", "scan(15, comm, count, type)"),
    collective(
        "Reduce_scatter_block",
        "ALL_TO_ALL",
        "_ _ count type _ comm",
        "with_all(16, comm, count, type)",
    ),
    collective(
        "Neighbor_allgather",
        "ALL_TO_ALL",
        "_ count type _ back back_type comm",
        "plain(6, comm, bytes_of(count, type) * destinations(comm), \
         bytes_of(back, back_type) * sources(comm))",
    ),
    collective(
        "Neighbor_allgatherv",
        "ALL_TO_ALL",
        "_ count type _ back _ back_type comm",
        "plain(7, comm, bytes_of(count, type) * destinations(comm), \
         total(back, sizeof *back, sources(comm), back_type))",
    ),
    collective(
        "Neighbor_alltoall",
        "ALL_TO_ALL",
        "_ count type _ back back_type comm",
        "plain(8, comm, bytes_of(count, type) * destinations(comm), \
         bytes_of(back, back_type) * sources(comm))",
    ),
    collective(
        "Neighbor_alltoallv",
        "ALL_TO_ALL",
        "_ counts _ type _ back _ back_type comm",
        "plain(9, comm, total(counts, sizeof *counts, destinations(comm), type), \
         total(back, sizeof *back, sources(comm), back_type))",
    ),
    collective(
        "Neighbor_alltoallw",
        "ALL_TO_ALL",
        "_ counts _ types _ back _ back_types comm",
        "plain(10, comm, total_of_types(counts, sizeof *counts, destinations(comm), types, f), \
         total_of_types(back, sizeof *back, sources(comm), back_types, f))",
    ),
];
