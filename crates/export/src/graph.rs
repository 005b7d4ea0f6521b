//! The call graph of a profile, as GraphML and as DOT: a node for each region, and an edge from
//! each region to those that are called in it. Values are sums over all locations.
//!
//! | attribute | of | meaning |
//! |---|---|---|
//! | `label`, `role`, `paradigm`, `file`, `line` | node | definition of the region |
//! | `visits` | both | visits of the region; of it from there |
//! | `inclusive` | both | seconds with callees; a recursion is not counted twice |
//! | `exclusive` | node | seconds without callees |
//!
//! Source: "The GraphML File Format", and "The DOT Language" of Graphviz.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pompeii_model::sums::{Groups, Sums, Values, metrics};
use pompeii_model::{Cube, Id, Region, RegionId};

use crate::source::Error;

/// The graph of a profile.
struct Graph<'a> {
    cube: &'a Cube,
    /// Regions that are called, with their sums.
    nodes: Vec<(RegionId, Sums)>,
    /// Where it is called from and what, with the sums of these calls.
    edges: Vec<((RegionId, RegionId), Sums)>,
}

impl<'a> Graph<'a> {
    fn new(cube: &'a Cube) -> Result<Graph<'a>, Error> {
        let values = Values::of_run(cube, metrics(cube)?);
        let region = |call| cube.calls.region(call);
        let of: Vec<usize> = cube.calls.ids().map(|call| region(call).index()).collect();
        let mut is_called = vec![false; cube.regions.len()];
        of.iter().for_each(|region| is_called[*region] = true);
        let sums = Groups::new(&cube.calls, of, cube.regions.len()).sums(&values);
        let nodes = cube.regions.ids().zip(sums);
        let nodes = nodes.filter(|(region, _)| is_called[region.index()]).collect();

        // Roots are called from nowhere: the group with the number 0.
        let mut numbers: BTreeMap<(RegionId, RegionId), usize> = BTreeMap::new();
        let mut edge_of = |call| {
            let Some(parent) = cube.calls.parent(call) else { return 0 };
            let next = numbers.len() + 1;
            *numbers.entry((region(parent), region(call))).or_insert(next)
        };
        let of: Vec<usize> = cube.calls.ids().map(&mut edge_of).collect();
        let sums = Groups::new(&cube.calls, of, numbers.len() + 1).sums(&values);
        let edges = numbers.into_iter().map(|(edge, number)| (edge, sums[number])).collect();
        Ok(Graph { cube, nodes, edges })
    }

    fn region(&self, id: RegionId) -> &Region {
        &self.cube.regions[id]
    }

    fn seconds(&self, ticks: i64) -> f64 {
        self.cube.clock.seconds(ticks)
    }
}

/// Writes a profile as GraphML.
///
/// # Errors
/// The profile has no times or visits, or is a difference; or the file cannot be written.
pub fn write_graphml(cube: &Cube, out: &mut impl Write) -> Result<(), Error> {
    let graph = Graph::new(cube)?;
    out.write_all(GRAPHML_HEAD.as_bytes())?;
    for (id, sums) in &graph.nodes {
        graphml_node(&graph, (*id, sums), out)?;
    }
    for ((from, to), sums) in &graph.edges {
        writeln!(
            out,
            "<edge source=\"n{}\" target=\"n{}\"><data key=\"w\">{}</data><data key=\"t\">{}</data></edge>",
            from.0,
            to.0,
            sums.visits,
            graph.seconds(sums.inclusive)
        )?;
    }
    out.write_all(b"</graph>\n</graphml>\n")?;
    Ok(())
}

const GRAPHML_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="l" for="node" attr.name="label" attr.type="string"/>
<key id="r" for="node" attr.name="role" attr.type="string"/>
<key id="p" for="node" attr.name="paradigm" attr.type="string"/>
<key id="f" for="node" attr.name="file" attr.type="string"/>
<key id="n" for="node" attr.name="line" attr.type="long"/>
<key id="v" for="node" attr.name="visits" attr.type="long"/>
<key id="i" for="node" attr.name="inclusive" attr.type="double"/>
<key id="e" for="node" attr.name="exclusive" attr.type="double"/>
<key id="w" for="edge" attr.name="visits" attr.type="long"/>
<key id="t" for="edge" attr.name="inclusive" attr.type="double"/>
<graph edgedefault="directed">
"#;

fn graphml_node(
    graph: &Graph<'_>,
    (id, sums): (RegionId, &Sums),
    out: &mut impl Write,
) -> io::Result<()> {
    let region = graph.region(id);
    write!(out, "<node id=\"n{}\">", id.0)?;
    for (key, value) in [
        ("l", escaped(&region.label())),
        ("r", escaped(region.role.as_str())),
        ("p", escaped(region.paradigm.as_str())),
        ("f", escaped(&region.file)),
        ("n", region.begin_line.to_string()),
        ("v", sums.visits.to_string()),
        ("i", graph.seconds(sums.inclusive).to_string()),
        ("e", graph.seconds(sums.exclusive).to_string()),
    ] {
        write!(out, "<data key=\"{key}\">{value}</data>")?;
    }
    writeln!(out, "</node>")
}

/// A text in XML, which cannot have control characters.
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace(|letter: char| letter.is_control(), " ")
}

/// Writes a profile as DOT.
///
/// # Errors
/// The profile has no times or visits, or is a difference; or the file cannot be written.
pub fn write_dot(cube: &Cube, out: &mut impl Write) -> Result<(), Error> {
    let graph = Graph::new(cube)?;
    writeln!(out, "digraph {} {{\nnode [shape=box];", string(&cube.program))?;
    for (id, sums) in &graph.nodes {
        let label = string(&graph.region(*id).label());
        let [inclusive, exclusive] =
            [sums.inclusive, sums.exclusive].map(|ticks| graph.seconds(ticks));
        let visits = sums.visits;
        writeln!(
            out,
            "n{} [label={label}, visits={visits}, inclusive={inclusive}, exclusive={exclusive}];",
            id.0
        )?;
    }
    for ((from, to), sums) in &graph.edges {
        let (visits, inclusive) = (sums.visits, graph.seconds(sums.inclusive));
        writeln!(
            out,
            "n{} -> n{} [label={visits}, visits={visits}, inclusive={inclusive}];",
            from.0, to.0
        )?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

/// A string of DOT, in which a backslash begins an escape of labels.
fn string(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace(|letter: char| letter.is_control(), " "))
}
