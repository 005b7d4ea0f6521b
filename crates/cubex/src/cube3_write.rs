//! Writes Cube 3: one XML text, definitions first, then the values of each metric, for the tools
//! that know nothing newer. Like the writer of Cube 4 it holds one row at a time.
//!
//! Cube 3 is the smaller model. It has no derived and no composite metrics, which are left out, and
//! neither paradigms, roles, parameters nor attributes of definitions; the machine has exactly the
//! levels machine, node, process and thread.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::anchor_write::head;
use crate::data_type::DataType;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, GroupId, Id, LocationId, MetricId, NodeId, Step};
use crate::metric::Metric;
use crate::report::Report;
use crate::system::{Place, Topology};
use crate::value::Value;
use crate::xml::XmlWriter;

/// A Cube 3 report that is being written.
///
/// Values are exclusive over the call tree, and a metric includes its children. The rows of a
/// metric come in one go; rows that never come are zero. Without [`Cube3Writer::finish`] the text
/// is not a report.
///
/// ```
/// use pompeii_cubex::{CallPath, Cube3Writer, Metric, Reader, Region, Report};
/// use pompeii_cubex::{Location, LocationGroup, SystemNode};
///
/// # fn main() -> pompeii_cubex::Result<()> {
/// let mut report = Report::new("example");
/// let time = report.metrics.push(None, Metric { unique_name: "time".into(), ..Metric::default() });
/// let main = report.regions.push(Region { name: "main".into(), ..Region::default() });
/// let root = report.call_paths.push(None, CallPath::new(main));
/// let node = report.system.nodes.push(None, SystemNode::default());
/// let process = report.system.groups.push(None, LocationGroup::process(node, "process", 0));
/// report.system.locations.push(Location::thread(process, "thread", 0));
///
/// let mut writer = Cube3Writer::new(Vec::new(), &report)?; // or Cube3Writer::create("a.cube.gz", ..)
/// writer.row(time, root, &[1.5])?;
/// let text = writer.finish()?;
/// let again = Reader::from_bytes(text)?;
/// assert_eq!(again.values(time)?.exclusive::<f64>()?.row_sum(root), 1.5);
/// # Ok(())
/// # }
/// ```
pub struct Cube3Writer<'r, W> {
    report: &'r Report,
    xml: XmlWriter,
    out: W,
    /// The number of each metric in the file; `None` for one that cannot be in it.
    numbers: Vec<Option<usize>>,
    written: Vec<bool>,
    open: Option<MetricId>,
}

/// A file, gzipped or not.
pub enum TextFile {
    /// As it is.
    Plain(BufWriter<File>),
    /// Through gzip.
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl Write for TextFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(file) => {
                file.try_finish()?;
                file.get_mut().flush()
            }
        }
    }
}

impl<'r> Cube3Writer<'r, TextFile> {
    /// Creates or replaces the file at `path`; a name that ends in `.gz` makes it a gzipped one.
    pub fn create(path: impl AsRef<Path>, report: &'r Report) -> Result<Self> {
        let path = path.as_ref();
        let file = File::create(path).map_err(Error::io(format!("create {}", path.display())))?;
        let file = BufWriter::new(file);
        let packed = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz"));
        let out = if packed {
            TextFile::Gzip(Box::new(GzEncoder::new(file, Compression::fast())))
        } else {
            TextFile::Plain(file)
        };
        Self::new(out, report)
    }
}

impl<'r, W: Write> Cube3Writer<'r, W> {
    /// Writes the definitions to `out`. Fails if the report contradicts itself.
    pub fn new(out: W, report: &'r Report) -> Result<Self> {
        report.check()?;
        let mut next = 0..;
        let number = |(_, metric): (MetricId, &Metric)| {
            Self::can_hold(metric).then(|| next.next()).flatten()
        };
        let numbers: Vec<Option<usize>> = report.metrics.iter().map(number).collect();
        let mut xml = XmlWriter::new();
        xml.open("cube", &[("version", Some("3.0"))]);
        head(&mut xml, report);
        metrics(&mut xml, report, &numbers);
        program(&mut xml, report);
        system(&mut xml, report);
        xml.open("severity", &[]);
        let written = vec![false; numbers.len()];
        let mut writer = Self { report, xml, out, numbers, written, open: None };
        writer.pass_on()?;
        Ok(writer)
    }

    /// True if Cube 3 can hold the values of `metric`: stored numbers.
    pub fn can_hold(metric: &Metric) -> bool {
        let composite = matches!(
            metric.data_type,
            DataType::Complex
                | DataType::Rate
                | DataType::TauAtomic
                | DataType::Doubles(_)
                | DataType::Histogram(_)
                | DataType::Other(_)
        );
        !metric.kind.is_derived() && !composite
    }

    /// Writes one row: the exclusive values of one call path on all locations by ascending id.
    pub fn row<T: Clone + Into<Value>>(
        &mut self,
        metric: MetricId,
        call_path: CallPathId,
        values: &[T],
    ) -> Result<()> {
        let what =
            || format!("row of call path {} of metric {}", call_path.index(), metric.index());
        let Some(&Some(number)) = self.numbers.get(metric.index()) else {
            return Err(Error::misuse(what(), "a metric that Cube 3 can hold", "another"));
        };
        let locations = self.report.system.locations.len();
        if values.len() != locations || self.report.call_paths.get(call_path).is_none() {
            let expected = format!("{locations} values of a call path that is defined");
            return Err(Error::misuse(what(), expected, format!("{} values", values.len())));
        }
        if self.open != Some(metric) {
            if std::mem::replace(&mut self.written[metric.index()], true) {
                let expected = "all rows of a metric in one go";
                return Err(Error::misuse(what(), expected, "rows of others in between"));
            }
            // The elements `cube` and `severity` stay open.
            self.xml.close_to(2);
            self.xml.open("matrix", &[("metricId", Some(&number.to_string()))]);
            self.open = Some(metric);
        }
        let texts: Vec<String> = values.iter().map(|value| text(&value.clone().into())).collect();
        let id = call_path.index().to_string();
        self.xml.leaf("row", &[("cnodeId", Some(&id))], &texts.join("\n"));
        self.pass_on()
    }

    /// Ends the text.
    pub fn finish(mut self) -> Result<W> {
        self.xml.close_to(0);
        self.pass_on()?;
        self.out.flush().map_err(Error::io("write the report"))?;
        Ok(self.out)
    }

    fn pass_on(&mut self) -> Result<()> {
        let text = self.xml.take();
        self.out.write_all(text.as_bytes()).map_err(Error::io("write the report"))
    }
}

/// A number that any reader understands: digits where there are few of them, else an exponent.
fn text(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) if *number == 0.0 || (1e-5..1e16).contains(&number.abs()) => {
            number.to_string()
        }
        Value::Double(number) => format!("{number:e}"),
        // `can_hold` leaves out all others.
        _ => "0".to_owned(),
    }
}

/// Children of a metric that is left out become children of what is above it.
fn metrics(xml: &mut XmlWriter, report: &Report, numbers: &[Option<usize>]) {
    xml.open("metrics", &[]);
    for step in report.metrics.walk() {
        let (Step::Enter(id) | Step::Leave(id)) = step;
        let Some(number) = numbers[id.index()] else { continue };
        if matches!(step, Step::Leave(_)) {
            xml.close();
            continue;
        }
        let metric = &report.metrics[id];
        let double = matches!(
            metric.data_type,
            DataType::Double | DataType::MinDouble | DataType::MaxDouble
        );
        xml.open("metric", &[("id", Some(&number.to_string()))]);
        xml.leaf("disp_name", &[], &metric.display_name);
        xml.leaf("uniq_name", &[], &metric.unique_name);
        xml.leaf("dtype", &[], if double { "FLOAT" } else { "INTEGER" });
        xml.leaf("uom", &[], &metric.unit);
        if let Some(value) = &metric.value {
            xml.leaf("val", &[], value);
        }
        xml.leaf("url", &[], &metric.url);
        xml.leaf("descr", &[], &metric.description);
    }
    xml.close();
}

fn program(xml: &mut XmlWriter, report: &Report) {
    let line = |line: Option<u32>| line.map_or("-1".to_owned(), |line| line.to_string());
    xml.open("program", &[]);
    for (id, region) in report.regions.iter() {
        let (begin, end) = (line(region.begin_line), line(region.end_line));
        let id = id.index().to_string();
        xml.open(
            "region",
            &[
                ("id", Some(&id)),
                ("mod", Some(&region.file)),
                ("begin", Some(&begin)),
                ("end", Some(&end)),
            ],
        );
        xml.leaf("name", &[], &region.name);
        xml.leaf("url", &[], &region.url);
        xml.leaf("descr", &[], &region.description);
        xml.close();
    }
    for step in report.call_paths.walk() {
        let Step::Enter(id) = step else {
            xml.close();
            continue;
        };
        let call_path = &report.call_paths[id];
        xml.open(
            "cnode",
            &[
                ("id", Some(&id.index().to_string())),
                ("line", Some(&line(call_path.line))),
                ("mod", Some(&call_path.file)),
                ("calleeId", Some(&call_path.region.index().to_string())),
            ],
        );
    }
    xml.close();
}

/// Groups and locations by what they belong to.
struct Members {
    groups: Vec<Vec<GroupId>>,
    locations: Vec<Vec<LocationId>>,
}

/// Roots are machines; a part of the machine that holds processes is a node, a root once more as a
/// node of itself.
fn system(xml: &mut XmlWriter, report: &Report) {
    let system = &report.system;
    let mut members = Members {
        groups: vec![Vec::new(); system.nodes.len()],
        locations: vec![Vec::new(); system.groups.len()],
    };
    for (id, group) in system.groups.iter() {
        members.groups[group.node.index()].push(id);
    }
    for (id, location) in system.locations.iter() {
        members.locations[location.group.index()].push(id);
    }
    xml.open("system", &[]);
    let outside = xml.depth();
    for id in system.nodes.preorder() {
        if system.nodes.parent(id).is_none() {
            xml.close_to(outside);
            xml.open("machine", &[("Id", Some(&id.index().to_string()))]);
            xml.leaf("name", &[], &system.nodes[id].name);
            xml.leaf("descr", &[], &system.nodes[id].description);
        }
        if !members.groups[id.index()].is_empty() {
            node(xml, report, &members, id);
        }
    }
    xml.close_to(outside);
    xml.open("topologies", &[]);
    for topology in &report.topologies {
        cart(xml, report, topology);
    }
    xml.close();
    xml.close();
}

fn node(xml: &mut XmlWriter, report: &Report, members: &Members, id: NodeId) {
    let system = &report.system;
    xml.open("node", &[("Id", Some(&id.index().to_string()))]);
    xml.leaf("name", &[], &system.nodes[id].name);
    xml.leaf("descr", &[], &system.nodes[id].description);
    for &group in &members.groups[id.index()] {
        xml.open("process", &[("Id", Some(&group.index().to_string()))]);
        xml.leaf("name", &[], &system.groups[group].name);
        xml.leaf("rank", &[], &system.groups[group].rank.to_string());
        for &location in &members.locations[group.index()] {
            xml.open("thread", &[("Id", Some(&location.index().to_string()))]);
            xml.leaf("name", &[], &system.locations[location].name);
            xml.leaf("rank", &[], &system.locations[location].rank.to_string());
            xml.close();
        }
        xml.close();
    }
    xml.close();
}

fn cart(xml: &mut XmlWriter, report: &Report, topology: &Topology) {
    let name = Some(topology.name.as_str()).filter(|name| !name.is_empty());
    let count = topology.dimensions.len().to_string();
    xml.open("cart", &[("name", name), ("ndims", Some(&count))]);
    for dimension in &topology.dimensions {
        let size = dimension.size.to_string();
        let periodic = if dimension.periodic { "true" } else { "false" };
        xml.empty("dim", &[("size", Some(&size)), ("periodic", Some(periodic))]);
    }
    for (place, position) in &topology.coordinates {
        let (key, id) = match place {
            Place::Location(id) => ("thrdId", id.index()),
            Place::Group(id) => ("procId", id.index()),
            Place::Node(id) if report.system.nodes.parent(*id).is_none() => ("machId", id.index()),
            Place::Node(id) => ("nodeId", id.index()),
        };
        let position: Vec<String> = position.iter().map(i64::to_string).collect();
        xml.leaf("coord", &[(key, Some(&id.to_string()))], &position.join(" "));
    }
    xml.close();
}
