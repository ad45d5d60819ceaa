//! What is done with a message, one step after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::event::{PromptKind, UserPromptSubmitted};
use hooks_core::{
    ContextNote, ContextPatch, Directive, HookContext, HookError, HookRequest, Lifetime, Reason,
};
use hooks_team::{Digest, Team, TeamError};

use super::inbox::{Capture, Kept, capture};
use super::{Enforces, PromptConfig, Wishes, address, conventions};
use crate::TeamPlace;
use crate::builtins::Redact;
use crate::directive::{Detected, detect};

/// How many sessions are remembered, to tell them nothing twice.
const SESSIONS: usize = 1_024;

/// The name that notes and failures have.
const SOURCE: &str = "prompts";

pub(super) struct Prompts {
    pub(super) config: PromptConfig,
    pub(super) redact: Option<Arc<dyn Redact>>,
    pub(super) enforces: Option<Arc<dyn Enforces>>,
    team: TeamPlace,
    /// What each session was told last.
    told: Mutex<HashMap<String, Digest>>,
}

impl Prompts {
    pub(super) fn new(config: PromptConfig, team: TeamPlace) -> Self {
        Self { config, redact: None, enforces: None, team, told: Mutex::default() }
    }

    /// The same, with nothing told to anybody yet.
    pub(super) fn afresh(&self) -> Self {
        let fresh = Self::new(self.config.clone(), self.team.clone());
        Self { redact: self.redact.clone(), enforces: self.enforces.clone(), ..fresh }
    }

    /// Rewrites the message of `request` where that is asked for, and says what is in it and belongs to it.
    ///
    /// # Errors
    /// Secrets are to be taken out, and nothing was given that does: then the message must not go on.
    pub(super) fn read(
        &self,
        request: &mut HookRequest<UserPromptSubmitted>,
    ) -> Result<ContextPatch, HookError> {
        let mut patch = ContextPatch::default();
        let said = self.rewrite(request, &mut patch)?;
        let context = Arc::clone(request.context());
        let team = self.team.team(&context);
        self.wishes(&context, team.as_ref(), &said, &mut patch);
        if self.config.routing_hints
            && let Some(team) = &team
        {
            self.hint(&context, team, &said, &mut patch);
        }
        self.tell(&context, team.as_ref(), request.event().kind, &mut patch);
        Ok(patch)
    }

    /// Takes secrets out, adds what is missing, and gives what the user said without that.
    fn rewrite(
        &self,
        request: &mut HookRequest<UserPromptSubmitted>,
        patch: &mut ContextPatch,
    ) -> Result<String, HookError> {
        let mut said = request.event().prompt.clone();
        if self.config.scrub {
            let missing = "messages are to be scrubbed, and nothing was given that does; call `scrubbed_by`";
            let redact = self.redact.as_ref().ok_or_else(|| HookError::unavailable(missing))?;
            said = redact.redact(&said).unwrap_or(said);
        }
        let missing = self.config.required.iter().filter(|text| !said.contains(&***text));
        let text = missing.fold(said.clone(), |text, required| format!("{text}\n\n{required}"));
        if text != said {
            patch.original_prompt = Some(said.clone());
        }
        if text != request.event().prompt {
            request.rewrite(text);
        }
        Ok(said)
    }

    /// Finds standing wishes and keeps them.
    fn wishes(&self, context: &HookContext, team: Option<&Team>, said: &str, patch: &mut ContextPatch) {
        if self.config.directives == Wishes::Ignore {
            return;
        }
        let wishes = detect(said);
        if wishes.is_empty() {
            return;
        }
        let directives = wishes
            .iter()
            .map(|wish| Directive { text: wish.text.clone(), mode: wish.mode.name().to_owned() });
        patch.directives = directives.collect();
        let captured = match (self.config.directives, team) {
            (Wishes::Capture, Some(team)) => capture(team, &self.config.author, context, &wishes),
            _ => Ok(Vec::new()),
        };
        let captured = captured.unwrap_or_else(|error| {
            fail(patch, &format!("a standing wish could not be kept: {error}"));
            Vec::new()
        });
        for (at, wish) in wishes.iter().enumerate() {
            self.report(wish, captured.get(at), patch);
        }
    }

    /// Says what became of a wish.
    fn report(&self, wish: &Detected, capture: Option<&Capture>, patch: &mut ContextPatch) {
        let what = format!("`{}` ({})", wish.text, wish.mode);
        let became = match capture.map(|capture| &capture.kept) {
            Some(Kept::New(place)) => format!("kept as a decision of the team in `{place}`"),
            Some(Kept::Known(title)) => format!("the team has decided that already: `{title}`"),
            None => "heard as a standing wish; it is not kept anywhere".to_owned(),
        };
        let effect = match self.enforces.as_ref().and_then(|enforces| enforces.enforcement(wish)) {
            Some(how) => format!("; enforced: {how}"),
            None => "; it is advice to the agents: no policy enforces it".to_owned(),
        };
        patch.system_messages.push(format!("{what}: {became}{effect}"));
        for title in capture.iter().flat_map(|capture| &capture.contrary) {
            let problem = format!("{what} says the contrary of the decision `{title}`");
            patch.system_messages.push(format!("{problem}; say which of them holds"));
            patch.additional_context.push(note(
                format!("{problem}. The user said it just now: follow it, and ask whether the decision is to be dropped."),
                Lifetime::Session,
            ));
        }
    }

    /// Says whom the message is for, unless that is who reads it.
    fn hint(&self, context: &HookContext, team: &Team, said: &str, patch: &mut ContextPatch) {
        let roster = match team.roster() {
            Ok(roster) => roster,
            Err(error) => return told(patch, &error),
        };
        let (members, is_everybody) = address::addressed(said, &roster);
        let others: Vec<_> = members
            .into_iter()
            .filter(|member| !member.name.eq_ignore_ascii_case(&context.agent_name))
            .map(|member| {
                if member.role.is_empty() {
                    member.name.clone()
                } else {
                    format!("{} ({})", member.name, member.role)
                }
            })
            .collect();
        let text = match (&others[..], is_everybody) {
            (_, true) => "This message is for the whole team.".to_owned(),
            ([], false) => return,
            ([one], false) => format!("This message is for {one}: route it there."),
            (_, false) => format!("This message is for {}: route it to each of them.", others.join(", ")),
        };
        patch.additional_context.push(note(text, Lifetime::Turn));
    }

    /// Tells the model what the team agreed on, unless the session knows that.
    fn tell(&self, context: &HookContext, team: Option<&Team>, kind: PromptKind, patch: &mut ContextPatch) {
        let mut problems = Vec::new();
        let text = conventions::text(&self.config, team, &mut problems);
        problems.iter().for_each(|problem| told(patch, problem));
        let digest = Digest::of(text.as_bytes());
        let mut sessions = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions.get(&context.session_id) == Some(&digest);
        if sessions.len() >= SESSIONS && !sessions.contains_key(&context.session_id) {
            sessions.clear();
        }
        sessions.insert(context.session_id.clone(), digest);
        drop(sessions);
        if !text.is_empty() && (!known || kind == PromptKind::Initial) {
            patch.additional_context.push(note(text, Lifetime::Session));
        }
    }
}

fn note(text: String, lifetime: Lifetime) -> ContextNote {
    ContextNote { source: Some(SOURCE.to_owned()), ..ContextNote::new(text).for_the(lifetime) }
}

fn told(patch: &mut ContextPatch, error: &TeamError) {
    fail(patch, &format!("a part of the team folder cannot be read: {error}"));
}

/// What went wrong, for the user and for the record.
fn fail(patch: &mut ContextPatch, problem: &str) {
    patch.system_messages.push(problem.to_owned());
    let error = HookError::other(std::io::Error::other(problem.to_owned()));
    patch.failures.push(Reason::failure(SOURCE.to_owned(), &error));
}
