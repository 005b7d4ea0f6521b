//! Bounds of the numbers in a report. A report may be damaged, or be made of damaged live state.
//! Each sum that the analysis computes must fit into an integer, so a report with larger sums is
//! refused. What is readable of a damaged report has zeros in their place.

use pompeii_cubex as cubex;
use pompeii_model::{Root, Row, Wait};

use crate::load::LoadError;

/// Sums of more than this are damage: 2^61 ticks are 200,000 hours on a CPU with 3 GHz.
pub const SUM_MAX: i64 = 1 << 61;

fn sum(row: &Row) -> u128 {
    row.values().iter().map(|value| u128::from(value.unsigned_abs())).sum()
}

/// The rows of a metric, if their sum is not too large, or if damage is to be shown. Then the rows
/// that are too large are left out.
///
/// # Errors
/// The call path with the largest values.
pub fn check_rows<T>(
    reader: &cubex::Reader,
    metric: cubex::MetricId,
    rows: &mut Vec<(cubex::CallPathId, T, Row)>,
) -> Result<(), LoadError> {
    let limit = u128::from(SUM_MAX.unsigned_abs());
    if rows.iter().map(|(.., row)| sum(row)).sum::<u128>() <= limit {
        return Ok(());
    }
    if reader.shows_damaged() {
        let each = limit / rows.len() as u128;
        rows.retain(|(.., row)| sum(row) <= each);
        return Ok(());
    }
    let largest = rows.iter().max_by_key(|(.., row)| sum(row)).map(|(path, ..)| *path);
    let call = largest.unwrap_or(cubex::CallPathId(0));
    let report = reader.report();
    Err(LoadError::TooLarge {
        metric: report.metrics[metric].unique_name.clone(),
        call: call.0,
        region: report.regions[report.call_paths[call].region].name.clone(),
    })
}

/// Whether this number of locations can have spent the time together.
pub fn is_wall(ticks: i64, locations: usize) -> bool {
    (0..=SUM_MAX / locations.max(1) as i64).contains(&ticks)
}

/// Leaves out waits that make a sum too large.
pub fn keep_waits(waits: &mut Vec<Wait>) {
    let (mut visits, mut ticks) = (0_i64, 0_i64);
    waits.retain(|wait| {
        let parts = [wait.visits, wait.wait_ticks, wait.starvation_ticks];
        let all = visits.saturating_add(wait.visits);
        let time = wait.wait_ticks.saturating_add(wait.starvation_ticks).saturating_add(ticks);
        let is_kept = parts.iter().all(|&part| part >= 0) && all.max(time) <= SUM_MAX;
        if is_kept {
            (visits, ticks) = (all, time);
        }
        is_kept
    });
}

/// Leaves out causes of waiting that make the sum too large. A share may be less than 0 by the
/// rounding of a few ticks.
pub fn keep_roots(roots: &mut Vec<Root>) {
    let mut ticks = 0_i64;
    roots.retain(|root| {
        let parts = [root.direct_ticks, root.indirect_ticks];
        let all = parts.iter().fold(ticks, |all, part| all.saturating_add(part.saturating_abs()));
        let is_kept = all <= SUM_MAX;
        if is_kept {
            ticks = all;
        }
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use pompeii_model::{CallId, LocationId};

    use super::*;

    #[test]
    fn causes_that_make_the_sum_too_large_are_left_out() {
        let root = |direct_ticks, indirect_ticks| Root {
            call: CallId(0),
            by: (CallId(1), LocationId(0)),
            direct_ticks,
            indirect_ticks,
        };
        let sound = [root(SUM_MAX / 2, -1), root(7, 9)];
        let mut roots = vec![sound[0], root(SUM_MAX / 2, 2), root(i64::MIN, 0), sound[1]];
        keep_roots(&mut roots);
        assert_eq!(roots, sound);
    }
}
