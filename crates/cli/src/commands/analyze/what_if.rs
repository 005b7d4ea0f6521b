//! How long the run would take with changes, computed while its trace is analysed.

use std::path::Path;

use pompeii_replay::Outcome;
use pompeii_replay::definitions::Definitions;
use pompeii_replay::scenario::Scenarios;
use pompeii_report::WhatIf;

use crate::analyzed_trace::JSON_FILE;
use crate::commands::whatif;
use crate::commands::whatif::plan::Plan;

/// Lines of the summary about regions that are faster.
const SHOWN: usize = 5;

/// Scenarios while the trace is read.
pub(super) struct Played {
    plan: Plan,
    pub(super) scenarios: Scenarios,
}

impl Played {
    /// Those of a trace with a profile next to it, which says which regions are the costliest.
    pub(super) fn of_profile(definitions: &Definitions, anchor: &Path) -> Option<Played> {
        let plan = whatif::plan_of_profile(definitions, anchor)?;
        let scenarios = Scenarios::new(plan.scenarios());
        Some(Played { plan, scenarios })
    }

    pub(super) fn result(&self, outcome: &Outcome) -> WhatIf {
        let (recorded, ticks) = self.scenarios.durations(&outcome.definitions);
        self.plan.result(outcome, (recorded, &ticks))
    }
}

/// What is printed about it.
pub(super) fn lines(what_if: &WhatIf) -> String {
    let table = what_if.table((SHOWN, JSON_FILE), &pompeii_report::Options::default());
    format!("\n{table}{}", what_if.changes_text())
}
