//! The tables of a severity cube.

use std::sync::Arc;

use expect_test::{Expect, expect};
use pompeii_analysis::notation;
use pompeii_model::Cube;
use pompeii_tables::{Severities, dimensions};

use crate::show::show;

const RUN: &str = "wall=100 locations=2
    ocean                          0  time=40
    ocean/parallel@ocean.c:5       *  time=60 visits=1";

fn cube() -> Cube {
    notation::cube(RUN).unwrap()
}

#[test]
fn metrics_have_units() {
    let metrics = dimensions::metrics(&cube()).unwrap();
    let expected = expect![[r#"
        metric  name  unit  scale  parent
        0  time  sec  0.001  -
        1  visits  occ  1  -
    "#]];
    expected.assert_eq(&show(&metrics, &["metric", "name", "unit", "scale", "parent"]));
}

#[test]
fn numbers_stand_for_call_paths_regions_and_locations() {
    let cube = cube();
    let check = |shown: String, expected: Expect| expected.assert_eq(&shown);
    check(
        show(&dimensions::call_paths(&cube.calls).unwrap(), &[]),
        expect![[r#"
            call  region  parent  depth
            0  0  -  0
            1  1  0  1
        "#]],
    );
    check(
        show(&dimensions::regions(&cube.regions).unwrap(), &["region", "role", "file", "label"]),
        expect![[r#"
            region  role  file  label
            0  artificial    ocean
            1  parallel  ocean.c  parallel ocean.c:5
        "#]],
    );
    check(
        show(&dimensions::locations(&cube.system).unwrap(), &[]),
        expect![[r#"
            location  name  process  rank  node
            0  thread 0  0  0  node
            1  thread 1  0  0  node
        "#]],
    );
}

#[test]
fn severities_are_the_values_that_are_not_zero() {
    let batches: Vec<_> =
        Severities::new(Arc::new(cube())).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    let expected = expect![[r#"
        metric  call  location  value
        0  0  0  40
        0  1  0  60
        0  1  1  60
        1  1  0  1
        1  1  1  1
    "#]];
    expected.assert_eq(&show(&batches[0], &[]));
}

#[test]
fn a_cube_without_values_has_no_batch() {
    let empty = notation::cube("wall=100 locations=1\nocean  0  time=0").unwrap();
    assert!(Severities::new(Arc::new(empty)).unwrap().next().is_none());
}
