//! Conversion of the models in a configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use hooks_core::event::MicroUsd;

use super::document::{ModelConfig, PriceConfig};
use super::fault::ConfigFault;
use crate::catalog::{Catalog, Price};

/// Converts `models` to a catalog. Invalid entries are left out and reported in `faults`.
pub(super) fn catalog(models: &[ModelConfig], faults: &mut Vec<ConfigFault>) -> Catalog {
    if models.is_empty() {
        faults.push(ConfigFault::new("catalog", "there is no model; list at least one"));
    }
    let mut known = BTreeMap::new();
    let mut kept = Vec::new();
    for (index, config) in models.iter().enumerate() {
        let path = |field: &str| format!("catalog[{index}]{field}");
        let mut model = config.to_model();
        for (field, text) in [(".name", &config.name), (".provider", &config.provider)] {
            if text.trim().is_empty() {
                faults.push(ConfigFault::new(path(field), "it is empty; give it a name"));
            }
        }
        let limits = &config.limits;
        for (field, is_zero) in [
            (".context_tokens", config.context_tokens == Some(0)),
            (".attempt_timeout", config.attempt_timeout == Some(Duration::ZERO)),
            (".limits.requests_per_minute", limits.requests_per_minute == Some(0)),
            (".limits.tokens_per_minute", limits.tokens_per_minute == Some(0)),
            (".limits.concurrent", limits.concurrent == Some(0)),
        ] {
            if is_zero {
                faults.push(ConfigFault::new(
                    path(field),
                    "it is zero, so that the model could never answer; leave it out where it is not known",
                ));
                // Reported here, so that no layer reports it again.
                model.limits.concurrent = model.limits.concurrent.filter(|places| *places > 0);
            }
        }
        if let Some(price) = config.price {
            match micro_usd(price) {
                Some(price) => model.price = Some(price),
                None => faults.push(ConfigFault::new(
                    path(".price"),
                    "it is not a price; write US dollars for a million tokens, such as 15.0",
                )),
            }
        }
        if let Some(first) = known.insert(config.name.as_str(), index) {
            let text = format!(
                "the model `{}` stands in catalog[{first}] already; give each model one entry",
                config.name
            );
            faults.push(ConfigFault::new(path(".name"), &text));
        } else {
            kept.push(model);
        }
    }
    // Duplicate names were removed above.
    Catalog::new(kept).unwrap_or_default()
}

/// The highest plausible price: a million dollars for a million tokens.
const DEAREST: f64 = 1e6;

fn micro_usd(price: PriceConfig) -> Option<Price> {
    let micro = |dollars: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 10^12 by the check"
        )]
        (0.0..=DEAREST).contains(&dollars).then(|| MicroUsd((dollars * 1e6).round() as u64))
    };
    Some(Price { input: micro(price.input)?, output: micro(price.output)? })
}
