//! Events of procedures in Fortran: where the calls go. The appended procedures are cut off, the
//! hash in their names is written `H`, and line markers are left out.

use expect_test::{Expect, expect};
use pompeii_filter::Filter;
use pompeii_instrument::{Functions, Language, Options, Outcome, instrument, undo};
use std::fmt::Write;

fn outcome(path: &str, source: &str, change: impl Fn(&mut Options)) -> Outcome {
    let mut options = Options::new(path, Language::from_path(path).unwrap());
    options.functions = Some(Functions::default());
    change(&mut options);
    let outcome = instrument(source.as_bytes(), &options).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), source.as_bytes());
    outcome
}

/// The output, with `H` in the place of the hash.
fn text(outcome: &Outcome) -> String {
    let text = String::from_utf8(outcome.text.clone()).unwrap();
    match text.find("_at(") {
        Some(at) => text.replace(&text[at - 8..at], "H"),
        None => text,
    }
}

/// What a pure procedure in free form calls; shown as `[interfaces of what it calls]`.
const INTERFACES: &str = "\
interface
pure subroutine pomp_H_pure_begin(pomp_n) bind(C,&
&name='pomp_H_pure_begin')
use, intrinsic :: iso_c_binding, only : pomp_k=>c_int
integer(pomp_k), value :: pomp_n
end subroutine
end interface
interface
pure subroutine pomp_H_pure_end(pomp_n) bind(C,&
&name='pomp_H_pure_end')
use, intrinsic :: iso_c_binding, only : pomp_k=>c_int
integer(pomp_k), value :: pomp_n
end subroutine
end interface
";

fn show(outcome: &Outcome) -> String {
    let text = text(outcome);
    // A text that goes through the preprocessor has no marker in front of the procedures.
    let text = text.split("# 1 \"<pompeii>\"").next().unwrap_or_default();
    let text = text.split("\nsubroutine pomp_H_").next().unwrap_or_default();
    let marker = |line: &&str| !line.starts_with("# ") && !line.starts_with("#line");
    let lines = text.lines().filter(marker);
    let mut output: String = lines.map(|line| format!("{line}\n")).collect();
    output = output.replace(INTERFACES, "[interfaces of what it calls]\n");
    for region in &outcome.regions {
        let (name, begin, end) = (&region.sub_name, region.begin.0, region.end.1);
        let _ = writeln!(output, "== {name} {begin}-{end}");
    }
    output
}

fn check(path: &str, source: &str, expected: Expect) {
    expected.assert_eq(&show(&outcome(path, source, |_| ())));
}

/// The specification part ends in both branches: each has the call, and not what comes after them.
#[test]
fn actions_in_the_branches_that_declare() {
    check(
        "f.F90",
        "subroutine s(x)\n#ifdef A\n  integer :: k\n  x = 1\n#elif B\n#ifdef C\n  integer :: z\n\
         #endif\n  x = 2\n#else\n  x = 3\n#endif\nend subroutine\n",
        expect![[r#"
            subroutine s(x)
            #ifdef A
              integer :: k
            call pomp_H_begin(1)
              x = 1
            #elif B
            #ifdef C
              integer :: z
            #endif
            call pomp_H_begin(1)
              x = 2
            #else
            call pomp_H_begin(1)
              x = 3
            #endif
            call pomp_H_end(1)
            end subroutine
            == s 1-13
        "#]],
    );
}

/// In the case without A the call would have no place before the `#endif`.
#[test]
fn actions_in_the_only_branch_that_declares() {
    check(
        "f.F90",
        "subroutine s(x)\n#ifdef A\n  integer :: k\n  x = 1\n#endif\n  x = 2\nend subroutine\n",
        expect![[r#"
            subroutine s(x)
            #ifdef A
              integer :: k
              x = 1
            #endif
              x = 2
            end subroutine
        "#]],
    );
}

#[test]
fn ways_out() {
    check(
        "f.f90",
        "subroutine s(x, *)\n  implicit none\n  integer :: x\n  if (x > 3) return\n  \
         if (x > 2) &\n    return 1 ! why\n  x = 1; if (x == 0) stop 'a'; x = 2\n  \
         if (x > 1) goto 10\n  if (x > 0) then\n    x = 3; return\n  end if\n  error stop\n  \
         10 end subroutine\n",
        expect![[r#"
            subroutine s(x, *)
              implicit none
              integer :: x
            call pomp_H_begin(1)
              if (x > 3) then
            call pomp_H_end(1)
            return
            end if
              if (x > 2) &
                then
            call pomp_H_end(1)
            return 1 ! why
            end if
              x = 1; if (x == 0) then
            call pomp_H_end(1)
            stop 'a'
            end if
             x = 2
              if (x > 1) goto 10
              if (x > 0) then
                x = 3
            call pomp_H_end(1)
             return
              end if
            call pomp_H_end(1)
              error stop
            10 call pomp_H_end(1)
                 end subroutine
            == s 1-13
        "#]],
    );
}

#[test]
fn ways_out_in_fixed_form() {
    check(
        "f.f",
        "      INTEGERFUNCTIONNFUN(N)\n      IF (N .EQ. 1\n     &    .OR. N .EQ. 2) RE TURN\n      \
         IF (N .EQ. 3) GOTO 90\n      NFUN = 1\n   90 RETURN\n      E N D\n",
        expect![[r#"
                  INTEGERFUNCTIONNFUN(N)
                  call pomp_H_begin(1)
                  IF (N .EQ. 1
                 &    .OR. N .EQ. 2) then
                  call pomp_H_end(1)
                  RE TURN
                  end if
                  IF (N .EQ. 3) GOTO 90
                  NFUN = 1
            90    call pomp_H_end(1)
                  RETURN
                  E N D
            == nfun 1-7
        "#]],
    );
}

#[test]
fn behind_the_specification_part() {
    check(
        "f.f90",
        "module m\n  integer :: c\ncontains\n  function f(n) result(r)\n    use n, only: x\n    \
         implicit none\n    interface\n      subroutine e(x)\n        integer :: x\n      \
         end subroutine\n    end interface\n    type t\n      integer :: i\n    end type\n    \
         real :: g, a, r(3)\n    namelist /nl/ a\n    g(a) = a + 1\n    include 'x.inc'\n    \
         data a /1/\n    !$omp threadprivate(c)\n    r(n) = 1\n  contains\n    subroutine inner\n      \
         c = 1\n    end subroutine\n  end function\nend module\n",
        expect![[r#"
            module m
              integer :: c
            contains
              function f(n) result(r)
                use n, only: x
                implicit none
                interface
                  subroutine e(x)
                    integer :: x
                  end subroutine
                end interface
                type t
                  integer :: i
                end type
                real :: g, a, r(3)
                namelist /nl/ a
                g(a) = a + 1
                include 'x.inc'
                data a /1/
                !$omp threadprivate(c)
            call pomp_H_begin(1)
                r(n) = 1
            call pomp_H_end(1)
              contains
                subroutine inner
            call pomp_H_begin(2)
                  c = 1
            call pomp_H_end(2)
                end subroutine
              end function
            end module
            == m::f 4-26
            == m::f::inner 23-25
        "#]],
    );
}

#[test]
fn preprocessor_branches() {
    check(
        "f.F90",
        "#ifdef A\nsubroutine s(x)\n#else\nsubroutine s(y)\n#endif\n  integer :: x\n#ifdef B\n  \
         integer :: z\n#endif\n#ifdef C\n  x = 1\n#else\n  x = 2\n  if (x == 2) return\n#endif\n  \
         x = 3\n#ifdef D\n  return\n#endif\nend subroutine\n",
        expect![[r#"
            #ifdef A
            subroutine s(x)
            #else
            subroutine s(y)
            #endif
              integer :: x
            #ifdef B
              integer :: z
            #endif
            call pomp_H_begin(1)
            #ifdef C
              x = 1
            #else
              x = 2
              if (x == 2) then
            call pomp_H_end(1)
            return
            end if
            #endif
              x = 3
            #ifdef D
            call pomp_H_end(1)
              return
            #endif
            call pomp_H_end(1)
            end subroutine
            == s 2-20
        "#]],
    );
}

#[test]
fn entries() {
    check(
        "f.f90",
        "subroutine a(x)\n  entry b(x)\n  integer :: x\n  x = 1\n  if (x > 2) return\n  entry c(x)\n  \
         x = 2\nend\n",
        expect![[r#"
            subroutine a(x)
            integer :: pomp_f1
              entry b(x)
              integer :: x
            pomp_f1 = 1
            call pomp_H_begin(pomp_f1)
              x = 1
              if (x > 2) then
            call pomp_H_end(pomp_f1)
            return
            end if
            goto 99999
              entry c(x)
            pomp_f1 = 2
            call pomp_H_begin(pomp_f1)
            99999 continue
              x = 2
            call pomp_H_end(pomp_f1)
            end
            == a 1-8
            == c 6-8
        "#]],
    );
}

#[test]
fn main_programs() {
    check(
        "f.f90",
        "program p\n  implicit none (type, external)\n  !$omp parallel\n  if (x()) stop\n  \
         !$omp end parallel\nend\n",
        expect![[r#"
            program p
              implicit none (type, external)
            external :: pomp_H_begin
            external :: pomp_H_end
            external :: pomp_H_parallel_begin
            external :: pomp_H_parallel_end
            external :: pomp_H_parallel_fork
            external :: pomp_H_parallel_join
            integer(8) :: pomp_p1
            call pomp_H_begin(2)
            call pomp_H_parallel_fork(1,pomp_p1)
              !$omp parallel firstprivate(pomp_p1)
            call pomp_H_parallel_begin(1,pomp_p1)
              if (x()) stop
            call pomp_H_parallel_end(1,pomp_p1)
              !$omp end parallel
            call pomp_H_parallel_join(1,pomp_p1)
            call pomp_H_end(2)
            end
            ==  3-5
            == p 1-6
        "#]],
    );
    check(
        "f.f90",
        "integer i\ni = 1\nstop\nend\n",
        expect![[r#"
        integer i
        call pomp_H_begin(1)
        i = 1
        call pomp_H_end(1)
        stop
        end
        == MAIN__ 1-4
    "#]],
    );
    check(
        "f.f90",
        "print *, 1; end\n",
        expect![[r#"
        call pomp_H_begin(1)
        print *, 1
        call pomp_H_end(1)
         end
        == MAIN__ 1-1
    "#]],
    );
}

#[test]
fn pure_functions_and_their_ways_out() {
    check(
        "f.f90",
        "module m\n  implicit none (type, external)\ncontains\n  \
         pure recursive integer function f(x) result(r)\n    integer, intent(in) :: x\n    \
         r = x\n    if (x > 3) return\n    r = f(x + 1)\n  end function\nend module\n",
        expect![[r#"
            module m
              implicit none (type, external)
            contains
              pure recursive integer function f(x) result(r)
            [interfaces of what it calls]
                integer, intent(in) :: x
            call pomp_H_pure_begin(1_4)
                r = x
                if (x > 3) then
            call pomp_H_pure_end(1_4)
            return
            end if
                r = f(x + 1)
            call pomp_H_pure_end(1_4)
              end function
            end module
            == m::f 4-9
        "#]],
    );
}

#[test]
fn pure_procedures_with_entries() {
    check(
        "f.f90",
        "pure subroutine two(x)\n  integer, intent(inout) :: x\n  x = 1\n  entry three(x)\n  \
         x = 2\nend subroutine\n",
        expect![[r#"
            pure subroutine two(x)
            integer :: pomp_f1
            [interfaces of what it calls]
              integer, intent(inout) :: x
            pomp_f1 = 1
            call pomp_H_pure_begin(int(pomp_f1,4))
              x = 1
            goto 99999
              entry three(x)
            pomp_f1 = 2
            call pomp_H_pure_begin(int(pomp_f1,4))
            99999 continue
              x = 2
            call pomp_H_pure_end(int(pomp_f1,4))
            end subroutine
            == two 1-6
            == three 4-6
        "#]],
    );
}

#[test]
fn procedures_whose_pure_interface_is_elsewhere() {
    check(
        "f.f90",
        "submodule (n) s\ncontains\n  module procedure body\n    x = 1\n  end procedure\n\
         end submodule\n",
        expect![[r#"
            submodule (n) s
            contains
              module procedure body
            [interfaces of what it calls]
            call pomp_H_pure_begin(1_4)
                x = 1
            call pomp_H_pure_end(1_4)
              end procedure
            end submodule
            == s::body 3-5
        "#]],
    );
}

#[test]
fn elemental_procedures_of_fixed_form() {
    check(
        "f.f",
        "      ELEMENTAL SUBROUTINE E(X)\n      REAL, INTENT(INOUT) :: X\n      IF (X .GT. 1) \
         GOTO 10\n      X = 2\n   10 END\n",
        expect![[r#"
                  ELEMENTAL SUBROUTINE E(X)
                  interface
                  pure subroutine pomp_H_pure_begin(pomp_n) bind(C,
                 &name='pomp_H_pure_begin')
                  use, intrinsic :: iso_c_binding, only : pomp_k=>c_int
                  integer(pomp_k), value :: pomp_n
                  end subroutine
                  end interface
                  interface
                  pure subroutine pomp_H_pure_end(pomp_n) bind(C,
                 &name='pomp_H_pure_end')
                  use, intrinsic :: iso_c_binding, only : pomp_k=>c_int
                  integer(pomp_k), value :: pomp_n
                  end subroutine
                  end interface
                  REAL, INTENT(INOUT) :: X
                  call pomp_H_pure_begin(1_4)
                  IF (X .GT. 1) GOTO 10
                  X = 2
            10    call pomp_H_pure_end(1_4)
                  END
            == e 1-5
        "#]],
    );
}

/// What pure procedures call.
#[test]
fn the_procedures_that_pure_ones_call() {
    let text = text(&outcome("f.f90", "pure subroutine p\nend\n", |_| ()));
    let appended = &text[text.find("\nsubroutine pomp_H_pure_begin_i").unwrap() + 1..];
    let end = appended.find("end subroutine").unwrap();
    expect![[r#"
        subroutine pomp_H_pure_begin_i(pomp_n) bind(C,&
        &name='pomp_H_pure_begin')
        use, intrinsic :: iso_c_binding, only : pomp_k=>c_int
        implicit none
        integer(pomp_k), value :: pomp_n
        external :: pomp_H_begin
        call pomp_H_begin(int(pomp_n))
    "#]]
    .assert_eq(&appended[..end]);
}

#[test]
fn left_alone() {
    check(
        "f.f90",
        "subroutine d\n  !$omp declare target\n  x = 1\nend\nsubroutine simd(x)\n  \
         !$omp declare simd\n  x = 1\nend\nsubroutine loop\n  do 10 i = 1, 3\n  \
         10 if (i == 2) return\nend\nblock data\n  common /c/ x\n  data x /1/\nend\n\
         !$pomp noinstrument\nsubroutine muted\n  x = 1\nend\n!$pomp instrument\n\
         subroutine split\n  if (x) ret&\n    &urn\nend\nsubroutine pomp_begin\n  x = 1\nend\n",
        expect![[r#"
            subroutine d
              !$omp declare target
              x = 1
            end
            subroutine simd(x)
              !$omp declare simd
              x = 1
            end
            subroutine loop
              do 10 i = 1, 3
              10 if (i == 2) return
            end
            block data
              common /c/ x
              data x /1/
            end
            ! pomp noinstrument
            subroutine muted
              x = 1
            end
            ! pomp instrument
            subroutine split
              if (x) ret&
                &urn
            end
            subroutine pomp_begin
              x = 1
            end
            ! pompeii undo 1: 15d f7ad01deed4e174e
            ! cd+1-.24,12+d,1e+1-.24,10+d,4e+0
        "#]],
    );
}

#[test]
fn a_filter_leaves_procedures_out() {
    let source = "module m\ncontains\nsubroutine s\nend subroutine\nsubroutine t\nend subroutine\n\
                  end module\nsubroutine u\nend\nsubroutine s2\nend\n";
    let names = |rules: &str| -> Vec<String> {
        let text = format!("SCOREP_REGION_NAMES_BEGIN {rules}\nSCOREP_REGION_NAMES_END");
        let filter = Filter::parse(&text).unwrap();
        let functions = Functions { filter, folder: None };
        let done = outcome("m.f90", source, |options| options.functions = Some(functions.clone()));
        done.regions.into_iter().map(|region| region.sub_name).collect()
    };
    assert_eq!(names("EXCLUDE s"), ["m::t", "u", "s2"]);
    assert_eq!(names("EXCLUDE m::*"), ["u", "s2"]);
    assert_eq!(names("EXCLUDE * INCLUDE MANGLED __m_MOD_* u_"), ["m::s", "m::t", "u"]);
}

#[test]
fn without_openmp_its_lines_are_comments() {
    let source =
        "subroutine s\n!$ use omp_lib\n  x = 1\n!$omp parallel\n!$ if (x > 1) return\nend\n";
    let shown = show(&outcome("f.f90", source, |options| options.openmp = false));
    expect![[r#"
        subroutine s
        call pomp_H_begin(1)
        !$ use omp_lib
          x = 1
        !$omp parallel
        !$ if (x > 1) return
        call pomp_H_end(1)
        end
        == s 1-6
    "#]]
    .assert_eq(&shown);
}
