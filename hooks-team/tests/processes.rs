//! Real processes on a real folder: two hundred at once, and some that are killed.
//!
//! This program starts itself again as the processes it tests.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use hooks_system::{StdFileSystem, system};
use hooks_team::files::{MemorySection, NewDecision, NewMember};
use hooks_team::{NewTeam, Team};

const FOLDER: &str = "HOOKS_TEAM_TEST_FOLDER";
const NUMBER: &str = "HOOKS_TEAM_TEST_NUMBER";

fn team(folder: &Path) -> Team {
    let team = Team::new(Arc::new(StdFileSystem), folder.join(".squad"), &system());
    team.with_patience(Duration::from_secs(300))
}

fn laid_out() -> (tempfile::TempDir, Team) {
    let folder = tempfile::tempdir().unwrap();
    let team = team(folder.path());
    let members = vec![NewMember { name: "Lead".into(), role: "r".into() }];
    team.init(&NewTeam { members, ..NewTeam::default() }).unwrap();
    (folder, team)
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
#[test]
fn the_process() {
    let (Ok(folder), Ok(number)) = (std::env::var(FOLDER), std::env::var(NUMBER)) else { return };
    let team = team(Path::new(&folder));
    if number == "same" {
        team.add_to_inbox("same", "### Use X\n**By:** Lead\n\nThe same for all.\n").unwrap();
        team.merge_inbox().unwrap();
        return;
    }
    if number.starts_with("loop") {
        for round in 0.. {
            work(&team, &format!("{number}.{round}"), true);
        }
    }
    work(&team, &number, number.ends_with('7'));
}

/// Writes a decision and a note that contain `token`, and prints the token when they are acknowledged.
fn work(team: &Team, token: &str, moves: bool) {
    let body = format!("decided#{token} because.");
    let decision =
        NewDecision { author: "Lead".into(), summary: "The same for all".into(), body, references: vec![] };
    team.decide(&decision).unwrap();
    println!("\nacknowledged decided#{token}");
    team.remember("Lead", MemorySection::Learnings, &format!("noted#{token} today.")).unwrap();
    println!("\nacknowledged noted#{token}");
    if moves {
        team.merge_inbox().unwrap();
        let mut count = 0;
        team.archive_decisions(|_| {
            count += 1;
            count % 2 == 0
        })
        .unwrap();
        team.archive_history("Lead", |_| {
            count += 1;
            count % 2 == 0
        })
        .unwrap();
    }
}

/// Counts each token in all files of the team.
fn tokens(team: &Team) -> BTreeMap<String, usize> {
    let mut texts = Vec::new();
    for file in [team.decisions().unwrap(), team.decisions_archive().unwrap()] {
        texts.push(String::from_utf8(file.document().bytes().to_vec()).unwrap());
    }
    for file in [team.history("lead").unwrap(), team.history_archive("lead").unwrap()] {
        texts.push(String::from_utf8(file.document().bytes().to_vec()).unwrap());
    }
    for file in team.inbox().unwrap() {
        texts.push(String::from_utf8(file.document().bytes().to_vec()).unwrap());
    }
    let mut tokens = BTreeMap::new();
    for word in texts.iter().flat_map(|text| text.split_whitespace()).filter(|word| word.contains('#')) {
        if word.starts_with("decided#") || word.starts_with("noted#") {
            *tokens.entry(word.to_owned()).or_default() += 1;
        }
    }
    tokens
}

#[test]
fn two_hundred_processes_lose_nothing_and_double_nothing() {
    let (folder, team) = laid_out();
    let processes: Vec<_> = (0..200).map(|number| start(folder.path(), &number.to_string())).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let expected = (0..200).flat_map(|number| [format!("decided#{number}"), format!("noted#{number}")]);
    assert_eq!(tokens(&team), expected.map(|token| (token, 1)).collect());
    let all = team.decisions().unwrap().entries().len()
        + team.decisions_archive().unwrap().entries().len()
        + team.inbox().unwrap().len();
    assert_eq!(all, 200, "every decision is an entry of its own");
    team.recover().unwrap();
    assert_eq!(tokens(&team).len(), 400);
}

#[test]
fn what_twenty_processes_decide_alike_is_decided_once() {
    let (folder, team) = laid_out();
    // An entry that is not a regular file must not block the merge: a read of a socket or a pipe would wait.
    #[cfg(unix)]
    let _socket =
        std::os::unix::net::UnixListener::bind(folder.path().join(".squad/decisions/inbox/odd.md")).unwrap();
    let processes: Vec<_> = (0..20).map(|_| start(folder.path(), "same")).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let decisions = team.decisions().unwrap();
    assert_eq!((decisions.entries().len(), team.inbox().unwrap().len()), (1, 0));
}

#[test]
fn killed_processes_leave_every_entry_in_exactly_one_place() {
    let (folder, team) = laid_out();
    let mut acknowledged = Vec::new();
    for round in 0..40_u64 {
        let mut one = start(folder.path(), &format!("loop{round}"));
        let lines = BufReader::new(one.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (send, told) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in lines {
                if let Some(token) = line.strip_prefix("acknowledged ") {
                    send.send(token.to_owned()).unwrap();
                }
            }
        });
        // The process is killed at some point after its first acknowledgements.
        acknowledged.extend(told.iter().take(1 + round as usize % 5));
        pause(Duration::from_micros(round * 377 % 9_000));
        one.kill().unwrap();
        one.wait().unwrap();
        reader.join().unwrap();
        acknowledged.extend(told.try_iter());
        if round % 4 == 0 {
            team.recover().unwrap();
            assert!(tokens(&team).values().all(|count| *count == 1), "{:?}", tokens(&team));
        }
    }
    team.recover().unwrap();
    let found = tokens(&team);
    assert!(acknowledged.len() >= 40, "the processes did something before they were killed");
    for token in &acknowledged {
        assert_eq!(found.get(token), Some(&1), "{token}");
    }
    assert!(found.values().all(|count| *count == 1), "{found:?}");
    let left = walk(&folder.path().join(".squad"));
    assert!(left.iter().all(|name| !name.ends_with(".tmp") && !name.ends_with("move.json")), "{left:?}");
}

#[expect(clippy::disallowed_methods, reason = "a process is killed after some real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Returns all names below `folder`.
fn walk(folder: &Path) -> Vec<String> {
    let (mut names, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.display().to_string());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    names
}
