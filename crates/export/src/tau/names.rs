//! What TAU calls a region. Names of constructs are those of TAU's own measurement of OPARI's
//! events, so that profiles of both can be compared.

use pompeii_model::{Paradigm, Region, Role};

/// What a timer of OpenMP is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// One construct of the source, with file and lines.
    Region,
    /// All constructs of a kind together.
    Construct,
}

/// The timer of a region. It contains no double quote, which ends a name.
pub fn timer(region: &Region, view: View) -> String {
    let name = match region.paradigm {
        Paradigm::OpenMp => openmp(region, view),
        Paradigm::Mpi | Paradigm::Io | Paradigm::Pthread => format!("{}()", region.construct()),
        Paradigm::User if region.source().is_some() => {
            let Region { name, begin_line, end_line, .. } = region;
            format!("{name} [{{{}}} {{{begin_line},0}}-{{{end_line},0}}]", region.file_name())
        }
        _ => region.name.clone(),
    };
    let as_written = |letter: char| match letter {
        '"' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    name.chars().map(as_written).collect()
}

fn openmp(region: &Region, view: View) -> String {
    if region.role == Role::Lock {
        return format!("{} [OpenMP]", region.construct());
    }
    match view {
        View::Construct => format!("{} [OpenMP]", construct(region.role)),
        View::Region if region.source().is_some() => {
            let Region { begin_line, end_line, .. } = region;
            let (words, file) = (region.words(), region.file_name());
            format!("{words} [OpenMP location: file:{file} <{begin_line}, {end_line}>]")
        }
        View::Region => format!("{} [OpenMP]", region.words()),
    }
}

/// The pair of events between which the time of a construct is, where TAU has a name of its own for
/// it. Of two roles with the same name, the first one is that of an imported timer.
pub const PAIRS: [(Role, &str); 12] = [
    (Role::Parallel, "parallel begin/end"),
    (Role::Loop, "for enter/exit"),
    (Role::Section, "section begin/end"),
    (Role::SingleBody, "single begin/end"),
    (Role::Master, "master begin/end"),
    (Role::CriticalBody, "critical begin/end"),
    (Role::Barrier, "barrier enter/exit"),
    (Role::ImplicitBarrier, "barrier enter/exit"),
    (Role::OrderedBody, "ordered begin/end"),
    (Role::TaskCreate, "task create begin/create end"),
    (Role::Task, "task begin/end"),
    (Role::Taskwait, "taskwait begin/end"),
];

/// How the names of all other constructs end.
pub const OTHER_PAIR: &str = " enter/exit";

/// The name of all constructs of a kind together. Constructs that OPARI does not know are named
/// alike.
fn construct(role: Role) -> String {
    let name = PAIRS.iter().find(|(known, _)| *known == role).map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| format!("{}{OTHER_PAIR}", role.as_str()))
}

/// The group of a region.
pub fn group(region: &Region) -> &'static str {
    match region.paradigm {
        Paradigm::OpenMp => "OpenMP",
        Paradigm::Mpi => "MPI",
        Paradigm::Io => "TAU_IO",
        Paradigm::Pthread => "PTHREAD",
        Paradigm::User => "TAU_USER",
        Paradigm::Measurement => "TAU_DEFAULT",
    }
}
