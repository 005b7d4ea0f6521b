//! The names that rules about regions are matched with: those that reports show, and the one that
//! the linker sees, as far as the source tells it.

use crate::Filter;

/// How a language makes the linker's name of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// As it is written.
    C,
    /// The Itanium ABI.
    Cxx,
    /// gfortran: `__module_MOD_procedure`, `procedure_`.
    Fortran,
}

impl Naming {
    /// What compilers assume for a source file of this name.
    pub fn of_path(path: &str) -> Self {
        let suffix = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        let suffix = suffix.map_or("", |(_, suffix)| suffix);
        match suffix {
            "" | "c" | "h" | "i" => Self::C,
            "for" | "FOR" | "ftn" | "FTN" | "fpp" | "FPP" => Self::Fortran,
            _ if suffix.starts_with(['f', 'F']) => Self::Fortran,
            _ => Self::Cxx,
        }
    }

    /// The linker's name of a function that reports call `name`, in C++ without the types of its
    /// parameters: a pattern has to end with `*` there.
    pub fn mangled(self, name: &str) -> String {
        let parts: Vec<&str> = name.split("::").collect();
        match (self, parts.as_slice()) {
            (Self::C, _) | (Self::Cxx, ["main"]) | (Self::Fortran, ["MAIN__"]) => name.to_owned(),
            (Self::Cxx, parts) => {
                let coded: String =
                    parts.iter().map(|part| format!("{}{part}", part.len())).collect();
                if parts.len() == 1 { format!("_Z{coded}") } else { format!("_ZN{coded}E") }
            }
            (Self::Fortran, [name]) => format!("{name}_"),
            (Self::Fortran, [hosts @ .., name]) => format!("__{}_MOD_{name}", hosts.join("_MOD_")),
            (Self::Fortran, []) => String::new(),
        }
    }
}

impl Filter {
    /// Whether a function of a wanted file is wanted. Score-P shows procedures of Fortran without
    /// their module, so they are known by both names.
    pub fn wants_function(&self, name: &str, naming: Naming) -> bool {
        let plain = name.rsplit("::").next().unwrap_or(name);
        let names = if naming == Naming::Fortran { &[name, plain][..] } else { &[name] };
        self.wants_region(names, &naming.mangled(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names() {
        let all = ["main", "f", "ns::Class::method"].map(|name| Naming::Cxx.mangled(name));
        assert_eq!(all, ["main", "_Z1f", "_ZN2ns5Class6methodE"]);
        let all = ["MAIN__", "f", "m::f", "m::f::g"].map(|name| Naming::Fortran.mangled(name));
        assert_eq!(all, ["MAIN__", "f_", "__m_MOD_f", "__m_MOD_f_MOD_g"]);
    }

    #[test]
    fn languages_by_suffix() {
        let all = ["a/b.c", "x.h", "b.C", "b.hpp", "m.F90", "m.f", "none"].map(Naming::of_path);
        use Naming::{C, Cxx, Fortran};
        assert_eq!(all, [C, C, Cxx, Cxx, Fortran, Fortran, C]);
    }

    #[test]
    fn a_procedure_is_known_with_and_without_its_module() {
        let wants = |rule: &str, name, naming| {
            let text = format!("SCOREP_REGION_NAMES_BEGIN {rule}\nSCOREP_REGION_NAMES_END");
            Filter::parse(&text).unwrap().wants_function(name, naming)
        };
        for rule in ["EXCLUDE s", "EXCLUDE m::*", "EXCLUDE MANGLED __m_MOD_s"] {
            assert!(!wants(rule, "m::s", Naming::Fortran), "{rule}");
        }
        assert!(wants("EXCLUDE s", "m::s", Naming::Cxx));
        assert!(!wants("EXCLUDE MANGLED _ZN1m1s*", "m::s", Naming::Cxx));
    }
}
