//! Throw-away.
use std::io::BufRead;
fn main() {
    let scrubber = hooks_redaction::Scrubber::all();
    for line in std::io::stdin().lock().lines() {
        let value: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = value["text"].as_str().unwrap();
        let scrubbed = scrubber.scrub_reported(text);
        let cp = |at: usize| text[..at].chars().count();
        let spans: Vec<_> = scrubbed.spans.iter().map(|s| serde_json::json!({"start": cp(s.start), "end": cp(s.end), "label": s.label.as_str()})).collect();
        println!("{}", serde_json::json!({"id": value["id"], "spans": spans}));
    }
}
