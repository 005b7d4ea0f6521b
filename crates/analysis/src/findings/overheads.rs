//! Task creation, barriers themselves, and others: losses that lie on each thread and
//! shorten the run by what they cost the thread that the others wait for.

use pompeii_model::{CallId, Role};

use super::fractions::divide;
use super::owner::owner;
use super::{Advice, Cause, Loss, Search, Site, Words};
use crate::{Lens, format};

pub(super) fn detect(search: &mut Search) {
    barriers_themselves(search);
    for metric in ["omp_taskyield", "omp_taskloop", "omp_task_creation", "omp_flush"] {
        for (region, calls) in search.losses(metric) {
            let construct = search.lens.region(calls[0]).construct().to_owned();
            let words = per_visit(&search.lens, metric, &calls);
            report(search, metric, Site { region, construct, metric, calls }, words);
        }
    }
}

fn report(search: &mut Search, name: &'static str, site: Site, words: Words) {
    let lost = search.lens.sum(name, &site.calls);
    let gain = search.on_the_delaying_thread(name, &site.calls);
    search.report(name, site, Loss::new(lost, gain), words);
}

/// How often, and how long each time.
fn per_visit(lens: &Lens, metric: &str, calls: &[CallId]) -> Words {
    let visits = lens.sum("visits", calls).max(1);
    let each = format::seconds(lens.seconds(lens.sum(metric, calls)) / visits as f64);
    let detail = format!("{}, {each} each.", format::counted(visits, "visit"));
    let cause = match metric {
        "omp_task_creation" => Some(Cause::TasksTooSmall),
        _ => None,
    };
    let advice = match metric {
        "omp_taskyield" => "Yield less often, or use a task dependence instead.",
        "omp_taskloop" => "Choose grainsize or num_tasks: about ten tasks per thread.",
        "omp_flush" => {
            "Use atomic with acquire and release, or a barrier, instead of flags with flush."
        }
        _ => {
            "Create fewer and larger tasks (grainsize), or stop creating them below a size (if, final)."
        }
    };
    Words { cause, details: vec![detail], advice: Advice::none(advice) }
}

/// What barriers cost beyond waiting: arriving, releasing, waking up.
fn barriers_themselves(search: &mut Search) {
    for (_, calls) in search.losses("omp_barrier") {
        let lens = search.lens;
        let (name, waits) = match lens.role(calls[0]) {
            Role::ImplicitBarrier => {
                ("omp_ibarrier", ["omp_ibarrier_wait", "omp_ibarrier_starvation"])
            }
            _ => ("omp_ebarrier", ["omp_ebarrier_wait", "omp_ebarrier_starvation"]),
        };
        let waiting: i64 = waits.iter().map(|metric| lens.sum(metric, &calls)).sum();
        let lost = lens.sum(name, &calls) - waiting;
        let visits = lens.sum("visits", &calls).max(1);
        let each = format::seconds(lens.seconds(lost) / visits as f64);
        let visits = format::counted(visits, "visit");
        let words = Words {
            cause: None,
            details: vec![format!(
                "{visits}; each costs {each} in addition to waiting for late threads."
            )],
            advice: Advice::none("Use fewer barriers: add nowait, or do more work between them."),
        };
        let threads = lens.threads_at(&calls) as i64;
        let (region, construct, _) = owner(&lens, calls[0]);
        let site = Site { region, construct, metric: name, calls };
        search.report(name, site, Loss::new(lost, divide(lost, threads)), words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    #[test]
    fn waiting_at_the_end_of_taskgroups() {
        check(
            "wall=100 locations=2
             a/parallel@a.c:2                                          0  time=10 visits=1
             a/parallel@a.c:2                                          1  time=100 visits=1
             a/parallel@a.c:2/taskgroup@a.c:5                          0  time=10 visits=2
             a/parallel@a.c:2/taskgroup@a.c:5/taskgroup end@a.c:9      0  time=80 visits=2",
            expect![[r#"
                a.c:5 taskgroup | omp_taskgroup lost=80 gain=40 (33 to 47)
                    [taskwait_in_loop, none]
                    2 visits, 40 ms each.
                    Give the waiting task a part of the work, or create fewer and larger tasks.
            "#]],
        );
    }
}
