//! What the numbers and times in the file of a process mean. `epik.map` has a section for each
//! process, with the global ids for those of the process and with two offsets of its clock.
//!
//! Partners of messages and roots of collective operations are ranks: in the communicator since
//! version 1.8 of the format, and among all processes before.

use std::collections::{BTreeMap, HashMap};

use pompeii_epilog::record::{IdMap, Record};
use pompeii_epilog::{Location, NO_ID, Reader};

use super::files::{DEFINITIONS, MAPS};
use super::processes::{communicators, masters};
use crate::source::Error;

/// Kinds of definitions, by the numbers of their records, that have tables of ids.
const LOCATION: u8 = 7;
const REGION: u8 = 9;
const COMMUNICATOR: u8 = 11;
const CALL_SITE: u8 = 15;

/// The minor version of the format since which partners have ranks in their communicators.
const RANKS_IN_COMMUNICATORS: u8 = 8;

/// A table of ids is a list of pairs; otherwise it has the global ids in the order of the others.
const SPARSE: u8 = 1;

/// What all processes share.
#[derive(Debug)]
pub struct Shared {
    /// The processes in communicators, in the order of their ranks. Empty: each by itself.
    comms: BTreeMap<u32, Vec<u32>>,
    /// The location of the first thread of each process.
    pub masters: BTreeMap<u32, u32>,
    /// Number of metrics, which events have values of.
    pub metrics: usize,
    ranks_in_comms: bool,
}

impl Shared {
    /// Of the file of definitions.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn read(mut reader: Reader<'_>) -> Result<Shared, pompeii_epilog::Error> {
        let ranks_in_comms = reader.minor() >= RANKS_IN_COMMUNICATORS;
        let (mut all, mut metrics) = (Vec::new(), 0);
        while let Some(record) = reader.next_record()? {
            metrics += usize::from(matches!(record, Record::Metric(_)));
            let is_needed = matches!(
                record,
                Record::LocationDefinition(_)
                    | Record::MpiComm(_)
                    | Record::MpiGroup(_)
                    | Record::MpiCommReference(_)
            );
            if is_needed {
                all.push(record);
            }
        }
        let (comms, masters) = (communicators(&all), masters(&all));
        Ok(Shared { comms, masters, metrics, ranks_in_comms })
    }
}

/// The section of a process.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Global ids by those of the process, for each kind of definitions. A kind without a table
    /// has the same ids everywhere.
    tables: HashMap<u8, HashMap<u32, u32>>,
    /// Local times and their offsets to the clock of all, in seconds: none or two.
    offsets_s: Vec<(f64, f64)>,
}

/// Reads the sections of all processes, by their global ranks.
///
/// # Errors
/// The file is damaged, or its records have no meaning in this order.
pub fn read(mut reader: Reader<'_>) -> Result<BTreeMap<u32, Numbers>, Error> {
    let mut sections: BTreeMap<u32, Numbers> = BTreeMap::new();
    let mut rank = None;
    while let Some(record) = reader.next_record()? {
        let offset = reader.record_offset();
        let fail = |text: &str| Err(Error::Input(format!("byte {offset}: {text}")));
        if let Record::MapSection(section) = &record {
            rank = Some(section.rank);
            sections.entry(section.rank).or_default();
        }
        let section = rank.and_then(|rank| sections.get_mut(&rank));
        match (record, section) {
            (Record::Offset(_) | Record::IdMap(_), None) => {
                return fail("expected the record MAP_SECTION before those of a process");
            }
            (Record::Offset(it), Some(section)) => {
                section.offsets_s.push((it.local_time_s, it.offset_s));
            }
            (Record::IdMap(it), Some(section)) => {
                if it.mode == SPARSE && it.ids.0.len() % 2 == 1 {
                    return fail("expected pairs of ids in a record IDMAP of mode 1");
                }
                section.tables.insert(it.of, table(&it));
            }
            _ => {}
        }
    }
    sections.iter().try_for_each(|(rank, section)| section.check_clock(*rank))?;
    Ok(sections)
}

/// Global ids by those of the process.
fn table(map: &IdMap) -> HashMap<u32, u32> {
    match map.mode {
        SPARSE => map.ids.0.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
        _ => (0..).zip(map.ids.0.iter().copied()).collect(),
    }
}

impl Numbers {
    fn check_clock(&self, rank: u32) -> Result<(), Error> {
        let is_sound = match &*self.offsets_s {
            [] => true,
            [(first, before), (last, after)] => {
                // Otherwise later events would have earlier times.
                let rate = 1.0 + (after - before) / (last - first);
                rate.is_finite() && rate > 0.0 && before.is_finite()
            }
            _ => false,
        };
        let found = self.offsets_s.len();
        is_sound.then_some(()).ok_or_else(|| {
            Error::Input(format!(
                "process {rank}: expected no records OFFSET, or two with which the clock of the \
                 process only goes forward; found {found}: {:?}",
                self.offsets_s
            ))
        })
    }

    /// A time of the process by the clock of all, in seconds: the offset changes evenly.
    fn time_s(&self, local_s: f64) -> f64 {
        let [(first, before), (last, after)] = &*self.offsets_s else { return local_s };
        local_s + before + (after - before) / (last - first) * (local_s - first)
    }

    /// Gives an event of a process its global ids and its time.
    ///
    /// # Errors
    /// An id has no entry, or a rank is not in its communicator.
    pub fn globalize(&self, record: &mut Record, rank: u32, shared: &Shared) -> Result<(), String> {
        if let Some((location, time_s)) = record.at_mut() {
            *time_s = self.time_s(*time_s);
            *location = Location(match location.0 {
                Some(local) => Some(self.id(LOCATION, "location", local)?),
                None => shared.masters.get(&rank).copied(),
            });
        }
        match record {
            Record::Enter(it) => it.region = self.id(REGION, "region", it.region)?,
            Record::EnterCallSite(it) => {
                it.call_site = self.id(CALL_SITE, "call site", it.call_site)?;
            }
            Record::MpiSend(it) => (it.to, it.comm) = self.partner(it.to, it.comm, rank, shared)?,
            Record::MpiReceive(it) => {
                (it.from, it.comm) = self.partner(it.from, it.comm, rank, shared)?;
            }
            Record::MpiCollectiveExit(it) => {
                (it.root, it.comm) = self.partner(it.root, it.comm, rank, shared)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn id(&self, kind: u8, name: &str, local: u32) -> Result<u32, String> {
        let Some(table) = self.tables.get(&kind) else { return Ok(local) };
        table.get(&local).copied().ok_or_else(|| {
            format!("expected {name} {local} of the process in its section of {MAPS}")
        })
    }

    /// The location of the process with a rank, and the global id of its communicator.
    fn partner(
        &self,
        partner: u32,
        comm: u32,
        rank: u32,
        shared: &Shared,
    ) -> Result<(u32, u32), String> {
        let comm = self.id(COMMUNICATOR, "communicator", comm)?;
        if partner == NO_ID {
            return Ok((NO_ID, comm));
        }
        let process = match shared.comms.get(&comm) {
            _ if !shared.ranks_in_comms => Some(partner),
            Some(members) if members.is_empty() => Some(rank),
            Some(members) => members.get(partner as usize).copied(),
            None => None,
        };
        let location = process.and_then(|process| shared.masters.get(&process));
        location.map(|location| (*location, comm)).ok_or_else(|| {
            format!(
                "expected a process with rank {partner} in communicator {comm} of {DEFINITIONS}"
            )
        })
    }
}
