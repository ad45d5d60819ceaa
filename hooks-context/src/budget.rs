//! Splits a budget fairly.
//!
//! Two equal parts, of which one needs less than half:
//!
//! ```
//! use hooks_context::budget::{Share, shares};
//!
//! let parts = [Share { wants: 20, weight: 1 }, Share { wants: 500, weight: 1 }];
//! assert_eq!(shares(&parts, 100), [20, 80]);
//! ```
//!
//! Customised: weights, where all parts want more than there is.
//!
//! ```
//! use hooks_context::budget::{Share, shares};
//!
//! let part = |weight| Share { wants: 1_000, weight };
//! assert_eq!(shares(&[part(6), part(3), part(1)], 100), [60, 30, 10]);
//! assert_eq!(shares(&[part(1), part(1), part(1)], 100), [34, 33, 33]); // the rest goes to the first parts
//! ```

/// Claim of one of several parts on a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The most the part could use.
    pub wants: u64,
    /// Weight of the part among the others.
    pub weight: u32,
}

/// Splits `budget` by weight. A part that wants less than its share gets what it wants, and leaves the rest
/// to the others. Remainders of the division go to the first parts. The sum never exceeds the budget.
///
/// ```
/// use hooks_context::budget::{Share, shares};
///
/// let parts = [Share { wants: 10, weight: 1 }, Share { wants: 0, weight: 5 }];
/// assert_eq!(shares(&parts, 100), [10, 0]); // no part gets more than it wants
/// ```
pub fn shares(parts: &[Share], budget: u64) -> Vec<u64> {
    let mut given = vec![0; parts.len()];
    let mut left = budget;
    let mut open: Vec<usize> = (0..parts.len()).collect();
    loop {
        let weights: u64 = open.iter().filter_map(|at| parts.get(*at)).map(|part| weight(*part)).sum();
        let fair = |part: &Share| proportion(left, weight(*part), weights);
        let content: Vec<usize> = open
            .iter()
            .copied()
            .filter(|at| parts.get(*at).is_some_and(|part| part.wants <= fair(part)))
            .collect();
        if content.is_empty() {
            break;
        }
        for at in &content {
            if let (Some(share), Some(part)) = (given.get_mut(*at), parts.get(*at)) {
                *share = part.wants;
                left = left.saturating_sub(part.wants);
            }
        }
        open.retain(|at| !content.contains(at));
    }
    let (whole, weights) =
        (left, open.iter().filter_map(|at| parts.get(*at)).map(|part| weight(*part)).sum());
    for at in &open {
        if let (Some(share), Some(part)) = (given.get_mut(*at), parts.get(*at)) {
            *share = proportion(whole, weight(*part), weights);
            left = left.saturating_sub(*share);
        }
    }
    for at in open {
        if let (Some(share), Some(part)) = (given.get_mut(at), parts.get(at)) {
            let more = left.min(part.wants.saturating_sub(*share));
            *share = share.saturating_add(more);
            left = left.saturating_sub(more);
        }
    }
    given
}

fn weight(part: Share) -> u64 {
    u64::from(part.weight.max(1))
}

fn proportion(budget: u64, weight: u64, weights: u64) -> u64 {
    let share = u128::from(budget) * u128::from(weight) / u128::from(weights.max(1));
    u64::try_from(share).unwrap_or(budget)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share(wants: u64, weight: u32) -> Share {
        Share { wants, weight }
    }

    #[test]
    fn what_one_does_not_need_is_the_others() {
        assert_eq!(shares(&[share(10, 1), share(1_000, 1), share(1_000, 3)], 410), [10, 100, 300]);
        assert_eq!(shares(&[share(9, 1), share(9, 1), share(9, 1)], 10), [4, 3, 3]);
        assert_eq!(shares(&[share(0, 0), share(5, 0)], 100), [0, 5]);
        assert_eq!(shares(&[], 100), Vec::<u64>::new());
    }

    proptest! {
        #[test]
        fn nothing_is_given_that_is_not_there(
            parts in proptest::collection::vec((any::<u64>(), any::<u32>()), 0..12),
            budget: u64,
        ) {
            let parts: Vec<_> = parts.into_iter().map(|(wants, weight)| share(wants, weight)).collect();
            let given = shares(&parts, budget);
            let sum: u128 = given.iter().copied().map(u128::from).sum();
            let wanted: u128 = parts.iter().map(|part| u128::from(part.wants)).sum();
            prop_assert_eq!(sum, wanted.min(u128::from(budget)));
            prop_assert!(given.iter().zip(&parts).all(|(given, part)| *given <= part.wants));
        }
    }
}
