//! Effects of a pipeline in the answers of `hooks eval`: the caller is the host, and carries them out.

use hooks::Hooks;
use hooks::team_rules::phases::{PhaseEffect, PhaseEffects};
use serde_json::{Value, json};

/// Adds the effects that wait for the host to an outcome, as `effects`.
pub(crate) fn added(mut outcome: Value, hooks: &Hooks) -> Value {
    let waiting = hooks.extension::<PhaseEffects>().map(PhaseEffects::drain).unwrap_or_default();
    let effects: Vec<Value> = waiting.iter().filter_map(described).collect();
    if let Some(fields) = outcome.as_object_mut().filter(|_| !effects.is_empty()) {
        fields.insert("effects".to_owned(), effects.into());
    }
    outcome
}

/// Returns an effect as JSON; `None` for one that this program does not know.
fn described(effect: &PhaseEffect) -> Option<Value> {
    match effect {
        PhaseEffect::BatchCommit { workspace, files } => {
            Some(json!({"effect": "batch_commit", "workspace": workspace, "files": files}))
        }
        PhaseEffect::FinalCommit { workspace, files } => {
            Some(json!({"effect": "final_commit", "workspace": workspace, "files": files}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn effects_are_told_once() {
        let effects = PhaseEffects::default();
        let mut builder = Hooks::builder();
        builder.add_extension(Arc::new(effects.clone()));
        let hooks = builder.build();
        assert_eq!(added(json!({"outcome": 1}), &hooks), json!({"outcome": 1}));
        effects
            .push(PhaseEffect::BatchCommit { workspace: "/repo/run".into(), files: vec!["a.rs".to_owned()] });
        effects.push(PhaseEffect::FinalCommit {
            workspace: "/repo/run".into(),
            files: vec!["/repo/run/state.json".into()],
        });
        let wanted = json!([
            {"effect": "batch_commit", "workspace": "/repo/run", "files": ["a.rs"]},
            {"effect": "final_commit", "workspace": "/repo/run", "files": ["/repo/run/state.json"]},
        ]);
        assert_eq!(added(json!({}), &hooks)["effects"], wanted);
        assert_eq!(added(json!({}), &hooks), json!({}));
    }
}
