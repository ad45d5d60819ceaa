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
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
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

/// A line of Claude Code: a message to which so many tokens were sent.
fn message(id: &str, model: &str, sent: u64) -> String {
    let usage = json!({"input_tokens": sent, "output_tokens": 0});
    json!({"type": "assistant", "message": {"id": id, "model": model, "usage": usage}}).to_string() + "\n"
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
    for (client, name) in [
        (Client::Claude, "claude"),
        (Client::Codex, "codex"),
        (Client::Copilot, "copilot"),
        (Client::Qwen, "qwen"),
    ] {
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
    let message = |id: &str| message(id, "m", 500);
    let sums = |began: u64, all: u64| {
        let by_model = json!({"m": {"inputTokens": all, "outputTokens": 0}});
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
fn lines_of_other_kinds_are_passed_over() {
    let text = "{\"type\":\"user\",\"message\":{\"usage\":7}}\n\n[\"usage\"]\n{}\n\"usage\"\n\
        {\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":null,\"usage\":1}}\n\
        {\"type\":\"session.compaction_complete\",\"data\":{\"success\":false},\"usage\":{}}\n\
        {\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"<synthetic>\",\"usage\":null}}\n";
    for client in [Client::Claude, Client::Codex, Client::Copilot] {
        let mut ledger = TranscriptLedger::new(client).unwrap();
        assert_eq!(ledger.read("f", text.as_bytes()), [], "{client}");
        assert_eq!(ledger.offset("f"), text.len() as u64);
        assert_eq!(ledger.unreadable(), None, "{client}");
    }
}

#[test]
fn lines_that_should_state_a_usage_and_do_not_are_remembered() {
    let claude = [
        r#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":-1,"output_tokens":2}}}"#,
        r#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1}}}"#,
        r#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":"2"}}}"#,
        r#"{"type":"assistant","message":{"id":"m","usage":null}}"#,
        r#"{"type":"assistant","message":{"usage":{"input_tokens":7,"output_tokens":1}}}"#,
        r#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":2"#,
        r#"{"type":"cost-state","modelUsage":[]}"#,
        r#"{"type":"cost-state","modelUsage":{"m":{"inputTokens":1.5,"outputTokens":1}}}"#,
    ];
    let codex = [
        r#"{"type":"token_usage_record","payload":{"response_id":"r"}}"#,
        r#"{"type":"token_usage_record","payload":{"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{}}}}"#,
    ];
    let copilot = [
        r#"{"type":"session.usage_record","data":7,"id":"e"}"#,
        r#"{"type":"session.usage_record","data":{"usage":{"inputTokens":1}},"id":"e"}"#,
        r#"{"type":"session.usage_record","data":{"usage":{"inputTokens":1,"outputTokens":1}}}"#,
        r#"{"type":"session.compaction_complete","data":{"compactionTokensUsed":{"model":"m"}},"id":"e"}"#,
    ];
    let all = [(Client::Claude, &claude[..]), (Client::Codex, &codex), (Client::Copilot, &copilot)];
    for (client, lines) in all {
        for line in lines {
            let mut ledger = TranscriptLedger::new(client).unwrap();
            let text = format!("{{}}\n{line}\n{line}\n");
            assert_eq!(ledger.read("f", text.as_bytes()), [], "{line}");
            assert_eq!(ledger.unreadable(), Some(("f", 3)), "{line}");
            assert_eq!(ledger.offset("f"), text.len() as u64);
            // It is remembered between processes, until the file is another one.
            let mut kept: TranscriptLedger =
                serde_json::from_str(&serde_json::to_string(&ledger).unwrap()).unwrap();
            assert_eq!(kept, ledger);
            kept.start_over("f");
            assert_eq!(kept.unreadable(), None);
        }
    }
    // Bytes that are no text.
    let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
    ledger.read("f", b"{\"usage\": \"\xff\"}\n");
    assert_eq!(ledger.unreadable(), Some(("f", 0)));
}

#[test]
fn a_file_in_the_place_of_another_is_noticed() {
    let line = |id: &str| message(id, "m", 5);
    let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
    assert!(ledger.continues("f", b""));
    let first = [line("1"), line("2")].concat();
    ledger.read("f", first.as_bytes());
    let before = |text: &str, ledger: &TranscriptLedger| {
        let (end, compared) = (ledger.offset("f"), ledger.compared("f"));
        text.as_bytes()[usize::try_from(end - compared).unwrap()..usize::try_from(end).unwrap()].to_vec()
    };
    let longer = [first.clone(), line("3")].concat();
    assert!(ledger.continues("f", &before(&longer, &ledger)));
    // As long as the first, and longer.
    let other = [line("7"), line("8"), line("9")].concat();
    assert!(!ledger.continues("f", &before(&other, &ledger)));
    ledger.start_over("f");
    assert_eq!(ledger.read("f", other.as_bytes()).len(), 3);
}

#[test]
fn sums_that_name_a_model_in_another_way_count_nothing_twice() {
    let sums = |model: &str, all: u64| {
        let by_model = json!({model: {"inputTokens": all, "outputTokens": 0}});
        json!({"type": "cost-state", "startTime": 1, "modelUsage": by_model}).to_string() + "\n"
    };
    for name in ["opus[1m]", "opus-2", "opus"] {
        let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
        let text = [message("1", "opus", 500), sums(name, 500), message("2", "opus", 300), sums(name, 900)];
        let answers = ledger.read("f", text.concat().as_bytes());
        // A summary took 100.
        let tokens: Vec<u64> = answers.iter().map(|answer| answer.usage.input_tokens).collect();
        assert_eq!(tokens, [500, 300, 100], "{name}");
        // The file is read again.
        ledger.start_over("f");
        assert_eq!(ledger.read("f", text.concat().as_bytes()), [], "{name}");
    }
    let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
    assert_eq!(ledger.read("f", sums("opus[1m]", 7).as_bytes())[0].model, "opus");
}

#[test]
fn answers_have_the_time_of_their_lines() {
    let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({"type": "assistant", "timestamp": "2026-11-22T23:59:59.500Z",
        "message": {"id": "m", "model": "m", "usage": usage}});
    // Sums name no time, so theirs is that of the line before.
    let sums = json!({"type": "cost-state", "modelUsage": {"m": {"inputTokens": 5, "outputTokens": 5}}});
    let answers = ledger.read("f", format!("{message}\n{sums}\n").as_bytes());
    let times: Vec<_> = answers.iter().map(|answer| answer.at.unwrap().to_string()).collect();
    assert_eq!(times, ["2026-11-22T23:59:59.500Z"; 2]);
}

#[test]
fn clients_with_hooks_for_model_calls_have_no_ledger() {
    assert_eq!(TranscriptLedger::new(Client::Gemini), None);
    assert_eq!(TranscriptLedger::new(Client::DockerAgent), None);
}

proptest! {
    /// However a file is cut into pieces, the answers are those of the whole file, and no bytes panic.
    #[test]
    fn pieces_do_not_matter(text in "(\\{\"type\":\"assistant\",\"message\":\\{\"id\":\"[a-d]\",\"usage\":\\{\"input_tokens\":[1-9],\"output_tokens\":1\\}\\}\\}|[ -~é]{0,9}|\n){0,30}", most in 1_usize..60) {
        let mut whole = TranscriptLedger::new(Client::Claude).unwrap();
        let at_once = whole.read("f", text.as_bytes());
        let mut ledger = TranscriptLedger::new(Client::Claude).unwrap();
        let pieces = read_in_pieces(&mut ledger, "f", text.as_bytes(), most);
        prop_assert_eq!(at_once, pieces);
        prop_assert_eq!(whole, ledger);
    }
}
