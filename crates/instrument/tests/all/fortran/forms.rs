//! Fixed form, columns, and what declarations a procedure wants.

use super::{check, check_fixed};
use expect_test::expect;

#[test]
fn fixed_form() {
    check_fixed(
        "      PROGRAM P\n      INCLUDE 'x.inc'\nC$OMP PARALLEL DO REDUCTION(+:s) PRIVATE(j,                             seq\n*$OMP+k)\nc comment\n      DO 10 I=1,2\n   10 S = S + I\n!$OMP PARALLEL IF(S.GT.0)\n!$    x = 1\n\tx = 2\n!$OMP ENDPARALLEL\n      END\n",
        expect![[r##"
            # 1 "f.f"
                  PROGRAM P
                  INCLUDE 'x.inc'
                  integer(8) :: pomp_p1
                  integer(8) :: pomp_p2
                  call pomp_H_parallel_fork(1,pomp_p1)
            # 3 "f.f"
            !$omp parallel
            !$omp&firstprivate(pomp_p1)
                  call pomp_H_parallel_begin(1,pomp_p1)
                  call pomp_H_do_enter(1,[integer(8)::1,1,2,1])
            # 3 "f.f"
            !$omp do
            !$omp&REDUCTION(+:s)
            !$omp&PRIVATE(j,                             
            !$omp&k)
            # 5 "f.f"
            c comment
                  DO 10 I=1,2
               10 S = S + I
            !$omp end do nowait
                  call pomp_H_barrier_enter(1)
            !$omp barrier
                  call pomp_H_barrier_exit(1)
                  call pomp_H_do_exit(1)
                  call pomp_H_parallel_end(1,pomp_p1)
            !$omp end parallel
                  call pomp_H_parallel_join(1,pomp_p1)
                  call pomp_H_parallel_fork(2,pomp_p2)
            # 8 "f.f"
            !$OMP PARALLEL firstprivate(pomp_p2)
            # 8 "f.f"
            !$omp&         IF(S.GT.0)
                  call pomp_H_parallel_begin(2,pomp_p2)
            # 9 "f.f"
            !$    x = 1
            	x = 2
                  call pomp_H_parallel_end(2,pomp_p2)
            # 11 "f.f"
            !$OMP ENDPARALLEL
                  call pomp_H_parallel_join(2,pomp_p2)
            # 12 "f.f"
                  END
        "##]],
    );
}

#[test]
fn blanks_in_fixed_form_mean_nothing() {
    check_fixed(
        "C$OMP PAR ALLEL\nC$OMP D O\n      D O I=1,2\n      EN D DO\nC$OMP ENDDONOWAIT\nC$OMP END PARA LLEL\n      END\n",
        expect![[r##"
            # 1 "f.f"
                  integer(8) :: pomp_p1
                  call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f"
            C$OMP PAR ALLEL firstprivate(pomp_p1)
                  call pomp_H_parallel_begin(1,pomp_p1)
                  call pomp_H_do_enter(2,[integer(8)::1,1,2,1])
            # 2 "f.f"
            C$OMP D O
            # 3 "f.f"
                  D O I=1,2
                  EN D DO
            # 5 "f.f"
            C$OMP ENDDONOWAIT
                  call pomp_H_do_exit(2)
                  call pomp_H_parallel_end(1,pomp_p1)
            # 6 "f.f"
            C$OMP END PARA LLEL
                  call pomp_H_parallel_join(1,pomp_p1)
            # 7 "f.f"
                  END
        "##]],
    );
}

/// What begins like a directive of its own is still the longer one.
#[test]
fn blanks_in_fixed_form_may_stand_in_names_before_clauses() {
    check_fixed(
        "C$OMP TASK GROUP TASK_REDUCTION(+:N)\nC$OMP TASK YIELD\nC$OMP END TASK GROUP\n\
         C$OMP PAR ALLEL D O SHARED(N) NUM_THREADS(2)\n      DO I=1,2\n      END DO\n      END\n",
        expect![[r##"
            # 1 "f.f"
                  integer(8) :: pomp_p3
                  call pomp_H_taskgroup_enter(1)
            # 1 "f.f"
            C$OMP TASK GROUP TASK_REDUCTION(+:N)
                  call pomp_H_taskgroup_begin(1)
                  call pomp_H_taskyield_enter(2)
            # 2 "f.f"
            C$OMP TASK YIELD
                  call pomp_H_taskyield_exit(2)
                  call pomp_H_taskgroup_end(1)
            # 3 "f.f"
            C$OMP END TASK GROUP
                  call pomp_H_taskgroup_exit(1)
                  call pomp_H_parallel_fork(3,pomp_p3)
            # 4 "f.f"
            !$omp parallel
            !$omp&firstprivate(pomp_p3)
            !$omp&SHARED(N)
            !$omp&NUM_THREADS(2)
                  call pomp_H_parallel_begin(3,pomp_p3)
                  call pomp_H_do_enter(3,[integer(8)::1,1,2,1])
            # 4 "f.f"
            !$omp do
            # 5 "f.f"
                  DO I=1,2
                  END DO
            !$omp end do nowait
                  call pomp_H_barrier_enter(3)
            !$omp barrier
                  call pomp_H_barrier_exit(3)
                  call pomp_H_do_exit(3)
                  call pomp_H_parallel_end(3,pomp_p3)
            !$omp end parallel
                  call pomp_H_parallel_join(3,pomp_p3)
            # 7 "f.f"
                  END
        "##]],
    );
}

#[test]
fn many_variables_fit_the_columns() {
    check_fixed(
        "      subroutine s\n!$omp parallel if(x)\n!$omp task\n!$omp end task\n!$omp task\n!$omp end task\n!$omp task\n!$omp end task\n!$omp task\n!$omp end task\n!$omp task\n!$omp end task\n!$omp end parallel\n      end\n",
        expect![[r##"
            # 1 "f.f"
                  subroutine s
                  integer(8) :: pomp_p1
                  integer(8) :: pomp_t2
                  integer(8) :: pomp_t3
                  integer(8) :: pomp_t4
                  integer(8) :: pomp_t5
                  integer(8) :: pomp_t6
                  call pomp_H_parallel_fork(1,pomp_p1)
            # 2 "f.f"
            !$omp parallel firstprivate(pomp_p1)
            !$omp& private(pomp_t2,pomp_t3,pomp_t4,pomp_t5,pomp_t6)
            # 2 "f.f"
            !$omp&         if(x)
                  call pomp_H_parallel_begin(1,pomp_p1)
                  call pomp_H_task_create_begin(2,pomp_t2)
            # 3 "f.f"
            !$omp task firstprivate(pomp_t2)
                  call pomp_H_task_begin(2,pomp_t2)
                  call pomp_H_task_end(2,pomp_t2)
            # 4 "f.f"
            !$omp end task
                  call pomp_H_task_create_end(2,pomp_t2)
                  call pomp_H_task_create_begin(3,pomp_t3)
            # 5 "f.f"
            !$omp task firstprivate(pomp_t3)
                  call pomp_H_task_begin(3,pomp_t3)
                  call pomp_H_task_end(3,pomp_t3)
            # 6 "f.f"
            !$omp end task
                  call pomp_H_task_create_end(3,pomp_t3)
                  call pomp_H_task_create_begin(4,pomp_t4)
            # 7 "f.f"
            !$omp task firstprivate(pomp_t4)
                  call pomp_H_task_begin(4,pomp_t4)
                  call pomp_H_task_end(4,pomp_t4)
            # 8 "f.f"
            !$omp end task
                  call pomp_H_task_create_end(4,pomp_t4)
                  call pomp_H_task_create_begin(5,pomp_t5)
            # 9 "f.f"
            !$omp task firstprivate(pomp_t5)
                  call pomp_H_task_begin(5,pomp_t5)
                  call pomp_H_task_end(5,pomp_t5)
            # 10 "f.f"
            !$omp end task
                  call pomp_H_task_create_end(5,pomp_t5)
                  call pomp_H_task_create_begin(6,pomp_t6)
            # 11 "f.f"
            !$omp task firstprivate(pomp_t6)
                  call pomp_H_task_begin(6,pomp_t6)
                  call pomp_H_task_end(6,pomp_t6)
            # 12 "f.f"
            !$omp end task
                  call pomp_H_task_create_end(6,pomp_t6)
                  call pomp_H_parallel_end(1,pomp_p1)
            # 13 "f.f"
            !$omp end parallel
                  call pomp_H_parallel_join(1,pomp_p1)
            # 14 "f.f"
                  end
        "##]],
    );
}

#[test]
fn implicit_none_external() {
    check(
        "program p\nuse omp_lib\nimplicit none (type, external)\n!$omp critical\n!$omp end critical\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            use omp_lib
            implicit none (type, external)
            external :: pomp_H_critical_begin
            external :: pomp_H_critical_end
            external :: pomp_H_critical_enter
            external :: pomp_H_critical_exit
            call pomp_H_critical_enter(1)
            # 4 "f.f90"
            !$omp critical
            call pomp_H_critical_begin(1)
            call pomp_H_critical_end(1)
            # 5 "f.f90"
            !$omp end critical
            call pomp_H_critical_exit(1)
            # 6 "f.f90"
            end program
        "##]],
    );
}
