//! Errors of chain configurations.

use crate::catalog::Tier;

/// A mistake in the chains of a configuration, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {fault}")]
pub struct ChainsError {
    /// Place in the configuration, such as `chains.careful.models[1]`.
    pub path: String,
    /// Kind of mistake.
    pub fault: ChainFault,
}

/// Mistakes in a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainFault {
    /// The list is empty.
    #[error("the list is empty; name at least one model, or leave it out")]
    Empty,
    /// The rules skip all models of the list.
    #[error("every model here is restricted, or nuclear while that is off; name one that a chain may use")]
    NothingLeft,
    /// The model is not in the catalog.
    #[error("the model `{0}` is not in the catalog; add it there, or use one of it")]
    UnknownModel(String),
    /// The tier does not exist.
    #[error("there is no tier `{0}`; the tiers are `premium`, `standard`, `fast` and `nuclear`")]
    UnknownTier(String),
    /// The chain or tier does not exist.
    #[error("there is no chain and no tier `{0}`; define it under `chains`")]
    UnknownChain(String),
    /// The name is that of a tier.
    #[error("`{0}` is the name of a tier; give the chain another")]
    NameOfTier(String),
    /// The name is that of a model.
    #[error("`{0}` is the name of a model; give the chain another")]
    NameOfModel(String),
    /// A list names a model twice.
    #[error("the model `{0}` stands here twice; name it once")]
    Twice(String),
    /// Chains continue with each other in a cycle.
    #[error("the chain goes on with itself: {}; end it somewhere", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// A cheaper model stands before a more expensive one.
    #[error("`{model}` is {}, above the {} it follows; set `upgrade: true`, or put it first", word(*.tier), word(*.below))]
    Upwards {
        /// The more expensive model.
        model: String,
        /// Tier of that model.
        tier: Tier,
        /// Tier that the list had reached before it.
        below: Tier,
    },
    /// The nuclear tier is enabled and has no model.
    #[error(
        "it is switched on and no model is of the nuclear tier; list one under `tiers.nuclear`, or switch it off"
    )]
    NuclearWithoutModels,
    /// There are more chains than the limit.
    #[error("there are {0} of them; define at most {1}")]
    TooManyChains(usize, usize),
    /// The orders, one from each model, would exceed the memory limit.
    #[error(
        "with {0} models in the catalog and {1} places in all chains and tiers there are more orders than are worked out; list fewer models"
    )]
    TooLarge(usize, usize),
}

/// The name of a tier in a configuration.
pub(super) const fn word(tier: Tier) -> &'static str {
    match tier {
        Tier::Nuclear => "nuclear",
        Tier::Fast => "fast",
        Tier::Standard => "standard",
        Tier::Premium => "premium",
    }
}
