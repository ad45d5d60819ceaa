//! JSON pointer of the argument that a walk has reached (RFC 6901).

use std::borrow::Cow;

/// Deepest arguments that are walked; deeper ones are unusable.
pub(super) const MAX_DEPTH: usize = 32;

/// Longest key in a pointer. Longer keys are cut, so that a long key above many paths is not copied for each
/// of them.
const MAX_KEY: usize = 64;

/// Keys that most calls have, with their pointers at the top, which are not written out each time.
const USUAL: [(&str, &str); 4] =
    [("path", "/path"), ("file_path", "/file_path"), ("filePath", "/filePath"), ("command", "/command")];

/// Position of a walk: one step below its parent. The pointer is formatted only if its text is needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pointer<'a> {
    step: Option<(&'a Pointer<'a>, Step<'a>)>,
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

impl<'a> Pointer<'a> {
    /// Returns the position one key deeper.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { step: Some((self, Step::Key(key))), depth: self.depth + 1 }
    }

    /// Returns the position one list item deeper.
    pub(super) fn item(&'a self, index: usize) -> Self {
        Self { step: Some((self, Step::Item(index))), depth: self.depth + 1 }
    }

    /// Returns the number of steps from the top.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn text(&self) -> Cow<'static, str> {
        if let Some((Pointer { step: None, .. }, Step::Key(key))) = self.step
            && let Some((_, text)) = USUAL.iter().find(|(usual, _)| *usual == key)
        {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.text_before(0))
    }

    /// Formats the pointer, with `room` bytes of extra capacity. The recursion is as deep as the walk, which
    /// is bounded.
    fn text_before(&self, room: usize) -> String {
        let Some((above, step)) = self.step else { return String::with_capacity(room) };
        match step {
            // The usual position of paths: one key deep.
            Step::Key(key) if above.step.is_none() => {
                let mut text = String::with_capacity(room + key.len().min(MAX_KEY) + 1);
                text.push('/');
                push_key(&mut text, key);
                text
            }
            Step::Key(key) => {
                let mut text = above.text_before(room + key.len().min(MAX_KEY) + 1);
                text.push('/');
                push_key(&mut text, key);
                text
            }
            Step::Item(index) => {
                let index = index.to_string();
                above.text_before(room + index.len() + 1) + "/" + &index
            }
        }
    }
}

fn push_key(text: &mut String, key: &str) {
    if key.len() <= MAX_KEY && !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return text.push_str(key);
    }
    for c in key.chars().take(MAX_KEY) {
        match c {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            _ => text.push(c),
        }
    }
}
