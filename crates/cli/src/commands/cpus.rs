//! Whether threads had the CPUs for themselves. Where not, what looks like waiting for one another
//! is waiting for a CPU, which no change of the program mends.

use std::collections::HashMap;

use pompeii_analysis::format;
use pompeii_finish::Manifest;

/// Fewer interruptions say nothing: each thread has a few of them anywhere.
const INTERRUPTIONS_MIN: u64 = 100;
/// On a machine with little else to do, a thread is interrupted about once a second.
const INTERRUPTIONS_PER_SECOND_MIN: f64 = 50.0;

/// That they had not.
pub fn note(manifest: &Manifest) -> Option<String> {
    let (run, locations) = (&manifest.run, manifest.locations);
    let ranks = manifest.job.iter().flat_map(|job| &job.ranks);
    let hosts = ranks.map(|rank| rank.host.as_str());
    let thread_seconds = manifest.wall_ns as f64 / 1e9 * locations as f64;
    shared(hosts, locations, run.cpus).or_else(|| interrupted(run.interruptions, thread_seconds))
}

/// That threads had to take turns, on the host with the most processes; `hosts` has that of each
/// process of a job.
fn shared<'a>(
    hosts: impl Iterator<Item = &'a str>,
    locations: usize,
    cpus: usize,
) -> Option<String> {
    let mut on_host: HashMap<&str, usize> = HashMap::new();
    hosts.for_each(|host| *on_host.entry(host).or_default() += 1);
    let processes = on_host.values().copied().max().unwrap_or(1);
    let threads = locations * processes / on_host.values().sum::<usize>().max(1);
    if cpus == 0 || threads <= cpus {
        return None;
    }
    let of = if processes > 1 { format!(" of {processes} processes") } else { String::new() };
    let advice = match cpus / processes {
        0 => format!("Try at most {} on a host.", format::counted(cpus as i64, "process")),
        each => format!("Try OMP_NUM_THREADS={each}."),
    };
    Some(format!(
        "{threads} threads{of} shared {}. Therefore the time in fork and join, barriers and locks is \
         mostly waiting for a CPU. {advice}",
        format::counted(cpus as i64, "CPU")
    ))
}

/// That other programs ran on the CPUs.
fn interrupted(interruptions: u64, thread_seconds: f64) -> Option<String> {
    let each_second = interruptions as f64 / thread_seconds;
    let many = interruptions >= INTERRUPTIONS_MIN && each_second >= INTERRUPTIONS_PER_SECOND_MIN;
    many.then(|| {
        format!(
            "The machine was busy: other programs took the CPU from threads {interruptions} times, \
             {each_second:.0} times per second and thread. Without them, times and waiting would \
             be shorter."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_on_threads_is_for_one_process_of_the_busiest_host() {
        let advice = |hosts: &[&str], locations, cpus| {
            let note = shared(hosts.iter().copied(), locations, cpus)?;
            Some(format!("{} {}", note.split(". ").next()?, note.split(". ").last()?))
        };
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(advice(&[], 2, 2), None);
        assert_eq!(advice(&[], 4, 2), said("4 threads shared 2 CPUs Try OMP_NUM_THREADS=2."));
        assert_eq!(advice(&["a", "b"], 4, 2), None);
        assert_eq!(
            advice(&["a", "b", "a"], 6, 2),
            said("4 threads of 2 processes shared 2 CPUs Try OMP_NUM_THREADS=1.")
        );
        assert_eq!(
            advice(&["a", "a"], 2, 1),
            said("2 threads of 2 processes shared 1 CPU Try at most 1 process on a host.")
        );
        assert_eq!(advice(&["a", "a"], 4, 0), None);
    }

    #[test]
    fn interruptions_are_told_where_they_are_many() {
        assert_eq!(interrupted(99, 0.5), None);
        assert_eq!(interrupted(4000, 100.0), None);
        expect_test::expect!["The machine was busy: other programs took the CPU from threads 4000 times, 80 times per second and thread. Without them, times and waiting would be shorter."]
        .assert_eq(&interrupted(4000, 50.0).unwrap());
    }
}
