//! Two providers on loopback behind the layers of `hooks.yaml`.

#[expect(dead_code, reason = "`main` asks OpenAI; the test asks providers of its own")]
#[path = "../src/main.rs"]
mod fallback;

use async_openai::config::OpenAIConfig;
use fallback::{Clients, FILE, ask, client};
use hooks_config::Config;
use hooks_core::event::BeforeModelCall;
use hooks_resilience::{ErrorKind, ModelError};
use support::{Provider, broken_hooks, says};

fn clients(first: &Provider, second: &Provider) -> Clients {
    let client =
        |provider: &Provider| client(OpenAIConfig::new().with_api_base(&provider.url).with_api_key("none"));
    [("openai".to_owned(), client(first)), ("local".to_owned(), client(second))].into()
}

#[tokio::test]
async fn the_second_provider_answers_if_the_first_one_fails() {
    let down = (
        axum::http::StatusCode::SERVICE_UNAVAILABLE,
        serde_json::json!({"error": {"message": "overloaded"}}),
    );
    let (first, second) =
        (Provider::start([down]).await, Provider::start([says("in Postgres", 12, 3)]).await);
    let file = Config::parse(FILE, "hooks.yaml").unwrap();
    let answered = ask(&file, file.clone().hooks(), clients(&first, &second), "where?").await.unwrap();
    assert_eq!(answered, ("in Postgres".to_owned(), "gpt-oss".to_owned()));
    assert!(!first.requests().is_empty(), "the first one is asked first");
    assert_eq!(second.requests()[0]["model"], "gpt-oss");
}

#[tokio::test]
async fn no_provider_is_asked_if_hooks_fail() {
    let first = Provider::start([says("in Postgres", 12, 3)]).await;
    let second = Provider::start([says("in Postgres", 12, 3)]).await;
    let file = Config::parse(FILE, "hooks.yaml").unwrap();
    for hooks in broken_hooks::<BeforeModelCall>() {
        let error = ask(&file, hooks, clients(&first, &second), "where?").await.expect_err("it is denied");
        let error = error.downcast::<ModelError>().unwrap();
        assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
    }
    assert!(first.requests().is_empty() && second.requests().is_empty());
}
