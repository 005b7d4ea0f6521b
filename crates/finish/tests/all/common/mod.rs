//! Processes of an MPI job as the runtime would leave them: live state made without a program.
#![allow(dead_code, reason = "each user of this module uses its part")]

pub mod shapes;

use std::fs::{self, File};
use std::mem::offset_of;
use std::path::Path;

use pompeii_live::{
    CHUNK_BYTES, Definition, Key, LOCATION_PAGE_BYTES, LocationHeader, MAGIC, MpiDefinition, Node,
    NotedEnd, ProcessHeader, RegionKind, SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, TaskRecord,
    Team, VisitRecord, metrics_file, node_offset, samples_file, tasks_file, visits_file,
};
use pompeii_otf2::event::Event;
use pompeii_otf2::write::EventWriter;

pub mod damage;
mod killed;

/// A process: what its files say.
#[derive(Clone)]
pub struct Process {
    pub pid: u64,
    pub host: String,
    pub start: u64,
    pub end: u64,
    /// `CLOCK_MONOTONIC_RAW` at the start; a tick is a nanosecond.
    pub monotonic_ns: u64,
    /// It is not: the process has a counter that makes so many in the 40 ms that the process lives.
    pub ticks_of_40_ms: Option<u64>,
    pub noted_end: Option<NotedEnd>,
    pub definitions: Vec<Definition>,
    pub threads: Vec<Thread>,
}

/// A thread: its call tree without the three nodes that all have, its events, and by node, what
/// metrics have counted and the times of visits.
#[derive(Clone, Default)]
pub struct Thread {
    pub root_ticks: u64,
    pub nodes: Vec<Node>,
    pub events: Vec<(u64, Event)>,
    pub metrics: Vec<Vec<u64>>,
    pub visits: Vec<VisitRecord>,
    /// Times of task instances.
    pub tasks: Vec<TaskRecord>,
    /// Frames of samples; the first of a thread has index 1.
    pub samples: Vec<SampleFrame>,
    /// The node that it is in; 0 stands for the program.
    pub current: u32,
}

/// A node below `parent`; the first of a thread has index 3, the program is 1.
pub fn node(key: Key, parent: u32, visits: u64, ticks: u64) -> Node {
    Node { key: key.encode(), parent: node_offset(parent), visits, ticks, ..Node::default() }
}

pub fn region(id: u32, kind: RegionKind, name: &str) -> Definition {
    let (begin_line, end_line, file, clauses) = (0, 0, String::new(), String::new());
    Definition::Region { id, kind, begin_line, end_line, name: name.to_owned(), file, clauses }
}

impl Process {
    /// Rank `rank` of `size`, which runs from 1000 to 2000, with the two regions that all have, and
    /// `MPI_COMM_WORLD` and `MPI_COMM_SELF` as communicators 0 and 1.
    pub fn of_job(rank: u32, size: u32) -> Self {
        let comm = |id, root, number, name: &str, members: Vec<u32>| {
            let (size, name) = (members.len() as u32, name.to_owned());
            let (parent, remote) = (u32::MAX, Vec::new());
            let rank = if root == 0 { rank } else { 0 };
            Definition::Mpi(MpiDefinition::Comm {
                id,
                root,
                number,
                parent,
                size,
                rank,
                name,
                members,
                remote,
            })
        };
        let world = if rank == 0 { (0..size).collect() } else { Vec::new() };
        let job = "here-1-2".to_owned();
        let definitions = vec![
            region(0, RegionKind::Program, "ocean"),
            region(1, RegionKind::Tasks, "TASKS"),
            Definition::Mpi(MpiDefinition::World { rank, size, job }),
            comm(0, 0, 1, "MPI_COMM_WORLD", world),
            comm(1, rank, 2, "MPI_COMM_SELF", vec![rank]),
        ];
        Self {
            pid: 4_000_000 + u64::from(rank),
            host: "node1".to_owned(),
            start: 1000,
            end: 2000,
            monotonic_ns: 1000,
            ticks_of_40_ms: None,
            noted_end: Some(NotedEnd::Exit(0)),
            definitions,
            threads: Vec::new(),
        }
    }

    pub fn define(&mut self, definition: impl Into<Definition>) {
        self.definitions.push(definition.into());
    }

    /// Writes it to the folder.
    pub fn write(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let mut log = Vec::new();
        self.definitions.iter().for_each(|definition| definition.encode(&mut log));
        self.write_header(folder, log.len() as u64);
        fs::write(folder.join("definitions"), log).unwrap();
        fs::write(folder.join("teams"), vec![0; size_of::<Team>()]).unwrap();
        for (index, thread) in self.threads.iter().enumerate() {
            thread.write(folder, index, self.end);
        }
    }

    fn write_header(&self, folder: &Path, definitions_bytes: u64) {
        let traced = self.threads.iter().any(|thread| !thread.events.is_empty());
        let mut header = Bytes(vec![0; size_of::<ProcessHeader>()]);
        header.long(0, MAGIC);
        header.long(offset_of!(ProcessHeader, pid), self.pid);
        let times = [
            (offset_of!(ProcessHeader, start), self.start),
            (offset_of!(ProcessHeader, end), self.end),
        ];
        for (at, ticks) in times {
            let since = ticks - self.start;
            let since_ns = self.ticks_of_40_ms.map_or(since, |all| since * 40_000_000 / all);
            header.long(at, ticks);
            header.long(at + 8, self.monotonic_ns + since_ns);
            header.long(at + 16, 1_700_000_000_000_000_000 + self.start + since_ns);
        }
        header.long(offset_of!(ProcessHeader, tsc), u64::from(self.ticks_of_40_ms.is_some()));
        header.long(offset_of!(ProcessHeader, trace), u64::from(traced));
        header.word(offset_of!(ProcessHeader, locations), self.threads.len() as u32);
        header.long(offset_of!(ProcessHeader, definitions_bytes), definitions_bytes);
        let ended = self.noted_end.map_or(0, NotedEnd::encode);
        header.long(offset_of!(ProcessHeader, ended), ended);
        header.text(offset_of!(ProcessHeader, program), "ocean");
        header.text(offset_of!(ProcessHeader, host), &self.host);
        fs::write(folder.join("process"), header.0).unwrap();
    }
}

impl Thread {
    fn write(&self, folder: &Path, index: usize, last_ticks: u64) {
        let roots = [
            Node::default(),
            node(Key::Region(0), 0, 0, self.root_ticks),
            node(Key::Region(1), 0, 0, 0),
        ];
        let nodes: Vec<&Node> = roots.iter().chain(&self.nodes).collect();
        let mut file = Bytes(vec![0; LOCATION_PAGE_BYTES + nodes.len() * size_of::<Node>()]);
        file.long(0, MAGIC);
        file.word(offset_of!(LocationHeader, index), index as u32);
        let parent = if index == 0 { u32::MAX } else { 0 };
        file.word(offset_of!(LocationHeader, parent), parent);
        file.word(offset_of!(LocationHeader, thread), index as u32);
        file.word(offset_of!(LocationHeader, level), u32::from(index > 0));
        file.word(offset_of!(LocationHeader, nodes), nodes.len() as u32);
        file.word(offset_of!(LocationHeader, current), node_offset(self.current.max(1)));
        let task_records = if self.tasks.is_empty() { 0 } else { self.tasks.len() as u32 + 1 };
        file.word(offset_of!(LocationHeader, task_records), task_records);
        file.long(offset_of!(LocationHeader, last_ticks), last_ticks);
        for (position, node) in nodes.into_iter().enumerate() {
            file.node(LOCATION_PAGE_BYTES + position * size_of::<Node>(), node);
        }
        fs::write(folder.join(format!("{index}.loc")), file.0).unwrap();
        let counted: Vec<u8> =
            self.metrics.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        if !counted.is_empty() {
            fs::write(folder.join(metrics_file(index as u32)), counted).unwrap();
        }
        self.write_times(folder, index as u32);
        self.write_samples(folder, index as u32);
        if self.events.is_empty() {
            return;
        }
        let path = folder.join(format!("{index}.evt"));
        let mut writer = EventWriter::new(File::create(&path).unwrap(), &path, CHUNK_BYTES);
        for (time, event) in &self.events {
            writer.event(*time, event, &[]).unwrap();
        }
        writer.finish().unwrap();
    }

    fn write_samples(&self, folder: &Path, index: u32) {
        if self.samples.is_empty() {
            return;
        }
        let frames = self.samples.len() + 1;
        let size = SAMPLE_PAGE_BYTES + frames * size_of::<SampleFrame>();
        let mut file = Bytes(vec![0; size]);
        file.long(0, MAGIC);
        file.word(offset_of!(SampleHeader, frames), frames as u32);
        for (number, frame) in (1..).zip(&self.samples) {
            let at = SAMPLE_PAGE_BYTES + number * size_of::<SampleFrame>();
            file.word(at + offset_of!(SampleFrame, parent), frame.parent);
            file.word(at + offset_of!(SampleFrame, samples), frame.samples);
            file.long(at + offset_of!(SampleFrame, place), frame.place);
        }
        fs::write(folder.join(samples_file(index)), file.0).unwrap();
    }

    fn write_times(&self, folder: &Path, index: u32) {
        // Record 0 is unused.
        let mut tasks = Bytes(vec![0; (self.tasks.len() + 1) * size_of::<TaskRecord>()]);
        for (number, record) in (1..).zip(&self.tasks) {
            tasks.task_record(number * size_of::<TaskRecord>(), record);
        }
        let mut visits = Bytes(vec![0; self.visits.len() * size_of::<VisitRecord>()]);
        for (number, record) in self.visits.iter().enumerate() {
            visits.visit_record(number * size_of::<VisitRecord>(), record);
        }
        for (name, bytes, is_there) in [
            (tasks_file(index), tasks, !self.tasks.is_empty()),
            (visits_file(index), visits, !self.visits.is_empty()),
        ] {
            if is_there {
                fs::write(folder.join(name), bytes.0).unwrap();
            }
        }
    }
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn long(&mut self, at: usize, value: u64) {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    fn word(&mut self, at: usize, value: u32) {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    fn text(&mut self, at: usize, text: &str) {
        self.0[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    fn node(&mut self, at: usize, node: &Node) {
        self.word(at + offset_of!(Node, parent), node.parent);
        for (offset, value) in [
            (offset_of!(Node, key), node.key),
            (offset_of!(Node, visits), node.visits),
            (offset_of!(Node, ticks), node.ticks),
            (offset_of!(Node, wait_ticks), node.wait_ticks),
            (offset_of!(Node, starvation_ticks), node.starvation_ticks),
            (offset_of!(Node, management_ticks), node.management_ticks),
            (offset_of!(Node, fork_ticks), node.fork_ticks),
            (offset_of!(Node, last_arrivals), node.last_arrivals),
            (offset_of!(Node, delay_ticks), node.delay_ticks),
            (offset_of!(Node, task_ticks), node.task_ticks),
            (offset_of!(Node, task_switches), node.task_switches),
            (offset_of!(Node, created), node.created),
            (offset_of!(Node, undeferred), node.undeferred),
        ] {
            self.long(at + offset, value);
        }
    }
    fn task_record(&mut self, at: usize, record: &TaskRecord) {
        self.word(at + offset_of!(TaskRecord, region), record.region);
        self.word(at + offset_of!(TaskRecord, time), record.time);
        for (offset, value) in [
            (offset_of!(TaskRecord, min_ticks), record.min_ticks),
            (offset_of!(TaskRecord, max_ticks), record.max_ticks),
            (offset_of!(TaskRecord, sum_ticks), record.sum_ticks),
            (offset_of!(TaskRecord, sum_of_squares), record.sum_of_squares[0]),
        ] {
            self.long(at + offset, value);
        }
        for (bin, &count) in record.bins.iter().enumerate() {
            self.word(at + offset_of!(TaskRecord, bins) + 4 * bin, count);
        }
    }
    fn visit_record(&mut self, at: usize, record: &VisitRecord) {
        for (offset, value) in [
            (offset_of!(VisitRecord, begun), record.begun),
            (offset_of!(VisitRecord, ended), record.ended),
            (offset_of!(VisitRecord, min_ticks), record.min_ticks),
            (offset_of!(VisitRecord, max_ticks), record.max_ticks),
            (offset_of!(VisitRecord, sum_ticks), record.sum_ticks),
            (offset_of!(VisitRecord, sum_of_squares), record.sum_of_squares.to_bits()),
        ] {
            self.long(at + offset, value);
        }
    }
}
