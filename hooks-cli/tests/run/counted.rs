//! Metrics of a session that Claude Code reports, from the record of its processes.

use serde_json::json;

use super::World;
use super::transcripts::Session;

#[test]
fn a_session_of_a_client_has_its_prompts_wishes_tools_and_children() {
    let world = World::new("version: 1\naudit: { folder: audit-log }\nprompts: {}\n");
    world.write("app/.squad/team.md", "# Team\n");
    world.write("app/.git/config", "[remote \"origin\"]\n\turl = https://example.com/acme/app.git\n");
    let session = Session { world: &world, id: "s-1" };
    session.event("UserPromptSubmit", &json!({"prompt": "Never push to main."}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1",
        "agent_id": "a1", "agent_type": "Fact Checker",
        "tool_response": {"stdout": "a", "stderr": "", "interrupted": false, "isImage": false}});
    // The calls are the time that the first child runs for.
    for id in ["a1", "a2"] {
        session.event("SubagentStart", &json!({"agent_id": id, "agent_type": "Fact Checker"}));
    }
    session.event("PreToolUse", &call);
    session.event("PostToolUse", &call);
    let stop = json!({"agent_id": "a1", "agent_type": "Fact Checker", "stop_hook_active": false,
        "agent_transcript_path": world.path("none"), "last_assistant_message": "done"});
    session.event("SubagentStop", &stop);

    let told = world.program("audit", &["-c", "hooks.yaml", "metrics"], "");
    let child = r#"agent="Fact Checker",repo="acme/app""#;
    for line in [
        r#"hooks_prompts_total{team="app",verdict="no_opinion"} 1"#,
        r#"hooks_directives_total{team="app",type="never"} 1"#,
        &format!("hooks_tool_duration_seconds_count{{team=\"app\",{child},tool=\"Bash\"}} 1"),
        &format!("squad_tool_call_total{{{child},tool=\"Bash\"}} 1"),
        &format!("squad_agent_spawn_total{{{child}}} 2"),
        &format!("squad_agent_complete_total{{{child},outcome=\"completed\"}} 1"),
        &format!("squad_agent_duration_seconds_count{{{child},outcome=\"completed\"}} 1"),
    ] {
        told.says(line);
    }
    for (metric, labels) in [
        ("squad_agent_duration_seconds", format!("{child},outcome=\"completed\"")),
        ("hooks_tool_duration_seconds", format!("team=\"app\",{child},tool=\"Bash\"")),
    ] {
        let (_, seconds) = told.stdout.split_once(&format!("{metric}_sum{{{labels}}} ")).unwrap();
        assert!(seconds.lines().next().unwrap().parse::<f64>().unwrap() > 0.0, "{metric}: {told:?}");
    }
}
