//! Hosts that answer many events in one process (`hooks eval`) use one store concurrently, and some are
//! killed. No limit is ever exceeded.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::on_each_store;

/// Number of concurrent processes.
const PROCESSES: usize = 8;

/// The processes that are killed, with the number of answers before that.
const KILLED: [(usize, usize); 3] = [(1, 2), (4, 7), (6, 12)];

/// An event to decide, and an event to report if the first goes ahead.
type Step = (Value, Option<Value>);

/// A host that asks about each step and reports the result of those that go ahead, until its program is
/// killed. Returns the first events of the steps that went ahead.
fn host(dir: &Path, steps: Vec<Step>, killed_after: Option<usize>) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["eval", "-c", "hooks.yaml"]).current_dir(dir).env("XDG_STATE_HOME", dir.join("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |event: &Value| {
        let mut answer = String::new();
        writeln!(stdin, "{event}").ok()?;
        out.read_line(&mut answer).ok()?;
        serde_json::from_str::<Value>(&answer).ok()
    };
    let mut went_ahead = Vec::new();
    for (number, (before, after)) in steps.into_iter().enumerate() {
        if Some(number) == killed_after {
            // The process is killed while it works on the next event.
            thread::scope(|scope| {
                let last = scope.spawn(|| ask(&before));
                thread::sleep(Duration::from_micros(300 * number as u64));
                child.kill().unwrap();
                went_ahead.extend(last.join().unwrap().filter(goes_ahead).map(|_| before.clone()));
            });
            break;
        }
        let answer = ask(&before).unwrap();
        if goes_ahead(&answer) {
            went_ahead.push(before);
            after.map(|after| ask(&after).unwrap());
        }
    }
    drop(stdin);
    child.wait().unwrap();
    went_ahead
}

/// Runs all processes concurrently; returns the events that went ahead.
fn race(dir: &Path, steps: impl Fn(usize) -> Vec<Step> + Sync) -> Vec<Value> {
    let run = |process: usize| {
        let killed = KILLED.iter().find(|(which, _)| *which == process).map(|(_, after)| *after);
        host(dir, steps(process), killed)
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..PROCESSES).map(|process| scope.spawn(move || run(process))).collect();
        running.into_iter().flat_map(|running| running.join().unwrap()).collect()
    })
}

fn goes_ahead(answer: &Value) -> bool {
    matches!(answer["decision"].as_str(), Some("no_opinion" | "allow"))
}

/// The amount charged to the counters whose names begin with `name`.
fn charged(dir: &Path, name: &str) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["state", "-c", "hooks.yaml", "--json"]).current_dir(dir);
    // A busy server can need a second attempt.
    for _ in 0..20 {
        let output = command.env("XDG_STATE_HOME", dir.join("state")).output().unwrap();
        let Ok(all) = serde_json::from_slice::<Value>(&output.stdout) else { continue };
        let counters = all["counters"].as_array().unwrap().iter();
        let named = counters.filter(|counter| counter["counter"].as_str().unwrap().starts_with(name));
        return named.map(|counter| counter["used"].as_u64().unwrap()).sum();
    }
    panic!("the store does not answer");
}

#[test]
fn a_budget_is_never_overspent() {
    const LIMIT: u64 = 40_000;
    let config = format!(
        "budget:
  limits: [{{ of: team, per: always, tokens: {LIMIT} }}]
  thresholds: {{ warn: 100, pause_spawns: 100 }}
  hold: {{ most_output_tokens: 1000 }}"
    );
    // Each call uses all of its reservation, or a part of it.
    let tokens = |number: u64| 1_000 - number * 10;
    let calls = |process: usize| {
        let call = |number: u64| {
            let at = json!({"session_id": format!("s{process}"), "call_id": format!("c{number}")});
            let before = json!({"event": "before_model_call", "at": at, "model": "m", "iteration": number});
            let after = json!({
                "event": "after_model_call", "at": at, "model": "m", "iteration": number,
                "response": {"role": "assistant", "content": "x"}, "usage": {"output_tokens": tokens(number)},
            });
            (before, Some(after))
        };
        (0..20).map(call).collect()
    };
    on_each_store(&config, |dir| {
        let made = race(dir, calls);
        // A call that was allowed is spent, even if its end was never reported.
        let spent: u64 = made.iter().map(|call| tokens(call["iteration"].as_u64().unwrap())).sum();
        let books = charged(dir, "spend/of/team");
        assert!(spent <= books && books <= LIMIT, "{spent} spent, {books} in the books");
        assert!(spent > LIMIT / 2, "{spent}: there were more calls than there is for them");
    });
}

#[test]
fn calls_are_never_more_than_allowed() {
    const MOST: u64 = 50;
    let config = format!("limits: {{ calls: [{{ tools: [deploy], most: {MOST}, of: team, per: month }}] }}");
    let calls = |process: usize| {
        let call = |number: usize| {
            let at = json!({"session_id": "s", "agent_name": format!("a{process}")});
            let (args, id) = (json!({"to": number}), format!("{process}-{number}"));
            let call = json!({
                "event": "pre_tool_use", "at": at, "tool_name": "deploy", "tool_use_id": id, "tool_args": args,
            });
            (call, None)
        };
        (0..15).map(call).collect()
    };
    on_each_store(&config, |dir| {
        let made = u64::try_from(race(dir, calls).len()).unwrap();
        let books = charged(dir, "call-limit/team");
        assert!(made > 0 && made <= books && books <= MOST, "{made} made, {books} in the books");
        // Later hosts get only the remaining calls.
        let late = host(dir, [calls(98), calls(99)].concat(), None);
        assert!(u64::try_from(late.len()).unwrap() <= MOST - books, "{} of {}", late.len(), MOST - books);
        assert!(charged(dir, "call-limit/team") <= MOST);
    });
}

#[test]
fn a_loop_goes_on_no_longer_than_what_was_in_flight() {
    const ROUNDS: usize = 3;
    let config = format!("limits: {{ loops: {{ rounds: {ROUNDS}, longest: 2 }} }}");
    let call = |id: usize| {
        let at = json!({"session_id": "s", "agent_name": "a"});
        let (args, id) = (json!({"path": "a"}), id.to_string());
        let before = json!({
            "event": "pre_tool_use", "at": at, "tool_name": "view", "tool_use_id": id, "tool_args": args,
        });
        let mut after = before.clone();
        after["event"] = json!("post_tool_use");
        after["tool_result"] = json!("the same");
        (before, Some(after))
    };
    on_each_store(&config, |dir| {
        let begun = race(dir, |process| (0..15).map(|number| call(process * 100 + number)).collect()).len();
        // A host that asks while others run cannot know their results yet, nor the results of a killed host.
        let unknown = PROCESSES - 1 + KILLED.len();
        assert!((ROUNDS..=ROUNDS + unknown).contains(&begun), "{begun} went round");
        let next = host(dir, (0..=ROUNDS).map(|number| call(9_000 + number)).collect(), None);
        assert!(next.len() <= ROUNDS, "{} more went round", next.len());
    });
}

#[test]
fn children_are_never_more_than_allowed() {
    let (total, concurrent) = (12, 4);
    let config = format!("spawn: {{ total: {total}, concurrent: {concurrent} }}");
    let at = json!({"session_id": "root", "agent_name": "lead"});
    let start = |child: &str| json!({"event": "subagent_start", "at": at, "agent_name": "backend", "child_id": child, "task": "help"});
    let stop =
        |child: &str| json!({"event": "subagent_stop", "at": at, "agent_name": "backend", "child_id": child});
    on_each_store(&config, |dir| {
        // First, children only start: the number of concurrent children is limited.
        let only_start =
            |process: usize| (0..15).map(|number| (start(&format!("c{process}-{number}")), None)).collect();
        let living = race(dir, only_start);
        assert!(!living.is_empty() && living.len() <= concurrent, "{} live", living.len());
        // Then those children end, and others start and end until the total limit is reached.
        let ends = |start: &Value| (stop(start["child_id"].as_str().unwrap()), None);
        host(dir, living.iter().map(ends).collect(), None);
        let come_and_go = |process: usize| {
            let one = |number: usize| {
                let child = format!("d{process}-{number}");
                (start(&child), Some(stop(&child)))
            };
            (0..15).map(one).collect()
        };
        let more = race(dir, come_and_go);
        assert!(living.len() + more.len() <= total, "{} and {} of {total}", living.len(), more.len());
        assert!(charged(dir, "spawn/total") <= u64::try_from(total).unwrap());
    });
}
