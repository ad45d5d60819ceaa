//! Configuration of chains.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The order in which models are called, as in `hooks.yaml`; see the module docs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChainsConfig {
    /// The models of each tier, the preferred one first, by the tier's name. A tier that is not listed
    /// consists of the catalog's models of that tier, in the catalog's order.
    pub tiers: BTreeMap<String, Vec<String>>,
    /// Named chains.
    pub chains: BTreeMap<String, ChainConfig>,
    /// Chain or tier of calls that name no model and have no other chain.
    pub default: Option<String>,
    /// Chain or tier of each agent.
    pub agents: BTreeMap<String, String>,
    /// Chain or tier of each kind of work; it takes precedence over the agent's.
    pub tasks: BTreeMap<String, String>,
    /// Whether all lists may go to more expensive models. A tier then continues with the more expensive tiers
    /// at its end.
    pub upgrade: bool,
    /// Whether the nuclear tier is called when all other models failed.
    pub nuclear: bool,
    /// Whether a tier continues with the cheaper tiers at its end.
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

/// A named chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChainConfig {
    /// Models of the chain, the preferred one first.
    pub models: Vec<String>,
    /// Chain or tier that follows after the last model.
    pub then: Option<String>,
    /// Whether the chain may go to more expensive models.
    pub upgrade: bool,
}

impl ChainConfig {
    /// Creates a chain of these models.
    pub fn new<T: Into<String>>(models: impl IntoIterator<Item = T>) -> Self {
        Self { models: models.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Continues with another chain or a tier.
    #[must_use]
    pub fn then(mut self, name: impl Into<String>) -> Self {
        self.then = Some(name.into());
        self
    }

    /// Allows the chain to go to more expensive models.
    ///
    /// ```
    /// use hooks_resilience::chain::ChainConfig;
    /// use hooks_resilience::{Catalog, Chains, ChainsConfig, Model, Tier};
    ///
    /// let catalog = Catalog::new([
    ///     Model::new("opus", "anthropic", Tier::Premium),
    ///     Model::new("haiku", "anthropic", Tier::Fast),
    /// ])?;
    /// let climbs = ChainConfig::new(["haiku", "opus"]);
    /// let error = Chains::new(&catalog, &ChainsConfig::default().with_chain("climbs", climbs.clone()))
    ///     .expect_err("cost must not rise by accident");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "chains.climbs.models[1]: `opus` is premium, above the fast it follows; set `upgrade: true`, or put it first",
    /// );
    /// let chains = Chains::new(&catalog, &ChainsConfig::default().with_chain("climbs", climbs.upgrading()))?;
    /// assert_eq!(&*chains.order("climbs", "", None)?[1].name, "opus");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn upgrading(mut self) -> Self {
        self.upgrade = true;
        self
    }
}

impl ChainsConfig {
    /// Sets the models of a tier.
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

    /// Sets the chain or tier of calls that have no other.
    #[must_use]
    pub fn with_default(mut self, name: impl Into<String>) -> Self {
        self.default = Some(name.into());
        self
    }

    /// Sets the chain or tier of an agent.
    #[must_use]
    pub fn with_agent(mut self, agent: impl Into<String>, name: impl Into<String>) -> Self {
        self.agents.insert(agent.into(), name.into());
        self
    }

    /// Sets the chain or tier of a kind of work.
    #[must_use]
    pub fn with_task(mut self, task: impl Into<String>, name: impl Into<String>) -> Self {
        self.tasks.insert(task.into(), name.into());
        self
    }

    /// Enables the nuclear tier.
    #[must_use]
    pub fn with_nuclear(mut self) -> Self {
        self.nuclear = true;
        self
    }
}
