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
use crate::engine::record::{LAST, Moment, What};
use crate::engine::records::Window;
use crate::matchers::all::Matchers;
use crate::outcome::Joins;
use crate::table::Tables;
use crate::transport::dealt::Dealt;
use crate::within::Within;

/// Takes windows, and gives what its matchers find to all that take it.
pub(crate) struct Matching<'a> {
    definitions: &'a Definitions,
    matchers: Matchers,
    levels: Levels,
    takers: Takers<'a>,
    /// Other ranks match the records of their own locations.
    dealt: Option<Arc<Dealt>>,
}

/// What takes compounds.
struct Takers<'a> {
    joins: Joins,
    front: Option<Front>,
    tables: Option<Tables<'a>>,
    /// `None` if compounds are found for tables only.
    found: Option<&'a mut (dyn FnMut(Compound) + Send)>,
    /// What is counted, if that is not all.
    within: Option<Within>,
}

impl Takers<'_> {
    /// Takes a compound that was found at a record.
    fn take(&mut self, moment: Moment, compound: Compound) {
        let counted = match self.within {
            Some(within) => within.compound(compound),
            None => Some(compound),
        };
        let Some(compound) = counted else { return };
        self.joins.note(&compound);
        if let Some(front) = &mut self.front {
            front.note(moment, &compound);
        }
        if let Some(tables) = &mut self.tables {
            tables.note(&compound);
        }
        if let Some(found) = &mut self.found {
            found(compound);
        }
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
        let mut matchers = Matchers::new(options.only_tables());
        if options.task_steps {
            matchers.tell_steps();
        }
        let front = options.path.then(|| Front::new(definitions));
        let found = options.compounds.then_some(found);
        let takers =
            Takers { joins: Joins::default(), front, tables, found, within: options.within };
        Matching { definitions, matchers, levels: Levels::default(), takers, dealt: None }
    }

    /// Several ranks match the records of their own locations.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.matchers.share(dealt);
        if let Some(front) = &mut self.takers.front {
            front.share(dealt);
        }
        self.dealt = Some(dealt.clone());
    }

    /// What other ranks must know.
    pub(crate) fn send(&mut self, mail: &mut Mail) {
        self.matchers.send(mail);
        if let Some(front) = &mut self.takers.front {
            front.send(mail);
        }
    }

    /// Takes what another rank has sent.
    pub(crate) fn receive(&mut self, letters: &Letters) {
        let Matching { definitions, matchers, takers, .. } = self;
        if let Some(front) = &mut takers.front {
            letters.waits.iter().for_each(|(wait, found)| front.note_wait(*wait, *found));
        }
        matchers.receive(definitions, letters, &mut |moment, compound| {
            takers.take(moment, compound);
        });
    }

    /// Takes the next window. Returns the records that have all their waits now, if the causes of
    /// waiting are wanted.
    pub(crate) fn take(&mut self, mut window: Window) -> Given {
        let Matching { definitions, matchers, levels, takers, dealt } = self;
        for record in &window.records {
            if let What::Level(level) = &record.what
                && dealt.as_ref().is_none_or(|dealt| dealt.of_number(level.scope) == dealt.rank)
            {
                levels.record(&definitions.counters, record);
            }
            matchers.record(definitions, record, &mut |compound| {
                takers.take(record.moment(), compound);
            });
            if let Some(front) = &mut takers.front {
                front.next();
            }
        }
        if let Some(tables) = &mut takers.tables {
            tables.window(std::mem::take(&mut window.batches));
        }
        let Some(front) = &mut takers.front else { return Given::default() };
        let mut open = Open::default();
        matchers.open(&mut open);
        open.sort();
        front.take(window, open)
    }

    /// The record before which all records have been given, if some are kept.
    pub(crate) fn upto(&self) -> Option<(u64, LocationId)> {
        self.takers.front.as_ref()?.upto()
    }

    /// The trace ends. Returns the records that are still kept, too.
    pub(crate) fn end(self) -> (Joins, u64, Amounts, Option<Front>) {
        let Matching { definitions, mut matchers, levels, mut takers, .. } = self;
        let incomplete = matchers.end(definitions, &mut |compound| takers.take(LAST, compound));
        if let Some(tables) = &mut takers.tables {
            tables.window(Vec::new());
        }
        (takers.joins, incomplete, levels.amounts(), takers.front)
    }
}
