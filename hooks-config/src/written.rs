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

#[cfg(test)]
mod tests {
    use hooks_core::event::PreToolUse;
    use hooks_core::{HookContext, Judged};
    use serde_json::json;

    use crate::ConfigReader;

    #[tokio::test]
    async fn written_scripts_are_judged_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("a.sh");
        std::fs::write(&script, "rm -rf out").unwrap();
        for (setting, goes_ahead) in
            [("", false), (", written_scripts: judge", false), (", written_scripts: off", true)]
        {
            let guard = format!("command_guard: {{ block: [rm -rf]{setting} }}");
            let text = format!("version: 1\nstore: {{ engine: memory }}\n{guard}\n");
            let hooks = ConfigReader::default().parse(&text, "hooks.yaml").unwrap().hooks();
            let environment = hooks_system::system();
            let context = HookContext::new("s", "a").in_dir(folder.path()).with_environment(environment);
            let write = PreToolUse::new("write_file", json!({"path": script, "content": "rm -rf out"}));
            hooks.on(context.clone()).pre_tool_use(write).await.commit();
            let run = PreToolUse::new("bash", json!({"command": "sh a.sh"}));
            let ran = hooks.on(context.clone()).pre_tool_use(run).await.outcome.goes_ahead();
            assert_eq!(ran, goes_ahead, "{setting}");
            let plain = PreToolUse::new("bash", json!({"command": "rm -rf out"}));
            assert!(!hooks.on(context).pre_tool_use(plain).await.outcome.goes_ahead(), "{setting}");
        }
    }
}
