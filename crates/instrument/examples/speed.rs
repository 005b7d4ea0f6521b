//! Prints how many megabytes per second one file is instrumented with.

use pompeii_instrument::{Language, Options, instrument};
use std::io::Write;
use std::time::SystemTime;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: speed FILE")?;
    let source = std::fs::read(&path)?;
    let language = Language::from_path(&path).ok_or("unknown suffix")?;
    for _ in 0..5 {
        let start = SystemTime::now();
        let outcome = instrument(&source, &Options::new(&path, language))?;
        let seconds = start.elapsed()?.as_secs_f64();
        let speed = source.len() as f64 / 1e6 / seconds;
        let regions = outcome.regions.len();
        writeln!(std::io::stdout(), "{speed:.0} MB/s, {regions} regions, {seconds:.3} s")?;
    }
    Ok(())
}
