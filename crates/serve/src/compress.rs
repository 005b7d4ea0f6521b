//! Long answers in fewer bytes. A page is often looked at through `ssh -L`, and a picture of many
//! rows has megabytes that repeat themselves: gzip at its fastest level makes about a quarter of
//! them. A browser says that it takes gzip, and unpacks it without the page's help.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT_ENCODING, HeaderMap};

/// Shorter answers fit into a few packets, whatever their form.
pub const LEAST_BYTES: usize = 4 << 10;

/// Whether the client of a request takes gzip.
pub fn is_accepted(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(is_gzip)
}

/// Whether an entry of `Accept-Encoding` is gzip with another weight than 0.
fn is_gzip(entry: &str) -> bool {
    let mut parts = entry.split(';').map(str::trim);
    let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
    let weight = parts.find_map(|part| part.strip_prefix("q="));
    is_named && weight.is_none_or(|weight| weight.parse::<f64>().is_ok_and(|weight| weight > 0.0))
}

/// The bytes packed; `None` if they are few, or are no fewer when they are packed.
pub fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < LEAST_BYTES {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|packed| packed.len() < bytes.len())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_client_takes_gzip_if_it_says_so() {
        let accepts = |list: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(list));
            is_accepted(&headers)
        };
        for list in ["gzip", "deflate, gzip, br", "br;q=1.0, GZIP;q=0.5", "gzip; q=0.001"] {
            assert!(accepts(list), "{list}");
        }
        for list in ["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip", "gzip;q=much", "*"] {
            assert!(!accepts(list), "{list}");
        }
        assert!(!is_accepted(&HeaderMap::new()));
    }

    #[test]
    fn long_answers_that_repeat_themselves_are_packed() {
        let long: Vec<u8> = (0..LEAST_BYTES).map(|place| (place / 100) as u8).collect();
        let packed = gzip(&long).unwrap();
        assert!(packed.len() < long.len() / 4);
        let mut unpacked = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, long);
        assert_eq!(gzip(&long[1..]), None, "short");
        // A generator of random numbers (SplitMix64): nothing repeats itself.
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 56
        };
        let noise: Vec<u8> = (0..LEAST_BYTES).map(|_| random() as u8).collect();
        assert_eq!(gzip(&noise), None, "packed it would be longer");
    }
}
