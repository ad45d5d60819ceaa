//! Effects of the sections `scribe` and `notices`, on a real folder.

use std::fs;
use std::path::Path;

use hooks_config::{Config, ConfigReader};
use hooks_core::event::{EndReason, PostToolUse, PreToolUse, SessionEnd, TurnStart};
use hooks_core::{HookContext, Hooks, Judged, Strength};
use hooks_store::StoreThread;
use hooks_system::system;
use serde_json::{Value, json};

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let team = folder.path().join(".squad");
    fs::create_dir_all(team.join("decisions/inbox")).unwrap();
    fs::create_dir_all(team.join("agents/tester")).unwrap();
    fs::write(team.join("agents/tester/charter.md"), "# Tester\n\n## What I Own\n\n- `src/`\n").unwrap();
    folder
}

async fn wrote(hooks: &Hooks, folder: &Path, tool: &str, path: &str) {
    let call = PreToolUse::new(tool, json!({ "path": path }));
    let context = HookContext::new("s", "Backend").in_dir(folder).with_environment(system());
    hooks.on(context).post_tool_use(PostToolUse::after(&call, Value::Null, None, 1)).await;
}

async fn end(hooks: &Hooks, folder: &Path) {
    let context = HookContext::new("s", "Backend").in_dir(folder).with_environment(system());
    let mut end = SessionEnd::default();
    end.reason = EndReason::Complete;
    hooks.on(context).session_end(end).await;
}

fn text_in(folder: &Path, below: &str) -> String {
    let files = fs::read_dir(folder.join(".squad").join(below)).into_iter().flatten();
    files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

#[tokio::test]
async fn a_service_works_in_the_background_and_at_the_end() {
    let folder = project();
    let inbox = folder.path().join(".squad/decisions/inbox/a.md");
    fs::write(&inbox, "### 2026-11-22: A\n**By:** Backend\n").unwrap();
    let text = "version: 1\ntools: { save_doc: write }\nscribe: { pause: 1h }\nnotices: { most: 1 }\n";
    let hooks = Config::parse(text, "hooks.yaml").unwrap().hooks();
    wrote(&hooks, folder.path(), "saveDoc", ".squad/decisions/inbox/a.md").await;
    wrote(&hooks, folder.path(), "edit", "src/a.rs").await;
    wrote(&hooks, folder.path(), "edit", "src/b.rs").await;
    assert!(inbox.exists(), "nobody waits for the work");
    end(&hooks, folder.path()).await;
    assert!(!inbox.exists());
    let log = text_in(folder.path(), "log");
    assert!(log.contains("wrote `decisions/inbox/a.md` with `saveDoc`"), "{log}");
    assert!(log.contains("**tester** will get the notice that **Backend** wrote `src/a.rs`"), "{log}");
    let context = HookContext::new("t", "Tester").in_dir(folder.path()).with_environment(system());
    let told = hooks.on(context).turn_start(TurnStart::new(1)).await.additional_context;
    assert!(told[0].text.contains("src/b.rs") && told[0].text.contains("1 older files"), "{told:?}");
}

#[tokio::test]
async fn a_program_that_ends_works_at_once_and_without_a_team_nothing_is_written() {
    let folder = project();
    let reader = || ConfigReader::default().store_thread(StoreThread::AtOnce);
    fs::write(folder.path().join(".squad/decisions/inbox/a.md"), "### 2026-11-22: A\n**By:** B\n").unwrap();
    let hooks = reader().parse("version: 1\nscribe: {}\nnotices: {}\n", "hooks.yaml").unwrap().hooks();
    wrote(&hooks, folder.path(), "edit", ".squad/decisions/inbox/a.md").await;
    assert!(
        fs::read_to_string(folder.path().join(".squad/decisions.md")).unwrap().contains("### 2026-11-22: A")
    );
    let empty = tempfile::tempdir().unwrap();
    wrote(&hooks, empty.path(), "edit", ".squad/decisions/inbox/a.md").await;
    end(&hooks, empty.path()).await;
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn what_hooks_keep_for_each_other_is_not_for_agents() {
    let folder = project();
    let text = "version: 1\nscribe: {}\nnotices: { team: other }\n";
    fs::create_dir(folder.path().join(".hooks")).unwrap();
    let file = folder.path().join(".hooks/hooks.yaml");
    fs::write(&file, text).unwrap();
    let hooks = ConfigReader::default().read(&file).unwrap().hooks();
    let below = folder.path().join("src");
    fs::create_dir(&below).unwrap();
    for (at, tool, args, is_denied) in [
        (folder.path(), "edit", json!({ "path": ".squad/.hooks/move.json" }), true),
        (folder.path(), "edit", json!({ "path": ".squad/.hooks/scribe/1.json" }), true),
        (folder.path(), "edit", json!({ "path": "other/.hooks/scribe/1.json" }), true),
        (folder.path(), "bash", json!({ "command": "cp x.json .squad/.hooks/move.json" }), true),
        (folder.path(), "bash", json!({ "command": "mv x .squad/.hooks" }), true),
        (&*below, "edit", json!({ "path": "../.squad/.hooks/move.json" }), true),
        (&*below, "bash", json!({ "command": "cd .. && echo x > other/.hooks/move.json" }), true),
        (folder.path(), "edit", json!({ "path": ".squad/decisions/inbox/a.md" }), false),
        (folder.path(), "bash", json!({ "command": "cat .squad/.hooks/move.json" }), false),
    ] {
        let context = HookContext::new("s", "Backend").in_dir(at).with_environment(system());
        let decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args.clone())).await;
        assert_eq!(
            decision.outcome.strength() == Strength::Deny,
            is_denied,
            "{args}: {:?}",
            decision.outcome
        );
    }
}
