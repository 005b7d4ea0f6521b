//! What was only counted: constructs that are too cheap to be timed. The report names them, so that
//! no time next to them is not taken for no cost.

use pompeii_model::{CallId, Cube, RegionId, Role};

use crate::Lens;

/// A construct with visits (or tasks) and without time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The construct's region.
    pub region: RegionId,
    /// What it is, in singular: `atomic`, `flush`, `undeferred task`, `taskwait`.
    pub thing: &'static str,
    /// How many, over all threads.
    pub count: i64,
}

/// Constructs that were counted and not timed, the most frequent first.
pub fn counted_only(cube: &Cube) -> Vec<Counted> {
    let lens = Lens::new(cube);
    let by_region = lens.calls_by_region();
    let of = |(region, calls): (RegionId, &Vec<CallId>)| counted(&lens, region, calls);
    let mut found: Vec<Counted> = by_region.enumerated().filter_map(of).collect();
    found.sort_by_key(|counted| (std::cmp::Reverse(counted.count), counted.region));
    found
}

fn counted(lens: &Lens, region: RegionId, of_region: &[CallId]) -> Option<Counted> {
    let untimed = lens.sum("execution", of_region) == 0;
    let (thing, count) = match lens.cube.regions[region].role {
        Role::Atomic if untimed => ("atomic", lens.sum("visits", of_region)),
        Role::Flush if untimed => ("flush", lens.sum("visits", of_region)),
        Role::Cancel => ("cancel", lens.sum("visits", of_region)),
        Role::Taskwait if untimed => ("taskwait", lens.sum("visits", of_region)),
        Role::TaskCreate | Role::Taskloop => {
            ("undeferred task", lens.sum("tasks_undeferred", of_region))
        }
        _ => return None,
    };
    (count > 0).then_some(Counted { region, thing, count })
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_without_time_are_named() {
        let measured = crate::notation::cube(
            "wall=9 locations=1
             a                     0  time=7 visits=1
             a/atomic@a.c:3        0  visits=500
             a/atomic@a.c:4        0  time=1 visits=20
             a/flush@a.c:5         0  visits=30
             a/create task@a.c:8   0  time=1 visits=9 tasks_created=3 tasks_undeferred=6",
        );
        let cube = crate::derive(&measured.unwrap());
        let shown: Vec<String> = super::counted_only(&cube)
            .iter()
            .map(|c| format!("{} {} {}", c.count, c.thing, cube.regions[c.region].name))
            .collect();
        expect_test::expect![[r#"
            500 atomic !$omp atomic @a.c:3
            30 flush !$omp flush @a.c:5
            6 undeferred task !$omp create task @a.c:8"#]]
        .assert_eq(&shown.join("\n"));
    }
}
