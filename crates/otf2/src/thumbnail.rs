//! Thumbnails: small pictures of a trace in numbers, in `NAME.<k>.thumb`.

use crate::enums::ThumbnailType;
use crate::record::records;

/// Bytes of a chunk in thumbnail files, whatever the archive says.
pub const CHUNK_BYTES: u64 = 1 << 20;

records! {
    /// A header, followed by its samples.
    Thumbnail;

    /// What the samples show.
    10 Header {
        name: String,
        description: String,
        thumbnail_type: ThumbnailType,
        number_of_samples: u32,
        definitions: Vec<u64>,
    }
    /// A value for each definition of the header.
    11 Sample {
        baseline: u64,
        metrics: Vec<u64>,
    }
}
