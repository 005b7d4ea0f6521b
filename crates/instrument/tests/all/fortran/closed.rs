//! Where nothing may be called, and what passes through.

use super::{check, output};
use expect_test::expect;

#[test]
fn nothing_is_called_in_closed_constructs() {
    check(
        "module m\ncontains\npure subroutine s\n!$omp simd\ndo i=1,2\nend do\nend subroutine\nsubroutine d\n!$omp declare target\n!$omp barrier\nend subroutine\nsubroutine t\n!$omp target\n!$omp parallel\n!$omp end parallel\n!$omp end target\n!$omp parallel do order(concurrent)\ndo i=1,2\n!$omp critical\n!$omp end critical\nend do\nend subroutine\nend module\n",
        expect![[r#"
            19: `critical`: nothing may be called inside the construct around it
            14: `parallel`: nothing may be called inside the construct around it
            10: `barrier`: nothing may be called in a pure or device procedure
            # 1 "f.f90"
            module m
            contains
            pure subroutine s
            !$omp simd
            do i=1,2
            end do
            end subroutine
            subroutine d
            !$omp declare target
            !$omp barrier
            end subroutine
            subroutine t
            integer(8) :: pomp_p2
            call pomp_H_target_enter(1)
            # 13 "f.f90"
            !$omp target
            # 14 "f.f90"
            !$omp parallel
            !$omp end parallel
            # 16 "f.f90"
            !$omp end target
            call pomp_H_target_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 17 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_do_enter(2,[integer(8)::1,1,2,1])
            # 17 "f.f90"
            !$omp do &
            !$omp&order(concurrent)
            # 18 "f.f90"
            do i=1,2
            !$omp critical
            !$omp end critical
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(2)
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_do_exit(2)
            call pomp_H_parallel_end(2,pomp_p2)
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            # 22 "f.f90"
            end subroutine
            end module
        "#]],
    );
}

#[test]
fn device_procedures_are_found_by_name() {
    check(
        "module m\n!$omp declare target (f, v)\n!$omp declare target to(w)\ncontains\nsubroutine f\n!$omp barrier\nend subroutine\nsubroutine g\n!$omp barrier\n!$omp begin metadirective when(user={condition(.true.)}: parallel)\n!$omp barrier\n!$omp end metadirective\nend subroutine\nend module\n",
        expect![[r#"
            6: `barrier`: nothing may be called in a pure or device procedure
            # 1 "f.f90"
            module m
            !$omp declare target (f, v)
            !$omp declare target to(w)
            contains
            subroutine f
            !$omp barrier
            end subroutine
            subroutine g
            integer(8) :: pomp_p2
            call pomp_H_barrier_enter(1)
            # 9 "f.f90"
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 10 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: parallel firstprivate(pomp_p2) &
            # 10 "f.f90"
            !$omp &)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_barrier_enter(3)
            # 11 "f.f90"
            !$omp barrier
            call pomp_H_barrier_exit(3)
            call pomp_H_parallel_end(2,pomp_p2)
            # 12 "f.f90"
            !$omp end metadirective
            call pomp_H_parallel_join(2,pomp_p2)
            # 13 "f.f90"
            end subroutine
            end module
        "#]],
    );
}

#[test]
fn unknown_directives() {
    check(
        "!$omp surprise(x)\n!$omp end surprise\n!$omp target_data map(x)\n!$omp end target data\n!$omp barrier\nend\n",
        expect![[r#"
            1: `surprise` is not a directive that is known; it is left as it is
            # 1 "f.f90"
            !$omp surprise(x)
            !$omp end surprise
            call pomp_H_target_enter(1)
            # 3 "f.f90"
            !$omp target_data map(x)
            # 4 "f.f90"
            !$omp end target data
            call pomp_H_target_exit(1)
            call pomp_H_barrier_enter(2)
            # 5 "f.f90"
            !$omp barrier
            call pomp_H_barrier_exit(2)
            # 6 "f.f90"
            end
        "#]],
    );
}

#[test]
fn disabled_constructs() {
    let source = "program p\n!$omp parallel do\ndo i=1,2\n!$omp critical\n!$omp end critical\nend do\nend program\n";
    let text = output("f.f90", source, "do,sync");
    let end = text.find("# 1 \"<pompeii>\"").unwrap();
    expect![[r##"
        # 1 "f.f90"
        program p
        integer(8) :: pomp_p1
        call pomp_H_parallel_fork(1,pomp_p1)
        # 2 "f.f90"
        !$omp parallel &
        !$omp&firstprivate(pomp_p1)
        call pomp_H_parallel_begin(1,pomp_p1)
        # 2 "f.f90"
        !$omp do
        # 3 "f.f90"
        do i=1,2
        !$omp critical
        !$omp end critical
        end do
        !$omp end do
        call pomp_H_parallel_end(1,pomp_p1)
        !$omp end parallel
        call pomp_H_parallel_join(1,pomp_p1)
        # 7 "f.f90"
        end program
    "##]]
    .assert_eq(&text[..end]);
}

#[test]
fn texts_without_directives_are_unchanged() {
    let source = "program p\ns = '!$omp parallel'\nend program\n";
    assert_eq!(output("f.f90", source, ""), source);
}

#[test]
fn errors_say_what_was_expected() {
    check(
        "subroutine s\n!$omp parallel\nx = 1\nend subroutine\n",
        expect![[r#"
        line 4, column 1: `parallel` of line 2 is still open here
            end subroutine
        expected: an END directive: `end parallel`
    "#]],
    );
    check(
        "subroutine s\n!$omp do\nx = 1\nend subroutine\n",
        expect![[r#"
        line 3, column 1: no loop behind `do`
            x = 1
        expected: a DO statement
    "#]],
    );
    check(
        "subroutine s\n  !$omp end single\nend subroutine\n",
        expect![[r#"
            line 2, column 3: `end single` without its beginning
                  !$omp end single
            expected: a `single` directive before it
        "#]],
    );
    check(
        "!$omp parallel\n!$omp single\n!$omp end parallel\nend\n",
        expect![[r#"
        line 3, column 1: `single` of line 2 is still open here
            !$omp end parallel
        expected: an END directive: `end single`
    "#]],
    );
    check(
        "!$omp atomic\n!$omp barrier\nend\n",
        expect![[r#"
        line 1, column 1: no statement behind `atomic`
            !$omp atomic
        expected: an assignment
    "#]],
    );
}
