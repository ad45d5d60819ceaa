//! Sequence rules with `hooks run`: one process for each event, some of which are killed. A read of a secret that was
//! acknowledged denies later requests in every process of the session and of its subagents.
//!
//! More of them: `cargo xtask soak sequences`, or
//! `HOOKS_SEQUENCE_KILLS=200 cargo test --profile fast -p tower-hooks-cli --test store sequences`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hooks::time::{Random as _, SeededRandom};
use serde_json::{Value, json};

use super::server::on_each_store;

const RULES: &str = "
sequences:
  - name: secrets-stay
    taint: { from: { reads: [secrets/**] }, to: [{ tools: [WebFetch] }, { commands: [curl] }] }
  - name: content-stays
    taint: { from: { reads: [private/**] }, to: { tools: [WebSearch] }, by: content }
  - name: tested-pushes
    never: { commands: [git push] }
    after: { tools: [Edit] }
    unless: { commands: [cargo test], failed: false }
";

/// Default number of killed processes for each store.
const KILLS: usize = 20;

/// Runs a process that answers an event, and kills it after `kill`. Returns what it printed; `None` if it was killed
/// before it had answered.
pub(super) fn hear(dir: &Path, event: &Value, kill: Option<Duration>) -> Option<String> {
    let begun = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["run", "--client", "claude", "--config", "hooks.yaml"]).current_dir(dir);
    command.env_clear().env("HOME", dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A killed process reads no more.
    drop(child.stdin.take().unwrap().write_all(event.to_string().as_bytes()));
    if let Some(after) = kill {
        thread::sleep(after.saturating_sub(begun.elapsed()));
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

pub(super) fn before(dir: &Path, session: &str, id: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": session, "transcript_path": "", "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": input, "tool_use_id": id,
    })
}

fn after(mut call: Value, response: &str) -> Value {
    call["hook_event_name"] = json!("PostToolUse");
    call["tool_response"] = json!(response);
    call
}

pub(super) fn is_denied(dir: &Path, call: &Value) -> bool {
    hear(dir, call, None).unwrap().contains("deny")
}

fn read(dir: &Path, folder: &str) -> Value {
    json!({"file_path": dir.join(folder).join("key")})
}

#[test]
fn processes_share_what_happened() {
    on_each_store(RULES, |dir| {
        fs::create_dir_all(dir.join("secrets")).unwrap();
        let call = |id: &str, tool: &str, input: Value| before(dir, "s", id, tool, &input);
        let fetch = |id: &str| call(id, "WebFetch", json!({"url": "https://example.com", "prompt": "x"}));
        assert!(!is_denied(dir, &fetch("t1")));
        // A subagent of Claude Code reads the secret: it has the session of its parent.
        let mut secret = call("t2", "Read", read(dir, "secrets"));
        secret["agent_id"] = json!("agent-1");
        secret["agent_type"] = json!("researcher");
        assert!(!is_denied(dir, &secret));
        assert!(is_denied(dir, &fetch("t3")));
        assert!(is_denied(dir, &call("t4", "Bash", json!({"command": "curl -s https://example.com"}))));
        assert!(!is_denied(
            dir,
            &before(dir, "other", "t5", "WebFetch", &json!({"url": "https://x", "prompt": "x"}))
        ));

        // Without a result, the content counts as known; with one, it is compared.
        let private = call("t6", "Read", read(dir, "private"));
        assert!(!is_denied(dir, &private));
        let search = |id: &str, text: &str| call(id, "WebSearch", json!({ "query": text }));
        assert!(is_denied(dir, &search("t7", "rust")));
        hear(dir, &after(private, "token = b1946ac92492d2347c6235b4d2611184"), None).unwrap();
        assert!(!is_denied(dir, &search("t8", "rust")));
        assert!(is_denied(dir, &search("t9", "B1946AC92492D2347C6235B4D2611184")));

        let bash = |id: &str, command: &str| call(id, "Bash", json!({ "command": command }));
        let edit =
            call("t10", "Edit", json!({"file_path": dir.join("a"), "old_string": "a", "new_string": "b"}));
        assert!(!is_denied(dir, &edit));
        hear(dir, &after(edit, "ok"), None).unwrap();
        assert!(is_denied(dir, &bash("t11", "git push")));
        let test = bash("t12", "cargo test");
        assert!(!is_denied(dir, &test));
        assert!(is_denied(dir, &bash("t13", "git push")));
        hear(dir, &after(test, "ok"), None).unwrap();
        assert!(!is_denied(dir, &bash("t14", "git push")));
    });
}

/// Runs a process that reads a secret to its end.
fn time_of_a_read(dir: &Path, round: u64) -> Duration {
    let begun = Instant::now();
    assert!(!is_denied(dir, &before(dir, "warm", &format!("t{round}"), "Read", &read(dir, "secrets"))));
    begun.elapsed()
}

#[test]
fn no_acknowledged_taint_is_lost_to_a_killed_process() {
    let kills: usize =
        std::env::var("HOOKS_SEQUENCE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    on_each_store(RULES, |dir| {
        let random = SeededRandom::new(11);
        // The first process lays out the store, so it is no measure of those that follow.
        let usual = (0..4).map(|round| time_of_a_read(dir, round)).min().unwrap();
        let (mut answered, mut killed, mut lost) = (0, 0, Vec::new());
        for round in 0u64.. {
            if killed >= kills {
                break;
            }
            assert!(round < 20 * kills as u64, "processes end before they are killed");
            let session = format!("s{round}");
            // Others of the same session are killed at a random time around it.
            let share =
                |most: u64| usual * u32::try_from(random.next_u128() % u128::from(most)).unwrap_or(0) / 100;
            let secret = |id: &str| before(dir, &session, id, "Read", &read(dir, "secrets"));
            let is_answered = thread::scope(|threads| {
                let others: Vec<_> = (0..3)
                    .map(|other| {
                        let (call, kill) = (secret(&format!("k{other}")), share(120));
                        threads.spawn(move || hear(dir, &call, Some(kill)))
                    })
                    .collect();
                let own = hear(dir, &secret("own"), (round % 2 == 1).then(|| share(150)));
                let others = others.into_iter().filter_map(|other| other.join().unwrap());
                killed += 3 - others.count();
                own.is_some_and(|printed| !printed.contains("deny"))
            });
            let fetch = json!({"url": "https://example.com", "prompt": "x"});
            let is_denied = is_denied(dir, &before(dir, &session, "fetch", "WebFetch", &fetch));
            answered += usize::from(is_answered);
            if is_answered && !is_denied {
                lost.push(session);
            }
        }
        println!("{killed} processes killed, {answered} reads of secrets acknowledged, {} lost", lost.len());
        assert!(lost.is_empty(), "{lost:?}");
        assert!(answered > 0);
    });
}
