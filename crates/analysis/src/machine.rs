//! What the machine did to a run: too few CPUs for its threads, a quota, other programs, libraries
//! with threads of their own. Such a cause explains the losses of findings that are only its
//! consequences: these findings get its cause and advice, and come after the others.
//!
//! All of it is here: detectors know nothing of the machine.

use pompeii_model::Cube;

use crate::findings::{Advice, Cause, Finding, findings};

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
}

/// What is known of the machine and not from the cube.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// What explains losses, the most certain one first.
    pub causes: Vec<MachineCause>,
    /// Time in which threads had work and no CPU, in nanoseconds; `None` if that is not known.
    pub not_on_cpu_ns: Option<u64>,
}

impl MachineCause {
    fn is_reason_for(&self, finding: &Finding) -> bool {
        let is_idle =
            matches!(finding.property.name, "omp_idle_threads" | "omp_limited_parallelism");
        is_idle == (self.explains == Explains::Idleness)
    }
}

/// The findings of a cube that [`crate::derive`] has made. Those that a cause in the machine
/// explains come after all others, and say so.
pub fn findings_on(cube: &Cube, machine: &Machine) -> Vec<Finding> {
    let causes = &machine.causes;
    let mut found = findings(cube);
    for finding in &mut found {
        let Some(of) = causes.iter().find(|cause| cause.is_reason_for(finding)) else { continue };
        finding.explained_by = Some(of.cause);
        finding.cause = Some(of.cause);
        finding.advice = of.advice.clone();
        finding.details = vec![format!("Probably a consequence: {}.", of.cause.meaning())];
    }
    // A library that works is no loss, and there is nothing to repair.
    found.retain(|finding| {
        !causes.iter().any(|of| of.explains == Explains::Idleness && of.is_reason_for(finding))
    });
    // A stable sort: within each half the order of gains stays.
    found.sort_by_key(|finding| finding.explained_by.is_some());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A serial part, and a thread that waits for longer than that.
    const RUN: &str = "wall=1000 locations=2
         a                                         0  time=200
         a/parallel@a.c:2                          0  time=800
         a/parallel@a.c:2                          1  time=100
         a/parallel@a.c:2/implicit barrier@a.c:9   1  time=700 omp_ibarrier_wait=700";

    fn order(causes: &[(Cause, Explains)]) -> Vec<String> {
        let cube = crate::derive(&crate::notation::cube(RUN).unwrap());
        let cause = |&(cause, explains)| {
            let (sentence, advice) = (String::new(), Advice::none("Wait."));
            MachineCause { cause, explains, sentence, advice }
        };
        let causes = causes.iter().map(cause).collect();
        let found = findings_on(&cube, &Machine { causes, not_on_cpu_ns: None });
        let shown = |finding: &Finding| match finding.explained_by {
            Some(cause) => format!("{} ({})", finding.property.name, cause.code()),
            None => finding.property.name.to_owned(),
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn what_the_machine_explains_comes_last() {
        assert_eq!(order(&[]), ["omp_ibarrier_wait", "omp_idle_threads"]);
        assert_eq!(
            order(&[(Cause::Quota, Explains::Waiting), (Cause::BusyNeighbour, Explains::Waiting)]),
            ["omp_idle_threads", "omp_ibarrier_wait (quota)"]
        );
    }

    #[test]
    fn threads_are_not_idle_while_a_library_works_for_them() {
        let library = (Cause::LibraryThreads, Explains::Idleness);
        assert_eq!(order(&[library]), ["omp_ibarrier_wait"]);
    }
}
