//! Records of sessions that are open or being closed.

use hooks_core::HookContext;
use hooks_core::event::SessionEnd;
use hooks_core::time::Timestamp;
use hooks_team::folder::TeamPath;
use hooks_team::{Digest, Name, TeamError};
use serde::{Deserialize, Serialize};

use super::Counts;

/// Record of a session that has started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    pub(super) session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tenant: Option<String>,
    pub(super) agent: String,
    pub(super) since: Timestamp,
}

/// Record of a session that has ended, with the data needed to close it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ended {
    /// Key that is unique for this end of the session.
    pub(super) key: String,
    pub(super) session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tenant: Option<String>,
    pub(super) agent: String,
    /// Start of the session, if known.
    pub(super) since: Option<Timestamp>,
    pub(super) at: Timestamp,
    pub(super) end: SessionEnd,
    pub(super) counts: Counts,
    /// Whether `counts` includes those that the store keeps.
    #[serde(default)]
    pub(super) is_counted: bool,
    pub(super) work: Option<Work>,
}

/// Work that is still open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Work {
    pub(super) source: String,
    pub(super) items: Vec<String>,
}

impl Opened {
    pub(super) fn new(context: &HookContext, now: Timestamp) -> Self {
        let (session, agent) = (context.session_id.clone(), context.agent_name.clone());
        Self { session, tenant: context.tenant.clone(), agent, since: now }
    }

    /// Returns the file of the record while the session is open.
    pub(super) fn place(&self) -> Result<TeamPath, TeamError> {
        opened_place(self.tenant.as_deref(), &self.session)
    }
}

impl Ended {
    pub(super) fn new(
        context: &HookContext,
        opened: Option<&Opened>,
        end: SessionEnd,
        at: Timestamp,
        counts: Counts,
    ) -> Self {
        // The same end reported twice has the same key. Without a record of the start, the contents of the
        // end event make the key.
        let told = match opened {
            Some(opened) => opened.since.to_string(),
            None => serde_json::to_string(&end).unwrap_or_default(),
        };
        Self {
            key: short(&format!("{}\0{told}", whose(context.tenant.as_deref(), &context.session_id))),
            session: context.session_id.clone(),
            tenant: context.tenant.clone(),
            agent: context.agent_name.clone(),
            since: opened.map(|opened| opened.since),
            at,
            end,
            counts,
            is_counted: false,
            work: None,
        }
    }

    /// Returns a context of the session.
    pub(super) fn context(&self) -> HookContext {
        let mut context = HookContext::new(self.session.clone(), self.agent.clone());
        context.tenant = self.tenant.clone();
        context
    }

    /// Returns the file of the record that was written at the start of the session.
    pub(super) fn opened_place(&self) -> Result<TeamPath, TeamError> {
        opened_place(self.tenant.as_deref(), &self.session)
    }

    /// Returns the file of the record until the session is closed.
    pub(super) fn place(&self) -> Result<TeamPath, TeamError> {
        Ok(ended_folder()?.join(&name(&format!("{}.json", self.key))?))
    }

    /// Returns the file of the metrics. Two ends of a session have two files.
    pub(super) fn metrics_place(&self) -> Result<TeamPath, TeamError> {
        Ok(TeamPath::new("metrics")?.join(&name(&format!("{}.json", self.key))?))
    }

    /// Returns the file of the recap.
    pub(super) fn recap_place(&self) -> Result<TeamPath, TeamError> {
        let time: String = self.at.to_string().chars().take(19).collect();
        let time = time.replace(':', "-");
        let words = self.session.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let session: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(40).collect();
        let apart = if session.is_empty() { "" } else { "-" };
        let key: String = self.key.chars().take(8).collect();
        Ok(TeamPath::new("log")?.join(&name(&format!("{time}Z-session{apart}{session}-{key}.md"))?))
    }
}

fn opened_place(tenant: Option<&str>, session: &str) -> Result<TeamPath, TeamError> {
    Ok(open_folder()?.join(&name(&format!("{}.json", short(&whose(tenant, session))))?))
}

/// Returns a text that identifies a session among those of all tenants.
fn whose(tenant: Option<&str>, session: &str) -> String {
    tenant.map_or_else(|| session.to_owned(), |tenant| format!("{tenant}\0{session}"))
}

/// Folder of the records of open sessions.
pub(super) fn open_folder() -> Result<TeamPath, TeamError> {
    Ok(TeamPath::own(&name("open")?))
}

/// Folder of the records of sessions that ended and are not closed.
pub(super) fn ended_folder() -> Result<TeamPath, TeamError> {
    Ok(TeamPath::own(&name("ended")?))
}

pub(super) fn name(text: &str) -> Result<Name, TeamError> {
    Name::new(text).map_err(|reason| TeamError::Name { name: text.to_owned(), reason })
}

/// Shortens `text` to a digest of few characters that every file system accepts.
fn short(text: &str) -> String {
    Digest::hash(text.as_bytes()).to_string().chars().take(32).collect()
}
