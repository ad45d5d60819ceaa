//! Typed views of the files in a team folder. Each one is a view of a [`Document`]: reading changes nothing,
//! and a change replaces a few bytes of the document.

mod boundary;
mod ceremonies;
mod charter;
mod decisions;
mod history;
mod identity;
mod log;
mod roster;
mod routing;
mod skill;

pub use self::boundary::{BoundaryProblem, WrittenBoundary};
pub use self::ceremonies::{Ceremonies, Ceremony, CeremonyTime, CeremonyTrigger};
pub use self::charter::{Boundaries, Charter, ModelChoice};
pub use self::decisions::{Decisions, InboxFile, NewDecision};
pub use self::history::{History, MemorySection};
pub use self::identity::{Insight, Now, Wisdom};
pub use self::log::SpawnRecord;
pub use self::roster::{Member, MemberKind, NewMember, Roster};
pub use self::routing::{Module, Routing, WorkType};
pub use self::skill::{Confidence, NewSkill, Skill};

use std::ops::Range;

use crate::text::Document;

/// Returns the range below the first heading in `titles` that exists, subheadings included.
fn below(document: &Document, titles: &[&str]) -> Option<Range<usize>> {
    let section = titles.iter().find_map(|title| document.section(title))?;
    Some(section.body..section.below)
}

/// Returns the text of `range`, trimmed, or `None` if it is empty.
fn written(document: &Document, range: Range<usize>) -> Option<String> {
    let text = document.text(range);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Removes emoji and punctuation around a name.
fn plain(text: &str) -> String {
    let text = text.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '@' | '_' | ')' | '(')));
    text.trim().to_owned()
}
