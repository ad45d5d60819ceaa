//! Lays out a new team folder.

use std::collections::BTreeMap;

use super::drafts::{self, NewCharter, NewRoute};
use super::{Team, layout};
use crate::error::TeamError;
use crate::files::NewMember;
use crate::folder::{TeamPath, Writer};
use crate::name::Name;
use crate::text::one_line;

/// A team to create.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewTeam {
    /// Name of the team.
    pub name: String,
    /// Purpose of the team, on one line.
    pub description: String,
    /// Members of the team. A coordinator is added in any case.
    pub members: Vec<NewMember>,
    /// Members that are retired.
    pub retired: Vec<String>,
    /// Charters of members, by name; the others get a charter with their role.
    pub charters: BTreeMap<String, NewCharter>,
    /// Rows of the routing table.
    pub routes: Vec<NewRoute>,
    /// Further principles of routing.
    pub principles: Vec<String>,
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
            let charter = team.charters.get(&member.name).cloned().unwrap_or_default();
            made.extend(create_agent(&writer, member, &charter)?);
        }
        let files = [
            (layout::routing(), drafts::routing(ROUTING, team)),
            (layout::ceremonies(), CEREMONIES.to_owned().into_bytes()),
            (layout::decisions(), DECISIONS.to_owned().into_bytes()),
            (layout::now(), NOW.to_owned().into_bytes()),
            (layout::wisdom(), WISDOM.to_owned().into_bytes()),
            // Written last: if this file exists, the folder is complete.
            (layout::roster(), drafts::roster(team)?),
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
pub(super) fn create_agent(
    writer: &Writer<'_>,
    member: &NewMember,
    charter: &NewCharter,
) -> Result<Vec<TeamPath>, TeamError> {
    let agent = Name::of_agent(&member.name).map_err(|reason| TeamError::name(&*member.name, reason))?;
    let (name, charter) = (one_line(&member.name), charter.text_for(member));
    let history = format!("# {name}\n\n## Learnings\n");
    let mut made = Vec::new();
    for (place, content) in [(layout::charter(&agent), charter), (layout::history(&agent), history)] {
        if writer.publish(&place, content.as_bytes())? {
            made.push(place);
        }
    }
    Ok(made)
}
