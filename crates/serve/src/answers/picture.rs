//! `picture`: the boxes of some rows in a window. If the bins of the index are too long for the
//! columns of the page, the picture is made from the events, on two threads, unless there are too
//! many of them.

use std::ops::Range;

use pompeii_index::{Context, Picture, Row, bin_log2_for};

use super::halves::in_halves;
use crate::query::{Query, range};
use crate::reply::{COLUMNS, Refused, Reply};
use crate::session::Session;
use crate::wire::{self, RowName};

/// The most rows of a picture.
const ROWS_MAX: usize = 1024;
/// The most columns of a picture.
pub const COLUMNS_MAX: u64 = 4096;
/// Columns, if the page does not say.
pub const COLUMNS_USUAL: u64 = 2000;
/// The most events that are decoded for a picture.
pub const EVENTS_MAX: u64 = 4_000_000;
/// Fewer events are not worth a second thread.
pub const EVENTS_SHARED: u64 = 100_000;

/// A row of a location.
type OneRow = (usize, Row);

/// The boxes of some rows, and a band for each of them.
#[derive(Default)]
struct Rows {
    picture: Picture,
    bands: Vec<u8>,
}

/// The boxes of some rows in a window.
pub fn picture(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let system = &trace.definitions.system;
    let asked = rows(query.text("rows")?, trace.locations(), system.processes.len())?;
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let order = Order::of(&asked);
    let is_fine = index.shape().level_for(bin_log2_for(&window, columns)).is_none();
    let events = if is_fine { events_to_decode(session, &order, &window)? } else { 0 };
    let is_exact = is_fine && events <= EVENTS_MAX;
    let locations = match is_exact {
        true => exact(session, &order.locations, &window, columns, events)?,
        false => index.picture(&order.locations, window.clone(), columns),
    };
    let processes = match is_exact {
        true => {
            let context = Context::new(&trace.definitions, trace.survey.shape);
            let open = |location, span| trace.spans(location, &[span]);
            index.exact_folded(&context, &order.processes, window, columns, open)?
        }
        false => index.folded(&order.processes, window, columns),
    };
    let begin = trace.since_origin(locations.begin);
    let bands = vec![0; locations.what.len()];
    let mut found = Rows { picture: locations, bands };
    join(&mut found.picture, processes.picture);
    found.bands.extend(processes.bands);
    let Rows { picture, bands } = in_order(&found, &order.places);
    Ok(Reply::new(COLUMNS, wire::picture(&picture, &bands, &asked, begin, is_exact)))
}

/// The boxes of some rows of locations, each location once, in a window in ticks.
pub fn of_locations(
    session: &Session,
    rows: &[OneRow],
    window: &Range<u64>,
    columns: u32,
) -> Result<Picture, Refused> {
    let index = session.index()?;
    let is_fine = index.shape().level_for(bin_log2_for(window, columns)).is_none();
    let of = |(location, _): &OneRow| index.events_to_decode(*location, window);
    let events = if is_fine { rows.iter().map(of).sum() } else { 0 };
    match is_fine && events <= EVENTS_MAX {
        true => exact(session, rows, window, columns, events),
        false => Ok(index.picture(rows, window.clone(), columns)),
    }
}

/// Rows in the order in which they are made: those of one location together, then processes.
struct Order {
    locations: Vec<OneRow>,
    processes: Vec<usize>,
    /// The place of each of them in the order that was asked for.
    places: Vec<usize>,
}

impl Order {
    fn of(asked: &[RowName]) -> Order {
        let key = |place: &usize| match asked[*place] {
            RowName::Location(location, _) => (false, location),
            RowName::Process(process) => (true, process),
        };
        let mut places: Vec<usize> = (0..asked.len()).collect();
        places.sort_by_key(key);
        let (mut locations, mut processes) = (Vec::new(), Vec::new());
        for place in &places {
            match asked[*place] {
                RowName::Location(location, row) => locations.push((location, row)),
                RowName::Process(process) => processes.push(process),
            }
        }
        Order { locations, processes, places }
    }
}

/// Number of events that are decoded for an exact picture.
fn events_to_decode(session: &Session, order: &Order, window: &Range<u64>) -> Result<u64, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let events = |location| index.events_to_decode(location, window);
    let rows = order.locations.chunk_by(|(one, _), (next, _)| one == next);
    let of_rows: u64 = rows.filter_map(|rows| rows.first()).map(|(it, _)| events(*it)).sum();
    let is_asked = |location: &usize| order.processes.contains(&trace.process(*location));
    let of_processes: u64 = match order.processes.is_empty() {
        true => 0,
        false => (0..trace.locations()).filter(is_asked).map(events).sum(),
    };
    Ok(of_rows.saturating_add(of_processes))
}

/// Adds the rows of another picture of the same window.
fn join(picture: &mut Picture, more: Picture) {
    picture.counts.extend(more.counts);
    picture.x0.extend(more.x0);
    picture.x1.extend(more.x1);
    picture.what.extend(more.what);
}

/// Made from the events.
fn exact(
    session: &Session,
    rows: &[OneRow],
    window: &Range<u64>,
    columns: u32,
    events: u64,
) -> Result<Picture, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let context = Context::new(&trace.definitions, trace.survey.shape);
    let open = |location, span| trace.spans(location, &[span]);
    let part = |rows: &[OneRow]| index.exact_picture(&context, rows, window.clone(), columns, open);
    let middle = middle(rows);
    if events < EVENTS_SHARED || middle == 0 {
        return part(rows);
    }
    let (mut one, other) = in_halves(rows.split_at(middle), part, "the picture could not be made")?;
    join(&mut one, other);
    Ok(one)
}

/// Where the second half of the rows begins: with another location. 0 if there is only one.
fn middle(rows: &[OneRow]) -> usize {
    let half = rows.len() / 2;
    let begins_a_location = |place: &usize| rows[place - 1].0 != rows[*place].0;
    let borders = (1..rows.len()).filter(begins_a_location);
    borders.min_by_key(|place| place.abs_diff(half)).unwrap_or_default()
}

/// The rows in the order that was asked for: `places` has the place there of each row.
fn in_order(found: &Rows, places: &[usize]) -> Rows {
    let Rows { picture, bands } = found;
    let mut ranges = vec![0..0; places.len()];
    let mut begin = 0;
    for (place, count) in places.iter().zip(&picture.counts) {
        ranges[*place] = begin..begin + *count as usize;
        begin += *count as usize;
    }
    let mut sorted = Rows::default();
    (sorted.picture.begin, sorted.picture.bin_log2) = (picture.begin, picture.bin_log2);
    for boxes in ranges {
        sorted.picture.counts.push(boxes.len() as u32);
        sorted.picture.x0.extend_from_slice(&picture.x0[boxes.clone()]);
        sorted.picture.x1.extend_from_slice(&picture.x1[boxes.clone()]);
        sorted.picture.what.extend_from_slice(&picture.what[boxes.clone()]);
        sorted.bands.extend_from_slice(&bands[boxes]);
    }
    sorted
}

/// The rows that a page names, for example `f0-63,s5.0-3,p0-3`.
fn rows(text: &str, locations: usize, processes: usize) -> Result<Vec<RowName>, Refused> {
    let mut rows: Vec<RowName> = Vec::new();
    for part in text.split(',') {
        let kind = part.get(..1).unwrap_or_default();
        let rest = part.get(1..).unwrap_or_default();
        match kind {
            "f" => {
                let of = range("rows", rest, locations)?;
                rows.extend(of.map(|location| RowName::Location(location, Row::Flat)));
            }
            "s" | "r" => {
                let (location, levels) = rest.split_once('.').unwrap_or((rest, ""));
                let location = range("rows", location, locations)?.start;
                let levels = range("rows", levels, ROWS_MAX)?;
                let row = if kind == "s" { Row::Stack } else { Row::Recorded };
                rows.extend(levels.map(|level| RowName::Location(location, row(level))));
            }
            "p" => rows.extend(range("rows", rest, processes)?.map(RowName::Process)),
            _ => return Err(Refused::Bad(format!("rows: {part} is no kind of row"))),
        }
        if rows.len() > ROWS_MAX {
            return Err(Refused::Bad(format!("rows: more than {ROWS_MAX}")));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_kind_and_numbers() {
        let flat = |of| RowName::Location(of, Row::Flat);
        let stack = |of, level| RowName::Location(of, Row::Stack(level));
        let rows = |text: &str, locations| super::rows(text, locations, 3);
        assert_eq!(rows("r1.2", 2), Ok(vec![RowName::Location(1, Row::Recorded(2))]));
        assert_eq!(rows("p1-2,f0", 2), Ok(vec![RowName::Process(1), RowName::Process(2), flat(0)]));
        assert_eq!(
            rows("f0-1,s1.0-1,f1", 2),
            Ok(vec![flat(0), flat(1), stack(1, 0), stack(1, 1), flat(1)])
        );
        for wrong in
            ["", "f", "f2", "f0-", "x0", "s0", "s0.", "s2.0", "s0.1024", "f0,", "ö", "p3", "p"]
        {
            assert!(rows(wrong, 2).is_err(), "{wrong}");
        }
        assert!(rows("f0-1023", 5000).is_ok() && rows("f0-1024", 5000).is_err());
    }

    #[test]
    fn halves_end_between_locations() {
        let of = |locations: &[usize]| {
            middle(&locations.iter().map(|of| (*of, Row::Flat)).collect::<Vec<_>>())
        };
        assert_eq!(of(&[0, 1]), 1);
        assert_eq!(of(&[0, 0, 0]), 0);
        assert_eq!(of(&[0, 0, 0, 1]), 3);
        assert_eq!(of(&[0, 1, 1, 1]), 1);
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn rows_come_in_the_order_that_was_asked_for() {
        let what = |number| pompeii_index::What(number);
        let sorted = Picture {
            counts: vec![1, 0, 2],
            x0: vec![10, 20, 30],
            x1: vec![11, 21, 31],
            what: vec![what(1), what(2), what(3)],
            ..Picture::default()
        };
        let found = in_order(&Rows { picture: sorted, bands: vec![4, 5, 6] }, &[2, 1, 0]);
        assert_eq!((found.picture.counts, found.picture.x0), (vec![2, 0, 1], vec![20, 30, 10]));
        assert_eq!(found.picture.what, [what(2), what(3), what(1)]);
        assert_eq!(found.bands, [5, 6, 4]);
    }

    #[test]
    fn rows_of_a_location_are_made_together() {
        let flat = |of| RowName::Location(of, Row::Flat);
        let stack = RowName::Location(0, Row::Stack(3));
        let order = Order::of(&[RowName::Process(7), flat(0), flat(1), stack]);
        assert_eq!(order.locations, [(0, Row::Flat), (0, Row::Stack(3)), (1, Row::Flat)]);
        assert_eq!((order.processes, order.places), (vec![7], vec![1, 3, 2, 0]));
    }
}
