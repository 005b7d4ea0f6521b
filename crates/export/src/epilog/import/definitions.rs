//! The definitions of the archive. Ids are those of the file, and what only OTF2 has follows them:
//! regions for call sites, teams, and their texts.

use std::collections::{BTreeMap, HashMap};

use pompeii_epilog::NO_ID;
use pompeii_epilog::record::{self, Record, region_kind as kind};
use pompeii_model::{Paradigm as Model, Region as ModelRegion};
use pompeii_otf2::definition::{self, *};
use pompeii_otf2::enums::{
    self, Base, CommFlag, GroupType, LocationGroupType, LocationType, MetricMode, MetricOccurrence,
    MetricType, ParadigmClass, RecorderKind, RegionRole, RmaWinFlag, ValueType,
};
use pompeii_otf2::reference::*;
use pompeii_otf2::value::Value;
use pompeii_otf2::write::ArchiveWriter;

use super::super::left_out::LeftOut;
use super::super::metrics::{MODES, REAL};
use super::super::regions::{MPI_KINDS, OPENMP_KINDS};
use super::super::system::{CLOCK_RATE, CPUS};
use super::processes::{communicators, masters};
use super::survey::Survey;
use crate::source::Error;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// Groups that each archive has: all threads, all processes, a process by itself.
const THREADS: u32 = 0;
const PROCESSES: u32 = 1;
const ITSELF: u32 = 2;
const FIRST_GROUP: u32 = 3;

/// The metric class of all metrics.
pub const METRICS: MetricRef = MetricRef(0);

/// What events need of the definitions.
#[derive(Debug)]
pub struct Plan {
    /// Regions of call sites.
    pub call_sites: HashMap<u32, RegionRef>,
    /// The communicator of the first team.
    first_team: u32,
    /// Ranks of processes in communicators: the processes in their order. Empty: each by itself.
    pub comms: BTreeMap<u32, Vec<u32>>,
    /// The data type of each metric.
    pub metrics: Vec<u8>,
    /// The master of each process.
    pub masters: BTreeMap<u32, u32>,
}

impl Plan {
    /// Of a file.
    ///
    /// # Errors
    /// No ids are left for what only OTF2 has.
    pub fn new(survey: &Survey) -> Result<Plan, Error> {
        let all = &survey.definitions;
        let free = |ids: &mut dyn Iterator<Item = u32>, more: usize| {
            let first = ids.max().map_or(0, |last| u64::from(last) + 1);
            let is_free = first + (more as u64) < u64::from(NO_ID);
            is_free.then_some(first as u32).ok_or_else(|| {
                Error::Input("expected ids of regions and communicators below 4294967295".into())
            })
        };
        let comms = communicators(all);
        let first_region = free(&mut survey.regions.keys().copied(), survey.call_sites.len())?;
        let first_team = free(&mut comms.keys().copied(), survey.teams.members().count())?;
        let sites = all.iter().filter_map(|record| match record {
            Record::CallSite(site) => Some(site.id),
            _ => None,
        });
        let call_sites = sites.zip((first_region..).map(RegionRef)).collect();
        let metrics = all.iter().filter_map(|record| match record {
            Record::Metric(metric) => Some(metric.data_type),
            _ => None,
        });
        let metrics = metrics.collect();
        Ok(Plan { call_sites, first_team, comms, metrics, masters: masters(all) })
    }

    /// The communicator of a team.
    pub fn team(&self, team: u32) -> CommRef {
        CommRef(self.first_team + team)
    }

    /// The region of the file for one of the archive: that which a call site enters.
    pub fn entered(&self, region: u32, survey: &Survey) -> u32 {
        let site = self.call_sites.iter().find(|(_, own)| own.0 == region);
        site.and_then(|(site, _)| survey.call_sites.get(site).copied()).unwrap_or(region)
    }

    /// Writes all definitions; `counts` has the number of events of each location.
    ///
    /// # Errors
    /// The archive cannot be written.
    pub fn define(
        &self,
        survey: &Survey,
        counts: &HashMap<u32, u64>,
        writer: &mut ArchiveWriter,
        left_out: &mut LeftOut,
    ) -> Result<(), Error> {
        let mut out = Definitions::new(survey, self, writer);
        let (first, length) = survey.span();
        out.put(ClockProperties {
            timer_resolution: NS_PER_SECOND,
            global_offset: first,
            trace_length: length,
            realtime_timestamp: u64::MAX,
        })?;
        out.texts()?;
        out.paradigms()?;
        out.system(counts)?;
        out.regions()?;
        out.groups()?;
        out.teams()?;
        out.metrics()?;
        count_others(&survey.definitions, left_out);
        Ok(())
    }
}

/// Counts the definitions that OTF2 gets nothing of.
fn count_others(all: &[Record], left_out: &mut LeftOut) {
    for record in all {
        left_out.add(match record {
            Record::Offset(_) => "clock offsets without a location",
            Record::CartTopology(_) | Record::CartCoordinates(_) => "records of topologies",
            Record::CallPath(_) => "call paths",
            Record::MpiCommDistributed(_) | Record::IdMap(_) => "records of ids of processes",
            Record::Unknown { .. } => "records of a later version",
            _ => continue,
        });
    }
}

/// The definitions while they are written.
struct Definitions<'a> {
    survey: &'a Survey,
    plan: &'a Plan,
    writer: &'a mut ArchiveWriter,
    texts: BTreeMap<u32, &'a str>,
    added: BTreeMap<std::string::String, StringRef>,
}

impl<'a> Definitions<'a> {
    fn new(survey: &'a Survey, plan: &'a Plan, writer: &'a mut ArchiveWriter) -> Definitions<'a> {
        let texts = survey.definitions.iter().filter_map(|record| match record {
            Record::Text(text) if text.id != NO_ID => Some((text.id, &*text.text)),
            _ => None,
        });
        Definitions { survey, plan, writer, texts: texts.collect(), added: BTreeMap::new() }
    }

    fn all(&self) -> &'a [Record] {
        &self.survey.definitions
    }

    fn put(&mut self, definition: impl Into<Definition>) -> Result<(), Error> {
        Ok(self.writer.define(definition)?)
    }

    fn texts(&mut self) -> Result<(), Error> {
        for (id, text) in self.texts.clone() {
            self.put(String { id: StringRef(id), string: text.to_owned() })?;
        }
        Ok(())
    }

    /// The id of a text of the file; that of an empty one, if there is none.
    fn name(&mut self, id: u32) -> Result<StringRef, Error> {
        if self.texts.contains_key(&id) { Ok(StringRef(id)) } else { self.text("") }
    }

    /// The id of any text.
    fn text(&mut self, text: &str) -> Result<StringRef, Error> {
        if let Some((id, _)) = self.texts.iter().find(|(_, known)| **known == text) {
            return Ok(StringRef(*id));
        }
        if let Some(id) = self.added.get(text) {
            return Ok(*id);
        }
        let first = self.texts.keys().next_back().map_or(0, |last| last.saturating_add(1));
        let id = StringRef(first.saturating_add(self.added.len() as u32));
        self.added.insert(text.to_owned(), id);
        self.put(String { id, string: text.to_owned() })?;
        Ok(id)
    }

    fn paradigms(&mut self) -> Result<(), Error> {
        for (paradigm, name, class) in [
            (enums::Paradigm::OPENMP, "OpenMP", ParadigmClass::THREAD_FORK_JOIN),
            (enums::Paradigm::MPI, "MPI", ParadigmClass::PROCESS),
        ] {
            let name = self.text(name)?;
            self.put(definition::Paradigm { paradigm, name, paradigm_class: class })?;
        }
        Ok(())
    }

    /// Machines, nodes, processes and threads.
    fn system(&mut self, counts: &HashMap<u32, u64>) -> Result<(), Error> {
        let (machine, node) = (self.text("machine")?, self.text("node")?);
        let mut first_node = 0;
        for record in self.all() {
            let Record::Machine(it) = record else { continue };
            let (id, name) = (SystemTreeNodeRef(it.id), self.name(it.name)?);
            let parent = SystemTreeNodeRef::UNDEFINED;
            self.put(SystemTreeNode { id, name, class_name: machine, parent })?;
            first_node = first_node.max(it.id.saturating_add(1));
        }
        let above = |id: u32| SystemTreeNodeRef(first_node.saturating_add(id));
        for record in self.all() {
            let Record::Node(it) = record else { continue };
            let (id, name) = (above(it.id), self.name(it.name)?);
            let parent = SystemTreeNodeRef(it.machine);
            self.put(SystemTreeNode { id, name, class_name: node, parent })?;
            self.property(id, CPUS, Value::U32(it.cpus))?;
            self.property(id, CLOCK_RATE, Value::F64(it.clock_rate.unwrap_or(0.0)))?;
        }
        self.processes(above)?;
        self.locations(counts)
    }

    fn property(&mut self, of: SystemTreeNodeRef, name: &str, value: Value) -> Result<(), Error> {
        let (name, string_value) = (self.text(name)?, self.text("")?);
        self.put(SystemTreeNodeProperty { system_tree_node: of, name, string_value, value })
    }

    fn processes(&mut self, above: impl Fn(u32) -> SystemTreeNodeRef) -> Result<(), Error> {
        let (mut nodes, mut names) = (BTreeMap::new(), HashMap::new());
        for record in self.all() {
            match record {
                Record::LocationDefinition(it) => {
                    nodes.entry(it.process).or_insert(it.node);
                }
                Record::Process(it) => {
                    names.insert(it.id, it.name);
                }
                _ => {}
            }
        }
        for (process, node) in nodes {
            let name = self.name(names.get(&process).copied().unwrap_or(NO_ID))?;
            self.put(LocationGroup {
                id: LocationGroupRef(process),
                name,
                location_group_type: LocationGroupType::PROCESS,
                system_tree_parent: above(node),
                creating_location_group: LocationGroupRef::UNDEFINED,
            })?;
        }
        Ok(())
    }

    fn locations(&mut self, counts: &HashMap<u32, u64>) -> Result<(), Error> {
        let threads = self.all().iter().filter_map(|record| match record {
            Record::Thread(it) => Some(((it.process, it.id), it.name)),
            _ => None,
        });
        let threads: HashMap<(u32, u32), u32> = threads.collect();
        for record in self.all() {
            let Record::LocationDefinition(it) = record else { continue };
            let name = threads.get(&(it.process, it.thread)).copied().unwrap_or(NO_ID);
            let location = Location {
                id: LocationRef(u64::from(it.id)),
                name: self.name(name)?,
                location_type: LocationType::CPU_THREAD,
                number_of_events: counts.get(&it.id).copied().unwrap_or(0),
                location_group: LocationGroupRef(it.process),
            };
            self.put(location)?;
        }
        Ok(())
    }

    /// The text of a file's name.
    fn file(&mut self, id: u32) -> Result<StringRef, Error> {
        let name = self.all().iter().find_map(|record| match record {
            Record::File(file) if file.id == id => Some(file.name),
            _ => None,
        });
        self.name(name.unwrap_or(NO_ID))
    }

    /// Regions, then those that stand for call sites.
    fn regions(&mut self) -> Result<(), Error> {
        for record in self.all() {
            if let Record::Region(region) = record {
                let definition = self.region(region)?;
                self.put(definition)?;
            }
        }
        for record in self.all() {
            if let Record::CallSite(site) = record {
                self.call_site(site)?;
            }
        }
        Ok(())
    }

    fn region(&mut self, it: &record::Region) -> Result<Region, Error> {
        let name = self.name(it.name)?;
        let text = self.texts.get(&it.name).copied().unwrap_or_default();
        let (region_role, paradigm) = match self.survey.programs.contains(&it.id) {
            true => (RegionRole::ARTIFICIAL, enums::Paradigm::MEASUREMENT_SYSTEM),
            false => role(it, text),
        };
        let source_file = match (paradigm, it.file) {
            // Readers expect this of functions of MPI.
            (enums::Paradigm::MPI, NO_ID) => self.text("MPI")?,
            (_, file) => self.file(file)?,
        };
        Ok(Region {
            id: RegionRef(it.id),
            name,
            description: self.name(it.description)?,
            source_file,
            begin_line_number: line(it.begin_line),
            end_line_number: line(it.end_line),
            canonical_name: name,
            region_role,
            paradigm,
            ..Region::default()
        })
    }

    /// A region of its own, as the analysis has it: the place is that of the call, and the
    /// description names the function that calls.
    fn call_site(&mut self, site: &record::CallSite) -> Result<(), Error> {
        let (Some(id), Some(entered)) =
            (self.plan.call_sites.get(&site.id), self.survey.regions.get(&site.entered))
        else {
            return Ok(());
        };
        let (source_file, line_number) = (self.file(site.file)?, line(site.line));
        let left = self.survey.regions.get(&site.left);
        let mut caller = ModelRegion { paradigm: Model::User, ..ModelRegion::artificial("") };
        if let Some(name) = left.and_then(|left| self.texts.get(&left.name)) {
            caller.place_in(name);
        }
        let (region, description) = (self.region(entered)?, self.text(&caller.clauses)?);
        self.put(Region {
            id: *id,
            description,
            source_file,
            begin_line_number: line_number,
            end_line_number: line_number,
            ..region
        })?;
        self.put(Callsite {
            id: CallsiteRef(site.id),
            source_file,
            line_number,
            entered_region: RegionRef(site.entered),
            left_region: RegionRef(site.left),
        })
    }

    fn group(
        &mut self,
        id: u32,
        (group_type, paradigm): (GroupType, enums::Paradigm),
        members: Vec<u64>,
    ) -> Result<(), Error> {
        let name = self.text("")?;
        let id = GroupRef(id);
        self.put(Group { id, name, members, group_type, paradigm, ..Group::default() })
    }

    /// The groups of all threads and all processes, then the communicators of MPI.
    fn groups(&mut self) -> Result<(), Error> {
        let threads = self.survey.processes.keys().map(|id| u64::from(*id));
        let mut threads: Vec<u64> = threads.collect();
        threads.sort_unstable();
        let all = GroupType::COMM_LOCATIONS;
        self.group(THREADS, (all, enums::Paradigm::OPENMP), threads)?;
        let masters = self.plan.masters.values().map(|id| u64::from(*id)).collect();
        self.group(PROCESSES, (all, enums::Paradigm::MPI), masters)?;
        self.group(ITSELF, (GroupType::COMM_SELF, enums::Paradigm::MPI), Vec::new())?;
        for (number, (id, members)) in (FIRST_GROUP..).zip(&self.plan.comms) {
            let places = members
                .iter()
                .filter_map(|process| self.plan.masters.keys().position(|known| known == process));
            let places: Vec<u64> = places.map(|place| place as u64).collect();
            let group = if places.is_empty() { ITSELF } else { number };
            if group == number {
                self.group(group, (GroupType::COMM_GROUP, enums::Paradigm::MPI), places)?;
            }
            self.comm(CommRef(*id), group)?;
        }
        self.windows()
    }

    fn comm(&mut self, id: CommRef, group: u32) -> Result<(), Error> {
        let (name, group) = (self.text("")?, GroupRef(group));
        self.put(Comm { id, name, group, parent: CommRef::UNDEFINED, flags: CommFlag::NONE })
    }

    fn windows(&mut self) -> Result<(), Error> {
        for record in self.all() {
            if let Record::MpiWindow(it) = record {
                let (id, comm, name) = (RmaWinRef(it.id), CommRef(it.comm), self.text("")?);
                self.put(RmaWin { id, name, comm, flags: RmaWinFlag::NONE })?;
            }
        }
        Ok(())
    }

    fn teams(&mut self) -> Result<(), Error> {
        let mut all: Vec<u32> = self.survey.processes.keys().copied().collect();
        all.sort_unstable();
        let first_group = FIRST_GROUP + self.plan.comms.len() as u32;
        for (members, team) in self.survey.teams.members() {
            let places = members.iter().filter_map(|id| all.binary_search(id).ok());
            let places = places.map(|place| place as u64).collect();
            let group = first_group + team;
            self.group(group, (GroupType::COMM_GROUP, enums::Paradigm::OPENMP), places)?;
            self.comm(self.plan.team(team), group)?;
        }
        Ok(())
    }

    fn metrics(&mut self) -> Result<(), Error> {
        let mut metric_members = Vec::new();
        for record in self.all() {
            let Record::Metric(it) = record else { continue };
            let mode =
                MODES.iter().find(|(_, mode, span)| (*mode, *span) == (it.mode, it.interval));
            let is_real = it.data_type == REAL;
            let member = MetricMember {
                id: MetricMemberRef(it.id),
                name: self.name(it.name)?,
                description: self.name(it.description)?,
                metric_type: MetricType::OTHER,
                metric_mode: mode.map_or(MetricMode::ABSOLUTE_POINT, |(mode, _, _)| *mode),
                value_type: if is_real { ValueType::DOUBLE } else { ValueType::UINT64 },
                base: Base::DECIMAL,
                exponent: 0,
                unit: self.text("#")?,
            };
            metric_members.push(member.id);
            self.put(member)?;
        }
        if metric_members.is_empty() {
            return Ok(());
        }
        self.put(MetricClass {
            id: METRICS,
            metric_members,
            metric_occurrence: MetricOccurrence::SYNCHRONOUS_STRICT,
            recorder_kind: RecorderKind::CPU,
        })
    }
}

/// A line; 0 if it is not known.
fn line(line: u32) -> u32 {
    if line == NO_ID { 0 } else { line }
}

/// Role and paradigm of a region. The names of MPI tell functions that are not collective.
fn role(region: &record::Region, name: &str) -> (RegionRole, enums::Paradigm) {
    let of = |kinds: &[(RegionRole, u8)]| {
        kinds.iter().find(|(_, kind)| *kind == region.kind).map(|(role, _)| *role)
    };
    if let Some(role) = of(&OPENMP_KINDS) {
        return (role, enums::Paradigm::OPENMP);
    }
    if let Some(role) = of(&MPI_KINDS) {
        return (role, enums::Paradigm::MPI);
    }
    let is_mpi = name.starts_with("MPI_");
    match region.kind {
        kind::FUNCTION if is_mpi && is_of_messages(name) => {
            (RegionRole::POINT2POINT, enums::Paradigm::MPI)
        }
        kind::FUNCTION if is_mpi => (RegionRole::FUNCTION, enums::Paradigm::MPI),
        kind::FUNCTION if name.starts_with("omp_") => {
            (RegionRole::WRAPPER, enums::Paradigm::OPENMP)
        }
        kind::FUNCTION => (RegionRole::FUNCTION, enums::Paradigm::COMPILER),
        kind::LOOP => (RegionRole::LOOP, enums::Paradigm::USER),
        kind::USER => (RegionRole::CODE, enums::Paradigm::USER),
        _ => (RegionRole::UNKNOWN, enums::Paradigm::UNKNOWN),
    }
}

/// Whether a function of MPI sends or receives messages, or waits for them.
fn is_of_messages(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["send", "recv", "wait", "test", "probe", "mpi_start"].iter().any(|part| name.contains(part))
}
