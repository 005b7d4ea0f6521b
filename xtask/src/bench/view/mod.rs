//! What the viewer costs: events per second of CPU time while `pompeii view` builds an index, the
//! size of the index, memory, the time until the first picture, answers to questions for random
//! windows over HTTP, and the page in a real browser. The traces come from a generator
//! (`traces.rs`): 64 long locations, and thousands of short ones.
//!
//! `cargo xtask bench view` takes traces of 105 million events; `bench view small` takes a tenth of
//! them, `bench view page` too, and measures the page only. `bench view report` measures the page
//! of a report with many call paths. `BENCH_FOLDER` is where they are written.

mod page;
mod questions;
pub mod server;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::traces::Writer;
use crate::shell;
use questions::Questions;
use server::Server;

const WINDOWS: u64 = 200;
/// What the page transfers at most until it shows a trace, in bytes.
const OPENING_MAX: usize = 2_000_000;

/// Constructs of the report with many call paths: it has about 9,000 of these.
const CONSTRUCTS: &str = "8800";

/// A trace, and the largest share of its size that its index may have.
struct Trace {
    what: &'static str,
    events: u64,
    processes: u32,
    threads: u32,
    share_max: f64,
}

const TRACES: [Trace; 2] = [
    Trace { what: "64 locations", events: 105_000_000, processes: 4, threads: 16, share_max: 0.12 },
    Trace {
        what: "4096 locations",
        events: 102_400_000,
        processes: 256,
        threads: 16,
        share_max: 0.2,
    },
];

/// Writes the traces and prints the figures.
pub fn run(on: Option<&str>) -> Result<()> {
    let pompeii = shell::build_pompeii()?;
    let (divisor, is_page_only) = match on {
        None => (1, false),
        Some("small") => (10, false),
        Some("page") => (10, true),
        Some("report") => return report(&pompeii),
        Some(other) => bail!("`bench view` knows `small`, `page` and `report`, not `{other}`"),
    };
    let folder = std::env::var_os("BENCH_FOLDER").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| shell::target_folder().join("bench-view"));
    let writer = Writer::new(&folder)?;
    for trace in TRACES {
        let size = (trace.processes, trace.threads);
        let (anchor, events) = writer.write("hybrid", size, trace.events / divisor)?;
        let traced = Traced { pompeii: &pompeii, anchor, cache: folder.join("cache") };
        println!("{}: {events} events, {:.0} MB", trace.what, traced.trace_bytes()? as f64 / 1e6);
        if is_page_only {
            let server = traced.start()?;
            server.wait()?;
            page::measure(&server.address(), page::Kind::Trace)?;
            continue;
        }
        traced.measure(&trace, events)?;
    }
    writer.end()?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load {}; again: cargo xtask bench view", load.trim());
    Ok(())
}

/// The page of a report with many call paths: from the server, and as the file that `html` writes.
fn report(pompeii: &Path) -> Result<()> {
    shell::run(shell::cargo().args(["build", "-q", "-p", "pompeii-finish", "--example", "shape"]))?;
    let folder = shell::target_folder().join("bench-report");
    let _ = fs::remove_dir_all(&folder);
    let (experiment, file) = (folder.join("exp"), folder.join("page.html"));
    let mut shape = Command::new(shell::target_folder().join("debug/examples/shape"));
    shell::run(shape.arg(&experiment).args(["wide", CONSTRUCTS]))?;
    shell::run(Command::new(pompeii).arg("recover").arg(&experiment))?;
    shell::run(Command::new(pompeii).arg("html").arg(&experiment).arg("-o").arg(&file))?;
    let server = Server::start(pompeii, &experiment, &folder)?;
    println!("report of {CONSTRUCTS} constructs, from the server:");
    page::measure(&server.address(), page::Kind::Report)?;
    println!("as a file of {} kB:", fs::metadata(&file)?.len() / 1000);
    page::measure(&format!("file://{}", file.display()), page::Kind::Report)?;
    fs::remove_dir_all(folder)?;
    println!("again: cargo xtask bench view report");
    Ok(())
}

/// A trace on disk, and where its index is.
struct Traced<'a> {
    pompeii: &'a Path,
    anchor: PathBuf,
    cache: PathBuf,
}

impl Traced<'_> {
    fn start(&self) -> Result<Server> {
        Server::start(self.pompeii, &self.anchor, &self.cache)
    }

    fn measure(&self, trace: &Trace, events: u64) -> Result<()> {
        let _ = fs::remove_dir_all(&self.cache);
        self.build(trace, events)?;
        let rows = match trace.processes {
            ..=16 => "f0-63".to_owned(),
            processes => format!("p0-{}", processes - 1),
        };
        for (name, is_cold, bound_s) in [("cold", true, 2.0), ("warm", false, 0.3)] {
            if is_cold {
                self.forget()?;
            }
            let (seconds, _) = self.first_picture(&rows)?;
            let missed = if seconds > bound_s { "  MISSED" } else { "" };
            println!("  {name} first picture {seconds:.2} s, bound {bound_s} s{missed}");
        }
        let (_, server) = self.first_picture(&rows)?;
        self.opening(&server, &rows)?;
        Questions::new(&server.json("api/open")?, WINDOWS)?.ask(&server)?;
        page::measure(&server.address(), page::Kind::Trace)
    }

    #[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
    fn build(&self, trace: &Trace, events: u64) -> Result<()> {
        let (begin, server) = (Instant::now(), self.start()?);
        let peak_bytes = server.wait()?;
        let (wall_s, cpu_s) = (begin.elapsed().as_secs_f64(), server.cpu_s()?);
        let rate = events as f64 / cpu_s / 1e6;
        let missed = |is_missed| if is_missed { "  MISSED" } else { "" };
        println!(
            "  build     {rate:6.1} million events per second of CPU time, bound 10{}; {wall_s:.1} s",
            missed(rate < 10.0)
        );
        let share = self.index_bytes()? as f64 / self.trace_bytes()? as f64;
        let (percent, most) = (share * 100.0, trace.share_max * 100.0);
        let is_large = share > trace.share_max;
        println!("  size      {percent:6.1} % of the trace, bound {most:.0} %{}", missed(is_large));
        let memory = peak_bytes as f64 / 1e6;
        println!("  memory    {memory:6.0} MB, bound 128 MB{}", missed(memory > 128.0));
        Ok(())
    }

    /// Seconds from the start to the first picture of the whole run.
    #[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
    fn first_picture(&self, rows: &str) -> Result<(f64, Server)> {
        let (begin, server) = (Instant::now(), self.start()?);
        server.wait()?;
        let length = &server.json("api/open")?["length"];
        server.get(&format!("api/picture?rows={rows}&t0=0&t1={length}&px=2000"))?;
        Ok((begin.elapsed().as_secs_f64(), server))
    }

    /// What a page transfers until it shows the whole run, without the page itself: packed, as a
    /// browser gets it.
    fn opening(&self, server: &Server, rows: &str) -> Result<()> {
        let length = &server.json("api/open")?["length"];
        let opening = server.packed_bytes("api/open")?;
        let picture = format!("api/picture?rows={rows}&t0=0&t1={length}&px=2000");
        let picture = server.packed_bytes(&picture)?;
        let missed = if opening + picture > OPENING_MAX { "  MISSED" } else { "" };
        println!(
            "  opening   {} kB of definitions, {} kB of a picture, bound {} kB{missed}",
            opening / 1000,
            picture / 1000,
            OPENING_MAX / 1000
        );
        Ok(())
    }

    fn trace_bytes(&self) -> Result<u64> {
        bytes_of(&self.event_files()?)
    }

    fn index_bytes(&self) -> Result<u64> {
        bytes_of(&self.indexes()?)
    }

    fn event_files(&self) -> Result<Vec<PathBuf>> {
        let files = files_of(&self.anchor.with_extension(""))?.into_iter();
        Ok(files.filter(|path| path.extension() == Some(OsStr::new("evt"))).collect())
    }

    fn indexes(&self) -> Result<Vec<PathBuf>> {
        files_of(&self.cache.join("pompeii/view"))
    }

    /// The system reads the files from the disk again.
    fn forget(&self) -> Result<()> {
        let all = self.event_files()?.into_iter().chain(self.indexes()?);
        shell::run(Command::new("sync").stdout(Stdio::null()))?;
        for path in all {
            let mut dd = Command::new("dd");
            dd.arg(format!("if={}", path.display())).args(["iflag=nocache", "count=0"]);
            let status = dd.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            ensure!(status.success(), "dd: {status}");
        }
        Ok(())
    }
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn bytes_of(files: &[PathBuf]) -> Result<u64> {
    files.iter().map(|path| Ok(fs::metadata(path)?.len())).sum()
}
