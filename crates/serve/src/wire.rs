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
//! | `tasks?locs&t0&t1&max` | task instances: creations, fragments, links between them |
//! | `links?kinds&t0&t1&max` | links (`message`, `collective`, `lock`, `task`); if there are more than |
//! | `&px&by` | `max`, counts by column and pair of `location` or `process` |
//! | `matrix?t0&t1` | messages and bytes by sender and receiver |
//! | `curves?which&process&t0&t1&px` | tasks `ready` and `running`, threads `waiting` and `idle` |
//! | `counter?name&loc&t0&t1&px` | a counter of a location |
//! | `histogram?region&locs&t0&t1` | durations of visits that end there, by powers of two |
//! | `gaps?locs&t0&t1&px` | times without records: `flush`, `off`, `lost`, `summed`; `startup` and |
//! | | `shutdown`: from a fork to a thread's first region, from its last one to the join |
//! | `find?from&back&locs` and | the next visit or fragment, `none`, or `searching`: ask again |
//! | `name`, `file`, `longer`, `task` | what `find` looks for: `a.c:12`, ticks, `task_0_7` |
//! | `instances` | the most severe instances of waiting that `pompeii analyze` found |
//! | `source?file` | the text of a source, by its place in `files` of `open` |
//! | `first` | what the overview shows of `cube` at once; `null` if all of it is short |
//! | `cube` | the data of the trees, as the offline page has it |
//! | `trees?t0&t1&waits` | the same for a window, with `window` and the names of `unknown` metrics; |
//! | | with `waits=0` time and visits only, at once: the rest may take seconds |
//! | `report` | what `pompeii report --json` prints |
//!
//! An answer with another status than 200 is `{"error": "a sentence"}`: 400 for a question that
//! cannot be answered, 403 for one that may not be, 404 for what is not there, 409 for `trees` if a
//! later question for them has come, 410 for a trace that was changed or removed after it was
//! opened, 503 for a timeline whose index is being built.
//!
//! `Server-Timing` has the milliseconds of work for an answer. Answers that follow from the trace
//! alone have an `ETag`: the same question with `If-None-Match` is answered by 304 without work.
//!
//! # Pictures
//! Rows are named `f0-63` (the innermost regions of these locations), `s5.0-3` (levels 0 to 3 of
//! the call stack of location 5), `r5.0-3` (the same with suspended regions open, as they were
//! recorded) and `p0-3` (each of these processes as one row), with commas between. The answer has
//! little-endian words of 32 bits:
//!
//! | words | meaning |
//! |---|---|
//! | 0, 1 | magic `PPIC`, version |
//! | 2 | bit 0: made from the events, so each interval is exact |
//! | 3 | length of a bin, as a power of two of ticks |
//! | 4, 5 | time of column 0 since the begin of the trace: low, high |
//! | 6, 7 | number of rows R, number of boxes N |
//! | 4 R | kind, place, level, number of boxes |
//! | N | first column of each box, in 1/16 bins |
//! | N | column after the last one |
//! | N | what the box shows: [`pompeii_index::What`]; in the row of a process, mean shares |
//! | N | only with rows of processes: band of the shares of computing of the threads |
//!
//! Kinds are 0 for innermost regions, 1 for a stack level, 2 for a process and 3 for a stack level
//! as recorded. The place is the number of the location or process. A band is the smallest share
//! (bits 0 to 2) and the largest one (bits 3 to 5), in sevenths.

use pompeii_index::{Picture, Row};

const MAGIC: u32 = u32::from_le_bytes(*b"PPIC");
const VERSION: u32 = 1;

/// A row of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowName {
    /// A row of a location.
    Location(usize, Row),
    /// The row of a process.
    Process(usize),
}

impl RowName {
    /// Its words: kind, location or process, level.
    fn words(self) -> [u32; 3] {
        match self {
            RowName::Location(location, Row::Flat) => [0, location as u32, 0],
            RowName::Location(location, Row::Stack(level)) => [1, location as u32, level as u32],
            RowName::Location(location, Row::Recorded(level)) => [3, location as u32, level as u32],
            RowName::Process(process) => [2, process as u32, 0],
        }
    }
}

/// A picture with the names of its rows. `bands` has a number for each box; it is sent only if
/// there is the row of a process. `begin` is the time of column 0 since the begin of the trace.
pub fn picture(
    picture: &Picture,
    bands: &[u8],
    rows: &[RowName],
    begin: u64,
    is_exact: bool,
) -> Vec<u8> {
    let boxes = picture.what.len();
    let mut bytes = Vec::with_capacity(4 * (8 + 4 * rows.len() + 4 * boxes));
    let mut word = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
    let (low, high) = (begin as u32, (begin >> 32) as u32);
    let sizes = (rows.len() as u32, boxes as u32);
    let head = [MAGIC, VERSION, is_exact.into(), picture.bin_log2, low, high, sizes.0, sizes.1];
    head.into_iter().for_each(&mut word);
    for (row, count) in rows.iter().zip(&picture.counts) {
        row.words().into_iter().chain([*count]).for_each(&mut word);
    }
    picture.x0.iter().chain(&picture.x1).copied().for_each(&mut word);
    picture.what.iter().for_each(|what| word(what.0));
    if rows.iter().any(|row| matches!(row, RowName::Process(_))) {
        bands.iter().for_each(|band| word(u32::from(*band)));
    }
    bytes
}
