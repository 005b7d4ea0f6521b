//! Code for devices: functions that `declare target` names, and those that only `target` constructs
//! call. What is compiled for a device can call no measurement, wherever its directives stand.

use super::bodies::Bodies;
use super::callees;
use super::lexer::Lexed;
use super::outline::{Form, Function};
use super::pragma::Found;
use super::reach;
use super::statements::Site;
use crate::directives::{Kind, Level, passed};
use std::collections::BTreeSet;
use std::ops::Range;

/// The attribute `[[omp::decl(declare_target)]]`, up to the directive.
const ATTRIBUTE: &[u8] = b"omp::decl(";

/// What the text itself says is for devices.
pub(super) struct Devices {
    /// The functions that directives list.
    listed: BTreeSet<String>,
    /// The bodies of `target` constructs, in the order of the text.
    targets: Vec<Range<usize>>,
    /// What directives enclose, in the order of the text.
    enclosed: Vec<Range<usize>>,
}

impl Devices {
    pub(super) fn of(lexed: &Lexed, sites: &[Site]) -> Self {
        let targets = targets(lexed, sites);
        Self { listed: listed(lexed), targets, enclosed: enclosed(lexed) }
    }

    /// Whether there may be functions for devices.
    pub(super) fn has_functions(&self, text: &[u8]) -> bool {
        !(self.listed.is_empty() && self.targets.is_empty() && self.enclosed.is_empty())
            || memchr::memmem::find(text, ATTRIBUTE).is_some()
    }

    /// Whether one of these functions may have a directive in it: to other directives they are
    /// nothing.
    pub(super) fn may_hold_directives(&self, text: &[u8], lexed: &Lexed) -> bool {
        let names = self.listed.iter().map(|name| name.as_bytes());
        memchr::memmem::find(text, ATTRIBUTE).is_some()
            || callees::may_hold_directives(text, lexed, names, &self.targets, &self.enclosed)
    }

    /// Marks the functions that may be compiled for a device.
    pub(super) fn mark(&self, text: &[u8], lexed: &Lexed, functions: &mut [Function]) {
        for function in functions.iter_mut() {
            function.device = self.listed.contains(function.last());
        }
        mark_attributes(text, functions);
        let mut code = [self.targets.as_slice(), &self.enclosed].concat();
        code.sort_by_key(|range| range.start);
        let only = reach::from_devices_only(text, lexed, functions, &code);
        functions.iter_mut().zip(only).for_each(|(function, only)| function.device |= only);
        mark_lambdas(functions, !self.targets.is_empty());
    }
}

/// The bodies of `target` constructs, in the order of the text.
fn targets(lexed: &Lexed, sites: &[Site]) -> Vec<Range<usize>> {
    let is_target = |site: &&Site| match &lexed.directives[site.directive].kind {
        Kind::Events(levels) => levels[0] == Level::Target { open: false },
        _ => false,
    };
    let bodies = sites.iter().filter(is_target).filter_map(|site| site.body);
    let mut targets: Vec<_> = bodies.map(|body| body.start..body.end).collect();
    targets.sort_by_key(|body| (body.start, body.end));
    targets.dedup();
    targets
}

/// Whether a directive makes anything code for devices.
pub(super) fn is_for(found: &Found) -> bool {
    match &found.kind {
        Kind::Events(levels) => levels[0] == Level::Target { open: false },
        Kind::Declarative => found.directive.name().contains("declare"),
        _ => false,
    }
}

/// What directives enclose, in the order of the text.
fn enclosed(lexed: &Lexed) -> Vec<Range<usize>> {
    let mut enclosed = Vec::new();
    let (mut depth, mut start) = (0, 0);
    let turns = |found: &&Found| matches!(found.kind, Kind::Declarative | Kind::End);
    for found in lexed.directives.iter().filter(turns) {
        let before = depth;
        turn(found, &mut depth);
        match (before, depth) {
            (0, 1) => start = found.span.end,
            (1, 0) => enclosed.push(start..found.span.start),
            _ => {}
        }
    }
    enclosed
}

/// Lambdas in functions for devices; and all of them, if there are `target` constructs: those may
/// run what they are handed.
fn mark_lambdas(functions: &mut [Function], all: bool) {
    let mut device_end = 0;
    for function in functions {
        if function.form == Form::Lambda {
            function.device |= all || function.open < device_end;
        } else if function.device {
            device_end = device_end.max(function.close);
        }
    }
}

/// The attribute `[[omp::decl(declare_target)]]` in front of a definition.
fn mark_attributes(text: &[u8], functions: &mut [Function]) {
    // The head of a function is not longer.
    const HEAD_MAX: usize = 4096;
    for at in memchr::memmem::find_iter(text, ATTRIBUTE) {
        let words = text[at + ATTRIBUTE.len()..].trim_ascii_start();
        if !words.starts_with(b"declare_target") && !words.starts_with(b"declare target") {
            continue;
        }
        let next = functions.partition_point(|function| function.open <= at);
        if let Some(function) = functions.get_mut(next)
            && function.open - at < HEAD_MAX
            && memchr::memchr2(b';', b'}', &text[at..function.open]).is_none()
        {
            function.device = true;
        }
    }
}

/// The functions that are listed; not those that are for the host alone.
fn listed(lexed: &Lexed) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for found in &lexed.directives {
        let directive = &found.directive;
        if !directive.words.first().is_some_and(|word| word.text.starts_with("declare")) {
            continue;
        }
        let host = directive.clause("device_type").and_then(|clause| clause.argument.clone());
        let host = host.is_some_and(|argument| &found.text[argument] == b"host");
        if directive.name().replace('_', " ") == "declare target" && !host {
            let lists = ["to", "enter", "link", "local"];
            let clauses = directive.clauses.iter();
            let clauses = clauses.filter(|clause| lists.contains(&&*clause.name));
            let items = clauses.flat_map(|clause| directive.items(clause));
            let spans = items.map(|item| item.span).chain(directive.argument.clone());
            let texts = spans.map(|span| String::from_utf8_lossy(&found.text[span]).into_owned());
            names.extend(texts.flat_map(|text| {
                text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
            }));
        }
    }
    names
}

/// The bodies of the marked functions, in the order of the text.
pub(super) fn ranges(bodies: &Bodies) -> Vec<Range<usize>> {
    let bodies = bodies.functions.iter().filter(|function| function.device);
    bodies.map(|function| function.open..function.close).collect()
}

/// Opens and closes the ranges in which all code may be for devices: behind a `declare target`
/// without a list, and what a `begin metadirective` can make one.
pub(super) fn turn(found: &Found, depth: &mut usize) {
    let directive = &found.directive;
    match directive.name().replace('_', " ").as_str() {
        "begin declare target" => *depth += 1,
        "declare target" if directive.argument.is_none() && directive.clauses.is_empty() => {
            *depth += 1;
        }
        "begin metadirective" if passed::mentions_closed(&found.text, directive) => *depth += 1,
        "end declare target" | "end metadirective" => *depth = depth.saturating_sub(1),
        _ => {}
    }
}
