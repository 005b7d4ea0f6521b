//! What MPI has beside communicators in a trace: windows, groups that synchronise by them, files
//! and their handles. Every process numbers its own; those that are alike are one in the trace.

use std::collections::HashMap;

use pompeii_live::{LiveProcess, MpiDefinition};
use pompeii_model::{CommunicatorKey, Id};
use pompeii_otf2::Error;
use pompeii_otf2::definition::{Group, IoHandle, IoParadigm, IoRegularFile, RmaWin};
use pompeii_otf2::enums::{
    GroupFlag, GroupType, GroupTypePre12, IoHandleFlag, IoParadigmClass, IoParadigmFlag, Paradigm,
    RmaWinFlag,
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
/// The only interface for files.
const MPI_IO: IoParadigmRef = IoParadigmRef(0);

/// All of a run, each once.
#[derive(Debug, Default)]
pub struct Resources {
    windows: Numbers<(CommunicatorKey, u32)>,
    names: HashMap<u64, String>,
    groups: Numbers<Vec<u32>>,
    files: Numbers<String>,
    handles: Numbers<(u64, CommunicatorKey, u32)>,
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

impl Resources {
    /// Takes up what a process has defined; its locations are not needed.
    pub fn add(&mut self, live: &LiveProcess) -> Ids {
        let communicators: HashMap<u32, CommunicatorKey> =
            mpi::definitions(live).filter_map(key).collect();
        // What is of no communicator that is known is damage.
        let key = |comm: &u32| communicators.get(comm).copied().unwrap_or(CommunicatorKey::Itself);
        let mut ids = Ids::default();
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
                MpiDefinition::IoHandle { file, comm, number, .. } => {
                    let file = ids.files.get(*file as usize).copied().unwrap_or(0);
                    ids.handles.push(self.handles.of((file, key(comm), *number)));
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
        let name = archive.string("MPI-IO")?;
        archive.define(IoParadigm {
            id: MPI_IO,
            identification: name,
            name,
            io_paradigm_class: IoParadigmClass::PARALLEL,
            io_paradigm_flags: IoParadigmFlag::NONE,
            properties: Vec::new(),
        })?;
        for (id, path) in (0..).map(IoFileRef).zip(self.files.in_order()) {
            let (name, scope) = (archive.string(path)?, SystemTreeNodeRef::UNDEFINED);
            archive.define(IoRegularFile { id, name, scope })?;
        }
        let name = archive.string("")?;
        for (id, (file, key, _)) in (0..).map(IoHandleRef).zip(self.handles.in_order()) {
            archive.define(IoHandle {
                id,
                name,
                file: IoFileRef(*file as u32),
                io_paradigm: MPI_IO,
                io_handle_flags: IoHandleFlag::NONE,
                comm: comm(key),
                parent: IoHandleRef::UNDEFINED,
            })?;
        }
        Ok(())
    }
}
