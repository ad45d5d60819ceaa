//! The sections about rules that come from a team's own state.

use hooks_core::HooksBuilder;
use serde::Serialize;
use serde_json::{Map, Value};

use super::build::Kept;
use super::error::Mistakes;
use super::prune::Pruned;

/// Keys of the sections.
pub(super) const KEYS: [&str; 0] = [];

/// The sections about a team's rules; empty for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeamRuleSections {}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(_properties: &mut Map<String, Value>, _root: &mut Map<String, Value>) {}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(_sections: &mut Map<String, Value>) -> bool {
    true
}

/// Removes the sections from `sections` and reads them.
pub(super) fn take(
    _sections: &mut Map<String, Value>,
    _tree: &Pruned,
    _mistakes: &mut Mistakes,
) -> TeamRuleSections {
    TeamRuleSections {}
}

impl TeamRuleSections {
    /// Adds the hooks of the sections, or reports their mistakes.
    pub(super) fn add_to(
        &self,
        builder: HooksBuilder,
        _kept: &Kept,
        _tree: Option<&Pruned>,
        _mistakes: &mut Mistakes,
    ) -> HooksBuilder {
        builder
    }
}
