//! All timers of a profile by their names, and the call tree that they make.
//!
//! A timer with ` => ` in its name is a call path. Each other timer is the sum over all call paths
//! that end in it; the value that these do not have is its own, as a callee of the program's timer.
//! TAU may keep only the last steps of each call path (`TAU_CALLPATH_DEPTH`). A path whose first
//! steps are unknown is below the timer of the program, too.

use std::collections::HashMap;

use pompeii_model::{CallId, CallTree, IndexVec, Region, RegionId};

use super::super::timers::APPLICATION;
use super::names::region;

/// Between two steps of a call path.
const STEP: &str = "=>";

/// Timers and their steps by number.
#[derive(Debug, Default)]
pub struct Timers {
    known: HashMap<String, usize>,
    /// The steps of each timer, the outermost one first.
    steps: Vec<Vec<usize>>,
    known_steps: HashMap<String, usize>,
    names: Vec<String>,
}

impl Timers {
    /// The number of the timer with this name.
    pub fn number(&mut self, name: &str) -> usize {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let steps = name.split(STEP).map(str::trim).map(|step| self.step(step)).collect();
        self.steps.push(steps);
        let number = self.steps.len() - 1;
        self.known.insert(name.to_owned(), number);
        number
    }

    /// How many timers there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    fn step(&mut self, name: &str) -> usize {
        if let Some(known) = self.known_steps.get(name) {
            return *known;
        }
        self.names.push(name.to_owned());
        let number = self.names.len() - 1;
        self.known_steps.insert(name.to_owned(), number);
        number
    }

    /// The step that a timer ends in.
    pub fn leaf(&self, timer: usize) -> usize {
        self.steps[timer].last().copied().unwrap_or(0)
    }

    /// Whether a timer is a call path of several steps.
    pub fn is_path(&self, timer: usize) -> bool {
        self.steps[timer].len() > 1
    }

    /// The name of a step.
    pub fn name(&self, step: usize) -> &str {
        &self.names[step]
    }

    /// The timer `.TAU application`, if there is one.
    fn application(&self) -> Option<usize> {
        self.known_steps.get(APPLICATION).copied()
    }
}

/// The call paths of timers.
#[derive(Debug)]
pub struct Tree {
    /// Regions.
    pub regions: IndexVec<RegionId, Region>,
    /// Call paths.
    pub calls: CallTree,
    /// By timer; none for those that have no value, or that are left out.
    pub of: Vec<Option<CallId>>,
}

impl Tree {
    /// Makes a tree of the timers that have values. `largest` is the timer with the largest
    /// inclusive time of the first thread: the program, if no timer is called so. `has_time` says
    /// which timers have time.
    pub fn new(timers: &Timers, used: &[bool], has_time: &[bool], largest: usize) -> Tree {
        let root = timers.application().unwrap_or_else(|| timers.leaf(largest));
        let begins = |timer: &usize| timers.steps[*timer].first() == Some(&root);
        let mut order: Vec<usize> = (0..timers.steps.len()).filter(|it| used[*it]).collect();
        // A timer of the program that has no time itself stands for the thread as a whole, as in
        // the profiles that Pompeii writes. Then the program is what it calls.
        let is_whole = timers.application().is_some()
            && order.iter().all(begins)
            && order.iter().any(|it| timers.is_path(*it))
            && !order.iter().any(|it| !timers.is_path(*it) && has_time[*it]);
        if is_whole {
            order.retain(|it| timers.is_path(*it));
        }
        // The first root is that of the program.
        let second = timers.known_steps.get(super::TASKS);
        order.sort_by_key(|it| second.is_some_and(|tasks| timers.steps[*it].get(1) == Some(tasks)));
        let mut tree = Tree {
            regions: timers.names.iter().map(|name| region(name)).collect(),
            calls: CallTree::default(),
            of: vec![None; timers.steps.len()],
        };
        for timer in order {
            let steps = &timers.steps[timer];
            let inserted = (!begins(&timer)).then_some(&root);
            let path = inserted.into_iter().chain(steps).skip(usize::from(is_whole));
            tree.of[timer] = tree.call(path.copied());
        }
        tree
    }

    /// The call path of these steps, which is made if it is new.
    fn call(&mut self, path: impl Iterator<Item = usize>) -> Option<CallId> {
        path.fold(None, |around, step| {
            let region = RegionId(u32::try_from(step).ok()?);
            Some(match around {
                None => self.calls.root_of(region),
                Some(around) => self.calls.child(around, region),
            })
        })
    }
}
