//! The section about decisions of the team, which become rules for tool calls.

use hooks_context::directive::Detected;
use hooks_context::prompt::Enforces;
use hooks_core::HooksBuilder;
use hooks_team_rules::decisions::{Decisions, DecisionsConfig, TeamDecisions};

use super::scribe::{teams, workers};
use super::team_rules::TeamRuleWorld;

/// Key of the section.
pub(super) const KEY: &str = "decisions";

/// Adds the hooks of the section. The files are read again when they change.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &DecisionsConfig,
    world: &TeamRuleWorld<'_>,
) -> HooksBuilder {
    let place = teams(&config.team, world.store_thread);
    let decisions = TeamDecisions::new(place, workers(world.store_thread), &world.reader);
    decisions.with_archive(config.archive).with_editors(&config.editors).add_to(builder)
}

/// Shows a user whether a wish is enforced: it becomes a decision in the inbox, and its prose is read as that of every
/// other decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsDecision;

impl Enforces for AsDecision {
    fn enforcement(&self, wish: &Detected) -> Option<String> {
        let decisions = Decisions::parse(&format!("- {}\n", wish.text));
        let rules: usize = decisions.all().iter().map(|decision| decision.rules.len()).sum();
        (rules > 0).then(|| "calls that break it are denied (`hooks decisions` shows the rule)".to_owned())
    }
}
