//! The procedures behind the user's text.

use super::output;
use expect_test::expect;

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
              data pomp_t(1,1)/'11 19 20 28 0 1 1 1 1'/
              data pomp_s(1)/'pompeii 1|barrier||dir/f.f|in(MAIN__)|'/
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
        data pomp_t(1,2)/'42 47 25 48 0 3 3 4 4'/
        data pomp_t(1,3)/'42 47 25 31 0 5 5 6 6'/
        data pomp_t(1,4)/'65 47 25 31 2 7 7 12 13'/
        data pomp_t(1,5)/'74 47 25 31 0 7 7 8 8'/
        data pomp_t(1,6)/'74 47 25 31 0 9 9 11 11'/
        data pomp_s(1)/'pompeii 1|critical|name|f.f90|in(MAIN__)'/
        data pomp_s(2)/'|task||in(MAIN__) if(x)|sections|section'/
        data pomp_s(3)/'|'/"#]]
    .assert_eq(&table.collect::<Vec<_>>().join("\n"));
}
