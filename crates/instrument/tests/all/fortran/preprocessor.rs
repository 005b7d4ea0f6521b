//! Preprocessor lines, and what a preprocessor has left.

use super::{check, check_file};
use expect_test::expect;
use pompeii_instrument::{Language, Options, instrument};

#[test]
fn preprocessor_branches() {
    check_file(
        "f.F90",
        "subroutine s\n#include \"x.h\"\n#ifdef A\n!$omp parallel do schedule(static)\n#else\n!$omp parallel do\n#endif\ndo i=1,2\nend do\nend subroutine\n",
        expect![[r#"
            6: `parallel do`: only the preprocessed text shows which alternative is compiled
            #line 1 "f.F90"
            subroutine s
            #include "x.h"
            integer(8) :: pomp_p1
            #line 3 "f.F90"
            #ifdef A
            call pomp_H_parallel_fork(1,pomp_p1)
            #line 4 "f.F90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_do_enter(1,[integer(8)::-1])
            #line 4 "f.F90"
            !$omp do &
            !$omp&schedule(static)
            #line 5 "f.F90"
            #else
            call pomp_H_parallel_fork(1,pomp_p1)
            #line 6 "f.F90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_do_enter(1,[integer(8)::-1])
            #line 6 "f.F90"
            !$omp do
            #line 7 "f.F90"
            #endif
            do i=1,2
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            call pomp_H_parallel_end(1,pomp_p1)
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            #line 10 "f.F90"
            end subroutine
        "#]],
    );
}

#[test]
fn constructs_of_one_branch() {
    check_file(
        "f.F90",
        "subroutine s\n#ifdef B\n!$omp do\n#endif\ndo i=1,2\n#if 0\nend do\n#endif\nend do\n!$omp parallel &\n#ifdef C\n!$omp private(i) &\n#endif\n!$omp if(x)\n!$omp end parallel\nend subroutine\n",
        expect![[r##"
            #line 1 "f.F90"
            subroutine s
            integer(8) :: pomp_p2
            #line 2 "f.F90"
            #ifdef B
            #define pomp_H_b1
            call pomp_H_do_enter(1,[integer(8)::-1])
            #line 3 "f.F90"
            !$omp do
            #line 4 "f.F90"
            #endif
            do i=1,2
            #if 0
            end do
            #endif
            end do
            #ifdef pomp_H_b1
            #undef pomp_H_b1
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            #endif
            call pomp_H_parallel_fork(2,pomp_p2)
            #line 10 "f.F90"
            !$omp parallel firstprivate(pomp_p2) &
            #ifdef C
            !$omp private(i) &
            #endif
            !$omp if(x)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_parallel_end(2,pomp_p2)
            #line 15 "f.F90"
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            #line 16 "f.F90"
            end subroutine
        "##]],
    );
}

#[test]
fn lines_of_a_preprocessed_file_are_the_users() {
    check(
        "# 1 \"a.F90\"\n# 1 \"b.h\" 1\n!$omp barrier\n# 7 \"a.F90\" 2\n!$omp barrier\nend\n",
        expect![[r##"
            # 1 "a.F90"
            # 1 "b.h" 1
            call pomp_H_barrier_enter(1)
            # 1 "b.h"
            !$omp barrier
            call pomp_H_barrier_exit(1)
            # 2 "b.h"
            # 7 "a.F90" 2
            call pomp_H_barrier_enter(2)
            # 7 "a.F90"
            !$omp barrier
            call pomp_H_barrier_exit(2)
            # 8 "a.F90"
            end
        "##]],
    );
}

/// What a branch closes is open where the preprocessor leaves the branch out.
#[test]
fn what_only_a_branch_closes_is_hidden() {
    let hides = |text: &str, preprocessed: bool| {
        let language = Language::FortranFree;
        let options = Options { preprocessed, ..Options::new("f.F90", language) };
        instrument(text.as_bytes(), &options).unwrap().hides_directives()
    };
    let parallel = "!$omp parallel\n!$omp end parallel\n";
    let closed = |begin: &str, end: &str| {
        let target = format!("{begin}!$omp target\n{end}");
        let end_target = format!("{begin}!$omp end target\n{end}");
        [
            format!("subroutine s\n{target}{parallel}{end_target}end subroutine\n"),
            format!(
                "program p\n{target}call s\n{end_target}contains\n\
                 subroutine s\n{parallel}end subroutine\nend program\n"
            ),
            format!("subroutine s\n{begin}!$omp declare target\n{end}{parallel}end subroutine\n"),
        ]
    };
    for text in closed("#ifdef DEVICE\n", "#endif\n") {
        assert!(hides(&text, false), "{text}");
        assert!(!hides(&text, true), "{text}");
    }
    for text in closed("", "") {
        assert!(!hides(&text, false), "{text}");
    }
}
