//! The sections about rules that come from a team's own state.

use hooks_core::HooksBuilder;
use hooks_store::StoreThread;
use hooks_team_rules::decisions::DecisionsConfig;
use serde::Serialize;
use serde_json::{Map, Value};

use super::build::Kept;
use super::error::Mistakes;
use super::prune::Pruned;
use super::{decisions, plain, section};

/// Keys of the sections.
pub(super) const KEYS: [&str; 1] = [decisions::KEY];

/// The sections about a team's rules; empty for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeamRuleSections {
    /// Decisions of the team as rules.
    pub decisions: Option<DecisionsConfig>,
}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(decisions::KEY.to_owned(), section::schema::<DecisionsConfig>(root));
}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<DecisionsConfig>(sections, decisions::KEY)
}

/// Removes the sections from `sections` and reads them.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> TeamRuleSections {
    TeamRuleSections { decisions: section::taken(decisions::KEY, sections, tree, mistakes) }
}

impl TeamRuleSections {
    /// Adds the hooks of the sections, or reports their mistakes.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        _kept: &Kept,
        store_thread: StoreThread,
        _tree: Option<&Pruned>,
        _mistakes: &mut Mistakes,
    ) -> HooksBuilder {
        if let Some(config) = &self.decisions {
            builder = decisions::add_to(builder, config, store_thread);
        }
        builder
    }
}
