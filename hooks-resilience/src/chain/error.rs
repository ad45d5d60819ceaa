//! What can be wrong with chains.

use crate::catalog::Tier;

/// What is wrong with the chains of a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {fault}")]
pub struct ChainsError {
    /// The place, such as `chains.careful.models[1]`.
    pub path: String,
    /// What is wrong there.
    pub fault: ChainFault,
}

/// What can be wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainFault {
    /// It lists no model.
    #[error("the list is empty; name at least one model, or leave it out")]
    Empty,
    /// All its models are passed over by the rules.
    #[error("every model here is restricted, or nuclear while that is off; name one that a chain may use")]
    NothingLeft,
    /// The catalog does not have the model.
    #[error("the model `{0}` is not in the catalog; add it there, or use one of it")]
    UnknownModel(String),
    /// There is no such tier.
    #[error("there is no tier `{0}`; the tiers are `premium`, `standard`, `fast` and `nuclear`")]
    UnknownTier(String),
    /// There is no such chain or tier.
    #[error("there is no chain and no tier `{0}`; define it under `chains`")]
    UnknownChain(String),
    /// The name is a tier's.
    #[error("`{0}` is the name of a tier; give the chain another")]
    NameOfTier(String),
    /// The name is a model's.
    #[error("`{0}` is the name of a model; give the chain another")]
    NameOfModel(String),
    /// One list has a model twice.
    #[error("the model `{0}` stands here twice; name it once")]
    Twice(String),
    /// Chains go on with each other for ever.
    #[error("the chain goes on with itself: {}; end it somewhere", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// A cheaper model stands before a dearer one.
    #[error("`{model}` is {}, above the {} it follows; set `upgrade: true`, or put it first", word(*.tier), word(*.below))]
    Upwards {
        /// The dearer one.
        model: String,
        /// What it is.
        tier: Tier,
        /// What the list had come down to.
        below: Tier,
    },
    /// The nuclear tier is switched on and has no model.
    #[error(
        "it is switched on and no model is of the nuclear tier; list one under `tiers.nuclear`, or switch it off"
    )]
    NuclearWithoutModels,
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
