//! Facts about a part of a report that have no place of their own in the format.

/// Free key-value pairs, in the order of the file. Cube allows them nearly everywhere.
pub type Attributes = Vec<(String, String)>;
