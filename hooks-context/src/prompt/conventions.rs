//! Conventions, recent decisions and active ceremonies of a team, as one text for the model.

use hooks_team::ledger::Entry;
use hooks_team::{HeldCeremony, Participants, Team, TeamError};

use super::PromptConfig;

/// The most characters of a decision.
const LONGEST: usize = 200;

/// Formats the text; it is empty if the team has nothing to add. The same state gives the same text. Files
/// that cannot be read are left out and reported in `problems`.
pub(super) fn text(config: &PromptConfig, team: Option<&Team>, problems: &mut Vec<TeamError>) -> String {
    let mut parts = Vec::new();
    let mut conventions: Vec<String> = config.conventions.iter().map(|text| line(text)).collect();
    let mut decisions = Vec::new();
    let mut ceremonies = Vec::new();
    if let Some(team) = team {
        match team.routing() {
            Ok(routing) => conventions.extend(routing.principles().iter().map(|text| line(text))),
            Err(error) => problems.push(error),
        }
        if config.recent_decisions > 0 {
            match team.decisions() {
                Ok(made) => {
                    // The newest by date; decisions without a date count as older, in the order of the file.
                    let made = made.entries().filter(Entry::is_in_force);
                    let mut made: Vec<_> = made.map(|entry| (entry.date(), line(&entry.heading()))).collect();
                    made.sort_by_key(|(date, _)| *date);
                    let from = made.len().saturating_sub(config.recent_decisions);
                    decisions = made.into_iter().skip(from).map(|(_, heading)| heading).collect();
                }
                Err(error) => problems.push(error),
            }
        }
        if config.ceremonies {
            match team.active_ceremonies() {
                Ok(held) => ceremonies.extend(held.iter().map(held_ceremony)),
                Err(error) => problems.push(error),
            }
        }
    }
    for (heading, lines) in [
        ("Team conventions", conventions),
        ("Recent decisions", decisions),
        ("Active ceremonies", ceremonies),
    ] {
        if !lines.is_empty() {
            parts.push(format!("{heading}:\n- {}", lines.join("\n- ")));
        }
    }
    parts.join("\n\n")
}

/// Formats a ceremony that is held.
fn held_ceremony(held: &HeldCeremony) -> String {
    let with = match &held.participants {
        Participants::Named(names) => line(&names.join(", ")),
        _ => "all agents".to_owned(),
    };
    format!("{}: until {}, with {with}", line(&held.name), held.until)
}

/// Puts `text` on one line and cuts it if it is too long.
fn line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
