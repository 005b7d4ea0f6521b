//! Which code makes a thread late at a barrier. The construct whose barrier it is shows the
//! waiting; the cause is the code in which the late thread computes longer than its team does on
//! average. It may be the construct itself, a function that is called there, or code before it that
//! ends without a barrier.
//!
//! Several codes share the waiting in proportion to their excess, and several barriers that wait
//! for the same code are one finding.

use std::collections::HashMap;

use pompeii_model::{CallId, RegionId, Role, Ticks};

use super::barriers;
use super::imbalance::Lateness;
use super::loop_work::LoopWork;
use super::one_before;
use super::slower::{Excess, Slower};
use super::{Advice, Cause, Gain, Loss, Search, Site, Words};
use crate::{Lens, format};

/// Code with a smaller share of the excess is not worth a finding of its own.
const SMALL_SHARE: f64 = 0.1;

/// What to do if one thread reads or writes while others wait.
const FILES: &str = "Let the others go on meanwhile (nowait, a task), or read and write fewer and larger \
    portions.";

/// A part of the waiting at barriers that has one cause.
pub(super) struct Part {
    site: Site,
    loss: Loss,
    words: Words,
    /// Where the cause is other code than the construct that waits: its excess, and the barriers.
    elsewhere: Option<(Ticks, Vec<String>)>,
}

/// A late thread.
pub(super) struct Late {
    /// The construct whose barrier it is.
    pub(super) scope: CallId,
    /// By how much it arrives after the average of its team, over all visits.
    pub(super) by: Ticks,
    pub(super) lateness: Lateness,
    /// Members of its team.
    pub(super) threads: i64,
    /// What balancing each visit brings.
    pub(super) balanced: Gain,
}

impl Part {
    /// All of the waiting, with the construct itself as its cause.
    pub(super) fn whole(site: Site, loss: Loss, words: Words) -> Self {
        Self { site, loss, words, elsewhere: None }
    }
}

/// Divides the waiting among the codes that make the thread late. `own` is the code below the
/// construct, `wide` that of the parallel region that has not ended at another barrier.
pub(super) fn divide(
    search: &Search,
    whole: Part,
    late: &Late,
    (own, wide): (&Slower, &Slower),
) -> Vec<Part> {
    let explains = |slower: &&Slower| 2 * slower.sum >= late.by;
    let is_own = explains(&own) && search.lens.role(late.scope) != Role::Barrier;
    let Some(slower) = [own, wide].into_iter().find(explains) else { return vec![whole] };
    let large = |&(excess, _): &Excess| excess as f64 >= SMALL_SHARE * slower.sum as f64;
    let codes: Vec<Excess> = slower.codes().filter(large).collect();
    let kept: Ticks = codes.iter().map(|(excess, _)| excess).sum();
    // Code of the construct itself is one part, whichever of its call paths it is in.
    let (here, there): (Vec<Excess>, Vec<Excess>) = codes
        .into_iter()
        .partition(|&(_, code)| is_own && !has_name_of_its_own(&search.lens, code));
    let share = |excess: Ticks| excess as f64 / kept.max(1) as f64;
    let mut parts: Vec<Part> =
        there.into_iter().map(|code| whole.at(search, late, code, share(code.0))).collect();
    let excess = here.iter().map(|(excess, _)| excess).sum();
    if let Some(&(_, code)) = here.first() {
        let mut part = whole.scaled(share(excess));
        part.words.details.extend(more_work(&search.lens, late.scope, (excess, code)));
        parts.push(part);
    }
    parts
}

/// What has a name that people look for: a function, or a region of theirs.
fn has_name_of_its_own(lens: &Lens, code: CallId) -> bool {
    matches!(lens.role(code), Role::Function | Role::User | Role::File)
}

/// Where in the construct the late thread computes longer.
fn more_work(lens: &Lens, scope: CallId, (excess, code): Excess) -> Option<String> {
    let code = (code != scope).then(|| format::name_with_place(lens.cube, code))?;
    let more = format::seconds(lens.seconds(excess));
    Some(format!("It computes {more} more than the average in {code}."))
}

impl Part {
    fn scaled(&self, share: f64) -> Self {
        Self {
            site: self.site.clone(),
            loss: self.loss.part(share),
            words: self.words.clone(),
            elsewhere: None,
        }
    }

    /// The part of this waiting whose cause is other code.
    fn at(&self, search: &Search, late: &Late, (excess, code): Excess, share: f64) -> Self {
        let lens = &search.lens;
        let for_one = search.paths.for_one[code];
        let mut part = self.scaled(share);
        let code = for_one.unwrap_or(code);
        let code = search.paths.construct[code].unwrap_or(code);
        let role = lens.role(code);
        let cause = match for_one {
            Some(_) => Cause::SingleMaster,
            None => self.words.cause.unwrap_or(Cause::ImbalanceSteady),
        };
        if cause == Cause::SingleMaster {
            part.loss.gain = Some(late.balanced.part(share));
        }
        part.site.region = lens.cube.calls.region(code);
        part.site.construct = lens.region(code).construct().to_owned();
        part.words.cause = Some(cause);
        part.words.advice =
            barriers::advice(cause, &part.site.construct, lens.region(code), late.lateness);
        if role == Role::Loop && for_one.is_none() {
            let work = LoopWork::new(search, &[code], late.threads);
            let schedule = work.and_then(|work| work.schedule(lens));
            part.words.advice = schedule.unwrap_or(part.words.advice);
        }
        if one_before::is_for_one(lens, code) {
            let waiting = (self.loss.lost, late.threads);
            part.words.advice = one_before::advice(search, &[late.scope], waiting);
        }
        if role == Role::File {
            part.words.advice = Advice::none(FILES);
        }
        let barrier = lens.cube.regions[self.site.region].label();
        part.elsewhere = Some((excess, vec![barrier]));
        part
    }
}

/// Reports the parts; those with the same cause elsewhere are one finding.
pub(super) fn report(search: &mut Search, parts: Vec<Part>) {
    let mut found: Vec<Part> = Vec::new();
    let mut known: HashMap<(RegionId, Option<Cause>), usize> = HashMap::new();
    for part in parts {
        let key = (part.site.region, part.words.cause);
        match known.get(&key).filter(|_| part.elsewhere.is_some()) {
            Some(&at) => found[at].merge(part),
            None => {
                if part.elsewhere.is_some() {
                    known.insert(key, found.len());
                }
                found.push(part);
            }
        }
    }
    for mut part in found {
        if let Some((excess, barriers)) = part.elsewhere {
            let more = format::seconds(search.lens.seconds(excess));
            let waiting = match &barriers[..] {
                [one] => one.clone(),
                several => format!("{} barriers", several.len()),
            };
            let region = &search.lens.cube.regions[part.site.region];
            let does = match region.role {
                Role::File => format!("is in {} {more} longer", region.name),
                _ => format!("computes {more} longer here"),
            };
            part.words
                .details
                .push(format!("It {does} than its team on average, which waits at {waiting}."));
        }
        search.report(part.site.metric, part.site, part.loss, part.words);
    }
}

impl Part {
    /// Adds waiting for the same code at another barrier.
    fn merge(&mut self, other: Part) {
        self.loss = self.loss.and(other.loss);
        self.site.calls.extend(other.site.calls);
        if let (Some((excess, barriers)), Some((more, others))) =
            (&mut self.elsewhere, other.elsewhere)
        {
            *excess = more.max(*excess);
            barriers.extend(others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// Two loops without barriers before a balanced one, at which all wait.
    #[test]
    fn loops_without_barriers_share_the_waiting_at_the_next_barrier() {
        check(
            "wall=700 locations=4
             a/parallel@a.c:30                        *    visits=1
             a/parallel@a.c:30/for@a.c:12             0    time=400 visits=30
             a/parallel@a.c:30/for@a.c:12             1-3  time=100 visits=30
             a/parallel@a.c:30/for@a.c:25             0    time=200 visits=30
             a/parallel@a.c:30/for@a.c:25             1-3  time=100 visits=30
             a/parallel@a.c:30/for@a.c:40             *    time=100 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  0    omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  1-3  time=400 visits=30 \
             omp_ibarrier_wait=400",
            expect![[r#"
                a.c:12 for | omp_ibarrier_wait lost=900 gain=225 (185 to 265)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 30 visits, 10 ms after the average.
                    It computes 0.23 s longer here than its team on average, which waits at for a.c:40.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                a.c:25 for | omp_ibarrier_wait lost=300 gain=75 (57 to 93)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 30 visits, 10 ms after the average.
                    It computes 75 ms longer here than its team on average, which waits at for a.c:40.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
            "#]],
        );
    }

    /// The iterations of the loop are known, so that a schedule can be advised.
    #[test]
    fn a_loop_without_a_barrier_gets_a_schedule() {
        check(
            "wall=700 locations=2
             a/parallel@a.c:30                               *  visits=1
             a/parallel@a.c:30/for@a.c:12 schedule(static)   0  time=600 visits=30
             a/parallel@a.c:30/for@a.c:12 schedule(static)   1  time=200 visits=30
             a/parallel@a.c:30/for@a.c:12 schedule(static)   *  omp_loop_iterations=960 \
             omp_loop_visits_known=30 omp_loop_iterations_min=32 omp_loop_iterations_max=32
             a/parallel@a.c:30/for@a.c:40                    *  time=100 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  0  omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  1  time=400 visits=30 \
             omp_ibarrier_wait=400",
            expect![[r#"
                a.c:12 for | omp_ibarrier_wait lost=400 gain=200 (163 to 237)
                    [imbalance_steady, schedule a.c:12]
                    Thread 0 arrives last in 100 % of 30 visits, 6.7 ms after the average.
                    It computes 0.20 s longer here than its team on average, which waits at for a.c:40.
                    Set schedule(dynamic,1) for the loop a.c:12.
            "#]],
        );
    }

    /// The others have enough iterations in the loop to take over those of the master.
    #[test]
    fn a_loop_after_work_of_the_master_gets_a_schedule() {
        check(
            "wall=600 locations=2
             a/parallel@a.c:30                               *  visits=1
             a/parallel@a.c:30/master@a.c:20                 0  time=200 visits=30
             a/parallel@a.c:30/for@a.c:40 schedule(static)   *  time=400 visits=30 \
             omp_loop_iterations=960 omp_loop_visits_known=30 omp_loop_iterations_min=32 \
             omp_loop_iterations_max=32
             a/parallel@a.c:30/for@a.c:40 schedule(static)/implicit barrier@a.c:42  0  \
             omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:40 schedule(static)/implicit barrier@a.c:42  1  time=200 \
             visits=30 omp_ibarrier_wait=200",
            expect![[r#"
                a.c:20 master | omp_ibarrier_wait lost=200 gain=100 (59 to 121)
                    [single_master, schedule a.c:40]
                    Thread 0 arrives last in 100 % of 30 visits, 3.3 ms after the average.
                    It computes 0.10 s longer here than its team on average, which waits at for a.c:40.
                    Set schedule(dynamic,1) for the loop a.c:40.
            "#]],
        );
    }

    #[test]
    fn a_thread_that_writes_while_the_others_wait_is_found_by_its_call() {
        check(
            "wall=500 locations=4
             a/parallel@a.c:30                        *    visits=1
             a/parallel@a.c:30/for@a.c:40             *    time=100 visits=20
             a/parallel@a.c:30/fwrite@solver.c:88     0    time=400 visits=20 bytes_written=800000
             a/parallel@a.c:30/barrier@a.c:45         0    visits=20 omp_barrier_last=20
             a/parallel@a.c:30/barrier@a.c:45         1-3  time=400 visits=20 omp_ebarrier_wait=400",
            expect![[r#"
                solver.c:88 fwrite | omp_ebarrier_wait lost=1200 gain=300 (250 to 350)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 20 visits, 15 ms after the average.
                    It is in fwrite 0.30 s longer than its team on average, which waits at barrier a.c:45.
                    Let the others go on meanwhile (nowait, a task), or read and write fewer and larger portions.
            "#]],
        );
    }

    #[test]
    fn barriers_that_wait_for_the_same_function_are_one_finding() {
        check(
            "wall=500 locations=2
             a/parallel@a.c:30                    *  visits=1
             a/parallel@a.c:30/assemble@b.c:9     0  time=400 visits=40
             a/parallel@a.c:30/assemble@b.c:9     1  time=100 visits=40
             a/parallel@a.c:30/solve@b.c:20       *  time=100 visits=40
             a/parallel@a.c:30/barrier@a.c:33     0  visits=20 omp_barrier_last=20
             a/parallel@a.c:30/barrier@a.c:33     1  time=200 visits=20 omp_ebarrier_wait=200
             a/parallel@a.c:30/barrier@a.c:36     0  visits=20 omp_barrier_last=20
             a/parallel@a.c:30/barrier@a.c:36     1  time=100 visits=20 omp_ebarrier_wait=100",
            expect![[r#"
                b.c:9 assemble | omp_ebarrier_wait lost=300 gain=150 (123 to 177)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 20 visits, 5.0 ms after the average.
                    It computes 0.15 s longer here than its team on average, which waits at 2 barriers.
                    This thread has more work: split the work by cost, or use tasks.
            "#]],
        );
    }

    /// What the thread was late by in the first loop has ended at that loop's own barrier.
    #[test]
    fn a_loop_with_a_barrier_of_its_own_makes_no_thread_late_elsewhere() {
        check(
            "wall=800 locations=2
             a/parallel@a.c:30                                     *  visits=1
             a/parallel@a.c:30/for@a.c:12                          0  time=500 visits=30
             a/parallel@a.c:30/for@a.c:12                          1  time=100 visits=30
             a/parallel@a.c:30/for@a.c:12/implicit barrier@a.c:14  0  omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:12/implicit barrier@a.c:14  1  time=400 visits=30 \
             omp_ibarrier_wait=400
             a/parallel@a.c:30/master@a.c:20                       0  time=200 visits=30
             a/parallel@a.c:30/for@a.c:40                          *  time=100 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  0  omp_barrier_last=30 visits=30
             a/parallel@a.c:30/for@a.c:40/implicit barrier@a.c:42  1  time=200 visits=30 \
             omp_ibarrier_wait=200",
            expect![[r#"
                a.c:12 for | omp_ibarrier_wait lost=400 gain=200 (162 to 238)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 30 visits, 6.7 ms after the average.
                    It has more or costlier iterations, or slower memory: split the iterations by cost. Compile with --loop-chunks to see them.
                a.c:20 master | omp_ibarrier_wait lost=200 gain=100 (59 to 122)
                    [single_master, none]
                    Thread 0 arrives last in 100 % of 30 visits, 3.3 ms after the average.
                    It computes 0.10 s longer here than its team on average, which waits at for a.c:40.
                    Only one thread works: split its work into tasks or a loop.
            "#]],
        );
    }

    #[test]
    fn work_in_the_region_itself_is_that_regions() {
        check(
            "wall=300 locations=2
             a/parallel@a.c:22                 0  time=300 visits=1
             a/parallel@a.c:22                 1  time=100 visits=1
             a/parallel@a.c:22/barrier@a.c:25  0  visits=30 omp_barrier_last=30
             a/parallel@a.c:22/barrier@a.c:25  1  time=200 visits=30 omp_ebarrier_wait=200",
            expect![[r#"
                a.c:22 parallel | omp_ebarrier_wait lost=200 gain=100 (82 to 118)
                    [imbalance_steady, none]
                    Thread 0 arrives last in 100 % of 30 visits, 3.3 ms after the average.
                    It computes 0.10 s longer here than its team on average, which waits at barrier a.c:25.
                    This thread has more work: split the work by cost, or use tasks.
            "#]],
        );
    }
}
