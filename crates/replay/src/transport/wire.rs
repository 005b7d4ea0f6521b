//! How values travel between ranks: numbers in groups of seven bits, the lowest first, because most
//! of them are small. All ranks are the same program, so there is no version. Bytes that are no
//! value are refused, and no length is believed before its elements have come.

/// Bytes that have not been read.
#[derive(Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn put_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// A value that travels.
pub trait Wire: Sized {
    /// Appends the value.
    fn put(&self, to: &mut Vec<u8>);

    /// Reads a value; `None` if there is none.
    fn get(from: &mut Bytes<'_>) -> Option<Self>;
}

/// A value as bytes.
pub fn bytes(value: &impl Wire) -> Vec<u8> {
    bytes_about(value, 0)
}

/// The same. If `bytes` is about the length of the result, the bytes are not moved while it grows.
pub fn bytes_about(value: &impl Wire, bytes: usize) -> Vec<u8> {
    let mut to = Vec::with_capacity(bytes);
    value.put(&mut to);
    to
}

/// The value that these bytes are.
pub fn value<T: Wire>(bytes: &[u8]) -> Option<T> {
    let mut from = Bytes(bytes);
    let value = T::get(&mut from)?;
    from.0.is_empty().then_some(value)
}

macro_rules! wire_number {
    ($($type:ty),*) => {
        $(impl Wire for $type {
            #[inline]
            fn put(&self, to: &mut Vec<u8>) {
                put_number(u64::from(*self), to);
            }

            #[inline]
            fn get(from: &mut Bytes<'_>) -> Option<$type> {
                from.number()?.try_into().ok()
            }
        })*
    };
}

wire_number!(u8, u32, u64);

impl Wire for usize {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(*self as u64, to);
    }

    fn get(from: &mut Bytes<'_>) -> Option<usize> {
        from.number()?.try_into().ok()
    }
}

impl Wire for i64 {
    fn put(&self, to: &mut Vec<u8>) {
        // The sign is the lowest bit, so that small negative numbers are short, too.
        put_number((self << 1 ^ self >> 63).cast_unsigned(), to);
    }

    fn get(from: &mut Bytes<'_>) -> Option<i64> {
        let number = from.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn get(from: &mut Bytes<'_>) -> Option<bool> {
        Some(from.byte()? != 0)
    }
}

impl Wire for String {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(self.len() as u64, to);
        to.extend_from_slice(self.as_bytes());
    }

    fn get(from: &mut Bytes<'_>) -> Option<String> {
        let length = usize::try_from(from.number()?).ok()?;
        let (text, rest) = from.0.split_at_checked(length)?;
        from.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn get(from: &mut Bytes<'_>) -> Option<Option<T>> {
        match bool::get(from)? {
            true => T::get(from).map(Some),
            false => Some(None),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(self.len() as u64, to);
        self.iter().for_each(|value| value.put(to));
    }

    fn get(from: &mut Bytes<'_>) -> Option<Vec<T>> {
        let length = usize::try_from(from.number()?).ok()?;
        // Each value has a byte at least.
        let mut values = Vec::with_capacity(length.min(from.0.len()));
        for _ in 0..length {
            values.push(T::get(from)?);
        }
        Some(values)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn get(from: &mut Bytes<'_>) -> Option<(A, B)> {
        Some((A::get(from)?, B::get(from)?))
    }
}

/// Structures that travel, with all of their fields.
macro_rules! wire_struct {
    ($($type:ident { $($field:ident),* $(,)? })*) => {
        $(impl $crate::transport::wire::Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $($crate::transport::wire::Wire::put($field, to);)*
            }

            fn get(from: &mut $crate::transport::wire::Bytes<'_>) -> Option<$type> {
                Some($type { $($field: $crate::transport::wire::Wire::get(from)?),* })
            }
        })*
    };
}
pub(crate) use wire_struct;

/// Numbers with a type of their own.
macro_rules! wire_id {
    ($($type:ty),* $(,)?) => {
        $(impl $crate::transport::wire::Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                $crate::transport::wire::Wire::put(&self.0, to);
            }

            fn get(from: &mut $crate::transport::wire::Bytes<'_>) -> Option<$type> {
                $crate::transport::wire::Wire::get(from).map(Self)
            }
        })*
    };
}
pub(crate) use wire_id;

/// Enumerations that travel: each variant has a number.
macro_rules! wire_enum {
    ($type:ident { $($number:literal = $variant:ident
        $(($($part:ident),*))? $({ $($field:ident),* })?),* $(,)? }) => {
        impl $crate::transport::wire::Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $($type::$variant $(($($part),*))? $({ $($field),* })? => {
                        to.push($number);
                        $($($crate::transport::wire::Wire::put($part, to);)*)?
                        $($($crate::transport::wire::Wire::put($field, to);)*)?
                    })*
                }
            }

            fn get(from: &mut $crate::transport::wire::Bytes<'_>) -> Option<$type> {
                Some(match from.byte()? {
                    $($number => {
                        $($(let $part = $crate::transport::wire::Wire::get(from)?;)*)?
                        $($(let $field = $crate::transport::wire::Wire::get(from)?;)*)?
                        $type::$variant $(($($part),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}
pub(crate) use wire_enum;

wire_id!(pompeii_model::LocationId, pompeii_model::RegionId, pompeii_model::CallId);

#[cfg(test)]
mod tests {
    use super::*;

    fn comes_back<T: Wire + PartialEq + std::fmt::Debug>(original: T, length: usize) {
        let bytes = bytes(&original);
        assert_eq!(bytes.len(), length, "{original:?}");
        assert_eq!(value::<T>(&bytes), Some(original));
        for cut in 0..length {
            assert_eq!(value::<T>(&bytes[..cut]), None);
        }
    }

    #[test]
    fn values_come_back_and_cut_ones_do_not() {
        comes_back(0_u64, 1);
        comes_back(127_u32, 1);
        comes_back(300_u64, 2);
        comes_back(u64::MAX, 10);
        comes_back(-1_i64, 1);
        comes_back(i64::MIN, 10);
        comes_back(i64::MAX, 10);
        comes_back("päth".to_owned(), 6);
        comes_back(vec![(Some(1_u32), true), (None, false)], 6);
    }

    #[test]
    fn numbers_that_are_too_large_and_lengths_without_elements_are_refused() {
        assert_eq!(value::<u8>(&bytes(&300_u64)), None);
        assert_eq!(value::<u64>(&[0xff; 11]), None);
        assert_eq!(value::<Vec<u64>>(&bytes(&u64::MAX)), None);
        assert_eq!(value::<u64>(&[1, 1]), None, "a byte is left");
    }
}
