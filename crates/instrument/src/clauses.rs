//! Where the clauses of a combined construct go when it is split into its levels.
//!
//! A combined construct has no place for the events between its halves, so it is split; the table
//! [`KNOWN`] says where each clause goes. What the table does not know (a newer clause, a macro in
//! clause position) and the forms that compilers get wrong when split are not split at all.

use crate::directive::{Clause, Directive, Item};
use crate::directives::Level;
use crate::names::Letters;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Where a clause is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// On the `parallel` level; on the innermost one if there is none.
    Parallel,
    /// On the innermost level.
    Inner,
    /// On the innermost level; its variables are shared on the `parallel` one.
    InnerShared,
    /// By its modifier: `if(parallel: ...)`.
    ByModifier,
    /// On `masked`.
    Masked,
}

/// Every clause that a combined construct can have.
const KNOWN: &[(&str, Place)] = &[
    ("aligned", Place::Inner),
    ("allocate", Place::Inner),
    ("bind", Place::Inner),
    ("collapse", Place::Inner),
    ("copyin", Place::Parallel),
    ("default", Place::Parallel),
    ("filter", Place::Masked),
    ("final", Place::Inner),
    ("firstprivate", Place::InnerShared),
    ("grainsize", Place::Inner),
    ("if", Place::ByModifier),
    ("in_reduction", Place::Inner),
    ("lastprivate", Place::InnerShared),
    ("linear", Place::InnerShared),
    ("mergeable", Place::Inner),
    ("message", Place::Parallel),
    ("nogroup", Place::Inner),
    ("nontemporal", Place::Inner),
    ("nowait", Place::Inner),
    ("num_tasks", Place::Inner),
    ("num_threads", Place::Parallel),
    ("order", Place::Inner),
    ("ordered", Place::Inner),
    ("priority", Place::Inner),
    ("private", Place::Inner),
    ("proc_bind", Place::Parallel),
    ("reduction", Place::InnerShared),
    ("safelen", Place::Inner),
    ("safesync", Place::Parallel),
    ("schedule", Place::Inner),
    ("severity", Place::Parallel),
    ("shared", Place::Parallel),
    ("simdlen", Place::Inner),
    ("threadset", Place::Inner),
    ("untied", Place::Inner),
];

/// Where the clauses with each first letter are in [`KNOWN`].
const LETTERS: Letters = {
    let mut names = [""; KNOWN.len()];
    let mut at = 0;
    while at < KNOWN.len() {
        names[at] = KNOWN[at].0;
        at += 1;
    }
    Letters::of(&names)
};

/// Clauses of constructs that are never split.
const OTHERS: &[&str] = &[
    "absent",
    "acq_rel",
    "acquire",
    "adjust_args",
    "affinity",
    "align",
    "allocator",
    "append_args",
    "apply",
    "at",
    "atomic_default_mem_order",
    "capture",
    "combiner",
    "compare",
    "contains",
    "copyprivate",
    "counts",
    "depend",
    "destroy",
    "detach",
    "device",
    "device_safesync",
    "device_type",
    "dist_schedule",
    "do",
    "doacross",
    "dynamic_allocators",
    "enter",
    "exclusive",
    "extensions",
    "fail",
    "for",
    "from",
    "full",
    "graph_id",
    "graph_reset",
    "has_device_ptr",
    "hint",
    "holds",
    "inbranch",
    "inclusive",
    "indirect",
    "induction",
    "inductor",
    "init",
    "init_complete",
    "initializer",
    "inout",
    "interop",
    "is_device_ptr",
    "link",
    "local",
    "looprange",
    "map",
    "match",
    "memscope",
    "no_openmp",
    "no_openmp_constructs",
    "no_openmp_routines",
    "no_parallelism",
    "nocontext",
    "notinbranch",
    "novariants",
    "num_teams",
    "otherwise",
    "parallel",
    "partial",
    "permutation",
    "read",
    "relaxed",
    "release",
    "replayable",
    "reverse_offload",
    "sections",
    "self_maps",
    "seq_cst",
    "simd",
    "sizes",
    "task_reduction",
    "taskgroup",
    "thread_limit",
    "threads",
    "to",
    "transparent",
    "unified_address",
    "unified_shared_memory",
    "uniform",
    "update",
    "use",
    "use_device_addr",
    "use_device_ptr",
    "uses_allocators",
    "weak",
    "when",
    "write",
];

const OTHERS_LETTERS: Letters = Letters::of(OTHERS);

/// What a reason for not splitting says of a word that may be a macro in clause position.
pub const UNKNOWN: &str = "is not a clause that is known";

fn place(name: &str) -> Option<Place> {
    let same_letter = &KNOWN[LETTERS.range(*name.as_bytes().first()?)];
    same_letter.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

/// Whether this is a clause that we know, and not a macro that may stand for any.
pub fn is_known(name: &str) -> bool {
    let other = |letter: &u8| OTHERS[OTHERS_LETTERS.range(*letter)].contains(&name);
    place(name).is_some() || name.as_bytes().first().is_some_and(other)
}

/// Clauses that say how a construct runs, so that measurements can be told apart by them.
const DESCRIBING: &[&str] = &[
    "collapse",
    "device",
    "dist_schedule",
    "filter",
    "final",
    "grainsize",
    "if",
    "in_reduction",
    "mergeable",
    "nogroup",
    "nowait",
    "num_tasks",
    "num_teams",
    "num_threads",
    "order",
    "ordered",
    "priority",
    "proc_bind",
    "reduction",
    "safelen",
    "schedule",
    "simdlen",
    "task_reduction",
    "thread_limit",
    "untied",
];

const DESCRIBING_LETTERS: Letters = Letters::of(DESCRIBING);

fn is_describing(name: &str) -> bool {
    let letter = name.as_bytes().first();
    letter.is_some_and(|letter| DESCRIBING[DESCRIBING_LETTERS.range(*letter)].contains(&name))
}

/// What an `ordered` without a body waits for or posts: the measurement tells the two apart. (On a
/// task these clauses would only be long.)
const ORDERING: &[&str] = &["depend", "doacross"];

/// The clauses that say how a construct runs, for its descriptor: `schedule(static,4) nowait`.
/// `text` gives the text of a span without comments and continuations.
pub fn describe<'a>(directive: &Directive, text: impl Fn(Range<usize>) -> Cow<'a, str>) -> String {
    let ordered = directive.words.first().is_some_and(|word| word.text == "ordered");
    let tells = |name: &str| is_describing(name) || ordered && ORDERING.contains(&name);
    // They are hardly longer than they were written.
    let first = directive.clauses.first().map_or(directive.end, |clause| clause.span.start);
    let mut output = String::with_capacity(directive.end.saturating_sub(first));
    for clause in directive.clauses.iter().filter(|clause| tells(&clause.name)) {
        output.push_str(if output.is_empty() { "" } else { " " });
        output.push_str(&clause.name);
        if let Some(argument) = clause.argument.clone() {
            output.push('(');
            push_without_blanks(&mut output, &text(argument));
            output.push(')');
        }
    }
    output
}

/// Blanks separate the words of a descriptor's clauses, so inside of them there are none but
/// between two names.
pub(crate) fn push_without_blanks(output: &mut String, text: &str) {
    if !text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return output.push_str(text);
    }
    let start = output.len();
    for word in text.split_ascii_whitespace() {
        let name = |c: char| c.is_alphanumeric() || c == '_';
        if output[start..].ends_with(name) && word.starts_with(name) {
            output.push('_');
        }
        output.push_str(word);
    }
}

/// How a combined construct is split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The places of the clauses, in their order: the level (0 is the outermost one) and the index
    /// of the clause.
    places: Vec<(usize, usize)>,
    /// Names that need a `shared(...)` on the `parallel` level, because it has a `default` that
    /// would not let them through.
    pub shared: Vec<String>,
    /// The `if` clause (index) that applies to two levels and whose expression must be evaluated
    /// once, before the construct.
    pub common_if: Option<usize>,
}

impl Split {
    /// The indices of the clauses of a level.
    pub fn clauses(&self, level: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.places.iter().filter(move |place| place.0 == level);
        own.map(|place| place.1)
    }

    /// Whether a level has this clause.
    pub fn has(&self, level: usize, clause: usize) -> bool {
        self.places.contains(&(level, clause))
    }
}

/// Distributes the clauses of a combined construct over its levels.
///
/// # Errors
/// Why it cannot be split; then only the outermost events are possible.
pub fn split(source: &[u8], directive: &Directive, levels: &[Level]) -> Result<Split, String> {
    let mut split = Split {
        places: Vec::with_capacity(directive.clauses.len()),
        shared: Vec::new(),
        common_if: None,
    };
    let strict = restrictive_default(source, directive);
    let mut known = HashSet::new();
    for (index, clause) in directive.clauses.iter().enumerate() {
        refuse(source, clause)?;
        let place = place(&clause.name).ok_or_else(|| unplaced(&clause.name))?;
        put(source, &mut split, levels, index, clause, place)?;
        if place == Place::InnerShared && strict {
            let items = directive.items(clause);
            share(source, &mut split.shared, &mut known, items);
        }
    }
    Ok(split)
}

/// Why a construct with this clause is left whole.
fn unplaced(name: &str) -> String {
    match is_known(name) {
        true => format!("`{name}` belongs to no part of a combined construct"),
        false => format!("`{name}` {UNKNOWN}"),
    }
}

/// Forms that are right combined and wrong when split, and bytes that would not survive a move.
fn refuse(source: &[u8], clause: &Clause) -> Result<(), String> {
    let text = &source[clause.span.clone()];
    if !text.is_ascii() && std::str::from_utf8(text).is_err() {
        return Err(format!("`{}` has bytes that are not UTF-8", clause.name));
    }
    let modified =
        |name: &str, word: &str| clause.name == name && clause.has_modifier(source, word);
    if modified("reduction", "inscan") {
        return Err("a reduction with the inscan modifier cannot be split".to_owned());
    }
    if modified("lastprivate", "conditional") {
        return Err("lastprivate with the conditional modifier cannot be split".to_owned());
    }
    Ok(())
}

fn put(
    source: &[u8],
    split: &mut Split,
    levels: &[Level],
    index: usize,
    clause: &Clause,
    place: Place,
) -> Result<(), String> {
    let inner = levels.len() - 1;
    let parallel = levels[0] == Level::Parallel;
    let taskloop = matches!(levels[inner], Level::Taskloop { .. });
    let at = match place {
        // `shared` and `default` of `masked taskloop`.
        Place::Parallel if !parallel => inner,
        Place::Parallel if taskloop && none(source, clause) => inner,
        Place::Parallel if taskloop && ["default", "shared"].contains(&&*clause.name) => {
            split.places.push((inner, index));
            0
        }
        Place::Parallel => 0,
        Place::Masked => levels
            .iter()
            .position(|level| *level == Level::Masked)
            .ok_or_else(|| "a filter clause without masked".to_owned())?,
        Place::ByModifier => match clause.modifier_text(source).as_str() {
            "parallel" if parallel => 0,
            "simd" | "taskloop" => inner,
            "" if parallel && accepts_if(levels[inner]) => {
                split.common_if = Some(index);
                split.places.push((inner, index));
                0
            }
            "" if parallel => 0,
            "" => inner,
            _ => return Err("an if clause for a construct that is not there".to_owned()),
        },
        _ => inner,
    };
    split.places.push((at, index));
    Ok(())
}

/// Whether it is `default(none)`. Of a taskloop, it must not stand on the `parallel` level, which
/// has not the loop's variable private.
fn none(source: &[u8], clause: &Clause) -> bool {
    let argument = clause.argument.clone().filter(|_| clause.name == "default");
    argument.is_some_and(|argument| source[argument].eq_ignore_ascii_case(b"none"))
}

/// Whether an `if` without modifier applies to this inner level, too.
fn accepts_if(level: Level) -> bool {
    matches!(level, Level::Loop { simd: true } | Level::Taskloop { .. })
}

/// Whether the construct has a `default` under which a variable of an inner clause would be
/// private, or not known, on the `parallel` level.
fn restrictive_default(source: &[u8], directive: &Directive) -> bool {
    let argument = directive.clause("default").and_then(|clause| clause.argument.clone());
    argument.is_some_and(|argument| !source[argument].eq_ignore_ascii_case(b"shared"))
}

/// Adds the base names of a clause's items, each once; a variable may be in two clauses.
fn share(
    source: &[u8],
    shared: &mut Vec<String>,
    known: &mut HashSet<String>,
    items: impl Iterator<Item = Item>,
) {
    for item in items {
        let Some(base) = base_name(source, item.span, item.base) else { continue };
        if known.insert(base.clone()) {
            shared.push(base);
        }
    }
}

/// The variable of a list item; `None` for members of `this`, which cannot be listed.
/// `linear(ref(x))` and `linear(val(x))` are about `x`.
fn base_name(source: &[u8], item: Range<usize>, base: Option<Range<usize>>) -> Option<String> {
    let base = base?;
    let text = |span: Range<usize>| String::from_utf8_lossy(&source[span]).into_owned();
    let name = text(base.clone());
    let rest = text(base.end..item.end);
    if name == "this" {
        return None;
    }
    match name.to_ascii_lowercase().as_str() {
        "ref" | "val" | "uval" if rest.trim_start().starts_with('(') => {
            Some(rest.trim().trim_matches(['(', ')']).trim().to_owned())
        }
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{DESCRIBING, KNOWN};

    #[test]
    fn the_tables_are_sorted() {
        assert!(KNOWN.is_sorted_by_key(|entry| entry.0));
        assert!(DESCRIBING.is_sorted());
    }
}
