//! What a report consists of.

use std::collections::HashSet;

use pompeii_cubex::{Id, MetricId, Result};
use serde::Serialize;

use crate::arithmetic::{is_zero, number};
use crate::rows::Rows;
use crate::select::depths;
use crate::severity::{Mode, severity, total};
use crate::table::{Table, short};

/// What a report consists of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Facts about the whole report.
    pub attributes: Vec<(String, String)>,
    /// The number of regions.
    pub regions: usize,
    /// The number of regions that no call path calls.
    pub regions_uncalled: usize,
    /// The number of call paths.
    pub call_paths: usize,
    /// The most call paths on one path from a root.
    pub depth: usize,
    /// The number of machines, nodes, ...
    pub system_nodes: usize,
    /// The number of processes and their like.
    pub location_groups: usize,
    /// The number of threads and their like.
    pub locations: usize,
    /// The names and numbers of dimensions of the topologies.
    pub topologies: Vec<(String, usize)>,
    /// The names and sizes of embedded files, in bytes.
    pub files: Vec<(String, usize)>,
    /// The metrics, parents first.
    pub metrics: Vec<MetricInfo>,
}

/// What is known of one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricInfo {
    /// Its unique name.
    pub unique_name: String,
    /// Its name for people.
    pub display_name: String,
    /// How many are above it.
    pub depth: usize,
    /// How it relates to the call tree.
    pub kind: String,
    /// What one value is.
    pub data_type: String,
    /// Its unit.
    pub unit: String,
    /// The call paths that have a value.
    pub rows: usize,
    /// The bytes of all rows, unpacked; `None` where the layout is not known.
    pub bytes: Option<u64>,
    /// The sum over all call paths and locations; `None` if values are no numbers.
    pub total: Option<f64>,
}

/// What the report consists of. Reads all values once.
///
/// # Errors
/// Damage of the file that the values come from.
pub fn info(rows: &dyn Rows) -> Result<Info> {
    let report = rows.report();
    let mut files = Vec::new();
    for name in rows.files() {
        let size = rows.file(&name)?.map_or(0, |content| content.len());
        files.push((name, size));
    }
    let metric_depths = depths(&report.metrics);
    let mut metrics = Vec::new();
    for id in report.metrics.preorder() {
        metrics.push(metric(rows, id, metric_depths[id.index()])?);
    }
    let called: HashSet<_> = report.call_paths.iter().map(|(_, path)| path.region).collect();
    let depth = depths(&report.call_paths).into_iter().max().map_or(0, |depth| depth + 1);
    let topology = |t: &pompeii_cubex::Topology| (t.name.clone(), t.dimensions.len());
    Ok(Info {
        attributes: report.attributes.clone(),
        regions: report.regions.len(),
        regions_uncalled: report.regions.len() - called.len(),
        call_paths: report.call_paths.len(),
        depth,
        system_nodes: report.system.nodes.len(),
        location_groups: report.system.groups.len(),
        locations: report.system.locations.len(),
        topologies: report.topologies.iter().map(topology).collect(),
        files,
        metrics,
    })
}

fn metric(rows: &dyn Rows, id: MetricId, depth: usize) -> Result<MetricInfo> {
    let report = rows.report();
    let metric = &report.metrics[id];
    let mut stored = 0;
    for call_path in report.call_paths.ids() {
        let row = rows.row(id, call_path)?;
        stored += usize::from(row.is_some_and(|row| !row.iter().all(is_zero)));
    }
    let mut sum = (!metric.kind.is_derived()).then_some(0.0);
    for &root in report.call_paths.roots() {
        if let Some(row) = severity(rows, id, root, Mode::Inclusive)? {
            let root_sum = number(&total(&metric.data_type, &row));
            sum = sum.zip(root_sum).map(|(sum, root_sum)| sum + root_sum);
        }
    }
    let row_bytes =
        metric.data_type.size_bytes().map(|size| size * report.system.locations.len() as u64);
    Ok(MetricInfo {
        unique_name: metric.unique_name.clone(),
        display_name: metric.display_name.clone(),
        depth,
        kind: metric.kind.name().to_owned(),
        data_type: metric.data_type.to_string(),
        unit: metric.unit.clone(),
        rows: stored,
        bytes: row_bytes.map(|bytes| bytes * stored as u64),
        total: sum,
    })
}

impl Info {
    /// The same for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.attributes {
            text += &format!("{key}: {value}\n");
        }
        text += &format!(
            "\n{} metrics, {} regions ({} not called), {} call paths (at most {} deep), {} locations \
             in {} groups on {} system nodes\n",
            self.metrics.len(),
            self.regions,
            self.regions_uncalled,
            self.call_paths,
            self.depth,
            self.locations,
            self.location_groups,
            self.system_nodes,
        );
        for (name, dimensions) in &self.topologies {
            text += &format!("topology `{name}` of {dimensions} dimensions\n");
        }
        for (name, size) in &self.files {
            text += &format!("file {name}, {size} bytes\n");
        }
        let mut table = Table::new(&["Metric", "Kind", "Type", "Unit", "Rows", "Bytes", "Total"]);
        for metric in &self.metrics {
            table.row(vec![
                format!("{}{}", "  ".repeat(metric.depth), metric.unique_name),
                metric.kind.clone(),
                metric.data_type.clone(),
                metric.unit.clone(),
                metric.rows.to_string(),
                metric.bytes.map_or("-".into(), |bytes| bytes.to_string()),
                metric.total.map_or("-".into(), short),
            ]);
        }
        text + "\n" + &table.text()
    }
}
