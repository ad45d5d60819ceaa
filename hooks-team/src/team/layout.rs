//! Paths in a team folder.

use crate::folder::TeamPath;
use crate::name::Name;

pub(super) fn roster() -> TeamPath {
    TeamPath::known("team.md")
}

pub(super) fn routing() -> TeamPath {
    TeamPath::known("routing.md")
}

pub(super) fn ceremonies() -> TeamPath {
    TeamPath::known("ceremonies.md")
}

pub(super) fn decisions() -> TeamPath {
    TeamPath::known("decisions.md")
}

pub(super) fn decisions_archive() -> TeamPath {
    TeamPath::known("decisions-archive.md")
}

pub(super) fn inbox() -> TeamPath {
    TeamPath::known("decisions/inbox")
}

pub(super) fn agents() -> TeamPath {
    TeamPath::known("agents")
}

pub(super) fn charter(agent: &Name) -> TeamPath {
    agents().join(agent).listed("charter.md")
}

pub(super) fn history(agent: &Name) -> TeamPath {
    agents().join(agent).listed("history.md")
}

pub(super) fn history_archive(agent: &Name) -> TeamPath {
    agents().join(agent).listed("history-archive.md")
}

pub(super) fn now() -> TeamPath {
    TeamPath::known("identity/now.md")
}

pub(super) fn wisdom() -> TeamPath {
    TeamPath::known("identity/wisdom.md")
}

pub(super) fn session_log() -> TeamPath {
    TeamPath::known("log")
}

pub(super) fn spawn_log() -> TeamPath {
    TeamPath::known("orchestration-log")
}

pub(super) fn templates() -> TeamPath {
    TeamPath::known("templates")
}

/// Skills of the team itself.
pub(super) fn skills() -> TeamPath {
    TeamPath::known("skills")
}

/// Other folders in which a project keeps skills, in reading order; all of them are read before the team's
/// own.
pub(super) fn project_skills() -> [TeamPath; 4] {
    [".github/skills", ".copilot/skills", ".claude/skills", ".agents/skills"].map(TeamPath::known)
}
