//! What is known of one source when a briefing is put together.

use crate::source::Section;

/// One source's part.
#[derive(Clone, Debug)]
pub struct Part {
    /// The source's name.
    pub name: String,
    /// How much it counts where there is not enough room for all.
    pub weight: u32,
    /// What came of it.
    pub loaded: Loaded,
    /// How to read all of it.
    pub command: Option<String>,
}

/// What came of a source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Loaded {
    /// It answered.
    Section(Section),
    /// It did not answer in time.
    Late,
    /// It failed, for this reason.
    Failed(String),
}
