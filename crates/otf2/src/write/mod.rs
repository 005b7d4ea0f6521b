//! Writing archives: chunked files record by record, whole archives in the right order.

mod archive;
mod chunked;
mod events;

pub use archive::{ArchiveWriter, Options};
pub use events::EventWriter;
