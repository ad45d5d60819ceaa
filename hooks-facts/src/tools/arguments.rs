//! The JSON pointer of the argument a walk is at (RFC 6901).

/// Deeper arguments are not walked; what stands there is unusable.
pub(super) const MAX_DEPTH: usize = 32;

/// Longer keys are cut in a pointer, so that a long key above many paths is not copied for each of them.
const MAX_KEY: usize = 64;

/// A pointer that grows on the way down and shrinks on the way up.
#[derive(Debug, Default)]
pub(super) struct Pointer {
    text: String,
}

impl Pointer {
    /// Runs `visit` one key deeper.
    pub(super) fn key(&mut self, key: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.text.len();
        self.text.push('/');
        if key.len() <= MAX_KEY && !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
            self.text.push_str(key);
        } else {
            self.push_escaped(key);
        }
        visit(self);
        self.text.truncate(length);
    }

    /// Runs `visit` one list item deeper.
    pub(super) fn item(&mut self, index: usize, visit: impl FnOnce(&mut Self)) {
        self.key(&index.to_string(), visit);
    }

    fn push_escaped(&mut self, key: &str) {
        for c in key.chars().take(MAX_KEY) {
            match c {
                '~' => self.text.push_str("~0"),
                '/' => self.text.push_str("~1"),
                _ => self.text.push(c),
            }
        }
    }

    pub(super) fn text(&self) -> String {
        self.text.clone()
    }

    pub(super) fn depth(&self) -> usize {
        self.text.bytes().filter(|b| *b == b'/').count()
    }
}
