//! Writes a part of a trace, as `pompeii convert --to otf2` does: for counting instructions.
//!
//! ```text
//! cut ANCHOR FOLDER [BEGIN END]
//! ```
//! The window is in ticks; without one the cut is the whole trace.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use pompeii_export::cut::{Choice, write};
use pompeii_otf2::read::Archive;
use pompeii_replay::Within;
use pompeii_replay::archive::definitions;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ([anchor, folder, window @ ..], 2 | 4) = (&words[..], words.len()) else {
        return Err("usage: cut ANCHOR FOLDER [BEGIN END]".into());
    };
    let archive = Archive::open(Path::new(anchor))?;
    let definitions = definitions(&archive);
    let mut choice = Choice::all(&definitions);
    if let [begin, end] = window {
        choice.within = Within { begin: begin.parse()?, end: end.parse()? };
    }
    write(&archive, (&definitions, &choice), Path::new(folder), &AtomicU64::new(0))?;
    Ok(())
}
