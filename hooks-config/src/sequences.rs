//! The section about the order of calls.

use std::sync::Arc;

use hooks_core::HooksBuilder;
use hooks_team_rules::sequences::{SequenceRuleConfig, Sequences};

use super::error::Mistakes;
use super::prune::Pruned;
use super::team_rules::TeamRuleWorld;

/// Key of the section.
pub(super) const KEY: &str = "sequences";

/// Adds the rules to `builder`, or reports their mistakes.
pub(super) fn add_to(
    rules: &[SequenceRuleConfig],
    builder: HooksBuilder,
    world: &TeamRuleWorld<'_>,
    tree: Option<&Pruned>,
    mistakes: &mut Mistakes,
) -> HooksBuilder {
    if rules.is_empty() {
        return builder;
    }
    match Sequences::new(rules, &world.reader, Arc::clone(&world.store)) {
        Ok(sequences) => {
            let Ok(builder) = builder.config(sequences);
            builder
        }
        Err(errors) => {
            for error in errors {
                let Some(tree) = tree else { continue };
                let (place, path) = (tree.root.locate(&error.field), tree.path_before(&error.field));
                mistakes.add_with_hint(place, path, error.problem, error.hint);
            }
            builder
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::event::PreToolUse;
    use hooks_core::{HookContext, Hooks, Judged};
    use serde_json::json;

    use super::super::{ConfigReader, Kept};

    const RULES: &str = "
version: 1
paths: { root: /repo }
sequences:
  - name: secrets-stay
    taint:
      from: { reads: [secrets/**] }
      to: [{ tools: [WebFetch] }, { commands: [curl] }]
  - name: few-pushes
    action: ask
    calls: { commands: [git push] }
    at_most: 3
    within: 10m
";

    async fn goes_ahead(hooks: &Hooks, tool: &str, args: serde_json::Value) -> bool {
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(hooks_system::system());
        let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
        decision.commit();
        decision.outcome.goes_ahead()
    }

    #[tokio::test]
    async fn rules_of_two_configurations_share_the_store() {
        let first = ConfigReader::default().parse(RULES, "hooks.yaml").unwrap();
        let kept: &Kept = first.kept();
        // The order and the names of the rules make no difference.
        let other = RULES.replace("secrets-stay", "stay");
        let second = ConfigReader::default().keeping(kept.clone()).parse(&other, "hooks.yaml").unwrap();
        assert!(Arc::ptr_eq(first.kept().store(), second.kept().store()));
        let [first, second] = [first.hooks(), second.hooks()];
        let fetch = || json!({"url": "https://example.com"});
        assert!(goes_ahead(&second, "WebFetch", fetch()).await);
        assert!(goes_ahead(&first, "Read", json!({"file_path": "secrets/key"})).await);
        assert!(!goes_ahead(&second, "WebFetch", fetch()).await);
    }

    #[test]
    fn every_mistake_is_reported_at_its_place() {
        let text = "
version: 1
sequences:
  - name: a
    calls: { tools: [x] }
  - name: b
    never: { tols: [x] }
    after: { tools: [y] }
  - name: c
    calls: { commands: ['| sh'] }
    at_most: 2
    within: ten
";
        let errors = ConfigReader::default().parse(text, "hooks.yaml").unwrap_err().to_string();
        for part in [
            "`at_most` is missing; write both `calls` and `at_most`",
            "unknown option `tols`",
            "is not a duration",
        ] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
}
