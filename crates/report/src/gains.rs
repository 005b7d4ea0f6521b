//! Whether gains can be added: several findings may have lost the same time, for example threads
//! that wait at one barrier for two reasons. Then one repair alone brings less than its part, or
//! nothing.

use pompeii_analysis::{Finding, Lens, format, gain_of_all};
use pompeii_model::Cube;

use crate::RunInfo;

/// What to know before gains are added; `None` if fewer than two findings that are worth a line
/// have one.
pub fn together(cube: &Cube, run: &RunInfo, found: &[Finding]) -> Option<String> {
    let has_gain = |finding: &&Finding| {
        finding.is_significant(cube) && finding.gain.is_some_and(|gain| gain.ticks > 0)
    };
    if found.iter().filter(has_gain).count() < 2 {
        return None;
    }
    let shown: Vec<&Finding> = found.iter().filter(|it| it.is_significant(cube)).collect();
    let most = gain_of_all(cube, &run.machine, &shown).map_or_else(String::new, |most| {
        let most = format::seconds(Lens::new(cube).seconds(most));
        format!(" All repairs together bring at most {most}.")
    });
    Some(format!(
        "Do not add the gains: each is that of one repair alone, and several may save the same \
         time.{most}"
    ))
}
