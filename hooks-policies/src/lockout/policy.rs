//! Policy that enforces the registry.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{Evidence, HookRequest, Policy, PolicyLayer, Reason, Verdict};
use hooks_facts::calls::{Call, CallReader, NamedPath};

use super::registry::{AgentLockouts, Lockout, LockoutRegistry};
use crate::config::{AllLocked, LockoutConfig};

const NAME: &str = "reviewer-lockout";

/// Denies writes to artifacts that the agent is locked out of; see the [module](super) for an example.
#[derive(Clone, Debug)]
pub struct ReviewerLockout {
    reader: CallReader,
    registry: Arc<LockoutRegistry>,
    ignored_arguments: Vec<String>,
    team: Vec<String>,
    when_all_locked: AllLocked,
}

/// Reviewer lockout in front of an inner hook.
pub type ReviewerLockoutLayer = PolicyLayer<Arc<ReviewerLockout>>;

impl ReviewerLockout {
    /// Enforces `registry` and adds the lockouts of the configuration to it.
    pub fn new(config: &LockoutConfig, registry: Arc<LockoutRegistry>, reader: &CallReader) -> Self {
        for (artifact, agents) in &config.locked {
            for agent in agents {
                registry.lock(Lockout::new(artifact, agent).by("configuration"));
            }
        }
        let (ignored_arguments, team) = (config.ignored_arguments.clone(), config.team.clone());
        Self {
            reader: reader.clone(),
            registry,
            ignored_arguments,
            team,
            when_all_locked: config.when_all_locked,
        }
    }

    /// Wraps the policy in a layer.
    pub fn layer(self) -> ReviewerLockoutLayer {
        PolicyLayer::new(Arc::new(self))
    }

    fn objection(&self, call: Call<'_>, place: &NamedPath, locked: &AgentLockouts) -> Option<Verdict> {
        let agent = &call.request().context().agent_name;
        let Some(known) = place.known(call) else {
            let artifact = locked.first().map_or("", |lockout| &lockout.artifact);
            let message =
                format!("`{agent}` is locked out of `{artifact}`, and `{}` may be that file", place.given);
            let reason = Reason::new(NAME, "path", message).on(&*place.pointer);
            return Some(Verdict::deny(reason.instead("write the path relative to the root")));
        };
        let found = self.registry.artifacts(locked).find(call, place, &known)?;
        let lockout = locked.named(found.artifact).or(locked.first())?;
        let message = format!("{} {}", place.described(&found.reading), refused(agent, lockout));
        let evidence = Evidence::Path { given: place.given.clone(), resolved: found.reading };
        if self.is_everyone_locked_out(call, place) {
            let message = format!("{message}; everyone in the team is, so a person has to decide");
            let reason = Reason::new(NAME, "all-locked-out", message).on(&*place.pointer).because(evidence);
            let reason = reason.unless("have a person clear the lockout, or add an agent to the team");
            return Some(match self.when_all_locked {
                AllLocked::Ask => Verdict::ask(reason),
                AllLocked::Deny => Verdict::deny(reason),
            });
        }
        let reason = Reason::new(NAME, "locked-out", message).on(&*place.pointer).because(evidence);
        Some(Verdict::deny(
            reason.instead("have another agent write it").unless("have a reviewer clear the lockout"),
        ))
    }

    /// Returns whether all agents of the team are locked out of this place.
    fn is_everyone_locked_out(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let now = || call.request().context().environment.clock.now();
        let Some(known) = place.known(call) else { return false };
        let is_locked_out = |agent: &String| {
            let locked = self.registry.lockouts_for(agent, now);
            locked.is_some_and(|locked| self.registry.artifacts(&locked).find(call, place, &known).is_some())
        };
        !self.team.is_empty() && self.team.iter().all(is_locked_out)
    }

    fn is_ignored(&self, pointer: &str) -> bool {
        if self.ignored_arguments.is_empty() {
            return false;
        }
        let key = pointer.rsplit('/').find(|key| key.parse::<usize>().is_err());
        key.is_some_and(|key| self.ignored_arguments.iter().any(|ignored| ignored == key))
    }
}

impl Policy<PreToolUse> for ReviewerLockout {
    fn name(&self) -> &'static str {
        NAME
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        let now = || request.context().environment.clock.now();
        let Some(locked) = self.registry.lockouts_for(&request.context().agent_name, now) else {
            return Verdict::NO_OPINION;
        };
        let call = self.reader.read(request);
        if !(call.writes_files() || call.kind().runs_commands()) {
            return Verdict::NO_OPINION;
        }
        let places = call.places();
        if let Some(pointer) = places.unusable.first().or(places.unknown.first()) {
            let message =
                "an agent that is locked out of files writes to one that is not known before it runs";
            let reason = Reason::new(NAME, "unknown-path", message).on(&**pointer);
            return Verdict::deny(reason.instead("write the path out"));
        }
        let places = places.found.iter().chain(&places.partial);
        let written = places
            .filter(|place| place.is_written() && !place.is_nameless && !self.is_ignored(&place.pointer));
        // A denial for one place is stronger than a question about another.
        let objections = written.filter_map(|place| self.objection(call, place, &locked));
        let stronger =
            |one: Verdict, other: Verdict| if other.strength() > one.strength() { other } else { one };
        objections.reduce(stronger).unwrap_or(Verdict::NO_OPINION)
    }
}

fn refused(agent: &str, lockout: &Lockout) -> String {
    let by = lockout.by.as_ref().map(|by| format!(" by `{by}`")).unwrap_or_default();
    let why = lockout.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let since = lockout.since.map(|since| format!(" since {since}")).unwrap_or_default();
    format!("belongs to `{}`, which `{agent}` is locked out of{by}{since}{why}", lockout.artifact)
}
