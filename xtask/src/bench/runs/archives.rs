//! Experiments as one file: how large it is, and how long the first picture of the timeline takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Bench, Row, turns};
use crate::bench::median;
use crate::bench::view::server::Server;
use crate::{root, shell};

/// Programs of `examples/`: the folder, what is compiled there, and the command. The last one is
/// opened in the viewer.
const EXAMPLES: [(&str, &str, &str); 5] = [
    ("kernels", "gcc -std=c99 -O2 -fopenmp fine.c -o fine", "./fine 5 2000000"),
    ("kernels", "gcc -std=c99 -O2 -fopenmp coarse.c -o coarse", "./coarse 20 40"),
    (
        "retrieval",
        "g++ -O2 -fopenmp features.cpp images.cpp ranking.cpp retrieval.cpp -o retrieval",
        "./retrieval",
    ),
    ("kernels", "gcc -std=c99 -O2 -fopenmp creation.c -o creation", "./creation 20 40"),
    ("ocean", "gcc -std=c99 -O2 -fopenmp ocean.c -o ocean -lm", "./ocean 256 1000"),
];

/// The rows of the table.
pub fn rows(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut last = PathBuf::new();
    for (folder, compiler, command) in EXAMPLES {
        let name = command.split(' ').next().unwrap_or_default().trim_start_matches("./");
        let place = measure(bench, folder, (compiler, command), name)?;
        let file = place.join("exp.zst");
        let (trace_bytes, packed_bytes) =
            (trace_bytes(&place.join("exp"))?, fs::metadata(&file)?.len());
        println!("{name}: trace {trace_bytes} bytes, archive {packed_bytes} bytes");
        let percent = packed_bytes as f64 / trace_bytes as f64 * 100.0;
        rows.push(Row::new(&format!("archive / trace, {name}"), percent, ("%", 25.0)));
        last = file;
    }
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..turns()? {
        for (experiment, times) in [last.with_extension(""), last.clone()].iter().zip(&mut times) {
            let cache = bench.folder.join("cache");
            let _ = fs::remove_dir_all(&cache);
            times.push(first_picture_s(&bench.pompeii, experiment, &cache)?);
        }
    }
    let [folder, archive] = times.map(median);
    println!("first picture: folder {folder:.2} s, archive {archive:.2} s");
    rows.push(Row::new("first picture, archive / folder", archive / folder, ("", 1.5)));
    Ok(rows)
}

/// Compiles an example, runs it with a trace, and packs the experiment `exp` into `exp.zst`.
fn measure(
    bench: &Bench,
    folder: &str,
    (compiler, command): (&str, &str),
    name: &str,
) -> Result<PathBuf> {
    let place = bench.folder.join("examples").join(name);
    fs::create_dir_all(&place)?;
    for entry in fs::read_dir(root().join("examples").join(folder))? {
        let entry = entry?;
        fs::copy(entry.path(), place.join(entry.file_name()))?;
    }
    let words = [
        format!("compile -q -- {compiler}"),
        format!("run -q --trace -o exp -- {command}"),
        "archive exp -o exp.zst".to_owned(),
    ];
    for words in words {
        let mut command = bench.command();
        command.args(words.split(' ')).current_dir(&place).env("OMP_NUM_THREADS", "2");
        shell::output(&mut command)?;
    }
    Ok(place)
}

/// Bytes of the OTF2 archive of an experiment.
fn trace_bytes(experiment: &Path) -> Result<u64> {
    let mut bytes = 0;
    for name in ["traces.otf2", "traces.def"] {
        bytes += fs::metadata(experiment.join(name)).context(name)?.len();
    }
    for entry in fs::read_dir(experiment.join("traces"))? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Seconds from the start of the viewer to the picture of the whole run.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn first_picture_s(pompeii: &Path, experiment: &Path, cache: &Path) -> Result<f64> {
    let begin = Instant::now();
    let server = Server::start(pompeii, experiment, cache)?;
    server.wait()?;
    let length = &server.json("api/open")?["length"];
    server.get(&format!("api/picture?rows=f0-1&t0=0&t1={length}&px=2000"))?;
    Ok(begin.elapsed().as_secs_f64())
}
