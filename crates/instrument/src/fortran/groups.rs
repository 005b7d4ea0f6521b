//! Preprocessor groups: which `#endif` an `#else` belongs to, found once for a whole text, because
//! every statement in front of an `#else` may want to know what comes behind its alternatives.

use std::collections::HashMap;

/// What a preprocessor line does to the branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cpp {
    /// `#if`, `#ifdef`, `#ifndef`; true for a literal `#if 0`.
    If(bool),
    /// `#else`, `#elif`.
    Else,
    /// `#endif`.
    Endif,
    /// `#include`.
    Include,
    /// Anything else.
    Other,
}

/// Groups and constructs nested deeper than this are refused: nobody writes them.
pub(super) const DEPTH_MAX: usize = 256;

/// The `#endif` of each `#else` and `#elif`; both are indices of whatever the lines are part of.
#[derive(Debug, Default)]
pub(super) struct Groups {
    ends: HashMap<usize, usize>,
}

impl Groups {
    /// Matches preprocessor lines, given each with its index.
    pub fn new(lines: impl Iterator<Item = (usize, Cpp)>) -> Groups {
        let mut groups = Groups::default();
        let mut open: Vec<Vec<usize>> = Vec::new();
        for (index, cpp) in lines {
            match cpp {
                Cpp::If(_) => open.push(Vec::new()),
                Cpp::Else => open.last_mut().into_iter().for_each(|group| group.push(index)),
                Cpp::Endif => {
                    let turns = open.pop().unwrap_or_default();
                    groups.ends.extend(turns.into_iter().map(|turn| (turn, index)));
                }
                Cpp::Include | Cpp::Other => {}
            }
        }
        groups
    }

    /// The `#endif` of the `#else` or `#elif` with this index; `None` if it is no such line, or if
    /// its group never ends.
    pub fn end_of(&self, turn: usize) -> Option<usize> {
        self.ends.get(&turn).copied()
    }
}
