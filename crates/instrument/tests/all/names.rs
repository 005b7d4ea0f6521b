//! The function around a construct: the first word of what its descriptor says.

use pompeii_instrument::{Abi, Language, Options, instrument};

/// The first words of the regions' clauses, in the order of the directives.
fn functions_around(path: &str, text: &str) -> Vec<String> {
    let language = Language::from_path(path).unwrap();
    let outcome = instrument(text.as_bytes(), &Options::new(path, language)).unwrap();
    let first = |clauses: &str| clauses.split(' ').next().unwrap_or_default().to_owned();
    outcome.regions.iter().map(|region| first(&region.clauses)).collect()
}

#[test]
fn descriptors_name_the_function_around() {
    let cpp = "namespace sea { template<class T> struct Mesh { void relax(T *x, int n) {\n\
        #pragma omp parallel for\nfor (int i = 0; i < n; i++) x[i] = 0;\n}\n\
        Mesh operator+(int n) {\n#pragma omp barrier\nreturn *this; }\n\
        operator const int *() {\n#pragma omp barrier\nreturn 0; } void flow(); }; }\n\
        template<class T> void sea::Mesh<T>::flow() { auto f = [] {\n#pragma omp barrier\n };\n\
        #pragma omp sections\n{\n f();\n}\n f(); }\n\
        #if A\nvoid g(int a) {\n#else\nvoid g(long a) {\n#endif\n#pragma omp barrier\n}\n\
        void h() {\n#pragma omp inst begin(x)\n#pragma omp inst end(x)\n}\n";
    let names = functions_around("t.cpp", cpp);
    let expected = [
        "in(sea::Mesh::relax)",
        "in(sea::Mesh::operator+)",
        "in(sea::Mesh::operator_const_int*)",
        "in(sea::Mesh::flow)",
        "in(sea::Mesh::flow)",
        "in(sea::Mesh::flow)",
        "in(g)",
        "in(h)",
    ];
    assert_eq!(names, expected);
    let fortran = "module sea\ncontains\nsubroutine relax(x)\n!$omp barrier\ncall own\ncontains\n\
        subroutine own\n!$omp barrier\nend subroutine\nend subroutine\nend module\n\
        integer function depth()\n!$omp barrier\ndepth = 1\nend function\n\
        program ocean\n!$omp barrier\nend program\n";
    let names = functions_around("t.f90", fortran);
    assert_eq!(names, ["in(sea::relax)", "in(sea::relax::own)", "in(depth)", "in(ocean)"]);
}

/// POMP2's context strings are as OPARI2 writes them.
#[test]
fn context_strings_name_no_function() {
    let options = Options { abi: Abi::Pomp2, ..Options::new("t.c", Language::C) };
    let text = b"void f(void) {\n#pragma omp barrier\n}\n";
    let outcome = instrument(text, &options).unwrap();
    assert_eq!(outcome.regions[0].clauses, "");
}
