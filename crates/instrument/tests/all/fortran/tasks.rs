//! Tasks and taskloops.

use super::{check, check_fixed, output_with};
use expect_test::expect;

#[test]
fn a_task_in_a_recursive_procedure() {
    check(
        "recursive subroutine s(n)\n!$omp task default(none) firstprivate(n)\ncall s(n-1)\n!$omp end task\nend subroutine\n",
        expect![[r##"
            # 1 "f.f90"
            recursive subroutine s(n)
            integer(8) :: pomp_t1
            call pomp_H_task_create_begin(1,pomp_t1)
            # 2 "f.f90"
            !$omp task firstprivate(pomp_t1) &
            # 2 "f.f90"
            !$omp & default(none) firstprivate(n)
            call pomp_H_task_begin(1,pomp_t1)
            # 3 "f.f90"
            call s(n-1)
            call pomp_H_task_end(1,pomp_t1)
            # 4 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(1,pomp_t1)
            # 5 "f.f90"
            end subroutine
        "##]],
    );
}

#[test]
fn tasks() {
    check(
        "program p\n!$omp parallel\n!$omp task untied\n!$omp task\n!$omp end task\n!$omp taskyield\n!$omp taskwait\n!$omp taskgroup\n!$omp end taskgroup\n!$omp end task\n!$omp end parallel\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p1
            integer(8) :: pomp_t2
            integer(8) :: pomp_t3
            call pomp_H_parallel_fork(1,pomp_p1)
            # 2 "f.f90"
            !$omp parallel firstprivate(pomp_p1) &
            !$omp& private(pomp_t2,pomp_t3)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_task_create_begin(2,pomp_t2)
            # 3 "f.f90"
            !$omp task firstprivate(pomp_t2) &
            !$omp& private(pomp_t3) &
            # 3 "f.f90"
            !$omp & untied
            call pomp_H_task_begin(2,pomp_t2)
            call pomp_H_task_create_begin(3,pomp_t3)
            # 4 "f.f90"
            !$omp task firstprivate(pomp_t3)
            call pomp_H_task_begin(3,pomp_t3)
            call pomp_H_task_end(3,pomp_t3)
            # 5 "f.f90"
            !$omp end task
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_task_create_end(3,pomp_t3)
            call pomp_H_taskyield_enter(4)
            # 6 "f.f90"
            !$omp taskyield
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskyield_exit(4)
            call pomp_H_taskwait_enter(5)
            # 7 "f.f90"
            !$omp taskwait
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskwait_exit(5)
            call pomp_H_taskgroup_enter(6)
            # 8 "f.f90"
            !$omp taskgroup
            call pomp_H_taskgroup_begin(6)
            call pomp_H_taskgroup_end(6)
            # 9 "f.f90"
            !$omp end taskgroup
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskgroup_exit(6)
            call pomp_H_task_end(2,pomp_t2)
            # 10 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(2,pomp_t2)
            call pomp_H_parallel_end(1,pomp_p1)
            # 11 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 12 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn a_detached_task_says_its_event() {
    check(
        "!$omp task detach(e) shared(s)\ns = 1\n!$omp end task\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_t1
            call pomp_H_task_create_begin(1,pomp_t1)
            # 1 "f.f90"
            !$omp task firstprivate(pomp_t1) &
            # 1 "f.f90"
            !$omp & detach(e) shared(s)
            call pomp_H_task_begin(1,pomp_t1)
            # 2 "f.f90"
            s = 1
            call pomp_H_task_detach(1,pomp_t1,e)
            # 3 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(1,pomp_t1)
            # 4 "f.f90"
            end
        "##]],
    );
    check_fixed(
        "C$OMP TASK SHARED(S)\nC$OMP+DETA CH(\nC$OMP1EVENT)\n      S = 1\nC$OMP END TASK\n      END\n",
        expect![[r##"
            # 1 "f.f"
                  integer(8) :: pomp_t1
                  call pomp_H_task_create_begin(1,pomp_t1)
            # 1 "f.f"
            C$OMP TASK firstprivate(pomp_t1)
            # 1 "f.f"
            !$omp&     SHARED(S)
            C$OMP+DETA CH(
            C$OMP1EVENT)
                  call pomp_H_task_begin(1,pomp_t1)
            # 4 "f.f"
                  S = 1
                  call pomp_H_task_detach(1,pomp_t1,EVENT)
            # 5 "f.f"
            C$OMP END TASK
                  call pomp_H_task_create_end(1,pomp_t1)
            # 6 "f.f"
                  END
        "##]],
    );
}

#[test]
fn alternatives_of_a_task_say_the_event_that_they_have_in_common() {
    let check = |first: &str, second: &str, event: bool| {
        let text = format!(
            "#ifdef A\n!$omp task {first}\n#else\n!$omp task {second}\n#endif\n!$omp end task\nend\n"
        );
        let text = output_with("f.F90", &text, |_| ());
        assert_eq!(text.contains("call pomp_H_task_detach(1,pomp_t1,e)"), event, "{text}");
        assert_eq!(text.contains("call pomp_H_task_end(1,pomp_t1)"), !event, "{text}");
    };
    check("detach(e)", "detach(e) untied", true);
    check("detach(e)", "detach(f)", false);
    check("detach(e)", "untied", false);
    check("untied", "detach(e)", false);
    let doubtful = "&\n#ifdef B\n!$omp& detach(e) &\n#endif\n!$omp& shared(s)";
    check(doubtful, "detach(e)", false);
}

#[test]
fn taskloops() {
    check(
        "!$omp taskloop shared(s) ! note\nl: do i=1,3\n  if (i == 2) cycle l\n  do j=1,2; if (j == 1) cycle; if (j == 2) cycle l; end do\n  if (i == 3) then\n    s = 1; cycle\n  end if\nend do l\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_l1
            integer(8) :: pomp_t1
            pomp_t1=0
            call pomp_H_taskloop_enter(1,pomp_l1)
            # 1 "f.f90"
            !$omp taskloop firstprivate(pomp_l1) &
            !$omp& firstprivate(pomp_t1) &
            # 1 "f.f90"
            !$omp & shared(s) ! note
            # 2 "f.f90"
            l: do i=1,3
            call pomp_H_taskloop_begin(1,pomp_l1,pomp_t1)
            # 3 "f.f90"
              if (i == 2) then 
            call pomp_H_taskloop_end(1,pomp_t1)
            cycle l
            end if
            # 4 "f.f90"
              do j=1,2; if (j == 1) cycle; if (j == 2) then 
            call pomp_H_taskloop_end(1,pomp_t1)
            cycle l
            end if
            # 4 "f.f90"
             end do
              if (i == 3) then
                s = 1
            call pomp_H_taskloop_end(1,pomp_t1)
            # 6 "f.f90"
             cycle
              end if
            call pomp_H_taskloop_end(1,pomp_t1)
            # 8 "f.f90"
            end do l
            !$omp end taskloop
            call pomp_H_taskloop_exit(1,pomp_l1)
            # 9 "f.f90"
            end
        "##]],
    );
}

#[test]
fn taskloops_that_end_with_a_label() {
    check(
        "!$omp taskloop collapse(2)\ndo 10 i=1,2\ndo 10, j=1,2\n10 s = s + 1\n!$omp taskloop\ndo i=1,2\n  goto 20\n20 end do\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_l1
            integer(8) :: pomp_l2
            integer(8) :: pomp_t1
            integer(8) :: pomp_t2
            pomp_t1=0
            call pomp_H_taskloop_enter(1,pomp_l1)
            # 1 "f.f90"
            !$omp taskloop firstprivate(pomp_l1) &
            !$omp& firstprivate(pomp_t1) &
            # 1 "f.f90"
            !$omp & collapse(2)
            # 2 "f.f90"
            do    i=1,2
            do     j=1,2
            call pomp_H_taskloop_begin(1,pomp_l1,pomp_t1)
            if (.false.) goto 10
            # 4 "f.f90"
            10 s = s + 1
            call pomp_H_taskloop_end(1,pomp_t1)
            end do
            end do
            !$omp end taskloop
            call pomp_H_taskloop_exit(1,pomp_l1)
            pomp_t2=0
            call pomp_H_taskloop_enter(2,pomp_l2)
            # 5 "f.f90"
            !$omp taskloop firstprivate(pomp_l2) &
            !$omp& firstprivate(pomp_t2)
            # 6 "f.f90"
            do i=1,2
            call pomp_H_taskloop_begin(2,pomp_l2,pomp_t2)
            # 7 "f.f90"
              goto 20
            20 continue
            call pomp_H_taskloop_end(2,pomp_t2)
            # 8 "f.f90"
               end do
            !$omp end taskloop
            call pomp_H_taskloop_exit(2,pomp_l2)
            # 9 "f.f90"
            end
        "##]],
    );
}

#[test]
fn taskloops_whose_tasks_are_not_seen() {
    check(
        "!$omp taskloop simd\ndo i=1,2\nend do\n!$omp taskloop collapse(n)\ndo i=1,2\nend do\nend\n",
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_l1
            integer(8) :: pomp_l2
            call pomp_H_taskloop_enter(1,pomp_l1)
            # 1 "f.f90"
            !$omp taskloop simd
            # 2 "f.f90"
            do i=1,2
            end do
            !$omp end taskloop simd
            call pomp_H_taskloop_exit(1,pomp_l1)
            call pomp_H_taskloop_enter(2,pomp_l2)
            # 4 "f.f90"
            !$omp taskloop collapse(n)
            # 5 "f.f90"
            do i=1,2
            end do
            !$omp end taskloop
            call pomp_H_taskloop_exit(2,pomp_l2)
            # 7 "f.f90"
            end
        "##]],
    );
}

/// The last call for an item enters the construct. A taskwait with `nowait` waits for nothing.
#[test]
fn items_of_taskwaits_and_target_constructs_are_passed() {
    check(
        "subroutine s(a)\nreal :: a(9)\n!$omp taskwait depend(in: a)\n!$omp taskwait depend(in: a) nowait\n!$omp target nowait depend(out: a(1))\na = 1\n!$omp end target\n!$omp target update to(a) depend(in: b)\nend subroutine\n",
        expect![[r##"
            # 1 "f.f90"
            subroutine s(a)
            interface
            subroutine pomp_H_target_depend_enter(pomp_n,pomp_k,pomp_x1)
            integer :: pomp_n,pomp_k
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x1
            !DIR$ IGNORE_TKR pomp_x1
            integer, target :: pomp_x1(*)
            end subroutine
            end interface
            interface
            subroutine pomp_H_taskwait_depend_enter(pomp_n,pomp_k,pomp_x1)
            integer :: pomp_n,pomp_k
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x1
            !DIR$ IGNORE_TKR pomp_x1
            integer, target :: pomp_x1(*)
            end subroutine
            end interface
            # 2 "f.f90"
            real :: a(9)
            call pomp_H_taskwait_depend_enter(1,105,a)
            call pomp_H_taskwait_depend_enter(1,0,1)
            # 3 "f.f90"
            !$omp taskwait depend(in: a)
            call pomp_H_taskwait_depend_exit(1)
            call pomp_H_taskwait_enter(2)
            # 4 "f.f90"
            !$omp taskwait depend(in: a) nowait
            call pomp_H_taskwait_exit(2)
            call pomp_H_target_depend_enter(3,111,a(1))
            call pomp_H_target_depend_enter(3,0,3)
            # 5 "f.f90"
            !$omp target nowait depend(out: a(1))
            # 6 "f.f90"
            a = 1
            # 7 "f.f90"
            !$omp end target
            call pomp_H_target_exit(3)
            call pomp_H_target_depend_enter(4,63,4)
            call pomp_H_target_depend_enter(4,0,4)
            # 8 "f.f90"
            !$omp target update to(a) depend(in: b)
            call pomp_H_target_exit(4)
            # 9 "f.f90"
            end subroutine
        "##]],
    );
}

#[test]
fn items_of_depend_clauses_are_passed() {
    check(
        "subroutine s(a,n)\nuse m\nreal a(n),b(:,:)\nreal, intent(inout) :: c(n,n)\ninteger :: n, i\n!$omp task depend(in: c(i-1,i), i) &\n!$omp& depend(inout: c(1:n,2:n)) depend(out: x, b(1,1))\n!$omp end task\nend subroutine\n",
        expect![[r##"
            # 1 "f.f90"
            subroutine s(a,n)
            use m
            integer(8) :: pomp_t1
            interface
            subroutine pomp_H_task_depend(pomp_n,pomp_x0,pomp_k,pomp_x1)
            integer :: pomp_n,pomp_k
            integer(8) :: pomp_x0
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x1
            !DIR$ IGNORE_TKR pomp_x1
            integer, target :: pomp_x1(*)
            end subroutine
            end interface
            # 3 "f.f90"
            real a(n),b(:,:)
            real, intent(inout) :: c(n,n)
            integer :: n, i
            call pomp_H_task_create_begin(1,pomp_t1)
            call pomp_H_task_depend(1,pomp_t1,105,c(i-1,i))
            call pomp_H_task_depend(1,pomp_t1,105,i)
            if (1 <= n .and. 2 <= n) call pomp_H_task_depend(1,pomp_t1,111,&
            &c(1,2))
            call pomp_H_task_depend(1,pomp_t1,63,pomp_t1)
            call pomp_H_task_depend(1,pomp_t1,63,pomp_t1)
            call pomp_H_task_depend(1,pomp_t1,0,pomp_t1)
            # 6 "f.f90"
            !$omp task firstprivate(pomp_t1) &
            # 6 "f.f90"
            !$omp & depend(in: c(i-1,i), i) &
            !$omp& depend(inout: c(1:n,2:n)) depend(out: x, b(1,1))
            call pomp_H_task_begin(1,pomp_t1)
            call pomp_H_task_end(1,pomp_t1)
            # 8 "f.f90"
            !$omp end task
            call pomp_H_task_create_end(1,pomp_t1)
            # 9 "f.f90"
            end subroutine
        "##]],
    );
}
