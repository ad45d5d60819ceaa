//! Summaries without a model.

use std::collections::HashSet;

use hooks_core::event::{Message, Role};

use crate::message::PlainText;
use crate::text::{head, tail};
use crate::tokens::Tokenizer;

/// The longest text that is not cut, in bytes.
const LONG: usize = 600;
/// Number of the newest tool results that stay.
const RESULTS: usize = 4;

/// Summarises `messages` without a model, within `budget` tokens: one line for each message, chosen from the
/// newest on. Older tool results are replaced by marks, repeated texts are given once, and long texts are
/// cut.
///
/// ```
/// use hooks_conversation::{Estimate, Tokenizer};
/// use hooks_conversation::summary::summarise;
/// use hooks_core::event::{Message, Role};
///
/// let mut messages = vec![Message::text(Role::User, "fix the parser")];
/// messages.extend((1..=50).map(|step| Message::text(Role::Assistant, format!("step {step} is done"))));
///
/// let all = summarise(&messages, 10_000, &Estimate);
/// assert!(all.starts_with("user: fix the parser\nassistant: step 1 is done\n"));
/// let short = summarise(&messages, 40, &Estimate);
/// assert!(Estimate.count(&short) <= 40);
/// assert!(short.ends_with("assistant: step 50 is done"), "the newest messages have priority");
/// assert!(short.contains("earlier messages left out]"));
/// ```
pub fn summarise(messages: &[Message], budget: u64, tokenizer: &dyn Tokenizer) -> String {
    let (mut lines, mut seen) = (Vec::new(), HashSet::new());
    let (mut results, mut used, mut left_out) = (0_usize, 0_u64, 0_usize);
    let mark = tokenizer.count("[1000000 earlier messages left out]\n");
    for message in messages.iter().rev().filter(|message| message.role != Role::System) {
        let PlainText { text, is_result } = PlainText::from_message(message, cut);
        if text.is_empty() || !seen.insert(text.clone()) {
            continue;
        }
        results = results.saturating_add(usize::from(is_result));
        let line = match is_result && results > RESULTS {
            true => format!("{}: [result of {} bytes, left out]", who(message, is_result), text.len()),
            false => format!("{}: {}", who(message, is_result), cut(&text)),
        };
        let cost = tokenizer.count(&line).saturating_add(1);
        if used.saturating_add(cost).saturating_add(mark) > budget {
            left_out = left_out.saturating_add(1);
            continue;
        }
        used = used.saturating_add(cost);
        lines.push(line);
    }
    if left_out > 0 && mark <= budget {
        lines.push(format!("[{left_out} earlier messages left out]"));
    }
    lines.reverse();
    let mut text = lines.join("\n");
    // The joined lines may have slightly more tokens than their sum.
    while tokenizer.count(&text) > budget {
        text = text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    }
    text
}

fn who(message: &Message, is_result: bool) -> &'static str {
    match message.role {
        Role::Tool => "tool",
        _ if is_result => "tool",
        Role::User => "user",
        Role::Assistant => "assistant",
        _ => "system",
    }
}

/// Puts `text` on one line, and cuts the middle of a long text.
fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= LONG {
        return text;
    }
    let (head, tail) = (head(&text, LONG * 2 / 3), tail(&text, LONG / 3));
    format!("{head} [{} bytes cut] {tail}", text.len() - head.len() - tail.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tokens::Estimate;

    fn conversation() -> Vec<Message> {
        let mut messages =
            vec![Message::text(Role::System, "be good"), Message::text(Role::User, "fix the parser")];
        for number in 0..9 {
            let call =
                json!([{"type": "tool_use", "name": "bash", "input": {"command": format!("step {number}")}}]);
            messages.push(Message { role: Role::Assistant, content: call });
            let result =
                json!([{"type": "tool_result", "content": format!("{number} {}", "x".repeat(5_000))}]);
            messages.push(Message { role: Role::User, content: result });
        }
        messages.push(Message::text(Role::Assistant, "done"));
        messages.push(Message::text(Role::Assistant, "done"));
        messages
    }

    #[test]
    fn the_newest_has_room_first() {
        let text = summarise(&conversation(), 10_000, &Estimate);
        assert!(text.starts_with("user: fix the parser\nassistant: [calls bash"), "{text}");
        assert!(
            text.contains("tool: [result of 5002 bytes, left out]") && text.contains("bytes cut]"),
            "{text}"
        );
        assert_eq!(text.matches("done").count(), 1);
        assert!(!text.contains("be good"));
        for budget in 0..300 {
            let text = summarise(&conversation(), budget, &Estimate);
            assert!(Estimate.count(&text) <= budget, "{budget}: {text}");
            assert!(budget < 60 || text.ends_with("assistant: done"), "{budget}: {text}");
        }
    }
}
