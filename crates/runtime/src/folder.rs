//! Where live state goes, and what is said where it can go nowhere.
//!
//! The first process of a run owns the experiment's root, others get a folder below `procs/`. Live
//! state itself lies on node-local storage if `POMPEII_LIVE_DIR` says so, and in `/dev/shm` where
//! that file system cannot map or allocate files, or cannot promise that what is allocated can be
//! written to (`live::map`): then `live` is a symbolic link.
//!
//! Of a job that a launcher has started, one process may make the folder that others then see late,
//! or cannot write to. They wait for a while, and else keep their live state where `finish` finds
//! it on the same host ([`pompeii_live::elsewhere`]).

use std::ffi::{CStr, CString, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pompeii_live::{
    FAILED_PREFIX, MapError, PROCESSES_FOLDER, SPILL_LINK, STORAGE_VARIABLES, STORAGES,
    SUMMARY_FILE, elsewhere, printable, quoted, remove_live,
};

use crate::clock;

const SHARED_MEMORY: &str = "/dev/shm";
const PROCESSES_MAX: u32 = 1000;
/// A process of a launcher's job waits so long for a folder that it does not see.
const PATIENCE: Duration = Duration::from_secs(5);
/// Variables that launchers set for each process of a job.
const IN_JOB: [&str; 4] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];
/// Variables that name the experiment's root.
const ROOT: [&str; 2] = ["POMPEII_EXPERIMENT", "SCOREP_EXPERIMENT_DIRECTORY"];

/// What has to be known before the program changes it.
pub struct Started {
    /// The working folder.
    folder: PathBuf,
    /// What file descriptor 2 was: a program may close it and get the number for a file of its own.
    standard_error: Option<(libc::dev_t, libc::ino_t)>,
    /// Children that are forked and go on without an exec are measured too.
    pub follow_forks: bool,
}

impl Started {
    /// As it is now.
    pub fn now() -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let follow_forks = enabled(&["POMPEII_FOLLOW_FORKS"]);
        Self { folder, standard_error: standard_error(), follow_forks }
    }

    /// Says on standard error, if that is still open, why there is no measurement; and leaves it in
    /// the experiment's root, where `run` finds it. The text is a link's, which needs no block.
    pub fn complain(&self, what: &str) {
        let (id, program) = (std::process::id(), program_name());
        let root = path(&ROOT).map(|root| self.absolute(&root));
        if let Some(root) = &root {
            let link = root.join(format!("{FAILED_PREFIX}{id}"));
            let _ = std::os::unix::fs::symlink(format!("{program}: {what}"), link);
        }
        let place = quoted(root.unwrap_or_else(|| self.folder.clone()));
        self.say(&format!(
            "warning: not measuring this process: {what}; its data would be in {place}, set \
             POMPEII_EXPERIMENT to a folder that can be written"
        ));
    }

    /// Says something on standard error, if that is still open.
    pub fn say(&self, what: &str) {
        self.write(&format!("pompeii: {}\n", printable(what)));
    }

    /// Says something that has no unprintable characters, without allocation.
    pub fn say_fixed(&self, what: &'static str) {
        self.write_all(["pompeii: ", what, "\n"]);
    }

    /// Writes a message to standard error, if that is still open: without allocation.
    pub fn write(&self, text: &str) {
        self.write_all([text]);
    }

    fn write_all<const PARTS: usize>(&self, parts: [&str; PARTS]) {
        if standard_error().is_none() || standard_error() != self.standard_error {
            return;
        }
        let parts = parts.map(|part| libc::iovec {
            iov_base: part.as_ptr().cast_mut().cast(),
            iov_len: part.len(),
        });
        // SAFETY: writes buffers to standard error; `eprintln!` could lock what the program holds.
        unsafe { libc::writev(2, parts.as_ptr(), PARTS as libc::c_int) };
    }

    /// The working folder that the program was started in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path, seen from that folder.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}

fn standard_error() -> Option<(libc::dev_t, libc::ino_t)> {
    let mut file = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: `fstat` fills the structure where it returns 0, and zeroes are valid otherwise.
    let (result, file) = unsafe { (libc::fstat(2, file.as_mut_ptr()), file.assume_init()) };
    (result == 0).then_some((file.st_dev, file.st_ino))
}

/// Makes the folder for live state and starts there. What could not be started is removed.
///
/// # Errors
/// What failed last.
pub fn make_live<T>(
    started: &Started,
    name: &Name,
    forked: bool,
    start: impl Fn(PathBuf) -> Result<T, MapError>,
) -> Result<T, MapError> {
    let named = path(&ROOT);
    // Nobody else makes a folder that is named after this process.
    let in_job = named.is_some() && variable(&IN_JOB).is_some();
    let root = started.absolute(&named.unwrap_or_else(|| name.root()));
    let (mut waited, mut pause) = (Duration::ZERO, Duration::from_millis(10));
    loop {
        let error = match make_in(started, &root, name, forked, &start) {
            Err(error) if in_job && is_out_of_reach(&error) => error,
            result => return result,
        };
        if waited >= PATIENCE || is_summary_only() || !may_come(&error, &root) {
            return start_elsewhere(started, &root, name, &start, error);
        }
        std::thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(PATIENCE / 10);
    }
}

/// What a program that was started without `run` says at its end: where its data is, and which
/// command reads it. `None` where that is not wanted (`run` says it itself), where another process
/// of the job says it, and where the data is not in a folder of its own.
pub fn farewell(started: &Started, name: &Name, live: &Path) -> Option<String> {
    let rank = variable(&IN_JOB);
    let named = path(&ROOT);
    let root = started.absolute(named.as_ref().unwrap_or(&name.root()));
    if enabled(&["POMPEII_QUIET"])
        || rank.as_ref().is_some_and(|rank| rank != "0")
        || live != root.join("live")
    {
        return None;
    }
    let shown = quoted(root.strip_prefix(started.folder()).unwrap_or(&root));
    let others = match rank.is_some() && named.is_none() {
        true => {
            " (each process of the job has its own; POMPEII_EXPERIMENT=DIR brings them together)"
        }
        false => "",
    };
    Some(format!("pompeii: measured in {shown}{others}; next: pompeii report {shown}\n"))
}

/// A process in the names of folders.
pub struct Name<'a> {
    /// Where it runs.
    pub host: &'a str,
    /// Its file.
    pub program: &'a str,
    /// Its id.
    pub pid: u32,
}

impl Name<'_> {
    /// The experiment of a process that has no other.
    fn root(&self) -> PathBuf {
        format!("pompeii-{}-{}", self.host, self.pid).into()
    }

    /// The name of its folder among those of the experiment.
    pub fn of_folder(&self) -> String {
        self.with_number(1)
    }

    /// The first such name, and others: a process that has replaced itself (exec) comes again with
    /// the same id.
    fn with_number(&self, number: u32) -> String {
        let Self { host, program, pid } = self;
        match number {
            1 => format!("{host}-{pid}-{program}"),
            _ => format!("{host}-{pid}-{program}-{number}"),
        }
    }
}

/// The same in the experiment's folder, once.
fn make_in<T>(
    started: &Started,
    root: &Path,
    name: &Name,
    forked: bool,
    start: &impl Fn(PathBuf) -> Result<T, MapError>,
) -> Result<T, MapError> {
    let live = free_place(root, name, forked)?;
    let local = path(&["POMPEII_LIVE_DIR"]).map(|folder| started.absolute(&folder));
    match try_place(&live, local.as_deref(), start) {
        Err(error) if is_unsupported(&error) => {
            let start = |live: PathBuf| spill_beside(&live).and_then(|()| start(live));
            try_place(&live, Some(Path::new(SHARED_MEMORY)), &start)
        }
        result => result,
    }
}

/// The file system cannot do what live state needs, though it is not full and may be written to.
fn is_unsupported(error: &MapError) -> bool {
    let kinds = [libc::EOPNOTSUPP, libc::ENOSYS, libc::ENODEV, libc::EINVAL];
    error.call != "open" && error.call != "mkdir" && kinds.contains(&error.errno)
}

/// There is no such folder for this process, or it may not write there.
fn is_out_of_reach(error: &MapError) -> bool {
    let errors = [libc::ENOENT, libc::ESTALE, libc::EACCES, libc::EPERM, libc::EROFS];
    errors.contains(&error.errno)
}

/// Another process may be about to make the folder, or the file system has not noticed it yet.
fn may_come(error: &MapError, root: &Path) -> bool {
    [libc::ENOENT, libc::ESTALE].contains(&error.errno) || !std::fs::exists(root).unwrap_or(false)
}

/// Whether only the summary of the run remains (`run --summary-only`): then live state stays on its
/// host until the job ends, and folders of the experiment on different hosts are different ones.
pub fn is_summary_only() -> bool {
    enabled(&["POMPEII_SUMMARY_ONLY"])
}

/// The experiment's root, if `run --summary-only` waits there for this process.
pub fn waiting_root(started: &Started) -> Option<PathBuf> {
    let root = started.absolute(&path(&ROOT)?);
    (is_summary_only() && root.join(SUMMARY_FILE).exists()).then_some(root)
}

/// Removes the live state of this process, and the folders around it that are empty then, because
/// the summary is made elsewhere. A `run` that has started this process learns that from the file
/// that is missing.
pub fn give_up(started: &Started, live: &Path) {
    remove(live);
    let root = path(&ROOT).map(|root| started.absolute(&root));
    let Some(root) = root.filter(|root| live.starts_with(root)) else {
        // In storage of this host, all processes of it are in one folder.
        let _ = live.parent().map(std::fs::remove_dir);
        return;
    };
    let _ = std::fs::remove_file(root.join(SUMMARY_FILE));
    let around = live.ancestors().skip(1).take_while(|folder| folder.starts_with(&root));
    for folder in around {
        let _ = std::fs::remove_dir(folder);
    }
}

/// Starts in storage of this host, and says so.
///
/// # Errors
/// Why it was not possible in the experiment's folder, where it is nowhere else, either.
fn start_elsewhere<T>(
    started: &Started,
    root: &Path,
    name: &Name,
    start: &impl Fn(PathBuf) -> Result<T, MapError>,
    error: MapError,
) -> Result<T, MapError> {
    let named = STORAGE_VARIABLES.iter().filter_map(|name| path(&[name]));
    let storages = named.chain(STORAGES.map(PathBuf::from));
    let mut folders = storages.map(|storage| elsewhere(&started.absolute(&storage), root));
    let in_one = |folder: PathBuf| {
        let (live, own) = make_private(&folder, name)?;
        let result = start(live.clone());
        if result.is_err() {
            remove(&live);
            let _ = std::fs::remove_dir(folder);
        }
        Some((result.ok()?, live, own))
    };
    let (result, live, own) = folders.find_map(in_one).ok_or_else(|| error.clone())?;
    if is_summary_only() {
        return Ok(result);
    }
    let (shown, place) = (quoted(root), quoted(root.join(PROCESSES_FOLDER).join(own).join("live")));
    started.say(&format!(
        "warning: cannot write to {shown} ({error}): this process is measured in {}; on this host \
         the experiment gets it from there, from another one copy it to {place} and call \
         `pompeii recover`",
        quoted(live)
    ));
    Ok(result)
}

/// Makes a folder for this process in `folder`, and returns its path and its name. It is not for
/// the eyes of others: everybody may write to where it is.
fn make_private(folder: &Path, name: &Name) -> Option<(PathBuf, String)> {
    let mut private = std::fs::DirBuilder::new();
    private.mode(0o700);
    let _ = private.create(folder);
    for own in (1..PROCESSES_MAX).map(|number| name.with_number(number)) {
        let path = folder.join(&own);
        match private.create(&path) {
            Ok(()) => return Some((path, own)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

/// Reserves a folder of the experiment by making its `live`, and returns that path. A forked child
/// leaves the root to the program that it comes from, which may have had no event yet.
fn free_place(root: &Path, name: &Name, forked: bool) -> Result<PathBuf, MapError> {
    make_folder(root)?;
    let mut own = root.to_owned();
    for number in 1..PROCESSES_MAX {
        let live = own.join("live");
        // A finished experiment stays as it is: its program may have left children behind.
        let taken =
            number == 1 && forked || std::fs::exists(own.join("manifest.json")).unwrap_or(false);
        if !taken {
            match std::fs::create_dir(&live) {
                Ok(()) => return Ok(live),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(failed("mkdir", &error));
                }
                Err(_) => {}
            }
        }
        let processes = root.join(PROCESSES_FOLDER);
        make_folder(&processes)?;
        own = processes.join(name.with_number(number));
        make_folder(&own)?;
    }
    Err(MapError { call: "mkdir", errno: libc::EEXIST })
}

fn try_place<T>(
    live: &Path,
    local: Option<&Path>,
    start: &impl Fn(PathBuf) -> Result<T, MapError>,
) -> Result<T, MapError> {
    let result = match local {
        None => start(live.to_owned()),
        Some(local) => link(live, local).and_then(|()| start(live.to_owned())),
    };
    if result.is_err() {
        remove(live);
    }
    result
}

/// Makes `live` a link to a new folder below `local`.
fn link(live: &Path, local: &Path) -> Result<(), MapError> {
    let target = local.join(format!("pompeii-{}-{:x}", std::process::id(), clock::now()));
    std::fs::create_dir_all(&target).map_err(|error| failed("mkdir", &error))?;
    // The folder was made to reserve the place.
    let _ = std::fs::remove_dir(live);
    symlink(&target, live)
}

/// Live state in memory that nobody has asked for must not take too much of it: a trace's chunks go
/// to a folder beside `live`.
fn spill_beside(live: &Path) -> Result<(), MapError> {
    let spill = live.with_file_name(format!("live-{SPILL_LINK}"));
    make_folder(&spill)?;
    symlink(&spill, &live.join(SPILL_LINK))
}

fn symlink(target: &Path, link: &Path) -> Result<(), MapError> {
    std::os::unix::fs::symlink(target, link).map_err(|error| failed("symlink", &error))
}

/// Removes what could not be started.
fn remove(live: &Path) {
    let _ = remove_live(live);
}

fn make_folder(path: &Path) -> Result<(), MapError> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed("mkdir", &error)),
        _ => Ok(()),
    }
}

fn failed(call: &'static str, error: &std::io::Error) -> MapError {
    MapError { call, errno: error.raw_os_error().unwrap_or(libc::EIO) }
}

/// Whether the program has rights that whoever started it does not have (set-user-id, set-group-id,
/// file capabilities; `AT_SECURE` in getauxval(3)). Its environment is that of a stranger then.
pub fn is_privileged() -> bool {
    // SAFETY: reads what the kernel has put there when the program was started.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Whether `run` has started this program to sample its functions: `POMPEII_PROGRAM` has the device
/// and the inode of the file.
pub fn is_named_program() -> bool {
    let Some(named) = variable(&["POMPEII_PROGRAM"]) else { return false };
    let own = std::fs::metadata("/proc/self/exe");
    own.is_ok_and(|file| named == format!("{}:{}", file.dev(), file.ino()))
}

/// The first of these environment variables that is set; none of a privileged program's. Not by
/// `std::env`: other code of the process may be changing the environment, which `getenv` survives
/// in glibc.
fn value(names: &[&str]) -> Option<OsString> {
    if is_privileged() {
        return None;
    }
    let value = names.iter().find_map(|name| {
        let name = CString::new(*name).ok()?;
        // SAFETY: a NUL-terminated name; the result is copied at once.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        // SAFETY: `getenv` returns null or a NUL-terminated string.
        (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_bytes().to_vec())
    });
    value.map(OsString::from_vec)
}

/// The same as text.
pub fn variable(names: &[&str]) -> Option<String> {
    value(names).map(|value| value.to_string_lossy().into_owned())
}

/// The path that the first of these variables that is set names, byte for byte.
pub fn path(names: &[&str]) -> Option<PathBuf> {
    value(names).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Whether the first of these variables that is set says yes, in Score-P's words for that.
pub fn enabled(names: &[&str]) -> bool {
    variable(names).is_some_and(|value| is_yes(&value))
}

/// Whether a value says yes, in Score-P's words for that.
pub fn is_yes(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on") || value.parse().is_ok_and(|n: u64| n > 0)
}

/// The program's file name.
pub fn program_name() -> String {
    let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "program".to_owned())
}

/// The host's name, usable in a path.
pub fn host_name() -> String {
    let mut name = [0u8; 64];
    // SAFETY: writes at most 63 bytes into the array.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), 63) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(63);
    String::from_utf8_lossy(&name[..end]).replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::os::unix::fs::PermissionsExt;

    /// Starts in a fresh folder, where starting fails with the given errors in turn, and tells what
    /// is there afterwards.
    fn check(errors: &[(&'static str, i32)], expected: Expect) {
        let folder = tempfile::tempdir().unwrap();
        let live = folder.path().join("live");
        std::fs::create_dir(&live).unwrap();
        let errors = std::cell::RefCell::new(errors.iter());
        let start = |folder: PathBuf| {
            std::fs::write(folder.join("process"), "").unwrap();
            match errors.borrow_mut().next() {
                Some(&(call, errno)) => Err(MapError { call, errno }),
                None => Ok(()),
            }
        };
        let mut result = try_place(&live, None, &start);
        if result.as_ref().is_err_and(is_unsupported) {
            let shared = folder.path().join("shm");
            result = try_place(&live, Some(&shared), &start);
        }
        let kind = match live.symlink_metadata() {
            Ok(found) if found.is_symlink() => "link",
            Ok(_) => "folder",
            Err(_) => "nothing",
        };
        let shared = folder.path().join("shm").exists();
        let whole = live.join("process").exists();
        expected.assert_eq(&format!("{result:?}: {kind}, shared {shared}, whole {whole}"));
    }

    #[test]
    fn private_folders_have_names_of_their_own() {
        let storage = tempfile::tempdir().unwrap();
        let folder = &storage.path().join("pompeii-1");
        let name = Name { host: "here", program: "ocean", pid: 7 };
        let made = [(); 2].map(|()| make_private(folder, &name).unwrap());
        assert_eq!(made[0], (folder.join("here-7-ocean"), "here-7-ocean".to_owned()));
        assert_eq!(made[1].1, "here-7-ocean-2");
        let mode = std::fs::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(make_private(Path::new("/proc/no"), &name), None);
    }

    #[test]
    fn yes_and_no() {
        let all = ["1", "12", "true", "Yes", "ON", " on ", "0", "", "no", "false", "-1", "x"];
        assert_eq!(all.iter().filter(|value| is_yes(value)).count(), 6);
    }

    #[test]
    fn live_state_moves_where_files_can_be_mapped() {
        check(&[], expect!["Ok(()): folder, shared false, whole true"]);
        check(&[("mmap", libc::ENODEV)], expect!["Ok(()): link, shared true, whole true"]);
        check(
            &[("posix_fallocate", libc::EOPNOTSUPP)],
            expect!["Ok(()): link, shared true, whole true"],
        );
        check(
            &[("posix_fallocate", libc::ENOSPC)],
            expect![[
                r#"Err(MapError { call: "posix_fallocate", errno: 28 }): nothing, shared false, whole false"#
            ]],
        );
    }
}
