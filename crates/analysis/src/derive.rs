//! From measured metrics to the whole tree of properties: one cube in, one cube out.

use pompeii_model::{CallId, Cube, Display, Metric, MetricId, Row};

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
    cube.parts.clone_from(&measured.parts);
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
            display: Display::default(),
        });
    }
    // Children come after their parents in the catalogue: filled backwards, sums are complete.
    for property in properties::metrics().rev() {
        if let Some(metric) = cube.metric(property.name) {
            fill(&mut cube, metric, property, &profile);
        }
    }
    copy_others(measured, &mut cube);
    cube
}

/// What was counted next to time, and properties of the user's own, are not those of the catalogue:
/// they stay as they are.
fn copy_others(measured: &Cube, cube: &mut Cube) {
    for (from, metric) in measured.metrics().enumerated() {
        if properties::find(&metric.name).is_some() || metric.name == "omp_task_starvation" {
            continue;
        }
        let parent = whole(cube, (measured, from));
        let to = cube.add_metric(Metric { parent, ..metric.clone() });
        for call in measured.calls.ids() {
            cube.set_row(to, call, measured.shared_row(from, call));
        }
    }
}

/// The metric that one of the user's own is a part of. All parts of a metric together must not be
/// larger than it, or the values of the tree would not add up. Without such a metric, the user's
/// own one stands alone: for example, a wait of a trace may be a little longer than that of the
/// profile.
fn whole(cube: &Cube, (measured, own): (&Cube, MetricId)) -> Option<MetricId> {
    let name = &measured.metrics()[own].name;
    let (_, whole) = measured.parts.iter().find(|(part, _)| part == name)?;
    let whole = cube.metric(whole)?;
    let parts: Vec<MetricId> = cube.metric_children(whole).collect();
    let fits = |call: CallId| {
        let rows = parts.iter().map(|&part| cube.shared_row(part, call));
        let sum = rows.fold(measured.shared_row(own, call), |sum, row| sum.plus(&row));
        let mut places = measured.system.locations.ids();
        places.all(|at| sum.get(at) <= cube.get(whole, call, at))
    };
    measured.calls.ids().all(fits).then_some(whole)
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
    const RUN: &str = "wall=100 locations=2
         a                                       0  time=40
         a/parallel@a.c:2                        *  time=60
         a/parallel@a.c:2/barrier@a.c:3          1  time=20 omp_ebarrier_wait=15
         a/parallel@a.c:2/barrier@a.c:3          1  early=9 late=6 more=1";

    /// The tree above a metric of the user's own: its names, the outermost one first.
    fn tree(parts: &[(&str, &str)], name: &str) -> String {
        let mut measured = crate::notation::cube(RUN).unwrap();
        let own = |(part, whole): &(&str, &str)| ((*part).to_owned(), (*whole).to_owned());
        measured.parts = parts.iter().map(own).collect();
        let cube = crate::derive(&measured);
        let above = |&metric: &pompeii_model::MetricId| cube.metrics()[metric].parent;
        let names = std::iter::successors(cube.metric(name), above);
        let mut names: Vec<&str> = names.map(|id| cube.metrics()[id].name.as_str()).collect();
        names.reverse();
        names.join("/")
    }

    #[test]
    fn metrics_of_the_users_own_have_a_place_in_the_tree_while_they_fit() {
        let wait = "omp_ebarrier_wait";
        let parts = [("early", wait), ("late", wait), ("more", wait)];
        for name in ["early", "late"] {
            let tree = tree(&parts, name);
            assert!(tree.ends_with(&format!("/{wait}/{name}")), "{tree}");
        }
        // All three together would be 16 of 15 ticks.
        assert_eq!(tree(&parts, "more"), "more");
        assert_eq!(tree(&[("late", "early")], "late"), "early/late");
        assert_eq!(tree(&[("early", "no_metric")], "early"), "early");
        assert_eq!(tree(&[("early", "omp_lock_contention_critical")], "early"), "early");
    }

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
