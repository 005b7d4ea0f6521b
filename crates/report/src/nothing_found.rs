//! What a report says instead of problems, where no finding is worth a line. Threads may have lost
//! much time all the same: then the report says whether the machine explains it, or that nothing
//! does.

use pompeii_analysis::{AllocationPart, Finding, allocation_on, format};
use pompeii_model::{Cube, Ticks};

use crate::RunInfo;
use crate::limits::begin_and_end_ticks;
use crate::summary::{lost, lower_first};

/// A smaller share of the CPU allocation is no loss to speak of.
const SMALL: f64 = 0.01;

/// Time of threads that is no computing, and that a program may avoid.
const LOSSES: [&str; 7] = [
    "barrier_waiting",
    "task_waiting",
    "mpi",
    "mpi_idle",
    "serial_idle",
    "limited_idle",
    "overhead",
];

/// The sentences; `None` if there is a finding that is worth a line. `found` are all findings.
pub fn nothing_found(cube: &Cube, run: &RunInfo, found: &[Finding]) -> Option<String> {
    if cube.difference.is_some() || found.iter().any(|finding| finding.is_significant(cube)) {
        return None;
    }
    let whole = cube.allocation_ticks().max(1) as f64;
    let share = |part: &AllocationPart| part.ticks as f64 / whole;
    let mut lost = allocation_on(cube, &run.machine);
    lost.retain(|part| LOSSES.contains(&part.name) && share(part) >= SMALL);
    if lost.is_empty() {
        return Some("No problem was found that costs more than 1 % of the run.".to_owned());
    }
    lost.sort_by_key(|part| -part.ticks);
    let all: Ticks = lost.iter().map(|part| part.ticks).sum();
    let parts: Vec<String> = lost
        .iter()
        .map(|part| format!("{} {}", format::percent(share(part)), part.title))
        .collect();
    let parts = parts.join(", ");
    // The one that explains most of it, if there is one.
    let most = |is: fn(&&Finding) -> bool| {
        let most = found.iter().filter(is).max_by_key(|finding| finding.lost_ticks);
        most.filter(|finding| 2 * finding.lost_ticks >= all)
    };
    Some(match most(|finding| finding.explained_by.is_some()) {
        Some(Finding { explained_by: Some(cause), .. }) => format!(
            "No problem of the program was found. Threads lost time ({parts}), but most of this is \
             probably a consequence of the machine: {}.",
            cause.meaning()
        ),
        _ if 2 * begin_and_end_ticks(cube) >= all => format!(
            "No problem of the program was found. Threads lost time ({parts}), most of it in \
             MPI_Init and MPI_Finalize."
        ),
        _ => format!(
            "No change is known that makes the run 1 % shorter, although threads lost time \
             ({parts}). {}",
            rest(cube, most(|_| true))
        ),
    })
}

/// What is known of a loss that no repair makes smaller.
fn rest(cube: &Cube, most: Option<&Finding>) -> String {
    let Some(most) = most else {
        return "The measurement does not explain this loss.".to_owned();
    };
    let (title, label) = (lower_first(most.property.title), cube.regions[most.region].label());
    let lost = lost(cube.clock.seconds(most.lost_ticks));
    format!(
        "Most of it is the problem \"{title}\" at {label}, which costs {lost}, but the run would \
         hardly be shorter without it."
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_analysis::{
        Advice, Cause, Explains, Gain, Machine, MachineCause, derive, findings_on, notation,
    };

    use super::*;

    /// Two threads compute for 1 s each on one CPU, and wait for each other meanwhile: the run
    /// cannot become shorter.
    const CROWDED: &str = "wall=2000 locations=2
         a/parallel@a.c:2                         *  time=1000 visits=1
         a/parallel@a.c:2/implicit barrier@a.c:9  *  time=1000 visits=9 omp_ibarrier_wait=1000 \
         omp_barrier_last=5";

    #[test]
    fn waiting_is_explained_by_the_machine() {
        let cube = derive(&notation::cube(CROWDED).unwrap());
        let ns = |ms: u64| Some(ms * 1_000_000);
        let crowd = MachineCause {
            cause: Cause::OneCpu,
            explains: Explains::Waiting,
            sentence: String::new(),
            advice: Advice::none("Use one thread."),
            taken_ns: None,
        };
        let machine = Machine {
            causes: vec![crowd],
            not_on_cpu_ns: ns(0),
            starting_ns: ns(0),
            waiting_ns: ns(800),
            late_ns: ns(800),
            cpus: Some(1),
            ..Machine::default()
        };
        let run = RunInfo { machine, ..RunInfo::default() };
        let found = findings_on(&cube, &run.machine, None);
        expect![[r#"
            Some(
                "No problem of the program was found. Threads lost time (50 % waiting at barriers), but most of this is probably a consequence of the machine: threads are bound to one CPU, or to fewer CPUs than there are threads.",
            )
        "#]].assert_debug_eq(&nothing_found(&cube, &run, &found));
    }

    #[test]
    fn waiting_without_an_explanation_is_told() {
        let cube = derive(&notation::cube(CROWDED).unwrap());
        expect![[r#"
            Some(
                "No change is known that makes the run 1 % shorter, although threads lost time (50 % waiting at barriers). The measurement does not explain this loss.",
            )
        "#]].assert_debug_eq(&nothing_found(&cube, &RunInfo::default(), &[]));
        // A finding that is worth a line says more.
        let mut found = pompeii_analysis::findings(&cube);
        assert_eq!(nothing_found(&cube, &RunInfo::default(), &found), None);
        // One without a gain is named.
        let none = Gain { ticks: 0, low_ticks: 0, high_ticks: 0 };
        found.iter_mut().for_each(|finding| finding.gain = Some(none));
        expect![[r#"
            Some(
                "No change is known that makes the run 1 % shorter, although threads lost time (50 % waiting at barriers). Most of it is the problem \"wait at implicit barrier\" at parallel a.c:2, which costs 2.0 CPU s, but the run would hardly be shorter without it.",
            )
        "#]].assert_debug_eq(&nothing_found(&cube, &RunInfo::default(), &found));
    }

    /// A short run on two ranks.
    #[test]
    fn the_begin_of_mpi_explains_a_loss() {
        let text = "wall=1000 locations=2 processes=2
             a                       *  time=400
             a/MPI_Init              *  time=590 visits=1
             a/MPI_Barrier           *  time=10 visits=1";
        let cube = derive(&notation::cube(text).unwrap());
        expect![[r#"
            Some(
                "No problem of the program was found. Threads lost time (60 % in MPI), most of it in MPI_Init and MPI_Finalize.",
            )
        "#]].assert_debug_eq(&nothing_found(&cube, &RunInfo::default(), &[]));
    }

    #[test]
    fn a_run_without_losses_has_none_to_explain() {
        let text = "wall=1000 locations=2
             a/parallel@a.c:2                         *  time=999 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9  *  time=1 visits=1 omp_ibarrier_wait=1";
        let cube = derive(&notation::cube(text).unwrap());
        let found = pompeii_analysis::findings(&cube);
        let nothing = nothing_found(&cube, &RunInfo::default(), &found);
        assert!(nothing.is_some_and(|text| text.starts_with("No problem was found that costs")));
    }
}
