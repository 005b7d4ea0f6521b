//! Time in which nothing was recorded because the program or a window said so.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Recording off.
pub const PROPERTY: Property = Property {
    name: "recording_off",
    title: "Recording off",
    parent: Some("execution"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Off, call)),
    gain: "",
    doc: Doc {
        measures: "Time without recording, because of POMP_Off, a directive, or a window. The \
            activity of the thread in this time is unknown.",
        formula: "time of the call paths that end in MEASUREMENT OFF.",
        cost: "This is not a loss. The efficiencies ignore this time and the idle time of other \
            threads during it, because parallel regions in it are not measured.",
        recognise: "The report says how much of the run it was.",
        remedy: "Record more of the run if you need the efficiencies of the whole run.",
        example: "Off for 2 s of a run of 10 s on 4 threads: the efficiencies refer to 40 s - 8 s \
            = 32 s.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn it_is_no_computation() {
        let text = "wall=100 locations=2
             a                  0  time=40
             a/MEASUREMENT OFF  0  time=60";
        check(
            "recording_off",
            text,
            expect![[r#"
            a/MEASUREMENT OFF  [60, 0]
            total 60
        "#]],
        );
        check(
            "comp",
            text,
            expect![[r#"
            a  [40, 0]
            total 40
        "#]],
        );
    }
}
