//! The native part of the Python module `pompeii`: an open run, its tables as capsules of the
//! Arrow C stream interface, and batches. The folder `python/` has what users import; nothing here
//! is meant for them, and nothing here computes.
//!
//! Long work runs without the interpreter's lock, so other threads of Python go on.

mod batch;
mod errors;
mod run;

/// The module `pompeii._native`.
#[pyo3::pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::errors::PompeiiError;
    #[pymodule_export]
    use super::run::Batches;
    #[pymodule_export]
    use super::run::FactBatches;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::run::open;
}
