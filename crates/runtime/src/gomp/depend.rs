//! The items of `depend` clauses as gcc passes them to `GOMP_task` and `GOMP_taskwait_depend`: an
//! array of words. Its first word is their number, or 0 for the form with more kinds (gcc 9 and
//! later).

use crate::task::depend::{Items, Kind};

/// The kinds of an `omp_depend_t` object, which is two words: address and kind.
fn of_object(kind: usize) -> Option<Kind> {
    match kind {
        1 => Some(Kind::In),
        2 | 3 => Some(Kind::Out),
        4 => Some(Kind::Mutex),
        5 => Some(Kind::Set),
        _ => None,
    }
}

/// The items of an array.
///
/// # Safety
/// It must be one that gcc has made for a task or a taskwait with dependences.
pub unsafe fn items(array: usize) -> impl Items {
    // SAFETY: the caller's promise.
    let word = move |place: usize| unsafe { (array as *const usize).add(place).read() };
    let (count, ends, begin) = match word(0) {
        0 => {
            let (out, mutex, read) = (word(2), word(3), word(4));
            (word(1), [out, out + mutex, out + mutex + read], 5)
        }
        count => (count, [word(1), word(1), count], 2),
    };
    (0..count).map(move |place| {
        let address = word(begin + place);
        let kind = ends.iter().position(|end| place < *end);
        match kind.and_then(|kind| [Kind::Out, Kind::Mutex, Kind::In].get(kind)) {
            Some(kind) => Some((*kind, address)),
            None => {
                let object = address as *const usize;
                // SAFETY: what comes after the kinds are such objects, which the program has made.
                let (address, kind) = unsafe { (object.read(), object.add(1).read()) };
                of_object(kind).map(|kind| (kind, address))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::depend::Item;

    fn found(array: &[usize]) -> Vec<Item> {
        // SAFETY: an array of this form.
        unsafe { items(array.as_ptr().addr()) }.collect()
    }

    #[test]
    fn both_forms_of_the_array_are_read() {
        use Kind::{In, Mutex, Out, Set};
        let short = found(&[3, 1, 0x10, 0x20, 0x30]);
        assert_eq!(short, [Some((Out, 0x10)), Some((In, 0x20)), Some((In, 0x30))]);
        let objects: [[usize; 2]; 2] = [[0x40, 5], [0x50, 9]];
        let [set, other] = [0, 1].map(|at: usize| objects[at].as_ptr().addr());
        let long = found(&[0, 5, 1, 1, 1, 0x10, 0x20, 0x30, set, other]);
        let known = [(Out, 0x10), (Mutex, 0x20), (In, 0x30), (Set, 0x40)].map(Some);
        assert_eq!(long[..4], known);
        assert_eq!(long[4], None);
        assert_eq!(found(&[0, 0, 0, 0, 0]), []);
    }
}
