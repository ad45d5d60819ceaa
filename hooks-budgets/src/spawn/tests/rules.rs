//! Rules for agents, models and kinds of task.

use hooks_core::PolicyErrors;
use hooks_core::event::PreToolUse;
use serde_json::json;

use super::super::config::{ModelRuleConfig, SpawnRequirement, VariantConfig, VariantsConfig};
use super::*;

fn security(replace_by: Option<&str>) -> SpawnConfig {
    let rule = ModelRuleConfig {
        name: "security-premium".into(),
        task_types: vec!["security*".into()],
        tiers: vec!["premium".into()],
        replace_by: replace_by.map(str::to_owned),
        ..ModelRuleConfig::default()
    };
    let tiers = [("premium".to_owned(), vec!["opus*".to_owned()])].into();
    SpawnConfig { tiers, models: vec![rule], ..SpawnConfig::default() }
}

fn of_kind(kind: Option<&str>, model: Option<&str>) -> SubagentStart {
    let mut start = child("reviewer", "a");
    (start.task_type, start.model) = (kind.map(str::to_owned), model.map(str::to_owned));
    start
}

#[tokio::test]
async fn a_security_review_needs_a_premium_model() {
    for (kind, model, answer) in [
        (Some("Security-Review"), Some("haiku"), Err("security-premium".to_owned())),
        (Some("security-review"), None, Err("security-premium".to_owned())),
        (Some("security-review"), Some("Opus-4"), Ok(())),
        (Some("docs"), Some("haiku"), Ok(())),
        (None, Some("haiku"), Ok(())),
    ] {
        let desk = Desk::new(security(None));
        assert_eq!(
            start(&desk.hooks, desk.at("s"), of_kind(kind, model)).await,
            answer,
            "{kind:?} {model:?}"
        );
    }
}

#[tokio::test]
async fn a_wrong_model_is_replaced_where_that_is_wanted() {
    let desk = Desk::new(security(Some("opus-4")));
    for model in [Some("haiku"), None] {
        let decision = desk.hooks.on(desk.at("s")).subagent_start(of_kind(Some("security"), model)).await;
        assert_eq!(decision.request.event().model.as_deref(), Some("opus-4"));
        assert!(decision.outcome.goes_ahead());
    }
    let call = PreToolUse::new("task", json!({"agent_type": "x", "task_type": "security", "model": "haiku"}));
    let decision = desk.hooks.on(desk.at("s")).pre_tool_use(call).await;
    assert_eq!(decision.request.event().tool_args["model"], "opus-4");
    let call = PreToolUse::new("task", json!({"agent_type": "x", "task_type": "security"}));
    assert!(desk.hooks.on(desk.at("s")).pre_tool_use(call).await.outcome.is_denied());
}

#[tokio::test]
async fn who_and_what_is_not_known_is_refused() {
    let config = SpawnConfig {
        agents: Some(vec!["reviewer".into()]),
        known_models: Some(vec!["opus".into()]),
        require: vec![SpawnRequirement::Charter, SpawnRequirement::Model, SpawnRequirement::TaskType],
        ..SpawnConfig::default()
    };
    let files = FakeFileSystem::default().with("/repo/charter.md", hooks_core::fs::EntryKind::File);
    let (environment, ..) = world(files);
    let desk = Desk { environment, ..Desk::new(config) };
    let refused = async |change: &dyn Fn(&mut SubagentStart)| {
        let mut start = of_kind(Some("docs"), Some("opus"));
        start.charter_path = Some("charter.md".into());
        change(&mut start);
        super::start(&desk.hooks, desk.at("s").in_dir("/repo"), start).await.err()
    };
    assert_eq!(refused(&|_| {}).await, None);
    assert_eq!(refused(&|start| start.agent_name = "stranger".into()).await.as_deref(), Some("agent"));
    assert_eq!(refused(&|start| start.model = Some("gpt".into())).await.as_deref(), Some("model"));
    for change in [
        &(|start: &mut SubagentStart| start.charter_path = None) as &dyn Fn(&mut SubagentStart),
        &|start| start.charter_path = Some("gone.md".into()),
        &|start| start.model = None,
        &|start| start.task_type = Some(" ".into()),
    ] {
        assert_eq!(refused(change).await.as_deref(), Some("require"));
    }
}

#[tokio::test]
async fn a_trial_is_recorded_with_the_child() {
    let with = |name: &str, share, model: Option<&str>, text: Option<&str>| VariantConfig {
        name: name.into(),
        share,
        model: model.map(str::to_owned),
        instructions: text.map(str::to_owned),
    };
    let split = vec![with("old", 50, None, None), with("new", 50, Some("haiku"), Some("be brief"))];
    let trial = VariantsConfig { name: "brief".into(), agents: vec!["*".into()], split };
    let desk = Desk::new(SpawnConfig { variants: vec![trial], ..SpawnConfig::default() });
    let (mut old, mut new) = (0, 0);
    for number in 0..40 {
        let context = desk.at("s");
        let mut decision =
            desk.hooks.on(context).subagent_start(child("backend", &format!("c{number}"))).await;
        decision.outcome.take_holds().commit();
        let event = decision.request.event();
        match event.model.as_deref() {
            None => old += 1,
            Some(model) => {
                assert_eq!((model, &*event.task), ("haiku", "be brief\n\ndo it"));
                new += 1;
            }
        }
    }
    let children = desk.children("s").await;
    let of = |name| children.iter().filter(|child| child.variant.as_deref() == Some(name)).count();
    assert!(of("old") == old && of("new") == new && old.min(new) > 8, "{old} {new}");
    assert!(children.iter().all(|child| (child.variant.as_deref() == Some("new")) == child.model.is_some()));
}

#[test]
fn what_makes_no_sense_is_refused_at_load() {
    let faults = |config: serde_json::Value| -> Vec<String> {
        let spawn = Some(serde_json::from_value(config).unwrap());
        let built = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() });
        let errors: PolicyErrors = built.err().unwrap_or_default();
        errors.as_slice().iter().map(|error| error.field.clone()).collect()
    };
    for (config, field) in [
        (json!({"lease": "0s"}), "spawn.lease"),
        (json!({"lease": "9999d"}), "spawn.lease"),
        (json!({"waiting": "1ms"}), "spawn.waiting"),
        (json!({"rate": {"children": 1, "per": "0s"}}), "spawn.rate.per"),
        (json!({"agents": [""]}), "spawn.agents[0]"),
        (json!({"roles": [{"name": "a"}]}), "spawn.roles[0].concurrent"),
        (json!({"roles": [{"total": 1}]}), "spawn.roles[0].name"),
        (json!({"models": [{"name": "a"}]}), "spawn.models[0].allow"),
        (json!({"models": [{"name": "a", "tiers": ["best"]}]}), "spawn.models[0].tiers[0]"),
        (json!({"models": [{"name": "a", "allow": ["b"], "replace_by": "c"}]}), "spawn.models[0].replace_by"),
        (
            json!({"known_models": ["x"], "models": [{"name": "a", "allow": ["b"], "replace_by": "b"}]}),
            "spawn.models[0].replace_by",
        ),
        (json!({"variants": [{"name": "a"}]}), "spawn.variants[0].split"),
        (
            json!({"variants": [{"name": "a", "split": [{"name": "b", "share": 0}, {"name": "c", "share": 100}]}]}),
            "spawn.variants[0].split[0].share",
        ),
    ] {
        assert_eq!(faults(config.clone()), [field], "{config}");
    }
    assert!(faults(json!({})).is_empty());
}
