//! The end of a construct: calls, END directives and barriers from the innermost level outwards.

use super::events::Target;
use super::plan::Plan;
use super::rewrite::Rewriter;
use super::site::Site;
use crate::Abi;
use crate::directives::Level;

/// Something that ends a construct, in order. Levels are given by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// The last call inside of a level.
    Inside(usize),
    /// The END directive of a level: whether it gets `nowait`.
    End(usize, bool),
    /// The call behind the END of a level.
    Behind(usize),
    /// `!$omp barrier` in place of an implicit one, with its calls; the kind is that of the word
    /// that POMP2 wants there.
    Barrier(char),
}

impl Piece {
    pub(super) fn is_end(self) -> bool {
        matches!(self, Self::End(..))
    }
}

impl Rewriter<'_> {
    /// Everything that ends this construct.
    pub(super) fn closing(&self, site: &Site, plan: &Plan) -> Vec<Piece> {
        if plan.whole {
            let behind = (0..plan.levels.len()).rev().map(Piece::Behind);
            return std::iter::once(Piece::End(0, false)).chain(behind).collect();
        }
        let mut pieces = Vec::with_capacity(4 * plan.levels.len());
        for (index, level) in plan.levels.iter().enumerate().rev() {
            let barrier = plan.barrier && index + 1 == plan.levels.len();
            let explicit = self.facts.options.end_barrier && level.level == Level::Parallel;
            if explicit && level.events && !plan.barrier && !site.cancelled {
                pieces.push(Piece::Barrier('p'));
            }
            pieces.extend([Piece::Inside(index), Piece::End(index, barrier)]);
            if barrier {
                pieces.push(Piece::Barrier('o'));
            }
            pieces.push(Piece::Behind(index));
        }
        pieces
    }

    /// Writes pieces as lines.
    pub(super) fn write_pieces(&mut self, site: &Site, plan: &Plan, pieces: &[Piece]) {
        let to = Target::new(site, plan.number);
        let name = &self.facts.parsed[site.directive].name;
        for &piece in pieces {
            match piece {
                Piece::Inside(level) => self.end(to, &plan.levels[level]),
                Piece::End(level, nowait) => {
                    let words = if plan.whole { name } else { plan.levels[level].words(name) };
                    let nowait = if nowait { " nowait" } else { "" };
                    self.writer.directive(self.edits.text(), &["end ", words, nowait]);
                }
                Piece::Behind(level) => self.exit(to, &plan.levels[level]),
                Piece::Barrier(kind) => self.explicit_barrier(to, kind),
            }
        }
    }

    fn explicit_barrier(&mut self, to: Target, kind: char) {
        for what in ["enter", "exit"] {
            match self.names.abi {
                Abi::Pomp => self.call(to, ("Barrier", what), &[], &[]),
                Abi::Pomp2 => self.implicit_pomp2(to, what, kind),
            }
            if what == "enter" {
                self.writer.directive(self.edits.text(), &["barrier"]);
            }
        }
    }
}
