//! The ledger against transcripts of real sessions, and against transcripts that were made up.

use std::fs;
use std::path::{Path, PathBuf};

use hooks_core::event::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{TranscriptAnswer, TranscriptLedger, plus};
use crate::Client;

/// Real transcripts, each with the model's own sum of its replies.
fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/protocols/transcripts")
}

/// The files of a session, those of subagents first.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort_by_key(|path| (!path.to_string_lossy().contains("/subagents/"), path.clone()));
    found
}

fn sum(answers: &[TranscriptAnswer]) -> Usage {
    answers.iter().fold(Usage::default(), |all, answer| plus(all, answer.usage))
}

/// Reads bytes in pieces of at most `most`, as processes do that each see more of a file.
fn read_in_pieces(
    ledger: &mut TranscriptLedger,
    file: &str,
    bytes: &[u8],
    most: usize,
) -> Vec<TranscriptAnswer> {
    let mut answers = Vec::new();
    let mut end = 0;
    while end < bytes.len() {
        end = bytes.len().min(end + most);
        let from = usize::try_from(ledger.offset(file)).unwrap();
        answers.extend(ledger.read(file, &bytes[from..end]));
        // What a process remembers goes through JSON.
        *ledger = serde_json::from_str(&serde_json::to_string(ledger).unwrap()).unwrap();
    }
    answers
}

#[test]
fn each_answer_of_a_real_session_counts_once() {
    let mut runs = 0;
    for (client, name) in [(Client::Claude, "claude"), (Client::Codex, "codex"), (Client::Copilot, "copilot")]
    {
        for run in fs::read_dir(recorded().join(name)).unwrap() {
            let run = run.unwrap().path();
            let expected: Value =
                serde_json::from_slice(&fs::read(run.join("expected.json")).unwrap()).unwrap();
            let all = &expected["all"];
            for most in [usize::MAX / 2, 10_000, 777] {
                let mut ledger = TranscriptLedger::new(client).unwrap();
                let mut answers = Vec::new();
                for file in files(&run) {
                    let bytes = fs::read(&file).unwrap();
                    answers.extend(read_in_pieces(&mut ledger, &file.to_string_lossy(), &bytes, most));
                }
                let usage = sum(&answers);
                // The usage of Claude Code counts what is written to the cache as sent.
                let written = if client == Client::Claude { all["cache_write"].as_u64().unwrap() } else { 0 };
                let sent = match client {
                    Client::Claude => {
                        all["input"].as_u64().unwrap() + all["cached_input"].as_u64().unwrap() + written
                    }
                    _ => all["input"].as_u64().unwrap(),
                };
                let place = format!("{} in pieces of {most}", run.display());
                assert_eq!(usage.input_tokens, sent, "{place}");
                assert_eq!(usage.output_tokens, all["output"].as_u64().unwrap(), "{place}");
                assert_eq!(usage.cached_tokens, all["cached_input"].as_u64().unwrap(), "{place}");
                assert_eq!(answers.len() as u64, all["responses"].as_u64().unwrap(), "{place}");
                assert!(answers.iter().all(|answer| !answer.model.is_empty()), "{place}");
            }
            runs += 1;
        }
    }
    assert!(runs >= 7, "only {runs} recorded runs were found");
}

#[test]
fn a_copy_of_a_session_repeats_nothing() {
    let run = recorded().join("claude/branch");
    let mut sessions = files(&run);
    let copy = sessions.pop().unwrap();
    let mut original = TranscriptLedger::new(Client::Claude).unwrap();
    for file in &sessions {
        original.read(&file.to_string_lossy(), &fs::read(file).unwrap());
    }
    // Another ledger, as the copy is another session.
    let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
    ledger.beside(&original);
    let answers = ledger.read(&copy.to_string_lossy(), &fs::read(&copy).unwrap());
    let ids: Vec<&str> = answers.iter().map(|answer| &*answer.id).collect();
    assert_eq!(ids, ["msg_09bae0f63de4", "msg_d17a4b23eae4"]);
}

#[test]
fn a_copy_knows_its_own_original_among_others() {
    let message = |id: &str| {
        let usage = json!({"input_tokens": 500, "output_tokens": 0});
        json!({"type": "assistant", "message": {"id": id, "model": "m", "usage": usage}}).to_string() + "\n"
    };
    let sums = |began: u64, all: u64| {
        let by_model = json!({"m": {"inputTokens": all}});
        json!({"type": "cost-state", "startTime": began, "modelUsage": by_model}).to_string() + "\n"
    };
    let read = |beside: &[&TranscriptLedger], file: &str, text: &[String]| {
        let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
        beside.iter().for_each(|other| ledger.beside(other));
        let answers = ledger.read(file, text.concat().as_bytes());
        (ledger, sum(&answers).input_tokens)
    };
    // A compaction of the original took 100; an unrelated session began later.
    let (original, paid) = read(&[], "a", &[message("1"), sums(7, 600)]);
    assert_eq!(paid, 600);
    let (newer, paid) = read(&[&original], "b", &[message("2"), sums(9, 500)]);
    assert_eq!(paid, 500);
    let (_, paid) = read(&[&newer, &original], "c", &[message("1"), message("3"), sums(7, 1_100)]);
    assert_eq!(paid, 500);
    // What was inherited is not kept.
    assert!(!serde_json::to_string(&newer).unwrap().contains("\"1\""));
}

#[test]
fn sums_alone_count_by_their_growth() {
    let sum = |all: u64, last: u64| {
        let usage = |tokens: u64| json!({"input_tokens": tokens, "output_tokens": 1});
        let info = json!({"total_token_usage": usage(all), "last_token_usage": usage(last)});
        json!({"type": "event_msg", "payload": {"type": "token_count", "info": info}}).to_string() + "\n"
    };
    let mut ledger = TranscriptLedger::new(Client::Codex).unwrap();
    // The first sum has the past of another session; the second is written twice.
    let text = [sum(5_000, 100), sum(5_300, 300), sum(5_300, 300)].concat();
    let answers = ledger.read("rollout", text.as_bytes());
    assert_eq!(answers.iter().map(|answer| answer.usage.input_tokens).collect::<Vec<_>>(), [100, 300]);
}

#[test]
fn lines_that_are_no_answers_are_passed_over() {
    let text = "usage\n{\"usage\":\n\n[\"usage\"]\n\u{feff}{}\n\
        {\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":-1,\"output_tokens\":\"usage\"}}}\n\
        {\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":7}}}\n\
        {\"type\":\"session.usage_record\",\"data\":7,\"usage\":{}}\n";
    for client in [Client::Claude, Client::Codex, Client::Copilot] {
        let mut ledger = TranscriptLedger::new(client).unwrap();
        assert_eq!(ledger.read("f", text.as_bytes()), [], "{client}");
        assert_eq!(ledger.offset("f"), text.len() as u64);
    }
}

#[test]
fn clients_with_hooks_for_model_calls_have_no_ledger() {
    assert_eq!(TranscriptLedger::new(Client::Gemini), None);
    assert_eq!(TranscriptLedger::new(Client::DockerAgent), None);
}

proptest! {
    /// However a file is cut into pieces, the answers are those of the whole file, and no bytes panic.
    #[test]
    fn pieces_do_not_matter(text in "(\\{\"type\":\"assistant\",\"message\":\\{\"id\":\"[a-d]\",\"usage\":\\{\"input_tokens\":[1-9]\\}\\}\\}|[ -~é]{0,9}|\n){0,30}", most in 1_usize..60) {
        let mut whole = TranscriptLedger::new(Client::Claude).unwrap();
        let at_once = whole.read("f", text.as_bytes());
        let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
        let pieces = read_in_pieces(&mut ledger, "f", text.as_bytes(), most);
        prop_assert_eq!(at_once, pieces);
        prop_assert_eq!(whole, ledger);
    }
}
