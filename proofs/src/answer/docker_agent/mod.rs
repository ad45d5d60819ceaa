//! Suite `docker-agent`: blocks of hooks, through the engine that runs them, by the rules of one generation
//! only.

mod approval;
#[cfg(test)]
mod own;
mod pipeline;
mod scripted;
mod sources;
mod world;

use std::sync::Arc;

use hooks::config::parse_hooks;
use hooks_command::config::{Known, Read, read};
use hooks_command::{Ask, Block, Builtins, Engine, HookEvent, Lane, Profile, Rules};
use serde_json::{Map, Value, json};

use self::scripted::Script;
use self::world::{Folder, World};
use super::question;

/// Answers by the rules since September 2026.
pub(super) fn answer_september(question: &Value) -> Option<Value> {
    answer(question, Profile::September)
}

/// Answers by the rules of July 2026.
pub(super) fn answer_july(question: &Value) -> Option<Value> {
    answer(question, Profile::July)
}

fn answer(question: &Value, profile: Profile) -> Option<Value> {
    let answer = match question.get("level")?.as_str()? {
        "dispatch" | "model" | "builtin" | "process" => dispatch(question, profile),
        "approval" => approval::answer(question, profile),
        "config" => Some(config(question::text(question, "yaml"), profile)),
        "sources" => Some(sources::answer(question, profile)),
        _ => None,
    }?;
    Some(json!({"id": question.get("id")?, "answer": answer}))
}

/// Runs one event and returns the merged result.
fn dispatch(question: &Value, profile: Profile) -> Option<Value> {
    let folder = Folder::from_fixture(question.get("fixture"));
    let question = &folder.enter(question);
    let block = match block(question::field(question, "hooks"), profile) {
        Ok(block) => block,
        Err(error) => return Some(json!({ "config_error": error })),
    };
    let event = HookEvent::named(question::text(question, "event"))?;
    let lane = if question::text(question, "lane") == "preempt" { Lane::Preempt } else { Lane::Ordinary };
    let script = Arc::new(Script::from_question(question));
    let world = World::from_question(question, &script);
    let engine = Engine::new(block, Rules::exactly(profile), world.handlers());
    let input = question::field(question, "input").as_object().cloned().unwrap_or_default();
    let cancelled =
        question.get("cancel_after_ms").and_then(Value::as_u64).map(|after| world.cancelled(after));
    let ask = Ask { event, lane, input, folder: folder.path(), also_called: None, cancelled };
    let merged = world.finish(engine.ask(ask))?;
    let mut answer = Map::new();
    answer.insert("result".to_owned(), serde_json::to_value(merged).ok()?);
    answer.extend(script.seen());
    Some(folder.leave(&answer.into()))
}

/// Reads a block, or returns all of its mistakes.
fn block(hooks: &Value, profile: Profile) -> Result<Block, String> {
    let found = read(hooks, Known { profile, builtins: None, our_events: false, exactly: true });
    if found.is_usable() { Ok(found.block) } else { Err(errors(&found)) }
}

fn errors(found: &Read) -> String {
    let lines = found.faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message));
    lines.collect::<Vec<_>>().join("\n")
}

fn config(yaml: &str, profile: Profile) -> Value {
    match parse_hooks(yaml, "hooks", profile, &Builtins::default()) {
        Ok(_) => json!({"ok": true}),
        Err(errors) => json!({"ok": false, "error": errors.to_string()}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scripted_handler_answers_in_its_own_time() {
        let question = json!({
            "id": "x", "level": "dispatch", "event": "pre_tool_use",
            "hooks": {"pre_tool_use": [{"hooks": [
                {"type": "command", "command": "slow", "timeout": 2},
                {"type": "command", "command": "fast", "name": "quick one"}
            ]}]},
            "input": {"session_id": "s", "tool_name": "shell", "tool_input": {"cmd": "ls"}},
            "script": {"slow": {"sleep_ms": 3_600_000}, "fast": {"exit_code": 2, "stderr": "no\n"}}
        });
        let answer = answer_september(&question).unwrap();
        assert_eq!(answer["id"], "x");
        assert_eq!(answer["answer"]["ran"], json!(["slow", "fast"]));
        assert_eq!(answer["answer"]["result"]["exit_code"], 2);
        let message = answer["answer"]["result"]["message"].as_str().unwrap();
        assert!(message.contains("hook \"slow\"") && message.ends_with("\nno"), "{message}");
    }

    #[test]
    fn who_cancels_is_not_kept_waiting() {
        let question = json!({
            "id": 1, "level": "dispatch", "event": "tool_guard", "cancel_after_ms": 50,
            "hooks": {"tool_guard": [{"hooks": [{"type": "command", "command": "slow"}]}]},
            "input": {"tool_name": "x"}, "script": {"slow": {"sleep_ms": 1000}}
        });
        let answer = answer_september(&question).unwrap();
        assert_eq!(answer["answer"]["result"]["allowed"], false);
    }

    #[test]
    fn a_bad_block_is_a_configuration_error() {
        let question = json!({"id": 1, "level": "dispatch", "event": "stop", "hooks": {"stopp": []}});
        assert!(answer_september(&question).unwrap()["answer"]["config_error"].is_string());
        let yaml = json!({"id": 1, "level": "config", "yaml": "stop:\n  - type: command\n    comand: x\n"});
        let answer = answer_september(&yaml).unwrap();
        let error = answer["answer"]["error"].as_str().unwrap();
        assert!(error.contains("line 3") && error.contains("stop[0].comand"), "{error}");
    }
}
