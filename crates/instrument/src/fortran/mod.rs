//! The Fortran front: free and fixed form.
//!
//! Phases, each borrowing from the one before: [`scan`] joins lines to statements (with [`form`]
//! for columns and sentinels, [`statement`], or [`plain`] for the most usual ones, [`class`] and
//! [`heading`] for what a statement opens or closes, [`directive_text`] and [`offsets`] for the
//! texts of directives), [`directive`] finds what directives mean, [`nest`] which END closes what
//! (with [`units`], [`branch`] and [`atomic`]; the result is in [`site`]), [`device`] what only
//! devices run, [`plan`] what gets events, [`rewrite`] (with [`split`], [`close`], [`variables`]
//! and [`user`]) where the calls go. For events of procedures, [`role`] says what a statement is,
//! [`procedures`] which ones matter, [`functions`] what they become. [`tail`] writes the
//! procedures that are called.

mod abi_pomp2;
mod atomic;
mod becomes;
mod bounds;
mod branch;
mod class;
mod close;
mod code;
mod cursor;
mod declared;
mod depend;
mod descriptors;
mod device;
mod directive;
mod directive_text;
mod events;
mod form;
mod functions;
mod groups;
mod heading;
mod iteration;
mod locks;
mod loops;
mod metadirective;
mod nest;
mod offsets;
mod place;
mod plain;
mod plan;
mod procedures;
mod results;
mod rewrite;
mod role;
mod scan;
mod site;
mod split;
mod statement;
mod tail;
mod text;
mod units;
mod user;
mod variables;
mod wide;

use crate::edit::EditList;
use crate::undo::CommentStyle;
use crate::{Abi, Error, Language, Options, Outcome};
use form::Form;
use place::Places;
use plan::{Facts, Plans, plan};
use rewrite::Rewriter;
use scan::{Scan, Wanted};
use site::Broken;
use text::{Names, Writer};

/// See [`crate::instrument`].
pub(crate) fn instrument(source: &[u8], options: &Options) -> Result<Outcome, Error> {
    let functions = options.functions.is_some();
    let locks = options.rewrites_locks() && locks::mentions_lock(source);
    let directives = mentions_directive(source) || locks;
    if !functions && (!options.openmp || !directives) {
        return Ok(outcome(source, EditList::new(), Plans::default()));
    }
    let form = match options.language {
        Language::FortranFixed => Form::Fixed { width: options.line_length },
        _ => Form::Free,
    };
    let wanted = Wanted { openmp: options.openmp, roles: functions };
    let mut scan = scan::scan(source, form, wanted);
    let parsed = directive::parse_all(&mut scan.directives, form);
    let places = Places::new(source, &scan.lines, &scan.cpp_lines, &options.path);
    let mut nest = nest::nest(&scan, &parsed, functions)
        .map_err(|broken| error(source, &scan, &places, broken))?;
    device::close(source, form, &scan, &parsed, &mut nest);
    let facts =
        Facts { source, form, scan: &scan, parsed: &parsed, nest: &nest, places: &places, options };
    let plans = plan(facts);
    let names = Names::new(source, &options.path, options.abi);
    let writer = Writer { form, room: form.room().min(options.line_length) };
    let mut rewriter = Rewriter::new(source, facts, plans, names, writer);
    rewriter.run();
    let Rewriter { mut edits, plans, mut names, .. } = rewriter;
    if options.abi == Abi::Pomp2 {
        abi_pomp2::use_assignment(&mut names, &plans.regions);
    }
    append(source, facts, writer, &names, &plans, &mut edits);
    Ok(outcome(source, edits, plans))
}

/// Most files of a program have no directive at all.
fn mentions_directive(source: &[u8]) -> bool {
    memchr::memchr_iter(b'$', source).any(|at| {
        let after = source[at + 1..].get(..3).unwrap_or_default();
        let before = &source[at.saturating_sub(4)..at];
        after.eq_ignore_ascii_case(b"omp")
            || after.eq_ignore_ascii_case(b"pom")
            || before.eq_ignore_ascii_case(b"pomp")
            || before.last().is_some_and(|c| c.eq_ignore_ascii_case(&b'p'))
    })
}

/// The first line gets the user's name; behind the last one come our procedures.
fn append(
    source: &[u8],
    facts: Facts,
    writer: Writer,
    names: &Names,
    plans: &Plans,
    edits: &mut EditList,
) {
    if names.is_empty() {
        return;
    }
    let options = facts.options;
    if options.line_markers && !source.starts_with(b"# ") {
        edits.insert_ranked(0, -1, facts.places.marker_for(0));
    }
    let mut text = Vec::new();
    if !source.ends_with(b"\n") {
        text.push(b'\n');
    }
    if options.line_markers {
        text.extend_from_slice(facts.places.marker_of_ours().as_bytes());
    }
    let text = tail::tail(text, source, options, writer, names, &plans.regions);
    let long = edits.begin_long();
    edits.insert_part(source.len(), rewrite::LAST, long, 0..text.len());
    edits.end_long(long, text);
}

fn outcome(source: &[u8], edits: EditList, plans: Plans) -> Outcome {
    Outcome {
        text: edits.apply(source, CommentStyle::Fortran),
        regions: plans.regions,
        directives_found: plans.found,
        directives_instrumented: plans.instrumented,
        functions_instrumented: plans.functions,
        diagnostics: plans.diagnostics,
    }
}

fn error(source: &[u8], scan: &Scan, places: &Places, broken: Broken) -> Error {
    let statement = scan.statements[broken.at];
    let line = scan.lines[statement.first];
    let text = &source[line.start..line.end];
    let indent = text.iter().take_while(|c| c.is_ascii_whitespace()).count();
    let column = statement.start.saturating_sub(line.start).max(indent) + 1;
    Error {
        line: places.line(statement.first),
        column: column as u32,
        source_line: String::from_utf8_lossy(text).trim_end().to_owned(),
        message: broken.message,
        expected: broken.expected,
    }
}
