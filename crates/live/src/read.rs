//! The reading half: live state of a process that has ended, in whatever way. Every count that a
//! file claims is checked against the bytes that are there.

use std::fmt;
use std::io::Read;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use pompeii_otf2::folder::open_regular;

use crate::layout::{
    Calibration, Key, LOCATION_PAGE_BYTES, LocationHeader, MAGIC, Node, ProcessHeader, TaskRecord,
    Team, VisitRecord, node_index,
};
use crate::threads::ThreadTimes;
use crate::{
    ATOMICS, CHAIN_CYCLES, CLOCK_READINGS, DEFINITIONS_FILE, Definition, FixedTable, NotedEnd,
    PROCESS_FILE, SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, TEAMS_FILE, buffer_file,
    events_file, location_file, metrics_file, quoted, samples_file, spill_folder, tasks_file,
    visits_file,
};

/// Why live state cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A file is missing or unreadable.
    Io(PathBuf, std::io::Error),
    /// A file is not what it should be.
    Damaged(PathBuf, String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(path, error) => write!(out, "{}: {error}", quoted(path)),
            ReadError::Damaged(path, what) => write!(out, "{}: {what}", quoted(path)),
        }
    }
}

impl std::error::Error for ReadError {}

/// One location's state.
#[derive(Debug)]
pub struct LiveLocation {
    /// On a CPU and without one.
    pub thread_times: ThreadTimes,
    /// This location.
    pub index: u32,
    /// Location that forks this one's teams, `None` for an initial thread.
    pub parent: Option<u32>,
    /// Thread number in those teams.
    pub thread: u32,
    /// Nesting level of those teams: 1 for the outermost, 0 for an initial thread.
    pub level: u32,
    /// Call tree; node 0 is unused, 1 the program or the time outside of teams, 2 `TASKS`.
    pub nodes: Vec<Node>,
    /// Times of task instances.
    pub task_records: Vec<TaskRecord>,
    /// What metrics have counted, by node; as many numbers as there are metrics that are counted.
    pub metrics: Vec<Vec<u64>>,
    /// Times of visits by node; empty where they were not asked for.
    pub visit_records: Vec<VisitRecord>,
    /// Call paths of samples, each frame after the one that has called it, the unused frame 0
    /// included; empty where they were not asked for.
    pub sample_frames: Vec<SampleFrame>,
    /// Samples with frames that could not be kept.
    pub incomplete_samples: u32,
    /// Current node at the end.
    pub current: u32,
    /// The team whose final barrier it was in.
    pub final_barrier: Option<u32>,
    /// Time of the last event.
    pub last_ticks: u64,
    /// Visits that are in the sums of its trace, and have no records.
    pub summed_visits: u64,
    /// Visits of excluded functions and user regions, as far as they were counted.
    pub excluded_visits: u64,
    /// The chunk that it was filling.
    pub buffer_path: PathBuf,
    /// Event file: chunks of [`crate::CHUNK_BYTES`], to be sealed; whole after [`crate::gather`].
    pub events_path: PathBuf,
}

/// A team that was open at the end, as far as closing it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveTeam {
    /// When the master was back, 0 where it was not.
    pub join_ticks: u64,
}

/// What a process used besides CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Most memory at a time (resident set size).
    pub peak_bytes: u64,
    /// Page faults.
    pub page_faults: u64,
    /// Those of them that waited for data from a disk.
    pub disk_faults: u64,
}

/// Everything that a process left.
#[derive(Debug)]
pub struct LiveProcess {
    /// Process id.
    pub pid: u64,
    /// Program name.
    pub program: String,
    /// Host name.
    pub host: String,
    /// Start of the measurement.
    pub start: Calibration,
    /// End of the measurement; `None` where the process died before it could note it.
    pub end: Option<Calibration>,
    /// How it said that it ends.
    pub noted_end: Option<NotedEnd>,
    /// The process that it was forked from without an exec.
    pub forked_from: Option<u32>,
    /// Whether the clock is the time-stamp counter (otherwise it counts nanoseconds).
    pub tsc: bool,
    /// Whether events were recorded.
    pub trace: bool,
    /// Events that could not be recorded.
    pub lost_events: u64,
    /// Whether these are all: a process that is killed may not have counted its last ones.
    pub lost_are_counted: bool,
    /// Threads without a location.
    pub lost_locations: u64,
    /// Tables that were full, with the number of entries that had no place.
    pub without_place: Vec<(FixedTable, u64)>,
    /// Readings of metrics and visits that could not be kept.
    pub lost_readings: u64,
    /// First failure inside the tool.
    pub first_errno: Option<i32>,
    /// The trace is for readers of OTF2 before 1.2.
    pub legacy_records: bool,
    /// Least share of the time, in permille, in which all metrics of a thread were counted.
    pub metrics_running_permille: u32,
    /// Definitions log.
    pub definitions: Vec<Definition>,
    /// Team records.
    pub teams: Vec<LiveTeam>,
    /// Number of locations that have begun to exist.
    pub begun_locations: u32,
    /// CPU time of all threads of the process; `None` where it died before it could note it.
    pub cpu_ns: Option<u64>,
    /// What else it used; `None` where it died before it could note it.
    pub used: Option<Used>,
    /// Ticks that a reading of the clock took; `None` where that was not found out.
    pub clock_reading_ticks: Option<f64>,
    /// Ticks of a cycle of the processor, 0 if they are not known.
    pub cycle_ticks: f64,
    /// Ticks of an atomic addition to memory of no other thread, likewise.
    pub atomic_ticks: f64,
    /// Locations in order.
    pub locations: Vec<LiveLocation>,
}

struct Bytes {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Bytes {
    fn read(path: PathBuf) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        match open_regular(&path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => Ok(Self { path, bytes }),
            Err(error) => Err(ReadError::Io(path, error)),
        }
    }

    fn damaged(&self, what: impl Into<String>) -> ReadError {
        ReadError::Damaged(self.path.clone(), what.into())
    }

    fn expect(&self, length: usize) -> Result<(), ReadError> {
        if self.bytes.len() < length {
            let have = self.bytes.len();
            return Err(self.damaged(format!("{have} bytes, expected at least {length}")));
        }
        if self.u64(0) != MAGIC {
            return Err(self.damaged(format!("expected live state {MAGIC:x} at byte 0")));
        }
        Ok(())
    }

    fn u64(&self, at: usize) -> u64 {
        let bytes = self.bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        u64::from_le_bytes(bytes.unwrap_or_default())
    }

    fn u32(&self, at: usize) -> u32 {
        let bytes = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    }

    fn text(&self, at: usize, length: usize) -> String {
        let bytes = self.bytes.get(at..at + length).unwrap_or(&[]);
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or(&[]);
        String::from_utf8_lossy(text).into_owned()
    }

    fn calibration(&self, at: usize) -> Calibration {
        Calibration {
            ticks: self.u64(at),
            monotonic_ns: self.u64(at + 8),
            realtime_ns: self.u64(at + 16),
        }
    }
}

impl LiveLocation {
    /// Makes the event file whole: see [`crate::gather`].
    ///
    /// # Errors
    /// A file that cannot be read, written or removed.
    pub fn gather_events(&self) -> std::io::Result<()> {
        crate::gather(&self.buffer_path, &self.events_path)
    }
}

impl LiveProcess {
    /// Reads the live state in `folder`.
    ///
    /// # Errors
    /// A file that is missing, too short or not of this layout. Locations whose file is damaged
    /// are left out only where they never began (a file without a header).
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        let mut process = Self::open_without_locations(folder)?;
        let metrics = counted_metrics(&process.definitions);
        process.locations = read_locations(folder, process.begun_locations, metrics)?;
        Ok(process)
    }

    /// The same without call trees: what is known of the process as a whole, at little cost.
    ///
    /// # Errors
    /// As for [`LiveProcess::open`].
    pub fn open_without_locations(folder: &Path) -> Result<Self, ReadError> {
        let header = Bytes::read(folder.join(PROCESS_FILE))?;
        header.expect(size_of::<ProcessHeader>())?;
        let field = |offset: usize| header.u64(offset);
        let end = header.calibration(offset_of!(ProcessHeader, end));
        let noted_end = NotedEnd::decode(field(offset_of!(ProcessHeader, ended)));
        let forked_from = header.u32(offset_of!(ProcessHeader, forked_from));
        let errno = header.u32(offset_of!(ProcessHeader, first_errno));
        let log = Bytes::read(folder.join(DEFINITIONS_FILE))?;
        let published = field(offset_of!(ProcessHeader, definitions_bytes)) as usize;
        let definitions = Definition::decode_all(&log.bytes[..published.min(log.bytes.len())]);
        Ok(Self {
            pid: field(offset_of!(ProcessHeader, pid)),
            program: header.text(offset_of!(ProcessHeader, program), 256),
            host: header.text(offset_of!(ProcessHeader, host), 64),
            start: header.calibration(offset_of!(ProcessHeader, start)),
            end: noted_end.map(|_| end).filter(|end| end.ticks != 0),
            noted_end,
            forked_from: (forked_from != 0).then_some(forked_from),
            tsc: field(offset_of!(ProcessHeader, tsc)) != 0,
            trace: field(offset_of!(ProcessHeader, trace)) != 0,
            lost_events: field(offset_of!(ProcessHeader, lost_events)),
            lost_are_counted: header.u32(offset_of!(ProcessHeader, uncounted)) == 0,
            lost_locations: field(offset_of!(ProcessHeader, lost_locations)),
            without_place: without_place(&header),
            lost_readings: field(offset_of!(ProcessHeader, lost_readings)),
            first_errno: (errno != 0).then_some(errno as i32),
            legacy_records: header.u32(offset_of!(ProcessHeader, legacy_records)) != 0,
            metrics_running_permille: header
                .u32(offset_of!(ProcessHeader, metrics_running_permille)),
            teams: read_teams(folder, header.u32(offset_of!(ProcessHeader, teams)))?,
            cpu_ns: Some(field(offset_of!(ProcessHeader, cpu_ns))).filter(|&ns| ns > 0),
            used: Some(Used {
                peak_bytes: field(offset_of!(ProcessHeader, peak_bytes)),
                page_faults: field(offset_of!(ProcessHeader, page_faults)),
                disk_faults: field(offset_of!(ProcessHeader, disk_faults)),
            })
            .filter(|used| used.peak_bytes > 0),
            clock_reading_ticks: Some(field(offset_of!(ProcessHeader, clock_readings_ticks)))
                .filter(|&ticks| ticks > 0)
                .map(|ticks| ticks as f64 / CLOCK_READINGS as f64),
            cycle_ticks: field(offset_of!(ProcessHeader, chain_ticks)) as f64 / CHAIN_CYCLES as f64,
            atomic_ticks: field(offset_of!(ProcessHeader, atomics_ticks)) as f64 / ATOMICS as f64,
            begun_locations: header.u32(offset_of!(ProcessHeader, locations)),
            locations: Vec::new(),
            definitions,
        })
    }
}

impl LiveProcess {
    /// The locations that play the threads of a communicator, in the order of thread numbers;
    /// threads that never came are left out. Empty for other definitions.
    pub fn members(&self, communicator: &Definition) -> Vec<&LiveLocation> {
        let find = |index| self.locations.iter().find(|location| location.index == index);
        let (master, level, size) = match *communicator {
            Definition::Communicator { master, size, .. } => {
                (master, find(master).map_or(0, |master| master.level).saturating_add(1), size)
            }
            Definition::NestedCommunicator { master, level, size, .. } => (master, level, size),
            _ => return Vec::new(),
        };
        let mut members: Vec<&LiveLocation> = find(master).into_iter().collect();
        let of_team = |location: &&LiveLocation| {
            location.parent == Some(master) && location.level == level && location.thread < size
        };
        let mut workers: Vec<&LiveLocation> = self.locations.iter().filter(of_team).collect();
        workers.sort_by_key(|worker| worker.thread);
        members.extend(workers);
        members
    }

    /// The location's path of thread numbers from the outside in, one per nesting level: the third
    /// thread of a team that the initial thread forked as thread 0 of another is `[0, 3]`. Empty
    /// for initial threads.
    pub fn thread_path(&self, location: &LiveLocation) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = location;
        // Parents are made before their workers; anything else is damage.
        while let Some(parent) = at.parent.filter(|&parent| parent < at.index) {
            let Some(parent) = self.locations.iter().find(|other| other.index == parent) else {
                break;
            };
            path.push(at.thread);
            let zeros = at.level.saturating_sub(parent.level.saturating_add(1)).min(MAX_LEVELS);
            path.extend(std::iter::repeat_n(0, zeros as usize));
            at = parent;
        }
        path.reverse();
        path
    }
}

fn without_place(header: &Bytes) -> Vec<(FixedTable, u64)> {
    let first = offset_of!(ProcessHeader, without_place);
    let count = |table: FixedTable| header.u64(first + table as usize * size_of::<u64>());
    let counts = FixedTable::ALL.map(|table| (table, count(table)));
    counts.into_iter().filter(|&(_, count)| count > 0).collect()
}

/// A damaged file must not make a path of billions of numbers.
const MAX_LEVELS: u32 = 1 << 12;

fn read_teams(folder: &Path, count: u32) -> Result<Vec<LiveTeam>, ReadError> {
    let file = Bytes::read(folder.join(TEAMS_FILE))?;
    let whole = file.bytes.len() / size_of::<Team>();
    let teams = (0..whole.min(count as usize)).map(|index| {
        let at = index * size_of::<Team>();
        LiveTeam { join_ticks: file.u64(at + offset_of!(Team, join_ticks)) }
    });
    Ok(teams.collect())
}

fn counted_metrics(definitions: &[Definition]) -> usize {
    let is_counted = |definition: &&Definition| match definition {
        Definition::Metric { missing, .. } => missing.is_empty(),
        _ => false,
    };
    definitions.iter().filter(is_counted).count()
}

fn read_locations(
    folder: &Path,
    count: u32,
    metrics: usize,
) -> Result<Vec<LiveLocation>, ReadError> {
    let mut locations = Vec::new();
    for index in location_files(folder)?.into_iter().take_while(|&index| index < count) {
        let file = Bytes::read(folder.join(location_file(index)))?;
        if file.u64(0) == MAGIC {
            let mut location = read_location(folder, (index, &file))?;
            let nodes = location.nodes.len();
            location.metrics = read_metrics(folder, index, (nodes, metrics));
            locations.push(location);
        }
    }
    Ok(locations)
}

/// The numbers of the locations that have a file, sorted. A location is counted before its file
/// exists, so a process that died in between has one less; and a damaged count says nothing.
fn location_files(folder: &Path) -> Result<Vec<u32>, ReadError> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|error| ReadError::Io(folder.to_owned(), error))?;
    let number = |name: &str| {
        let number = name.strip_suffix(".loc")?.parse().ok()?;
        (location_file(number) == name).then_some(number)
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut numbers: Vec<u32> = names.filter_map(|name| number(name.to_str()?)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn read_location(folder: &Path, (index, file): (u32, &Bytes)) -> Result<LiveLocation, ReadError> {
    file.expect(LOCATION_PAGE_BYTES)?;
    let (word, long) = (|offset| file.u32(offset), |offset| file.u64(offset));
    let own = word(offset_of!(LocationHeader, index));
    if own != index {
        return Err(file.damaged(format!("it is of location {own}, expected location {index}")));
    }
    let parent = word(offset_of!(LocationHeader, parent));
    let whole = (file.bytes.len() - LOCATION_PAGE_BYTES) / size_of::<Node>();
    let claimed = word(offset_of!(LocationHeader, nodes)) as usize;
    if claimed > whole {
        return Err(file.damaged(format!("{claimed} call paths, room for {whole}")));
    }
    let nodes: Vec<Node> = (0..claimed).map(|node| read_node(file, node)).collect();
    if let Some(bad) = nodes.iter().skip(1).position(|node| node.parent as usize >= claimed) {
        return Err(file.damaged(format!("call path {} has no parent", bad + 1)));
    }
    let (sample_frames, incomplete_samples) = read_samples(folder, index, claimed);
    Ok(LiveLocation {
        index,
        parent: (parent != u32::MAX).then_some(parent),
        thread: word(offset_of!(LocationHeader, thread)),
        level: word(offset_of!(LocationHeader, level)),
        nodes,
        metrics: Vec::new(),
        visit_records: read_visit_records(folder, index, claimed),
        task_records: read_task_records(folder, index, word(TASK_RECORDS)),
        sample_frames,
        incomplete_samples,
        current: node_index(word(offset_of!(LocationHeader, current))),
        final_barrier: word(offset_of!(LocationHeader, final_barrier)).checked_sub(1),
        last_ticks: long(offset_of!(LocationHeader, last_ticks)),
        summed_visits: long(offset_of!(LocationHeader, summed_visits)),
        excluded_visits: long(offset_of!(LocationHeader, excluded_visits)),
        thread_times: ThreadTimes::read(long),
        buffer_path: folder.join(buffer_file(index)),
        events_path: spill_folder(folder).join(events_file(index)),
    })
}

/// As many nodes as the file has, at most `nodes`.
fn read_metrics(folder: &Path, location: u32, (nodes, metrics): (usize, usize)) -> Vec<Vec<u64>> {
    let Ok(file) = Bytes::read(folder.join(metrics_file(location))) else { return Vec::new() };
    if metrics == 0 {
        return Vec::new();
    }
    let whole = (file.bytes.len() / (8 * metrics)).min(nodes);
    let number = |index: usize, metric: usize| file.u64(8 * (index * metrics + metric));
    (0..whole).map(|index| (0..metrics).map(|metric| number(index, metric)).collect()).collect()
}

const TASK_RECORDS: usize = offset_of!(LocationHeader, task_records);

/// A location without tasks has no file; record 0 is unused.
fn read_task_records(folder: &Path, location: u32, claimed: u32) -> Vec<TaskRecord> {
    let Ok(file) = Bytes::read(folder.join(tasks_file(location))) else { return Vec::new() };
    let whole = (file.bytes.len() / size_of::<TaskRecord>()).min(claimed as usize);
    let record = |index: usize| {
        let at = index * size_of::<TaskRecord>();
        let bin = |bin: usize| file.u32(at + offset_of!(TaskRecord, bins) + 4 * bin);
        let squares = at + offset_of!(TaskRecord, sum_of_squares);
        TaskRecord {
            region: file.u32(at + offset_of!(TaskRecord, region)),
            time: file.u32(at + offset_of!(TaskRecord, time)),
            min_ticks: file.u64(at + offset_of!(TaskRecord, min_ticks)),
            max_ticks: file.u64(at + offset_of!(TaskRecord, max_ticks)),
            sum_ticks: file.u64(at + offset_of!(TaskRecord, sum_ticks)),
            sum_of_squares: [file.u64(squares), file.u64(squares + 8)],
            bins: std::array::from_fn(bin),
        }
    };
    (1..whole).map(record).collect()
}

/// As many records as there are nodes, or fewer.
fn read_visit_records(folder: &Path, location: u32, nodes: usize) -> Vec<VisitRecord> {
    let Ok(file) = Bytes::read(folder.join(visits_file(location))) else { return Vec::new() };
    let whole = (file.bytes.len() / size_of::<VisitRecord>()).min(nodes);
    let record = |index: usize| {
        let at = index * size_of::<VisitRecord>();
        let long = |offset: usize| file.u64(at + offset);
        VisitRecord {
            begun: long(offset_of!(VisitRecord, begun)),
            ended: long(offset_of!(VisitRecord, ended)),
            min_ticks: long(offset_of!(VisitRecord, min_ticks)),
            max_ticks: long(offset_of!(VisitRecord, max_ticks)),
            sum_ticks: long(offset_of!(VisitRecord, sum_ticks)),
            sum_of_squares: f64::from_bits(long(offset_of!(VisitRecord, sum_of_squares))),
        }
    };
    (0..whole).map(record).collect()
}

/// The frames of samples, up to the first that does not come after the one that has called it, or
/// that stands for none of the nodes; and the number of incomplete samples.
fn read_samples(folder: &Path, location: u32, nodes: usize) -> (Vec<SampleFrame>, u32) {
    let none = (Vec::new(), 0);
    let Ok(file) = Bytes::read(folder.join(samples_file(location))) else { return none };
    if file.bytes.len() < SAMPLE_PAGE_BYTES || file.u64(0) != MAGIC {
        return none;
    }
    let whole = (file.bytes.len() - SAMPLE_PAGE_BYTES) / size_of::<SampleFrame>();
    let claimed = file.u32(offset_of!(SampleHeader, frames)) as usize;
    let mut frames = Vec::new();
    for index in 0..claimed.min(whole) {
        let mut frame = read_sample_frame(&file, index);
        let is_top = index > 0 && frame.parent == 0;
        if is_top {
            frame.place = node_index(u32::try_from(frame.place).unwrap_or(0)).into();
        }
        let is_node = (1..nodes as u64).contains(&frame.place);
        if index > 0 && frame.parent as usize >= index || is_top && !is_node {
            break;
        }
        frames.push(frame);
    }
    (frames, file.u32(offset_of!(SampleHeader, incomplete)))
}

fn read_sample_frame(file: &Bytes, index: usize) -> SampleFrame {
    let at = SAMPLE_PAGE_BYTES + index * size_of::<SampleFrame>();
    let word = |offset: usize| file.u32(at + offset);
    SampleFrame {
        parent: word(offset_of!(SampleFrame, parent)),
        first_child: word(offset_of!(SampleFrame, first_child)),
        sibling: word(offset_of!(SampleFrame, sibling)),
        samples: word(offset_of!(SampleFrame, samples)),
        place: file.u64(at + offset_of!(SampleFrame, place)),
    }
}

/// A node's key, with an index in place of an offset.
fn key(bits: u64) -> u64 {
    match Key::decode(bits) {
        Key::Cause { location, node } => Key::Cause { location, node: node_index(node) }.encode(),
        _ => bits,
    }
}

fn read_node(file: &Bytes, index: usize) -> Node {
    let at = LOCATION_PAGE_BYTES + index * size_of::<Node>();
    let long = |offset: usize| file.u64(at + offset);
    let link = |offset: usize| node_index(file.u32(at + offset));
    Node {
        key: key(long(offset_of!(Node, key))),
        parent: link(offset_of!(Node, parent)),
        first_child: link(offset_of!(Node, first_child)),
        sibling: link(offset_of!(Node, sibling)),
        hint: link(offset_of!(Node, hint)),
        visits: long(offset_of!(Node, visits)),
        ticks: long(offset_of!(Node, ticks)),
        wait_ticks: long(offset_of!(Node, wait_ticks)),
        starvation_ticks: long(offset_of!(Node, starvation_ticks)),
        management_ticks: long(offset_of!(Node, management_ticks)),
        fork_ticks: long(offset_of!(Node, fork_ticks)),
        last_arrivals: long(offset_of!(Node, last_arrivals)),
        delay_ticks: long(offset_of!(Node, delay_ticks)),
        task_ticks: long(offset_of!(Node, task_ticks)),
        task_switches: long(offset_of!(Node, task_switches)),
        created: long(offset_of!(Node, created)),
        undeferred: long(offset_of!(Node, undeferred)),
        private: long(offset_of!(Node, private)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node_offset;

    /// A file of samples with these frames after the unused one: parent, samples, place.
    fn samples(frames: &[(u32, u32, u64)], claimed: u32, nodes: usize) -> Vec<(u32, u32, u64)> {
        let mut bytes = vec![0; SAMPLE_PAGE_BYTES + size_of::<SampleFrame>()];
        bytes[..8].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..12].copy_from_slice(&claimed.to_le_bytes());
        for &(parent, samples, place) in frames {
            for word in [parent, 0, 0, samples] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(place.to_le_bytes());
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(samples_file(3)), bytes).unwrap();
        let (read, incomplete) = read_samples(folder.path(), 3, nodes);
        assert_eq!(incomplete, 0);
        read.iter().skip(1).map(|frame| (frame.parent, frame.samples, frame.place)).collect()
    }

    #[test]
    fn frames_at_the_top_stand_for_nodes_and_damage_ends_the_list() {
        let top = u64::from(node_offset(2));
        let frames = [(0, 1, top), (1, 5, 0x1139), (1, 0, 0x1200), (3, 2, 0x1300)];
        let expected = [(0, 1, 2), (1, 5, 0x1139), (1, 0, 0x1200), (3, 2, 0x1300)];
        assert_eq!(samples(&frames, 5, 3), expected);
        assert_eq!(samples(&frames, 3, 3), expected[..2]);
        assert_eq!(samples(&frames, 99, 3), expected);
        assert!(samples(&frames, 5, 2).is_empty(), "there is no node 2");
        assert!(samples(&[(0, 1, 7)], 2, 3).is_empty(), "no node is there");
        assert_eq!(samples(&[(0, 1, top), (2, 5, 0x1139)], 3, 3), expected[..1], "its own parent");
    }
}
