//! What the guard has done: the metric classes of sums in the trace, and for the report, of which
//! regions visits were summed, and since when.

use std::collections::{BTreeMap, HashMap};

use pompeii_live::{Definition as Live, LiveProcess};
use pompeii_model::{Frequency, IndexVec, Paradigm, Region, RegionId};
use pompeii_otf2::definition::MetricMember;
use pompeii_otf2::enums;
use pompeii_otf2::reference::{MetricMemberRef, StringRef};
use pompeii_otf2::write::ArchiveWriter;
use serde::{Deserialize, Serialize};

use crate::together::OfRegion;

/// A process's regions.
type Regions = IndexVec<RegionId, Region>;

/// A region whose visits were summed in the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guarded {
    /// Its name.
    pub region: String,
    /// Where it is, `file:line`; empty where that is unknown.
    pub place: String,
    /// Threads that did so.
    pub threads: usize,
    /// Call paths of all threads.
    pub call_paths: usize,
    /// When the first of them began, in seconds from the start.
    pub since_s: f64,
    /// When the last of them went back to single records; `None` where one did not.
    pub until_s: Option<f64>,
}

/// The regions of a process that were guarded, in the order of their definition.
pub fn guarded(live: &LiveProcess, regions: &Regions, clock: Frequency) -> Vec<Guarded> {
    let mut turns_of: BTreeMap<u32, Vec<(u32, u32, u64, bool)>> = BTreeMap::new();
    let first = first_sites(regions);
    for definition in &live.definitions {
        if let Live::Guarded { region, location, node, at, begins, .. } = *definition {
            let known = regions.get(RegionId(region)).filter(|known| known.is_call_site());
            let of_routine = known.and_then(|known| first.get(known.name.as_str()).copied());
            let region = of_routine.unwrap_or(region);
            turns_of.entry(region).or_default().push((location, node, at, begins));
        }
    }
    let seconds = |ticks: u64| clock.seconds(ticks.saturating_sub(live.start.ticks) as i64);
    let of = |(region, turns): (u32, Vec<(u32, u32, u64, bool)>)| {
        let known = regions.get(RegionId(region))?;
        let mut last = BTreeMap::new();
        for &(location, node, at, begins) in &turns {
            last.insert((location, node), (at, begins));
        }
        let mut threads: Vec<u32> = last.keys().map(|(location, _)| *location).collect();
        threads.dedup();
        let open = last.values().any(|(_, begins)| *begins);
        let end = last.values().map(|(at, _)| *at).max().unwrap_or(0);
        Some(Guarded {
            region: known.name.clone(),
            place: if known.is_call_site() { None } else { known.source() }.unwrap_or_default(),
            threads: threads.len(),
            call_paths: last.len(),
            since_s: seconds(turns.iter().map(|(.., at, _)| *at).min().unwrap_or(0)),
            until_s: (!open).then(|| seconds(end)),
        })
    };
    turns_of.into_iter().filter_map(of).collect()
}

/// Calls of one routine from several places are guarded apart and reported together: the first of
/// the routine's regions stands for all.
fn first_sites(regions: &Regions) -> HashMap<&str, u32> {
    let mut first = HashMap::new();
    for (id, region) in regions.enumerated().filter(|(_, region)| region.paradigm == Paradigm::Mpi)
    {
        first.entry(region.name.as_str()).or_insert(id.0);
    }
    first
}

impl OfRegion for Guarded {
    fn region(&self) -> (&str, &str) {
        (&self.region, &self.place)
    }

    fn join(&mut self, other: Self) {
        self.threads += other.threads;
        self.call_paths += other.call_paths;
        self.since_s = self.since_s.min(other.since_s);
        self.until_s = self.until_s.zip(other.until_s).map(|(a, b)| a.max(b));
    }
}

/// The metric classes of the sums of regions, by their number in the process.
pub fn classes(live: &LiveProcess, regions: &Regions) -> BTreeMap<u32, Region> {
    let class = |definition: &Live| match *definition {
        Live::Guarded { region, class, .. } => {
            let region = regions.get(RegionId(region))?;
            let is_site = region.is_call_site();
            Some((class, if is_site { region.routine() } else { region.clone() }))
        }
        _ => None,
    };
    live.definitions.iter().filter_map(class).collect()
}

/// The members of a class: name, unit, what they say, and over which time.
const MEMBERS: [(&str, &str, &str, enums::MetricMode); 4] = [
    ("visits", "#", "visits", enums::MetricMode::RELATIVE_LAST),
    ("ticks", "ticks", "their time", enums::MetricMode::RELATIVE_LAST),
    ("shortest", "ticks", "time of the shortest", enums::MetricMode::ABSOLUTE_LAST),
    ("longest", "ticks", "time of the longest", enums::MetricMode::ABSOLUTE_LAST),
];

/// Defines the members of the class of a region's sums, from `first` on; returns their ids.
pub fn define_members(
    archive: &mut ArchiveWriter,
    first: u32,
    region: &Region,
) -> Result<Vec<MetricMemberRef>, pompeii_otf2::Error> {
    let mut members = Vec::new();
    for ((name, unit, what, mode), id) in MEMBERS.into_iter().zip(first..) {
        let texts = [
            format!("{name} of {}", region.name),
            format!(
                "Summed visits without records, in the region that is left next: {what}. They are \
                 in the profile, too."
            ),
            unit.to_owned(),
        ];
        members.push(define_member(archive, MetricMemberRef(id), texts, mode)?);
    }
    Ok(members)
}

fn define_member(
    archive: &mut ArchiveWriter,
    id: MetricMemberRef,
    [name, description, unit]: [String; 3],
    metric_mode: enums::MetricMode,
) -> Result<MetricMemberRef, pompeii_otf2::Error> {
    let texts: [StringRef; 3] =
        [archive.string(&name)?, archive.string(&description)?, archive.string(&unit)?];
    archive.define(MetricMember {
        id,
        name: texts[0],
        description: texts[1],
        metric_type: enums::MetricType::OTHER,
        metric_mode,
        value_type: enums::ValueType::UINT64,
        base: enums::Base::DECIMAL,
        exponent: 0,
        unit: texts[2],
    })?;
    Ok(id)
}
