//! The guard: visits in the trace and in sums are those of the profile, whatever a visit does, and
//! only visits that are short and have nothing in them are summed.

mod trials;

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::{Expect, expect};
use pompeii_live::{Definition, Key, RegionKind, node_offset};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::Event;

use super::{At, Run, Setting};
use crate::definitions::RegionText;
use crate::fast::guarded;
use crate::fast::kit::gate::Guarded;
use crate::guard::Bounds;
use crate::location::{Location, TASKS, gate};
use crate::sync::{self, Lock, Turn};
use crate::team;

pub const GUARD: Setting = Setting {
    trace: true,
    timed_undeferred: true,
    statistics: false,
    iterations: false,
    metrics: false,
    guard: Some(Bounds { visits: 1000, time_ns: 100 }),
    windows: "",
    general_only: false,
};

/// Regions that the scenes use.
pub struct Regions {
    pub outer: u32,
    tiny: u32,
    inner: u32,
    critical: u32,
    body: u32,
    set: u32,
    unset: u32,
    master: u32,
    single: u32,
    single_body: u32,
    ordered: u32,
    ordered_body: u32,
}

/// A measurement, its clock, and its regions.
pub struct Scene {
    pub run: Run,
    pub now: u64,
    regions: Regions,
    lock: &'static Lock,
}

impl Scene {
    pub fn new(setting: Setting) -> Self {
        let mut run = Run::new("", setting);
        let mut region = |kind, name: &str| {
            let id = run.process.region(&RegionText::without_source(kind, name));
            run.regions.push(name.to_owned());
            assert_eq!(id as usize + 1, run.regions.len());
            id
        };
        let regions = Regions {
            outer: region(RegionKind::User, "outer"),
            tiny: region(RegionKind::Function, "tiny"),
            inner: region(RegionKind::User, "inner"),
            critical: region(RegionKind::Critical, "critical"),
            body: region(RegionKind::CriticalBody, "critical body"),
            set: region(RegionKind::Lock, "omp_set_lock"),
            unset: region(RegionKind::Lock, "omp_unset_lock"),
            master: region(RegionKind::Master, "master"),
            single: region(RegionKind::Single, "single"),
            single_body: region(RegionKind::SingleBody, "single body"),
            ordered: region(RegionKind::Ordered, "ordered"),
            ordered_body: region(RegionKind::OrderedBody, "ordered body"),
        };
        let lock = Box::leak(Box::new(Lock::new()));
        Self { run, now: 0, regions, lock }
    }

    /// A region of the user's.
    pub fn inner(&self) -> u32 {
        self.regions.inner
    }

    fn event(&mut self, ticks: u64, event: impl FnOnce(&mut Location, u64, &Regions)) {
        self.now += ticks;
        let (now, regions) = (self.now, &self.regions);
        self.run.with(self.run.threads[0].1, |thread| event(thread, now, regions));
    }

    pub fn enter(&mut self, region: fn(&Regions) -> u32) {
        self.event(10, |thread, now, regions| {
            thread.enter(region(regions), now);
        });
    }

    pub fn exit(&mut self, region: fn(&Regions) -> u32, ticks: u64) {
        self.event(ticks, |thread, now, regions| thread.exit(region(regions), now));
    }

    /// A visit of `tiny` of so many ticks.
    fn tiny(&mut self, ticks: u64) {
        self.enter(|regions| regions.tiny);
        self.exit(|regions| regions.tiny, ticks);
    }

    fn critical(&mut self, waits: u64) {
        let lock = self.lock;
        self.enter(|regions| regions.critical);
        self.event(waits, |thread, now, regions| {
            sync::acquired(thread, lock, now);
            thread.enter(regions.body, now);
        });
        self.event(5, |thread, now, regions| {
            thread.exit(regions.body, now);
            sync::released(thread, lock, now);
        });
        self.exit(|regions| regions.critical, 5);
    }

    /// Acquires the lock within so many ticks, keeps it, and takes so many to give it back.
    fn lock(&mut self, set: u64, unset: u64) {
        let lock = self.lock;
        self.enter(|regions| regions.set);
        self.event(set, |thread, now, regions| {
            sync::acquired(thread, lock, now);
            thread.exit(regions.set, now);
        });
        self.enter(|regions| regions.unset);
        self.event(0, |thread, now, _| sync::released(thread, lock, now));
        self.exit(|regions| regions.unset, unset);
    }

    /// What is in the trace and in the sums of each region, beside the profile, which has both.
    fn check(mut self, expected: Expect) {
        let found = self.counts();
        expected.assert_eq(&self.check_counts(&found));
    }

    /// What is in the trace and in the sums of each region.
    pub fn counts(&mut self) -> BTreeMap<u32, Counts> {
        self.event(1, |thread, now, _| thread.unwind_to_root(now));
        let mut found: BTreeMap<u32, Counts> = BTreeMap::new();
        let (mut locks, mut last) = (0_i64, 0);
        let guarded: BTreeMap<u32, u32> = (self.definitions().into_iter())
            .filter_map(|definition| match definition {
                Definition::Guarded { region, class, .. } => Some((class, region)),
                _ => None,
            })
            .collect();
        for record in self.run.events(0) {
            assert!(record.time >= last);
            last = record.time;
            match record.event {
                Event::Enter(of) => found.entry(of.region.0).or_default().enters += 1,
                Event::Leave(of) => found.entry(of.region.0).or_default().leaves += 1,
                Event::ThreadAcquireLock(_) => locks += 1,
                Event::ThreadReleaseLock(_) => locks -= 1,
                Event::Metric(of) => {
                    let region = guarded[&of.metric.0];
                    found.entry(region).or_default().add(&of.values);
                }
                _ => {}
            }
            assert!((0..=1).contains(&locks), "a lock is given back that nobody has");
        }
        found
    }

    /// The same as text; what is recorded or summed is what the profile has.
    pub fn check_counts(&mut self, found: &BTreeMap<u32, Counts>) -> String {
        let mut text = String::new();
        for (&region, &counts) in found {
            let (visits, ticks) = self.profile(region);
            assert_eq!(
                counts.enters + counts.summed,
                visits,
                "{}",
                self.run.regions[region as usize]
            );
            assert_eq!(counts.enters, counts.leaves);
            let Counts { enters, summed, sums, shortest, longest, .. } = counts;
            assert!(counts.ticks <= ticks, "{} of {ticks}", counts.ticks);
            let name = &self.run.regions[region as usize];
            // How many fill a chunk depends on the lock's number, and that on other tests; and a
            // little on how long it took to write the last one.
            let locks = name.starts_with("critical") || name.ends_with("lock");
            let of = |count: u64| match count {
                _ if locks => "some".to_owned(),
                1000.. if sums > 0 => format!("about {},000", (count + 500) / 1000),
                _ => count.to_string(),
            };
            let _ = write!(text, "{name} x{visits}: {} records", of(enters));
            if sums > 0 {
                let summed = of(summed);
                let _ = write!(text, ", {summed} in {sums} sums of {shortest} to {longest}");
            }
            text.push('\n');
        }
        text
    }

    pub fn definitions(&self) -> Vec<Definition> {
        let log = std::fs::read(self.run.process.options.folder.join("definitions"));
        Definition::decode_all(&log.unwrap())
    }

    /// Visits and inclusive ticks of a region's nodes.
    fn profile(&mut self, region: u32) -> (u64, u64) {
        self.run.with(self.run.threads[0].1, |thread| {
            let (mut visits, mut ticks) = (0, 0);
            for index in 3..thread.node_count() {
                let node = *thread.node(node_offset(index));
                if node.key == Key::Region(region).encode() {
                    visits += node.visits;
                }
                let mut at = node_offset(index);
                while at > TASKS && thread.node(at).key != Key::Region(region).encode() {
                    at = thread.node(at).parent;
                }
                ticks += if at > TASKS { node.ticks } else { 0 };
            }
            (visits, ticks)
        })
    }
}

#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub enters: u64,
    leaves: u64,
    pub sums: u64,
    pub summed: u64,
    ticks: u64,
    shortest: u64,
    longest: u64,
}

impl Counts {
    fn add(&mut self, values: &[MetricValue]) {
        let number = |at: usize| match values[at] {
            MetricValue::U64(value) => value,
            other => panic!("{other:?}"),
        };
        self.sums += 1;
        self.summed += number(0);
        self.ticks += number(1);
        self.shortest = if self.sums == 1 { number(2) } else { self.shortest.min(number(2)) };
        self.longest = self.longest.max(number(3));
        assert!(number(0) * number(2) <= number(1) && number(1) <= number(0) * number(3));
    }
}

#[test]
fn short_visits_are_summed_at_the_leave_of_what_is_around() {
    let mut scene = Scene::new(GUARD);
    for _ in 0..10 {
        scene.enter(|regions| regions.outer);
        for visit in 0..20_000 {
            scene.tiny(1 + visit % 7);
        }
        scene.exit(|regions| regions.outer, 10);
    }
    scene.check(expect![[r#"
        outer x10: 10 records
        tiny x200000: about 44,000 records, about 156,000 in 8 sums of 1 to 7
    "#]]);
}

/// What one thread executes alone, or in its turn, and a single that another thread executes.
#[test]
fn bodies_are_summed_with_their_constructs() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for visit in 0..30_000 {
        scene.enter(|regions| regions.master);
        scene.exit(|regions| regions.master, 3);
        scene.enter(|regions| regions.ordered);
        scene.event(4, |thread, now, regions| {
            sync::had_turn(thread, regions.ordered, Turn::default().last(), now);
            thread.enter(regions.ordered_body, now);
        });
        scene.exit(|regions| regions.ordered_body, 2);
        scene.exit(|regions| regions.ordered, 1);
        scene.enter(|regions| regions.single);
        if visit % 2 == 0 {
            scene.enter(|regions| regions.single_body);
            scene.exit(|regions| regions.single_body, 2);
        }
        scene.exit(|regions| regions.single, 2);
    }
    scene.exit(|regions| regions.outer, 10);
    scene.check(expect![[r#"
        outer x1: 1 records
        master x30000: about 10,000 records, about 20,000 in 1 sums of 3 to 3
        single x30000: about 10,000 records, about 20,000 in 1 sums of 2 to 14
        single body x15000: about 5,000 records, about 10,000 in 1 sums of 2 to 2
        ordered x30000: about 10,000 records, about 20,000 in 1 sums of 7 to 7
        ordered body x30000: about 10,000 records, about 20,000 in 1 sums of 2 to 2
    "#]]);
}

/// A visit that is not short, and one that has something in it, is written as it was.
#[test]
fn visits_that_are_special_are_recorded() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for _ in 0..50_000 {
        scene.tiny(5);
    }
    for _ in 0..3 {
        scene.tiny(100);
        scene.enter(|regions| regions.tiny);
        scene.enter(|regions| regions.inner);
        scene.exit(|regions| regions.inner, 1);
        scene.exit(|regions| regions.tiny, 1);
        scene.tiny(99);
    }
    // Left without an exit, and an exit of nothing.
    scene.enter(|regions| regions.tiny);
    scene.exit(|regions| regions.outer, 1);
    scene.exit(|regions| regions.tiny, 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x50010: about 44,000 records, about 6,000 in 1 sums of 5 to 99
        inner x3: 3 records
    "#]]);
}

#[test]
fn a_critical_is_summed_with_its_body_and_its_lock() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for visit in 0..30_000 {
        scene.critical(if visit % 10_000 == 9_999 { 500 } else { 2 });
    }
    scene.exit(|regions| regions.outer, 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        critical x30000: some records, some in 1 sums of 12 to 12
        critical body x30000: some records, some in 1 sums of 5 to 5
    "#]]);
}

/// Who keeps a lock that was acquired in a summed visit gives it back without a record; one that was
/// acquired with a record is given back with one, however short that is.
#[test]
fn locks_are_acquired_and_given_back_in_pairs() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for visit in 0..40_000 {
        match visit % 1_000 {
            500 => scene.lock(300, 1),
            700 => scene.lock(1, 300),
            _ => scene.lock(1, 1),
        }
    }
    scene.exit(|regions| regions.outer, 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        omp_set_lock x40000: some records, some in 1 sums of 1 to 1
        omp_unset_lock x40000: some records, some in 1 sums of 1 to 1
    "#]]);
}

/// When visits are no longer short, they are recorded again; and summed again when they are.
#[test]
fn a_change_is_noticed() {
    let mut scene = Scene::new(GUARD);
    scene.enter(|regions| regions.outer);
    for phase in [30_000, 30_000, 40_000, 200_000] {
        for _ in 0..phase {
            scene.tiny(if phase == 40_000 { 150 } else { 5 });
        }
    }
    scene.exit(|regions| regions.outer, 1);
    let definitions = scene.definitions();
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x300000: about 88,000 records, about 212,000 in 2 sums of 5 to 5
    "#]]);
    let turns: Vec<bool> = definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Guarded { begins, .. } => Some(*begins),
            _ => None,
        })
        .collect();
    assert_eq!(turns, [true, false, true]);
}

/// Tasks and teams inside of a visit find it written.
#[test]
fn structure_inside_of_a_visit_is_whole() {
    let mut scene = Scene::new(GUARD);
    let parallel = scene.run.process.region(&RegionText::without_source(RegionKind::Parallel, "p"));
    let barrier =
        scene.run.process.region(&RegionText::without_source(RegionKind::ImplicitBarrier, "b"));
    scene.run.regions.extend(["p".to_owned(), "b".to_owned()]);
    scene.enter(|regions| regions.outer);
    for _ in 0..50_000 {
        scene.tiny(5);
    }
    scene.enter(|regions| regions.tiny);
    scene.event(1, |thread, now, _| {
        let of = super::parallel(parallel, barrier);
        let team = team::fork(thread, parallel, 1, now);
        team::begin(thread, (team.unwrap(), 0, 1), of, now);
        team::end(thread, team.unwrap(), now);
        team::join(thread, team, now);
    });
    scene.exit(|regions| regions.tiny, 1);
    scene.enter(|regions| regions.tiny);
    scene.event(1, |thread, now, _| thread.flush_gate(now));
    scene.exit(|regions| regions.tiny, 1);
    scene.exit(|regions| regions.outer, 1);
    scene.check(expect![[r#"
        outer x1: 1 records
        tiny x50002: about 44,000 records, about 6,000 in 1 sums of 5 to 5
        p x1: 1 records
        b x1: 1 records
    "#]]);
}

/// Events on the fast way of guarded visits, each of which must have been taken.
struct Shortly<'a>(&'a mut Scene);

impl Shortly<'_> {
    fn event(&mut self, event: impl FnOnce(Guarded, &Regions, &'static Lock, At) -> bool) {
        let lock = self.0.lock;
        self.0.event(5, |thread, now, regions| {
            // Otherwise the script's clock makes all ways general.
            thread.gate &= !gate::CLOCK;
            let thread = Guarded::of(thread).unwrap();
            assert!(event(thread, regions, lock, At(now)), "not on the fast way");
        });
    }

    fn enter(&mut self, region: fn(&Regions) -> u32) {
        self.event(|thread, of, _, now| guarded::enter(thread, key(region(of)), now));
    }

    fn exit(&mut self, region: fn(&Regions) -> u32) {
        self.event(|thread, of, _, now| guarded::exit(thread, key(region(of)), now));
    }

    fn begin(&mut self) {
        self.event(|thread, of, lock, now| {
            guarded::enter_body(thread, key(of.body), Some(lock), now, |_, _, _| {})
        });
    }

    fn end(&mut self) {
        self.event(|thread, of, _, now| guarded::exit_body(thread, key(of.body), now, |_, _| {}));
    }

    /// Something that is not short at all.
    fn inner(&mut self) {
        self.0.enter(|regions| regions.inner);
        self.0.exit(|regions| regions.inner, 1);
    }
}

fn key(region: u32) -> u64 {
    Key::Region(region).encode()
}

/// Visits on the fast way are in the sums, and those in which something happens, wherever that is,
/// are recorded with all that they had so far.
#[test]
fn fast_ways_know_what_is_short() {
    let bounds = Bounds { visits: 1000, time_ns: 1 << 40 };
    let mut scene = Scene::new(Setting { guard: Some(bounds), ..GUARD });
    scene.enter(|regions| regions.outer);
    // Each 1,024th visit takes the general way (`exclusion.rs`): none of the 1,000 below.
    for _ in 0..30 * 1024 {
        scene.tiny(5);
        scene.critical(2);
    }
    scene.tiny(5);
    let mut shortly = Shortly(&mut scene);
    for visit in 0..1000 {
        shortly.enter(|regions| regions.tiny);
        if visit % 100 == 0 {
            shortly.inner();
            shortly.0.exit(|regions| regions.tiny, 1);
        } else {
            shortly.exit(|regions| regions.tiny);
        }
        shortly.enter(|regions| regions.critical);
        match visit {
            // Before the body, in it, and behind it.
            100 => shortly.inner(),
            _ => shortly.begin(),
        }
        match visit {
            100 => {}
            200 => {
                shortly.inner();
                let (now, lock) = (shortly.0.now, shortly.0.lock);
                shortly.0.event(1, |thread, _, regions| {
                    thread.exit(regions.body, now + 1);
                    sync::released(thread, lock, now + 1);
                });
            }
            _ => shortly.end(),
        }
        match visit {
            100 | 200 => shortly.0.exit(|regions| regions.critical, 1),
            300 => {
                shortly.inner();
                shortly.0.exit(|regions| regions.critical, 1);
            }
            _ => shortly.exit(|regions| regions.critical),
        }
    }
    scene.exit(|regions| regions.outer, 1);
    let counts = scene.counts();
    let summed = |of: fn(&Regions) -> u32| counts[&of(&scene.regions)].summed;
    assert!(summed(|regions| regions.tiny) > 990);
    // One never had a body.
    assert_eq!(summed(|regions| regions.critical), summed(|regions| regions.body));
    assert_eq!(counts[&scene.regions.inner].enters, 13);
    scene.check_counts(&counts);
}

/// Without the guard, and where its bounds are not met, everything is recorded.
#[test]
fn nothing_is_summed_that_need_not_be() {
    let off = Setting { guard: None, ..GUARD };
    let bounds = Bounds { visits: 1_000_000, time_ns: 100 };
    let long = Bounds { visits: 1000, time_ns: 5 };
    for setting in
        [off, Setting { guard: Some(bounds), ..GUARD }, Setting { guard: Some(long), ..GUARD }]
    {
        let mut scene = Scene::new(setting);
        scene.enter(|regions| regions.outer);
        for _ in 0..100_000 {
            scene.tiny(5);
        }
        scene.exit(|regions| regions.outer, 1);
        scene.check(expect![[r#"
            outer x1: 1 records
            tiny x100000: 100000 records
        "#]]);
    }
}
