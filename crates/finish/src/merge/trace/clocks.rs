//! From the clock of each experiment to that of the first one. Experiments of one host have the
//! same clock. Those of one MPI job have compared their clocks with that of rank 0, by messages.
//! For other ones, the time of day says which times of the two clocks are the same moment.

use pompeii_otf2::Timestamp;
use pompeii_otf2::definition::{ClockOffset, ClockProperties, Definition};
use pompeii_otf2::read::Local;

use crate::manifest::Manifest;

/// Hosts with the same name have different clocks if their times of day differ by this, in
/// nanoseconds, at what would be the same time.
const SAME_WITHIN_NS: f64 = 1e9;

/// What is known of the clock of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub manifest: &'a Manifest,
    /// Its span, in its own ticks.
    pub properties: &'a ClockProperties,
}

impl Known<'_> {
    pub fn span(self) -> (u64, u64) {
        let ClockProperties { global_offset: begin, trace_length, .. } = *self.properties;
        (begin, begin.saturating_add(trace_length.max(1)))
    }

    /// The time of day at the begin of the span, in nanoseconds since 1970.
    fn realtime_ns(self) -> u64 {
        match self.properties.realtime_timestamp {
            u64::MAX => self.manifest.start_realtime_ns,
            known => known,
        }
    }

    pub fn ticks_per_second(self) -> f64 {
        self.manifest.ticks_per_second.max(1.0)
    }
}

/// How times of one clock become those of another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    /// The same moment by both clocks.
    at: (u64, u64),
    /// Ticks of the other clock in one of this clock.
    rate: f64,
    /// The largest error of its times; `None` if it is not known.
    pub error_ns: Option<u64>,
}

impl Conversion {
    /// From the clock of `own` to that of `first`.
    pub fn between(own: Known, first: Known) -> Conversion {
        let same = Conversion { at: (0, 0), rate: 1.0, error_ns: Some(0) };
        let by_time_of_day = by_time_of_day(own, first);
        let is_named_alike =
            own.manifest.host == first.manifest.host && own.manifest.clock == first.manifest.clock;
        let (begin, _) = own.span();
        let apart = begin.abs_diff(by_time_of_day.time(begin)) as f64;
        let apart_ns = apart / first.ticks_per_second() * 1e9;
        if is_named_alike && apart_ns < SAME_WITHIN_NS {
            return same;
        }
        by_messages(own, first).unwrap_or(by_time_of_day)
    }

    /// The other clock's time of `ticks`.
    pub fn time(&self, ticks: u64) -> u64 {
        let (from, to) = self.at;
        let since = ticks.wrapping_sub(from).cast_signed();
        to.saturating_add_signed((since as f64 * self.rate).round() as i64)
    }

    /// Whether both clocks are the same.
    pub fn is_same(&self) -> bool {
        self.at.0 == self.at.1 && self.rate == 1.0
    }

    /// The clock offsets of a location, for the definitions next to its events. `span` is that of
    /// its experiment, and `ticks_per_second` the rate of the other clock.
    pub fn offsets(
        &self,
        local: &Local,
        (span, ticks_per_second): ((u64, u64), f64),
    ) -> Vec<Definition> {
        let known = local.definitions.iter();
        let known: Vec<&ClockOffset> = known
            .filter_map(|definition| match definition {
                Definition::ClockOffset(offset) => Some(offset),
                _ => None,
            })
            .collect();
        if self.is_same() {
            return known.into_iter().cloned().map(Definition::from).collect();
        }
        let own = self.error_ns.unwrap_or(0) as f64 * ticks_per_second / 1e9;
        let deviation = own + known.iter().map(|of| of.standard_deviation).fold(0.0, f64::max);
        let times = match known.as_slice() {
            [] | [_] => vec![span.0, span.1],
            several => several.iter().map(|offset| offset.time.0).collect(),
        };
        let offset = |time: u64| ClockOffset {
            time: Timestamp(time),
            offset: self.time(local.clock.correct(time)).wrapping_sub(time).cast_signed(),
            standard_deviation: deviation,
        };
        times.into_iter().map(offset).map(Definition::from).collect()
    }
}

fn by_time_of_day(own: Known, first: Known) -> Conversion {
    let later_ns = own.realtime_ns().wrapping_sub(first.realtime_ns()).cast_signed();
    let later = later_ns as f64 / 1e9 * first.ticks_per_second();
    let to = first.span().0.saturating_add_signed(later.round() as i64);
    let rate = first.ticks_per_second() / own.ticks_per_second();
    Conversion { at: (own.span().0, to), rate, error_ns: None }
}

/// `None` if not both are of the same MPI job, and know how their clock is to that of rank 0.
fn by_messages(own: Known, first: Known) -> Option<Conversion> {
    let jobs = [own.manifest.job.as_ref()?, first.manifest.job.as_ref()?];
    let [own_rank_0, first_rank_0] = [own, first].map(with_rank_0);
    let (own_rank_0, first_rank_0) = (own_rank_0?, first_rank_0?);
    (jobs[0].id == jobs[1].id).then_some(())?;
    let rate = own_rank_0.ns_per_tick / first_rank_0.ns_per_tick;
    let later_ns = own_rank_0.at.1.wrapping_sub(first_rank_0.at.1).cast_signed() as f64;
    let later = (later_ns / first_rank_0.ns_per_tick).round() as i64;
    let to = first_rank_0.at.0.saturating_add_signed(later);
    let error_ns = own_rank_0.error_ns.saturating_add(first_rank_0.error_ns);
    Some(Conversion { at: (own_rank_0.at.0, to), rate, error_ns: Some(error_ns) })
}

/// A clock and that of rank 0: the same moment, in ticks and in nanoseconds.
struct WithRank0 {
    at: (u64, u64),
    ns_per_tick: f64,
    error_ns: u64,
}

fn with_rank_0(known: Known) -> Option<WithRank0> {
    let points = known.manifest.job.as_ref()?.clock_points.as_slice();
    let (begin, end) = (points.first()?, points.last()?);
    let ticks = end.ticks.saturating_sub(begin.ticks) as f64;
    let ns = end.rank_0_ns.saturating_sub(begin.rank_0_ns) as f64;
    let ns_per_tick = if ticks > 0.0 { ns / ticks } else { 0.0 };
    let nominal = 1e9 / known.ticks_per_second();
    // The rates of two clocks differ by millionths. Two moments next to each other tell nothing.
    let is_likely = (ns_per_tick / nominal - 1.0).abs() < 1e-3;
    Some(WithRank0 {
        at: (begin.ticks, begin.rank_0_ns),
        ns_per_tick: if is_likely { ns_per_tick } else { nominal },
        error_ns: points.iter().map(|point| point.error_ns).max()?,
    })
}

/// The clock of all: the rate of the first one, and a span that has those of all.
pub fn of_all(all: &[(Known, Conversion)]) -> ClockProperties {
    let spans = || {
        all.iter().map(|(known, conversion)| {
            let (begin, end) = known.span();
            (conversion.time(begin), conversion.time(end))
        })
    };
    let begin = spans().map(|(begin, _)| begin).min().unwrap_or(0);
    let end = spans().map(|(_, end)| end).max().unwrap_or(begin);
    let Some((first, _)) = all.first() else { return ClockProperties::default() };
    let earlier = first.span().0.wrapping_sub(begin) as f64 / first.ticks_per_second() * 1e9;
    ClockProperties {
        timer_resolution: first.properties.timer_resolution,
        global_offset: begin,
        trace_length: end - begin,
        realtime_timestamp: first.realtime_ns().saturating_sub(earlier as u64),
    }
}

#[cfg(test)]
mod tests {
    use pompeii_otf2::clock::ClockCorrection;

    use super::*;
    use crate::clock::align::ClockPoint;
    use crate::manifest::Job;

    /// Seconds of the time of day, in nanoseconds since 1970.
    const NOON_NS: u64 = 1_700_000_000_000_000_000;

    /// A manifest, and the clock of a trace of 10 s that begins at this tick and this second.
    fn experiment(
        (host, ticks_per_second): (&str, u64),
        (begin, seconds): (u64, f64),
        points: &[(u64, u64)],
    ) -> (Manifest, ClockProperties) {
        let clock_points = points
            .iter()
            .map(|&(ticks, rank_0_ns)| ClockPoint { ticks, rank_0_ns, error_ns: 40 })
            .collect();
        let job = Job { id: "j".to_owned(), size: 2, clock_points, ..Job::default() };
        let manifest = serde_json::json!({
            "tool": "", "program": "", "run": {"command": [], "environment": {}}, "host": host,
            "pid": 1, "start_realtime_ns": 0, "wall_ns": 0, "clock": "a clock",
            "ticks_per_second": ticks_per_second, "locations": 1, "observed_by": "",
            "trace": true, "regions": 0, "call_paths": 0,
            "lost": {"events": 0, "threads": 0, "died": false}, "processes": [], "job": job,
        });
        let properties = ClockProperties {
            timer_resolution: ticks_per_second,
            global_offset: begin,
            trace_length: 10 * ticks_per_second,
            realtime_timestamp: NOON_NS.saturating_add_signed((seconds * 1e9) as i64),
        };
        (serde_json::from_value(manifest).unwrap(), properties)
    }

    fn known(of: &(Manifest, ClockProperties)) -> Known<'_> {
        Known { manifest: &of.0, properties: &of.1 }
    }

    #[test]
    fn one_host_has_one_clock() {
        let first = experiment(("a", 1000), (5000, 0.0), &[]);
        // The time of day was set by 20 ms meanwhile.
        let second = experiment(("a", 1001), (6000, 1.02), &[]);
        let conversion = Conversion::between(known(&second), known(&first));
        assert!(conversion.is_same() && conversion.time(7000) == 7000);
        let all = [(known(&first), conversion), (known(&second), conversion)];
        let clock = of_all(&all);
        assert_eq!((clock.timer_resolution, clock.global_offset), (1000, 5000));
        assert_eq!((clock.trace_length, clock.realtime_timestamp), (11010, NOON_NS));
    }

    /// The second host has the same name, for example in a container, but another clock.
    #[test]
    fn the_time_of_day_connects_hosts() {
        let first = experiment(("a", 1000), (5000, 0.0), &[]);
        for host in ["a", "b"] {
            let second = experiment((host, 2000), (9_000_000, -0.5), &[]);
            let conversion = Conversion::between(known(&second), known(&first));
            assert_eq!((conversion.is_same(), conversion.error_ns), (false, None));
            assert_eq!([9_000_000, 9_002_000].map(|ticks| conversion.time(ticks)), [4500, 5500]);
            // The trace begins half a second before the first experiment.
            let same = Conversion::between(known(&first), known(&first));
            let clock = of_all(&[(known(&first), same), (known(&second), conversion)]);
            assert_eq!((clock.global_offset, clock.trace_length), (4500, 10_500));
            assert_eq!(clock.realtime_timestamp, NOON_NS - 500_000_000);
        }
    }

    #[test]
    fn messages_connect_the_hosts_of_a_job() {
        // By the time of day, the second one began 3 s later; by messages, 1 s.
        let first = experiment(
            ("a", 1000),
            (5000, 0.0),
            &[(5000, 77 << 30), (15000, (77 << 30) + 10_000_000_000)],
        );
        let moments = [(400, (77 << 30) + 1_000_000_000), (20_400, (77 << 30) + 11_000_000_000)];
        let second = experiment(("b", 2000), (400, 3.0), &moments);
        let conversion = Conversion::between(known(&second), known(&first));
        assert_eq!(conversion.error_ns, Some(80));
        assert_eq!([400, 2400].map(|ticks| conversion.time(ticks)), [6000, 7000]);
        // A location that has an offset in its own experiment: it is 100 ticks ahead.
        let offset = ClockOffset { time: Timestamp(300), offset: 100, standard_deviation: 0.0 };
        let mut clock = ClockCorrection::default();
        assert!(clock.add(&offset));
        let local =
            Local { definitions: vec![offset.into()], clock: clock.into(), ..Local::default() };
        let mut new = ClockCorrection::default();
        for definition in conversion.offsets(&local, ((400, 20_400), 1000.0)) {
            let Definition::ClockOffset(offset) = definition else { panic!("{definition}") };
            assert!(new.add(&offset));
        }
        assert_eq!([300, 2300].map(|ticks| new.correct(ticks)), [6000, 7000]);
    }
}
