//! What a configuration file says about context: plain data.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auto::AutoSettings;
use crate::compaction::CompactionSettings;
use crate::session_end::SessionEndSettings;
use crate::source::team::Limits;

/// What a session, a turn and a child begin with. Budgets are in tokens; 0 gives nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextConfig {
    /// The team's folder, from the folder on that a session works in.
    pub team: PathBuf,
    /// What a session begins with, at most.
    pub session: u64,
    /// What a child begins with, at most.
    pub child: u64,
    /// What a turn begins with, at most.
    pub turn: u64,
    /// When what is not read yet is left out.
    #[serde(with = "hooks_core::duration")]
    #[schemars(with = "String")]
    pub deadline: Duration,
    /// So many entries of a history, the newest.
    pub history: usize,
    /// So many decisions, the most relevant.
    pub decisions: usize,
    /// So many skills, the most relevant.
    pub skills: usize,
    /// Further files that are given, whole.
    pub files: Vec<PathBuf>,
}

/// What survives a compaction. Budgets are in tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CompactionConfig {
    /// What is given verbatim beside the team's context, at most.
    pub keep: u64,
    /// How long a summary may be; none is given where it is 0.
    pub summary: u64,
    /// Commands with one of these words have their output kept.
    pub outputs: Vec<String>,
    /// A conversation is not compacted by itself while it fills less than so many hundredths of its window.
    pub not_below_percent: Option<u64>,
}

/// What is put away when a session is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionEndConfig {
    /// The team's folder, from the folder on that a session works in.
    pub team: PathBuf,
    /// Histories above so many bytes are archived, down to half of that; never where it is 0.
    pub history_above: u64,
    /// So many entries of a history stay in any case, the newest.
    pub keep: usize,
    /// Whether what a session used is written to `metrics/`.
    pub metrics: bool,
    /// Whether what a session was about is written to `log/`.
    pub recap: bool,
    /// So long after it began a session that nobody ended is taken for killed.
    #[serde(with = "hooks_core::duration")]
    #[schemars(with = "String")]
    pub abandoned_after: Duration,
}

/// Where teams are, unless told.
const TEAM: &str = ".squad";

impl ContextConfig {
    /// The bounds.
    pub fn settings(&self) -> AutoSettings {
        let Self { session, child, turn, deadline, .. } = *self;
        AutoSettings { session, child, turn, deadline }
    }

    /// How many entries.
    pub const fn limits(&self) -> Limits {
        Limits { history: self.history, decisions: self.decisions, skills: self.skills }
    }
}

impl CompactionConfig {
    /// The same as settings; a veto is a rule of its own.
    pub fn settings(&self) -> CompactionSettings {
        let Self { keep, summary, outputs, .. } = self.clone();
        CompactionSettings { keep, summary, outputs, ..CompactionSettings::default() }
    }
}

impl SessionEndConfig {
    /// The same as settings.
    pub fn settings(&self) -> SessionEndSettings {
        let Self { history_above, keep, metrics, recap, abandoned_after, .. } = *self;
        SessionEndSettings { history_above, keep, metrics, recap, abandoned_after }
    }
}

impl Default for ContextConfig {
    fn default() -> Self {
        let (AutoSettings { session, child, turn, deadline }, limits) =
            (AutoSettings::default(), Limits::default());
        let Limits { history, decisions, skills } = limits;
        let (team, files) = (TEAM.into(), Vec::new());
        Self { team, session, child, turn, deadline, history, decisions, skills, files }
    }
}

impl Default for CompactionConfig {
    fn default() -> Self {
        let CompactionSettings { keep, summary, outputs, .. } = CompactionSettings::default();
        Self { keep, summary, outputs, not_below_percent: None }
    }
}

impl Default for SessionEndConfig {
    fn default() -> Self {
        let SessionEndSettings { history_above, keep, metrics, recap, abandoned_after } =
            SessionEndSettings::default();
        Self { team: TEAM.into(), history_above, keep, metrics, recap, abandoned_after }
    }
}
