//! Preprocessor conditionals: the groups `#if ... #elif ... #else ... #endif`, the tree of their
//! branches, and views.
//!
//! A view chooses one branch of every group, as one configuration of the build would. Structure is
//! looked for once per view; what a directive gets is the union. Equal conditions get equal answers
//! within a view, so that an `#ifdef X` that opens a block and the one that closes it agree.
//! `_OPENMP` and `_POMP` are always defined, and `__cplusplus` is what the language says.

use super::scan;
use crate::{Error, LineIndex};
use std::collections::HashMap;
use std::ops::Range;

/// The three kinds of conditional lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    If,
    Else,
    End,
}

impl Turn {
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" | b"ifdef" | b"ifndef" => Self::If,
            b"elif" | b"elifdef" | b"elifndef" | b"else" => Self::Else,
            b"endif" => Self::End,
            _ => return None,
        })
    }
}

/// Groups nested deeper than this are refused: nobody writes them, and each question about a branch
/// is about all that is around it.
pub(super) const DEPTH_MAX: usize = 256;

/// A branch of a group, or the text outside of all groups. Branch 0 is the latter.
pub(super) type Branch = u32;

/// One conditional line.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) start: usize,
    pub(super) turn: Turn,
    /// Token index.
    pub(super) token: usize,
    /// The branch that begins behind this line.
    pub(super) branch: Branch,
    /// Index of the next line of the same group; for the last one its own.
    pub(super) next: u32,
    group: u32,
}

#[derive(Debug)]
struct Node {
    parent: Branch,
    group: u32,
    condition: Condition,
    /// Whether no `#if 0` hides it.
    possible: bool,
}

/// What decides about a branch: an opaque question that may be negated.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    Always,
    Never,
    Asks { question: Question, negated: bool },
}

/// A question by its number in [`Conditions::questions`]: each is asked in every view.
type Question = usize;

/// The questions that have one answer in all views; the last two ask for C++.
const SETTLED: [&str; 4] =
    ["defined _OPENMP", "defined _POMP", "defined __cplusplus", "__cplusplus"];

/// All conditionals of a text.
#[derive(Debug)]
pub(super) struct Conditions {
    pub(super) lines: Vec<Line>,
    /// The numbers of the questions; those of [`SETTLED`] come first.
    questions: HashMap<String, Question>,
    nodes: Vec<Node>,
    /// Branches of each group in order, without an `#else` that is not written.
    groups: Vec<Vec<Branch>>,
    /// Last line of each open group.
    open: Vec<u32>,
}

impl Default for Conditions {
    fn default() -> Self {
        let settled = SETTLED.iter().enumerate();
        Self {
            lines: Vec::new(),
            questions: settled.map(|(number, text)| ((*text).to_owned(), number)).collect(),
            nodes: Vec::new(),
            groups: Vec::new(),
            open: Vec::new(),
        }
    }
}

impl Conditions {
    /// Adds a line; `None` if it needs an open group and there is none.
    pub(super) fn push(
        &mut self,
        text: &[u8],
        turn: Turn,
        start: usize,
        condition: Range<usize>,
        token: usize,
    ) -> Option<u32> {
        if self.nodes.is_empty() {
            let condition = Condition::Always;
            self.nodes.push(Node { parent: 0, group: 0, condition, possible: true });
        }
        let index = self.lines.len() as u32;
        let (group, parent) = match turn {
            Turn::If => {
                self.groups.push(Vec::new());
                (
                    self.groups.len() as u32 - 1,
                    self.open.last().map_or(0, |&line| self.lines[line as usize].branch),
                )
            }
            _ => {
                let last = self.open.pop()?;
                let last = &mut self.lines[last as usize];
                last.next = index;
                (last.group, self.nodes[last.branch as usize].parent)
            }
        };
        let branch = if turn == Turn::End {
            parent
        } else {
            let condition = Condition::read(text, start, condition, &mut self.questions);
            let possible = self.nodes[parent as usize].possible && condition != Condition::Never;
            self.nodes.push(Node { parent, group, condition, possible });
            let branch = self.nodes.len() as Branch - 1;
            self.groups[group as usize].push(branch);
            self.open.push(index);
            branch
        };
        self.lines.push(Line { start, turn, token, branch, next: index, group });
        Some(index)
    }

    /// Checks that every group is closed.
    pub(super) fn finish(&self, text: &[u8], lines: &LineIndex) -> Result<(), Error> {
        let Some(&open) = self.open.last() else { return Ok(()) };
        let at = self.lines[open as usize].start;
        Err(lines.error(text, at, "this conditional is never closed".to_owned(), "#endif"))
    }

    /// The branch that an offset lies in.
    pub(super) fn branch_at(&self, offset: usize) -> Branch {
        let before = self.lines.partition_point(|line| line.start <= offset);
        before.checked_sub(1).map_or(0, |line| self.lines[line].branch)
    }

    /// Whether `inner` is `outer` or lies in it.
    pub(super) fn within(&self, inner: Branch, outer: Branch) -> bool {
        self.path(inner).any(|branch| branch == outer)
    }

    /// Whether no configuration has both: they lie in different branches of one group.
    pub(super) fn exclude(&self, a: Branch, b: Branch) -> bool {
        self.path(a).any(|a| {
            let mut path = self.path(b);
            a != 0
                && path.any(|b| {
                    b != 0 && a != b && self.nodes[a as usize].group == self.nodes[b as usize].group
                })
        })
    }

    /// The branch and everything around it, up to branch 0.
    fn path(&self, branch: Branch) -> impl Iterator<Item = Branch> + '_ {
        std::iter::successors(Some(branch), |&branch| {
            (branch != 0).then(|| self.nodes[branch as usize].parent)
        })
    }

    /// Whether a line is the first one of a group that lies in no other one.
    pub(super) fn begins_group(&self, line: u32) -> bool {
        let line = &self.lines[line as usize];
        line.turn == Turn::If && self.nodes[line.branch as usize].parent == 0
    }

    /// Whether a token lies in no group of those that there are.
    pub(super) fn is_outside(&self, token: usize) -> bool {
        self.last_before(token).map_or(!self.lines.is_empty(), |last| last.branch == 0)
    }

    /// Whether there are conditionals among these tokens.
    pub(super) fn any(&self, tokens: Range<usize>) -> bool {
        self.last_before(tokens.end).is_some_and(|last| last.token >= tokens.start)
    }

    /// The last line in front of a token.
    fn last_before(&self, token: usize) -> Option<&Line> {
        let before = self.lines.partition_point(|line| line.token < token);
        before.checked_sub(1).map(|line| &self.lines[line])
    }

    /// The branches that begin at the lines between two tokens, outside of all groups.
    pub(super) fn branches(&self, tokens: Range<usize>) -> Range<Branch> {
        // Branches are numbered in the order of the text, and there `branch` is a new one.
        let first = |token: usize| {
            let line = self.lines.partition_point(|line| line.token < token);
            self.lines.get(line).map_or(self.nodes.len() as Branch, |line| line.branch)
        };
        first(tokens.start)..first(tokens.end)
    }

    /// Views that together show every branch that any configuration can have, as far as the limit
    /// allows. At least one.
    pub(super) fn views(&self, cxx: bool) -> Vec<View> {
        let longest = self.groups.iter().map(Vec::len).max().unwrap_or(0);
        let mut views: Vec<View> = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        for preferred in 0..=longest.min(VIEWS_MAX) {
            self.add_view(View::new(self, cxx, preferred, &[]), &mut views, &mut seen);
        }
        let mut tries = 0;
        for branch in 1..self.nodes.len() {
            if !seen[branch] && tries < VIEWS_MAX && self.nodes[branch].possible {
                tries += 1;
                let wanted = self.answers_for(branch as Branch);
                self.add_view(View::new(self, cxx, 0, &wanted), &mut views, &mut seen);
            }
        }
        views
    }

    /// Keeps a view if it shows something new.
    fn add_view(&self, view: View, views: &mut Vec<View>, seen: &mut [bool]) {
        let fresh = (1..self.nodes.len()).any(|branch| view.active[branch] && !seen[branch]);
        let absent = view.skips_a_group && !views.iter().any(|view| view.skips_a_group);
        if !views.is_empty() && !fresh && !absent {
            return;
        }
        for (seen, active) in seen.iter_mut().zip(&view.active) {
            *seen |= active;
        }
        views.push(view);
    }

    /// The answers that make a branch and everything around it active.
    fn answers_for(&self, branch: Branch) -> Vec<(Question, bool)> {
        let mut answers: Vec<(Question, bool)> = Vec::new();
        for branch in self.path(branch).filter(|&branch| branch != 0) {
            for &other in &self.groups[self.nodes[branch as usize].group as usize] {
                if let Condition::Asks { question, negated } = self.nodes[other as usize].condition
                {
                    answers.push((question, (other == branch) != negated));
                }
                if other == branch {
                    break;
                }
            }
        }
        answers
    }
}

/// More views than this are not looked at.
const VIEWS_MAX: usize = 64;

/// One choice of branches.
#[derive(Debug)]
pub(super) struct View {
    active: Vec<bool>,
    /// Whether some group without `#else` shows none of its branches.
    skips_a_group: bool,
}

impl View {
    /// Prefers the branch with this number in every group where the conditions leave a choice.
    fn new(
        conditions: &Conditions,
        cxx: bool,
        preferred: usize,
        wanted: &[(Question, bool)],
    ) -> Self {
        let mut answers = vec![None; conditions.questions.len()];
        answers[..SETTLED.len()].copy_from_slice(&[true, true, cxx, cxx].map(Some));
        for &(question, answer) in wanted {
            answers[question].get_or_insert(answer);
        }
        let mut active = vec![false; conditions.nodes.len().max(1)];
        active[0] = true;
        for group in &conditions.groups {
            if !group
                .first()
                .is_some_and(|&first| active[conditions.nodes[first as usize].parent as usize])
            {
                continue;
            }
            for (number, &branch) in group.iter().enumerate() {
                let holds = match conditions.nodes[branch as usize].condition {
                    Condition::Always => true,
                    Condition::Never => false,
                    Condition::Asks { question, negated } => {
                        let preference = (number == preferred) != negated;
                        *answers[question].get_or_insert(preference) != negated
                    }
                };
                if holds {
                    active[branch as usize] = true;
                    break;
                }
            }
        }
        let skipped = |group: &Vec<Branch>| !group.iter().any(|&branch| active[branch as usize]);
        let skips_a_group = conditions.groups.iter().any(skipped);
        Self { active, skips_a_group }
    }

    /// Whether both show the same of these branches.
    pub(super) fn agrees(&self, other: &Self, branches: &Range<Branch>) -> bool {
        let branches = branches.start as usize..branches.end as usize;
        self.active[branches.clone()] == other.active[branches]
    }

    /// Whether this branch is part of the view.
    pub(super) fn shows(&self, branch: Branch) -> bool {
        self.active[branch as usize]
    }
}

impl Condition {
    fn read(
        text: &[u8],
        hash: usize,
        condition: Range<usize>,
        questions: &mut HashMap<String, Question>,
    ) -> Self {
        let word = String::from_utf8_lossy(&text[hash..condition.start]);
        let word = word.trim_start_matches(['#', '%', ':', ' ', '\t']);
        let plain = plain(&text[condition]);
        match word {
            "else" => Self::Always,
            "ifdef" | "elifdef" => Self::asks(format!("defined {plain}"), false, questions),
            "ifndef" | "elifndef" => Self::asks(format!("defined {plain}"), true, questions),
            _ => Self::expression(&plain, questions),
        }
    }

    fn asks(text: String, negated: bool, questions: &mut HashMap<String, Question>) -> Self {
        let next = questions.len();
        Self::Asks { question: *questions.entry(text).or_insert(next), negated }
    }

    fn expression(text: &str, questions: &mut HashMap<String, Question>) -> Self {
        let (rest, negated) = match text.strip_prefix('!') {
            Some(rest) if is_atom(rest) => (rest, true),
            _ => (text, false),
        };
        match rest {
            "0" => return if negated { Self::Always } else { Self::Never },
            "1" => return if negated { Self::Never } else { Self::Always },
            _ => {}
        }
        let name = rest.strip_prefix("defined").map(|name| name.trim_matches(['(', ')', ' ']));
        match name {
            Some(name) if is_atom(rest) => {
                Self::asks(format!("defined {name}"), negated, questions)
            }
            _ => Self::asks(rest.to_owned(), negated, questions),
        }
    }
}

/// Whether this is a name, or `defined` of a name.
fn is_atom(text: &str) -> bool {
    let name = text.strip_prefix("defined").map_or(text, |name| name.trim_matches(['(', ')', ' ']));
    !name.is_empty() && name.bytes().all(scan::is_ident)
}

/// The text without comments and splices, blanks as single ones only between names.
fn plain(text: &[u8]) -> String {
    let mut output = String::new();
    let mut at = 0;
    while at < text.len() {
        let next = scan::skip_blank(text, at, false);
        if next > at {
            let joins = output.as_bytes().last().is_some_and(|&byte| scan::is_ident(byte));
            if joins && text.get(next).is_some_and(|&byte| scan::is_ident(byte)) {
                output.push(' ');
            }
            at = next;
        } else if text[at..].starts_with(b"//") {
            break;
        } else {
            output.push(text[at] as char);
            at += 1;
        }
    }
    output
}
