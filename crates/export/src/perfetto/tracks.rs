//! The tracks: what they are called and which numbers they have. Also what all packets need of the
//! definitions: times in nanoseconds, and the category and the source of each region.

use pompeii_model::{Id, LocationId, Paradigm, Region, RegionId};
use pompeii_replay::counter::CounterId;
use pompeii_replay::definitions::Definitions;

use super::fields::{interned, packet, process, source, thread, trace, track};
use crate::clock::Clock;
use crate::protobuf::Fields;

/// What packets need of the definitions.
#[derive(Debug)]
pub struct Tracks<'a> {
    /// Definitions of the trace.
    pub definitions: &'a Definitions,
    clock: Clock,
    regions: Vec<Name>,
}

/// What a region has besides its name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// Number of its category.
    pub category: u64,
    /// File and line are known.
    pub has_source: bool,
}

impl<'a> Tracks<'a> {
    /// Of these definitions.
    pub fn new(definitions: &'a Definitions) -> Tracks<'a> {
        let name = |region: &Region| Name {
            category: category(region.paradigm),
            has_source: !region.file.is_empty() && region.begin_line > 0,
        };
        let regions = definitions.regions.iter().map(name).collect();
        Tracks { definitions, clock: Clock::new(definitions), regions }
    }

    /// Number of regions.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    /// What a region has.
    pub fn name(&self, region: u32) -> Option<Name> {
        self.regions.get(region as usize).copied()
    }

    /// A time, in nanoseconds since the begin of the measurement.
    #[inline]
    pub fn time_ns(&self, time: u64) -> u64 {
        self.clock.time_ns(time)
    }

    /// A duration in nanoseconds.
    pub fn ns(&self, ticks: u64) -> u64 {
        self.clock.ns(ticks)
    }

    /// The sequence of the tracks.
    const OWN_SEQUENCE: u64 = 1;

    /// The sequence of a location.
    pub fn sequence(&self, location: LocationId) -> u64 {
        2 + location.index() as u64
    }

    /// The sequence of messages.
    pub fn message_sequence(&self) -> u64 {
        2 + self.definitions.system.locations.len() as u64
    }

    /// The track of a location. Tracks have numbers from 1: those of processes, of locations, and
    /// of the counters of each location.
    pub fn location(&self, location: LocationId) -> u64 {
        1 + self.definitions.system.processes.len() as u64 + location.index() as u64
    }

    /// The track of a counter of a location.
    pub fn counter(&self, location: LocationId, counter: CounterId) -> u64 {
        let system = &self.definitions.system;
        let before = 1 + system.processes.len() as u64 + system.locations.len() as u64;
        let row = location.index() as u64 * self.definitions.counters.len() as u64;
        before + row + counter.index() as u64
    }

    /// Packets with the tracks of all processes and locations. The numbers of processes and threads
    /// are not those of the system, which the trace does not have: a thread has that of its
    /// location from 1, and a process that of its master.
    pub fn describe(&self, to: &mut Fields) {
        let system = &self.definitions.system;
        let number = |location: LocationId| u64::from(location.0).saturating_add(1);
        for (id, it) in system.processes.enumerated() {
            descriptor(to, Self::OWN_SEQUENCE, |to| {
                to.number(track::UUID, 1 + id.index() as u64);
                to.message(track::PROCESS, |to| {
                    to.number(process::PID, number(it.master));
                    to.text(process::NAME, &it.name);
                });
            });
        }
        for (id, it) in system.locations.enumerated() {
            descriptor(to, Self::OWN_SEQUENCE, |to| {
                to.number(track::UUID, self.location(id));
                to.number(track::PARENT, 1 + it.process.index() as u64);
                to.message(track::THREAD, |to| {
                    to.number(thread::PID, number(system.master(id)));
                    to.number(thread::TID, number(id));
                    to.text(thread::NAME, &it.name);
                });
            });
        }
    }

    /// Defines name and source of a region in its sequence.
    pub fn intern(&self, region: u32, to: &mut Fields) {
        let Some(it) = self.definitions.regions.get(RegionId(region)) else { return };
        let id = name_id(region);
        to.message(interned::NAME, |to| {
            to.number(interned::ID, id);
            to.text(interned::TEXT, &it.label());
        });
        if self.name(region).is_some_and(|name| name.has_source) {
            to.message(interned::SOURCE, |to| {
                to.number(source::ID, id);
                to.text(source::FILE, &it.file);
                to.text(source::FUNCTION, it.function().unwrap_or_default());
                to.number(source::LINE, u64::from(it.begin_line));
            });
        }
    }
}

/// A packet with a track.
pub fn descriptor(to: &mut Fields, sequence: u64, fill: impl FnOnce(&mut Fields)) {
    to.message(trace::PACKET, |to| {
        to.number(packet::SEQUENCE, sequence);
        to.message(packet::TRACK_DESCRIPTOR, fill);
    });
}

/// Number of the name of a region, and of its source: 0 is none.
pub fn name_id(region: u32) -> u64 {
    u64::from(region) + 1
}

/// Number of the category of a paradigm's regions: 0 is none.
fn category(paradigm: Paradigm) -> u64 {
    let place = Paradigm::ALL.iter().position(|it| *it == paradigm);
    place.map_or(0, |place| place as u64 + 1)
}

/// Defines all categories in their sequence.
pub fn intern_categories(to: &mut Fields) {
    for paradigm in Paradigm::ALL {
        to.message(interned::CATEGORY, |to| {
            to.number(interned::ID, category(*paradigm));
            to.text(interned::TEXT, paradigm.as_str());
        });
    }
}
