//! The data of the page as JSON: what its trees and its overview show, and for large reports the
//! begin of the overview apart from that. Whoever opens a page reads this first, so it comes before
//! all else.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pompeii_analysis::properties;
use pompeii_model::{CallId, Cube, Display, Id, MetricId, Region, RegionId, Unit};
use serde::{Serialize, Serializer};

use crate::RunInfo;
use crate::page_calls::{LEVELS, PageCalls};
use crate::page_facts::{Later, PageFacts, page_facts};

/// With fewer call paths all is there so soon that a part of it would come no sooner.
const MANY_CALLS: usize = 1000;

/// The data of a page.
pub struct Page {
    calls: PageCalls,
    facts: PageFacts,
    first: Option<String>,
}

impl Page {
    /// The page of an analysed run. `trees` may have more call paths than the cube of the overview,
    /// after those of it.
    pub fn new((cube, trees): (&Cube, &Cube), run: &RunInfo) -> Page {
        let calls = PageCalls::new(trees, LEVELS);
        let mut facts = page_facts(cube, run, &calls);
        // The overview of a difference has values of all regions.
        let is_long = calls.shown().len() > MANY_CALLS && cube.difference.is_none();
        let first = is_long.then(|| first(trees, &mut facts, &calls));
        Page { calls, facts, first }
    }

    /// What the overview shows before anything is opened there, as JSON; `None` if the whole data
    /// are short.
    pub fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    /// Writes the whole data as JSON, with the trees that the page was made for.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, trees: &Cube, out: &mut impl Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, &page_data(trees, &self.facts, &self.calls))?)
    }
}

/// Writes what the trees and the overview show, as JSON, for a page that has its overview already.
///
/// # Errors
/// What cannot be written.
pub fn write_page_data(cube: &Cube, run: &RunInfo, out: &mut impl Write) -> io::Result<()> {
    let calls = PageCalls::new(cube, LEVELS);
    let facts = page_facts(cube, run, &calls);
    Ok(serde_json::to_writer(out, &page_data(cube, &facts, &calls))?)
}

/// The begin of the overview, with the same names as in the whole data. Lists of regions and call
/// paths have only entries that it shows, by their indices.
#[derive(Serialize)]
struct PageFirst<'a> {
    #[serde(flatten)]
    facts: &'a PageFacts,
    left_out: &'a Later,
    regions: BTreeMap<usize, PageRegion>,
    calls: BTreeMap<usize, (i64, usize)>,
    processes: Vec<PageProcess>,
    locations: Vec<PageLocation>,
}

fn first(cube: &Cube, facts: &mut PageFacts, calls: &PageCalls) -> String {
    let later = facts.take_later();
    let shown: BTreeMap<usize, (i64, usize)> = facts
        .call_paths()
        .filter_map(|place| Some((place, call_path(cube, calls, *calls.shown().get(place)?))))
        .collect();
    let regions = facts.regions().chain(shown.values().map(|&(_, region)| region));
    let of_cube = |at: usize| Some((at, region(cube.regions.get(RegionId::from_index(at))?)));
    let data = PageFirst {
        facts,
        left_out: &later,
        regions: regions.filter_map(of_cube).collect(),
        calls: shown,
        processes: processes(cube),
        locations: locations(cube),
    };
    // Writing to memory fails on non-string keys only, and numbers become strings.
    let json = serde_json::to_string(&data).unwrap_or_default();
    facts.put_back(later);
    json
}

/// What the page's script reads. Values are clock ticks or counts.
#[derive(Serialize)]
struct PageData<'a> {
    #[serde(flatten)]
    facts: &'a PageFacts,
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

fn page_data<'a>(cube: &'a Cube, facts: &'a PageFacts, calls: &'a PageCalls) -> PageData<'a> {
    PageData {
        facts,
        docs: docs(),
        metrics: metrics(cube),
        regions: cube.regions.iter().map(region).collect(),
        calls: calls.shown().iter().map(|&call| call_path(cube, calls, call)).collect(),
        machine: cube.system.machine.clone(),
        processes: processes(cube),
        locations: locations(cube),
        values: cube.metrics().ids().map(|metric| Rows { calls, cube, metric }).collect(),
    }
}

fn processes(cube: &Cube) -> Vec<PageProcess> {
    let processes = cube.system.processes.iter();
    processes.map(|of| PageProcess { name: of.name.clone(), node: of.node.clone() }).collect()
}

fn locations(cube: &Cube) -> Vec<PageLocation> {
    let location = |of: &pompeii_model::Location| PageLocation {
        name: of.name.clone(),
        process: of.process.index(),
    };
    cube.system.locations.iter().map(location).collect()
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

fn region(region: &Region) -> PageRegion {
    PageRegion {
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
    }
}

/// The parent of a call path, or -1, and its region.
fn call_path(cube: &Cube, calls: &PageCalls, call: CallId) -> (i64, usize) {
    let parent = cube.calls.parent(call).map_or(-1, |parent| calls.place(parent) as i64);
    (parent, cube.calls.region(call).index())
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
    use std::fmt::Write as _;

    use pompeii_model::{LocationId, Role, Wait};
    use serde_json::Value;

    use super::*;

    /// A page with this number of parallel regions, at which a thread waits for the other one.
    fn page(regions: usize) -> (Option<Value>, Value) {
        let mut text = "wall=100000 locations=2".to_owned();
        for line in 0..regions {
            let region = format!("main@a.c:1/parallel@a.c:{}", 10 * line);
            let _ = write!(
                text,
                "\n{region}  *  time=20 visits=1\n\
                 {region}/implicit barrier@a.c:{}  0  time=60 visits=1 omp_ibarrier_wait=60",
                10 * line + 1
            );
        }
        let mut cube = pompeii_analysis::notation::cube(&text).unwrap();
        let barriers = cube
            .calls
            .ids()
            .filter(|&call| cube.regions[cube.calls.region(call)].role == Role::ImplicitBarrier);
        let wait = |call| Wait {
            call,
            location: LocationId(0),
            by: Some((call, LocationId(1))),
            visits: 1,
            wait_ticks: 60,
            starvation_ticks: 0,
        };
        cube.waits = barriers.map(wait).collect();
        let cube = pompeii_analysis::derive(&cube);
        let page = Page::new((&cube, &cube), &RunInfo::default());
        let mut whole = Vec::new();
        page.write(&cube, &mut whole).unwrap();
        let first = page.first().map(|first| serde_json::from_str(first).unwrap());
        (first, serde_json::from_slice(&whole).unwrap())
    }

    #[test]
    fn short_data_have_no_begin_of_their_own() {
        assert_eq!(page(3).0, None);
    }

    /// Each value of the begin is that of the whole, but for lists, of which it has a part.
    #[test]
    fn the_begin_of_long_data_is_a_part_of_them() {
        let (first, whole) = page(600);
        let first = first.unwrap();
        let parts = ["findings", "waits", "regions", "calls", "left_out"];
        for (name, value) in first.as_object().unwrap() {
            assert!(parts.contains(&name.as_str()) || *value == whole[name], "{name}");
        }
        for list in ["findings", "waits"] {
            let (begin, all) = (first[list].as_array().unwrap(), whole[list].as_array().unwrap());
            assert!(all.starts_with(begin), "{list}");
            let significant = |of: &&Value| list != "findings" || of["significant"] == true;
            let left_out = all[begin.len()..].iter().filter(significant).count();
            assert_eq!(first["left_out"][list], left_out, "{list}");
        }
        for finding in first["findings"].as_array().unwrap() {
            let region = finding["region"].as_u64().unwrap();
            assert_eq!(first["regions"][region.to_string()], whole["regions"][region as usize]);
        }
        assert_eq!(whole["waits"].as_array().unwrap().len(), 600);
        assert_eq!(whole["calls"].as_array().unwrap().len() as u64, whole["call_count"]);
    }
}
