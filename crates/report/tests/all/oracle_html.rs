//! The page in a real browser: headless Chromium opens it from a file with `#selftest`, the page
//! uses itself by mouse and keyboard, and its findings are read from the DOM. Runs where
//! `POMPEII_ORACLES` is set; then a missing browser is a failure.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use pompeii_analysis as analysis;
use pompeii_report::{RunInfo, html};
use pompeii_testing::oracles;

/// Chromium's names in the distributions.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The DOM of a page after its scripts have run, from the first browser that can be started.
pub fn dump_dom(folder: &Path, url: &str) -> String {
    let profile = folder.join("profile");
    for browser in BROWSERS {
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            // Containers have little of it.
            .arg("--disable-dev-shm-usage")
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=10000"])
            .arg("--window-size=1280,1000")
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(["--dump-dom", url])
            .output();
        if let Ok(output) = output {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            return String::from_utf8_lossy(&output.stdout).into_owned();
        }
    }
    panic!("none of {BROWSERS:?} can be started; install the package `chromium`")
}

/// What `look` sees, given a folder for itself and the address of the page.
pub fn with_page(name: &str, page: &str, look: fn(&Path, &str) -> String) -> String {
    let folder = std::env::temp_dir().join(format!("pompeii-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("report.html");
    std::fs::write(&file, page).unwrap();
    let seen = look(&folder, &format!("file://{}", file.display()));
    std::fs::remove_dir_all(&folder).unwrap();
    seen
}

/// What the self test says of the page for a measured cube; `None` where no browser is wanted.
fn self_test(name: &str, measured: &str) -> Option<String> {
    if !oracles() {
        return None;
    }
    let measured = analysis::notation::cube(measured).unwrap();
    let page = html(&analysis::derive(&measured), &RunInfo::default());
    let dom = with_page(name, &page, |folder, url| dump_dom(folder, &format!("{url}#selftest")));
    let (_, after) = dom.split_once("<pre id=\"selftest\">").expect("the page ran its self test");
    let (lines, _) = after.split_once("</pre>").unwrap();
    let failed: Vec<&str> = lines.lines().filter(|line| line.starts_with("FAIL")).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    Some(lines.to_owned())
}

#[test]
fn the_page_follows_the_rules_of_the_display() {
    let Some(lines) = self_test("ocean", include_str!("ocean.txt")) else { return };
    expect![[r#"
        ok open properties sum to the whole: 38560
        ok closed properties sum to the whole: 38560
        ok time is the CPU allocation: 38560
        ok closed call paths sum to the property: 38560
        ok open call paths sum to the property: 38560
        ok locations sum to the call path: 16
        ok closed processes sum to the call path: 16
        ok every process has a row: true
        ok the last process: &lt;0.1 %▸Process
        ok a property recolours the call tree: 4620
        ok its name stands above the call tree: Idle threads
        ok a finding selects its metric: omp_ibarrier_wait
        ok a finding selects its call path: true
        ok the one that has most of it is explained: 7899
        ok and in view: true
        ok right opens: true
        ok down selects the next row: true
        ok left closes: false
        ok * opens the largest path: true
        ok absolute: 38.6 s
        ok percent of root: 100 %
        ok percent of selection: 100 %
        ok bars are not cut off: true
        ok a theme changes the colours of values: true
        ok nothing was loaded: 0"#]]
    .assert_eq(&lines);
}

#[test]
fn so_does_that_of_a_hybrid_program() {
    let Some(lines) = self_test("hybrid", include_str!("hybrid.txt")) else { return };
    expect![[r#"
        ok open properties sum to the whole: 4000
        ok closed properties sum to the whole: 4000
        ok time is the CPU allocation: 4000
        ok closed call paths sum to the property: 4000
        ok open call paths sum to the property: 4000
        ok locations sum to the call path: 120
        ok closed processes sum to the call path: 120
        ok every process has a row: true
        ok the last process: 1.5 %▸MPI Rank 1
        ok a property recolours the call tree: 580
        ok its name stands above the call tree: Idle threads
        ok a finding selects its metric: mpi_collective
        ok a finding selects its call path: true
        ok the one that has most of it is explained: 300
        ok and in view: true
        ok right opens: true
        ok down selects the next row: true
        ok left closes: false
        ok * opens the largest path: true
        ok absolute: 4.0 s
        ok percent of root: 100 %
        ok percent of selection: 100 %
        ok bars are not cut off: true
        ok a theme changes the colours of values: true
        ok nothing was loaded: 0"#]]
    .assert_eq(&lines);
}
