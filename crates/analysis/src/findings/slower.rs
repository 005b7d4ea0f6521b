//! In which code a thread computes longer than the others of its team. Constructs may lie in one
//! another, so all questions about one thread are answered in one pass over the call tree.

use std::cmp::Reverse;

use pompeii_model::{CallId, IndexVec, LocationId, Role, Ticks};

use super::grouped;
use crate::Lens;

/// Clock ticks that a thread computes beyond the average, and the call path.
pub(super) type Excess = (Ticks, CallId);

/// What is asked: in which code below `scope` `location` computes longest beyond the average of its
/// team.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) scope: CallId,
    pub(super) location: LocationId,
    /// Size of the team.
    pub(super) threads: i64,
}

/// The answers, in the order of the questions; `None` if the location computes nowhere longer.
pub(super) fn slower_code(lens: &Lens, questions: &[Question]) -> Vec<Option<Excess>> {
    let mut answers = vec![None; questions.len()];
    let mut passes = Passes::new(lens);
    for ((location, threads), mut asked) in
        grouped(0..questions.len(), |at| (questions[at].location, questions[at].threads))
    {
        // Outer scopes first, because the pass over one has the answers for those inside.
        asked.sort_by_key(|&at| questions[at].scope);
        passes.begin();
        for at in asked {
            let Some(scope) = scope(lens, questions[at].scope) else { continue };
            let (more, Reverse(code)) = passes.most_below(scope, location, threads);
            answers[at] = (more > 0 && code != scope).then_some((more, code));
        }
    }
    answers
}

/// An explicit barrier has no body: what comes before it is its siblings.
fn scope(lens: &Lens, construct: CallId) -> Option<CallId> {
    match lens.role(construct) {
        Role::Barrier => lens.cube.calls.parent(construct),
        _ => Some(construct),
    }
}

/// Of equal ones the first is the largest.
type Most = (Ticks, Reverse<CallId>);

/// The largest excess at and below each call path, of one location after the other.
struct Passes<'a> {
    lens: Lens<'a>,
    /// What all locations together compute in the call path itself.
    computed: IndexVec<CallId, Ticks>,
    most: IndexVec<CallId, Most>,
    /// The pass that `most` is of.
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
            most: calls.ids().map(|call| (0, Reverse(call))).collect(),
            pass_of: calls.ids().map(|_| 0).collect(),
            pass: 0,
        }
    }

    /// Forgets the location before.
    fn begin(&mut self) {
        self.pass += 1;
    }

    fn most_below(&mut self, scope: CallId, location: LocationId, threads: i64) -> Most {
        if self.pass_of[scope] != self.pass {
            let Lens { cube } = self.lens;
            let comp = self.lens.metric("comp");
            let below = cube.calls.subtree(scope);
            for &call in &below {
                let own = comp.map_or(0, |comp| cube.get(comp, call, location));
                let excess = own - self.computed[call] / threads.max(1);
                (self.most[call], self.pass_of[call]) = ((excess, Reverse(call)), self.pass);
            }
            for &call in below.iter().skip(1).rev() {
                if let Some(parent) = cube.calls.parent(call) {
                    self.most[parent] = self.most[parent].max(self.most[call]);
                }
            }
        }
        self.most[scope]
    }
}
