//! Real processes on a real team folder: two hundred sessions at once, and some that are killed.
//!
//! This program starts itself again as the processes it tests.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hooks_context::auto::{AutoContext, AutoSettings};
use hooks_context::session_end::{SessionEndSettings, SessionEnding, SessionMetrics};
use hooks_context::source::{Threads, team};
use hooks_core::event::{EndReason, SessionStart};
use hooks_core::{HookContext, Hooks, Session};
use hooks_system::{StdFileSystem, TokioTimer, system};
use hooks_team::files::{History, MemorySection, NewMember};
use hooks_team::{NewTeam, Team};

const FOLDER: &str = "HOOKS_CONTEXT_TEST_FOLDER";
const NUMBER: &str = "HOOKS_CONTEXT_TEST_NUMBER";
const AGENT: &str = "Backend";

fn team(folder: &Path) -> Team {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &system());
    team.with_patience(Duration::from_secs(300))
}

fn laid_out(entries: usize) -> (tempfile::TempDir, Team) {
    let folder = tempfile::tempdir().unwrap();
    let team = team(folder.path());
    let members = vec![NewMember { name: AGENT.into(), role: "Developer".into() }];
    team.init(&NewTeam { members, ..NewTeam::default() }).unwrap();
    for number in 0..entries {
        let note = format!("learnt#{number} and it was so and so, {number} times at that.");
        team.remember(AGENT, MemorySection::Learnings, &note).unwrap();
    }
    (folder, team)
}

fn hooks(team: &Team) -> Hooks {
    let mut settings = SessionEndSettings::default();
    (settings.history_above, settings.abandoned_after) = (1_000, Duration::from_secs(3_600));
    let mut bounds = AutoSettings::default();
    bounds.deadline = Duration::from_secs(120);
    let auto = AutoContext::new(Arc::new(TokioTimer)).within(bounds).with_team(
        team.clone(),
        Threads,
        team::Limits::default(),
    );
    SessionEnding::new(team.clone(), Threads).with(settings).add_to(auto.add_to(Hooks::builder())).build()
}

#[expect(clippy::disallowed_methods, reason = "these tests are about processes")]
fn start(folder: &Path, number: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_process", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(NUMBER, number)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Body of a started process; does nothing in an ordinary test run.
#[tokio::test]
async fn the_process() {
    let (Ok(folder), Ok(number)) = (std::env::var(FOLDER), std::env::var(NUMBER)) else { return };
    let team = team(Path::new(&folder));
    let rounds = if number.starts_with("loop") { usize::MAX } else { 1 };
    for round in 0..rounds {
        let name = if rounds == 1 { number.clone() } else { format!("{number}.{round}") };
        session(&team, &name).await;
    }
}

/// Runs a session from its start to its end; the agent writes a note.
async fn session(team: &Team, name: &str) {
    let context = HookContext::new(name, AGENT).with_environment(system());
    let (session, patch) = Session::start(hooks(team), context, SessionStart::default()).await;
    assert_eq!(patch.failures, []);
    println!("\nstarted {name}");
    team.remember(AGENT, MemorySection::Learnings, &format!("learnt#{name} today.")).unwrap();
    println!("\nlearnt {name}");
    session.end(EndReason::Complete, None).await;
    println!("\nended {name}");
}

/// Counts each token in the history and its archive.
fn tokens(team: &Team) -> BTreeMap<String, usize> {
    let mut tokens = BTreeMap::new();
    for file in [team.history(AGENT).unwrap(), team.history_archive(AGENT).unwrap()] {
        let text = String::from_utf8(file.document().bytes().to_vec()).unwrap();
        // The line about the archive has titles, which are dates here.
        for word in text.split_whitespace().filter(|word| word.starts_with("learnt#")) {
            *tokens.entry(word.trim_end_matches(';').to_owned()).or_default() += 1;
        }
    }
    tokens
}

/// Counts the ends of each session below `metrics`, and the recaps in the log.
fn ends(team: &Team) -> (BTreeMap<String, usize>, usize) {
    let mut ends = BTreeMap::new();
    let metrics = team.root().join("metrics");
    for file in std::fs::read_dir(metrics).into_iter().flatten() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let metrics: SessionMetrics = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            *ends.entry(metrics.session).or_default() += 1;
        }
    }
    (ends, team.session_logs().unwrap().len())
}

fn entries(history: &History) -> usize {
    history.entries().len()
}

#[test]
fn two_hundred_sessions_at_once_lose_nothing_and_double_nothing() {
    let (folder, team) = laid_out(20);
    let processes: Vec<_> = (0..200).map(|number| start(folder.path(), &format!("s{number}"))).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let expected = (0..200).map(|number| format!("learnt#s{number}"));
    let expected = expected.chain((0..20).map(|number| format!("learnt#{number}")));
    assert_eq!(tokens(&team), expected.map(|token| (token, 1)).collect());
    assert_eq!(entries(&team.history(AGENT).unwrap()) + entries(&team.history_archive(AGENT).unwrap()), 220);
    let (ends, logs) = ends(&team);
    assert_eq!(ends, (0..200).map(|number| (format!("s{number}"), 1)).collect());
    assert_eq!(logs, 200);
    assert!(left_over(&team).is_empty(), "{:?}", left_over(&team));
}

#[tokio::test]
async fn killed_sessions_leave_every_entry_in_one_place_and_every_end_told_once() {
    let (folder, team) = laid_out(20);
    let (mut learnt, mut ended) = (Vec::new(), Vec::new());
    for round in 0..40_u64 {
        let mut one = start(folder.path(), &format!("loop{round}"));
        let lines = BufReader::new(one.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (send, told) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || lines.for_each(|line| send.send(line).unwrap_or_default()));
        // The process is killed at some point after its first lines of output.
        let mut seen: Vec<_> =
            told.iter().filter(|line| line.contains(" loop")).take(1 + round as usize % 5).collect();
        pause(Duration::from_micros(round * 731 % 17_000));
        one.kill().unwrap();
        one.wait().unwrap();
        reader.join().unwrap();
        seen.extend(told.try_iter());
        let names = |word: &str| {
            seen.iter().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect::<Vec<_>>()
        };
        learnt.extend(names("learnt "));
        ended.extend(names("ended "));
        if round % 8 == 0 {
            session(&team, &format!("check{round}")).await;
            assert!(tokens(&team).values().all(|count| *count == 1), "{:?}", tokens(&team));
        }
    }
    session(&team, "last").await;
    team.recover().unwrap();
    let found = tokens(&team);
    assert!(learnt.len() >= 40, "the processes did something before they were killed: {}", learnt.len());
    assert!(learnt.iter().all(|name| found.get(&format!("learnt#{name}")) == Some(&1)));
    assert!((0..20).all(|number| found.get(&format!("learnt#{number}")) == Some(&1)));
    assert!(found.values().all(|count| *count == 1), "{found:?}");
    let all = entries(&team.history(AGENT).unwrap()) + entries(&team.history_archive(AGENT).unwrap());
    assert_eq!(all, found.len(), "every entry is one of its own");
    let (ends, logs) = ends(&team);
    assert!(ended.iter().all(|name| ends.get(name) == Some(&1)), "{ended:?} {ends:?}");
    assert!(ends.values().all(|count| *count == 1), "{ends:?}");
    assert_eq!(logs, ends.len());
    let left = left_over(&team);
    // A killed session is ended when it is an hour old, and not before.
    assert!(left.iter().all(|path| path.contains("/open/") && path.ends_with(".json")), "{left:?}");
}

#[expect(clippy::disallowed_methods, reason = "a process is killed after some real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Returns the files of sessions that are not closed, and of writers that were killed.
fn left_over(team: &Team) -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), vec![team.root().to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.display().to_string();
            if path.is_dir() {
                open.push(path);
            } else if name.ends_with(".tmp") || name.contains("/.hooks/") && name.ends_with(".json") {
                names.push(name);
            }
        }
    }
    names
}
