//! Budgets and limits behind clients that report no model calls: the answers are counted in their transcripts.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::thread;

use serde_json::{Value, json};

use super::recorded::records;
use super::{Told, World};

/// A session of Claude Code whose transcript grows.
pub(super) struct Session<'w> {
    pub(super) world: &'w World,
    pub(super) id: &'static str,
}

impl Session<'_> {
    pub(super) fn transcript(&self) -> String {
        self.world.path(&format!("home/.claude/projects/-app/{}.jsonl", self.id))
    }

    pub(super) fn append(&self, path: &str, line: &Value) {
        fs::create_dir_all(std::path::Path::new(path).parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// The model answers with a thousand tokens; its two blocks are two lines.
    pub(super) fn answers(&self, id: &str) {
        for _ in 0..2 {
            self.append(&self.transcript(), &message(id, "opus", 900, 100));
        }
    }

    pub(super) fn event(&self, event: &str, more: &Value) -> Told {
        let mut payload = json!({"session_id": self.id, "transcript_path": self.transcript(),
            "cwd": self.world.path("app"), "prompt_id": "p", "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.world.run(&["--client", "claude", "--event", event], &payload.to_string())
    }

    pub(super) fn call(&self) -> Told {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"});
        self.event("PreToolUse", &call)
    }
}

pub(super) fn message(id: &str, model: &str, sent: u64, received: u64) -> Value {
    let usage = json!({"input_tokens": sent, "output_tokens": received});
    json!({"type": "assistant", "message": {"id": id, "model": model, "content": [], "usage": usage}})
}

#[track_caller]
pub(super) fn is_denied(told: &Told, reason: &str) {
    let answer = told.answer();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says(reason);
}

pub(super) const TOKENS: &str =
    "version: 1\nbudget: { limits: [{ of: session, per: session, tokens: 2000 }] }\n";

#[test]
fn a_budget_stops_a_session_once_its_answers_used_it_up() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    // There is no transcript yet.
    session.event("UserPromptSubmit", &json!({"prompt": "go"})).is_silent();
    session.answers("msg_1");
    session.call().is_silent();
    session.call().is_silent();
    session.answers("msg_2");
    is_denied(
        &session.call(),
        "the budget of session `s-1` is used up: 2000 tokens of 2000 tokens are spent",
    );
    let prompt = session.event("UserPromptSubmit", &json!({"prompt": "go on"}));
    assert_eq!(prompt.answer()["decision"], "block", "{prompt:?}");
    // The budget is that of this session.
    let other = Session { world: &world, id: "s-2" };
    other.answers("msg_3");
    other.call().is_silent();
}

#[test]
fn the_answers_of_subagents_count_and_so_do_summaries() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    let child = session.world.path("home/.claude/projects/-app/s-1/subagents/agent-a1.jsonl");
    session.append(&child, &message("msg_2", "opus", 400, 100));
    session.call().is_silent();
    // 500 more are in no message.
    let sums = json!({"opus": {"inputTokens": 1700, "outputTokens": 300}});
    session.append(&session.transcript(), &json!({"type": "cost-state", "startTime": 1, "modelUsage": sums}));
    is_denied(&session.call(), "2000 tokens of 2000");
}

#[test]
fn a_copy_of_a_session_does_not_pay_for_the_original() {
    let world = World::new("version: 1\nbudget: { limits: [{ of: team, per: day, tokens: 2500 }] }\n");
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    session.answers("msg_2");
    session.call().is_silent();
    let copy = Session { world: &world, id: "s-2" };
    fs::copy(session.transcript(), copy.transcript()).unwrap();
    copy.call().is_silent();
    copy.answers("msg_3");
    is_denied(&copy.call(), "3000 tokens of 2500");
}

#[test]
fn money_is_counted_at_the_configured_prices() {
    let world = World::new(
        "version: 1
audit: { folder: audit-log }
budget:
  limits: [{ of: session, per: session, usd: 0.01 }]
  prices: [{ model: opus, input: 5, output: 25 }]
",
    );
    let session = Session { world: &world, id: "s-1" };
    // 900 * $5 + 100 * $25 for a million: $0.007.
    session.answers("msg_1");
    session.call().is_silent();
    session.answers("msg_2");
    is_denied(&session.call(), "$0.014000 of $0.010000");
    let other = Session { world: &world, id: "s-2" };
    other.append(&other.transcript(), &message("msg_3", "novel", 1, 1));
    is_denied(&other.call(), "novel");
    // The record has what was charged, and no cost of a model without a price.
    let answers = records(&world).into_iter().filter(|record| record["event"] == "after_model_call");
    let costs = answers.map(|record| record["cost_micro_usd"].as_u64());
    assert_eq!(costs.collect::<Vec<_>>(), [Some(7_000), Some(7_000), None]);
}

#[test]
fn answers_are_the_iterations_of_an_agent() {
    let world = World::new("version: 1\nlimits: { iterations: { most: 2, per: prompt } }\n");
    let session = Session { world: &world, id: "s-1" };
    for answer in ["msg_1", "msg_2"] {
        session.answers(answer);
        session.call().is_silent();
    }
    session.answers("msg_3");
    is_denied(&session.call(), "called its model 3 of 2 times");
    session.event("UserPromptSubmit", &json!({"prompt": "go on"})).is_silent();
    session.answers("msg_4");
    session.call().is_silent();
}

#[test]
fn a_session_that_is_not_written_down_is_denied_once_that_is_certain() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.call().is_silent();
    let result = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "tool_response": {"stdout": "", "stderr": ""}});
    for _ in 0..2 {
        session.event("PostToolUse", &result).is_silent();
        session.call().is_silent();
    }
    session.event("PostToolUse", &result);
    is_denied(&session.call(), "this client writes no transcript");
    // Rules that count no answers do not need one.
    world.write("app/hooks.yaml", "version: 1\n");
    world.sessions_begin();
    session.call().is_silent();
}

#[test]
fn a_transcript_that_begins_after_the_third_tool_is_waited_for() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    let result = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "tool_response": {"stdout": "", "stderr": ""}});
    for _ in 0..2 {
        session.event("PostToolUse", &result).is_silent();
    }
    let folder = fs::read_dir(world.path("home/.local/state/hooks/transcripts/claude")).unwrap();
    let turn = File::open(folder.last().unwrap().unwrap().path().join("turn.lock")).unwrap();
    thread::scope(|scope| {
        let third = scope.spawn(|| session.event("PostToolUse", &result));
        // The transcript begins once the process has its turn, which is when it waits.
        while turn.try_lock_shared().is_ok() && !third.is_finished() {
            turn.unlock().unwrap();
            thread::yield_now();
        }
        session.answers("msg_1");
        third.join().unwrap().is_silent();
    });
    session.call().is_silent();
    session.answers("msg_2");
    is_denied(&session.call(), "2000 tokens of 2000");
}

#[test]
fn what_was_read_cannot_be_forgotten() {
    let world = World::new(TOKENS);
    let session = Session { world: &world, id: "s-1" };
    session.answers("msg_1");
    session.call().is_silent();
    // Killed before it was kept: the same answers are counted again, and change nothing.
    let kept = || {
        let folders = fs::read_dir(world.path("home/.local/state/hooks/transcripts/claude")).unwrap();
        let folder = folders.last().unwrap().unwrap().path();
        let mut files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        files.find(|file| file.extension().is_some_and(|extension| extension == "json")).unwrap()
    };
    fs::remove_file(kept()).unwrap();
    session.call().is_silent();
    // The transcript became shorter.
    fs::write(session.transcript(), "").unwrap();
    session.call().is_silent();
    session.answers("msg_2");
    is_denied(&session.call(), "2000 tokens of 2000");
    // The kept state is damaged.
    fs::write(kept(), "{").unwrap();
    is_denied(&session.call(), "cannot be counted");
}

#[test]
fn processes_at_once_count_an_answer_once() {
    let world = World::new("version: 1\nbudget: { limits: [{ of: session, per: session, tokens: 5001 }] }\n");
    let session = Session { world: &world, id: "s-1" };
    for round in ["a", "b", "c", "d", "e"] {
        session.answers(round);
        thread::scope(|scope| {
            let calls: Vec<_> = (0..6).map(|_| scope.spawn(|| session.call())).collect();
            calls.into_iter().for_each(|call| call.join().unwrap().is_silent());
        });
    }
    session.answers("f");
    is_denied(&session.call(), "6000 tokens of 5001");
}

#[test]
fn codex_has_a_transcript_for_each_agent() {
    let world = World::new(TOKENS);
    let record = |id: &str| {
        let usage = json!({"input_tokens": 900, "output_tokens": 100});
        json!({"type": "token_usage_record", "payload": {"response_id": id, "usage": usage}})
    };
    let call = |file: &str, agent: Option<&str>| {
        let mut payload = json!({"session_id": "s-1", "transcript_path": world.path(file), "cwd": world.path("app"),
            "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "turn_id": "t",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "call_1"});
        if let Some(agent) = agent {
            payload["agent_id"] = json!("a-1");
            payload["agent_type"] = json!(agent);
        }
        world.run(&["--client", "codex", "--event", "PreToolUse"], &payload.to_string())
    };
    let (main, child) = ("home/.codex/sessions/rollout-1.jsonl", "home/.codex/sessions/rollout-2.jsonl");
    world.write(main, &format!("{}\n", record("resp_1")));
    call(main, None).is_silent();
    world.write(child, "");
    call(child, Some("worker")).is_silent();
    // Its last answer comes after its last call.
    world.write(child, &format!("{}\n", record("resp_2")));
    is_denied(&call(main, None), "2000 tokens of 2000");
}

#[test]
fn copilots_transcript_is_found_without_its_path() {
    let world = World::new(TOKENS);
    let usage = json!({"model": "m", "inputTokens": 1900, "outputTokens": 100, "apiCallId": "c-1"});
    let line = json!({"type": "session.usage_record", "data": {"usage": usage}, "id": "e-1"});
    world.write("home/.copilot/session-state/s-1/events.jsonl", &format!("{line}\n"));
    let payload = json!({"sessionId": "s-1", "timestamp": 1, "cwd": world.path("app"), "toolName": "bash",
        "toolArgs": "{\"command\":\"ls\"}"});
    let told = world.run(&["--client", "copilot", "--event", "preToolUse"], &payload.to_string());
    assert_eq!(told.answer()["permissionDecision"], "deny", "{told:?}");
    told.says("2000 tokens of 2000");
}
