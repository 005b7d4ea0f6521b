//! Makes the dimensions of several reports one, so that their values can be combined.
//!
//! Metrics are the same if their unique names are. Call paths are the same if the paths of their
//! regions and parameters are, where a region is known by its name and file; where a name occurs
//! several times below one parent, lines decide, and where these have moved (the program was edited
//! in between), the order. Locations are the same by position, see [`SystemMode`].
//!
//! The first report's definitions win. What only later reports have is added behind it, so the ids
//! of the first report stay what they were.

mod call_paths;
mod metrics;
mod system;

pub use system::SystemMode;

use pompeii_cubex::{CallPathId, LocationId, MetricId, RegionId, Report};

/// Where the definitions of one report are in the unified one, by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// By metric; no two metrics become one.
    pub metrics: Vec<MetricId>,
    /// By region; no two regions become one.
    pub regions: Vec<RegionId>,
    /// By call path; no two call paths become one.
    pub call_paths: Vec<CallPathId>,
    /// By location; several may become one.
    pub locations: Vec<LocationId>,
}

/// One report for several, and where their definitions are in it.
#[derive(Clone, Debug)]
pub struct Unified {
    /// The definitions.
    pub report: Report,
    /// One per report, in their order.
    pub mappings: Vec<Mapping>,
    /// What had to be decided, in sentences for the user.
    pub notes: Vec<String>,
}

/// Unifies the definitions of `reports`. Nothing is lost but the topologies of a system that is
/// summed up. No report gives an empty one.
pub fn unify(reports: &[&Report], mode: SystemMode) -> Unified {
    let mut report = reports.first().map(|first| (*first).clone()).unwrap_or_default();
    let mut notes = Vec::new();
    let locations = system::unify(reports, mode, &mut report, &mut notes);
    let mut mappings = Vec::new();
    for (index, (operand, locations)) in reports.iter().zip(locations).enumerate() {
        if index == 0 {
            mappings.push(Mapping {
                metrics: operand.metrics.ids().collect(),
                regions: operand.regions.ids().collect(),
                call_paths: operand.call_paths.ids().collect(),
                locations,
            });
            continue;
        }
        for (key, value) in &operand.attributes {
            if report.attribute(key).is_none() {
                report.attributes.push((key.clone(), value.clone()));
            }
        }
        let metrics = metrics::unify(&mut report, operand);
        let regions = call_paths::regions(&mut report, operand);
        let call_paths = call_paths::unify(&mut report, operand, &regions);
        mappings.push(Mapping { metrics, regions, call_paths, locations });
    }
    Unified { report, mappings, notes }
}
