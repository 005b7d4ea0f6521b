//! Which properties of a trace are wanted: names of properties, each with everything below it in
//! the tree, and `counters`.

use std::iter::successors;

use pompeii_model::{Cube, MetricId};
use thiserror::Error;

use crate::impact;
use crate::properties::{self, Compute, Property};

/// Stands for the counters of a trace.
const COUNTERS: &str = "counters";
/// What every report needs.
const ALWAYS: [&str; 4] = ["time", "visits", "task_time", "task_switches"];
/// Properties of these names need the order of waits, which costs time.
const CAUSES: [&str; 8] = [
    "critical_path",
    "performance_impact",
    "delay_",
    "mpi_wait_direct",
    "mpi_wait_indirect",
    "mpi_wait_propagating",
    "mpi_wait_terminal",
    "omp_wait_",
];

/// Properties with a formula over other metrics of a trace.
const IMPACT: [&str; 5] = [
    "critical_path_imbalance",
    "critical_path_activities",
    "intra_partition_imbalance",
    "inter_partition_imbalance",
    "non_critical_path_activities",
];

/// Some properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Names; `None` stands for all.
    names: Option<Vec<String>>,
}

/// A name that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no property; expected {COUNTERS}, or one of {known}", known = known())]
pub struct UnknownProperty(pub String);

fn known() -> String {
    let names: Vec<&str> = properties::metrics().map(|property| property.name).collect();
    names.join(", ")
}

impl Selection {
    /// All properties.
    pub fn all() -> Selection {
        Selection { names: None }
    }

    /// The properties of a list of names, separated by commas.
    ///
    /// # Errors
    /// The first name that is none.
    pub fn parse(list: &str) -> Result<Selection, UnknownProperty> {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let name = |name: &str| match properties::find(name).filter(|it| it.is_metric()) {
            Some(property) => Ok(property.name.to_owned()),
            None if name == COUNTERS => Ok(name.to_owned()),
            None => Err(UnknownProperty(name.to_owned())),
        };
        let names: Result<Vec<String>, UnknownProperty> = names.map(name).collect();
        Ok(Selection { names: Some(names?) })
    }

    /// Whether a metric is wanted: a property, or a counter.
    pub fn has(&self, metric: &str) -> bool {
        let Some(names) = &self.names else { return true };
        let is_named = |name: &str| names.iter().any(|known| known == name);
        if ALWAYS.contains(&metric) {
            return true;
        }
        // Starvation is one value for both kinds of barriers.
        if metric == "omp_task_starvation" {
            return self.has("omp_ibarrier_starvation") || self.has("omp_ebarrier_starvation");
        }
        let Some(property) = properties::find(metric) else { return is_named(COUNTERS) };
        let mut next: Option<&Property> = Some(property);
        while let Some(property) = next {
            if is_named(property.name) {
                return true;
            }
            next = property.parent.and_then(properties::find);
        }
        false
    }

    /// Whether one of the properties needs the critical path or the causes of waiting.
    pub fn has_causes(&self) -> bool {
        properties::metrics().any(|property| needs_causes(property) && self.has(property.name))
    }

    /// The cube with the metrics that are wanted.
    pub fn of(&self, cube: Cube) -> Cube {
        if self.names.is_none() {
            return cube;
        }
        let dimensions = (cube.regions.clone(), cube.calls.clone(), cube.system.clone());
        let mut kept = Cube::new(cube.clock, cube.wall_ticks, &cube.program, dimensions);
        let has_impact = IMPACT.iter().any(|name| self.has(name));
        let wanted = |(_, metric): &(MetricId, &pompeii_model::Metric)| {
            self.has(&metric.name) || has_impact && impact::needs(&metric.name)
        };
        for (id, metric) in cube.metrics().enumerated().filter(wanted) {
            let parent = metric.parent.and_then(|id| kept.metric(&cube.metrics()[id].name));
            let to = kept.add_metric(pompeii_model::Metric { parent, ..metric.clone() });
            for call in cube.calls.ids() {
                kept.set_row(to, call, cube.shared_row(id, call));
            }
        }
        let statistics = cube.statistics.iter().filter(|of| self.has(&of.metric));
        kept.statistics = statistics.cloned().collect();
        kept.waits.clone_from(&cube.waits);
        kept.roots.clone_from(&cube.roots);
        kept
    }
}

/// Names of all properties that are 0 if the critical path and the causes of waiting are not found.
pub fn of_causes() -> Vec<&'static str> {
    let is_of_causes =
        |property: &&Property| needs_causes(property) || IMPACT.contains(&property.name);
    properties::metrics().filter(is_of_causes).map(|property| property.name).collect()
}

/// Properties with a formula over waiting or over what is counted.
const OF_OTHERS: [&str; 4] =
    ["omp_ibarrier_wait", "omp_ibarrier_starvation", "omp_ebarrier_starvation", "tasks_created"];

/// Names of the properties that time and visits by call path do not tell: waiting, its causes,
/// and what is counted besides.
pub fn beyond_times() -> Vec<&'static str> {
    let is_beyond = |property: &&Property| match property.compute {
        Compute::Measured => property.name != "visits",
        Compute::Found(_) => true,
        _ => OF_OTHERS.contains(&property.name) || IMPACT.contains(&property.name),
    };
    let is_unknown = |property: &&Property| is_beyond(property) || needs_causes(property);
    properties::metrics().filter(is_unknown).map(|property| property.name).collect()
}

fn needs_causes(property: &Property) -> bool {
    let parents = successors(Some(property), |it| it.parent.and_then(properties::find));
    let mut names = parents.map(|property| property.name);
    names.any(|name| CAUSES.iter().any(|begin| name.starts_with(begin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(list: &str) -> Vec<String> {
        let cube = crate::notation::cube(
            "wall=100 locations=1
             a                    0  time=10  visits=1  omp_fork=1  cycles=7
             a/barrier@a.c:7      0  time=10  omp_ebarrier_wait=4  omp_task_starvation=1
             a/MPI_Recv           0  time=10  mpi_latesender=2  mpi_latesender_wo=1",
        );
        let cube = Selection::parse(list).unwrap().of(cube.unwrap());
        let metrics = cube.metrics().enumerated().filter(|(id, _)| cube.total(*id) != 0);
        metrics.map(|(_, metric)| metric.name.clone()).collect()
    }

    #[test]
    fn a_name_stands_for_all_below_it() {
        assert_eq!(kept("mpi"), ["time", "visits", "mpi_latesender", "mpi_latesender_wo"]);
        assert_eq!(kept("mpi_latesender_wo"), ["time", "visits", "mpi_latesender_wo"]);
        let barrier = ["time", "visits", "omp_ebarrier_wait", "omp_task_starvation"];
        assert_eq!(kept("omp_ebarrier"), barrier);
        assert_eq!(kept(" counters, omp_fork"), ["time", "visits", "omp_fork", "cycles"]);
    }

    #[test]
    fn formulas_over_the_critical_path_keep_their_metrics() {
        let measured = crate::notation::cube(
            "wall=100 locations=1
             a     0  time=90  critical_path=100  omp_management=10  omp_wait_direct=20  delay_omp=3",
        );
        let cube = Selection::parse("inter_partition_imbalance,performance_impact").unwrap();
        let cube = crate::derive(&cube.of(measured.unwrap()));
        let total = |name: &str| cube.total(cube.metric(name).unwrap());
        let activities = total("critical_path_activities");
        assert_eq!((activities, total("performance_impact"), total("delay_omp")), (60, 100, 0));
    }

    #[test]
    fn the_causes_are_searched_for_if_a_property_needs_them() {
        for (list, expected) in [("mpi", false), ("critical_path", true), ("delay_omp,mpi", true)] {
            assert_eq!(Selection::parse(list).unwrap().has_causes(), expected, "{list}");
        }
        for list in ["mpi_wait_terminal_ls", "omp_wait_direct", "inter_partition_imbalance"] {
            assert!(Selection::parse(list).unwrap().has_causes(), "{list}");
        }
        assert!(Selection::all().has_causes());
    }

    #[test]
    fn properties_of_causes_are_known() {
        let names = of_causes();
        for name in ["critical_path", "delay_omp", "inter_partition_imbalance"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(!names.contains(&"mpi_latesender") && !names.contains(&"time"));
    }

    #[test]
    fn times_tell_no_waiting() {
        let names = beyond_times();
        for name in ["omp_ibarrier_wait", "omp_ebarrier_wait", "mpi_latesender", "bytes_sent"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(of_causes().iter().all(|name| names.contains(name)));
        for name in ["time", "visits", "comp", "mpi", "omp_ibarrier", "omp_idle_threads"] {
            assert!(!names.contains(&name), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = Selection::parse("mpi,waiting").unwrap_err().to_string();
        assert!(error.starts_with("`waiting` is no property"), "{error}");
        assert!(error.contains("omp_ibarrier_wait, "), "{error}");
        // A diagnosis is no property of a trace.
        assert!(Selection::parse("short_chunks").is_err());
    }
}
