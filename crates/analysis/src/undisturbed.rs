//! How much shorter a run would be if all of its threads had a CPU whenever they had work.
//!
//! Where threads have no CPU, they lose time in computing, at barriers and at joins, and in which
//! of these is chance: the losses of single constructs tell nothing about the whole. But what the
//! program computes is known, and when it had a CPU for that: a part on one thread, and the rest
//! on all threads that can run at the same time. The run takes no longer than that without the
//! cause, and without what its other findings would bring.

use pompeii_model::{Cube, Ticks};

use crate::dilation::Costs;
use crate::{Cause, Finding, Gain, Lens, Machine, MachineCause};

/// What other programs and the system's scheduler take differs by about this share.
const TAKEN_DIFFERS: f64 = 0.25;

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
    let parallel = (lens.total("comp") - serial - lacked).max(0);
    let needed = serial + parallel / cpus.min(threads);
    let added: Vec<_> = cube.calls.ids().filter(|&call| lens.is_added_barrier(call)).collect();
    let measuring = costs.map_or(0, |costs| costs.inside(&added) / threads);
    let is_other = |finding: &&Finding| finding.explained_by.is_none();
    let others = found.iter().filter(is_other).filter_map(|finding| finding.gain);
    let others: Ticks = others.map(|gain| gain.ticks).sum();
    let ticks = (cube.wall_ticks - needed - measuring - others).max(0);
    let differ = (ticks as f64 * TAKEN_DIFFERS) as Ticks;
    Some(Gain { ticks, low_ticks: ticks - differ, high_ticks: ticks + differ })
}
