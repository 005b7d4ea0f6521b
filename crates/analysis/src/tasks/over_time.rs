//! How many things there are over time: tasks that are ready, threads without a task. The time is
//! divided into equal parts, each of which has the mean number of things. A thing takes the same
//! work however long it is there, so memory and work follow the number of parts and of things.

/// Parts of a run. A report shows some of them together.
pub const PARTS: u64 = 120;

/// The mean number of things in each part of a time.
#[derive(Clone, Debug)]
pub struct OverTime {
    begin: u64,
    end: u64,
    /// Length of a part in ticks; the last one may be shorter.
    width: u64,
    /// By part: ticks of the things that are not there for all of it.
    partly: Vec<i64>,
    /// By part: how many more things are there for all of it than for all of the one before.
    change: Vec<i64>,
}

/// The time between two times; 0 if they are in the wrong order.
pub(super) fn ticks(from: u64, to: u64) -> i64 {
    i64::try_from(to.saturating_sub(from)).unwrap_or(i64::MAX)
}

impl OverTime {
    /// Nothing from `begin` to `end`, in at most this number of parts.
    pub fn new((begin, end): (u64, u64), parts: u64) -> OverTime {
        let all = end.saturating_sub(begin);
        let width = all.div_ceil(parts.max(1)).max(1);
        let parts = all.div_ceil(width) as usize;
        OverTime { begin, end, width, partly: vec![0; parts], change: vec![0; parts] }
    }

    /// A thing is there from one time to another. What lies outside does not count.
    pub fn add(&mut self, from: u64, to: u64) {
        let (from, to) = (from.max(self.begin), to.min(self.end));
        if from >= to {
            return;
        }
        let (first, last) = (self.part(from), self.part(to - 1));
        if first == last {
            self.add_partly(first, ticks(from, to));
            return;
        }
        self.add_partly(first, ticks(from, self.begin_of(first + 1)));
        self.add_partly(last, ticks(self.begin_of(last), to));
        self.change[first + 1] += 1;
        self.change[last] -= 1;
    }

    fn add_partly(&mut self, part: usize, ticks: i64) {
        self.partly[part] = self.partly[part].saturating_add(ticks);
    }

    fn part(&self, time: u64) -> usize {
        ((time - self.begin) / self.width) as usize
    }

    fn begin_of(&self, part: usize) -> u64 {
        self.begin.saturating_add(self.width.saturating_mul(part as u64))
    }

    /// When each part begins, in ticks since the begin of the first one.
    pub fn begins(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.partly.len()).map(|part| ticks(self.begin, self.begin_of(part)))
    }

    /// The mean number of things in each part.
    pub fn means(&self) -> Vec<f64> {
        let mut whole = 0;
        let mean = |part: usize| {
            whole += self.change[part];
            let length = ticks(self.begin_of(part), self.begin_of(part + 1).min(self.end));
            whole as f64 + self.partly[part] as f64 / length as f64
        };
        (0..self.partly.len()).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(within: (u64, u64), parts: u64, things: &[(u64, u64)]) -> Vec<f64> {
        let mut all = OverTime::new(within, parts);
        things.iter().for_each(|&(from, to)| all.add(from, to));
        all.means()
    }

    #[test]
    fn things_count_in_the_parts_that_they_are_in() {
        // Parts of 9 ticks from 100 on; the last one has 7.
        assert_eq!(means((100, 125), 3, &[]), [0.0, 0.0, 0.0]);
        assert_eq!(means((100, 125), 3, &[(100, 125)]), [1.0, 1.0, 1.0]);
        assert_eq!(means((100, 125), 3, &[(105, 121)]), [4.0 / 9.0, 1.0, 3.0 / 7.0]);
        assert_eq!(means((100, 125), 3, &[(102, 104), (108, 111)]), [3.0 / 9.0, 2.0 / 9.0, 0.0]);
        assert_eq!(means((100, 125), 3, &[(100, 110), (110, 118)]), [1.0, 1.0, 0.0]);
        assert_eq!(means((100, 140), 4, &[(105, 140), (100, 135)]), [1.5, 2.0, 2.0, 1.5]);
    }

    #[test]
    fn what_lies_outside_does_not_count() {
        assert_eq!(means((100, 120), 2, &[(0, 105), (115, 500), (7, 7), (9, 3)]), [0.5, 0.5]);
        assert_eq!(means((100, 120), 2, &[(0, 100), (120, u64::MAX)]), [0.0, 0.0]);
    }

    #[test]
    fn a_run_of_no_length_has_no_parts() {
        assert!(means((5, 5), 3, &[(0, 9)]).is_empty());
        assert!(means((9, 5), 3, &[(0, 9)]).is_empty());
        assert_eq!(OverTime::new((5, 7), 120).begins().collect::<Vec<i64>>(), [0, 1]);
        let all = OverTime::new((0, u64::MAX), 2);
        assert_eq!(all.begins().collect::<Vec<i64>>(), [0, i64::MAX]);
    }

    #[test]
    fn the_sum_of_all_parts_is_the_sum_of_all_things() {
        let things: Vec<(u64, u64)> = (0..500).map(|n| (n * 7 % 300, n * 13 % 400)).collect();
        let all: u64 = things.iter().map(|&(from, to)| to.min(330).saturating_sub(from)).sum();
        let width = 330_u64.div_ceil(16);
        let of_parts: f64 = (0..)
            .zip(means((0, 330), 16, &things))
            .map(|(part, mean)| mean * (330 - part * width).min(width) as f64)
            .sum();
        assert!((of_parts - all as f64).abs() < 1e-6, "{of_parts} {all}");
    }
}
