//! Which part of MPI a function belongs to: by its role where that says it, else by its name, so
//! that reports of other tools, whose roles say less, are read alike.

use pompeii_model::{Region, Role};

use crate::profile::Class;

/// The class of a region of MPI.
pub(crate) fn class_of(region: &Region) -> Class {
    let name = region.name.as_str();
    match region.role {
        Role::Barrier => Class::MpiBarrier,
        Role::PointToPoint => Class::PointToPoint,
        Role::OneToAll | Role::AllToOne | Role::AllToAll | Role::Collective => Class::MpiCollective,
        Role::OneSided => Class::OneSided,
        _ => by_name(name.strip_prefix("MPI_").unwrap_or(name)),
    }
}

fn by_name(name: &str) -> Class {
    let (family, verb) = name.split_once('_').unwrap_or((name, ""));
    match family {
        "Init" | "Initialized" | "Finalize" | "Finalized" | "Session" => Class::MpiInitExit,
        "Wait" | "Waitall" | "Waitany" | "Waitsome" | "Test" | "Testall" | "Testany"
        | "Testsome" => Class::PointToPoint,
        "Comm" | "Cart" | "Graph" | "Dist" | "Intercomm" | "Topo" | "Dims" | "Open" | "Close"
        | "Publish" | "Unpublish" | "Lookup" => Class::MpiCommunicator,
        "Win" => window(verb),
        "File" => file(verb),
        _ => Class::MpiOther,
    }
}

fn window(verb: &str) -> Class {
    match verb {
        "fence" | "post" | "start" | "complete" | "wait" | "test" => Class::RmaActive,
        "sync" => Class::RmaPassive,
        _ if ["lock", "unlock", "flush"].iter().any(|word| verb.starts_with(word)) => {
            Class::RmaPassive
        }
        _ => Class::MpiWindow,
    }
}

fn file(verb: &str) -> Class {
    let moves = verb.strip_prefix('i').unwrap_or(verb);
    if !moves.starts_with("read") && !moves.starts_with("write") {
        return Class::MpiFileManagement;
    }
    match moves.contains("_all") || moves.contains("_ordered") {
        true => Class::FileCollective,
        false => Class::FileIndividual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn names_have_their_class() {
        let names = "Init Init_thread Finalize Waitall Testany Comm_split Cart_create Win_fence \
                     Win_lock_all Win_flush_local Win_create File_open File_iread_at File_write_all \
                     File_read_ordered_begin Wtime Type_commit";
        let shown: Vec<String> =
            names.split(' ').map(|name| format!("{name} {:?}", by_name(name))).collect();
        expect![[r#"
            Init MpiInitExit
            Init_thread MpiInitExit
            Finalize MpiInitExit
            Waitall PointToPoint
            Testany PointToPoint
            Comm_split MpiCommunicator
            Cart_create MpiCommunicator
            Win_fence RmaActive
            Win_lock_all RmaPassive
            Win_flush_local RmaPassive
            Win_create MpiWindow
            File_open MpiFileManagement
            File_iread_at FileIndividual
            File_write_all FileCollective
            File_read_ordered_begin FileCollective
            Wtime MpiOther
            Type_commit MpiOther"#]]
        .assert_eq(&shown.join("\n"));
    }
}
