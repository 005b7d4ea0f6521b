//! Directives of ours, and what becomes of the variables of user regions.

use super::{check, check_fixed};
use expect_test::expect;

#[test]
fn user_directives() {
    check(
        "program p\n!$omp inst init\n!$pomp inst begin(foo)\n!POMP$ INST END(foo)\n!$pomp inst off\n!$omp noinstrument\n!$omp barrier\n!$omp instrument\n!$pomp inst on\n!p$ print *, 1\n!$pomp inst finalize\nend program\n",
        expect![[r#"
            7: `barrier`: instrumentation is switched off here
            # 1 "f.f90"
            program p
            ! omp inst init
            call pomp_H_init()
            # 3 "f.f90"
            ! pomp inst begin(foo)
            call pomp_H_begin(1)
            # 4 "f.f90"
            !POMP  INST END(foo)
            call pomp_H_end(1)
            # 5 "f.f90"
            ! pomp inst off
            call pomp_H_off()
            # 6 "f.f90"
            ! omp noinstrument
            # 7 "f.f90"
            !$omp barrier
            ! omp instrument
            # 9 "f.f90"
            ! pomp inst on
            call pomp_H_on()
            # 10 "f.f90"
                print *, 1
            ! pomp inst finalize
            call pomp_H_finalize()
            # 12 "f.f90"
            end program
        "#]],
    );
}

/// The sentinels of the POMP paper (section 3.6), for code that only instrumented programs have.
#[test]
fn conditional_compilation() {
    check_fixed(
        "      PROGRAM P\n!P$    PRINT *, 1\nCP$ 10 PRINT *,\nCP$  &   2\n*P$    CALL S\nc$pomp inst \
         begin(a)\n*$OMP INST END(A)\nC$POMP INST OFF\nCPX\n      END\n",
        expect![[r##"
            # 1 "f.f"
                  PROGRAM P
                   PRINT *, 1
                10 PRINT *,
                 &   2
                   CALL S
            c pomp inst begin(a)
                  call pomp_H_begin(1)
            # 7 "f.f"
            * OMP INST END(A)
                  call pomp_H_end(1)
            # 8 "f.f"
            C POMP INST OFF
                  call pomp_H_off()
            # 9 "f.f"
            CPX
                  END
        "##]],
    );
}

#[test]
fn variables_of_user_regions() {
    check(
        "program p\nreal :: x(3)\n!$omp parallel\n!$pomp inst begin(a, x(2))\n!$pomp inst end(a, x(2))\n!$pomp inst begin(b)\n!$pomp inst end(b)\n!$omp end parallel\n!$omp inst end(c)\nend\n",
        expect![[r#"
            9: `inst end`: no `inst begin` with this name before it
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p1
            interface
            subroutine pomp_H_begin_v(pomp_n,pomp_x0)
            integer :: pomp_n
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            end subroutine
            end interface
            interface
            subroutine pomp_H_end_v(pomp_n,pomp_x0)
            integer :: pomp_n
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            end subroutine
            end interface
            # 2 "f.f90"
            real :: x(3)
            call pomp_H_parallel_fork(1,pomp_p1)
            # 3 "f.f90"
            !$omp parallel firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            # 4 "f.f90"
            ! pomp inst begin(a, x(2))
            call pomp_H_begin_v(2,x(2))
            # 5 "f.f90"
            ! pomp inst end(a, x(2))
            call pomp_H_end_v(2,x(2))
            # 6 "f.f90"
            ! pomp inst begin(b)
            call pomp_H_begin(3)
            # 7 "f.f90"
            ! pomp inst end(b)
            call pomp_H_end(3)
            call pomp_H_parallel_end(1,pomp_p1)
            # 8 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 9 "f.f90"
            ! omp inst end(c)
            end
        "#]],
    );
}
