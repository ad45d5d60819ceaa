//! Comparison of models by cost.

use crate::catalog::{Model, Price};

/// Whether `model` costs more than `than`: by the tier, and within a tier by the price if both are known.
pub(super) fn costs_more(model: &Model, than: &Model) -> bool {
    match model.tier.cmp(&than.tier) {
        std::cmp::Ordering::Equal => match (model.price, than.price) {
            (Some(price), Some(other)) => dearer(price, other),
            _ => false,
        },
        order => order.is_gt(),
    }
}

/// Whether one price is above another, for the calls that agents make: long requests and short answers. Three
/// input tokens count as much as one output token.
fn dearer(price: Price, other: Price) -> bool {
    let blend = |price: Price| u128::from(price.input.0) * 3 + u128::from(price.output.0);
    blend(price) > blend(other)
}

#[cfg(test)]
mod tests {
    use hooks_core::event::MicroUsd;

    use super::*;
    use crate::catalog::Tier;

    fn priced(tier: Tier, input: u64, output: u64) -> Model {
        let mut model = Model::new("m", "p", tier);
        model.price = Some(Price { input: MicroUsd(input), output: MicroUsd(output) });
        model
    }

    #[test]
    fn the_tier_comes_before_the_price() {
        assert!(costs_more(&priced(Tier::Premium, 1, 1), &priced(Tier::Standard, 9, 9)));
        assert!(!costs_more(&priced(Tier::Fast, 9, 9), &priced(Tier::Standard, 1, 1)));
    }

    #[test]
    fn within_a_tier_the_price_counts_where_both_are_known() {
        let cheap = priced(Tier::Fast, 1_000_000, 5_000_000);
        let dear = priced(Tier::Fast, 2_000_000, 8_000_000);
        assert!(costs_more(&dear, &cheap) && !costs_more(&cheap, &dear) && !costs_more(&cheap, &cheap));
        assert!(!costs_more(&dear, &Model::new("unknown", "p", Tier::Fast)));
    }

    #[test]
    fn the_largest_prices_do_not_overflow() {
        let most = priced(Tier::Fast, u64::MAX, u64::MAX);
        assert!(costs_more(&most, &priced(Tier::Fast, u64::MAX, 0)));
    }
}
