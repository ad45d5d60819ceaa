//! Addressees of a message.

use hooks_team::files::{Member, Roster};

/// Words before a name.
const GREETINGS: &[&str] = table!("plain_words_greetings");

/// Returns the team members that `message` begins with or mentions as `@name`, in order, and whether it
/// addresses the whole team.
pub(super) fn addressed<'r>(message: &str, roster: &'r Roster) -> (Vec<&'r Member>, bool) {
    let mut found: Vec<&Member> = Vec::new();
    let opening = opening(message);
    let is_everybody =
        opening.iter().any(|name| matches!(&*name.to_lowercase(), "team" | "everyone" | "everybody" | "all"));
    let called = message
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@'))
        .map(|name| name.trim_end_matches(|c: char| !c.is_alphanumeric()))
        .filter(|name| !name.is_empty());
    for name in opening.iter().copied().chain(called) {
        let member = roster.members().iter().find(|member| is_called(member, name));
        found.extend(member.filter(|member| member.is_active() && !found.contains(member)));
    }
    (found, is_everybody)
}

/// The names before the first comma or colon: "Hey Ripley and Dallas, …".
fn opening(message: &str) -> Vec<&str> {
    const LONGEST: usize = 80;
    let line = message.trim_start().lines().next().unwrap_or_default();
    let mut names = Vec::new();
    let mut rest = line;
    // "Ripley, Dallas: …" has several names, each followed by a mark.
    while let Some((part, behind)) = rest.split_once([',', ':', '—']) {
        if part.len() > LONGEST || names.len() > 8 {
            break;
        }
        let part = part.trim().trim_start_matches('@');
        let part = match part.split_once(' ') {
            Some((greeting, name)) if GREETINGS.contains(&&*greeting.to_lowercase()) => name,
            _ => part,
        };
        if part.split_whitespace().count() > 5 {
            break;
        }
        names.extend(part.split(" and ").flat_map(|part| part.split(" & ")).map(str::trim));
        rest = behind;
    }
    names
}

fn is_called(member: &Member, name: &str) -> bool {
    let name = name.trim_start_matches('@');
    let is_same = |one: &str| one.to_lowercase() == name.to_lowercase();
    is_same(&member.name) || member.agent().is_some_and(|folder| is_same(folder.as_str()))
}

#[cfg(test)]
mod tests {
    use hooks_team::text::Document;

    use super::*;

    #[test]
    fn names_at_the_beginning_and_behind_an_at_sign() {
        let team = "# T\n\n## Members\n\n| Name | Role | Charter | Status |\n|---|---|---|---|\n| Ripley | Lead | - | Active |\n| Fact Checker | QA | - | Active |\n| Ash | Dev | - | Retired |\n";
        let roster = Roster::new(Document::parse(team));
        let names = |message: &str| {
            let (members, everybody) = addressed(message, &roster);
            (members.into_iter().map(|member| &*member.name).collect::<Vec<_>>(), everybody)
        };
        assert_eq!(names("Ripley, fix the login page."), (vec!["Ripley"], false));
        assert_eq!(names("hey ripley and fact checker: look"), (vec!["Ripley", "Fact Checker"], false));
        assert_eq!(names("Can @fact-checker, please, look?"), (vec!["Fact Checker"], false));
        assert_eq!(names("Team, stand-up!"), (vec![], true));
        assert_eq!(names("Ash, come back"), (vec![], false));
        assert_eq!(names("Fix what Ripley broke, please"), (vec![], false));
        assert_eq!(names(""), (vec![], false));
    }

    #[test]
    fn a_greeting_is_no_name() {
        for greeting in GREETINGS {
            assert_eq!(opening(&format!("{greeting} Ripley, look at this.")), ["Ripley"], "{greeting}");
        }
    }
}
