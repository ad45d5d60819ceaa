//! The sections about rules that come from a team's own state.

use std::path::Path;
use std::sync::Arc;

use hooks_classic::PolicyConfig;
use hooks_core::state::StateStore;
use hooks_core::{HooksBuilder, PolicyErrors};
use hooks_facts::calls::CallReader;
use hooks_store::StoreThread;
use hooks_team_rules::HeldCeremonies;
use hooks_team_rules::boundaries::BoundariesConfig;
use hooks_team_rules::ceremonies::CeremoniesConfig;
use hooks_team_rules::decisions::DecisionsConfig;
use hooks_team_rules::phases::{PhaseEffects, PhasesConfig};
use hooks_team_rules::routing::RoutesConfig;
use hooks_team_rules::sequences::SequenceRuleConfig;
use serde::Serialize;
use serde_json::{Map, Value};

use super::build::Kept;
use super::error::{Mistakes, TextPosition};
use super::prune::Pruned;
use super::{boundaries, ceremonies, context, decisions, phases, plain, routes, section, sequences};

/// Keys of the sections.
pub(super) const KEYS: [&str; 6] =
    [boundaries::KEY, ceremonies::KEY, decisions::KEY, phases::KEY, routes::KEY, sequences::KEY];

/// The sections about a team's rules; empty for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeamRuleSections {
    /// Files that each agent writes and reads.
    pub boundaries: Option<BoundariesConfig>,
    /// Tools that ceremonies close.
    pub ceremonies: Option<CeremoniesConfig>,
    /// Decisions of the team as rules.
    pub decisions: Option<DecisionsConfig>,
    /// Phases of a pipeline.
    pub phases: Option<PhasesConfig>,
    /// Rules about routes.
    pub routes: Option<RoutesConfig>,
    /// Rules about the order of calls.
    pub sequences: Vec<SequenceRuleConfig>,
}

/// Parts of a configuration that the sections use besides their own.
pub(super) struct TeamRuleWorld<'a> {
    pub(super) policy: &'a PolicyConfig,
    pub(super) reader: CallReader,
    /// The store, as the tenants see it.
    pub(super) store: Arc<dyn StateStore>,
    /// Thread that does the work of files.
    pub(super) store_thread: StoreThread,
    /// Ceremonies that an earlier configuration keeps in memory.
    pub(super) held: Option<HeldCeremonies>,
    /// Effects that the host has to carry out.
    pub(super) effects: PhaseEffects,
}

impl<'a> TeamRuleWorld<'a> {
    pub(super) fn new(
        policy: &'a PolicyConfig,
        store: Arc<dyn StateStore>,
        store_thread: StoreThread,
    ) -> Self {
        // Mistakes were reported when the policies were built.
        let reader = CallReader::new(&policy.paths, &policy.tools).unwrap_or_default();
        Self { policy, reader, store, store_thread, held: None, effects: PhaseEffects::default() }
    }

    /// Continues what `kept` has in memory.
    pub(super) fn continuing(self, kept: &Kept) -> Self {
        Self { held: kept.ceremonies().cloned(), effects: kept.effects().clone(), ..self }
    }
}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(boundaries::KEY.to_owned(), section::schema::<BoundariesConfig>(root));
    properties.insert(ceremonies::KEY.to_owned(), section::schema::<CeremoniesConfig>(root));
    properties.insert(decisions::KEY.to_owned(), section::schema::<DecisionsConfig>(root));
    properties.insert(phases::KEY.to_owned(), section::schema::<PhasesConfig>(root));
    properties.insert(routes::KEY.to_owned(), section::schema::<RoutesConfig>(root));
    properties.insert(sequences::KEY.to_owned(), section::schema::<Vec<SequenceRuleConfig>>(root));
}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<BoundariesConfig>(sections, boundaries::KEY)
        && plain::is_right_in::<CeremoniesConfig>(sections, ceremonies::KEY)
        && plain::is_right_in::<DecisionsConfig>(sections, decisions::KEY)
        && plain::is_right_in::<PhasesConfig>(sections, phases::KEY)
        && plain::is_right_in::<RoutesConfig>(sections, routes::KEY)
        && plain::is_right_in::<Vec<SequenceRuleConfig>>(sections, sequences::KEY)
}

/// Removes the sections from `sections` and reads them.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> TeamRuleSections {
    TeamRuleSections {
        boundaries: section::taken(boundaries::KEY, sections, tree, mistakes),
        ceremonies: section::taken(ceremonies::KEY, sections, tree, mistakes),
        decisions: section::taken(decisions::KEY, sections, tree, mistakes),
        phases: section::taken(phases::KEY, sections, tree, mistakes),
        routes: section::taken(routes::KEY, sections, tree, mistakes),
        sequences: section::taken(sequences::KEY, sections, tree, mistakes).unwrap_or_default(),
    }
}

impl TeamRuleSections {
    /// Patterns that protect the state of ceremonies in the folders of teams. `path` is that of the configuration.
    pub(super) fn files_of(&self, path: Option<&Path>) -> Vec<String> {
        context::own_folders(self.ceremonies.iter().map(|config| &config.team), path)
    }

    /// Adds the hooks of the sections, or reports their mistakes. Sequences come last, so that no call that another
    /// hook denies is recorded.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        world: &TeamRuleWorld<'_>,
        tree: Option<&Pruned>,
        mistakes: &mut Mistakes,
    ) -> HooksBuilder {
        if let Some(config) = &self.boundaries {
            builder = boundaries::add_to(builder, config, world, tree, mistakes);
        }
        if let Some(config) = &self.ceremonies {
            builder = ceremonies::add_to(builder, config, world, tree, mistakes);
        }
        if let Some(config) = &self.decisions {
            builder = decisions::add_to(builder, config, world);
        }
        if let Some(config) = &self.phases {
            builder = phases::add_to(builder, config, world, tree, mistakes);
        }
        if let Some(config) = &self.routes {
            builder = routes::add_to(builder, config, world, tree, mistakes);
        }
        sequences::add_to(&self.sequences, builder, world, tree, mistakes)
    }
}

/// Returns what `compile` makes, or reports the mistakes that it finds, each at its place.
pub(super) fn report<T>(
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
    compile: impl FnOnce(&mut PolicyErrors) -> T,
) -> Option<T> {
    let mut errors = PolicyErrors::default();
    let compiled = compile(&mut errors);
    match errors.or(compiled) {
        Ok(compiled) => Some(compiled),
        Err(errors) => {
            for error in errors {
                let (place, field) = match tree {
                    Some(tree) => (tree.root.locate(&error.field), tree.path_before(&error.field)),
                    None => (&TextPosition::START, error.field),
                };
                mistakes.add_with_hint(place, field, error.problem, error.hint);
            }
            None
        }
    }
}
