//! Where wrappers stand, by the form in which a program has its MPI library: what they are called,
//! and how they find what they call.

/// The names of functions that a library in an archive has.
pub type Has<'a> = &'a dyn Fn(&str) -> bool;

/// Where wrappers stand.
pub enum Target<'a> {
    /// In a shared library in front of the MPI library, another tool's or none: they call the next
    /// library's function of their own name.
    Shared,
    /// In a program that has MPI from archives with these functions. The linker makes every call of
    /// a function one of its wrapper (`--wrap`), and ours one of the function, which may be that of
    /// another tool.
    Wrapped(Has<'a>),
    /// In such a program with shared libraries that call MPI, whose calls no linker changes. The
    /// wrappers have the names of the functions, and call these by their second names.
    Named(Has<'a>),
}

/// How a wrapper comes to the function that it calls.
pub struct Call {
    /// Declares `call`.
    pub declared: String,
    /// Gives it a value where it has none yet.
    pub found: String,
}

impl Target<'_> {
    /// What the wrapper of a C function is called, and how it calls the function; `None` where
    /// there is no such function.
    pub(crate) fn c(&self, name: &str) -> Option<(String, Call)> {
        let plain = format!("MPI_{name}");
        let own = format!("P{plain}");
        match self {
            Self::Shared => {
                let declared = format!(
                    "  static const char *const names[] = {{ \"{plain}\", NULL }};\n  \
                     static __typeof__({own}) *call;\n"
                );
                let found = format!("  if (!call)\n    call = next(names, {own});\n");
                Some((plain, Call { declared, found }))
            }
            Self::Wrapped(has) => {
                (has(&plain) && has(&own)).then(|| (wrapper(&plain), real(&plain, &own)))
            }
            Self::Named(has) => has(&own).then(|| {
                let declared = format!("  __typeof__({own}) *const call = {own};\n");
                (plain, Call { declared, found: String::new() })
            }),
        }
    }

    /// A library that has the name of another and fewer functions can be loaded all the same.
    pub(crate) fn weak(&self, name: &str) -> String {
        match self {
            Self::Shared => format!("#pragma weak PMPI_{name}\n"),
            Self::Wrapped(_) | Self::Named(_) => String::new(),
        }
    }

    /// The same of a Fortran function, which has these names: what the wrapper is called under
    /// each. Where MPI's C functions have second names, its Fortran ones are in a shared library.
    pub(crate) fn fortran(&self, names: &[String]) -> Option<(Vec<String>, Call)> {
        match self {
            Self::Named(has) if names.iter().any(|name| has(name)) => None,
            Self::Shared | Self::Named(_) => {
                let plain = names.first()?;
                let all: String = names.iter().map(|name| format!("\"{name}\", ")).collect();
                let declared = format!(
                    "  static const char *const names[] = {{ {all}NULL }};\n  \
                     static __typeof__({plain}) *call;\n"
                );
                let found = "  if (!call)\n    call = next(names, NULL);\n".to_owned();
                Some((names.to_vec(), Call { declared, found }))
            }
            Self::Wrapped(has) => {
                let there: Vec<&String> = names.iter().filter(|name| has(name)).collect();
                let plain = there.first()?;
                let call = real(plain, &wrapper(plain));
                Some((there.iter().map(|name| wrapper(name)).collect(), call))
            }
        }
    }
}

/// What the linker makes of the name of a function that is wrapped.
fn wrapper(name: &str) -> String {
    format!("__wrap_{name}")
}

/// The call of the function itself, which has the type of `like`.
fn real(name: &str, like: &str) -> Call {
    let declared = format!(
        "  extern __typeof__({like}) __real_{name};\n  \
         __typeof__({like}) *const call = __real_{name};\n"
    );
    Call { declared, found: String::new() }
}

/// The functions that the linker has to wrap for this text of wrappers.
pub fn wrapped(text: &str) -> impl Iterator<Item = &str> {
    let names = text.lines().filter_map(|line| line.split_once(" __wrap_").map(|(_, name)| name));
    names.filter_map(|name| name.split(['(', ' ']).next()).filter(|name| !name.ends_with(')'))
}
