//! What follows from records and waits in one order: the critical path, the causes of waiting, and
//! what would be in scenarios. They need nothing of each other. Therefore each of them has a thread
//! of its own if the analysis has several: together they take longer than all other work of most
//! traces.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Scope;

use crate::blame::explain::Explanations;
use crate::compound::MpiWait;
use crate::definitions::Definitions;
use crate::engine::given::{AtRecord, Given, Known};
use crate::engine::open::Open;
use crate::engine::record::Rec;
use crate::engine::tree::SharedTree;
use crate::outcome::Causes;
use crate::path::Paths;
use crate::path::jumps::End;
use crate::scenario::Scenarios;
use crate::transport::dealt::Dealt;

/// The critical path, the causes of waiting and the scenarios, while records come.
#[derive(Debug)]
pub(crate) struct Finders<'a> {
    pub(crate) paths: Paths,
    pub(crate) explanations: Explanations,
    /// Only if all locations are on one rank.
    scenarios: Option<&'a mut Scenarios>,
}

/// Gives records to scenarios.
fn play(scenarios: &mut Scenarios, known: (&Definitions, &SharedTree), given: &Given) {
    given.each(|record, profile, waits| {
        let in_call = |(_, known): &(usize, Known)| match known {
            Known::InCall(wait) => Some(*wait),
            Known::Threads(_) | Known::Late(_) => None,
        };
        let waits: Vec<MpiWait> = waits.iter().filter_map(in_call).collect();
        scenarios.record(known, record, (profile, &waits));
    });
    scenarios.forget_begins(&given.needed);
}

/// Takes records to the threads of the finders.
pub(crate) type To = SyncSender<Arc<Given>>;

impl<'a> Finders<'a> {
    /// Before the first record.
    pub(crate) fn new(
        definitions: &Definitions,
        mut scenarios: Option<&'a mut Scenarios>,
    ) -> Finders<'a> {
        if let Some(scenarios) = &mut scenarios {
            scenarios.begin(definitions);
        }
        let paths = Paths::new(definitions.system.locations.len());
        Finders { paths, explanations: Explanations::new(definitions), scenarios }
    }

    /// Takes the next records.
    pub(crate) fn take(&mut self, known: (&Definitions, &SharedTree), given: &Given) {
        self.paths.take(known.0, given);
        self.explanations.take(known, given);
        if let Some(scenarios) = &mut self.scenarios {
            play(scenarios, known, given);
        }
    }

    /// Takes the records that come through the channels, in threads that end with the channels.
    pub(crate) fn start<'scope>(
        &'scope mut self,
        scope: &'scope Scope<'scope, '_>,
        known: (&'scope Definitions, &'scope SharedTree),
    ) -> Vec<To> {
        let Finders { paths, explanations, scenarios } = self;
        // One batch of records may wait: more would only take memory.
        let (to_paths, for_paths) = sync_channel::<Arc<Given>>(1);
        let (to_explanations, for_explanations) = sync_channel::<Arc<Given>>(1);
        let mut all = vec![to_paths, to_explanations];
        scope.spawn(move || for_paths.iter().for_each(|given| paths.take(known.0, &given)));
        scope.spawn(move || {
            for_explanations.iter().for_each(|given| explanations.take(known, &given));
        });
        if let Some(scenarios) = scenarios {
            let (to, records) = sync_channel::<Arc<Given>>(1);
            scope.spawn(move || records.iter().for_each(|given| play(scenarios, known, &given)));
            all.push(to);
        }
        all
    }

    /// Several ranks have the locations of the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.paths.share(dealt);
        self.explanations.share(dealt);
    }

    /// Takes the next record, which is one of this rank.
    pub(crate) fn record(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (profile, known): AtRecord<'_>,
    ) {
        self.paths.record(definitions, record, (profile, known));
        self.explanations.record(definitions, record, (profile, known));
    }

    /// Takes the next record, which is a begin or an end of a call of MPI of another rank.
    pub(crate) fn other_record(&mut self, record: &Rec, known: &[(usize, Known)]) {
        self.paths.other_record(record, known);
        self.explanations.other_record(record, known);
    }

    /// A window is over on all ranks. Later waits may refer to the calls in `needed`.
    pub(crate) fn window_is_over(&mut self, needed: &Open, is_last: bool) {
        self.paths.compact(needed);
        self.explanations.settle(needed);
        if is_last {
            self.explanations.settle_all();
        }
    }

    /// All records of all ranks have come: what this rank has of the path and of the causes.
    pub(crate) fn end_with_others(self, definitions: &Definitions, last: Option<End>) -> Causes {
        let path = last.map(|end| self.paths.part(definitions, end)).unwrap_or_default();
        let blame = self.explanations.result();
        Causes { path, roots: blame.roots().clone(), classes: blame.classes().clone() }
    }

    /// All records have come.
    pub(crate) fn end(self, definitions: &Definitions) -> Causes {
        let Finders { paths, explanations, .. } = self;
        let blame = explanations.result();
        Causes {
            path: paths.result(definitions),
            roots: blame.roots().clone(),
            classes: blame.classes().clone(),
        }
    }
}
