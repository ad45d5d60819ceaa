//! Skills of a team.

use hooks_team::files::Skill;

use super::{Ask, Reading, Section, cut};
use crate::source::{Item, Words};

/// Returns the skills that share words with the agent's domain or its task: ordered by words shared with the
/// task, then with the domain, then by the team's confidence in them.
pub(super) fn section(from: &Reading<'_>, ask: &Ask) -> Section {
    let team = &from.team;
    let skills = team.skills();
    if skills.is_empty() {
        return Section::default();
    }
    let domain = team.charter(&ask.agent).map(|charter| {
        let owns = charter.owns().join(" ");
        format!("{} {} {owns}", charter.role().unwrap_or_default(), charter.expertise().join(" "))
    });
    let domain = Words::from_text(&domain.unwrap_or_default());
    let mut fitting: Vec<_> = skills
        .iter()
        .filter_map(|skill| {
            let about = format!(
                "{} {} {}",
                skill.name(),
                skill.domain().unwrap_or_default(),
                skill.description().unwrap_or_default()
            );
            let about = Words::from_text(&about);
            let (task, own) = (about.shared_with(&ask.words), about.shared_with(&domain));
            (task + own > 0).then(|| (std::cmp::Reverse((task, own, skill.confidence())), skill))
        })
        .collect();
    fitting.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.folder().cmp(other.folder())));
    let more = skills.len().saturating_sub(fitting.len().min(from.limits.skills));
    fitting.truncate(from.limits.skills);
    let items = fitting.into_iter().map(|(_, skill)| Item::new(&line(skill))).collect();
    Section::new("Skills", items).with_rest(more, None)
}

fn line(skill: &Skill) -> String {
    let sure = skill.confidence().map(|sure| format!(" ({} confidence)", sure.as_str())).unwrap_or_default();
    let text = match skill.description() {
        Some(description) => format!("- {}{sure}: {description}", skill.name()),
        None => format!("- {}{sure}", skill.name()),
    };
    cut(&text)
}
