//! What the tools around Cube do to reports, as functions.
//!
//! The Cube algebra (Song, Wolf, Bhatia, Dongarra, Moore: *An Algebra for Cross-Experiment
//! Performance Analysis*, ICPP 2004) treats a performance experiment as a value: the difference,
//! the mean and the union of experiments are experiments again, of the same model, so that whatever
//! can show one can show the others. First the dimensions are made one ([`unify`]), then values are
//! combined.
//!
//! | what | function |
//! |---|---|
//! | operators, whose result is a report | [`diff`], [`merge`], [`mean`], [`cut`], [`part`], [`clean`] |
//! | what a report says | [`statistics`], [`top_regions`], [`dump`], [`call_tree`], [`info`] |
//! | checks | [`sanity`], [`compare`] |
//!
//! Operators compute a row when it is asked for: nothing holds a whole report, so an operator costs
//! its definitions and one row per operand, and operators nest ([`Rows`] is what they take and what
//! they are). [`write()`](write()) makes a file of the result.
//!
//! # Example
//!
//! ```
//! use pompeii_algebra::{Combination, Input, Rows, diff, write};
//! use pompeii_cubex::{
//!     CallPath, CallPathId, Location, LocationGroup, Metric, MetricId, Reader, Region, Report,
//!     SystemNode, Value, WriteOptions, Writer,
//! };
//!
//! # fn main() -> pompeii_cubex::Result<()> {
//! /// A report of one metric with this value on one thread.
//! fn report(seconds: f64) -> pompeii_cubex::Result<Reader> {
//!     let mut report = Report::new("example");
//!     let metric = Metric { unique_name: "time".into(), ..Metric::default() };
//!     let time = report.metrics.push(None, metric);
//!     let main = report.regions.push(Region { name: "main".into(), ..Region::default() });
//!     let root = report.call_paths.push(None, CallPath::new(main));
//!     let node = report.system.nodes.push(None, SystemNode::default());
//!     let process = report.system.groups.push(None, LocationGroup::process(node, "p", 0));
//!     report.system.locations.push(Location::thread(process, "t", 0));
//!     let memory = std::io::Cursor::new(Vec::new());
//!     let mut writer = Writer::new(memory, &report, WriteOptions::default())?;
//!     writer.row(time, root, &[seconds])?;
//!     Reader::from_bytes(writer.finish()?.into_inner())
//! }
//! let (before, after) = (report(3.0)?, report(2.5)?);
//! let (before, after) = (Input::new(&before), Input::new(&after));
//! let saved = diff(&before, &after, &Combination::default());
//! assert_eq!(saved.row(MetricId(0), CallPathId(0))?, Some(vec![Value::Double(0.5)]));
//!
//! let folder = std::env::temp_dir().join(format!("algebra-{}", std::process::id()));
//! std::fs::create_dir_all(&folder).unwrap();
//! write(&saved, &folder.join("saved.cubex"), WriteOptions::default())?;
//! write(&saved, &folder.join("saved.cube.gz"), WriteOptions::default())?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(())
//! # }
//! ```

mod arithmetic;
mod call_tree;
mod clean;
mod combine;
mod compare;
mod cut;
mod dump;
mod info;
mod outcome;
mod part;
mod rows;
mod sanity;
mod select;
mod severity;
mod statistics;
mod table;
mod unify;
mod write;

pub use arithmetic::{number, show, zero};
pub use call_tree::{CallTree, CallTreeOptions, Line, call_tree};
pub use clean::{CleanOptions, clean};
pub use combine::{Combination, OPERATION, diff, mean, merge};
pub use compare::{CompareOptions, Comparison, compare};
pub use cut::{CutOptions, cut};
pub use dump::{CallPathChoice, DumpFormat, DumpOptions, Locations, dump};
pub use info::{Info, MetricInfo, info};
pub use outcome::Outcome;
pub use part::{PartOptions, part};
pub use rows::{Input, Rows};
pub use sanity::{Check, Sanity, sanity};
pub use select::{Pattern, Ranges, choose_metrics};
pub use severity::{Mode, severity, total};
pub use statistics::{
    RegionTime, Statistic, StatisticsOptions, TopRegions, statistics, statistics_csv,
    statistics_text, top_regions,
};
pub use unify::{Mapping, SystemMode, Unified, unify};
pub use write::write;

/// The examples of the README are compiled, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
