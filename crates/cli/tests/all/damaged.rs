//! `--damaged`: without it, a report that has lost values is refused; with it, what can be read of
//! the report is shown, and a warning says that the rest counts as 0.

use std::fs;

use crate::common::Sandbox;

const REPORT: &str = "\
time INCLUSIVE DOUBLE sec
visits EXCLUSIVE UINT64 occ

main@a.c:1 time=10,12 visits=1,1
  solve@a.c:20 time=6,8 visits=4,4
    dot@b.c:2 time=2,3 visits=40,40
";

/// Takes one byte from the data of `visits`, where the container says how long they are.
fn shorten(bytes: &mut [u8]) {
    let name = b"1.data\0";
    let at = (0..bytes.len()).step_by(512).find(|&at| bytes[at..].starts_with(name)).unwrap();
    let size = at + 124..at + 135;
    let length = std::str::from_utf8(&bytes[size.clone()]).unwrap();
    let length = u64::from_str_radix(length, 8).unwrap() - 1;
    bytes[size].copy_from_slice(format!("{length:011o}").as_bytes());
}

/// A sandbox with the file `short.cubex`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut bytes = crate::reports::bytes(&[2], REPORT, |_| {});
    shorten(&mut bytes);
    fs::write(sandbox.path("short.cubex"), bytes).unwrap();
    sandbox
}

/// What is printed with `--damaged`, for a command that reads all values of `short.cubex`.
fn check(sandbox: &Sandbox, command: &str) -> String {
    let refused = sandbox.pompeii(command);
    assert_eq!(refused.code, Some(2), "{command}: {}{}", refused.output, refused.messages);
    refused.says("data of metric `visits`");
    let shown = sandbox.succeeds(&format!("{command} --damaged"));
    shown.says("warning: short.cubex: values that are damaged or missing count as 0");
    shown.output
}

#[test]
fn a_report_is_shown_on_request() {
    let sandbox = sandbox();
    sandbox.pompeii("report short.cubex").says("(`--damaged` shows what can be read of");
    assert!(check(&sandbox, "report short.cubex").contains("solve"));
    assert!(check(&sandbox, "score short.cubex").contains("visits"));
    check(&sandbox, "html short.cubex -o page.html");
    assert!(fs::read_to_string(sandbox.path("page.html")).unwrap().contains("solve"));
}

#[test]
fn tools_on_one_report_take_what_there_is_on_request() {
    let sandbox = sandbox();
    let dump = check(&sandbox, "cube dump short.cubex");
    assert!(dump.contains("solve     1    4    4\n    dot     2    0    0\n"), "{dump}");
    check(&sandbox, "cube stat short.cubex");
    check(&sandbox, "cube sanity short.cubex");
    for tool in ["clean", "convert"] {
        check(&sandbox, &format!("cube {tool} short.cubex -o {tool}.cubex"));
        // The result is whole.
        sandbox.succeeds(&format!("cube stat {tool}.cubex"));
    }
}
