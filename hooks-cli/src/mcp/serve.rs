//! `hooks mcp serve`: the tools of a team and `explain`, as an MCP server.
//!
//! The server is a part of this process behind the same proxy as any other server, so that the rules judge its tools.

use std::convert::Infallible;
use std::sync::Arc;

use hooks::drivers::{ToolCall, ToolResult};
use hooks::event::PreToolUse;
use hooks::redaction::Scrubber;
use hooks::{HookContext, HookRequest, Hooks, HooksProvider as _, Judged, StdFileSystem, Strength, system};
use hooks_mcp::{Bounds, INVALID_PARAMS, METHOD_NOT_FOUND, McpSettings, Side, proxy};
use hooks_team::Team;
use hooks_team::tools::{NoOtherTools, SquadTools, SquadToolsLayer, ToolDefinition, definitions};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, duplex, split};
use tower::{Layer, ServiceExt};

use super::{remote, rules, streams};
use crate::cli::McpServe;
use crate::failure::Failure;

/// Versions with `initialize`, the newest first, and those without sessions.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const STATELESS: [&str; 1] = ["2026-07-28"];

/// The version of a request, in the versions without sessions.
const VERSION_OF: &str = "/_meta/io.modelcontextprotocol~1protocolVersion";

/// Code of MCP for a version that the server does not know.
const UNKNOWN_VERSION: i64 = -32022;

/// Bytes between the proxy and the tools.
const BUFFER: usize = 64 << 10;

const EXPLAIN: &str = "explain";

/// Serves until the client ends.
pub(super) async fn run(options: &McpServe) -> Result<u8, Failure> {
    let mut rules = rules::load(options.config.as_deref(), &options.name)?;
    // Its arguments are those of a call that is not run.
    rules.judge_by_name(EXPLAIN);
    let root = rules.context().root().join(&options.team);
    let team = Team::new(Arc::new(StdFileSystem), root, &system());
    let team = team.root().is_dir().then(|| SquadToolsLayer::new(team));
    let hooks = rules.for_questions()?;
    let secrets = Secrets::known_to(&hooks);
    if let Some(team) = team.clone() {
        let secrets = secrets.clone();
        rules.know(move |tool, arguments| {
            file_written(&team, tool, &secrets.removed(arguments.clone().into()))
        });
    }
    let tools = ServedTools {
        team: team.map(|team| team.layer(NoOtherTools)),
        secrets,
        hooks,
        context: rules.context().clone(),
        settings: rules.settings().clone(),
    };
    let (near, far) = duplex(BUFFER);
    let ((reader, writer), (input, output)) = (split(near), split(far));
    let serving = tokio::spawn(async move {
        // The proxy may have ended.
        drop(tools.serve(input, output).await);
    });
    let bounds = Bounds::default();
    let (input, output) = streams::standard()?;
    let client = Side { reader: input, writer: output };
    let proxying = proxy(rules.layer(), bounds, client, Side { reader, writer });
    let status = remote::until_end(proxying, streams::gone_for(bounds.linger), serving).await;
    rules.close().await;
    status
}

/// The tools.
struct ServedTools {
    /// Tools of the team; `None` without one.
    team: Option<SquadTools<NoOtherTools>>,
    secrets: Secrets,
    hooks: Hooks,
    context: HookContext,
    settings: McpSettings,
}

/// Removes secrets from what the tools write: those of the rules, and all known kinds, as the Scribe does. The files of a
/// team are read by others, and are often in a repository.
#[derive(Clone)]
struct Secrets(Vec<Scrubber>);

impl Secrets {
    fn known_to(hooks: &Hooks) -> Self {
        let of_rules = hooks.extension::<Scrubber>().cloned();
        Self(of_rules.into_iter().chain([Scrubber::all()]).collect())
    }

    fn removed(&self, mut value: Value) -> Value {
        for scrubber in &self.0 {
            scrubber.scrub_value(&mut value);
        }
        value
    }
}

/// The file that a call writes, as an argument that the guards judge.
fn file_written(team: &SquadToolsLayer, tool: &str, arguments: &Value) -> Map<String, Value> {
    let file = team.file_written(tool, arguments);
    file.map(|file| ("path".to_owned(), file.to_string_lossy().into())).into_iter().collect()
}

fn is_of_team(tool: &str) -> bool {
    definitions().iter().any(|definition| definition.name == tool)
}

/// Code and message of an error.
struct Refused(i64, String);

impl ServedTools {
    /// Answers the requests of the proxy, which has checked their form.
    async fn serve(
        &self,
        input: impl AsyncRead + Unpin,
        mut output: impl AsyncWrite + Unpin,
    ) -> std::io::Result<()> {
        let mut lines = BufReader::new(input).lines();
        while let Some(line) = lines.next_line().await? {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
            else {
                continue;
            };
            let params = message.get("params").unwrap_or(&Value::Null);
            let answer = match self.answer(method, params).await {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err(Refused(code, why)) => {
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}})
                }
            };
            output.write_all(format!("{answer}\n").as_bytes()).await?;
        }
        output.shutdown().await
    }

    async fn answer(&self, method: &str, params: &Value) -> Result<Value, Refused> {
        let version = params.pointer(VERSION_OF).and_then(Value::as_str);
        if let Some(version) = version.filter(|version| !STATELESS.contains(version)) {
            let why = format!("unknown version `{version}`; supported are {}", STATELESS.join(", "));
            return Err(Refused(UNKNOWN_VERSION, why));
        }
        let mut result = match method {
            "initialize" => initialized(params),
            "server/discover" => {
                json!({"supportedVersions": STATELESS, "capabilities": {"tools": {}}, "serverInfo": about()})
            }
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.definitions()}),
            "tools/call" => self.call(params).await?,
            _ => return Err(Refused(METHOD_NOT_FOUND, format!("unknown method `{method}`"))),
        };
        if let (Some(_), Some(fields)) = (version, result.as_object_mut()) {
            fields.insert("resultType".to_owned(), "complete".into());
            if method != "tools/call" {
                fields.extend([("ttlMs".to_owned(), 0.into()), ("cacheScope".to_owned(), "private".into())]);
            }
        }
        Ok(result)
    }

    fn definitions(&self) -> Vec<Value> {
        let definition = |tool: ToolDefinition| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.input_schema,
                "annotations": {"readOnlyHint": tool.read_only},
            })
        };
        let team = self.team.as_ref().map(|_| definitions()).unwrap_or_default();
        team.into_iter().map(definition).chain([explain_definition()]).collect()
    }

    async fn call(&self, params: &Value) -> Result<Value, Refused> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        let ToolResult { content, error, .. } = match &self.team {
            Some(team) if is_of_team(name) => {
                let arguments = self.secrets.removed(arguments);
                let done: Result<_, Infallible> = team.clone().oneshot(ToolCall::new(name, arguments)).await;
                let Ok(result) = done;
                result
            }
            _ if name == EXPLAIN => self.explain(arguments),
            _ => return Err(Refused(INVALID_PARAMS, format!("unknown tool `{name}`"))),
        };
        let text = error
            .clone()
            .unwrap_or_else(|| content.as_str().map_or_else(|| content.to_string(), str::to_owned));
        Ok(json!({"content": [{"type": "text", "text": text}], "isError": error.is_some()}))
    }

    /// Explains the decision of the policies about a call. Handlers, limits and questions take no part.
    fn explain(&self, arguments: Value) -> ToolResult {
        match serde_json::from_value::<ExplainedCall>(arguments) {
            Ok(ExplainedCall { tool, arguments, agent }) => {
                let mut context = self.context.clone();
                context.agent_name = agent.unwrap_or_default();
                let event = self.judged(tool, arguments);
                ToolResult::ok(explained(&self.hooks, &HookRequest::new(context, event)))
            }
            Err(error) => ToolResult::failed(error.to_string()),
        }
    }
}

impl ServedTools {
    /// The event of a call that is explained. A tool of this server has the name and the file that the rules judge.
    fn judged(&self, tool: String, mut arguments: Map<String, Value>) -> PreToolUse {
        let bare = tool.strip_prefix(&*self.settings.tool_name("")).unwrap_or(&tool);
        if bare == EXPLAIN {
            arguments.clear();
        } else if !is_of_team(bare) {
            return PreToolUse::new(tool, arguments.into());
        }
        if let Some(known) = &self.settings.known_arguments {
            let known = known(bare, &arguments);
            arguments.extend(known);
        }
        PreToolUse::new(self.settings.tool_name(bare), arguments.into())
    }
}

/// Arguments of `explain`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplainedCall {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    agent: Option<String>,
}

fn explain_definition() -> Value {
    json!({
        "name": EXPLAIN,
        "description": "Explains the decision of the rules about a tool call, without running it, with the reasons of each policy",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool": {"type": "string", "description": "Name of the tool, as you call it"},
                "arguments": {"type": "object", "description": "Arguments of the call"},
                "agent": {"type": "string", "description": "Name of the agent that would call it"},
            },
            "required": ["tool"],
            "additionalProperties": false,
        },
        "annotations": {"readOnlyHint": true},
    })
}

/// The decision of the policies, with the reasons of each that has an opinion. What would change it is for the operator.
fn explained(hooks: &Hooks, request: &HookRequest<PreToolUse>) -> Value {
    let outcome = hooks.judge_pre_tool_use(request);
    let policies: Vec<Value> = hooks
        .explain(request)
        .into_iter()
        .filter(|policy| policy.verdict.strength() > Strength::NoOpinion)
        .map(|policy| {
            let reasons = policy.verdict.reasons().iter().map(|reason| {
                json!({"rule": reason.rule, "message": reason.message, "argument": reason.argument, "instead": reason.advice})
            });
            json!({"policy": policy.policy, "verdict": policy.verdict.strength(), "reasons": reasons.collect::<Vec<_>>()})
        })
        .collect();
    json!({"decision": outcome.strength(), "message": outcome.text_for_agent(), "policies": policies})
}

fn initialized(params: &Value) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let [newest, ..] = VERSIONS;
    let version = wanted.filter(|version| VERSIONS.contains(version)).unwrap_or(newest);
    json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about()})
}

fn about() -> Value {
    json!({"name": "hooks", "version": env!("CARGO_PKG_VERSION")})
}
