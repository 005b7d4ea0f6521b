//! The kind of a function, from its name: also of those that a later standard adds.

use super::form;

/// The kind of a function whose name is given without `MPI_`: the name of the constant of
/// `pomp_mpi.h` without `POMP_MPI_`.
pub fn kind(name: &str) -> &'static str {
    let name = name.strip_suffix("_c").unwrap_or(name);
    if let Some((collective, _)) = form(name) {
        return collective.kind;
    }
    let (group, rest) = name.split_once('_').unwrap_or((name, ""));
    match group {
        "Init" | "Initialized" | "Finalize" | "Finalized" | "Abort" | "Session" => "INIT_EXIT",
        "Comm" | "Group" | "Cart" | "Cartdim" | "Graph" | "Graphdims" | "Dist" | "Intercomm"
        | "Topo" | "Dims" | "Open" | "Close" | "Lookup" | "Publish" | "Unpublish" => "COMMUNICATOR",
        "Put" | "Get" | "Accumulate" | "Fetch" | "Compare" | "Rput" | "Rget" | "Raccumulate"
            if is_one_sided(name) =>
        {
            "ONE_SIDED"
        }
        "Win" if is_synchronisation(rest) => "SYNCHRONISATION",
        "Win" => "WINDOW",
        "File" => file(rest),
        _ if is_point_to_point(group, name) => "POINT_TO_POINT",
        _ => "OTHER",
    }
}

fn is_one_sided(name: &str) -> bool {
    let names = [
        "Put",
        "Get",
        "Accumulate",
        "Get_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
    ];
    names.contains(&name)
}

fn is_synchronisation(rest: &str) -> bool {
    let names = [
        "fence",
        "start",
        "complete",
        "post",
        "wait",
        "test",
        "lock",
        "lock_all",
        "unlock",
        "unlock_all",
        "flush",
        "flush_all",
        "flush_local",
        "flush_local_all",
        "sync",
    ];
    names.contains(&rest)
}

fn is_point_to_point(group: &str, name: &str) -> bool {
    let starts = ["Send", "Ssend", "Rsend", "Bsend", "Recv", "Psend", "Precv", "Sendrecv"];
    let names = [
        "Isend",
        "Issend",
        "Irsend",
        "Ibsend",
        "Irecv",
        "Isendrecv",
        "Start",
        "Startall",
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Test",
        "Testall",
        "Testany",
        "Testsome",
        "Cancel",
        "Probe",
        "Iprobe",
        "Mprobe",
        "Improbe",
        "Mrecv",
        "Imrecv",
        "Pready",
        "Parrived",
    ];
    starts.contains(&group) || names.contains(&group) || name == "Request_free"
}

fn file(rest: &str) -> &'static str {
    let moves = ["read", "write", "iread", "iwrite"].iter().any(|start| rest.starts_with(start));
    match moves {
        false => "FILE_MANAGEMENT",
        true if rest.contains("_all") || rest.contains("_ordered") => "FILE_COLLECTIVE",
        true => "FILE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn kinds_follow_from_names() {
        let names = "Init_thread Send Isend_c Isendrecv Waitsome Request_free Request_get_status \
            Ibcast Bcast_init Barrier Ineighbor_alltoallw Exscan Comm_split_type Cart_shift \
            Group_incl Get Get_address Rget_accumulate Get_count Win_fence Win_create File_open \
            File_iread_all File_write_at Type_commit Info_set Wtime Pready_range";
        let lines = names.split_whitespace().map(|name| format!("{name} {}\n", kind(name)));
        expect![[r#"
            Init_thread INIT_EXIT
            Send POINT_TO_POINT
            Isend_c POINT_TO_POINT
            Isendrecv POINT_TO_POINT
            Waitsome POINT_TO_POINT
            Request_free POINT_TO_POINT
            Request_get_status OTHER
            Ibcast ONE_TO_ALL
            Bcast_init ONE_TO_ALL
            Barrier BARRIER
            Ineighbor_alltoallw ALL_TO_ALL
            Exscan COLLECTIVE
            Comm_split_type COMMUNICATOR
            Cart_shift COMMUNICATOR
            Group_incl COMMUNICATOR
            Get ONE_SIDED
            Get_address OTHER
            Rget_accumulate ONE_SIDED
            Get_count OTHER
            Win_fence SYNCHRONISATION
            Win_create WINDOW
            File_open FILE_MANAGEMENT
            File_iread_all FILE_COLLECTIVE
            File_write_at FILE
            Type_commit OTHER
            Info_set OTHER
            Wtime OTHER
            Pready_range POINT_TO_POINT
        "#]]
        .assert_eq(&lines.collect::<String>());
    }
}
