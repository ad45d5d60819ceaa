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
///
/// A source without an answer is named, with the command that shows it:
///
/// ```
/// use hooks_context::brief::{Briefing, Loaded, Part};
/// use hooks_conversation::Estimate;
///
/// let unread = |name: &str, loaded| Part {
///     name: name.to_owned(),
///     weight: 1,
///     loaded,
///     command: Some(format!("cat {name}.md")),
/// };
/// let parts = [unread("history", Loaded::Late), unread("wisdom", Loaded::Failed("permission denied".to_owned()))];
/// assert_eq!(
///     Briefing::new(&parts, 1_000, &Estimate, None).joined(),
///     "[left out: history, not read in time (`cat history.md`); wisdom, not readable (`cat wisdom.md`)]",
/// );
/// ```
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
