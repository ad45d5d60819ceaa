//! Recent durations of each model's answers.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Recent durations of each model's answers, by the model's place in the catalog.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<HashMap<usize, Ring>>);

#[derive(Debug, Default)]
struct Ring {
    took: Vec<Duration>,
    next: usize,
    /// The last computed percentile: percentage, duration, and the number of answers at that time.
    known: Option<(u8, Duration, u64)>,
    ever: u64,
}

/// Number of durations that are kept: half an hour of an agent, so that an hour of slow answers becomes the
/// norm for the next.
const KEPT: usize = 128;

/// Fewest durations for a percentile; of fewer, no single one is the 95th percentile.
const ENOUGH: usize = 20;

/// Number of further durations before the percentile is computed again: an eighth of those kept moves no
/// percentile far.
const STALE: u64 = 16;

impl Recent {
    pub(super) fn add(&self, model: usize, took: Duration) {
        let mut rings = self.lock();
        let ring = rings.entry(model).or_default();
        match ring.took.get_mut(ring.next) {
            Some(oldest) => *oldest = took,
            None => ring.took.push(took),
        }
        ring.next = (ring.next + 1) % KEPT;
        ring.ever += 1;
    }

    /// The longest duration of the fastest `percent` of a hundred answers; `None` if too few are known.
    pub(super) fn percentile(&self, model: usize, percent: u8) -> Option<Duration> {
        let mut rings = self.lock();
        let ring = rings.get_mut(&model).filter(|ring| ring.took.len() >= ENOUGH)?;
        if let Some((of, duration, when)) = ring.known
            && of == percent
            && ring.ever - when < STALE
        {
            return Some(duration);
        }
        let mut sorted = ring.took.clone();
        sorted.sort_unstable();
        let place = sorted.len() * usize::from(percent) / 100;
        let duration = sorted.get(place.min(sorted.len() - 1)).copied()?;
        ring.known = Some((percent, duration, ring.ever));
        Some(duration)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Ring>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_enough_and_follows_what_is_new() {
        let recent = Recent::default();
        for millis in 1..20 {
            recent.add(0, Duration::from_millis(millis));
        }
        assert_eq!(recent.percentile(0, 95), None);
        recent.add(0, Duration::from_millis(20));
        assert_eq!(recent.percentile(0, 95), Some(Duration::from_millis(20)));
        assert_eq!(recent.percentile(0, 50), Some(Duration::from_millis(11)));
        assert_eq!(recent.percentile(1, 50), None);
        for _ in 0..KEPT {
            recent.add(0, Duration::from_secs(1));
        }
        assert_eq!(recent.percentile(0, 50), Some(Duration::from_secs(1)));
        assert_eq!(recent.lock().get(&0).unwrap().took.len(), KEPT);
    }
}
