//! The processes of a trace: who is a member of which communicator, and where a process begins.

use std::collections::{BTreeMap, HashMap};

use pompeii_epilog::record::Record;

/// Members of communicators by their ranks.
pub fn communicators(all: &[Record]) -> BTreeMap<u32, Vec<u32>> {
    let mut groups: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut comms = BTreeMap::new();
    let processes = masters(all).len() as u32;
    for record in all {
        match record {
            Record::MpiComm(comm) => {
                let bytes = (0..).zip(&comm.members.0);
                let members = bytes.flat_map(|(place, byte): (u32, _)| {
                    (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| 8 * place + bit)
                });
                comms.insert(comm.id, members.collect());
            }
            Record::MpiGroup(group) if group.mode & 1 == 1 => {
                groups.insert(group.id, (0..group.number.0.min(processes)).collect());
            }
            Record::MpiGroup(group) => {
                groups.insert(group.id, group.ranks.0.clone());
            }
            Record::MpiCommReference(comm) => {
                comms.insert(comm.id, groups.get(&comm.group).cloned().unwrap_or_default());
            }
            _ => {}
        }
    }
    comms
}

/// The location of the first thread of each process.
pub fn masters(all: &[Record]) -> BTreeMap<u32, u32> {
    let mut masters: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for record in all {
        if let Record::LocationDefinition(it) = record {
            let first = masters.entry(it.process).or_insert((it.thread, it.id));
            *first = (*first).min((it.thread, it.id));
        }
    }
    masters.into_iter().map(|(process, (_, location))| (process, location)).collect()
}
