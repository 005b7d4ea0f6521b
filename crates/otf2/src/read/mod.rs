//! Reading archives: chunk by chunk, record by record, location by location, or merged by time.
//!
//! Readers are iterators over results. An error in the fields of one record does not end them: the
//! next record follows; behind any other error nothing more can be found. What was delivered before
//! an error is good.

mod archive;
mod events;
mod merged;
mod records;
mod source;
mod stream;

pub use archive::{Archive, Local};
pub use events::{Bookmark, EventReader, EventRecord, bookmarks};
pub use merged::Merged;
pub use records::{DefinitionReader, MarkerReader, SnapshotReader, ThumbnailReader};
pub use source::{Bytes, ChunkSource, FileChunks};
