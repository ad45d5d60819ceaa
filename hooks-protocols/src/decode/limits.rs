//! Limits on the size of a payload.

/// Limits on the size of a payload.
///
/// ```
/// use hooks_protocols::{Limits, Payload};
///
/// let limits = Limits { depth: 2, ..Limits::default() };
/// assert!(Payload::read(br#"{"a": {}}"#, limits).is_ok());
/// assert!(Payload::read(br#"{"a": {"b": {}}}"#, limits).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length in bytes.
    pub bytes: usize,
    /// Maximum nesting, where the payload itself is the first level. More than 127 levels are never read.
    pub depth: usize,
    /// Maximum memory in bytes that a payload may use beyond its length. Only many small values need more
    /// memory than their text: a string needs about as much as its length, a number about seventy bytes.
    pub overhead: usize,
}

impl Default for Limits {
    /// 64 MiB, 100 levels, and about 100,000 small values: more than any client sends.
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 100, overhead: 10 << 20 }
    }
}
