//! The section about children, and the models that its rules may name.

use hooks_budgets::SpawnConfig;
use hooks_classic::PolicyConfig;
use serde_json::Value;

use super::error::Mistakes;
use super::models::Models;
use super::prune::Pruned;
use super::section;

/// Key of the section.
pub(super) const KEY: &str = "spawn";

/// Reads the section and reports each mistake at its place. Only its reader can check durations.
pub(super) fn read(value: Value, tree: &Pruned, mistakes: &mut Mistakes) -> Option<SpawnConfig> {
    section::read(KEY, value, tree, mistakes)
}

/// Returns `policy` with the tiers of the catalog's models. If the section has no list of models, those of
/// the catalog are the known ones.
pub(super) fn informed(mut policy: PolicyConfig, models: Option<&Models>) -> PolicyConfig {
    let Some((spawn, models)) = policy.spawn.as_mut().zip(models) else { return policy };
    let models = models.resilience.catalog().models();
    for model in models {
        // Spelled as in the catalog.
        if let Ok(Value::String(tier)) = serde_json::to_value(model.tier) {
            spawn.tiers.entry(tier).or_default().push(model.name.to_string());
        }
    }
    if !models.is_empty() {
        spawn.known_models.get_or_insert_with(|| models.iter().map(|model| model.name.to_string()).collect());
    }
    policy
}
