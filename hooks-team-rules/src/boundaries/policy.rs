//! Policy that enforces boundaries.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, Policy, PolicyErrors, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader};
use hooks_facts::tools::ToolKind;
use hooks_team::TeamPlace;

use super::NAME;
use super::boundary::Boundary;
use super::charters::Charters;
use super::config::{BoundariesConfig, Others};
use crate::agents::ByAgent;
use crate::team_files::TeamFiles;

/// Files of a team folder that decide which boundary an agent has.
const OWN_FILES: [&str; 3] = ["agents/*/charter.md", "routing.md", "team.md"];

/// Denies writes and reads outside of the boundary of the agent; see the [module](super) for examples.
#[derive(Clone, Debug)]
pub struct Boundaries {
    reader: CallReader,
    agents: ByAgent<Boundary>,
    charters: Option<Arc<Charters>>,
    own_files: TeamFiles,
    others: Others,
}

/// Boundaries in front of an inner hook.
pub type BoundariesLayer = PolicyLayer<Arc<Boundaries>>;

impl Boundaries {
    /// Enforces the boundaries of the configuration. Those in charters apply too
    /// [`with_team`](Self::with_team).
    ///
    /// # Errors
    /// Returns an error for each agent without a name or a limit, and for each pattern that cannot be used.
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_team_rules::Boundaries;
    /// use hooks_team_rules::boundaries::BoundariesConfig;
    /// use serde_json::json;
    ///
    /// let config: BoundariesConfig = serde_json::from_value(json!({"agents": {"backend": {}}}))?;
    /// let errors = Boundaries::new(&config, &CallReader::default()).expect_err("it limits nothing");
    /// assert_eq!(errors.as_slice()[0].field, "boundaries.agents.backend");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(config: &BoundariesConfig, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let policy = Self::compile(config, reader, &mut errors);
        errors.or(policy)
    }

    /// Enforces the boundaries of the configuration. Mistakes are reported; the policy must not be used then.
    pub fn compile(config: &BoundariesConfig, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let agents =
            ByAgent::compile(&config.agents, "boundaries.agents", errors, |field, config, errors| {
                Boundary::of_config(field, config, reader, errors)
            });
        Self {
            reader: reader.clone(),
            agents,
            charters: None,
            own_files: TeamFiles::new(&config.team, &OWN_FILES, reader),
            others: config.others,
        }
    }

    /// Enforces the boundaries in the charters of the session's team too. The charter of the agent is read at each call that
    /// writes, on the thread of the caller.
    #[must_use]
    pub fn with_team(self, team: impl Into<TeamPlace>) -> Self {
        Self { charters: Some(Arc::new(Charters::new(team.into()))), ..self }
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> BoundariesLayer {
        PolicyLayer::new(Arc::new(self))
    }

    fn objection(&self, call: Call<'_>, boundaries: &[&Boundary]) -> Option<Reason> {
        let (may_write, may_read) = (may_write(call), may_read(call));
        if boundaries.is_empty() {
            return (may_write && self.others == Others::Deny).then(|| stranger(call)).flatten();
        }
        let writes = || {
            let first = self.own_files.objection(call, |file, pattern| own_boundary(call, file, pattern));
            first.or_else(|| boundaries.iter().find_map(|boundary| boundary.objection_to_writes(call)))
        };
        let reads = || {
            let limiting = boundaries.iter().filter(|boundary| boundary.limits_reads());
            limiting.into_iter().find_map(|boundary| boundary.objection_to_reads(call))
        };
        may_write.then(writes).flatten().or_else(|| may_read.then(reads).flatten())
    }
}

impl Policy<PreToolUse> for Boundaries {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let (context, call) = (request.context(), self.reader.read(request));
        if !may_write(call) && !may_read(call) {
            return Verdict::NO_OPINION;
        }
        let of_charter = self.charters.as_ref().map(|charters| charters.of_agent(context, &self.reader));
        let of_config = self.agents.get(&context.agent_name);
        let boundaries: Vec<_> =
            of_config.into_iter().chain(of_charter.iter().flat_map(|all| all.iter())).collect();
        self.objection(call, &boundaries).map_or(Verdict::NO_OPINION, Verdict::deny)
    }
}

/// Returns the denial of a change of a file that decides what the agent may write.
fn own_boundary(call: Call<'_>, file: &str, pattern: &str) -> Reason {
    let agent = &call.request().context().agent_name;
    let message = format!("{file} decides what `{agent}` may write (`{pattern}`)");
    let reason = Reason::new(NAME, "own-boundary", message);
    reason.instead("a person or an agent without a boundary has to change it")
}

/// Returns whether a call writes, or may write.
fn may_write(call: Call<'_>) -> bool {
    call.writes_files()
        || call.kind().runs_commands()
        || (call.kind() == ToolKind::Unknown && !call.commands().found.is_empty())
}

/// Returns whether a call reads files that the facts may know.
fn may_read(call: Call<'_>) -> bool {
    matches!(call.kind(), ToolKind::Read | ToolKind::CopyFile | ToolKind::Unknown)
        || call.kind().runs_commands()
}

/// Returns the reason to deny a write of an agent without a boundary, if the call writes.
fn stranger(call: Call<'_>) -> Option<Reason> {
    let (places, commands) = (call.places(), call.commands());
    let is_written = |written: &hooks_facts::calls::NamedPaths| {
        written.found.iter().chain(&written.partial).any(hooks_facts::calls::NamedPath::is_written)
    };
    let is_unknown = !places.unusable.is_empty()
        || !places.unknown.is_empty()
        || !commands.unusable.is_empty()
        || commands.found.iter().any(|command| !command.analysis.unresolved.is_empty());
    if !(call.writes_files() || is_unknown || is_written(places) || is_written(&call.places_of_commands())) {
        return None;
    }
    let agent = &call.request().context().agent_name;
    let who =
        if agent.trim().is_empty() { "an agent without a name".to_owned() } else { format!("`{agent}`") };
    let reason =
        Reason::new(NAME, "others", format!("{who} has no boundary, and agents without one write no files"));
    let reason = reason.instead("have an agent with a boundary write it");
    Some(reason.unless("give the agent a boundary in its charter or in `boundaries.agents`"))
}
