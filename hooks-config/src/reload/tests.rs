//! Files change, break, are mended, moved and cut off while rules are in force.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hooks_cache::{Look, Stamps, SystemStamps};
use hooks_core::event::PreToolUse;
use hooks_core::time::{StoppedClock, Timestamp};
use hooks_core::{HookContext, Judged, Strength};
use serde_json::json;
use std::sync::Arc;

use super::*;
use crate::{Config, ConfigReader};

/// Metadata that never changes, as on a file system that counts in days.
struct Coarse;

impl Stamps for Coarse {
    fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        Ok(SystemStamps.look(path)?.map(|_| Look::default()))
    }

    fn digest(&self, path: &Path, limit: u64) -> io::Result<[u8; 32]> {
        SystemStamps.digest(path, limit)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        SystemStamps.real(path)
    }
}

struct Project {
    dir: tempfile::TempDir,
    config: LiveConfig,
}

/// Rules that block the command `blocked`, and end with the mark of a whole file.
fn blocking(blocked: &str) -> String {
    format!("version: 1\nask_user: {{ max_per_session: 2 }}\ncommand_guard: {{ block: [{blocked}] }}\n...\n")
}

impl Project {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("hooks.yaml"), text).unwrap();
        let reader = LiveReader::new(ConfigReader::default());
        // The clock stands still: metadata is never old enough to be trusted.
        let reader = reader.seeing(Arc::new(SystemStamps), Arc::new(StoppedClock(Timestamp(1_000))));
        let config = reader.read(dir.path().join("hooks.yaml")).unwrap();
        Self { dir, config }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, text: &str) {
        fs::write(self.at("hooks.yaml"), text).unwrap();
    }

    /// Two checks: the second takes what the first saw.
    fn check(&self) -> Option<Reloaded> {
        assert!(self.config.check().is_none(), "a file that just changed may be written still");
        self.config.check()
    }

    fn swapped(&self) {
        let new = self.check();
        let Some(Reloaded::Swapped { version, .. }) = &new else { panic!("{new:?}") };
        assert_eq!(self.config.current().rules_version(), &**version);
    }

    fn refused(&self) -> String {
        let new = self.check();
        let Some(Reloaded::Refused { errors, .. }) = new else { panic!("{new:?}") };
        errors.to_string()
    }

    fn denies(&self, command: &str) -> bool {
        let context = HookContext::new("s", "a").in_dir(self.dir.path());
        let context = context.with_environment(hooks_system::system());
        let event = PreToolUse::new("bash", json!({ "command": command }));
        let rules = self.config.current();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async { rules.as_hooks().on(context).pre_tool_use(event).await.outcome.is_denied() })
    }
}

#[test]
fn a_changed_file_is_in_force_after_two_looks() {
    let project = Project::new(&blocking("git push"));
    assert!(project.config.check().is_none());
    assert!(project.denies("git push") && !project.denies("git pull"));
    // The same length, so that only the content and the time differ.
    project.write(&blocking("git pull"));
    project.swapped();
    assert!(!project.denies("git push") && project.denies("git pull"));
    // A new time of the same content is no change.
    let before = project.config.current();
    project.write(&blocking("git pull"));
    assert!(project.check().is_none());
    assert!(Arc::ptr_eq(&before, &project.config.current()));
}

#[test]
fn a_change_is_seen_where_the_metadata_cannot_show_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("hooks.yaml");
    fs::write(&file, blocking("git push")).unwrap();
    let clock = Arc::new(StoppedClock(Timestamp(1_000)));
    let reader = LiveReader::new(ConfigReader::default()).seeing(Arc::new(Coarse), clock);
    let config = reader.read(&file).unwrap();
    fs::write(&file, blocking("git pull")).unwrap();
    assert!(config.check().is_none());
    assert!(matches!(config.check(), Some(Reloaded::Swapped { .. })));
}

#[test]
fn a_file_that_is_still_written_is_left_alone() {
    let project = Project::new("version: 1\n");
    for length in 1..4 {
        project.write(&format!("version: 1\ncommand_guard: {{ block: [{}] }}\n", "x, ".repeat(length)));
        assert!(project.config.check().is_none(), "it changes from look to look");
    }
    assert!(matches!(project.config.check(), Some(Reloaded::Swapped { .. })));
}

#[test]
fn a_bad_file_replaces_nothing_and_is_reported_once() {
    let project = Project::new(&blocking("git push"));
    project.write("version: 1\ncomand_guard: {}\n...\n");
    let error = project.refused();
    assert!(error.contains("line 2, column 1: comand_guard: unknown option"), "{error}");
    assert!(error.contains("did you mean `command_guard`?"), "{error}");
    for _ in 0..3 {
        assert!(project.config.check().is_none(), "it is known");
    }
    assert!(project.denies("git push"));
    project.write("version: 1\nrule: []\n...\n");
    assert!(project.refused().contains("rule: unknown option"), "another mistake is reported");
    project.write(&blocking("git push"));
    project.swapped();
    assert!(project.denies("git push"));
}

#[test]
fn on_error_deny_denies_until_the_file_is_mended() {
    let text = |rest: &str| format!("version: 1\nreload: {{ on_error: deny }}\n{rest}\n");
    let project = Project::new(&text("command_guard: { block: [git push] }"));
    assert!(!project.denies("ls"));
    // The setting of the rules in force counts, not that of the bad file.
    project.write("version: 1\nreload: { on_error: keep }\nrule: []\n");
    project.refused();
    let rules = project.config.current();
    let context = HookContext::new("s", "a").with_environment(hooks_system::system());
    let event = PreToolUse::new("bash", json!({"command": "ls"}));
    let explained = rules.as_hooks().explain(&hooks_core::HookRequest::new(context, event));
    let reason = explained.iter().flat_map(|one| one.verdict.reasons()).find(|one| one.policy == "reload");
    assert_eq!(reason.map(|reason| reason.kind), Some(hooks_core::ReasonKind::Failure));
    assert!(project.denies("ls"));
    project.write(&text("command_guard: { block: [git push] }"));
    project.swapped();
    assert!(!project.denies("ls") && project.denies("git push"));
}

#[test]
fn a_part_of_a_file_is_never_in_force() {
    let (old, new) = (
        blocking("git push"),
        "version: 1\nrules:\n- { name: a, action: deny, commands: [ls] }\n- { name: b, action: deny, commands: [rm] }\n...\n",
    );
    let project = Project::new(&old);
    let version = project.config.current().rules_version().to_owned();
    for end in 0..new.len() {
        project.write(new.split_at(end).0);
        project.config.check();
        let told = project.config.check();
        assert!(!matches!(told, Some(Reloaded::Swapped { .. })), "{:?}", new.split_at(end).0);
        assert_eq!(project.config.current().rules_version(), version);
    }
    project.write(new);
    project.swapped();
    assert!(project.denies("ls") && project.denies("rm x"));
}

#[test]
fn counts_go_on() {
    let project = Project::new(&blocking("git push"));
    let ask = || {
        let context = HookContext::new("s", "a").in_dir("/repo").with_environment(hooks_system::system());
        let rules = project.config.current();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let event = PreToolUse::new("ask_user", json!({"question": "?"}));
            let mut decision = rules.as_hooks().on(context).pre_tool_use(event).await;
            let is_denied = decision.outcome.is_denied();
            decision.commit();
            is_denied
        })
    };
    assert!(!ask());
    project.write(&blocking("git pull"));
    project.swapped();
    assert!(!ask());
    project.write(&blocking("git fetch"));
    project.swapped();
    assert!(ask(), "two questions were asked under earlier rules");
}

#[test]
fn sections_that_a_running_host_cannot_change_are_refused() {
    let project = Project::new("version: 1\ntenant: acme\n");
    for (text, key) in [
        ("version: 1\ntenant: globex\n", "line 2, column 9: tenant: `tenant` cannot change"),
        ("version: 1\n", "tenant: `tenant` cannot change"),
        (
            "version: 1\ntenant: acme\nstore: { engine: memory, names: 9 }\n",
            "line 3, column 8: store: `store`",
        ),
        (
            "version: 1\ntenant: acme\ncache: {}\n",
            "line 3, column 8: cache: `cache` cannot change while the host runs; start the host again, or undo this change",
        ),
    ] {
        project.write(text);
        let error = project.refused();
        assert!(error.contains(key), "{error}");
    }
    project.write("version: 1\ntenant: acme\ncommand_guard: { block: [ls] }\n");
    project.swapped();
}

#[test]
fn counts_that_would_end_keep_the_rules_of_squad_compat() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("policy.json");
    fs::write(&file, r#"{"maxAskUserPerSession": 2}"#).unwrap();
    let reader = ConfigReader::default().profile(crate::Profile::SquadCompat);
    let config = LiveReader::new(reader).read(&file).unwrap();
    fs::write(&file, r#"{"maxAskUserPerSession": 3}"#).unwrap();
    config.check();
    let Some(Reloaded::Refused { errors, .. }) = config.check() else { panic!("it cannot be read again") };
    assert!(errors.to_string().contains("start the host again"), "{errors}");
}

#[test]
fn every_file_that_was_read_is_watched() {
    let project = Project::new("version: 1\n");
    // A folder of policies that appears, then one of its files, then another one.
    let folder = project.at(".squad/policies");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("one.json"), r#"{"blockedCommands": ["git push"]}"#).unwrap();
    project.swapped();
    assert!(project.denies("git push"));
    fs::write(folder.join("one.json"), r#"{"blockedCommands": ["git pull"]}"#).unwrap();
    project.swapped();
    assert!(!project.denies("git push") && project.denies("git pull"));
    fs::write(folder.join("two.yaml"), "blockedCommands: [git push]\n").unwrap();
    project.swapped();
    assert!(project.denies("git push") && project.denies("git pull"));
    fs::write(folder.join("two.yaml"), "blockedCommand: [git push]\n").unwrap();
    assert!(project.refused().contains("two.yaml"));
    fs::remove_dir_all(&folder).unwrap();
    project.swapped();
    assert!(!project.denies("git push"));
}

#[test]
fn a_file_of_a_tenant_is_watched() {
    let project = Project::new("version: 1\ntenant: a\n");
    // A file that does not exist yet is a mistake; with it, the rules are in force.
    project.write("version: 1\ntenant: a\ntenants: { b: { extends: b.yaml } }\n");
    assert!(project.refused().contains("b.yaml"));
    fs::write(project.at("b.yaml"), "version: 1\nprotected: [x]\n").unwrap();
    assert!(matches!(project.config.check(), Some(Reloaded::Swapped { .. })));
    let before = project.config.current().rules_version().to_owned();
    fs::write(project.at("b.yaml"), "version: 1\nprotected: [y]\n").unwrap();
    project.swapped();
    assert_ne!(project.config.current().rules_version(), before);
}

#[cfg(unix)]
#[test]
fn a_file_is_followed_wherever_it_goes() {
    use std::os::unix::fs::symlink;
    let project = Project::new(&blocking("git push"));
    let (file, away) = (project.at("hooks.yaml"), project.at("away"));
    // Renamed over, as editors write.
    fs::write(project.at("new"), blocking("git pull")).unwrap();
    fs::rename(project.at("new"), &file).unwrap();
    project.swapped();
    assert!(project.denies("git pull"));
    // Removed: the rules go on.
    fs::rename(&file, &away).unwrap();
    assert!(project.refused().contains("the file cannot be read"));
    assert!(project.denies("git pull"));
    fs::rename(&away, &file).unwrap();
    project.swapped();
    // Replaced by a link, and the link by another one.
    fs::create_dir(project.at("a")).unwrap();
    fs::write(project.at("a/x.yaml"), blocking("git fetch")).unwrap();
    fs::write(project.at("a/y.yaml"), blocking("git merge")).unwrap();
    fs::remove_file(&file).unwrap();
    symlink("a/x.yaml", &file).unwrap();
    project.swapped();
    assert!(project.denies("git fetch"));
    fs::remove_file(&file).unwrap();
    symlink("a/y.yaml", &file).unwrap();
    project.swapped();
    assert!(project.denies("git merge"));
    // The folder of the target is moved, and another one is in its place.
    fs::rename(project.at("a"), project.at("b")).unwrap();
    assert!(project.refused().contains("the file cannot be read"));
    fs::create_dir(project.at("a")).unwrap();
    fs::write(project.at("a/y.yaml"), blocking("git rebase")).unwrap();
    project.swapped();
    assert!(project.denies("git rebase") && !project.denies("git merge"));
    // A folder in place of the file.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    project.refused();
    assert!(project.denies("git rebase"));
}

#[tokio::test]
async fn the_log_goes_on_and_names_the_rules_of_each_event() {
    let project = Project::new("version: 1\naudit: { folder: log }\n");
    let mut versions = Vec::new();
    for blocked in ["git push", "git pull", "git fetch"] {
        project.write(&format!(
            "version: 1\naudit: {{ folder: log }}\ncommand_guard: {{ block: [{blocked}] }}\n"
        ));
        project.swapped();
        let rules = project.config.current();
        versions.push(rules.rules_version().to_owned());
        let context = HookContext::new("s", "a").with_environment(hooks_system::system());
        let call = PreToolUse::new("bash", json!({ "command": blocked }));
        assert!(rules.as_hooks().on(context).pre_tool_use(call).await.outcome.is_denied());
        drop(rules);
        project.config.retire().await.unwrap();
    }
    project.config.close().await.unwrap();
    let folder = project.at("log");
    let disk = Arc::new(hooks_system::PrivateFileSystem);
    let mut reader = hooks_audit::LogReader::new(disk, folder, hooks_audit::Positions::default());
    let records: Vec<_> = reader.read(100).unwrap().into_iter().map(|read| read.record).collect();
    let of_events = records.iter().filter(|record| record.outcome == Some(Strength::Deny));
    let named: Vec<_> = of_events.filter_map(|record| record.rules.clone()).collect();
    assert_eq!(named, versions);
}

#[test]
fn rules_are_retired_when_no_call_uses_them() {
    let project = Project::new(&blocking("git push"));
    let in_flight = project.config.current();
    project.write(&blocking("git pull"));
    project.swapped();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(project.config.retire()).unwrap();
    let weak = Arc::downgrade(&in_flight);
    drop(in_flight);
    assert!(weak.upgrade().is_some(), "the last call does not have to drop them");
    runtime.block_on(project.config.retire()).unwrap();
    assert!(weak.upgrade().is_none());
}

#[test]
fn ceremonies_in_memory_go_on() {
    let project = Project::new("version: 1\nceremonies: {}\n");
    let context =
        HookContext::new("s", "a").in_dir(project.dir.path()).with_environment(hooks_system::system());
    let held =
        |config: &Config| config.as_hooks().extension::<hooks_team_rules::HeldCeremonies>().unwrap().clone();
    held(&project.config.current()).start(&context, "Design Review", "host").unwrap();
    project.write("version: 1\nceremonies: {}\ncommand_guard: {}\n");
    project.swapped();
    assert_eq!(held(&project.config.current()).active(&context).unwrap().len(), 1);
}

/// A host whose function panics gets a report of the panic, and the watch goes on.
#[test]
fn a_panic_of_the_host_does_not_end_the_watch() {
    let fast = |blocked: &str| {
        format!("version: 1\nreload: {{ every: 10ms }}\ncommand_guard: {{ block: [{blocked}] }}\n")
    };
    let project = Project::new(&fast("a"));
    let (tell, told) = std::sync::mpsc::channel();
    let mut panics = 1;
    let watching = project.config.watch(move |new| {
        let is_swap = matches!(new, Reloaded::Swapped { .. });
        tell.send(new).unwrap();
        if is_swap && panics > 0 {
            panics -= 1;
            panic!("the host's own mistake");
        }
    });
    let watching = watching.unwrap();
    let next = || told.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    project.write(&fast("b"));
    assert!(matches!(next(), Reloaded::Swapped { .. }));
    let Reloaded::Panicked { problem } = next() else { panic!("the panic is reported") };
    assert_eq!(problem, "the host's own mistake");
    project.write(&fast("c"));
    let Reloaded::Swapped { version, .. } = next() else { panic!("the next change is seen") };
    assert_eq!(project.config.current().rules_version(), &*version);
    drop(watching);
}
