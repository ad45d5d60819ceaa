//! Level `approval`: one tool call through rules, hooks and the user.

use std::path::Path;
use std::sync::Arc;

use hooks_command::{Engine, Profile, Rules};
use serde_json::{Map, Value, json};

use super::pipeline::{Call, Pipeline, Reply, Rule, Session, Tool};
use super::scripted::Script;
use super::world::World;
use super::{block, question};

pub(super) fn answer(asked: &Value, profile: Profile) -> Option<Value> {
    let block = match block(question::field(asked, "hooks"), profile) {
        Ok(block) => block,
        Err(error) => return Some(json!({ "config_error": error })),
    };
    let script = Arc::new(Script::from_question(asked));
    let world = World::from_question(asked, &script);
    let engine = Engine::new(block, Rules::exactly(profile), world.handlers());
    let (team, tool) =
        (rule(question::field(asked, "team_permissions")), tool(question::field(asked, "tool")));
    let reply = reply(asked);
    let mut session = session(question::field(asked, "session"));
    let pipeline =
        Pipeline { engine: &engine, folder: Path::new("/"), team: &team, tool: &tool, reply: reply.as_ref() };
    let call = question::field(asked, "call");
    let call = Call {
        id: question::text(call, "id").to_owned(),
        arguments: question::field(call, "arguments").as_object().cloned().unwrap_or_default(),
    };
    let outcome = world.finish(pipeline.run(&mut session, call))?;
    let mut answer = Map::new();
    answer.insert("outcome".to_owned(), serde_json::to_value(outcome).ok()?);
    answer.extend(script.seen());
    Some(answer.into())
}

fn session(asked: &Value) -> Session {
    let is = |name: &str| question::field(asked, name).as_bool().unwrap_or_default();
    let id = match question::text(asked, "id") {
        "" => "s-1",
        id => id,
    };
    Session {
        id: id.to_owned(),
        yolo: is("yolo"),
        non_interactive: is("non_interactive"),
        rules: rule(question::field(asked, "permissions")),
    }
}

fn rule(asked: &Value) -> Rule {
    let texts = |name: &str| question::texts(asked, name);
    Rule { allow: texts("allow"), ask: texts("ask"), deny: texts("deny") }
}

fn tool(asked: &Value) -> Tool {
    let is = |name: &str| question::field(asked, name).as_bool().unwrap_or_default();
    Tool {
        name: question::text(asked, "name").to_owned(),
        read_only: is("read_only"),
        destructive: is("destructive"),
        metadata: question::field(asked, "metadata").as_object().cloned().unwrap_or_default(),
        output: question::text(asked, "output").to_owned(),
    }
}

/// The answer of the user, in the words of every generation.
fn reply(asked: &Value) -> Option<Reply> {
    let word = asked.get("user")?.as_str()?.replace('_', "-");
    let reason = asked.get("user_reason").and_then(Value::as_str).map(str::to_owned);
    Some(match word.as_str() {
        "approve" => Reply::Approve,
        "approve-session" | "approve-autonomous" => Reply::ApproveSession,
        "approve-tool" => Reply::ApproveTool(None),
        _ => Reply::Reject(reason),
    })
}
