//! Worksharing constructs and loops.

use super::{check, check_with};
use expect_test::expect;
use pompeii_instrument::{Language, Options, instrument};

#[test]
fn loops() {
    check(
        "program p\n!$omp do\ndo i=1,2\nend do\n!$omp do schedule(static)\ndo 10 i=1,2\n10 x = 1\n!$omp enddo nowait\n!$omp do\ndo i=1,2; x=1; end do; y=2\n!$omp do simd\nl: do i=1,2\nend do l\n!$omp end do simd ! note\nend\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            call pomp_H_do_enter(1,[integer(8)::1,1,2,1])
            # 2 "f.f90"
            !$omp do
            # 3 "f.f90"
            do i=1,2
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            call pomp_H_do_enter(2,[integer(8)::1,1,2,1])
            # 5 "f.f90"
            !$omp do schedule(static)
            # 6 "f.f90"
            do 10 i=1,2
            10 x = 1
            # 8 "f.f90"
            !$omp enddo nowait
            call pomp_H_do_exit(2)
            call pomp_H_do_enter(3,[integer(8)::1,1,2,1])
            # 9 "f.f90"
            !$omp do
            # 10 "f.f90"
            do i=1,2; x=1; end do
            !$omp end do nowait
            call pomp_H_barrier_enter(3)
            !$omp barrier
            call pomp_H_barrier_exit(3)
            call pomp_H_do_exit(3)
            # 10 "f.f90"
             y=2
            call pomp_H_do_enter(4,[integer(8)::1,1,2,1])
            # 11 "f.f90"
            !$omp do simd
            # 12 "f.f90"
            l: do i=1,2
            end do l
            # 14 "f.f90"
            !$omp end do simd nowait ! note
            call pomp_H_barrier_enter(4)
            !$omp barrier
            call pomp_H_barrier_exit(4)
            call pomp_H_do_exit(4)
            # 15 "f.f90"
            end
        "##]],
    );
}

#[test]
fn a_loop_that_shares_its_label_with_an_outer_one_is_left_alone() {
    check(
        "!$omp parallel do\ndo 10 i=1,2\n!$omp do\ndo 10 j=1,2\n10 continue\nend\n",
        expect![[r#"
            3: `do`: its loop ends with the statement of an outer loop
            # 1 "f.f90"
            integer(8) :: pomp_p1
            call pomp_H_parallel_fork(1,pomp_p1)
            # 1 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
            call pomp_H_do_enter(1,[integer(8)::1,1,2,1])
            # 1 "f.f90"
            !$omp do
            # 2 "f.f90"
            do 10 i=1,2
            !$omp do
            do 10 j=1,2
            10 continue
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            call pomp_H_parallel_end(1,pomp_p1)
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            # 6 "f.f90"
            end
        "#]],
    );
}

#[test]
fn sections() {
    check(
        "program p\n!$omp sections\n! comment\nx = 1\n!$omp section\n!$omp end sections\n!$omp parallel sections private(x)\n!$omp section\nx = 2\n!$omp end parallel sections\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p4
            call pomp_H_sections_enter(1)
            # 2 "f.f90"
            !$omp sections
            call pomp_H_section_begin(2)
            # 3 "f.f90"
            ! comment
            x = 1
            call pomp_H_section_end(2)
            # 5 "f.f90"
            !$omp section
            call pomp_H_section_begin(3)
            call pomp_H_section_end(3)
            # 6 "f.f90"
            !$omp end sections nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_sections_exit(1)
            call pomp_H_parallel_fork(4,pomp_p4)
            # 7 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p4)
            call pomp_H_parallel_begin(4,pomp_p4)
            call pomp_H_sections_enter(4)
            # 7 "f.f90"
            !$omp sections &
            !$omp&private(x)
            # 8 "f.f90"
            !$omp section
            call pomp_H_section_begin(5)
            # 9 "f.f90"
            x = 2
            call pomp_H_section_end(5)
            !$omp end sections nowait
            call pomp_H_barrier_enter(4)
            !$omp barrier
            call pomp_H_barrier_exit(4)
            call pomp_H_sections_exit(4)
            call pomp_H_parallel_end(4,pomp_p4)
            # 10 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(4,pomp_p4)
            # 11 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn workshare() {
    check(
        "program p\n!$omp workshare\na = 1\n!$omp end workshare\n!$omp parallel workshare\na = 2\n!$omp atomic\nx = x + 1\n!$omp end parallel workshare\nend program\n",
        expect![[r#"
            7: `atomic`: nothing may be called inside the construct around it
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p2
            call pomp_H_workshare_enter(1)
            # 2 "f.f90"
            !$omp workshare
            # 3 "f.f90"
            a = 1
            # 4 "f.f90"
            !$omp end workshare nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_workshare_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 5 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_workshare_enter(2)
            # 5 "f.f90"
            !$omp workshare
            # 6 "f.f90"
            a = 2
            !$omp atomic
            x = x + 1
            !$omp end workshare nowait
            call pomp_H_barrier_enter(2)
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_workshare_exit(2)
            call pomp_H_parallel_end(2,pomp_p2)
            # 9 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            # 10 "f.f90"
            end program
        "#]],
    );
}

#[test]
fn single_and_master() {
    check(
        "program p\n!$omp single\nx=1\n!$omp end single\n!$omp single\nx=1\n!$omp end single copyprivate(x)\n!$omp master\nx=1\n!$omp end master\n!$omp parallel master\nx=1\n!$omp end parallel master\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            integer(8) :: pomp_p4
            call pomp_H_single_enter(1)
            # 2 "f.f90"
            !$omp single
            call pomp_H_single_begin(1)
            # 3 "f.f90"
            x=1
            call pomp_H_single_end(1)
            # 4 "f.f90"
            !$omp end single nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_single_exit(1)
            call pomp_H_single_enter(2)
            # 5 "f.f90"
            !$omp single
            call pomp_H_single_begin(2)
            # 6 "f.f90"
            x=1
            call pomp_H_single_end(2)
            # 7 "f.f90"
            !$omp end single copyprivate(x)
            call pomp_H_single_exit(2)
            # 8 "f.f90"
            !$omp master
            call pomp_H_master_begin(3)
            # 9 "f.f90"
            x=1
            call pomp_H_master_end(3)
            # 10 "f.f90"
            !$omp end master
            call pomp_H_parallel_fork(4,pomp_p4)
            # 11 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p4)
            call pomp_H_parallel_begin(4,pomp_p4)
            # 11 "f.f90"
            !$omp master
            call pomp_H_master_begin(4)
            # 12 "f.f90"
            x=1
            call pomp_H_master_end(4)
            !$omp end master
            call pomp_H_parallel_end(4,pomp_p4)
            # 13 "f.f90"
            !$omp end parallel
            call pomp_H_parallel_join(4,pomp_p4)
            # 14 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn cancelled_loops_keep_their_barrier() {
    check(
        "program p\n!$omp do\ndo i=1,2\n!$omp cancel do\nend do\n!$omp end do\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            call pomp_H_do_enter(1,[integer(8)::1,1,2,1])
            # 2 "f.f90"
            !$omp do
            # 3 "f.f90"
            do i=1,2
            call pomp_H_cancel(2)
            # 4 "f.f90"
            !$omp cancel do
            # 5 "f.f90"
            end do
            # 6 "f.f90"
            !$omp end do
            call pomp_H_do_exit(1)
            # 7 "f.f90"
            end program
        "##]],
    );
}

#[test]
fn chunks() {
    check_with(
        "f.f90",
        "!$omp do\ndo i=n,1,-k\n  if (i == 3) cycle\nend do\n!$omp parallel do collapse(2)\ndo i=1,2\ndo j=1,2\nend do\nend do\nend\n",
        |options| options.loop_chunks = true,
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_p2
            call pomp_H_do_enter(1,[integer(8)::1,n,1,-k])
            # 1 "f.f90"
            !$omp do
            # 2 "f.f90"
            do i=n,1,-k
            call pomp_H_iteration_begin(1,0_8+i,0_8+(-k))
            # 3 "f.f90"
              if (i == 3) then
            call pomp_H_iteration_end(1)
            cycle
            end if
            call pomp_H_iteration_end(1)
            # 4 "f.f90"
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(1)
            !$omp barrier
            call pomp_H_barrier_exit(1)
            call pomp_H_do_exit(1)
            call pomp_H_parallel_fork(2,pomp_p2)
            # 5 "f.f90"
            !$omp parallel &
            !$omp&firstprivate(pomp_p2)
            call pomp_H_parallel_begin(2,pomp_p2)
            call pomp_H_do_enter(2,[integer(8)::2,1,2,1,1,2,1])
            # 5 "f.f90"
            !$omp do &
            !$omp&collapse(2)
            # 6 "f.f90"
            do i=1,2
            do j=1,2
            call pomp_H_iteration_begin(2,0_8,0_8)
            call pomp_H_iteration_end(2)
            # 8 "f.f90"
            end do
            end do
            !$omp end do nowait
            call pomp_H_barrier_enter(2)
            !$omp barrier
            call pomp_H_barrier_exit(2)
            call pomp_H_do_exit(2)
            call pomp_H_parallel_end(2,pomp_p2)
            !$omp end parallel
            call pomp_H_parallel_join(2,pomp_p2)
            # 10 "f.f90"
            end
        "##]],
    );
}

/// The second loop reads other elements of `a` than it has stored in the first, the third its own.
#[test]
fn a_loop_whose_results_other_code_of_the_region_uses() {
    let source = "subroutine f(a, b, c, n)
!$omp parallel private(i)
!$omp do
do i = 1, n
  a(i) = i
end do
!$omp do
do i = 2, n
  B(i) = A(i - 1)
end do
!$omp do
do i = 1, n
  c(i) = b(i)
end do
!$omp end parallel
end
";
    let outcome = instrument(source.as_bytes(), &Options::new("f.f90", Language::FortranFree));
    let regions = outcome.unwrap().regions;
    let clauses: Vec<&str> = regions.iter().map(|region| region.clauses.as_str()).collect();
    assert_eq!(clauses, ["in(f)", "in(f) results_used", "in(f)", "in(f)"]);
}
