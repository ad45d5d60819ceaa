//! A place in a message that a mark may replace.

use hooks_core::event::Message;
use serde_json::Value;

/// Converts the text of a mark to the shape that its place requires.
pub(super) type Mark = fn(String) -> Value;

/// A place in a message.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Index of the block; `None` if the content is not a list.
    pub(super) index: Option<usize>,
    /// Object inside the block.
    pub(super) within: Option<&'static str>,
    /// Field inside the object.
    pub(super) field: Option<&'static str>,
    pub(super) mark: Mark,
}

impl Spot {
    /// The whole content of a message.
    pub(super) const WHOLE: Self = Self { index: None, within: None, field: None, mark: Value::String };

    /// The value at this place.
    pub fn get<'a>(&self, message: &'a Message) -> Option<&'a Value> {
        let mut value = &message.content;
        if let Some(index) = self.index {
            value = value.get(index)?;
        }
        for name in [self.within, self.field].into_iter().flatten() {
            value = value.get(name)?;
        }
        Some(value)
    }

    /// Replaces the value with a mark.
    pub fn put(&self, message: &mut Message, mark: String) {
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
