//! Paths in a team folder.

use crate::folder::Place;
use crate::name::Name;

pub(super) fn roster() -> Place {
    Place::known("team.md")
}

pub(super) fn routing() -> Place {
    Place::known("routing.md")
}

pub(super) fn ceremonies() -> Place {
    Place::known("ceremonies.md")
}

pub(super) fn decisions() -> Place {
    Place::known("decisions.md")
}

pub(super) fn decisions_archive() -> Place {
    Place::known("decisions-archive.md")
}

pub(super) fn inbox() -> Place {
    Place::known("decisions/inbox")
}

pub(super) fn agents() -> Place {
    Place::known("agents")
}

pub(super) fn charter(agent: &Name) -> Place {
    agents().join(agent).listed("charter.md")
}

pub(super) fn history(agent: &Name) -> Place {
    agents().join(agent).listed("history.md")
}

pub(super) fn history_archive(agent: &Name) -> Place {
    agents().join(agent).listed("history-archive.md")
}

pub(super) fn now() -> Place {
    Place::known("identity/now.md")
}

pub(super) fn wisdom() -> Place {
    Place::known("identity/wisdom.md")
}

pub(super) fn session_log() -> Place {
    Place::known("log")
}

pub(super) fn spawn_log() -> Place {
    Place::known("orchestration-log")
}

pub(super) fn templates() -> Place {
    Place::known("templates")
}

/// Skills of the team itself.
pub(super) fn skills() -> Place {
    Place::known("skills")
}

/// Other folders in which a project keeps skills, in reading order; all of them are read before the team's
/// own.
pub(super) fn project_skills() -> [Place; 4] {
    [".github/skills", ".copilot/skills", ".claude/skills", ".agents/skills"].map(Place::known)
}
