//! Makes a call tree smaller: looks at one part of it only, or at less detail.

use std::collections::HashSet;

use pompeii_cubex::{CallPathId, DataType, Id, Report, Result, Tree};

use crate::outcome::{Operand, Operation, Origin, Outcome};
use crate::rows::Rows;
use crate::select::{Pattern, choose_call_paths};

/// What to cut.
#[derive(Clone, Debug, Default)]
pub struct CutOptions {
    /// These call paths become the roots, and all that is not below one of them is gone. Of several
    /// on one path, the outermost counts. None: the roots stay.
    pub roots: Vec<Pattern>,
    /// These call paths and all below them are gone; their values become exclusive values of their
    /// parents.
    pub prune: Vec<Pattern>,
    /// All below these call paths is gone; its values become exclusive values of these.
    pub leaves: Vec<Pattern>,
}

/// Cuts the call tree of a report. No value is lost below the roots: sums over the tree stay what
/// they were, except for simple metrics, whose values do not sum, and for roots that are pruned.
///
/// # Errors
/// A pattern that fits no call path.
pub fn cut<'a>(rows: &'a dyn Rows, options: &CutOptions) -> Result<Outcome<'a>> {
    let report = rows.report();
    let tree = &report.call_paths;
    let chosen = choose_call_paths(report, &options.roots, "make a root")?;
    let prune = choose_call_paths(report, &options.prune, "prune")?;
    let leaves = choose_call_paths(report, &options.leaves, "make a leaf")?;
    let roots = if chosen.is_empty() { tree.roots().to_vec() } else { outermost(report, &chosen) };
    let mut cutter = Cutter { report, prune, leaves, tree: Tree::default(), origins: Vec::new() };
    let mut notes = Vec::new();
    for root in roots {
        if cutter.prune.contains(&root) {
            let region = &report.regions[tree[root].region].name;
            notes.push(format!("`{region}` is a root: what it contains is gone"));
        } else {
            cutter.grow(root);
        }
    }
    let absorbs = cutter.origins.iter().any(|origin| !origin.absorbed.is_empty());
    let mut cut = report.clone();
    cut.call_paths = cutter.tree;
    if absorbs {
        widen(&mut cut);
    }
    let mut outcome = of_one(rows, cut);
    outcome.operands[0].call_paths = cutter.origins.into_iter().map(Some).collect();
    outcome.notes = notes;
    Ok(outcome)
}

fn outermost(report: &Report, chosen: &HashSet<CallPathId>) -> Vec<CallPathId> {
    let mut found = Vec::new();
    let mut open: Vec<CallPathId> = report.call_paths.roots().iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        if chosen.contains(&id) {
            found.push(id);
        } else {
            open.extend(report.call_paths.children(id).iter().rev());
        }
    }
    found
}

/// The new tree while it grows.
struct Cutter<'r> {
    report: &'r Report,
    prune: HashSet<CallPathId>,
    leaves: HashSet<CallPathId>,
    tree: Tree<CallPathId, pompeii_cubex::CallPath>,
    /// By new call path.
    origins: Vec<Origin>,
}

impl Cutter<'_> {
    fn grow(&mut self, root: CallPathId) {
        // Each with its new parent, or with the call path that takes its values.
        let mut open: Vec<(CallPathId, Option<CallPathId>)> = vec![(root, None)];
        while let Some((id, parent)) = open.pop() {
            let new = self.tree.push(parent, self.report.call_paths[id].clone());
            self.origins.push(Origin { itself: id, absorbed: Vec::new() });
            for &child in self.report.call_paths.children(id).iter().rev() {
                if self.leaves.contains(&id) || self.prune.contains(&child) {
                    self.absorb(new, child);
                } else {
                    open.push((child, Some(new)));
                }
            }
        }
    }

    fn absorb(&mut self, by: CallPathId, subtree: CallPathId) {
        let mut open = vec![subtree];
        while let Some(id) = open.pop() {
            self.origins[by.index()].absorbed.push(id);
            open.extend(self.report.call_paths.children(id));
        }
    }
}

/// Sums of small integers need more room.
pub(crate) fn widen(report: &mut Report) {
    for metric in report.metrics.ids() {
        let data_type = &mut report.metrics[metric].data_type;
        match data_type {
            DataType::Int8 | DataType::Int16 | DataType::Int32 => *data_type = DataType::Int64,
            DataType::Uint8 | DataType::Uint16 | DataType::Uint32 => *data_type = DataType::Uint64,
            _ => {}
        }
    }
}

/// A result that takes all from one report; the caller changes what differs.
pub(crate) fn of_one(rows: &dyn Rows, report: Report) -> Outcome<'_> {
    let own = rows.report();
    let origin = |itself| Some(Origin { itself, absorbed: Vec::new() });
    let operand = Operand {
        rows,
        metrics: own.metrics.ids().map(Some).collect(),
        call_paths: own.call_paths.ids().map(origin).collect(),
        columns: own.locations().map(Some).collect(),
    };
    Outcome {
        report,
        operands: vec![operand],
        operation: Operation::First,
        notes: Vec::new(),
        files: rows.files().into_iter().map(|name| (0, name)).collect(),
    }
}
