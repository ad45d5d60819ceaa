//! The calls in transcripts of real sessions against those that their hooks received.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{TranscriptCalls, TranscriptStep};
use crate::transcript::tests::files;
use crate::{Client, decode};

/// The calls of a run: tool, arguments, and whether each was denied, as sorted text.
fn calls_of(client: Client, run: &Path) -> Vec<String> {
    let (mut calls, mut seen) = (Vec::<(String, Value)>::new(), BTreeSet::new());
    for file in files(run) {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let found = lines.iter().find_map(TranscriptCalls::client_of);
        assert_eq!(found, Some(client), "{}", file.display());
        let mut reader = TranscriptCalls::new(client).unwrap();
        for step in lines.iter().flat_map(|line| reader.read(line)) {
            match step {
                TranscriptStep::Called(call) if seen.insert(call.id.clone()) => {
                    assert!(call.at.is_some());
                    let bytes = call.payload.to_string();
                    let decoded = decode(client, Some(call.event), bytes.as_bytes()).unwrap();
                    assert!(!decoded.context.session_id.is_empty());
                    let (tool, input) = decoded.call().unwrap();
                    calls.push((call.id, json!({"tool": tool, "input": input, "denied": "no end"})));
                }
                TranscriptStep::Ended(end) => {
                    let call = calls.iter_mut().find(|(id, _)| *id == end.id).unwrap();
                    call.1["denied"] = json!(end.is_denied);
                }
                TranscriptStep::Called(_) => {}
            }
        }
    }
    sorted(calls.into_iter().map(|(_, call)| call))
}

fn sorted(calls: impl Iterator<Item = Value>) -> Vec<String> {
    let mut calls: Vec<String> = calls.map(|call| call.to_string()).collect();
    calls.sort();
    calls
}

#[test]
fn each_call_of_a_real_session_is_found_and_none_is_invented() {
    let mut runs = 0;
    for client in [Client::Claude, Client::Codex, Client::Copilot, Client::Gemini, Client::Qwen] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/protocols/transcripts");
        for run in fs::read_dir(folder.join(client.name())).unwrap() {
            let run = run.unwrap().path();
            let expected: Value =
                serde_json::from_slice(&fs::read(run.join("expected.json")).unwrap()).unwrap();
            let expected = expected["calls_seen_by_the_hook"].as_array().unwrap().iter();
            let expected = expected
                .map(|call| json!({"tool": call["tool"], "input": call["input"], "denied": call["denied"]}));
            assert_eq!(calls_of(client, &run), sorted(expected), "{}", run.display());
            runs += 1;
        }
    }
    assert_eq!(runs, 10);
}
