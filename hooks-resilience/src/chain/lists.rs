//! The lists as configured: checked, and followed to their ends.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::config::{ChainConfig, ChainsConfig};
use super::error::{ChainFault, ChainsError, word};
use crate::catalog::{Catalog, Model, Tier};

/// The tiers a call can start at or descend to, the dearest first.
pub(super) const TIERS: [Tier; 3] = [Tier::Premium, Tier::Standard, Tier::Fast];

/// Models, in order.
type Models = Vec<Arc<Model>>;

/// One list, and what it goes on with.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// As a person wrote it, without those that chains skip.
    pub(super) own: Models,
    /// What comes when these are used up.
    pub(super) further: Models,
    /// Whether it may go upwards in cost.
    pub(super) upgrade: bool,
}

/// Every list that a name stands for, tiers included.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) named: BTreeMap<String, List>,
    pub(super) nuclear: Models,
}

/// Reads the lists of one configuration.
struct Reader<'a> {
    catalog: &'a Catalog,
    config: &'a ChainsConfig,
}

impl Lists {
    /// The lists, as far as they make sense; what does not is added to `faults`, once for each list.
    pub(super) fn read(catalog: &Catalog, config: &ChainsConfig, faults: &mut Vec<ChainsError>) -> Self {
        let reader = Reader { catalog, config };
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
        lists
    }

    /// The chain's, or the tier's.
    pub(super) fn get(&self, name: &str) -> Option<&List> {
        self.named.get(name)
    }

    fn check_names(&self, config: &ChainsConfig, faults: &mut Vec<ChainsError>) {
        let all_make_sense = faults.is_empty();
        let default = config.default.iter().map(|name| ("default".to_owned(), name));
        let agents = config.agents.iter().map(|(agent, name)| (format!("agents.{agent}"), name));
        let tasks = config.tasks.iter().map(|(task, name)| (format!("tasks.{task}"), name));
        for (path, name) in default.chain(agents).chain(tasks) {
            match self.get(name) {
                None => faults.push(error(path, ChainFault::UnknownChain(name.clone()))),
                // Of lists that make no sense it is known already.
                Some(list) if all_make_sense && list.own.is_empty() && list.further.is_empty() => {
                    faults.push(error(path, ChainFault::Empty));
                }
                Some(_) => {}
            }
        }
    }
}

impl Reader<'_> {
    /// The models of each tier, listed or the catalog's.
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
        // The last resort may be anything; what a tier lists else must not be above it.
        if tier != Tier::Nuclear && !self.config.upgrade {
            not_upwards(&path, tier, &listed)?;
        }
        Ok((tier, self.only_usable(&path, listed, tier)?))
    }

    /// The models of each chain itself.
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

    /// A chain's own models, and those of all it goes on with, in turn. A cycle is the fault of one of its chains.
    fn follow(
        &self,
        name: &str,
        chains: &BTreeMap<&str, Models>,
        tiers: &BTreeMap<String, List>,
    ) -> Result<(Models, Models), Option<ChainsError>> {
        let own = chains.get(name).cloned().unwrap_or_default();
        let (mut further, mut passed, mut at) = (Vec::new(), vec![name.to_owned()], name);
        // Ends: each turn passes a chain that was not passed yet.
        while let Some(ChainConfig { then: Some(then), .. }) = self.config.chains.get(at) {
            let path = || format!("chains.{at}.then");
            if passed.contains(then) {
                let is_first = then == name && passed.iter().all(|passed| name <= passed.as_str());
                passed.push(then.clone());
                return Err(is_first.then(|| error(path(), ChainFault::Cycle(passed))));
            }
            match (chains.get(then.as_str()), tiers.get(then)) {
                (Some(models), _) => further.extend(models.iter().cloned()),
                (None, Some(List { own, further: cheaper, .. })) => {
                    further.extend(own.iter().chain(cheaper).cloned());
                }
                // Told of the chain that names it, not of all that lead there.
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

    /// The models of these names, each once.
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

    /// Whether a list of this tier may use a model that the call does not name.
    fn usable(&self, model: &Model, list: Tier) -> bool {
        !model.restricted && (model.tier != Tier::Nuclear || (self.config.nuclear && list == Tier::Nuclear))
    }
}

/// Refuses a list that goes to a tier above the one it had come down to. The last resort may stand anywhere.
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
