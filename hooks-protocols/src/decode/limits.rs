//! How much of a payload is read.

/// Bounds on a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longer payloads are refused.
    pub bytes: usize,
    /// Deeper payloads are refused; what the payload itself is counts as the first level. The parser's own bound,
    /// 127, stands whatever is said here.
    pub depth: usize,
}

impl Default for Limits {
    /// 64 MiB and 100 levels: more than any client sends.
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 100 }
    }
}
