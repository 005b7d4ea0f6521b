//! The C text of the wrappers of a function's Fortran forms: that of `mpif.h` and `use mpi`, under
//! all names that compilers give it, and those of `use mpi_f08`.
//!
//! Every argument is an address. What the events need as a value is read, and a handle is made one
//! of C; anything else is handed on as it is, lengths of texts included, which stand at the end.

use crate::Fortran;
use crate::functions::routine_kind;
use crate::header::{Parameter, Prototype};
use crate::target::{Call, Target};
use crate::wrapper::{Body, indented};

/// The wrappers of a function; none where Fortran has no such subroutine.
pub fn wrappers(function: &Prototype, library: Fortran, target: &Target) -> String {
    if function.name == "Pcontrol" {
        let plain = (library == Fortran::IsItsOwn).then(|| control(&names("pcontrol"), target));
        let f08 = control(&["mpi_pcontrol_f08_".to_owned()], target);
        return [plain, Some(f08)].into_iter().flatten().collect();
    }
    if function.result != "int" || function.parameters.iter().any(Parameter::is_variable) {
        return String::new();
    }
    let function = &with_fortrans_parameters(function);
    let name = function.name.to_lowercase();
    let plain_name = function.name.strip_suffix("_c").unwrap_or(&function.name);
    let gives_address = GIVES_ADDRESS.contains(&plain_name);
    let mut text = String::new();
    if library == Fortran::IsItsOwn {
        text += &wrapper(function, &names(&name), target);
        if gives_address {
            text += &wrapper(function, &names(&format!("{name}_cptr")), target);
        }
    }
    // With a descriptor of a buffer they are called `_f08ts_`, and call the C function.
    let has_buffer = !gives_address && function.parameters.iter().any(Parameter::is_buffer);
    if library == Fortran::IsItsOwn || !has_buffer {
        // A generic name covers counts of both kinds.
        let name = match (library, name.strip_suffix("_c")) {
            (Fortran::CallsC, Some(plain)) => format!("mpi_{plain}_f08_large_"),
            _ => format!("mpi_{name}_f08_"),
        };
        text += &wrapper(function, &[name], target);
    }
    text
}

/// Functions that give an address, which a program has as an integer or as a `type(c_ptr)`: that is
/// another name for each outside of `use mpi_f08`, which knows the latter alone.
const GIVES_ADDRESS: [&str; 4] =
    ["Alloc_mem", "Win_allocate", "Win_allocate_shared", "Win_shared_query"];

/// What compilers call a subroutine of `mpif.h` and `use mpi`, but for a name that is that of C.
fn names(name: &str) -> Vec<String> {
    let upper = format!("MPI_{}", name.to_uppercase());
    vec![format!("mpi_{name}_"), format!("mpi_{name}__"), format!("mpi_{name}"), upper]
}

/// Other names for what has the first of these.
fn aliases(names: &[String], function: &str) -> String {
    let Some((plain, others)) = names.split_first() else { return String::new() };
    let others = others.iter().filter(|other| !other.ends_with(&format!("MPI_{function}")));
    let alias = |other| {
        format!("PUBLIC __typeof__({plain}) {other} __attribute__((alias(\"{plain}\")));\n")
    };
    others.map(alias).collect()
}

/// The one that says something to tools has neither other arguments nor an error.
fn control(names: &[String], target: &Target) -> String {
    let Some((names, _)) = target.fortran(names) else { return String::new() };
    let plain = &names[0];
    format!("\nPUBLIC void {plain}(MPI_Fint *level)\n{{\n  MPI_Pcontrol(*level);\n}}\n")
        + &aliases(&names, "Pcontrol")
}

/// A Fortran program has its arguments from elsewhere.
fn with_fortrans_parameters(function: &Prototype) -> Prototype {
    let mut own = function.clone();
    if matches!(own.name.as_str(), "Init" | "Init_thread") {
        own.parameters.drain(..2);
    }
    own
}

/// The arguments of a subroutine, as text of C.
struct Arguments {
    /// Declared: all of them are addresses.
    declared: String,
    /// Handed on before anything was done to them.
    given: String,
    /// Handed on after that.
    passed: String,
    /// What the events use, as C has it.
    values: String,
}

impl Arguments {
    fn of(function: &Prototype, body: &Body) -> Self {
        let (mut declared, mut given, mut passed) = (Vec::new(), Vec::new(), Vec::new());
        let mut values = String::new();
        for (parameter, name) in function.parameters.iter().zip(&body.names) {
            let is_used = body.is_used(name);
            let address = if is_used { format!("{name}_") } else { name.clone() };
            let value = parameter.value_type().filter(|_| is_used);
            let kind = if value.is_some() { "MPI_Fint" } else { "void" };
            declared.push(format!("{kind} *{address}"));
            given.push(address.clone());
            passed.push(match value {
                Some(_) => address.clone(),
                None if is_used => format!("(void *){name}"),
                None => address.clone(),
            });
            if let Some(of) = value {
                values += &read(of, name, &address);
            } else if is_used {
                values += &format!("{} = {address};\n", pointer(parameter).named(name));
            }
        }
        let texts = function.parameters.iter().filter(|one| one.is_text()).count();
        declared.push("MPI_Fint *error".to_owned());
        declared.extend((0..texts).map(|text| format!("size_t length{text}")));
        let mut behind = vec!["error".to_owned()];
        behind.extend((0..texts).map(|text| format!("length{text}")));
        let joined = |words: Vec<String>| [words, behind.clone()].concat().join(", ");
        Self { declared: declared.join(", "), given: joined(given), passed: joined(passed), values }
    }
}

fn wrapper(function: &Prototype, names: &[String], target: &Target) -> String {
    let Some((names, Call { declared: call, found })) = target.fortran(names) else {
        return String::new();
    };
    let (name, body) = (&names[0], Body::of(function));
    let Arguments { declared, given, passed, values } = Arguments::of(function, &body);
    let (before, after) = (indented(&(values + &body.before)), indented(&body.after));
    let aliases = aliases(&names, &function.name);
    let (function, kind) = (&function.name, routine_kind(&function.name));
    format!(
        "
PUBLIC void {name}({declared})
{{
  static struct pomp_mpi_routine routine = {{ \"MPI_{function}\", {kind}, 0 }};
{call}  enum {{ f = 1 }};
  MPI_Fint own_error;
{found}  if (!error)
    error = &own_error;
  if (!begins(&routine, HERE)) {{
    call({given});
    return;
  }}
{before}  call({passed});
  int result = *error;
  (void)result;
{after}  ends(&routine);
}}
{aliases}"
    )
}

impl Body {
    /// Whether the text uses a parameter of this name.
    fn is_used(&self, name: &str) -> bool {
        name.strip_prefix('a').is_none_or(|rest| rest.parse::<u32>().is_err())
    }
}

/// A value of C from the address that Fortran gives.
fn read(of: &str, name: &str, address: &str) -> String {
    match of.strip_prefix("MPI_") {
        None | Some("Fint") => format!("{of} {name} = *{address};\n"),
        Some("Aint" | "Count" | "Offset") => format!("{of} {name} = *({of} *){address};\n"),
        Some("Datatype") => format!("MPI_Datatype {name} = PMPI_Type_f2c(*{address});\n"),
        Some(handle) => format!("{of} {name} = PMPI_{handle}_f2c(*{address});\n"),
    }
}

/// What an address leads to is Fortran's: handles are integers, and what can be either has no type.
fn pointer(parameter: &Parameter) -> Parameter {
    let is_int = parameter.before.split(' ').any(|word| word == "int");
    let before = if is_int { "const int *" } else { "void *" };
    Parameter { before: before.to_owned(), after: String::new() }
}
