//! What a run used besides CPU time: known values are the memory that the program asks for.

use crate::common::Sandbox;
use serde_json::Value;

const LARGE: &str = "#include <stdlib.h>
#include <string.h>
enum { BYTES = 256 << 20 };
int main(void) {
  char *data = malloc(BYTES);
  memset(data, 1, BYTES);
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < BYTES; i += 4096) sum += data[i];
  return sum != BYTES / 4096;
}
";

#[test]
fn reports_have_memory_and_page_faults() {
    let sandbox = Sandbox::new();
    sandbox.compile("large", LARGE);
    // A command has the memory of the process that starts it until it is replaced. A shell that
    // starts one more process has little.
    let script = format!("{} run -q -o exp -- ./large; exit $?", env!("CARGO_BIN_EXE_pompeii"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(sandbox.path("")).env_remove("LD_LIBRARY_PATH");
    assert!(shell.status().unwrap().success());
    let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let used = &manifest["run"]["resources"];
    let peak = used["peak_bytes"].as_u64().unwrap();
    assert!((256 << 20..320 << 20).contains(&peak), "{used}");
    assert!(used["page_faults"].as_u64() > Some(0), "{used}");
    let report: Value =
        serde_json::from_str(&sandbox.succeeds("report exp --json").output).unwrap();
    assert_eq!(report["resources"]["peak_bytes"], used["peak_bytes"]);
    assert_eq!(report["resources"]["page_faults"], used["page_faults"]);
    let report = sandbox.succeeds("report exp").output;
    assert!(report.contains("The largest process had 2"), "{report}");
}
