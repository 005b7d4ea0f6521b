//! Where a process keeps its live state that cannot write to the experiment's folder: in storage of
//! its host, under a name that follows from the experiment's path alone. So whoever finishes the
//! experiment on that host finds it.

/// Variables that name such storage; where none is set, it is [`STORAGE`].
pub const STORAGE_VARIABLES: [&str; 2] = ["POMPEII_LIVE_DIR", "TMPDIR"];
/// What every host has.
pub const STORAGE: &str = "/tmp";

/// The folder in `storage` of all processes that cannot write to the experiment of this absolute
/// path, each with a folder of its own.
pub fn elsewhere(storage: &str, experiment: &str) -> String {
    format!("{}/pompeii-{:016x}", storage.trim_end_matches('/'), hash(experiment))
}

/// FNV-1a of the path's parts: the same for all spellings of a path.
fn hash(path: &str) -> u64 {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let bytes = parts.flat_map(|part| std::iter::once(b'/').chain(part.bytes()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_have_one_folder() {
        let folder = elsewhere("/tmp/", "/home/user/exp");
        assert_eq!(folder, elsewhere("/tmp", "/home/user/./exp/"));
        assert_ne!(folder, elsewhere("/tmp", "/home/user/exp2"));
        assert_ne!(elsewhere("/tmp", "/ab/c"), elsewhere("/tmp", "/a/bc"));
        assert!(folder.starts_with("/tmp/pompeii-") && folder.len() == 29, "{folder}");
    }
}
