//! Regions: what a visit can be a visit of. Names, roles and paradigms are those of Score-P and
//! Cube, so that reports and scripts written for those find what they look for.

use crate::role::Role;
use crate::short_name::short_name;

/// The programming model that a region belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paradigm {
    /// The measurement itself: artificial roots.
    Measurement,
    /// User functions and user regions.
    User,
    /// OpenMP constructs and runtime routines.
    OpenMp,
    /// MPI functions.
    Mpi,
    /// Functions of the C library that read and write files.
    Io,
    /// Functions of POSIX threads.
    Pthread,
}

impl Paradigm {
    /// All values, in the order of their declaration.
    pub const ALL: &[Paradigm] =
        &[Self::Measurement, Self::User, Self::OpenMp, Self::Mpi, Self::Io, Self::Pthread];

    /// The word that Cube reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Paradigm::Measurement => "measurement",
            Paradigm::User => "user",
            Paradigm::OpenMp => "openmp",
            Paradigm::Mpi => "mpi",
            Paradigm::Io => "io",
            Paradigm::Pthread => "pthread",
        }
    }

    /// The value whose word in Cube reports is `text`.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.as_str() == text)
    }
}

/// One construct, function or user region of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Display name, e.g. `!$omp parallel @ocean.c:118`.
    pub name: String,
    /// The kind of construct.
    pub role: Role,
    /// The programming model.
    pub paradigm: Paradigm,
    /// Source file as the compiler was given it; empty where unknown.
    pub file: String,
    /// First line, 1-based; 0 where unknown.
    pub begin_line: u32,
    /// Last line, 1-based; 0 where unknown.
    pub end_line: u32,
    /// Where it is and how it runs: `in(FUNCTION)`, clauses as they were written, and words of the
    /// instrumenter's, with blanks between; see [`Region::function`], [`Region::written_clauses`]
    /// and [`Region::includes_barrier`].
    pub clauses: String,
}

/// Name of the artificial region that has the time without recording.
pub const MEASUREMENT_OFF: &str = "MEASUREMENT OFF";

/// The value that stands for those of a parameter that are not told apart.
pub const PARAMETER_OTHERS: &str = "others";

/// The parameter of a call path in Cube's files that names the function which calls a routine.
pub const CALLER_PARAMETER: &str = "caller";

/// The word among the clauses of a function that was not instrumented but sampled.
pub const SAMPLED: &str = "sampled";
/// The word next to it of a function in a library of the system: of C, of the compiler, of OpenMP.
pub const OF_SYSTEM: &str = "of_system";

/// Words of the instrumenter's among the clauses, and of ours.
const OWN_WORDS: [&str; 10] = [
    "timed",
    "calls",
    "function",
    BARRIER_INCLUDED,
    ON_HOST,
    RESULTS_USED,
    SAMPLED,
    OF_SYSTEM,
    LIBGOMP,
    OMPT,
];
const RESULTS_USED: &str = "results_used";
const BARRIER_INCLUDED: &str = "barrier_included";
const ON_HOST: &str = "on_host";
/// The runtime's word for a region that is known by a call of gcc's OpenMP library.
const LIBGOMP: &str = "libgomp";
/// The same for a region that LLVM's or Intel's OpenMP library has reported.
const OMPT: &str = "ompt";

/// Begins the word that names the function around; it is the first one.
const IN: &str = "in(";

/// Begins the word that names the callers of the function around.
const FROM: &str = "from(";

/// Begins the word that tells how the iterations of a loop were shared in the run, where only the
/// run knows it: `schedule(runtime)`.
pub(crate) const RUNS: &str = "runs(";

/// Between the callers: no name has it.
const NEXT: char = ';';

fn function_word(clauses: &str) -> Option<&str> {
    clauses.split(' ').next().filter(|word| word.starts_with(IN) && word.ends_with(')'))
}

/// A name as a part of a word among clauses. Blanks separate those, so they are left out, or
/// become `_` between two words.
fn without_blanks(name: &str) -> String {
    let mut word = String::new();
    for part in name.split_whitespace() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if word.ends_with(is_name) && part.starts_with(is_name) {
            word.push('_');
        }
        word += part;
    }
    word
}

impl Region {
    /// A region that stands for no source: a root such as `TASKS`.
    pub fn artificial(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            role: Role::Artificial,
            paradigm: Paradigm::Measurement,
            file: String::new(),
            begin_line: 0,
            end_line: 0,
            clauses: String::new(),
        }
    }

    /// The last component of the source file's path, or an empty string.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or("")
    }

    /// `file:line` of the region's begin, or `None` if the file or the line is unknown. Some
    /// writers name a library or the program as the file of its functions, with line 0.
    pub fn source(&self) -> Option<String> {
        let is_known = !self.file.is_empty() && self.begin_line > 0;
        is_known.then(|| format!("{}:{}", self.file_name(), self.begin_line))
    }

    /// The function around the region: around a construct, or of the call of a routine.
    pub fn function(&self) -> Option<&str> {
        function_word(&self.clauses).and_then(|word| word.strip_prefix(IN)?.strip_suffix(')'))
    }

    /// The function around the region, `in(FUNCTION)` among the clauses.
    pub fn place_in(&mut self, function: &str) {
        let mut word = format!("{IN}{})", without_blanks(function));
        if !self.clauses.is_empty() {
            word.push(' ');
        }
        self.clauses.insert_str(0, &word);
    }

    /// The functions that had called the one around the region when the region was entered for the
    /// first time, the innermost one first; `main` is none of them. Empty where unknown.
    pub fn callers(&self) -> impl Iterator<Item = &str> {
        let words = self.clauses.split(' ');
        let callers =
            words.filter_map(|word| word.strip_prefix(FROM)?.strip_suffix(')')).next_back();
        callers.into_iter().flat_map(|callers| callers.split(NEXT))
    }

    /// The callers of the function around the region: the word `from(INNER;OUTER)` at the end of
    /// the clauses.
    pub fn call_from(&mut self, callers: &[String]) {
        let names: Vec<String> = callers.iter().map(|name| without_blanks(name)).collect();
        if names.is_empty() {
            return;
        }
        if !self.clauses.is_empty() {
            self.clauses.push(' ');
        }
        self.clauses += &format!("{FROM}{})", names.join(&NEXT.to_string()));
    }

    /// How the iterations of a loop are shared among threads: `static`, `dynamic,1`, `guided,4`.
    /// The chunk is as it is written. Empty where it is not known, and for other constructs.
    pub fn schedule(&self) -> String {
        if self.role == Role::Loop { crate::schedule::of(&self.clauses) } else { String::new() }
    }

    /// Of a routine of MPI, a lock routine, or a function for files or of POSIX threads, whether it
    /// stands for the calls from one place: then function, file and line are those of the call.
    pub fn is_call_site(&self) -> bool {
        self.is_routine() && self.function().is_some()
    }

    /// Whether it is a routine that may be called from several places.
    pub fn is_routine(&self) -> bool {
        matches!(self.paradigm, Paradigm::Mpi | Paradigm::Io | Paradigm::Pthread)
            || self.role == Role::Lock
    }

    /// A routine without the place that it is called from: what files have as region.
    pub fn routine(&self) -> Self {
        let (file, clauses) = (String::new(), String::new());
        Self { file, clauses, begin_line: 0, end_line: 0, ..self.clone() }
    }

    /// The file with the address of a construct, `libsolver.so+0x1200`. Only constructs of programs
    /// that were not instrumented and have no line numbers are known by it.
    fn address(&self) -> Option<&str> {
        let (_, place) = self.name.split_once(" @").filter(|_| self.begin_line == 0)?;
        Some(place)
    }

    /// Where the region begins: the line, or without line numbers the address of the construct.
    pub fn position(&self) -> Option<String> {
        self.source().or_else(|| self.address().map(str::to_owned))
    }

    /// What all regions of one construct, and the halves of a combined one, have in common: file
    /// and line, or without line numbers the address.
    pub fn begin(&self) -> (&str, u32, Option<&str>) {
        (&self.file, self.begin_line, self.address())
    }

    /// What people look for in the source: `CalcForce lulesh.cc:782`, or without the function where
    /// it is not known; empty where the source is unknown. Without line numbers the address tells
    /// the constructs of one function apart: `CalcForce lulesh+0x1200`.
    pub fn place(&self) -> String {
        match (self.function(), self.position()) {
            (Some(function), Some(position)) if function != position => {
                format!("{} {position}", short_name(function))
            }
            (Some(function), _) => short_name(function).into_owned(),
            (None, position) => position.unwrap_or_default(),
        }
    }

    /// What people read in place of the name: construct or routine, and its place. It is the same
    /// in all languages: `parallel for CalcForce lulesh.cc:782`, `do solve solve.f90:12`. What is a
    /// function itself has its name alone.
    pub fn label(&self) -> String {
        let has_place = self.paradigm == Paradigm::OpenMp || self.is_routine();
        let place = if has_place { self.place() } else { String::new() };
        let words = self.words();
        if place.is_empty() { words } else { format!("{words} {place}") }
    }

    /// The construct as people call it: Score-P's `sblock` is the body of a construct.
    pub fn words(&self) -> String {
        match self.role {
            Role::SingleBody | Role::CriticalBody | Role::OrderedBody => {
                self.construct().replacen("sblock", "body", 1)
            }
            _ => short_name(self.construct()).into_owned(),
        }
    }

    /// The construct in the user's words: the name without `!$omp ` and the place.
    pub fn construct(&self) -> &str {
        let name = self.name.strip_prefix("!$omp ").unwrap_or(&self.name);
        name.split(" @").next().unwrap_or(name)
    }

    /// Whether other code of the parallel region uses what the construct stores, as far as the
    /// instrumenter can tell from the text.
    pub fn results_are_used(&self) -> bool {
        self.clauses.split(' ').any(|word| word == RESULTS_USED)
    }

    /// Whether an ordered construct posts an iteration of a doacross loop: others wait for this,
    /// and the construct itself does not wait. Fortran may write the clause in any case.
    pub fn posts_iteration(&self) -> bool {
        let posts = |word: &str| {
            let word = word.to_ascii_lowercase();
            word.starts_with("depend(source") || word.starts_with("doacross(source")
        };
        self.role == Role::Ordered && self.clauses.split(' ').any(posts)
    }

    /// The clauses that the user wrote.
    pub fn written_clauses(&self) -> String {
        let skipped = usize::from(function_word(&self.clauses).is_some());
        let words = self.clauses.split(' ').skip(skipped);
        let is_own = |word: &&str| {
            OWN_WORDS.contains(word) || word.starts_with(FROM) || word.starts_with(RUNS)
        };
        words.filter(|word| !is_own(word)).collect::<Vec<_>>().join(" ")
    }

    /// Whether it has the time without recording.
    pub fn is_measurement_off(&self) -> bool {
        self.role == Role::Artificial && self.name == MEASUREMENT_OFF
    }

    /// Of a parameter's value, which is named `name=value`, these two.
    pub fn parameter(&self) -> Option<(&str, &str)> {
        self.name.split_once('=').filter(|_| self.role == Role::Parameter)
    }

    /// Whether the construct kept its implicit barrier: waiting there is in its own time.
    pub fn includes_barrier(&self) -> bool {
        self.clauses.split(' ').any(|word| word == BARRIER_INCLUDED)
    }

    /// Whether it is a function that was not instrumented but sampled: it has no visits, and its
    /// time is an estimate.
    pub fn is_sampled(&self) -> bool {
        self.role == Role::Function && self.clauses.split(' ').any(|word| word == SAMPLED)
    }

    /// Whether it is a sampled function of a library of the system, such as `memcpy`: what a
    /// programmer can change is the code that calls it.
    pub fn is_of_system(&self) -> bool {
        self.is_sampled() && self.clauses.split(' ').any(|word| word == OF_SYSTEM)
    }

    /// Whether it is a parallel region of a program that was not instrumented, and whose calls of
    /// gcc's OpenMP library were observed.
    pub fn is_seen_by_libgomp(&self) -> bool {
        self.role == Role::Parallel && self.clauses.split(' ').any(|word| word == LIBGOMP)
    }

    /// The same for one whose OpenMP library has reported its constructs.
    pub fn is_seen_by_ompt(&self) -> bool {
        self.role == Role::Parallel && self.clauses.split(' ').any(|word| word == OMPT)
    }

    /// Whether it is a `target` construct of a program that found no device.
    pub fn is_on_host(&self) -> bool {
        self.role == Role::Target && self.clauses.split(' ').any(|word| word == ON_HOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_posts_an_iteration_and_a_sink_does_not() {
        let posts = |role, clauses: &str| {
            let clauses = clauses.to_owned();
            Region { role, clauses, ..Region::artificial("") }.posts_iteration()
        };
        assert!(posts(Role::Ordered, "depend(source)"));
        assert!(posts(Role::Ordered, "in(sweep) doacross(source:omp_cur_iteration)"));
        assert!(posts(Role::Ordered, "in(sweep) DEPEND(SOURCE)"));
        assert!(!posts(Role::Ordered, "in(depend) depend(sink:i-1)"));
        assert!(!posts(Role::Ordered, "") && !posts(Role::Task, "depend(source)"));
    }

    #[test]
    fn a_region_names_its_place_and_construct() {
        let region = Region {
            name: "!$omp parallel @ocean.c:118".into(),
            role: Role::Parallel,
            paradigm: Paradigm::OpenMp,
            file: "src/ocean.c".into(),
            begin_line: 118,
            end_line: 131,
            clauses: "in(Sea::flow<2>) schedule(static, 4) barrier_included".into(),
        };
        assert_eq!(region.source().as_deref(), Some("ocean.c:118"));
        assert_eq!(region.construct(), "parallel");
        assert_eq!(region.written_clauses(), "schedule(static, 4)");
        assert_eq!(region.function(), Some("Sea::flow<2>"));
        assert_eq!(region.label(), "parallel Sea::flow<2> ocean.c:118");
        let mut call = Region { paradigm: Paradigm::Mpi, ..region.clone() };
        assert!(call.is_call_site() && !call.routine().is_call_site());
        let lock = Region { role: Role::Lock, ..region.clone() };
        assert!(lock.is_call_site() && !lock.routine().is_call_site() && !region.is_call_site());
        (call.name, call.clauses) = ("MPI_Send".into(), String::new());
        call.place_in("Map<int, long int>::operator bool");
        assert_eq!(call.label(), "MPI_Send Map<int,long_int>::operator_bool ocean.c:118");
        assert_eq!(call.routine().label(), "MPI_Send");
        call.call_from(&["step<int, 2>".into(), "solve".into()]);
        assert_eq!(call.callers().collect::<Vec<_>>(), ["step<int,2>", "solve"]);
        assert_eq!((call.written_clauses().as_str(), region.callers().count()), ("", 0));
        let seen = Region { clauses: "in(f) libgomp".into(), ..region.clone() };
        assert!(seen.is_seen_by_libgomp() && !region.is_seen_by_libgomp());
        let reported = Region { clauses: "in(f) ompt".into(), ..region.clone() };
        assert!(reported.is_seen_by_ompt() && !seen.is_seen_by_ompt());
        assert_eq!(reported.written_clauses(), "");
        assert_eq!(seen.written_clauses(), "");
        assert_eq!(
            (region.position(), region.begin()),
            (region.source(), ("src/ocean.c", 118, None))
        );
        let elsewhere = Region { clauses: "in_reduction(+:x)".into(), ..region.clone() };
        assert_eq!((elsewhere.function(), &*elsewhere.label()), (None, "parallel ocean.c:118"));
        assert_eq!(elsewhere.written_clauses(), "in_reduction(+:x)");
        assert!(region.includes_barrier() && !Region::artificial("TASKS").includes_barrier());
        let body = "!$omp critical sblock (sum) @ocean.c:118".to_owned();
        let body = Region { name: body, role: Role::CriticalBody, ..region.clone() };
        assert_eq!(body.label(), "critical body (sum) Sea::flow<2> ocean.c:118");
        let sampled = Region { role: Role::Function, clauses: SAMPLED.into(), ..region.clone() };
        assert!(sampled.is_sampled() && !region.is_sampled());
        assert_eq!(sampled.written_clauses(), "");
        let of_system = Region { clauses: "sampled of_system".into(), ..sampled.clone() };
        assert!(of_system.is_of_system() && of_system.is_sampled() && !sampled.is_of_system());
        assert_eq!(of_system.written_clauses(), "");
        let clauses = "map(a) on_host".to_owned();
        let target = Region { clauses, role: Role::Target, ..region };
        assert_eq!((target.is_on_host(), target.written_clauses()), (true, "map(a)".to_owned()));
    }

    /// Of a program that was compiled without `-g`, or that was stripped.
    #[test]
    fn constructs_without_lines_are_told_apart_by_their_addresses() {
        let region = |name: &str, clauses: &str| {
            let (role, paradigm) = (Role::Critical, Paradigm::OpenMp);
            let (name, clauses) = (name.to_owned(), clauses.to_owned());
            Region { name, role, paradigm, clauses, ..Region::artificial("") }
        };
        let first = region("!$omp critical (sum) @ocean+0x1200", "in(main)");
        let second = region("!$omp critical @ocean+0x1240", "in(main)");
        assert_eq!(first.label(), "critical (sum) main ocean+0x1200");
        assert_eq!(second.position().as_deref(), Some("ocean+0x1240"));
        assert_ne!(first.begin(), second.begin());
        let body = region("!$omp critical sblock (sum) @ocean+0x1200", "in(main)");
        assert_eq!(first.begin(), body.begin());
        let stripped = region("!$omp critical @ocean+0x1240", "in(ocean+0x1240)");
        assert_eq!(stripped.label(), "critical ocean+0x1240");
        assert_eq!((stripped.source(), Region::artificial("TASKS").position()), (None, None));
    }
}
