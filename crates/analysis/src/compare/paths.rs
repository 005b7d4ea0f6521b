//! The call paths of several runs in one tree. Call paths are the same if their regions have the
//! same construct or name, function and file. Lines move when a program is edited, so of several
//! such call paths below one caller those with the same line are the same, and then those that
//! follow each other in the same order.

use std::collections::{HashMap, HashSet, VecDeque};

use pompeii_model::{CallId, Cube, IndexVec, Role};

use crate::profile::is_task_root;

/// What a call path is known by among those of its caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    role: Role,
    name: String,
    function: String,
    file: String,
}

impl Key {
    fn new(cube: &Cube, call: CallId) -> Self {
        let region = &cube.regions[cube.calls.region(call)];
        let own = Self {
            role: region.role,
            name: region.construct().to_owned(),
            function: region.function().unwrap_or_default().to_owned(),
            file: region.file_name().to_owned(),
        };
        // A root has the name of the program, which is that of a file.
        match cube.calls.parent(call).is_none() && !is_task_root(cube, call) {
            true => Self {
                role: Role::Artificial,
                name: String::new(),
                function: String::new(),
                file: String::new(),
            },
            false => own,
        }
    }
}

/// The key of a call path, and the line of its region.
fn key(cube: &Cube, call: CallId) -> (Key, u32) {
    (Key::new(cube, call), cube.regions[cube.calls.region(call)].begin_line)
}

/// A call path of one or several runs.
pub(crate) struct Path {
    /// The one without its last region.
    pub parent: Option<usize>,
    /// The region, as reports name it, of the last run that has the call path.
    pub label: String,
    key: Key,
    /// Of the last run that has it.
    line: u32,
}

/// The call paths of several runs.
#[derive(Default)]
pub(crate) struct Paths {
    /// All of them; parents come before their children.
    pub all: Vec<Path>,
    /// The call paths of each caller.
    below: HashMap<Option<usize>, Vec<usize>>,
}

impl Paths {
    /// Adds the call paths of a run, and says where each of them is.
    pub fn add(&mut self, cube: &Cube) -> IndexVec<CallId, usize> {
        let mut found: IndexVec<CallId, usize> = cube.calls.ids().map(|_| 0).collect();
        let mut open: Vec<Option<CallId>> = vec![None];
        while let Some(caller) = open.pop() {
            let children = match caller {
                Some(caller) => cube.calls.children(caller),
                None => cube.calls.roots(),
            };
            let parent = caller.map(|caller| found[caller]);
            let keys: Vec<(Key, u32)> = children.iter().map(|&child| key(cube, child)).collect();
            let known = self.known(parent, &keys);
            for ((&child, (key, line)), known) in children.iter().zip(keys).zip(known) {
                let at = known.unwrap_or_else(|| self.push(parent, key));
                let label = cube.regions[cube.calls.region(child)].label();
                (self.all[at].label, self.all[at].line) = (label, line);
                found[child] = at;
            }
            open.extend(children.iter().rev().map(|&child| Some(child)));
        }
        found
    }

    /// For each of the call paths that a run has below one caller the known one, if there is one.
    /// Every call path is looked at a few times only, since there may be thousands with one key.
    fn known(&self, parent: Option<usize>, keys: &[(Key, u32)]) -> Vec<Option<usize>> {
        let mut by_line: HashMap<(&Key, u32), VecDeque<usize>> = HashMap::new();
        let mut by_key: HashMap<&Key, VecDeque<usize>> = HashMap::new();
        for &at in self.below.get(&parent).into_iter().flatten() {
            let path = &self.all[at];
            by_line.entry((&path.key, path.line)).or_default().push_back(at);
            by_key.entry(&path.key).or_default().push_back(at);
        }
        let mut taken: HashSet<usize> = HashSet::new();
        let mut known: Vec<Option<usize>> = Vec::with_capacity(keys.len());
        for (key, line) in keys {
            let at = by_line.get_mut(&(key, *line)).and_then(VecDeque::pop_front);
            taken.extend(at);
            known.push(at);
        }
        for (place, (key, _)) in known.iter_mut().zip(keys).filter(|(place, _)| place.is_none()) {
            let Some(queue) = by_key.get_mut(key) else { continue };
            while let Some(at) = queue.pop_front() {
                if taken.insert(at) {
                    *place = Some(at);
                    break;
                }
            }
        }
        known
    }

    fn push(&mut self, parent: Option<usize>, key: Key) -> usize {
        let at = self.all.len();
        self.all.push(Path { parent, label: String::new(), key, line: 0 });
        self.below.entry(parent).or_default().push(at);
        at
    }

    /// The names from the root to a call path.
    pub fn names(&self, at: usize) -> Vec<String> {
        let above = std::iter::successors(Some(at), |&at| self.all[at].parent);
        let mut names: Vec<String> = above.map(|at| self.all[at].label.clone()).collect();
        names.reverse();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &[&str]) {
        let mut paths = Paths::default();
        for text in texts {
            paths.add(&crate::notation::cube(text).unwrap());
        }
        let shown: Vec<String> = (0..paths.all.len()).map(|at| paths.names(at).join("/")).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn lines_may_move_and_the_program_may_have_another_name() {
        check(
            &[
                "wall=9\n old  0  time=1\n old/solve@a.c:2/for@a.c:5  0  time=1",
                "wall=9\n new  0  time=1\n new/solve@a.c:3/for@a.c:7  0  time=1",
            ],
            &["new", "new/solve", "new/solve/for a.c:7"],
        );
    }

    #[test]
    fn equal_lines_come_before_the_order() {
        check(
            &[
                "wall=9\n a/for@a.c:5  0  time=1\n a/for@a.c:9  0  time=1",
                "wall=9\n a/for@a.c:9  0  time=1\n a/for@a.c:12  0  time=1",
            ],
            &["a", "a/for a.c:12", "a/for a.c:9"],
        );
    }

    #[test]
    fn new_call_paths_are_added() {
        check(
            &[
                "wall=9\n a/for@a.c:5  0  time=1",
                "wall=9\n a/for@b.c:5  0  time=1\n TASKS/task@a.c:3  0  time=1",
            ],
            &["a", "a/for a.c:5", "TASKS", "a/for b.c:5", "TASKS/task a.c:3"],
        );
    }
}
