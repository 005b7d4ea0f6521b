//! The constructs of a text: what the views have found, put together, and what the surroundings
//! mean for each: whether events are possible, what a `cancel` changes, which untied task goes on.

use super::device;
use super::lexer::Lexed;
use super::pragma::Found;
use super::statements::{Body, Nest, Site};
use crate::directives::{Kind, Level, User};
use crate::{Error, LineIndex};
use std::ops::Range;

/// One directive with its bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct Construct {
    /// Whether any view shows it.
    pub(super) seen: bool,
    pub(super) parent: Option<usize>,
    /// Where its body begins and ends; more than one if preprocessor branches differ.
    pub(super) bodies: Vec<Body>,
    /// The loops it is about; more than one if preprocessor branches differ.
    pub(super) nests: Vec<Nest>,
    /// Bodies of a first section without directive.
    pub(super) implicit_section: Vec<Body>,
    /// The construct or range around it in which nothing may be called, as text for a diagnostic.
    pub(super) closed_by: Option<Closed>,
    /// Whether `noinstrument` is in force.
    pub(super) muted: bool,
    /// Whether a `cancel` can leave its body, so that the end has to be a cleanup.
    pub(super) cancelled: bool,
    /// Whether it belongs to a parallel region that can be cancelled: then its barrier may be where
    /// a thread leaves that region.
    pub(super) leaves: bool,
    /// The untied task whose body this one is a scheduling point of.
    pub(super) untied_task: Option<usize>,
}

impl Construct {
    /// What an iteration executes.
    pub(super) fn iterations(&self) -> Vec<Body> {
        self.nests.iter().map(|nest| nest.iteration).collect()
    }

    /// Adds what a view has found.
    fn add_nest(&mut self, nest: Nest) {
        match self.nests.iter_mut().find(|other| other.iteration == nest.iteration) {
            Some(other) => other.unclear |= other.headers != nest.headers,
            None => push(&mut self.nests, nest),
        }
    }

    /// Whether different bodies of it lie in branches that exclude each other.
    fn is_unambiguous(&self, lexed: &Lexed) -> bool {
        agree(lexed, &self.bodies)
            && agree(lexed, &self.implicit_section)
            && (self.nests.len() < 2 || agree(lexed, &self.iterations()))
    }
}

/// Why nothing may be called somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    /// Inside of this construct.
    Construct(usize),
    /// In code for devices.
    Device,
}

/// Puts the sites of all views together; the result has one entry per directive.
pub(super) fn collect(
    text: &[u8],
    lines: &LineIndex,
    lexed: &Lexed,
    sites: Vec<Site>,
    device: &[Range<usize>],
) -> Result<Vec<Construct>, Error> {
    let mut constructs = vec![Construct::default(); lexed.directives.len()];
    for site in sites {
        let construct = &mut constructs[site.directive];
        if !construct.seen && !site.implicit_section {
            construct.parent = site.parent;
            construct.seen = true;
        }
        let bodies = if site.implicit_section {
            &mut construct.implicit_section
        } else {
            &mut construct.bodies
        };
        if let Some(body) = site.body
            && !bodies.contains(&body)
        {
            push(bodies, body);
        }
        if let Some(nest) = site.nest {
            construct.add_nest(nest);
        }
    }
    for (construct, found) in constructs.iter().zip(&lexed.directives) {
        if !construct.is_unambiguous(lexed) {
            let message =
                "preprocessor branches disagree about the statement behind this directive";
            let expected = "one end in each configuration; the preprocessed text has only one";
            return Err(lines.error(text, found.span.start, message.to_owned(), expected));
        }
    }
    surroundings(&lexed.directives, &mut constructs, device);
    Ok(constructs)
}

/// Adds to a list that most constructs have one entry of, and then memory for no more.
fn push<T>(list: &mut Vec<T>, entry: T) {
    if list.is_empty() {
        *list = Vec::with_capacity(1);
    }
    list.push(entry);
}

/// Different bodies of one directive must lie in branches that exclude each other.
fn agree(lexed: &Lexed, bodies: &[Body]) -> bool {
    let branch = |offset| lexed.conditions.branch_at(offset);
    let apart = |a: usize, b: usize| a == b || lexed.conditions.exclude(branch(a), branch(b));
    for (index, a) in bodies.iter().enumerate() {
        for b in &bodies[index + 1..] {
            if !apart(a.start, b.start) || !apart(a.end - 1, b.end - 1) {
                return false;
            }
        }
    }
    true
}

/// Fills in what follows from the directives around each one. A parent comes before its children.
fn surroundings(directives: &[Found], constructs: &mut [Construct], device: &[Range<usize>]) {
    let mut muted = false;
    let mut depth = 0usize;
    let mut device = device.iter().peekable();
    // What each one hands down to its children is found once.
    let mut handed_down = vec![None; directives.len()];
    for (index, found) in directives.iter().enumerate() {
        match &found.kind {
            Kind::User(User::Suspend) => muted = true,
            Kind::User(User::Resume) => muted = false,
            Kind::Declarative | Kind::End => device::turn(found, &mut depth),
            _ => {}
        }
        let parent = constructs[index].parent;
        let (closed, untied) = match parent {
            Some(parent) => *handed_down[parent]
                .get_or_insert_with(|| inherited(&directives[parent], &constructs[parent], parent)),
            None => (None, None),
        };
        while device.next_if(|body| body.end <= found.span.start).is_some() {}
        let listed = device.peek().is_some_and(|body| body.contains(&found.span.start));
        let range = (depth > 0 || listed).then_some(Closed::Device);
        constructs[index].closed_by = closed.or(range);
        constructs[index].untied_task = untied;
        constructs[index].muted = muted;
        if let Some(what) = cancel_of(found) {
            mark_cancelled(directives, constructs, parent, what);
        }
    }
    mark_leaving(directives, constructs);
}

/// What a parent hands down: why nothing may be called inside, and its untied task.
fn inherited(found: &Found, parent: &Construct, index: usize) -> (Option<Closed>, Option<usize>) {
    let directive = &found.directive;
    let (open, untied) = match &found.kind {
        Kind::Events(levels) => {
            let open = levels.iter().all(|level| level.allows_calls_inside(&found.text, directive));
            let whole = levels.len() > 1 && found.split().is_err();
            (open && !whole, untied_inside(found, levels, index, parent))
        }
        Kind::Body { inside } => (*inside, parent.untied_task),
        _ => (true, parent.untied_task),
    };
    let closed = parent.closed_by.or((!open).then_some(Closed::Construct(index)));
    (closed, untied)
}

fn untied_inside(
    found: &Found,
    levels: &[Level],
    index: usize,
    parent: &Construct,
) -> Option<usize> {
    let untied = found.directive.has("untied") && parent.closed_by.is_none();
    match levels.last() {
        Some(Level::Task) => untied.then_some(index),
        Some(Level::Taskloop { .. }) => (untied && !parent.nests.is_empty()).then_some(index),
        _ if levels[0] == Level::Parallel => None,
        _ => parent.untied_task,
    }
}

/// What a `cancel` or a cancellation point is about.
fn cancel_of(found: &Found) -> Option<&str> {
    let words = &found.directive.words;
    let cancels = matches!(&*words.first()?.text, "cancel" | "cancellation");
    let clause = || found.directive.clauses.first().map(|clause| &*clause.name);
    let named = if words[0].text == "cancel" { words.get(1) } else { words.get(2) };
    if cancels { named.map(|word| &*word.text).or_else(clause) } else { None }
}

/// Marks the construct that a `cancel` ends, and for sections each of them.
fn mark_cancelled(
    directives: &[Found],
    constructs: &mut [Construct],
    from: Option<usize>,
    what: &str,
) {
    let mut next = from;
    while let Some(index) = next {
        let Kind::Events(levels) = &directives[index].kind else {
            next = constructs[index].parent;
            continue;
        };
        let binds = levels.iter().any(|level| match what {
            "parallel" => *level == Level::Parallel,
            "for" | "do" => matches!(level, Level::Loop { .. }),
            "sections" => *level == Level::Sections,
            "taskgroup" => matches!(level, Level::Task | Level::Taskloop { .. }),
            _ => false,
        });
        if binds {
            constructs[index].cancelled = true;
            return;
        }
        next = constructs[index].parent;
    }
}

/// Marks what belongs to a parallel region that can be cancelled. A parent comes before its
/// children.
fn mark_leaving(directives: &[Found], constructs: &mut [Construct]) {
    for index in 0..constructs.len() {
        let Some(parent) = constructs[index].parent else { continue };
        constructs[index].leaves = match &directives[parent].kind {
            Kind::Events(levels) if *levels == [Level::Parallel] => constructs[parent].cancelled,
            Kind::Events(levels) if levels[0] == Level::Parallel => false,
            _ => constructs[parent].leaves,
        };
    }
}
