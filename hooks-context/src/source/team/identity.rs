//! Focus of a team, and its lasting insights.

use hooks_core::BoxError;
use hooks_team::files::{Insight, Now, Wisdom};
use hooks_team::folder::TeamPath;

use super::{Reading, Section, cut};
use crate::source::Item;

/// Returns the focus and the current issues of the team.
pub(super) fn now(from: &Reading<'_>) -> Result<Section, BoxError> {
    let place = TeamPath::new("identity/now.md")?;
    let items = from.made(&place, |document| {
        let now = Now::new(document);
        let mut lines = Vec::new();
        let focus = now.focus_area().filter(|focus| focus != "-");
        lines.extend(focus.map(|focus| format!("Focus: {focus}")));
        let issues = now.active_issues();
        if !issues.is_empty() {
            lines.push(format!("Active: {}", issues.join(", ")));
        }
        let text = now.text();
        // A new file has nothing but a heading.
        let is_said = text.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'));
        lines.extend(is_said.then(|| cut(&text)));
        lines.iter().map(|line| Item::new(line)).collect::<Vec<_>>()
    })?;
    Ok(Section::new("What the team is at", items.to_vec()))
}

/// Returns the lasting insights of the team.
pub(super) fn wisdom(from: &Reading<'_>) -> Result<Section, BoxError> {
    let place = TeamPath::new("identity/wisdom.md")?;
    let items = from.made(&place, |document| {
        Wisdom::new(document).insights().iter().map(|insight| Item::new(&line(insight))).collect::<Vec<_>>()
    })?;
    Ok(Section::new("What the team has learnt for good", items.to_vec()))
}

fn line(insight: &Insight) -> String {
    let kind = if insight.is_anti_pattern { "Avoid: " } else { "" };
    let context = insight.context.as_deref().filter(|context| !context.is_empty());
    let context = context.map(|context| format!(" ({context})")).unwrap_or_default();
    cut(&format!("- {kind}{}{context}", insight.text))
}
