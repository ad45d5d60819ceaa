//! Real processes: limits on time and output hold, whatever a command does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hooks_command::config::{Entry, Handler};
use hooks_command::engine::World;
use hooks_command::process::{Limits, Processes};
use hooks_command::{Ask, Block, Builtins, Engine, HookEvent, Lane, Merged, Rules};
use hooks_core::HookFuture;
use hooks_core::time::Timer;
use serde_json::{Map, Value, json};

struct Tokio;

impl Timer for Tokio {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(async move { tokio::time::sleep(duration).await })
    }
}

fn engine(event: &str, handler: Handler, processes: Processes) -> Engine {
    let mut block = Block::default();
    let event = HookEvent::named(event).unwrap();
    block.add(event, Entry { handlers: vec![Arc::new(handler)], ..Entry::default() });
    let world = World {
        runner: Arc::new(processes.clone()),
        timer: Arc::new(Tokio),
        builtins: Arc::new(Builtins::default()),
        judge: None,
        variables: Arc::new(processes),
    };
    Engine::new(block, Rules::default(), world)
}

fn input() -> Map<String, Value> {
    json!({"session_id": "s", "tool_name": "shell", "tool_input": {"cmd": "ls"}}).as_object().unwrap().clone()
}

async fn ask_in(folder: &Path, event: &str, handler: Handler, processes: Processes) -> Merged {
    let engine = engine(event, handler, processes);
    let event = HookEvent::named(event).unwrap();
    engine
        .ask(Ask { event, lane: Lane::Ordinary, input: input(), folder, also_called: None, cancelled: None })
        .await
}

fn shell() -> Processes {
    Processes::with_shell("/bin/sh")
}

/// Runs a line as the only `tool_guard`; returns the merged answer and the elapsed time.
async fn guard(line: &str, timeout: u64) -> (Merged, Duration) {
    let handler = Handler { timeout, ..Handler::command(line) };
    let start = now();
    let merged = ask_in(Path::new("/"), "tool_guard", handler, shell()).await;
    (merged, start.elapsed())
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn now() -> Instant {
    Instant::now()
}

fn message(merged: &Merged) -> String {
    merged.message.join("\n")
}

/// Whether a process with this ID still runs.
fn is_alive(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim().chars().next();
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

async fn dies(id: &str) -> bool {
    for _ in 0..100 {
        if !is_alive(id) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_is_a_denial_in_time_whoever_holds_the_pipe() {
    for line in [
        "sleep 30",
        // A child that outlives the shell and holds its output.
        "sleep 30 & echo '{}'",
        // A process that left the group: it cannot be killed, and is not waited for.
        "setsid sleep 30 & wait",
        "setsid sleep 30 & echo '{}'",
        // A command that ignores signals.
        "trap '' TERM INT HUP; sleep 30; sleep 30",
        // A command that writes without end.
        "while :; do echo; sleep 0.01; done",
    ] {
        // The best of three, as the machine has other work.
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let (merged, took) = guard(line, 1).await;
            assert!(!merged.allowed && merged.exit_code == -1, "{line}: {merged:?}");
            assert!(message(&merged).contains("did not answer within 1 s"), "{line}: {merged:?}");
            best = best.min(took);
            if best < Duration::from_millis(1100) {
                break;
            }
        }
        assert!(best < Duration::from_millis(1100), "{line} took {best:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_group_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let line = "sleep 30 & echo $! > child; (sleep 30 & echo $! > grandchild; wait) & echo $$ > shell; wait";
    let handler = Handler { timeout: 1, ..Handler::command(line) };
    let merged = ask_in(folder.path(), "pre_tool_use", handler, shell()).await;
    assert!(!merged.allowed);
    for name in ["shell", "child", "grandchild"] {
        let id = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(dies(&id).await, "{name} {id} still runs");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_left_when_the_question_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let line = "sleep 30 & echo $! > child; echo $$ > shell; wait";
    let pending = ask_in(folder.path(), "pre_tool_use", Handler::command(line), shell());
    let waited = tokio::time::timeout(Duration::from_millis(400), pending).await;
    assert!(waited.is_err());
    for name in ["shell", "child"] {
        let id = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(dies(&id).await, "{name} {id} still runs");
    }
    // The shell was waited for, so it is not a zombie.
    let id = std::fs::read_to_string(folder.path().join("shell")).unwrap();
    for _ in 0..100 {
        if !Path::new(&format!("/proc/{}", id.trim())).exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the shell {id} is a zombie");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_watches_does_not_wait_for_what_it_left_behind() {
    let start = now();
    let line = "sleep 5 & echo noted";
    let merged = ask_in(Path::new("/"), "session_start", Handler::command(line), shell()).await;
    assert_eq!(merged.additional_context, ["noted"]);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_bounded() {
    let start = now();
    let line = "head -c 100000000 /dev/zero | tr '\\0' x";
    let merged = ask_in(Path::new("/"), "tool_guard", Handler::command(line), shell()).await;
    assert!(!merged.allowed);
    assert!(message(&merged).contains("wrote more than 16777216 bytes"), "{merged:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    // Standard error is truncated, and its length is not a failure.
    let limits = Limits { stderr: 10, ..Limits::default() };
    let line = "head -c 1000000 /dev/zero | tr '\\0' e >&2; exit 2";
    let merged = ask_in(Path::new("/"), "tool_guard", Handler::command(line), shell().within(limits)).await;
    assert_eq!((merged.exit_code, merged.stderr.as_str()), (2, "eeeeeeeeee"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_read_does_not_matter() {
    let event = HookEvent::named("pre_tool_use").unwrap();
    for line in ["echo '{}'", "exec <&-; echo '{}'", "head -c 10 >/dev/null; echo '{}'"] {
        let mut input = input();
        input.insert("tool_input".to_owned(), json!({"blob": "x".repeat(1 << 20)}));
        let engine = engine("pre_tool_use", Handler::command(line), shell());
        let ask = Ask {
            event,
            lane: Lane::Ordinary,
            input,
            folder: Path::new("/"),
            also_called: None,
            cancelled: None,
        };
        assert_eq!(engine.ask(ask).await.message, Vec::<String>::new(), "{line}");
    }
    let all = "test $(wc -c) -gt 1048576 || exit 2; echo '{}'";
    let mut input = input();
    input.insert("tool_input".to_owned(), json!({"blob": "x".repeat(1 << 20)}));
    let engine = engine("pre_tool_use", Handler::command(all), shell());
    let ask = Ask {
        event,
        lane: Lane::Ordinary,
        input,
        folder: Path::new("/"),
        also_called: None,
        cancelled: None,
    };
    assert!(engine.ask(ask).await.allowed);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_goes_wrong_is_a_denial_with_its_reason() {
    for (line, says) in [
        ("kill -KILL $$", "signal"),
        ("exit 1", "exited with status 1"),
        ("no-such-program-here", "exited with status 127"),
        ("echo '{'", "not valid JSON"),
        ("echo '{} done'", "single JSON object"),
        ("printf '\\377\\376{'; exit 3", "exited with status 3"),
    ] {
        let (merged, _) = guard(line, 5).await;
        assert!(!merged.allowed && message(&merged).contains(says), "{line}: {merged:?}");
    }
    let merged =
        ask_in(Path::new("/"), "tool_guard", Handler::command("true"), Processes::with_shell("/no/shell"))
            .await;
    assert!(!merged.allowed && message(&merged).contains("could not be started"), "{merged:?}");
    let lost = Handler { working_dir: "not/there".to_owned(), ..Handler::command("true") };
    let merged = ask_in(Path::new("/"), "tool_guard", lost, shell()).await;
    assert!(
        !merged.allowed && message(&merged).contains("working_dir /not/there is not there"),
        "{merged:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let real: PathBuf = folder.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("sub")).unwrap();
    let env =
        [("A", "${env.GIVEN}-$GIVEN"), ("B", "b")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let handler = Handler {
        working_dir: "${env.BELOW}".to_owned(),
        env: BTreeMap::from(env),
        ..Handler::command("printf '%s|%s|' \"$A\" \"$B\"; pwd -P")
    };
    let processes = shell().with_variable("GIVEN", "x").with_variable("BELOW", "sub");
    let merged = ask_in(&real, "session_start", handler, processes).await;
    assert_eq!(merged.additional_context, [format!("x-$GIVEN|b|{}", real.join("sub").display())]);
}
