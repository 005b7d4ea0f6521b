//! Call graphs of profiles. Readers that others wrote check the formats
//! (`cli/tests/all/oracle_convert.rs`).

use pompeii_export::{Error, graph};
use pompeii_model::Cube;

use crate::tau::cube;

fn text(cube: &Cube, write: fn(&Cube, &mut Vec<u8>) -> Result<(), Error>) -> String {
    let mut file = Vec::new();
    write(cube, &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

/// `main` calls itself: 3 visits, 100 ticks with callees, 30 without. A tick is 100 ns.
#[test]
fn a_recursion_is_an_edge_and_its_time_is_counted_once() {
    let text = text(&cube(), graph::write_dot);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "digraph \"ocean\" {",
        "node [shape=box];",
        "n0 [label=\"main\", visits=3, inclusive=0.00001, exclusive=0.000003];",
        "n1 [label=\"parallel ocean.c:20\", visits=8, inclusive=0.000007, exclusive=0.0000065];",
        "n2 [label=\"implicit barrier ocean.c:22\", visits=4, inclusive=0.0000005, \
         exclusive=0.0000005];",
        "n0 -> n0 [label=2, visits=2, inclusive=0.000009];",
        "n0 -> n1 [label=8, visits=8, inclusive=0.000007];",
        "n1 -> n2 [label=4, visits=4, inclusive=0.0000005];",
        "}",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn names_are_escaped() {
    let mut cube = cube();
    cube.program = "a\\b".to_owned();
    for region in cube.regions.iter_mut().filter(|region| region.name == "main") {
        region.name = "f<\"&\n>".to_owned();
    }
    let dot = text(&cube, graph::write_dot);
    assert!(dot.starts_with("digraph \"a\\\\b\" {"), "{dot}");
    assert!(dot.contains("label=\"f<\\\"& >\""), "{dot}");
    let xml = text(&cube, graph::write_graphml);
    assert!(xml.contains("<data key=\"l\">f&lt;\"&amp; &gt;</data>"), "{xml}");
}

#[test]
fn a_difference_has_no_graph() {
    let mut cube = cube();
    cube.difference = Some("a - b".to_owned());
    let error = graph::write_graphml(&cube, &mut std::io::sink()).unwrap_err();
    assert!(error.to_string().contains("there are no negative times"), "{error}");
}
