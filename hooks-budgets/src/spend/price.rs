//! Prices of models, by model and date.

use std::collections::HashMap;

use hooks_core::event::{MicroUsd, Usage};
use hooks_core::time::Timestamp;

/// Number of tokens that prices refer to.
const MILLION: u128 = 1_000_000;

/// Price of a model, in millionths of a US dollar for a million tokens.
///
/// Three dollars for a million tokens sent, fifteen for a million received:
///
/// ```
/// use hooks_budgets::spend::ModelPrice;
/// use hooks_core::event::MicroUsd;
///
/// let price = ModelPrice::new(3_000_000, 15_000_000);
/// assert_eq!(price.at_most(1_000, 200), MicroUsd(6_000));
/// assert_eq!(price.output_for(MicroUsd(6_000), 1_000), 200);
/// assert_eq!(price.at_most(1, 0), MicroUsd(3));
/// // Rates for cached tokens and for reasoning are separate; the dearest rate bounds the cost.
/// let price = ModelPrice { cached: 300_000, reasoning: 60_000_000, ..price };
/// assert_eq!(price.at_most(0, 200), MicroUsd(12_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelPrice {
    /// Tokens sent.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Tokens sent that the provider had in its cache.
    pub cached: u64,
    /// Tokens received that were spent on reasoning.
    pub reasoning: u64,
}

impl ModelPrice {
    /// Creates a price with one rate for all tokens sent and one for all tokens received.
    pub const fn new(input: u64, output: u64) -> Self {
        Self { input, output, cached: input, reasoning: output }
    }

    /// Returns the cost of these tokens, rounded up: the charge is never less than the real cost.
    pub fn cost_of(&self, usage: &Usage) -> MicroUsd {
        // Cached tokens are usually included in the tokens sent. If there are more of them, they were counted
        // separately.
        let fresh = usage.input_tokens.checked_sub(usage.cached_tokens).unwrap_or(usage.input_tokens);
        let written = usage.output_tokens.checked_sub(usage.reasoning_tokens).unwrap_or(usage.output_tokens);
        self.sum(&[
            (fresh, self.input),
            (usage.cached_tokens, self.cached),
            (written, self.output),
            (usage.reasoning_tokens, self.reasoning),
        ])
    }

    /// Returns the most that these tokens can cost, whatever their kind.
    pub fn at_most(&self, input_tokens: u64, output_tokens: u64) -> MicroUsd {
        self.sum(&[(input_tokens, self.dearest_input()), (output_tokens, self.dearest_output())])
    }

    /// Returns the tokens that may be received for `amount` after the input is paid; the maximum if they are
    /// free.
    pub fn output_for(&self, amount: MicroUsd, input_tokens: u64) -> u64 {
        let owed = u128::from(input_tokens) * u128::from(self.dearest_input());
        let left = (u128::from(amount.0) * MILLION).saturating_sub(owed);
        let tokens = left.checked_div(u128::from(self.dearest_output()));
        tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(u64::MAX)
    }

    fn dearest_input(&self) -> u64 {
        self.input.max(self.cached)
    }

    fn dearest_output(&self) -> u64 {
        self.output.max(self.reasoning)
    }

    fn sum(&self, parts: &[(u64, u64)]) -> MicroUsd {
        let products = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price));
        let sum = products.fold(0, u128::saturating_add);
        MicroUsd(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX))
    }
}

/// Listed data of a model: its price, and the limit of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Price of the model.
    pub price: ModelPrice,
    /// Most tokens that the model returns in one answer, if known.
    pub most_output_tokens: Option<u64>,
}

/// Prices by model, each with a start date.
///
/// ```
/// use hooks_budgets::spend::{Listed, ModelPrice, PriceTable};
/// use hooks_core::time::Timestamp;
///
/// let listed = |input, output| Listed { price: ModelPrice::new(input, output), most_output_tokens: None };
/// let new_year: Timestamp = "2026-01-01T00:00:00Z".parse()?;
/// let mut table = PriceTable::default();
/// assert!(table.enter("small-*", Timestamp(0), listed(3, 15)));
/// assert!(table.enter("small-2", new_year, listed(2, 10)));
/// assert!(!table.enter("small-2", new_year, listed(1, 1))); // that day has a price
///
/// assert_eq!(table.get("small-1", new_year), Some(listed(3, 15)));
/// assert_eq!(table.get("small-2", new_year), Some(listed(2, 10)));
/// assert_eq!(table.get("small-2", Timestamp(0)), None);
/// table.set_ceiling(Some(ModelPrice::new(75, 150)));
/// assert_eq!(table.get("unknown", new_year), Some(listed(75, 150)));
/// # Ok::<(), hooks_core::time::TimestampError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PriceTable {
    exact: HashMap<Box<str>, Dated>,
    /// Prefixes (the text before a star), the longest first.
    prefixes: Vec<(Box<str>, Dated)>,
    ceiling: Option<ModelPrice>,
}

/// Data of a model by start date, the earliest first.
type Dated = Vec<(Timestamp, Listed)>;

impl PriceTable {
    /// Adds the price of `model` from `since` on. A star at the end of `model` makes it a prefix. Returns
    /// false if the entry exists already.
    pub fn enter(&mut self, model: &str, since: Timestamp, listed: Listed) -> bool {
        let dated = match model.strip_suffix('*') {
            None => self.exact.entry(model.into()).or_default(),
            Some(prefix) => {
                let place = self.prefixes.iter().position(|(known, _)| **known == *prefix);
                let place = place.unwrap_or_else(|| {
                    let place = self.prefixes.partition_point(|(known, _)| known.len() >= prefix.len());
                    self.prefixes.insert(place, (prefix.into(), Vec::new()));
                    place
                });
                match self.prefixes.get_mut(place) {
                    Some((_, dated)) => dated,
                    None => return false,
                }
            }
        };
        let place = dated.partition_point(|(from, _)| *from < since);
        if dated.get(place).is_some_and(|(from, _)| *from == since) {
            return false;
        }
        dated.insert(place, (since, listed));
        true
    }

    /// Returns whether the table has no prices.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty() && self.ceiling.is_none()
    }

    /// Sets the price of models that are not listed.
    pub fn set_ceiling(&mut self, ceiling: Option<ModelPrice>) {
        self.ceiling = ceiling;
    }

    /// Returns the data of `model` at `now`: by its name, by the longest matching prefix, or the ceiling.
    pub fn get(&self, model: &str, now: Timestamp) -> Option<Listed> {
        let dated = self.dated(model).unwrap_or_default();
        let place = dated.partition_point(|(from, _)| *from <= now);
        let listed = place.checked_sub(1).and_then(|place| dated.get(place)).map(|(_, listed)| *listed);
        listed.or_else(|| Some(Listed { price: self.ceiling?, most_output_tokens: None }))
    }

    /// Returns the date of the first price of `model`, if it has one.
    pub fn begins(&self, model: &str) -> Option<Timestamp> {
        self.dated(model)?.first().map(|(from, _)| *from)
    }

    fn dated(&self, model: &str) -> Option<&[(Timestamp, Listed)]> {
        let by_prefix =
            || self.prefixes.iter().find(|(prefix, _)| model.starts_with(&**prefix)).map(|(_, dated)| dated);
        self.exact.get(model).or_else(by_prefix).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(input: u64, output: u64, cached: u64, reasoning: u64) -> Usage {
        Usage {
            input_tokens: input,
            output_tokens: output,
            cached_tokens: cached,
            reasoning_tokens: reasoning,
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price_and_parts_of_a_millionth_are_charged() {
        let price =
            ModelPrice { input: 3_000_000, output: 15_000_000, cached: 300_000, reasoning: 10_000_000 };
        assert_eq!(price.cost_of(&usage(1_000, 100, 0, 0)), MicroUsd(4_500));
        assert_eq!(price.cost_of(&usage(1_000, 100, 1_000, 100)), MicroUsd(1_300));
        assert_eq!(price.cost_of(&usage(1, 0, 1, 0)), MicroUsd(1), "0.3 of a millionth");
        // More cached than sent: they were counted separately.
        assert_eq!(price.cost_of(&usage(10, 0, 1_000, 0)), MicroUsd(330));
    }

    #[test]
    fn the_price_is_that_of_the_day_and_of_the_longest_name() {
        let listed = |input| Listed { price: ModelPrice::new(input, 0), most_output_tokens: None };
        let mut table = PriceTable::default();
        assert!(table.enter("a-*", Timestamp(0), listed(1)));
        assert!(table.enter("a-b*", Timestamp(10), listed(3)));
        assert!(table.enter("a-b*", Timestamp(5), listed(2)));
        assert!(table.enter("a-b-c", Timestamp(0), listed(4)));
        assert!(!table.enter("a-b*", Timestamp(5), listed(9)));
        let at = |model, now| table.get(model, Timestamp(now)).map(|listed| listed.price.input);
        assert_eq!(at("a-x", 0), Some(1));
        assert_eq!(
            [at("a-b-x", 4), at("a-b-x", 5), at("a-b-x", 9), at("a-b-x", 10)],
            [None, Some(2), Some(2), Some(3)]
        );
        assert_eq!([at("a-b-c", 0), at("b", 0)], [Some(4), None]);
        table.set_ceiling(Some(ModelPrice::new(50, 0)));
        assert_eq!(table.get("b", Timestamp(0)).unwrap().price.input, 50);
    }

    proptest! {
        #[test]
        fn a_hold_covers_whatever_the_tokens_turn_out_to_be(
            prices in any::<[u32; 4]>(), input in 0..1_000_000u64, output in 0..1_000_000u64,
            cached in 0..=100u64, reasoning in 0..=100u64,
        ) {
            let [a, b, c, d] = prices.map(u64::from);
            let price = ModelPrice { input: a, output: b, cached: c, reasoning: d };
            let used = usage(input, output, input * cached / 100, output * reasoning / 100);
            prop_assert!(price.cost_of(&used) <= price.at_most(input, output));
            let affordable = price.output_for(price.at_most(input, output), input);
            prop_assert!(affordable >= output);
            if affordable < u64::MAX {
                prop_assert!(price.at_most(input, affordable) <= price.at_most(input, output));
            }
        }

        #[test]
        fn no_figure_is_too_large(prices in any::<[u64; 4]>(), tokens in any::<[u64; 4]>()) {
            let [a, b, c, d] = prices;
            let price = ModelPrice { input: a, output: b, cached: c, reasoning: d };
            let [a, b, c, d] = tokens;
            let _no_panic = (price.cost_of(&usage(a, b, c, d)), price.at_most(a, b), price.output_for(MicroUsd(c), d));
        }
    }
}
