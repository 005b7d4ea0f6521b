//! The languages, and how a file's suffix tells them apart. The rules are those of gcc, g++ and
//! gfortran, so that the instrumented text is compiled as the language it was read as.

/// The language of a source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C, any standard from C89.
    C,
    /// C++, any standard from C++98.
    Cxx,
    /// Fortran in free form.
    FortranFree,
    /// Fortran in fixed form.
    FortranFixed,
}

impl Language {
    /// The language that compilers assume for this path; `None` for suffixes of other languages.
    ///
    /// ```
    /// use pompeii_instrument::Language;
    /// assert_eq!(Language::from_path("a/b.C"), Some(Language::Cxx));
    /// assert_eq!(Language::from_path("b.F90"), Some(Language::FortranFree));
    /// assert_eq!(Language::from_path("b.o"), None);
    /// ```
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, suffix) = name.rsplit_once('.')?;
        match suffix {
            "c" | "h" | "i" => Some(Self::C),
            "cc" | "cp" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "hh" | "hpp" | "hxx" | "h++"
            | "H" | "tcc" | "ii" => Some(Self::Cxx),
            "f" | "for" | "ftn" | "fpp" | "F" | "FOR" | "FTN" | "FPP" => Some(Self::FortranFixed),
            "f90" | "f95" | "f03" | "f08" | "f18" | "F90" | "F95" | "F03" | "F08" | "F18" => {
                Some(Self::FortranFree)
            }
            _ => None,
        }
    }

    /// Whether this is one of the two forms of Fortran.
    pub fn is_fortran(self) -> bool {
        matches!(self, Self::FortranFree | Self::FortranFixed)
    }
}
