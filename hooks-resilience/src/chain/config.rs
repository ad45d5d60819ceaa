//! What a configuration says about chains.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Which models are asked in which order, as `hooks.yaml` has it; see the module docs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChainsConfig {
    /// The models of each tier, the preferred one first, by the tier's name. A tier that is not listed has the
    /// catalog's models of it, in the catalog's order.
    pub tiers: BTreeMap<String, Vec<String>>,
    /// Chains with names of their own.
    pub chains: BTreeMap<String, ChainConfig>,
    /// The chain, or tier, of calls that name no model and have no other.
    pub default: Option<String>,
    /// Which chain, or tier, the calls of an agent use.
    pub agents: BTreeMap<String, String>,
    /// Which chain, or tier, a kind of work uses; stronger than the agent's.
    pub tasks: BTreeMap<String, String>,
    /// Whether everything may go upwards in cost; a tier then goes on with the dearer ones at the end.
    pub upgrade: bool,
    /// Whether the nuclear tier is asked when all else failed.
    pub nuclear: bool,
    /// Whether a tier goes on with the cheaper ones when its own list is used up.
    pub descend: bool,
}

impl Default for ChainsConfig {
    fn default() -> Self {
        Self {
            tiers: BTreeMap::new(),
            chains: BTreeMap::new(),
            default: None,
            agents: BTreeMap::new(),
            tasks: BTreeMap::new(),
            upgrade: false,
            nuclear: false,
            descend: true,
        }
    }
}

/// A chain with a name of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChainConfig {
    /// Its models, the preferred one first.
    pub models: Vec<String>,
    /// The chain, or tier, it goes on with when they are used up.
    pub then: Option<String>,
    /// Whether it may go upwards in cost.
    pub upgrade: bool,
}

impl ChainConfig {
    /// A chain of these models.
    pub fn new<T: Into<String>>(models: impl IntoIterator<Item = T>) -> Self {
        Self { models: models.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Goes on with another chain, or a tier.
    #[must_use]
    pub fn then(mut self, name: impl Into<String>) -> Self {
        self.then = Some(name.into());
        self
    }

    /// May go upwards in cost.
    #[must_use]
    pub fn upgrading(mut self) -> Self {
        self.upgrade = true;
        self
    }
}

impl ChainsConfig {
    /// Lists the models of a tier.
    #[must_use]
    pub fn with_tier<T: Into<String>>(
        mut self,
        tier: impl Into<String>,
        models: impl IntoIterator<Item = T>,
    ) -> Self {
        self.tiers.insert(tier.into(), models.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a chain.
    #[must_use]
    pub fn with_chain(mut self, name: impl Into<String>, chain: ChainConfig) -> Self {
        self.chains.insert(name.into(), chain);
        self
    }

    /// Gives calls that have no other this chain, or tier.
    #[must_use]
    pub fn with_default(mut self, name: impl Into<String>) -> Self {
        self.default = Some(name.into());
        self
    }

    /// Gives an agent a chain, or a tier.
    #[must_use]
    pub fn with_agent(mut self, agent: impl Into<String>, name: impl Into<String>) -> Self {
        self.agents.insert(agent.into(), name.into());
        self
    }

    /// Gives a kind of work a chain, or a tier.
    #[must_use]
    pub fn with_task(mut self, task: impl Into<String>, name: impl Into<String>) -> Self {
        self.tasks.insert(task.into(), name.into());
        self
    }

    /// Switches the nuclear tier on.
    #[must_use]
    pub fn with_nuclear(mut self) -> Self {
        self.nuclear = true;
        self
    }
}
