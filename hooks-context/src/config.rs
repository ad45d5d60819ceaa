//! Configuration of context features, as plain data.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auto::AutoSettings;
use crate::compaction::CompactionSettings;
use crate::model_choice::ModelChoiceConfig;
use crate::session_end::SessionEndSettings;
use crate::source::team::Limits;

/// Context that a session, a turn and a child begin with. Budgets are in tokens; 0 gives nothing.
///
/// ```
/// use std::time::Duration;
/// use hooks_context::config::ContextConfig;
/// use serde_json::json;
///
/// let config: ContextConfig = serde_json::from_value(json!({"turn": 0, "deadline": "1s", "files": ["NOTES.md"]}))?;
/// let settings = config.settings();
/// assert_eq!((settings.session, settings.turn), (4_000, 0)); // turns get nothing
/// assert_eq!(settings.deadline, Duration::from_secs(1));
/// assert_eq!(config.limits().history, 20);
///
/// let misspelt = serde_json::from_value::<ContextConfig>(json!({"turns": 0}));
/// assert!(misspelt.expect_err("an unknown field").to_string().starts_with("unknown field `turns`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextConfig {
    /// Team folder, relative to the folder of the session.
    pub team: PathBuf,
    /// Budget at the start of a session.
    pub session: u64,
    /// Budget at the start of a child.
    pub child: u64,
    /// Budget at the start of a turn.
    pub turn: u64,
    /// Time after which sources that are not read yet are left out.
    #[serde(with = "hooks_core::duration")]
    #[schemars(with = "String")]
    pub deadline: Duration,
    /// The most entries of a history; the newest are given.
    pub history: usize,
    /// The most decisions; the most relevant are given.
    pub decisions: usize,
    /// The most skills; the most relevant are given.
    pub skills: usize,
    /// Further files that are given whole.
    pub files: Vec<PathBuf>,
    /// Models that sessions and children begin with.
    pub model: Option<ModelChoiceConfig>,
}

/// Texts that survive a compaction. Budgets are in tokens.
///
/// ```
/// use hooks_context::compaction::CompactionSettings;
/// use hooks_context::config::CompactionConfig;
///
/// assert_eq!(CompactionConfig::default().settings(), CompactionSettings::default());
/// let config: CompactionConfig = serde_json::from_str(r#"{"outputs": ["cargo test"], "summary": 0}"#)?;
/// assert_eq!(config.settings().outputs, ["cargo test"]);
/// assert_eq!(config.not_below_percent, None); // no veto
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CompactionConfig {
    /// Budget of the texts that are kept verbatim, in addition to the team's context.
    pub keep: u64,
    /// Budget of a summary; 0 gives no summary.
    pub summary: u64,
    /// Texts that select commands: the output of a command that contains one of them is kept.
    pub outputs: Vec<String>,
    /// Least percentage of the window that a conversation has to fill before it is compacted automatically.
    pub not_below_percent: Option<u64>,
}

/// Work at the end of a session.
///
/// ```
/// use std::time::Duration;
/// use hooks_context::config::SessionEndConfig;
///
/// let config: SessionEndConfig = serde_json::from_str(r#"{"recap": false, "abandoned_after": "12h"}"#)?;
/// let settings = config.settings();
/// assert!(settings.metrics && !settings.recap);
/// assert_eq!(settings.abandoned_after, Duration::from_secs(12 * 3_600));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionEndConfig {
    /// Team folder, relative to the folder of the session.
    pub team: PathBuf,
    /// Size in bytes above which a history is archived, down to half of that size; 0 disables archiving.
    pub history_above: u64,
    /// Number of the newest entries of a history that are never archived.
    pub keep: usize,
    /// Whether the usage of a session is written to `metrics/`.
    pub metrics: bool,
    /// Whether a recap of a session is written to `log/`.
    pub recap: bool,
    /// Time after its start when a session without an end counts as killed.
    #[serde(with = "hooks_core::duration")]
    #[schemars(with = "String")]
    pub abandoned_after: Duration,
    /// Source of work that is still open.
    pub open_work: Option<OpenWorkConfig>,
}

/// Source of work that is still open at the end of a session: a command or a file.
///
/// ```
/// use hooks_context::config::SessionEndConfig;
///
/// let config: SessionEndConfig = serde_json::from_str(r#"{"open_work": {"command": "gh issue list"}}"#)?;
/// let work = config.open_work.ok_or("it is set")?;
/// assert_eq!((work.command.as_deref(), work.most), (Some("gh issue list"), 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpenWorkConfig {
    /// Name of the source in the files.
    pub name: Option<String>,
    /// Shell line whose output has one item on each line. It runs in the folder of the project.
    pub command: Option<String>,
    /// Markdown file whose open tasks (`- [ ]`) are the items, relative to the folder of the project.
    pub file: Option<PathBuf>,
    /// The most items; the number of further ones is written.
    pub most: usize,
}

impl Default for OpenWorkConfig {
    fn default() -> Self {
        Self { name: None, command: None, file: None, most: 20 }
    }
}

/// Default team folder.
const TEAM: &str = ".squad";

impl ContextConfig {
    /// Returns the limits of the automatic context.
    ///
    /// ```
    /// use hooks_context::config::ContextConfig;
    ///
    /// let config = ContextConfig { turn: 200, ..ContextConfig::default() };
    /// assert_eq!(config.settings().turn, 200);
    /// ```
    pub fn settings(&self) -> AutoSettings {
        let Self { session, child, turn, deadline, .. } = *self;
        AutoSettings { session, child, turn, deadline }
    }

    /// Returns the most entries of each part.
    ///
    /// ```
    /// use hooks_context::config::ContextConfig;
    ///
    /// let config = ContextConfig { decisions: 50, ..ContextConfig::default() };
    /// assert_eq!(config.limits().decisions, 50);
    /// ```
    pub const fn limits(&self) -> Limits {
        Limits { history: self.history, decisions: self.decisions, skills: self.skills }
    }
}

impl CompactionConfig {
    /// Returns the settings; the veto is a separate rule.
    ///
    /// ```
    /// use hooks_context::config::CompactionConfig;
    ///
    /// let config = CompactionConfig { keep: 500, ..CompactionConfig::default() };
    /// assert_eq!(config.settings().keep, 500);
    /// ```
    pub fn settings(&self) -> CompactionSettings {
        let Self { keep, summary, outputs, .. } = self.clone();
        CompactionSettings { keep, summary, outputs, ..CompactionSettings::default() }
    }
}

impl SessionEndConfig {
    /// Returns the settings of the work at a session's end.
    ///
    /// ```
    /// use hooks_context::config::SessionEndConfig;
    ///
    /// let config = SessionEndConfig { keep: 5, ..SessionEndConfig::default() };
    /// assert_eq!(config.settings().keep, 5);
    /// ```
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
        let (team, files, model) = (TEAM.into(), Vec::new(), None);
        Self { team, session, child, turn, deadline, history, decisions, skills, files, model }
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
        Self { team: TEAM.into(), history_above, keep, metrics, recap, abandoned_after, open_work: None }
    }
}
