//! What the machine did to a run, for the first lines of a report: threads without a CPU look like
//! threads that wait for one another, and no change of the program mends that.

use std::collections::HashMap;

use pompeii_analysis::{Advice, AdviceKind, Cause, Explains, MachineCause, format};
use pompeii_finish::{Machine, Manifest};

/// Other programs, the hypervisor and limits are named from this share of the CPUs' time on.
const MUCH: f64 = 0.05;
/// If less of the CPUs' time was used, threads that were ready found a free CPU.
const FULL: f64 = 0.85;
const WITHOUT: &str = "Measure on a quiet machine: times and waiting would be shorter.";

/// All causes that the manifest shows, the most certain one first.
pub fn causes(manifest: &Manifest) -> Vec<MachineCause> {
    let (run, locations) = (&manifest.run, manifest.locations);
    let ranks = manifest.job.iter().flat_map(|job| &job.ranks);
    let hosts = ranks.map(|rank| rank.host.as_str());
    let shared = shared(hosts, locations, run.cpus);
    shared.into_iter().chain(run.machine.iter().flat_map(taken)).collect()
}

/// A cause for which nothing can be set: `change` says what to do about it.
fn cause(cause: Cause, sentence: String, change: &str) -> MachineCause {
    let advice =
        Advice { kind: AdviceKind::None, target: String::new(), value: Some(change.to_owned()) };
    let sentence = format!("{sentence} {change}");
    MachineCause { cause, explains: Explains::Waiting, sentence, advice }
}

/// That threads had to take turns, on the host with the most processes; `hosts` has that of each
/// process of a job.
fn shared<'a>(
    hosts: impl Iterator<Item = &'a str>,
    locations: usize,
    cpus: usize,
) -> Option<MachineCause> {
    let mut on_host: HashMap<&str, usize> = HashMap::new();
    hosts.for_each(|host| *on_host.entry(host).or_default() += 1);
    let processes = on_host.values().copied().max().unwrap_or(1);
    let threads = locations * processes / on_host.values().sum::<usize>().max(1);
    if cpus == 0 || threads <= cpus {
        return None;
    }
    let of = if processes > 1 { format!(" of {processes} processes") } else { String::new() };
    let sentence = format!(
        "{threads} threads{of} shared {}. Therefore the time in fork and join, barriers and locks \
         is mostly waiting for a CPU.",
        format::counted(cpus as i64, "CPU")
    );
    let each = cpus / processes;
    if each == 0 {
        let most = format!("Try at most {} on a host.", format::counted(cpus as i64, "process"));
        return Some(cause(Cause::Oversubscription, sentence, &most));
    }
    let change = format!("Try OMP_NUM_THREADS={each}.");
    let advice = Advice {
        kind: AdviceKind::Threads,
        target: "the run".to_owned(),
        value: Some(each.to_string()),
    };
    Some(MachineCause { advice, ..cause(Cause::Oversubscription, sentence, &change) })
}

/// What was taken from the program's threads on the host of `run`.
fn taken(machine: &Machine) -> Vec<MachineCause> {
    [throttled(machine), stolen(machine), others(machine)].into_iter().flatten().collect()
}

/// This share of the time of the command's CPUs.
fn share(machine: &Machine, ns: u64) -> f64 {
    ns as f64 / machine.capacity_ns().max(1) as f64
}

fn seconds(ns: u64) -> String {
    format::seconds(ns as f64 / 1e9)
}

fn throttled(machine: &Machine) -> Option<MachineCause> {
    let (quota, ns) = machine.quota_millicpus.zip(machine.throttled_ns)?;
    (share(machine, ns) >= MUCH).then(|| {
        let cpus = quota as f64 / 1000.0;
        let sentence = format!(
            "A limit of {cpus} CPUs on this container or control group stopped threads for {} of \
             CPU time.",
            seconds(ns)
        );
        cause(Cause::Quota, sentence, "Raise the limit, or use fewer threads.")
    })
}

fn stolen(machine: &Machine) -> Option<MachineCause> {
    let stolen = machine.steal_ns.map(|ns| share(machine, ns))?;
    (stolen >= MUCH).then(|| {
        let sentence = format!(
            "The host of this virtual machine withheld {} of the CPU time.",
            format::percent(stolen)
        );
        cause(Cause::BusyNeighbour, sentence, WITHOUT)
    })
}

fn others(machine: &Machine) -> Option<MachineCause> {
    let others_ns = machine.others_ns?;
    let used_ns = others_ns + machine.command_ns + machine.steal_ns.unwrap_or(0);
    let (others, used) = (share(machine, others_ns), share(machine, used_ns));
    (others >= MUCH && used >= FULL).then(|| {
        let sentence = format!(
            "The machine was busy: other programs used {} of the CPU time ({} of {}).",
            format::percent(others),
            seconds(others_ns),
            seconds(machine.capacity_ns())
        );
        cause(Cause::BusyNeighbour, sentence, WITHOUT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_on_threads_is_for_one_process_of_the_busiest_host() {
        let advice = |hosts: &[&str], locations, cpus| {
            let note = shared(hosts.iter().copied(), locations, cpus)?.sentence;
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

    /// Two CPUs for ten seconds, of which the command had 9.
    fn machine(others_ms: u64, steal_ms: u64, throttled_ms: u64) -> Vec<String> {
        let ns = |ms: u64| ms * 1_000_000;
        let machine = Machine {
            wall_ns: ns(10_000),
            cpus: 2,
            command_ns: ns(9_000),
            others_ns: Some(ns(others_ms)),
            steal_ns: Some(ns(steal_ms)),
            quota_millicpus: Some(1500),
            throttled_ns: Some(ns(throttled_ms)),
        };
        taken(&machine)
            .into_iter()
            .map(|cause| cause.sentence.split(' ').take(3).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn other_programs_matter_if_no_cpu_was_free() {
        assert_eq!(machine(9_000, 0, 0), ["The machine was"]);
        assert_eq!(machine(5_000, 0, 0), [""; 0]);
        assert_eq!(machine(900, 9_000, 0), ["The host of"]);
    }

    #[test]
    fn a_limit_matters_if_it_stopped_threads() {
        assert_eq!(machine(0, 0, 999), [""; 0]);
        assert_eq!(machine(0, 0, 1_000), ["A limit of"]);
        assert_eq!(taken(&Machine::default()), []);
    }
}
