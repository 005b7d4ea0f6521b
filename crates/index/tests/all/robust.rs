//! Any bytes as an index and as the events of its location: answers come to an end, without panic.
//! The fuzz target `index` uses this file, too. A checksum that is wrong is made right first,
//! because chance does not find checksums.

use std::path::Path;

use pompeii_index::{
    Context, Curve, Direction, Index, LinkKind, Row, Search, Sought, Tasks, WindowError,
};
use pompeii_otf2::read::{Bytes, EventReader};
use pompeii_otf2::reference::LocationRef;
use pompeii_replay::counter::CounterId;
use pompeii_replay::definitions::Definitions;

/// Bytes of a chunk of events.
const CHUNK_BYTES: u64 = 256;

/// Asks an index for all that it answers. Whether it is one.
pub fn check(input: &[u8]) -> bool {
    let sealed = seal(input.to_vec());
    let Ok(index) = Index::open(&sealed) else { return false };
    let definitions = Definitions::new("program");
    let context = Context::new(&definitions, index.shape());
    let open = || {
        let source = Bytes::new(input, CHUNK_BYTES);
        EventReader::new(source, Path::new("fuzzed"), CHUNK_BYTES, LocationRef(0))
    };
    let begin = index.shape().origin;
    let rows = [(0, Row::Flat), (0, Row::Stack(0)), (0, Row::Recorded(1)), (1, Row::Flat)];
    for (length, columns) in [(u64::MAX, 10), (1 << 20, 100), (1000, 1000), (0, 0)] {
        let window = begin..begin.saturating_add(length);
        let picture = index.picture(&rows, window.clone(), columns);
        assert_eq!(picture.counts.len(), rows.len());
        assert!(picture.x0.iter().zip(&picture.x1).all(|(x0, x1)| x0 < x1));
        let folded = index.folded(&[0, 1], window.clone(), columns);
        assert_eq!(folded.picture.what.len(), folded.bands.len());
        assert!(index.links(&LinkKind::ALL, &window, 7).links.len() <= 7);
        assert!(index.link_counts(&LinkKind::ALL, &window, 7).counts.len() <= 7);
        index.matrix(&window);
        index.task_links(0, 1);
        index.gaps(0, &window, columns);
        index.curve(0, Curve::Waiting, window.clone(), columns);
        index.counter(0, CounterId(0), window.clone(), columns);
        for curve in Curve::ALL {
            let open = |_, _| Ok::<_, WindowError>(open());
            let _ = index.exact_curve(&context, (0, curve), &window, columns, open);
        }
        index.events_to_decode(0, &window);
        let exact = index.exact_picture(&context, &rows[..3], window.clone(), columns, |_, _| {
            Ok::<_, WindowError>(open())
        });
        assert!(exact.is_err() || exact.is_ok_and(|picture| picture.counts.len() == 3));
        let _ = index.at(&definitions, 0, window.end, &mut open(), 1000);
        let _ = index.add_tasks(&definitions, 0, &window, &mut open(), &mut Tasks::default());
        let _ = index.sums(&definitions, 0, &window, &mut open());
        let _ = index.histogram(&definitions, 0, 1, &window, &mut open());
        let _ = index.calls(&index.forks(&definitions), 0, &window, &mut open());
        for direction in [Direction::Forward, Direction::Backward] {
            let search = Search { from: window.end, direction, mark: None };
            let sought = Sought { regions: None, at_least: 10 };
            let _ = index.find(&definitions, 0, &sought, search, &mut open(), 1000);
        }
    }
    index.stack_levels(0);
    index.coarse_bytes();
    true
}

/// Words in the head and in the foot of an index, and in an entry of its directory.
const WORDS: (usize, usize, usize) = (8, 4, 3);

/// Sets the checksum over head and directory, if the file is long enough for both.
fn seal(mut file: Vec<u8>) -> Vec<u8> {
    let (head, foot, entry) = WORDS;
    let words: Vec<u64> =
        file.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let Some(foot) = words.len().checked_sub(foot).filter(|foot| *foot >= head) else {
        return file;
    };
    let sections = usize::try_from(words[foot + 1]).ok();
    let directory = sections.and_then(|sections| sections.checked_mul(entry));
    let Some(begin) = directory.and_then(|words| foot.checked_sub(words)) else { return file };
    let sealed = words[..head].iter().chain(&words[begin..foot]);
    let checksum = sealed.fold(0xcbf2_9ce4_8422_2325_u64, |sum, word| {
        (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
    });
    file[8 * foot + 16..8 * foot + 24].copy_from_slice(&checksum.to_le_bytes());
    file
}
