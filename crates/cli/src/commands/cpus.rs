//! What the machine did to a run, for the first lines of a report: threads without a CPU look like
//! threads that wait for one another, and no change of the program mends that.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use pompeii_analysis::{
    Advice, AdviceKind, Cause, Explains, Lens, MachineCause, computing_without_cpu, format,
};
use pompeii_finish::{Machine, Manifest, RunInfo, Threads};
use pompeii_model::Cube;

use crate::mpi::launcher::is_launcher;

/// Other programs, the hypervisor and limits are named from this share of the CPUs' time on.
const MUCH: f64 = 0.05;
/// If less of the CPUs' time was used, threads that were ready found a free CPU.
const FULL: f64 = 0.85;
/// Threads crowd each other if they wanted this share of the CPUs' time on average. It is less than
/// all of it, because the program also begins and ends.
const CROWDED: f64 = 0.75;
/// Threads lacked CPUs if they were ready without one for this share of the CPU allocation time.
const LACKED: f64 = 0.02;
/// Library threads work for idle threads if they do so for this share of the idle time.
const HELPED: f64 = 0.5;
const WITHOUT: &str = "Measure on a quiet machine: times and waiting would be shorter.";

/// All causes that the manifest shows, the most certain one first.
pub fn causes(manifest: &Manifest, cube: &Cube) -> Vec<MachineCause> {
    // Threads that never had to wait for a CPU have not lost anything to other threads.
    let mut crowds = crowds(manifest);
    crowds.retain(|of| {
        lacked_cpus(manifest, is_by_number(of) && is_own_crowd(manifest)) != Some(false)
    });
    let machine = manifest.run.machine.as_ref();
    let [throttled, stolen] = [machine.and_then(throttled), machine.and_then(stolen)];
    // What a limit has stopped is counted by the system; who else used the CPUs is a difference.
    let (certain, probable) = crowds.into_iter().partition::<Vec<_>, _>(is_by_number);
    let known = certain.into_iter().chain(throttled).chain(probable);
    known.chain(library(manifest, cube)).chain(stolen).collect()
}

/// Time in which threads had work and no CPU; `None` if it is not known of each thread.
pub fn not_on_cpu_ns(manifest: &Manifest) -> Option<u64> {
    let threads = manifest.threads.as_ref().filter(|threads| threads.unknown == 0)?;
    Some(threads.ready_computing_ns)
}

/// Time between forks and the begins of threads that had no CPU meanwhile; likewise.
pub fn starting_ns(manifest: &Manifest) -> Option<u64> {
    let threads = manifest.threads.as_ref().filter(|threads| threads.unknown == 0)?;
    Some(threads.ready_starting_ns)
}

/// Time in which threads waited and had no CPU; likewise.
pub fn waiting_ns(manifest: &Manifest) -> Option<u64> {
    let threads = manifest.threads.as_ref().filter(|threads| threads.unknown == 0)?;
    Some(threads.ready_waiting_ns)
}

/// Waiting at barriers for threads that came last because they had no CPU; likewise.
pub fn late_ns(manifest: &Manifest) -> Option<u64> {
    let threads = manifest.threads.as_ref().filter(|threads| threads.unknown == 0)?;
    Some(threads.late_ns)
}

/// That the system does not tell how long threads had no CPU.
pub fn unknown(manifest: &Manifest) -> Option<String> {
    let unknown = manifest.threads.as_ref()?.unknown;
    let threads = format::counted(unknown as i64, "thread");
    (unknown > 0).then(|| format!("Time without a CPU: not known here, for {threads}."))
}

/// Whether the cause follows from the numbers of threads and CPUs.
pub fn is_by_number(of: &MachineCause) -> bool {
    matches!(of.cause, Cause::OneCpu | Cause::Oversubscription)
}

/// CPUs of each process at which its threads took turns, because there were fewer than threads; 0
/// if they did not.
pub fn crowded(manifest: &Manifest, cube: &Cube) -> usize {
    let causes = causes(manifest, cube);
    if !causes.iter().any(is_by_number) {
        return 0;
    }
    let bound = manifest.threads.as_ref().and_then(|threads| threads.bound.as_ref());
    let cpus = match bound.filter(|_| causes.iter().any(|of| of.cause == Cause::OneCpu)) {
        Some(bound) => bound.cpus.len(),
        None => allowed(manifest) / most_on_a_host(hosts(manifest)).0,
    };
    cpus.max(1)
}

/// This share of the CPU allocation time.
fn of_allocation(manifest: &Manifest, ns: u64) -> f64 {
    let allocation_ns = manifest.wall_ns.saturating_mul(manifest.locations as u64);
    ns as f64 / allocation_ns.max(1) as f64
}

/// Whether the program itself has used more of the CPUs than all others.
fn is_own_crowd(manifest: &Manifest) -> bool {
    manifest.run.machine.as_ref().is_none_or(uses_most)
}

/// Whether the program's threads would have had too few CPUs on an empty machine too: on average,
/// about as many of them as there are CPUs, or more, ran or were ready to run. `true` if that is
/// not known.
fn wants_too_many(machine: &Machine, threads: &Threads) -> bool {
    let wanted_ns = machine.command_ns.saturating_add(lacked_ns(threads, true));
    threads.unknown > 0 || wanted_ns as f64 >= CROWDED * machine.capacity_ns() as f64
}

fn uses_most(machine: &Machine) -> bool {
    let parts = [machine.others_ns, machine.steal_ns];
    let others_ns: u64 = parts.into_iter().flatten().fold(0, u64::saturating_add);
    machine.command_ns >= others_ns
}

/// Whether threads had work and no CPU; `None` if that is not known.
fn lacked_cpus(manifest: &Manifest, has_too_many: bool) -> Option<bool> {
    let threads = manifest.threads.as_ref().filter(|threads| threads.unknown == 0)?;
    Some(of_allocation(manifest, lacked_ns(threads, has_too_many)) >= LACKED)
}

/// How long threads had work and no CPU. If the program has too many threads for the CPUs, a thread
/// that its barrier has released and that finds no CPU has work, too. Otherwise a thread that waits
/// for others loses nothing if it has no CPU meanwhile.
fn lacked_ns(threads: &Threads, has_too_many: bool) -> u64 {
    let waiting_ns = if has_too_many { threads.ready_waiting_ns } else { 0 };
    let working_ns = threads.ready_computing_ns.saturating_add(threads.ready_starting_ns);
    working_ns.saturating_add(waiting_ns)
}

/// Threads that had to share the CPUs with each other or with other programs.
fn crowds(manifest: &Manifest) -> Vec<MachineCause> {
    let (run, locations) = (&manifest.run, manifest.locations);
    if let Some(bound) = bound(manifest) {
        return vec![bound];
    }
    let set = run.environment.get("OMP_NUM_THREADS").map(String::as_str);
    // Many threads that sleep, or wait for each other, do not crowd each other.
    let wanted = run.machine.as_ref().zip(manifest.threads.as_ref());
    let can_crowd = wanted.is_none_or(|(of, by)| wants_too_many(of, by));
    let shared = shared(hosts(manifest), locations, (allowed(manifest), set)).filter(|_| can_crowd);
    shared.into_iter().chain(run.machine.as_ref().and_then(others)).collect()
}

/// A cause for which nothing can be set: `change` says what to do about it.
fn cause(cause: Cause, sentence: String, change: &str) -> MachineCause {
    let advice = Advice::none(change);
    let sentence = format!("{sentence} {change}");
    MachineCause { cause, explains: Explains::Waiting, sentence, advice, taken_ns: None }
}

/// The CPUs that the program may use. A quota makes the system report fewer, but it is a cause of
/// its own.
fn allowed(manifest: &Manifest) -> usize {
    manifest.run.machine.as_ref().map_or(manifest.run.cpus, |machine| machine.cpus)
}

/// The host of each process of a job.
fn hosts(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let ranks = manifest.job.iter().flat_map(|job| &job.ranks);
    ranks.map(|rank| rank.host.as_str())
}

/// How many processes are on the host that has the most, and how many there are.
fn most_on_a_host<'a>(hosts: impl Iterator<Item = &'a str>) -> (usize, usize) {
    let mut on_host: HashMap<&str, usize> = HashMap::new();
    hosts.for_each(|host| *on_host.entry(host).or_default() += 1);
    let most = on_host.values().copied().max().unwrap_or(1);
    (most, on_host.values().sum::<usize>().max(1))
}

/// That threads had to take turns, on the host with the most processes; `hosts` has that of each
/// process of a job, `set` what OMP_NUM_THREADS is.
fn shared<'a>(
    hosts: impl Iterator<Item = &'a str>,
    locations: usize,
    (cpus, set): (usize, Option<&str>),
) -> Option<MachineCause> {
    let (processes, all) = most_on_a_host(hosts);
    let threads = locations * processes / all;
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
    // A smaller number changes nothing if the program asks for more threads than the variable has.
    if set.and_then(|set| set.parse().ok()).is_some_and(|set: usize| set <= each) {
        let change = "The program asks for more threads than OMP_NUM_THREADS: use smaller teams \
                      (num_threads), or no inner ones (OMP_MAX_ACTIVE_LEVELS=1).";
        return Some(cause(Cause::Oversubscription, sentence, change));
    }
    let change = format!("Try OMP_NUM_THREADS={each}.");
    let advice = Advice {
        kind: AdviceKind::Threads,
        target: "the run".to_owned(),
        value: Some(each.to_string()),
    };
    Some(MachineCause { advice, ..cause(Cause::Oversubscription, sentence, &change) })
}

/// Variables that bind threads. The one that keeps all threads in one place comes first: the others
/// have only the places.
const BINDING: [&str; 4] = [POLICY, "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"];

/// How threads are bound to places, if they are.
const POLICY: &str = "OMP_PROC_BIND";

/// That the threads of a process were bound to fewer CPUs than they are, and than `run` had.
fn bound(manifest: &Manifest) -> Option<MachineCause> {
    let bound = manifest.threads.as_ref()?.bound.as_ref()?;
    if bound.cpus.len() >= allowed(manifest) {
        return None;
    }
    let (who, advice) = binder(&manifest.run);
    let list = bound.cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let cpus = match bound.cpus.len() {
        1 => format!("CPU {list}"),
        _ => format!("the CPUs {list}"),
    };
    let sentence = format!("{who} all {} threads of a process to {cpus}.", bound.threads);
    let cause = cause(Cause::OneCpu, sentence, &advice.sentence());
    Some(MachineCause { advice, ..cause })
}

/// Who binds threads, with the verb, and how to change that.
fn binder(run: &RunInfo) -> (String, Advice) {
    let binding = |target: &str, value: &str| Advice {
        kind: AdviceKind::Binding,
        target: target.to_owned(),
        value: Some(value.to_owned()),
    };
    if let Some(variable) = BINDING.iter().find_map(|name| narrow(run, name)) {
        return (format!("{variable} binds"), binding("the run", "false"));
    }
    let launcher = run.command.first().map(OsStr::new).filter(|program| is_launcher(program));
    // The variables of OpenMP cannot give back what the launcher has taken.
    let Some(launcher) = launcher else {
        let change = "Start the program without taskset, numactl and calls of sched_setaffinity, \
                      or let them allow more CPUs.";
        return ("The program, or what starts it, binds".to_owned(), Advice::none(change));
    };
    let name = Path::new(launcher).file_name().unwrap_or(launcher).to_string_lossy();
    let option = if name == "srun" { "--cpu-bind=none" } else { "--bind-to none" };
    (format!("{name} binds"), binding(&name, option))
}

/// `NAME=VALUE` of a variable that can bind several threads to the same CPUs. OMP_PROC_BIND spreads
/// them over all places, unless they are to stay with the primary thread. If it is false, none of
/// the variables binds.
fn narrow(run: &RunInfo, name: &str) -> Option<String> {
    let value = run.environment.get(name)?;
    let policy = run.environment.get(POLICY).map(|policy| policy.to_lowercase());
    let has = |word: &str| policy.as_ref().is_some_and(|policy| policy.contains(word));
    let can = if name == POLICY { has("master") || has("primary") } else { !has("false") };
    can.then(|| format!("{name}={value}"))
}

/// That threads without OpenMP constructs used CPUs: for the others, which had nothing to do
/// meanwhile, or against them.
fn library(manifest: &Manifest, cube: &Cube) -> Vec<MachineCause> {
    let Some(ns) = manifest.threads.as_ref().and_then(|threads| threads.library_ns) else {
        return Vec::new();
    };
    if of_allocation(manifest, ns) < MUCH {
        return Vec::new();
    }
    // On a busy machine the library's threads get as small a share of the CPUs as ours.
    let lens = Lens::new(cube);
    let share = 1.0 - computing_without_cpu(&lens, not_on_cpu_ns(manifest).unwrap_or(0));
    let idle_ns = (lens.seconds(lens.total("omp_idle_threads")) * share * 1e9).max(0.0) as u64;
    let used = format!("The program's own library threads used {} of CPU time", seconds(ns));
    let helped = ns as f64 >= HELPED * idle_ns as f64 && of_allocation(manifest, idle_ns) >= MUCH;
    let hindered = lacked_cpus(manifest, false) == Some(true)
        && of_allocation(manifest, ns.saturating_sub(idle_ns)) >= MUCH;
    let mut causes = Vec::new();
    if helped {
        let sentence = format!("{used} while OpenMP threads had nothing to do.");
        let known = cause(Cause::LibraryThreads, sentence, "This is no loss.");
        causes.push(MachineCause { explains: Explains::Idleness, ..known });
    }
    if hindered {
        let sentence = format!("{used}, and OpenMP threads had to wait for a CPU.");
        let change = "Let the library use fewer threads inside parallel regions.";
        causes.push(cause(Cause::LibraryThreads, sentence, change));
    }
    causes
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
        let known = cause(Cause::Quota, sentence, "Raise the limit, or use fewer threads.");
        MachineCause { taken_ns: Some(ns), ..known }
    })
}

fn stolen(machine: &Machine) -> Option<MachineCause> {
    let stolen = machine.steal_ns.map(|ns| share(machine, ns))?;
    (stolen >= MUCH).then(|| {
        let sentence = format!(
            "The host of this virtual machine withheld {} of the CPU time.",
            format::percent(stolen)
        );
        MachineCause {
            taken_ns: machine.steal_ns,
            ..cause(Cause::BusyNeighbour, sentence, WITHOUT)
        }
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
    fn a_number_of_threads_that_is_set_is_not_advised() {
        let kind = |set| shared([].into_iter(), 8, (2, set)).map(|cause| cause.advice.kind);
        assert_eq!([kind(None), kind(Some("4"))], [Some(AdviceKind::Threads); 2]);
        assert_eq!([kind(Some("2")), kind(Some("1"))], [Some(AdviceKind::None); 2]);
        // Inner teams are what this list asks for.
        assert_eq!(kind(Some("2,4")), Some(AdviceKind::Threads));
    }

    #[test]
    fn advice_on_threads_is_for_one_process_of_the_busiest_host() {
        let advice = |hosts: &[&str], locations, cpus| {
            let note = shared(hosts.iter().copied(), locations, (cpus, None))?.sentence;
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
    fn advice_on_binding_is_for_the_one_who_binds() {
        let advice = |program: &str, variables: &[(&str, &str)]| {
            let text = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
            let run = RunInfo {
                command: vec![program.to_owned(), "./a.out".to_owned()],
                environment: variables.iter().map(text).collect(),
                ..RunInfo::default()
            };
            let (who, advice) = binder(&run);
            format!("{who}: {}", advice.sentence().split(", ").next().unwrap())
        };
        assert_eq!(
            advice("./a.out", &[("OMP_PLACES", "{0}"), ("OMP_PROC_BIND", "true")]),
            "OMP_PLACES={0} binds: Set OMP_PROC_BIND=false."
        );
        assert_eq!(
            advice("./a.out", &[("OMP_PROC_BIND", "primary")]),
            "OMP_PROC_BIND=primary binds: Set OMP_PROC_BIND=false."
        );
        // The places are all CPUs, and all threads stay in the first one.
        assert_eq!(
            advice("./a.out", &[("OMP_PLACES", "threads"), ("OMP_PROC_BIND", "MASTER")]),
            "OMP_PROC_BIND=MASTER binds: Set OMP_PROC_BIND=false."
        );
        assert_eq!(
            advice("taskset", &[("OMP_PLACES", "{0}"), ("OMP_PROC_BIND", "false")]),
            "The program, or what starts it, binds: Start the program without taskset"
        );
        assert_eq!(
            advice("/opt/mpi/bin/mpirun", &[("OMP_PROC_BIND", "true")]),
            "mpirun binds: Start the program with mpirun --bind-to none."
        );
        assert_eq!(advice("srun", &[]), "srun binds: Start the program with srun --cpu-bind=none.");
        assert_eq!(
            advice("taskset", &[]),
            "The program, or what starts it, binds: Start the program without taskset"
        );
    }

    /// Two CPUs for ten seconds, of which the command had 9.
    fn two_cpus(others_ms: u64, steal_ms: u64, throttled_ms: u64) -> Machine {
        let ns = |ms: u64| ms * 1_000_000;
        Machine {
            wall_ns: ns(10_000),
            cpus: 2,
            command_ns: ns(9_000),
            others_ns: Some(ns(others_ms)),
            steal_ns: Some(ns(steal_ms)),
            quota_millicpus: Some(1500),
            throttled_ns: Some(ns(throttled_ms)),
        }
    }

    #[test]
    fn threads_crowd_each_other_if_their_program_uses_most() {
        assert!(uses_most(&two_cpus(4_000, 4_000, 0)));
        assert!(!uses_most(&two_cpus(9_000, 1, 0)));
    }

    #[test]
    fn threads_that_sleep_do_not_crowd_each_other() {
        let ready = |ready_waiting_ns| Threads { ready_waiting_ns, ..Threads::default() };
        let machine = Machine { command_ns: 100_000_000, ..two_cpus(19_000, 0, 0) };
        assert!(!wants_too_many(&machine, &ready(14_800_000_000)));
        assert!(wants_too_many(&machine, &ready(14_900_000_000)));
        assert!(wants_too_many(&machine, &Threads { unknown: 1, ..ready(0) }));
    }

    fn machine(others_ms: u64, steal_ms: u64, throttled_ms: u64) -> Vec<String> {
        let machine = two_cpus(others_ms, steal_ms, throttled_ms);
        let all = [throttled(&machine), stolen(&machine), others(&machine)];
        all.into_iter()
            .flatten()
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
    fn released_threads_need_a_cpu_if_there_are_too_few() {
        let threads = Threads {
            ready_computing_ns: 1,
            ready_starting_ns: 20,
            ready_waiting_ns: 300,
            ..Threads::default()
        };
        assert_eq!(lacked_ns(&threads, false), 21);
        assert_eq!(lacked_ns(&threads, true), 321);
    }

    #[test]
    fn a_limit_matters_if_it_stopped_threads() {
        assert_eq!(machine(0, 0, 999), [""; 0]);
        assert_eq!(machine(0, 0, 1_000), ["A limit of"]);
    }
}
