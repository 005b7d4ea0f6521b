//! How much shorter a run would be if all of its threads had a CPU whenever they had work.
//!
//! Where threads have no CPU, they lose time in computing, at barriers and at joins, and in which
//! of these is chance: the losses of single constructs tell nothing about the whole. But what the
//! program computes is known, and when it had a CPU for that: a part on one thread, and the rest
//! on all threads that can run at the same time. The run takes no longer than that without the
//! cause, and without what its other findings would bring.

use pompeii_model::{CallId, Cube, Ticks};

use crate::dilation::Costs;
use crate::{Cause, Finding, Gain, Lens, Machine, MachineCause, format};

/// What other programs and the system's scheduler take differs by about this share: they decide
/// anew in each run which thread waits for a CPU while others wait for it at a barrier.
const TAKEN_DIFFERS: f64 = 1.0 / 3.0;

/// The gain without `by`; `None` where the time without a CPU is not known, or for several
/// processes, which wait for each other too.
pub fn gain(
    cube: &Cube,
    (machine, by): (&Machine, &MachineCause),
    (found, costs): (&[Finding], Option<&Costs>),
) -> Option<Gain> {
    let lens = Lens::new(cube);
    let (threads, cpus) = (lens.threads() as Ticks, machine.cpus? as Ticks);
    if cube.system.processes.len() > 1 || threads < 2 || cpus < 1 {
        return None;
    }
    let taken_ns = by.taken_ns.filter(|_| by.cause == Cause::Quota).unwrap_or(0);
    let lacked_ns = machine.not_on_cpu_ns?.max(taken_ns);
    let lacked = (lacked_ns as f64 / 1e9 * cube.clock.ticks_per_second()) as Ticks;
    let serial = lens.total("omp_idle_threads") / (threads - 1);
    let parallel =
        (lens.total("comp") - serial).max(0) as f64 * (1.0 - lacked_share(&lens, lacked));
    let needed = serial + parallel as Ticks / cpus.min(threads);
    let measuring = costs.map_or(0, |costs| longer_by_barriers(&lens, costs));
    let is_other = |finding: &&Finding| finding.explained_by.is_none();
    let others = found.iter().filter(is_other).filter_map(|finding| finding.gain);
    let others: Ticks = others.map(|gain| gain.ticks).sum();
    let ticks = (cube.wall_ticks - needed - measuring - others).max(0);
    let differ = (ticks as f64 * TAKEN_DIFFERS) as Ticks;
    Some(Gain { ticks, low_ticks: ticks - differ, high_ticks: ticks + differ })
}

/// Why a gain is larger than its loss, where it is: computing without a CPU is no waiting.
pub fn why_more(lens: &Lens, machine: &Machine, finding: &Finding) -> Option<String> {
    let gain = finding.gain.filter(|gain| gain.ticks > finding.lost_ticks)?;
    let lacked_s = machine.not_on_cpu_ns.filter(|&ns| ns > 0)? as f64 / 1e9;
    let [gain, lost] = [gain.ticks, finding.lost_ticks].map(|of| format::seconds(lens.seconds(of)));
    Some(format!(
        "The gain ({gain}) is larger than the loss ({lost}), because threads that had work lacked \
         a CPU for {}, which is no part of the loss.",
        format::seconds(lacked_s)
    ))
}

/// Takes the time without a CPU out of a finding that has another reason.
pub fn scale(lens: &Lens, machine: &Machine, finding: &mut Finding) {
    let lacked_ns = machine.not_on_cpu_ns.unwrap_or(0);
    let lacked = (lacked_ns as f64 / 1e9 * lens.cube.clock.ticks_per_second()) as Ticks;
    let with_cpu = 1.0 - lacked_share(lens, lacked);
    finding.lost_ticks = (finding.lost_ticks as f64 * with_cpu) as Ticks;
    finding.share *= with_cpu;
    finding.gain = finding.gain.map(|gain| gain.part(with_cpu));
}

/// Which share of its work a thread had no CPU for. Where it had none is known to the next border
/// of its work only, so some of it lies in fork, join and the barriers themselves.
fn lacked_share(lens: &Lens, lacked: Ticks) -> f64 {
    let waits = lens.total("omp_ibarrier_wait") + lens.total("omp_ebarrier_wait");
    let work = lens.total("comp") + lens.total("omp_time") - waits;
    (lacked as f64 / work.max(1) as f64).min(1.0)
}

/// By how much parallel regions with a barrier that only the measured program has were longer:
/// there threads that wait keep others from a CPU. Other events take time from computing, with or
/// without the cause.
fn longer_by_barriers(lens: &Lens, costs: &Costs) -> Ticks {
    let parallels = lens.outermost_parallels();
    let added = lens.cube.calls.ids().filter(|&call| lens.is_added_barrier(call));
    let mut parallels: Vec<CallId> = added.filter_map(|call| parallels[call]).collect();
    parallels.sort();
    parallels.dedup();
    costs.longer(&parallels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Advice, Explains, Measuring};

    /// 200 ms of computing fit two CPUs in 100 ms. Threads wait for 300 ms at the join, and for as
    /// long at the barrier that the instrumenter has added: without it, the run takes 700 ms.
    #[test]
    fn barriers_that_only_the_measured_program_has_are_no_loss() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a/parallel@a.c:2                                *  time=300 visits=1
             a/parallel@a.c:2/for@a.c:2                      *  time=100 visits=1
             a/parallel@a.c:2/for@a.c:2/implicit barrier@a.c:4  *  time=300 visits=1 \
             omp_ibarrier_wait=300
             a/parallel@a.c:2/implicit barrier@a.c:4         *  time=300 visits=1 \
             omp_ibarrier_wait=300",
        );
        let cube = crate::derive(&cube.unwrap());
        let by = MachineCause {
            cause: Cause::OneCpu,
            explains: Explains::Waiting,
            sentence: String::new(),
            advice: Advice::none("Use more."),
            taken_ns: None,
        };
        let machine =
            Machine { not_on_cpu_ns: Some(600_000_000), cpus: Some(2), ..Machine::default() };
        let ticks = |measuring: Option<Measuring>| {
            let costs = measuring.as_ref().map(|measuring| Costs::new(&cube, measuring));
            gain(&cube, (&machine, &by), (&[], costs.as_ref())).map(|gain| gain.ticks)
        };
        assert_eq!(ticks(None), Some(900));
        assert_eq!(ticks(Some(Measuring { crowded_cpus: 2, ..Measuring::default() })), Some(600));
        let unknown = Machine { not_on_cpu_ns: None, ..machine.clone() };
        assert_eq!(gain(&cube, (&unknown, &by), (&[], None)), None);
    }

    /// Two threads compute for 950 ms each, of which they have a CPU for 450. They wait for 100 ms
    /// in all, so the run would be shorter by more than that.
    #[test]
    fn a_gain_above_the_loss_is_explained() {
        let cube = crate::notation::cube(
            "wall=1000 locations=2
             a/parallel@a.c:2                         *  time=950 visits=1
             a/parallel@a.c:2/implicit barrier@a.c:4  *  time=50 visits=1 omp_ibarrier_wait=50",
        );
        let cube = crate::derive(&cube.unwrap());
        let why = |not_on_cpu_ms: u64| {
            let by = MachineCause {
                cause: Cause::BusyNeighbour,
                explains: Explains::Waiting,
                sentence: String::new(),
                advice: Advice::none("Wait."),
                taken_ns: None,
            };
            let machine = Machine {
                causes: vec![by],
                not_on_cpu_ns: Some(not_on_cpu_ms * 1_000_000),
                late_ns: Some(100_000_000),
                starting_ns: Some(0),
                waiting_ns: Some(0),
                cpus: Some(2),
                ..Machine::default()
            };
            let found = crate::findings_on(&cube, &machine, None);
            assert_eq!(found[0].explained_by, Some(Cause::BusyNeighbour));
            let details = found[0].details.clone();
            details.into_iter().find(|detail| detail.starts_with("The gain")).unwrap_or_default()
        };
        let expected = "The gain (0.55 s) is larger than the loss (0.10 s), because threads that \
            had work lacked a CPU for 1.0 s, which is no part of the loss.";
        assert_eq!(why(1000), expected);
        assert_eq!(why(0), "", "the gain is smaller");
    }
}
