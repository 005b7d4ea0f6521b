//! Profiles as folded stacks.

use pompeii_export::folded;
use pompeii_model::{CallTree, Cube, LocationId};

use crate::tau::cube;

fn lines(cube: &Cube) -> Vec<String> {
    let mut file = Vec::new();
    folded::write(cube, &mut file).unwrap();
    String::from_utf8(file).unwrap().lines().map(str::to_owned).collect()
}

/// Values of both threads, in nanoseconds: a tick has a hundred.
#[test]
fn a_line_has_the_time_of_a_call_path_without_its_callees() {
    let expected = [
        "main 1000",
        "main;main 2000",
        "main;main;parallel ocean.c:20 6500",
        "main;main;parallel ocean.c:20;implicit barrier ocean.c:22 500",
    ];
    assert_eq!(lines(&cube()), expected);
}

#[test]
fn names_have_no_semicolons_and_a_call_path_without_time_has_no_line() {
    let mut cube = cube();
    for region in cube.regions.iter_mut() {
        region.name = region.name.replace("main", "f<int[3];\n>");
    }
    let time = cube.metric("time").unwrap();
    let inner = cube.calls.children(cube.calls.roots()[0])[0];
    cube.add(time, inner, LocationId(0), -20);
    let lines = lines(&cube);
    assert_eq!(lines[0], "f<int[3], > 1000");
    assert!(lines.len() == 3 && lines[1].starts_with("f<int[3], >;f<int[3], >;parallel"));
}

/// 1,500 steps with a tick each: the last line has what is below it, too.
#[test]
fn a_deep_recursion_ends_after_a_thousand_steps() {
    let flat = cube();
    let mut calls = CallTree::default();
    let mut last = calls.add_root(flat.regions.ids().next().unwrap());
    let mut all = vec![last];
    for _ in 1..1500 {
        last = calls.child(last, flat.calls.region(flat.calls.roots()[0]));
        all.push(last);
    }
    let dimensions = (flat.regions.clone(), calls, flat.system.clone());
    let mut deep = Cube::new(flat.clock, 100, "ocean", dimensions);
    for metric in flat.metrics().iter() {
        deep.add_metric(metric.clone());
    }
    let time = deep.metric("time").unwrap();
    all.iter().for_each(|call| deep.add(time, *call, LocationId(0), 1));
    let lines = lines(&deep);
    assert_eq!(lines.len(), 1000);
    assert_eq!(lines[999].matches(';').count(), 999);
    assert!(lines[998].ends_with(" 100") && lines[999].ends_with(" 50100"), "{}", lines[999]);
}

#[test]
fn a_difference_has_no_stacks() {
    let mut cube = cube();
    cube.difference = Some("a - b".to_owned());
    let error = folded::write(&cube, &mut std::io::sink()).unwrap_err();
    assert!(error.to_string().contains("there are no negative times"), "{error}");
}
