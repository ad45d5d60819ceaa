//! If a new store replaces the one that was used, it allows nothing until an operator accepts the loss.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::server::Server;

/// Allows a single call.
const ONE_CALL: &str = "version: 1\nlimits: { calls: [{ tools: [Read], most: 1, of: team, per: month }] }\n";

/// Message of the denial of the next call.
const USED_UP: &str = "called 1 of 1 times";
/// Message about a lost store.
const LOST: &str = "accept the loss with `hooks state accept-loss`";

/// A user with projects.
struct World {
    folder: TempDir,
    /// Number of calls so far. Each is made in a session of its own, as the rules of a session may not change.
    calls: AtomicU32,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), calls: AtomicU32::new(0) };
        fs::create_dir(world.at("app")).unwrap();
        world
    }

    fn at(&self, place: &str) -> PathBuf {
        self.folder.path().join(place)
    }

    fn configure(&self, project: &str, more: &str) {
        fs::write(self.at(project).join("hooks.yaml"), format!("{ONE_CALL}{more}\n")).unwrap();
    }

    fn hooks(&self, project: &str, options: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(options).current_dir(self.at(project)).env_clear().env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input may close it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    /// Runs a call through `hooks run` as an agent client does; returns the reason of a denial, or an empty
    /// string.
    fn call(&self, project: &str, tool: &str, input: &Value) -> String {
        let session = format!("s{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let payload = json!({
            "session_id": session, "cwd": self.at(project), "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "transcript_path": "",
        });
        let line = ["run", "--client", "claude", "--event", "PreToolUse"];
        let output = self.hooks(project, &line, &payload.to_string());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let Ok(printed) = serde_json::from_slice::<Value>(&output.stdout) else { return String::new() };
        assert_eq!(printed["hookSpecificOutput"]["permissionDecision"], "deny", "{printed}");
        printed["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
    }

    fn read(&self, project: &str) -> String {
        self.call(project, "Read", &json!({"file_path": self.at(project).join("a")}))
    }

    /// Uses up the single call.
    fn use_up(&self, project: &str) {
        assert_eq!(self.read(project), "");
        self.is_used_up(project);
    }

    fn is_used_up(&self, project: &str) {
        let why = self.read(project);
        assert!(why.contains(USED_UP), "{why}");
    }

    fn is_lost(&self, project: &str) {
        let why = self.read(project);
        assert!(why.contains(LOST), "{why}");
    }

    fn accept(&self, project: &str) -> Option<i32> {
        self.hooks(project, &["state", "-c", "hooks.yaml", "accept-loss", "--why", "a test"], "")
            .status
            .code()
    }

    /// Deletes the database and all files next to it.
    fn delete(&self, database: &Path) {
        let name = database.file_name().unwrap().to_str().unwrap();
        for entry in fs::read_dir(database.parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_str().unwrap().starts_with(name) {
                fs::remove_file(path).unwrap();
            }
        }
    }

    fn identities(&self, project: &str) -> Vec<PathBuf> {
        let all =
            fs::read_dir(self.at(project).join(".hooks/stores")).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
    }
}

#[test]
fn a_store_that_was_deleted_with_its_lock_is_lost_until_that_is_accepted() {
    let world = World::new();
    world.configure("app", "store: { path: state.db }");
    world.use_up("app");
    assert_eq!(world.accept("app"), Some(1), "nothing is lost");
    world.delete(&world.at("app/state.db"));
    world.is_lost("app");
    world.is_lost("app");
    let shown = world.hooks("app", &["state", "-c", "hooks.yaml"], "");
    assert!(String::from_utf8_lossy(&shown.stderr).contains(LOST), "{shown:?}");
    assert_eq!(world.accept("app"), Some(0));
    world.use_up("app");
}

#[test]
fn the_default_store_is_missed_too() {
    let world = World::new();
    world.configure("app", "");
    world.use_up("app");
    fs::remove_dir_all(world.at(".local/state")).unwrap();
    world.is_lost("app");
}

#[test]
fn the_audit_log_knows_the_store_where_the_file_beside_the_rules_is_gone() {
    let world = World::new();
    world.configure("app", "audit: {}\nstore: { path: state.db }");
    world.use_up("app");
    world.delete(&world.at("app/state.db"));
    fs::remove_dir_all(world.at("app/.hooks")).unwrap();
    world.is_lost("app");
    assert_eq!(world.accept("app"), Some(0));
    // The acceptance is recorded, and is valid until the next store is used.
    fs::remove_dir_all(world.at("app/.hooks")).unwrap();
    world.use_up("app");
    let record = String::from_utf8(world.hooks("app", &["audit", "query"], "").stdout).unwrap();
    let printed: Vec<&str> = record.lines().filter(|line| line.contains("\"log.store\"")).collect();
    assert!(
        printed.len() == 3 && printed[1].contains("was accepted by `") && printed[1].contains(": a test"),
        "{printed:?}"
    );
    assert_eq!(world.hooks("app", &["audit", "verify"], "").status.code(), Some(0));
}

#[test]
fn a_process_that_was_killed_between_the_store_and_its_identity_is_made_up_for() {
    let world = World::new();
    world.configure("app", "store: { path: state.db }");
    world.use_up("app");
    fs::remove_dir_all(world.at("app/.hooks")).unwrap();
    world.is_used_up("app");
    world.delete(&world.at("app/state.db"));
    world.is_lost("app");
}

#[test]
fn another_store_in_its_place_is_refused_and_gone_on_with_once_accepted() {
    let world = World::new();
    world.configure("app", "store: { path: state.db }");
    world.use_up("app");
    fs::create_dir(world.at("other")).unwrap();
    world.configure("other", "store: { path: state.db }");
    assert_eq!(world.call("other", "Write", &json!({"file_path": world.at("other/a"), "content": ""})), "");
    // The store was opened, but has no counters.
    assert_eq!(world.hooks("other", &["state", "-c", "hooks.yaml"], "").status.code(), Some(0));
    world.delete(&world.at("app/state.db"));
    fs::rename(world.at("other/state.db"), world.at("app/state.db")).unwrap();
    world.is_lost("app");
    assert_eq!(world.accept("app"), Some(0));
    world.use_up("app");
    // The restored store has its old counters.
    world.is_used_up("app");
}

#[test]
fn a_copy_of_a_project_begins_with_a_store_of_its_own() {
    let world = World::new();
    for (store, copied) in [("store: { path: .hooks/state.db }", 1), ("", 0)] {
        world.configure("app", store);
        world.use_up("app");
        // As in a clone: the folder ignores itself.
        let ignored = fs::read_to_string(world.at("app/.hooks/stores/.gitignore")).unwrap();
        assert_eq!(ignored, "*\n");
        let copy = format!("copy{copied}");
        fs::create_dir_all(world.at(&copy).join(".hooks/stores")).unwrap();
        world.configure(&copy, store);
        world.use_up(&copy);
        // As after `cp -r`.
        let (copy, identities) = (format!("copied{copied}"), world.identities("app"));
        fs::create_dir_all(world.at(&copy).join(".hooks/stores")).unwrap();
        for identity in identities {
            fs::copy(&identity, world.at(&copy).join(".hooks/stores").join(identity.file_name().unwrap()))
                .unwrap();
        }
        world.configure(&copy, store);
        world.use_up(&copy);
    }
}

#[test]
fn a_store_that_is_moved_takes_its_counts_along_and_two_in_one_project_are_two() {
    let world = World::new();
    world.configure("app", "store: { path: a.db }");
    world.use_up("app");
    fs::rename(world.at("app/a.db"), world.at("app/b.db")).unwrap();
    world.configure("app", "store: { path: b.db }");
    world.is_used_up("app");
    world.configure("app", "store: { path: c.db }");
    world.use_up("app");
    assert_eq!(world.identities("app").len(), 3);
    world.configure("app", "store: { path: b.db }");
    world.is_used_up("app");
    world.configure("app", "store: { path: a.db }");
    world.is_lost("app");
}

#[test]
fn an_identity_that_makes_no_sense_is_no_identity_of_a_new_store() {
    let world = World::new();
    world.configure("app", "store: { path: state.db }");
    world.use_up("app");
    let [identity] = &world.identities("app")[..] else { panic!() };
    fs::write(identity, "{").unwrap();
    let why = world.read("app");
    assert!(why.contains("is damaged") && why.contains(LOST), "{why}");
    assert_eq!(world.accept("app"), Some(0));
    world.is_used_up("app");
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_written_beside_the_rules_the_identity_is_the_users() {
    let world = World::new();
    world.configure("app", "store: { path: ../state/state.db }");
    // A file is at the path of the folder.
    fs::write(world.at("app/.hooks"), "").unwrap();
    world.use_up("app");
    world.delete(&world.at("state/state.db"));
    world.is_lost("app");
}

#[test]
fn agents_are_kept_from_the_identity() {
    let world = World::new();
    world.configure("app", "store: { path: ../state/state.db }");
    world.use_up("app");
    let identity = world.identities("app").remove(0);
    let name = identity.file_name().unwrap().to_str().unwrap();
    for command in [
        format!("rm .hooks/stores/{name}"),
        "rm -rf .hooks".to_owned(),
        "rm -rf .hooks/stores".to_owned(),
        "rm .hooks/stores/*".to_owned(),
        "mv .hooks elsewhere".to_owned(),
        "git clean -fdx".to_owned(),
        "rm -rf ~/.config/hooks/stores".to_owned(),
        "hooks state accept-loss".to_owned(),
    ] {
        let why = world.call("app", "Bash", &json!({"command": command}));
        assert!(!why.is_empty(), "{command}");
    }
    let why = world.call("app", "Write", &json!({"file_path": identity, "content": "{}"}));
    assert!(!why.is_empty());
}

#[test]
fn a_server_that_was_emptied_between_two_processes_is_lost_until_that_is_accepted_once_for_all() {
    let world = World::new();
    let Some(server) = Server::start(world.folder.path()) else { return };
    fs::create_dir(world.at("other")).unwrap();
    for project in ["app", "other"] {
        world.configure(project, &server.section());
    }
    world.use_up("app");
    world.is_used_up("other");
    server.say("FLUSHALL");
    world.is_lost("app");
    world.is_lost("other");
    assert_eq!(world.accept("app"), Some(0));
    world.use_up("app");
    // The other project still knows the lost store, and the new store contains the acceptance of its loss.
    world.is_used_up("other");
    assert_eq!(world.accept("other"), Some(1), "nothing is lost any more");
    server.say("FLUSHALL");
    world.is_lost("other");
}
