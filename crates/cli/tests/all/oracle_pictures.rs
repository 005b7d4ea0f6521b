//! The pictures of the papers, made from the examples as a user makes them, in a browser: EXPERT's
//! display of idle threads and of barriers (Mohr et al. 2002, Figures 2 and 3), TAU's view by regions
//! (Figure 4), the three problems with tasks (Schmidl et al. 2012, Figures 5 to 7), and tasks in the
//! call tree (Figure 8).

use std::path::Path;
use std::process::Command;

use crate::common::{Ended, Sandbox, examples, oracles};
use crate::oracle_hybrid::{LIBRARIES, OCEAN, WEATHER, run_example, succeeds};

/// Runs a file of `report/tests/web` on pages: names of variables, and addresses or files of the
/// sandbox.
pub fn in_browser(sandbox: &Sandbox, file: &str, pages: &[(&str, &str)]) {
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("web");
    assert!(packages.join("node_modules").is_dir(), "run `cargo xtask setup` for the packages");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/web");
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"])
        .arg(tests.join(file))
        .env("POMPEII_WEB", packages);
    for (name, page) in pages {
        let address = match page.starts_with("http") {
            true => (*page).to_owned(),
            false => format!("file://{}", sandbox.path(page).display()),
        };
        node.env(format!("PAGE_{name}"), address);
    }
    let output = node.output().unwrap();
    assert!(output.status.success(), "{file}\n{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn trees_of_weather_and_ocean() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    for (example, page) in [(&WEATHER, "weather.html"), (&OCEAN, "ocean.html")] {
        run_example(&sandbox, example, LIBRARIES[0]);
        succeeds(&sandbox, &format!("html exp -o {page}"));
        std::fs::remove_dir_all(sandbox.path("exp")).unwrap();
    }
    let pages = [("WEATHER", "weather.html"), ("OCEAN", "ocean.html")];
    in_browser(&sandbox, "pictures.browser.mjs", &pages);
}

/// One thread prepares a task in 1 ms, and executing it takes 5 ms: three others are busy, fifteen
/// wait. Threads that sleep need no core, so the picture is the same on every machine.
const SLEEP: &str = "#include <unistd.h>
#include <omp.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 200; i++) {
      usleep(1000);
#pragma omp task
      usleep(5000);
    }
  }
  return 0;
}
";

/// Twelve tasks of equal length on eight threads: four threads execute two.
const TWELVE: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 12; i++) {
#pragma omp task
    usleep(60000);
  }
  return 0;
}
";

/// Two tasks, each of which creates four others, as a server that compares two images in parts.
const BATCH: &str = "#include <unistd.h>
static void batch(void) {
#pragma omp parallel
#pragma omp single
  for (int image = 0; image < 2; image++) {
#pragma omp task
    {
      usleep(3000);
      for (int part = 0; part < 4; part++) {
#pragma omp task
        usleep(20000);
      }
    }
  }
}
int main(void) {
  batch();
  return 0;
}
";

#[test]
fn problems_with_tasks() {
    if !oracles() {
        return;
    }
    let sandbox = Sandbox::new();
    let run = |name: &str, threads: &str, arguments: &str| {
        let mut command =
            sandbox.command(&format!("run -q --trace -o {name}.exp -- ./{arguments}"));
        let ended = Ended::of(command.env("OMP_NUM_THREADS", threads).output().unwrap());
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.messages);
        sandbox.succeeds(&format!("html {name}.exp -o {name}.html"));
    };
    let source = examples().join("kernels/fine.c");
    let gcc = format!("gcc -O2 -fopenmp {} -o fine", source.display());
    sandbox.succeeds(&format!("compile --strict -q -- {gcc}"));
    run("fine", "2", "fine 100");
    sandbox.compile("twelve", TWELVE);
    run("coarse", "8", "twelve");
    sandbox.compile("sleep", SLEEP);
    run("four", "4", "sleep");
    run("sixteen", "16", "sleep");
    sandbox.compile("batch", BATCH);
    run("batch", "4", "batch");
    sandbox.succeeds("analyze --task-instances --no-whatif batch.exp");
    sandbox.succeeds("html batch.exp/trace.cubex -o batch.html");
    sandbox.succeeds("diff four.exp sixteen.exp --html changes.html");
    sandbox.succeeds("scaling four.exp sixteen.exp --html scaling.html");
    let pages = [
        ("CHANGES", "changes.html"),
        ("SCALING", "scaling.html"),
        ("COARSE", "coarse.html"),
        ("FINE", "fine.html"),
        ("FOUR", "four.html"),
        ("SIXTEEN", "sixteen.html"),
        ("BATCH", "batch.html"),
    ];
    in_browser(&sandbox, "kernels.browser.mjs", &pages);
}
