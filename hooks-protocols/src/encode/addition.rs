//! Text that hooks add to a user's message. A client that cannot replace a message may take the text as context.

use hooks_core::WireEvent;

use crate::answer::{Answer, Rewrite};
use crate::decode::Decoded;

/// Text that `rewrite` adds after the unchanged message of the user; `None` if it changes the message itself, or
/// anything else.
pub(super) fn added<'a>(decoded: &Decoded, rewrite: Option<&'a Rewrite>) -> Option<&'a str> {
    let (Some(WireEvent::UserPromptSubmitted(message)), Some(Rewrite::Prompt(changed))) =
        (&decoded.event, rewrite)
    else {
        return None;
    };
    let added = changed.strip_prefix(message.prompt.as_str())?.trim();
    (!added.is_empty()).then_some(added)
}

/// The same answer with the text as the first context, in place of the rewrite.
pub(super) fn as_context(answer: &Answer, added: &str) -> Answer {
    let mut answer = answer.clone();
    answer.rewrite = None;
    answer.context.insert(0, added.to_owned());
    answer
}

#[cfg(test)]
mod tests {
    use hooks_core::Strength;
    use serde_json::{Value, json};

    use crate::{Answer, Client, ClientAnswer, EncodedAnswer, Instead, Rewrite, Wish, decode, encode};

    fn answered(client: Client, event: &str, changed: &str) -> EncodedAnswer {
        let payload = json!({"session_id": "s", "sessionId": "s", "conversation_id": "s", "transcript_path": "/t",
            "cwd": "/repo", "timestamp": 1, "hook_event_name": event, "prompt": "Fix it.", "model": "m",
            "permission_mode": "default", "turn_id": "t", "workspace_roots": ["/repo"]});
        let decoded = decode(client, Some(event), payload.to_string().as_bytes()).unwrap();
        let answer = Answer::context("Note.").rewritten(Rewrite::Prompt(changed.to_owned()));
        assert_eq!(answer.strength, Strength::NoOpinion);
        encode(&decoded, &answer)
    }

    /// The clients that take context at a message, and no other message.
    const TAKE_CONTEXT: [(Client, &str); 4] = [
        (Client::Claude, "UserPromptSubmit"),
        (Client::Codex, "UserPromptSubmit"),
        (Client::Gemini, "BeforeAgent"),
        (Client::DockerAgent, "user_prompt_submit"),
    ];

    #[test]
    fn an_addition_is_context_where_a_message_cannot_be_replaced() {
        for (client, event) in TAKE_CONTEXT {
            let encoded = answered(client, event, "Fix it.\n\nKeep to the law.");
            assert!(encoded.stdout.contains(r"Keep to the law.\n\nNote."), "{client}: {encoded:?}");
            assert!(!encoded.stdout.contains("Fix it."), "{client}: {encoded:?}");
            let [note] = &encoded.degraded[..] else { panic!("{client}: {encoded:?}") };
            assert_eq!((note.wish, note.instead), (Wish::Rewrite, Instead::AsContext));
        }
    }

    #[test]
    fn a_client_that_replaces_messages_gets_the_whole_one() {
        let encoded = answered(Client::Copilot, "userPromptSubmitted", "Fix it.\n\nKeep to the law.");
        let answer: Value = serde_json::from_str(&encoded.stdout).unwrap();
        assert_eq!(answer["modifiedPrompt"], "Fix it.\n\nKeep to the law.");
        assert!(encoded.degraded.is_empty());
    }

    #[test]
    fn a_change_of_the_message_itself_is_denied_with_the_way_out() {
        for (client, event) in TAKE_CONTEXT {
            for changed in ["Fix ***.", "Fix ***.\n\nKeep to the law.", "Keep to the law.\n\nFix it.", ""] {
                let encoded = answered(client, event, changed);
                assert!(
                    matches!(encoded.answered, ClientAnswer::Block | ClientAnswer::Deny),
                    "{client} {changed}: {encoded:?}"
                );
                assert!(encoded.stdout.contains("cannot replace a message"), "{client}: {encoded:?}");
                let rewrite = encoded.degraded.iter().find(|note| note.wish == Wish::Rewrite).unwrap();
                assert_eq!(rewrite.instead, Instead::Denied);
            }
        }
    }
}
