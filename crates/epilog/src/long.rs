//! Records that are longer than the 255 bytes which the length of a record allows: the first record
//! has the begin, and further ones of another kind go on.
//!
//! | record | bytes of the first one | goes on in | bytes of each |
//! |---|---|---|---|
//! | STRING | 5 and 250 of the text | STRING_CNT | 255 |
//! | MPI_COMM | 9 and 246 of the members | MPI_COMM_CNT | 255 |
//! | IDMAP | 6 and 62 numbers | IDMAP_CNT | 63 numbers |
//! | MPI_GROUP | 9 and 61 numbers | MPI_GROUP_CNT | 63 numbers |

use crate::field::Mode;
use crate::wire::Endian;

/// How a record is continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Long {
    /// Number of the further records.
    pub number: u8,
    /// Their name.
    pub name: &'static str,
    /// Most bytes of the first record.
    pub first_bytes: usize,
    /// Most bytes of each further one.
    pub next_bytes: usize,
    /// How the length of all is known.
    pub length: Length,
}

/// How the length of a record with its continuation is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The byte at this place has the number of further records.
    Records { at: usize },
    /// The number at this place counts elements of a size, which end the record.
    Elements { at: usize, size_bytes: usize },
}

/// How records of this kind are continued, in files of this minor version.
pub(crate) fn of(number: u8, minor: u8) -> Option<Long> {
    let length = |at, size_bytes| Length::Elements { at, size_bytes };
    let (number, name, first_bytes, next_bytes, length) = match number {
        1 => (2, "STRING_CNT", 255, 255, Length::Records { at: 4 }),
        11 => (19, "MPI_COMM_CNT", 255, 255, length(if Mode::exists(minor) { 5 } else { 4 }, 1)),
        25 => (26, "IDMAP_CNT", 6 + 62 * 4, 63 * 4, length(2, 4)),
        27 => (28, "MPI_GROUP_CNT", 9 + 61 * 4, 63 * 4, length(5, 4)),
        _ => return None,
    };
    Some(Long { number, name, first_bytes, next_bytes, length })
}

/// Whether records of this kind continue others.
pub(crate) fn is_continuation(number: u8) -> bool {
    matches!(number, 2 | 19 | 26 | 28)
}

impl Long {
    /// Whether further records belong to `body`, which has been put together of the first record
    /// and this number of further ones. A body that is too short to know ends there.
    pub fn goes_on(&self, body: &[u8], records: usize, endian: Endian) -> bool {
        match self.length {
            Length::Records { at } => body.get(at).is_some_and(|all| records < usize::from(*all)),
            Length::Elements { at, size_bytes } => {
                let Some(number) = body.get(at..).and_then(|rest| endian.first_u32(rest)) else {
                    return false;
                };
                let bytes = (number as usize).saturating_mul(size_bytes);
                !self.is_world(body) && body.len() < bytes.saturating_add(at + 4)
            }
        }
    }

    /// Whether the record is a group of the first processes, which has no list.
    fn is_world(&self, body: &[u8]) -> bool {
        self.number == 28 && body.get(4).is_some_and(|mode| mode & 1 == 1)
    }
}
