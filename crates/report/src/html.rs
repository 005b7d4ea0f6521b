//! The offline page: one file with data, styles and script inside, which loads nothing.

use std::io::{self, Write};

use pompeii_analysis::properties;
use pompeii_model::{Cube, Display, Id, MetricId, Unit};
use serde::{Serialize, Serializer};

use crate::RunInfo;
use crate::page_calls::{LEVELS, PageCalls};
use crate::page_facts::{PageFacts, page_facts};
use crate::web::{PAGE, SCRIPT, STYLE, escape};

/// One file that works from a disk without a network, and proves it: nothing may be loaded.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\"
      content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">
";

/// The page of an analysed run.
pub fn html(cube: &Cube, run: &RunInfo) -> String {
    let mut page = Vec::new();
    // Writing to memory fails on non-string keys only, and there are none.
    let _ = write_html((cube, cube), run, None, &mut page);
    String::from_utf8(page).unwrap_or_default()
}

/// Writes the page of an analysed run, with the JSON of a timeline if there is a trace. `trees` may
/// have more call paths than the cube of the overview, after those of it. Not all of the page is in
/// memory.
///
/// # Errors
/// What cannot be written.
pub fn write_html(
    (cube, trees): (&Cube, &Cube),
    run: &RunInfo,
    timeline: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.write_all(before.as_bytes())?;
        match name {
            "POLICY" => out.write_all(POLICY.as_bytes())?,
            "TITLE" => write!(out, "{}", escape(&format!("{} - Pompeii", cube.program)))?,
            "STYLES" => write!(out, "<style>\n{}\n</style>\n", *STYLE)?,
            "SCRIPT" => write!(out, "<script>\n{}</script>\n", *SCRIPT)?,
            "DATA" => {
                out.write_all(b"<script type=\"application/json\" id=\"data\">")?;
                write_page_trees((cube, trees), run, &mut WithoutTags(&mut *out))?;
                out.write_all(b"</script>\n")?;
                if let Some(timeline) = timeline {
                    out.write_all(b"<script type=\"application/json\" id=\"timeline\">")?;
                    WithoutTags(&mut *out).write_all(timeline.as_bytes())?;
                    out.write_all(b"</script>\n")?;
                }
            }
            _ => {}
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Writes what the trees and the overview show, as JSON.
///
/// # Errors
/// What cannot be written.
pub fn write_page_data(cube: &Cube, run: &RunInfo, out: &mut impl Write) -> io::Result<()> {
    write_page_trees((cube, cube), run, out)
}

/// The same with trees that have more call paths than the cube of the overview, after those of it.
///
/// # Errors
/// What cannot be written.
pub fn write_page_trees(
    (cube, trees): (&Cube, &Cube),
    run: &RunInfo,
    out: &mut impl Write,
) -> io::Result<()> {
    let calls = PageCalls::new(trees, LEVELS);
    let facts = page_facts(cube, run, &calls);
    Ok(serde_json::to_writer(out, &page_data(trees, facts, &calls))?)
}

/// JSON for a script element, in which only `</script` and `<!--` end the text: no `<`, no problem.
struct WithoutTags<W>(W);

impl<W: Write> Write for WithoutTags<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = bytes.split(|&byte| byte == b'<');
        self.0.write_all(parts.next().unwrap_or_default())?;
        for part in parts {
            self.0.write_all(b"\\u003c")?;
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What the page's script reads. Values are clock ticks or counts.
#[derive(Serialize)]
struct PageData<'a> {
    #[serde(flatten)]
    facts: PageFacts,
    docs: Vec<PageDoc>,
    metrics: Vec<PageMetric>,
    regions: Vec<PageRegion>,
    /// Parent (or -1) and region of each call path.
    calls: Vec<(i64, usize)>,
    machine: String,
    processes: Vec<PageProcess>,
    locations: Vec<PageLocation>,
    values: Vec<Rows<'a>>,
}

#[derive(Serialize)]
struct PageDoc {
    name: &'static str,
    sections: Vec<(&'static str, &'static str)>,
}

#[derive(Serialize)]
struct PageMetric {
    name: String,
    title: String,
    unit: &'static str,
    parent: i64,
    /// Only of metrics that are no sums, or whose percentages refer to another metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    display: Option<PageDisplay>,
}

/// How values are combined, and the metric whose total is 100 % (or -1).
#[derive(Serialize)]
struct PageDisplay {
    calls: &'static str,
    locations: &'static str,
    percent_of: i64,
    words: String,
}

#[derive(Serialize)]
struct PageRegion {
    name: String,
    label: String,
    place: String,
    construct: String,
    role: &'static str,
    paradigm: &'static str,
    file: String,
    line: u32,
    end_line: u32,
    clauses: String,
    barrier_included: bool,
    sampled: bool,
}

#[derive(Serialize)]
struct PageProcess {
    name: String,
    node: String,
}

#[derive(Serialize)]
struct PageLocation {
    name: String,
    process: usize,
}

fn page_data<'a>(cube: &'a Cube, facts: PageFacts, calls: &'a PageCalls) -> PageData<'a> {
    PageData {
        facts,
        docs: docs(),
        metrics: metrics(cube),
        regions: regions(cube),
        calls: tree(cube, calls),
        machine: cube.system.machine.clone(),
        processes: cube
            .system
            .processes
            .iter()
            .map(|p| PageProcess { name: p.name.clone(), node: p.node.clone() })
            .collect(),
        locations: cube
            .system
            .locations
            .iter()
            .map(|l| PageLocation { name: l.name.clone(), process: l.process.index() })
            .collect(),
        values: cube.metrics().ids().map(|metric| Rows { calls, cube, metric }).collect(),
    }
}

fn index<I: Id>(id: Option<I>) -> i64 {
    id.map_or(-1, |id| id.index() as i64)
}

fn docs() -> Vec<PageDoc> {
    let doc = |property: &&'static properties::Property| PageDoc {
        name: property.name,
        sections: property.sections(),
    };
    properties::ALL.iter().map(doc).collect()
}

fn metrics(cube: &Cube) -> Vec<PageMetric> {
    let metric = |metric: &pompeii_model::Metric| PageMetric {
        name: metric.name.clone(),
        title: match metric.unit {
            Unit::Decimals(decimals) if decimals > 0 => {
                format!("{}, in parts of 10^-{decimals}", metric.title)
            }
            _ => metric.title.clone(),
        },
        unit: match metric.unit {
            Unit::Ticks => "sec",
            _ => "occ",
        },
        parent: index(metric.parent),
        display: (metric.display != Display::default()).then(|| PageDisplay {
            calls: metric.display.over_calls.as_str(),
            locations: metric.display.over_locations.as_str(),
            percent_of: index(metric.display.percent_of.as_ref().and_then(|it| cube.metric(it))),
            words: metric.display.words(),
        }),
    };
    cube.metrics().iter().map(metric).collect()
}

fn regions(cube: &Cube) -> Vec<PageRegion> {
    let region = |region: &pompeii_model::Region| PageRegion {
        name: region.name.clone(),
        label: region.label(),
        place: region.place(),
        construct: region.words(),
        role: region.role.as_str(),
        paradigm: region.paradigm.as_str(),
        file: region.file.clone(),
        line: region.begin_line,
        end_line: region.end_line,
        clauses: region.written_clauses(),
        barrier_included: region.includes_barrier(),
        sampled: region.is_sampled(),
    };
    cube.regions.iter().map(region).collect()
}

/// Parents and regions of call paths.
fn tree(cube: &Cube, calls: &PageCalls) -> Vec<(i64, usize)> {
    let parent = |call| cube.calls.parent(call).map_or(-1, |parent| calls.place(parent) as i64);
    let shown = calls.shown().iter();
    shown.map(|&call| (parent(call), cube.calls.region(call).index())).collect()
}

/// A metric's rows that are not 0: call path followed by its values by location.
struct Rows<'a> {
    calls: &'a PageCalls,
    cube: &'a Cube,
    metric: MetricId,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.calls.rows(self.cube, self.metric);
        serializer.collect_seq(
            rows.map(|(call, values)| {
                std::iter::once(call as i64).chain(values).collect::<Vec<i64>>()
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_program_cannot_leave_their_element() {
        let text = "wall=1 locations=1\n </script><b>x  0  time=1";
        let cube = pompeii_analysis::derive(&pompeii_analysis::notation::cube(text).unwrap());
        let page = html(&cube, &RunInfo::default());
        assert_eq!(page.matches("</script>").count(), 2, "data and script");
        assert!(!page.contains("<b>x"));
        let mut page = Vec::new();
        let timeline = Some("{\"title\": \"</script><b>x\"}");
        write_html((&cube, &cube), &RunInfo::default(), timeline, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("</script>").count(), 3, "data, timeline and script");
        assert!(!page.contains("<b>x"));
    }
}
