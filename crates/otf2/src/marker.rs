//! Markers: remarks that a user or a tool adds to a finished archive, in `NAME.marker`.

use crate::enums::*;
use crate::record::records;
use crate::reference::MarkerRef;

records! {
    /// A remark about a place in the trace, or a kind of them.
    MarkerRecord;

    /// A kind of markers.
    5 DefMarker {
        id: MarkerRef,
        group: String,
        category: String,
        severity: MarkerSeverity,
    }
    /// A remark about the span from `time` on, in ticks.
    6 Marker {
        time: u64,
        duration: u64,
        marker: MarkerRef,
        scope_type: MarkerScope,
        scope: u64,
        text: String,
    }
}
