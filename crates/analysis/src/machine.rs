//! What the machine did to a run: too few CPUs for its threads, a quota, other programs, libraries
//! with threads of their own. Such a cause explains the losses of findings that are only its
//! consequences: these become one finding with its cause and advice, which comes after the others.
//!
//! All of it is here: detectors know nothing of the machine.

use pompeii_model::{Cube, Ticks};

use crate::dilation::Costs;
use crate::dispatch::Dispatch;
use crate::findings::{Advice, AdviceKind, Cause, Finding, Known, findings_with, rank};
use crate::own_reason::{has_own_reason, is_dear_on_any_cpus, is_one_at_a_time};
use crate::{Lens, Measuring, Reference, Removed, consequences, removed, undisturbed};

/// Which losses a cause explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explains {
    /// Threads without a CPU are late wherever others wait for them. Idle threads have no work,
    /// whatever the CPUs do.
    Waiting,
    /// Threads of a library work while the program's own threads have nothing to do.
    Idleness,
}

/// A cause that lies in the machine or in how the program was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCause {
    /// Which one.
    pub cause: Cause,
    /// Which findings are its consequences.
    pub explains: Explains,
    /// What happened, with the measured values, and what to do: the first line of a report.
    pub sentence: String,
    /// What to change.
    pub advice: Advice,
    /// CPU time that it took from the program's threads, in nanoseconds, if that is known.
    pub taken_ns: Option<u64>,
}

/// What is known of the machine, from other runs too, and not from the cube.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// What explains losses, the most certain one first.
    pub causes: Vec<MachineCause>,
    /// Time in which threads had work and no CPU, in nanoseconds; `None` if that is not known.
    pub not_on_cpu_ns: Option<u64>,
    /// Time between forks and the begins of threads that had no CPU meanwhile; likewise.
    pub starting_ns: Option<u64>,
    /// Time in which threads waited and had no CPU; likewise. It delays only joins.
    pub waiting_ns: Option<u64>,
    /// Waiting at barriers for threads that came last because they had no CPU; likewise.
    pub late_ns: Option<u64>,
    /// CPUs of the host of `run`; `None` if it is not known.
    pub cpus: Option<usize>,
    /// The same program on one thread, which tells what memory and sharing cost.
    pub reference: Option<Reference>,
    /// What handing out a chunk of a loop costs a thread of this run; `None` if it is not known.
    pub dispatch: Option<Dispatch>,
    /// Findings that were removed from the recorded run; empty without an analysis of its trace.
    pub removed: Vec<Removed>,
}

/// A cause explains losses of which it has made this share.
const EXPLAINED: f64 = 0.5;
/// If there are too few CPUs for the threads in any case, this share is enough: threads that are
/// blocked until another one has had its turn are not counted as ready.
const EXPLAINED_BY_NUMBER: f64 = 0.1;

/// Which losses of a run follow from a cause.
struct Explained {
    /// Other programs or a limit decide which threads have no CPU. The number of threads and CPUs,
    /// which a program chooses, does not.
    is_chance: bool,
    idleness: bool,
    barriers: bool,
    /// Fork and join, locks, tasks, MPI.
    rest: bool,
}

impl Explained {
    fn of(cube: &Cube, machine: &Machine, by: &MachineCause) -> Self {
        if by.explains == Explains::Idleness {
            return Self { is_chance: true, idleness: true, barriers: false, rest: false };
        }
        let lens = Lens::new(cube);
        // A master without a CPU comes late out of the barrier, so the join is late.
        let parts = [machine.not_on_cpu_ns, machine.starting_ns, machine.waiting_ns];
        let lacked_ns = parts.into_iter().sum::<Option<u64>>();
        let barriers = lens.total("omp_ibarrier_wait") + lens.total("omp_ebarrier_wait");
        let rest = lens.total("omp_time") - barriers + lens.total("mpi");
        // Too many threads for the CPUs are known without any measurement.
        let is_certain = matches!(by.cause, Cause::OneCpu | Cause::Oversubscription);
        let is_made_by = |measured_ns: Option<u64>, loss: Ticks| {
            let loss_ns = EXPLAINED * lens.seconds(loss) * 1e9;
            let made = |ns: u64| ns as f64 >= loss_ns;
            measured_ns.map_or(is_certain, made) || by.taken_ns.is_some_and(made)
        };
        let by_number = |ns: u64| {
            let loss_s = lens.seconds(barriers.saturating_add(rest));
            is_certain && ns as f64 / 1e9 >= EXPLAINED_BY_NUMBER * loss_s
        };
        let all = lacked_ns.is_some_and(by_number);
        Self {
            is_chance: !is_certain,
            idleness: false,
            barriers: all || is_made_by(machine.late_ns, barriers),
            rest: all || is_made_by(lacked_ns, rest),
        }
    }

    fn has(&self, lens: &Lens, finding: &Finding) -> bool {
        match finding.property.name {
            _ if self.is_chance && has_own_reason(lens, finding) => false,
            _ if is_dear_on_any_cpus(finding) => false,
            _ if is_one_at_a_time(lens, finding) => false,
            "omp_idle_threads" | "omp_limited_parallelism" => self.idleness,
            // Most of the loss is that of threads without work.
            _ if finding.cause == Some(Cause::IdleDuringMpi) => self.idleness,
            "omp_ibarrier_wait" | "omp_ebarrier_wait" => self.barriers,
            // Time without a CPU is no part of these.
            "work_inflation" | "omp_atomic_contention" | "short_chunks" => false,
            _ => self.rest,
        }
    }
}

/// The findings of a cube that [`crate::derive`] has made. Those that a cause in the machine
/// explains come after all others, and say so.
///
/// `measuring` says how the run was measured: gains are those of the program without it.
pub fn findings_on(cube: &Cube, machine: &Machine, measuring: Option<&Measuring>) -> Vec<Finding> {
    let explained = machine.causes.iter().map(|of| (of, Explained::of(cube, machine, of)));
    let explained: Vec<(&MachineCause, Explained)> = explained.collect();
    let (reference, dispatch) = (machine.reference.as_ref(), machine.dispatch.as_ref());
    let mut found = findings_with(cube, Known { reference, dispatch, measuring });
    let lens = Lens::new(cube);
    let is_chance = explained.iter().any(|(_, has)| has.is_chance && !has.idleness);
    let lacks_cpus = explained.iter().any(|(_, has)| !has.is_chance);
    for finding in &mut found {
        let by = explained.iter().find(|(of, has)| has.has(&lens, finding) && !makes(finding, of));
        let Some((of, _)) = by else {
            let is_own = is_chance && has_own_reason(&lens, finding);
            if is_own || lacks_cpus && is_dear_on_any_cpus(finding) {
                undisturbed::scale(&lens, machine, finding);
            }
            continue;
        };
        finding.explained_by = Some(of.cause);
        finding.cause = Some(of.cause);
        finding.advice = of.advice.clone();
        finding.details = vec![format!("Probably a consequence: {}.", of.cause.meaning())];
    }
    // A library that works is no loss, and there is nothing to repair.
    found.retain(|finding| !explained.iter().any(|(_, of)| of.idleness && of.has(&lens, finding)));
    let mut found = with_consequences_merged(cube, found, &explained);
    let costs = measuring.map(|measuring| Costs::new(cube, measuring));
    if let Some(at) = found.iter().position(|finding| finding.explained_by.is_some()) {
        let by = machine.causes.iter().find(|of| Some(of.cause) == found[at].explained_by);
        let of = by.filter(|of| of.explains == Explains::Waiting);
        let gain =
            of.and_then(|of| undisturbed::gain(cube, (machine, of), (&found, costs.as_ref())));
        found[at].gain = gain.or(found[at].gain);
        let why = undisturbed::why_more(&lens, machine, &found[at]);
        found[at].details.extend(why);
    }
    if !machine.removed.is_empty() {
        removed::apply(cube, &machine.removed, costs.as_ref(), &mut found);
        rank(cube, &mut found);
    }
    let is_small =
        |of: &&mut Finding| of.advice.kind != AdviceKind::None && !of.is_worth_a_change(cube);
    for finding in found.iter_mut().filter(is_small) {
        finding.advice = Advice::none("Too little is lost here for a change.");
    }
    // A stable sort: within each half the order of gains stays.
    found.sort_by_key(|finding| match (finding.explained_by, finding.is_significant(cube)) {
        (None, true) => 0,
        (Some(_), _) => 1,
        (None, false) => 2,
    });
    found
}

/// The findings, with one for all consequences of each cause.
fn with_consequences_merged(
    cube: &Cube,
    found: Vec<Finding>,
    explained: &[(&MachineCause, Explained)],
) -> Vec<Finding> {
    let lens = Lens::new(cube);
    let (mut consequences, mut others): (Vec<Finding>, Vec<Finding>) =
        found.into_iter().partition(|finding| finding.explained_by.is_some());
    for (of, _) in explained {
        let (own, rest): (Vec<Finding>, Vec<Finding>) =
            consequences.into_iter().partition(|finding| finding.explained_by == Some(of.cause));
        others.extend(consequences::merged(&lens, own));
        consequences = rest;
    }
    others
}

/// Whether the finding is what makes the cause: inner teams multiply the number of threads.
fn makes(finding: &Finding, of: &MachineCause) -> bool {
    finding.cause == Some(Cause::NestedTeams) && of.cause == Cause::Oversubscription
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// A serial part, and a thread that waits for longer than that.
    const RUN: &str = "wall=1000 locations=2
         a                                         0  time=200
         a/parallel@a.c:2                          0  time=800
         a/parallel@a.c:2                          1  time=100
         a/parallel@a.c:2/implicit barrier@a.c:9   1  time=700 omp_ibarrier_wait=700";

    /// Findings of the run, whose threads were late by `late_ms` because they had no CPU.
    fn order(causes: &[(Cause, Explains)], late_ms: Option<u64>) -> Vec<String> {
        let cube = crate::derive(&crate::notation::cube(RUN).unwrap());
        let cause = |&(cause, explains)| {
            let (sentence, advice) = (String::new(), Advice::none("Wait."));
            MachineCause { cause, explains, sentence, advice, taken_ns: None }
        };
        let late_ns = late_ms.map(|ms| ms * 1_000_000);
        let causes = causes.iter().map(cause).collect();
        let found = findings_on(
            &cube,
            &Machine {
                causes,
                late_ns,
                not_on_cpu_ns: late_ns,
                starting_ns: Some(0),
                waiting_ns: Some(0),
                cpus: None,
                reference: None,
                dispatch: None,
                removed: Vec::new(),
            },
            None,
        );
        let shown = |finding: &Finding| match finding.explained_by {
            Some(cause) => format!("{} ({})", finding.property.name, cause.code()),
            None => finding.property.name.to_owned(),
        };
        found.iter().map(shown).collect()
    }

    const UNEXPLAINED: [&str; 2] = ["omp_ibarrier_wait", "omp_idle_threads"];

    #[test]
    fn what_the_machine_explains_comes_last() {
        let causes = [(Cause::Quota, Explains::Waiting), (Cause::BusyNeighbour, Explains::Waiting)];
        assert_eq!(order(&[], Some(350)), UNEXPLAINED);
        assert_eq!(order(&causes, Some(350)), ["omp_idle_threads", "omp_ibarrier_wait (quota)"]);
    }

    /// Loops in two parallel regions, of which the second takes longer, on too few CPUs.
    #[test]
    fn consequences_of_one_cause_are_one_finding() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a/parallel@a.c:2                                 *  time=100 visits=1
             a/parallel@a.c:2/for@a.c:3                       *  time=100 visits=1
             a/parallel@a.c:2/for@a.c:3/implicit barrier@a.c:4  0  time=100 omp_ibarrier_wait=100
             a/parallel@a.c:2/for@a.c:3/implicit barrier@a.c:4  1  time=100 omp_ibarrier_wait=40
             a/parallel@a.c:7                                 *  visits=1
             a/parallel@a.c:7/for@a.c:7                       0  time=660 visits=1
             a/parallel@a.c:7/for@a.c:7                       1  time=700 visits=1
             a/parallel@a.c:7/implicit barrier@a.c:9          0  time=40 omp_ibarrier_wait=40",
        );
        let cube = crate::derive(&cube.unwrap());
        let (sentence, advice) = (String::new(), Advice::none("Use 1 thread."));
        let cause = Cause::Oversubscription;
        let explains = Explains::Waiting;
        let machine = Machine {
            causes: vec![MachineCause { cause, explains, sentence, advice, taken_ns: None }],
            ..Machine::default()
        };
        let found = findings_on(&cube, &machine, None);
        let shown: Vec<String> = found
            .iter()
            .map(|f| {
                format!("{} {} {}\n{}", f.construct, f.place, f.lost_ticks, f.details.join("\n"))
            })
            .collect();
        expect![[r#"
            parallel for a.c:7 240
            Probably a consequence: more threads than CPUs.
            It shows as Wait at implicit barrier at for a.c:3 (0.14 s), Implicit barrier at for a.c:3 (60 ms), Wait at implicit barrier at parallel for a.c:7 (40 ms)."#]].assert_eq(&shown.join("\n"));
    }

    /// Kind of advice where one thread waits for `wait` of 1000 ticks because of a binding.
    fn advised(wait: i64) -> AdviceKind {
        let work = 1000 - wait;
        let cube = crate::notation::cube(&format!(
            "wall=1000 locations=2
             a/parallel@a.c:2                          0  time=1000 visits=1
             a/parallel@a.c:2                          1  time={work} visits=1
             a/parallel@a.c:2/implicit barrier@a.c:9   1  time={wait} omp_ibarrier_wait={wait}"
        ));
        let cube = crate::derive(&cube.unwrap());
        let (target, value) = ("the run".to_owned(), Some("false".to_owned()));
        let cause = MachineCause {
            cause: Cause::OneCpu,
            explains: Explains::Waiting,
            sentence: String::new(),
            advice: Advice { kind: AdviceKind::Binding, target, value },
            taken_ns: None,
        };
        let machine = Machine { causes: vec![cause], ..Machine::default() };
        findings_on(&cube, &machine, None)[0].advice.kind
    }

    #[test]
    fn what_two_runs_hardly_show_is_not_worth_a_change() {
        assert_eq!([100, 40].map(advised), [AdviceKind::Binding, AdviceKind::None]);
    }

    /// Creating a task takes as long as the task. Another program took a fifth of the CPU time.
    #[test]
    fn tasks_that_are_too_small_are_so_on_any_machine() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a/parallel@a.c:2                                      *  visits=1
             a/parallel@a.c:2/single@a.c:3                         *  visits=1
             a/parallel@a.c:2/single@a.c:3/single sblock@a.c:3/create task@a.c:5  0  time=1000 \
             visits=1000 tasks_created=1000
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  0  visits=1 omp_barrier_last=1
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8  1  time=500 visits=1 \
             omp_ibarrier_wait=500
             a/parallel@a.c:2/single@a.c:3/implicit barrier@a.c:8/task@a.c:5  1  \
             task_switches=1000 task_time=500
             TASKS/task@a.c:5                                      1  time=500 visits=1000",
        );
        let cube = crate::derive(&cube.unwrap());
        let found = |causes: &[Cause]| {
            let cause = |&cause| MachineCause {
                cause,
                explains: Explains::Waiting,
                sentence: String::new(),
                advice: Advice::none("Wait."),
                taken_ns: None,
            };
            let ns = Some(800_000_000);
            let causes = causes.iter().map(cause).collect();
            let machine = Machine { causes, late_ns: ns, not_on_cpu_ns: ns, ..Machine::default() };
            let machine = Machine { starting_ns: Some(0), waiting_ns: Some(0), ..machine };
            let first = findings_on(&cube, &machine, None).swap_remove(0);
            (first.cause, first.advice.kind, first.lost_ticks)
        };
        let small = |lost| (Some(Cause::TasksTooSmall), AdviceKind::Cutoff, lost);
        assert_eq!(found(&[]), small(1500));
        assert_eq!(found(&[Cause::BusyNeighbour]), small(700));
        assert_eq!(found(&[Cause::Oversubscription]), small(700));
    }

    #[test]
    fn less_than_half_of_a_loss_is_no_explanation() {
        assert_eq!(order(&[(Cause::BusyNeighbour, Explains::Waiting)], Some(349)), UNEXPLAINED);
    }

    #[test]
    fn without_a_measurement_only_too_many_threads_are_certain() {
        assert_eq!(order(&[(Cause::BusyNeighbour, Explains::Waiting)], None), UNEXPLAINED);
        assert_eq!(
            order(&[(Cause::OneCpu, Explains::Waiting)], None),
            ["omp_idle_threads", "omp_ibarrier_wait (one_cpu)"]
        );
    }

    /// Too few CPUs delay whoever communicates, but do not take the work from the others.
    #[test]
    fn threads_without_work_during_mpi_do_not_lack_cpus() {
        let text = "wall=100 locations=6 processes=2
             a/parallel@a.c:9      *  time=60 visits=9 omp_management=4
             a/MPI_Waitall         0  time=40 visits=9 mpi_latesender=1
             a/MPI_Waitall         3  time=40 visits=9 mpi_latesender=1";
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let (sentence, advice) = (String::new(), Advice::none("Use fewer."));
        let (cause, explains) = (Cause::Oversubscription, Explains::Waiting);
        let cause = MachineCause { cause, explains, sentence, advice, taken_ns: None };
        let found =
            findings_on(&cube, &Machine { causes: vec![cause], ..Machine::default() }, None);
        let causes: Vec<Option<Cause>> = found.iter().map(|finding| finding.cause).collect();
        assert_eq!(causes, [Some(Cause::IdleDuringMpi), Some(Cause::Oversubscription)]);
    }

    /// Thread 0 computes 200 ms alone. Both compute 900 ms more. They had no CPU for 350 ms of
    /// 1.1 s of work, so they need 614 ms of CPU time, or 307 ms each.
    #[test]
    fn the_first_consequence_has_the_gain_of_a_machine_that_is_not_shared() {
        let cube = crate::derive(&crate::notation::cube(RUN).unwrap());
        let of = |cpus| {
            let (sentence, advice) = (String::new(), Advice::none("Wait."));
            let (cause, explains) = (Cause::BusyNeighbour, Explains::Waiting);
            let causes = vec![MachineCause { cause, explains, sentence, advice, taken_ns: None }];
            let ns = Some(350_000_000);
            let machine =
                Machine { causes, late_ns: ns, not_on_cpu_ns: ns, cpus, ..Machine::default() };
            let found = findings_on(&cube, &machine, None);
            let gains = found.iter().filter(|of| of.explained_by.is_some());
            gains.filter_map(|of| of.gain).map(|of| (of.low_ticks, of.ticks, of.high_ticks)).next()
        };
        // The serial part can lose 100 ms in addition.
        assert_eq!(of(Some(8)), Some((263, 394, 525)));
        assert_eq!(of(Some(1)), Some((58, 87, 116)));
        assert_ne!(of(None), of(Some(8)));
    }

    #[test]
    fn threads_are_not_idle_while_a_library_works_for_them() {
        let library = (Cause::LibraryThreads, Explains::Idleness);
        assert_eq!(order(&[library], None), ["omp_ibarrier_wait"]);
    }
}
