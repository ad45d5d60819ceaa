//! The orders of models in a configuration, computed once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;
use std::sync::Arc;

use super::config::ChainsConfig;
use super::cost::costs_more;
use super::error::{ChainsError, word};
use super::lists::{List, Lists, TIERS};
use crate::call::Call;
use crate::catalog::{Catalog, Model, Tier};
use crate::error::{ErrorKind, ModelError};

/// The models that a call may use, the preferred one first. Never empty; a clone increments one counter.
///
/// ```
/// use std::sync::Arc;
/// use hooks_resilience::{Chain, Model, Tier};
///
/// let opus = Arc::new(Model::new("opus", "anthropic", Tier::Premium));
/// let gpt = Arc::new(Model::new("gpt", "openai", Tier::Premium));
/// let chain = Chain::new(opus, [gpt]);
/// assert_eq!((chain.len(), &*chain[0].name, &*chain[1].name), (2, "opus", "gpt"));
/// ```
#[derive(Clone, Debug)]
pub struct Chain(Arc<[Arc<Model>]>);

impl Chain {
    /// A chain of `first`, followed by `others`.
    pub fn new(first: Arc<Model>, others: impl IntoIterator<Item = Arc<Model>>) -> Self {
        Self([first].into_iter().chain(others).collect())
    }
}

impl Deref for Chain {
    type Target = [Arc<Model>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The order of models for each call, computed from a whole configuration. Cheap to clone; see the module
/// docs for the rules.
#[derive(Clone, Debug)]
pub struct Chains(Arc<Table>);

#[derive(Debug)]
struct Table {
    catalog: Catalog,
    orders: Vec<Orders>,
    /// Places in `orders`, by the name of the chain or tier.
    named: HashMap<String, usize>,
    /// Orders for calls that name a model, without a chain of a task, an agent or a default.
    alone: Vec<Chain>,
    /// Places in `orders`, by the name of the agent or task.
    agents: HashMap<String, usize>,
    tasks: HashMap<String, usize>,
    default: Option<usize>,
}

/// The orders of one list.
#[derive(Debug)]
struct Orders {
    /// Order for calls that name no model; `None` if the list has no model to start with.
    from_the_top: Option<Chain>,
    /// Orders for calls that name a model, by the model's place in the catalog.
    from: Vec<Chain>,
}

/// Error for a call that names an unknown model, chain or tier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a model of the catalog, no chain and no tier with models; name one that is, or set a default"
)]
pub struct UnknownName(pub String);

impl Chains {
    /// Computes the orders that `config` defines for the models of `catalog`.
    ///
    /// # Errors
    /// Returns the first mistake in `config`, with its place.
    pub fn new(catalog: &Catalog, config: &ChainsConfig) -> Result<Self, ChainsError> {
        let mut faults = Vec::new();
        let lists = Lists::read(catalog, config, &mut faults);
        if !faults.is_empty() {
            return Err(faults.swap_remove(0));
        }
        let orders = lists.named.values().map(|list| Orders::new(list, &lists.nuclear, catalog)).collect();
        let places = lists.named.keys().enumerate().map(|(place, name)| (name.clone(), place));
        let named: HashMap<String, usize> = places.collect();
        let alone = catalog.models().iter().map(|start| {
            let list = TIERS
                .into_iter()
                .filter_map(|tier| lists.get(word(tier)))
                .find(|list| list.own.contains(start))
                .or_else(|| lists.get(word(start.tier)));
            from(start, list.unwrap_or(&List::default()), &lists.nuclear)
        });
        // Every name was checked when the lists were read.
        let by = |names: &BTreeMap<String, String>| {
            names.iter().filter_map(|(key, name)| Some((key.clone(), *named.get(name)?))).collect()
        };
        let (agents, tasks) = (by(&config.agents), by(&config.tasks));
        let default = config.default.as_ref().and_then(|name| named.get(name).copied());
        let (alone, catalog) = (alone.collect(), catalog.clone());
        Ok(Self(Arc::new(Table { catalog, orders, named, alone, agents, tasks, default })))
    }

    /// Lists the mistakes in `config`, one for each of its lists. Without mistakes, [`new`](Self::new)
    /// succeeds.
    ///
    /// ```
    /// use hooks_resilience::chain::ChainConfig;
    /// use hooks_resilience::{Catalog, Chains, ChainsConfig, Model, Tier};
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let config = ChainsConfig::default()
    ///     .with_chain("careful", ChainConfig::new(["opus", "gtp"]))
    ///     .with_agent("reviewer", "carefull");
    /// let faults: Vec<String> = Chains::check(&catalog, &config).iter().map(ToString::to_string).collect();
    /// assert_eq!(faults, [
    ///     "chains.careful.models[1]: the model `gtp` is not in the catalog; add it there, or use one of it",
    ///     "agents.reviewer: there is no chain and no tier `carefull`; define it under `chains`",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(catalog: &Catalog, config: &ChainsConfig) -> Vec<ChainsError> {
        let mut faults = Vec::new();
        Lists::read(catalog, config, &mut faults);
        faults
    }

    /// The catalog of the models.
    pub fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// The order for a call of `agent` for `task` that names `name`: a model, a chain, a tier, or nothing.
    /// The name in the call comes first, then the task's chain, the agent's chain, and the default.
    ///
    /// # Errors
    /// Returns [`UnknownName`] if the name is unknown, or if it is empty and there is no default.
    pub fn order(&self, name: &str, agent: &str, task: Option<&str>) -> Result<Chain, UnknownName> {
        self.find(name, agent, task).cloned().ok_or_else(|| UnknownName(name.to_owned()))
    }

    /// The order for `call`: from the model chosen for it, or from the name in its request.
    ///
    /// # Errors
    /// Returns an error of kind [`ErrorKind::NoModel`] if the name is unknown.
    ///
    /// ```
    /// use hooks_core::{drivers::ModelRequest, state::OpId};
    /// use hooks_resilience::{Call, Catalog, Chains, ChainsConfig, ErrorKind, Model, Tier};
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let chains = Chains::new(&catalog, &ChainsConfig::default())?;
    /// let call = |model: &str| {
    ///     let request = ModelRequest { model: model.to_owned(), ..ModelRequest::default() };
    ///     Call::new(Default::default(), request, OpId(1))
    /// };
    /// assert_eq!(&*chains.for_call(&call("opus"))?[0].name, "opus");
    /// let error = chains.for_call(&call("opsu")).expect_err("no model has this name");
    /// assert_eq!(error.kind(), ErrorKind::NoModel);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_call(&self, call: &Call) -> Result<Chain, ModelError> {
        if let Some(chain) = self.known(call) {
            return Ok(chain.clone());
        }
        match &call.model {
            Some(model) => Ok(Chain::new(Arc::clone(model), [])),
            None => {
                let unknown = UnknownName(call.request().model.clone());
                Err(ModelError::new(ErrorKind::NoModel, unknown.to_string()))
            }
        }
    }

    /// The order for `call`, if it was computed in advance.
    pub(crate) fn known(&self, call: &Call) -> Option<&Chain> {
        let agent = &call.context().agent_name;
        match &call.model {
            Some(model) => self.from(model, agent, call.task()),
            None => self.find(&call.request().model, agent, call.task()),
        }
    }

    fn find(&self, name: &str, agent: &str, task: Option<&str>) -> Option<&Chain> {
        if let Some(model) = self.0.catalog.get(name) {
            return self.from(model, agent, task);
        }
        let orders = match name {
            "" => self.given(agent, task),
            name => self.0.named.get(name).and_then(|place| self.0.orders.get(*place)),
        };
        orders?.from_the_top.as_ref()
    }

    /// The order that begins with `model`; `None` if it is of another catalog.
    fn from(&self, model: &Model, agent: &str, task: Option<&str>) -> Option<&Chain> {
        let chains = self.given(agent, task).map_or(&self.0.alone, |orders| &orders.from);
        let chain = chains.get(model.index())?;
        chain.first().is_some_and(|first| model.is_named(&first.name)).then_some(chain)
    }

    /// The orders for a call that names nothing itself.
    fn given(&self, agent: &str, task: Option<&str>) -> Option<&Orders> {
        let table = &*self.0;
        // If no agent or task has a chain, nothing is hashed.
        let of = |names: &HashMap<String, usize>, name: &str| match names.is_empty() {
            true => None,
            false => names.get(name).copied(),
        };
        let place = task.and_then(|task| of(&table.tasks, task)).or_else(|| of(&table.agents, agent));
        table.orders.get(place.or(table.default)?)
    }
}

impl Orders {
    fn new(list: &List, nuclear: &[Arc<Model>], catalog: &Catalog) -> Self {
        let first = list.own.first().or(list.further.first());
        let from_the_top = first.map(|first| from(first, list, nuclear));
        Self { from_the_top, from: catalog.models().iter().map(|start| from(start, list, nuclear)).collect() }
    }
}

/// The order from `start` through `list`. First come the models behind it in the list, in the written order.
/// Then come the models before it, the lists that this one continues with, and the last resort, unless they
/// cost more.
fn from(start: &Arc<Model>, list: &List, nuclear: &[Arc<Model>]) -> Chain {
    let place = list.own.iter().position(|model| model == start);
    let (before, behind) = list.own.split_at(place.unwrap_or(list.own.len()));
    let rest = before.iter().chain(&list.further).chain(nuclear);
    let rest = rest.filter(|model| list.upgrade || !costs_more(model, start));
    let mut seen = HashSet::from([start.index()]);
    let others = behind.iter().chain(rest).filter(|model| seen.insert(model.index()));
    // Nuclear models come last, whichever list they are in.
    let (last, usual): (Vec<_>, Vec<_>) = others.cloned().partition(|model| model.tier == Tier::Nuclear);
    Chain::new(Arc::clone(start), usual.into_iter().chain(last))
}
