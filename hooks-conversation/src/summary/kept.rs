//! Texts that stay in a conversation when it is compacted.

use hooks_core::event::{Message, Role};

/// First line of a message with kept texts.
const MARK: &str = "[kept while the conversation was compacted]";

/// Inserts `texts` as one message of the user, behind the system messages at the front. Returns its index;
/// `None` if there are no texts.
///
/// ```
/// use hooks_conversation::summary::insert_kept;
/// use hooks_core::event::{Message, Role};
///
/// let mut messages = vec![Message::text(Role::System, "be careful"), Message::text(Role::User, "go on")];
/// assert_eq!(insert_kept(&["Decision: we use SQLite"], &mut messages), Some(1));
/// assert_eq!(
///     messages[1].content,
///     "[kept while the conversation was compacted]\nDecision: we use SQLite",
/// );
/// ```
pub fn insert_kept<T: AsRef<str>>(texts: &[T], messages: &mut Vec<Message>) -> Option<usize> {
    if texts.is_empty() {
        return None;
    }
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let front = messages.iter().take_while(|message| message.role == Role::System).count();
    messages.insert(front, Message::text(Role::User, format!("{MARK}\n{}", texts.join("\n\n"))));
    Some(front)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_behind_the_system_messages() {
        let system = Message::text(Role::System, "be good");
        let mut messages = vec![system.clone(), Message::text(Role::User, "hi"), system];
        assert_eq!(insert_kept::<&str>(&[], &mut messages), None);
        assert_eq!(insert_kept(&["a", "b"], &mut messages), Some(1));
        let wanted = Message::text(Role::User, "[kept while the conversation was compacted]\na\n\nb");
        assert_eq!((messages.len(), &messages[1]), (4, &wanted));
    }
}
