//! Damage to the live state of killed programs. What holds for any of it: an experiment is made that
//! can be read, or there is an error and live state stays where it is. The fuzz target `live` and
//! the module `damaged_live` check this.

use std::fs::{self, File};
use std::io::Write;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pompeii_cubex::Reader;
use pompeii_finish::{
    Manifest, RunInfo, finish_ended, is_running, is_unfinished, snapshot, unended,
};
use pompeii_live::{DEFINITIONS_FILE, PROCESS_FILE, ProcessHeader};
use pompeii_otf2::read::Archive;

use super::Process;
use super::killed;

/// A file of an experiment as it is before the damage. The zeros at its end are not stored, because
/// a chunk of a trace is a megabyte and has few events.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Below the experiment's folder.
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub length: u64,
}

/// An experiment whose processes were killed.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub files: Vec<Stored>,
}

/// One change to one file.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    Byte { at: usize, value: u8 },
    Word { at: usize, value: u32 },
    Long { at: usize, value: u64 },
    Cut { at: usize },
    Appended { value: u8 },
    Removed,
}

impl Stored {
    fn apply(&mut self, damage: Damage) {
        match damage {
            Damage::Byte { at, value } => self.write(at, &[value]),
            Damage::Word { at, value } => self.write(at, &value.to_le_bytes()),
            Damage::Long { at, value } => self.write(at, &value.to_le_bytes()),
            Damage::Cut { at } => {
                self.bytes.truncate(at);
                self.length = self.length.min(at as u64);
            }
            Damage::Appended { value } => {
                self.bytes.push(value);
                self.length = self.length.max(self.bytes.len() as u64);
            }
            Damage::Removed => self.path = PathBuf::new(),
        }
    }

    /// Puts the bytes there, as far as the file reaches.
    fn write(&mut self, at: usize, bytes: &[u8]) {
        let end = (at + bytes.len()).min(self.length as usize);
        self.bytes.resize(self.bytes.len().max(end), 0);
        for (place, byte) in self.bytes.iter_mut().skip(at).zip(bytes) {
            *place = *byte;
        }
    }

    fn store(&self, folder: &Path) {
        if self.path.as_os_str().is_empty() {
            return;
        }
        let path = folder.join(&self.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::create(path).unwrap();
        file.write_all(&self.bytes).unwrap();
        file.set_len(self.length).unwrap();
    }
}

impl Experiment {
    /// The live state of these processes, the first of which is the one that `run` has started.
    fn of(processes: &[Process]) -> Self {
        let folder = folder();
        for (index, process) in processes.iter().enumerate() {
            let own = match index {
                0 => folder.path().join("live"),
                _ => folder.path().join(format!("procs/{}/live", process.pid)),
            };
            process.write(&own);
            // The last thread has not filled its first chunk.
            let last = process.threads.len() - 1;
            let _ = fs::rename(own.join(format!("{last}.evt")), own.join(format!("{last}.buf")));
        }
        let mut files = Vec::new();
        collect(folder.path(), folder.path(), &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// Makes an experiment of the damaged live state, or of a snapshot of it. Returns whether there
    /// was enough to make one of.
    pub fn check(&self, damages: &[(usize, Damage)], by_snapshot: bool) -> bool {
        let mut files = self.files.clone();
        for &(file, damage) in damages {
            files[file].apply(damage);
        }
        let place = folder();
        let mut root = place.path().join("experiment");
        fs::create_dir(&root).unwrap();
        files.iter().for_each(|file| file.store(&root));
        let _ = (is_running(&root), unended(&root));
        if by_snapshot {
            let copy = place.path().join("copy");
            fs::create_dir(&copy).unwrap();
            if let Err(error) = snapshot(&root, &copy) {
                assert!(!error.to_string().is_empty());
                return false;
            }
            root = copy;
        }
        match finish_ended(&root, &RunInfo::default()) {
            Ok(Some(manifest)) => {
                check_files(&root, &manifest);
                true
            }
            Ok(None) => false,
            Err(error) => {
                assert!(is_unfinished(&root), "{error}");
                false
            }
        }
    }
}

/// What was made can be read.
fn check_files(root: &Path, manifest: &Manifest) {
    assert_eq!(Manifest::load(root).unwrap().pid, manifest.pid);
    let reader = Reader::from_bytes(fs::read(root.join("profile.cubex")).unwrap()).unwrap();
    for (metric, of) in reader.report().metrics.iter() {
        let values = reader.values(metric).unwrap();
        for path in values.call_paths() {
            assert!(values.row(path).is_ok(), "{}", of.unique_name);
        }
    }
    if manifest.trace {
        let archive = Archive::open(&root.join("traces.otf2")).unwrap();
        for location in archive.locations() {
            // A damaged record stays where it is, and ends the events with an error.
            let events: Vec<_> = archive.events(location.id).unwrap().collect();
            let is_whole = events.iter().all(Result::is_ok);
            let count = events.len() as u64;
            assert!(!is_whole || count == location.number_of_events, "{}", location.id.0);
        }
    }
}

/// In memory where the system has such a place.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.unwrap()
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<Stored>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len() as u64;
        bytes.truncate(bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
        files.push(Stored { path: path.strip_prefix(root).unwrap().to_owned(), bytes, length });
    }
}

/// The experiments that are damaged.
pub fn experiments() -> &'static [Experiment; 3] {
    static ALL: OnceLock<[Experiment; 3]> = OnceLock::new();
    ALL.get_or_init(|| {
        [vec![killed::process(false)], vec![killed::process(true)], killed::job()]
            .map(|processes| Experiment::of(&processes))
    })
}

/// Bytes of a change in the input of [`check`].
const DAMAGE_BYTES: usize = 12;

/// More would damage the same places again.
const DAMAGES_MAX: usize = 16;

/// Does the damage that the bytes describe. The first one chooses the experiment, whether it is made
/// of a snapshot, and what the others are: definitions, or [`damages`].
pub fn check(input: &[u8]) -> bool {
    let Some((&choice, rest)) = input.split_first() else { return false };
    let all = experiments();
    let experiment = &all[usize::from(choice & 0x3f) % all.len()];
    let damages = match choice & 0x40 {
        0 => damages(experiment, rest),
        _ => defined(experiment, rest),
    };
    experiment.check(&damages, choice & 0x80 != 0)
}

/// The bytes as further definitions of the first process.
fn defined(experiment: &Experiment, records: &[u8]) -> Vec<(usize, Damage)> {
    let file = |name: &str| {
        let path = Path::new("live").join(name);
        experiment.files.iter().position(|file| file.path == path).unwrap()
    };
    let (log, at) = (file(DEFINITIONS_FILE), offset_of!(ProcessHeader, definitions_bytes));
    let appended = records.iter().map(|&value| (log, Damage::Appended { value }));
    appended.chain([(file(PROCESS_FILE), Damage::Long { at, value: u64::MAX })]).collect()
}

/// The bytes as records of file, kind, place (2 bytes) and value (8 bytes).
fn damages(experiment: &Experiment, records: &[u8]) -> Vec<(usize, Damage)> {
    let damage = |record: &[u8]| {
        let file = usize::from(record[0]) % experiment.files.len();
        let length = experiment.files[file].bytes.len();
        let at = usize::from(u16::from_le_bytes([record[2], record[3]])) % (length + 8);
        let value = u64::from_le_bytes(record[4..].try_into().unwrap());
        let damage = match record[1] % 8 {
            0 | 1 => Damage::Byte { at, value: value as u8 },
            2 | 3 => Damage::Word { at: at & !3, value: value as u32 },
            4 => Damage::Long { at: at & !7, value },
            5 => Damage::Cut { at },
            6 => Damage::Appended { value: value as u8 },
            _ => Damage::Removed,
        };
        (file, damage)
    };
    records.chunks_exact(DAMAGE_BYTES).take(DAMAGES_MAX).map(damage).collect()
}
