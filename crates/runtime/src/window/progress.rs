//! How far a location has come with the windows: the visits that open them, and whether recording
//! is off because of one.

use pompeii_live::filter::Windows;

use crate::location::gate;

/// What a location knows about windows.
#[derive(Default)]
pub struct Window {
    /// Recording is off because of a window, and not because the program has said so.
    pub(super) is_off: bool,
    /// Whether this moment is recorded, and when that has to be asked again.
    pub(super) wanted: bool,
    pub(super) ask_ticks: u64,
    /// By place in [`Windows`], the visits of regions that open windows.
    pub(super) visits: Vec<Visits>,
}

/// Visits of a region that opens windows.
#[derive(Clone, Copy, Default)]
pub(super) struct Visits {
    pub(super) begun: u64,
    /// Open visits, where one of them has opened a window.
    pub(super) open: u64,
}

/// The gate of a new location; `worker` where it belongs to the teams of another one.
pub fn first_gate(windows: &Windows, worker: bool) -> u32 {
    let watches = windows.is_by_time() || !windows.is_whole() && !worker;
    if watches { gate::WINDOW } else { 0 }
}
