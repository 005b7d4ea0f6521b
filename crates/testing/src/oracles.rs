//! Other people's tools are oracles. A test that needs them asks [`oracles`] first; `cargo xtask
//! test` wants all of them, so that a missing tool is a failure there.

/// Whether tests against other people's tools are wanted. If not, the test says so and ends.
pub fn oracles() -> bool {
    let is_wanted = std::env::var_os("POMPEII_ORACLES").is_some();
    if !is_wanted {
        println!("not run: needs other people's tools and POMPEII_ORACLES=1");
    }
    is_wanted
}
