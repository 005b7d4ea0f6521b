//! Links, their counts and the matrix of messages are those that follow from all events of a
//! simulated program, in any window.

use std::collections::BTreeMap;
use std::ops::Range;

use pompeii_index::{Context, Index, IndexWriter, Link, LinkKind, LocationBuilder, Pair, Shape};
use pompeii_otf2::enums::CollectiveOp;
use pompeii_replay::definitions::Definitions;
use proptest::prelude::*;

use crate::program::{LOCATIONS, Moment, Program, definitions, operation, steps};

pub fn index_of(
    definitions: &Definitions,
    shape: Shape,
    program: &Program,
    order: &[usize],
) -> Index<Vec<u8>> {
    let context = Context::new(definitions, shape);
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    for &location in order {
        let mut builder = LocationBuilder::new(&context);
        for (time, event) in &program.events[location] {
            builder.event(*time, event);
        }
        writer.add(location, builder.finish()).expect("memory");
    }
    Index::open(writer.finish().expect("memory")).expect("a good index")
}

/// All links of a program.
fn naive(program: &Program) -> Vec<Link> {
    let mut links = Vec::new();
    let mut add = |kind, from: Moment, to: Moment, detail: u64| {
        links.push(Link { kind, from, to, detail });
    };
    for (channel, sends) in &program.sends {
        let receives = program.receives.get(channel).into_iter().flatten();
        for ((from, bytes), to) in sends.iter().zip(receives) {
            add(LinkKind::Message, *from, *to, *bytes);
        }
    }
    for (process, lock, order, _, _, released) in &program.visits {
        let Some(from) = released else { continue };
        let next =
            program.visits.iter().find(|it| (it.0, it.1, it.2) == (*process, *lock, order + 1));
        let Some((.., since, to, _)) = next else { continue };
        if *since < from.1 && from.0 != to.0 {
            add(LinkKind::Lock, *from, *to, u64::from(*lock));
        }
    }
    for task in &program.tasks {
        let detail = u64::from(task.thread) << 32 | u64::from(task.number);
        let mut from = (LinkKind::TaskStart, task.created);
        for (begin, end) in &task.fragments {
            add(from.0, from.1, *begin, detail);
            let Some(end) = end else { break };
            from = (LinkKind::TaskResume, *end);
        }
    }
    for number in 0.. {
        let parts = program.collectives.iter().map(|parts| {
            let ((location, begin), end) = *parts.get(number)?;
            let (end, bytes) = end?;
            Some(((location, begin), (location, end), bytes))
        });
        let Some(parts) = parts.collect::<Option<Vec<_>>>() else { break };
        let last = parts.iter().max_by_key(|(begin, ..)| (begin.1, begin.0)).expect("parts").0;
        for (begin, end, bytes) in &parts {
            let (from, to) = match operation(number).0 {
                CollectiveOp::ALLREDUCE => (last, *end),
                CollectiveOp::BCAST => (parts[2].0, *end),
                _ => (*begin, parts[1].1),
            };
            if from.0 != to.0 {
                add(LinkKind::Collective, from, to, *bytes);
            }
        }
    }
    links
}

fn times(link: &Link) -> (u64, u64) {
    (link.from.1.min(link.to.1), link.from.1.max(link.to.1))
}

fn sorted(mut links: Vec<Link>) -> Vec<Link> {
    links.sort_unstable();
    links
}

fn check_links(index: &Index<Vec<u8>>, all: &[Link], window: &Range<u64>) {
    let is_inside = |link: &&Link| times(link).0 < window.end && times(link).1 >= window.start;
    let inside: Vec<Link> = all.iter().filter(is_inside).copied().collect();
    let found = index.links(&LinkKind::ALL, window, usize::MAX);
    assert_eq!((sorted(found.links), found.left_out), (sorted(inside.clone()), 0), "{window:?}");
    for kind in LinkKind::ALL {
        let of_kind = inside.iter().filter(|link| link.kind == kind);
        let found = index.links(&[kind], window, usize::MAX).links;
        assert_eq!(sorted(found), sorted(of_kind.copied().collect()));
    }
    let few = index.links(&LinkKind::ALL, window, 5);
    assert_eq!(few.links.len(), inside.len().min(5));
    assert_eq!(few.links.len() as u64 + few.left_out, inside.len() as u64);
    assert!(few.links.iter().all(|link| inside.contains(link)));
    // What is left out is no longer than the bits of what is there.
    let bits = |link: &Link| 64 - (times(link).1 - times(link).0).leading_zeros();
    let class = |link: &Link| bits(link) / 2;
    let mut longest: Vec<u32> = inside.iter().map(class).collect();
    longest.sort_unstable_by(|one, other| other.cmp(one));
    longest.truncate(5);
    let mut found: Vec<u32> = few.links.iter().map(class).collect();
    found.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(found, longest);
}

fn check_counts(index: &Index<Vec<u8>>, all: &[Link], window: &Range<u64>, max: usize) {
    let kinds = [LinkKind::Message, LinkKind::TaskStart, LinkKind::Lock];
    if window.is_empty() {
        assert_eq!(index.link_counts(&kinds, window, max).counts, []);
        return;
    }
    let found = index.link_counts(&kinds, window, max);
    let bin = 1_u64 << found.bin_log2;
    let origin = index.shape().origin;
    let whole = (window.start - origin) / bin * bin..(window.end - origin).div_ceil(bin) * bin;
    let mut expected: BTreeMap<(u64, usize, usize), u64> = BTreeMap::new();
    for link in all.iter().filter(|link| kinds.contains(&link.kind)) {
        let end = times(link).1 - origin;
        if whole.contains(&end) {
            let place = (end / bin * bin + origin, link.from.0, link.to.0);
            *expected.entry(place).or_default() += 1;
        }
    }
    let total: u64 = expected.values().sum();
    let mut shown = 0;
    for count in &found.counts {
        assert_eq!(expected.get(&(count.begin, count.from, count.to)), Some(&count.links));
        shown += count.links;
    }
    assert_eq!(found.counts.len(), expected.len().min(max));
    assert_eq!(shown + found.left_out, total, "{window:?} {found:?}");
}

fn check_matrix(index: &Index<Vec<u8>>, all: &[Link], window: &Range<u64>) {
    let mut expected: BTreeMap<(usize, usize), (u64, u64)> = BTreeMap::new();
    let is_inside = |link: &&Link| window.contains(&times(link).1);
    for link in all.iter().filter(|link| link.kind == LinkKind::Message).filter(is_inside) {
        let sum = expected.entry((link.from.0, link.to.0)).or_default();
        *sum = (sum.0 + 1, sum.1 + link.detail);
    }
    let pair = |((from, to), (messages, bytes))| Pair { from, to, messages, bytes };
    let expected: Vec<Pair> = expected.into_iter().map(pair).collect();
    assert_eq!(index.matrix(window), expected, "{window:?}");
}

fn check_all(program: &Program, order: &[usize], finest_log2: u8, cuts: &[u64]) {
    let definitions = definitions();
    let (origin, length) = (900, program.end() - 900);
    let shape = Shape { origin, length, unit_log2: 0, finest_log2, levels: 2 };
    let index = index_of(&definitions, shape, program, order);
    let all = naive(program);
    let cuts = || cuts.iter().map(|cut| origin + cut % length);
    let mut windows: Vec<Range<u64>> =
        cuts().zip(cuts().skip(1)).map(|(one, other)| one.min(other)..one.max(other)).collect();
    windows.push(origin..origin + length + 1);
    // Windows that begin and end with a link.
    let at_links = all.iter().zip(all.iter().rev()).take(4);
    windows.extend(at_links.map(|(one, other)| times(one).1.min(times(other).1)..times(one).1));
    for window in windows {
        check_links(&index, &all, &window);
        check_counts(&index, &all, &window, 1000);
        check_counts(&index, &all, &window, 6);
        check_matrix(&index, &all, &window);
    }
    for task in &program.tasks {
        let found = index.task_links(task.thread, task.number);
        let name = Some((task.thread, task.number));
        let of_name = all.iter().filter(|link| link.task() == name);
        assert_eq!(sorted(found), sorted(of_name.copied().collect()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn are_those_of_all_events(
        steps in steps(250),
        order in Just((0..LOCATIONS).collect::<Vec<_>>()).prop_shuffle(),
        finest_log2 in 2..10_u8,
        cuts in prop::collection::vec(any::<u64>(), 6),
    ) {
        check_all(&Program::of(&steps), &order, finest_log2, &cuts);
    }
}

/// Thousands of links, so that there are many blocks and levels of counts.
#[test]
fn many_links() {
    let mut random = 12_345_u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    let mut steps = Vec::new();
    for _ in 0..20_000 {
        let (ticks, location) = (u64::from(next(40)), next(LOCATIONS as u32) as usize);
        let action = [0, 2, 2, 3, 5, 5, 6, 6, 7, 7, 8, 9, 11, 11, 12, 13][next(16) as usize];
        steps.push((ticks, location, action, next(1 << 24)));
    }
    let program = Program::of(&steps);
    let by_kind = |kind| naive(&program).iter().filter(|link| link.kind == kind).count();
    let few = LinkKind::ALL.into_iter().find(|kind| by_kind(*kind) < 100);
    assert_eq!(few, None, "of all kinds");
    let order: Vec<usize> = (0..LOCATIONS).collect();
    let cuts = [5000, 300_000, 301_000, 40_000, 500_000, 499_990, 123_456];
    check_all(&program, &order, 6, &cuts);
}

/// After a gap, a receive without its send is none of another one.
#[test]
fn a_receive_whose_send_was_not_recorded() {
    let texts = [
        ("10 0.0 send 1 W 0 7\n20 1.0 recv 0 W 0 7", 1),
        ("10 0.0 off\n20 0.0 on\n15 1.0 recv 0 W 0 7\n30 0.0 send 1 W 0 7", 0),
        // The other clock is late.
        ("15 1.0 recv 0 W 0 7\n30 0.0 send 1 W 0 7", 1),
        // Pompeii had no room for records.
        ("pompeii\n5 0.0 off\n6 0.0 on\n10 0.0 send 1 W 0 7\n20 1.0 recv 0 W 0 7", 0),
    ];
    for (text, links) in texts {
        let text = format!("comm W = 0 1\n{text}");
        let trace = pompeii_replay::text::parse(&text).expect("a trace");
        let context = Context::new(&trace.definitions, Shape::new(0, 100, 10));
        let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
        for (location, events) in trace.events.iter().enumerate() {
            let mut builder = LocationBuilder::new(&context);
            events.iter().for_each(|(time, event)| builder.event(*time, event));
            writer.add(location, builder.finish()).expect("memory");
        }
        let index = Index::open(writer.finish().expect("memory")).expect("a good index");
        assert_eq!(index.links(&[LinkKind::Message], &(0..100), 9).links.len(), links, "{text}");
    }
}

/// Non-blocking collective operations belong together in the order of their begins.
#[test]
fn operations_that_complete_in_another_order() {
    let text = "comm W = 0 1
        10 0.0 start 1
        11 0.0 start 2
        12 1.0 start 7
        30 1.0 start 8
        40 0.0 complete ALLREDUCE W - 1 1 2
        41 0.0 complete ALLREDUCE W - 5 5 1
        42 1.0 complete ALLREDUCE W - 5 5 7
        43 1.0 complete ALLREDUCE W - 1 1 8";
    let trace = pompeii_replay::text::parse(text).expect("a trace");
    let context = Context::new(&trace.definitions, Shape::new(0, 100, 10));
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    for (location, events) in trace.events.iter().enumerate() {
        let mut builder = LocationBuilder::new(&context);
        events.iter().for_each(|(time, event)| builder.event(*time, event));
        writer.add(location, builder.finish()).expect("memory");
    }
    let index = Index::open(writer.finish().expect("memory")).expect("a good index");
    let found = index.links(&[LinkKind::Collective], &(0..100), 9).links;
    let found: Vec<_> = found.iter().map(|link| (link.from, link.to, link.detail)).collect();
    assert_eq!(found, [((1, 12), (0, 41), 10), ((1, 30), (0, 40), 2)]);
}
