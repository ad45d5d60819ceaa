//! A place in a message, where something may give way to a mark.

use hooks_core::event::Message;
use serde_json::Value;

/// Makes a mark of its text, in the shape that belongs to a place.
pub(super) type Mark = fn(String) -> Value;

/// A place in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Which block of the list; none where the content is no list.
    pub(super) index: Option<usize>,
    /// The object inside the block.
    pub(super) within: Option<&'static str>,
    /// The field inside that.
    pub(super) field: Option<&'static str>,
    pub(super) mark: Mark,
}

impl Spot {
    /// The content of a message as a whole.
    pub(super) const WHOLE: Self = Self { index: None, within: None, field: None, mark: Value::String };

    /// What stands there.
    pub(crate) fn get<'a>(&self, message: &'a Message) -> Option<&'a Value> {
        let mut value = &message.content;
        if let Some(index) = self.index {
            value = value.get(index)?;
        }
        for name in [self.within, self.field].into_iter().flatten() {
            value = value.get(name)?;
        }
        Some(value)
    }

    /// Puts a mark in its place.
    pub(crate) fn put(&self, message: &mut Message, mark: String) {
        let mut value = Some(&mut message.content);
        if let Some(index) = self.index {
            value = value.and_then(|value| value.get_mut(index));
        }
        for name in [self.within, self.field].into_iter().flatten() {
            value = value.and_then(|value| value.get_mut(name));
        }
        if let Some(value) = value {
            *value = (self.mark)(mark);
        }
    }
}
