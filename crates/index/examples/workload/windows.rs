//! Random windows of an index, as a timeline asks for them: at places and of lengths that are all
//! equally likely, the lengths by their order of magnitude.

use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use pompeii_index::{
    Context, Curve, Direction, Find, Index, LinkKind, Row, Search, Sought, WindowError,
    bin_log2_for, file,
};
use pompeii_otf2::read::MappedFile;
use pompeii_otf2::reference::LocationRef;

use crate::{Outcome, Traced};

/// Visits that are looked for take at least this time.
const LONG_TICKS: u64 = 29_900;
/// Columns of a screen.
const COLUMNS: u32 = 2000;
/// Events that an answer decodes, at most; then it has bins of the finest level.
const DECODED_MAX: u64 = 4_000_000;
/// Links that are drawn; more are counted.
const LINKS_MAX: usize = 2000;
/// Events that a search decodes in one call, over all locations.
const SEARCHED_MAX: u64 = 2_000_000;
/// The shortest windows.
const SHORTEST_TICKS: f64 = 10_000.0;

struct Asked<'a> {
    traced: &'a Traced,
    context: Context<'a>,
    index: Index<MappedFile>,
}

/// Asks for random windows, and prints a line for each kind of answer: median, 95th percentile and
/// maximum in milliseconds, and the mean of boxes or regions.
pub fn ask(anchor: &Path, index: &Path, number: u64) -> Outcome {
    let traced = Traced::open(anchor)?;
    let survey = file::survey(&traced.archive, &traced.ids)?;
    let index = file::open(index, survey.fingerprint)?;
    let context = Context::new(&traced.definitions, survey.shape);
    let asked = Asked { traced: &traced, context, index };
    let locations = traced.ids.len();
    let flat: Vec<_> = (0..locations.min(64)).map(|location| (location, Row::Flat)).collect();
    let levels = |location| (0..asked.index.stack_levels(location)).map(Row::Stack);
    let stacks: Vec<_> = (0..locations.min(16))
        .flat_map(|location| levels(location).map(move |row| (location, row)))
        .collect();
    asked.measure("flat", number, |window| asked.picture(&flat, window))?;
    asked.measure("stacks", number, |window| asked.picture(&stacks, window))?;
    asked.measure("sums", number, |window| asked.sums(locations.min(64), &window))?;
    let processes: Vec<usize> = (0..traced.definitions.system.processes.len()).collect();
    let index = &asked.index;
    asked.measure("processes", number, |window| {
        Ok(index.folded(&processes, window, COLUMNS).bands.len())
    })?;
    asked.measure("links", number, |window| {
        let links = index.links(&LinkKind::ALL, &window, LINKS_MAX);
        let is_whole = links.left_out == 0;
        let counts = || index.link_counts(&LinkKind::ALL, &window, LINKS_MAX).counts.len();
        Ok(if is_whole { links.links.len() } else { counts() })
    })?;
    asked.measure("curves", number, |window| {
        let curve = |curve| index.curve(0, curve, window.clone(), COLUMNS).bins.len();
        Ok(Curve::ALL.map(curve).iter().sum())
    })?;
    asked.measure("matrix", number, |window| Ok(index.matrix(&window).len()))?;
    asked.measure("histogram", number, |window| asked.histogram(locations.min(64), &window))?;
    asked.measure("find", number, |window| asked.find(locations.min(64), &window))
}

impl Asked<'_> {
    fn measure(
        &self,
        name: &str,
        number: u64,
        ask: impl Fn(Range<u64>) -> Result<usize, Box<dyn Error>>,
    ) -> Outcome {
        let (mut times, mut size) = (Vec::new(), 0);
        for turn in 0..number {
            let window = self.window(turn);
            #[allow(clippy::disallowed_methods, reason = "this program is a benchmark")]
            let begin = Instant::now();
            size += ask(window)?;
            times.push(begin.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (times.len() as f64 * share) as usize;
            times.get(place.min(times.len() - 1)).copied().unwrap_or_default()
        };
        let mean = size / (number as usize).max(1);
        println!("{name} {:.1} {:.1} {:.1} {mean}", at(0.5), at(0.95), at(1.0));
        Ok(())
    }

    /// The same windows each time, spread evenly.
    fn window(&self, turn: u64) -> Range<u64> {
        let shape = self.index.shape();
        let part = |factor: f64| (turn as f64 * factor + 0.5).fract();
        let longest = shape.length as f64;
        let length = longest * (SHORTEST_TICKS / longest).min(1.0).powf(part(0.618_033_988_7));
        let begin = (longest - length) * part(0.414_213_562_3);
        let begin = shape.origin + begin as u64;
        begin..begin + (length as u64).max(1)
    }

    fn picture(&self, rows: &[(usize, Row)], window: Range<u64>) -> Result<usize, Box<dyn Error>> {
        let wanted = bin_log2_for(&window, COLUMNS);
        let mut locations: Vec<usize> = rows.iter().map(|(location, _)| *location).collect();
        locations.dedup();
        let is_fine = self.index.shape().level_for(wanted).is_none();
        let events = |location: &usize| self.index.events_to_decode(*location, &window);
        let picture = if is_fine && locations.iter().map(events).sum::<u64>() <= DECODED_MAX {
            let open = |location: usize| {
                let id = self.traced.ids.get(location).copied().unwrap_or_default();
                Ok::<_, WindowError>(self.traced.archive.events(LocationRef(id))?)
            };
            self.index.exact_picture(&self.context, rows, window, COLUMNS, open)?
        } else {
            self.index.picture(rows, window, COLUMNS)
        };
        Ok(picture.what.len())
    }

    /// The durations of the visits of a region that is frequent.
    fn histogram(&self, locations: usize, window: &Range<u64>) -> Result<usize, Box<dyn Error>> {
        let mut buckets = 0;
        for (location, id) in self.traced.ids.iter().enumerate().take(locations) {
            let mut events = self.traced.archive.events(LocationRef(*id))?;
            let (definitions, region) = (&self.traced.definitions, self.region("limit"));
            let histogram =
                self.index.histogram(definitions, location, region, window, &mut events)?;
            buckets += histogram.buckets.iter().filter(|bucket| bucket.visits > 0).count();
        }
        Ok(buckets)
    }

    /// The next long visit of a rare region after the begin of a window, on any location.
    fn find(&self, locations: usize, window: &Range<u64>) -> Result<usize, Box<dyn Error>> {
        let regions = Some([self.region("!$omp critical @solve.c:30")].into());
        let sought = Sought { regions, at_least: LONG_TICKS };
        let search = Search { from: window.start, direction: Direction::Forward, mark: None };
        let mut found = 0;
        for (location, id) in self.traced.ids.iter().enumerate().take(locations) {
            let mut events = self.traced.archive.events(LocationRef(*id))?;
            let (definitions, most) = (&self.traced.definitions, SEARCHED_MAX / locations as u64);
            let answer =
                self.index.find(definitions, location, &sought, search, &mut events, most)?;
            found += usize::from(matches!(answer, Find::At(_)));
        }
        Ok(found)
    }

    fn region(&self, name: &str) -> u32 {
        let mut regions = self.traced.definitions.regions.enumerated();
        regions.find(|(_, region)| region.name == name).map_or(0, |(id, _)| id.0)
    }

    fn sums(&self, locations: usize, window: &Range<u64>) -> Result<usize, Box<dyn Error>> {
        let mut regions = 0;
        for (location, id) in self.traced.ids.iter().enumerate().take(locations) {
            let mut events = self.traced.archive.events(LocationRef(*id))?;
            let definitions = &self.traced.definitions;
            regions += self.index.sums(definitions, location, window, &mut events)?.len();
        }
        Ok(regions)
    }
}
