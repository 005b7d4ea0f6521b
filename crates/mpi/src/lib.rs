//! MPI as a measurement sees it: which functions there are, what their arguments mean, and C
//! wrappers that tell libpomp so.
//!
//! Design constraints:
//! * Text in, text out: the preprocessed `mpi.h` of a machine is read, one C file is made. So
//!   wrappers exist for what that MPI has, with its own types, and a function of a later standard
//!   is at least timed.
//! * What a function does is said once ([`functions`]), for C and for Fortran, for `int` and for
//!   `MPI_Count`, for the blocking, the non-blocking and the persistent form.
//! * Everything else about a call is C that can be read as such, by topic: `support/`.
//!
//! ```
//! let header = "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,\n\
//!               int tag, MPI_Comm comm);\n";
//! let wrappers = pompeii_mpi::generate(
//!     header,
//!     pompeii_mpi::Fortran::CallsC,
//!     &pompeii_mpi::Target::Shared,
//! )?;
//! assert!(wrappers.contains("sends(comm, dest, tag, count, type);"));
//! # Ok::<(), pompeii_mpi::Error>(())
//! ```

mod fortran;
mod functions;
mod header;
mod target;
mod wrapper;

pub use functions::kind;
use header::Prototype;
pub use target::{Target, wrapped};

/// The C header of the functions that the wrappers call.
pub const SUPPORT: &str = concat!(
    include_str!("support/call.c"),
    include_str!("support/arguments.c"),
    include_str!("support/shadows.c"),
    include_str!("support/stamps.c"),
    include_str!("support/meetings.c"),
    include_str!("support/messages.c"),
    include_str!("support/requests.c"),
    include_str!("support/collectives.c"),
    include_str!("support/communicators.c"),
    include_str!("support/windows.c"),
    include_str!("support/files.c"),
    include_str!("support/collected.c"),
    include_str!("support/job.c"),
    include_str!("support/sessions.c"),
);

/// How an MPI library's Fortran functions come to the C ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fortran {
    /// They call the C functions, which are wrapped (MPICH and what is made of it); but for those
    /// of `use mpi_f08` without a buffer.
    CallsC,
    /// They do their work without them, and have to be wrapped themselves (Open MPI).
    IsItsOwn,
}

/// Why no wrappers could be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no preprocessed `mpi.h`.
    #[error("no function of MPI is declared in it; expected what the preprocessor makes of mpi.h")]
    NoFunctions,
}

/// Wrappers of the functions that the preprocessed `mpi.h` declares.
///
/// # Errors
/// Where it declares none.
pub fn generate(header: &str, fortran: Fortran, target: &Target) -> Result<String, Error> {
    let functions: Vec<Prototype> =
        header::prototypes(header).filter(|one| functions::is_wrapped(&one.name)).collect();
    if functions.is_empty() {
        return Err(Error::NoFunctions);
    }
    let mut text = match target {
        Target::Wrapped(_) => "#define IS_WRAPPED\n".to_owned(),
        Target::Shared | Target::Named(_) => String::new(),
    };
    if functions.iter().any(|one| one.name == "Neighbor_allgather_init") {
        text += "#define HAS_PERSISTENT_COLLECTIVES\n";
    }
    text += SUPPORT;
    for function in &functions {
        text += &wrapper::of_c(function, target).unwrap_or_default();
        text += &fortran::wrappers(function, fortran, target);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(header: &str, fortran: Fortran, expected: Expect) {
        let text = generate(header, fortran, &Target::Shared).unwrap_or_default();
        expected.assert_eq(text.strip_prefix(SUPPORT).unwrap_or_default());
    }

    #[test]
    fn a_receive_has_a_status_of_ours_where_the_program_wants_none() {
        let header = "int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, \
                      MPI_Comm comm, MPI_Status *status);";
        check(
            header,
            Fortran::CallsC,
            expect![[r#"

                #undef MPI_Recv
                #pragma weak PMPI_Recv
                PUBLIC int MPI_Recv(void *a0, int a1, MPI_Datatype a2, int a3, int a4, MPI_Comm comm, MPI_Status *status)
                {
                  static struct pomp_mpi_routine routine = { "MPI_Recv", POMP_MPI_POINT_TO_POINT, 0 };
                  static const char *const names[] = { "MPI_Recv", NULL };
                  static __typeof__(PMPI_Recv) *call;
                  enum { f = 0 };
                  if (!call)
                    call = next(names, PMPI_Recv);
                  if (!begins(&routine, HERE))
                    return call(a0, a1, a2, a3, a4, comm, status);
                  MPI_Status own;
                  if (is_ignored(status, f))
                    status = (void *)&own;
                  int result = call(a0, a1, a2, a3, a4, comm, status);
                  received(comm, status, result, f);
                  ends(&routine);
                  return result;
                }
            "#]],
        );
    }

    #[test]
    fn fortran_has_its_own_forms() {
        let header = "int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name);";
        let text = generate(header, Fortran::IsItsOwn, &Target::Shared).unwrap_or_default();
        // The form of C comes before, and is the one above.
        let own = text.find("PUBLIC void mpi_comm_set_name_").map_or("", |at| &text[at..]);
        expect![[r#"
            PUBLIC void mpi_comm_set_name_(MPI_Fint *comm_, void *a1, MPI_Fint *error, size_t length0)
            {
              static struct pomp_mpi_routine routine = { "MPI_Comm_set_name", POMP_MPI_COMMUNICATOR, 0 };
              static const char *const names[] = { "mpi_comm_set_name_", "mpi_comm_set_name__", "mpi_comm_set_name", "MPI_COMM_SET_NAME", NULL };
              static __typeof__(mpi_comm_set_name_) *call;
              enum { f = 1 };
              MPI_Fint own_error;
              if (!call)
                call = next(names, NULL);
              if (!error)
                error = &own_error;
              if (!begins(&routine, HERE)) {
                call(comm_, a1, error, length0);
                return;
              }
              MPI_Comm comm = PMPI_Comm_f2c(*comm_);
              call(comm_, a1, error, length0);
              int result = *error;
              (void)result;
              named(comm);
              ends(&routine);
            }
            PUBLIC __typeof__(mpi_comm_set_name_) mpi_comm_set_name__ __attribute__((alias("mpi_comm_set_name_")));
            PUBLIC __typeof__(mpi_comm_set_name_) mpi_comm_set_name __attribute__((alias("mpi_comm_set_name_")));
            PUBLIC __typeof__(mpi_comm_set_name_) MPI_COMM_SET_NAME __attribute__((alias("mpi_comm_set_name_")));

            PUBLIC void mpi_comm_set_name_f08_(MPI_Fint *comm_, void *a1, MPI_Fint *error, size_t length0)
            {
              static struct pomp_mpi_routine routine = { "MPI_Comm_set_name", POMP_MPI_COMMUNICATOR, 0 };
              static const char *const names[] = { "mpi_comm_set_name_f08_", NULL };
              static __typeof__(mpi_comm_set_name_f08_) *call;
              enum { f = 1 };
              MPI_Fint own_error;
              if (!call)
                call = next(names, NULL);
              if (!error)
                error = &own_error;
              if (!begins(&routine, HERE)) {
                call(comm_, a1, error, length0);
                return;
              }
              MPI_Comm comm = PMPI_Comm_f2c(*comm_);
              call(comm_, a1, error, length0);
              int result = *error;
              (void)result;
              named(comm);
              ends(&routine);
            }
        "#]]
        .assert_eq(own);
    }

    #[test]
    fn an_address_may_be_a_pointer_of_fortran() {
        let header = "int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, \
                      int *disp_unit, void *baseptr); int MPI_Win_free(MPI_Win *win);";
        let text = generate(header, Fortran::IsItsOwn, &Target::Shared).unwrap_or_default();
        let names = text.lines().filter(|line| line.contains("_cptr"));
        expect![[r#"
            PUBLIC void mpi_win_shared_query_cptr_(void *a0, void *a1, void *a2, void *a3, void *a4, MPI_Fint *error)
              static const char *const names[] = { "mpi_win_shared_query_cptr_", "mpi_win_shared_query_cptr__", "mpi_win_shared_query_cptr", "MPI_WIN_SHARED_QUERY_CPTR", NULL };
              static __typeof__(mpi_win_shared_query_cptr_) *call;
            PUBLIC __typeof__(mpi_win_shared_query_cptr_) mpi_win_shared_query_cptr__ __attribute__((alias("mpi_win_shared_query_cptr_")));
            PUBLIC __typeof__(mpi_win_shared_query_cptr_) mpi_win_shared_query_cptr __attribute__((alias("mpi_win_shared_query_cptr_")));
            PUBLIC __typeof__(mpi_win_shared_query_cptr_) MPI_WIN_SHARED_QUERY_CPTR __attribute__((alias("mpi_win_shared_query_cptr_")));
        "#]]
        .assert_eq(&names.map(|line| format!("{line}\n")).collect::<String>());
        let text = generate(header, Fortran::CallsC, &Target::Shared).unwrap_or_default();
        assert!(!text.contains("_cptr"));
    }

    #[test]
    fn forms_of_a_collective_operation_follow_from_the_blocking_one() {
        let header = "int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root, \
                      MPI_Comm comm, MPI_Request *request);";
        check(
            header,
            Fortran::CallsC,
            expect![[r#"

                #undef MPI_Ibcast
                #pragma weak PMPI_Ibcast
                PUBLIC int MPI_Ibcast(void *a0, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
                {
                  static struct pomp_mpi_routine routine = { "MPI_Ibcast", POMP_MPI_ONE_TO_ALL, 0 };
                  static const char *const names[] = { "MPI_Ibcast", NULL };
                  static __typeof__(PMPI_Ibcast) *call;
                  enum { f = 0 };
                  if (!call)
                    call = next(names, PMPI_Ibcast);
                  if (!begins(&routine, HERE))
                    return call(a0, count, type, root, comm, request);
                  struct collective amount = bcast(comm, root, count, type);
                  uint64_t id = pomp_mpi_icollective();
                  int result = call(a0, count, type, root, comm, request);
                  collective_posted(&amount, ROOT, id, request, result, f);
                  ends(&routine);
                  return result;
                }
            "#]],
        );
    }

    /// The declarations and calls of the wrappers of two functions, of which the library has one.
    fn forms(target: &Target, expected: Expect) {
        let header = "int MPI_Comm_free(MPI_Comm *comm); int MPI_Session_init(void *session);";
        let text = generate(header, Fortran::IsItsOwn, target).unwrap_or_default();
        let wrappers = text.split_once(SUPPORT).map_or("", |(_, wrappers)| wrappers);
        let is_shown = |line: &&str| line.starts_with("PUBLIC") || line.contains("*const call");
        let lines = wrappers.lines().filter(is_shown).map(|line| format!("{line}\n"));
        let names: Vec<&str> = wrapped(wrappers).collect();
        expected.assert_eq(&format!("{}{}", lines.collect::<String>(), names.join(" ")));
    }

    #[test]
    fn functions_in_archives_are_called_by_other_names() {
        let has = |name: &str| {
            ["MPI_Comm_free", "PMPI_Comm_free", "mpi_comm_free_", "MPI_COMM_FREE"].contains(&name)
        };
        forms(
            &Target::Wrapped(&has),
            expect![[r#"
            PUBLIC int __wrap_MPI_Comm_free(MPI_Comm *comm)
              __typeof__(PMPI_Comm_free) *const call = __real_MPI_Comm_free;
            PUBLIC void __wrap_mpi_comm_free_(void *comm_, MPI_Fint *error)
              __typeof__(__wrap_mpi_comm_free_) *const call = __real_mpi_comm_free_;
            PUBLIC __typeof__(__wrap_mpi_comm_free_) __wrap_MPI_COMM_FREE __attribute__((alias("__wrap_mpi_comm_free_")));
            MPI_Comm_free mpi_comm_free_ MPI_COMM_FREE"#]],
        );
        forms(
            &Target::Named(&has),
            expect![[r#"
            PUBLIC int MPI_Comm_free(MPI_Comm *comm)
              __typeof__(PMPI_Comm_free) *const call = PMPI_Comm_free;
            PUBLIC void mpi_comm_free_f08_(void *comm_, MPI_Fint *error)
            PUBLIC void mpi_session_init_(void *a0, MPI_Fint *error)
            PUBLIC __typeof__(mpi_session_init_) mpi_session_init__ __attribute__((alias("mpi_session_init_")));
            PUBLIC __typeof__(mpi_session_init_) mpi_session_init __attribute__((alias("mpi_session_init_")));
            PUBLIC __typeof__(mpi_session_init_) MPI_SESSION_INIT __attribute__((alias("mpi_session_init_")));
            PUBLIC void mpi_session_init_f08_(void *a0, MPI_Fint *error)
        "#]],
        );
    }

    #[test]
    fn what_is_no_header_is_refused() {
        let error = generate("#error no MPI here", Fortran::CallsC, &Target::Shared);
        expect![
            "no function of MPI is declared in it; expected what the preprocessor makes of mpi.h"
        ]
        .assert_eq(&error.map_or_else(|error| error.to_string(), |_| String::new()));
    }
}
