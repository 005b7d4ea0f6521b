//! The call paths of several runs in one tree. Call paths are the same if their regions have the
//! same construct or name, function and file. Lines move when a program is edited, so of several
//! such call paths below one caller those with the same line are the same, and then those that
//! follow each other in the same order.

use std::collections::HashMap;

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

/// A call path of one or several runs.
pub(crate) struct Path {
    /// The one without its last region.
    pub parent: Option<usize>,
    /// The region, as reports name it, of the last run that has the call path.
    pub label: String,
    line: u32,
    /// The last run that has it.
    run: Option<usize>,
}

/// The call paths of several runs.
#[derive(Default)]
pub(crate) struct Paths {
    /// All of them; parents come before their children.
    pub all: Vec<Path>,
    below: HashMap<(Option<usize>, Key), Vec<usize>>,
    runs: usize,
}

impl Paths {
    /// Adds the call paths of a run, and says where each of them is.
    pub fn add(&mut self, cube: &Cube) -> IndexVec<CallId, usize> {
        let run = self.runs;
        self.runs += 1;
        let mut found: IndexVec<CallId, Option<usize>> = cube.calls.ids().map(|_| None).collect();
        let mut open: Vec<Option<CallId>> = vec![None];
        while let Some(caller) = open.pop() {
            let children = match caller {
                Some(caller) => cube.calls.children(caller),
                None => cube.calls.roots(),
            };
            let parent = caller.and_then(|caller| found[caller]);
            for is_exact in [true, false] {
                for &child in children {
                    if found[child].is_none() {
                        found[child] = self.take(parent, cube, child, (run, is_exact));
                    }
                }
            }
            for &child in children {
                if found[child].is_none() {
                    found[child] = Some(self.push(parent, cube, child, run));
                }
            }
            open.extend(children.iter().rev().map(|&child| Some(child)));
        }
        found.into_iter().map(|path| path.unwrap_or(0)).collect()
    }

    /// A known call path that this run has not taken yet, with the same line if it must be exact.
    fn take(
        &mut self,
        parent: Option<usize>,
        cube: &Cube,
        call: CallId,
        (run, is_exact): (usize, bool),
    ) -> Option<usize> {
        let line = cube.regions[cube.calls.region(call)].begin_line;
        let known = self.below.get(&(parent, Key::new(cube, call)))?;
        let is_free = |&&at: &&usize| {
            let path = &self.all[at];
            path.run != Some(run) && (!is_exact || path.line == line)
        };
        let at = *known.iter().find(is_free)?;
        self.update(at, cube, call, run);
        Some(at)
    }

    fn push(&mut self, parent: Option<usize>, cube: &Cube, call: CallId, run: usize) -> usize {
        let at = self.all.len();
        self.all.push(Path { parent, label: String::new(), line: 0, run: None });
        self.below.entry((parent, Key::new(cube, call))).or_default().push(at);
        self.update(at, cube, call, run);
        at
    }

    fn update(&mut self, at: usize, cube: &Cube, call: CallId, run: usize) {
        let region = &cube.regions[cube.calls.region(call)];
        let path = &mut self.all[at];
        (path.label, path.line, path.run) = (region.label(), region.begin_line, Some(run));
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
