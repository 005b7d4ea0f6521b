//! Experiments that no program writes on purpose, in a browser: markup in names, sums of nearly 2^63
//! ticks, values below 0, nothing at all; from these the test makes 100,000 regions and 10,000
//! levels. The page stays usable, shows no script from a name, and no text that is not a number
//! where a number belongs.

use pompeii_analysis as analysis;
use pompeii_model::Cube;
use pompeii_report::{RunInfo, html};
use pompeii_testing::oracles;

use crate::oracle_web::in_browser;

fn measured(text: &str) -> Cube {
    analysis::notation::cube(text).unwrap()
}

/// Names that are markup, or that mean something to a script.
fn markup() -> Cube {
    let mut cube = measured(
        "wall=100 locations=2
         a                0  time=10 visits=1
         a/f@a.c:1        *  time=20 visits=3
         a/g@a.c:2        *  time=30 visits=3
         a/h@a.c:3        0  time=40 visits=3",
    );
    let names = [
        "</script><img src=x onerror=\"document.title='broken in'\">",
        "__proto__",
        "",
        "\u{202e}evil\u{0} `code` ${1} &amp; <b>",
    ];
    for (region, name) in cube.regions.iter_mut().zip(names) {
        region.name = name.into();
        region.file = format!("{name}/x.c");
    }
    cube.program = names[0].into();
    cube
}

#[test]
fn hostile_experiments_in_a_browser() {
    if !oracles() {
        return;
    }
    // Three centuries in nanoseconds have 63 bits. The findings multiply times by 100.
    let most = i64::MAX / 1000;
    let cubes = [
        ("MARKUP", markup()),
        (
            "LARGE",
            measured(&format!(
                "wall={most} locations=2 clock=1000000000
             a  0  time={most} visits={most}
             a/barrier@a.c:1  1  time={most} omp_ebarrier_wait={most}"
            )),
        ),
        (
            "NEGATIVE",
            measured(
                "wall=100 locations=2
             a                0  time=-10 visits=1
             a/f@a.c:1        *  time=-20 visits=-3
             a/f@a.c:1/barrier@a.c:1  1  time=150 omp_ebarrier_wait=-5",
            ),
        ),
        ("NOTHING", measured("wall=0 locations=1\n a  0  time=0")),
    ];
    let pages: Vec<(&str, String)> = cubes
        .iter()
        .map(|(name, cube)| (*name, html(&analysis::derive(cube), &RunInfo::default())))
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(name, text)| (*name, &**text)).collect();
    in_browser("hostile.browser.mjs", &pages);
}
