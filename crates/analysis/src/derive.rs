//! From measured metrics to the whole tree of properties: one cube in, one cube out.

use pompeii_model::{Cube, Metric, MetricId, Row};

use crate::profile::Profile;
use crate::properties::{self, Compute, Property};

/// The cube of all properties of the catalogue, in its order, over the dimensions of `measured`.
/// `time` in it includes idle time, so that its total is the CPU allocation time.
///
/// Times that are too large for calculations, as in damaged files, are in longer ticks. Therefore
/// no formula and no finding has to expect them.
pub fn derive(measured: &Cube) -> Cube {
    let longer = measured.in_longer_ticks();
    let measured = longer.as_ref().unwrap_or(measured);
    let profile = Profile::new(measured);
    let dimensions = (measured.regions.clone(), measured.calls.clone(), measured.system.clone());
    let mut cube = Cube::new(measured.clock, measured.wall_ticks, &measured.program, dimensions);
    cube.difference.clone_from(&measured.difference);
    cube.waits.clone_from(&measured.waits);
    cube.roots.clone_from(&measured.roots);
    cube.statistics.clone_from(&measured.statistics);
    cube.task_times.clone_from(&measured.task_times);
    cube.visit_times.clone_from(&measured.visit_times);
    for property in properties::metrics() {
        let parent = property.parent.and_then(|name| cube.metric(name));
        cube.add_metric(Metric {
            name: property.name.to_owned(),
            title: property.title.to_owned(),
            description: property.doc.measures.to_owned(),
            unit: property.unit,
            parent,
        });
    }
    copy_counted(measured, &mut cube);
    // Children come after their parents in the catalogue: filled backwards, sums are complete.
    for property in properties::metrics().rev() {
        if let Some(metric) = cube.metric(property.name) {
            fill(&mut cube, metric, property, &profile);
        }
    }
    cube
}

/// What was counted next to time is no property: it stays as it is.
fn copy_counted(measured: &Cube, cube: &mut Cube) {
    for (from, metric) in measured.metrics().enumerated() {
        if properties::find(&metric.name).is_some() || metric.name == "omp_task_starvation" {
            continue;
        }
        let to = cube.add_metric(metric.clone());
        for call in measured.calls.ids() {
            cube.set_row(to, call, measured.shared_row(from, call));
        }
    }
}

fn fill(cube: &mut Cube, metric: MetricId, property: &Property, profile: &Profile) {
    let parts: Vec<MetricId> = cube.metric_children(metric).collect();
    let measured = profile.cube.metric(property.name);
    for call in cube.calls.ids() {
        let row = match property.compute {
            Compute::Measured | Compute::Found(_) => {
                measured.map_or_else(Row::default, |from| profile.cube.shared_row(from, call))
            }
            Compute::Parts => {
                let rows = parts.iter().map(|&part| cube.shared_row(part, call));
                rows.fold(Row::default(), |sum, row| sum.plus(&row))
            }
            Compute::Row(formula) => formula(profile, call),
            Compute::Nothing => Row::default(),
        };
        cube.set_row(metric, call, row);
    }
}

#[cfg(test)]
mod tests {
    /// Reports of large jobs fit into memory because of this.
    #[test]
    fn what_is_equal_is_in_memory_once() {
        let text = "wall=100 locations=2
             a                             0  time=100
             a/parallel@a.c:2              1  time=100";
        let measured = crate::notation::cube(text).unwrap();
        let cube = crate::derive(&measured);
        let call = cube.calls.ids().nth(1).unwrap();
        let row =
            |cube: &pompeii_model::Cube, name| cube.row(cube.metric(name).unwrap(), call).as_ptr();
        for name in ["execution", "comp"] {
            assert_eq!(row(&cube, name), row(&measured, "time"), "{name}");
        }
        assert!(cube.row(cube.metric("omp_time").unwrap(), call).is_empty());
    }
}
