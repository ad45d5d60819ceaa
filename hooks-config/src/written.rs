//! Adds the hooks that judge commands by the files of the session that they run.

use std::sync::Arc;

use hooks_classic::PolicyConfig;
use hooks_core::{Hooks, HooksBuilder};
use hooks_policies::OwnState;
use hooks_policies::config::WrittenScripts;
use hooks_team_rules::written::{JudgedFiles, WrittenFiles};

use super::team_rules::TeamRuleWorld;

/// Adds the hooks to `builder`, if commands are guarded and `written_scripts` is not off. A host that only explains adds no
/// files to the store. What limits or counts does not judge a file, and neither do packs.
/// The pair has the files that govern the agents, and their policy.
pub(super) fn add_to(
    builder: HooksBuilder,
    policy: &PolicyConfig,
    (protected, own_state): (&[String], &OwnState),
    world: &TeamRuleWorld<'_>,
    is_trial: bool,
) -> HooksBuilder {
    let guard = policy.command_guard.as_ref();
    if guard.is_none_or(|guard| guard.written_scripts == WrittenScripts::Off) {
        return builder;
    }
    let guards = PolicyConfig {
        paths: policy.paths.clone(),
        tools: policy.tools.clone(),
        write_guard: policy.write_guard.clone(),
        read_guard: policy.read_guard.clone(),
        command_guard: policy.command_guard.clone(),
        protected: policy.protected.clone(),
        rules: policy.rules.clone(),
        ..PolicyConfig::default()
    };
    let own = PolicyConfig { protected: protected.to_vec(), ..PolicyConfig::default() };
    let own_state = own_state.clone();
    let policies = move || {
        // Mistakes were reported when the policies were built.
        let builder = Hooks::builder().config(guards).unwrap_or_default();
        let mut builder = builder.config(own).unwrap_or_default();
        builder.add_policy(own_state);
        builder.build()
    };
    let store = Arc::clone(&world.store);
    let judged = if is_trial { JudgedFiles::OfSessionSoFar } else { JudgedFiles::OfSession };
    let Ok(builder) = builder.config(WrittenFiles::new(policies, judged, &world.reader, store));
    builder
}
