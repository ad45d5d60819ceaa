//! Processes of `hooks run`, one for each event as agent clients start them, use limits concurrently; some
//! are killed at random times. No limit is exceeded, and every process ends with an answer or by our signal.
//!
//! The test prints the time of an answer, and that of a process that does nothing, which each thread starts
//! in turn.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hooks::time::{Random as _, SeededRandom};
use serde_json::{Value, json};

use super::server::on_each_store;

/// Number of concurrent threads.
const SIDE_BY_SIDE: u64 = 16;
/// Default number of rounds of each thread; `HOOKS_RACE_ROUNDS` sets another.
const ROUNDS: u64 = 4;
/// Events that may go ahead per round: the limit is reached in the middle of the race.
const OF_A_ROUND: u64 = 6;
/// One in this many processes is killed.
const KILLED: u64 = 5;

/// Tokens that a model call reserves, and uses at most.
const TOKENS: u64 = 1_000;

/// A limit to race for.
struct Race {
    name: &'static str,
    /// The configuration that allows this amount.
    config: fn(u64) -> String,
    client: &'static str,
    /// The event that is counted, and the event to report after it if it goes ahead.
    before: fn(&Path, u64) -> Value,
    after: Option<fn(&Path, u64) -> Value>,
    /// The amount that an allowed event uses.
    cost: fn(u64) -> u64,
    /// The limit for one event.
    unit: u64,
    /// Name of the counter.
    counter: &'static str,
}

const RACES: [Race; 4] = [
    Race {
        name: "spend",
        config: |most| {
            format!(
                "budget:
  limits: [{{ of: team, per: always, tokens: {} }}]
  thresholds: {{ warn: 100, pause_spawns: 100 }}
  hold: {{ most_output_tokens: {TOKENS} }}",
                most * TOKENS
            )
        },
        client: "gemini",
        before: |dir, number| model_call(dir, number, "BeforeModel", &json!({})),
        after: Some(|dir, number| {
            let usage = json!({"promptTokenCount": 0, "candidatesTokenCount": tokens(number), "totalTokenCount": tokens(number)});
            let response = json!({"text": "x", "candidates": [], "usageMetadata": usage});
            model_call(dir, number, "AfterModel", &json!({"llm_response": response}))
        }),
        cost: tokens,
        unit: TOKENS,
        counter: "spend/of/team",
    },
    Race {
        name: "calls",
        config: |most| {
            format!("limits: {{ calls: [{{ tools: [Read], most: {most}, of: team, per: month }}] }}")
        },
        client: "claude",
        before: |dir, number| {
            tool_call(dir, number, "Read", &json!({"file_path": dir.join(number.to_string())}))
        },
        after: None,
        cost: |_| 1,
        unit: 1,
        counter: "call-limit/team",
    },
    Race {
        name: "questions",
        config: |most| format!("ask_user: {{ max_per_session: {most} }}"),
        client: "claude",
        before: |dir, number| {
            let question = json!({"questions": [{"question": format!("{number}?"), "options": []}]});
            tool_call(dir, number, "AskUserQuestion", &question)
        },
        after: None,
        cost: |_| 1,
        unit: 1,
        counter: "ask-limit/",
    },
    Race {
        name: "spawn",
        config: |most| format!("spawn: {{ total: {most}, concurrent: {most} }}"),
        client: "claude",
        before: |dir, number| {
            let task =
                json!({"description": number.to_string(), "prompt": "help", "subagent_type": "backend"});
            tool_call(dir, number, "Task", &task)
        },
        after: None,
        cost: |_| 1,
        unit: 1,
        counter: "spawn/total",
    },
];

/// The tokens of a call: all of its reservation, or a part of it.
fn tokens(number: u64) -> u64 {
    TOKENS - number % 50 * 10
}

fn tool_call(dir: &Path, number: u64, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s", "transcript_path": "", "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": input, "tool_use_id": format!("t{number}"),
    })
}

fn model_call(dir: &Path, number: u64, event: &str, more: &Value) -> Value {
    let mut call = json!({
        "session_id": format!("s{number}"), "transcript_path": "", "cwd": dir, "hook_event_name": event,
        "timestamp": "2026-11-21T20:42:06.822Z",
        "llm_request": {"model": "gemini-2.5-flash", "messages": [], "config": {}},
    });
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    WentAhead,
    Denied,
    Killed,
}

/// The results of a race.
#[derive(Default)]
struct Tally {
    went_ahead: Vec<u64>,
    denied: u64,
    killed: u64,
    took: Vec<Duration>,
    /// Times of processes that do nothing.
    nothing_took: Vec<Duration>,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, ended: &Result<End, String>, took: Duration) {
        match ended {
            Ok(End::WentAhead) => {}
            Ok(End::Denied) => self.denied += 1,
            Ok(End::Killed) => self.killed += 1,
            Err(wrong) => self.wrong.push(wrong.clone()),
        }
        if !matches!(ended, Ok(End::Killed)) {
            self.took.push(took);
        }
    }
}

#[test]
fn nothing_is_exceeded_and_nothing_aborts() {
    let rounds =
        std::env::var("HOOKS_RACE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    for race in &RACES {
        let most = rounds * OF_A_ROUND;
        on_each_store(&(race.config)(most), |dir| {
            let tally = run(race, dir, rounds);
            assert!(tally.wrong.is_empty(), "{}: {}", race.name, tally.wrong.join("\n"));
            let spent: u64 = tally.went_ahead.iter().map(|number| (race.cost)(*number)).sum();
            let (books, limit) = (charged(dir, race.counter), most * race.unit);
            let engine = if dir.join("appendonlydir").exists() { "redis" } else { "file" };
            println!(
                "{:<9} {engine:<5} limit {limit}, spent {spent}, in the books {books}; {} went ahead, {} denied, {} killed; {}; \
                 beside it `/bin/true`: {}",
                race.name,
                tally.went_ahead.len(),
                tally.denied,
                tally.killed,
                quantiles(tally.took),
                quantiles(tally.nothing_took),
            );
            assert!(
                spent <= books && books <= limit,
                "{}: {spent} spent, {books} in the books of {limit}",
                race.name
            );
            // Reservations of killed processes are neither spent nor available again.
            assert!(spent > 0 && tally.denied > 0, "{}: more asked than there is for them", race.name);
            let late = [1, 2].map(|late| ask(race, dir, late + SIDE_BY_SIDE * rounds, None).0);
            let more = late.iter().filter(|late| **late == Ok(End::WentAhead)).count() as u64;
            assert!(books + more * race.unit <= limit, "{}: {late:?}", race.name);
        });
    }
}

fn run(race: &Race, dir: &Path, rounds: u64) -> Tally {
    let (tally, next) = (Mutex::new(Tally::default()), AtomicU64::new(1));
    thread::scope(|scope| {
        for place in 0..SIDE_BY_SIDE {
            let (tally, next) = (&tally, &next);
            scope.spawn(move || {
                let random = SeededRandom::new(place + 1);
                // The time of the last process: a kill occurs at a random moment of it.
                let mut usual = Duration::from_millis(50);
                let mut one = |ask: &dyn Fn(Option<Duration>) -> (Result<End, String>, Duration)| {
                    let kill = (random.next_u64().is_multiple_of(KILLED))
                        .then(|| usual.mul_f64(random.next_u64() as f64 / u64::MAX as f64));
                    let (ended, took) = ask(kill);
                    let nothing_took = do_nothing();
                    let mut tally = tally.lock().unwrap();
                    tally.add(&ended, took);
                    tally.nothing_took.push(nothing_took);
                    if ended != Ok(End::Killed) {
                        usual = took;
                    }
                    ended == Ok(End::WentAhead)
                };
                for _ in 0..rounds {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if one(&|kill| ask(race, dir, number, kill)) {
                        tally.lock().unwrap().went_ahead.push(number);
                        if let Some(after) = race.after {
                            one(&|kill| hear(race.client, dir, &after(dir, number), kill));
                        }
                    }
                }
            });
        }
    });
    tally.into_inner().unwrap()
}

fn ask(race: &Race, dir: &Path, number: u64, kill: Option<Duration>) -> (Result<End, String>, Duration) {
    hear(race.client, dir, &(race.before)(dir, number), kill)
}

/// Runs a process that answers an event, and kills it after the time `kill`. Returns its end and its time.
fn hear(client: &str, dir: &Path, event: &Value, kill: Option<Duration>) -> (Result<End, String>, Duration) {
    let begun = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["run", "--client", client, "--config", "hooks.yaml"]).current_dir(dir);
    command.env_clear().env("HOME", dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A killed process reads no more.
    drop(child.stdin.take().unwrap().write_all(event.to_string().as_bytes()));
    if let Some(after) = kill {
        thread::sleep(after.saturating_sub(begun.elapsed()));
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    (end(&output, kill.is_some()), begun.elapsed())
}

fn end(output: &Output, is_killed: bool) -> Result<End, String> {
    let printed = String::from_utf8_lossy(&output.stdout);
    match (output.status.code(), output.status.signal()) {
        (None, Some(9)) if is_killed => Ok(End::Killed),
        (Some(0), _) if printed.contains("deny") => Ok(End::Denied),
        (Some(0), _) if printed.is_empty() || printed == "{}" => Ok(End::WentAhead),
        _ => Err(format!("{output:?}")),
    }
}

/// The time of a process that does nothing.
fn do_nothing() -> Duration {
    let begun = Instant::now();
    let status = Command::new("/bin/true").stdin(Stdio::null()).status().unwrap();
    assert!(status.success());
    begun.elapsed()
}

fn quantiles(mut took: Vec<Duration>) -> String {
    took.sort();
    let at =
        |part: usize| took.get((took.len() * part / 100).min(took.len() - 1)).copied().unwrap_or_default();
    format!("p50 {:.1?}, p99 {:.1?}", at(50), at(99))
}

/// The amount charged to the counters whose names begin with `name`.
fn charged(dir: &Path, name: &str) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(["state", "-c", "hooks.yaml", "--json"]).current_dir(dir).env_clear().env("HOME", dir);
    let output = command.output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let counters = all["counters"].as_array().unwrap().iter();
    let named = counters.filter(|counter| counter["counter"].as_str().unwrap().starts_with(name));
    named.map(|counter| counter["used"].as_u64().unwrap()).sum()
}

/// A loop of equal calls ends, except for calls that were in flight, or whose process was killed before the
/// result was reported.
#[test]
fn a_loop_goes_on_no_longer_than_what_was_in_flight() {
    const LONGEST: u64 = 3;
    let call = |dir: &Path, number: u64| tool_call(dir, number, "Read", &json!({"file_path": dir.join("a")}));
    let race = Race {
        name: "loop",
        config: |_| format!("limits: {{ loops: {{ rounds: {LONGEST}, longest: 2 }} }}"),
        client: "claude",
        before: call,
        after: Some(|dir, number| {
            let mut call = tool_call(dir, number, "Read", &json!({"file_path": dir.join("a")}));
            call["hook_event_name"] = json!("PostToolUse");
            call["tool_response"] = json!("the same");
            call
        }),
        cost: |_| 1,
        unit: 1,
        counter: "",
    };
    on_each_store(&(race.config)(0), |dir| {
        let tally = run(&race, dir, 2);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        let begun = tally.went_ahead.len() as u64;
        let most = LONGEST + SIDE_BY_SIDE - 1 + tally.killed;
        assert!((LONGEST..=most).contains(&begun), "{begun} went round, {most} at most");
    });
}
