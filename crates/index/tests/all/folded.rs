//! Rows of processes are those that are made of all intervals of all their threads.

use std::ops::Range;

use pompeii_index::{
    Context, FoldedPicture, Index, IndexWriter, LocationBuilder, OTHER, State, What,
};
use pompeii_model::RegionId;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::LocationRef;
use pompeii_replay::definitions::Definitions;
use proptest::prelude::*;

use crate::pictures::{end_of, shape};
use crate::simulation::{Interval, Of, Simulation, Step, definitions_of, steps};

/// Ticks by state of a thread in a bin.
fn states_of(definitions: &Definitions, thread: &[Interval], bin: &Range<u64>) -> [u64; 4] {
    let mut ticks = [0; 5];
    for it in thread {
        let state = State::of(&definitions.regions[RegionId(it.region)]);
        ticks[state as usize] += it.end.min(bin.end).saturating_sub(it.start.max(bin.start));
    }
    [ticks[0], ticks[1], ticks[2], ticks[3]]
}

fn check(definitions: &Definitions, threads: &[Simulation], row: &FoldedPicture, end: u64) {
    let picture = &row.picture;
    let bin_ticks = 1_u64 << picture.bin_log2;
    let bins = ((end - picture.begin) / bin_ticks) as usize;
    let mut shown: Vec<Option<(What, u8)>> = vec![None; bins];
    let columns = picture.x0.iter().zip(&picture.x1);
    for ((x0, x1), shows) in columns.zip(picture.what.iter().zip(&row.bands)) {
        assert!(x0 % 16 == 0 && x1 % 16 == 0 && x0 < x1);
        for place in &mut shown[*x0 as usize / 16..*x1 as usize / 16] {
            assert_eq!(place.replace((*shows.0, *shows.1)), None, "boxes do not overlap");
        }
    }
    let threads: Vec<Vec<Interval>> =
        threads.iter().map(|it| it.rows().remove(&Of::Flat).unwrap_or_default()).collect();
    let part = |ticks: u64| ((ticks as f64 / bin_ticks as f64 * 7.0 + 0.5) as u8).min(7);
    for (bin, shown) in (0..).zip(shown) {
        let begin = picture.begin + bin * bin_ticks;
        let of_threads: Vec<[u64; 4]> = threads
            .iter()
            .map(|thread| states_of(definitions, thread, &(begin..begin + bin_ticks)))
            .collect();
        let sums = [0, 1, 2, 3].map(|state| of_threads.iter().map(|it| it[state]).sum::<u64>());
        assert_eq!(shown.is_some(), sums.iter().any(|sum| *sum > 0), "bin {bin} of {sums:?}");
        let Some((what, band)) = shown else { continue };
        assert!(!what.is_exact() && what.region() == OTHER);
        let computing = || of_threads.iter().map(|it| part(it[0]));
        let (least, most) = (computing().min(), computing().max());
        assert_eq!((Some(band & 7), Some(band >> 3)), (least, most), "{of_threads:?}");
        let whole = threads.len() as u64 * bin_ticks;
        for (state, found) in what.state_shares().into_iter().enumerate() {
            let expected = sums[state] as f64 / whole as f64 * 7.0;
            assert!((f64::from(found) - expected).abs() < 1.0, "{state}: {found} of {expected}");
        }
        let is_seen = what.state_shares()[1] > 0 || sums[1] * 50 < whole;
        assert!(is_seen, "waiting of {sums:?}");
    }
}

fn simulations(threads: &[Vec<Step>]) -> (Vec<Simulation>, u64) {
    let mut threads: Vec<Simulation> = threads.iter().map(|steps| Simulation::of(steps)).collect();
    let end = threads.iter().map(Simulation::now).max().unwrap_or_default() + 500;
    threads.iter_mut().for_each(|thread| thread.end(end));
    (threads, end)
}

fn index(context: &Context<'_>, threads: &[Simulation], order: &[usize]) -> Index<Vec<u8>> {
    let mut writer = IndexWriter::new(Vec::new(), [1, 2], context).expect("memory");
    for &location in order {
        let mut builder = LocationBuilder::new(context);
        for (time, event) in &threads[location].events {
            builder.event(*time, event);
        }
        writer.add(location, builder.finish()).expect("memory");
    }
    Index::open(writer.finish().expect("memory")).expect("a good index")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn are_those_of_all_threads(
        threads in prop::collection::vec(steps(60), 4),
        finest_log2 in 3..9_u8,
        levels in 1..6_u8,
        cuts in any::<(u64, u64)>(),
    ) {
        let definitions = definitions_of(&[3, 1]);
        let (threads, end) = simulations(&threads);
        let context = Context::new(&definitions, shape(0, end, finest_log2, levels));
        let index = index(&context, &threads, &[1, 3, 2, 0]);
        let (first, second) = (cuts.0 % end, cuts.1 % end);
        for window in [0..end, first.min(second)..first.max(second) + 1] {
            for (columns, process) in [(7, 0), (40, 1), (300, 0)] {
                let row = index.folded(&[process], window.clone(), columns);
                let of_process = if process == 0 { &threads[..3] } else { &threads[3..] };
                check(&definitions, of_process, &row, end_of(&row.picture, &window));
            }
        }
    }
}

/// A process whose last thread has no index yet has the others.
#[test]
fn threads_that_are_missing_have_no_state() {
    let definitions = definitions_of(&[2]);
    let (threads, end) = simulations(&[vec![(0, 0, 0), (400, 6, 0)], vec![]]);
    let context = Context::new(&definitions, shape(0, end, 4, 2));
    let row = index(&context, &threads, &[0]).folded(&[0], 0..end, 10);
    let first = row.picture.what.first().map(|what| what.state_shares());
    assert_eq!(first, Some([7, 0, 0, 0]));
}

/// A long run of alike bins is a few boxes, whatever their number is.
#[test]
fn alike_bins_are_one_box() {
    let definitions = definitions_of(&[2]);
    let work = vec![(0, 0, 0), (4_000_000, 6, 0)];
    let (threads, end) = simulations(&[work.clone(), work]);
    let context = Context::new(&definitions, shape(0, end, 4, 2));
    let row = index(&context, &threads, &[0, 1]).folded(&[0], 0..end, 1_000_000);
    assert!((2..100).contains(&row.picture.what.len()), "{}", row.picture.what.len());
    check(&definitions, &threads, &row, end_of(&row.picture, &(0..end)));
}

/// Below the finest bins the rows are made of the events.
#[test]
fn a_narrow_window_is_made_of_the_events() {
    let anchor = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../otf2/tests/samples/hybrid/traces.otf2");
    let archive = Archive::open(&anchor).expect("a good archive");
    let definitions = pompeii_replay::archive::definitions(&archive);
    let length = definitions.end - definitions.begin;
    let coarse = shape(definitions.begin, definitions.end, length.ilog2() as u8 - 3, 1);
    let fine = shape(definitions.begin, definitions.end, length.ilog2() as u8 - 8, 4);
    let open = |location: usize| -> Result<_, pompeii_index::WindowError> {
        let ids: Vec<u64> = definitions.location_ids.iter().copied().collect();
        Ok(archive.events(LocationRef(ids[location]))?)
    };
    let index_of = |context: &Context<'_>| {
        let mut writer = IndexWriter::new(Vec::new(), [1, 2], context).expect("memory");
        for location in 0..definitions.location_ids.len() {
            let mut builder = LocationBuilder::new(context);
            builder.read(&mut open(location).expect("a location"));
            writer.add(location, builder.finish()).expect("memory");
        }
        Index::open(writer.finish().expect("memory")).expect("a good index")
    };
    let processes: Vec<usize> = (0..definitions.system.processes.len()).collect();
    let (coarse, fine) = (Context::new(&definitions, coarse), Context::new(&definitions, fine));
    let window = definitions.begin..definitions.end;
    let columns = (length >> fine.shape.finest_log2) as u32;
    let expected = index_of(&fine).folded(&processes, window.clone(), columns);
    let index = index_of(&coarse);
    let found = index.exact_folded(&coarse, &processes, window, columns, |it, _| open(it));
    let found = found.expect("a good trace");
    assert_eq!(found, expected);
    assert!(found.picture.what.len() > processes.len());
}
