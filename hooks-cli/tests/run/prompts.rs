//! Messages of users, in front of clients that cannot replace them.

use serde_json::{Value, json};

use super::{Told, World};

const RULES: &str =
    "version: 1\nprompts: { required: [Keep to the law.], scrub: true, directives: ignore }\n";

fn sent(world: &World, client: &str, event: &str, prompt: &str) -> Told {
    let payload = json!({"session_id": "s", "sessionId": "s", "conversation_id": "s", "transcript_path": null,
        "cwd": world.path("app"), "workspace_roots": [world.path("app")], "timestamp": 1, "model": "m",
        "permission_mode": "default", "turn_id": "t", "prompt_id": "p", "hook_event_name": event, "prompt": prompt});
    world.run(&["--client", client, "--event", event], &payload.to_string())
}

#[test]
fn a_required_text_is_added_as_context_and_a_secret_is_denied() {
    let world = World::new(RULES);
    for (client, event) in [
        ("claude", "UserPromptSubmit"),
        ("codex", "UserPromptSubmit"),
        ("gemini", "BeforeAgent"),
        ("docker-agent", "user_prompt_submit"),
    ] {
        let told = sent(&world, client, event, "Fix it.");
        assert_eq!(told.exit, Some(0), "{client}: {told:?}");
        told.says("Keep to the law.");
        assert!(!told.stdout.contains("block") && !told.stdout.contains("deny"), "{client}: {told:?}");
        sent(&world, client, event, "Fix it. Keep to the law.").is_silent();
        let told = sent(&world, client, event, "Mail ada@example.com. Keep to the law.");
        told.says("cannot replace a message");
        assert!(!told.stdout.contains("ada@example.com"), "{client}: {told:?}");
    }
    let told = sent(&world, "copilot", "userPromptSubmitted", "Fix it.");
    let answer: Value = told.answer();
    assert_eq!(answer["modifiedPrompt"], "Fix it.\n\nKeep to the law.", "{told:?}");
}
