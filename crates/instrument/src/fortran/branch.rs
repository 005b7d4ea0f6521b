//! Preprocessor branches: what is open behind an `#endif`.

use super::directive::Parsed;
use super::nest::Entry;
use super::scan::Cpp;
use super::site::Site;
use std::rc::Rc;

/// The open `#if`s.
#[derive(Debug, Default)]
pub(super) struct Branches {
    open: Vec<Branch>,
    seen: bool,
}

#[derive(Debug)]
struct Branch {
    /// The nesting in front of the `#if`.
    base: Vec<Entry>,
    /// The nesting at the end of each branch that is finished.
    ends: Vec<Vec<Entry>>,
    /// The current branch can never be compiled.
    dead: bool,
    /// There is an `#else`, or a last `#elif` that we take for one.
    complete: bool,
}

impl Branches {
    /// Whether there was any `#if`.
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// How many `#if`s are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the current lines are inside an `#if 0`.
    pub fn is_dead(&self) -> bool {
        self.open.iter().any(|branch| branch.dead)
    }

    /// Follows one preprocessor line.
    pub fn line(
        &mut self,
        cpp: Cpp,
        stack: &mut Vec<Entry>,
        sites: &mut [Site],
        parsed: &[Rc<Parsed>],
    ) {
        match cpp {
            Cpp::If(zero) => {
                self.seen = true;
                let base = stack.clone();
                self.open.push(Branch { base, ends: Vec::new(), dead: zero, complete: false });
            }
            Cpp::Else => {
                let Some(branch) = self.open.last_mut() else { return };
                branch.end(stack);
                branch.dead = false;
                branch.complete = true;
                stack.clone_from(&branch.base);
            }
            Cpp::Endif => {
                let Some(mut branch) = self.open.pop() else { return };
                branch.end(stack);
                if !branch.complete {
                    branch.ends.push(branch.base.clone());
                }
                *stack = join(&branch, sites, parsed);
            }
            Cpp::Include | Cpp::Other => {}
        }
    }
}

impl Branch {
    fn end(&mut self, stack: &[Entry]) {
        if !self.dead {
            self.ends.push(stack.to_vec());
        }
    }
}

/// The directives that are open in `stack`.
fn constructs(stack: &[Entry]) -> Vec<usize> {
    let sites = stack.iter().filter_map(|entry| match entry {
        Entry::Omp(site, _) => Some(*site),
        _ => None,
    });
    sites.collect()
}

/// Chooses the branch that goes on, and ties the alternatives to it.
fn join(branch: &Branch, sites: &mut [Site], parsed: &[Rc<Parsed>]) -> Vec<Entry> {
    let before = constructs(&branch.base);
    let count = |stack: &Vec<Entry>| constructs(stack).len();
    let closing = branch.ends.iter().find(|stack| count(stack) < before.len());
    // `max_by_key` takes the last of equal ones, and the first branch shall win.
    let opening = branch.ends.iter().rev().max_by_key(|stack| count(stack));
    let Some(chosen) = closing.or(opening) else { return branch.base.clone() };
    let opened = new_ones(&before, chosen);
    for other in &branch.ends {
        let others = new_ones(&before, other);
        if others == opened {
            continue;
        }
        let name = |site: &usize| {
            let parsed = &parsed[sites[*site].directive];
            (parsed.name.as_str(), parsed.end_name())
        };
        let alike = others.iter().map(name).eq(opened.iter().map(name));
        for (index, site) in opened.iter().enumerate() {
            match others.get(index) {
                Some(other) if alike && other > site => sites[*other].alias = Some(*site),
                Some(other) => {
                    let reason = "preprocessor branches open different constructs";
                    sites[*other].blocked = Some(reason);
                    sites[*site].blocked = Some(reason);
                }
                None => sites[*site].conditional = true,
            }
        }
    }
    chosen.clone()
}

fn new_ones(before: &[usize], stack: &[Entry]) -> Vec<usize> {
    // Both are in the order of the text, which is that of the numbers.
    constructs(stack).into_iter().filter(|site| before.binary_search(site).is_err()).collect()
}
