//! `picture`: the boxes of some rows in a window. If the bins of the index are too long for the
//! columns of the page, the picture is made from the events, on two threads, unless there are too
//! many of them.

use std::ops::Range;
use std::thread;

use pompeii_index::{Context, Picture, Row, bin_log2_for};

use crate::query::{Query, range};
use crate::reply::{COLUMNS, Refused, Reply};
use crate::session::Session;
use crate::wire;

/// The most rows of a picture.
const ROWS_MAX: usize = 1024;
/// The most columns of a picture.
const COLUMNS_MAX: u64 = 4096;
/// Columns, if the page does not say.
const COLUMNS_USUAL: u64 = 2000;
/// The most events that are decoded for a picture.
const EVENTS_MAX: u64 = 4_000_000;
/// Fewer events are not worth a second thread.
const EVENTS_SHARED: u64 = 100_000;

/// A row of a location.
type OneRow = (usize, Row);

/// The boxes of some rows in a window.
pub fn picture(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let asked = rows(query.text("rows")?, trace.locations())?;
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    // Rows of one location are decoded together.
    let mut order: Vec<usize> = (0..asked.len()).collect();
    order.sort_by_key(|place| asked[*place].0);
    let rows: Vec<OneRow> = order.iter().map(|place| asked[*place]).collect();
    let is_fine = index.shape().level_for(bin_log2_for(&window, columns)).is_none();
    let events: u64 = rows
        .chunk_by(|(one, _), (next, _)| one == next)
        .filter(|_| is_fine)
        .filter_map(|rows| rows.first())
        .map(|(location, _)| index.events_to_decode(*location, &window))
        .sum();
    let is_exact = is_fine && events <= EVENTS_MAX;
    let found = match is_exact {
        true => exact(session, &rows, &window, columns, events)?,
        false => index.picture(&rows, window, columns),
    };
    let found = in_order(&found, &order);
    let begin = trace.since_origin(found.begin);
    Ok(Reply::new(COLUMNS, wire::picture(&found, &asked, begin, is_exact)))
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
    let part = |rows: &[OneRow]| {
        index.exact_picture(&context, rows, window.clone(), columns, |it| trace.events(it))
    };
    let middle = middle(rows);
    if events < EVENTS_SHARED || middle == 0 {
        return part(rows);
    }
    let (one, other) = rows.split_at(middle);
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| part(other));
        let lost = || Err(Refused::Gone("the picture could not be made".to_owned()));
        (part(one), other.join().unwrap_or_else(|_| lost()))
    });
    let (mut one, other) = (one?, other?);
    one.counts.extend(other.counts);
    one.x0.extend(other.x0);
    one.x1.extend(other.x1);
    one.what.extend(other.what);
    Ok(one)
}

/// Where the second half of the rows begins: with another location. 0 if there is only one.
fn middle(rows: &[OneRow]) -> usize {
    let half = rows.len() / 2;
    let begins_a_location = |place: &usize| rows[place - 1].0 != rows[*place].0;
    let borders = (1..rows.len()).filter(begins_a_location);
    borders.min_by_key(|place| place.abs_diff(half)).unwrap_or_default()
}

/// The rows of a picture in the order that was asked for: `order` has the place there of each row.
fn in_order(picture: &Picture, order: &[usize]) -> Picture {
    let mut begins = vec![0..0; order.len()];
    let mut begin = 0;
    for (place, count) in order.iter().zip(&picture.counts) {
        begins[*place] = begin..begin + *count as usize;
        begin += *count as usize;
    }
    let mut sorted =
        Picture { begin: picture.begin, bin_log2: picture.bin_log2, ..Picture::default() };
    for boxes in begins {
        sorted.counts.push(boxes.len() as u32);
        sorted.x0.extend_from_slice(&picture.x0[boxes.clone()]);
        sorted.x1.extend_from_slice(&picture.x1[boxes.clone()]);
        sorted.what.extend_from_slice(&picture.what[boxes]);
    }
    sorted
}

/// The rows that a page names, for example `f0-63,s5.0-3`.
fn rows(text: &str, locations: usize) -> Result<Vec<OneRow>, Refused> {
    let mut rows: Vec<OneRow> = Vec::new();
    for part in text.split(',') {
        let kind = part.get(..1).unwrap_or_default();
        let rest = part.get(1..).unwrap_or_default();
        match kind {
            "f" => {
                rows.extend(range("rows", rest, locations)?.map(|location| (location, Row::Flat)))
            }
            "s" => {
                let (location, levels) = rest.split_once('.').unwrap_or((rest, ""));
                let location = range("rows", location, locations)?.start;
                let levels = range("rows", levels, ROWS_MAX)?;
                rows.extend(levels.map(|level| (location, Row::Stack(level))));
            }
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
        let (flat, stack) = (|of| (of, Row::Flat), |of, level| (of, Row::Stack(level)));
        assert_eq!(
            rows("f0-1,s1.0-1,f1", 2),
            Ok(vec![flat(0), flat(1), stack(1, 0), stack(1, 1), flat(1)])
        );
        for wrong in ["", "f", "f2", "f0-", "x0", "s0", "s0.", "s2.0", "s0.1024", "f0,", "ö"] {
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
        let found = in_order(&sorted, &[2, 1, 0]);
        assert_eq!((found.counts, found.x0), (vec![2, 0, 1], vec![20, 30, 10]));
        assert_eq!(found.what, [what(2), what(3), what(1)]);
    }
}
