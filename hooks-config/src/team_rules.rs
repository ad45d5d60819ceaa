//! The sections about rules that come from a team's own state.

use hooks_classic::PolicyConfig;
use hooks_core::{HooksBuilder, PolicyErrors};
use hooks_facts::calls::CallReader;
use hooks_team_rules::phases::PhasesConfig;
use hooks_team_rules::sequences::SequenceRuleConfig;
use serde::Serialize;
use serde_json::{Map, Value};

use super::build::Kept;
use super::error::Mistakes;
use super::prune::Pruned;
use super::{phases, plain, section, sequences};

/// Keys of the sections.
pub(super) const KEYS: [&str; 2] = [phases::KEY, sequences::KEY];

/// The sections about a team's rules; empty for each that the file does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TeamRuleSections {
    /// Phases of a pipeline.
    pub phases: Option<PhasesConfig>,
    /// Rules about the order of calls.
    pub sequences: Vec<SequenceRuleConfig>,
}

/// Adds the schemas of the sections to `properties`, and their definitions to those of `root`.
pub(super) fn schemas(properties: &mut Map<String, Value>, root: &mut Map<String, Value>) {
    properties.insert(phases::KEY.to_owned(), section::schema::<PhasesConfig>(root));
    properties.insert(sequences::KEY.to_owned(), section::schema::<Vec<SequenceRuleConfig>>(root));
}

/// Removes the sections from `sections` and returns whether they certainly have no mistake.
pub(super) fn are_right(sections: &mut Map<String, Value>) -> bool {
    plain::is_right_in::<PhasesConfig>(sections, phases::KEY)
        && plain::is_right_in::<Vec<SequenceRuleConfig>>(sections, sequences::KEY)
}

/// Removes the sections from `sections` and reads them.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> TeamRuleSections {
    TeamRuleSections {
        phases: section::taken(phases::KEY, sections, tree, mistakes),
        sequences: section::taken(sequences::KEY, sections, tree, mistakes).unwrap_or_default(),
    }
}

impl TeamRuleSections {
    /// Adds the hooks of the sections, or reports their mistakes. Calls are read as `policy` has them read.
    pub(super) fn add_to(
        &self,
        mut builder: HooksBuilder,
        policy: &PolicyConfig,
        kept: &Kept,
        tree: Option<&Pruned>,
        mistakes: &mut Mistakes,
    ) -> HooksBuilder {
        // The mistakes of these settings are reported by the policies that have them too.
        let reader = CallReader::compile(&policy.paths, &policy.tools, &mut PolicyErrors::default());
        if let Some(config) = &self.phases {
            builder = phases::add_to(builder, config, tree, mistakes);
        }
        sequences::add_to(&self.sequences, builder, &reader, kept, tree, mistakes)
    }
}
