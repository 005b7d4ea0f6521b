//! Schedules of worksharing loops, and how long a loop takes under one of them if the time of each
//! iteration is known.
//!
//! Threads begin at the same time, and an iteration takes as long on each of them. Chunks of static
//! schedules are known in advance, so they cost nothing. With the other schedules each chunk is
//! handed out when a thread asks for it, which takes the same time for each chunk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// How the iterations of a loop are shared among the threads of its team. Chunks have at least one
/// iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Schedule {
    /// One part for each thread; sizes differ by at most one iteration.
    Static,
    /// Chunks of this size in turn.
    StaticChunks(usize),
    /// Chunks of this size for whoever asks.
    Dynamic(usize),
    /// The same with large chunks first: the remaining iterations divided by the number of threads,
    /// but not less than this.
    Guided(usize),
}

impl Schedule {
    /// The schedule that [`Region::schedule`](pompeii_model::Region::schedule) writes like this.
    /// `None` if it is not known, for example because the size of its chunks is an expression.
    pub fn parse(text: &str) -> Option<Schedule> {
        let (kind, size) = match text.split_once(',') {
            Some((kind, size)) => (kind, Some(size.parse().ok().filter(|size| *size > 0)?)),
            None => (text, None),
        };
        match (kind, size) {
            ("static", None) => Some(Schedule::Static),
            ("static", Some(size)) => Some(Schedule::StaticChunks(size)),
            ("dynamic", size) => Some(Schedule::Dynamic(size.unwrap_or(1))),
            ("guided", size) => Some(Schedule::Guided(size.unwrap_or(1))),
            _ => None,
        }
    }

    /// Whether chunks are handed out when threads ask for them.
    pub fn is_handed_out(self) -> bool {
        matches!(self, Schedule::Dynamic(_) | Schedule::Guided(_))
    }
}

/// As it stands in the clause.
impl fmt::Display for Schedule {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Static => write!(to, "static"),
            Schedule::StaticChunks(size) => write!(to, "static,{size}"),
            Schedule::Dynamic(size) => write!(to, "dynamic,{size}"),
            Schedule::Guided(1) => write!(to, "guided"),
            Schedule::Guided(size) => write!(to, "guided,{size}"),
        }
    }
}

/// The iterations of one execution of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Ticks of the first 0, 1, 2 ... iterations.
    until: Vec<u64>,
}

impl Costs {
    /// Of iterations that took these ticks, in the order of the loop.
    pub fn new(ticks: impl IntoIterator<Item = u64>) -> Costs {
        let sums = ticks.into_iter().scan(0u64, |sum, ticks| {
            *sum = sum.saturating_add(ticks);
            Some(*sum)
        });
        Costs { until: std::iter::once(0).chain(sums).collect() }
    }

    /// Number of iterations.
    pub fn iterations(&self) -> usize {
        self.until.len() - 1
    }

    /// Ticks of one iteration.
    #[cfg(test)]
    pub(super) fn ticks_of(&self, iteration: usize) -> u64 {
        self.ticks((iteration, iteration + 1))
    }

    /// Ticks of all iterations.
    pub fn work(&self) -> u64 {
        self.ticks((0, self.iterations()))
    }

    fn ticks(&self, (from, until): (usize, usize)) -> u64 {
        self.until[until] - self.until[from]
    }

    /// Number of chunks that threads get.
    pub fn chunks(&self, schedule: Schedule, threads: usize) -> usize {
        let threads = threads.max(1);
        match schedule {
            Schedule::Static => threads.min(self.iterations()),
            Schedule::StaticChunks(size) | Schedule::Dynamic(size) => {
                self.iterations().div_ceil(size)
            }
            Schedule::Guided(_) => {
                Cut { at: 0, iterations: self.iterations(), threads, schedule }.count()
            }
        }
    }

    /// The loop's time on `threads` threads, if handing out a chunk takes `handing_out` ticks.
    pub fn under(&self, schedule: Schedule, threads: usize, handing_out: u64) -> u64 {
        let threads = threads.max(1);
        let cut = Cut { at: 0, iterations: self.iterations(), threads, schedule };
        match schedule {
            Schedule::Static => cut.map(|chunk| self.ticks(chunk)).max().unwrap_or(0),
            Schedule::StaticChunks(_) => self.in_turn(cut, threads),
            Schedule::Dynamic(_) | Schedule::Guided(_) => self.on_demand(cut, threads, handing_out),
        }
    }

    fn in_turn(&self, cut: Cut, threads: usize) -> u64 {
        // More threads than iterations have nothing to do.
        let mut busy = vec![0u64; threads.min(self.iterations())];
        for (place, chunk) in cut.enumerate() {
            let thread = place % threads;
            busy[thread] = busy[thread].saturating_add(self.ticks(chunk));
        }
        busy.into_iter().max().unwrap_or(0)
    }

    fn on_demand(&self, cut: Cut, threads: usize, handing_out: u64) -> u64 {
        // The thread that is free first asks first.
        let mut free: BinaryHeap<Reverse<u64>> =
            std::iter::repeat_n(Reverse(0), threads.min(self.iterations())).collect();
        let mut end = 0;
        for chunk in cut {
            let Some(Reverse(since)) = free.pop() else { break };
            let until = since.saturating_add(handing_out).saturating_add(self.ticks(chunk));
            end = end.max(until);
            free.push(Reverse(until));
        }
        end
    }
}

/// The chunks of a loop in its order: the first iteration, and the one after the last.
struct Cut {
    at: usize,
    iterations: usize,
    threads: usize,
    schedule: Schedule,
}

impl Cut {
    /// Iterations of the next chunk, as libgomp computes them. LLVM's library begins `guided` with
    /// chunks of half this size.
    fn size(&self) -> usize {
        match self.schedule {
            Schedule::Static => {
                let (each, more) = (self.iterations / self.threads, self.iterations % self.threads);
                // The first threads have one more.
                each + usize::from(self.at < more * (each + 1))
            }
            Schedule::StaticChunks(size) | Schedule::Dynamic(size) => size,
            Schedule::Guided(least) => {
                (self.iterations - self.at).div_ceil(self.threads).max(least)
            }
        }
    }
}

impl Iterator for Cut {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        if self.at >= self.iterations {
            return None;
        }
        let from = self.at;
        self.at = from.saturating_add(self.size().max(1)).min(self.iterations);
        Some((from, self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(schedule: Schedule, iterations: usize, threads: usize) -> Vec<usize> {
        let cut = Cut { at: 0, iterations, threads, schedule };
        cut.map(|(from, until)| until - from).collect()
    }

    #[test]
    fn schedules_are_read_as_regions_write_them() {
        for text in ["static", "static,4", "dynamic,8", "guided", "guided,2"] {
            assert_eq!(Schedule::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Schedule::parse("dynamic"), Some(Schedule::Dynamic(1)));
        for text in ["", "auto", "dynamic,n", "static,0", "dynamic,-1"] {
            assert_eq!(Schedule::parse(text), None, "{text}");
        }
    }

    #[test]
    fn chunks_of_schedules() {
        assert_eq!(chunks(Schedule::Static, 10, 4), [3, 3, 2, 2]);
        assert_eq!(chunks(Schedule::Static, 2, 4), [1, 1]);
        assert_eq!(chunks(Schedule::StaticChunks(4), 10, 4), [4, 4, 2]);
        assert_eq!(chunks(Schedule::Dynamic(3), 10, 4), [3, 3, 3, 1]);
        assert_eq!(chunks(Schedule::Guided(1), 10, 2), [5, 3, 1, 1]);
        assert_eq!(chunks(Schedule::Guided(4), 10, 2), [5, 4, 1]);
        assert_eq!(chunks(Schedule::Guided(1), 0, 2), []);
    }

    /// Iterations take longer and longer, as in a triangle.
    #[test]
    fn a_triangle_under_all_schedules() {
        let costs = Costs::new(1..=8);
        assert_eq!((costs.iterations(), costs.work()), (8, 36));
        // 1 to 4 and 5 to 8; 1, 3, 5, 7 and 2, 4, 6, 8; 1, 2, 5, 6 and 3, 4, 7, 8.
        assert_eq!(costs.under(Schedule::Static, 2, 100), 26);
        assert_eq!(costs.under(Schedule::StaticChunks(1), 2, 100), 20);
        assert_eq!(costs.under(Schedule::StaticChunks(2), 2, 100), 22);
        // Each thread gets the next iteration in turn, because the other one has a longer one.
        assert_eq!(costs.under(Schedule::Dynamic(1), 2, 0), 20);
        assert_eq!(costs.under(Schedule::Dynamic(1), 2, 10), 60);
        // The first chunk is 1 to 4 and the second 5 and 6, with 10 and 11; then 7, and 8 of the
        // thread that is free at 11.
        assert_eq!(costs.under(Schedule::Guided(1), 2, 0), 19);
        assert_eq!(costs.chunks(Schedule::Guided(1), 2), 4);
    }

    #[test]
    fn one_thread_takes_all_time_and_many_threads_that_of_the_longest_iteration() {
        let costs = Costs::new([5, 9, 2, 4]);
        for schedule in
            [Schedule::Static, Schedule::StaticChunks(1), Schedule::Dynamic(1), Schedule::Guided(1)]
        {
            assert_eq!(costs.under(schedule, 1, 0), 20, "{schedule}");
            assert_eq!(costs.under(schedule, 1_000_000, 0), 9, "{schedule}");
        }
        assert_eq!(costs.under(Schedule::Dynamic(2), 1, 3), 26);
        assert_eq!(Costs::new([]).under(Schedule::Dynamic(1), 4, 3), 0);
    }

    /// No schedule is better than the work shared evenly, or worse than one thread alone.
    #[test]
    fn bounds_hold_for_all_schedules() {
        for case in 0..200u64 {
            let costs = Costs::new((0..=case % 41).map(|at| (at * 37 + case * 11) % 100));
            let (threads, size) = (1 + case as usize % 8, 1 + case as usize % 5);
            for schedule in [
                Schedule::Static,
                Schedule::StaticChunks(size),
                Schedule::Dynamic(size),
                Schedule::Guided(size),
            ] {
                let time = costs.under(schedule, threads, 0);
                assert!(time <= costs.work(), "{schedule}, case {case}");
                assert!(time * threads as u64 >= costs.work(), "{schedule}, case {case}");
            }
        }
    }
}
