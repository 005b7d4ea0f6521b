//! The end of a construct: calls, END directives and barriers from the innermost level outwards.

use super::events::Target;
use super::plan::{LevelPlan, Plan};
use super::rewrite::Rewriter;
use super::site::Site;
use crate::Abi;
use crate::directives::Level;

/// Something that ends a construct, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Lines of calls.
    Calls(Vec<u8>),
    /// The END directive of a level: its words, whether it gets `nowait`.
    End(String, bool),
    /// `!$omp barrier`.
    Barrier,
}

impl Rewriter<'_> {
    /// Everything that ends this construct.
    pub(super) fn closing(&mut self, site: &Site, plan: &Plan) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if plan.whole {
            pieces.push(Piece::End(self.facts.parsed[site.directive].name.clone(), false));
            self.behind_end(&mut pieces, site, plan, &plan.levels[0], false);
            return pieces;
        }
        for (index, level) in plan.levels.iter().enumerate().rev() {
            let barrier = plan.barrier && index + 1 == plan.levels.len();
            self.before_end(&mut pieces, site, plan, level);
            pieces.push(Piece::End(level.words.clone(), barrier));
            self.behind_end(&mut pieces, site, plan, level, barrier);
        }
        pieces
    }

    /// The last call inside of a level.
    fn before_end(&mut self, out: &mut Vec<Piece>, site: &Site, plan: &Plan, level: &LevelPlan) {
        let mut text = Vec::new();
        let to = Target::new(site, plan.number);
        let explicit = self.facts.options.end_barrier && level.level == Level::Parallel;
        if explicit && level.events && !plan.barrier && !site.cancelled {
            self.explicit_barrier(out, to, 'p');
        }
        self.end(&mut text, to, level);
        out.push(Piece::Calls(text));
    }

    /// What follows the END of a level.
    fn behind_end(
        &mut self,
        out: &mut Vec<Piece>,
        site: &Site,
        plan: &Plan,
        level: &LevelPlan,
        barrier: bool,
    ) {
        let to = Target::new(site, plan.number);
        let mut text = Vec::new();
        if barrier {
            self.explicit_barrier(out, to, 'o');
        }
        self.exit(&mut text, to, level);
        out.push(Piece::Calls(text));
    }

    /// A barrier in place of an implicit one; `kind` is that of the word that POMP2 wants there.
    fn explicit_barrier(&mut self, out: &mut Vec<Piece>, to: Target, kind: char) {
        let mut text = Vec::new();
        for what in ["enter", "exit"] {
            match self.names.abi {
                Abi::Pomp => self.call(&mut text, to, ("Barrier", what), &[], ""),
                Abi::Pomp2 => self.implicit_pomp2(&mut text, to, what, kind),
            }
            out.push(Piece::Calls(std::mem::take(&mut text)));
            if what == "enter" {
                out.push(Piece::Barrier);
            }
        }
    }

    /// Writes pieces as lines.
    pub(super) fn render(&mut self, pieces: &[Piece]) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Calls(text) => out.extend_from_slice(text),
                Piece::Barrier => self.writer.directive(&mut out, "barrier", &[]),
                Piece::End(words, nowait) => {
                    let nowait = if *nowait { " nowait" } else { "" };
                    self.writer.directive(&mut out, &format!("end {words}{nowait}"), &[]);
                }
            }
        }
        out
    }
}
