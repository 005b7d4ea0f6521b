//! The page's modules under node, their types under TypeScript's compiler, and pages in a browser
//! that a script controls (`tests/web/`). The tools come from `cargo xtask setup`. Runs where
//! `POMPEII_ORACLES` is set; then a missing tool is a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pompeii_analysis as analysis;
use pompeii_report::{RunInfo, html};
use pompeii_testing::oracles;

/// Where the set-up has put the packages.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("web")
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web")
}

/// Runs a command that must succeed; its output is shown if it does not.
fn run(command: &mut Command) {
    let packages = packages();
    assert!(packages.join("node_modules").is_dir(), "run `cargo xtask setup` for the packages");
    let output = command.env("POMPEII_WEB", packages).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let shown =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}\n{}", shown.concat());
}

/// Runs a file of tests in a browser, with pages whose addresses it has as `PAGE_NAME`.
pub fn in_browser(file: &str, pages: &[(&str, &str)]) {
    let folder = std::env::temp_dir().join(format!("pompeii-{file}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut node = Command::new("node");
    for (name, page) in pages {
        let path = folder.join(format!("{name}.html"));
        fs::write(&path, page).unwrap();
        node.env(format!("PAGE_{name}"), format!("file://{}", path.display()));
    }
    run(node.args(["--test", "--test-reporter=spec"]).arg(tests().join(file)));
    fs::remove_dir_all(&folder).unwrap();
}

/// The page of a cube in the notation of tests.
fn page(cube: &str) -> String {
    let measured = analysis::notation::cube(cube).unwrap();
    html(&analysis::derive(&measured), &RunInfo::default())
}

#[test]
fn modules_without_a_page() {
    if oracles() {
        let files = fs::read_dir(tests()).unwrap().map(|file| file.unwrap().path());
        let wanted = |path: &PathBuf| path.to_string_lossy().ends_with(".test.mjs");
        run(Command::new("node").arg("--test").args(files.filter(wanted)));
    }
}

#[test]
fn types_are_right() {
    if oracles() {
        let compiler = packages().join("node_modules/.bin/tsc");
        run(Command::new(compiler).arg("-p").arg(tests()));
    }
}

#[test]
fn the_page_in_a_browser() {
    if oracles() {
        in_browser("page.browser.mjs", &[("OCEAN", &page(include_str!("ocean.txt")))]);
    }
}

#[test]
fn the_timeline_in_a_browser() {
    if oracles() {
        in_browser("time.browser.mjs", &[]);
    }
}
