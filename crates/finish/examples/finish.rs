//! Finishes the experiment given as argument: what `pompeii run` does at the end.
fn main() -> Result<(), pompeii_finish::Error> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    pompeii_finish::finish(folder.as_ref(), &pompeii_finish::RunInfo::default()).map(drop)
}
