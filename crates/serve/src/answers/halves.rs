//! Work on two threads, for answers that decode many events.

use std::thread;

use crate::reply::Refused;

/// What `part` makes of two slices, of the second one on a thread of its own.
///
/// # Errors
/// Those of `part`; `lost` says what is missing if that thread has panicked.
pub fn in_halves<I: Sync, T: Send>(
    (one, other): (&[I], &[I]),
    part: impl Fn(&[I]) -> Result<T, Refused> + Sync,
    lost: &str,
) -> Result<(T, T), Refused> {
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(|| part(other));
        let lost = |_| Err(Refused::Gone(lost.to_owned()));
        (part(one), other.join().unwrap_or_else(lost))
    });
    Ok((one?, other?))
}
