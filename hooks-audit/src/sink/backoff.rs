//! Pause of a sink after a failure: exponential with full jitter, like the retries of model calls.

use std::time::Duration;

use hooks_core::time::Random;

/// Returns the pause after the `failures`th failure in a row: random below a limit that doubles up to `most`.
pub(super) fn pause(failures: u32, least: Duration, most: Duration, random: &dyn Random) -> Duration {
    let doubled = least.saturating_mul(2u32.saturating_pow(failures.saturating_sub(1)));
    let bound = u64::try_from(doubled.min(most).as_nanos()).unwrap_or(u64::MAX);
    // The high half of the product avoids a division; its bias is negligible.
    let part = (u128::from(random.next_u64()) * u128::from(bound)) >> 64;
    // Never zero: a sink that refuses connections would be called as fast as it refuses.
    Duration::from_nanos(u64::try_from(part).unwrap_or_default()).max(least / 4)
}

#[cfg(test)]
mod tests {
    use hooks_core::time::SeededRandom;

    use super::*;

    #[test]
    fn pauses_grow_up_to_their_bound() {
        let (random, least, most) = (SeededRandom::new(1), Duration::from_secs(1), Duration::from_secs(60));
        let longest = |failures| (0..200).map(|_| pause(failures, least, most, &random)).max().unwrap();
        assert!(longest(1) <= least && longest(3) > 2 * least && longest(3) <= 4 * least);
        assert!(longest(u32::MAX) <= most && longest(u32::MAX) > most / 2);
        assert!((0..200).all(|_| pause(1, least, most, &random) >= least / 4));
    }
}
