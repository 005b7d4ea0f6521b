//! Everything of a report but its values: the three dimensions (metrics, call paths, locations) and
//! what describes them. All fields are public and all structs have a default, so that a definition
//! is written down with the fields that matter and `..Default::default()`.

use std::collections::HashSet;

use crate::attributes::Attributes;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, Id, LocationId, MetricId, RegionId, Table, Tree};
use crate::metric::Metric;
use crate::system::{System, Topology};

/// The definitions of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Facts about the whole report.
    pub attributes: Attributes,
    /// What to call the three dimensions, where the report says so.
    pub titles: Titles,
    /// Prefixes that replace `@mirror@` in the urls of metrics and regions.
    pub mirrors: Vec<String>,
    /// What is measured. A parent includes its children.
    pub metrics: Tree<MetricId, Metric>,
    /// The places of the source.
    pub regions: Table<RegionId, Region>,
    /// Which region was called from where.
    pub call_paths: Tree<CallPathId, CallPath>,
    /// Machines, processes and threads.
    pub system: System,
    /// Cartesian arrangements of the system's parts.
    pub topologies: Vec<Topology>,
}

/// Names of the three dimensions; a viewer shows them over its trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Titles {
    /// Of the metrics.
    pub metrics: Option<String>,
    /// Of the call paths.
    pub program: Option<String>,
    /// Of the system.
    pub system: Option<String>,
}

/// A place of the source that was entered and left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The name to show.
    pub name: String,
    /// The linker's name; empty if it is the same.
    pub mangled_name: String,
    /// Who defined it: `user`, `compiler`, `openmp`, `mpi`, `measurement`, ...
    pub paradigm: String,
    /// What it does: `function`, `loop`, `barrier`, `artificial`, ...
    pub role: String,
    /// Source file or module; empty if unknown.
    pub file: String,
    /// First line.
    pub begin_line: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// Where its documentation is.
    pub url: String,
    /// A sentence about it.
    pub description: String,
    /// Further facts.
    pub attributes: Attributes,
}

/// A call path: its ancestors in the tree are its callers.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPath {
    /// The region that is called.
    pub region: RegionId,
    /// The line of the call site.
    pub line: Option<u32>,
    /// The file of the call site; empty if unknown.
    pub file: String,
    /// Values that tell apart two calls of the same region.
    pub parameters: Vec<Parameter>,
    /// Further facts.
    pub attributes: Attributes,
}

impl CallPath {
    /// A call of `region` from nowhere in particular.
    pub fn new(region: RegionId) -> Self {
        Self {
            region,
            line: None,
            file: String::new(),
            parameters: Vec::new(),
            attributes: Vec::new(),
        }
    }
}

/// A value that tells apart two calls of the same region.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub key: String,
    /// Its value, as written.
    pub value: String,
    /// True if the value is a number.
    pub numeric: bool,
}

impl Report {
    /// An empty report with the attributes that Cube's own tools expect.
    pub fn new(creator: &str) -> Self {
        let attributes = [
            ("Creator", creator),
            ("CubePL Version", "1.1"),
            ("Cube anchor.xml syntax version", "4.4"),
            ("CUBE_CT_AGGR", "SUM"),
        ];
        let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        Self { attributes: attributes.map(own).to_vec(), ..Self::default() }
    }

    /// The value of a report attribute.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The metric with this unique name. Linear in the number of metrics.
    pub fn metric(&self, unique_name: &str) -> Option<MetricId> {
        self.metrics.iter().find(|(_, metric)| metric.unique_name == unique_name).map(|(id, _)| id)
    }

    /// All locations, ascending: the columns of every row.
    pub fn locations(&self) -> impl ExactSizeIterator<Item = LocationId> + use<> {
        self.system.locations.ids()
    }

    /// Checks what a reader of the written file would stumble over: references to definitions that
    /// do not exist and unique names that are not unique.
    pub fn check(&self) -> Result<()> {
        let mut names = HashSet::new();
        for (id, metric) in self.metrics.iter() {
            if !names.insert(metric.unique_name.as_str()) {
                let what = format!("metric {}", id.index());
                return Err(Error::misuse(what, "a unique name of its own", &metric.unique_name));
            }
        }
        for (id, call_path) in self.call_paths.iter() {
            let what = || format!("callee of call path {}", id.index());
            known(what, call_path.region.index(), self.regions.len())?;
        }
        for (id, group) in self.system.groups.iter() {
            let what = || format!("system node of location group {}", id.index());
            known(what, group.node.index(), self.system.nodes.len())?;
        }
        for (id, location) in self.system.locations.iter() {
            let what = || format!("group of location {}", id.index());
            known(what, location.group.index(), self.system.groups.len())?;
        }
        Ok(())
    }
}

fn known(what: impl Fn() -> String, id: usize, count: usize) -> Result<()> {
    if id < count {
        return Ok(());
    }
    Err(Error::misuse(what(), format!("an id below {count}"), id.to_string()))
}
