//! A thread of the profile: samples with the call stack between two events, whose weight is the
//! time between them; tasks as markers; and the tables that samples refer to.

use std::collections::HashMap;
use std::io::{self, Write};

use pompeii_index::{TaskId, Visitor};
use pompeii_model::{LocationId, Paradigm, Region};
use pompeii_replay::definitions::Definitions;

use super::column::{Column, write_same};
use crate::clock::Clock;
use crate::json::quoted;
use crate::tasks;

/// The index of no stack.
const NO_STACK: u32 = u32::MAX;
/// The string of the name of all markers.
const TASK: &str = "task";
/// Markers with a begin and an end.
const INTERVAL: &str = "1";

/// A thread while its events are read.
pub struct Thread<'a> {
    definitions: &'a Definitions,
    clock: Clock,
    /// The stacks that are open, by level.
    open: Vec<u32>,
    /// All stacks: the one around, and the region.
    stacks: Vec<(u32, u32)>,
    known: HashMap<(u32, u32), u32>,
    /// When the last sample ended, in nanoseconds.
    now_ns: u64,
    samples: u64,
    stack: Column,
    time: Column,
    weight: Column,
    markers: u64,
    data: Column,
    start: Column,
    end: Column,
    /// The first failure of a write.
    result: io::Result<()>,
}

impl<'a> Thread<'a> {
    /// Before the first event.
    pub fn new(definitions: &'a Definitions) -> Thread<'a> {
        Thread {
            definitions,
            clock: Clock::new(definitions),
            open: Vec::new(),
            stacks: Vec::new(),
            known: HashMap::new(),
            now_ns: 0,
            samples: 0,
            stack: Column::default(),
            time: Column::default(),
            weight: Column::default(),
            markers: 0,
            data: Column::default(),
            start: Column::default(),
            end: Column::default(),
            result: Ok(()),
        }
    }

    /// A sample until this time. The profiler takes a stack to last until the next sample.
    fn sample(&mut self, stack: u32, until_ns: u64) -> io::Result<()> {
        let since_ns = std::mem::replace(&mut self.now_ns, until_ns);
        self.samples += 1;
        match stack {
            NO_STACK => self.stack.add(format_args!("null"))?,
            stack => self.stack.add(format_args!("{stack}"))?,
        }
        self.time.add(format_args!("{}", Milliseconds(since_ns)))?;
        self.weight.add(format_args!("{}", Milliseconds(until_ns - since_ns)))
    }

    /// The samples of a stack, and before them one without if the thread had none meanwhile.
    fn lasted(&mut self, start: u64, end: u64) -> io::Result<()> {
        let (start, end) = (self.clock.time_ns(start), self.clock.time_ns(end));
        if start >= end {
            return Ok(());
        }
        if start > self.now_ns {
            self.sample(NO_STACK, start)?;
        }
        let stack = self.open.last().copied().unwrap_or(NO_STACK);
        self.sample(stack, end.max(self.now_ns))
    }

    fn marker(&mut self, (start, end): (u64, u64), task: TaskId) -> io::Result<()> {
        self.markers += 1;
        let name = tasks::name(task);
        self.data.add(format_args!("{{\"type\":\"{TASK}\",\"instance\":\"{name}\"}}"))?;
        self.start.add(format_args!("{}", Milliseconds(self.clock.time_ns(start))))?;
        self.end.add(format_args!("{}", Milliseconds(self.clock.time_ns(end))))
    }

    fn keep(&mut self, result: io::Result<()>) {
        if self.result.is_ok() {
            self.result = result;
        }
    }

    /// Writes the thread, whose events have all been read.
    pub fn write(mut self, id: LocationId, out: &mut impl Write) -> io::Result<()> {
        std::mem::replace(&mut self.result, Ok(()))?;
        self.sample(NO_STACK, self.now_ns)?;
        write!(out, "\n{{{}", self.names(id))?;
        write!(out, ",\"samples\":{{\"length\":{},\"weightType\":\"tracing-ms\"", self.samples)?;
        self.stack.write("stack", out)?;
        self.time.write("time", out)?;
        self.weight.write("weight", out)?;
        write!(out, "}},\n\"markers\":{{\"length\":{}", self.markers)?;
        self.data.write("data", out)?;
        self.start.write("startTime", out)?;
        self.end.write("endTime", out)?;
        for (name, value) in [("name", "0"), ("phase", INTERVAL), ("category", "0")] {
            write_same(name, (value, self.markers), out)?;
        }
        writeln!(out, "}},")?;
        write_tables(&self.definitions.regions.iter().collect::<Vec<_>>(), &self.stacks, out)?;
        out.write_all(b"}")
    }

    /// Names and numbers. Those of processes and threads are not those of the system, which the
    /// trace does not have.
    fn names(&self, id: LocationId) -> String {
        let system = &self.definitions.system;
        let location = &system.locations[id];
        let process = &system.processes[location.process];
        let end = Milliseconds(self.clock.time_ns(self.definitions.end));
        format!(
            "\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":{end},\
             \"registerTime\":0,\"unregisterTime\":{end},\"pausedRanges\":[],\"name\":{},\
             \"isMainThread\":{},\"processName\":{},\"pid\":\"{}\",\"tid\":{}",
            quoted(&location.name),
            process.master == id,
            quoted(&process.name),
            u64::from(process.master.0) + 1,
            u64::from(id.0) + 1,
        )
    }
}

impl Visitor for Thread<'_> {
    fn enter(&mut self, _: u32) {}

    fn begin(&mut self, level: usize, _: u64, region: u32, _: u8) {
        self.open.truncate(level);
        let around = self.open.last().copied().unwrap_or(NO_STACK);
        // A region without definition has no frame.
        let stack = match self.definitions.regions.len() > region as usize {
            false => around,
            true => *self.known.entry((around, region)).or_insert_with(|| {
                self.stacks.push((around, region));
                self.stacks.len() as u32 - 1
            }),
        };
        self.open.push(stack);
    }

    fn level(&mut self, level: usize, _: u64, _: u64, _: u32, _: u8) {
        self.open.truncate(level);
    }

    fn innermost(&mut self, start: u64, end: u64, _: u32) {
        let result = self.lasted(start, end);
        self.keep(result);
    }

    fn fragment(&mut self, start: u64, end: u64, task: TaskId, _: u8) {
        let result = self.marker((start, end), task);
        self.keep(result);
    }
}

/// A time in nanoseconds, which is written in milliseconds.
struct Milliseconds(u64);

impl std::fmt::Display for Milliseconds {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// The place of a region's programming model in the list of categories.
fn category(paradigm: Paradigm) -> usize {
    super::CATEGORIES.iter().position(|(known, ..)| *known == paradigm).unwrap_or(0)
}

/// The tables. A region is a frame and a function with the same number. The first string is the
/// name of markers, then come names of regions, then their files.
fn write_tables(
    regions: &[&Region],
    stacks: &[(u32, u32)],
    out: &mut impl Write,
) -> io::Result<()> {
    let number = regions.len();
    write!(out, "\"stackTable\":{{\"length\":{}", stacks.len())?;
    list("frame", stacks.iter().map(|(_, region)| region.to_string()), out)?;
    let or_null =
        |around: u32| if around == NO_STACK { "null".to_owned() } else { around.to_string() };
    list("prefix", stacks.iter().map(|(around, _)| or_null(*around)), out)?;
    let line = |region: &&Region| match region.begin_line {
        0 => "null".to_owned(),
        line => line.to_string(),
    };
    let same = |value: &'static str| std::iter::repeat_n(value.to_owned(), number);
    write!(out, "}},\n\"frameTable\":{{\"length\":{number}")?;
    list("func", (0..number).map(|it| it.to_string()), out)?;
    list("category", regions.iter().map(|it| category(it.paradigm).to_string()), out)?;
    list("subcategory", same("0"), out)?;
    list("line", regions.iter().map(line), out)?;
    list("address", same("-1"), out)?;
    list("inlineDepth", same("0"), out)?;
    for name in ["nativeSymbol", "innerWindowID", "column"] {
        list(name, same("null"), out)?;
    }
    write!(out, "}},\n\"funcTable\":{{\"length\":{number}")?;
    list("name", (0..number).map(|it| (1 + it).to_string()), out)?;
    let file = |(place, region): (usize, &&Region)| match region.file.is_empty() {
        true => "null".to_owned(),
        false => (1 + number + place).to_string(),
    };
    list("fileName", regions.iter().enumerate().map(file), out)?;
    list("lineNumber", regions.iter().map(line), out)?;
    list("columnNumber", same("null"), out)?;
    list("resource", same("-1"), out)?;
    for name in ["isJS", "relevantForJS"] {
        list(name, same("false"), out)?;
    }
    let empty = "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n\
        \"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}";
    write!(out, "}},\n{empty}")?;
    let names = regions.iter().map(|region| quoted(&region.label()));
    let files = regions.iter().map(|region| quoted(&region.file));
    list("stringArray", [quoted(TASK)].into_iter().chain(names).chain(files), out)
}

/// Writes an array with a name.
fn list(name: &str, values: impl Iterator<Item = String>, out: &mut impl Write) -> io::Result<()> {
    let mut column = Column::default();
    for value in values {
        column.add(format_args!("{value}"))?;
    }
    column.write(name, out)
}
