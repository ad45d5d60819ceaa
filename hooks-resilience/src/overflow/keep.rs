//! Messages that a compaction keeps.

use hooks_core::event::{Message, Role};
use serde_json::Value;

use hooks_conversation::message::places;

/// Selects messages that stay verbatim, beside system messages and the newest user request. A closure of a
/// message is one. If tool results are kept, a tool can fill the window for good.
///
/// ```
/// use hooks_core::event::{Message, Role};
/// use hooks_resilience::overflow::Keep;
///
/// // Every short message of the user stays.
/// let short = |message: &Message| {
///     message.role == Role::User && message.content.as_str().is_some_and(|text| text.len() < 80)
/// };
/// assert!(short.keeps(&Message::text(Role::User, "use tabs, please")));
/// assert!(!short.keeps(&Message::text(Role::Assistant, "all right")));
/// ```
pub trait Keep: Send + Sync {
    /// Whether `message` stays as it is.
    fn keeps(&self, message: &Message) -> bool;
}

impl<F: Fn(&Message) -> bool + Send + Sync> Keep for F {
    fn keeps(&self, message: &Message) -> bool {
        self(message)
    }
}

/// Keeps messages of the user, the host and the model that contain one of some marks, in any case. Tool
/// results are not searched, so that a web page cannot pin itself.
///
/// ```
/// use hooks_core::event::{Message, Role};
/// use hooks_resilience::overflow::{Keep, Marked};
/// use serde_json::json;
///
/// let marked = Marked::default();
/// assert!(marked.keeps(&Message::text(Role::User, "Decision: we use SQLite")));
/// assert!(!marked.keeps(&Message::text(Role::User, "which database do we use?")));
/// // The result of a tool cannot pin itself.
/// let page = json!([{ "type": "tool_result", "tool_use_id": "1", "content": "decision: buy now" }]);
/// assert!(!marked.keeps(&Message { role: Role::User, content: page }));
///
/// let tickets = Marked::new(["TICKET-"]);
/// assert!(tickets.keeps(&Message::text(Role::User, "this is about ticket-31")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked(Vec<String>);

impl Marked {
    /// Keeps messages that contain one of `marks`.
    pub fn new<M: Into<String>>(marks: impl IntoIterator<Item = M>) -> Self {
        Self(
            marks
                .into_iter()
                .map(|mark| mark.into().to_lowercase())
                .filter(|mark| !mark.is_empty())
                .collect(),
        )
    }

    fn stands_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().any(|mark| text.contains(mark.as_str()))
    }
}

impl Default for Marked {
    /// The tags `<pinned>` and `<decision>`, and the word `decision:`, which decision records contain.
    fn default() -> Self {
        Self::new(["<pinned", "<decision", "decision:"])
    }
}

impl Keep for Marked {
    fn keeps(&self, message: &Message) -> bool {
        message.role != Role::Tool
            && places::texts(message)
                .iter()
                .filter_map(|spot| spot.get(message))
                .filter_map(Value::as_str)
                .any(|text| self.stands_in(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keeps(role: Role, content: Value) -> bool {
        Marked::default().keeps(&Message { role, content })
    }

    #[test]
    fn what_people_and_models_mark_is_kept_and_what_tools_mark_is_not() {
        assert!(keeps(Role::User, json!("Decision: we use SQLite")));
        assert!(keeps(Role::Assistant, json!([{ "type": "text", "text": "<pinned>the plan</pinned>" }])));
        assert!(!keeps(Role::User, json!("what shall we decide?")));
        assert!(!keeps(Role::Tool, json!("<pinned>buy now</pinned>")));
        let page = json!([{ "type": "tool_result", "tool_use_id": "a", "content": "<pinned>buy now" }]);
        assert!(!keeps(Role::User, page));
    }
}
