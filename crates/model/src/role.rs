//! Roles: what kind of construct a region is. This is the table that all crates share: live state,
//! traces, reports and the guard take what they need to know of a construct from its row.
//!
//! To add a kind of region for a directive: a row in `openmp_roles`, after that of the most similar
//! one. Its column `names` is what the runtime calls such regions
//! (`runtime/src/descriptor/slot.rs`).

/// Calls the macro with this name with one row for each kind of region of OpenMP:
/// `Role: "word" ["names"] Otf2 ROLE Short Code,`
///
/// * word: the role in Cube's files,
/// * names: how the names of such regions begin after `!$omp `; none for routines,
/// * the role in OTF2's files. OTF2 has fewer roles: a reader takes a region for the one that has
///   the role as its `Own`, unless its name begins with those of one that `Shares` the role,
/// * what the guard may sum, see `live::Summable`: `Alone` if nothing is measured inside of it,
///   `WithBody` if that is true of its body, and `Never`,
/// * who executes the user's code that lies directly in such a region: see [`Code`].
#[macro_export]
macro_rules! openmp_roles {
    ($rows:ident) => {
        $rows! {
            Parallel: "parallel" ["parallel"] Own PARALLEL Never Each,
            Loop: "loop" ["for", "do"] Own LOOP Never Each,
            Sections: "sections" ["sections"] Own SECTIONS Never Each,
            Section: "section" ["section"] Own SECTION Alone Unit,
            Workshare: "workshare" ["workshare"] Own WORKSHARE Never Each,
            Single: "single" ["single"] Own SINGLE WithBody AroundOne,
            SingleBody: "single sblock" ["single sblock"] Own SINGLE_SBLOCK Never One,
            Master: "master" ["master"] Own MASTER Alone One,
            Critical: "critical" ["critical"] Own CRITICAL WithBody AroundTurn,
            CriticalBody: "critical sblock" ["critical sblock"] Own CRITICAL_SBLOCK Never Turn,
            Atomic: "atomic" ["atomic"] Own ATOMIC Alone Nothing,
            Barrier: "barrier" ["barrier"] Own BARRIER Never Nothing,
            ImplicitBarrier:
                "implicit barrier" ["implicit barrier"] Own IMPLICIT_BARRIER Never Nothing,
            Task: "task" ["task"] Own TASK Never Unit,
            TaskCreate: "task create" ["create task"] Own TASK_CREATE Never AroundUnit,
            Taskwait: "taskwait" ["taskwait"] Own TASK_WAIT Never Nothing,
            Lock: "lock" [] Shares WRAPPER Alone Nothing,
            Ordered: "ordered" ["ordered"] Own ORDERED WithBody AroundTurn,
            OrderedBody: "ordered sblock" ["ordered sblock"] Own ORDERED_SBLOCK Never Turn,
            Flush: "flush" ["flush"] Own FLUSH Alone Nothing,
            Masked: "masked" ["masked"] Shares MASTER Alone One,
            Scope: "scope" ["scope"] Shares WORKSHARE Never Each,
            LoopConstruct: "loop construct" ["loop"] Shares LOOP Never Each,
            Teams: "teams" ["teams"] Shares PARALLEL Never Each,
            Distribute: "distribute" ["distribute"] Shares LOOP Never Each,
            Target: "target" ["target"] Shares WRAPPER Never Unit,
            Taskgroup: "taskgroup" ["taskgroup"] Shares TASK_WAIT Never Each,
            TaskgroupEnd: "taskgroup end" ["taskgroup end"] Shares TASK_WAIT Never Nothing,
            Taskyield: "taskyield" ["taskyield"] Shares TASK_WAIT Never Nothing,
            Taskloop: "taskloop" ["taskloop"] Shares TASK_CREATE Never AroundUnit,
            // OTF2's CANCEL is too new for the readers of OTF2 3.0, which call it invalid.
            Cancel: "cancel" ["cancel", "cancellation point"] Shares WRAPPER Never Nothing,
            Chunk: "chunk" ["chunk"] Shares LOOP Never Each,
        }
    };
}

/// All rows: those of OpenMP, and what else there is.
macro_rules! all_roles {
    ($($openmp:tt)*) => {
        role_table! {
            $($openmp)*
            Function: "function" [] Own FUNCTION Never Each,
            User: "user" [] Own CODE Never Each,
            Artificial: "artificial" [] Own ARTIFICIAL Never Nothing,
            Parameter: "parameter" [] Shares ARTIFICIAL Never Nothing,
            PointToPoint: "point2point" [] Own POINT2POINT Never Nothing,
            OneToAll: "one2all" [] Own COLL_ONE2ALL Never Nothing,
            AllToOne: "all2one" [] Own COLL_ALL2ONE Never Nothing,
            AllToAll: "all2all" [] Own COLL_ALL2ALL Never Nothing,
            Collective: "other collective" [] Own COLL_OTHER Never Nothing,
            OneSided: "rma" [] Own RMA Never Nothing,
            File: "file io" [] Own FILE_IO Never Nothing,
        }
    };
}

macro_rules! role_table {
    ($($role:ident: $word:literal $names:tt $how:ident $otf2:ident $short:ident $code:ident,)*) => {
        /// What kind of construct a region is (in Cube's files the element `role`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are OpenMP constructs, classes of MPI functions")]
        pub enum Role {
            $($role,)*
        }

        impl Role {
            /// All values, in the order of their declaration.
            pub const ALL: &[Role] = &[$(Role::$role),*];
        }

        /// The rows in the order of the roles.
        const ROWS: &[Row] = &[
            $(Row {
                word: $word,
                names: &$names,
                otf2: Otf2::$how(stringify!($otf2)),
                code: Code::$code,
            }),*
        ];
    };
}

openmp_roles!(all_roles);

/// What the table says of a role.
struct Row {
    word: &'static str,
    names: &'static [&'static str],
    otf2: Otf2,
    code: Code,
}

/// Who executes the user's code that lies directly in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Each thread that comes to it.
    Each,
    /// One thread of the team; the others go on.
    One,
    /// No thread: its body is [`Code::One`].
    AroundOne,
    /// One thread at a time.
    Turn,
    /// No thread: its body is [`Code::Turn`].
    AroundTurn,
    /// The thread that takes this unit of work.
    Unit,
    /// No thread: it makes units of work.
    AroundUnit,
    /// No thread: the thread waits, or the OpenMP library works.
    Nothing,
}

/// A role of OTF2 by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otf2 {
    Own(&'static str),
    Shares(&'static str),
}

impl Role {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The word that Cube reports use.
    pub fn as_str(self) -> &'static str {
        self.row().word
    }

    /// Who executes the user's code in its regions.
    pub fn code(self) -> Code {
        self.row().code
    }

    /// Whether a thread executes the user's code in its regions, and neither waits nor is in the
    /// OpenMP library.
    pub fn has_code(self) -> bool {
        matches!(self.code(), Code::Each | Code::One | Code::Turn | Code::Unit)
    }

    /// Whether it is the body of a construct that has a region of its own around it.
    pub fn is_body(self) -> bool {
        matches!(self, Self::CriticalBody | Self::OrderedBody | Self::SingleBody)
    }

    /// Whether one thread of the team has work in its regions, which are constructs, not bodies.
    pub fn is_for_one(self) -> bool {
        match self.code() {
            Code::One => !self.is_body(),
            code => code == Code::AroundOne,
        }
    }

    /// The value whose word in Cube reports is `text`.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.as_str() == text)
    }

    /// How the names of its regions begin, without `!$omp `; empty for what has names of its own.
    pub fn names(self) -> &'static [&'static str] {
        self.row().names
    }

    /// The name of its role in OTF2's files.
    pub fn otf2(self) -> &'static str {
        match self.row().otf2 {
            Otf2::Own(name) | Otf2::Shares(name) => name,
        }
    }

    /// The role of a region with this role in OTF2's files and this name, without `!$omp ` and the
    /// place: `None` if OTF2's role has no own one here, and the name says nothing either.
    pub fn from_otf2(otf2: &str, construct: &str) -> Option<Self> {
        let all = || Self::ALL.iter().copied().filter(move |role| role.otf2() == otf2);
        let named = all().filter_map(|role| Some((role.length_of_name(construct)?, role)));
        // `taskgroup end` begins with the name of another one.
        let longest = named.max_by_key(|&(length, _)| length).map(|(_, role)| role);
        let is_own = |role: &Role| matches!(role.row().otf2, Otf2::Own(_));
        longest.or_else(|| all().find(is_own))
    }

    /// The length of its name with which a construct begins.
    fn length_of_name(self, construct: &str) -> Option<usize> {
        let begins = |name: &str| {
            let rest = construct.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        self.names().iter().filter(|name| begins(name)).map(|name| name.len()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_their_words_are_one_to_one() {
        for (at, &role) in Role::ALL.iter().enumerate() {
            assert_eq!((role as usize, Role::from_name(role.as_str())), (at, Some(role)));
        }
    }

    #[test]
    fn a_role_comes_back_from_files_of_otf2() {
        for &role in Role::ALL {
            for name in role.names() {
                assert_eq!(Role::from_otf2(role.otf2(), name), Some(role), "{name}");
                let combined = format!("{name} parallel");
                assert_eq!(Role::from_otf2(role.otf2(), &combined), Some(role), "{combined}");
            }
        }
    }

    #[test]
    fn no_two_roles_share_a_role_of_otf2_and_a_name() {
        for (at, &role) in Role::ALL.iter().enumerate() {
            for &other in &Role::ALL[..at] {
                let is_own = |role: Role| matches!(role.row().otf2, Otf2::Own(_));
                assert!(role.otf2() != other.otf2() || !is_own(role) || !is_own(other));
                let same = role.names().iter().find(|name| other.names().contains(name));
                assert_eq!(same, None, "{role:?} and {other:?}");
            }
        }
    }

    #[test]
    fn names_of_other_writers_tell_less() {
        assert_eq!(Role::from_otf2("MASTER", "maskedness"), Some(Role::Master));
        assert_eq!(Role::from_otf2("LOOP", "parallel for"), Some(Role::Loop));
        assert_eq!(Role::from_otf2("WRAPPER", "dgemm"), None);
        assert_eq!(Role::from_otf2("KERNEL", ""), None);
    }
}
