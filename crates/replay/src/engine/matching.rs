//! Stage 2: the records of all locations in their order, given to the matchers. If the causes of
//! waiting are wanted, the records come out again as soon as their waits are known
//! (`engine/front.rs`).

use std::sync::Arc;

use pompeii_model::LocationId;

use crate::compound::Compound;
use crate::counter::levels::{Amounts, Levels};
use crate::definitions::Definitions;
use crate::engine::front::Front;
use crate::engine::given::Given;
use crate::engine::mail::{Letters, Mail};
use crate::engine::open::Open;
use crate::engine::options::Options;
use crate::engine::record::{LAST, Moment, Rec, What};
use crate::engine::records::Window;
use crate::matchers::all::Matchers;
use crate::outcome::Joins;
use crate::table::Tables;
use crate::transport::dealt::Dealt;
use crate::within::Within;

/// Takes windows, and gives compounds to `found`.
pub(crate) struct Matching<'a> {
    definitions: &'a Definitions,
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
    /// Whether compounds are wanted.
    compounds: bool,
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
        definitions: &'a Definitions,
        found: &'a mut (dyn FnMut(Compound) + Send),
        options: Options,
        tables: Option<Tables<'a>>,
    ) -> Matching<'a> {
        let (joins, levels) = (Joins::default(), Levels::default());
        let matchers = Matchers::with_steps(options.task_steps);
        let (front, within) = (options.path.then(|| Front::new(definitions)), options.within);
        let (dealt, compounds) = (None, options.compounds);
        Matching {
            definitions,
            matchers,
            joins,
            levels,
            front,
            tables,
            found,
            dealt,
            within,
            compounds,
        }
    }

    /// Several ranks match the records of their own locations.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.matchers.share(dealt);
        if let Some(front) = &mut self.front {
            front.share(dealt);
        }
        self.dealt = Some(dealt.clone());
    }

    /// What other ranks must know.
    pub(crate) fn send(&mut self, mail: &mut Mail) {
        self.matchers.send(mail);
        if let Some(front) = &mut self.front {
            front.send(mail);
        }
    }

    /// Takes what another rank has sent.
    pub(crate) fn receive(&mut self, letters: &Letters) {
        let Matching { definitions, matchers, joins, front, tables, found, within, .. } = self;
        if let Some(front) = front {
            letters.waits.iter().for_each(|(wait, found)| front.note_wait(*wait, *found));
        }
        matchers.receive(definitions, letters, &mut |moment: Moment, compound: Compound| {
            let Some(compound) = counted(*within, compound) else { return };
            joins.note(&compound);
            if let Some(front) = front {
                front.note(moment, &compound);
            }
            if let Some(tables) = tables {
                tables.note(&compound);
            }
            found(compound);
        });
    }

    /// Takes the next window. Returns the records that have all their waits now, if the causes of
    /// waiting are wanted.
    pub(crate) fn take(&mut self, mut window: Window) -> Given {
        let Matching { definitions, matchers, joins, levels, front, tables, .. } = self;
        let (found, dealt, within) = (&mut self.found, &self.dealt, self.within);
        let has_scope = |record: &Rec| match (&record.what, dealt) {
            (What::Level(level), Some(dealt)) => dealt.of_number(level.scope) == dealt.rank,
            _ => true,
        };
        let wanted = if self.compounds { &window.records[..] } else { &[] };
        for record in wanted {
            if has_scope(record) {
                levels.record(&definitions.counters, record);
            }
            matchers.record(definitions, record, &mut |compound: Compound| {
                let Some(compound) = counted(within, compound) else { return };
                joins.note(&compound);
                if let Some(front) = front {
                    front.note(record.moment(), &compound);
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
        let Some(front) = front else { return Given::default() };
        let mut open = Open::default();
        matchers.open(&mut open);
        open.sort();
        front.take(window, open)
    }

    /// The record before which all records have been given, if some are kept.
    pub(crate) fn upto(&self) -> Option<(u64, LocationId)> {
        self.front.as_ref()?.upto()
    }

    /// The trace ends. Returns the records that are still kept, too.
    pub(crate) fn end(self) -> (Joins, u64, Amounts, Option<Front>) {
        let Matching { definitions, mut matchers, mut joins, levels, within, .. } = self;
        let Matching { mut front, mut tables, found, .. } = self;
        let incomplete = matchers.end(definitions, &mut |compound| {
            let Some(compound) = counted(within, compound) else { return };
            joins.note(&compound);
            if let Some(front) = &mut front {
                front.note(LAST, &compound);
            }
            if let Some(tables) = &mut tables {
                tables.note(&compound);
            }
            found(compound);
        });
        if let Some(tables) = &mut tables {
            tables.window(Vec::new());
        }
        (joins, incomplete, levels.amounts(), front)
    }
}
