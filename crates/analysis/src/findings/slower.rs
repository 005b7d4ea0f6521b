//! In which code a thread computes longer than the others of its team. Constructs may lie in one
//! another, so all questions about one thread are answered in one pass over the call tree.

use pompeii_model::{CallId, IndexVec, LocationId, Ticks};

use super::grouped;
use crate::Lens;

/// Clock ticks that a thread computes beyond the average, and the call path.
pub(super) type Excess = (Ticks, CallId);

/// What is asked: in which code below `scope` `location` computes longer than its team does on
/// average.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) scope: CallId,
    pub(super) location: LocationId,
    /// Size of the team.
    pub(super) threads: i64,
    /// Whether worksharing below the scope that ends with a barrier of its own is left out: what a
    /// thread is late by there has ended at that barrier.
    pub(super) is_wide: bool,
}

/// The code in which a thread computes longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slower {
    /// The call paths with the largest excess, the largest first.
    most: [Option<Excess>; KEPT],
    /// Of all call paths, where there is one.
    pub(super) sum: Ticks,
    /// What the thread computes beyond the average in all call paths together; negative if it
    /// computes less.
    pub(super) balance: Ticks,
}

/// How many call paths are worth a finding each.
const KEPT: usize = 3;

impl Slower {
    const NONE: Self = Self { most: [None; KEPT], sum: 0, balance: 0 };

    fn one(excess: Excess) -> Self {
        match excess.0 > 0 {
            true => Self { most: [Some(excess), None, None], sum: excess.0, balance: excess.0 },
            false => Self { balance: excess.0, ..Self::NONE },
        }
    }

    fn add(&mut self, other: &Self) {
        let mut all: Vec<Excess> = self.codes().chain(other.codes()).collect();
        all.sort_by_key(|&(excess, code)| (-excess, code));
        let mut all = all.into_iter();
        let (sum, balance) = (self.sum + other.sum, self.balance + other.balance);
        *self = Self { most: [all.next(), all.next(), all.next()], sum, balance };
    }

    /// The call paths with the largest excess, the largest first.
    pub(super) fn codes(&self) -> impl Iterator<Item = Excess> + use<> {
        self.most.into_iter().flatten()
    }
}

/// The answers, in the order of the questions.
pub(super) fn slower_code(lens: &Lens, questions: &[Question]) -> Vec<Slower> {
    let mut answers = vec![Slower::NONE; questions.len()];
    let mut passes = Passes::new(lens);
    for (question, mut asked) in grouped(0..questions.len(), |at| {
        let Question { location, threads, is_wide, .. } = questions[at];
        (location, threads, is_wide)
    }) {
        // Outer scopes first, because the pass over one has the answers for those inside.
        asked.sort_by_key(|&at| questions[at].scope);
        passes.begin();
        for at in asked {
            answers[at] = passes.below(questions[at].scope, question);
        }
    }
    answers
}

/// The largest excesses at and below each call path, of one location after the other.
struct Passes<'a> {
    lens: Lens<'a>,
    /// What all locations together compute in the call path itself.
    computed: IndexVec<CallId, Ticks>,
    below: IndexVec<CallId, Slower>,
    /// The pass that `below` is of.
    pass_of: IndexVec<CallId, usize>,
    pass: usize,
}

impl<'a> Passes<'a> {
    fn new(lens: &Lens<'a>) -> Self {
        let calls = &lens.cube.calls;
        let own = |call| lens.metric("comp").map_or(0, |comp| lens.cube.own(comp, call));
        Self {
            lens: *lens,
            computed: calls.ids().map(own).collect(),
            below: calls.ids().map(|_| Slower::NONE).collect(),
            pass_of: calls.ids().map(|_| 0).collect(),
            pass: 0,
        }
    }

    /// Forgets the location before.
    fn begin(&mut self) {
        self.pass += 1;
    }

    fn below(
        &mut self,
        scope: CallId,
        (location, threads, is_wide): (LocationId, i64, bool),
    ) -> Slower {
        if self.pass_of[scope] != self.pass {
            let Lens { cube } = self.lens;
            let comp = self.lens.metric("comp");
            let below = cube.calls.subtree(scope);
            for &call in &below {
                let own = comp.map_or(0, |comp| cube.get(comp, call, location));
                let excess = own - self.computed[call] / threads.max(1);
                self.below[call] = Slower::one((excess, call));
                self.pass_of[call] = self.pass;
            }
            for &call in below.iter().skip(1).rev() {
                let Some(parent) = cube.calls.parent(call) else { continue };
                let is_over = is_wide && self.lens.ends_with_barrier(call);
                if !is_over {
                    let more = self.below[call];
                    self.below[parent].add(&more);
                }
            }
        }
        self.below[scope]
    }
}
