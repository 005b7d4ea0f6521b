//! `pompeii scaling` on real runs with 1, 2 and 4 threads. What times they take depends on the
//! machine, so the numbers themselves are tested in `analysis` and `report`.

use crate::common::{LOOP, Sandbox};
use serde_json::Value;

fn measured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    for threads in ["1", "2", "4"] {
        let mut run = sandbox.command(&format!("run -q -o on{threads} -- ./loop"));
        let output = run.env("OMP_NUM_THREADS", threads).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
    }
    sandbox
}

#[test]
fn runs_are_ordered_by_threads() {
    let sandbox = measured();
    let json = sandbox.succeeds("scaling on4 on1 on2 --json").output;
    let json: Value = serde_json::from_str(&json).unwrap();
    let threads = [0, 1, 2].map(|at: usize| json["sizes"][at]["threads"].as_u64());
    assert_eq!(threads, [Some(1), Some(2), Some(4)]);
    assert_eq!(json["regions"][0]["time_s"].as_array().map(Vec::len), Some(3), "{json}");
    let label = json["regions"][0]["label"].as_str().unwrap();
    assert!(label.contains("loop.c:4"), "{label}");
    for at in 0..3 {
        let size = &json["sizes"][at];
        let of = |name: &str| size[name].as_f64().unwrap();
        assert!((of("mpi") * of("openmp") - of("parallel")).abs() < 0.05, "{size}");
    }
    let more = json["predictions"].as_array().unwrap();
    assert!(more.iter().all(|at| at["low_s"].as_f64() <= at["high_s"].as_f64()), "{json}");
    assert_eq!(more[0]["threads"], 8.0);
    let text = sandbox.succeeds("scaling on1 on2 on4 --svg plot.svg --html plot.html").output;
    assert!(text.contains("Wall time on more threads"), "{text}");
    let picture = std::fs::read_to_string(sandbox.path("plot.svg")).unwrap();
    assert_eq!(picture.matches("<circle").count(), 3, "{picture}");
    let page = std::fs::read_to_string(sandbox.path("plot.html")).unwrap();
    assert!(page.contains(&picture) && page.contains("Speed-up per thread"), "{page}");
}

#[test]
fn two_sizes_are_compared_without_a_prediction() {
    let sandbox = measured();
    let text = sandbox.succeeds("scaling on1,on1 on2 --weak").output;
    assert!(text.contains("weak scaling") && text.contains("No prediction"), "{text}");
    let missing = sandbox.pompeii("scaling");
    assert_eq!(missing.code, Some(2));
}
