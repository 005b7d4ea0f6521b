//! Functions by sampling: the call paths that a process's samples have become nodes below the node
//! in which each sample was taken, and they share its time.
//!
//! A construct's time is exact, and samples are not. So the samples decide only how the exclusive
//! ticks of a node are divided among the node itself and the functions that were seen in it, by
//! cumulative rounding: the shares add up to the ticks. Such nodes have no visits, because nothing
//! counts the calls. The time in which a parallel region was forked and joined is known, so it is
//! not divided, and the samples that were taken in the OpenMP runtime meanwhile do not count.
//!
//! The frames of a sample lead from the program's begin, or from what the OpenMP runtime has called
//! (the function that a compiler makes of a construct's body), to the innermost function. Left out
//! are what starts the program, the functions that have call paths of their own because they are
//! instrumented, and the measurement library with all that it calls. A function that calls itself
//! is one node.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use pompeii_live::{
    Definition, Key, LiveLocation, LiveProcess, Node, RegionKind, SampleFrame, SamplePlace,
};
use pompeii_model::{Display, Metric, OF_SYSTEM, Role, SAMPLED, Unit};
use pompeii_symbols::{Frame, Loaded, Symbols};

use crate::call_sites::bytes;
use crate::hot_lines::HotLine;
use crate::nodes::{ROOT, TASKS};

/// Name of the metric that counts samples.
const SAMPLES: &str = "samples";
/// In longer call paths of instrumented regions, samples are not divided.
const LEVELS_MAX: usize = 256;

/// The samples of a process, and where the nodes are that they have made.
#[derive(Debug, Default)]
pub struct Sampled {
    /// By location.
    of: Vec<OfLocation>,
    /// The lines of the source that they have met.
    pub lines: Vec<HotLine>,
}

#[derive(Debug, Default)]
struct OfLocation {
    /// The nodes from here on are made of samples.
    first: usize,
    /// By node, those of samples included.
    samples: Vec<u64>,
    /// Those among them that were taken in an OpenMP runtime, by node.
    in_runtime: Vec<u64>,
}

/// The metric that counts samples, if the process was sampled.
pub fn metric(live: &LiveProcess) -> Option<Metric> {
    let is_sampled = live.locations.iter().any(|location| !location.sample_frames.is_empty());
    is_sampled.then(|| Metric {
        name: SAMPLES.to_owned(),
        title: "Samples".to_owned(),
        description: "Samples of the thread's CPU time in the call path; they divide the time of \
                      what is instrumented among the functions in it"
            .to_owned(),
        unit: Unit::Count,
        parent: None,
        display: Display::default(),
    })
}

/// How many samples there are, and how many of them have outer frames that are not known.
pub fn counts(live: &LiveProcess) -> [u64; 2] {
    let sum = |sum: u64, count: u32| sum.saturating_add(count.into());
    let frames = live.locations.iter().flat_map(|location| &location.sample_frames);
    let incomplete = live.locations.iter().map(|location| location.incomplete_samples);
    [frames.map(|frame| frame.samples).fold(0, sum), incomplete.fold(0, sum)]
}

/// Adds regions and nodes for what was sampled. The nodes have no time yet: see [`divide`].
pub fn attach(live: &mut LiveProcess, symbols: &Symbols) -> Sampled {
    if metric(live).is_none() {
        return Sampled::default();
    }
    let mut names = Names::new(&live.definitions, symbols);
    let of = live.locations.iter_mut().map(|location| attach_location(location, &mut names));
    let of = of.collect();
    let Names { new, lines, .. } = names;
    live.definitions.extend(new);
    Sampled { of, lines }
}

/// The regions of a process, and those that samples add.
struct Names<'a> {
    symbols: &'a Symbols,
    objects: Vec<Loaded>,
    /// Kind and name by region.
    regions: Vec<(RegionKind, String)>,
    sampled: HashMap<(String, String), u32>,
    new: Vec<Definition>,
    lines: Vec<HotLine>,
    /// Places of the lines.
    known_lines: HashMap<Frame, usize>,
}

impl<'a> Names<'a> {
    fn new(definitions: &[Definition], symbols: &'a Symbols) -> Self {
        let (mut objects, mut regions) = (Vec::new(), Vec::new());
        for definition in definitions {
            match definition {
                Definition::Object { path, build_id, .. } => {
                    objects.push(Loaded { path: PathBuf::from(path), build_id: bytes(build_id) });
                }
                Definition::Region { kind, name, .. } => regions.push((*kind, name.clone())),
                _ => {}
            }
        }
        let (sampled, known_lines) = (HashMap::new(), HashMap::new());
        let (new, lines) = (Vec::new(), Vec::new());
        Self { symbols, objects, regions, sampled, new, lines, known_lines }
    }

    /// Whose code it is.
    fn owner(&self, place: SamplePlace) -> Owner {
        let name = self.objects.get(place.object as usize).and_then(|of| of.path.file_name());
        name.map_or(Owner::Program, |name| owner(&name.to_string_lossy()))
    }

    /// The functions at a place of the code, the outermost one first, each with the line where it
    /// begins, which is 0 if that is not known, for example because the function was inlined; none
    /// if the object is not known.
    fn functions(&self, place: SamplePlace) -> Vec<(Frame, u32)> {
        let Some(loaded) = self.objects.get(place.object as usize) else { return Vec::new() };
        let frames = self.symbols.functions(loaded, place.address);
        let head = self.symbols.head(loaded, place.address);
        let mut heads = head.map(|(_, line)| line).into_iter();
        frames.into_iter().rev().map(|frame| (frame, heads.next().unwrap_or(0))).collect()
    }

    /// The region of a sampled function that begins in this line.
    fn region(&mut self, frame: &Frame, head: u32, owner: Owner) -> u32 {
        let next = self.regions.len() as u32;
        let key = (frame.function.clone(), frame.file.clone());
        let id = *self.sampled.entry(key).or_insert(next);
        if id == next {
            self.regions.push((RegionKind::Function, frame.function.clone()));
            self.new.push(Definition::Region {
                id,
                kind: RegionKind::Function,
                begin_line: 0,
                end_line: 0,
                name: frame.function.clone(),
                file: frame.file.clone(),
                clauses: match owner {
                    Owner::System => format!("{SAMPLED} {OF_SYSTEM}"),
                    Owner::Program | Owner::Measurement => SAMPLED.to_owned(),
                },
            });
        }
        // The function may have been inlined where it was met before.
        let place = id as usize + self.new.len() - self.regions.len();
        if let Some(Definition::Region { begin_line, end_line, .. }) = self.new.get_mut(place)
            && *begin_line == 0
        {
            (*begin_line, *end_line) = (head, head);
        }
        id
    }

    /// The place of a frame's line among the lines; `None` if it is not known.
    fn line(&mut self, frame: &Frame) -> Option<usize> {
        if frame.line == 0 {
            return None;
        }
        let next = self.lines.len();
        let place = *self.known_lines.entry(frame.clone()).or_insert(next);
        if place == next {
            self.lines.push(HotLine {
                file: frame.file.clone(),
                line: frame.line,
                function: frame.function.clone(),
                samples: 0,
            });
        }
        Some(place)
    }

    fn kind(&self, node: &Node) -> Option<RegionKind> {
        match Key::decode(node.key) {
            Key::Region(region) => self.regions.get(region as usize).map(|(kind, _)| *kind),
            Key::Attach { .. } => Some(RegionKind::Parallel),
            Key::Parameter { .. } => Some(RegionKind::Parameter),
            Key::Stub(_) | Key::Cause { .. } => None,
        }
    }
}

/// How far the frames of a sample have been followed, from the outside in.
#[derive(Clone, Copy)]
struct At {
    /// The node that they lead to.
    node: u32,
    /// The frame at the top that they are below.
    top: usize,
    /// How many of the functions around the top have been met.
    met: usize,
    /// The next function is the body of a construct, which has a node already.
    is_body_next: bool,
    /// No frame was met yet.
    is_outermost: bool,
    /// What starts the program is over.
    has_begun: bool,
    /// Frames further inside do not count.
    has_ended: bool,
    /// The innermost line that is known, of the user's code.
    line: Option<usize>,
}

/// The nodes that samples add to a location.
struct Growing<'a> {
    nodes: &'a mut Vec<Node>,
    samples: Vec<u64>,
    in_runtime: Vec<u64>,
    children: HashMap<(u32, u32), u32>,
    /// By frame at the top: the regions of the instrumented functions around it, the outermost one
    /// first.
    around: HashMap<usize, Vec<u32>>,
}

fn attach_location(location: &mut LiveLocation, names: &mut Names) -> OfLocation {
    let LiveLocation { nodes, sample_frames, .. } = location;
    let (first, samples, in_runtime) = (nodes.len(), vec![0; nodes.len()], vec![0; nodes.len()]);
    let (children, around) = (HashMap::new(), HashMap::new());
    let mut growing = Growing { nodes, samples, in_runtime, children, around };
    let mut places: Vec<Option<At>> = vec![None; sample_frames.len().min(1)];
    for (index, frame) in sample_frames.iter().enumerate().skip(1) {
        let above = places.get(frame.parent as usize).copied().flatten();
        let at = match above {
            None => {
                let at = growing.top((index, frame), names);
                growing.in_runtime[at.node as usize] += u64::from(frame.samples);
                at
            }
            Some(at) if frame.place == SamplePlace::UNKNOWN => growing.unknown(at),
            Some(at) => growing.follow(at, SamplePlace::decode(frame.place), names),
        };
        growing.samples[at.node as usize] += u64::from(frame.samples);
        if let Some(line) = at.line {
            names.lines[line].samples += u64::from(frame.samples);
        }
        places.push(Some(at));
    }
    let Growing { samples, in_runtime, .. } = growing;
    OfLocation { first, samples, in_runtime }
}

impl Growing<'_> {
    /// A frame that stands for a node of the call tree.
    fn top(&mut self, (index, frame): (usize, &SampleFrame), names: &Names) -> At {
        let node = (frame.place as usize).min(self.nodes.len() - 1);
        let around = functions_around(self.nodes, node as u32, names);
        let is_work = names.kind(&self.nodes[node]).is_some_and(is_work);
        let has_ended = !is_work || around.is_none();
        let (around, is_body_next) = around.unwrap_or_default();
        self.around.insert(index, around);
        let (node, is_outermost) = (node as u32, true);
        let (top, met, has_begun, line) = (index, 0, false, None);
        At { node, top, met, is_body_next, is_outermost, has_begun, has_ended, line }
    }

    /// Frames that are not known: what starts the program may be among them, the functions that are
    /// open, and the body of the construct.
    fn unknown(&self, mut at: At) -> At {
        at.met = self.around.get(&at.top).map_or(0, Vec::len);
        (at.is_body_next, at.is_outermost, at.has_begun) = (false, false, true);
        at
    }

    /// One frame further inside: its functions, of which all but the first are inlined.
    fn follow(&mut self, mut at: At, place: SamplePlace, names: &mut Names) -> At {
        let owner = names.owner(place);
        for (frame, head) in names.functions(place) {
            // The entry of a stripped program has no name.
            let is_entry = std::mem::take(&mut at.is_outermost)
                && !at.is_body_next
                && frame.function.contains("+0x");
            if owner == Owner::Measurement || is_ours(&frame) {
                // It may have called the function of a construct. Else it is an event.
                at.has_ended |= at.has_begun;
                continue;
            }
            at.has_begun |= !is_entry && !starts_the_program(&frame);
            if at.has_ended || !at.has_begun {
                continue;
            }
            if owner != Owner::System {
                at.line = names.line(&frame).or(at.line);
            }
            if std::mem::take(&mut at.is_body_next) {
                continue;
            }
            let around = self.around.get(&at.top).map_or(&[][..], Vec::as_slice);
            if let Some(&expected) = around.get(at.met) {
                at.met += usize::from(names.regions[expected as usize].1 == frame.function);
                continue;
            }
            let region = names.region(&frame, head, owner);
            at.node = self.child(at.node, region);
        }
        at
    }

    /// The node of this function below another one; a function that calls itself stays the same.
    fn child(&mut self, parent: u32, region: u32) -> u32 {
        let key = Key::Region(region).encode();
        if self.nodes[parent as usize].key == key {
            return parent;
        }
        let next = self.nodes.len() as u32;
        let child = *self.children.entry((parent, region)).or_insert(next);
        if child == next {
            self.nodes.push(Node { key, parent, ..Node::default() });
            self.samples.push(0);
        }
        child
    }
}

/// The regions of the instrumented functions that are open at a node, the outermost one first, as
/// far as they are on the same stack of calls: since the program's begin, or inside the innermost
/// parallel region or task, whose body is a function that the compiler has made and the OpenMP
/// runtime calls, or inside the function that a thread begins with. The second value says whether
/// it is one of the latter two. `None` in a call path that is too
/// long to look at.
fn functions_around(nodes: &[Node], mut at: u32, names: &Names) -> Option<(Vec<u32>, bool)> {
    use RegionKind as Kind;
    let mut found = Vec::new();
    for _ in 0..LEVELS_MAX {
        if at == ROOT || at == TASKS {
            found.reverse();
            return Some((found, false));
        }
        let node = nodes.get(at as usize)?;
        match (names.kind(node), Key::decode(node.key)) {
            (Some(Kind::Parallel | Kind::Teams | Kind::Task | Kind::ThreadStart), _) => {
                found.reverse();
                return Some((found, true));
            }
            (Some(Kind::Function), Key::Region(region)) => found.push(region),
            _ => {}
        }
        at = node.parent;
    }
    None
}

/// Whether a thread executes the user's code in such a region, and does not wait for others or run
/// a library that is observed.
fn is_work(kind: RegionKind) -> bool {
    use RegionKind as Kind;
    let is_code = |kind| {
        matches!(
            kind,
            Kind::Program | Kind::User | Kind::Function | Kind::Parameter | Kind::ThreadStart
        )
    };
    kind.openmp().map_or_else(|| is_code(kind), Role::has_code)
}

/// Whose code a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The program's and its own libraries'.
    Program,
    /// A library of the system's.
    System,
    /// The measurement library's, where that is a file of its own.
    Measurement,
}

/// Libraries of the system: of C, of compilers, and of OpenMP; the beginnings of their names.
const OF_SYSTEM_LIBRARIES: [&str; 23] = [
    "[vdso]",
    "ld-2",
    "ld-linux",
    "ld-musl",
    "libc++",
    "libc-2",
    "libc.so",
    "libdl",
    "libgcc_s",
    "libgfortran",
    "libgomp",
    "libiomp5",
    "libm-2",
    "libm.so",
    "libmvec",
    "libomp.so",
    "libpthread",
    "libquadmath",
    "librt",
    "libstdc++",
    "libunwind",
    "linux-gate",
    "linux-vdso",
];

/// Whose code is in the file of this name.
fn owner(name: &str) -> Owner {
    if name.starts_with("libpomp") {
        Owner::Measurement
    } else if OF_SYSTEM_LIBRARIES.iter().any(|library| name.starts_with(library)) {
        Owner::System
    } else {
        Owner::Program
    }
}

/// Whether it is a function of the measurement library, which may be a part of the program.
fn is_ours(frame: &Frame) -> bool {
    let prefixes = ["POMP_", "POMP2_", "pomp::"];
    prefixes.iter().any(|prefix| frame.function.starts_with(prefix))
}

/// Whether it is a function of the system that has called `main` or the function of a thread.
fn starts_the_program(frame: &Frame) -> bool {
    let names = ["_start", "start_thread", "clone", "clone3"];
    let prefixes = ["__libc_start", "libc.so", "libc-2", "libpthread", "ld-linux"];
    names.contains(&frame.function.as_str())
        || prefixes.iter().any(|prefix| frame.function.starts_with(prefix))
}

impl Sampled {
    /// Divides the ticks of each node of a location that has samples below it; the nodes must have
    /// all their ticks.
    pub fn divide(&self, position: usize, nodes: &mut [Node]) {
        if let Some(of) = self.of.get(position) {
            of.divide(nodes);
        }
    }

    /// The numbers of a location's samples, by node.
    pub fn samples(&self, position: usize) -> &[u64] {
        self.of.get(position).map_or(&[], |of| &of.samples)
    }
}

impl OfLocation {
    /// Divides the ticks of each node below `first` among it and the nodes that samples have made
    /// below it.
    fn divide(&self, nodes: &mut [Node]) {
        let Self { first, samples, .. } = self;
        let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut base = Vec::new();
        for (index, node) in nodes.iter().enumerate().take(samples.len()).skip(*first) {
            let parent = node.parent as usize;
            let own = parent.checked_sub(*first).map_or(parent, |made| base[made]);
            base.push(own);
            below.entry(own).or_default().push(index);
        }
        for (own, made) in below {
            self.divide_one(nodes, own, &made);
        }
    }

    /// Divides the ticks of node `own`, except those of forks and joins, among it and these nodes.
    fn divide_one(&self, nodes: &mut [Node], own: usize, made: &[usize]) {
        let kept = nodes[own].management_ticks.min(nodes[own].ticks);
        let ticks = u128::from(nodes[own].ticks - kept);
        let elsewhere = if kept > 0 { self.in_runtime[own] } else { 0 };
        let of = |index: usize| {
            let samples = self.samples[index];
            u128::from(if index == own { samples.saturating_sub(elsewhere) } else { samples })
        };
        let all = || std::iter::once(own).chain(made.iter().copied());
        let total: u128 = all().map(of).sum();
        let (mut seen, mut given) = (0, 0);
        for index in all().filter(|_| total > 0) {
            seen += of(index);
            // The first `seen` samples get `ticks * seen / total`, rounded down, so that all of
            // them get `ticks`; it is no more than that.
            let until = (ticks * seen / total) as u64;
            nodes[index].ticks = until - given;
            given = until;
        }
        if total > 0 {
            nodes[own].ticks += kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(key: Key, parent: u32, ticks: u64) -> Node {
        Node { key: key.encode(), parent, ticks, ..Node::default() }
    }

    /// Samples of nodes, of which all but the first are made of samples.
    fn sampled<const COUNT: usize>(samples: &[u64; COUNT], runtime: [u64; COUNT]) -> OfLocation {
        OfLocation { first: 1, samples: samples.to_vec(), in_runtime: runtime.to_vec() }
    }

    #[test]
    fn shares_add_up_to_the_ticks() {
        for ticks in [0, 1, 7, 100, u64::MAX] {
            for samples in [[1, 1, 1, 0], [0, 2, 0, 5], [0, 0, 0, 0], [9, 0, 0, 0]] {
                let key = Key::Region(0);
                let mut nodes = vec![node(key, 0, ticks), node(key, 0, 0), node(key, 1, 0)];
                nodes.push(node(key, 0, 0));
                sampled(&samples, [0; 4]).divide(&mut nodes);
                let shares = nodes.iter().map(|node| node.ticks);
                assert_eq!(shares.sum::<u64>(), ticks, "{samples:?}");
                let mut none = samples.iter().zip(&nodes).filter(|(samples, _)| **samples == 0);
                let total: u64 = samples.iter().sum();
                assert!(total == 0 || none.all(|(_, node)| node.ticks == 0));
            }
        }
        let mut nodes = vec![node(Key::Region(0), 0, 100), node(Key::Region(1), 0, 0)];
        sampled(&[1, 2], [0; 2]).divide(&mut nodes);
        assert_eq!(nodes.iter().map(|node| node.ticks).collect::<Vec<_>>(), [33, 67]);
    }

    /// Of 100 ticks, 40 went to forks and joins: 60 remain for the samples outside of the runtime.
    #[test]
    fn the_time_of_forks_and_joins_is_not_divided() {
        for (samples, in_runtime, expected) in [
            ([1, 2], [0, 0], [60, 40]),
            ([5, 2], [4, 0], [60, 40]),
            ([5, 2], [5, 0], [40, 60]),
            ([5, 0], [5, 0], [100, 0]),
        ] {
            let mut nodes = vec![node(Key::Region(0), 0, 100), node(Key::Region(1), 0, 0)];
            nodes[0].management_ticks = 40;
            sampled(&samples, in_runtime).divide(&mut nodes);
            assert_eq!(nodes.iter().map(|node| node.ticks).collect::<Vec<_>>(), expected);
        }
        let mut nodes = vec![node(Key::Region(0), 0, 30), node(Key::Region(1), 0, 0)];
        nodes[0].management_ticks = u64::MAX;
        sampled(&[1, 2], [0; 2]).divide(&mut nodes);
        assert_eq!(nodes.iter().map(|node| node.ticks).collect::<Vec<_>>(), [30, 0], "damage");
    }

    #[test]
    fn functions_around_a_node_end_at_the_construct_with_a_body_of_its_own() {
        let symbols = Symbols::default();
        let mut names = Names::new(&[], &symbols);
        let region = |kind, name: &str| (kind, name.to_owned());
        names.regions = vec![
            region(RegionKind::Program, "prog"),
            region(RegionKind::Tasks, "TASKS"),
            region(RegionKind::Function, "main"),
            region(RegionKind::Function, "relax"),
            region(RegionKind::Parallel, "!$omp parallel"),
            region(RegionKind::Loop, "!$omp for"),
            region(RegionKind::ThreadStart, "worker"),
        ];
        let keys = [(0, 0), (0, 0), (1, 0), (2, 1), (3, 3), (4, 4), (5, 5), (3, 6), (6, 1), (3, 8)];
        let nodes: Vec<Node> =
            keys.iter().map(|&(region, parent)| node(Key::Region(region), parent, 0)).collect();
        let of = |at| functions_around(&nodes, at, &names);
        assert_eq!(of(1), Some((vec![], false)));
        assert_eq!(of(4), Some((vec![2, 3], false)));
        assert_eq!(of(6), Some((vec![], true)));
        assert_eq!(of(7), Some((vec![3], true)));
        assert_eq!(of(9), Some((vec![3], true)));
        assert_eq!(of(10), None);
    }

    #[test]
    fn libraries_of_the_system_are_known_by_their_names() {
        for (name, expected) in [
            ("libc.so.6", Owner::System),
            ("libm-2.31.so", Owner::System),
            ("libgomp-a34b3233.so.1.0.0", Owner::System),
            ("libmesh.so.2", Owner::Program),
            ("libcblas.so.3", Owner::Program),
            ("ocean", Owner::Program),
            ("libpomp.so", Owner::Measurement),
        ] {
            assert_eq!(owner(name), expected, "{name}");
        }
    }

    #[test]
    fn what_starts_a_program_is_none_of_its_functions() {
        let frame = |function: &str| Frame { function: function.into(), file: "".into(), line: 0 };
        for (function, starts, ours) in [
            ("_start", true, false),
            ("libc.so.6+0x27240", true, false),
            ("__libc_start_main_impl", true, false),
            ("main", false, false),
            ("libsolver.so+0x10", false, false),
            ("POMP_Parallel_fork", false, true),
            ("pomp::team::fork", false, true),
        ] {
            let frame = frame(function);
            assert_eq!((starts_the_program(&frame), is_ours(&frame)), (starts, ours), "{function}");
        }
    }
}
