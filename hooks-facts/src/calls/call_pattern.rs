//! Pattern of calls: tools, agents, files and commands that a call has to have.

use hooks_core::PolicyErrors;
use serde::{Deserialize, Serialize};

use super::call::Call;
use super::command_patterns::{CommandMatch, command_patterns};
use super::path_patterns::PathPatterns;
use super::reader::CallReader;
use crate::commands::BlockedPattern;
use crate::names::NamePatterns;

/// Pattern of calls. A call matches if all given conditions match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CallPatternConfig {
    /// Names of tools, without regard to case; `mcp__*` with a star at the end is a prefix.
    pub tools: Vec<String>,
    /// Names of agents, without regard to case.
    pub agents: Vec<String>,
    /// Globs relative to the root. A call matches if one of its paths does.
    pub paths: Vec<String>,
    /// Globs relative to the root. A call matches if it may read such a file, by a tool or by a command.
    pub reads: Vec<String>,
    /// Command patterns, as in `command_guard`.
    pub commands: Vec<String>,
    /// Whether the call has to fail, or has to succeed; known only after it ran. Either if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
}

/// A compiled [`CallPatternConfig`].
///
/// A call may match although parts of it are unknown; rules that deny use [`may_match`](Self::may_match). It surely
/// matches if all of it is known and nothing else is in it; rules that permit use
/// [`surely_matches`](Self::surely_matches).
///
/// ```
/// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
/// use hooks_facts::calls::{CallPattern, CallPatternConfig, CallReader};
/// use serde_json::json;
///
/// let config: CallPatternConfig = serde_json::from_value(json!({"commands": ["cargo test"]}))?;
/// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
/// let pattern = CallPattern::compile(&config, "unless", &reader, &mut errors);
///
/// let matches = |command: &str| {
///     let call = PreToolUse::new("bash", json!({ "command": command }));
///     let request = HookRequest::new(HookContext::default(), call);
///     let call = reader.read(&request);
///     (pattern.may_match(call), pattern.surely_matches(call))
/// };
/// assert_eq!(matches("cargo test --workspace"), (true, true));
/// assert_eq!(matches("cargo test; echo done"), (true, false)); // another command may hide its end
/// assert_eq!(matches("cargo test &"), (true, false)); // its end is not waited for
/// assert_eq!(matches("$RUN"), (true, false));
/// assert_eq!(matches("ls"), (false, false));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CallPattern {
    tools: NamePatterns,
    agents: NamePatterns,
    paths: PathPatterns,
    reads: PathPatterns,
    commands: Vec<BlockedPattern>,
    failed: Option<bool>,
}

impl CallPattern {
    /// Compiles a pattern; each part that cannot be used is reported below `field`.
    pub fn compile(
        config: &CallPatternConfig,
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        let CallPatternConfig { tools, agents, paths, reads, commands, failed } = config;
        Self {
            tools: NamePatterns::prefixes(tools, &format!("{field}.tools"), errors),
            agents: NamePatterns::whole(agents, &format!("{field}.agents"), errors),
            paths: PathPatterns::compile(paths, &format!("{field}.paths"), reader, errors),
            reads: PathPatterns::compile(reads, &format!("{field}.reads"), reader, errors),
            commands: command_patterns(commands, &format!("{field}.commands"), errors),
            failed: *failed,
        }
    }

    /// Returns whether the pattern needs no result of a call.
    pub fn is_unconditional(&self) -> bool {
        self.failed.is_none()
    }

    /// Returns whether a result that failed, or did not, is one that the pattern asks for.
    pub fn fits_result(&self, failed: bool) -> bool {
        self.failed.is_none_or(|wanted| wanted == failed)
    }

    /// Returns whether a call matches apart from its result, or may match: an unknown part does.
    pub fn may_match(&self, call: Call<'_>) -> bool {
        self.names_match(call)
            && (self.commands.is_empty()
                || CommandMatch::any(&self.commands, call.commands()) != CommandMatch::Other)
            && (self.paths.is_empty() || self.paths.may_match(call))
            && (self.reads.is_empty() || call.reads().may_match(&self.reads, call))
    }

    /// Returns whether a call matches apart from its result, with each of its parts: no path and no command is unknown or
    /// another one. If it succeeds, each of its commands has done its work: none runs in the background, is negated, or only
    /// prints its help ([`Analysis::completes`](crate::commands::Analysis::completes)).
    pub fn surely_matches(&self, call: Call<'_>) -> bool {
        self.names_match(call)
            && self.reads.is_empty()
            && !call.runs_in_background()
            && (self.commands.is_empty()
                || CommandMatch::only(&self.commands, call.commands()) == CommandMatch::Same
                    && call.commands().found.iter().all(|command| command.analysis.completes(&self.commands)))
            && (self.paths.is_empty() || self.paths.match_all(call))
    }

    fn names_match(&self, call: Call<'_>) -> bool {
        let request = call.request();
        self.tools.match_name(&request.event().tool_name)
            && self.agents.match_name(&request.context().agent_name)
    }
}
