//! The definitions of a report as anchor.xml. The order of elements is that of Cube's own writer,
//! because Cube's parser demands it.

use crate::attributes::Attributes;
use crate::ids::{GroupId, Id, LocationId, NodeId, Step};
use crate::metric::Metric;
use crate::report::{CallPath, Region, Report};
use crate::system::{Place, System, Topology};
use crate::xml::XmlWriter;

/// The text of anchor.xml. Linear in the size of the report; needs no deep stack for deep trees.
pub(crate) fn anchor_xml(report: &Report) -> String {
    let mut xml = XmlWriter::new();
    xml.open("cube", &[("version", Some("4.4"))]);
    head(&mut xml, report);
    metrics(&mut xml, report);
    program(&mut xml, report);
    system(&mut xml, report);
    xml.close();
    xml.finish()
}

/// What stands in front of the metrics: attributes of the report, and where its documentation is.
pub(crate) fn head(xml: &mut XmlWriter, report: &Report) {
    attributes(xml, &report.attributes);
    xml.open("doc", &[]);
    xml.open("mirrors", &[]);
    for mirror in &report.mirrors {
        xml.leaf("murl", &[], mirror);
    }
    xml.close();
    xml.close();
}

fn attributes(xml: &mut XmlWriter, attributes: &Attributes) {
    for (key, value) in attributes {
        xml.empty("attr", &[("key", Some(key)), ("value", Some(value))]);
    }
}

fn metrics(xml: &mut XmlWriter, report: &Report) {
    xml.open("metrics", &[("title", report.titles.metrics.as_deref())]);
    for step in report.metrics.walk() {
        match step {
            Step::Enter(id) => metric(xml, &id.index().to_string(), &report.metrics[id]),
            Step::Leave(_) => xml.close(),
        }
    }
    xml.close();
}

fn metric(xml: &mut XmlWriter, id: &str, metric: &Metric) {
    xml.open(
        "metric",
        &[
            ("id", Some(id)),
            ("type", Some(metric.kind.name())),
            ("viztype", metric.ghost.then_some("GHOST")),
            ("convertible", (!metric.convertible).then_some("false")),
            ("cacheable", (!metric.cacheable).then_some("false")),
        ],
    );
    xml.leaf("disp_name", &[], &metric.display_name);
    xml.leaf("uniq_name", &[], &metric.unique_name);
    xml.leaf("dtype", &[], &metric.data_type.to_string());
    xml.leaf("uom", &[], &metric.unit);
    if let Some(value) = &metric.value {
        xml.leaf("val", &[], value);
    }
    xml.leaf("url", &[], &metric.url);
    xml.leaf("descr", &[], &metric.description);
    if let Some(cube_pl) = &metric.cube_pl {
        if cube_pl.row_wise {
            xml.leaf("cubepl", &[], &cube_pl.expression);
        } else {
            xml.leaf_unquoted("cubepl", "rowwise=false", &cube_pl.expression);
        }
        if let Some(init) = &cube_pl.init {
            xml.leaf("cubeplinit", &[], init);
        }
        let aggregations =
            [("plus", &cube_pl.plus), ("minus", &cube_pl.minus), ("aggr", &cube_pl.aggregate)];
        for (kind, text) in aggregations {
            if let Some(text) = text {
                xml.leaf_unquoted("cubeplaggr", &format!("cubeplaggrtype={kind}"), text);
            }
        }
    }
    attributes(xml, &metric.attributes);
}

fn program(xml: &mut XmlWriter, report: &Report) {
    xml.open("program", &[("title", report.titles.program.as_deref())]);
    for (id, region) in report.regions.iter() {
        self::region(xml, &id.index().to_string(), region);
    }
    for step in report.call_paths.walk() {
        match step {
            Step::Enter(id) => {
                call_path(xml, &id.index().to_string(), &report.call_paths[id]);
            }
            Step::Leave(_) => xml.close(),
        }
    }
    xml.close();
}

fn region(xml: &mut XmlWriter, id: &str, region: &Region) {
    // Cube's "unknown" is -1.
    let line = |line: Option<u32>| line.map_or("-1".to_owned(), |line| line.to_string());
    xml.open(
        "region",
        &[
            ("id", Some(id)),
            ("mod", Some(&region.file)),
            ("begin", Some(&line(region.begin_line))),
            ("end", Some(&line(region.end_line))),
        ],
    );
    xml.leaf("name", &[], &region.name);
    let mangled = if region.mangled_name.is_empty() { &region.name } else { &region.mangled_name };
    xml.leaf("mangled_name", &[], mangled);
    xml.leaf("paradigm", &[], &region.paradigm);
    xml.leaf("role", &[], &region.role);
    xml.leaf("url", &[], &region.url);
    xml.leaf("descr", &[], &region.description);
    attributes(xml, &region.attributes);
    xml.close();
}

fn call_path(xml: &mut XmlWriter, id: &str, call_path: &CallPath) {
    let line = call_path.line.map(|line| line.to_string());
    xml.open(
        "cnode",
        &[
            ("id", Some(id)),
            ("line", line.as_deref()),
            ("mod", (!call_path.file.is_empty()).then_some(&call_path.file)),
            ("calleeId", Some(&call_path.region.index().to_string())),
        ],
    );
    for parameter in &call_path.parameters {
        let kind = if parameter.numeric { "numeric" } else { "string" };
        xml.empty(
            "parameter",
            &[
                ("partype", Some(kind)),
                ("parkey", Some(&parameter.key)),
                ("parvalue", Some(&parameter.value)),
            ],
        );
    }
    attributes(xml, &call_path.attributes);
}

/// Which groups hang at which node, which locations in which group.
struct Members {
    groups: Vec<Vec<GroupId>>,
    locations: Vec<Vec<LocationId>>,
}

impl Members {
    fn of(system: &System) -> Self {
        let mut members = Self {
            groups: vec![Vec::new(); system.nodes.len()],
            locations: vec![Vec::new(); system.groups.len()],
        };
        for &group in system.groups.roots() {
            members.groups[system.groups[group].node.index()].push(group);
        }
        for (id, location) in system.locations.iter() {
            members.locations[location.group.index()].push(id);
        }
        members
    }
}

fn system(xml: &mut XmlWriter, report: &Report) {
    let system = &report.system;
    let members = Members::of(system);
    xml.open("system", &[("title", report.titles.system.as_deref())]);
    for step in system.nodes.walk() {
        match step {
            Step::Enter(id) => {
                let node = &system.nodes[id];
                xml.open("systemtreenode", &[("Id", Some(&id.index().to_string()))]);
                xml.leaf("name", &[], &node.name);
                xml.leaf("class", &[], &node.class);
                if !node.description.is_empty() {
                    xml.leaf("descr", &[], &node.description);
                }
                attributes(xml, &node.attributes);
            }
            Step::Leave(id) => {
                groups_of_node(xml, system, &members, id);
                xml.close();
            }
        }
    }
    xml.open("topologies", &[]);
    for topology in &report.topologies {
        cart(xml, topology);
    }
    xml.close();
    xml.close();
}

fn groups_of_node(xml: &mut XmlWriter, system: &System, members: &Members, node: NodeId) {
    let mut todo: Vec<Step<GroupId>> =
        members.groups[node.index()].iter().rev().map(|&id| Step::Enter(id)).collect();
    while let Some(step) = todo.pop() {
        match step {
            Step::Enter(id) => {
                let group = &system.groups[id];
                xml.open("locationgroup", &[("Id", Some(&id.index().to_string()))]);
                named(xml, &group.name, group.rank, &group.kind, &group.attributes);
                todo.push(Step::Leave(id));
                todo.extend(system.groups.children(id).iter().rev().map(|&id| Step::Enter(id)));
            }
            Step::Leave(id) => {
                for &location in &members.locations[id.index()] {
                    let id = location.index().to_string();
                    let location = &system.locations[location];
                    xml.open("location", &[("Id", Some(&id))]);
                    let (rank, kind) = (location.rank, &location.kind);
                    named(xml, &location.name, rank, kind, &location.attributes);
                    xml.close();
                }
                xml.close();
            }
        }
    }
}

fn named(xml: &mut XmlWriter, name: &str, rank: i64, kind: &str, attributes: &Attributes) {
    xml.leaf("name", &[], name);
    xml.leaf("rank", &[], &rank.to_string());
    xml.leaf("type", &[], kind);
    self::attributes(xml, attributes);
}

fn cart(xml: &mut XmlWriter, topology: &Topology) {
    let name = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
    let count = topology.dimensions.len().to_string();
    xml.open("cart", &[("name", name(&topology.name).as_deref()), ("ndims", Some(&count))]);
    for dimension in &topology.dimensions {
        xml.empty(
            "dim",
            &[
                ("name", name(&dimension.name).as_deref()),
                ("size", Some(&dimension.size.to_string())),
                ("periodic", Some(if dimension.periodic { "true" } else { "false" })),
            ],
        );
    }
    for (place, position) in &topology.coordinates {
        let (key, id) = match place {
            Place::Location(id) => ("locId", id.index()),
            Place::Group(id) => ("lgId", id.index()),
            Place::Node(id) => ("stnId", id.index()),
        };
        let position: Vec<String> = position.iter().map(i64::to_string).collect();
        xml.leaf("coord", &[(key, Some(&id.to_string()))], &position.join(" "));
    }
    xml.close();
}
