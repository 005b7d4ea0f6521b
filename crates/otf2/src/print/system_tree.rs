//! The system tree as a graph for Graphviz, as `otf2-print --system-tree` writes it; names are
//! escaped, so that Graphviz takes each.

use std::io::{self, Write};

use super::line::{shown, value_text};
use super::names::Names;
use crate::definition::Definition;
use crate::field::FieldValue;
use crate::read::Archive;
use crate::reference::*;
use crate::value::Value;

const LEGEND: &str = r#"    subgraph cluster_legend {
        n [label="System tree node", shape=ellipse];
        {
            rank=same;
            g [label="Location group", shape=hexagon];
            gc [label="Child location group", shape=hexagon];
            g->gc [label="creator", dir=back, style=dashed];
        }
        l [label="Location", shape=diamond];
        n -> g [label="parent", dir=back];
        g -> l [label="parent", dir=back];
        label="Legend";
    }
}
"#;

/// Writes the system tree of an archive as a graph in the DOT language: its nodes, location groups
/// and locations, and their properties and domains beside them.
pub fn system_tree(archive: &Archive, out: impl Write) -> io::Result<()> {
    let mut graph = Graph { archive, out, properties: [0; 3], domains: 0 };
    writeln!(graph.out, "/* This is the graph representation of the system tree. */")?;
    writeln!(graph.out, "digraph SystemTree\n{{")?;
    for definition in archive.definitions() {
        graph.definition(definition)?;
    }
    graph.out.write_all(LEGEND.as_bytes())
}

struct Graph<'a, W> {
    archive: &'a Archive,
    out: W,
    /// How many there are of nodes, of groups and of locations, and of domains: they have no ids.
    properties: [usize; 3],
    domains: usize,
}

impl<W: Write> Graph<'_, W> {
    fn definition(&mut self, definition: &Definition) -> io::Result<()> {
        match definition {
            Definition::SystemTreeNode(it) => {
                let rows =
                    [("Class", self.text(it.class_name)), ("Name", self.text(it.name)), id(it.id)];
                self.vertex("    ", &node(it.id), &rows, "ellipse")?;
                self.edge(it.parent.is_undefined(), &node(it.parent), &node(it.id), "")
            }
            Definition::LocationGroup(it) => {
                let kind = shown(it.location_group_type);
                let rows = [("Name", self.text(it.name)), ("Type", kind), id(it.id)];
                let own = group(it.id);
                self.vertex("    ", &own, &rows, "hexagon")?;
                let (parent, creator) = (it.system_tree_parent, it.creating_location_group);
                self.edge(parent.is_undefined(), &node(parent), &own, "")?;
                self.edge(creator.is_undefined(), &group(creator), &own, ", style=dashed")
            }
            Definition::Location(it) => {
                let kind = shown(it.location_type);
                let rows = [("Name", self.text(it.name)), ("Type", kind), id(it.id)];
                self.vertex("    ", &location(it.id), &rows, "diamond")?;
                let parent = it.location_group;
                self.edge(parent.is_undefined(), &group(parent), &location(it.id), "")
            }
            Definition::SystemTreeNodeProperty(it) => {
                self.property(0, 'n', &node(it.system_tree_node), it.name, &it.value)
            }
            Definition::LocationGroupProperty(it) => {
                self.property(1, 'g', &group(it.location_group), it.name, &it.value)
            }
            Definition::LocationProperty(it) => {
                self.property(2, 'l', &location(it.location), it.name, &it.value)
            }
            Definition::SystemTreeNodeDomain(it) => {
                let own = format!("nd{}", self.domains);
                self.domains += 1;
                let rows = [("Domain", shown(it.system_tree_domain))];
                self.beside(&node(it.system_tree_node), &own, &rows)
            }
            _ => Ok(()),
        }
    }

    fn property(
        &mut self,
        count: usize,
        kind: char,
        owner: &str,
        name: StringRef,
        value: &Value,
    ) -> io::Result<()> {
        let own = format!("{kind}p{}", self.properties[count]);
        self.properties[count] += 1;
        let rows = [
            ("Name", self.text(name)),
            ("Value", self.value(value)),
            ("Type", shown(value.kind())),
        ];
        self.beside(owner, &own, &rows)
    }

    /// A vertex of a property on the level of its owner.
    fn beside(&mut self, owner: &str, own: &str, rows: &[(&str, String)]) -> io::Result<()> {
        writeln!(self.out, "    subgraph {{\n        rank = same;\n        {owner};")?;
        self.vertex("        ", own, rows, "none")?;
        write!(self.out, "        {own} -> {owner};\n    }}\n")
    }

    fn vertex(
        &mut self,
        indent: &str,
        own: &str,
        rows: &[(&str, String)],
        shape: &str,
    ) -> io::Result<()> {
        let table = r#"<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0">"#;
        writeln!(self.out, "{indent}{own} [\n{indent}    label=<{table}")?;
        for (name, value) in rows {
            let value = escaped(value);
            writeln!(
                self.out,
                "{indent}           <TR><TD ALIGN=\"RIGHT\">{name}</TD>\
                 <TD ALIGN=\"LEFT\">{value}</TD></TR>"
            )?;
        }
        write!(self.out, "{indent}          </TABLE>>\n{indent}    shape={shape}\n{indent}];\n")
    }

    fn edge(&mut self, is_missing: bool, from: &str, to: &str, style: &str) -> io::Result<()> {
        match is_missing {
            true => Ok(()),
            false => writeln!(self.out, "    {from} -> {to} [dir=back{style}];"),
        }
    }

    fn text(&self, string: StringRef) -> String {
        self.archive.string(string).unwrap_or_default().to_owned()
    }

    /// The name of what a value refers to, or the value.
    fn value(&self, value: &Value) -> String {
        let name = match value.to_field() {
            FieldValue::Reference { to, id: Some(id) } => self.archive.name(to, id),
            _ => None,
        };
        name.map_or_else(|| value_text(&Names::default(), value), str::to_owned)
    }
}

fn id<T: std::fmt::Display>(id: T) -> (&'static str, String) {
    ("ID", id.to_string())
}

fn node(id: SystemTreeNodeRef) -> String {
    format!("n{id}")
}

fn group(id: LocationGroupRef) -> String {
    format!("g{id}")
}

fn location(id: LocationRef) -> String {
    format!("l{id}")
}

/// In tables, Graphviz reads text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
