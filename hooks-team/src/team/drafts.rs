//! Texts of the files of a new team.

use crate::error::TeamError;
use crate::files::{ModelChoice, NewMember, Roster};
use crate::text::{Document, Table, one_line};

use super::init::NewTeam;

/// Charter of a new member. Empty fields get a text to be completed by a person.
///
/// ```
/// use hooks_team::files::Charter;
/// use hooks_team::text::Document;
/// use hooks_team::{NewCharter, files::NewMember};
///
/// let ada = NewMember { name: "Ada".to_owned(), role: "Parser".to_owned() };
/// let charter = NewCharter {
///     owns: vec!["the parser".to_owned()],
///     writes: Some(vec!["src/parser/**".to_owned()]),
///     ..NewCharter::default()
/// };
/// let charter = Charter::new(Document::parse(charter.text_for(&ada)));
/// assert_eq!(charter.owns(), ["the parser"]);
/// let boundaries = charter.written_boundaries();
/// assert_eq!(boundaries[0].as_ref().expect("a block").writes.as_deref(), Some(&["src/parser/**".to_owned()][..]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCharter {
    /// Whole text of the charter, in place of the other fields.
    pub text: Option<String>,
    /// Description in one line.
    pub description: String,
    /// Areas of expertise; they count as capabilities.
    pub expertise: Vec<String>,
    /// Work that the member owns, in words.
    pub owns: Vec<String>,
    /// Model that the member should use.
    pub model: ModelChoice,
    /// Patterns of files that the member may write; not limited if absent.
    pub writes: Option<Vec<String>>,
    /// Patterns of files that the member may read; not limited if absent.
    pub reads: Option<Vec<String>>,
}

/// Row of the routing table of a new team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRoute {
    /// Kind of work.
    pub work: String,
    /// Agents that do it.
    pub agents: Vec<String>,
    /// Examples of such work.
    pub examples: String,
}

impl NewCharter {
    /// Returns the text of the charter of `member`.
    pub fn text_for(&self, member: &NewMember) -> String {
        if let Some(text) = &self.text {
            return if text.ends_with('\n') { text.clone() } else { format!("{text}\n") };
        }
        let (name, role) = (one_line(&member.name), one_line(&member.role));
        let mut text =
            if role.is_empty() { format!("# {name}\n\n") } else { format!("# {name} — {role}\n\n") };
        if !self.description.trim().is_empty() {
            text.push_str(&format!("> {}\n\n", one_line(&self.description)));
        }
        text.push_str(&format!("## Identity\n\n- **Name:** {name}\n- **Role:** {role}\n"));
        let expertise = self.expertise.iter().map(|item| one_line(item).replace(',', " "));
        let expertise: Vec<_> = expertise.filter(|item| !item.is_empty()).collect();
        if !expertise.is_empty() {
            text.push_str(&format!("- **Expertise:** {}\n", expertise.join(", ")));
        }
        text.push_str("\n## What I Own\n\n");
        for item in self.owns.iter().map(|item| one_line(item)).filter(|item| !item.is_empty()) {
            text.push_str(&format!("- {item}\n"));
        }
        text.push_str(if self.owns.is_empty() { "## How I Work\n\n" } else { "\n## How I Work\n\n" });
        text.push_str(&format!(
            "## Boundaries\n\n**I handle:** {role}.\n\n**I don't handle:** what others own.\n\n**When I'm unsure:** I say so and ask who knows.\n\n"
        ));
        text.push_str(&self.boundary());
        text.push_str(&self.model_section());
        text
    }

    /// The block with the patterns; empty without patterns, or if one of them cannot be written in a block.
    fn boundary(&self) -> String {
        let lists = [("writes", &self.writes), ("reads", &self.reads)];
        let lists: Vec<_> = lists.into_iter().filter_map(|(key, list)| Some((key, list.as_ref()?))).collect();
        let is_plain =
            |pattern: &String| !pattern.contains(['"', '\\', '`']) && !pattern.contains(char::is_control);
        if lists.is_empty() || !lists.iter().all(|(_, list)| list.iter().all(is_plain)) {
            return String::new();
        }
        let rows = lists.iter().map(|(key, list)| {
            let patterns: Vec<_> = list.iter().map(|pattern| format!("\"{pattern}\"")).collect();
            format!("{key}: [{}]\n", patterns.join(", "))
        });
        format!("```boundaries\n{}```\n\n", rows.collect::<String>())
    }

    fn model_section(&self) -> String {
        let ModelChoice { preferred, rationale, fallback, reasoning_effort } = &self.model;
        let preferred = Some(preferred.clone().unwrap_or_else(|| "auto".to_owned()));
        let fields = [
            ("Preferred", &preferred),
            ("Rationale", rationale),
            ("Fallback", fallback),
            ("Reasoning Effort", reasoning_effort),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        let fields = fields.map(|(name, value)| format!("- **{name}:** {}\n", one_line(value)));
        format!("## Model\n\n{}", fields.collect::<String>())
    }
}

/// Text of `routing.md` with the routes and principles of `team` added to `template`.
pub(super) fn routing(template: &str, team: &NewTeam) -> Vec<u8> {
    let mut bytes = template.as_bytes().to_vec();
    for NewRoute { work, agents, examples } in &team.routes {
        let document = Document::parse(bytes.clone());
        let range = 0..document.bytes().len();
        let Some(table) = Table::find(&document, &range, &["work type", "agent"]) else { continue };
        let (work, agents, examples) = (one_line(work), one_line(&agents.join(", ")), one_line(examples));
        let cells = [("work type", &*work), ("agent", &*agents), ("examples", &*examples)];
        bytes = document.with(vec![table.add(&document, &cells)]);
    }
    for (number, principle) in (2..).zip(&team.principles) {
        bytes.extend(format!("{number}. {}\n", one_line(principle)).into_bytes());
    }
    bytes
}

/// Text of `team.md`.
pub(super) fn roster(team: &NewTeam) -> Result<Vec<u8>, TeamError> {
    let name = if team.name.trim().is_empty() { "Team".to_owned() } else { one_line(&team.name) };
    let description = one_line(&team.description);
    let description = if description.is_empty() { description } else { format!("> {description}\n\n") };
    let mut bytes = format!(
        "# {name}\n\n{description}## Coordinator\n\n| Name | Role | Notes |\n|------|------|-------|\n| Squad | Coordinator | Routes work and keeps to the team's rules. |\n\n## Members\n\n| Name | Role | Charter | Status |\n|------|------|---------|--------|\n"
    )
    .into_bytes();
    for member in &team.members {
        bytes = Roster::new(Document::parse(bytes)).with_member(member)?;
    }
    for retired in &team.retired {
        bytes = Roster::new(Document::parse(bytes)).with_status(retired, "💤 Retired")?;
    }
    Ok(bytes)
}
