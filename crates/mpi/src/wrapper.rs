//! The C text of one wrapper.

use crate::functions::{self, Collective, Form, Meaning};
use crate::header::Prototype;
use crate::target::{Call, Target};

/// What stands around a call.
pub struct Body {
    /// Names of the parameters, in order.
    pub names: Vec<String>,
    /// C before the call.
    pub before: String,
    /// C after it.
    pub after: String,
}

impl Body {
    /// That of a function.
    pub fn of(function: &Prototype) -> Self {
        let (parameters, before, after) = match functions::meaning(&function.name) {
            Meaning::Timed => (String::new(), String::new(), String::new()),
            Meaning::Events(events) => {
                (events.parameters.into(), events.before.into(), events.after())
            }
            Meaning::Collective(collective, form) => {
                let amount = format!("struct collective amount = {};\n", collective.amount);
                let own = collective.parameters;
                let posted = |id: &str, whom: &str| {
                    format!("collective_posted(&amount, {whom}, {id}, request, result, f);")
                };
                match form {
                    Form::Blocking if awaited(collective) == "NEIGHBOURS" => (
                        own.into(),
                        amount + "struct meeting *meeting = neighbours_meet(&amount);",
                        "neighbours_met(&amount, meeting, result);".into(),
                    ),
                    Form::Blocking => (
                        own.into(),
                        amount + "collective_begins();",
                        format!("collective_ends(&amount, {}, result);", awaited(collective)),
                    ),
                    Form::NonBlocking => (
                        format!("{own} request"),
                        amount + "uint64_t id = pomp_mpi_icollective();",
                        posted("id", awaited(collective)),
                    ),
                    Form::Persistent => {
                        (format!("{own} _ request"), amount, posted("0", awaited(collective)))
                    }
                }
            }
        };
        let mut said = parameters.split_whitespace();
        let names = (0..function.parameters.len()).map(|place| match said.next() {
            None | Some("_") => format!("a{place}"),
            Some(name) => name.to_owned(),
        });
        let mut body = Self { names: names.collect(), before, after };
        if body.uses("status") {
            let own = "MPI_Status own;\nif (is_ignored(status, f))\n  status = (void *)&own;\n";
            body.before = own.to_owned() + &body.before;
        }
        body
    }

    /// Whether a parameter has this name.
    pub fn uses(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// For whom processes wait in a collective operation. Neighbours wait for neighbours alone: a
/// message of ours to all would tie them to the others.
fn awaited(operation: &Collective) -> &'static str {
    match operation.kind {
        _ if operation.name.starts_with("Neighbor") => "NEIGHBOURS",
        _ if ["Scan", "Exscan"].contains(&operation.name) => "LOWER_RANKS",
        "BARRIER" | "ALL_TO_ALL" => "EVERYBODY",
        "ONE_TO_ALL" => "ROOT",
        "ALL_TO_ONE" => "OTHERS",
        _ => "NOBODY",
    }
}

/// The wrapper of a C function; none where the MPI library has no such function.
pub fn of_c(function: &Prototype, target: &Target) -> Option<String> {
    let Prototype { name, result, parameters } = function;
    let (defined, Call { declared: call, found }) = target.c(name)?;
    let body = Body::of(function);
    let declared = parameters.iter().zip(&body.names).map(|(one, name)| one.named(name));
    let declared = match parameters.is_empty() {
        true => "void".to_owned(),
        false => declared.collect::<Vec<_>>().join(", "),
    };
    let fixed = parameters.iter().zip(&body.names).filter(|(one, _)| !one.is_variable());
    let arguments = fixed.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
    let kind = functions::routine_kind(name);
    // The length of a text, which only Fortran hands over.
    let length = if body.after.contains("length0") { "  enum { length0 = 0 };\n" } else { "" };
    let (before, after) = (indented(&body.before), indented(&body.after));
    let weak = target.weak(name);
    Some(format!(
        "
#undef MPI_{name}
{weak}PUBLIC {result} {defined}({declared})
{{
  static struct pomp_mpi_routine routine = {{ \"MPI_{name}\", {kind}, 0 }};
{call}  enum {{ f = 0 }};
{length}{found}  if (!begins(&routine, HERE))
    return call({arguments});
{before}  {result} result = call({arguments});
{after}  ends(&routine);
  return result;
}}
"
    ))
}

/// Lines of the body of a function.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
