//! The system ends a program that has taken too much memory: by a SIGKILL in the middle of whatever
//! it does.

use std::fs;
use std::path::PathBuf;

use super::measured::measure;
use crate::common::Sandbox;

/// A group of processes with a limit of memory; `None` where this process may not make one.
struct Group(PathBuf);

impl Group {
    fn new(bytes: u64) -> Option<Group> {
        let name = format!("pompeii-test-{}", std::process::id());
        let roots =
            [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        roots.into_iter().find_map(|(root, limit)| {
            let group = Group(PathBuf::from(root).join(&name));
            fs::create_dir(&group.0).ok()?;
            let swap = group.0.join("memory.swap.max");
            let _ = if swap.exists() { fs::write(swap, "0") } else { Ok(()) };
            fs::write(group.0.join(limit), bytes.to_string()).ok()?;
            Some(group)
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn end_by_the_out_of_memory_killer() {
    let sandbox = Sandbox::new();
    sandbox.compile("storage", include_str!("programs/storage.c"));
    let group = Group::new(64 << 20);
    let join = match &group {
        Some(group) => format!("echo $$ >{}/cgroup.procs && ", group.0.display()),
        None => String::new(),
    };
    sandbox.file("limited.sh", &format!("{join}exec ./storage out-of-memory\n"));
    let measured = measure(&sandbox, "exp", "", "sh limited.sh");
    let ended = &measured.ended;
    if ended.output.contains("not killed") {
        println!("not by the system: there is no group here that limits memory");
    }
    assert_eq!((ended.code, ended.signal), (None, Some(9)), "{}", ended.messages);
    assert_eq!(measured.end(), "signal SIGKILL");
    assert_eq!(measured.visits("!$omp critical (work)"), 20);
    assert_eq!(measured.visits("!$omp critical (late)"), 2);
    assert_eq!(measured.manifest["lost"]["events"], 0);
    measured.traced_but(0);
}
