//! What becomes of parallel regions, combined constructs among them.

use super::check;
use expect_test::expect;

#[test]
fn parallel() {
    check(
        "subroutine s(x)\n  implicit none\n  integer :: x\n  !$omp parallel private(x) & ! why\n  !$omp& num_threads(2)\n  x = 1\n  !$omp end parallel\nend subroutine\n",
        expect![[r##"
            # 1 "f.f90"
            subroutine s(x)
              implicit none
            integer(8) :: pomp_p1
            # 3 "f.f90"
              integer :: x
            call pomp_H_parallel_fork(1,pomp_p1)
            # 4 "f.f90"
              !$omp parallel firstprivate(pomp_p1) &
            # 4 "f.f90"
            !$omp & private(x) & ! why
              !$omp& num_threads(2)
            call pomp_H_parallel_begin(1,pomp_p1)
            # 6 "f.f90"
              x = 1
            call pomp_H_parallel_end(1,pomp_p1)
            # 7 "f.f90"
              !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 8 "f.f90"
            end subroutine
        "##]],
    );
}

#[test]
fn a_nested_region_has_its_variable_private() {
    check(
        "!$omp parallel default(none)\n!$omp parallel\n!$omp end parallel\n!$omp end parallel\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_p1
            integer(8) :: pomp_p2
            call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f90"
            !$omp parallel firstprivate(pomp_p1) &
            !$omp& private(pomp_p2) &
            # 1 "f.f90"
            !$omp & default(none)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 2 "f.f90"
            !$omp parallel firstprivate(pomp_p2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_parallel_end(2,pomp_p2)
            # 3 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            call pomp_H_parallel_end(1,pomp_p1)
            # 4 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 5 "f.f90"
            end
        "##]],
    );
}

#[test]
fn combined_constructs_are_split() {
    check(
        "program p\n!$omp parallel do default(none) shared(a, &\n!$omp& n) reduction(+:s) if(n>1) schedule(static) & ! c\n!$omp   firstprivate(x) lastprivate(x)\ndo i=1,n\nend do\n!$omp end parallel do\n!$omp paralleldo simd if(n>2) simdlen(4)\ndo i=1,n\nend do\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p1
            integer(8) :: pomp_p2
            logical :: pomp_c2
            call pomp_H_parallel_fork(1,pomp_p1)
            # 2 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p1) &
            !$omp&shared(s) &
            !$omp&shared(x) &
            !$omp&default(none) &
            !$omp&shared(a, &
            !$omp& n) &
            !$omp&if(n>1)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_do_enter(1,[integer(8)::1,1,n,1])
            # 2 "f.f90"
            !$omp do &
            !$omp&reduction(+:s) &
            !$omp&schedule(static) &
            !$omp&firstprivate(x) &
            !$omp&lastprivate(x)
            # 5 "f.f90"
            do i=1,n
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            call pomp_H_parallel_end(1,pomp_p1)
            # 7 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            pomp_c2 = n>2
            call pomp_H_parallel_fork(2,pomp_p2)
            # 8 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p2) &
            !$omp&firstprivate(pomp_c2) &
            !$omp&if(pomp_c2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_do_enter(2,[integer(8)::1,1,n,1])
            # 8 "f.f90"
            !$omp do simd &
            !$omp&if(pomp_c2) &
            !$omp&simdlen(4)
            # 9 "f.f90"
            do i=1,n
            end do
            !$omp end do simd nowait
            call pomp_H_barrier_enter(2)
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_do_exit(2)
            call pomp_H_parallel_end(2,pomp_p2)
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            # 11 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn combined_constructs_that_cannot_be_split() {
    check(
        "program p\n!$omp parallel do lastprivate(conditional: x)\ndo i=1,n\nend do\n!$omp end parallel do\n!$omp parallel do CLAUSES\ndo i=1,n\nend do\nend program\n",
        expect![[r#"
            6: `parallel do`: only the parallel region is measured: `clauses` is not a clause that is known
            2: `parallel do`: only the parallel region is measured: lastprivate with the conditional modifier cannot be split
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p1
            integer(8) :: pomp_p2
            call pomp_H_parallel_fork(1,pomp_p1)
            # 2 "f.f90"
            !$omp parallel do lastprivate(conditional: x)
            # 3 "f.f90"
            do i=1,n
            end do
            # 5 "f.f90"
            !$omp end parallel do
            call pomp_H_parallel_join(1,pomp_p1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 6 "f.f90"
            !$omp parallel do CLAUSES
            # 7 "f.f90"
            do i=1,n
            end do
            !$omp end parallel do
            call pomp_H_parallel_join(2,pomp_p2)
            # 9 "f.f90"
            end program
        "#]],
    );
}

#[test]
fn strictly_structured_blocks_need_an_end_now() {
    check(
        "program p\n!$omp parallel\nblock\n  integer :: y\nend block\n!$omp single\nblock\nend block\n!$omp end single\n!$omp taskgroup\nblock\nend block\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p1
            call pomp_H_parallel_fork(1,pomp_p1)
            # 2 "f.f90"
            !$omp parallel firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            # 3 "f.f90"
            block
              integer :: y
            end block
            call pomp_H_parallel_end(1,pomp_p1)
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            call pomp_H_single_enter(2)
            # 6 "f.f90"
            !$omp single
            call pomp_H_single_begin(2)
            # 7 "f.f90"
            block
            end block
            call pomp_H_single_end(2)
            # 9 "f.f90"
            !$omp end single nowait
            call pomp_H_barrier_enter(2)
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_single_exit(2)
            call pomp_H_taskgroup_enter(3)
            # 10 "f.f90"
            !$omp taskgroup
            call pomp_H_taskgroup_begin(3)
            # 11 "f.f90"
            block
            end block
            call pomp_H_taskgroup_end(3)
            !$omp end taskgroup
            call pomp_H_taskgroup_exit(3)
            # 13 "f.f90"
            end program
        "##]],
    );
}
