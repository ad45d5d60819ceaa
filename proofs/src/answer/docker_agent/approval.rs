//! Level `approval`: one tool call through rules, hooks and the user.

use std::path::Path;
use std::sync::Arc;

use hooks_command::{Engine, Profile, Rules};
use serde_json::{Map, Value, json};

use super::pipeline::{Call, Pipeline, Reply, Rule, Session, Tool};
use super::scripted::Script;
use super::world::World;
use super::{block, question};

pub(super) fn answer(question: &Value, profile: Profile) -> Option<Value> {
    let block = match block(question::field(question, "hooks"), profile) {
        Ok(block) => block,
        Err(error) => return Some(json!({ "config_error": error })),
    };
    let script = Arc::new(Script::from_question(question));
    let world = World::from_question(question, &script);
    let engine = Engine::new(block, Rules::exactly(profile), world.handlers());
    let (team, tool) =
        (rule(question::field(question, "team_permissions")), tool(question::field(question, "tool")));
    let reply = reply(question);
    let mut session = session(question::field(question, "session"));
    let pipeline =
        Pipeline { engine: &engine, folder: Path::new("/"), team: &team, tool: &tool, reply: reply.as_ref() };
    let call = question::field(question, "call");
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

fn session(question: &Value) -> Session {
    let is = |name: &str| question::field(question, name).as_bool().unwrap_or_default();
    let id = match question::text(question, "id") {
        "" => "s-1",
        id => id,
    };
    Session {
        id: id.to_owned(),
        yolo: is("yolo"),
        non_interactive: is("non_interactive"),
        rules: rule(question::field(question, "permissions")),
    }
}

fn rule(question: &Value) -> Rule {
    let texts = |name: &str| question::texts(question, name);
    Rule { allow: texts("allow"), ask: texts("ask"), deny: texts("deny") }
}

fn tool(question: &Value) -> Tool {
    let is = |name: &str| question::field(question, name).as_bool().unwrap_or_default();
    Tool {
        name: question::text(question, "name").to_owned(),
        read_only: is("read_only"),
        destructive: is("destructive"),
        metadata: question::field(question, "metadata").as_object().cloned().unwrap_or_default(),
        output: question::text(question, "output").to_owned(),
    }
}

/// The answer of the user, in the words of every generation.
fn reply(question: &Value) -> Option<Reply> {
    let word = question.get("user")?.as_str()?.replace('_', "-");
    let reason = question.get("user_reason").and_then(Value::as_str).map(str::to_owned);
    Some(match word.as_str() {
        "approve" => Reply::Approve,
        "approve-session" | "approve-autonomous" => Reply::ApproveSession,
        "approve-tool" => Reply::ApproveTool(None),
        _ => Reply::Reject(reason),
    })
}
