//! Values by number, for tasks that are not done. There may be millions of them, so what they have
//! in common is kept once, what few of them have is kept apart, and each of them knows where by a
//! number of four bytes ([`Rest`]).

use std::num::NonZeroU32;

/// Values by number. The number of a value that is gone is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Returns the number of a new value.
    pub(crate) fn add(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.values[number as usize] = Some(value);
                number
            }
            None => {
                self.values.push(Some(value));
                (self.values.len() - 1) as u32
            }
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.values.get_mut(number as usize)?.as_mut()
    }

    pub(crate) fn take(&mut self, number: u32) -> Option<T> {
        let value = self.values.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(value)
    }

    /// Its memory, without that which values have elsewhere.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<Option<T>>() + self.free.capacity() * size_of::<u32>()
    }

    /// Whether it has no value.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }
}

/// Values that many tasks have in common, each with the number of tasks that need it.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    all: Slab<(T, u32)>,
    /// By location: the value that was used last.
    last: Vec<u32>,
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { all: Slab::default(), last: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Shared<T> {
    /// The number of a value that a further task needs. Tasks that are created on the same location
    /// one after the other have the same number if they have the same value.
    pub(crate) fn share(&mut self, location: usize, value: &T) -> u32 {
        if self.last.len() <= location {
            self.last.resize(location + 1, u32::MAX);
        }
        let last = self.last[location];
        if let Some((_, tasks)) = self.all.get_mut(last).filter(|(known, _)| known == value) {
            *tasks += 1;
            return last;
        }
        self.last[location] = self.all.add((*value, 1));
        self.last[location]
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.all.get(number).map(|(value, _)| value)
    }

    /// A task does not need its value any more.
    pub(crate) fn release(&mut self, number: u32) -> Option<T> {
        let (value, tasks) = self.all.get_mut(number)?;
        let value = *value;
        *tasks -= 1;
        if *tasks == 0 {
            self.all.take(number);
        }
        Some(value)
    }

    /// Its memory.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes() + self.last.capacity() * size_of::<u32>()
    }

    /// Whether no task needs a value.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Where the rest of a task is: the number of the value that it shares with others, or of the value
/// that it has alone. An enum would take twice the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rest(NonZeroU32);

impl Rest {
    const IS_OWN: u32 = 1 << 31;

    /// A value of a [`Shared`].
    pub(crate) fn shared(number: u32) -> Rest {
        Rest(NonZeroU32::MIN.saturating_add(number))
    }

    /// A value of a [`Slab`].
    pub(crate) fn own(number: u32) -> Rest {
        Rest(Rest::shared(number).0 | Rest::IS_OWN)
    }

    /// The number of its own value, or as an error that of a shared one.
    pub(crate) fn number(self) -> Result<u32, u32> {
        let number = (self.0.get() & !Rest::IS_OWN) - 1;
        if self.0.get() & Rest::IS_OWN == 0 { Err(number) } else { Ok(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_value_that_is_gone_is_used_again() {
        let mut slab = Slab::default();
        assert_eq!(["a", "b"].map(|value| slab.add(value)), [0, 1]);
        assert_eq!((slab.take(0), slab.take(0), slab.get(0)), (Some("a"), None, None));
        assert_eq!((slab.add("c"), slab.get(0), slab.get(1)), (0, Some(&"c"), Some(&"b")));
        assert!(!slab.is_empty());
    }

    #[test]
    fn a_value_is_kept_as_long_as_a_task_needs_it() {
        let mut shared = Shared::default();
        // The second location does not know what the first one shares.
        let numbers = [(0, 'a'), (0, 'a'), (1, 'a'), (0, 'b')];
        let numbers = numbers.map(|(location, value)| shared.share(location, &value));
        assert_eq!(numbers, [0, 0, 1, 2]);
        assert_eq!((shared.release(0), shared.get(0)), (Some('a'), Some(&'a')));
        assert_eq!((shared.release(0), shared.release(0)), (Some('a'), None));
        assert_eq!(shared.get(0), None);
        // Another value has the number now.
        assert_eq!((shared.share(1, &'c'), shared.share(0, &'a')), (0, 3));
    }

    #[test]
    fn the_rest_is_shared_or_not() {
        for number in [0, 1, 77, Rest::IS_OWN - 2] {
            assert_eq!(Rest::shared(number).number(), Err(number));
            assert_eq!(Rest::own(number).number(), Ok(number));
        }
        assert_eq!(size_of::<Option<Rest>>(), 4);
    }
}
