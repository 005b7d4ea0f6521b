//! The measurement core in the user's process and its POMP adapter behind a C ABI.
