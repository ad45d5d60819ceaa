//! The orders of a configuration, worked out once.

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

/// The models a call may use, the preferred one first. Never empty; a clone bumps one counter.
#[derive(Clone, Debug)]
pub struct Chain(Arc<[Arc<Model>]>);

impl Chain {
    /// A chain of `first`, and `others` after it.
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

/// Which models each call may use: everything a configuration says, worked out. Cheap to clone; see the
/// module docs for the rules.
#[derive(Clone, Debug)]
pub struct Chains(Arc<Table>);

#[derive(Debug)]
struct Table {
    catalog: Catalog,
    orders: Vec<Orders>,
    /// Places among the orders, by the name of the chain or tier.
    named: HashMap<String, usize>,
    /// Where the call names a model and nothing else is said.
    alone: Vec<Chain>,
    /// The same, by agent and by task.
    agents: HashMap<String, usize>,
    tasks: HashMap<String, usize>,
    default: Option<usize>,
}

/// The orders of one list.
#[derive(Debug)]
struct Orders {
    /// Where the call names no model; `None` where the list has none it could start at.
    from_the_top: Option<Chain>,
    /// Where it names one, by the model's place in the catalog.
    from: Vec<Chain>,
}

/// A call names a model, chain or tier that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no model of the catalog, no chain and no tier with models; name one that is, or set a default"
)]
pub struct UnknownName(pub String);

impl Chains {
    /// Works out what `config` says about the models of `catalog`.
    ///
    /// # Errors
    /// The first mistake, with its place.
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
        // Every name was looked up when the lists were read.
        let by = |names: &BTreeMap<String, String>| {
            names.iter().filter_map(|(key, name)| Some((key.clone(), *named.get(name)?))).collect()
        };
        let (agents, tasks) = (by(&config.agents), by(&config.tasks));
        let default = config.default.as_ref().and_then(|name| named.get(name).copied());
        let (alone, catalog) = (alone.collect(), catalog.clone());
        Ok(Self(Arc::new(Table { catalog, orders, named, alone, agents, tasks, default })))
    }

    /// Everything that is wrong with `config`, once for each of its lists; where it is nothing, [`new`](Self::new)
    /// makes sense of it.
    pub fn check(catalog: &Catalog, config: &ChainsConfig) -> Vec<ChainsError> {
        let mut faults = Vec::new();
        Lists::read(catalog, config, &mut faults);
        faults
    }

    /// The models they are made of.
    pub fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// Whom a call asks that names `name` (a model, a chain, a tier, or nothing), of `agent`, for `task`. What
    /// the call names comes first; then the task's chain, the agent's, the default.
    ///
    /// # Errors
    /// The name is not known, or there is none and no default either.
    pub fn order(&self, name: &str, agent: &str, task: Option<&str>) -> Result<Chain, UnknownName> {
        self.find(name, agent, task).cloned().ok_or_else(|| UnknownName(name.to_owned()))
    }

    /// Whom `call` asks: from the model that was chosen for it, or from what its request names.
    ///
    /// # Errors
    /// [`ErrorKind::NoModel`], where the name is not known.
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

    /// The same, where it is worked out already.
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

    /// The order that begins with `model`; `None` where it is of another catalog.
    fn from(&self, model: &Model, agent: &str, task: Option<&str>) -> Option<&Chain> {
        let chains = self.given(agent, task).map_or(&self.0.alone, |orders| &orders.from);
        let chain = chains.get(model.index())?;
        chain.first().is_some_and(|first| model.is_named(&first.name)).then_some(chain)
    }

    /// What a call uses that names none itself.
    fn given(&self, agent: &str, task: Option<&str>) -> Option<&Orders> {
        let table = &*self.0;
        // Where nobody has a chain of their own nothing is hashed.
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

/// From `start`, through `list`: what stands behind it there, in the order a person gave; then what stands before
/// it, what the list goes on with, and the last resort, as far as they do not cost more.
fn from(start: &Arc<Model>, list: &List, nuclear: &[Arc<Model>]) -> Chain {
    let place = list.own.iter().position(|model| model == start);
    let (before, behind) = list.own.split_at(place.unwrap_or(list.own.len()));
    let rest = before.iter().chain(&list.further).chain(nuclear);
    let rest = rest.filter(|model| list.upgrade || !costs_more(model, start));
    let mut seen = HashSet::from([start.index()]);
    let others = behind.iter().chain(rest).filter(|model| seen.insert(model.index()));
    // Nuclear models are last wherever they came from.
    let (last, usual): (Vec<_>, Vec<_>) = others.cloned().partition(|model| model.tier == Tier::Nuclear);
    Chain::new(Arc::clone(start), usual.into_iter().chain(last))
}
