//! Code for devices: procedures that only `target` constructs and `declare target` procedures come
//! to get no events.

use super::check;
use expect_test::{Expect, expect};
use pompeii_instrument::{Functions, Language, Options, instrument, undo};

/// Instruments with functions; shows what gets events.
fn check_names(path: &str, source: &str, expected: Expect) {
    let mut options = Options::new(path, Language::from_path(path).expect("a Fortran suffix"));
    options.functions = Some(Functions::default());
    let outcome = instrument(source.as_bytes(), &options).expect("a text that can be read");
    assert_eq!(undo(&outcome.text).expect("a whole record"), source.as_bytes());
    let name = |name: &str, sub_name: &str| format!("{name} {sub_name}").trim_end().to_owned();
    let names = outcome.regions.iter().map(|region| name(&region.name, &region.sub_name));
    expected.assert_eq(&names.collect::<Vec<_>>().join("\n"));
}

#[test]
fn procedures_that_only_target_constructs_call() {
    check_names(
        "f.f90",
        "module m\ncontains\n  subroutine run(x)\n    real :: x\n    !$omp target map(x)\n    \
         call kernel(x)\n    !$omp end target\n    x = both(x)\n  end subroutine\n  \
         subroutine kernel(x)\n    real :: x\n    x = deep(x) + both(x) + inner(x)\n  contains\n    \
         real function inner(x)\n      real :: x\n      inner = x\n    end function\n  \
         end subroutine\n  real function deep(x)\n    real :: x\n    deep = x\n    \
         if (x > 3) deep = deep + again(3)\n  end function\n  real function both(x)\n    real :: x\n    \
         both = x\n  end function\n  recursive real function again(n) result(r)\n    integer :: n\n    \
         r = 1\n    if (n > 0) r = again(n - 1)\n  end function\n  subroutine unused\n  \
         end subroutine\nend module\n\
         subroutine outside(x)\n  real :: x\n  external :: helper\n  interface\n    \
         subroutine helper(x)\n      real :: x\n    end subroutine\n  end interface\n  \
         !$omp target teams distribute parallel do\n  do i = 1, 3\n    call helper(x)\n  end do\n\
         end subroutine\nsubroutine helper(x)\n  real :: x\n  x = 1\nend subroutine\n",
        expect![[r#"
            target
            target teams distribute parallel do
            region m::run
            region m::both
            region m::unused
            region outside"#]],
    );
}

#[test]
fn what_the_host_may_come_to() {
    check_names(
        "f.f90",
        "module m\n  private\n  public :: offered\n  private :: hidden\n  interface gen\n    \
         module procedure generic_one\n  end interface\n  type t\n  contains\n    \
         procedure :: bound => binding\n    procedure, nopass :: own\n    final :: ended\n  end type\n  \
         procedure(own), pointer :: p => pointed\ncontains\n  subroutine offered\n  end\n  \
         subroutine hidden\n  end\n  subroutine generic_one\n  end\n  subroutine binding(x)\n  \
         class(t) :: x\n  end\n  subroutine own\n  end\n  subroutine ended(x)\n  type(t) :: x\n  end\n  \
         subroutine pointed\n  end\n  subroutine argument\n  end\n  subroutine two\n  entry three\n  \
         end\n  subroutine cname() bind(c, name='other')\n  end\n  subroutine macro\n  end\n  \
         subroutine joined\n  end\n  function asked()\n  end\nend module\n\
         program main\n  use m, only: hidden, renamed => hidden\n  external :: hidden\n  \
         !$omp target if(asked() > 1)\n  call offered; call hidden; call generic_one\n  \
         call binding(x); call own; call ended(x); call pointed\n  call argument; call two\n  \
         call cname; call macro; call joined\n  !$omp end target\n  call use(argument)\n  \
         call joi&\n    &ned\nend program\n#define M call macro\n",
        expect![[r#"
            target
            region m::offered
            region m::hidden
            region m::generic_one
            region m::binding
            region m::own
            region m::ended
            region m::pointed
            region m::argument
            region m::two
            region m::cname
            region m::macro
            region m::joined
            region m::asked
            region main"#]],
    );
}

#[test]
fn fixed_form_has_no_borders_between_words() {
    check_names(
        "f.f",
        "      SUBROUTINE HOST(X)\n      EXTERNAL KERNEL, F\n      REAL F\n      IF (X .GT. 1) CALL \
         BOTH(X)\n      IF (X .GT. 2) CALLGLUED(X)\nC$OMP TAR GET MAP(X)\n      CALLKERNEL(X)\n      \
         CALL B O T H(X)\n      CALL GLUED(X)\n      X = F(X)\nC$OMP END TARGET\n      END\n      \
         SUBROUTINEKERNEL(X)\n      X=DEEP(X)\n      END\n      REAL FUNCTION DEEP(X)\n      DEEP = X\n      \
         END\n      SUB ROUTINE BO TH(X)\n      X = 1\n      END\n      SUBROUTINE GLUED(X)\n      \
         X = 1\n      END\n      REALFUNCTION F(X)\n      F=X\n      END\n",
        expect![[r#"
            target
            region host
            region both
            region glued"#]],
    );
}

#[test]
fn procedures_that_declared_ones_call() {
    check_names(
        "f.f90",
        "module m\n!$omp declare target to(listed)\n!$omp declare target enter(host) device_type(host)\n\
         contains\nsubroutine listed\n  call one\nend\nsubroutine host\n  call two\nend\n\
         subroutine nohost\n  !$omp declare target device_type(nohost)\n  call three\nend\n\
         subroutine own_host\n  !$omp declare target device_type(host)\nend\n\
         subroutine one\nend\nsubroutine two\nend\nsubroutine three\nend\nend module\n",
        expect![[r#"
            region m::host
            region m::own_host
            region m::two"#]],
    );
}

/// Without `--functions`, too.
#[test]
fn directives_in_procedures_that_only_devices_run() {
    check(
        "subroutine host(x)\n!$omp target\ncall kernel(x)\n!$omp end target\nend\n\
         subroutine kernel(x)\n!$omp parallel do\ndo i = 1, 3\nend do\n!$omp critical\nx = 1\n\
         !$omp end critical\n!$omp inst begin(a)\n!$omp inst end(a)\nend\n",
        expect![[r#"
            14: `inst end`: nothing may be called in a pure or device procedure
            13: `inst begin`: nothing may be called in a pure or device procedure
            10: `critical`: nothing may be called in a pure or device procedure
            7: `parallel do`: nothing may be called in a pure or device procedure
            # 1 "f.f90"
            subroutine host(x)
            call pomp_H_target_enter(1)
            # 2 "f.f90"
            !$omp target
            # 3 "f.f90"
            call kernel(x)
            # 4 "f.f90"
            !$omp end target
            call pomp_H_target_exit(1)
            # 5 "f.f90"
            end
            subroutine kernel(x)
            !$omp parallel do
            do i = 1, 3
            end do
            !$omp critical
            x = 1
            !$omp end critical
            ! omp inst begin(a)
            ! omp inst end(a)
            end
        "#]],
    );
}

/// A file may have the name of a procedure.
#[test]
fn line_markers_name_no_procedures() {
    check_names(
        "kernel.f90",
        "# 1 \"kernel.f90\"\nsubroutine host(x)\n!$omp target\ncall kernel(x)\n!$omp end target\n\
         end\nsubroutine kernel(x)\nend\n",
        expect![[r#"
            target
            region host"#]],
    );
}
