//! placeholder
use crate::RunInfo;
use pompeii_model::Cube;
/// The page.
pub fn html(_cube: &Cube, _run: &RunInfo) -> String {
    String::new()
}
