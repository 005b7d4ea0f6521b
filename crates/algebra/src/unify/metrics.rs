//! Metrics by their unique names.

use std::collections::HashMap;

use pompeii_cubex::{Id, MetricId, Report};

/// Adds what `report` lacks of `operand`'s metrics, below the same parents, and says where each is.
pub(super) fn unify(report: &mut Report, operand: &Report) -> Vec<MetricId> {
    let mut known: HashMap<String, MetricId> =
        report.metrics.iter().map(|(id, metric)| (metric.unique_name.clone(), id)).collect();
    let mut found = vec![MetricId(0); operand.metrics.len()];
    for id in operand.metrics.preorder() {
        let metric = &operand.metrics[id];
        let target = *known.entry(metric.unique_name.clone()).or_insert_with(|| {
            let parent = operand.metrics.parent(id).map(|parent| found[parent.index()]);
            report.metrics.push(parent, metric.clone())
        });
        found[id.index()] = target;
    }
    found
}
