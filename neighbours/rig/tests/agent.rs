//! The agent, against a provider on loopback.

#[expect(dead_code, reason = "`main` asks OpenAI; the test asks a provider of its own")]
#[path = "../src/governed.rs"]
mod governed;

use std::path::Path;
use std::sync::LazyLock;

use futures_util::StreamExt;
use hooks_budgets::BudgetsSettings;
use hooks_core::event::{
    AfterModelCall, BeforeModelCall, Message, ModelRewrite, PostToolUse, PreToolUse, ResultRewrite, Role,
};
use hooks_core::{DecidingEvent, HookError, HookRequest, Hooks, Transform};
use hooks_policies::WriteGuard;
use rig::completion::PromptError;
use rig::providers::openai::OpenAIConfig;
use serde_json::{Value, from_value, json};
use support::{Answer, Provider, broken_hooks, calls, fails, lines_more, says};
use tempfile::TempDir;

/// The working folder of all tests: the program has one.
fn folder() -> &'static Path {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        std::env::set_current_dir(&folder).unwrap();
        std::fs::create_dir("notes").unwrap();
        folder
    });
    FOLDER.path()
}

async fn run(provider: &Provider, hooks: Hooks) -> Result<String, PromptError> {
    folder();
    let agent = governed::agent(OpenAIConfig::new("none").with_base_url(&provider.url), hooks);
    agent.prompt("Note it for Jane.").max_turns(3).await.map(|response| response.output().to_owned())
}

/// Runs the agent with a model that writes `path`. Returns the result that the model reads.
async fn write(path: &str, hooks: Hooks) -> String {
    let call = calls("write_file", &json!({"path": path, "content": "in Postgres"}));
    let provider = Provider::start([call, says("done", 60, 5)]).await;
    assert_eq!(run(&provider, hooks).await.unwrap(), "done");
    let last = provider.requests()[1]["messages"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("call_1")));
    last["content"].to_string()
}

fn rules() -> Hooks {
    Hooks::builder().policy(WriteGuard::allowing(["notes/**"]).unwrap()).build()
}

#[tokio::test]
async fn a_tool_runs_only_if_the_rules_let_it() {
    let result = write("notes/a.txt", rules()).await;
    assert!(result.contains("written"), "{result}");
    assert_eq!(std::fs::read_to_string(folder().join("notes/a.txt")).unwrap(), "in Postgres");

    let reason = write("b.txt", rules()).await;
    assert!(reason.contains("b.txt"), "the model reads the reason: {reason}");
    for hooks in broken_hooks::<PreToolUse>() {
        write("b.txt", hooks).await;
    }
    assert!(!folder().join("b.txt").exists());
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
        let result = write("notes/c.txt", hooks).await;
        assert!(!result.contains("written"), "{result}");
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
    folder();
    for (path, hooks, is_written) in [("notes/s.txt", rules(), true), ("t.txt", rules(), false)]
        .into_iter()
        .chain(broken_hooks::<PreToolUse>().map(|hooks| ("t.txt", hooks, false)))
    {
        let call = calls("write_file", &json!({"path": path, "content": "in Postgres"}));
        let provider = Provider::start([call, says("done", 60, 5)]).await;
        let config = OpenAIConfig::new("none").with_base_url(&provider.url);
        let mut stream = governed::agent(config, hooks).prompt("Note it.").max_turns(3).stream();
        while let Some(item) = stream.next().await {
            item.unwrap();
        }
        assert_eq!(provider.requests().len(), 2);
        assert_eq!(folder().join(path).exists(), is_written, "{path}");
    }
    for hooks in broken_hooks::<AfterModelCall>() {
        let provider = Provider::start([says("done", 60, 5)]).await;
        let config = OpenAIConfig::new("none").with_base_url(&provider.url);
        let stream = governed::agent(config, hooks).prompt("Note it.").stream();
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

/// Another model, another file, and no names.
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
        Ok(Some(json!({"path": "notes/d.txt", "content": "rewritten"})))
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
    write("e.txt", rewriting::<PreToolUse>()).await;
    assert_eq!(std::fs::read_to_string(folder().join("notes/d.txt")).unwrap(), "rewritten");
    assert!(!folder().join("e.txt").exists());
    assert_eq!(write("notes/f.txt", rewriting::<PostToolUse>()).await, "\"scrubbed\"");

    let provider = Provider::start([says("Jane knows", 1, 1)]).await;
    assert_eq!(run(&provider, rewriting::<BeforeModelCall>()).await.unwrap(), "Jane knows");
    let request = &provider.requests()[0];
    assert_eq!(request["model"], "gpt-5-nano");
    assert!(request.to_string().contains("Note it for …."), "{request}");
    assert_eq!(run(&provider, rewriting::<AfterModelCall>()).await.unwrap(), "… knows");
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
