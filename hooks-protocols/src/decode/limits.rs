//! How much of a payload is read.

/// Bounds on a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longer payloads are refused.
    pub bytes: usize,
    /// Deeper payloads are refused; what the payload itself is counts as the first level. More than 127 levels are never read.
    pub depth: usize,
    /// Payloads that take this many bytes more memory than they are long are refused. What takes more is many small values:
    /// a text takes about as much as it is long, a number some seventy bytes.
    pub overhead: usize,
}

impl Default for Limits {
    /// 64 MiB, 100 levels, and about 100,000 small values: more than any client sends.
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 100, overhead: 10 << 20 }
    }
}
