//! POMP2's calls in Fortran, and the procedures that pass them on.

use expect_test::{Expect, expect};
use pompeii_instrument::{Abi, Functions, Language, Locks, Options, instrument, undo};

fn output(path: &str, source: &str, change: impl FnOnce(&mut Options)) -> (String, String) {
    let language = Language::from_path(path).expect("a Fortran suffix");
    let mut options = Options { abi: Abi::Pomp2, ..Options::new(path, language) };
    options.line_markers = false;
    change(&mut options);
    let outcome = instrument(source.as_bytes(), &options).expect("a whole text");
    assert_eq!(undo(&outcome.text).expect("a whole record"), source.as_bytes(), "undo");
    let mut text = String::from_utf8(outcome.text).expect("text");
    for diagnostic in &outcome.diagnostics {
        text.insert_str(0, &format!("{}: {}\n", diagnostic.line, diagnostic.message));
    }
    let at = text.find("call pomp_").expect("a call") + "call pomp_".len();
    let hash = text[at..at + 8].to_owned();
    let text = text.replace(&hash, "H");
    let last = source.lines().last().expect("a last line");
    let end = ["", "      "].map(|indent| text.find(&format!("{last}\n{indent}subroutine pomp_H")));
    let end = end.into_iter().flatten().min().expect("the tail") + last.len() + 1;
    let (text, tail) = text.split_at(end);
    (text.to_owned(), tail.split("! pompeii undo").next().unwrap_or_default().to_owned())
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&output("f.f90", source, |_| {}).0);
}

/// An appended unit of a text with a parallel region and a barrier, given how it begins.
fn appended(first: &str) -> String {
    let source = "!$omp parallel num_threads(3)\n!$omp barrier\n!$omp end parallel\nend\n";
    let tail = output("f.f90", source, |_| {}).1;
    let start = tail.find(first).expect("the unit");
    let next = ["\nsubroutine pomp_H", "\nblock data"];
    let behind = &tail[start..];
    let end = next.into_iter().filter_map(|next| behind.find(next)).min();
    behind[..end.map_or(behind.len(), |end| end + 1)].to_owned()
}

#[test]
fn procedures_pass_handles_and_words() {
    let units =
        ["subroutine pomp_H_barrier_enter(", "subroutine pomp_H_barrier_exit("].map(appended);
    expect![[r#"
        subroutine pomp_H_barrier_enter(pomp_n,pomp_x0)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d,pomp_x0,pomp_s) bind(C,&
        &name='POMP2_Barrier_enter')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        integer(pomp_k) :: pomp_x0
        integer(pomp_k), value :: pomp_s
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        integer(pomp_k) :: pomp_x0
        external :: pomp_H_fill
        if (pomp_h(pomp_n)==0) call pomp_H_fill(pomp_n)
        call pomp_c(pomp_w(pomp_n),pomp_x0,pomp_h(pomp_n))
        end subroutine
        subroutine pomp_H_barrier_exit(pomp_n,pomp_x0)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d,pomp_x0) bind(C,name='POMP2_Barrier_exit')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        integer(pomp_k), value :: pomp_x0
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        integer(pomp_k) :: pomp_x0
        call pomp_c(pomp_w(pomp_n),pomp_x0)
        end subroutine
    "#]]
    .assert_eq(&units.concat());
}

#[test]
fn a_fork_passes_the_number_of_threads() {
    let units = ["subroutine pomp_H_parallel_fork("].map(appended);
    expect![[r#"
        subroutine pomp_H_parallel_fork(pomp_n,pomp_x0)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d,pomp_i,pomp_j,pomp_x0,pomp_s) bind(C,&
        &name='POMP2_Parallel_fork')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        integer(pomp_l), value :: pomp_i,pomp_j
        integer(pomp_k) :: pomp_x0
        integer(pomp_k), value :: pomp_s
        end subroutine
        function pomp_m() bind(C,name='omp_get_max_threads')
        import pomp_l
        integer(pomp_l) :: pomp_m
        end function
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        integer(pomp_k) :: pomp_x0
        integer(pomp_l) :: pomp_t
        external :: pomp_H_fill
        if (pomp_h(pomp_n)==0) call pomp_H_fill(pomp_n)
        pomp_t=pomp_m()
        if (pomp_n==1) pomp_t=3
        call pomp_c(pomp_w(pomp_n),1_pomp_l,pomp_t,pomp_x0,pomp_h(pomp_n))
        end subroutine
    "#]]
    .assert_eq(&units.concat());
}

#[test]
fn the_ends_of_a_region() {
    let units = [
        "subroutine pomp_H_parallel_begin(",
        "subroutine pomp_H_parallel_end(",
        "subroutine pomp_H_parallel_join(",
    ]
    .map(appended);
    expect![[r#"
        subroutine pomp_H_parallel_begin(pomp_n)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d) bind(C,name='POMP2_Parallel_begin')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        call pomp_c(pomp_w(pomp_n))
        end subroutine
        subroutine pomp_H_parallel_end(pomp_n)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d) bind(C,name='POMP2_Parallel_end')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        call pomp_c(pomp_w(pomp_n))
        end subroutine
        subroutine pomp_H_parallel_join(pomp_n,pomp_x0)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d,pomp_x0) bind(C,name='POMP2_Parallel_join')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        integer(pomp_k), value :: pomp_x0
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        integer(pomp_k) :: pomp_x0
        call pomp_c(pomp_w(pomp_n),pomp_x0)
        end subroutine
    "#]]
    .assert_eq(&units.concat());
}

#[test]
fn strings_are_found_once() {
    let units = ["subroutine pomp_H_fill("].map(appended);
    expect![[r#"
        subroutine pomp_H_fill(pomp_n)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, c_loc, &
        &c_char, c_null_char
        implicit none
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        character(40), save, target :: pomp_s(2,2)
        data pomp_s(1,1)/'69*regionType=parallel*sscl=f.f90:1:1*es'/
        data pomp_s(2,1)/'cl=f.f90:3:3*hasNum_threads=1***'/
        data pomp_s(1,2)/'51*regionType=barrier*sscl=f.f90:2:2*esc'/
        data pomp_s(2,2)/'l=f.f90:2:2***'/
        !$omp critical (pomp_H_c)
        if (pomp_h(pomp_n)==0) call pomp_p(pomp_s(1,pomp_n))
        !$omp end critical (pomp_H_c)
        contains
        subroutine pomp_p(pomp_t)
        character(kind=c_char), target :: pomp_t(80)
        integer :: pomp_i
        pomp_i=80
        do while (pomp_t(pomp_i)/='*')
        pomp_i=pomp_i-1
        end do
        pomp_t(pomp_i)=c_null_char
        !$omp flush
        pomp_h(pomp_n)=transfer(c_loc(pomp_t),pomp_h(pomp_n))
        end subroutine
        end subroutine
    "#]]
    .assert_eq(&units.concat());
}

#[test]
fn handles_are_assigned_in_the_beginning() {
    let units =
        ["subroutine pomp_H_assign_handle(", "subroutine pomp_H_iassign_handle(", "block data"]
            .map(appended);
    expect![[r#"
        subroutine pomp_H_assign_handle(pomp_n)
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t, pomp_l=>c_int
        implicit none
        interface
        subroutine pomp_c(pomp_d,pomp_s) bind(C,name='POMP2_Assign_handle')
        import pomp_k, pomp_l
        integer(pomp_k) :: pomp_d
        integer(pomp_k), value :: pomp_s
        end subroutine
        end interface
        integer :: pomp_n
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        external :: pomp_H_fill
        if (pomp_h(pomp_n)==0) call pomp_H_fill(pomp_n)
        call pomp_c(pomp_w(pomp_n),pomp_h(pomp_n))
        end subroutine
        subroutine pomp_H_iassign_handle() bind(C,&
        &name='POMP2_Init_reg_acc122e1504b651d_2')
        implicit none
        integer :: pomp_n
        external :: pomp_H_assign_handle
        do pomp_n=1,2
        call pomp_H_assign_handle(pomp_n)
        end do
        end subroutine
        block data pomp_H_b
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t
        implicit none
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        data pomp_h/2*0/, pomp_w/2*0/
        end block data
    "#]]
    .assert_eq(&units.concat());
}

#[test]
fn worksharing_and_its_barrier() {
    check(
        "subroutine s(x)
  integer :: x, i
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, 9
    x = x + i
  end do
  !$omp sections
  !$omp section
  x = 1
  !$omp end sections nowait
  !$omp end parallel
end subroutine
",
        expect![[r#"
            subroutine s(x)
            integer(8) :: pomp_o2
            integer(8) :: pomp_p1
              integer :: x, i
            call pomp_H_parallel_fork(1,pomp_p1)
              !$omp parallel firstprivate(pomp_p1) &
            !$omp& private(pomp_o2)
            call pomp_H_parallel_begin(1)
            call pomp_H_do_enter(2)
              !$omp do schedule(static)
              do i = 1, 9
                x = x + i
              end do
            !$omp end do nowait
            call pomp_H_implicit_barrier_enter(2,pomp_o2)
            !$omp barrier
            call pomp_H_implicit_barrier_exit(2,pomp_o2)
            call pomp_H_do_exit(2)
            call pomp_H_sections_enter(3)
              !$omp sections
              !$omp section
            call pomp_H_section_begin(3)
              x = 1
            call pomp_H_section_end(3)
              !$omp end sections nowait
            call pomp_H_sections_exit(3)
            call pomp_H_parallel_end(1)
              !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            end subroutine
        "#]],
    );
}

#[test]
fn a_combined_loop_and_its_barrier() {
    check(
        "subroutine s(x)
  integer :: x, i
  !$omp parallel do
  do i = 1, 9
    x = x + i
  end do
end subroutine
",
        expect![[r#"
            subroutine s(x)
            integer(8) :: pomp_o1
            integer(8) :: pomp_p1
              integer :: x, i
            call pomp_H_parallel_fork(1,pomp_p1)
            !$omp parallel &
            !$omp&firstprivate(pomp_p1) &
            !$omp&private(pomp_o1)
            call pomp_H_parallel_begin(1)
            call pomp_H_do_enter(1)
            !$omp do
              do i = 1, 9
                x = x + i
              end do
            !$omp end do nowait
            call pomp_H_implicit_barrier_enter(1,pomp_o1)
            !$omp barrier
            call pomp_H_implicit_barrier_exit(1,pomp_o1)
            call pomp_H_do_exit(1)
            call pomp_H_parallel_end(1)
            !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            end subroutine
        "#]],
    );
}

#[test]
fn tasks_and_their_words() {
    check(
        "subroutine s(x)
  integer :: x
  !$omp parallel
  !$omp task untied shared(x)
  !$omp taskwait
  x = 1
  !$omp end task
  !$omp end parallel
end subroutine
",
        expect![[r#"
            subroutine s(x)
            integer(8) :: pomp_o2
            integer(8) :: pomp_o3
            integer(8) :: pomp_p1
            integer(8) :: pomp_t2
              integer :: x
            call pomp_H_parallel_fork(1,pomp_p1)
              !$omp parallel firstprivate(pomp_p1) &
            !$omp& private(pomp_t2,pomp_o2,pomp_o3)
            call pomp_H_parallel_begin(1)
            call pomp_H_untied_task_create_begin(2,pomp_t2,pomp_o2)
              !$omp task firstprivate(pomp_t2) &
            !$omp& private(pomp_o3) &
            !$omp & untied shared(x)
            call pomp_H_untied_task_begin(2,pomp_t2)
            call pomp_H_taskwait_begin(3,pomp_o3)
              !$omp taskwait
            call pomp_H_taskwait_end(3,pomp_o3)
              x = 1
            call pomp_H_untied_task_end(2)
              !$omp end task
            call pomp_H_untied_task_create_end(2,pomp_o2)
            call pomp_H_parallel_end(1)
              !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            end subroutine
        "#]],
    );
}

#[test]
fn what_pomp2_does_not_know_passes_through() {
    check(
        "subroutine s(x)
  integer :: x
  !$omp taskgroup
  !$omp taskyield
  !$omp end taskgroup
  !$omp parallel master
  x = 1
  !$omp end parallel master
end subroutine
",
        expect![[r#"
            4: `taskyield`: POMP2 has no routines for it
            3: `taskgroup`: POMP2 has no routines for it
            subroutine s(x)
            integer(8) :: pomp_p1
              integer :: x
              !$omp taskgroup
              !$omp taskyield
              !$omp end taskgroup
            call pomp_H_parallel_fork(1,pomp_p1)
            !$omp parallel &
            !$omp&firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1)
            !$omp master
            call pomp_H_master_begin(2)
              x = 1
            call pomp_H_master_end(2)
            !$omp end master
            call pomp_H_parallel_end(1)
              !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            end subroutine
        "#]],
    );
}

#[test]
fn the_end_barrier_of_the_paper() {
    let source = "      subroutine s(x)\n      integer x\n!$omp parallel\n      x = 1\n\
                  !$omp end parallel\n      end\n";
    let text = output("f.f", source, |options| options.end_barrier = true).0;
    expect![[r#"
              subroutine s(x)
              integer(8) :: pomp_p1
              integer x
              call pomp_H_parallel_fork(1,pomp_p1)
        !$omp parallel firstprivate(pomp_p1)
              call pomp_H_parallel_begin(1)
              x = 1
              call pomp_H_implicit_barrier_enter(1,pomp_p1)
        !$omp barrier
              call pomp_H_implicit_barrier_exit(1,pomp_p1)
              call pomp_H_parallel_end(1)
        !$omp end parallel
              call pomp_H_parallel_join(1,pomp_p1)
              end
    "#]]
    .assert_eq(&text);
    let text = output("f.f", source, |options| {
        (options.abi, options.end_barrier) = (Abi::Pomp, true);
    });
    expect![[r#"
              subroutine s(x)
              integer(8) :: pomp_p1
              integer x
              call pomp_H_parallel_fork(1,pomp_p1)
        !$omp parallel firstprivate(pomp_p1)
              call pomp_H_parallel_begin(1,pomp_p1)
              x = 1
              call pomp_H_barrier_enter(1)
        !$omp barrier
              call pomp_H_barrier_exit(1)
              call pomp_H_parallel_end(1,pomp_p1)
        !$omp end parallel
              call pomp_H_parallel_join(1,pomp_p1)
              end
    "#]]
    .assert_eq(&text.0);
}

#[test]
fn user_regions_and_procedures() {
    let source = "subroutine s(x)\n  integer :: x\n  !pomp$ inst init\n\
                  !pomp$ inst begin(all, x)\n  x = 1\n  !pomp$ inst end(all)\nend subroutine\n";
    let functions = Some(Functions::default());
    let (text, tail) = output("f.f90", source, |options| options.functions = functions);
    expect![[r#"
        subroutine s(x)
          integer :: x
        call pomp_H_begin(1)
          !pomp  inst init
        call pomp_H_init()
        !pomp  inst begin(all, x)
        call pomp_H_begin(2)
          x = 1
          !pomp  inst end(all)
        call pomp_H_end(2)
        call pomp_H_end(1)
        end subroutine
    "#]]
    .assert_eq(&text);
    let initialisation = tail.split("subroutine pomp_H_iuser_assign").nth(1).expect("it is there");
    expect![[r#"
        _handle() bind(C,&
        &name='POMP2_USER_Init_reg_e8abb0225aef030c_2')
        implicit none
        integer :: pomp_n
        external :: pomp_H_user_assign_handle
        do pomp_n=1,2
        call pomp_H_user_assign_handle(pomp_n)
        end do
        end subroutine
        block data pomp_H_b
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int64_t
        implicit none
        integer(pomp_k) :: pomp_h(2), pomp_w(2)
        common /pomp_H_h/ pomp_h
        common /pomp_H_w/ pomp_w
        data pomp_h/2*0/, pomp_w/2*0/
        end block data
    "#]]
    .assert_eq(initialisation);
}

#[test]
fn lock_routines_with_hints_stay() {
    let source = "subroutine s(l)\n  use omp_lib\n  integer(omp_lock_kind) :: l\n\
                  call omp_init_lock_with_hint(l, omp_lock_hint_none)\n  call omp_set_lock(l)\n\
                  end subroutine\n";
    let text = output("f.f90", source, |options| options.locks = Locks::Rewrite).0;
    expect![[r#"
        subroutine s(l)
          use omp_lib
        interface
        subroutine pomp_H_set_lock(pomp_x0)
        !GCC$ ATTRIBUTES NO_ARG_CHECK :: pomp_x0
        !DIR$ IGNORE_TKR pomp_x0
        integer, target :: pomp_x0(*)
        end subroutine
        end interface
          integer(omp_lock_kind) :: l
        call omp_init_lock_with_hint(l, omp_lock_hint_none)
          call pomp_H_set_lock(l)
        end subroutine
    "#]]
    .assert_eq(&text);
}

#[test]
fn lines_of_the_tail_fit_in_fixed_form() {
    let source = "      subroutine s\n!$omp barrier\n      end\n";
    let fixed = output("f.f", source, |options| options.language = Language::FortranFixed).1;
    assert!(fixed.lines().all(|line| line.len() <= 72), "{fixed}");
}
