//! The agent, against a provider on loopback.

#[expect(dead_code, reason = "`main` asks OpenAI; the test asks a provider of its own")]
#[path = "../src/governed.rs"]
mod governed;

use std::sync::LazyLock;

use futures_util::StreamExt;
use hooks_budgets::BudgetsSettings;
use hooks_core::event::{
    AfterModelCall, BeforeModelCall, Message, ModelRewrite, PostToolUse, PreToolUse, ResultRewrite, Role,
};
use hooks_core::{DecidingEvent, HookError, HookRequest, Hooks, Transform, policy_fn};
use rig::completion::PromptError;
use rig::providers::openai::OpenAIConfig;
use serde_json::{Value, from_value, json};
use support::{Answer, Provider, broken_hooks, calls, fails, lines_more, says};
use tempfile::TempDir;

/// The ledger. All tests share the working folder of the program; each pays another person.
fn ledger() -> String {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        std::env::set_current_dir(&folder).unwrap();
        folder
    });
    std::fs::read_to_string(FOLDER.path().join("ledger")).unwrap_or_default()
}

async fn run(provider: &Provider, hooks: Hooks) -> Result<String, PromptError> {
    ledger();
    let agent = governed::agent(OpenAIConfig::new("none").with_base_url(&provider.url), hooks);
    agent.prompt("Pay Jane.").max_turns(3).await.map(|response| response.output().to_owned())
}

/// Runs the agent with a model that pays. Returns the result that the model reads.
async fn pay(to: &str, cents: u64, hooks: Hooks) -> String {
    let call = calls("pay", &json!({"to": to, "cents": cents}));
    let provider = Provider::start([call, says("done", 60, 5)]).await;
    assert_eq!(run(&provider, hooks).await.unwrap(), "done");
    let last = provider.requests()[1]["messages"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    last["content"].to_string()
}

fn rules() -> Hooks {
    Hooks::builder().policy(policy_fn("small", governed::small)).build()
}

#[tokio::test]
async fn a_tool_runs_only_if_the_rules_let_it() {
    let result = pay("Ann", 5_000, rules()).await;
    assert!(result.contains("paid 5000"), "{result}");
    let reason = pay("Ann", 5_001, rules()).await;
    assert!(reason.contains("a person pays more than 5000 cents"), "the model reads the reason: {reason}");
    for hooks in broken_hooks::<PreToolUse>() {
        pay("Ann", 1, hooks).await;
    }
    assert_eq!(ledger().matches("Ann gets").count(), 1, "{}", ledger());
}

/// The reason why a run was cancelled.
fn cancelled(answer: Result<String, PromptError>) -> String {
    match answer {
        Err(PromptError::Cancelled { reason, .. }) => reason,
        other => panic!("not cancelled: {other:?}"),
    }
}

#[tokio::test]
async fn a_model_is_not_called_if_hooks_fail() {
    let provider = Provider::start([says("done", 1, 1)]).await;
    for hooks in broken_hooks::<BeforeModelCall>() {
        cancelled(run(&provider, hooks).await);
    }
    assert!(provider.requests().is_empty());
    for hooks in broken_hooks::<AfterModelCall>() {
        cancelled(run(&provider, hooks).await);
    }
}

#[tokio::test]
async fn a_result_that_hooks_cannot_judge_is_withheld() {
    for hooks in broken_hooks::<PostToolUse>() {
        let result = pay("Bob", 1, hooks).await;
        assert!(!result.contains("paid"), "{result}");
    }
}

#[tokio::test]
async fn a_budget_counts_the_tokens_of_answers() {
    let budget = json!({
        "limits": [{"of": "session", "per": "session", "tokens": 1000}],
        "hold": {"output_tokens": 10, "most_output_tokens": 10},
    });
    let budget = BudgetsSettings { budget: from_value(budget).unwrap(), ..BudgetsSettings::default() };
    let hooks = Hooks::from_policy(budget).unwrap();
    let provider = Provider::start([says("one", 400, 200), says("two", 300, 100)]).await;
    assert_eq!(run(&provider, hooks.clone()).await.unwrap(), "one");
    assert_eq!(run(&provider, hooks.clone()).await.unwrap(), "two");
    let reason = cancelled(run(&provider, hooks).await);
    assert!(reason.contains("1000"), "{reason}");
    assert_eq!(provider.requests().len(), 2);
}

#[tokio::test]
async fn a_stream_is_governed_alike() {
    let denied = broken_hooks::<PreToolUse>().map(|hooks| (1, hooks));
    for (cents, hooks) in [(5_000, rules()), (5_001, rules())].into_iter().chain(denied) {
        let call = calls("pay", &json!({"to": "Eve", "cents": cents}));
        let provider = Provider::start([call, says("done", 60, 5)]).await;
        ledger();
        let config = OpenAIConfig::new("none").with_base_url(&provider.url);
        let mut stream = governed::agent(config, hooks).prompt("Pay Eve.").max_turns(3).stream();
        while let Some(item) = stream.next().await {
            item.unwrap();
        }
        assert_eq!(provider.requests().len(), 2);
    }
    assert_eq!(ledger().matches("Eve gets").count(), 1, "{}", ledger());
    for hooks in broken_hooks::<AfterModelCall>() {
        let provider = Provider::start([says("done", 60, 5)]).await;
        let config = OpenAIConfig::new("none").with_base_url(&provider.url);
        let stream = governed::agent(config, hooks).prompt("Pay Eve.").stream();
        let items: Vec<_> = stream.collect().await;
        assert!(items.iter().any(Result::is_err), "the run is cancelled");
    }
}

#[tokio::test]
async fn a_failure_of_the_provider_is_no_denial() {
    let failure: Answer = fails("no such parameter");
    let error = run(&Provider::start([failure]).await, rules()).await.expect_err("the provider fails");
    assert!(!matches!(error, PromptError::Cancelled { .. }), "{error:?}");
    assert!(error.to_string().contains("no such parameter"), "{error}");
}

/// Another model, another payment, and no names.
struct Rewrites;

fn without_names(value: &Value) -> Value {
    value.to_string().replace("Jane", "…").parse().unwrap()
}

impl Transform<BeforeModelCall> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, request: &HookRequest<BeforeModelCall>) -> Result<Option<ModelRewrite>, HookError> {
        let without =
            |message: &Message| Message { role: message.role, content: without_names(&message.content) };
        let messages = Some(request.event().messages.iter().map(without).collect());
        Ok(Some(ModelRewrite { model: Some("gpt-5-nano".to_owned()), messages }))
    }
}

impl Transform<AfterModelCall> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, request: &HookRequest<AfterModelCall>) -> Result<Option<Message>, HookError> {
        let content = without_names(&request.event().response.content);
        Ok(Some(Message { role: Role::Assistant, content }))
    }
}

impl Transform<PreToolUse> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, _: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        Ok(Some(json!({"to": "Fay", "cents": 7})))
    }
}

impl Transform<PostToolUse> for Rewrites {
    fn name(&self) -> &'static str {
        "rewrites"
    }

    fn transform(&self, _: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        Ok(Some(ResultRewrite { result: Some("scrubbed".into()), ..ResultRewrite::default() }))
    }
}

fn rewriting<E: DecidingEvent>() -> Hooks
where
    Rewrites: Transform<E>,
{
    Hooks::builder().transform::<E>(Rewrites).build()
}

#[tokio::test]
async fn calls_and_results_are_as_hooks_left_them() {
    pay("Gil", 9, rewriting::<PreToolUse>()).await;
    assert!(ledger().contains("Fay gets 7\n") && !ledger().contains("Gil"), "{}", ledger());
    assert_eq!(pay("Hal", 1, rewriting::<PostToolUse>()).await, "\"scrubbed\"");

    let provider = Provider::start([says("Jane knows", 1, 1)]).await;
    assert_eq!(run(&provider, rewriting::<BeforeModelCall>()).await.unwrap(), "Jane knows");
    let request = &provider.requests()[0];
    assert_eq!(request["model"], "gpt-5-nano");
    assert!(request.to_string().contains("Pay …."), "{request}");
    assert_eq!(run(&provider, rewriting::<AfterModelCall>()).await.unwrap(), "… knows");
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
