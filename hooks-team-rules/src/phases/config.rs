//! Configuration of phases, as plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Rules for the phases of a pipeline. The defaults are those of claude-forge.
///
/// ```
/// use hooks_team_rules::phases::{OnUncertain, PhasesConfig};
///
/// let config: PhasesConfig = serde_json::from_str(r#"{"read_only": ["analyse"], "unresolvable": "ask"}"#)?;
/// assert_eq!(config.unresolvable, OnUncertain::Ask);
/// assert_eq!(config.branches, ["main", "master"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PhasesConfig {
    /// Engine that judges.
    pub profile: PhasesProfile,
    /// State file, relative to the root of the session. One whole folder name may be `*`.
    pub state: String,
    /// Phases in which files are written only below the workspace of the pipeline; `*` is a wildcard.
    pub read_only: Vec<String>,
    /// Phases with parallel tasks, during which no commit is made.
    pub parallel: Vec<String>,
    /// Branches that are neither checked out nor moved while a pipeline is active.
    pub branches: Vec<String>,
    /// Phases that only a person completes.
    pub checkpoints: Vec<String>,
    /// Tools that complete a phase. A call about a checkpoint asks the user.
    pub completing_tools: Vec<String>,
    /// Tools that abandon a pipeline. Each call asks the user.
    pub abandoning_tools: Vec<String>,
    /// Last phase of a pipeline. A completed pipeline in another phase does not let the agent stop.
    pub last_phase: Option<String>,
    /// Files that the workspace of the newest completed pipeline must hold before the agent stops.
    pub artifacts: Vec<String>,
    /// Files of the workspace that belong into the final commit, besides the state file.
    pub final_files: Vec<String>,
    /// Words of the call of a script that reports the end of a pipeline; `*` is the workspace.
    pub finish_call: Vec<String>,
    /// Checks of the output of agents.
    pub output: OutputConfig,
    /// Reaction to a command that cannot be known before it runs.
    pub unresolvable: OnUncertain,
    /// Reaction to calls that a rule may be about while a state file cannot be read.
    pub unreadable: OnUncertain,
}

/// Engine that judges.
///
/// ```
/// use hooks_team_rules::phases::{PhasesConfig, PhasesProfile};
///
/// let config: PhasesConfig = serde_json::from_str(r#"{"profile": "claude-forge-compat"}"#)?;
/// assert_eq!(config.profile, PhasesProfile::ClaudeForgeCompat);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PhasesProfile {
    /// The policies of this crate.
    #[default]
    Strict,
    /// The hooks of claude-forge with all their faults; the other settings have no effect.
    ClaudeForgeCompat,
}

/// Reaction to what cannot be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnUncertain {
    /// Deny it (law 4).
    #[default]
    Deny,
    /// Ask the user.
    Ask,
    /// Have no opinion.
    Allow,
}

/// Checks of the output of agents while a pipeline is in progress.
///
/// ```
/// use hooks_team_rules::phases::{OnFault, OutputConfig};
///
/// let output: OutputConfig =
///     serde_json::from_str(r#"{"on_fault": "deny", "verdicts": {"review": ["ship", "hold"]}}"#)?;
/// assert_eq!(output.on_fault, OnFault::Deny);
/// assert_eq!(output.least_characters, 50);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OutputConfig {
    /// Reaction to an output that is too short, has no words, or lacks a verdict.
    pub on_fault: OnFault,
    /// Fewest characters of an output, without blanks around it.
    pub least_characters: usize,
    /// Verdicts of which the output of a phase must have one, as a word in any case.
    pub verdicts: BTreeMap<String, Vec<String>>,
}

/// Reaction to the output of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// Add a warning for the model that called the agent.
    #[default]
    Warn,
    /// Withhold the output, and let the agent go on once.
    Deny,
    /// Check nothing.
    Ignore,
}

impl Default for PhasesConfig {
    fn default() -> Self {
        Self {
            profile: PhasesProfile::default(),
            state: ".specs/*/state.json".to_owned(),
            read_only: texts(&["phase-1", "phase-2"]),
            parallel: texts(&["phase-5"]),
            branches: texts(&["main", "master"]),
            checkpoints: texts(&["checkpoint-*"]),
            completing_tools: texts(&["*phase_complete", "*pipeline_report_result", "*pipeline_next_action"]),
            abandoning_tools: texts(&["*__abandon", "abandon"]),
            last_phase: None,
            artifacts: Vec::new(),
            final_files: texts(&["summary.md"]),
            finish_call: texts(&["phase-complete", "*", "post-to-source"]),
            output: OutputConfig::default(),
            unresolvable: OnUncertain::default(),
            unreadable: OnUncertain::default(),
        }
    }
}

impl Default for OutputConfig {
    fn default() -> Self {
        let review = || texts(&["approve", "revise"]);
        let verdicts =
            [("phase-3b", review()), ("phase-4b", review()), ("phase-6", texts(&["pass", "fail"]))];
        Self {
            on_fault: OnFault::default(),
            least_characters: 50,
            verdicts: verdicts.into_iter().map(|(phase, words)| (phase.to_owned(), words)).collect(),
        }
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
