//! Random numbers that depend on their purpose and not on the time: the same attempt of the same call has the
//! same luck under every policy. So policies differ only by their own actions.

use std::time::Duration;

/// Random numbers derived from a few keys.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

/// Purpose of a draw, which separates the draws of one call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Weather,
    Arrivals,
    Session,
    Call,
    Filter,
    Attempt,
    Policy,
    Refusal,
}

impl Dice {
    /// Creates the dice of `keys` for `purpose`.
    pub(super) fn new(seed: u64, purpose: Purpose, keys: [u64; 2]) -> Self {
        let mut state = seed ^ 0x5bf0_3635_d1c2_56e9;
        for key in [purpose as u64, keys[0], keys[1]] {
            state = mix(state.wrapping_add(key).wrapping_add(0x9e37_79b9_7f4a_7c15));
        }
        Self(state)
    }

    /// Draws 64 random bits (SplitMix64).
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Draws a number from 0 to just below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a number between two numbers, uniformly.
    pub(super) fn between(&mut self, [low, high]: [f64; 2]) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draws a number between two numbers, uniformly in the logarithm: for lengths of incidents, most of
    /// which are short.
    pub(super) fn log_between(&mut self, [low, high]: [f64; 2]) -> f64 {
        self.between([low.max(1e-9).ln(), high.max(1e-9).ln()]).exp()
    }

    /// Draws true with the probability `share`.
    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Draws a time with this median and spread (log-normal; a sum of twelve numbers approximates a normal
    /// one).
    pub(super) fn time(&mut self, median_s: f64, spread: f64) -> Duration {
        let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        Duration::from_secs_f64(median_s * (spread * normal).exp())
    }

    /// Draws the time to the next of independent events, which are `mean_s` apart on average.
    pub(super) fn gap(&mut self, mean_s: f64) -> f64 {
        -mean_s * (1.0 - self.unit()).ln()
    }
}

fn mix(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
