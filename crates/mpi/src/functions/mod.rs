//! What MPI's functions do: their kinds, and the events of those that have any.
//!
//! To add a function with events: a line in the table of its topic, and what it calls in the file
//! of `support/` of that name where nothing there fits. A function in none of them is timed.

mod collectives;
mod communicators;
mod files;
mod job;
mod kinds;
mod point_to_point;
mod windows;

use collectives::COLLECTIVES;
pub use collectives::Collective;
pub use kinds::kind;

use crate::wrapper::indented;

/// Events of functions.
pub struct Events {
    /// The functions.
    names: &'static [&'static str],
    /// Names for the parameters that the text uses, in order; `_` for the others, and for all that
    /// follow.
    pub parameters: &'static str,
    /// C before the call.
    pub before: &'static str,
    /// C after the call.
    after: &'static str,
    /// Whether that is for a call that has not failed.
    on_success: bool,
    /// Whether a call may have none of them.
    is_quiet: bool,
}

impl Events {
    /// The same, of which a call may have none.
    const fn quiet(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    /// C after the call. What was noted before one that has failed is taken back.
    pub fn after(&self) -> String {
        let Self { before, after, on_success, .. } = *self;
        match (on_success, before.is_empty(), after.is_empty()) {
            (false, ..) => after.to_owned(),
            (true, true, _) => format!("if (result == MPI_SUCCESS) {{\n{}}}", indented(after)),
            (true, false, true) => "if (result != MPI_SUCCESS)\n  pomp_mpi_failed();".to_owned(),
            (true, false, false) => format!(
                "if (result == MPI_SUCCESS) {{\n{}}} else {{\n  pomp_mpi_failed();\n}}",
                indented(after)
            ),
        }
    }
}

const fn events(
    names: &'static [&'static str],
    parameters: &'static str,
    before: &'static str,
    after: &'static str,
) -> Events {
    Events { names, parameters, before, after, on_success: false, is_quiet: false }
}

/// Those of a function that has done nothing where it fails.
const fn on_success(
    names: &'static [&'static str],
    parameters: &'static str,
    before: &'static str,
    after: &'static str,
) -> Events {
    Events { names, parameters, before, after, on_success: true, is_quiet: false }
}

/// Functions with events that are not collective. `f` says whether the call comes from Fortran,
/// `result` is what it returns; a parameter `status` is never one to be ignored.
const EVENTS: [&[Events]; 5] =
    [point_to_point::EVENTS, communicators::EVENTS, windows::EVENTS, files::EVENTS, job::EVENTS];

/// The form of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is done when the function returns.
    Blocking,
    /// `MPI_I...`: it has a request behind its other parameters.
    NonBlocking,
    /// `MPI_..._init`: an info and a request.
    Persistent,
}

/// What a function raises.
pub enum Meaning {
    /// Nothing but its time.
    Timed,
    /// These events.
    Events(&'static Events),
    /// Those of a collective operation.
    Collective(&'static Collective, Form),
}

/// What the function of this name, without `MPI_`, means.
pub fn meaning(name: &str) -> Meaning {
    let name = name.strip_suffix("_c").unwrap_or(name);
    if let Some(events) =
        EVENTS.iter().copied().flatten().find(|events| events.names.contains(&name))
    {
        return Meaning::Events(events);
    }
    match form(name) {
        Some((collective, form)) => Meaning::Collective(collective, form),
        None => Meaning::Timed,
    }
}

/// The kind of a function as pomp_mpi.h has it. It is a quiet one where a call may have nothing in
/// it that somebody would look for in a trace; what moves or finds a message has, event or not.
pub fn routine_kind(name: &str) -> String {
    let is_quiet = match meaning(name) {
        Meaning::Timed => kind(name) != "POINT_TO_POINT",
        Meaning::Events(events) => events.is_quiet,
        Meaning::Collective(..) => false,
    };
    format!("POMP_MPI_{}{}", kind(name), if is_quiet { " | POMP_MPI_QUIET" } else { "" })
}

fn form(name: &str) -> Option<(&'static Collective, Form)> {
    let of = |name: &str| COLLECTIVES.iter().find(|known| known.name == name);
    if let Some(known) = of(name) {
        return Some((known, Form::Blocking));
    }
    if let Some(known) = name.strip_suffix("_init").and_then(of) {
        return Some((known, Form::Persistent));
    }
    let rest = name.strip_prefix('I')?;
    let capital = rest.get(..1)?.to_ascii_uppercase() + rest.get(1..)?;
    of(&capital).map(|known| (known, Form::NonBlocking))
}

/// Whether a function gets a wrapper: not what only converts, what MPI calls itself, nor the
/// interface of tools.
pub fn is_wrapped(name: &str) -> bool {
    let converts = ["_f2c", "_c2f", "_f082c", "_c2f08", "_f082f", "_f2f08"];
    let others = ["Aint_add", "Aint_diff", "DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN"];
    !converts.iter().any(|end| name.ends_with(end))
        && !name.starts_with("T_")
        && !others.contains(&name)
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|letter: char| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_or_answers_is_quiet() {
        let is_quiet = |name: &&str| routine_kind(name).ends_with(" | POMP_MPI_QUIET");
        let quiet = "Iprobe Improbe Test Testany Testsome Testall Request_get_status \
            Request_get_status_any Win_test Parrived Comm_rank Wtime Get_count_c Initialized";
        let others = "Probe Mprobe Wait Waitall Waitsome Send_c Recv Isendrecv Ibcast Barrier \
            Win_wait Put File_write Finalize Comm_dup";
        assert_eq!(quiet.split_whitespace().find(|name| !is_quiet(name)), None);
        assert_eq!(others.split_whitespace().find(is_quiet), None);
    }
}
