//! Policy that closes tools while a ceremony is held.

use std::collections::BTreeSet;
use std::sync::Arc;

use hooks_core::event::{PostToolUse, PreToolUse, Route, SubagentStart};
use hooks_core::{
    Event, EventKind, HookContext, HookRequest, Observer, Policy, PolicyErrors, PolicyLayer, Reason, Verdict,
};
use hooks_facts::calls::{Call, CallReader};
use hooks_team::HeldCeremony;

use super::config::{CeremoniesConfig, Closed};
use super::effect;
use super::held::HeldCeremonies;
use crate::agents::is_like;
use crate::team_files::TeamFiles;

const NAME: &str = "ceremonies";

/// File of a team folder with the ceremonies that are held.
const STATE: [&str; 2] = [".hooks", ".hooks/**"];

/// Denies calls that a ceremony closes for its participants; see the [module](super) for examples.
///
/// As an observer of results, it starts and ends ceremonies after the tools that the gates name.
#[derive(Clone, Debug)]
pub struct CeremonyGates {
    reader: CallReader,
    held: HeldCeremonies,
    state: TeamFiles,
    /// Everything that some ceremony closes.
    any: BTreeSet<Closed>,
}

/// Gates in front of an inner hook.
pub type CeremonyGatesLayer = PolicyLayer<Arc<CeremonyGates>>;

impl CeremonyGates {
    /// Creates gates for the ceremonies of `held`.
    ///
    /// # Errors
    /// Returns an error for each gate that closes nothing, has no name or no time.
    ///
    /// ```
    /// use hooks_facts::calls::CallReader;
    /// use hooks_team_rules::CeremonyGates;
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let mut config = CeremoniesConfig::default();
    /// config.gate_mut("Retrospective").closes = Some(Default::default());
    /// let errors = CeremonyGates::new(HeldCeremonies::new(config), &CallReader::default()).expect_err("it closes nothing");
    /// assert_eq!(errors.as_slice()[0].field, "ceremonies.gates.Retrospective");
    /// ```
    pub fn new(held: HeldCeremonies, reader: &CallReader) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let gates = Self::compile(held, reader, &mut errors);
        errors.or(gates)
    }

    /// Creates gates for the ceremonies of `held`. Mistakes are reported; the gates must not be used then.
    pub fn compile(held: HeldCeremonies, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let config = held.config();
        check(config, errors);
        let of_gates = config.gates.values().flat_map(|gate| gate.closes.iter().flatten());
        let any = config.closes.iter().chain(of_gates).copied().collect();
        let state = TeamFiles::new(&config.team, &STATE, reader);
        Self { reader: reader.clone(), state, any, held }
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> CeremonyGatesLayer {
        PolicyLayer::new(Arc::new(self))
    }

    /// Returns the handle with which a host starts and ends ceremonies.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_facts::calls::CallReader;
    /// use hooks_team_rules::CeremonyGates;
    /// use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
    ///
    /// let gates = CeremonyGates::new(HeldCeremonies::new(CeremoniesConfig::default()), &CallReader::default())?;
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("session-1", "lead").in_dir("/repo").with_environment(environment);
    /// gates.held().start(&context, "Design Review", "the host")?;
    /// assert_eq!(gates.held().active(&context)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn held(&self) -> &HeldCeremonies {
        &self.held
    }

    fn config(&self) -> &CeremoniesConfig {
        self.held.config()
    }

    fn closes<'a>(&'a self, ceremony: &str) -> &'a BTreeSet<Closed> {
        let gate = self.config().gate(ceremony).and_then(|gate| gate.closes.as_ref());
        gate.unwrap_or(&self.config().closes)
    }

    /// Returns the verdict of the ceremonies that the session's agent takes part in. `is_closed` returns a description of
    /// the tools that the event is about, if a ceremony with this name and list closes them.
    fn verdict(
        &self,
        context: &HookContext,
        is_closed: impl Fn(&str, &BTreeSet<Closed>) -> Option<String>,
    ) -> Verdict {
        let held = match self.held.active(context) {
            Ok(held) => held,
            // Each ceremony may be held, so the state closes what any of them does.
            Err(error) => {
                let mut names = self.config().gates.keys().map(String::as_str).chain([""]);
                let Some(what) = names.find_map(|name| is_closed(name, &self.any)) else {
                    return Verdict::NO_OPINION;
                };
                let message =
                    format!("the ceremonies that are held cannot be read, so {what} are closed: {error}");
                let reason = Reason::new(NAME, "state", message);
                return Verdict::deny(reason.instead("have a person repair the team's folder"));
            }
        };
        let taking_part = held.iter().filter(|held| held.participants.have(&context.agent_name));
        let mut verdict = Verdict::NO_OPINION;
        for ceremony in taking_part {
            if let Some(what) = is_closed(&ceremony.name, self.closes(&ceremony.name)) {
                verdict.merge(Verdict::deny(closed(ceremony, &what)));
            }
        }
        verdict
    }

    /// Returns the tools of a call that a ceremony closes, in words.
    fn closed_in(&self, call: Call<'_>, ceremony: &str, closes: &BTreeSet<Closed>) -> Option<String> {
        let tool = &call.request().event().tool_name;
        let named =
            self.config().gate(ceremony).filter(|gate| gate.tools.iter().any(|name| is_like(name, tool)));
        if named.is_some() {
            return Some(format!("calls of `{tool}`"));
        }
        let found = closes.iter().find(|closed| effect::is_one_of(call, **closed))?;
        Some(found.words().to_owned())
    }

    fn may_be_closed(&self, call: Call<'_>) -> bool {
        let tool = &call.request().event().tool_name;
        let is_named = || {
            let mut tools = self.config().gates.values().flat_map(|gate| &gate.tools);
            tools.any(|name| is_like(name, tool))
        };
        self.any.iter().any(|closed| effect::is_one_of(call, *closed)) || is_named()
    }
}

impl Policy<PreToolUse> for CeremonyGates {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let call = self.reader.read(request);
        if let Some(reason) = self.state.objection(call, own_state) {
            return Verdict::deny(reason);
        }
        if !self.may_be_closed(call) {
            return Verdict::NO_OPINION;
        }
        self.verdict(request.context(), |ceremony, closes| self.closed_in(call, ceremony, closes))
    }
}

impl Policy<SubagentStart> for CeremonyGates {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<SubagentStart>) -> Verdict {
        self.closed_event(request, Closed::Spawns)
    }
}

impl Policy<Route> for CeremonyGates {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<Route>) -> Verdict {
        self.closed_event(request, Closed::Routes)
    }
}

impl CeremonyGates {
    fn closed_event<E: Event>(&self, request: &HookRequest<E>, closed: Closed) -> Verdict {
        if !self.any.contains(&closed) {
            return Verdict::NO_OPINION;
        }
        self.verdict(request.context(), |_, closes| {
            closes.contains(&closed).then(|| closed.words().to_owned())
        })
    }
}

impl Observer<PostToolUse> for CeremonyGates {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<PostToolUse>, _outcome: &<PostToolUse as Event>::Outcome) {
        let (context, event) = (request.context(), request.event());
        if event.error.is_some() {
            return;
        }
        let is_one = |names: &[String]| names.iter().any(|name| is_like(name, &event.tool_name));
        for (name, gate) in &self.config().gates {
            let done = if is_one(&gate.started_by) {
                self.held.start(context, name, &format!("`{}`", event.tool_name)).map(|_| true)
            } else if is_one(&gate.ended_by) {
                self.end_by(context, name)
            } else {
                continue;
            };
            if let Err(error) = done {
                let reason = Reason::failure(NAME, &error);
                context.environment.failures.record(context, EventKind::PostToolUse, &reason);
            }
        }
    }
}

impl CeremonyGates {
    /// Ends a ceremony for an agent that does not take part in it.
    fn end_by(&self, context: &HookContext, name: &str) -> Result<bool, hooks_team::TeamError> {
        let held = self.held.active(context)?;
        let held = held.iter().find(|held| held.is_called(name));
        match held.is_some_and(|held| !held.participants.have(&context.agent_name)) {
            true => self.held.end(context, name),
            false => Ok(false),
        }
    }
}

/// Returns the denial of a call that a ceremony closes.
fn closed(ceremony: &HeldCeremony, what: &str) -> Reason {
    let HeldCeremony { name, until, .. } = ceremony;
    let message =
        format!("the ceremony `{name}` is held until {until}, and closes {what} for those who take part");
    let reason = Reason::new(NAME, name.clone(), message);
    let reason = reason.instead("describe what you would do, and do it when the ceremony has ended");
    reason.unless(format!("have a person end it: `hooks ceremony end '{name}'`"))
}

fn own_state(file: &str, _pattern: &str) -> Reason {
    let message = format!("{file} has the ceremonies that are held, which no agent starts or ends there");
    Reason::new(NAME, "own-state", message).instead("a person starts and ends them with `hooks ceremony`")
}

/// Reports the mistakes of a configuration.
fn check(config: &CeremoniesConfig, errors: &mut PolicyErrors) {
    for (field, time) in [("focused", config.focused), ("extended", config.extended)] {
        if time.is_zero() {
            errors.push(format!("ceremonies.{field}"), "a ceremony would end at once", "write some minutes");
        }
    }
    let mut names: Vec<&String> = Vec::new();
    for (name, gate) in &config.gates {
        let field = format!("ceremonies.gates.{name}");
        if name.trim().is_empty() {
            errors.push(field.as_str(), "the name is empty", "write the name of a ceremony");
        } else if names.iter().any(|other| crate::agents::is_same(other, name)) {
            errors.push(field.as_str(), "it is another spelling of a ceremony above", "join the two");
        }
        names.push(name);
        let closes = gate.closes.as_ref().unwrap_or(&config.closes);
        if closes.is_empty() && gate.tools.is_empty() {
            errors.push(field.as_str(), "it closes nothing", "list something in `closes`, or leave it out");
        }
        if gate.time.is_some_and(|time| time.is_zero()) {
            errors.push(format!("{field}.time"), "the ceremony would end at once", "write some minutes");
        }
        for (list, names) in [
            ("tools", &gate.tools),
            ("participants", &gate.participants),
            ("started_by", &gate.started_by),
            ("ended_by", &gate.ended_by),
        ] {
            for (index, _) in names.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
                errors.push(
                    format!("{field}.{list}[{index}]"),
                    "the name is empty",
                    "write a name, or leave it out",
                );
            }
        }
    }
}
