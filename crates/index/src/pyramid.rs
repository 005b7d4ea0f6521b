//! The bins of all levels, made of pieces of time that come in order and do not overlap. What a bin
//! has of a piece is up to its content: ticks by state, or the smallest and largest value.
//!
//! A bin of a level is complete when a later piece comes, and is then added to the bin of the level
//! above. Bins that are covered by one piece are one run on all levels, so a piece costs no more
//! than its ends, whatever its length is.

use crate::shape::Shape;

/// What a bin has.
pub(crate) trait Content: Clone + Default + PartialEq {
    /// Adds another content, this number of times.
    fn add(&mut self, more: &Self, times: u64);
}

/// Neighbouring bins with the same content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run<C> {
    /// Number of the first bin.
    pub bin: u64,
    /// Number of bins.
    pub length: u64,
    /// What each of them has.
    pub content: C,
}

impl<C: PartialEq> Run<C> {
    /// The bin after the run.
    pub fn end(&self) -> u64 {
        self.bin + self.length
    }

    /// Adds the run to a list; as a part of the last one if it goes on alike.
    pub fn push_to(self, runs: &mut Vec<Run<C>>) {
        match runs.last_mut() {
            Some(last) if last.end() == self.bin && last.content == self.content => {
                last.length += self.length;
            }
            _ => runs.push(self),
        }
    }
}

#[derive(Clone, Debug)]
struct Level<C> {
    runs: Vec<Run<C>>,
    /// The bin that is not complete.
    bin: u64,
    open: Option<C>,
}

/// Makes the bins of all levels.
#[derive(Clone, Debug)]
pub(crate) struct Pyramid<C> {
    shape: Shape,
    levels: Vec<Level<C>>,
}

impl<C: Content> Pyramid<C> {
    pub fn new(shape: Shape) -> Pyramid<C> {
        let level = Level { runs: Vec::new(), bin: 0, open: None };
        Pyramid { shape, levels: vec![level; usize::from(shape.levels)] }
    }

    /// Adds a piece, in units; `part` makes the content of a number of units.
    pub fn add(&mut self, start: u64, end: u64, part: impl Fn(u64) -> C) {
        if start >= end {
            return;
        }
        let bin_log2 = self.shape.bin_log2(0);
        let begin = |bin: u64| bin << bin_log2;
        let (first, last) = (start >> bin_log2, (end - 1) >> bin_log2);
        if first == last {
            return self.join(0, first, &part(end - start), 1);
        }
        let whole_first = if begin(first) == start { first } else { first + 1 };
        let whole_end = if end - begin(last) == 1 << bin_log2 { last + 1 } else { last };
        if first < whole_first {
            self.join(0, first, &part(begin(whole_first) - start), 1);
        }
        if whole_first < whole_end {
            let (bin, length, content) = (whole_first, whole_end - whole_first, part(begin(1)));
            self.run(0, Run { bin, length, content });
        }
        if whole_end == last {
            self.join(0, last, &part(end - begin(last)), 1);
        }
    }

    /// Adds to one bin of a level.
    fn join(&mut self, level: usize, bin: u64, content: &C, times: u64) {
        if self.levels[level].bin != bin {
            self.close(level);
        }
        let this = &mut self.levels[level];
        this.bin = bin;
        this.open.get_or_insert_default().add(content, times);
    }

    /// Adds bins of a level that are complete.
    fn run(&mut self, level: usize, run: Run<C>) {
        self.close(level);
        self.emit(level, run);
    }

    fn close(&mut self, level: usize) {
        let this = &mut self.levels[level];
        if let Some(content) = this.open.take() {
            let run = Run { bin: this.bin, length: 1, content };
            self.emit(level, run);
        }
    }

    /// Takes complete bins, and adds them to the level above.
    fn emit(&mut self, level: usize, run: Run<C>) {
        let Run { bin, length, .. } = run;
        if level + 1 < self.levels.len() {
            // Up to the next border, whole bins above, and the rest.
            let head = (bin.next_multiple_of(4) - bin).min(length);
            let whole = (length - head) / 4;
            let rest = (length - head) % 4;
            let above = bin >> 2;
            if head > 0 {
                self.join(level + 1, above, &run.content, head);
            }
            let above = above + u64::from(head > 0);
            if whole > 0 {
                let mut content = C::default();
                content.add(&run.content, 4);
                self.run(level + 1, Run { bin: above, length: whole, content });
            }
            if rest > 0 {
                self.join(level + 1, above + whole, &run.content, rest);
            }
        }
        run.push_to(&mut self.levels[level].runs);
    }

    /// The runs of each level, when all pieces have been added.
    pub fn finish(mut self) -> Vec<Vec<Run<C>>> {
        (0..self.levels.len()).for_each(|level| self.close(level));
        self.levels.into_iter().map(|level| level.runs).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Ticks(u64);

    impl Content for Ticks {
        fn add(&mut self, more: &Ticks, times: u64) {
            self.0 += more.0 * times;
        }
    }

    proptest! {
        /// Each bin has the units of all pieces that are in it.
        #[test]
        fn bins_have_all_pieces(
            pieces in prop::collection::vec((0..40_u64, 0..200_u64), 0..30),
            finest_log2 in 0..5_u8,
            levels in 1..5_u8,
        ) {
            let shape = Shape { origin: 0, length: 1 << 20, unit_log2: 0, finest_log2, levels };
            let (mut pyramid, mut all, mut now) = (Pyramid::new(shape), Vec::new(), 0);
            for (gap, length) in pieces {
                let (start, end) = (now + gap, now + gap + length);
                pyramid.add(start, end, Ticks);
                all.push((start, end));
                now = end;
            }
            for (level, runs) in pyramid.finish().into_iter().enumerate() {
                let bin_log2 = shape.bin_log2(level);
                let mut found = vec![0; (now >> bin_log2) as usize + 1];
                let mut last = 0;
                for run in runs {
                    prop_assert!(run.bin >= last && run.length > 0);
                    last = run.end();
                    found[run.bin as usize..last as usize].fill(run.content.0);
                }
                for (bin, found) in (0..).zip(found) {
                    let (begin, after) = (bin << bin_log2, (bin + 1) << bin_log2);
                    let inside = |(start, end): &(u64, u64)| {
                        (*end).min(after).saturating_sub((*start).max(begin))
                    };
                    prop_assert_eq!(found, all.iter().map(inside).sum::<u64>(), "bin {}", bin);
                }
            }
        }
    }

    #[test]
    fn a_long_piece_is_few_runs() {
        let shape = Shape { origin: 0, length: 1 << 40, unit_log2: 0, finest_log2: 12, levels: 10 };
        let mut pyramid = Pyramid::new(shape);
        pyramid.add(5, (1 << 40) - 5, Ticks);
        assert!(pyramid.finish().iter().all(|runs| runs.len() <= 3));
    }
}
