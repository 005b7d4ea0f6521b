//! What it costs to open and close teams of threads.

use pompeii_model::Unit;

use super::{Compute, Doc, Property, gains};

/// Fork and join.
pub const PROPERTY: Property = Property {
    name: "omp_management",
    title: "Fork and join",
    parent: Some("omp_time"),
    unit: Unit::Ticks,
    compute: Compute::Measured,
    gain: gains::DELAYING_THREAD,
    doc: Doc {
        measures: "Time to create the team at the begin of a parallel region and to dissolve it at \
            its end.",
        formula: "per region and thread: (its begin - fork on the master) + (join on the master - \
            latest arrival at the region's final barrier). Measured while the program runs; the \
            first part lies on the parallel region, the second on its final implicit barrier.",
        cost: "Until the last thread has begun, the team is not complete; until the join, the \
            master cannot go on.",
        recognise: "Many visits of a parallel region with little time per visit.",
        remedy: "Merge neighbouring parallel regions into one with several loops; move the region \
            outside of a loop; use if() for small sizes; keep threads spinning \
            (OMP_WAIT_POLICY=active) where cores are exclusive.",
        example: "for (step...) { parallel for ... parallel for ... }: one parallel region around \
            the loop over steps opens the team once.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn forks_lie_on_the_region_and_joins_on_its_barrier() {
        check(
            "omp_management",
            "wall=50 locations=2
             a/parallel@a.c:2                         *  time=30 omp_management=4
             a/parallel@a.c:2/implicit barrier@a.c:9  *  time=20 omp_management=6 \
             omp_ibarrier_wait=14",
            expect![[r#"
                a/parallel  [4, 4]
                a/parallel/implicit barrier  [6, 6]
                total 20
            "#]],
        );
    }
}
