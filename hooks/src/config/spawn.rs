//! The children of a configuration: its section, and the models that its rules may name.

use hooks_policies::config::{PolicyConfig, SpawnConfig};
use serde_json::Value;

use super::error::Mistakes;
use super::models::Models;
use super::prune::Pruned;
use super::section;

/// The key it stands under.
pub(super) const KEY: &str = "spawn";

/// Reads the section, whose durations only the reader knows, and reports each at its place.
pub(super) fn read(value: Value, tree: &Pruned, mistakes: &mut Mistakes) -> Option<SpawnConfig> {
    section::read(KEY, value, tree, mistakes)
}

/// `policy` with what the catalog knows: the tiers of its models, and, where the section does not say which models
/// there are, those of the catalog.
pub(super) fn informed(mut policy: PolicyConfig, models: Option<&Models>) -> PolicyConfig {
    let Some((spawn, models)) = policy.spawn.as_mut().zip(models) else { return policy };
    let models = models.resilience.catalog().models();
    for model in models {
        // As the catalog writes it.
        if let Ok(Value::String(tier)) = serde_json::to_value(model.tier) {
            spawn.tiers.entry(tier).or_default().push(model.name.to_string());
        }
    }
    if !models.is_empty() {
        spawn.known_models.get_or_insert_with(|| models.iter().map(|model| model.name.to_string()).collect());
    }
    policy
}
