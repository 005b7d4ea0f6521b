//! Sentences about an MPI job: which of its processes are not in the experiment or died, and how
//! well their clocks agree.

use pompeii_analysis::format;
use pompeii_finish::{End, Job, RankEntry};

/// So many ranks are named; of more, their number is told.
const NAMED: usize = 8;

/// What is not as it should be; nothing of a job in which all is well.
pub fn notes(job: &Job) -> Vec<String> {
    let mut lines = Vec::new();
    if !job.missing.is_empty() {
        let (ranks, size) = (ranks(&job.missing), job.size);
        lines.push(format!("There is no data of {ranks}, of {size} processes."));
    }
    lines.extend(
        job.unreadable.iter().map(|why| format!("The data of a process could not be read: {why}.")),
    );
    let died = |entry: &&RankEntry| !matches!(entry.end, End::Exit { code: Some(0) | None });
    for entry in job.ranks.iter().filter(died).take(NAMED) {
        let (rank, end) = (entry.rank, &entry.end);
        lines.push(format!(
            "Rank {rank} died ({end}). It was measured until the last event of each thread."
        ));
    }
    let left = |entry: &&RankEntry| !entry.finalized && !died(entry);
    let left: Vec<u32> = job.ranks.iter().filter(left).map(|entry| entry.rank).collect();
    if !left.is_empty() {
        lines.push(format!("MPI_Finalize was not called by {}.", ranks(&left)));
    }
    lines.extend(clocks(job));
    lines
}

/// How far times of different processes may be off, where their clocks are not one.
fn clocks(job: &Job) -> Option<String> {
    let errors: Vec<Option<u64>> = job.ranks.iter().map(|entry| entry.clock_error_ns).collect();
    if errors.contains(&None) {
        return Some(
            "The clocks of the hosts were not compared. Times of different hosts are as accurate \
             as the time of day on the hosts."
                .to_owned(),
        );
    }
    let error_ns = errors.into_iter().flatten().max().filter(|&error_ns| error_ns > 0)?;
    let error = format::seconds(error_ns as f64 * 1e-9);
    Some(format!("Times of different hosts agree within {error}."))
}

/// `rank 3`, `ranks 1, 2 and 5`, `ranks 0, 1, 2, ... (40)`.
fn ranks(ranks: &[u32]) -> String {
    let named: Vec<String> = ranks.iter().take(NAMED).map(u32::to_string).collect();
    match named.as_slice() {
        [only] => format!("rank {only}"),
        _ if ranks.len() > NAMED => format!("ranks {}, ... ({})", named.join(", "), ranks.len()),
        [first @ .., last] => format!("ranks {} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_is_missing_is_said() {
        let entry = |rank, end, finalized, clock_error_ns| RankEntry {
            rank,
            host: "node1".into(),
            pid: 1,
            end,
            finalized,
            clock_error_ns,
            used: None,
        };
        let exit = |code| End::Exit { code: Some(code) };
        let mut job = Job {
            id: "here-1-2".into(),
            size: 20,
            ranks: vec![
                entry(0, exit(0), true, Some(0)),
                entry(1, exit(0), false, Some(1_200)),
                entry(2, End::Unknown, false, Some(0)),
            ],
            missing: vec![3, 4],
            unreadable: vec!["live/process: 7 bytes".into()],
            ..Job::default()
        };
        expect![[r#"
            There is no data of ranks 3 and 4, of 20 processes.
            The data of a process could not be read: live/process: 7 bytes.
            Rank 2 died (an unknown cause). It was measured until the last event of each thread.
            MPI_Finalize was not called by rank 1.
            Times of different hosts agree within 1.2 µs."#]]
        .assert_eq(&notes(&job).join("\n"));
        (job.missing, job.unreadable) = ((3..20).collect(), Vec::new());
        job.ranks.truncate(1);
        job.ranks[0].clock_error_ns = None;
        expect![[r#"
            There is no data of ranks 3, 4, 5, 6, 7, 8, 9, 10, ... (17), of 20 processes.
            The clocks of the hosts were not compared. Times of different hosts are as accurate as the time of day on the hosts."#]].assert_eq(&notes(&job).join("\n"));
    }
}
