//! Events of user functions: a variable at the beginning of the body, whose initialiser enters the
//! region and whose cleanup leaves it, on every way out: `return`, the closing brace, an exception.
//! It is a declaration, so that in C89 declarations may follow; nothing stands at the end of the
//! body.

use super::bodies::Bodies;
use super::device;
use super::emit::{Emitter, Needs};
use super::insertions::Rank;
use super::outline::{Form, Function};
use crate::directives::{Kind, User};
use crate::functions::{Named, region};
use crate::{Abi, Language, Severity};
use std::borrow::Cow;
use std::fmt::Write;

impl Emitter<'_> {
    /// Gives every function that is wanted its events.
    pub(super) fn functions(&mut self, bodies: &Bodies) {
        if let Some(at) = bodies.unbalanced {
            let message = "the braces of a preprocessor branch do not match: functions that only \
                           it shows are not seen";
            self.note(at, Severity::Hidden, message.to_owned());
        }
        let (mut muted, mut declare_target) = (false, 0);
        let mut directives = self.lexed.directives.iter().peekable();
        for function in &bodies.functions {
            while let Some(found) = directives.next_if(|found| found.span.start < function.open) {
                match &found.kind {
                    Kind::User(User::Suspend) => muted = true,
                    Kind::User(User::Resume) => muted = false,
                    Kind::Declarative | Kind::End => {
                        device::turn(found, &mut declare_target);
                    }
                    _ => {}
                }
            }
            let open = !function.closed && !muted && declare_target == 0;
            if open && !self.lexed.is_system(function.open) && !function.device {
                self.function(function);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let constant = function.form == Form::Constant;
        // Preprocessed text does not say whether the standard lets such a body have variables.
        if constant && (self.options.preprocessed || self.options.language == Language::C) {
            return;
        }
        let lines = (self.positions.line(function.place), self.positions.line(function.close));
        let name = match function.form {
            Form::Lambda => self.name_of_lambda(function, lines.0),
            _ => Cow::Borrowed(function.name.as_str()),
        };
        let named = Named { name: &name, lines, file: self.file(function.place) };
        let Some(region) = region(self.options, named) else { return };
        let number = self.add_region(region);
        self.outcome.functions_instrumented += 1;
        self.enter_function(function, number);
    }

    /// `solve::lambda@12:7`, after its line and column.
    fn name_of_lambda<'n>(&self, function: &Function, line: u32) -> Cow<'n, str> {
        let column = function.place - self.lines.line_start(function.place) + 1;
        let scope = if function.name.is_empty() { "" } else { "::" };
        Cow::Owned(format!("{}{scope}lambda@{line}:{column}", function.name))
    }

    /// Enters a function's region where its body begins, and leaves it on every way out.
    fn enter_function(&mut self, function: &Function, number: usize) {
        let (prefix, region) = (self.prefix, self.accessor(number));
        let string = match self.options.abi {
            Abi::Pomp => String::new(),
            Abi::Pomp2 => format!(",{prefix}s{number}()"),
        };
        let (variable, enter) =
            (format!("{prefix}f{number}"), format!("{prefix}enter({region}{string})"));
        let text = match function.form {
            Form::Constant => format!(" {prefix}constant({variable},{enter})"),
            Form::Lambda => format!(" {}", constant(self.options.abi, prefix, &variable, &enter)),
            Form::Usual => {
                // Clang warns in C about static functions in inline ones that are not.
                let c = self.options.language == Language::C;
                let kind =
                    [if c { "__extension__ " } else { "" }, handle(self.options.abi)].concat();
                format!(" {kind}{variable} __attribute__((cleanup({prefix}leave),unused))={enter};")
            }
        };
        self.insertions.add(function.open, Rank::FIRST, &[&text]);
        self.calls = true;
        let needs = &mut self.needs;
        needs.functions = true;
        needs.lambdas |= function.form == Form::Lambda;
        needs.constants |= function.form == Form::Constant;
    }
}

/// The type that stands for a region.
pub(super) fn handle(abi: Abi) -> &'static str {
    match abi {
        Abi::Pomp => "struct ompregdescr*",
        Abi::Pomp2 => "void**",
    }
}

/// The variable of a function that compilers may evaluate: while they do so, nothing is entered.
pub(super) fn constant(abi: Abi, prefix: &str, variable: &str, enter: &str) -> String {
    let kind = handle(abi);
    format!(
        "{kind}{variable} __attribute__((cleanup({prefix}left),unused))=\
         __builtin_is_constant_evaluated()?__null:{enter};"
    )
}

/// What C++ declares for functions that compilers may evaluate: their cleanup, which has to be a
/// function of that kind, and the macro that is their variable where the standard allows it one.
pub(super) fn declarations(text: &mut String, abi: Abi, prefix: &str, needs: Needs) {
    let (kind, end) = match abi {
        Abi::Pomp => (handle(abi), "POMP_End(*d,__null)"),
        Abi::Pomp2 => (handle(abi), "POMP2_End(*d)"),
    };
    let left = format!(
        "static __inline__ __attribute__((always_inline,unused))constexpr int \
         {prefix}left({kind}*d){{return*d?({end},0):0;}}\n"
    );
    if needs.lambdas {
        text.push_str(&left);
    }
    if needs.constants {
        text.push_str("#if __cplusplus>=201402L\n");
        text.push_str(if needs.lambdas { "" } else { &left });
        let variable = constant(abi, prefix, "f", "e");
        let _ = writeln!(text, "#define {prefix}constant(f,e) {variable}");
        let _ = writeln!(text, "#else\n#define {prefix}constant(f,e)\n#endif");
    }
}
