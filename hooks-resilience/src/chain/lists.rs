//! The configured lists: checked, and followed to their ends.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::config::{ChainConfig, ChainsConfig};
use super::error::{ChainFault, ChainsError, word};
use crate::catalog::{Catalog, Model, Tier};

/// The tiers that a call can start at or descend to, the most expensive first.
pub(super) const TIERS: [Tier; 3] = [Tier::Premium, Tier::Standard, Tier::Fast];

/// The most chains in a configuration.
const MOST_CHAINS: usize = 1_000;

/// The most places in all orders together: each list has one order for each model.
const MOST_PLACES: usize = 10_000_000;

/// Models, in order.
type Models = Vec<Arc<Model>>;

/// One list, and the models that follow it.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// Models as written, without those that chains skip.
    pub(super) own: Models,
    /// Models that follow after the last of the list.
    pub(super) further: Models,
    /// Whether the list may go to more expensive models.
    pub(super) upgrade: bool,
}

/// All lists by name, tiers included.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) named: BTreeMap<String, List>,
    pub(super) nuclear: Models,
}

/// Reads the lists of one configuration.
struct ListsParser<'a> {
    catalog: &'a Catalog,
    config: &'a ChainsConfig,
}

impl Lists {
    /// Reads the valid lists; mistakes are added to `faults`, one for each list.
    pub(super) fn read(catalog: &Catalog, config: &ChainsConfig, faults: &mut Vec<ChainsError>) -> Self {
        if config.chains.len() > MOST_CHAINS {
            faults.push(error("chains", ChainFault::TooManyChains(config.chains.len(), MOST_CHAINS)));
            return Self { named: BTreeMap::new(), nuclear: Models::new() };
        }
        let reader = ListsParser { catalog, config };
        let tiers = reader.tiers(faults);
        let chains = reader.chains(faults);
        let nuclear = match config.nuclear {
            true => tiers.get(word(Tier::Nuclear)).cloned().unwrap_or_default(),
            false => Vec::new(),
        };
        if config.nuclear && nuclear.is_empty() {
            faults.push(error("nuclear", ChainFault::NuclearWithoutModels));
        }
        let mut named = BTreeMap::new();
        for (place, tier) in TIERS.iter().enumerate() {
            let own = tiers.get(word(*tier)).cloned().unwrap_or_default();
            let cheaper = TIERS.iter().skip(place + 1).filter(|_| config.descend);
            let dearer = TIERS.iter().take(place).rev().filter(|_| config.upgrade);
            let further = cheaper.chain(dearer).filter_map(|tier| tiers.get(word(*tier)));
            let further = further.flatten().cloned().collect();
            named.insert(word(*tier).to_owned(), List { own, further, upgrade: config.upgrade });
        }
        for name in config.chains.keys() {
            let (own, further) = reader.follow(name, &chains, &named).unwrap_or_else(|fault| {
                faults.extend(fault);
                Default::default()
            });
            let upgrade = config.upgrade || config.chains.get(name).is_some_and(|chain| chain.upgrade);
            named.insert(name.clone(), List { own, further, upgrade });
        }
        let lists = Self { named, nuclear };
        lists.check_names(config, faults);
        lists.check_size(catalog.models().len(), faults);
        lists
    }

    /// The list of the chain or tier `name`.
    pub(super) fn get(&self, name: &str) -> Option<&List> {
        self.named.get(name)
    }

    fn check_size(&self, models: usize, faults: &mut Vec<ChainsError>) {
        let places = self.named.values().map(|list| list.own.len() + list.further.len()).sum::<usize>();
        if places.saturating_mul(models) > MOST_PLACES {
            faults.push(error("chains", ChainFault::TooLarge(models, places)));
        }
    }

    fn check_names(&self, config: &ChainsConfig, faults: &mut Vec<ChainsError>) {
        let all_make_sense = faults.is_empty();
        let default = config.default.iter().map(|name| ("default".to_owned(), name));
        let agents = config.agents.iter().map(|(agent, name)| (format!("agents.{agent}"), name));
        let tasks = config.tasks.iter().map(|(task, name)| (format!("tasks.{task}"), name));
        for (path, name) in default.chain(agents).chain(tasks) {
            match self.get(name) {
                None => faults.push(error(path, ChainFault::UnknownChain(name.clone()))),
                // The mistakes of invalid lists were reported already.
                Some(list) if all_make_sense && list.own.is_empty() && list.further.is_empty() => {
                    faults.push(error(path, ChainFault::Empty));
                }
                Some(_) => {}
            }
        }
    }
}

impl ListsParser<'_> {
    /// The models of each tier: those listed, or the catalog's.
    fn tiers(&self, faults: &mut Vec<ChainsError>) -> BTreeMap<&'static str, Models> {
        let mut tiers = BTreeMap::new();
        for tier in TIERS.into_iter().chain([Tier::Nuclear]) {
            let of_catalog = self.catalog.models().iter().filter(|model| model.tier == tier);
            tiers.insert(word(tier), of_catalog.filter(|model| self.usable(model, tier)).cloned().collect());
        }
        for (name, models) in &self.config.tiers {
            match self.tier(name, models) {
                Ok((tier, listed)) => drop(tiers.insert(word(tier), listed)),
                Err(fault) => faults.push(fault),
            }
        }
        tiers
    }

    fn tier(&self, name: &str, models: &[String]) -> Result<(Tier, Models), ChainsError> {
        let known = TIERS.into_iter().chain([Tier::Nuclear]).find(|tier| word(*tier) == name);
        let path = format!("tiers.{name}");
        let tier = known.ok_or_else(|| error(&path, ChainFault::UnknownTier(name.to_owned())))?;
        let listed = self.models(&path, models)?;
        // The last resort may list any model; other tiers must not list a more expensive one.
        if tier != Tier::Nuclear && !self.config.upgrade {
            not_upwards(&path, tier, &listed)?;
        }
        Ok((tier, self.only_usable(&path, listed, tier)?))
    }

    /// The models that each chain lists itself.
    fn chains(&self, faults: &mut Vec<ChainsError>) -> BTreeMap<&str, Models> {
        let models = |(name, chain): (&'_ String, &ChainConfig)| {
            self.chain(name, chain).unwrap_or_else(|fault| {
                faults.push(fault);
                Vec::new()
            })
        };
        let names = self.config.chains.keys().map(String::as_str);
        names.zip(self.config.chains.iter().map(models)).collect()
    }

    fn chain(&self, name: &str, chain: &ChainConfig) -> Result<Models, ChainsError> {
        let place = format!("chains.{name}");
        if TIERS.into_iter().chain([Tier::Nuclear]).any(|tier| word(tier) == name) {
            return Err(error(place, ChainFault::NameOfTier(name.to_owned())));
        }
        if self.catalog.get(name).is_some() {
            return Err(error(place, ChainFault::NameOfModel(name.to_owned())));
        }
        let path = format!("{place}.models");
        let listed = self.models(&path, &chain.models)?;
        if !chain.upgrade && !self.config.upgrade {
            not_upwards(&path, Tier::Premium, &listed)?;
        }
        self.only_usable(&path, listed, Tier::Premium)
    }

    /// The models of a chain, and those of all chains and tiers that follow it. A cycle is reported for one
    /// of its chains.
    fn follow(
        &self,
        name: &str,
        chains: &BTreeMap<&str, Models>,
        tiers: &BTreeMap<String, List>,
    ) -> Result<(Models, Models), Option<ChainsError>> {
        let own = chains.get(name).cloned().unwrap_or_default();
        let (mut further, mut passed, mut at) = (Models::new(), vec![name.to_owned()], name);
        // Each model once, as in an order.
        let mut seen = HashSet::new();
        let mut add = |models: &[Arc<Model>]| {
            further.extend(models.iter().filter(|model| seen.insert(model.index())).cloned());
        };
        // The loop ends, because each turn visits a chain that was not visited yet.
        while let Some(ChainConfig { then: Some(then), .. }) = self.config.chains.get(at) {
            let path = || format!("chains.{at}.then");
            if passed.contains(then) {
                let is_first = then == name && passed.iter().all(|passed| name <= passed.as_str());
                passed.push(then.clone());
                return Err(is_first.then(|| error(path(), ChainFault::Cycle(passed))));
            }
            match (chains.get(then.as_str()), tiers.get(then)) {
                (Some(models), _) => add(models),
                (None, Some(List { own, further: cheaper, .. })) => {
                    add(own);
                    add(cheaper);
                }
                // Reported for the chain that names it, not for all chains that lead there.
                (None, None) if at == name => {
                    return Err(Some(error(path(), ChainFault::UnknownChain(then.clone()))));
                }
                (None, None) => return Err(None),
            }
            passed.push(then.clone());
            at = then;
        }
        Ok((own, further))
    }

    /// The models with these names, without duplicates.
    fn models(&self, path: &str, names: &[String]) -> Result<Models, ChainsError> {
        if names.is_empty() {
            return Err(error(path, ChainFault::Empty));
        }
        let (mut seen, mut models) = (HashSet::new(), Vec::new());
        for (index, name) in names.iter().enumerate() {
            let fault = |fault| error(format!("{path}[{index}]"), fault);
            let model =
                self.catalog.get(name).ok_or_else(|| fault(ChainFault::UnknownModel(name.clone())))?;
            if !seen.insert(name) {
                return Err(fault(ChainFault::Twice(name.clone())));
            }
            models.push(Arc::clone(model));
        }
        Ok(models)
    }

    fn only_usable(&self, path: &str, mut models: Models, tier: Tier) -> Result<Models, ChainsError> {
        models.retain(|model| self.usable(model, tier));
        if models.is_empty() && (tier != Tier::Nuclear || self.config.nuclear) {
            return Err(error(path, ChainFault::NothingLeft));
        }
        Ok(models)
    }

    /// Whether a list of this tier may use `model` for calls that do not name it.
    fn usable(&self, model: &Model, list: Tier) -> bool {
        !model.restricted && (model.tier != Tier::Nuclear || (self.config.nuclear && list == Tier::Nuclear))
    }
}

/// Returns an error if a list goes back to a more expensive tier. The last resort may stand anywhere.
fn not_upwards(path: &str, from: Tier, models: &[Arc<Model>]) -> Result<(), ChainsError> {
    let mut below = from;
    for (index, model) in models.iter().enumerate() {
        if model.tier > below {
            let fault = ChainFault::Upwards { model: model.name.to_string(), tier: model.tier, below };
            return Err(error(format!("{path}[{index}]"), fault));
        }
        if model.tier != Tier::Nuclear {
            below = model.tier;
        }
    }
    Ok(())
}

fn error(path: impl Into<String>, fault: ChainFault) -> ChainsError {
    ChainsError { path: path.into(), fault }
}
