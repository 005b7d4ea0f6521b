//! What a trace has next to communicators: windows of MPI, groups that synchronise by them, files
//! and their handles. Every process numbers its own; those that are alike are one in the trace. A
//! file that was opened without MPI is open in one process only, so that its handle is of that
//! process.

use std::collections::HashMap;

use pompeii_live::{FileInterface, LiveProcess, MpiDefinition};
use pompeii_model::{CommunicatorKey, Id};
use pompeii_otf2::Error;
use pompeii_otf2::definition::{
    Group, IoHandle, IoParadigm, IoPreCreatedHandleState, IoRegularFile, RmaWin,
};
use pompeii_otf2::enums::{
    GroupFlag, GroupType, GroupTypePre12, IoAccessMode, IoHandleFlag, IoParadigmClass,
    IoParadigmFlag, IoStatusFlag, Paradigm, RmaWinFlag,
};
use pompeii_otf2::reference::{
    CommRef, GroupRef, IoFileRef, IoHandleRef, IoParadigmRef, RmaWinRef, SystemTreeNodeRef,
};
use pompeii_otf2::write::ArchiveWriter;

use crate::communicators::{key, members};
use crate::mpi;
use crate::numbers::Numbers;
use crate::run::Run;

/// Groups of windows stand behind the three that every trace of MPI has.
pub const FIRST_GROUP: u32 = 3;
/// The interfaces for files by their ids, with what OTF2 calls them. Records of MPI name the first.
const INTERFACES: [(&str, &str, IoParadigmClass, IoParadigmFlag); 3] = [
    ("MPI-IO", "MPI-IO", IoParadigmClass::PARALLEL, IoParadigmFlag::NONE),
    ("POSIX", "POSIX I/O", IoParadigmClass::SERIAL, IoParadigmFlag::OS),
    ("ISOC", "ISO C I/O", IoParadigmClass::SERIAL, IoParadigmFlag::NONE),
];

/// What makes two handles of a file the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Opened {
    /// All processes of a communicator have opened it together.
    Together(CommunicatorKey),
    /// A process has opened it by this interface, or has got it open with this access mode and
    /// these status flags.
    Alone { process: usize, by: FileInterface, inherited: Option<(u8, u32)> },
}

impl Opened {
    /// Its place among [`INTERFACES`].
    fn interface(self) -> usize {
        match self {
            Self::Together(_) => 0,
            Self::Alone { by, .. } => 1 + by as usize,
        }
    }
}

/// All of a run, each once.
#[derive(Debug, Default)]
pub struct Resources {
    windows: Numbers<(CommunicatorKey, u32)>,
    names: HashMap<u64, String>,
    groups: Numbers<Vec<u32>>,
    files: Numbers<String>,
    handles: Numbers<(u64, Opened, u32)>,
    /// Processes so far.
    processes: usize,
}

/// Ids of a process in those of the run, dense.
#[derive(Debug, Default)]
pub struct Ids {
    /// Of its windows.
    pub windows: Vec<u64>,
    /// Of groups.
    pub groups: Vec<u64>,
    /// Of files.
    pub files: Vec<u64>,
    /// Of their handles.
    pub handles: Vec<u64>,
}

impl Ids {
    /// The run's id of a file; what is not known is damage.
    fn file(&self, own: u32) -> u64 {
        self.files.get(own as usize).copied().unwrap_or(0)
    }
}

impl Resources {
    /// Takes up what a process has defined; its locations are not needed.
    pub fn add(&mut self, live: &LiveProcess) -> Ids {
        let communicators: HashMap<u32, CommunicatorKey> =
            mpi::definitions(live).filter_map(key).collect();
        // What is of no communicator that is known is damage.
        let key = |comm: &u32| communicators.get(comm).copied().unwrap_or(CommunicatorKey::Itself);
        let mut ids = Ids::default();
        let process = self.processes;
        self.processes += 1;
        for definition in mpi::definitions(live) {
            match definition {
                MpiDefinition::Window { comm, number, .. } => {
                    ids.windows.push(self.windows.of((key(comm), *number)));
                }
                MpiDefinition::WindowName { window, name } => {
                    if let Some(&window) = ids.windows.get(*window as usize) {
                        self.names.insert(window, name.clone());
                    }
                }
                MpiDefinition::Group { members, .. } => {
                    ids.groups.push(self.groups.of(members.clone()) + u64::from(FIRST_GROUP));
                }
                MpiDefinition::IoFile { path, .. } => ids.files.push(self.files.of(path.clone())),
                MpiDefinition::OpenFile { file, interface, number, inherited, .. } => {
                    let opened = Opened::Alone { process, by: *interface, inherited: *inherited };
                    ids.handles.push(self.handles.of((ids.file(*file), opened, *number)));
                }
                MpiDefinition::IoHandle { file, comm, number, .. } => {
                    let opened = Opened::Together(key(comm));
                    ids.handles.push(self.handles.of((ids.file(*file), opened, *number)));
                }
                _ => {}
            }
        }
        ids
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.groups.count() as u32
    }

    /// Defines the groups.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn define_groups(&self, archive: &mut ArchiveWriter) -> Result<(), Error> {
        let name = archive.string("")?;
        for (id, ranks) in (FIRST_GROUP..).map(GroupRef).zip(self.groups.in_order()) {
            archive.define(Group {
                id,
                name,
                group_type_pre12: GroupTypePre12::default(),
                members: members(ranks),
                group_type: GroupType::COMM_GROUP,
                paradigm: Paradigm::MPI,
                group_flags: GroupFlag::NONE,
            })?;
        }
        Ok(())
    }

    /// Defines all others; communicators are there.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn define(&self, archive: &mut ArchiveWriter, run: &Run) -> Result<(), Error> {
        let known = run.definitions().communicators.enumerated();
        let known: HashMap<CommunicatorKey, CommRef> =
            known.map(|(id, of)| (of.key, CommRef(id.index() as u32))).collect();
        let comm = |key: &CommunicatorKey| known.get(key).copied().unwrap_or(CommRef::UNDEFINED);
        for (id, (key, _)) in (0..).zip(self.windows.in_order()) {
            let name = self.names.get(&u64::from(id)).map_or("", String::as_str);
            let (name, comm) = (archive.string(name)?, comm(key));
            let flags = RmaWinFlag::CREATE_DESTROY_EVENTS;
            archive.define(RmaWin { id: RmaWinRef(id), name, comm, flags })?;
        }
        if self.files.count() > 0 {
            self.define_files(archive, &comm)?;
        }
        Ok(())
    }

    fn define_files(
        &self,
        archive: &mut ArchiveWriter,
        comm: &impl Fn(&CommunicatorKey) -> CommRef,
    ) -> Result<(), Error> {
        let last = self.handles.in_order().map(|(_, opened, _)| opened.interface()).max();
        let used = INTERFACES.into_iter().take(1 + last.unwrap_or(0));
        for (id, (identification, name, io_paradigm_class, io_paradigm_flags)) in (0..).zip(used) {
            let (identification, name) = (archive.string(identification)?, archive.string(name)?);
            archive.define(IoParadigm {
                id: IoParadigmRef(id),
                identification,
                name,
                io_paradigm_class,
                io_paradigm_flags,
                properties: Vec::new(),
            })?;
        }
        for (id, path) in (0..).map(IoFileRef).zip(self.files.in_order()) {
            let (name, scope) = (archive.string(path)?, SystemTreeNodeRef::UNDEFINED);
            archive.define(IoRegularFile { id, name, scope })?;
        }
        self.define_handles(archive, comm)
    }

    fn define_handles(
        &self,
        archive: &mut ArchiveWriter,
        comm: &impl Fn(&CommunicatorKey) -> CommRef,
    ) -> Result<(), Error> {
        let name = archive.string("")?;
        for (id, (file, opened, _)) in (0..).map(IoHandleRef).zip(self.handles.in_order()) {
            let (comm, inherited) = match opened {
                Opened::Together(key) => (comm(key), None),
                Opened::Alone { inherited, .. } => (CommRef::UNDEFINED, *inherited),
            };
            archive.define(IoHandle {
                id,
                name,
                file: IoFileRef(*file as u32),
                io_paradigm: IoParadigmRef(opened.interface() as u8),
                io_handle_flags: inherited
                    .map_or(IoHandleFlag::NONE, |_| IoHandleFlag::PRE_CREATED),
                comm,
                parent: IoHandleRef::UNDEFINED,
            })?;
            if let Some((mode, status_flags)) = inherited {
                archive.define(IoPreCreatedHandleState {
                    io_handle: id,
                    mode: IoAccessMode(mode),
                    status_flags: IoStatusFlag(status_flags),
                })?;
            }
        }
        Ok(())
    }
}
