//! The agents and the times to which answers in transcripts are charged, and transcripts that cannot be counted.

use std::fs;

use serde_json::{Value, json};

use super::transcripts::{Session, TOKENS, is_denied, message};
use super::{Told, World};

/// A tool call of a subagent.
fn call_of(session: &Session<'_>, id: &str, kind: &str) -> Told {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "agent_id": id, "agent_type": kind});
    session.event("PreToolUse", &call)
}

fn start_of(session: &Session<'_>, id: &str, kind: &str) {
    session.event("SubagentStart", &json!({"agent_id": id, "agent_type": kind}));
}

/// The file of a subagent, below the folder of its session.
fn file_of(session: &Session<'_>, place: &str) -> String {
    session.world.path(&format!("home/.claude/projects/-app/{}/subagents/{place}.jsonl", session.id))
}

fn at(time: &str, id: &str) -> Value {
    let mut line = message(id, "opus", 900, 100);
    line["timestamp"] = json!(time);
    line
}

#[test]
fn each_child_has_its_own_iterations() {
    let world = World::new("version: 1\nlimits: { iterations: { most: 2 } }\n");
    let session = Session { world: &world, id: "s-1" };
    let answers = |child: &str, ids: &[&str]| {
        for id in ids {
            session.append(&file_of(&session, &format!("agent-{child}")), &message(id, "opus", 9, 1));
        }
    };
    // Two children of one kind at once.
    start_of(&session, "a1", "worker");
    start_of(&session, "a2", "worker");
    answers("a1", &["msg_1", "msg_2"]);
    answers("a2", &["msg_3", "msg_4"]);
    call_of(&session, "a1", "worker").is_silent();
    call_of(&session, "a2", "worker").is_silent();
    answers("a1", &["msg_5"]);
    is_denied(&call_of(&session, "a1", "worker"), "called its model 3 of 2 times");
    call_of(&session, "a2", "worker").is_silent();
    // A further child of this kind gives the first no new count.
    start_of(&session, "a3", "worker");
    is_denied(&call_of(&session, "a1", "worker"), "called its model 3 of 2 times");
    call_of(&session, "a3", "worker").is_silent();
    session.call().is_silent();
}

#[test]
fn the_agent_of_a_session_can_have_a_name() {
    let rules = [
        ("version: 1\nlimits: { iterations: { most: 1 } }\n", "called its model 2 of 1 times"),
        (
            "version: 1\nbudget: { limits: [{ of: agent, per: session, tokens: 1500 }] }\n",
            "the budget of agent `lead` in this session is used up",
        ),
    ];
    for (rules, reason) in rules {
        let world = World::new(rules);
        let session = Session { world: &world, id: "s-1" };
        let call = || {
            let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
                "agent_type": "lead"});
            session.event("PreToolUse", &call)
        };
        session.answers("msg_1");
        call().is_silent();
        // A child of the same name changes nothing about that.
        start_of(&session, "a1", "lead");
        session.answers("msg_2");
        is_denied(&call(), reason);
    }
}

#[test]
fn answers_of_another_day_are_not_charged_to_this_one() {
    let world = World::new("version: 1\nbudget: { limits: [{ of: team, per: day, tokens: 1000 }] }\n");
    let session = Session { world: &world, id: "s-1" };
    // A session that went on for days, before there were rules.
    for (time, id) in [("2026-01-02T10:00:00.000Z", "msg_1"), ("2026-01-03T10:00:00.000Z", "msg_2")] {
        session.append(&session.transcript(), &at(time, id));
    }
    session.call().is_silent();
    // A time of the future counts as now, and so does a line without a time.
    let mut future = at("2999-01-01T00:00:00.000Z", "msg_3");
    future["message"]["usage"] = json!({"input_tokens": 400, "output_tokens": 100});
    session.append(&session.transcript(), &future);
    session.call().is_silent();
    session.append(&session.transcript(), &message("msg_4", "opus", 400, 100));
    is_denied(&session.call(), "1000 tokens of 1000");
    // Windows that are not over have all of it.
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    for (time, id) in [("2026-01-02T10:00:00.000Z", "msg_1"), ("2026-01-03T10:00:00.000Z", "msg_2")] {
        session.append(&session.transcript(), &at(time, id));
    }
    is_denied(&session.call(), "2000 tokens of 2000");
}

#[test]
fn subagents_below_subagents_are_counted() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    session.append(&file_of(&session, "agent-a1/subagents/agent-a2"), &message("msg_2", "opus", 400, 100));
    session.call().is_silent();
    session.append(&file_of(&session, "groups/one/two/agent-a3"), &message("msg_3", "opus", 400, 100));
    is_denied(&session.call(), "2000 tokens of 2000");
}

#[test]
fn a_subagent_without_a_description_is_not_the_main_agent() {
    let world = World::new("version: 1\nbudget: { limits: [{ of: agent, per: session, tokens: 1000 }] }\n");
    let session = Session { world: &world, id: "s-1" };
    // Its name is known by its events, or else its id is its name.
    call_of(&session, "a1", "worker").is_silent();
    session.append(&file_of(&session, "agent-a1"), &message("msg_1", "opus", 900, 100));
    session.append(&file_of(&session, "agent-a2"), &message("msg_2", "opus", 900, 100));
    session.call().is_silent();
    is_denied(&call_of(&session, "a1", "worker"), "the budget of agent `worker`");
    // One with a description and without events.
    let described = file_of(&session, "agent-a3");
    fs::write(described.replace(".jsonl", ".meta.json"), "{\"agentType\": \"tester\"}").unwrap();
    session.append(&described, &message("msg_3", "opus", 900, 100));
    is_denied(&call_of(&session, "a4", "tester"), "the budget of agent `tester`");
}

#[test]
fn a_line_that_cannot_be_read_is_denied_where_rules_count() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    session.call().is_silent();
    let line = json!({"type": "assistant", "message": {"id": "msg_2", "usage": {"tokens": 7}}});
    session.append(&session.transcript(), &line);
    is_denied(&session.call(), "cannot be read, so an answer of the model may not be counted");
    // It stays so, and what follows is counted.
    session.answers("msg_3");
    is_denied(&session.call(), "cannot be read");
    world.write("app/hooks.yaml", "version: 1\n");
    world.sessions_begin();
    session.call().is_silent();
    world.write("app/hooks.yaml", TOKENS);
    world.sessions_begin();
    is_denied(&session.call(), "cannot be read");
}

#[test]
fn a_longer_transcript_in_the_place_of_another_is_read_from_its_start() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.append(&session.transcript(), &message("msg_1", "opus", 400, 100));
    session.call().is_silent();
    fs::remove_file(session.transcript()).unwrap();
    for id in ["msg_2", "msg_3", "msg_4"] {
        session.append(&session.transcript(), &message(id, "opus", 400, 100));
    }
    is_denied(&session.call(), "2000 tokens of 2000");
}

#[cfg(unix)]
#[test]
fn two_spellings_of_a_path_are_one_transcript() {
    let world = World::new("version: 1\nbudget: { limits: [{ of: session, per: session, tokens: 1600 }] }\n");
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    // A summary of 500 is in no message.
    let sums = json!({"opus": {"inputTokens": 1400, "outputTokens": 100}});
    session.append(&session.transcript(), &json!({"type": "cost-state", "startTime": 1, "modelUsage": sums}));
    std::os::unix::fs::symlink(world.path("home/.claude"), world.path("home/link")).unwrap();
    session.call().is_silent();
    for spelling in ["home/link", "home/./.claude", "home/../home/link"] {
        let path = world.path(&format!("{spelling}/projects/-app/s-1.jsonl"));
        session
            .event(
                "PreToolUse",
                &json!({"transcript_path": path, "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}),
            )
            .is_silent();
    }
    let folders = fs::read_dir(world.path("home/.local/state/hooks/transcripts/claude")).unwrap();
    assert_eq!(folders.count(), 1);
    session.append(&session.transcript(), &message("msg_2", "opus", 50, 50));
    is_denied(&session.call(), "1600 tokens of 1600");
}

/// A session of Copilot CLI, whose subagents send their own ids in place of that of the session.
#[test]
fn copilots_subagents_belong_to_the_session() {
    for rules in [
        "version: 1\nbudget: { limits: [{ of: session, per: session, tokens: 2000 }] }\n",
        "version: 1\nbudget: { limits: [{ of: agent, named: [worker], per: session, tokens: 1000 }] }\n",
        "version: 1\nlimits: { iterations: { most: 0 } }\n",
    ] {
        let world = World::new(rules);
        let transcript = "home/.copilot/session-state/s-1/events.jsonl";
        let mut lines = String::new();
        let mut answers = |agent: Option<&str>, id: &str| {
            let usage = json!({"model": "m", "inputTokens": 900, "outputTokens": 100, "apiCallId": id});
            let mut line = json!({"type": "session.usage_record", "data": {"usage": usage}, "id": id});
            if let Some(agent) = agent {
                line["agentId"] = json!(agent);
            }
            lines.push_str(&format!("{line}\n"));
            world.write(transcript, &lines);
        };
        let event = |event: &str, session: &str, agent: Option<(&str, &str)>, more: &Value| {
            let mut payload = json!({"sessionId": session, "timestamp": 1, "cwd": world.path("app")});
            if let Some((agent, parent)) = agent {
                let about = json!({"agentId": agent, "agentType": "worker", "parentAgentId": parent});
                payload.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
            }
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            world.run(&["--client", "copilot", "--event", event], &payload.to_string())
        };
        let call = json!({"toolName": "bash", "toolArgs": "{\"command\":\"ls\"}"});
        answers(None, "c-1");
        // The child is known by its parent, the grandchild by the transcript that its start names.
        event("preToolUse", "a-1", Some(("a-1", "s-1")), &call).is_silent();
        let named = json!({"transcriptPath": world.path(transcript), "agentName": "worker"});
        event("subagentStart", "random", Some(("a-2", "a-1")), &named);
        event("preToolUse", "a-2", Some(("a-2", "a-1")), &call).is_silent();
        answers(Some("a-2"), "c-2");
        let told = event("preToolUse", "a-2", Some(("a-2", "a-1")), &call);
        assert_eq!(told.answer()["permissionDecision"], "deny", "{rules}: {told:?}");
        // The tokens are those of the session or of the name; the iterations are those of one subagent.
        let other = event("preToolUse", "a-1", Some(("a-1", "s-1")), &call);
        assert_eq!(other.stdout.contains("deny"), !rules.contains("iterations"), "{rules}: {other:?}");
        // A subagent whose session is not known is denied.
        let told = event("preToolUse", "a-9", Some(("a-9", "a-8")), &call);
        told.says("the session of subagent `a-9` is not known");
        assert_eq!(told.answer()["permissionDecision"], "deny", "{told:?}");
    }
}
