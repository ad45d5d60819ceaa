//! Which models there are, and what each of them can do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::MicroUsd;
use serde::{Deserialize, Serialize};

use crate::call::Needs;

/// A class of models by what they cost; the order is that of the price. Squad's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tier {
    /// The last resort: what still answers when nothing else does. Off unless switched on.
    Nuclear,
    /// Small and cheap.
    Fast,
    /// The usual.
    #[default]
    Standard,
    /// The best.
    Premium,
}

/// What a model costs, for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Tokens sent.
    pub input: MicroUsd,
    /// Tokens received.
    pub output: MicroUsd,
}

/// What the provider lets through, for the whole organisation; `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a minute, sent and received together.
    pub tokens_per_minute: Option<u64>,
    /// Calls at one time.
    pub concurrent: Option<u32>,
}

/// A model: who provides it, and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// Its name, as the provider knows it.
    pub name: Arc<str>,
    /// Who serves it; models of one provider fail together, and share its credentials.
    pub provider: Arc<str>,
    /// What class it is.
    pub tier: Tier,
    /// How many tokens fit, those it answers included; `None` where it is not known.
    pub context_tokens: Option<u64>,
    /// Whether it can call tools.
    pub tools: bool,
    /// Whether it can see pictures.
    pub vision: bool,
    /// Whether it goes on behind the beginning of an answer: a conversation that ends with what it said.
    pub prefill: bool,
    /// Whether chains skip it: kept for those who name it.
    pub restricted: bool,
    /// What it costs, where that is known.
    pub price: Option<Price>,
    /// What its provider lets through.
    pub limits: Limits,
    /// The name of the quota it draws on, where it shares one with other models of its provider; its own where absent.
    pub quota: Option<Arc<str>>,
    /// How long one attempt may take, where that differs from the rest.
    pub attempt_timeout: Option<Duration>,
    /// Its place in the catalog.
    index: usize,
}

impl Model {
    /// `name`, served by `provider`, which can call tools and of which nothing else is known.
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

    /// Whether it can do what a call needs. A window that is not known is large enough.
    pub fn can_serve(&self, needs: &Needs) -> bool {
        (self.tools || !needs.tools)
            && (self.vision || !needs.vision)
            && (self.prefill || !needs.prefill)
            && self.context_tokens.is_none_or(|window| needs.tokens() <= window)
    }

    /// Whether both draw on one quota.
    pub(crate) fn shares_quota_with(&self, other: &Self) -> bool {
        self.quota.is_some() && self.quota == other.quota && self.provider == other.provider
    }

    /// Whether this is its name; most often it is the very same string.
    pub(crate) fn is_named(&self, name: &Arc<str>) -> bool {
        Arc::ptr_eq(&self.name, name) || self.name == *name
    }

    /// Its place in the catalog, from 0.
    pub const fn index(&self) -> usize {
        self.index
    }
}

/// All models of a stack, by name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    models: Arc<[Arc<Model>]>,
    by_name: Arc<BTreeMap<Arc<str>, usize>>,
}

impl Catalog {
    /// A catalog of `models`.
    ///
    /// # Errors
    /// Two models have one name.
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

    /// The model of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(*self.by_name.get(name)?)
    }

    /// All of them, in order.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }
}

/// What is wrong with a catalog.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Two models of one name.
    #[error("the model `{0}` is listed twice; give each model one entry")]
    Twice(Arc<str>),
}
