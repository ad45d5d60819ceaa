use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::cache::{CacheAnswer, CacheWatch};
use hooks_core::drivers::ModelCall;
use hooks_core::drivers::{ModelRequest, SpawnRequest, ToolCall, ToolRequest};
use hooks_core::event::{
    ErrorOccurred, ErrorType, Message, MicroUsd, ModelReply, PostToolUse, PreToolUse, Role, SessionEnd,
    SessionStart, Usage,
};
use hooks_core::testing::{FakeClock, FakeFileSystem, world};
use hooks_core::time::Timestamp;
use hooks_core::{
    BoxError, Govern, GovernModel, HookContext, HookError, HookRequest, Hooks, Observer as _, PolicyLayer,
    Reason, ResultPatch, Session, Settle, Verdict, policy_fn,
};
use prometheus_parse::{Scrape, Value as Sample};
use serde_json::json;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::*;

/// Parses the text with an independent parser.
fn read(metrics: &Metrics) -> Vec<(String, BTreeMap<String, String>, f64)> {
    let text = metrics.prometheus();
    let scrape = Scrape::parse(text.lines().map(|line| Ok(line.to_owned()))).unwrap();
    let number = |value: &Sample| match value {
        Sample::Counter(number) | Sample::Untyped(number) | Sample::Gauge(number) => *number,
        Sample::Histogram(buckets) => buckets.last().unwrap().count,
        Sample::Summary(_) => panic!("there are no summaries"),
    };
    let samples = scrape.samples.iter();
    samples
        .map(|one| (one.metric.clone(), (*one.labels).clone().into_iter().collect(), number(&one.value)))
        .collect()
}

fn sum(metrics: &Metrics, name: &str, labels: &[(&str, &str)]) -> f64 {
    let is_wanted = |have: &BTreeMap<String, String>| {
        labels.iter().all(|(label, value)| have.get(*label).is_some_and(|have| have == value))
    };
    let all = read(metrics);
    all.iter().filter(|(metric, have, _)| metric == name && is_wanted(have)).map(|(.., value)| value).sum()
}

fn context() -> HookContext {
    context_and_clock().0
}

fn context_and_clock() -> (HookContext, Arc<FakeClock>) {
    let (environment, clock, _) = world(FakeFileSystem::default());
    let mut context = HookContext::new("s", "lead").for_tenant("acme").with_environment(environment);
    context.team_root = Some("/teams/blue".into());
    context.repo = Some("acme/app".to_owned());
    (context, clock)
}

#[tokio::test]
async fn a_session_is_counted_by_agent_team_tenant_and_repository() {
    let metrics = Metrics::default();
    let no_shell =
        policy_fn("guard", |request: &HookRequest<PreToolUse>| match request.event().tool_name == "bash" {
            true => Verdict::deny(Reason::new("guard", "no-shell", "no")),
            false => Verdict::ALLOW,
        });
    let hooks = metrics.add_to(Hooks::builder().policy(no_shell)).build();
    let (context, clock) = context_and_clock();
    let context = Arc::new(context);
    let (session, _) = Session::start(hooks.clone(), Arc::clone(&context), SessionStart::default()).await;

    let mut tools = Govern::new(
        hooks.clone(),
        service_fn(async |call: ToolCall| match call.name.as_str() {
            "broken" => Ok(hooks_core::drivers::ToolResult::failed("no")),
            _ => Ok::<_, BoxError>(hooks_core::drivers::ToolResult::ok("done")),
        }),
    );
    for tool in ["edit", "edit", "bash", "broken"] {
        let call = ToolCall::new(tool, json!({}));
        tools.call(ToolRequest { context: Arc::clone(&context), call }).await.unwrap();
    }
    let passing = Arc::clone(&clock);
    let mut model = GovernModel::new(
        hooks.clone(),
        service_fn(move |_: ModelRequest| {
            passing.advance(Duration::from_millis(700));
            async {
                let usage =
                    Usage { input_tokens: 100, output_tokens: 20, cached_tokens: 60, reasoning_tokens: 0 };
                let response = Message::text(Role::Assistant, "yes");
                Ok::<_, HookError>(ModelReply { response, usage, cost: Some(MicroUsd(1_500_000)) })
            }
        }),
    );
    let request = ModelRequest { model: "opus".to_owned(), ..ModelRequest::default() };
    model.call(ModelCall { context: Arc::clone(&context), request }).await.unwrap();
    spawn(&hooks, &context).await;
    session.end(hooks_core::event::EndReason::Complete, None).await;

    let who = ("agent", "lead");
    let total = |name: &str, labels: &[(&str, &str)]| sum(&metrics, name, labels);
    let tenant = [("tenant", "acme"), ("team", "blue"), who];
    assert_eq!(
        total(
            "hooks_tool_calls_total",
            &[tenant.as_slice(), &[("tool", "edit"), ("outcome", "ok")]].concat()
        ),
        2.0
    );
    assert_eq!(total("hooks_tool_calls_total", &[("tool", "broken"), ("outcome", "error")]), 1.0);
    assert_eq!(total("hooks_tool_calls_total", &[("tool", "bash")]), 0.0);
    let rule = [("policy", "guard"), ("rule", "no-shell"), ("kind", "policy"), ("event", "pre_tool_use")];
    assert_eq!(total("hooks_denials_total", &rule), 1.0);
    assert_eq!(total("hooks_decisions_total", &[("event", "pre_tool_use"), ("verdict", "allow")]), 3.0);
    assert_eq!(total("hooks_tool_duration_seconds", &[("tool", "edit")]), 2.0);
    assert_eq!(total("hooks_model_calls_total", &[who, ("model", "opus")]), 1.0);
    assert_eq!(total("hooks_tokens_total", &[("type", "input")]), 100.0);
    assert_eq!(total("hooks_tokens_total", &[("type", "cached")]), 60.0);
    assert_eq!(total("hooks_cost_usd_total", &[]), 1.5);
    let text = metrics.prometheus();
    let model = r#"hooks_model_duration_seconds_bucket{tenant="acme",team="blue",model="opus",le=""#;
    assert!(
        text.contains(&format!("{model}0.5\"}} 0")) && text.contains(&format!("{model}1\"}} 1")),
        "{text}"
    );
    let repo = [("repo", "acme/app"), ("tenant", "acme")];
    assert_eq!(total("squad_tool_call_total", &[repo.as_slice(), &[("tool", "edit"), who]].concat()), 2.0);
    assert_eq!(total("squad_agent_spawn_total", &[repo.as_slice(), &[("agent", "tester")]].concat()), 1.0);
    assert_eq!(total("squad_agent_spawn_total", &[("model", "haiku")]), 1.0);
    assert_eq!(total("squad_agent_duration_seconds", &[("agent", "tester"), ("outcome", "completed")]), 1.0);
    assert_eq!(
        total("hooks_tool_duration_seconds", &[repo.as_slice(), &[("tool", "edit"), who]].concat()),
        2.0
    );
    assert_eq!(total("squad_agent_complete_total", &[("agent", "tester"), ("outcome", "completed")]), 1.0);
    assert_eq!(total("hooks_errors_total", &[("type", "tool")]), 1.0);
    assert_eq!(total("hooks_sessions_total", &[("reason", "complete")]), 1.0);
    assert_eq!(total("hooks_session_duration_seconds", &[]), 1.0);
    assert_eq!(total("hooks_metrics_folded_total", &[]), 0.0);

    let summary = metrics.session(&context).unwrap();
    assert_eq!((summary.model_calls, summary.denials, summary.errors), (1, 1, 1));
    assert_eq!(
        summary.to_string(),
        "session s of lead, since 1970-01-01T00:00:00.000Z\n  1 model calls, 100 tokens in (60 cached), 20 out (0 reasoning), $1.500000\n  1 denials, 1 errors\n  tool edit: 2 calls, 0 failed, 0 ms\n  tool broken: 1 calls, 1 failed, 0 ms\n  rule guard/no-shell: 1 denials\n"
    );
    assert!(metrics.session(&HookContext::new("s", "lead")).is_none());
}

async fn spawn(hooks: &Hooks, context: &Arc<HookContext>) {
    use hooks_core::GovernSpawn;
    use hooks_core::drivers::Spawned;
    use hooks_core::event::{ChildStatus, SubagentStart};

    let spawner = service_fn(async |_: SubagentStart| Ok::<_, HookError>(()));
    let mut spawner = GovernSpawn::new(hooks.clone(), spawner);
    let mut start = SubagentStart::new("tester", "test it");
    start.model = Some("haiku".to_owned());
    let request = SpawnRequest { context: Arc::clone(context), start };
    let spawned = spawner.call(request).await.unwrap();
    let Spawned::Running(child, _) = spawned else { panic!("it runs") };
    assert!(child.end(ChildStatus::Completed, None).await.1.is_none());
}

#[tokio::test]
async fn a_layer_counts_its_stack_and_how_long_it_took() {
    let metrics = Metrics::default();
    let deny = policy_fn("p", |_: &HookRequest<PreToolUse>| Verdict::deny(Reason::new("p", "r", "no")));
    let mut stack = MetricsLayer::new(metrics.clone()).layer(PolicyLayer::new(deny).layer(Settle));
    for _ in 0..3 {
        let request = HookRequest::new(context(), PreToolUse::new("edit", json!({})));
        assert!(hooks_core::Judged::is_denied(&stack.ready().await.unwrap().call(request).await.unwrap()));
    }
    assert_eq!(sum(&metrics, "hooks_denials_total", &[("rule", "r")]), 3.0);
    assert_eq!(sum(&metrics, "hooks_hook_duration_seconds", &[("event", "pre_tool_use")]), 3.0);
}

#[tokio::test]
async fn hostile_names_do_not_grow_it_and_no_count_is_lost() {
    let metrics = Metrics::new(MetricsConfig::default().within(5, 20));
    let hooks = metrics.add_to(Hooks::builder()).build();
    let call = PreToolUse::new("edit", json!({}));
    for number in 0..2_000 {
        let mut context = context();
        context.agent_name = format!("agent\n\"{number}\\{}", "x".repeat(number));
        context.tenant = Some(format!("{number}"));
        context.session_id = format!("s{number}");
        let mut call = call.clone();
        call.tool_name = format!("tool {number}");
        hooks.on(context).post_tool_use(PostToolUse::after(&call, json!(null), None, 1)).await;
    }
    assert_eq!(sum(&metrics, "hooks_tool_calls_total", &[]), 2_000.0);
    assert_eq!(sum(&metrics, "squad_tool_call_total", &[]), 2_000.0);
    assert!(sum(&metrics, "hooks_metrics_folded_total", &[]) > 1_990.0);
    for family in metrics.snapshot() {
        assert!(family.series.len() <= 21, "{}", family.family.name);
    }
    assert!(metrics.prometheus().len() < 40_000);
    assert!(
        read(&metrics).iter().any(|(_, labels, _)| labels.get("agent").is_some_and(|agent| agent == "other"))
    );
}

#[test]
fn names_are_written_so_that_a_reader_has_them_back() {
    let metrics = Metrics::default();
    for name in ["a\"b", "a\\b", "ü,x=\"{}", "a\\"] {
        metrics.answered(&context(), name, CacheAnswer::Hit);
        let text = metrics.prometheus();
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        assert!(text.contains(&format!("tool=\"{escaped}\"")), "{text}");
    }
    metrics.answered(&context(), "a\nb", CacheAnswer::Miss);
    assert!(metrics.prometheus().contains("a\\nb") && !metrics.prometheus().contains("a\nb"));
}

#[tokio::test]
async fn only_the_tenants_that_are_asked_for_are_counted() {
    let metrics = Metrics::new(MetricsConfig::default().of_tenants(["acme".to_owned()]));
    let hooks = metrics.add_to(Hooks::builder()).build();
    for tenant in ["acme", "other", "acme"] {
        let context = context().for_tenant(tenant);
        hooks.on(context).error_occurred(ErrorOccurred::new("x", ErrorType::Network)).await;
    }
    hooks.on(HookContext::default()).session_end(SessionEnd::default()).await;
    assert_eq!(sum(&metrics, "hooks_errors_total", &[("type", "network")]), 2.0);
    assert_eq!(sum(&metrics, "hooks_sessions_total", &[]), 0.0);
}

#[test]
fn sessions_that_were_not_seen_for_longest_go_first() {
    let metrics = Metrics::new(MetricsConfig { most_sessions: 8, ..MetricsConfig::default() });
    let at = |number: u64| {
        let mut context = HookContext::new(format!("s{number}"), "a");
        context.timestamp = Timestamp(number);
        context
    };
    for number in 0..9 {
        metrics.summaries().add(&at(number), |session| session.errors += 1);
    }
    let known: Vec<_> = (0..9).filter(|number| metrics.session(&at(*number)).is_some()).collect();
    assert_eq!(known, [3, 4, 5, 6, 7, 8]);
}

#[test]
fn the_dashboard_asks_for_what_there_is() {
    let dashboard: serde_json::Value = serde_json::from_str(include_str!("../../docs/grafana.json")).unwrap();
    let mut names: Vec<_> = FAMILIES.iter().map(|family| family.prometheus.to_owned()).collect();
    let histograms = FAMILIES.iter().filter(|family| matches!(family.instrument, Instrument::Histogram(_)));
    for family in histograms {
        names.extend(["bucket", "sum", "count"].map(|end| format!("{}_{end}", family.prometheus)));
    }
    let (mut rest, mut queries) = (vec![&dashboard], 0);
    while let Some(value) = rest.pop() {
        match value {
            serde_json::Value::Object(map) => {
                for key in ["expr", "query", "definition"] {
                    let Some(query) = map.get(key).and_then(serde_json::Value::as_str) else { continue };
                    let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                    let wanted: Vec<_> = words
                        .filter(|word| word.starts_with("hooks_") || word.starts_with("squad_"))
                        .collect();
                    for name in &wanted {
                        assert!(names.iter().any(|known| known == name), "{name} in {query}");
                    }
                    queries += usize::from(!wanted.is_empty());
                }
                rest.extend(map.values());
            }
            serde_json::Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    assert!(queries >= 12, "{queries}");
    assert!(dashboard["panels"].as_array().unwrap().len() >= 10 && dashboard["schemaVersion"].is_u64());
}

#[test]
fn a_collector_gets_all_metrics() {
    let metrics = Metrics::default();
    let context = HookContext::new("s", "a");
    metrics.answered(&context, "search", CacheAnswer::Hit);
    let call = PreToolUse::new("edit", json!({}));
    let after = HookRequest::new(context, PostToolUse::after(&call, json!(null), None, 30));
    metrics.observe(&after, &ResultPatch::default());
    let sent = metrics.otlp(Timestamp(1_000), Timestamp(2_000));
    let named = |name: &str| sent.iter().find(|metric| metric["name"] == name).unwrap();
    let point = &named("hooks.cache.calls")["sum"]["dataPoints"][0];
    assert_eq!((&point["asInt"], &point["startTimeUnixNano"]), (&json!("1"), &json!("1000000000")));
    assert_eq!(point["timeUnixNano"], "2000000000");
    let outcome = json!({"key": "outcome", "value": {"stringValue": "hit"}});
    assert!(point["attributes"].as_array().unwrap().contains(&outcome));
    assert_eq!(named("squad.tool.call")["sum"]["isMonotonic"], true);
    let point = &named("hooks.tool.duration")["histogram"]["dataPoints"][0];
    let [bounds, buckets] = ["explicitBounds", "bucketCounts"].map(|name| point[name].as_array().unwrap());
    assert_eq!((&point["count"], &point["sum"]), (&json!("1"), &json!(0.03)));
    assert_eq!((buckets.len(), &buckets[2]), (bounds.len() + 1, &json!("1")));
}

#[test]
fn prompts_and_tokens_of_children_are_counted() {
    use hooks_core::PromptOutcome;
    use hooks_core::event::{ChildStatus, PromptKind, SubagentStop, UserPromptSubmitted};

    let metrics = Metrics::default();
    let at = HookContext::new("s", "lead");
    let prompt = HookRequest::new(at.clone(), UserPromptSubmitted::new("hi", PromptKind::default()));
    let directive = |mode: &str| hooks_core::Directive { text: "x".to_owned(), mode: mode.to_owned() };
    let mut found = hooks_core::ContextPatch::default();
    found.directives.extend([directive("never"), directive("never"), directive("always")]);
    metrics.observe(&prompt, &PromptOutcome::noting(found));
    let mut stop = SubagentStop::default();
    stop.agent_name = "tester".to_owned();
    stop.model = Some("haiku".to_owned());
    (stop.tokens_used, stop.duration_ms, stop.status) = (700, 2_000, ChildStatus::Completed);
    metrics.observe(&HookRequest::new(at, stop), &Default::default());
    assert_eq!(sum(&metrics, "hooks_prompts_total", &[("agent", "lead")]), 1.0);
    for (mode, count) in [("never", 2.0), ("always", 1.0)] {
        assert_eq!(sum(&metrics, "hooks_directives_total", &[("agent", "lead"), ("type", mode)]), count);
    }
    // The same from a record.
    let recorded = Metrics::default();
    recorded.fold(&RecordedEvent {
        agent: "lead",
        directives: &["never".to_owned()],
        ..RecordedEvent::new(hooks_core::EventKind::UserPromptSubmitted)
    });
    assert_eq!(sum(&recorded, "hooks_directives_total", &[("type", "never")]), 1.0);
    assert_eq!(sum(&metrics, "squad_agent_tokens_total", &[("agent", "tester"), ("model", "haiku")]), 700.0);
    assert_eq!(sum(&metrics, "squad_agent_duration_seconds", &[("agent", "tester")]), 1.0);
}
