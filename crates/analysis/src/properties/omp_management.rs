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
    gain: gains::FORKS,
    doc: Doc {
        measures: "Time to create the team at the beginning of a parallel region (fork), and to \
            dissolve it at the end (join).",
        formula: "for each region and thread: (begin on the thread - fork on the master) + (join \
            on the master - latest arrival at the region's final barrier). The first part is \
            shown at the parallel region, the second at its final implicit barrier.",
        cost: "A thread cannot work before it has begun the region, and the master cannot \
            continue before the join.",
        recognise: "There are many visits of a parallel region, each with little time.",
        remedy: "Merge neighbouring parallel regions into one with several loops; move the region \
            out of a loop; use if() for small sizes. If no other program needs the cores, let \
            threads spin (OMP_WAIT_POLICY=active).",
        example: "for (step...) { parallel for ... parallel for ... }: with one parallel region \
            around the loop over steps, the team is created once.",
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
