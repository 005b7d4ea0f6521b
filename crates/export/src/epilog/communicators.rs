//! Communicators of MPI. A bit string names the members, and ranks follow from the order of the
//! processes. A communicator with another order of ranks refers to a group, which is a list. One
//! without members is `MPI_COMM_SELF`: each process is alone in it.

use pompeii_epilog::record::{
    Count, Each, Mode, MpiComm, MpiCommReference, MpiGroup, MpiWindow, Record,
};
use pompeii_model::Id;
use pompeii_otf2::definition::Definition;
use pompeii_otf2::enums::Paradigm;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{CommRef, GroupRef};
use pompeii_replay::definitions::Definitions;

/// The definitions of communicators and windows.
pub fn records(archive: &Archive, definitions: &Definitions) -> Vec<Record> {
    let (mut comms, mut groups) = (Vec::new(), 0);
    let mut windows = Vec::new();
    for definition in archive.definitions() {
        match definition {
            Definition::Comm(comm) if is_of_mpi(archive, comm.group) => {
                comms.extend(communicator(definitions, comm.id, &mut groups));
            }
            Definition::InterComm(comm) => {
                comms.extend(communicator(definitions, comm.id, &mut groups));
            }
            Definition::RmaWin(window) => {
                windows.push(MpiWindow { id: window.id.0, comm: window.comm.0 }.into());
            }
            _ => {}
        }
    }
    comms.extend(windows);
    comms
}

fn is_of_mpi(archive: &Archive, group: GroupRef) -> bool {
    archive.group(group).is_some_and(|group| group.paradigm == Paradigm::MPI)
}

fn communicator(definitions: &Definitions, id: CommRef, groups: &mut u32) -> Vec<Record> {
    let Some(comm) = definitions.comms.get(&id.0).filter(|comm| !comm.is_self) else {
        return vec![bits(id, &[])];
    };
    let system = &definitions.system;
    // Members of both sides, one after the other, of two groups that are connected.
    let members = comm.members.iter().chain(&comm.remote);
    let known = members.filter(|member| member.index() < system.locations.len());
    let ranks: Vec<u32> =
        known.map(|member| system.locations[*member].process.index() as u32).collect();
    if ranks.is_sorted_by(|one, next| one < next) {
        return vec![bits(id, &ranks)];
    }
    let group = *groups;
    *groups += 1;
    let number = Count(ranks.len() as u32);
    vec![
        MpiGroup { id: group, mode: 0, number, ranks: Each(ranks) }.into(),
        MpiCommReference { id: id.0, group }.into(),
    ]
}

/// A communicator of these processes.
fn bits(CommRef(id): CommRef, ranks: &[u32]) -> Record {
    let bytes = ranks.last().map_or(0, |last| *last as usize / 8 + 1);
    let mut members = vec![0_u8; bytes];
    for rank in ranks {
        if let Some(byte) = members.get_mut(*rank as usize / 8) {
            *byte |= 1 << (rank % 8);
        }
    }
    let number = Count(bytes as u32);
    MpiComm { id, mode: Mode(0), number, members: Each(members) }.into()
}
