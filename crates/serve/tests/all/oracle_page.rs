//! The page of this server in a real browser: its policy lets the page work, and the page shows
//! what the server answers. Runs where `POMPEII_ORACLES` is set.

use std::path::Path;
use std::process::Command;

use pompeii_testing::oracles;

use crate::common::{Running, sample, traced};

/// Runs a file of tests of the page under node, with the address of a page.
pub fn in_browser(file: &str, page: (&str, &str)) {
    if !oracles() {
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/web");
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("web");
    assert!(packages.join("node_modules").is_dir(), "run `cargo xtask setup` for the packages");
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec"])
        .arg(tests.join(file))
        .env("POMPEII_WEB", packages)
        .env(page.0, page.1)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_timeline_of_a_hybrid_program() {
    let folder = sample("hybrid");
    let running = Running::ready(traced(folder.path()));
    let url = format!("http://127.0.0.1:{}/#token={}", running.port, running.token);
    in_browser("served.browser.mjs", ("PAGE_SERVED", &url));
}
