//! Stage 2: the records of all locations in their order, given to the matchers and, if the causes
//! of waiting are wanted, to what finds them (`engine/front.rs`).

use std::sync::Arc;

use crate::compound::Compound;
use crate::counter::{Amounts, Levels};
use crate::definitions::Definitions;
use crate::engine::front::Front;
use crate::engine::mail::{Letters, Mail};
use crate::engine::matcher::Matchers;
use crate::engine::open::Open;
use crate::engine::record::{Rec, What};
use crate::engine::tree::{NodeId, SharedTree};
use crate::engine::window::Options;
use crate::location::Profile;
use crate::outcome::{Causes, Joins};
use crate::table::{Batch, Tables};
use crate::transport::dealt::Dealt;
use crate::within::Within;

/// The records of a window in their order, and the times between them.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) records: Vec<Rec>,
    pub(crate) profile: Profile,
    /// Rows of tables that the locations have made by themselves.
    pub(crate) batches: Vec<Batch>,
}

impl Window {
    /// The times of a location up to a record, since its record before.
    pub(crate) fn profile(&self, record: &Rec) -> &[(NodeId, i64)] {
        let (begin, length) = (record.profile.0 as usize, record.profile.1 as usize);
        self.profile.get(begin..begin + length).unwrap_or_default()
    }
}

/// Takes windows, and gives compounds to `found`.
pub(crate) struct Matching<'a> {
    definitions: &'a Definitions,
    tree: &'a SharedTree,
    matchers: Matchers,
    joins: Joins,
    levels: Levels,
    front: Option<Front>,
    tables: Option<Tables<'a>>,
    found: &'a mut (dyn FnMut(Compound) + Send),
    /// Other ranks match the records of their own locations.
    dealt: Option<Arc<Dealt>>,
    /// What is counted, if that is not all.
    within: Option<Within>,
}

/// The part of a compound that is counted.
fn counted(within: Option<Within>, compound: Compound) -> Option<Compound> {
    match within {
        Some(within) => within.compound(compound),
        None => Some(compound),
    }
}

impl<'a> Matching<'a> {
    /// Before the first window.
    pub(crate) fn new(
        (definitions, tree): (&'a Definitions, &'a SharedTree),
        found: &'a mut (dyn FnMut(Compound) + Send),
        options: Options,
        tables: Option<Tables<'a>>,
    ) -> Matching<'a> {
        let (matchers, joins, levels) = (Matchers::default(), Joins::default(), Levels::default());
        let (front, within) = (options.path.then(|| Front::new(definitions)), options.within);
        Matching {
            definitions,
            tree,
            matchers,
            joins,
            levels,
            front,
            tables,
            found,
            dealt: None,
            within,
        }
    }

    /// Several ranks match the records of their own locations.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.matchers.share(dealt);
        self.dealt = Some(dealt.clone());
    }

    /// What other ranks must know.
    pub(crate) fn send(&mut self, mail: &mut Mail) {
        self.matchers.send(mail);
    }

    /// Takes what another rank has sent.
    pub(crate) fn receive(&mut self, letters: &Letters) {
        let Matching { definitions, matchers, joins, tables, found, within, .. } = self;
        matchers.receive(definitions, letters, &mut |compound: Compound| {
            let Some(compound) = counted(*within, compound) else { return };
            joins.note(&compound);
            if let Some(tables) = tables {
                tables.note(&compound);
            }
            found(compound);
        });
    }

    /// Takes the next window.
    pub(crate) fn take(&mut self, mut window: Window) {
        let Matching { definitions, tree, matchers, joins, levels, front, tables, .. } = self;
        let (found, dealt, within) = (&mut self.found, &self.dealt, self.within);
        let has_scope = |record: &Rec| match (&record.what, dealt) {
            (What::Level(level), Some(dealt)) => dealt.of_number(level.scope) == dealt.rank,
            _ => true,
        };
        for record in &window.records {
            if has_scope(record) {
                levels.record(&definitions.counters, record);
            }
            matchers.record(definitions, record, &mut |compound: Compound| {
                let Some(compound) = counted(within, compound) else { return };
                joins.note(&compound);
                if let Some(front) = front {
                    front.note(&compound);
                }
                if let Some(tables) = tables {
                    tables.note(&compound);
                }
                found(compound);
            });
            if let Some(front) = front {
                front.next();
            }
        }
        if let Some(tables) = tables {
            tables.window(std::mem::take(&mut window.batches));
        }
        if let Some(front) = front {
            let mut open = Open::default();
            matchers.open(&mut open);
            open.sort();
            front.take((definitions, tree), window, &open);
        }
    }

    /// The trace ends.
    pub(crate) fn end(self) -> (Joins, u64, Causes, Amounts) {
        let Matching { definitions, mut matchers, mut joins, levels, within, .. } = self;
        let Matching { mut front, mut tables, found, .. } = self;
        let incomplete = matchers.end(definitions, &mut |compound| {
            let Some(compound) = counted(within, compound) else { return };
            joins.note(&compound);
            if let Some(front) = &mut front {
                front.note(&compound);
            }
            if let Some(tables) = &mut tables {
                tables.note(&compound);
            }
            found(compound);
        });
        if let Some(tables) = &mut tables {
            tables.window(Vec::new());
        }
        let causes = front.map(|front| front.end(definitions)).unwrap_or_default();
        (joins, incomplete, causes, levels.amounts())
    }
}
