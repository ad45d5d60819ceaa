//! The available models and their abilities.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::MicroUsd;
use serde::{Deserialize, Serialize};

use crate::call::Needs;

/// A class of models by cost, in ascending order. The names are Squad's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tier {
    /// The last resort, for when all others fail. Disabled by default.
    Nuclear,
    /// Small and cheap models.
    Fast,
    /// The usual models.
    #[default]
    Standard,
    /// The most capable models.
    Premium,
}

/// Price of a model, for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Price of input tokens.
    pub input: MicroUsd,
    /// Price of output tokens.
    pub output: MicroUsd,
}

/// Rate limits of the provider, for the whole organisation; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests per minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens per minute, input and output together.
    pub tokens_per_minute: Option<u64>,
    /// Concurrent calls.
    pub concurrent: Option<u32>,
}

/// A model: its provider and its abilities.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// Name of the model, as the provider knows it.
    pub name: Arc<str>,
    /// Name of the provider. The models of a provider fail together and share its credentials.
    pub provider: Arc<str>,
    /// Class of the model by cost.
    pub tier: Tier,
    /// Context window in tokens, including the answer; `None` if unknown.
    pub context_tokens: Option<u64>,
    /// Whether the model can call tools.
    pub tools: bool,
    /// Whether the model can read images.
    pub vision: bool,
    /// Whether the model can continue a partial answer: a conversation that ends with a message of the model.
    pub prefill: bool,
    /// Whether chains skip the model; only calls that name it use it.
    pub restricted: bool,
    /// Price of the model, if known.
    pub price: Option<Price>,
    /// Rate limits of the provider.
    pub limits: Limits,
    /// Name of the quota that the model shares with other models of its provider; a quota of its own if
    /// absent.
    pub quota: Option<Arc<str>>,
    /// Time limit of one attempt, if it differs from the others'.
    pub attempt_timeout: Option<Duration>,
    /// Place of the model in the catalog.
    index: usize,
}

impl Model {
    /// Creates a model that can call tools; the rest is unknown or off.
    pub fn new(name: impl Into<Arc<str>>, provider: impl Into<Arc<str>>, tier: Tier) -> Self {
        Self {
            name: name.into(),
            provider: provider.into(),
            tier,
            context_tokens: None,
            tools: true,
            vision: false,
            prefill: false,
            restricted: false,
            price: None,
            limits: Limits::default(),
            quota: None,
            attempt_timeout: None,
            index: 0,
        }
    }

    /// Whether the model meets `needs`. An unknown context window counts as large enough.
    ///
    /// ```
    /// use hooks_resilience::{Model, Needs, Tier};
    ///
    /// let mut small = Model::new("small", "acme", Tier::Fast);
    /// small.context_tokens = Some(8_000);
    /// let needs = Needs { input_tokens: 6_000, output_tokens: 1_000, tools: true, ..Needs::default() };
    /// assert!(small.can_serve(&needs));
    /// assert!(!small.can_serve(&Needs { input_tokens: 7_500, ..needs }), "no room is left for the answer");
    /// assert!(!small.can_serve(&Needs { vision: true, ..needs }));
    /// ```
    pub fn can_serve(&self, needs: &Needs) -> bool {
        (self.tools || !needs.tools)
            && (self.vision || !needs.vision)
            && (self.prefill || !needs.prefill)
            && self.context_tokens.is_none_or(|window| needs.tokens() <= window)
    }

    /// Whether both models draw on one quota.
    pub(crate) fn shares_quota_with(&self, other: &Self) -> bool {
        self.quota.is_some() && self.quota == other.quota && self.provider == other.provider
    }

    /// Whether `name` is the model's name; in most cases it is the same allocation.
    pub(crate) fn is_named(&self, name: &Arc<str>) -> bool {
        Arc::ptr_eq(&self.name, name) || self.name == *name
    }

    /// Place of the model in the catalog, from 0.
    pub const fn index(&self) -> usize {
        self.index
    }
}

/// All models of a stack, by name.
///
/// ```
/// use hooks_resilience::{Catalog, CatalogError, Model, Tier};
///
/// let catalog = Catalog::new([
///     Model::new("opus", "anthropic", Tier::Premium),
///     Model::new("haiku", "anthropic", Tier::Fast),
/// ])?;
/// assert_eq!(catalog.get("haiku").map(|model| (model.tier, model.index())), Some((Tier::Fast, 1)));
/// assert!(catalog.get("opsu").is_none());
///
/// let twice = [Model::new("opus", "anthropic", Tier::Premium), Model::new("opus", "bedrock", Tier::Premium)];
/// assert_eq!(Catalog::new(twice).err(), Some(CatalogError::Twice("opus".into())));
/// # Ok::<(), CatalogError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    models: Arc<[Arc<Model>]>,
    by_name: Arc<BTreeMap<Arc<str>, usize>>,
}

impl Catalog {
    /// Creates a catalog of `models`.
    ///
    /// # Errors
    /// Returns [`CatalogError::Twice`] if two models have the same name.
    pub fn new(models: impl IntoIterator<Item = Model>) -> Result<Self, CatalogError> {
        let (mut list, mut by_name) = (Vec::new(), BTreeMap::new());
        for (index, model) in models.into_iter().enumerate() {
            if by_name.insert(Arc::clone(&model.name), index).is_some() {
                return Err(CatalogError::Twice(model.name));
            }
            list.push(Arc::new(Model { index, ..model }));
        }
        Ok(Self { models: list.into(), by_name: Arc::new(by_name) })
    }

    /// The model with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(*self.by_name.get(name)?)
    }

    /// All models, in order.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }
}

/// Reasons why a catalog is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Two models have the same name.
    #[error("the model `{0}` is listed twice; give each model one entry")]
    Twice(Arc<str>),
}
