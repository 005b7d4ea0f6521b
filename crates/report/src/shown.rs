//! A combined value of a metric as text, the same in the trees and in `explain`.

use pompeii_analysis::format;
use pompeii_model::{Cube, Unit};

/// The value in its unit. A mean of counts may have decimals.
pub(crate) fn value(cube: &Cube, unit: Unit, value: f64) -> String {
    match unit {
        Unit::Ticks => format::seconds(value / cube.clock.ticks_per_second()),
        Unit::Nanoseconds => format::seconds(value * 1e-9),
        Unit::Count | Unit::Bytes if value.fract() != 0.0 && value.abs() < 1000.0 => {
            format!("{value:.2}")
        }
        Unit::Count | Unit::Bytes => format::count(value.round() as i64),
        Unit::Decimals(_) => format!("{}", value / unit.parts()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_units() {
        let cube = pompeii_analysis::notation::cube("wall=500 locations=1\n a  0  time=1").unwrap();
        let rate = cube.clock.ticks_per_second();
        let shown = |unit, of| value(&cube, unit, of);
        assert_eq!(shown(Unit::Ticks, rate * 1.5), "1.5 s");
        assert_eq!(shown(Unit::Nanoseconds, 2e6), "2.0 ms");
        assert_eq!(shown(Unit::Count, 2000.0), "2,000");
        assert_eq!(shown(Unit::Count, 2.5), "2.50");
        assert_eq!(shown(Unit::Bytes, 2000.5), "2,001");
        assert_eq!(shown(Unit::Decimals(2), 250.0), "2.5");
    }
}
