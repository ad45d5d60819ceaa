//! Names of clients and agents in records are limited in length and scrubbed. Holds and erasures find them in
//! that form.

use serde_json::json;

use super::world::{World, printed, records};

#[test]
fn a_long_name_is_cut_and_still_found() {
    let world = World::new("version: 1\n");
    // Nearly the maximum length of a name.
    let session = "s".repeat(60_000);
    world.call(&session, "ls");
    let record = records(&world.audit(&["tail"])).remove(0);
    let kept = record["session"].as_str().unwrap();
    assert!(kept.len() <= 256 && kept.ends_with("more bytes)"), "{kept}");
    for name in [&*session, kept] {
        assert_eq!(records(&world.audit(&["query", "--session", name])).len(), 1);
    }
    let erase = ["erase", "--session", &session, "--why", "x", "--yes"];
    let hold = ["hold", "add", "case", "--reason", "x", "--session", &session];
    assert_eq!(world.audit(&hold).status.code(), Some(0));
    let held = world.audit(&erase);
    assert!(printed(&held).contains("held by `case`") && printed(&held).contains("0 payloads"), "{held:?}");
    world.audit(&["hold", "release", "case"]);
    let erased = world.audit(&erase);
    assert!(printed(&erased).contains("1 payloads erased"), "{erased:?}");
}

#[test]
fn no_name_is_a_place_for_secrets_or_for_much() {
    let world = World::new("version: 1\n");
    let secret = format!("ghp_{}", "a1".repeat(18));
    let payload = json!({
        "session_id": secret, "cwd": world.app(), "hook_event_name": "PreToolUse",
        // A longer tool name is refused before anything is recorded.
        "tool_name": format!("tool {secret} {}", "x".repeat(900)),
        "tool_input": {}, "tool_use_id": format!("{secret} {}", "y".repeat(60_000)), "transcript_path": "",
    });
    world.ask(&["run", "--client", "claude", "--event", "PreToolUse"], &payload.to_string());
    let output = world.audit(&["tail"]);
    assert!(output.stdout.len() < 2_000 && !printed(&output).contains("ghp_"), "{}", output.stdout.len());
    let record = records(&output).remove(0);
    assert_eq!(record["session"], "[GITHUB_TOKEN_REDACTED]");
    assert!(record["tool"].as_str().unwrap().starts_with("tool [GITHUB_TOKEN_REDACTED] xxx"), "{record}");
    assert_eq!(records(&world.audit(&["query", "--session", "[GITHUB_TOKEN_REDACTED]"])).len(), 1);
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
}
