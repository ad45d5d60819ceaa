//! Notices in the queue of an agent.

use hooks_core::HookContext;
use hooks_core::time::Timestamp;
use hooks_team::folder::{Left, Spool};
use hooks_team::{Digest, Name, Team, TeamError};
use serde::{Deserialize, Serialize};

use crate::note::short;

/// Version of the format. Notices of another version stay in the queue for programs that know it.
const VERSION: u32 = 1;

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Notice {
    version: u32,
    pub(super) at: Timestamp,
    /// Agent that changed the file.
    pub(super) by: String,
    /// Path of the file, relative to the project.
    pub(super) file: String,
    /// Tool that changed the file.
    pub(super) tool: String,
    /// Word of the agent's charter that covers the file.
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
        // Encoding cannot fail: there are only texts and numbers.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Queue of an agent.
fn queue_for(team: &Team, agent: &Name) -> Result<Spool, TeamError> {
    // An agent's name may be as long as a file name, and here it gets a prefix.
    let short: String = Digest::hash(agent.as_str().as_bytes()).to_string().chars().take(32).collect();
    let agent = if agent.as_str().len() > 80 { &short } else { agent.as_str() };
    let kind = format!("notices-{agent}");
    Ok(team.spool(&Name::new(&*kind).map_err(|reason| TeamError::Name { name: kind, reason })?))
}

/// Leaves a notice for `agent`.
pub(super) fn leave(team: &Team, agent: &Name, notice: &Notice) -> Result<(), TeamError> {
    queue_for(team, agent)?.leave(notice.at, &notice.to_bytes())
}

/// Removes the oldest notices for `agent` beyond `keep`. Reads all of them.
pub(super) fn trim(team: &Team, agent: &Name, keep: usize) -> Result<(), TeamError> {
    let queue = queue_for(team, agent)?;
    let all = queue.read()?;
    for oldest in all.iter().take(all.len().saturating_sub(keep.max(1))) {
        queue.take(oldest)?;
    }
    Ok(())
}

/// Takes all notices for `agent`, the oldest first. Each notice is taken by one process only.
pub(super) fn take(team: &Team, agent: &Name) -> Result<Vec<Notice>, TeamError> {
    let queue = queue_for(team, agent)?;
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
