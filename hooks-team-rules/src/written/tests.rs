//! Sessions with a disk whose files the calls really change.

use std::path::Path;
use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::fs::Disk as _;
use hooks_core::state::Memory;
use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
use hooks_core::{Environment, HookContext, HookRequest, Hooks, Judged as _, Reason, Verdict, policy_fn};
use hooks_facts::calls::CallReader;
use hooks_facts::commands::BlockedPattern;
use serde_json::{Value, json};

use super::{JudgedFiles, WrittenFiles};

fn policies() -> Hooks {
    let judge = |request: &HookRequest<PreToolUse>| {
        let block = [BlockedPattern::parse("rm -rf").unwrap()];
        let commands = CallReader::default().read(request).commands();
        let is_denied = commands
            .found
            .iter()
            .any(|it| it.analysis.find(&block).is_some() || !it.analysis.unresolved.is_empty());
        if is_denied { Verdict::deny(Reason::new("guard", "block", "blocked")) } else { Verdict::NO_OPINION }
    };
    Hooks::builder().policy(policy_fn("guard", judge)).build()
}

struct World {
    disk: FakeDisk,
    context: HookContext,
    hooks: Hooks,
}

fn world_of(judged: JudgedFiles) -> World {
    let disk = FakeDisk::default().with_file("/repo/old.sh", "rm -rf out");
    let (environment, clock, _) = world(FakeFileSystem::default());
    let environment = Environment { files: Arc::new(disk.clone()), ..environment };
    let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    let written = WrittenFiles::new(policies, judged, &CallReader::default(), Arc::new(Memory::new(clock)));
    let Ok(builder) = Hooks::builder().config(written);
    World { disk, context, hooks: builder.build() }
}

impl World {
    async fn goes_ahead(&self, session: &str, parent: Option<&str>, tool: &str, args: Value) -> bool {
        let mut context = self.context.clone();
        context.session_id = session.to_owned();
        context.parent_session_id = parent.map(str::to_owned);
        let mut decision = self.hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
        decision.commit();
        decision.outcome.goes_ahead()
    }

    async fn runs(&self, command: &str) -> bool {
        self.goes_ahead("s", None, "Bash", json!({ "command": command })).await
    }

    async fn writes(&self, session: &str, parent: Option<&str>, name: &str, content: &str) {
        let path = format!("/repo/{name}");
        assert!(
            self.goes_ahead(session, parent, "Write", json!({"file_path": path, "content": content})).await
        );
        drop(self.disk.remove(Path::new(&path)));
        self.disk.create(Path::new(&path), content.as_bytes()).unwrap();
    }
}

#[tokio::test]
async fn what_a_subagent_wrote_is_judged_in_the_whole_tree_and_in_no_other_session() {
    let world = world_of(JudgedFiles::OfSession);
    world.writes("child", Some("s"), "a.sh", "rm -rf out").await;
    assert!(!world.runs("sh a.sh").await);
    assert!(world.goes_ahead("other", None, "Bash", json!({"command": "sh a.sh"})).await);
    assert!(world.runs("cat a.sh; git add a.sh").await);
    // The content counts when it runs.
    world.writes("s", None, "a.sh", "ls").await;
    assert!(world.runs("sh a.sh").await);
}

#[tokio::test]
async fn a_file_that_was_there_is_judged_only_if_all_are() {
    assert!(world_of(JudgedFiles::OfSession).runs("sh old.sh").await);
    assert!(!world_of(JudgedFiles::All).runs("sh old.sh").await);
}

#[tokio::test]
async fn a_file_that_is_not_there_yet_is_unknown() {
    let world = world_of(JudgedFiles::OfSession);
    let write = json!({"file_path": "/repo/new.sh", "content": "ls"});
    assert!(world.goes_ahead("s", None, "Write", write).await);
    assert!(!world.runs("sh new.sh").await);
}

#[tokio::test]
async fn with_too_many_files_each_counts() {
    let world = world_of(JudgedFiles::OfSession);
    let names: Vec<String> = (0..2_100).map(|number| format!("/repo/f{number}")).collect();
    assert!(world.goes_ahead("s", None, "Write", json!({"files": names, "content": "x"})).await);
    assert!(!world.runs("sh old.sh").await);
}
