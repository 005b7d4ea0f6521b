//! Directives that are for us alone: they are replaced by calls in the same line, because compilers
//! warn about words they do not know.

use super::emit::Emitter;
use super::pragma::{Form, Found};
use super::{prelude, scan};
use crate::directives::{Named, User};
use crate::{Abi, Error, Language, Region, Severity};
use std::ops::Range;

impl Emitter<'_> {
    /// Replaces one directive.
    pub(super) fn user(&mut self, index: usize, user: &User) -> Result<(), Error> {
        let found = &self.lexed.directives[index];
        let wanted = !self.options.disabled.contains("region");
        let call = match user {
            User::Begin(name) if wanted => self.begin_region(index, name),
            User::End(name) if wanted => self.end_region(found, name, true)?,
            User::AlternativeEnd(name) if wanted => self.end_region(found, name, false)?,
            User::Init => self.control("Init"),
            User::Finalize => self.control("Finalize"),
            User::On => self.control("On"),
            User::Off => self.control("Off"),
            _ => String::new(),
        };
        if !matches!(user, User::Suspend | User::Resume) {
            self.outcome.directives_found += 1;
            self.outcome.directives_instrumented += usize::from(!call.is_empty());
        }
        self.calls |= !call.is_empty();
        let range = self.replaced(found);
        let lines = memchr::memchr_iter(b'\n', &self.source[range.clone()]).count();
        self.edits.replace(range, call + &"\n".repeat(lines));
        Ok(())
    }

    /// The directive without the blanks before and the comment behind it.
    fn replaced(&self, found: &Found) -> Range<usize> {
        match found.form {
            Form::Line { .. } => {
                scan::skip_blank(self.source, found.span.start, false)
                    ..found.place(found.directive.end)
            }
            _ => found.span.clone(),
        }
    }

    /// The address that goes to the library. By way of an integer, because the variable may be
    /// `const` or `volatile`, and some build with -Wcast-qual -Werror.
    fn address(&self, named: &Named) -> String {
        let cxx = self.options.language == Language::Cxx;
        let Some(variable) = &named.variable else { return prelude::null(cxx).to_owned() };
        let integer = "__UINTPTR_TYPE__";
        if cxx {
            let address = format!("__builtin_addressof({variable})");
            return format!("reinterpret_cast<void*>(reinterpret_cast<{integer}>({address}))");
        }
        format!("(void*)({integer})&({variable})")
    }

    /// A call that switches the measurement.
    fn control(&self, what: &str) -> String {
        let abi = if self.options.abi == Abi::Pomp2 { "POMP2" } else { "POMP" };
        format!("{abi}_{what}();")
    }

    /// The call at an end of a user region. POMP2 passes no variable.
    fn at_region(&self, what: &str, number: usize, named: &Named) -> String {
        let region = self.accessor(number);
        match self.options.abi {
            Abi::Pomp => format!("POMP_{what}({region}, {});", self.address(named)),
            Abi::Pomp2 if what == "End" => format!("POMP2_End({region});"),
            Abi::Pomp2 => format!("POMP2_{what}({region}, {}s{number}());", self.prefix),
        }
    }

    fn begin_region(&mut self, index: usize, named: &Named) -> String {
        let found = &self.lexed.directives[index];
        let name = &named.name;
        let lines = self.directive_lines(found);
        let mut region = Region::new("region", lines, lines);
        region.sub_name.clone_from(name);
        region.describe(self.functions_around[index], "", self.options.abi);
        region.file = self.file(found.span.start);
        let number = self.add_region(region);
        self.open_regions.open(name, number, found.span.start);
        self.at_region("Begin", number, named)
    }

    fn end_region(&mut self, found: &Found, named: &Named, last: bool) -> Result<String, Error> {
        let name = &named.name;
        let number = self.open_regions.last(name).ok_or_else(|| {
            let message = format!("no user region `{name}` is open here");
            let expected = "an `inst begin` with this name before it";
            self.lines.error(self.source, found.span.start, message, expected)
        })?;
        if last {
            self.outcome.regions[number - 1].end = self.directive_lines(found);
            if self.open_regions.close(name) {
                let message = format!("the end of `{name}` is inside of another user region");
                self.note(found.span.start, Severity::Warning, message);
            }
        }
        Ok(self.at_region("End", number, named))
    }

    /// Every region must have been closed.
    pub(super) fn close_regions(&self) -> Result<(), Error> {
        let Some((name, at)) = self.open_regions.first() else { return Ok(()) };
        let message = format!("the user region `{name}` is never closed");
        Err(self.lines.error(self.source, at, message, "an `inst end` with this name behind it"))
    }
}
