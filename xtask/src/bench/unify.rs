//! What many processes take. First the unification of the definitions of 64 to 10,000 simulated
//! ranks: the time per rank is to stay below a second, and memory is to grow with the logarithm of
//! their number. Then all of finishing, with live state of 4 to 64 ranks in files, and with fewer
//! regions and a trace up to 1,024 ranks.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::shell;

pub fn run() -> Result<()> {
    for (package, example) in [("pompeii-model", "unify"), ("pompeii-finish", "job")] {
        let arguments = ["build", "--release", "-q", "-p", package, "--example", example];
        ensure!(Command::new("cargo").args(arguments).status()?.success(), "cargo build failed");
    }
    let examples = shell::target_folder().join("release/examples");
    println!("Unification:");
    for ranks in ["64", "1000", "10000"] {
        let done = Command::new(examples.join("unify")).arg(ranks).status()?;
        ensure!(done.success(), "unify {ranks} failed");
    }
    println!("Finishing:");
    for job in ["4", "16", "64", "64 500 1000", "256 500 1000", "1024 500 1000"] {
        let folder = std::env::temp_dir().join(format!("pompeii-unify-{}", std::process::id()));
        let done = Command::new(examples.join("job")).arg(&folder).args(job.split(' ')).status();
        let _ = std::fs::remove_dir_all(&folder);
        ensure!(done?.success(), "job {job} failed");
    }
    Ok(())
}
