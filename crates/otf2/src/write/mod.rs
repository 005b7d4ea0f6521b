//! Writing archives: chunked files record by record, whole archives in the right order.

mod archive;
mod chunked;
mod ending;
mod events;
mod records;

pub use archive::{ArchiveWriter, Options};
pub(crate) use archive::{seal_file, write_local};
pub use ending::ProgramEnding;
pub use events::EventWriter;
#[cfg(test)]
pub(crate) use events::write_event;
pub use records::{MarkerWriter, SnapshotWriter, ThumbnailWriter};
