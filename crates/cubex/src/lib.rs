//! Reads and writes the reports of Cube natively: Cube 4 (`.cubex`) and Cube 3 (`.cube`,
//! `.cube.gz`).
//!
//! A Cube report is a matrix with three dimensions: metric, call path and location. The program
//! suite that defined the format (Cube, Score-P, Scalasca) reads what this crate writes, and this
//! crate reads what that suite has written since version 3.0.
//!
//! | what | how |
//! |---|---|
//! | read any report | [`Reader`]; [`Reader::format`] says which it was |
//! | write Cube 4 | [`Writer`], plain or compressed, either byte order |
//! | write Cube 3 | [`Cube3Writer`], plain or gzipped |
//! | the same report once more | [`copy`] |
//! | numbers | [`Values::inclusive`], [`Values::exclusive`], [`Matrix`] |
//! | composite types, unknown types | [`Row::value`], [`Value`] |
//!
//! # Design constraints
//!
//! * No code of others is needed: the container, the index, the rows and the definitions are all
//!   read and written here. zlib and an XML tokenizer are the only helpers.
//! * Memory stays bounded. [`Writer`] holds one row, [`Reader`] the definitions; a report of 10,000
//!   call paths on 10,000 locations is written and read in pieces.
//! * Output is deterministic: the same report gives the same bytes, and a report of this crate that
//!   is read and [copied](copy) gives them again.
//! * Input is not trusted: nothing panics, nothing recurses, nothing is allocated by a length that
//!   the file merely claims to have; what compressed files may unpack to has [`Limits`].
//! * Values of a type of unknown layout are kept as bytes.
//! * Derived metrics are kept with their CubePL verbatim, not evaluated.
//!
//! # Example
//!
//! ```
//! use pompeii_cubex::{
//!     CallPath, Location, LocationGroup, Metric, MetricKind, Reader, Region, Report, SystemNode,
//!     WriteOptions, Writer,
//! };
//!
//! # fn main() -> pompeii_cubex::Result<()> {
//! let mut report = Report::new("example");
//! let time = report.metrics.push(None, Metric {
//!     unique_name: "time".into(),
//!     display_name: "Time".into(),
//!     unit: "sec".into(),
//!     kind: MetricKind::Inclusive,
//!     ..Metric::default()
//! });
//! let main = report.regions.push(Region { name: "main".into(), ..Region::default() });
//! let root = report.call_paths.push(None, CallPath::new(main));
//! let node = report.system.nodes.push(None, SystemNode {
//!     name: "here".into(),
//!     class: "node".into(),
//!     ..SystemNode::default()
//! });
//! let process = report.system.groups.push(None, LocationGroup::process(node, "process 0", 0));
//! for rank in 0..2 {
//!     report.system.locations.push(Location::thread(process, format!("thread {rank}"), rank));
//! }
//!
//! let memory = std::io::Cursor::new(Vec::new()); // Writer::create(path, ..) for a file
//! let mut writer = Writer::new(memory, &report, WriteOptions::default())?;
//! writer.rows(time, |call_path, row: &mut [f64]| {
//!     if call_path == root {
//!         row.copy_from_slice(&[1.5, 0.5]);
//!     }
//! })?;
//! let bytes = writer.finish()?.into_inner();
//!
//! let reader = Reader::from_bytes(bytes)?; // Reader::open(path) for a file
//! let values = reader.values(time)?.exclusive::<f64>()?;
//! assert_eq!(values.row(root), Some(&[1.5, 0.5][..]));
//! assert_eq!(values.row_sum(root), 2.0);
//! # Ok(())
//! # }
//! ```

mod anchor_read;
mod anchor_write;
mod attributes;
mod copy;
mod cube3_write;
mod data_type;
mod draft;
mod error;
mod ids;
mod limits;
mod matrix;
mod metric;
mod reader;
mod report;
mod row_order;
mod severity;
mod source;
mod system;
mod tar;
mod texts;
mod value;
mod values;
mod writer;
mod xml;

pub use attributes::Attributes;
pub use copy::copy;
pub use cube3_write::Cube3Writer;
pub use data_type::{Aggregation, DataType};
pub use error::{Error, Result};
pub use ids::{CallPathId, GroupId, Id, LocationId, MetricId, NodeId, RegionId, Step, Table, Tree};
pub use limits::Limits;
pub use matrix::Matrix;
pub use metric::{CubePl, Metric, MetricKind};
pub use reader::{Format, Reader};
pub use report::{CallPath, Parameter, Region, Report, Titles};
pub use row_order::row_order;
pub use system::{Dimension, Location, LocationGroup, Place, System, SystemNode, Topology};
pub use tar::Target;
pub use value::{ByteOrder, Number, RowValue, TauAtomic, UNDEFINED_UINT64, Value};
pub use values::{Row, Values};
pub use writer::{WriteOptions, Writer};

/// The examples of the README are compiled, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
