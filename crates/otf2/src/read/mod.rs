//! Reading archives: chunk by chunk, record by record, location by location, or merged by time.
//!
//! Readers are iterators over results. An error in the fields of one record does not end them: the
//! next record follows. Where no next record can be found, reading goes on with the next chunk,
//! whose place does not depend on what is damaged. What was delivered before an error is good.

mod archive;
mod bookmarks;
mod events;
mod mapped;
mod merged;
mod parallel;
mod places;
mod records;
mod references;
mod simple;
mod source;
mod stream;
mod tournament;

pub use archive::{Archive, Local};
pub use bookmarks::{Bookmark, bookmarks};
pub use events::{EventReader, EventRecord, EventView};
pub use mapped::MappedFile;
pub use merged::Merged;
pub use parallel::Part;
pub use places::Place;
pub use records::{
    DefinitionReader, MarkerReader, SnapshotReader, SnapshotRecord, ThumbnailReader,
};
pub use source::{Bytes, ChunkSource, FileChunks};
