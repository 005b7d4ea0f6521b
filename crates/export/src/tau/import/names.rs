//! What region a timer of TAU stands for: the names of its measurements of OPARI's and OMPT's
//! events, of MPI, and of functions with their place. Names that `tau/names.rs` makes come back as
//! what they were made of.

use pompeii_model::{MEASUREMENT_OFF, Paradigm, Region, Role};

use super::super::names::{OTHER_PAIR, PAIRS};

/// Timers of OMPT's events: how the names begin after `OpenMP_`, longer ones first.
const OMPT: [(&str, Role); 20] = [
    ("Parallel_Region", Role::Parallel),
    ("Task", Role::Task),
    ("Master", Role::Master),
    ("Work_Loop", Role::Loop),
    ("Work_Sections", Role::Sections),
    ("Work_Single_Executor", Role::Single),
    ("Work_Single_Other", Role::Single),
    ("Work_Workshare", Role::Workshare),
    ("Work_Distribute", Role::Distribute),
    ("Work_Taskloop", Role::Taskloop),
    ("Work_Scope", Role::Scope),
    ("Sync_Region_Barrier_Explicit", Role::Barrier),
    ("Sync_Region_Barrier", Role::ImplicitBarrier),
    ("Sync_Region_Taskwait", Role::Taskwait),
    ("Sync_Region_Taskgroup", Role::TaskgroupEnd),
    ("Mutex_Waiting_Critical", Role::Critical),
    ("Mutex_Acquired_Critical", Role::CriticalBody),
    ("Mutex_Waiting_Atomic", Role::Atomic),
    ("Mutex_Waiting_Ordered", Role::Ordered),
    ("Target", Role::Target),
];

/// The region of a timer.
pub fn region(name: &str) -> Region {
    if [super::TASKS, MEASUREMENT_OFF].contains(&name) {
        return Region::artificial(name);
    }
    if let Some(words) = name.strip_suffix(" [OpenMP]") {
        return openmp(words, ("", 0, 0));
    }
    if let Some((words, place)) = name.split_once(" [OpenMP location: file:") {
        return openmp(words, angled(place));
    }
    if let Some(known) = name.strip_prefix("OpenMP_").and_then(ompt) {
        return known;
    }
    if let Some(function) = name.strip_prefix("MPI_") {
        return mpi(function.trim_end_matches("()"));
    }
    let (words, place) = braced(name);
    placed(Region { name: words.to_owned(), ..of(Role::Function, Paradigm::User) }, place)
}

/// Where a construct is: file, first and last line.
type Lines<'a> = (&'a str, u32, u32);

fn of(role: Role, paradigm: Paradigm) -> Region {
    Region { role, paradigm, ..Region::artificial("") }
}

fn placed(region: Region, (file, begin_line, end_line): Lines<'_>) -> Region {
    Region { file: file.to_owned(), begin_line, end_line, ..region }
}

/// A construct by its words: `for`, `for enter/exit`, `parallel (parallel begin)`.
fn openmp(words: &str, place: Lines<'_>) -> Region {
    if words.starts_with("omp_") {
        return placed(
            Region { name: words.to_owned(), ..of(Role::Lock, Paradigm::OpenMp) },
            place,
        );
    }
    let known = words.strip_prefix("untied ").unwrap_or(words);
    match pair(known).or_else(|| named(known)) {
        Some(role @ (Role::SingleBody | Role::CriticalBody | Role::OrderedBody)) => {
            construct_at(&words.replacen(" body", " sblock", 1), role, place)
        }
        Some(role) => construct_at(words, role, place),
        None => placed(Region { name: words.to_owned(), ..of(Role::User, Paradigm::User) }, place),
    }
}

fn construct_at(construct: &str, role: Role, place: Lines<'_>) -> Region {
    let region = placed(of(role, Paradigm::OpenMp), place);
    let source = region.source().map(|source| format!(" @{source}")).unwrap_or_default();
    Region { name: format!("!$omp {construct}{source}"), ..region }
}

/// The role that all constructs of a kind have.
fn pair(words: &str) -> Option<Role> {
    let own = PAIRS.iter().find(|(_, name)| *name == words).map(|(role, _)| *role);
    own.or_else(|| Role::from_name(words.strip_suffix(OTHER_PAIR)?))
}

/// The role with whose name the words begin, the longest one: `single body` is not `single`.
fn named(words: &str) -> Option<Role> {
    let words = words.replacen(" body", " sblock", 1);
    let begins = |name: &&str| {
        let rest = words.strip_prefix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let length = |role: &Role| role.names().iter().filter(|it| begins(it)).map(|it| it.len()).max();
    let lengths = Role::ALL.iter().filter_map(|role| Some((length(role)?, *role)));
    lengths.max_by_key(|(length, _)| *length).map(|(_, role)| role)
}

/// A construct that the OpenMP library has reported: `Work_Loop main [{/a/b.c} {12,0}]`.
fn ompt(name: &str) -> Option<Region> {
    let (words, place) = braced(name);
    let (kind, function) = words.split_once(' ').unwrap_or((words, ""));
    let begins = |known: &&(&str, Role)| {
        let rest = kind.strip_prefix(known.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let (_, role) = OMPT.iter().find(begins)?;
    let mut region = construct_at(role.names().first()?, *role, place);
    if !function.is_empty() && !function.starts_with("ADDR ") {
        region.place_in(function);
    }
    Some(region)
}

/// A function of MPI, whose name is without `MPI_`.
fn mpi(function: &str) -> Region {
    let role = match pompeii_mpi::kind(function) {
        "BARRIER" => Role::Barrier,
        "POINT_TO_POINT" => Role::PointToPoint,
        "ONE_TO_ALL" => Role::OneToAll,
        "ALL_TO_ONE" => Role::AllToOne,
        "ALL_TO_ALL" => Role::AllToAll,
        "COLLECTIVE" => Role::Collective,
        "ONE_SIDED" => Role::OneSided,
        "FILE" | "FILE_COLLECTIVE" => Role::File,
        _ => Role::Function,
    };
    Region { name: format!("MPI_{function}"), ..of(role, Paradigm::Mpi) }
}

/// `FILE <BEGIN, END>]`
fn angled(text: &str) -> Lines<'_> {
    let Some((file, lines)) = text.rsplit_once(" <") else {
        return (text.trim_end_matches(']'), 0, 0);
    };
    let mut numbers = lines.trim_end_matches([']', '>']).split(',');
    let mut line = || numbers.next().and_then(|it| it.trim().parse().ok()).unwrap_or(0);
    (file, line(), line())
}

/// `WORDS [{FILE} {LINE,COLUMN}-{LINE,COLUMN}]`: the words, and the place if there is one.
fn braced(name: &str) -> (&str, Lines<'_>) {
    let place = || {
        let (words, rest) = name.strip_suffix(']')?.rsplit_once(" [{")?;
        let (file, lines) = rest.split_once('}')?;
        let mut lines = lines.split('-').map(|line| {
            let digits = line.trim().trim_start_matches('{').split([',', '}']).next();
            digits.and_then(|digits| digits.trim().parse().ok()).unwrap_or(0)
        });
        let begin = lines.next().unwrap_or(0);
        Some((words, (file, begin, lines.next().unwrap_or(begin))))
    };
    place().unwrap_or((name, ("", 0, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tau::View;
    use crate::tau::names::timer;
    use expect_test::expect;

    #[test]
    fn timers_of_all_measurements_are_regions() {
        let names = [
            "main",
            "int main(int, char **) C [{/home/me/a.c} {12,1}-{30,1}]",
            "solve [{solve.f90} {7}]",
            "for enter/exit [OpenMP]",
            "atomic enter/exit [OpenMP]",
            "critical begin/end [OpenMP]",
            "untied task create begin/create end [OpenMP]",
            "omp_set_lock [OpenMP]",
            "inst region begin/end [OpenMP]",
            "for [OpenMP location: file:stommel.c <252, 260>]",
            "parallel begin/end [OpenMP location: file:/a/b.c <3, 9>]",
            "parallel (parallel fork/join) [OpenMP location: file:b.c <3, 9>]",
            "single body [OpenMP location: file:b.c <4, 5>]",
            "implicit barrier [OpenMP location: file:b.c <9, 9>]",
            "OpenMP_Work_Loop main._omp_fn.0 [{/a/b.c} {12,0}]",
            "OpenMP_Sync_Region_Barrier_Implicit_Workshare ADDR 0x1f",
            "OpenMP_Implicit_Task main",
            "MPI_Sendrecv()",
            "MPI_Init_thread()",
            "MPI_Iallreduce()",
            "TASKS",
        ];
        let shown = names.map(|name| {
            let it = region(name);
            let place = format!("{}:{}-{}", it.file, it.begin_line, it.end_line);
            format!("{} | {:?} {:?} | {place} {}\n", it.name, it.paradigm, it.role, it.clauses)
        });
        expect![[r#"
            main | User Function | :0-0 
            int main(int, char **) C | User Function | /home/me/a.c:12-30 
            solve | User Function | solve.f90:7-7 
            !$omp for enter/exit | OpenMp Loop | :0-0 
            !$omp atomic enter/exit | OpenMp Atomic | :0-0 
            !$omp critical begin/end | OpenMp CriticalBody | :0-0 
            !$omp untied task create begin/create end | OpenMp TaskCreate | :0-0 
            omp_set_lock | OpenMp Lock | :0-0 
            inst region begin/end | User User | :0-0 
            !$omp for @stommel.c:252 | OpenMp Loop | stommel.c:252-260 
            !$omp parallel begin/end @b.c:3 | OpenMp Parallel | /a/b.c:3-9 
            !$omp parallel (parallel fork/join) @b.c:3 | OpenMp Parallel | b.c:3-9 
            !$omp single sblock @b.c:4 | OpenMp SingleBody | b.c:4-5 
            !$omp implicit barrier @b.c:9 | OpenMp ImplicitBarrier | b.c:9-9 
            !$omp for @b.c:12 | OpenMp Loop | /a/b.c:12-12 in(main._omp_fn.0)
            !$omp implicit barrier | OpenMp ImplicitBarrier | :0-0 
            OpenMP_Implicit_Task main | User Function | :0-0 
            MPI_Sendrecv | Mpi PointToPoint | :0-0 
            MPI_Init_thread | Mpi Function | :0-0 
            MPI_Iallreduce | Mpi AllToAll | :0-0 
            TASKS | Measurement Artificial | :0-0 
        "#]]
        .assert_eq(&shown.concat());
    }

    /// The names of `tau/names.rs` have the same timers after an import.
    #[test]
    fn regions_come_back() {
        let places = [("", 0, 0), ("b.c", 3, 9)];
        let constructs =
            Role::ALL.iter().flat_map(|role| role.names().iter().map(move |it| (it, *role)));
        for (construct, role) in constructs {
            for place in places {
                let made = construct_at(construct, role, place);
                let name = timer(&made, View::Region);
                assert_eq!(region(&name), made, "{name}");
                let name = timer(&made, View::Construct);
                assert_eq!(timer(&region(&name), View::Construct), name);
                assert_eq!(timer(&region(&name), View::Region), name);
            }
        }
    }
}
