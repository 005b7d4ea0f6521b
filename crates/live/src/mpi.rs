//! Definitions of MPI in the definitions log: the process's place in its job, communicators,
//! windows, files, and how far its clock is from that of rank 0. Files that were opened without MPI
//! are here, too, because both kinds of handles have ids of one row.
//!
//! Processes write them each on their own, without a message to another: what is the same thing in
//! several processes is known by its number, which all of them compute alike (see
//! [`MpiDefinition::Comm`]).

use crate::definition::Fields;

/// Tags of these records in the log.
pub(crate) const MPI_TAGS_FIRST: u8 = 40;
pub(crate) const MPI_TAGS_LAST: u8 = 59;

/// Rank of a process that is not one of this job's: a spawned one's, or that of a server.
pub const FOREIGN_RANK: u32 = u32::MAX;

/// The functions by which a file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum FileInterface {
    /// Those of the system: `open`, `read`, `write`.
    Posix,
    /// Those of the C library: `fopen`, `fread`, `fwrite`.
    IsoC,
}

impl FileInterface {
    /// All interfaces; an interface's position is its tag.
    const ALL: [Self; 2] = [Self::Posix, Self::IsoC];
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MpiDefinition {
    /// After `MPI_Init`: which process of which job this one is.
    World {
        /// Rank in `MPI_COMM_WORLD`.
        rank: u32,
        /// Size of `MPI_COMM_WORLD`.
        size: u32,
        /// The same text in all processes of the job, and in no other.
        job: String,
    },
    /// A communicator. It is the same as that of another process of the job where `root` and
    /// `number` are; one that is made again after it was freed, with the same members from the
    /// same parent, is not defined again.
    Comm {
        /// Id used in events, one row with those of OpenMP's communicators.
        id: u32,
        /// World rank of its first member; of an intercommunicator, the smaller one of its two
        /// groups' first members.
        root: u32,
        /// A hash of parent, members and how many of the same are alive.
        number: u64,
        /// Id of the communicator that it was made from, `u32::MAX` for none.
        parent: u32,
        /// Members, of the own group where it is an intercommunicator.
        size: u32,
        /// Rank of this process.
        rank: u32,
        /// Name that MPI gives it, empty for most.
        name: String,
        /// World ranks of the members in the order of their ranks ([`FOREIGN_RANK`] where they have
        /// none); only rank 0 of the group says them, elsewhere it is empty.
        members: Vec<u32>,
        /// The same of the other group of an intercommunicator, by rank 0 of the own group; empty
        /// for others.
        remote: Vec<u32>,
    },
    /// A communicator gets a name.
    CommName {
        /// Id of the communicator.
        comm: u32,
        /// Its name.
        name: String,
    },
    /// A communicator has a Cartesian topology.
    Cart {
        /// Id of the communicator.
        comm: u32,
        /// Per dimension its size and whether it is periodic.
        dimensions: Vec<(u32, bool)>,
        /// This process's coordinates.
        coordinates: Vec<u32>,
    },
    /// A window of one-sided communication. It is the same as that of another process where
    /// communicator and number are; one that is made again after it was freed is not defined again.
    Window {
        /// Id used in events.
        id: u32,
        /// Id of its communicator.
        comm: u32,
        /// How many others of the communicator were alive when it was made.
        number: u32,
    },
    /// A window gets a name.
    WindowName {
        /// Id of the window.
        window: u32,
        /// Its name.
        name: String,
    },
    /// Processes that synchronise by a window.
    Group {
        /// Id used in events.
        id: u32,
        /// Their world ranks.
        members: Vec<u32>,
    },
    /// A file.
    IoFile {
        /// Id used in events.
        id: u32,
        /// Its name as the program says it.
        path: String,
    },
    /// An open file; what makes it the same as that of another process is as for windows.
    IoHandle {
        /// Id used in events.
        id: u32,
        /// Id of the file.
        file: u32,
        /// Id of the communicator that has opened it.
        comm: u32,
        /// How many others of this file and communicator were open when it was opened.
        number: u32,
    },
    /// A file that the process has open without MPI.
    OpenFile {
        /// Id used in events, of one row with those of [`MpiDefinition::IoHandle`].
        id: u32,
        /// Id of the file.
        file: u32,
        /// The functions that have opened it.
        interface: FileInterface,
        /// How many others of this file were open by this interface when it was opened.
        number: u32,
        /// Of a file that was open before it was observed: OTF2's numbers of its access mode and of
        /// its status flags.
        inherited: Option<(u8, u32)>,
    },
    /// How far rank 0's `CLOCK_MONOTONIC_RAW` is ahead of this host's.
    ClockOffset {
        /// When, on this process's clock, in ticks.
        ticks: u64,
        /// By so many nanoseconds.
        offset_ns: i64,
        /// The true offset is at most so many nanoseconds away.
        error_ns: u64,
    },
    /// `MPI_Finalize` was called.
    Finalized {
        /// When, in ticks.
        ticks: u64,
    },
}

impl MpiDefinition {
    /// Appends tag and fields.
    pub(crate) fn encode(&self, log: &mut Vec<u8>) {
        let mut to = Record(log);
        match self {
            Self::World { rank, size, job } => to.tag(40).numbers(&[*rank, *size]).text(job),
            Self::Comm { id, root, number, parent, size, rank, name, members, remote } => to
                .tag(41)
                .numbers(&[*id, *root, *parent, *size, *rank])
                .long(*number)
                .text(name)
                .list(members)
                .list(remote),
            Self::CommName { comm, name } => to.tag(42).numbers(&[*comm]).text(name),
            Self::Cart { comm, dimensions, coordinates } => {
                let (sizes, periodic): (Vec<u32>, Vec<u32>) =
                    dimensions.iter().map(|&(size, periodic)| (size, u32::from(periodic))).unzip();
                to.tag(43).numbers(&[*comm]).list(&sizes).list(&periodic).list(coordinates)
            }
            Self::IoFile { id, path } => to.tag(45).numbers(&[*id]).text(path),
            Self::ClockOffset { ticks, offset_ns, error_ns } => {
                to.tag(47).long(*ticks).long(*offset_ns as u64).long(*error_ns)
            }
            Self::Finalized { ticks } => to.tag(48).long(*ticks),
            Self::Window { id, comm, number } => to.tag(44).numbers(&[*id, *comm, *number]),
            Self::WindowName { window, name } => to.tag(49).numbers(&[*window]).text(name),
            Self::Group { id, members } => to.tag(50).numbers(&[*id]).list(members),
            Self::IoHandle { id, file, comm, number } => {
                to.tag(46).numbers(&[*id, *file, *comm, *number])
            }
            Self::OpenFile { id, file, interface, number, inherited } => {
                let (mode, status) = inherited.unwrap_or_default();
                let state = [u32::from(inherited.is_some()), u32::from(mode), status];
                to.tag(51).numbers(&[*id, *file, *interface as u32, *number]).numbers(&state)
            }
        };
    }

    /// `None` for a damaged record, `Some(None)` for one of an unknown tag.
    pub(crate) fn decode(tag: u8, from: &mut Fields<'_>) -> Option<Option<Self>> {
        Some(Some(match tag {
            40 => Self::World { rank: from.number()?, size: from.number()?, job: from.text()? },
            41 => Self::Comm {
                id: from.number()?,
                root: from.number()?,
                parent: from.number()?,
                size: from.number()?,
                rank: from.number()?,
                number: from.long()?,
                name: from.text()?,
                members: list(from)?,
                remote: list(from)?,
            },
            42 => Self::CommName { comm: from.number()?, name: from.text()? },
            43 => {
                let (comm, sizes, periodic) = (from.number()?, list(from)?, list(from)?);
                let periodic = periodic.into_iter().map(|flag| flag != 0);
                let dimensions = sizes.into_iter().zip(periodic).collect();
                Self::Cart { comm, dimensions, coordinates: list(from)? }
            }
            45 => Self::IoFile { id: from.number()?, path: from.text()? },
            47 => Self::ClockOffset {
                ticks: from.long()?,
                offset_ns: from.long()? as i64,
                error_ns: from.long()?,
            },
            48 => Self::Finalized { ticks: from.long()? },
            44 => Self::Window { id: from.number()?, comm: from.number()?, number: from.number()? },
            49 => Self::WindowName { window: from.number()?, name: from.text()? },
            50 => Self::Group { id: from.number()?, members: list(from)? },
            46 => Self::IoHandle {
                id: from.number()?,
                file: from.number()?,
                comm: from.number()?,
                number: from.number()?,
            },
            51 => {
                let (id, file) = (from.number()?, from.number()?);
                let interface = *FileInterface::ALL.get(from.number()? as usize)?;
                let (number, is_inherited) = (from.number()?, from.number()? != 0);
                let state = (u8::try_from(from.number()?).ok()?, from.number()?);
                let inherited = is_inherited.then_some(state);
                Self::OpenFile { id, file, interface, number, inherited }
            }
            _ => return Some(None),
        }))
    }
}

/// Fields behind each other.
struct Record<'a>(&'a mut Vec<u8>);

impl Record<'_> {
    fn tag(&mut self, tag: u8) -> &mut Self {
        self.0.push(tag);
        self
    }
    fn numbers(&mut self, numbers: &[u32]) -> &mut Self {
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
        self
    }
    fn long(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }
    fn text(&mut self, text: &str) -> &mut Self {
        self.numbers(&[text.len() as u32]);
        self.0.extend(text.as_bytes());
        self
    }
    fn list(&mut self, numbers: &[u32]) -> &mut Self {
        self.numbers(&[numbers.len() as u32]).numbers(numbers)
    }
}

/// A damaged length ends at the record's end, and not in memory that it asks for.
fn list(from: &mut Fields<'_>) -> Option<Vec<u32>> {
    let count = from.number()?;
    (0..count).map(|_| from.number()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Definition;

    #[test]
    fn records_come_back_up_to_the_damage() {
        let name = "ocean".to_owned();
        let written = [
            MpiDefinition::World { rank: 1, size: 4, job: "host-17-99".into() },
            MpiDefinition::Comm {
                id: 3,
                root: 1,
                number: u64::MAX - 1,
                parent: u32::MAX,
                size: 2,
                rank: 0,
                name: String::new(),
                members: vec![1, 3],
                remote: vec![FOREIGN_RANK],
            },
            MpiDefinition::CommName { comm: 3, name: name.clone() },
            MpiDefinition::Cart {
                comm: 3,
                dimensions: vec![(2, true), (1, false)],
                coordinates: vec![1, 0],
            },
            MpiDefinition::Window { id: 0, comm: 3, number: 1 },
            MpiDefinition::WindowName { window: 0, name: name.clone() },
            MpiDefinition::Group { id: 2, members: vec![0, 3] },
            MpiDefinition::IoFile { id: 0, path: name },
            MpiDefinition::IoHandle { id: 0, file: 0, comm: 3, number: 2 },
            MpiDefinition::OpenFile {
                id: 1,
                file: 0,
                interface: FileInterface::Posix,
                number: 3,
                inherited: Some((1, 6)),
            },
            MpiDefinition::OpenFile {
                id: 2,
                file: 0,
                interface: FileInterface::IsoC,
                number: 0,
                inherited: None,
            },
            MpiDefinition::ClockOffset { ticks: 1 << 40, offset_ns: -7, error_ns: 900 },
            MpiDefinition::Finalized { ticks: 1 << 41 },
        ]
        .map(Definition::Mpi);
        let mut log = Vec::new();
        written.iter().for_each(|definition| definition.encode(&mut log));
        assert_eq!(Definition::decode_all(&log), written);
        for cut in 0..log.len() {
            assert!(Definition::decode_all(&log[..cut]).len() < written.len());
        }
    }
}
