//! What the commands say of input that they cannot read: what, where, what was expected, and what to
//! do. `cube.rs` has the same for the tools on Cube reports.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use crate::common::{Ended, Sandbox};
use expect_test::{Expect, expect};

/// What is said of an empty file, a text, the first bytes of a trace's anchor, the name of nothing,
/// and an experiment without a profile and a trace, in this order.
fn check(command: &str, expected: Expect) {
    let sandbox = Sandbox::new();
    sandbox.file("empty", "");
    sandbox.file("text.txt", "hello\n");
    sandbox.file("cut.otf2", "\u{3}B\u{2}");
    fs::create_dir(sandbox.path("folder")).unwrap();
    let mut said = String::new();
    for name in ["empty", "text.txt", "cut.otf2", "nothing", "folder"] {
        let ended = sandbox.pompeii(&format!("{command} {name}"));
        assert_eq!((ended.code, ended.output.as_str()), (Some(2), ""), "{command} {name}");
        said += ended.messages.strip_prefix("pompeii: error: ").unwrap();
    }
    expected.assert_eq(&said);
}

#[test]
fn reports() {
    check(
        "report",
        expect![[r#"
        cannot read empty: the container: expected a member `anchor.xml`, found an empty file
        cannot read text.txt: the container: expected a member `anchor.xml`, found no members: this is no Cube report, or only its first bytes
        cannot read cut.otf2 as a report (`pompeii dump` prints traces): the container: expected a member `anchor.xml`, found no members: this is no Cube report, or only its first bytes
        nothing: no such experiment; `pompeii run -- PROGRAM` makes one
        folder/profile.cubex: missing; expected an experiment directory with a profile, as `pompeii run` writes
    "#]],
    );
}

#[test]
fn traces() {
    check(
        "dump",
        expect![[r#"
            expected the anchor of an OTF2 archive (traces.otf2) or an experiment: empty, byte 0: record anchor: expected the two bytes of an anchor's header
            expected the anchor of an OTF2 archive (traces.otf2) or an experiment: text.txt, byte 0: record anchor: expected 03 and the mark of a byte order, 42 or 23
            expected the anchor of an OTF2 archive (traces.otf2) or an experiment: cut.otf2, byte 2: record anchor: expected a text that ends with a zero byte
            nothing: no such trace; expected the anchor of an OTF2 archive (traces.otf2) or an experiment
            folder/traces.otf2: no such trace; `pompeii run --trace` records one
        "#]],
    );
}

#[test]
fn experiments_to_recover() {
    check(
        "recover",
        expect![[r#"
        empty: expected the directory of an experiment, or the anchor of an OTF2 archive (*.otf2)
        text.txt: expected the directory of an experiment, or the anchor of an OTF2 archive (*.otf2)
        cannot recover cut.otf2 of the files in cut: cut: No such file or directory (os error 2)
        nothing: no such folder; expected the directory of an experiment
        folder: nothing to recover: no process was measured here, or none that got to its first event; expected a folder `live` or `manifest.json`
    "#]],
    );
}

/// Nothing is said to be missing that one may only not see. Root may see everything, unless it gives
/// that up.
#[test]
fn a_folder_without_rights_is_not_said_to_be_empty() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("locked");
    fs::create_dir(&folder).unwrap();
    let is_root = folder.metadata().unwrap().uid() == 0;
    let without_rights = || {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--bounding-set", "-dac_override,-dac_read_search"]);
        setpriv
    };
    let may_give_up = without_rights().arg("true").output();
    if is_root && !may_give_up.is_ok_and(|output| output.status.success()) {
        return println!("not run: root cannot give up rights here");
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    for command in ["report", "dump", "recover", "cube info"] {
        let mut own = sandbox.command(&format!("{command} locked"));
        let mut as_user = without_rights();
        as_user.arg(own.get_program()).args(own.get_args()).current_dir(sandbox.path("."));
        let ended = if is_root { as_user.output() } else { own.output() };
        let ended = Ended::of(ended.unwrap());
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.messages);
        ended.says("error: cannot look into locked: Permission denied");
    }
}

#[test]
fn a_damaged_manifest_is_told_and_the_report_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", crate::common::LOOP);
    sandbox.pompeii("run -q -o exp -- ./loop");
    sandbox.file("exp/manifest.json", "{\"tool\":");
    let ended = sandbox.succeeds("report exp");
    ended.says("warning: exp/manifest.json: EOF while parsing a value at line 1 column 8");
    assert!(ended.output.contains("Parallel efficiency"), "{}", ended.output);
}

#[test]
fn a_dump_finishes_what_was_not_finished() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", crate::common::LOOP);
    let mut program = Command::new(sandbox.path("loop"));
    program.env("POMPEII_EXPERIMENT", sandbox.path("exp")).env("POMPEII_TRACE", "1");
    assert_eq!(program.status().unwrap().code(), Some(3));
    let ended = sandbox.succeeds("dump exp --silent");
    ended.says("exp was not finished; finishing it now");
}
