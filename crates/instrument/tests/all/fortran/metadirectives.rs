//! Metadirectives: measured as what they become on the host where their text says so, and not
//! changed but for the clauses that this needs.

use super::{check, check_fixed};
use expect_test::expect;

#[test]
fn directives_that_stand_alone() {
    check(
        "!$omp metadirective when(user={condition(.TRUE.)}: barrier)\n\
         !$omp metadirective when(device={arch('nvptx')}: barrier) &\n\
         !$omp&  otherwise(taskwait)\n\
         !$omp metadirective when(user={condition(.false.)}: barrier) default(flush(a))\n\
         x = 1\nend\n",
        expect![[r#"
            2: `metadirective`: what it becomes is left to the compiler: it has no events of its own
            # 1 "f.f90"
            call pomp_H_barrier_enter(1)
            # 1 "f.f90"
            !$omp metadirective when(user={condition(.TRUE.)}: barrier)
            call pomp_H_barrier_exit(1)
            # 2 "f.f90"
            !$omp metadirective when(device={arch('nvptx')}: barrier) &
            !$omp&  otherwise(taskwait)
            call pomp_H_flush_enter(2)
            # 4 "f.f90"
            !$omp metadirective when(user={condition(.false.)}: barrier) default(flush(a))
            call pomp_H_flush_exit(2)
            # 5 "f.f90"
            x = 1
            end
        "#]],
    );
}

#[test]
fn loops() {
    check(
        "!$omp metadirective when(device={kind(nohost)}: target teams loop) &\n\
         !$omp& default(paralleldo reduction(+: s))\n\
         do i = 1, n\n!$omp critical\ns = s + i\n!$omp end critical\nend do\n\
         !$omp parallel\n!$omp metadirective when(user={condition(.true.)}: do schedule(static))\n\
         do i = 1, n\nx(i) = 1\nend do\n\
         !$omp end parallel\nend\n",
        expect![[r#"
            1: `parallel do`: only the parallel region is measured: a metadirective cannot be split
            # 1 "f.f90"
            integer(8) :: pomp_p1
            integer(8) :: pomp_p3
            call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f90"
            !$omp metadirective when(device={kind(nohost)}: target teams loop) &
            !$omp& default(paralleldo reduction(+: s))
            # 3 "f.f90"
            do i = 1, n
            call pomp_H_critical_enter(2)
            # 4 "f.f90"
            !$omp critical
            call pomp_H_critical_begin(2)
            # 5 "f.f90"
            s = s + i
            call pomp_H_critical_end(2)
            # 6 "f.f90"
            !$omp end critical
            call pomp_H_critical_exit(2)
            # 7 "f.f90"
            end do
            call pomp_H_parallel_join(1,pomp_p1)
            call pomp_H_parallel_fork(3,pomp_p3)
            # 8 "f.f90"
            !$omp parallel firstprivate(pomp_p3)
            call pomp_H_parallel_begin(3,pomp_p3)
            call pomp_H_do_enter(4,[integer(8)::1,1,n,1])
            # 9 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: do schedule(static))
            # 10 "f.f90"
            do i = 1, n
            x(i) = 1
            end do
            call pomp_H_do_exit(4)
            call pomp_H_parallel_end(3,pomp_p3)
            # 13 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(3,pomp_p3)
            # 14 "f.f90"
            end
        "#]],
    );
}

#[test]
fn delimited_ones() {
    check(
        "!$omp begin metadirective when(user={condition(.true.)}: parallel num_threads(2))\n\
         !$omp task\nx = 1\n!$omp end task\n!$omp end metadirective\n\
         !$omp begin metadirective when(user={condition(.true.)}: do)\n\
         do i = 1, n\nend do\n!$omp end metadirective\n\
         !$omp begin metadirective when(user={condition(.true.)}: parallel sections)\n\
         !$omp section\nx = 1\n!$omp end metadirective\nend\n",
        expect![[r#"
            10: `parallel sections`: only the parallel region and each section are measured: a metadirective cannot be split
            # 1 "f.f90"
            integer(8) :: pomp_p1
            integer(8) :: pomp_p4
            integer(8) :: pomp_t2
            call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: parallel firstprivate(pomp_p1) &
            !$omp& private(pomp_t2) &
            # 1 "f.f90"
            !$omp & num_threads(2))
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_task_create_begin(2,pomp_t2)
            # 2 "f.f90"
            !$omp task firstprivate(pomp_t2)
            call pomp_H_task_begin(2,pomp_t2)
            # 3 "f.f90"
            x = 1
            call pomp_H_task_end(2,pomp_t2)
            # 4 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(2,pomp_t2)
            call pomp_H_parallel_end(1,pomp_p1)
            # 5 "f.f90"
            !$omp end metadirective
            call pomp_H_parallel_join(1,pomp_p1)
            call pomp_H_do_enter(3,[integer(8)::1,1,n,1])
            # 6 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: do)
            # 7 "f.f90"
            do i = 1, n
            end do
            # 9 "f.f90"
            !$omp end metadirective
            call pomp_H_do_exit(3)
            call pomp_H_parallel_fork(4,pomp_p4)
            call pomp_H_sections_enter(4)
            # 10 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: parallel sections)
            # 11 "f.f90"
            !$omp section
            call pomp_H_section_begin(5)
            # 12 "f.f90"
            x = 1
            call pomp_H_section_end(5)
            # 13 "f.f90"
            !$omp end metadirective
            call pomp_H_sections_exit(4)
            call pomp_H_parallel_join(4,pomp_p4)
            # 14 "f.f90"
            end
        "#]],
    );
}

#[test]
fn blocks_get_calls_around_them() {
    check(
        "!$omp metadirective when(user={condition(.true.)}: target data map(y))\n\
         block\ny = 1\nend block\n\
         !$omp metadirective when(user={condition(.true.)}: parallel shared(y))\n\
         block\ninteger :: z\nz = 1\n!$omp task\n!$omp end task\nend block\nend\n",
        expect![[r#"
            5: `parallel`: only the parallel region is measured: nothing can be put between a metadirective and its BLOCK
            # 1 "f.f90"
            integer(8) :: pomp_p2
            integer(8) :: pomp_t3
            call pomp_H_target_enter(1)
            # 1 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: target data map(y))
            # 2 "f.f90"
            block
            y = 1
            end block
            call pomp_H_target_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 5 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: parallel private(pomp_t3) &
            # 5 "f.f90"
            !$omp & shared(y))
            # 6 "f.f90"
            block
            integer :: z
            z = 1
            call pomp_H_task_create_begin(3,pomp_t3)
            # 9 "f.f90"
            !$omp task firstprivate(pomp_t3)
            call pomp_H_task_begin(3,pomp_t3)
            call pomp_H_task_end(3,pomp_t3)
            # 10 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(3,pomp_t3)
            # 11 "f.f90"
            end block
            call pomp_H_parallel_join(2,pomp_p2)
            # 12 "f.f90"
            end
        "#]],
    );
}

#[test]
fn blocks_that_need_calls_inside_get_none() {
    check(
        "!$omp parallel\n\
         !$omp metadirective when(user={condition(.true.)}: single)\n\
         block\ny = 1\nend block\n\
         !$omp metadirective when(user={condition(.true.)}: parallel sections)\n\
         block\ny = 1\nend block\n!$omp end parallel\nend\n",
        expect![[r#"
            6: `parallel sections`: nothing can be put between a metadirective and its BLOCK
            2: `single`: nothing can be put between a metadirective and its BLOCK
            # 1 "f.f90"
            integer(8) :: pomp_p1
            call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f90"
            !$omp parallel firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            # 2 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: single)
            block
            y = 1
            end block
            !$omp metadirective when(user={condition(.true.)}: parallel sections)
            block
            y = 1
            end block
            call pomp_H_parallel_end(1,pomp_p1)
            # 10 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 11 "f.f90"
            end
        "#]],
    );
}

#[test]
fn fixed_form() {
    check_fixed(
        "c$omp begin metadirective\nc$omp& when (user={condition(.true.)}: par\nc$omp&allel)\n\
         !$omp metadirective when(user={condition(.true.)}: task yield)\n      x = 1\n\
         c$omp end metadirective\n      end\n",
        expect![[r##"
            # 1 "f.f"
                  integer(8) :: pomp_p1
                  call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f"
            c$omp begin metadirective
            c$omp& when (user={condition(.true.)}: par
            c$omp&allel firstprivate(pomp_p1)
            # 3 "f.f"
            !$omp&     )
                  call pomp_H_parallel_begin(1,pomp_p1)
                  call pomp_H_taskyield_enter(2)
            # 4 "f.f"
            !$omp metadirective when(user={condition(.true.)}: task yield)
                  call pomp_H_taskyield_exit(2)
            # 5 "f.f"
                  x = 1
                  call pomp_H_parallel_end(1,pomp_p1)
            # 6 "f.f"
            c$omp end metadirective
                  call pomp_H_parallel_join(1,pomp_p1)
            # 7 "f.f"
                  end
        "##]],
    );
}

#[test]
fn what_only_compilers_know() {
    check(
        "!$omp metadirective when(user={condition(true)}: barrier)\n\
         !$omp metadirective when(implementation={vendor(gnu)}: taskwait)\n\
         !$omp metadirective when(user={condition(.true.)}: nothing)\n\
         !$omp metadirective when(user={condition(.true.)}: parallel)\n\
         x = 1\n\
         !$omp metadirective when(user={condition(.true.)}: barrier) &\n\
         #ifdef A\n!$omp& when(user={condition(.true.)}: taskwait) &\n#endif\n\
         !$omp& default(nothing)\nend\n",
        expect![[r#"
            6: `metadirective`: what it becomes is left to the compiler: it has no events of its own
            4: `parallel`: the body of this metadirective cannot be told from the text
            2: `metadirective`: what it becomes is left to the compiler: it has no events of its own
            1: `metadirective`: what it becomes is left to the compiler: it has no events of its own
            !$omp metadirective when(user={condition(true)}: barrier)
            !$omp metadirective when(implementation={vendor(gnu)}: taskwait)
            !$omp metadirective when(user={condition(.true.)}: nothing)
            !$omp metadirective when(user={condition(.true.)}: parallel)
            x = 1
            !$omp metadirective when(user={condition(.true.)}: barrier) &
            #ifdef A
            !$omp& when(user={condition(.true.)}: taskwait) &
            #endif
            !$omp& default(nothing)
            end
        "#]],
    );
}

#[test]
fn tasks_and_their_variables() {
    check(
        "!$omp metadirective when(user={condition(.true.)}: taskloop)\n\
         do i = 1, n\nx(i) = 1\nend do\n\
         !$omp begin metadirective when(user={condition(.true.)}: task untied)\n\
         !$omp taskyield\n!$omp end metadirective\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_l1
            integer(8) :: pomp_t1
            integer(8) :: pomp_t2
            pomp_t1=0
            call pomp_H_taskloop_enter(1,pomp_l1)
            # 1 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: taskloop firstprivate(pomp_l1) &
            !$omp& firstprivate(pomp_t1) &
            # 1 "f.f90"
            !$omp &)
            # 2 "f.f90"
            do i = 1, n
            call pomp_H_taskloop_begin(1,pomp_l1,pomp_t1)
            # 3 "f.f90"
            x(i) = 1
            call pomp_H_taskloop_end(1,pomp_t1)
            # 4 "f.f90"
            end do
            call pomp_H_taskloop_exit(1,pomp_l1)
            call pomp_H_task_create_begin(2,pomp_t2)
            # 5 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: task firstprivate(pomp_t2) &
            # 5 "f.f90"
            !$omp & untied)
            call pomp_H_task_begin(2,pomp_t2)
            call pomp_H_taskyield_enter(3)
            # 6 "f.f90"
            !$omp taskyield
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskyield_exit(3)
            call pomp_H_task_end(2,pomp_t2)
            # 7 "f.f90"
            !$omp end metadirective
            call pomp_H_task_create_end(2,pomp_t2)
            # 8 "f.f90"
            end
        "##]],
    );
}

#[test]
fn atomics_and_cancellations() {
    check(
        "!$omp begin metadirective when(user={condition(.true.)}: atomic)\n\
         x(1) = x(1) + 1\n!$omp end metadirective\n\
         !$omp parallel\n\
         !$omp metadirective when(user={condition(.true.)}: cancel parallel if(n>1))\n\
         !$omp end parallel\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_p2
            call pomp_H_atomic_enter(1)
            # 1 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: atomic)
            # 2 "f.f90"
            x(1) = x(1) + 1
            # 3 "f.f90"
            !$omp end metadirective
            call pomp_H_atomic_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 4 "f.f90"
            !$omp parallel firstprivate(pomp_p2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_cancel(3)
            # 5 "f.f90"
            !$omp metadirective when(user={condition(.true.)}: cancel parallel if(n>1))
            call pomp_H_parallel_end(2,pomp_p2)
            # 6 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            # 7 "f.f90"
            end
        "##]],
    );
}
