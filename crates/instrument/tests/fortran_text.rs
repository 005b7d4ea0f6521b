//! Text in, text out for Fortran: what each directive family becomes. The appended procedures are
//! cut off (one test shows them) and the hash in their names is written `H`.

use expect_test::{Expect, expect};
use pompeii_instrument::{ConstructSet, Language, Locks, Options, instrument, undo};

fn output(path: &str, source: &str, disabled: &str) -> String {
    output_with(path, source, |options| {
        options.disabled = ConstructSet::disabled(disabled).expect("known names");
    })
}

fn output_with(path: &str, source: &str, change: impl Fn(&mut Options)) -> String {
    let language = Language::from_path(path).expect("a Fortran suffix");
    let mut options = Options::new(path, language);
    change(&mut options);
    let outcome = match instrument(source.as_bytes(), &options) {
        Ok(outcome) => outcome,
        Err(error) => return format!("{error}\n"),
    };
    assert_eq!(undo(&outcome.text).expect("a whole record"), source.as_bytes(), "undo");
    let mut text = String::from_utf8(outcome.text).expect("text");
    if let Some(at) = text.find("_at(") {
        let hash = text[at - 8..at].to_owned();
        text = text.replace(&hash, "H");
    }
    for diagnostic in &outcome.diagnostics {
        text.insert_str(0, &format!("{}: {}\n", diagnostic.line, diagnostic.message));
    }
    text
}

/// The output without what is appended.
fn check_file(path: &str, source: &str, expect: Expect) {
    check_with(path, source, |_| (), expect);
}

fn check_with(path: &str, source: &str, change: impl Fn(&mut Options), expect: Expect) {
    let text = output_with(path, source, change);
    let end = text.find("# 1 \"<pompeii>\"").or_else(|| text.find("subroutine pomp_H_"));
    expect.assert_eq(&text[..end.unwrap_or(text.len())]);
}

fn check(source: &str, expect: Expect) {
    check_file("f.f90", source, expect);
}

fn check_fixed(source: &str, expect: Expect) {
    check_file("f.f", source, expect);
}

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
fn loops() {
    check(
        "program p\n!$omp do\ndo i=1,2\nend do\n!$omp do schedule(static)\ndo 10 i=1,2\n10 x = 1\n!$omp enddo nowait\n!$omp do\ndo i=1,2; x=1; end do; y=2\n!$omp do simd\nl: do i=1,2\nend do l\n!$omp end do simd ! note\nend\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            call pomp_H_do_enter(1)
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
            call pomp_H_do_enter(2)
            # 5 "f.f90"
            !$omp do schedule(static)
            # 6 "f.f90"
            do 10 i=1,2
            10 x = 1
            # 8 "f.f90"
            !$omp enddo nowait
            call pomp_H_do_exit(2)
            call pomp_H_do_enter(3)
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
            call pomp_H_do_enter(4)
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
            call pomp_H_do_enter(1)
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
            call pomp_H_do_enter(1)
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
            call pomp_H_do_enter(2)
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
            call pomp_H_task_create_end(3,pomp_t3)
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskyield_enter(4)
            # 6 "f.f90"
            !$omp taskyield
            call pomp_H_taskyield_exit(4)
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskwait_enter(5)
            # 7 "f.f90"
            !$omp taskwait
            call pomp_H_taskwait_exit(5)
            call pomp_H_task_resume(2,pomp_t2)
            call pomp_H_taskgroup_enter(6)
            # 8 "f.f90"
            !$omp taskgroup
            call pomp_H_taskgroup_begin(6)
            call pomp_H_taskgroup_end(6)
            # 9 "f.f90"
            !$omp end taskgroup
            call pomp_H_taskgroup_exit(6)
            call pomp_H_task_resume(2,pomp_t2)
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
            call pomp_H_do_enter(2)
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
            11: `barrier`: nothing may be called inside the construct around it
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
            call pomp_H_barrier_enter(1)
            # 9 "f.f90"
            !$omp barrier
            call pomp_H_barrier_exit(1)
            # 10 "f.f90"
            !$omp begin metadirective when(user={condition(.true.)}: parallel)
            !$omp barrier
            !$omp end metadirective
            end subroutine
            end module
        "#]],
    );
}

#[test]
fn cancelled_loops_keep_their_barrier() {
    check(
        "program p\n!$omp do\ndo i=1,2\n!$omp cancel do\nend do\n!$omp end do\nend program\n",
        expect![[r##"
            # 1 "f.f90"
            program p
            call pomp_H_do_enter(1)
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

#[test]
fn preprocessor_branches() {
    check_file(
        "f.F90",
        "subroutine s\n#include \"x.h\"\n#ifdef A\n!$omp parallel do schedule(static)\n#else\n!$omp parallel do\n#endif\ndo i=1,2\nend do\nend subroutine\n",
        expect![[r##"
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
            call pomp_H_do_enter(1)
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
            call pomp_H_do_enter(1)
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
        "##]],
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
            call pomp_H_do_enter(1)
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
                  call pomp_H_do_enter(1)
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

/// What is appended to a text with one construct: the procedure for an event, the function that
/// knows the descriptors, and the procedure in it that fills one.
fn appended() -> [String; 3] {
    let text = output("dir/f.f", "!$OMP BARRIER\n      END\n", "");
    let places = ["# 1 \"<pompeii>\"", "      function pomp_H_at", "      contains", "! pompeii"];
    let places = places.map(|place| text.find(place).expect("a part of what is appended"));
    [0, 1, 2].map(|part| text[places[part]..places[part + 1]].to_owned())
}

#[test]
fn the_procedure_of_an_event() {
    expect![[r##"
        # 1 "<pompeii>" 1
              subroutine pomp_H_barrier_enter(pomp_n)
              use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t
              implicit none
              interface
              subroutine pomp_c(pomp_d) bind(C,name='POMP_Barrier_enter')
              import pomp_k
              integer(pomp_k), value :: pomp_d
              end subroutine
              end interface
              integer :: pomp_n
              integer(pomp_k), external :: pomp_H_at
              call pomp_c(pomp_H_at(pomp_n))
              end subroutine
              subroutine pomp_H_barrier_exit(pomp_n)
              use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t
              implicit none
              interface
              subroutine pomp_c(pomp_d) bind(C,name='POMP_Barrier_exit')
              import pomp_k
              integer(pomp_k), value :: pomp_d
              end subroutine
              end interface
              integer :: pomp_n
              integer(pomp_k), external :: pomp_H_at
              call pomp_c(pomp_H_at(pomp_n))
              end subroutine
    "##]]
    .assert_eq(&appended()[0]);
}

#[test]
fn the_function_that_knows_the_descriptors() {
    expect![[r#"
              function pomp_H_at(pomp_n)
              use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, c_int,
             & c_ptr, c_loc, c_char, c_null_char, c_null_ptr
              implicit none
              type, bind(C) :: pomp_d
              type(c_ptr) :: name, sub_name
              integer(c_int) :: sections
              type(c_ptr) :: file
              integer(c_int) :: lines(4)
              type(c_ptr) :: data, next
              end type
              type, bind(C) :: pomp_e
              type(c_ptr) :: mark, clauses
              end type
              integer :: pomp_n
              integer(pomp_k), save :: pomp_h(1)=0
              type(pomp_d), save, target :: pomp_r(1)
              type(pomp_e), save, target :: pomp_x(1)
              integer(pomp_k) :: pomp_H_at
              character(40), save :: pomp_t(1,1)
              character(40), save, target :: pomp_s(1)
              logical, save :: pomp_f=.true.
              data pomp_t(1,1)/'11 19 20 19 0 1 1 1 1'/
              data pomp_s(1)/'pompeii 1|barrier||dir/f.f|'/
              if (pomp_h(pomp_n)==0) then
        !$omp critical (pomp_H_c)
              if (pomp_h(pomp_n)==0) call pomp_p(pomp_t(1,pomp_n),pomp_s)
        !$omp end critical (pomp_H_c)
              end if
              pomp_H_at=pomp_h(pomp_n)
    "#]]
    .assert_eq(&appended()[1]);
}

#[test]
fn the_procedure_that_fills_a_descriptor() {
    expect![[r#"
              contains
              subroutine pomp_p(pomp_t,pomp_s)
              character(kind=c_char) :: pomp_t(40)
              character(kind=c_char), target :: pomp_s(40)
              integer :: pomp_i, pomp_j, pomp_u, pomp_v(9)
              if (pomp_f) then
              do pomp_i=1,40
              if (pomp_s(pomp_i)=='|') pomp_s(pomp_i)=c_null_char
              end do
              pomp_f=.false.
              end if
              pomp_v=0
              pomp_j=1
              do pomp_i=1,40
              pomp_u=ichar(pomp_t(pomp_i))-48
              if (pomp_u>=0) pomp_v(pomp_j)=10*pomp_v(pomp_j)+pomp_u
              if (pomp_u<0) pomp_j=min(pomp_j+1,9)
              end do
              pomp_x(pomp_n)%mark=c_loc(pomp_s(1))
              pomp_x(pomp_n)%clauses=c_loc(pomp_s(pomp_v(4)))
              pomp_r(pomp_n)%name=c_loc(pomp_s(pomp_v(1)))
              pomp_r(pomp_n)%sub_name=c_loc(pomp_s(pomp_v(2)))
              pomp_r(pomp_n)%sections=int(pomp_v(5),c_int)
              pomp_r(pomp_n)%file=c_loc(pomp_s(pomp_v(3)))
              pomp_r(pomp_n)%lines=int(pomp_v(6:9),c_int)
              pomp_r(pomp_n)%data=c_null_ptr
              pomp_r(pomp_n)%next=c_loc(pomp_x(pomp_n))
        !$omp flush
              pomp_h(pomp_n)=transfer(c_loc(pomp_r(pomp_n)),pomp_h(pomp_n))
              end subroutine
              end function
    "#]]
    .assert_eq(&appended()[2]);
}

#[test]
fn descriptors_say_what_the_runtime_must_know() {
    let source = "!$omp critical(name)\n!$omp end critical(name)\n!$omp task if(x)\n!$omp end task\n!$omp task\n!$omp end task\n!$omp sections\nx=1\n!$omp section\nx=2\n\n!$omp end &\n!$omp sections\nend\n";
    let text = output("f.f90", source, "");
    let table = text
        .lines()
        .filter(|line| line.starts_with("data pomp_t") || line.starts_with("data pomp_s"));
    expect![[r#"
        data pomp_t(1,1)/'11 20 25 31 0 1 1 2 2'/
        data pomp_t(1,2)/'32 31 25 37 0 3 3 4 4'/
        data pomp_t(1,3)/'32 31 25 31 0 5 5 6 6'/
        data pomp_t(1,4)/'43 31 25 31 2 7 7 12 13'/
        data pomp_t(1,5)/'52 31 25 31 0 7 7 8 8'/
        data pomp_t(1,6)/'52 31 25 31 0 9 9 11 11'/
        data pomp_s(1)/'pompeii 1|critical|name|f.f90||task|if(x'/
        data pomp_s(2)/')|sections|section|'/"#]]
    .assert_eq(&table.collect::<Vec<_>>().join("\n"));
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
        "program p\ncontains\n  subroutine s(l)\n    integer(8) :: l\n    call omp_init_lock_with_hint(l, 1)\n  end subroutine\nend program\n",
        |options| options.locks = Locks::Rewrite,
        expect![[r##"
            # 1 "f.f90"
            program p
            contains
              subroutine s(l)
            interface
            subroutine pomp_7c21e236_init_lock_with_hint(pomp_x0,pomp_x1)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
            !DIR$ IGNORE_TKR pomp_x0
            integer, target :: pomp_x0(*)
            integer(4) :: pomp_x1
            end subroutine
            end interface
            # 4 "f.f90"
                integer(8) :: l
                call pomp_7c21e236_init_lock_with_hint(l, 1)
              end subroutine
            end program
        "##]],
    );
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

#[test]
fn chunks() {
    check_with(
        "f.f90",
        "!$omp do\ndo i=n,1,-k\n  if (i == 3) cycle\nend do\n!$omp parallel do collapse(2)\ndo i=1,2\ndo j=1,2\nend do\nend do\nend\n",
        |options| options.loop_chunks = true,
        expect![[r##"
            # 1 "f.f90"
            integer(8) :: pomp_p2
            call pomp_H_do_enter(1)
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
            call pomp_H_do_enter(2)
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
                  call pomp_H_do_enter(2)
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
                  call pomp_H_do_enter(3)
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
