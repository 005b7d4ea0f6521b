//! Definitions from anchor.xml, whoever wrote it, and whole reports of Cube 3, which are one such
//! text with the values in it: unknown elements are skipped, attributes may lack
//! quotes, numbers need not be dense. One pass over the text with a stack of open elements; nothing
//! here recurses, so depth costs memory in proportion to the text only.

use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};

use crate::data_type::DataType;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::metric::{CubePl, Metric, MetricKind};
use crate::report::{CallPath, Parameter, Region, Report};
use crate::severity::Stored;
use crate::system::{Dimension, Location, LocationGroup, SystemNode, Topology};
use crate::xml::{reference, unescape};

/// Cube 3 numbers machines and nodes apart; nodes get numbers behind all machines.
const NODE_IDS: u64 = 1 << 32;

/// What a text holds.
pub(crate) struct Parsed {
    pub(crate) report: Report,
    /// The values of a Cube 3 report.
    pub(crate) stored: Option<Stored>,
    /// The version that the text claims, as `4.4`.
    pub(crate) version: String,
}

/// Parses the text of anchor.xml or of a Cube 3 report.
pub(crate) fn parse(text: &str) -> Result<Parsed> {
    let mut xml = XmlReader::from_str(text);
    let config = xml.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    let mut parser = Parser::default();
    loop {
        let at = xml.buffer_position();
        let event = xml.read_event().map_err(|error| {
            let at = xml.error_position();
            Error::malformed(format!("anchor.xml, byte {at}"), "XML", error.to_string())
        })?;
        match event {
            Event::Start(start) => {
                let name = String::from_utf8_lossy(start.name().0).into_owned();
                let attributes = AttributeList::of(&start, &name, at);
                parser.start(&name, &attributes)?;
            }
            Event::End(_) => parser.end()?,
            Event::Text(text) => parser.text.push_str(&String::from_utf8_lossy(&text)),
            Event::CData(text) => parser.text.push_str(&String::from_utf8_lossy(&text)),
            Event::GeneralRef(name) => parser.reference(&String::from_utf8_lossy(&name)),
            Event::Eof => break,
            _ => {}
        }
    }
    if !parser.is_cube {
        return Err(Error::malformed("anchor.xml", "an element `cube`", "none"));
    }
    if let Some(frame) = parser.stack.last() {
        let place = format!("anchor.xml, byte {}", text.len());
        let expected = format!("the end of {} open elements", parser.stack.len());
        return Err(Error::malformed(place, expected, format!("the end of the text in {frame:?}")));
    }
    let (report, stored) = parser.draft.finish()?;
    Ok(Parsed { report, stored, version: parser.version })
}

/// The attributes of one element, with what an error message must say about it.
struct AttributeList<'a> {
    element: &'a str,
    at: u64,
    pairs: Vec<(String, String)>,
}

impl<'a> AttributeList<'a> {
    fn of(start: &BytesStart<'_>, element: &'a str, at: u64) -> Self {
        // Cube writes attributes without quotes in CubePL elements, which HTML rules allow.
        let mut attributes = start.html_attributes();
        attributes.with_checks(false);
        let pairs = attributes
            .filter_map(|attribute| attribute.ok())
            .map(|attribute| {
                let key = String::from_utf8_lossy(attribute.key.0).into_owned();
                (key, unescape(&String::from_utf8_lossy(&attribute.value)))
            })
            .collect();
        Self { element, at, pairs }
    }

    fn place(&self) -> String {
        format!("anchor.xml, byte {}, element `{}`", self.at, self.element)
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default().to_owned()
    }

    fn is_false(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.eq_ignore_ascii_case("false"))
    }

    /// A number that must be there. Cube spells some ids `id` and some `Id`.
    fn id(&self, key: &str) -> Result<u64> {
        let text = self.pairs.iter().find(|(k, _)| k.eq_ignore_ascii_case(key));
        let text = text.map(|(_, value)| value.trim());
        text.and_then(|text| text.parse().ok()).ok_or_else(|| {
            let found = text.map_or("none".to_owned(), |text| format!("`{text}`"));
            Error::malformed(self.place(), format!("a number as attribute `{key}`"), found)
        })
    }

    /// A line number; anything but a number from 0 up means unknown.
    fn line(&self, key: &str) -> Option<u32> {
        self.get(key)?.trim().parse().ok()
    }
}

/// An open element. Numbers are indices into the draft.
#[derive(Clone, Debug)]
enum Frame {
    /// An element whose content is of no interest, or a mere container.
    Other,
    Cube,
    Mirrors,
    Metric(usize),
    Region(usize),
    CallPath(usize),
    Node(usize),
    Group(usize),
    Location(usize),
    Cart,
    Matrix,
    /// The values of a call path, by its number in the file.
    Row(u64),
    Coordinate(&'static str, u64),
    /// A text element of the frame below it.
    Leaf(String),
    /// A CubePL aggregation of the metric below it.
    Aggregation(String),
}

#[derive(Default)]
struct Parser {
    draft: Draft,
    stack: Vec<Frame>,
    /// The text since the last tag.
    text: String,
    is_cube: bool,
    version: String,
}

impl Parser {
    fn reference(&mut self, name: &str) {
        match reference(name) {
            Some(c) => self.text.push(c),
            None => self.text.extend(["&", name, ";"]),
        }
    }

    fn start(&mut self, name: &str, attributes: &AttributeList<'_>) -> Result<()> {
        self.text.clear();
        let top = self.stack.last().cloned();
        let frame = match (name, &top) {
            ("cube", None) => {
                self.is_cube = true;
                self.version = attributes.text("version");
                Frame::Cube
            }
            ("attr", Some(owner)) => {
                self.attribute(owner, attributes);
                Frame::Other
            }
            ("mirrors", _) => Frame::Mirrors,
            ("metrics" | "program" | "system", Some(Frame::Cube)) => {
                self.title(name, attributes);
                Frame::Other
            }
            ("metric", _) => self.metric(top.as_ref(), attributes)?,
            ("region", _) => self.region(attributes)?,
            ("cnode", _) => self.call_path(top.as_ref(), attributes)?,
            ("parameter", Some(Frame::CallPath(id))) => {
                self.parameter(*id, attributes);
                Frame::Other
            }
            ("systemtreenode", _) => self.node(top.as_ref(), attributes, "", 0)?,
            // These four are Cube 3's names of the same.
            ("machine", _) => self.node(top.as_ref(), attributes, "machine", 0)?,
            ("node", _) => self.node(top.as_ref(), attributes, "node", NODE_IDS)?,
            ("locationgroup" | "process", _) => self.group(top.as_ref(), attributes)?,
            ("location" | "thread", _) => self.location(top.as_ref(), attributes)?,
            ("matrix", _) => {
                self.draft.severity.metric = attributes.id("metricId")?;
                Frame::Matrix
            }
            ("row", Some(Frame::Matrix)) => Frame::Row(attributes.id("cnodeId")?),
            ("cart", _) => self.cart(attributes),
            ("dim", Some(Frame::Cart)) => {
                self.dimension(attributes);
                Frame::Other
            }
            ("coord", Some(Frame::Cart)) => coordinate(attributes)?,
            ("cubeplaggr", Some(Frame::Metric(_))) => {
                Frame::Aggregation(attributes.text("cubeplaggrtype"))
            }
            (_, Some(Frame::Metric(id))) => {
                if name == "cubepl" {
                    let by_value =
                        attributes.is_false("rowwise") || attributes.is_false("locationwise");
                    self.cube_pl(*id).row_wise = !by_value;
                }
                Frame::Leaf(name.to_owned())
            }
            (
                _,
                Some(
                    Frame::Mirrors
                    | Frame::Region(_)
                    | Frame::Node(_)
                    | Frame::Group(_)
                    | Frame::Location(_),
                ),
            ) => Frame::Leaf(name.to_owned()),
            _ => Frame::Other,
        };
        self.stack.push(frame);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let frame = self.stack.pop();
        let text = std::mem::take(&mut self.text);
        match (frame, self.stack.last().cloned()) {
            (Some(Frame::Leaf(name)), Some(owner)) => self.leaf(&owner, &name, text),
            (Some(Frame::Aggregation(kind)), Some(Frame::Metric(id))) => {
                let cube_pl = self.cube_pl(id);
                match kind.to_ascii_lowercase().as_str() {
                    "plus" => cube_pl.plus = Some(text),
                    "minus" => cube_pl.minus = Some(text),
                    _ => cube_pl.aggregate = Some(text),
                }
            }
            (Some(Frame::Coordinate(kind, id)), _) => {
                let numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
                self.draft.coordinate(kind, id, numbers.collect());
            }
            (Some(Frame::Row(call_path)), _) => self.draft.severity.row(call_path, &text)?,
            _ => {}
        }
        Ok(())
    }

    fn title(&mut self, dimension: &str, attributes: &AttributeList<'_>) {
        let titles = &mut self.draft.titles;
        let title = match dimension {
            "metrics" => &mut titles.metrics,
            "program" => &mut titles.program,
            _ => &mut titles.system,
        };
        *title = attributes.get("title").map(str::to_owned);
    }

    fn attribute(&mut self, owner: &Frame, attributes: &AttributeList<'_>) {
        let draft = &mut self.draft;
        let list = match owner {
            Frame::Cube => &mut draft.attributes,
            Frame::Metric(id) => &mut draft.metrics.item(*id).attributes,
            Frame::Region(id) => &mut draft.regions.item(*id).attributes,
            Frame::CallPath(id) => &mut draft.call_paths.item(*id).attributes,
            Frame::Node(id) => &mut draft.nodes.item(*id).attributes,
            Frame::Group(id) => &mut draft.groups.item(*id).attributes,
            Frame::Location(id) => &mut draft.locations.item(*id).attributes,
            _ => return,
        };
        list.push((attributes.text("key"), attributes.text("value")));
    }

    fn metric(&mut self, top: Option<&Frame>, attributes: &AttributeList<'_>) -> Result<Frame> {
        let parent = if let Some(Frame::Metric(id)) = top { Some(*id) } else { None };
        let metric = Metric {
            kind: attributes.get("type").map_or(MetricKind::Exclusive, MetricKind::parse),
            ghost: attributes.get("viztype").is_some_and(|v| v.eq_ignore_ascii_case("ghost")),
            cacheable: !attributes.is_false("cacheable"),
            convertible: !attributes.is_false("convertible"),
            ..Metric::default()
        };
        Ok(Frame::Metric(self.draft.metrics.push(attributes.id("id")?, parent, metric)))
    }

    fn cube_pl(&mut self, metric: usize) -> &mut CubePl {
        self.draft.metrics.item(metric).cube_pl.get_or_insert_with(CubePl::default)
    }

    fn region(&mut self, attributes: &AttributeList<'_>) -> Result<Frame> {
        let region = Region {
            file: attributes.text("mod"),
            begin_line: attributes.line("begin"),
            end_line: attributes.line("end"),
            ..Region::default()
        };
        Ok(Frame::Region(self.draft.regions.push(attributes.id("id")?, None, region)))
    }

    fn call_path(&mut self, top: Option<&Frame>, attributes: &AttributeList<'_>) -> Result<Frame> {
        let parent = if let Some(Frame::CallPath(id)) = top { Some(*id) } else { None };
        self.draft.callees.push(attributes.id("calleeId")?);
        let call_path = CallPath {
            line: attributes.line("line"),
            file: attributes.text("mod"),
            // The region is filled in when all regions are known.
            ..CallPath::new(crate::ids::RegionId(0))
        };
        Ok(Frame::CallPath(self.draft.call_paths.push(attributes.id("id")?, parent, call_path)))
    }

    fn parameter(&mut self, call_path: usize, attributes: &AttributeList<'_>) {
        self.draft.call_paths.item(call_path).parameters.push(Parameter {
            key: attributes.text("parkey"),
            value: attributes.text("parvalue"),
            numeric: attributes.get("partype") == Some("numeric"),
        });
    }

    /// A part of the machine; Cube 4 says of which class in an element of its own.
    fn node(
        &mut self,
        top: Option<&Frame>,
        attributes: &AttributeList<'_>,
        class: &str,
        ids_from: u64,
    ) -> Result<Frame> {
        let parent = if let Some(Frame::Node(id)) = top { Some(*id) } else { None };
        let id = attributes.id("Id")?.wrapping_add(ids_from);
        let node = SystemNode { class: class.to_owned(), ..SystemNode::default() };
        Ok(Frame::Node(self.draft.nodes.push(id, parent, node)))
    }

    fn group(&mut self, top: Option<&Frame>, attributes: &AttributeList<'_>) -> Result<Frame> {
        let (parent, node) = match top {
            Some(Frame::Node(node)) => (None, *node),
            Some(Frame::Group(group)) => (Some(*group), self.draft.group_nodes[*group]),
            _ => return Err(misplaced(attributes, "systemtreenode")),
        };
        self.draft.group_nodes.push(node);
        let group = LocationGroup::process(crate::ids::NodeId(0), "", 0);
        Ok(Frame::Group(self.draft.groups.push(attributes.id("Id")?, parent, group)))
    }

    fn location(&mut self, top: Option<&Frame>, attributes: &AttributeList<'_>) -> Result<Frame> {
        let Some(Frame::Group(group)) = top else {
            return Err(misplaced(attributes, "locationgroup"));
        };
        self.draft.location_groups.push(*group);
        let location = Location::thread(crate::ids::GroupId(0), "", 0);
        Ok(Frame::Location(self.draft.locations.push(attributes.id("Id")?, None, location)))
    }

    fn cart(&mut self, attributes: &AttributeList<'_>) -> Frame {
        let name = attributes.text("name");
        self.draft.topologies.push((Topology { name, ..Topology::default() }, Vec::new()));
        Frame::Cart
    }

    fn dimension(&mut self, attributes: &AttributeList<'_>) {
        let Some((topology, _)) = self.draft.topologies.last_mut() else { return };
        topology.dimensions.push(Dimension {
            name: attributes.text("name"),
            size: attributes.get("size").and_then(|size| size.trim().parse().ok()).unwrap_or(0),
            periodic: attributes.get("periodic").is_some_and(|p| p.eq_ignore_ascii_case("true")),
        });
    }

    fn leaf(&mut self, owner: &Frame, name: &str, text: String) {
        let rank = || text.trim().parse().unwrap_or(0);
        match owner {
            Frame::Mirrors if name == "murl" => self.draft.mirrors.push(text),
            Frame::Metric(id) => self.metric_leaf(*id, name, text),
            Frame::Region(id) => region_leaf(self.draft.regions.item(*id), name, text),
            Frame::Node(id) => {
                let node = self.draft.nodes.item(*id);
                match name {
                    "name" => node.name = text,
                    "class" => node.class = text,
                    "descr" => node.description = text,
                    _ => {}
                }
            }
            Frame::Group(id) => {
                let group = self.draft.groups.item(*id);
                match name {
                    "name" => group.name = text,
                    "rank" => group.rank = rank(),
                    "type" => group.kind = text,
                    _ => {}
                }
            }
            Frame::Location(id) => {
                let location = self.draft.locations.item(*id);
                match name {
                    "name" => location.name = text,
                    "rank" => location.rank = rank(),
                    "type" => location.kind = text,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn metric_leaf(&mut self, id: usize, name: &str, text: String) {
        let metric = self.draft.metrics.item(id);
        match name {
            "disp_name" => metric.display_name = text,
            "uniq_name" => metric.unique_name = text,
            "dtype" => metric.data_type = DataType::parse(&text),
            "uom" => metric.unit = text,
            "val" => metric.value = Some(text),
            "url" => metric.url = text,
            "descr" => metric.description = text,
            "cubepl" => self.cube_pl(id).expression = text,
            "cubeplinit" => self.cube_pl(id).init = Some(text),
            _ => {}
        }
    }
}

fn region_leaf(region: &mut Region, name: &str, text: String) {
    match name {
        "name" => region.name = text,
        "mangled_name" => region.mangled_name = text,
        "paradigm" => region.paradigm = text,
        "role" => region.role = text,
        "url" => region.url = text,
        "descr" => region.description = text,
        _ => {}
    }
}

fn coordinate(attributes: &AttributeList<'_>) -> Result<Frame> {
    // Cube 3 spoke of threads, processes, nodes and machines.
    let kinds = [
        ("locId", "location"),
        ("thrdId", "location"),
        ("lgId", "group"),
        ("procId", "group"),
        ("stnId", "node"),
        ("nodeId", "node"),
        ("machId", "node"),
    ];
    for (key, kind) in kinds {
        if attributes.get(key).is_some() {
            let ids_from = if key == "nodeId" { NODE_IDS } else { 0 };
            return Ok(Frame::Coordinate(kind, attributes.id(key)?.wrapping_add(ids_from)));
        }
    }
    Ok(Frame::Other)
}

fn misplaced(attributes: &AttributeList<'_>, inside: &str) -> Error {
    Error::malformed(attributes.place(), format!("to be inside `{inside}`"), "elsewhere")
}
