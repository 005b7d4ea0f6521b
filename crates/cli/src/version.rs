//! What `--version` says beside the number: the commit that this program was built from, and what
//! programs and experiments must fit to it.

use std::sync::LazyLock;

/// The commit, as `build.rs` found it; empty for a source archive and for development builds, which
/// would be linked again at every commit otherwise.
const COMMIT: &str = env!("BUILT_FROM_COMMIT");

/// Several lines: the version with its commit, the interfaces of libpomp, and the version of live
/// state, by which this program knows what a measured program has left.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let commit = if COMMIT.is_empty() { String::new() } else { format!(" (commit {COMMIT})") };
        format!(
            "{}{commit}\nlibpomp: POMP 1 and POMP2 interfaces, live state {:02x}",
            env!("CARGO_PKG_VERSION"),
            pompeii_finish::LIVE_STATE_VERSION
        )
    });
    &TEXT
}
