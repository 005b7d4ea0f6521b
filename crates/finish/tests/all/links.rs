//! Experiments from other users, with links in the place of files and folders that `finish` writes,
//! moves or removes. Whatever they lead to stays as it is, and a message names the link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Process, Thread, node, region};
use pompeii_finish::{RunInfo, finish, snapshot, unended};
use pompeii_live::{Key, RegionKind};
use pompeii_otf2::event::{Enter, Event, Leave};
use pompeii_otf2::reference::RegionRef;

/// Where the child finds the experiment that it finishes.
const FOLDER: &str = "POMPEII_TEST_LINKED";

fn rank(rank: u32) -> Process {
    let mut process = Process::of_job(rank, 2);
    process.define(region(2, RegionKind::Function, "work"));
    let region = RegionRef(2);
    let events =
        vec![(1000, Event::Enter(Enter { region })), (1500, Event::Leave(Leave { region }))];
    let nodes = vec![node(Key::Region(2), 1, 1, 500)];
    process.threads = vec![Thread { root_ticks: 500, nodes, events, ..Thread::default() }];
    process
}

/// A folder with an experiment of two processes, and another one that nothing may change.
struct Scene {
    root: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let scene = Self { root };
        rank(0).write(&scene.experiment().join("live"));
        rank(1).write(&scene.experiment().join("procs/node1-1-ocean/live"));
        fs::create_dir_all(scene.victim().join("inside")).unwrap();
        for file in ["file", "inside/file", "0.evt", "1.def"] {
            fs::write(scene.victim().join(file), "precious").unwrap();
        }
        scene
    }

    fn experiment(&self) -> PathBuf {
        self.root.path().join("experiment")
    }

    fn victim(&self) -> PathBuf {
        self.root.path().join("victim")
    }

    fn assert_untouched(&self, what: &str) {
        for file in ["file", "inside/file", "0.evt", "1.def"] {
            let content = fs::read_to_string(self.victim().join(file)).unwrap_or_default();
            assert_eq!(content, "precious", "{what}: {file}");
        }
        assert_eq!(fs::read_dir(self.victim()).unwrap().count(), 4, "{what}");
    }
}

/// What `finish` says of it, and what the manifest says of further processes and ranks.
fn outcome(folder: &Path) -> String {
    match finish(folder, &RunInfo::default()) {
        Err(error) => error.to_string(),
        Ok(manifest) => {
            let manifest = manifest.unwrap();
            let problems = manifest.processes.into_iter().filter_map(|process| process.problem);
            let unreadable = manifest.job.into_iter().flat_map(|job| job.unreadable);
            problems.chain(unreadable).collect()
        }
    }
}

/// Finishes an experiment in which `name` is a link to a file or the folder of somebody else.
fn check(name: &str, to_folder: bool) {
    let scene = Scene::new();
    let link = scene.experiment().join(name);
    let _ = fs::remove_file(&link);
    let _ = fs::remove_dir_all(&link);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    let target = if to_folder { scene.victim() } else { scene.victim().join("file") };
    symlink(target, &link).unwrap();
    let said = outcome(&scene.experiment());
    scene.assert_untouched(name);
    let last = link.file_name().unwrap().to_str().unwrap();
    assert!(said.contains(last) && said.contains("symbolic link"), "{name}: {said:?}");
}

#[test]
fn links_in_place_of_files_are_refused() {
    for name in [
        "profile.cubex",
        "traces.def",
        "traces.otf2",
        "traces.otf2.tmp",
        "manifest.json",
        "manifest.json.tmp",
        "traces/0.evt",
        "traces/1.evt",
        "traces/1.def",
        "live/process",
        "live/definitions",
        "live/0.loc",
        "live/0.evt",
        "live/0.buf",
    ] {
        check(name, false);
    }
}

#[test]
fn links_in_place_of_folders_are_refused() {
    for name in ["traces", "procs", "procs/node1-1-ocean", "live", "live.used"] {
        check(name, true);
    }
    // The name of the folder of full chunks is known: the link to it is not followed.
    let scene = Scene::new();
    symlink(scene.victim(), scene.experiment().join("live/spill")).unwrap();
    assert_eq!(outcome(&scene.experiment()), "");
    scene.assert_untouched("spill");
    let scene = Scene::new();
    symlink(scene.victim(), scene.experiment().join("live/spill")).unwrap();
    symlink(scene.victim(), scene.experiment().join("live-spill")).unwrap();
    assert!(outcome(&scene.experiment()).contains("live-spill is a symbolic link"));
    scene.assert_untouched("live-spill");
}

#[test]
fn the_second_name_of_a_file_keeps_its_content() {
    for name in ["profile.cubex", "traces.def", "live/0.evt"] {
        let scene = Scene::new();
        let second = scene.experiment().join(name);
        let _ = fs::remove_file(&second);
        fs::hard_link(scene.victim().join("file"), &second).unwrap();
        let said = outcome(&scene.experiment());
        scene.assert_untouched(name);
        assert_eq!(said.is_empty(), name != "live/0.evt", "{name}: {said}");
    }
}

/// As the runtime leaves it with `POMPEII_LIVE_DIR`, and full chunks on the experiment's disk.
#[test]
fn links_of_the_runtime_are_followed() {
    let scene = Scene::new();
    let (live, storage) = (scene.experiment().join("live"), scene.root.path().join("storage"));
    fs::rename(&live, &storage).unwrap();
    symlink(&storage, &live).unwrap();
    let spill = scene.experiment().join("live-spill");
    fs::create_dir(&spill).unwrap();
    fs::rename(storage.join("0.evt"), spill.join("0.evt")).unwrap();
    symlink(&spill, storage.join("spill")).unwrap();
    assert_eq!(outcome(&scene.experiment()), "");
    assert!(!storage.exists() && !spill.exists() && !live.is_symlink());
    assert!(fs::metadata(scene.experiment().join("traces/0.evt")).unwrap().len() > 16);
}

/// The experiment itself may be reached through a link that the user has typed.
#[test]
fn the_experiment_may_be_a_link() {
    let scene = Scene::new();
    let typed = scene.root.path().join("typed");
    symlink(scene.experiment(), &typed).unwrap();
    assert_eq!(outcome(&typed), "");
    assert!(scene.experiment().join("profile.cubex").exists());
}

/// Copies the experiment as that of a program that is running, and gives what is said.
fn copied(scene: &Scene) -> String {
    let to = tempfile::tempdir().unwrap();
    let said = snapshot(&scene.experiment(), to.path()).err();
    let files = ["live/process", "procs/node1-1-ocean/live/process"];
    let copied = files.iter().all(|file| to.path().join(file).is_file());
    assert!(copied || said.is_some());
    said.map(|error| error.to_string()).unwrap_or_default()
}

/// A copy that is made for a report must not have what a link in live state leads to.
#[test]
fn links_in_a_running_experiment_are_not_copied() {
    assert_eq!(copied(&Scene::new()), "");
    let with_link = |name: &str, target: &str| {
        let scene = Scene::new();
        rank(7).write(&scene.victim().join("state"));
        let link = scene.experiment().join(name);
        let _ = fs::remove_file(&link);
        let _ = fs::remove_dir_all(&link);
        symlink(scene.victim().join(target), &link).unwrap();
        let said = copied(&scene);
        let last = link.file_name().unwrap().to_str().unwrap();
        assert!(said.contains(last) && said.contains("symbolic link"), "{name}: {said:?}");
        scene
    };
    for name in ["process", "definitions", "teams", "0.loc", "1.tsk", "1.vis", "1.met", "1.smp"] {
        with_link(&format!("live/{name}"), "file");
    }
    with_link("manifest.json", "file");
    with_link("live", "");
    let scene = with_link("procs/node1-1-ocean", "");
    // Live state of another host would seem to be of a program that is running there.
    Process { noted_end: None, ..rank(7) }.write(&scene.victim().join("live"));
    assert_eq!(unended(&scene.experiment()), None);
}

/// Not a test: what the next one starts as another user.
#[test]
fn finish_as_another_user() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        eprintln!("said: {}", outcome(Path::new(&folder)));
    }
}

/// The attacker's `live` leads to live state of the victim's: that stays the victim's.
#[test]
fn a_link_of_another_user_is_not_followed() {
    const ATTACKER: u32 = 4711;
    const VICTIM: u32 = 4712;
    if !nix::unistd::geteuid().is_root() {
        eprintln!("SKIPPED: a test with two users needs root");
        return;
    }
    let scene = Scene::new();
    let mine = scene.victim().join("live");
    rank(0).write(&mine);
    fs::remove_dir_all(scene.experiment().join("live")).unwrap();
    symlink(&mine, scene.experiment().join("live")).unwrap();
    let owned = |user: u32, folder: &Path| {
        let user = format!("{user}:{user}");
        let done = Command::new("chown").args(["-hR", &user]).arg(folder).status();
        assert!(done.unwrap().success());
    };
    owned(ATTACKER, &scene.experiment());
    owned(VICTIM, &scene.victim());
    for folder in [scene.root.path(), &scene.experiment()] {
        Command::new("chmod").args(["-R", "a+rwX"]).arg(folder).status().unwrap();
    }
    let user = VICTIM.to_string();
    let child = Command::new("setpriv")
        .args(["--reuid", &user, "--regid", &user, "--clear-groups"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "links::finish_as_another_user", "--nocapture"])
        .env(FOLDER, scene.experiment())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(said.contains("the link belongs to user 4711"), "{said}");
    assert!(mine.join("process").exists() && mine.join("0.evt").exists());
}
