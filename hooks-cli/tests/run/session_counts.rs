//! Counts of a session in the files that its end writes: every event has a process of its own.

use std::fs;

use serde_json::{Value, json};

use super::World;
use super::transcripts::Session;

const RULES: &str = "version: 1\nsession_end: {}\naudit: false\nrules:\n  \
    - { name: no make, action: deny, commands: [make], reason: no make }\n  \
    - { name: pushing, action: ask, commands: [git push], reason: think twice }\n";

fn only_file(world: &World, folder: &str) -> String {
    let files = fs::read_dir(world.path(folder)).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    fs::read_to_string(file).unwrap()
}

fn call(session: &Session<'_>, command: &str, id: &str) {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    session.event("PreToolUse", &call);
}

fn ran(session: &Session<'_>, command: &str, id: &str) {
    call(session, command, id);
    let done = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
        "tool_response": {"stdout": "done", "stderr": "", "interrupted": false, "isImage": false}});
    session.event("PostToolUse", &done);
}

#[test]
fn the_end_of_a_session_has_the_counts_of_all_its_processes() {
    let world = World::new(RULES);
    world.write("app/.squad/team.md", "# Team\n");
    let session = Session { world: &world, id: "s-1" };
    session.event("SessionStart", &json!({"source": "startup"}));
    session.answers("msg_1");
    ran(&session, "ls", "t-1");
    ran(&session, "pwd", "t-2");
    session.answers("msg_2");
    for at in 3..6 {
        call(&session, "make", &format!("t-{at}"));
    }
    // Those of another session are its own.
    ran(&Session { world: &world, id: "s-2" }, "ls", "t-9");
    session.event("SessionEnd", &json!({"reason": "other"}));

    let metrics: Value = serde_json::from_str(&only_file(&world, "app/.squad/metrics")).unwrap();
    assert_eq!((&metrics["tool_calls"], &metrics["denials"]), (&json!(2), &json!(3)), "{metrics}");
    assert_eq!((&metrics["tokens"], &metrics["rewrites"]), (&json!(2_000), &json!(0)), "{metrics}");
    let recap = only_file(&world, "app/.squad/log");
    assert!(recap.contains("- **Used:** 2000 tokens, 2 tool calls"), "{recap}");
    assert!(recap.contains("- **Rules:** 3 denials, 0 rewrites"), "{recap}");
}

/// A session that is resumed after its end starts at zero.
#[test]
fn an_end_uses_up_its_counts() {
    let world = World::new(RULES);
    world.write("app/.squad/team.md", "# Team\n");
    let session = Session { world: &world, id: "s-1" };
    session.event("SessionStart", &json!({"source": "startup"}));
    ran(&session, "ls", "t-1");
    session.event("SessionEnd", &json!({"reason": "other"}));
    fs::remove_dir_all(world.path("app/.squad/metrics")).unwrap();
    session.event("SessionStart", &json!({"source": "resume"}));
    ran(&session, "pwd", "t-2");
    session.event("SessionEnd", &json!({"reason": "other"}));
    let metrics: Value = serde_json::from_str(&only_file(&world, "app/.squad/metrics")).unwrap();
    assert_eq!(metrics["tool_calls"], 1, "{metrics}");
}

/// If a client cannot ask, the answer is a denial, and that counts as one of the session.
#[test]
fn a_denial_in_place_of_a_question_is_counted() {
    let world = World::new(RULES);
    world.write("app/.squad/team.md", "# Team\n");
    let event = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "transcript_path": null, "cwd": world.path("app"), "model": "m",
            "permission_mode": "default", "turn_id": "t", "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.run(&["--client", "codex", "--event", event], &payload.to_string())
    };
    event("SessionStart", json!({"source": "startup"}));
    let push = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "c"});
    event("PreToolUse", push).says("think twice");
    event("SessionEnd", json!({"reason": "other"}));
    let metrics: Value = serde_json::from_str(&only_file(&world, "app/.squad/metrics")).unwrap();
    assert_eq!((&metrics["tool_calls"], &metrics["denials"]), (&json!(0), &json!(1)), "{metrics}");
}
