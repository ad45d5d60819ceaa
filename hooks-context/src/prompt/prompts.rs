//! Steps of the processing of a message.

use std::sync::Arc;

use hooks_core::beside::offload;
use hooks_core::event::{PromptKind, UserPromptSubmitted};
use hooks_core::{
    BoxError, ContextNote, ContextPatch, Directive, HookContext, HookError, HookFuture, HookRequest,
    Lifetime, Reason,
};
use hooks_team::{Digest, Team, TeamError};

use super::inbox::{Capture, Captured, Kept, capture};
use super::{Enforces, PromptConfig, Wishes, address, conventions};
use crate::TeamPlace;
use crate::builtins::Redact;
use crate::directive::{Detected, detect};
use crate::limit::Limit;
use crate::sessions::Sessions;
use crate::source::{Here, Workers};

/// The most sessions whose last text is remembered, so that it is not repeated.
const SESSIONS: usize = 1_024;

/// The most standing wishes of one message. Each one is a file that is synced to the device.
const WISHES: usize = 20;

/// Source of notes and failures.
const SOURCE: &str = "prompts";

pub(super) struct Prompts {
    pub(super) config: PromptConfig,
    pub(super) redact: Option<Arc<dyn Redact>>,
    pub(super) enforces: Option<Arc<dyn Enforces>>,
    team: TeamPlace,
    pub(super) told: Arc<Told>,
    /// Workers that access the team folder, and their time limit.
    pub(super) workers: Arc<dyn Workers>,
    pub(super) limit: Option<Limit>,
}

/// A message after the rewrite, with its wishes and notes.
struct Message {
    prompt_text: String,
    kind: PromptKind,
    wishes: Vec<Detected>,
    patch: ContextPatch,
}

/// Digest of the conventions text that each session got last.
#[derive(Debug)]
pub(crate) struct Told(Sessions<Option<Digest>>);

impl Default for Told {
    fn default() -> Self {
        Self(Sessions::most(SESSIONS))
    }
}

impl Prompts {
    pub(super) fn new(config: PromptConfig, team: TeamPlace) -> Self {
        let workers = Arc::new(Here);
        Self { config, redact: None, enforces: None, team, told: Arc::default(), workers, limit: None }
    }

    /// Returns a copy that remembers no sessions.
    pub(super) fn afresh(&self) -> Self {
        let fresh = Self::new(self.config.clone(), self.team.clone());
        let (workers, limit) = (Arc::clone(&self.workers), self.limit.clone());
        Self { redact: self.redact.clone(), enforces: self.enforces.clone(), workers, limit, ..fresh }
    }

    /// Rewrites the message of `request` if the configuration requires it, and starts to collect the notes
    /// about it.
    ///
    /// # Errors
    /// Returns an error if secrets have to be removed and no redaction was set: then the message must not go
    /// on.
    pub(super) fn read(
        self: &Arc<Self>,
        request: &mut HookRequest<UserPromptSubmitted>,
    ) -> Result<HookFuture<'static, ContextPatch>, HookError> {
        let mut patch = ContextPatch::default();
        let prompt_text = self.rewrite(request, &mut patch)?;
        let wishes = self.hear(&prompt_text, &mut patch);
        let message = Message { prompt_text, kind: request.event().kind, wishes, patch };
        Ok(self.complete(Arc::clone(request.context()), message))
    }

    /// Adds the notes from the team folder, unless that takes too long.
    fn complete(
        self: &Arc<Self>,
        context: Arc<HookContext>,
        message: Message,
    ) -> HookFuture<'static, ContextPatch> {
        let (kind, mut without) = (message.kind, message.patch.clone());
        let lost =
            if message.wishes.is_empty() { "" } else { "; a standing wish in the message may not be kept" };
        let (prompts, own) = (Arc::clone(self), Arc::clone(&context));
        let done = offload(&*self.workers, move || Ok(prompts.look(&own, message)));
        let mut done = match &self.limit {
            Some(limit) => limit.on(done),
            None => done,
        };
        let prompts = Arc::clone(self);
        // The text counts as given only if it was ready in time.
        let finish = move |done: Result<(ContextPatch, String), BoxError>| match done {
            Ok((mut patch, conventions)) => {
                prompts.tell(&context, conventions, kind, &mut patch);
                patch
            }
            Err(error) => {
                fail(&mut without, &format!("the team folder did not answer: {error}{lost}"));
                without
            }
        };
        if let HookFuture::Now(answer) = &mut done
            && let Some(answer) = answer.take()
        {
            return HookFuture::now(finish(answer));
        }
        HookFuture::later(async move { finish(done.await) })
    }

    /// Collects the notes from the team folder, and the team's conventions. This may block on the disk.
    fn look(&self, context: &HookContext, message: Message) -> (ContextPatch, String) {
        let Message { prompt_text, wishes, mut patch, .. } = message;
        let team = self.team.team(context);
        let team = match &self.limit {
            Some(limit) => team.map(|team| limit.of_team(team)),
            None => team,
        };
        self.keep(context, team.as_ref(), &wishes, &mut patch);
        if self.config.routing_hints
            && let Some(team) = &team
        {
            self.hint(context, team, &prompt_text, &mut patch);
        }
        let mut problems = Vec::new();
        let conventions = conventions::text(&self.config, team.as_ref(), &mut problems);
        problems.iter().for_each(|problem| told(&mut patch, problem));
        (patch, conventions)
    }

    /// Removes secrets and adds missing texts. Returns the user's text without the additions.
    fn rewrite(
        &self,
        request: &mut HookRequest<UserPromptSubmitted>,
        patch: &mut ContextPatch,
    ) -> Result<String, HookError> {
        let mut prompt_text = request.event().prompt.clone();
        if self.config.scrub {
            let missing = "messages are to be scrubbed, and nothing was given that does; call `scrubbed_by`";
            let redact = self.redact.as_ref().ok_or_else(|| HookError::unavailable(missing))?;
            prompt_text = redact.redact(&prompt_text).unwrap_or(prompt_text);
        }
        let missing = self.config.required.iter().filter(|text| !prompt_text.contains(&***text));
        let text = missing.fold(prompt_text.clone(), |text, required| format!("{text}\n\n{required}"));
        if text != prompt_text {
            patch.original_prompt = Some(prompt_text.clone());
        }
        if text != request.event().prompt {
            request.rewrite(text);
        }
        Ok(prompt_text)
    }

    /// Finds the standing wishes, up to the limit for one message.
    fn hear(&self, prompt_text: &str, patch: &mut ContextPatch) -> Vec<Detected> {
        if self.config.directives == Wishes::Ignore {
            return Vec::new();
        }
        let mut wishes = detect(prompt_text);
        if wishes.len() > WISHES {
            patch.system_messages.push(format!(
                "the message has {} standing wishes; the first {WISHES} are used. Put a long text of rules into a file, or send it in parts",
                wishes.len()
            ));
            wishes.truncate(WISHES);
        }
        let directives = wishes
            .iter()
            .map(|wish| Directive { text: wish.text.clone(), mode: wish.mode.name().to_owned() });
        patch.directives = directives.collect();
        wishes
    }

    /// Keeps the standing wishes, and reports the result of each.
    fn keep(
        &self,
        context: &HookContext,
        team: Option<&Team>,
        wishes: &[Detected],
        patch: &mut ContextPatch,
    ) {
        if wishes.is_empty() {
            return;
        }
        let Captured { done, failed } = match (self.config.directives, team) {
            (Wishes::Capture, Some(team)) => capture(team, &self.config.author, context, wishes),
            _ => Captured::default(),
        };
        if let Some(error) = failed {
            fail(patch, &format!("a standing wish could not be kept: {error}"));
        }
        for (at, wish) in wishes.iter().enumerate() {
            self.report(wish, done.get(at), patch);
        }
    }

    /// Reports the result of a wish.
    fn report(&self, wish: &Detected, capture: Option<&Capture>, patch: &mut ContextPatch) {
        let what = format!("`{}` ({})", wish.text, wish.mode);
        let became = match capture.map(|capture| &capture.kept) {
            Some(Kept::New(place)) => format!("kept as a decision of the team in `{place}`"),
            Some(Kept::Known(title)) => format!("the team has decided that already: `{title}`"),
            None => "detected as a standing wish; it is not stored".to_owned(),
        };
        let effect = match self.enforces.as_ref().and_then(|enforces| enforces.enforcement(wish)) {
            Some(how) => format!("; enforced: {how}"),
            None => "; it is advice to the agents: no policy enforces it".to_owned(),
        };
        patch.system_messages.push(format!("{what}: {became}{effect}"));
        for title in capture.iter().flat_map(|capture| &capture.contrary) {
            let problem = format!("{what} is the contrary of the decision `{title}`");
            patch.system_messages.push(format!("{problem}; state which of them is valid"));
            patch.additional_context.push(note(
                format!("{problem}. It is the user's latest message: follow it, and ask whether the decision is to be dropped."),
                Lifetime::Session,
            ));
        }
    }

    /// Adds a hint about the addressee, unless that is the current agent.
    fn hint(&self, context: &HookContext, team: &Team, prompt_text: &str, patch: &mut ContextPatch) {
        let roster = match team.roster() {
            Ok(roster) => roster,
            Err(error) => return told(patch, &error),
        };
        let (members, is_everybody) = address::addressed(prompt_text, &roster);
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

    /// Adds the team's conventions for the model, unless the session already got the same text.
    fn tell(&self, context: &HookContext, text: String, kind: PromptKind, patch: &mut ContextPatch) {
        let digest = Digest::hash(text.as_bytes());
        let before = self.told.0.change(context, |told| told.replace(digest));
        if !text.is_empty() && (before != Some(digest) || kind == PromptKind::Initial) {
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

/// Adds a failure: a message for the user, and a record.
fn fail(patch: &mut ContextPatch, problem: &str) {
    patch.system_messages.push(problem.to_owned());
    let error = HookError::other(std::io::Error::other(problem.to_owned()));
    patch.failures.push(Reason::failure(SOURCE.to_owned(), &error));
}
