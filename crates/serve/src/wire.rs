//! What goes over the wire. Questions are `GET /api/NAME?...` with the header `X-Pompeii-Token`.
//!
//! Times are ticks since the begin of the trace (`origin` in the answer to `open`), in questions
//! and answers; `t0` and `t1` mark a window. A location, a process and a region are numbers: places
//! in the lists of `open`. Lists of numbers are written `0-63,70`. Times are below 2^53, so a page
//! has them exactly.
//!
//! | question | answer |
//! |---|---|
//! | `open` | what there is: processes, locations, regions, clock, progress of the index |
//! | `progress` | how far the index is; never waits |
//! | `picture?rows&t0&t1&px` | boxes of rows, as columns (below) |
//! | `sums?locs&t0&t1&by` | exact visits and ticks by `region`, `state` or `location` |
//! | `at?loc&t` | what a location does at a moment |
//! | `cube` | the data of the trees, as the offline page has it |
//! | `report` | what `pompeii report --json` prints |
//!
//! An answer with another status than 200 is `{"error": "a sentence"}`: 400 for a question that
//! cannot be answered, 403 for one that may not be, 404 for what is not there, 410 for a trace that
//! was changed or removed after it was opened, 503 for a timeline whose index is being built.
//!
//! # Pictures
//! Rows are named `f0-63` (the innermost regions of these locations) and `s5.0-3` (levels 0 to 3 of
//! the call stack of location 5), with commas between. The answer has little-endian words of 32
//! bits:
//!
//! | words | meaning |
//! |---|---|
//! | 0, 1 | magic `PPIC`, version |
//! | 2 | bit 0: made from the events, so each interval is exact |
//! | 3 | length of a bin, as a power of two of ticks |
//! | 4, 5 | time of column 0 since the begin of the trace: low, high |
//! | 6, 7 | number of rows R, number of boxes N |
//! | 4 R | kind (0 innermost regions, 1 stack level), location, level, number of boxes |
//! | N | first column of each box, in 1/16 bins |
//! | N | column after the last one |
//! | N | what the box shows: [`pompeii_index::What`] |

use pompeii_index::{Picture, Row};

const MAGIC: u32 = u32::from_le_bytes(*b"PPIC");
const VERSION: u32 = 1;

/// A picture with its rows in the order of `rows`; `begin` is its time of column 0 since the begin
/// of the trace.
pub fn picture(picture: &Picture, rows: &[(usize, Row)], begin: u64, is_exact: bool) -> Vec<u8> {
    let boxes = picture.what.len();
    let mut bytes = Vec::with_capacity(4 * (8 + 4 * rows.len() + 3 * boxes));
    let mut word = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
    let (low, high) = (begin as u32, (begin >> 32) as u32);
    let sizes = (rows.len() as u32, boxes as u32);
    let head = [MAGIC, VERSION, is_exact.into(), picture.bin_log2, low, high, sizes.0, sizes.1];
    head.into_iter().for_each(&mut word);
    for ((location, row), count) in rows.iter().zip(&picture.counts) {
        let (kind, level) = match row {
            Row::Flat => (0, 0),
            Row::Stack(level) => (1, *level as u32),
        };
        [kind, *location as u32, level, *count].into_iter().for_each(&mut word);
    }
    picture.x0.iter().chain(&picture.x1).copied().for_each(&mut word);
    picture.what.iter().for_each(|what| word(what.0));
    bytes
}
