//! A whole archive by the path of its anchor.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::events::EventReader;
use super::merged::Merged;
use super::records::{DefinitionReader, MarkerReader, SnapshotReader, ThumbnailReader};
use super::source::FileChunks;
use crate::anchor::Anchor;
use crate::clock::ClockCorrection;
use crate::definition::{self, Definition};
use crate::error::{Error, io_error};
use crate::field::FieldValue;
use crate::mapping::Mappings;
use crate::reference::*;
use crate::thumbnail;

/// An archive: its anchor and all global definitions; events are read on demand.
#[derive(Debug)]
pub struct Archive {
    anchor: Anchor,
    folder: PathBuf,
    name: String,
    maps_events: bool,
    definitions: Vec<Definition>,
    /// Place in `definitions` by kind and id.
    index: HashMap<(&'static str, u64), usize>,
}

/// What the local definitions of a location say.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// All definitions in the order of the file.
    pub definitions: Vec<Definition>,
    /// Global ids by the location's own.
    pub mappings: Arc<Mappings>,
    /// The location's clock.
    pub clock: Arc<ClockCorrection>,
}

impl Archive {
    /// Opens the archive with this anchor file and reads its global definitions.
    pub fn open(anchor: &Path) -> Result<Archive, Error> {
        let (archive, errors) = Archive::salvage(anchor)?;
        errors.into_iter().next().map_or(Ok(archive), Err)
    }

    /// As [`open`](Archive::open), for damaged archives: takes the definitions that can be read.
    pub fn salvage(anchor_path: &Path) -> Result<(Archive, Vec<Error>), Error> {
        let bytes = fs::read(anchor_path).map_err(io_error(anchor_path))?;
        let anchor = Anchor::read(anchor_path, &bytes)?;
        let folder = anchor_path.parent().unwrap_or(Path::new("")).to_owned();
        let name = anchor_path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut archive = Archive {
            anchor,
            folder,
            name,
            maps_events: false,
            definitions: Vec::new(),
            index: HashMap::new(),
        };
        let mut errors = Vec::new();
        for definition in archive.global_definitions() {
            match definition {
                Ok(definition) => archive.push(definition),
                Err(error) => errors.push(error),
            }
        }
        Ok((archive, errors))
    }

    /// Maps event files into memory instead of reading them: the fastest way, for files that stay
    /// as they are; see [`MappedFile::open`](super::MappedFile::open).
    pub fn with_mapped_events(mut self) -> Archive {
        self.maps_events = true;
        self
    }

    fn push(&mut self, definition: Definition) {
        if let Some(key) = own_id(&definition) {
            // The first definition of an id counts.
            self.index.entry(key).or_insert(self.definitions.len());
        }
        self.definitions.push(definition);
    }

    /// The anchor.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// All global definitions in the order of the file.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// All locations in the order of the file.
    pub fn locations(&self) -> impl Iterator<Item = &definition::Location> {
        self.definitions.iter().filter_map(|definition| match definition {
            Definition::Location(location) => Some(location),
            _ => None,
        })
    }

    /// The definition that a field refers to.
    pub fn find(&self, kind: &'static str, id: u64) -> Option<&Definition> {
        self.definitions.get(*self.index.get(&(kind, id))?)
    }

    /// The text of a string id, or the name of the definition that a field refers to.
    pub fn name(&self, kind: &'static str, id: u64) -> Option<&str> {
        let definition = self.find(kind, id)?;
        let mut name = None;
        definition.fields(&mut |field, value| {
            if let ("name", FieldValue::Reference { id: Some(id), .. }) = (field, value) {
                name = u32::try_from(id).ok();
            }
        });
        match definition {
            Definition::String(string) => Some(&string.string),
            _ => self.string(StringRef(name?)),
        }
    }

    /// The text of a string.
    pub fn string(&self, id: StringRef) -> Option<&str> {
        match self.find("String", u64::from(id.0))? {
            Definition::String(string) => Some(&string.string),
            _ => None,
        }
    }

    /// Path of the global definitions.
    pub(super) fn global_path(&self) -> PathBuf {
        self.folder.join(format!("{}.def", self.name))
    }

    /// Reads the global definitions from their file.
    pub(super) fn global_definitions(&self) -> DefinitionReader {
        let (path, chunk_bytes) = (self.global_path(), self.anchor.definition_chunk_bytes);
        DefinitionReader::new(FileChunks::new(&path, chunk_bytes), &path, chunk_bytes)
    }

    fn path(&self, location: LocationRef, extension: &str) -> PathBuf {
        self.folder.join(&self.name).join(format!("{}.{extension}", location.0))
    }

    /// Path of the events of a location.
    pub fn event_path(&self, location: LocationRef) -> PathBuf {
        self.path(location, "evt")
    }

    /// The local definitions of a location; those of a missing file are empty.
    pub fn local(&self, location: LocationRef) -> Result<Local, Error> {
        let (local, errors) = self.local_salvage(location);
        errors.into_iter().next().map_or(Ok(local), Err)
    }

    /// As [`local`](Archive::local), for damaged archives: takes what can be read.
    pub fn local_salvage(&self, location: LocationRef) -> (Local, Vec<Error>) {
        let path = self.path(location, "def");
        let (mut local, mut errors) = (Local::default(), Vec::new());
        if matches!(fs::metadata(&path), Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return (local, errors);
        }
        let chunk_bytes = self.anchor.definition_chunk_bytes;
        let source = FileChunks::new(&path, chunk_bytes);
        let (mut mappings, mut clock) = (Mappings::default(), ClockCorrection::default());
        for definition in DefinitionReader::local(source, &path, chunk_bytes) {
            match &definition {
                Ok(Definition::MappingTable(table)) => {
                    mappings.add(table.mapping_type.0, &table.id_map);
                }
                Ok(Definition::ClockOffset(offset)) => {
                    clock.add(offset);
                }
                _ => {}
            }
            match definition {
                Ok(definition) => local.definitions.push(definition),
                Err(error) => errors.push(error),
            }
        }
        (local.mappings, local.clock) = (Arc::new(mappings), Arc::new(clock));
        (local, errors)
    }

    /// The events of a location, with global ids and times of the common clock.
    pub fn events(&self, location: LocationRef) -> Result<EventReader, Error> {
        let Local { mappings, clock, .. } = self.local(location)?;
        Ok(self.raw_events(location)?.with_local(mappings, clock))
    }

    /// The events of a location, with ids and times as they stand in its file.
    pub fn raw_events(&self, location: LocationRef) -> Result<EventReader, Error> {
        if self.find("Location", location.0).is_none() {
            return Err(Error::NoLocation { file: self.global_path(), location: location.0 });
        }
        let (path, chunk_bytes) = (self.event_path(location), self.anchor.event_chunk_bytes);
        Ok(EventReader::new(self.event_chunks(&path), &path, chunk_bytes, location))
    }

    /// An event file, read or mapped.
    pub(super) fn event_chunks(&self, path: &Path) -> FileChunks {
        let chunk_bytes = self.anchor.event_chunk_bytes;
        if self.maps_events {
            FileChunks::mapped(path, chunk_bytes)
        } else {
            FileChunks::new(path, chunk_bytes)
        }
    }

    /// The events of all locations in the order of time.
    pub fn merged(&self) -> Result<Merged, Error> {
        let readers: Result<Vec<_>, Error> =
            self.locations().map(|location| self.events(location.id)).collect();
        Ok(Merged::new(readers?))
    }

    /// The snapshots of a location; the anchor says whether there are any.
    pub fn snapshots(&self, location: LocationRef) -> SnapshotReader {
        let path = self.path(location, "snap");
        let chunk_bytes = self.anchor.event_chunk_bytes;
        SnapshotReader::new(FileChunks::new(&path, chunk_bytes), &path, chunk_bytes)
    }

    /// The markers; `None` without a marker file.
    pub fn markers(&self) -> Option<MarkerReader> {
        let path = self.folder.join(format!("{}.marker", self.name));
        let chunk_bytes = self.anchor.definition_chunk_bytes;
        let source = FileChunks::new(&path, chunk_bytes);
        path.exists().then(|| MarkerReader::new(source, &path, chunk_bytes))
    }

    /// A thumbnail; the anchor has their number.
    pub fn thumbnail(&self, number: u32) -> ThumbnailReader {
        let path = self.folder.join(format!("{}.{number}.thumb", self.name));
        let source = FileChunks::new(&path, thumbnail::CHUNK_BYTES);
        ThumbnailReader::new(source, &path, thumbnail::CHUNK_BYTES)
    }
}

/// One function per kind of definition that has an id.
macro_rules! lookups {
    ($( $function:ident $kind:literal $name:ident ( $reference:ident ) ; )*) => {
        impl Archive { $(
            #[doc = concat!("The ", stringify!($name), " with this id.")]
            pub fn $function(&self, id: $reference) -> Option<&definition::$name> {
                match self.find($kind, u64::from(id.0))? {
                    Definition::$name(found) => Some(found),
                    _ => None,
                }
            }
        )* }
    };
}

lookups! {
    attribute "Attribute" Attribute(AttributeRef);
    system_tree_node "SystemTreeNode" SystemTreeNode(SystemTreeNodeRef);
    location_group "LocationGroup" LocationGroup(LocationGroupRef);
    location "Location" Location(LocationRef);
    region "Region" Region(RegionRef);
    group "Group" Group(GroupRef);
    metric_member "MetricMember" MetricMember(MetricMemberRef);
    metric_class "Metric" MetricClass(MetricRef);
    metric_instance "Metric" MetricInstance(MetricRef);
    comm "Comm" Comm(CommRef);
    inter_comm "Comm" InterComm(CommRef);
    parameter "Parameter" Parameter(ParameterRef);
    rma_win "RmaWin" RmaWin(RmaWinRef);
    source_code_location "SourceCodeLocation" SourceCodeLocation(SourceCodeLocationRef);
    calling_context "CallingContext" CallingContext(CallingContextRef);
    io_handle "IoHandle" IoHandle(IoHandleRef);
}

/// Kind and id of a definition. Its first field is the id if it refers to its own kind; else the
/// definition adds something to another one.
pub(super) fn own_id(definition: &Definition) -> Option<(&'static str, u64)> {
    let own = match definition.name() {
        "MetricClass" | "MetricInstance" => "Metric",
        "InterComm" => "Comm",
        "IoRegularFile" | "IoDirectory" => "IoFile",
        name => name,
    };
    let mut id = None;
    let mut first = true;
    definition.fields(&mut |_, value| {
        if let (true, FieldValue::Reference { to, id: Some(number) }) = (first, value)
            && to == own
        {
            id = Some((own, number));
        }
        first = false;
    });
    id
}
