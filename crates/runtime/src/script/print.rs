//! What a script leaves, as text: call trees and records.

use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;

use pompeii_live::{
    CHUNK_BYTES, Iterations, Key, LiveProcess, Node, NodeOffset, RegionKind, node_offset,
};
use pompeii_otf2::event::Event;
use pompeii_otf2::read::{Bytes, EventReader, EventRecord};
use pompeii_otf2::reference::{LocationRef, RegionRef};
use pompeii_otf2::seal;
use pompeii_otf2::value::AttributeValue;

use super::Run;
use crate::location::{Location, ROOT, TASKS, gate};

impl Run {
    /// Call trees of all locations.
    pub fn trees(&self) -> String {
        let mut text = String::new();
        for (place, (name, location)) in self.threads.iter().enumerate() {
            if let Some((first, _)) = self.threads[..place].iter().find(|(_, at)| at == location) {
                let _ = writeln!(text, "{name} is {first}");
                continue;
            }
            // SAFETY: locations are never freed, and the script has one thread.
            let location = unsafe { &mut **location };
            let mut lasting = gate::DETAIL | gate::CLOCK;
            if self.process.options.guard.is_some() {
                lasting |= gate::GUARDED;
            }
            if !self.process.options.windows.is_whole() {
                lasting |= gate::WINDOW | gate::OFF;
            }
            assert_eq!(location.gate & !lasting, 0, "{name} still has something due");
            let _ = writeln!(text, "{name} until {}", location.header.last_ticks);
            let mut ticks = 0;
            assert!(location.header.current > 0 && ticks == 0);
            self.tree(location, ROOT, 1, &mut text, &mut ticks);
            self.tree(location, TASKS, 1, &mut text, &mut ticks);
            assert_eq!(ticks, location.header.last_ticks, "{name}:\n{text}");
        }
        text
    }

    fn tree(
        &self,
        location: &mut Location,
        index: NodeOffset,
        depth: usize,
        text: &mut String,
        ticks: &mut u64,
    ) {
        let mut node = *location.node(index);
        let kinds = self.process.region_kinds();
        let is_loop = matches!(Key::decode(node.key),
            Key::Region(region) if kinds.get(region as usize) == Some(&RegionKind::Loop));
        let iterations = if is_loop { node.take_iterations() } else { Iterations::default() };
        *ticks += node.ticks;
        let parts = node.wait_ticks + node.starvation_ticks + node.management_ticks;
        assert!(parts <= node.ticks && node.fork_ticks <= node.management_ticks, "{node:?}");
        if index > TASKS || node.ticks > 0 || node.first_child != 0 {
            let _ = write!(text, "{:width$}{}", "", self.key(&node), width = 2 * depth);
            let _ = write!(text, "{}", metrics(&node));
            let Iterations { sum, known_visits, min, max } = iterations;
            if known_visits > 0 {
                let _ = write!(text, " iterations={sum}/{known_visits},{min}..{max}");
            }
            let _ = writeln!(text);
        }
        // In the order of their making. They are linked as they will probably be met, if at all.
        let all = (1..location.node_count()).map(node_offset);
        let is_child = |&at: &NodeOffset| {
            let Node { parent, key, .. } = *location.node(at);
            parent == index && !matches!(Key::decode(key), Key::Cause { .. })
        };
        let children: Vec<NodeOffset> = all.filter(is_child).collect();
        for child in children {
            self.tree(location, child, depth + 1, text, ticks);
        }
    }

    /// Who has waited where, and for whom: one line per entry of a node's list, newest first.
    pub fn causes(&self) -> String {
        let mut text = String::new();
        for (name, location) in &self.threads {
            // SAFETY: locations are never freed, and the script has one thread.
            let location = unsafe { &mut **location };
            for index in 1..location.header.nodes.load(Relaxed) {
                let node = *location.node(node_offset(index));
                let mut at = match Key::decode(node.key) {
                    // What is no offset is the address of a creation's or a task's times.
                    Key::Region(_) => NodeOffset::try_from(node.private).unwrap_or(0),
                    _ => 0,
                };
                while at != 0 {
                    let cause = *location.node(at);
                    let (of, by) = (self.key(&node), self.key(&cause));
                    // What precedes serial parts is no waiting.
                    if !is_of(&cause, location.index()) {
                        let _ = writeln!(text, "{name} in {of} for {by}{}", metrics(&cause));
                    }
                    at = cause.sibling;
                }
            }
        }
        text
    }

    /// Times of task instances: per location and record number, extremes, sum, and the bins.
    pub fn task_times(&self) -> String {
        let live = LiveProcess::open(&self.folder.path().join("live")).unwrap();
        let mut text = String::new();
        for location in &live.locations {
            let known = self.threads.iter().find(|(_, at)| index(*at) == location.index);
            let name = known.map_or("?", |(name, _)| name);
            for record in &location.task_records {
                let count: u32 = record.bins.iter().sum();
                let bins: Vec<String> = (0..record.bins.len())
                    .filter(|&bin| record.bins[bin] > 0)
                    .map(|bin| format!("{bin}:{}", record.bins[bin]))
                    .collect();
                if count == 0 {
                    continue;
                }
                let time = ["creation", "waiting", "execution"][record.time as usize];
                let (min, max, sum) = (record.min_ticks, record.max_ticks, record.sum_ticks);
                let squares = record.squares();
                let region = &self.regions[record.region as usize];
                let bins = bins.join(" ");
                let _ = writeln!(
                    text,
                    "{name} {region} {time} x{count} {min}..{max} {sum} {squares} {bins}"
                );
            }
        }
        text
    }

    /// What the metric has counted, by location and node.
    pub fn metrics(&self) -> String {
        let live = LiveProcess::open(&self.folder.path().join("live")).unwrap();
        let mut text = String::new();
        for location in &live.locations {
            let known = self.threads.iter().find(|(_, at)| index(*at) == location.index);
            let name = known.map_or("?", |(name, _)| name);
            for (node, counted) in location.nodes.iter().zip(&location.metrics) {
                if counted[0] > 0 {
                    let _ = writeln!(text, "{name} {} {}", self.key(node), counted[0]);
                }
            }
        }
        text
    }

    /// Visits that have ended, by location and node: number, extremes, sum, sum of squares.
    pub fn visit_times(&self) -> String {
        let live = LiveProcess::open(&self.folder.path().join("live")).unwrap();
        let mut text = String::new();
        for location in &live.locations {
            let known = self.threads.iter().find(|(_, at)| index(*at) == location.index);
            let name = known.map_or("?", |(name, _)| name);
            for (node, of) in location.nodes.iter().zip(&location.visit_records) {
                if of.ended > 0 {
                    let (min, max, sum) = (of.min_ticks, of.max_ticks, of.sum_ticks);
                    let (count, squares, key) = (of.ended, of.sum_of_squares, self.key(node));
                    let _ = writeln!(text, "{name} {key} x{count} {min}..{max} {sum} {squares}");
                }
            }
        }
        text
    }

    fn key(&self, node: &Node) -> String {
        match Key::decode(node.key) {
            Key::Cause { location: Key::OTHERS, .. } => "others".to_owned(),
            Key::Cause { location, node: 0 } => self.name_of(location).to_owned(),
            Key::Region(region) | Key::Parameter { region, .. } => {
                self.regions[region as usize].clone()
            }
            Key::Stub(region) => format!("~{}", self.regions[region as usize]),
            Key::Attach { location, node } => self.key_of(location, node_offset(node)),
            Key::Cause { location, node } => self.key_of(location, node),
        }
    }

    fn key_of(&self, location: u32, node: NodeOffset) -> String {
        let (name, location) = self.threads.iter().find(|(_, at)| index(*at) == location).unwrap();
        // SAFETY: locations are never freed, and the script has one thread.
        let node = *unsafe { &mut **location }.node(node);
        format!("{name}'s {}", self.key(&node))
    }

    fn name_of(&self, location: u32) -> &str {
        let known = self.threads.iter().find(|(_, at)| index(*at) == location);
        known.map_or("?", |(name, _)| name)
    }

    /// Records of all locations: time, record, what its ids stand for.
    pub fn records(&self) -> String {
        let mut text = String::new();
        let mut locks = Vec::new();
        for (name, location) in &self.threads {
            let _ = writeln!(text, "{name}");
            for record in self.events(index(*location)) {
                let _ =
                    write!(text, "{:>5} {}", record.time, self.record(&record.event, &mut locks));
                for AttributeValue { attribute, value } in &record.attributes {
                    let _ = write!(text, " {}={value:?}", attribute.0);
                }
                text.push('\n');
            }
        }
        text
    }

    /// The records of a location.
    pub fn events(&self, location: u32) -> Vec<EventRecord> {
        let live = self.folder.path().join("live");
        let path = live.join(pompeii_live::events_file(location));
        pompeii_live::gather(&live.join(pompeii_live::buffer_file(location)), &path).unwrap();
        let Ok(mut bytes) = std::fs::read(&path) else { return Vec::new() };
        let sealed = seal::seal(&mut bytes, CHUNK_BYTES).unwrap();
        bytes.truncate(sealed.file_bytes as usize);
        let chunk = CHUNK_BYTES as u64;
        let chunks = Bytes::new(bytes, chunk);
        EventReader::new(chunks, &path, chunk, LocationRef(0)).map(Result::unwrap).collect()
    }

    fn record(&self, event: &Event, locks: &mut Vec<u32>) -> String {
        let region = |region: RegionRef| &self.regions[region.0 as usize];
        let mut lock = |id: u32| {
            let known = locks.iter().position(|&known| known == id);
            known.unwrap_or_else(|| {
                locks.push(id);
                locks.len() - 1
            })
        };
        let task =
            |team: u32, thread: u32, generation: u32| format!("{team}:{thread}:{generation}");
        match event {
            Event::Enter(of) => format!("Enter {}", region(of.region)),
            Event::Leave(of) => format!("Leave {}", region(of.region)),
            Event::ThreadFork(of) => format!("ThreadFork {}", of.number_of_requested_threads),
            Event::ThreadJoin(_) => "ThreadJoin".to_owned(),
            Event::ThreadTeamBegin(of) => format!("ThreadTeamBegin {}", of.thread_team.0),
            Event::ThreadTeamEnd(of) => format!("ThreadTeamEnd {}", of.thread_team.0),
            Event::ThreadAcquireLock(of) => {
                format!("ThreadAcquireLock {} {}", lock(of.lock_id), of.acquisition_order)
            }
            Event::ThreadReleaseLock(of) => {
                format!("ThreadReleaseLock {} {}", lock(of.lock_id), of.acquisition_order)
            }
            Event::ThreadTaskCreate(of) => {
                let id = task(of.thread_team.0, of.creating_thread, of.generation_number);
                format!("ThreadTaskCreate {id}")
            }
            Event::ThreadTaskSwitch(of) => {
                let id = task(of.thread_team.0, of.creating_thread, of.generation_number);
                format!("ThreadTaskSwitch {id}")
            }
            Event::ThreadTaskComplete(of) => {
                let id = task(of.thread_team.0, of.creating_thread, of.generation_number);
                format!("ThreadTaskComplete {id}")
            }
            Event::Metric(of) => format!("Metric {:?}", of.values),
            Event::ParameterInt(of) => format!("ParameterInt {} {}", of.parameter.0, of.value),
            Event::ParameterString(of) => {
                format!("ParameterString {} {}", of.parameter.0, of.string.0)
            }
            Event::MeasurementOnOff(of) => format!("MeasurementOnOff {:?}", of.measurement_mode),
            other => panic!("{other:?}"),
        }
    }
}

fn index(location: *mut Location) -> u32 {
    // SAFETY: locations are never freed, and the script has one thread.
    unsafe { &*location }.index()
}

fn metrics(node: &Node) -> String {
    let mut text = String::new();
    if node.visits > 0 {
        let _ = write!(text, " x{}", node.visits);
    }
    let _ = write!(text, " {}", node.ticks);
    // No count is as large as the bits of a square.
    let is_square = node.created >= 1 << 60;
    for (name, value) in [
        ("wait", node.wait_ticks),
        ("starvation", node.starvation_ticks),
        ("management", node.management_ticks),
        ("fork", node.fork_ticks),
        ("last", node.last_arrivals),
        ("delay", node.delay_ticks),
        ("tasks", node.task_ticks),
        ("switches", node.task_switches),
        ("created", if is_square { 0 } else { node.created }),
        ("undeferred", node.undeferred),
    ] {
        if value > 0 {
            let _ = write!(text, " {name}={value}");
        }
    }
    if is_square {
        let _ = write!(text, " spread={}", f64::from_bits(node.created));
    }
    text
}

/// Whether a node's cause is a call path of this location.
fn is_of(cause: &Node, own: u32) -> bool {
    matches!(Key::decode(cause.key), Key::Cause { location, .. } if location == own)
}
