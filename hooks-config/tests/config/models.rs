//! Models in `hooks.yaml`: accepted values, refused values, and the resulting layers.

use std::sync::{Arc, Mutex};

use hooks_config::{Config, ConfigErrors};
use hooks_core::drivers::ModelRequest;
use hooks_core::event::{
    BeforeModelCall, ErrorOccurred, ErrorType, Message, ModelReply, Notification, PreCompact, Role,
    SpawnFailed, Usage,
};
use hooks_core::state::OpId;
use hooks_core::{CompactOutcome, HookContext, HookRequest, Hooks, Observer, Reason, Verdict, policy_fn};
use hooks_resilience::stream::collect;
use hooks_resilience::{Call, Chunk, Classified, Classifiers, ErrorKind, ModelError, ModelStream, Resilient};
use tower::{Layer, ServiceExt, service_fn};

const MODELS: &str = "
version: 1
models:
  catalog:
    - { name: large, provider: one, tier: premium, context_tokens: 200000, price: { input: 15, output: 75 } }
    - { name: other, provider: two, tier: standard, limits: { requests_per_minute: 600 } }
  routing:
    tiers: { premium: [large], standard: [other] }
    agents: { Ripley: premium }
  deadline: 2m
  retry: { backoff: { base: 100ms, cap: 5s } }
  breaker: { failures_in_a_row: 2, open: 20s }
  fallback: { max_park: 30s }
  treatments:
    content_filter: { next_model: other_provider }
";

#[test]
fn a_summary_without_a_writer_is_doubted() {
    let doubts = |more: &str, means: &str| {
        let text = format!("{MODELS}  overflow: {{ means: [{means}] }}\n{more}");
        let config = Config::parse(&text, "hooks.yaml").unwrap();
        config.doubts().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let doubted = doubts("", "deduplicate, summarise");
    assert_eq!(doubted.len(), 1, "{doubted:?}");
    assert!(
        doubted[0].contains("models.overflow.means[1]: no hook of this file writes a summary"),
        "{doubted:?}"
    );
    assert!(doubts("", "deduplicate").is_empty());
    assert!(doubts("compaction: {}\n", "summarise").is_empty());
    for name in ["before_compaction", "pre_compact"] {
        let hook = format!("hooks: {{ {name}: [{{ type: command, command: ./summarise.sh }}] }}\n");
        assert!(doubts(&hook, "summarise").is_empty(), "{name}");
    }
}

fn messages(text: &str) -> Vec<String> {
    let errors = Config::parse(text, "hooks.yaml").err();
    errors.iter().flat_map(ConfigErrors::errors).map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_file_makes_the_whole_stack() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = config.models().unwrap();
    let client = service_fn(async |call: Call| match call.model_name() {
        "large" => Err(ModelError::new(ErrorKind::Overloaded, "busy")),
        name => Ok(ModelReply::text(format!("{name} answers"), Usage::default())),
    });
    let stack = models.layer(config.clone().hooks(), Classified).unwrap().layer(client);
    let call = Call::new(
        HookContext::new("session-1", "Ripley").into(),
        ModelRequest::default(),
        OpId::from_parts(&["1"]),
    );
    let answered = stack.oneshot(call).await.unwrap();
    assert_eq!(answered.reply.response.content, "other answers");
    let failed: Vec<_> = answered.failed.iter().map(|failed| (&*failed.model, failed.kind)).collect();
    assert_eq!(failed, [("large", ErrorKind::Overloaded)]);
}

#[tokio::test]
async fn a_tenant_whose_key_is_wrong_is_left_alone_and_no_other() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = config.models().unwrap();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let asks = Arc::clone(&calls);
    let client = service_fn(move |call: Call| {
        let (tenant, name) = (call.context().tenant.clone(), call.model_name().to_owned());
        let is_refused = tenant.as_deref() == Some("acme") && name == "large";
        asks.lock().unwrap().push((tenant, name));
        std::future::ready(match is_refused {
            true => Err(ModelError::new(ErrorKind::Authentication, "invalid api key")),
            false => Ok(ModelReply::text("", Usage::default())),
        })
    });
    let stack = models.layer(config.clone().hooks(), Classified).unwrap().layer(client);
    for tenant in [Some("acme"), Some("acme"), Some("initech"), None] {
        let mut context = HookContext::new("session-1", "Ripley");
        context.tenant = tenant.map(str::to_owned);
        let call = Call::new(context.into(), ModelRequest::default(), OpId::from_parts(&["1"]));
        stack.clone().oneshot(call).await.unwrap();
    }
    let calls: Vec<_> = calls
        .lock()
        .unwrap()
        .iter()
        .map(|(tenant, name)| (tenant.clone().unwrap_or_default(), name.clone()))
        .collect();
    let wanted =
        [("acme", "large"), ("acme", "other"), ("acme", "other"), ("initech", "large"), ("", "large")];
    assert_eq!(calls, wanted.map(|(tenant, name)| (tenant.to_owned(), name.to_owned())));
}

#[tokio::test]
async fn hosts_that_own_their_loop_are_told_what_to_do_next() {
    let hooks = Config::parse(MODELS, "hooks.yaml").unwrap().hooks();
    let context = HookContext::new("session-1", "Ripley").with_environment(hooks_system::system());
    let mut failed = ErrorOccurred::new("HTTP 529: overloaded_error", ErrorType::Model);
    failed.current_model = Some("large".to_owned());
    let recovery = hooks.on(context.clone()).error_occurred(failed).await;
    assert_eq!((recovery.retry, recovery.fallback_model.as_deref()), (Some(true), Some("other")));

    let mut failed = SpawnFailed::new("Ripley", "401 invalid api key");
    failed.current_model = Some("large".to_owned());
    let recovery = hooks.on(context).spawn_failed(failed).await;
    assert_eq!(recovery.fallback_model.as_deref(), Some("other"));
}

#[test]
fn nonsense_is_refused_at_its_place() {
    let text = "version: 1
models:
  catalog:
    - { name: large, provider: one, tier: premum }
    - { name: small, provider: two, tier: fast, prise: 1 }
  dedline: 5m
";
    assert_eq!(
        messages(text),
        [
            "line 4, column 43: models.catalog[0].tier: `premum` is not known here; there is `nuclear`, `fast`, `standard` or `premium`; did you mean `premium`?",
            "line 5, column 49: models.catalog[1].prise: unknown option `prise`; did you mean `price`?",
            "line 6, column 3: models.dedline: unknown option `dedline`; did you mean `deadline`?",
        ]
    );
    let text = "version: 1
command_guard: { block: ['('] }
models:
  catalog:
    - { name: large, provider: one, tier: premium }
    - { name: large, provider: two }
  routing:
    tiers: { premium: [] }
    chains:
      a: { models: [large], then: b }
      b: { models: [large], then: a }
";
    let said_all = messages(text);
    assert!(said_all.contains(&"line 6, column 15: models.catalog[1].name: the model `large` stands in catalog[0] already; give each model one entry".to_owned()), "{said_all:#?}");
    assert!(said_all.iter().any(|it| it.contains("models.routing.")), "{said_all:#?}");
    for (line, wanted) in [
        (
            "routing: { tiers: { premium: [] } }",
            "line 5, column 32: models.routing.tiers.premium: the list is empty",
        ),
        ("routing: { tiers: { best: [m] } }", "models.routing.tiers.best: there is no tier `best`"),
        ("routing: { chains: { a: { models: [m], then: a } } }", "the chain goes on with itself: a -> a"),
        ("breaker: { window: 0s }", "line 5, column 22: models.breaker.window: `breaker.window` is zero"),
        ("deadline: 5", "models.deadline"),
        (
            "deadline: 5 minutes",
            "line 5, column 13: models.deadline: `5 minutes` is not a duration; write a number with its unit",
        ),
        ("hedge: { delay: soon }", "models.hedge.delay"),
        ("treatments: { overload: { retries: 1 } }", "models.treatments"),
        ("routing: { nuclear: true }", "no model is of the nuclear tier"),
    ] {
        let text = format!("version: 1\nmodels:\n  catalog:\n    - {{ name: m, provider: p }}\n  {line}\n");
        let messages = messages(&text);
        assert_eq!(messages.len(), 1, "{line}: {messages:#?}");
        assert!(messages[0].contains(wanted), "{line}: {messages:#?}");
    }
}

#[test]
fn what_is_known_outlives_the_file() {
    let first = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = first.models().unwrap();
    let model = models.resilience.catalog().get("large").unwrap();
    let now = models.health.world().tick();
    for _ in 0..2 {
        let error = ModelError::new(ErrorKind::Overloaded, "busy");
        models.health.admit(model, now).unwrap().failed(&error, now, std::time::Duration::ZERO);
    }
    assert!(models.health.admit(model, now).is_err());
    let reader = hooks_config::ConfigReader::default().keeping(first.kept().clone());
    let second = reader.parse(MODELS, "hooks.yaml").unwrap();
    assert!(second.models().unwrap().health.admit(model, now).is_err());
}

#[tokio::test]
async fn a_stack_stands_where_a_model_stands() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = config.models().unwrap();
    let client = service_fn(async |_: Call| {
        Err::<ModelReply, _>(ModelError::new(ErrorKind::InvalidRequest, "no such field"))
    });
    let stack = models.resilience.layer(&models.health, Classified).unwrap().layer(client);
    let model = Resilient::new(stack, models.health.world().clone());
    let error =
        model.oneshot(ModelRequest { model: "premium".into(), ..ModelRequest::default() }).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
}

/// A hook that stores its events.
struct Keeps(Arc<Mutex<Vec<String>>>);

impl Observer<Notification> for Keeps {
    fn name(&self) -> &'static str {
        "keeps"
    }

    fn observe(&self, request: &HookRequest<Notification>, _: &()) {
        self.0.lock().unwrap().push(format!("notification: {}", request.event().message));
    }
}

impl Observer<PreCompact> for Keeps {
    fn name(&self) -> &'static str {
        "keeps"
    }

    fn observe(&self, request: &HookRequest<PreCompact>, _: &CompactOutcome) {
        self.0
            .lock()
            .unwrap()
            .push(format!("pre_compact: {}", request.event().reason.clone().unwrap_or_default()));
    }
}

#[tokio::test]
async fn the_layers_tell_the_hooks() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = config.models().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hooks = Hooks::builder()
        .listener::<Notification>(Keeps(Arc::clone(&told)))
        .observer::<PreCompact>(Keeps(Arc::clone(&told)))
        .build();
    let client = service_fn(async |call: Call| {
        let kind = match call.model_name() {
            "large" => ErrorKind::Authentication,
            _ => ErrorKind::ContextOverflow,
        };
        Err::<ModelReply, _>(ModelError::new(kind, "no"))
    });
    let stack = models.layer(hooks, Classified).unwrap().layer(client);
    let mut request = ModelRequest { model: "premium".into(), ..ModelRequest::default() };
    request.messages.extend((0..40).map(|_| Message::text(Role::Tool, "a result ".repeat(400))));
    let call = Call::new(HookContext::new("session-1", "Ripley").into(), request, OpId::from_parts(&["1"]));
    assert!(stack.oneshot(call).await.is_err());
    // The alert is sent in the background.
    tokio::task::yield_now().await;
    let told = told.lock().unwrap();
    assert!(
        told.iter().any(|it| it.starts_with("notification: ") && it.contains("authentication")),
        "{told:?}"
    );
    assert!(told.iter().any(|it| it.starts_with("pre_compact: ")), "{told:?}");
}

#[tokio::test]
async fn a_stream_goes_on_with_another_model() {
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let models = config.models().unwrap();
    let client = service_fn(async |call: Call| {
        let pieces = match call.model_name() {
            // An error after a good status.
            "large" => vec![Err(ModelError::new(ErrorKind::Overloaded, "busy"))],
            name => vec![Ok(Chunk::Text(format!("{name} answers"))), Ok(Chunk::Stop("end_turn".into()))],
        };
        Ok::<_, ModelError>(ModelStream::new(futures_util::stream::iter(pieces)))
    });
    let classify = Classifiers::new(hooks_system::system().clock);
    let stack = models.ungoverned_stream_layer(Hooks::default(), classify).unwrap().layer(client);
    let request = ModelRequest { model: "premium".into(), ..ModelRequest::default() };
    let call = Call::new(HookContext::new("session-1", "Ripley").into(), request, OpId::from_parts(&["1"]));
    let answered = stack.oneshot(call).await.unwrap();
    let reply = collect(answered.reply).await.unwrap();
    assert_eq!(reply.response.content, "other answers");
}

#[tokio::test]
async fn every_attempt_is_on_the_record_with_its_tokens_and_a_hook_may_stop_one() {
    let log = tempfile::tempdir().unwrap();
    let file = format!("{MODELS}audit: {{ folder: '{}' }}\n", log.path().display());
    let config = Config::parse(&file, "hooks.yaml").unwrap();
    let client = service_fn(async |call: Call| match call.model_name() {
        "large" => Err(ModelError::new(ErrorKind::Overloaded, "busy")),
        _ => Ok(ModelReply::text("yes", Usage { input_tokens: 900, output_tokens: 41, ..Usage::default() })),
    });
    let stack = config.models().unwrap().layer(config.clone().hooks(), Classified).unwrap().layer(client);
    let call = || {
        let context = HookContext::new("session-1", "Ripley").with_environment(hooks_system::system());
        Call::new(context.into(), ModelRequest::default(), OpId::from_parts(&["1"]))
    };
    stack.oneshot(call()).await.unwrap();
    config.close().await.unwrap();
    let files = std::fs::read_dir(log.path()).unwrap().map(|file| file.unwrap().path());
    let text: String = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let of =
        |words: &[&str]| text.lines().filter(|line| words.iter().all(|word| line.contains(word))).count();
    assert_eq!(of(&["after_model_call", "other", "41"]), 1, "{text}");
    assert_eq!(of(&["error_occurred", "large"]), 1, "{text}");

    let only_small =
        policy_fn("region", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
            "other" => Verdict::deny(Reason::new("region", "model", "not here")),
            _ => Verdict::NO_OPINION,
        });
    let hooks = Hooks::builder().policy(only_small).build();
    let config = Config::parse(MODELS, "hooks.yaml").unwrap();
    let stack = config.models().unwrap().layer(hooks, Classified).unwrap().layer(client);
    let request = ModelRequest { model: "standard".into(), ..ModelRequest::default() };
    let error = stack.oneshot(call().with_request(request)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
}
