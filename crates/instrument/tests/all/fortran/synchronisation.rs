//! Barriers, atomics and locks.

use super::{check, check_with};
use expect_test::expect;
use pompeii_instrument::Locks;

#[test]
fn synchronisation() {
    check(
        "program p\n!$omp critical (name) hint(omp_sync_hint_none)\nif (x==0) x=1\n!$omp end critical (name)\n!$omp barrier\n!$omp taskwait\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            call pomp_H_critical_enter(1)
            # 2 "f.f90"
            !$omp critical (name) hint(omp_sync_hint_none)
            call pomp_H_critical_begin(1)
            # 3 "f.f90"
            if (x==0) x=1
            call pomp_H_critical_end(1)
            # 4 "f.f90"
            !$omp end critical (name)
            call pomp_H_critical_exit(1)
            call pomp_H_barrier_enter(2)
            # 5 "f.f90"
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_taskwait_enter(3)
            # 6 "f.f90"
            !$omp taskwait
            call pomp_H_taskwait_exit(3)
            # 7 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn atomic() {
    check(
        "program p\n!$omp atomic\nx = x &\n  + 1\n!$omp atomic write\nx = 1; y = 2\n!$omp atomic capture\nv = x\nx = x + 1\n!$omp end atomic\n!$omp atomic compare\nif (x == 1) then\n  x = 2\nend if\ny = 1\ndo 10 i=1,2\n!$omp atomic\n10 x = x + 1\nend program\n",
        expect![[r#"
            17: `atomic`: its loop ends with the statement of an outer loop
            # 1 "f.f90"
            program p
            call pomp_H_atomic_enter(1)
            # 2 "f.f90"
            !$omp atomic
            # 3 "f.f90"
            x = x &
              + 1
            call pomp_H_atomic_exit(1)
            call pomp_H_atomic_enter(2)
            # 5 "f.f90"
            !$omp atomic write
            # 6 "f.f90"
            x = 1
            call pomp_H_atomic_exit(2)
            # 6 "f.f90"
             y = 2
            call pomp_H_atomic_enter(3)
            # 7 "f.f90"
            !$omp atomic capture
            # 8 "f.f90"
            v = x
            x = x + 1
            # 10 "f.f90"
            !$omp end atomic
            call pomp_H_atomic_exit(3)
            call pomp_H_atomic_enter(4)
            # 11 "f.f90"
            !$omp atomic compare
            # 12 "f.f90"
            if (x == 1) then
              x = 2
            end if
            call pomp_H_atomic_exit(4)
            # 15 "f.f90"
            y = 1
            do 10 i=1,2
            !$omp atomic
            10 x = x + 1
            end program
        "#]],
    );
}

#[test]
fn locks() {
    check_with(
        "f.f90",
        "program p\n  use omp_lib, only: omp_lock_kind, omp_set_lock, omp_test_lock\n  implicit none (type, external)\n  integer(omp_lock_kind) :: l\n  call omp_set_lock(l) ! omp_set_lock\n  print *, 'omp_set_lock'\n  !$ if (omp_test_lock(l)) call omp_unset_lock(l)\nend program\n",
        |options| options.locks = Locks::Rewrite,
        expect![[r##"
            # 1 "f.f90"
            program p
              use omp_lib, only: omp_lock_kind, omp_set_lock, omp_test_lock
              implicit none (type, external)
            interface
            logical(4) function pomp_8ed328dd_test_lock(pomp_x0)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            end function
            end interface
            interface
            subroutine pomp_8ed328dd_set_lock(pomp_x0)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            end subroutine
            end interface
            interface
            subroutine pomp_8ed328dd_unset_lock(pomp_x0)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            end subroutine
            end interface
            # 4 "f.f90"
              integer(omp_lock_kind) :: l
              call pomp_8ed328dd_set_lock(l) ! omp_set_lock
              print *, 'omp_set_lock'
              !$ if (pomp_8ed328dd_test_lock(l)) call pomp_8ed328dd_unset_lock(l)
            end program
        "##]],
    );
}

#[test]
fn locks_with_hints() {
    check_with(
        "f.f90",
        "program p\ncontains\n  subroutine s(l)\n    integer(8) :: l\n    call omp_init_lock_with_hint(l, 1)\n    call omp_init_nest_lock_with_hint(l, 1)\n  end subroutine\nend program\n",
        |options| options.locks = Locks::Rewrite,
        expect![[r##"
            # 1 "f.f90"
            program p
            contains
              subroutine s(l)
            interface
            subroutine pomp_ebb10401_init_lock_with_hint(pomp_x0,pomp_x1)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            integer(4) :: pomp_x1
            end subroutine
            end interface
            interface
            subroutine pomp_ebb10401_init_nest_lock_with_hint(pomp_x0,pomp_x1)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            integer(4) :: pomp_x1
            end subroutine
            end interface
            # 4 "f.f90"
                integer(8) :: l
                call pomp_ebb10401_init_lock_with_hint(l, 1)
                call pomp_ebb10401_init_nest_lock_with_hint(l, 1)
              end subroutine
            end program
        "##]],
    );
}
