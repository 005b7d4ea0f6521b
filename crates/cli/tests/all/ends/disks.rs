//! File systems of the tests' own: full ones, one that becomes read-only, one that writes each
//! change to a new place, with a quota. They are mounted in a namespace, which takes them away with
//! it.

use std::process::Command;

use super::measured::read;
use super::storage::{EVENTS, check, check_what_had_room, events_with_room, storage};
use crate::common::{Ended, Sandbox};

/// `script` with what `mount` mounts at `disk`, in a mount namespace of its own; `None` where that is
/// not allowed.
fn with_mounted(sandbox: &Sandbox, unshare: &str, mount: &str, script: &str) -> Option<Ended> {
    std::fs::create_dir(sandbox.path("disk")).unwrap();
    let pompeii = format!("pompeii() {{ {} \"$@\"; }}", env!("CARGO_BIN_EXE_pompeii"));
    let script = format!("({mount}) >&2 || exit 99\n{pompeii}\n{script}");
    let mut shell = sandbox.command("");
    let environment: Vec<_> =
        shell.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
    shell = Command::new("unshare");
    shell.args([unshare, "sh", "-c", &script]).current_dir(sandbox.path("."));
    shell.envs(environment.into_iter().filter_map(|(key, value)| Some((key, value?))));
    let ended = Ended::of(shell.output().unwrap());
    if ended.code == Some(99) || ended.messages.contains("unshare failed") {
        println!("not run: mounting is not allowed here\n{}", ended.messages);
        return None;
    }
    Some(ended)
}

/// `script` with a file system of this size.
fn with_disk(sandbox: &Sandbox, kilobytes: u32, script: &str) -> Option<Ended> {
    with_mounted(sandbox, "-rm", &format!("mount -t tmpfs -o size={kilobytes}k none disk"), script)
}

/// `script` with btrfs, a quota of this many bytes for `disk/own`, and the file system of a container
/// above that at `top`. Only root may do that.
fn with_quota(sandbox: &Sandbox, bytes: u32, script: &str) -> Option<Ended> {
    let mount = format!(
        "truncate -s 200M image && mkfs.btrfs -q image && mount -o loop image disk && \
         btrfs quota enable disk && btrfs subvolume create disk/own && \
         btrfs qgroup limit {bytes} disk/own && mkdir disk/own/upper disk/own/work lower top && \
         mount -t overlay -o lowerdir=lower,upperdir=disk/own/upper,workdir=disk/own/work none top"
    );
    with_mounted(sandbox, "-m", &mount, script)
}

/// Room for a profile, but not for a trace, nor for all call paths.
#[test]
fn a_full_disk_keeps_what_has_room() {
    let sandbox = storage();
    let script = "pompeii run --trace -o disk/exp -- ./storage; echo $?\n\
                  cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 300, script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    ended.says("cannot finish the experiment: ");
    check_what_had_room(&sandbox, "No space left on device");
}

/// No room for any event: all are lost, and counted.
#[test]
fn a_disk_without_room_for_a_trace_says_exactly_what_is_lost() {
    let sandbox = Sandbox::new();
    sandbox.compile("events", EVENTS);
    let script = "pompeii run --trace --no-guard -o disk/exp -- ./events; echo $?\n\
                  cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 300, script) else { return };
    assert_eq!(ended.output, "3\n", "{}", ended.messages);
    let told = format!("{}{}", ended.messages, sandbox.pompeii("recover exp").output);
    let lost = format!("{} events could not be recorded", events_with_room(&sandbox));
    assert!(told.contains(&lost) && told.contains("the trace is empty"), "{told}");
}

/// The same for a program that has used up all file descriptors, so that no file can be opened to
/// get blocks for it: touching a page that has none would end it with SIGBUS.
#[test]
fn a_full_disk_ends_no_program_that_has_no_file_descriptors() {
    let sandbox = storage();
    let script = "pompeii run -o disk/exp -- ./storage no-files; echo $?\n\
                  cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 300, script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    check_what_had_room(&sandbox, "No space left on device");
}

/// A file system that becomes read-only when the program is over: the experiment is finished when
/// it can be written to again. While the program runs the system refuses that, since live state is
/// mapped for writing.
#[test]
fn a_disk_remounted_read_only_keeps_everything_for_later() {
    let sandbox = storage();
    let script = "pompeii run --trace -o disk/busy -- ./storage remounted | grep -v mount; \
         pompeii run -o disk/exp -- sh -c './storage; mount -o remount,ro disk'; echo $?\n\
         mount -o remount,rw disk; pompeii recover disk/exp >&2; cp -r disk/busy disk/exp .";
    // Who is root in a namespace alone may not do that.
    let mount = "mount -t tmpfs -o size=8000k none disk && mount -o remount,rw disk";
    let Some(ended) = with_mounted(&sandbox, "-rm", mount, script) else { return };
    assert_eq!(ended.output, "busy\n2000\n2000\n0\n", "{}", ended.messages);
    ended.says("cannot finish the experiment");
    ended.says("Read-only file system");
    ended.says("disk/exp: finished now.");
    let busy = sandbox.succeeds("recover busy");
    check(&read(&sandbox, "busy", busy), (2000, 5), "");
    check(&read(&sandbox, "exp", ended), (2000, 5), "");
}

/// Not even room to begin.
#[test]
fn a_disk_that_is_full_from_the_start_is_told_and_ends_no_program() {
    let sandbox = storage();
    let script = "mkdir disk/other && dd if=/dev/zero of=disk/other/fill bs=1k 2>/dev/null\n\
                  pompeii run -o disk/exp -- ./storage; echo $?; ls disk";
    let Some(ended) = with_disk(&sandbox, 100, script) else { return };
    assert_eq!(ended.output, "2000\n3\nother\n", "{}", ended.messages);
    ended.says("nothing of storage was measured: posix_fallocate: No space left on device");
}

/// Room for live state, but not for the experiment: it is kept, and finished when there is room.
#[test]
fn a_disk_too_full_to_finish_keeps_everything_for_later() {
    let sandbox = storage();
    let script = "mkdir disk/other\n\
         pompeii run -o disk/exp -- sh -c \
         './storage; dd if=/dev/zero of=disk/other/fill bs=1k 2>/dev/null; exit 3'; echo $?\n\
         rm -r disk/other; pompeii recover disk/exp >&2; cp -r disk/exp exp";
    let Some(ended) = with_disk(&sandbox, 2000, script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    ended.says("cannot finish the experiment");
    ended.says("` tries again");
    ended.says("disk/exp: finished now.");
    check(&read(&sandbox, "exp", ended), (2000, 5), "");
}

/// A page of such a file system needs another block whenever it is written, so that on a full disk
/// who writes to mapped memory gets a signal. What could not be kept of the events is told; what
/// could is finished where there is room again.
fn loses_events_alone(
    (limit_bytes, folder): (u32, &str),
    how: &str,
    more_room: &str,
    reason: &str,
) {
    let sandbox = storage();
    let script = format!(
        "pompeii run --trace --no-guard -o {folder}/exp -- ./storage {how} 2>said; echo $?; cat said >&2\n\
         {more_room}; pompeii recover {folder}/exp >&2; cp -r {folder}/exp exp"
    );
    let Some(ended) = with_quota(&sandbox, limit_bytes, &script) else { return };
    assert_eq!(ended.output, "2000\n3\n", "{}", ended.messages);
    ended.says("cannot finish the experiment: ");
    ended.says(&format!("{folder}/exp: finished now."));
    assert!(!sandbox.exists("exp/live") && !sandbox.exists("exp/live-spill"));
    let measured = read(&sandbox, "exp", ended);
    let lost = &measured.manifest["lost"];
    let events = lost["events"].as_u64().unwrap();
    assert_eq!((measured.visits("visit"), measured.visits("level")), (1_000_000, 2000));
    assert!(events > 1_000_000 && lost["reason"].as_str().unwrap().starts_with(reason), "{lost}");
    measured.traced_but(events);
}

#[test]
fn a_quota_of_a_file_system_that_copies_ends_no_program() {
    for folder in ["disk/own", "top"] {
        let more_room = "btrfs qgroup limit none disk/own";
        loses_events_alone((2_000_000, folder), "events", more_room, "Disk quota exceeded");
    }
}

#[test]
fn a_full_file_system_that_copies_ends_no_program() {
    loses_events_alone(
        (1 << 30, "disk/own"),
        "full-disk",
        "rm disk/fill",
        "No space left on device",
    );
}
