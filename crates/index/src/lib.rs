//! The index of a trace for a timeline: pictures of any window at any zoom without a look at all
//! events. Events go in, bytes come out; no threads and no clocks, and files in [`file`] only.
//!
//! * A **row** is the innermost regions of a location, or one level of its call stack. The index
//!   has the exact intervals of each row by classes of duration, and bins that sum up all shorter
//!   ones, in levels a factor of 4 apart (`row.rs`). Start reading there.
//! * A **picture** ([`Index::picture`]) takes one level, so its size follows the number of columns
//!   and not the number of events.
//! * Finer windows are made from the events ([`Index::exact_picture`]), and so are the exact
//!   **sums** of any window ([`Index::sums`]). A **mark** every 4096 events has the place in the
//!   event file and the open regions there (`marks.rs`), so a narrow window decodes some thousand
//!   events.
//! * The row of a **process** ([`Index::folded`]) is stored, too: thousands of threads are drawn as
//!   quickly as a few (`fold.rs`).
//! * Tasks are cut where they are suspended, and go on as new intervals (`walk.rs`). The **tasks**
//!   of a window ([`Index::add_tasks`]) have links from their creation to their fragments.
//! * **Links** ([`Index::links`]) lead from what happens on a location to what it causes on another
//!   one: messages, collective operations, locks, tasks (`links.rs`). If they are too many, there
//!   are counts of them ([`Index::link_counts`], `counts.rs`).
//! * **Curves** ([`Index::curve`]) tell how many tasks are ready and run in a process, and how many
//!   threads wait or have no work. A **counter** ([`Index::counter`]) has values as they do
//!   (`series.rs`).
//! * Time and visits by **call path** of any window ([`Index::calls`]) are sums like those by
//!   region (`calls/mod.rs`). A quick pass over the masters finds where workers begin ([`Forks`]).
//! * A **histogram** ([`Index::histogram`]) has the durations of a region's visits in any window
//!   (`durations.rs`). A **search** ([`Index::find`]) leads to the next one that is long enough.
//! * A **walk** ([`Walk`]) tells a [`Visitor`] which regions and tasks of a location are open when,
//!   without an index (`walking.rs`).
//! * **Gaps** ([`Index::gaps`]) are times without records, and why (`gaps.rs`).
//! * A **moment** ([`Index::at`]) has the open regions with their begins and ends.
//! * A file is checked when it is opened. A damaged or foreign one is an error, which means: build
//!   it anew.
//!
//! A region in a picture is its number in [`pompeii_replay::archive::definitions`], and so is a
//! location.
//!
//! ```
//! use pompeii_index::{Context, Forks, IndexWriter, Index, LocationBuilder, Row, file};
//! use pompeii_otf2::read::Archive;
//! use pompeii_otf2::reference::LocationRef;
//!
//! # let anchor = std::path::Path::new("../otf2/tests/samples/hybrid/traces.otf2");
//! # let folder = tempfile::tempdir()?;
//! # let index_file = folder.path().join("view.index");
//! let archive = Archive::open(anchor)?;
//! let definitions = pompeii_replay::archive::definitions(&archive);
//! let locations = &definitions.location_ids;
//! let ids: Vec<u64> = locations.iter().copied().collect();
//! let survey = file::survey(&archive, &ids)?;
//!
//! // Locations may be indexed by several threads; here it is one after the other.
//! let mut forks = Forks::default();
//! for process in definitions.system.processes.ids() {
//!     let open = |location: usize| archive.events(LocationRef(ids[location]));
//!     forks.join(Forks::find(&Context::new(&definitions, survey.shape), process, open, || true)?);
//! }
//! let context = Context::new(&definitions, survey.shape).with_forks(forks);
//! file::write(&index_file, |out| {
//!     let mut writer = IndexWriter::new(out, survey.fingerprint, &context)?;
//!     for (number, id) in ids.iter().enumerate() {
//!         let mut events = archive.events(LocationRef(*id)).map_err(std::io::Error::other)?;
//!         let mut builder = LocationBuilder::new(&context).for_location(number);
//!         builder.read(&mut events);
//!         writer.add(number, builder.finish())?;
//!     }
//!     writer.finish()
//! })?;
//!
//! let index = file::open(&index_file, survey.fingerprint)?;
//! let whole = definitions.begin..definitions.end;
//! let rows = [(0, Row::Flat), (0, Row::Stack(0))];
//! let picture = index.picture(&rows, whole.clone(), 1000);
//! let boxes = picture.x0.iter().zip(&picture.x1).zip(&picture.what);
//! for ((x0, x1), what) in boxes.take(picture.counts[0] as usize) {
//!     println!("{x0} to {x1}: region {}, shares {:?}", what.region(), what.state_shares());
//! }
//!
//! // A window of ten microseconds, from the events themselves, and its sums.
//! let window = whole.start..whole.start + 10_000;
//! let open = |location: usize| -> Result<_, pompeii_index::WindowError> {
//!     Ok(archive.events(LocationRef(ids[location]))?)
//! };
//! let open_part = |location: usize, _| open(location);
//! let picture = index.exact_picture(&context, &rows, window.clone(), 1000, open_part)?;
//! assert!(picture.bin_log2 <= 3);
//! for (region, sums) in index.sums(&definitions, 0, &window, &mut open(0)?)? {
//!     println!("region {region}: {} visits, {} ticks", sums.visits, sums.ticks);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod at;
mod build;
mod calls;
mod cell;
mod context;
mod counts;
mod decoded;
mod durations;
mod ends;
mod exact;
mod exact_series;
pub mod file;
mod find;
mod fold;
mod format;
mod gaps;
mod links;
mod list;
mod marks;
mod meeting;
mod messages;
mod pack;
mod parts;
mod picture;
mod pyramid;
mod row;
mod saved;
mod series;
mod shape;
mod state;
mod tally;
mod tasks;
mod walk;
mod walking;
mod writer;

pub use at::{Moment, Open};
pub use build::{LocationBuilder, LocationIndex, STACK_LEVELS_MAX, Work};
pub use calls::{CallEntry, CallPaths, CallStep, Forks, IndexForks, LocationCalls, TeamForks};
pub use cell::{CUT_BEGIN, CUT_END};
pub use context::Context;
pub use counts::{Count, Counts, Pair};
pub use durations::{Bucket, Histogram};
pub use exact::{Span, Sums, WindowError};
pub use find::{Direction, Find, FoundVisit, Search, Sought};
pub use fold::FoldedPicture;
pub use format::{Fingerprint, Flaw, Index, VERSION};
pub use gaps::{Gap, GapKind};
pub use links::{Link, LinkKind, Links};
pub use marks::MARK_EVENTS;
pub use picture::{PARTS_LOG2, Picture, Row, What, bin_log2_for};
pub use series::{Bins, Curve, Series};
pub use shape::Shape;
pub use state::{OTHER, State};
pub use tasks::{Fragment, TaskLink, Tasks};
pub use walk::{TaskId, Visitor};
pub use walking::Walk;
pub use writer::IndexWriter;
