//! Lays out a new team folder.

use super::{Team, layout};
use crate::error::TeamError;
use crate::files::{NewMember, Roster};
use crate::folder::{TeamPath, Writer};
use crate::name::Name;
use crate::text::{Document, one_line};

/// A team to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTeam {
    /// Name of the team.
    pub name: String,
    /// Purpose of the team, on one line.
    pub description: String,
    /// Members of the team. A coordinator is added in any case.
    pub members: Vec<NewMember>,
}

const ROUTING: &str = "# Routing Rules

## Work Type → Agent

| Work Type | Agent | Examples |
|-----------|-------|----------|

## Module Ownership

| Module | Primary | Secondary |
|--------|---------|-----------|

## Routing Principles

1. Whoever owns the work does it; ask when two could.
";

const CEREMONIES: &str = "# Ceremonies

> Meetings before and after work.

## Design Review

| Field | Value |
|-------|-------|
| **Trigger** | auto |
| **When** | before |
| **Condition** | two or more agents change what they share |
| **Facilitator** | lead |
| **Participants** | all-relevant |
| **Time budget** | focused |
| **Enabled** | ✅ yes |

**Agenda:**
1. What is asked for
2. Interfaces, and who owns which
3. What can go wrong

## Retrospective

| Field | Value |
|-------|-------|
| **Trigger** | auto |
| **When** | after |
| **Condition** | a build or test failed, or a reviewer said no |
| **Facilitator** | lead |
| **Participants** | all-involved |
| **Time budget** | focused |
| **Enabled** | ✅ yes |

**Agenda:**
1. What happened
2. Why
3. What changes
";

const DECISIONS: &str = "# Decisions

> What everybody on the team keeps to. New ones go to `decisions/inbox/`.
";

const NOW: &str = "---
updated_at: -
focus_area: -
active_issues: []
---

# What We Are At
";

const WISDOM: &str = "---
last_updated: -
---

# Team Wisdom

## Patterns

<!-- **Pattern:** what to do. **Context:** when. -->
";

/// Folders that every new team folder has.
const FOLDERS: &[&str] =
    &["agents", "decisions/inbox", "identity", "log", "orchestration-log", "skills", "templates"];

impl Team {
    /// Creates the missing files of the folder, and leaves existing files unchanged. Returns the files it
    /// created.
    ///
    /// # Errors
    /// Returns an error if a member's name is invalid or given twice, or a file cannot be written.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::Environment;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_team::{NewTeam, Team};
    ///
    /// let disk = FakeDisk::default().with_file("/repo/.squad/team.md", "# Ours\n");
    /// let team = Team::new(Arc::new(disk.clone()), "/repo/.squad", &Environment::detached());
    /// assert!(!team.init(&NewTeam::default())?.is_empty());
    /// assert_eq!(disk.files()[std::path::Path::new("/repo/.squad/team.md")], b"# Ours\n"); // what exists stays
    /// assert!(team.init(&NewTeam::default())?.is_empty());
    /// # Ok::<(), hooks_team::TeamError>(())
    /// ```
    pub fn init(&self, team: &NewTeam) -> Result<Vec<TeamPath>, TeamError> {
        let mut names = std::collections::BTreeSet::new();
        for member in &team.members {
            let name =
                Name::of_agent(&member.name).map_err(|reason| TeamError::name(&*member.name, reason))?;
            if !names.insert(name) {
                return Err(TeamError::invalid("members", format!("`{}` is given twice", member.name)));
            }
        }
        self.folder.create()?;
        let writer = self.writer()?;
        for folder in FOLDERS {
            writer.create_directory(&TeamPath::known(folder))?;
        }
        let mut made = Vec::new();
        for member in &team.members {
            made.extend(create_agent(&writer, member)?);
        }
        let files = [
            (layout::routing(), ROUTING.to_owned().into_bytes()),
            (layout::ceremonies(), CEREMONIES.to_owned().into_bytes()),
            (layout::decisions(), DECISIONS.to_owned().into_bytes()),
            (layout::now(), NOW.to_owned().into_bytes()),
            (layout::wisdom(), WISDOM.to_owned().into_bytes()),
            // Written last: if this file exists, the folder is complete.
            (layout::roster(), roster(team)?),
        ];
        for (place, content) in files {
            if writer.publish(&place, &content)? {
                made.push(place);
            }
        }
        Ok(made)
    }
}

/// Creates the folder of `member` with a charter and a history; existing files stay. Returns the files it
/// created.
pub(super) fn create_agent(writer: &Writer<'_>, member: &NewMember) -> Result<Vec<TeamPath>, TeamError> {
    let agent = Name::of_agent(&member.name).map_err(|reason| TeamError::name(&*member.name, reason))?;
    let (name, role) = (one_line(&member.name), one_line(&member.role));
    let charter = format!(
        "# {name} — {role}\n\n## Identity\n\n- **Name:** {name}\n- **Role:** {role}\n\n## What I Own\n\n## How I Work\n\n## Boundaries\n\n**I handle:** {role}.\n\n**I don't handle:** what others own.\n\n**When I'm unsure:** I say so and ask who knows.\n\n## Model\n\n- **Preferred:** auto\n"
    );
    let history = format!("# {name}\n\n## Learnings\n");
    let mut made = Vec::new();
    for (place, content) in [(layout::charter(&agent), charter), (layout::history(&agent), history)] {
        if writer.publish(&place, content.as_bytes())? {
            made.push(place);
        }
    }
    Ok(made)
}

fn roster(team: &NewTeam) -> Result<Vec<u8>, TeamError> {
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
    Ok(bytes)
}
