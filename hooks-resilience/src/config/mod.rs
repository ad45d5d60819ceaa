//! All layers from one configuration: the section `models` of `hooks.yaml`.
//!
//! [`ResilienceConfig`] is the configuration format, [`Resilience`] the checked configuration. Every mistake
//! is reported with its path. A [`Resilience`] creates the [`Health`](crate::Health) that layers share, and
//! the [`ResilienceLayer`], which contains all layers in their order.
//!
//! ```
//! use hooks_resilience::config::{Resilience, ResilienceConfig};
//!
//! let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
//!     "catalog": [
//!         { "name": "large", "provider": "one", "tier": "premium", "context_tokens": 200_000 },
//!         { "name": "small", "provider": "two", "tier": "fast" },
//!     ],
//!     "routing": { "tiers": { "premium": ["large", "smal"] } },
//!     "deadline": "0s",
//! }))?;
//! let faults = Resilience::new(&config).unwrap_err();
//! let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
//! assert_eq!(faults[0], "routing.tiers.premium[1]: the model `smal` is not in the catalog; add it there, or use one of it");
//! assert_eq!(faults[1], "deadline: `deadline` is zero; give a count of at least 1, or a time such as `30s`");
//! # Ok::<(), serde_json::Error>(())
//! ```

mod catalog;
mod document;
mod fault;
mod health;
mod layer;
mod resilience;
#[cfg(test)]
mod tests;

pub use self::document::{
    BulkheadConfig, ModelConfig, NextModelWord, PacingConfig, PriceConfig, ResilienceConfig, TreatmentConfig,
};
pub use self::fault::ConfigFault;
pub use self::layer::{ResilienceLayer, Stack, StreamLayer};
pub use self::resilience::Resilience;
