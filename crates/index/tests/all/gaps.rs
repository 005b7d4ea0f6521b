//! Times without records, and why there are none.

use std::fmt::Write as _;

use pompeii_index::{Context, Gap, GapKind, Index, IndexWriter, LocationBuilder, Shape};
use pompeii_otf2::Timestamp;
use pompeii_otf2::event::{BufferFlush, Event};
use proptest::prelude::*;

/// The gaps of the only location of a trace from 0 to `end`, with some events more.
fn index_of(text: &str, more: &[(u64, Event)], end: u64) -> Index<Vec<u8>> {
    let trace = pompeii_replay::text::parse(text).expect("a trace");
    let context = Context::new(&trace.definitions, Shape::new(0, end, 10));
    let mut events = trace.events[0].clone();
    events.extend(more.iter().cloned());
    events.sort_by_key(|(time, _)| *time);
    let mut builder = LocationBuilder::new(&context);
    events.iter().for_each(|(time, event)| builder.event(*time, event));
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], &context).expect("memory");
    writer.add(0, builder.finish()).expect("memory");
    Index::open(writer.finish().expect("memory")).expect("a good index")
}

fn shown(gaps: &[Gap]) -> String {
    let mut shown = String::new();
    for Gap { start, end, kind, region, visits, ticks, gaps } in gaps {
        let _ = write!(shown, "{start}-{end} {kind:?}");
        if let Some(region) = region {
            let _ = write!(shown, " of {region}: {visits} in {ticks}");
        }
        if *gaps > 1 {
            let _ = write!(shown, " x {gaps}");
        }
        shown += "; ";
    }
    shown
}

#[test]
fn kinds_of_gaps() {
    let flush: Event = BufferFlush { stop_time: Timestamp(25) }.into();
    let text = "10 0.0 + a\n30 0.0 off\n40 0.0 on\n60 0.0 sums f 17 5; -\n80 0.0 off";
    let gaps = index_of(text, &[(20, flush)], 100).gaps(0, &(0..100), 1000);
    let expected = "10-60 Summed of 4: 17 in 5; 20-25 Flush; 30-40 Off; 80-100 Off; ";
    assert_eq!(shown(&gaps), expected);
    // Pompeii enters a region when the user switches recording off.
    let text = format!("pompeii\n{}", text.replace("80 0.0 off", "80 0.0 + OFF; off"));
    let gaps = index_of(&text, &[], 100).gaps(0, &(26..90), 1000);
    assert_eq!(shown(&gaps), "10-60 Summed of 4: 17 in 5; 30-40 Lost; 80-100 Off; ");
    assert_eq!(index_of(&text, &[], 100).gaps(0, &(62..70), 1000), []);
}

proptest! {
    /// What is drawn as one gap is one at that zoom: nothing is lost or made longer than a column.
    #[test]
    fn near_gaps_are_one(
        all in prop::collection::vec((1..50_u64, 1..50_u64), 1..300),
        columns in prop_oneof![Just(1_u32), 2..200_u32],
    ) {
        let (mut now, mut more, mut expected) = (0, Vec::new(), Vec::new());
        for (between, length) in all {
            let (start, end) = (now + between, now + between + length);
            more.push((start, BufferFlush { stop_time: Timestamp(end) }.into()));
            expected.push((start, end));
            now = end;
        }
        let end = now + 10;
        let found = index_of("0 0.0 + a", &more, end).gaps(0, &(0..end), columns);
        let column = 1 << pompeii_index::bin_log2_for(&(0..end), columns);
        prop_assert_eq!(found.iter().map(|gap| gap.gaps).sum::<u64>(), expected.len() as u64);
        let mut rest = expected.into_iter();
        for gap in &found {
            prop_assert_eq!(gap.kind, GapKind::Flush);
            let parts: Vec<(u64, u64)> = rest.by_ref().take(gap.gaps as usize).collect();
            prop_assert_eq!(parts[0].0, gap.start);
            prop_assert_eq!(parts[parts.len() - 1].1, gap.end);
            let pairs = parts.iter().zip(parts.iter().skip(1));
            for (one, next) in pairs {
                prop_assert!(next.0 - one.1 < column && next.1 - next.0 < column);
            }
        }
    }
}
