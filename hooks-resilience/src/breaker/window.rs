//! Counts of recent calls, in buckets of time.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;

/// Number of buckets in a window; a window forgets a tenth of its length at a time.
pub(crate) const BUCKETS: usize = 10;

/// Recent calls by their result. Fixed in size; counting takes constant time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Length of a bucket in nanoseconds.
    length: u64,
    buckets: [Bucket; BUCKETS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bucket {
    /// Number of the bucket's stretch of time: the time divided by the length of a bucket.
    stretch: u64,
    counts: Counts,
}

/// Number of calls, and how many of them failed or were slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u32,
    pub(crate) failed: u32,
    pub(crate) slow: u32,
}

impl Window {
    pub(crate) fn new(length: Duration) -> Self {
        let buckets = u32::try_from(BUCKETS).unwrap_or(u32::MAX);
        Self { length: nanos(length / buckets).max(1), buckets: [Bucket::default(); BUCKETS] }
    }

    /// Adds `counts` to those of `at`.
    pub(crate) fn add(&mut self, at: Tick, counts: Counts) {
        let stretch = self.stretch(at);
        let Some(bucket) = self.bucket(stretch) else { return };
        // A time older than its bucket counts in that bucket; buckets never go back.
        if bucket.stretch < stretch {
            *bucket = Bucket { stretch, counts: Counts::default() };
        }
        bucket.counts.add(counts);
    }

    /// The sum of the counts within one window before `now`.
    pub(crate) fn sum(&self, now: Tick) -> Counts {
        let oldest = self.oldest(now);
        let mut sum = Counts::default();
        for bucket in self.buckets.iter().filter(|bucket| bucket.stretch >= oldest) {
            sum.add(bucket.counts);
        }
        sum
    }

    /// The counts within one window before `now`, each with its time.
    pub(crate) fn counted(&self, now: Tick) -> impl Iterator<Item = (Tick, Counts)> + '_ {
        let oldest = self.oldest(now);
        let counted = move |bucket: &&Bucket| bucket.stretch >= oldest && bucket.counts != Counts::default();
        let when = |bucket: &Bucket| Tick(Duration::from_nanos(bucket.stretch.saturating_mul(self.length)));
        self.buckets.iter().filter(counted).map(move |bucket| (when(bucket), bucket.counts))
    }

    /// Forgets all counts.
    pub(crate) fn clear(&mut self) {
        self.buckets = [Bucket::default(); BUCKETS];
    }

    fn oldest(&self, now: Tick) -> u64 {
        self.stretch(now).saturating_sub(BUCKETS as u64 - 1)
    }

    fn stretch(&self, at: Tick) -> u64 {
        nanos(at.0) / self.length
    }

    fn bucket(&mut self, stretch: u64) -> Option<&mut Bucket> {
        let place = usize::try_from(stretch % BUCKETS as u64).unwrap_or_default();
        self.buckets.get_mut(place)
    }
}

impl Counts {
    pub(crate) fn add(&mut self, more: Self) {
        self.calls = self.calls.saturating_add(more.calls);
        self.failed = self.failed.saturating_add(more.failed);
        self.slow = self.slow.saturating_add(more.slow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Counts = Counts { calls: 1, failed: 0, slow: 0 };

    fn at(seconds: u64) -> Tick {
        Tick(Duration::from_secs(seconds))
    }

    #[test]
    fn what_is_older_than_the_window_is_forgotten() {
        let mut window = Window::new(Duration::from_secs(10));
        window.add(at(0), CALL);
        window.add(at(5), CALL);
        assert_eq!(window.sum(at(9)).calls, 2);
        assert_eq!(window.sum(at(10)).calls, 1);
        assert_eq!(window.sum(at(15)).calls, 0);
    }

    #[test]
    fn a_bucket_that_comes_round_again_starts_anew() {
        let mut window = Window::new(Duration::from_secs(10));
        window.add(at(3), CALL);
        window.add(at(13), CALL);
        assert_eq!(window.sum(at(13)).calls, 1);
    }

    #[test]
    fn a_time_that_was_read_before_is_counted_now() {
        let mut window = Window::new(Duration::from_secs(10));
        window.add(at(13), CALL);
        window.add(at(3), CALL);
        assert_eq!(window.sum(at(13)).calls, 2);
    }
}
