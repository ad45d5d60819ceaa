//! The section `spawn`: invalid values are refused at load, at their place; valid ones are used as written.

use hooks_config::Config;
use hooks_core::event::SubagentStart;
use hooks_core::{HookContext, Judged};

fn messages(text: &str) -> Vec<String> {
    let errors = Config::parse(&format!("version: 1\n{text}"), "hooks.yaml").err();
    errors.iter().flat_map(hooks_config::ConfigErrors::errors).map(ToString::to_string).collect()
}

/// The rule that refuses a child, if one does.
async fn refused(config: &str, start: SubagentStart) -> Option<String> {
    let hooks = Config::parse(&format!("version: 1\n{config}"), "hooks.yaml").unwrap().hooks();
    let context = HookContext::new("s", "lead").with_environment(hooks_system::system());
    let decision = hooks.on(context).subagent_start(start).await;
    decision.outcome.is_denied().then(|| decision.outcome.shown_reason().unwrap().rule.to_string())
}

#[test]
fn no_slip_of_the_pen_is_no_limit() {
    for (text, wanted) in [
        ("spawn: { concurrent: -1 }", "line 2, column 22: spawn.concurrent: -1 is not an integer from 0"),
        ("spawn: { total: 2.5 }", "line 2, column 17: spawn.total: 2.5 is not an integer from 0"),
        ("spawn: { depth: many }", "line 2, column 17: spawn.depth: expected an integer"),
        (
            "spawn: { concurent: 5 }",
            "line 2, column 10: spawn.concurent: unknown option `concurent`; did you mean",
        ),
        (
            "spawn:\n  lease: 5 parsecs",
            "line 3, column 10: spawn.lease: `5 parsecs` is not a duration; write",
        ),
        ("spawn:\n  lease: 0s", "line 3, column 10: spawn.lease: `0s` makes no sense here; write 1s to"),
        ("spawn: { rate: { children: 5, per: 10 } }", "line 2, column 36: spawn.rate.per: expected a string"),
        (
            "spawn: { rate: { children: 5, per: 0s } }",
            "line 2, column 36: spawn.rate.per: `0s` makes no sense",
        ),
        ("spawn: { rate: { children: 5 } }", "line 2, column 16: spawn.rate.per: `per` is missing"),
        ("spawn: { require: [chater] }", "line 2, column 20: spawn.require[0]: `chater` is not known here"),
        (
            "spawn: { models: [{ name: a, tiers: [premium] }] }",
            "line 2, column 38: spawn.models[0].tiers[0]: there is no tier `premium`; list its models",
        ),
        ("spawn:", "line 2, column 6: spawn: there is no value"),
    ] {
        let messages = messages(text);
        assert!(messages.len() == 1 && messages[0].starts_with(wanted), "{text}\n{messages:#?}");
    }
}

#[tokio::test]
async fn it_is_taken_as_written() {
    let child = || SubagentStart::new("backend", "do it");
    assert_eq!(refused("spawn: { concurrent: 0 }", child()).await.as_deref(), Some("concurrent"));
    assert_eq!(refused("spawn: { depth: 0 }", child()).await.as_deref(), Some("depth"));
    assert_eq!(refused("spawn: { agents: [] }", child()).await.as_deref(), Some("agent"));
    assert_eq!(refused("spawn: {}", child()).await, None);
}

#[tokio::test]
async fn the_catalog_says_which_models_there_are() {
    let config = "
models:
  catalog:
    - { name: opus, provider: one, tier: premium }
    - { name: haiku, provider: one, tier: fast }
  routing: { default: premium }
spawn:
  models: [{ name: premium-only, task_types: [security], tiers: [premium] }]
";
    let child = |model: &str, kind: &str| {
        let mut start = SubagentStart::new("reviewer", "look");
        (start.model, start.task_type) = (Some(model.into()), Some(kind.into()));
        start
    };
    assert_eq!(refused(config, child("opus", "security")).await, None);
    assert_eq!(refused(config, child("haiku", "security")).await.as_deref(), Some("premium-only"));
    assert_eq!(refused(config, child("haiku", "docs")).await, None);
    assert_eq!(refused(config, child("gpt", "docs")).await.as_deref(), Some("model"));
}
