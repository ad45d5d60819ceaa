//! Notices on their way to an agent.

use hooks_core::HookContext;
use hooks_core::time::Timestamp;
use hooks_team::folder::{Left, Spool};
use hooks_team::{Digest, Name, Team, TeamError};
use serde::{Deserialize, Serialize};

use crate::scribe::short;

/// The version of the format. Notices of another one are left for whoever knows it.
const VERSION: u32 = 1;

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Notice {
    version: u32,
    pub(super) at: Timestamp,
    /// Who wrote.
    pub(super) by: String,
    /// What, from the project on.
    pub(super) file: String,
    /// With which tool.
    pub(super) tool: String,
    /// What of the agent's charter covers it.
    pub(super) covered: String,
}

impl Notice {
    pub(super) fn new(context: &HookContext, file: &str, tool: &str, covered: &str) -> Self {
        Self {
            version: VERSION,
            at: context.timestamp,
            by: short(&context.agent_name),
            file: short(file),
            tool: short(tool),
            covered: short(covered),
        }
    }

    fn read(left: &Left) -> Option<Self> {
        serde_json::from_slice(left.content()).ok().filter(|notice: &Self| notice.version == VERSION)
    }

    fn to_bytes(&self) -> Vec<u8> {
        // Text and numbers: there is nothing that JSON does not have.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// The queue of an agent.
fn of(team: &Team, agent: &Name) -> Result<Spool, TeamError> {
    // A name may be as long as a file's name, and something stands before it here.
    let short: String = Digest::of(agent.as_str().as_bytes()).to_string().chars().take(32).collect();
    let agent = if agent.as_str().len() > 80 { &short } else { agent.as_str() };
    let kind = format!("notices-{agent}");
    Ok(team.spool(&Name::new(&*kind).map_err(|reason| TeamError::Name { name: kind, reason })?))
}

/// Leaves a notice for `agent`.
pub(super) fn leave(team: &Team, agent: &Name, notice: &Notice) -> Result<(), TeamError> {
    of(team, agent)?.leave(notice.at, &notice.to_bytes())
}

/// Of more than `keep` notices for `agent`, the oldest go. Reads all of them.
pub(super) fn trim(team: &Team, agent: &Name, keep: usize) -> Result<(), TeamError> {
    let queue = of(team, agent)?;
    let all = queue.read()?;
    for oldest in all.iter().take(all.len().saturating_sub(keep.max(1))) {
        queue.take(oldest)?;
    }
    Ok(())
}

/// Takes all notices for `agent`, the oldest first. Each is given to one only.
pub(super) fn take(team: &Team, agent: &Name) -> Result<Vec<Notice>, TeamError> {
    let queue = of(team, agent)?;
    let mut taken = Vec::new();
    for left in queue.read()? {
        if let Some(notice) = Notice::read(&left)
            && queue.take(&left)?
        {
            taken.push(notice);
        }
    }
    if !taken.is_empty() {
        queue.settle()?;
    }
    Ok(taken)
}
