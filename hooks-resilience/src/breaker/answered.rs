//! Share of a model's recent calls that were answered.

/// Moving average of results, in parts of [`ALL`](Self::ALL). A model without a result counts as one that answers
/// all calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnsweredShare(u16);

/// Each result moves the average by this part of the difference. With it, a share of a half is known to about a
/// tenth, and a change of the weather is noticed within some thirty calls of a fleet.
const WEIGHT: u32 = 16;

/// Number of good results after which the average no longer changes.
const SATURATED: u32 = 256;

impl AnsweredShare {
    /// The share of a model that answers all calls.
    pub(super) const ALL: u16 = u16::MAX;

    /// A share that another instance wrote.
    pub(super) const fn new(parts: u16) -> Self {
        Self(parts)
    }

    /// The share in parts of [`ALL`](Self::ALL).
    pub(super) const fn parts(self) -> u16 {
        self.0
    }

    /// Answers to a thousand calls.
    pub(crate) fn per_thousand(self) -> u32 {
        u32::from(self.0) * 1_000 / u32::from(Self::ALL)
    }

    /// Counts `calls` calls that were all answered, or all failed.
    pub(super) fn add(&mut self, calls: u32, answered: bool) {
        for _ in 0..calls.min(SATURATED) {
            let (before, aim) = (u32::from(self.0), if answered { u32::from(Self::ALL) } else { 0 });
            // Rounded towards the aim, so that the average reaches it.
            let after = match answered {
                true => before + (aim - before).div_ceil(WEIGHT),
                false => before - before.div_ceil(WEIGHT),
            };
            self.0 = u16::try_from(after).unwrap_or(Self::ALL);
        }
    }
}

impl Default for AnsweredShare {
    fn default() -> Self {
        Self(Self::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_follows_the_results() {
        let mut share = AnsweredShare::default();
        assert_eq!(share.parts(), AnsweredShare::ALL);
        share.add(12, false);
        assert!(share.parts() < AnsweredShare::ALL / 2);
        share.add(2_000, false);
        assert_eq!(share.parts(), 0);
        // One answer of three.
        for _ in 0..100 {
            share.add(2, false);
            share.add(1, true);
        }
        let third = share.per_thousand();
        assert!((250..420).contains(&third), "{third}");
        share.add(u32::MAX, true);
        assert_eq!(share.per_thousand(), 1_000);
    }
}
