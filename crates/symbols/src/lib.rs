//! What an address in an executable or a library belongs to: function, file, line, and the calls
//! that the compiler has inlined there.
//!
//! An address is one of the ELF file, that is, without the load base. A file counts only if it is
//! still the one that was loaded: its build id must be the recorded one. An address gets a name
//! only inside the range of a function or symbol, because the nearest symbol before it may be that
//! of another function. Everything else is shown as `libsolver.so+0x1234`, which a later look-up
//! can resolve.
//!
//! Files may be anything: errors of the readers mean that there are no names.

mod debug;
mod name;
mod starts;
mod table;
mod unwind;
mod variables;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use addr2line::Loader;
use object::{Object as _, ReadCache};

pub use name::readable;
pub use starts::first_lines;
use table::Table;
use unwind::Ranges;
pub use variables::variables;

/// A file that was loaded into a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loaded {
    /// Where it was.
    pub path: PathBuf,
    /// Its build id; empty if it has none.
    pub build_id: Vec<u8>,
}

/// A function at an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Its name in the source's words, or `lib+0x1234`.
    pub function: String,
    /// The file of the line; empty if unknown.
    pub file: String,
    /// The line, 0 if unknown.
    pub line: u32,
}

/// Looks addresses up. Files stay open, and each address is looked up once.
#[derive(Default)]
pub struct Symbols(Mutex<State>);

#[derive(Default)]
struct State {
    opened: HashMap<Loaded, Option<Opened>>,
    known: HashMap<(Loaded, u64), Known>,
}

/// What was found for an address.
#[derive(Clone)]
struct Known {
    /// Empty if there are no names.
    frames: Vec<Frame>,
    /// Where its function begins.
    begin: Option<u64>,
}

/// A file, and its separate debug file if it has one.
struct Opened {
    symbols: Table,
    ranges: Ranges,
    lines: Vec<Loader>,
}

impl Symbols {
    /// The functions at an address, the innermost one first: those that were inlined, then the one
    /// they were inlined into. There is at least one.
    pub fn frames(&self, loaded: &Loaded, address: u64) -> Vec<Frame> {
        named(self.known(loaded, address).frames, loaded, address)
    }

    /// The same for those who count by function: without names it is `lib+0x1200` for all addresses
    /// of the function that begins there, if the file says where its functions begin.
    pub fn functions(&self, loaded: &Loaded, address: u64) -> Vec<Frame> {
        let known = self.known(loaded, address);
        named(known.frames, loaded, known.begin.unwrap_or(address))
    }

    /// File and line where the function begins that has this address.
    pub fn head(&self, loaded: &Loaded, address: u64) -> Option<(String, u32)> {
        let begin = self.known(loaded, address).begin?;
        // The last one is the function itself, and not what was inlined there.
        let Frame { file, line, .. } = self.known(loaded, begin).frames.pop()?;
        (line > 0).then_some((file, line))
    }

    fn known(&self, loaded: &Loaded, address: u64) -> Known {
        let State { opened, known } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (loaded.clone(), address);
        if let Some(found) = known.get(&key) {
            return found.clone();
        }
        let opened = opened.entry(loaded.clone()).or_insert_with(|| open(loaded));
        let found = match opened {
            Some(opened) => {
                Known { frames: opened.frames(address), begin: opened.ranges.begin(address) }
            }
            None => Known { frames: Vec::new(), begin: None },
        };
        known.insert(key, found.clone());
        found
    }

    /// Closes all files. What was looked up stays known.
    pub fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).opened.clear();
    }
}

/// The frames, or one with the address for a name.
fn named(mut frames: Vec<Frame>, loaded: &Loaded, address: u64) -> Vec<Frame> {
    if frames.is_empty() {
        let name = loaded.path.file_name().unwrap_or_default().to_string_lossy();
        let function = format!("{name}+{address:#x}");
        frames.push(Frame { function, file: String::new(), line: 0 });
    }
    frames
}

/// Opens a file if it is the one that was loaded.
fn open(loaded: &Loaded) -> Option<Opened> {
    let file = ReadCache::new(debug::regular(&loaded.path)?);
    let elf = object::File::parse(&file).ok()?;
    let build_id = elf.build_id().ok().flatten().unwrap_or_default();
    if build_id != loaded.build_id {
        return None;
    }
    let ranges = Ranges::of(&elf);
    let mut opened = Opened { symbols: Table::default(), ranges, lines: Vec::new() };
    opened.add(&loaded.path, &elf);
    if let Some(path) = debug::separate(&loaded.path, build_id, &elf) {
        let file = ReadCache::new(debug::regular(&path)?);
        if let Ok(elf) = object::File::parse(&file) {
            opened.add(&path, &elf);
        }
    }
    opened.symbols.sort();
    Some(opened)
}

impl Opened {
    fn add<'a>(&mut self, path: &Path, elf: &impl object::Object<'a>) {
        self.symbols.add(elf);
        self.lines.extend(Loader::new(path).ok());
    }

    fn frames(&self, address: u64) -> Vec<Frame> {
        let symbol = self.symbols.find(address).map(readable);
        let from_lines = self.lines.iter().rev().map(|loader| frames_of(loader, address));
        let mut frames =
            from_lines.into_iter().find(|frames| !frames.is_empty()).unwrap_or_default();
        match (frames.last_mut(), symbol) {
            (Some(last), Some(symbol)) if last.function.is_empty() => last.function = symbol,
            (None, Some(function)) => {
                frames.push(Frame { function, file: String::new(), line: 0 });
            }
            _ => {}
        }
        frames.retain(|frame| !frame.function.is_empty());
        frames
    }
}

/// The functions that debug information has for an address.
fn frames_of(loader: &Loader, address: u64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let Ok(mut found) = loader.find_frames(address) else { return frames };
    while let Ok(Some(frame)) = found.next() {
        let function = frame.function.as_ref().and_then(|function| function.raw_name().ok());
        let location = frame.location;
        let file = location.as_ref().and_then(|location| location.file).unwrap_or_default();
        frames.push(Frame {
            function: function.map(|name| readable(&name)).unwrap_or_default(),
            file: file.to_owned(),
            line: location.and_then(|location| location.line).unwrap_or(0),
        });
    }
    frames
}
