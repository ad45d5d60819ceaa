use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use hooks_core::beside::Here;
use hooks_core::drivers::{SpawnRequest, Spawned};
use hooks_core::event::{PostToolUse, PreToolUse, SessionStart, SubagentStart, TurnStart};
use hooks_core::testing::{FakeDisk, FakeFileSystem, Probe, world};
use hooks_core::{
    BoxError, ContextNote, Environment, GovernSpawn, HookContext, HookRequest, Hooks, Reason, Settle,
    Verdict, policy_fn,
};
use hooks_team::Team;
use serde_json::{Value, json};
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::Scribe;

struct Rig {
    disk: FakeDisk,
    environment: Environment,
}

fn rig() -> Rig {
    let charter = |owns: &str| {
        format!("# A — B\n\n## What I Own\n\n{owns}\n\n## Boundaries\n\n**I don't handle:** `docs/`\n")
    };
    let disk = FakeDisk::default()
        .with_file("/p/.squad/agents/backend/charter.md", charter("- The API in `src/api/`\n- `*.sql`"))
        .with_file("/p/.squad/agents/tester/charter.md", charter("- All of tests/ and src/api/"))
        .with_file("/p/.squad/agents/_alumni/charter.md", charter("- `src/`"))
        .with_file("/p/.squad/agents/web/charter.md", "# Web\n\nprose about src/api/\n")
        .with_file(
            "/p/.squad/routing.md",
            "# R\n\n## Module Ownership\n\n| Module | Primary | Secondary |\n|--|--|--|\n| `src/ui/` | Web 🔧 | Tester |\n",
        )
        .with_directory("/p/src/api");
    let (mut environment, ..) = world(FakeFileSystem::default());
    environment.files = Arc::new(disk.clone());
    Rig { disk, environment }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing waits here")
}

impl Rig {
    fn team(&self) -> Team {
        Team::new(Arc::new(self.disk.clone()), "/p/.squad", &self.environment)
    }

    fn hooks(&self) -> Hooks {
        Notices::new(self.team(), Here).add_to(Hooks::builder()).build()
    }

    fn context(&self, agent: &str) -> Arc<HookContext> {
        Arc::new(HookContext::new("s", agent).in_dir("/p").with_environment(self.environment.clone()))
    }

    fn wrote(&self, agent: &str, path: &str) {
        let event =
            PostToolUse::after(&PreToolUse::new("edit", json!({ "path": path })), Value::Null, None, 1);
        block_on(self.hooks().on(self.context(agent)).post_tool_use(event));
    }

    fn turn(&self, agent: &str) -> String {
        let patch = block_on(self.hooks().on(self.context(agent)).turn_start(TurnStart::new(2)));
        text(&patch.additional_context)
    }
}

fn text(notes: &[ContextNote]) -> String {
    notes.iter().map(|note| note.text.clone()).collect()
}

#[test]
fn who_covers_a_file_is_told_once_and_nobody_of_their_own() {
    let rig = rig();
    rig.wrote("Backend", "src/../src/api/users.rs");
    rig.wrote("Backend", "src/api/users.rs");
    rig.wrote("Backend", "docs/a.md");
    let told = rig.turn("Tester");
    assert!(told.contains("- `src/api/users.rs`: Backend, 2 times, last at 1970"), "{told}");
    assert!(told.contains("(yours by `src/api/`)"), "{told}");
    assert_eq!(told.matches("\n- ").count(), 1, "{told}");
    assert_eq!((rig.turn("Tester"), rig.turn("Backend"), rig.turn("Web")), Default::default());
    // Coverage by the routing, in any letter case; the author gets no notice.
    rig.wrote("Backend", "src/ui/a.ts");
    assert!(rig.turn("web").contains("src/ui/a.ts") && rig.turn("TESTER").contains("src/ui/a.ts"));
    rig.wrote("Web", "deep/below/new.sql");
    let patch = block_on(rig.hooks().on(rig.context("backend")).session_start(SessionStart::default()));
    assert!(text(&patch.additional_context).contains("(yours by `*.sql`)"));
    assert!(rig.disk.files().keys().all(|path| !path.starts_with("/p/.squad/.hooks/notices-alumni")));
}

#[test]
fn a_shell_command_is_a_write_and_a_failed_call_is_none() {
    let rig = rig();
    let tell = |tool: &str, args: Value, error: Option<String>| {
        let event = PostToolUse::after(&PreToolUse::new(tool, args), Value::Null, error, 1);
        block_on(rig.hooks().on(rig.context("Web")).post_tool_use(event));
    };
    tell("edit", json!({"path": "src/api/failed.rs"}), Some("no".into()));
    tell("bash", json!({"command": "cd src && echo x > api/shell.rs"}), None);
    tell("view", json!({"path": "src/api/seen.rs"}), None);
    let told = rig.turn("Backend");
    assert!(
        told.contains("src/api/shell.rs") && !told.contains("failed") && !told.contains("seen"),
        "{told}"
    );
}

#[test]
fn notices_are_bounded() {
    let rig = rig();
    let settings = NoticeSettings { most: 3, keep: 5 };
    let hooks = Notices::new(rig.team(), Here).with(settings).add_to(Hooks::builder()).build();
    for number in 0..9 {
        let call = PreToolUse::new("edit", json!({"path": format!("src/api/{number}.rs\n`<x>`")}));
        let event = PostToolUse::after(&call, Value::Null, None, 1);
        let mut context = HookContext::clone(&rig.context("Web"));
        context.timestamp.0 = number;
        block_on(hooks.on(context).post_tool_use(event));
    }
    assert!(
        rig.disk.files().keys().filter(|path| path.starts_with("/p/.squad/.hooks/notices-backend")).count()
            <= 5
    );
    for number in 0..9 {
        let call = PreToolUse::new("edit", json!({"path": format!("src/api/{number}.rs")}));
        let mut context = HookContext::clone(&rig.context("Web"));
        context.timestamp.0 = number;
        block_on(hooks.on(context).post_tool_use(PostToolUse::after(&call, Value::Null, None, 1)));
    }
    let patch = block_on(hooks.on(rig.context("Backend")).turn_start(TurnStart::new(1)));
    let told = text(&patch.additional_context);
    assert!(told.contains("8.rs") && told.contains("6.rs") && !told.contains("5.rs"), "{told}");
    assert!(told.contains("and 2 older files"), "{told}");
}

#[test]
fn a_child_is_told_and_one_that_is_denied_is_told_later() {
    let rig = rig();
    let no = policy_fn("no", |_: &HookRequest<SubagentStart>| Verdict::deny(Reason::new("no", "no", "no")));
    let notices = Notices::new(rig.team(), Here);
    let spawn = |hooks: Hooks| {
        let spawner = service_fn(async |_: SubagentStart| Ok::<_, BoxError>(()));
        let start = SubagentStart::new("Backend", "work");
        let request = SpawnRequest { context: rig.context("Lead"), start };
        block_on(GovernSpawn::new(hooks, spawner).oneshot(request)).unwrap()
    };
    rig.wrote("Web", "src/api/a.rs");
    let denied = spawn(notices.add_to(Hooks::builder()).policy(no).build());
    assert!(matches!(denied, Spawned::Denied(..)));
    let Spawned::Running(child, decision) = spawn(notices.add_to(Hooks::builder()).build()) else {
        panic!("nothing is against it")
    };
    drop(child);
    let notes = decision.notes().map(|notes| text(&notes.additional_context)).unwrap();
    assert!(notes.contains("src/api/a.rs"), "{notes}");
    assert_eq!(rig.turn("Backend"), "");
}

#[test]
fn the_scribe_writes_down_who_will_be_told() {
    let rig = rig();
    let scribe = Scribe::at_once(rig.team(), Here);
    let notices = Notices::new(rig.team(), Here).recorded_by(scribe.clone());
    let event =
        PostToolUse::after(&PreToolUse::new("edit", json!({"path": "src/api/a.rs"})), Value::Null, None, 1);
    block_on(notices.add_to(Hooks::builder()).build().on(rig.context("Web")).post_tool_use(event));
    scribe.work(&rig.context("Web")).unwrap();
    let files = rig.disk.files();
    let (_, log) = files.iter().find(|(path, _)| path.starts_with(Path::new("/p/.squad/log"))).unwrap();
    let log = String::from_utf8_lossy(log);
    assert!(
        log.contains("**backend**, **tester** will get the notice that **Web** wrote `src/api/a.rs`"),
        "{log}"
    );
}

#[test]
fn every_layer_calls_what_it_made_ready() {
    let rig = rig();
    let (probe, log) = Probe::new(Settle);
    let stack = NoticeLayer::new(Notices::new(rig.team(), Here)).layer(probe);
    for _ in 0..2 {
        let request = HookRequest::new(rig.context("Backend"), TurnStart::new(1));
        drop(block_on(stack.clone().oneshot(request)).unwrap());
    }
    assert_eq!((log.calls(), log.held()), (2, 0));
}

#[test]
fn a_notice_is_given_to_one_of_those_who_ask_at_once() {
    let rig = rig();
    for number in 0..20 {
        rig.wrote("Web", &format!("src/api/{number}.rs"));
    }
    let told: Vec<_> = std::thread::scope(|scope| {
        let turns: Vec<_> = (0..4).map(|_| scope.spawn(|| rig.turn("Backend"))).collect();
        turns.into_iter().map(|turn| turn.join().unwrap()).collect()
    });
    for number in 0..20 {
        let times = told.iter().filter(|text| text.contains(&format!("/{number}.rs"))).count();
        assert_eq!(times, 1, "{number}: {told:?}");
    }
}
