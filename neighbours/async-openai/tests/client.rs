//! The client, against a provider on loopback.

#[expect(dead_code, reason = "`main` asks OpenAI; the test asks a provider of its own")]
#[path = "../src/governed.rs"]
mod governed;

use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use governed::{ask, client, rules};
use hooks_budgets::BudgetsSettings;
use hooks_core::event::{AfterModelCall, BeforeModelCall, Message, ModelRewrite, Role};
use hooks_core::{HookError, HookRequest, Hooks, Transform};
use serde_json::{from_value, json};
use support::{Provider, broken_hooks, fails, lines_more, says};

fn config(provider: &Provider) -> OpenAIConfig {
    OpenAIConfig::new().with_api_base(&provider.url).with_api_key("none")
}

/// The message of a denial.
fn denial(answer: Result<String, OpenAIError>) -> String {
    match answer {
        Err(OpenAIError::ApiError(error)) if error.status_code == 403 => {
            assert_eq!(error.api_error.code.as_deref(), Some("denied"));
            error.api_error.message
        }
        other => panic!("not denied: {other:?}"),
    }
}

#[tokio::test]
async fn a_model_is_called_only_if_the_rules_let_it() {
    let provider = Provider::start([says("in Postgres", 12, 3)]).await;
    let governed = client(config(&provider), rules());
    assert_eq!(ask(&governed, "gpt-5-mini", "where?").await.unwrap(), "in Postgres");
    assert_eq!(provider.requests()[0]["messages"], json!([{"role": "user", "content": "where?"}]));
    assert_eq!(denial(ask(&governed, "gpt-5", "where?").await), "only small models may be called");
    for hooks in broken_hooks::<BeforeModelCall>() {
        denial(ask(&client(config(&provider), hooks), "gpt-5-mini", "where?").await);
    }
    assert_eq!(provider.requests().len(), 1, "no denied call was sent");
    for hooks in broken_hooks::<AfterModelCall>() {
        denial(ask(&client(config(&provider), hooks), "gpt-5-mini", "where?").await);
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
    let governed = client(config(&provider), hooks);
    assert_eq!(ask(&governed, "gpt-5", "first").await.unwrap(), "one");
    assert_eq!(ask(&governed, "gpt-5", "second").await.unwrap(), "two");
    let reason = denial(ask(&governed, "gpt-5", "third").await);
    assert!(reason.contains("1000"), "{reason}");
    assert_eq!(provider.requests().len(), 2);
}

/// Another model, and no names in questions and answers.
struct Scrubs;

fn scrubbed(role: Role, message: &Message) -> Message {
    Message::text(role, message.content.as_str().unwrap().replace("Jane", "…"))
}

impl Transform<BeforeModelCall> for Scrubs {
    fn name(&self) -> &'static str {
        "scrubs"
    }

    fn transform(&self, request: &HookRequest<BeforeModelCall>) -> Result<Option<ModelRewrite>, HookError> {
        let messages = Some(vec![scrubbed(Role::User, &request.event().messages[0])]);
        Ok(Some(ModelRewrite { model: Some("gpt-5-mini".to_owned()), messages }))
    }
}

impl Transform<AfterModelCall> for Scrubs {
    fn name(&self) -> &'static str {
        "scrubs"
    }

    fn transform(&self, request: &HookRequest<AfterModelCall>) -> Result<Option<Message>, HookError> {
        Ok(Some(scrubbed(Role::Assistant, &request.event().response)))
    }
}

#[tokio::test]
async fn questions_and_answers_are_sent_as_hooks_left_them() {
    let provider = Provider::start([says("Jane is well", 1, 1)]).await;
    let hooks =
        Hooks::builder().transform::<BeforeModelCall>(Scrubs).transform::<AfterModelCall>(Scrubs).build();
    assert_eq!(ask(&client(config(&provider), hooks), "gpt-5", "how is Jane?").await.unwrap(), "… is well");
    assert_eq!(provider.requests()[0]["messages"][0]["content"], "how is …?");
    assert_eq!(provider.requests()[0]["model"], "gpt-5-mini");
}

#[tokio::test]
async fn a_failure_of_the_provider_is_no_denial() {
    let provider = Provider::start([fails("no such parameter")]).await;
    match ask(&client(config(&provider), rules()), "gpt-5-mini", "where?").await {
        Err(OpenAIError::ApiError(error)) => {
            assert_eq!((error.status_code.as_u16(), &*error.api_error.message), (400, "no such parameter"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_is_governed_in_twelve_lines() {
    let lines = lines_more(include_str!("../src/hello.rs"), include_str!("../src/governed.rs"));
    assert!(lines <= 12, "{lines} lines");
}
