//! A running service with all parts. Sessions begin with the context that their agents need, and policies
//! judge their calls. Model calls share one budget and fall back to another model. All of it is in the audit
//! log, and a Scribe keeps the team's folder.
//!
//! Run with `cargo run -p tower-hooks --example service`.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::try_join_all;
use hooks::audit::{LogReader, Positions};
use hooks::config::{CallMeter, Config, SpendClassify};
use hooks::drivers::{ModelRequest, ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::event::{EndReason, Message, ModelReply, Role, SessionStart, TurnEndReason, Usage};
use hooks::policies::PolicyHooks;
use hooks::resilience::{Call, Classified, ErrorKind, ModelError};
use hooks::state::OpId;
use hooks::team::files::NewMember;
use hooks::team::{NewTeam, Team};
use hooks::{BoxError, HookContext, Hooks, Session, StdFileSystem, Strength, system};
use serde_json::{Value, json};
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service, ServiceExt, service_fn};

const FILE: &str = "
version: 1
context: { deadline: 5s }
write_guard: { allow: [src/**, .squad/decisions/inbox/**] }
command_guard: {}
redaction: {}
models:
  catalog:
    - { name: opus, provider: anthropic, tier: premium, price: { input: 15, output: 75 } }
    - { name: gpt, provider: openai, tier: premium, price: { input: 10, output: 40 } }
  routing: { default: premium }
  deadline: 2m
budget:
  limits: [{ of: team, per: day, usd: 0.10 }]
  hold: { most_output_tokens: 1000 }
  enforce: layer
scribe: {}
notices: {}
session_end: {}
";

/// A request of a user.
#[derive(Clone)]
struct Ask {
    agent: &'static str,
    prompt: &'static str,
}

/// The model with all layers around it.
type Model = BoxCloneSyncService<Call, String, BoxError>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let team = Team::new(Arc::new(StdFileSystem), folder.path().join(".squad"), &system());
    let members = ["Ripley", "Dallas"].map(|name| NewMember { name: name.into(), role: "Developer".into() });
    team.init(&NewTeam { members: members.to_vec(), ..NewTeam::default() })?;
    let log = team.root().join("orchestration-log");
    let config = Config::parse(&format!("{FILE}audit: {{ folder: '{}' }}\n", log.display()), "hooks.yaml")?;
    let (hooks, model) = (config.clone().hooks(), model(&config)?);

    let root = folder.path().to_owned();
    let service = service_fn(|ask| answer(hooks.clone(), model.clone(), root.clone(), ask));
    let requests = [
        Ask { agent: "Ripley", prompt: "Where do the orders live?" },
        Ask { agent: "Dallas", prompt: "Clean up." },
        Ask { agent: "Ripley", prompt: "And the invoices?" },
    ];
    for line in try_join_all(requests.map(|ask| service.oneshot(ask))).await?.concat() {
        println!("{line}");
    }

    // Before `main` returns and before the log is read, so that all records are written.
    config.close().await?;

    let context =
        HookContext::new("session of Ripley: Where do the orders live?", "Ripley").with_environment(system());
    let budget = hooks.spend_budget().ok_or("the file has a section `budget`")?;
    println!("\n{}\n\n--- the record", budget.report(&context).await?);
    for file in team.session_logs()?.into_iter().filter(|file| file.contains("-scribe-")) {
        print!("{}", std::fs::read_to_string(team.root().join("log").join(file))?);
    }
    println!("\n--- the audit log");
    let records = LogReader::new(Arc::new(StdFileSystem), log, Positions::default()).read(1_000)?;
    let denied = records.iter().filter(|one| one.record.outcome == Some(Strength::Deny)).count();
    println!("{denied} records are about denials");
    for record in records.iter().map(|one| &one.record).filter(|record| record.event == "after_model_call") {
        let (model, tokens) =
            (record.model.as_deref().unwrap_or_default(), record.tokens.unwrap_or_default());
        println!(
            "{}: `{model}`, {} tokens in, {} out",
            record.agent, tokens.input_tokens, tokens.output_tokens
        );
    }
    println!("\n--- decisions\n{}", std::fs::read_to_string(team.root().join("decisions.md"))?);
    Ok(())
}

/// Fallback around the hooks around a budget around a client.
fn model(config: &Config) -> Result<Model, BoxError> {
    let hooks = config.clone().hooks();
    let budget = hooks.spend_budget().ok_or("the file has a section `budget`")?;
    let models = config.models().ok_or("the file has a section `models`")?;
    let client = service_fn(async |call: Call| match call.model_name() {
        "opus" => Err(ModelError::new(ErrorKind::Overloaded, "Overloaded")),
        name => {
            let usage = Usage { input_tokens: 900, output_tokens: 800, ..Usage::default() };
            Ok(ModelReply::text(format!("`{name}` answers: in Postgres"), usage))
        }
    });
    let layers = models.layer(hooks.clone(), SpendClassify(Classified))?;
    let stack = layers.layer(budget.layer(CallMeter).layer(client));
    Ok(BoxCloneSyncService::new(
        stack.map_response(|answered| answered.reply.response.content.to_string()).map_err(Into::into),
    ))
}

/// One request: a session with a model call and its tools.
async fn answer(hooks: Hooks, mut model: Model, root: PathBuf, ask: Ask) -> Result<Vec<String>, BoxError> {
    let Ask { agent, prompt } = ask;
    let context = HookContext::new(format!("session of {agent}: {prompt}"), agent);
    let context = context.in_dir(&root).with_environment(system());
    let (session, patch) = Session::start(hooks, context, SessionStart::default()).await;
    let known: usize = patch.additional_context.iter().map(|note| note.text.len()).sum();
    let mut lines = vec![format!("{agent} begins with {known} bytes of context")];

    let (turn, _) = session.turn().await;
    let messages = vec![Message::text(Role::User, prompt)];
    let request = ModelRequest { messages, ..ModelRequest::default() };
    let call = Call::new(Arc::clone(session.context()), request, OpId::from_parts(&[agent, prompt]));
    lines.push(match model.ready().await?.call(call).await {
        Ok(reply) => format!("{agent} is told {reply}"),
        Err(refused) => format!("{agent} gets no answer: {refused}"),
    });

    let decision = format!("### 2026-11-22: {prompt}\n**By:** {agent}\n**What:** In Postgres.\n");
    let inbox = format!(".squad/decisions/inbox/{}-{}.md", agent.to_lowercase(), prompt.len());
    for (tool, args) in [
        ("edit", json!({ "path": inbox, "content": decision })),
        ("edit", json!({ "path": "src/../../etc/passwd", "content": "x" })),
        ("bash", json!({ "command": "rm -fr build" })),
    ] {
        let root = root.clone();
        let tools = service_fn(move |call: ToolCall| {
            let root = root.clone();
            async move {
                let text =
                    |key: &str| call.args.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                std::fs::write(root.join(text("path")), text("content"))?;
                Ok::<_, BoxError>(ToolResult::ok(format!("{} ran for jane@example.com", call.name)))
            }
        });
        let request = ToolRequest { context: Arc::clone(session.context()), call: ToolCall::new(tool, args) };
        lines.push(match session.tools(tools).oneshot(request).await?.outcome {
            ToolOutcome::Ran(result, _) => format!("{agent}, {tool}: {}", result.content),
            ToolOutcome::Denied(reason) => format!("{agent}, {tool}: denied, {reason}"),
            other => format!("{agent}, {tool}: {other:?}"),
        });
    }
    turn.end(TurnEndReason::Normal).await;
    session.end(EndReason::Complete, None).await;
    Ok(lines)
}
