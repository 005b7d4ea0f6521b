//! The units appended to a file: one external procedure per kind of event, the registration with
//! its table of texts, and the common block of the handles.
//!
//! A call passes the number of its region; the handle is looked up here, so that no variable is
//! needed where the user's data-sharing clauses hold. The table is DATA and not SELECT CASE, which
//! takes the compiler minutes for thousands of regions.

use super::text::{Extra, Names, Routine, Writer, descriptor};
use crate::Region;

/// Bytes of a text in one element of the table: with its quotes it fits a line of 72 columns.
const PIECE: usize = 40;

/// Writes all units. `path` is the file of regions that name no other.
pub(super) fn tail(writer: Writer, names: &Names, regions: &[Region], path: &str) -> Vec<u8> {
    let mut tail = Tail { writer, names, regions, out: Vec::new() };
    for (name, routine) in &names.used {
        tail.event(name, routine);
    }
    if !regions.is_empty() {
        tail.registration(path);
        tail.handles();
    }
    tail.out
}

struct Tail<'a> {
    writer: Writer,
    names: &'a Names,
    regions: &'a [Region],
    out: Vec<u8>,
}

impl Tail<'_> {
    /// Writes a statement; `%` stands for the prefix of names.
    fn line(&mut self, text: &str) {
        let text = text.replace('%', self.names.prefix());
        self.writer.statement(&mut self.out, &text);
    }

    fn event(&mut self, name: &str, routine: &Routine) {
        let dummies = match (routine.descriptor, routine.extra) {
            (false, _) => "",
            (true, Extra::None) => "%n",
            (true, _) => "%n,%x",
        };
        self.line(&format!("subroutine {name}({dummies})"));
        self.line("use, intrinsic :: iso_c_binding, only : %k=>c_int64_t");
        self.line("implicit none");
        self.interface(routine);
        if routine.descriptor {
            let register = self.names.global("reg");
            self.line("integer :: %n");
            if routine.extra != Extra::None {
                self.line("integer(%k) :: %x");
            }
            self.common();
            self.line(&format!("external :: {register}"));
            self.line(&format!("if (%h(%n)==0) call {register}(%n)"));
        }
        let arguments = match (routine.descriptor, routine.extra) {
            (false, _) => "",
            (true, Extra::None) => "%h(%n)",
            (true, _) => "%h(%n),%x",
        };
        self.line(&format!("call %c({arguments})"));
        self.line("end subroutine");
    }

    /// The C function behind an event.
    fn interface(&mut self, routine: &Routine) {
        let dummies = match (routine.descriptor, routine.extra) {
            (false, _) => "",
            (true, Extra::None) => "%d",
            (true, _) => "%d,%x",
        };
        self.line("interface");
        self.line(&format!("subroutine %c({dummies}) bind(C,name='{}')", routine.c_name));
        if routine.descriptor {
            self.line("import %k");
            self.line("integer(%k), value :: %d");
        }
        match routine.extra {
            Extra::None => {}
            Extra::Out => self.line("integer(%k) :: %x"),
            Extra::In => self.line("integer(%k), value :: %x"),
        }
        self.line("end subroutine");
        self.line("end interface");
    }

    /// The handles: addresses of descriptors, 0 before registration.
    fn common(&mut self) {
        let common = self.names.global("h");
        self.line(&format!("integer(%k) :: %h({})", self.regions.len()));
        self.line(&format!("common /{common}/ %h"));
    }

    /// Registers a region at its first event. Two threads may do so at once: the result is equal.
    fn registration(&mut self, path: &str) {
        let texts: Vec<Vec<u8>> = self.regions.iter().map(|region| text(region, path)).collect();
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        let pieces = longest.div_ceil(PIECE).max(1);
        self.line(&format!("subroutine {}(%n)", self.names.global("reg")));
        self.line("use, intrinsic :: iso_c_binding, only : %k=>c_int64_t, %i=>c_int, %s=>c_char");
        self.line("implicit none");
        self.line("interface");
        self.line("subroutine %c(%d,%t,%l) bind(C,name='POMP_Register')");
        self.line("import %k, %i, %s");
        self.line("integer(%k) :: %d");
        self.line("character(kind=%s), intent(in) :: %t(*)");
        self.line("integer(%i), value :: %l");
        self.line("end subroutine");
        self.line("end interface");
        self.line("integer :: %n");
        self.common();
        self.line(&format!("character({PIECE}), save :: %a({pieces},{})", texts.len()));
        for (index, text) in texts.iter().enumerate() {
            self.row(index + 1, pieces, text);
        }
        self.line(&format!("call %c(%h(%n),%a(:,%n),{}_%i)", pieces * PIECE));
        self.line("end subroutine");
    }

    /// One row of the table, one statement per element.
    fn row(&mut self, region: usize, pieces: usize, text: &[u8]) {
        for piece in 0..pieces {
            let start = (piece * PIECE).min(text.len());
            let value = &text[start..(start + PIECE).min(text.len())];
            let quote = if value.contains(&b'\'') { b'"' } else { b'\'' };
            let element = format!("data {}a({},{region})/", self.names.prefix(), piece + 1);
            let mut line = element.into_bytes();
            line.push(quote);
            for &byte in value {
                line.push(byte);
                if byte == quote {
                    line.push(byte);
                }
            }
            line.extend_from_slice(&[quote, b'/']);
            self.out.extend_from_slice(self.writer.form.indent().as_bytes());
            self.out.extend_from_slice(&line);
            self.out.push(b'\n');
        }
    }

    fn handles(&mut self) {
        self.line(&format!("block data {}", self.names.global("b")));
        self.line("use, intrinsic :: iso_c_binding, only : %k=>c_int64_t");
        self.line("implicit none");
        self.common();
        self.line(&format!("data %h/{}*0/", self.regions.len()));
        self.line("end block data");
    }
}

/// What is registered: the descriptor's fields and, at the end, the file.
fn text(region: &Region, path: &str) -> Vec<u8> {
    let file = region.file.as_deref().unwrap_or(path);
    format!("{}{file}", descriptor(region)).into_bytes()
}
