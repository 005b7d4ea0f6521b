//! The call that names the items of the `depend` clauses of a task, a taskwait or a target
//! construct, by their addresses. An item is evaluated once more for that, so only items whose
//! evaluation has no effect are named; the others are not known. Of an array section the first
//! element counts, as in OpenMP.

use super::emit::Emitter;
use super::levels::Names;
use super::operands::operands;
use super::pragma::{self, Found};
use crate::Language;
use crate::depend::{UNKNOWN, kind};
use crate::directive::{Item, PieceKind};
use crate::directives::Level;
use std::borrow::Cow;
use std::fmt::Write;

impl Emitter<'_> {
    /// The call with the items of a construct; empty if it has no `depend` clause.
    pub(super) fn depend(&self, found: &Found, level: Level, names: &Names) -> String {
        let (mut kinds, mut addresses) = (String::new(), Vec::new());
        let text = &found.text;
        for clause in found.directive.clauses.iter().filter(|clause| clause.name == "depend") {
            let Some(kind) = kind(&clause.modifier_text(text)) else {
                kinds.push(UNKNOWN);
                continue;
            };
            for item in found.directive.items(clause) {
                let address = self.item_address(text, &item);
                kinds.push(if address.is_some() { kind } else { UNKNOWN });
                addresses.extend(address);
            }
        }
        if kinds.is_empty() {
            return String::new();
        }
        let accessor = names.accessor;
        let routine = match level {
            Level::Taskwait => format!("POMP_Taskwait_depend_enter({accessor}"),
            Level::Target { .. } | Level::TargetAlone => {
                format!("POMP_Target_depend_enter({accessor}")
            }
            _ => format!("POMP_Task_depend({accessor}, {}", names.variable("t").concat()),
        };
        call(names, &routine, &kinds, &addresses, self.null())
    }

    fn null(&self) -> &'static str {
        super::prelude::null(self.is_cxx())
    }

    fn is_cxx(&self) -> bool {
        self.options.language == Language::Cxx
    }

    /// The address of an item; `None` if that cannot be evaluated again.
    fn item_address(&self, text: &[u8], item: &Item) -> Option<String> {
        let text = pragma::in_one_line(text, item.span.clone());
        let text = first_element(&text)?;
        let pieces = pragma::pieces(text.as_bytes(), 0..text.len());
        let refuses = |name: &[u8]| name == b"omp_all_memory" || self.has_effect(name);
        let found = operands(text.as_bytes(), &pieces, self.is_cxx(), &refuses)?;
        if !self.is_cxx() {
            return Some(format!("&({text})"));
        }
        // What is followed by `[` or `->` must not be an object with an operator of the program's.
        let mut address = format!("__builtin_addressof({text})");
        for pointer in &found.pointers {
            let null = self.null();
            address = format!("sizeof({}raw({pointer})) == 1 ? {address} : {null}", self.prefix);
        }
        Some(address)
    }
}

/// An item with the first element of each array section: `a[i:n]` becomes `a[i]`, `a[:n]` becomes
/// `a[0]`. `None` if it begins with a bracket, which gives an array another shape.
fn first_element(item: &str) -> Option<Cow<'_, str>> {
    let bytes = item.as_bytes();
    let pieces = pragma::pieces(bytes, 0..bytes.len());
    if !pieces.iter().any(|piece| piece.kind == PieceKind::Colon) {
        return Some(Cow::Borrowed(item));
    }
    let (mut output, mut depth, mut copied, mut open) = (String::new(), 0_usize, 0, 0);
    // In a section, after the first colon.
    let mut is_left_out = false;
    for piece in &pieces {
        match piece.kind {
            PieceKind::Open => {
                depth += 1;
                if depth == 1 {
                    open = piece.end();
                }
            }
            PieceKind::Close => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && is_left_out {
                    (is_left_out, copied) = (false, piece.start());
                }
            }
            PieceKind::Colon if depth == 1 && !is_left_out => {
                output.push_str(item.get(copied..piece.start())?);
                if item.get(open..piece.start())?.trim().is_empty() {
                    output.push('0');
                }
                is_left_out = true;
            }
            _ => {}
        }
    }
    output.push_str(item.get(copied..)?);
    Some(Cow::Owned(output))
}

/// Assignments, because C89 has no initialiser that is not constant. `routine` are its name and the
/// first arguments.
fn call(names: &Names, routine: &str, kinds: &str, addresses: &[String], null: &str) -> String {
    if addresses.is_empty() {
        return format!(" {routine}, \"{kinds}\", {null});");
    }
    let array = names.variable("a").concat();
    let mut text = format!(" {{ const volatile void*{array}[{}];", addresses.len());
    for (place, address) in addresses.iter().enumerate() {
        let _ = write!(text, " {array}[{place}] = {address};");
    }
    let _ = write!(text, " {routine}, \"{kinds}\", {array}); }}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_becomes_its_first_element() {
        for (item, expected) in [
            ("x", "x"),
            ("a[i]", "a[i]"),
            ("a[i:n]", "a[i]"),
            ("a[:n]", "a[0]"),
            ("p->a[ : ][j + 1 : 2 : s].b", "p->a[ 0][j + 1 ].b"),
            ("a[b[c ? 1 : 2]]", "a[b[c ? 1 : 2]]"),
        ] {
            assert_eq!(first_element(item).as_deref(), Some(expected), "{item}");
        }
    }
}
