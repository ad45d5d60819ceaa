//! State of one source when a briefing is built.

use crate::source::Section;

/// One source's part.
#[derive(Clone, Debug)]
pub struct Part {
    /// The source's name.
    pub name: String,
    /// Weight of the source when the budget is too small for all sources.
    pub weight: u32,
    /// Result of loading the source.
    pub loaded: Loaded,
    /// Shell command that shows all of the source.
    pub command: Option<String>,
}

/// Result of loading a source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Loaded {
    /// The source returned a section.
    Section(Section),
    /// The source was not ready at the deadline.
    Late,
    /// The source failed, with this message.
    Failed(String),
}
